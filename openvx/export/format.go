package export

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/tensor"
)

// partLength is how many elements of a constant are converted at once: what is computed in between takes no more memory.
const partLength = 1 << 16

// inFormat returns a constant with elements of a format, and notes what rounding did to them, unless that is noted already.
func (e *exporter) inFormat(name string, f Format, t *tensor.Tensor) *tensor.Tensor {
	if t.DType() == f.elements() {
		return t
	}
	out, all := kit.Must(tensor.New(f.elements(), t.Shape())), kit.Must(t.Reshape(t.Len()))
	r := Rounded{Value: name, Elements: t.Len()}
	for at := 0; at < t.Len(); at += partLength {
		part := kit.Must(all.Slice(0, at, min(at+partLength, t.Len()), 1))
		made := f.converted(part)
		copy(out.Bytes()[at*f.elements().Size():], made.Bytes())
		if f == Q78 && t.DType().IsFloat() {
			r.add(part, made)
		}
	}
	if f == Q78 && t.DType().IsFloat() && !slices.ContainsFunc(e.net.Rounded, func(r Rounded) bool { return r.Value == name }) {
		e.net.Rounded = append(e.net.Rounded, r)
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
		t = single(t)
		if f == Q78 {
			t = eval("round_even", nil, eval("mul", nil, t, tensor.Scalar(float32(256))))
		}
	}
	if t.DType() != f.elements() {
		t = eval("cast", attrs("dtype", f.elements()), t)
	}
	return t
}

// single returns a constant with elements of type float32.
func single(t *tensor.Tensor) *tensor.Tensor {
	if t.DType() == tensor.Float32 {
		return t
	}
	return eval("cast", attrs("dtype", tensor.Float32), t)
}

// add adds what rounding did to elements.
func (r *Rounded) add(before, after *tensor.Tensor) {
	raw := tensor.Data[int16](after)
	for i, x := range tensor.Data[float32](single(before)) {
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
}
