package element

import (
	"math"
	"strconv"

	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/tensor"
)

// Outside returns the first of a tensor of integers that is not from lo to hi, as digits, and its place in row-major order; "" if there is none.
func Outside(t *tensor.Tensor, lo int64, hi uint64) (at int, item string) {
	if least, greatest := t.DType().IntRange(); lo <= least && greatest <= hi {
		return 0, ""
	}
	if t.DType().IsUnsigned() { // int64 has the bits of the greatest as negative numbers
		return first(t, func(x int64) bool { return uint64(x) > hi }, func(x int64) string { return strconv.FormatUint(uint64(x), 10) })
	}
	return first(t, func(x int64) bool { return x < lo || x > 0 && uint64(x) > hi }, func(x int64) string { return strconv.FormatInt(x, 10) })
}

// Overflow returns the first of a tensor of float32 or float64 that is finite but not as an element of type d, and its place; "" if there is none.
func Overflow(t *tensor.Tensor, d tensor.DType) (at int, item string) {
	bound, ok := overflows[d]
	if from := t.DType(); !ok || from == d || from != tensor.Float32 && from != tensor.Float64 {
		return 0, ""
	}
	return first(t, func(x float64) bool { return math.Abs(x) >= bound && !math.IsInf(x, 0) },
		func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) })
}

// overflows are the least numbers that become infinite: half a unit in the last place beyond the greatest, from where the even one is infinity.
var overflows = map[tensor.DType]float64{tensor.Float16: 0x1.ffep15, tensor.BFloat16: 0x1.ffp127, tensor.Float32: 0x1.ffffffp127}

// first returns the first element that is wrong.
func first[A tensor.Number](t *tensor.Tensor, wrong func(A) bool, text func(A) string) (at int, item string) {
	t = t.Contiguous()
	var chunk [512]A
	for from := 0; from < t.Len(); from += len(chunk) {
		part := chunk[:min(len(chunk), t.Len()-from)]
		geometry.Load(part, t, from, 1)
		for i, x := range part {
			if wrong(x) {
				return from + i, text(x)
			}
		}
	}
	return 0, ""
}
