package pipeline

import (
	"context"
	"errors"
	"fmt"
	"image"
	"maps"

	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/media"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/tensor"
)

// Inputs are what a run is about. Inputs of the model that are not in it have the value that the manifest gives them.
type Inputs struct {
	// Picture is for the input that is a picture, Sound for the one that is a sound; nil if there is none. Several pictures are given in
	// Pictures, by the names of their inputs.
	Picture  image.Image
	Pictures map[string]image.Image
	Sound    *media.Sound

	// Tensors are other inputs, and inputs that are prepared already, by their names.
	Tensors map[string]*tensor.Tensor

	// Limits bound what becomes of a sound.
	Limits media.Limits
}

// machine runs a model.
type machine interface {
	set(name string, t *tensor.Tensor) error
	run(ctx context.Context) error
	outputs() model.Values // of the last run
}

// port is an input of a machine.
type port struct {
	manifest.Type
	text     string // its name and type
	optional bool
}

// job is what answering takes, and what the windows of a sound have yielded so far.
type job struct {
	machine
	manifest *manifest.Manifest
	views    []media.View // of the pictures
	frames   *media.Frames
	sound    string                  // the input that takes the frames
	tracks   map[string]*media.Track // nil before inputs are set
}

// prepare sets all inputs, of a sound the first window, and returns how many windows there are: one without a sound.
func (j *job) prepare(ports []port, in Inputs) (int, error) {
	j.views, j.frames, j.sound, j.tracks = nil, nil, "", make(map[string]*media.Track)
	left := unused(in)
	for _, p := range ports {
		t := in.Tensors[p.Name]
		if delete(left, p.Name); t == nil {
			var err error
			if t, err = j.fill(in, p, left); err != nil {
				return 0, err
			}
		}
		if t == nil {
			continue
		}
		if err := j.set(p.Name, t); err != nil {
			return 0, err
		}
	}
	if more := naming.Sorted(left); len(more) > 0 {
		names := make([]string, len(ports))
		for i, p := range ports {
			names[i] = p.text
		}
		return 0, fmt.Errorf("%s is given, and the model has no such input; it has %s", more[0], names)
	}
	if j.frames == nil {
		return 1, nil
	}
	if j.frames.Len() == 0 {
		return 0, fmt.Errorf("input %q: the sound is empty", j.sound)
	}
	return j.frames.Len(), j.window(0)
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

// fill makes an input that is not given as a tensor; nil for one that is absent, or that the windows of a sound will be.
func (j *job) fill(in Inputs, p port, left map[string]bool) (t *tensor.Tensor, err error) {
	switch k := j.manifest.Input(p.Name).(type) {
	case *manifest.Image:
		name, m := p.Name, in.Pictures[p.Name]
		if m == nil {
			name, m = onePicture, in.Picture
		}
		if m == nil {
			return nil, fmt.Errorf("input %q: there is no picture for it", p.Name)
		}
		delete(left, name)
		pixels, err := media.RGBA(m)
		if err != nil {
			return nil, fmt.Errorf("input %q: %w", p.Name, err)
		}
		t, view, err := media.PrepareImage(k, p.Type, pixels)
		j.views = append(j.views, view)
		return t, err
	case *manifest.Audio:
		if in.Sound == nil {
			return nil, fmt.Errorf("input %q: there is no sound for it", p.Name)
		}
		delete(left, oneSound)
		j.sound = p.Name
		j.frames, err = in.Limits.PrepareAudio(k, p.Type, in.Sound)
		return nil, err
	case *manifest.State:
		return tensor.New(p.DType, p.Shape)
	case *manifest.Tensor:
		if k.Value != nil {
			return media.Value(k, p.Type)
		}
	}
	if !p.optional {
		if len(j.manifest.Inputs) == 0 { // as without a manifest
			return nil, fmt.Errorf("input %s is missing, and no manifest says how a picture, a sound or a value becomes it", p.text)
		}
		return nil, fmt.Errorf("input %s is missing, and the manifest gives it no value", p.text)
	}
	return nil, nil
}

// window sets the input that takes the sound to one of its windows.
func (j *job) window(i int) error {
	if j.frames == nil {
		return nil
	}
	if i < 0 || i >= j.frames.Len() {
		return fmt.Errorf("there is no window %d; the sound has %d", i, j.frames.Len())
	}
	t, err := j.frames.At(i)
	if err != nil {
		return err
	}
	return j.set(j.sound, t)
}

// step runs a window, reads its tracks, and makes states of the next one of its outputs.
func (j *job) step(ctx context.Context, window int) error {
	if ctx == nil {
		return errors.New("the context is nil")
	}
	if j.tracks == nil {
		return errors.New("no inputs are set")
	}
	if err := j.window(window); err != nil {
		return err
	}
	if err := j.run(ctx); err != nil {
		return err
	}
	out := j.outputs()
	for _, o := range j.manifest.Outputs {
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
	for _, in := range j.manifest.Inputs {
		s, ok := in.Kind.(*manifest.State)
		if !ok {
			continue
		}
		if out[s.From] == nil {
			return fmt.Errorf("input %q: there is no output %q to be its next state", in.Name, s.From)
		}
		if err := j.set(in.Name, out[s.From]); err != nil {
			return err
		}
	}
	return nil
}

// all sets inputs, runs all windows and says what their outputs mean, in the order of the names that come first.
func (j *job) all(ctx context.Context, ports []port, in Inputs, names []string) (*Answer, error) {
	windows, err := j.prepare(ports, in)
	if err != nil {
		return nil, err
	}
	for i := range windows {
		if err := j.step(ctx, i); err != nil {
			return nil, err
		}
	}
	return j.answer(names)
}
