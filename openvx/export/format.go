package export

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/tensor"
)

// inFormat returns a constant with elements of a format, and notes what rounding did to them.
func (e *exporter) inFormat(name string, f Format, t *tensor.Tensor) *tensor.Tensor {
	out := f.converted(t)
	if f == Q78 && t.DType().IsFloat() {
		e.report(name, t, out)
	}
	return out
}

// raw returns an integer, or a float that is one, as an element of a format.
func (f Format) raw(n int64) *tensor.Tensor {
	return eval("cast", attrs("dtype", f.elements()), tensor.Scalar(n))
}

// converted returns a constant with elements of a format: in Q7.8 the nearest number, of two the even one, and the nearest bound beyond
// the range.
func (f Format) converted(t *tensor.Tensor) *tensor.Tensor {
	if t.DType().IsFloat() {
		t = eval("cast", attrs("dtype", tensor.Float32), t)
		if f == Q78 {
			t = eval("round_even", nil, eval("mul", nil, t, tensor.Scalar(float32(256))))
		}
	}
	if t.DType() != f.elements() {
		t = eval("cast", attrs("dtype", f.elements()), t)
	}
	return t
}

// report adds what rounding did to the elements of a constant, unless it has been told of that name already.
func (e *exporter) report(name string, before, after *tensor.Tensor) {
	if slices.ContainsFunc(e.net.Rounded, func(r Rounded) bool { return r.Value == name }) {
		return
	}
	r := Rounded{Value: name, Elements: before.Len()}
	raw := tensor.Data[int16](after)
	for i, x := range tensor.Data[float32](eval("cast", attrs("dtype", tensor.Float32), before)) {
		got := float64(raw[i]) / 256
		switch {
		case math.Abs(float64(x)-got) > 0.5/256 || x != x:
			r.Saturated++
			continue
		case raw[i] == 0 && x != 0:
			r.Vanished++
		}
		r.Greatest = max(r.Greatest, math.Abs(float64(x)-got))
	}
	e.net.Rounded = append(e.net.Rounded, r)
}
