package media

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/tensor"
)

// Class is one class and how likely it is.
type Class struct {
	Index       int     `json:"index"`
	Label       string  `json:"label"`
	Probability float32 `json:"probability"`
}

// errMissing is what there is to say without a specification or a tensor.
var errMissing = errors.New("the specification or the tensor is nil")

func missing(t *tensor.Tensor) bool { return t == nil || t.DType() == tensor.Invalid }

// Classes reads the classes of an output, the likeliest first, equal ones in their order; as many as spec wants.
func Classes(spec *manifest.Classes, t *tensor.Tensor) ([]Class, error) {
	if spec == nil || missing(t) {
		return nil, errMissing
	}
	var e eval
	values := e.probabilities(spec, t)
	if e.err != nil {
		return nil, e.err
	}
	classes := make([]Class, t.Len())
	for i, p := range tensor.Data[float32](values) {
		classes[i] = Class{i, spec.Label(i), p}
	}
	slices.SortStableFunc(classes, func(a, b Class) int { return cmp.Compare(b.Probability, a.Probability) })
	if spec.Top > 0 && spec.Top < len(classes) {
		classes = classes[:spec.Top]
	}
	return classes, nil
}

// probabilities returns what is said of each class, as float32 [1,N].
func (e *eval) probabilities(spec *manifest.Classes, t *tensor.Tensor) *tensor.Tensor {
	values := e.reshape(e.cast(t, tensor.Float32), 1, t.Len())
	if spec.Logits {
		values = e.op("softmax", attrs("axes", []int{1}), values)
	}
	return values
}

// Track is one number for each window of a sound.
type Track struct {
	Label     string    `json:"label"`
	Threshold float64   `json:"threshold"` // from which value on what the label says is so
	Step      float64   `json:"step"`      // seconds from one window to the next
	Values    []float32 `json:"values"`
}

// TrackValue reads the value of a track from the output of one run.
func TrackValue(spec *manifest.Track, t *tensor.Tensor) (float32, error) {
	if spec == nil || missing(t) {
		return 0, errMissing
	}
	index := max(spec.Index, 0)
	if index >= t.Len() || spec.Index < 0 && t.Len() != 1 {
		return 0, fmt.Errorf("the track's element %d is not in %v", index, t.Describe())
	}
	var e eval
	x := e.reshape(e.cast(t, tensor.Float32), t.Len())
	if e.err != nil {
		return 0, e.err
	}
	return tensor.Data[float32](x)[index], nil
}

// Segment is a stretch of time, in seconds.
type Segment struct {
	Begin float64 `json:"begin"`
	End   float64 `json:"end"`
}

// Segments returns the stretches during which the values are not below the threshold.
func (t *Track) Segments() []Segment {
	var segments []Segment
	on := false
	for i, v := range t.Values {
		begin, end := float64(i)*t.Step, float64(i+1)*t.Step
		switch now := float64(v) >= t.Threshold; {
		case now && on:
			segments[len(segments)-1].End = end
		case now:
			segments = append(segments, Segment{begin, end})
		}
		on = float64(v) >= t.Threshold
	}
	return segments
}
