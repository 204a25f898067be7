package pipeline

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io/fs"
	"maps"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/internal/gate"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/media"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/tensor"
)

// Pipeline is a model with its manifest. Any number of goroutines may use it at the same time. [Open], [OpenFS], [New] and [Through] make pipelines;
// every run of another one is an error.
type Pipeline struct {
	model    *concord.Model
	manifest *manifest.Manifest
	run      func(ctx context.Context, inputs model.Values) (model.Values, error)
	programs *model.Programs // nil if somebody else runs the model
	shapes   model.Shapes    // of inputs that the model leaves open
	outputs  []string        // in the order of the model; nil if only a run shows them
	owned    bool            // whether Close closes the model
	gate     gate.Gate       // of runs
}

// Open reads the model at a path and the manifest that [manifest.Find] finds for it. That there is none is a [*manifest.NotFoundError].
func Open(path string) (*Pipeline, error) {
	return open(path, concord.Open, manifest.Find)
}

// OpenFS is [Open] in a file system, as those of package embed.
func OpenFS(fsys fs.FS, name string) (*Pipeline, error) {
	if fsys == nil {
		return nil, fmt.Errorf("%s: the file system is nil", name)
	}
	return open(name, func(name string) (*concord.Model, error) { return concord.OpenFS(fsys, name) },
		func(name string) (*manifest.Manifest, error) { return manifest.FindFS(fsys, name) })
}

func open(path string, load func(path string) (*concord.Model, error), find func(path string) (*manifest.Manifest, error)) (*Pipeline, error) {
	m, err := load(path)
	if err != nil {
		return nil, err
	}
	d, err := find(path)
	switch {
	case errors.As(err, new(*manifest.NotFoundError)):
		err = fmt.Errorf("%s: %w", path, err)
	case errors.As(err, new(manifest.Errors)):
		err = Check(m, d, nil) // which tells more
	}
	var p *Pipeline
	if err == nil {
		p, err = New(m, d, concord.Options{})
	}
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	p.owned = true
	return p, nil
}

// New makes a pipeline of a model, which must not be closed before it, and a manifest, which must not change any more. A nil manifest says
// nothing: inputs and outputs are tensors. The options' shapes are those of inputs that the model leaves open and the manifest does not
// settle. A manifest that does not fit the model is a [manifest.Errors].
func New(m *concord.Model, d *manifest.Manifest, opts concord.Options) (*Pipeline, error) {
	if m == nil {
		return nil, errNoModel
	}
	if d == nil {
		d = &manifest.Manifest{}
	}
	p := &Pipeline{model: m, manifest: d, programs: m.Programs(opts), shapes: Shapes(m.Inputs(), d)}
	p.run = p.programs.Run
	maps.Copy(p.shapes, opts.Shapes)
	if err := p.check(); err != nil {
		p.programs.Close()
		return nil, err
	}
	return p, nil
}

// Through makes a pipeline of a model that somebody else runs, such as a server with a queue of requests, and that a manifest fits. Outputs are
// answered in the order of their names here. The pipeline has no sessions, and nothing to close.
func Through(m *concord.Model, d *manifest.Manifest, outputs []string, run func(ctx context.Context, inputs model.Values) (model.Values, error)) (*Pipeline, error) {
	if m == nil || run == nil {
		return nil, errors.New("the model, or what runs it, is nil")
	}
	if d == nil {
		d = &manifest.Manifest{}
	}
	return &Pipeline{model: m, manifest: d, run: run, shapes: Shapes(m.Inputs(), d), outputs: outputs}, nil
}

// check compiles the model and holds the manifest against it. What depends on inputs that are not known yet, runs will show.
func (p *Pipeline) check() error {
	program, err := p.programs.For(p.shapes)
	var outputs []manifest.Type
	switch {
	case errors.As(err, new(*model.OpenError)):
		return nil
	case errors.As(err, new(*model.PartsError)):
		p.outputs = p.model.Outputs()
		for _, name := range p.outputs {
			outputs = append(outputs, manifest.Type{Name: name})
		}
	case err != nil:
		return err
	default:
		for _, o := range program.Outputs() {
			p.outputs = append(p.outputs, o.Name)
			outputs = append(outputs, manifest.Type{Name: o.Name, DType: o.Type.DType, Shape: o.Type.Shape})
		}
	}
	inputs := make([]manifest.Type, len(p.model.Inputs()))
	for i, in := range p.model.Inputs() {
		inputs[i] = typeOf(in, p.shapes)
	}
	return p.manifest.Check(inputs, outputs)
}

// Session makes a session for inputs of some shapes: of those that the model leaves open, as in the options of [New], which count where none is
// given.
func (p *Pipeline) Session(shapes model.Shapes) (*Session, error) {
	if p == nil || p.run == nil {
		return nil, errNoPipeline
	}
	if p.programs == nil {
		return nil, errors.New("the pipeline has no sessions, as somebody else runs its model")
	}
	if !p.gate.Enter() {
		return nil, mapfile.ErrClosed
	}
	defer p.gate.Leave()
	all := maps.Clone(p.shapes)
	maps.Copy(all, shapes)
	s, err := p.programs.Session(all)
	if err != nil {
		return nil, err
	}
	return NewSession(s, p.manifest)
}

var errNoPipeline = errors.New("the pipeline was made neither by Open nor by New nor by Through")

// Model returns the model.
func (p *Pipeline) Model() *concord.Model { return p.model }

// Manifest returns what describes the model. It may not be changed.
func (p *Pipeline) Manifest() *manifest.Manifest { return p.manifest }

// Close ends the pipeline for new work: everything that is asked afterwards is an error, fs.ErrClosed. Runs under way end as they would have, and
// sessions that were made go on. If [Open] or [OpenFS] has made the pipeline, the model is closed, when the runs have ended. It may be called at any
// time, by any goroutine, and more than once. A pipeline that [Through] has made has nothing to close, and goes on.
func (p *Pipeline) Close() error {
	if p == nil || p.programs == nil {
		return nil
	}
	return p.gate.Close(func() error {
		p.programs.Close()
		if p.owned {
			return p.model.Close()
		}
		return nil
	})
}

// Picture answers what the model says of a picture.
func (p *Pipeline) Picture(ctx context.Context, m image.Image) (*Answer, error) {
	if m == nil {
		return nil, errors.New("the picture is nil")
	}
	return p.Run(ctx, Inputs{Picture: m})
}

// Sound answers what the model says of a sound, window by window.
func (p *Pipeline) Sound(ctx context.Context, s *media.Sound) (*Answer, error) {
	if s == nil {
		return nil, errors.New("the sound is nil")
	}
	return p.Run(ctx, Inputs{Sound: s})
}

// Run answers what the model says of inputs. An input that is missing, or that the manifest does not say how to make, is an error that names
// it; so is one that the model does not have.
func (p *Pipeline) Run(ctx context.Context, in Inputs) (*Answer, error) {
	if p == nil || p.run == nil {
		return nil, errNoPipeline
	}
	if !p.gate.Enter() {
		return nil, mapfile.ErrClosed
	}
	defer p.gate.Leave()
	j := &job{machine: &values{do: p.run, in: make(model.Values)}, manifest: p.manifest}
	return j.all(ctx, p.ports(in), in, p.outputs)
}

// ports returns the inputs of a run, of sequences the elements that are given.
func (p *Pipeline) ports(in Inputs) []port {
	var list []port
	for _, of := range p.model.Inputs() {
		if !of.Sequence {
			list = append(list, port{typeOf(of, p.shapes), of.String(), of.Optional})
			continue
		}
		for i := 0; in.Tensors[model.Element(of.Name, i)] != nil; i++ {
			name := model.Element(of.Name, i)
			list = append(list, port{Type: manifest.Type{Name: name}, text: name})
		}
	}
	return list
}

// values runs the model on inputs of whatever shapes.
type values struct {
	do      func(ctx context.Context, inputs model.Values) (model.Values, error)
	in, out model.Values
}

func (v *values) set(name string, t *tensor.Tensor) error {
	v.in[name] = t
	return nil
}

func (v *values) run(ctx context.Context) (err error) {
	v.out, err = v.do(ctx, v.in)
	return err
}

func (v *values) outputs() model.Values { return v.out }
