package serve

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/media"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/pipeline"
	"github.com/concord-nn/concord/serve/internal/batch"
	"github.com/concord-nn/concord/serve/internal/oip"
	"github.com/concord-nn/concord/serve/internal/repository"
	"github.com/concord-nn/concord/tensor"
)

// version is a loaded version of a model.
type version struct {
	*description
	model     *concord.Model
	manifest  *manifest.Manifest // nil if there is none
	scheduler *batch.Scheduler
	files     int64 // bytes of the model's files in memory
	first     int64 // that the scheduler took when the version was ready
}

// Bytes returns what the version takes now.
func (v *version) Bytes() int64 { return v.files + v.scheduler.Memory() }

// Trim gives up what requests of other shapes or values have made the version keep.
func (v *version) Trim() int64 { return v.scheduler.Trim(v.first) }

// Close ends the version when its requests are answered.
func (v *version) Close() {
	v.scheduler.Close()
	_ = v.model.Close() // it has only been read
}

// acquire is [repository.Repository.Acquire] of a repository whose versions [Server.open] makes.
func acquire(ctx context.Context, models *repository.Repository, name, number string) (*version, repository.Source, func(), error) {
	loaded, of, release, err := models.Acquire(ctx, name, number)
	v, _ := loaded.(*version)
	return v, of, release, err
}

// open loads a version and runs it once, so that all that is made in the first run is there when clients ask.
func (s *Server) open(ctx context.Context, of repository.Source) (repository.Loaded, error) {
	v := &version{}
	read, find, name := s.opts.Loader.Open, manifest.Find, of.Path
	if !s.opts.Mapped { // whoever writes over a file changes no model that is loaded
		folder := os.DirFS(filepath.Dir(of.Path))
		name = filepath.Base(of.Path)
		read = func(name string) (*concord.Model, error) { return s.opts.Loader.OpenFS(folder, name) }
		find = func(name string) (*manifest.Manifest, error) { return manifest.FindFS(folder, name) }
		v.files = of.Bytes
	}
	var err error
	if v.model, err = read(name); err != nil {
		return nil, err
	}
	v.manifest, err = find(name)
	switch {
	case err == nil, errors.As(err, new(*manifest.NotFoundError)):
		err = v.prepare(ctx, &s.opts)
	case errors.As(err, new(manifest.Errors)):
		err = pipeline.Check(v.model, v.manifest, nil) // which tells more
	}
	if err != nil {
		return nil, errors.Join(err, v.model.Close())
	}
	return v, nil
}

// prepare makes a model that was read ready for requests.
func (v *version) prepare(ctx context.Context, opts *Options) (err error) {
	if v.description, err = describe(v.model, v.manifest); err != nil {
		return err
	}
	if v.manifest != nil {
		if err := v.manifest.Check(typesOf(v.inputs), typesOf(v.outputs)); err != nil {
			return err
		}
	}
	compile := concord.Options{Threads: opts.Threads, Limits: opts.Limits}
	if most := compile.Limits.Resolved().Memory; opts.Memory > 0 { // what one run takes is a part of what all models may
		compile.Limits.Memory = min(most, opts.Memory)
	}
	if !v.guessed {
		compile.Shapes = v.sample
	}
	if v.scheduler, err = batch.New(v.model, batch.Options{
		Largest: opts.Batch, Delay: opts.BatchDelay, Queue: opts.Queue, Workers: opts.Workers, Priorities: opts.Priorities,
		Compile: compile, Manifest: v.manifest, Memory: opts.Memory,
	}); err != nil {
		return err
	}
	if err := v.warm(ctx); err != nil {
		v.scheduler.Close()
		return err
	}
	v.first = v.scheduler.Memory()
	return nil
}

// warm runs the model on zeros, and what its manifest says of inputs. A model of which the shapes are not known waits for its first request, and
// one that runs in parts may not take zeros.
func (v *version) warm(ctx context.Context) error {
	if v.sample == nil {
		return nil
	}
	in := make(model.Values)
	for _, p := range v.inputs {
		if p.optional {
			continue
		}
		t, err := tensor.New(p.dtype, v.sample[p.name])
		if k, ok := v.said(p.name).(*manifest.Tensor); ok && k.Value != nil && err == nil {
			t, err = media.Value(k, manifest.Type{Name: p.name, DType: p.dtype, Shape: v.sample[p.name]})
		}
		if err != nil {
			return err
		}
		in[p.name] = t
	}
	result, err := v.scheduler.Run(ctx, batch.Request{Inputs: in})
	switch {
	case err != nil && v.inParts:
		return nil
	case err != nil:
		return fmt.Errorf("it does not run: %w", err)
	}
	v.scheduler.Forget()
	for i := range v.outputs {
		if t := result.Outputs[v.outputs[i].name]; t != nil && v.outputs[i].dtype == tensor.Invalid {
			v.outputs[i].dtype, v.outputs[i].shape = t.DType(), open(t.Rank())
		}
	}
	return refused("output", v.outputs)
}

// said returns what the manifest says of an input, nil if nothing.
func (v *version) said(input string) manifest.InputKind {
	if v.manifest == nil {
		return nil
	}
	return v.manifest.Input(input)
}

// keeps reports whether an input is a state.
func (v *version) keeps(input string) bool {
	_, ok := v.said(input).(*manifest.State)
	return ok
}

// metadata describes the version to clients.
func (v *version) metadata(name string, versions []string) *oip.ModelMetadata {
	return &oip.ModelMetadata{Name: name, Versions: versions, Platform: v.platform(), Inputs: metadataOf(v.inputs), Outputs: metadataOf(v.outputs)}
}

func (v *version) platform() string { return strings.ToLower(v.model.Format()) + "_concord" }
