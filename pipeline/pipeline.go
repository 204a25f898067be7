package pipeline

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io/fs"
	"maps"
	"slices"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/internal/model"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/media"
	"github.com/concord-nn/concord/tensor"
)

// Pipeline is a model with its manifest. Any number of goroutines may use it at the same time. [Open], [OpenFS] and [New] make pipelines;
// every run of another one is an error.
type Pipeline struct {
	model    *concord.Model
	manifest *manifest.Manifest
	programs *model.Programs
	shapes   model.Shapes // of inputs that the model leaves open
	outputs  []string     // in the order of the model; nil if only a run shows them
	owned    bool         // whether Close closes the model
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
	if errors.As(err, new(*manifest.NotFoundError)) {
		err = fmt.Errorf("%s: %w", path, err)
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
		return nil, errors.New("the model is nil")
	}
	if d == nil {
		d = &manifest.Manifest{}
	}
	p := &Pipeline{model: m, manifest: d, programs: m.Programs(opts), shapes: Shapes(m.Inputs(), d)}
	maps.Copy(p.shapes, opts.Shapes)
	if err := p.check(); err != nil {
		p.programs.Close()
		return nil, err
	}
	return p, nil
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
		inputs[i] = p.typeOf(in)
	}
	return p.manifest.Check(inputs, outputs)
}

// typeOf returns the type of an input as far as it is known before a run.
func (p *Pipeline) typeOf(in model.Input) manifest.Type {
	t := manifest.Type{Name: in.Name, DType: in.DType, Shape: p.shapes[in.Name]}
	if t.Shape == nil {
		t.Shape = make(tensor.Shape, len(in.Shape))
		for i, d := range in.Shape {
			if t.Shape[i] = d.Extent; d.Symbol != "" {
				t.Shape[i] = manifest.Unknown
			}
		}
	}
	return t
}

// Model returns the model.
func (p *Pipeline) Model() *concord.Model { return p.model }

// Manifest returns what describes the model. It may not be changed.
func (p *Pipeline) Manifest() *manifest.Manifest { return p.manifest }

// Close ends the workers of the pipeline and, if [Open] or [OpenFS] has made it, closes the model. No run may be going on.
func (p *Pipeline) Close() error {
	if p == nil || p.programs == nil {
		return nil
	}
	p.programs.Close()
	if p.owned {
		return p.model.Close()
	}
	return nil
}

// Inputs are what a run is about. Inputs of the model that are not in it have the value that the manifest gives them.
type Inputs struct {
	// Picture is for the input that is a picture, Sound for the one that is a sound; nil if there is none. Several pictures are given in
	// Pictures, by the names of their inputs.
	Picture  image.Image
	Pictures map[string]image.Image
	Sound    *media.Sound

	// Tensors are other inputs, and inputs that are prepared already, by their names.
	Tensors map[string]*tensor.Tensor
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
	if p == nil || p.programs == nil {
		return nil, errors.New("the pipeline was made neither by Open nor by New")
	}
	if ctx == nil {
		return nil, errors.New("the context is nil")
	}
	j, err := p.prepare(in)
	if err != nil {
		return nil, err
	}
	windows := 1
	if j.frames != nil {
		if windows = j.frames.Len(); windows == 0 {
			return nil, fmt.Errorf("input %q: the sound is empty", j.sound)
		}
	}
	var out model.Values
	for i := range windows {
		if j.frames != nil {
			if j.values[j.sound], err = j.frames.At(i); err != nil {
				return nil, err
			}
		}
		if out, err = p.programs.Run(ctx, j.values); err != nil {
			return nil, err
		}
		if err := p.follow(j, out); err != nil {
			return nil, err
		}
	}
	return p.interpret(j, out)
}

// job is what a run takes, and what its windows have yielded.
type job struct {
	values model.Values
	views  []media.View // of the pictures
	frames *media.Frames
	sound  string // the input that takes the frames
	tracks map[string]*media.Track
}

func (p *Pipeline) prepare(in Inputs) (*job, error) {
	j := &job{values: make(model.Values), tracks: make(map[string]*media.Track)}
	left := unused(in)
	for _, want := range p.model.Inputs() {
		if want.Sequence {
			for i := 0; in.Tensors[model.Element(want.Name, i)] != nil; i++ {
				name := model.Element(want.Name, i)
				j.values[name] = in.Tensors[name]
				delete(left, name)
			}
			continue
		}
		if t := in.Tensors[want.Name]; t != nil {
			j.values[want.Name] = t
			delete(left, want.Name)
			continue
		}
		if err := p.fill(j, in, want, left); err != nil {
			return nil, err
		}
	}
	if more := slices.Sorted(maps.Keys(left)); len(more) > 0 {
		return nil, fmt.Errorf("%s is given, and the model has no such input; it has %s", more[0], p.names())
	}
	return j, nil
}

// What is given for inputs without a name.
const (
	onePicture = "Inputs.Picture"
	oneSound   = "Inputs.Sound"
)

// unused lists what is given.
func unused(in Inputs) map[string]bool {
	left := make(map[string]bool)
	for name, t := range in.Tensors {
		left[name] = t != nil
	}
	for name, m := range in.Pictures {
		left[name] = m != nil
	}
	left[onePicture], left[oneSound] = in.Picture != nil, in.Sound != nil
	maps.DeleteFunc(left, func(_ string, given bool) bool { return !given })
	return left
}

func (p *Pipeline) names() string {
	list := make([]string, len(p.model.Inputs()))
	for i, in := range p.model.Inputs() {
		list[i] = in.String()
	}
	return fmt.Sprint(list)
}

// fill makes an input that is not given as a tensor.
func (p *Pipeline) fill(j *job, in Inputs, want model.Input, left map[string]bool) (err error) {
	t := p.typeOf(want)
	switch k := p.manifest.Input(want.Name).(type) {
	case *manifest.Image:
		name, m := want.Name, in.Pictures[want.Name]
		if m == nil {
			name, m = onePicture, in.Picture
		}
		if m == nil {
			return fmt.Errorf("input %q: there is no picture for it", want.Name)
		}
		delete(left, name)
		pixels, err := media.RGBA(m)
		if err != nil {
			return fmt.Errorf("input %q: %w", want.Name, err)
		}
		var view media.View
		j.values[want.Name], view, err = media.PrepareImage(k, t, pixels)
		j.views = append(j.views, view)
		return err
	case *manifest.Audio:
		if in.Sound == nil {
			return fmt.Errorf("input %q: there is no sound for it", want.Name)
		}
		delete(left, oneSound)
		j.sound = want.Name
		j.frames, err = media.PrepareAudio(k, t, in.Sound)
		return err
	case *manifest.State:
		j.values[want.Name], err = tensor.New(t.DType, t.Shape)
		return err
	case *manifest.Tensor:
		if k.Value != nil {
			j.values[want.Name], err = media.Value(k, t)
			return err
		}
	}
	if !want.Optional {
		return fmt.Errorf("input %v is missing, and the manifest gives it no value", want)
	}
	return nil
}

// follow reads the tracks of a window, and makes states of the next one of its outputs.
func (p *Pipeline) follow(j *job, out model.Values) error {
	for _, o := range p.manifest.Outputs {
		spec, ok := o.Kind.(*manifest.Track)
		if !ok || out[o.Name] == nil {
			continue
		}
		v, err := media.TrackValue(spec, out[o.Name])
		if err != nil {
			return fmt.Errorf("output %q: %w", o.Name, err)
		}
		t := j.tracks[o.Name]
		if t == nil {
			t = &media.Track{Label: spec.Label, Threshold: spec.Threshold}
			if j.frames != nil {
				t.Step = j.frames.Step()
			}
			j.tracks[o.Name] = t
		}
		t.Values = append(t.Values, v)
	}
	for _, in := range p.manifest.Inputs {
		if s, ok := in.Kind.(*manifest.State); ok {
			if out[s.From] == nil {
				return fmt.Errorf("input %q: there is no output %q to be its next state", in.Name, s.From)
			}
			j.values[in.Name] = out[s.From]
		}
	}
	return nil
}

// order returns the names of outputs in the order of the model.
func (p *Pipeline) order(out model.Values) []string {
	names := slices.DeleteFunc(slices.Clone(p.outputs), func(name string) bool { return out[name] == nil })
	for _, name := range slices.Sorted(maps.Keys(out)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
