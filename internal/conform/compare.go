package conform

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/concord-nn/concord/tensor"
)

// tolerance is the difference that a WebNN case allows: a count of representable numbers or an absolute value.
type tolerance struct {
	MetricType string
	Value      float64
}

// compareFill is the number of elements that are compared where one expected value stands for all.
const compareFill = 1000

// compare checks every element of got, by the rules that the README of the cases states.
func (tol tolerance) compare(got *tensor.Tensor, want *values, exact bool) error {
	if got == nil {
		return fmt.Errorf("the output is missing")
	}
	if got.DType() != want.dtype || !got.Shape().Equal(want.shape) {
		return fmt.Errorf("got %v; want %v%v", got.Describe(), want.dtype, want.shape)
	}
	got = got.Contiguous()
	n := got.Len()
	if want.fill && n > 1 {
		n = min(n, compareFill)
	}
	integers, err := integersOf(got)
	if err != nil {
		return err
	}
	for i := range n {
		var ok bool
		var g, w any
		if want.dtype.IsInteger() {
			a, b := integers[i], want.ints[want.index(i)]
			ok = new(big.Int).Abs(new(big.Int).Sub(a, b)).Cmp(big.NewInt(int64(tol.Value))) <= 0
			g, w = a, b
		} else {
			g, w, ok = tol.compareFloat(got, want, i, exact)
		}
		if !ok {
			return fmt.Errorf("element %d is %v; want %v (%s %v)", i, g, w, tol.MetricType, tol.Value)
		}
	}
	return nil
}

func (tol tolerance) compareFloat(got *tensor.Tensor, want *values, i int, exact bool) (g, w float32, ok bool) {
	var distance float64
	if want.dtype == tensor.Float16 {
		a, b := tensor.Data[tensor.F16](got)[i], want.half(i)
		g, w = a.Float32(), b.Float32()
		if (a|b)&0x7FFF != 0 {
			distance = math.Abs(float64(a) - float64(b))
		}
	} else {
		g, w = tensor.Data[float32](got)[i], float32(want.floats[want.index(i)])
		distance = math.Abs(float64(ulpKey(g)) - float64(ulpKey(w)))
	}
	switch {
	case g != g || w != w:
		return g, w, g != g && w != w
	case exact:
		return g, w, g == w && math.Signbit(float64(g)) == math.Signbit(float64(w))
	case g == w:
		return g, w, true
	case tol.MetricType == "ATOL":
		return g, w, math.Abs(float64(g)-want.floats[want.index(i)]) <= tol.Value
	}
	return g, w, distance <= tol.Value
}

// ulpKey maps float32 numbers to integers that count them in order, with both zeros at 0.
func ulpKey(x float32) int64 {
	bits := math.Float32bits(x)
	if bits>>31 != 0 {
		return -int64(bits &^ (1 << 31))
	}
	return int64(bits)
}

// integersOf returns the elements of an integer tensor, and nil for another one.
func integersOf(t *tensor.Tensor) ([]*big.Int, error) {
	if !t.DType().IsInteger() {
		return nil, nil
	}
	out := make([]*big.Int, t.Len())
	for i, x := range tensor.Data[uint64](t) {
		out[i] = new(big.Int).SetUint64(x)
	}
	if t.DType() == tensor.Uint64 {
		return out, nil
	}
	wide, err := tensor.Cast(t, tensor.Int64)
	if err != nil {
		return nil, err
	}
	for i, x := range tensor.Data[int64](wide) {
		out[i] = big.NewInt(x)
	}
	return out, nil
}

// compareNear checks every element of got against the same type's want: within atol + rtol·|want| for floats, of which infinities and NaNs must be
// the same, and exactly for the others. Zeros of either sign are equal, of small floats too.
func compareNear(got, want *tensor.Tensor, rtol, atol float64) error {
	if err := compareTypes(got, want); err != nil {
		return err
	}
	if d := got.DType(); !d.IsFloat() && !d.IsSmallFloat() {
		w := want.Contiguous().Bytes()
		for i, b := range got.Contiguous().Bytes() {
			if b != w[i] {
				return fmt.Errorf("element %d differs: its bytes have %02x; want %02x", i*8/d.Bits(), b, w[i])
			}
		}
		return nil
	}
	g, err := tensor.Cast(got, tensor.Float64)
	if err != nil {
		return err
	}
	w, err := tensor.Cast(want, tensor.Float64)
	if err != nil {
		return err
	}
	wants := tensor.Data[float64](w)
	for i, x := range tensor.Data[float64](g) {
		y := wants[i]
		if x == y || x != x && y != y {
			continue
		}
		if math.IsInf(y, 0) || !(math.Abs(x-y) <= atol+rtol*math.Abs(y)) {
			return fmt.Errorf("element %d is %v; want %v", i, x, y)
		}
	}
	return nil
}

// compareTypes checks that an output is there, and its type and shape.
func compareTypes(got, want *tensor.Tensor) error {
	if got == nil {
		return errors.New("the output is missing")
	}
	if got.DType() != want.DType() || !got.Shape().Equal(want.Shape()) {
		return fmt.Errorf("got %v; want %v", got.Describe(), want.Describe())
	}
	return nil
}
