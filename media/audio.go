package media

import (
	"cmp"
	"fmt"
	"math"

	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/tensor"
)

// Frames are the windows of a sound, each the input of one run.
type Frames struct {
	frame   manifest.Frame
	rate    int
	samples []float32
}

// PrepareAudio cuts a sound into windows for the input of type t, as spec says. A sound of another rate is resampled.
func PrepareAudio(spec *manifest.Audio, t manifest.Type, s *Sound) (*Frames, error) {
	return Limits{}.PrepareAudio(spec, t, s)
}

// PrepareAudio is the function [PrepareAudio] within limits.
func (l Limits) PrepareAudio(spec *manifest.Audio, t manifest.Type, s *Sound) (*Frames, error) {
	spec, err := spec.Resolved()
	var frame manifest.Frame
	if err == nil {
		frame, err = spec.Frame(t)
	}
	if err != nil {
		return nil, fmt.Errorf("input %q: %w", t.Name, err)
	}
	if s == nil {
		return nil, fmt.Errorf("input %q: the sound is nil", t.Name)
	}
	samples, err := l.Resample(s.Mono(), s.Rate, spec.Rate)
	if err != nil {
		return nil, fmt.Errorf("input %q: %w", t.Name, err)
	}
	f := &Frames{frame: frame, rate: spec.Rate, samples: samples}
	if scale := float32(spec.Scale); scale != 1 && len(f.samples) > 0 {
		var e eval
		x := e.keep(tensor.FromSlice(f.samples, len(f.samples)))
		if x = e.op("mul", nil, x, e.constant([]float64{spec.Scale}, 1)); e.err != nil {
			return nil, e.err
		}
		f.samples = tensor.Data[float32](x)
	}
	return f, nil
}

// Len returns the number of windows: as many as it takes for the last sample to be in one.
func (f *Frames) Len() int {
	n := len(cmp.Or(f, new(Frames)).samples)
	if n == 0 {
		return 0
	}
	return (max(n-f.frame.Window, 0)+f.frame.Hop-1)/f.frame.Hop + 1
}

// Step returns the seconds from one window to the next.
func (f *Frames) Step() float64 { return float64(f.frame.Hop) / float64(f.rate) }

// At returns the input of run i, a new tensor.
func (f *Frames) At(i int) (*tensor.Tensor, error) {
	if i < 0 || i >= f.Len() {
		return nil, fmt.Errorf("there is no window %d; there are %d", i, f.Len())
	}
	data := make([]float32, f.frame.Context+f.frame.Window)
	begin := i*f.frame.Hop - f.frame.Context
	if from := max(begin, 0); from < len(f.samples) {
		copy(data[from-begin:], f.samples[from:])
	}
	var e eval
	t := e.keep(tensor.FromSlice(data, f.frame.Shape...))
	t = e.cast(t, f.frame.DType)
	return t, e.err
}

// Value returns the value of an input of type t that the manifest gives a value, one number for all elements or all of
// them; nil if it gives none.
func Value(spec *manifest.Tensor, t manifest.Type) (*tensor.Tensor, error) {
	if spec == nil || spec.Value == nil {
		return nil, nil
	}
	n := t.Shape.Len()
	if err := t.Shape.Check(); err != nil || len(spec.Value) != 1 && len(spec.Value) != n {
		return nil, fmt.Errorf("input %q: %d numbers do not fill %v", t.Name, len(spec.Value), t)
	}
	var e eval
	x := e.exact(spec.Value, t.DType)
	if len(spec.Value) != n {
		shape := make([]int, len(t.Shape))
		for i := range shape {
			shape[i] = 1
		}
		if x = e.reshape(x, shape...); e.err == nil {
			x = e.keep(x.Expand(t.Shape...))
		}
		if e.err == nil {
			x = x.Contiguous()
		}
	}
	return e.reshape(x, t.Shape...), e.err
}

// exact returns numbers as a tensor of rank 1. Integers pass through int64, so that they keep their value.
func (e *eval) exact(values []float64, d tensor.DType) *tensor.Tensor {
	if d.IsFloat() {
		return e.cast(e.constant(values, len(values)), d)
	}
	lo, hi := int64(0), uint64(1)
	if d != tensor.Bool {
		lo, hi = d.IntRange()
	}
	data := make([]int64, len(values))
	for i, v := range values {
		// 2⁶³ itself would not fit an int64.
		if v != math.Trunc(v) || v < float64(lo) || v > float64(hi) || v >= 1<<63 {
			e.keep(nil, fmt.Errorf("%v is no value of %v", v, d))
			return nil
		}
		data[i] = int64(v)
	}
	return e.cast(e.keep(tensor.FromSlice(data, len(data))), d)
}
