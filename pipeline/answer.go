package pipeline

import (
	"fmt"
	"slices"

	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/media"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/tensor"
)

// Answer is what a model says. As JSON it has what the outputs mean; tensors are left out.
type Answer struct {
	Outputs []Output `json:"outputs"` // in the order of the model, without those that are scores of another one

	// Tensors are all outputs of the model by their names, for a sound those of its last window.
	Tensors map[string]*tensor.Tensor `json:"-"`
}

// Output is what one output says: one of classes, boxes and a track, or a tensor that the manifest gives no meaning.
type Output struct {
	Name    string         `json:"name"`
	Classes []media.Class  `json:"classes,omitempty"` // the likeliest first
	Boxes   []media.Box    `json:"boxes,omitempty"`   // the best first, in pixels of the picture; may be empty
	Track   *media.Track   `json:"track,omitempty"`
	Tensor  *tensor.Tensor `json:"-"`
}

// Classes returns the classes of the first output that has some, the likeliest first; nil if there is none.
func (a *Answer) Classes() []media.Class {
	for i := range a.Outputs {
		if c := a.Outputs[i].Classes; len(c) > 0 {
			return c
		}
	}
	return nil
}

// Boxes returns the boxes of all outputs.
func (a *Answer) Boxes() []media.Box {
	var all []media.Box
	for i := range a.Outputs {
		all = append(all, a.Outputs[i].Boxes...)
	}
	return all
}

// Track returns the first track, nil if there is none.
func (a *Answer) Track() *media.Track {
	for i := range a.Outputs {
		if t := a.Outputs[i].Track; t != nil {
			return t
		}
	}
	return nil
}

// answer says what the outputs of the last run mean, in the order of their names, and others behind these.
func (j *job) answer(names []string) (*Answer, error) {
	scores := make(map[string]bool)
	for _, o := range j.manifest.Outputs {
		if b, ok := o.Kind.(*manifest.Boxes); ok {
			scores[b.Scores] = true
		}
	}
	out := j.outputs()
	a := &Answer{Tensors: out}
	for _, name := range ordered(names, out) {
		o := Output{Name: name}
		var err error
		switch k := j.manifest.Output(name).(type) {
		case *manifest.Classes:
			o.Classes, err = media.Classes(k, out[name])
		case *manifest.Boxes:
			o.Boxes, err = j.boxes(k, out[name], out[k.Scores])
		case *manifest.Track:
			if o.Track = j.tracks[name]; o.Track == nil { // no window was run
				o.Tensor = out[name]
			}
		default:
			if scores[name] {
				continue
			}
			o.Tensor = out[name]
		}
		if err != nil {
			return nil, fmt.Errorf("output %q: %w", name, err)
		}
		a.Outputs = append(a.Outputs, o)
	}
	return a, nil
}

// ordered returns the names of values, those in a list first.
func ordered(first []string, out model.Values) []string {
	names := slices.DeleteFunc(slices.Clone(first), func(name string) bool { return out[name] == nil })
	for _, name := range naming.Sorted(out) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// boxes places boxes in the picture, or, if the input was given as a tensor, in a square of side 1.
func (j *job) boxes(k *manifest.Boxes, boxes, scores *tensor.Tensor) ([]media.Box, error) {
	if scores == nil {
		return nil, fmt.Errorf("there is no output %q with its scores", k.Scores)
	}
	view := media.View{Width: 1, Height: 1, Columns: 1, Rows: 1}
	if len(j.views) > 0 {
		view = j.views[0]
	}
	return media.Boxes(k, view, boxes, scores)
}
