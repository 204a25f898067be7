package op_test

import (
	"math"
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

func TestQuantizeLinear(t *testing.T) {
	x, scale := vec(-1.25, -0.75, -0.25, 0, 0.25, 0.75, 1000, -1000, inf, -inf, nan, 3e38), vec(float32(0.5))
	if got, want := apply[uint8](t, "quantize_linear", nil, x, scale, vec[uint8](128)),
		[]uint8{126, 126, 128, 128, 128, 130, 255, 0, 255, 0, 0, 255}; !slices.Equal(got, want) {
		t.Errorf("to uint8: %v, want %v", got, want)
	}
	if got, want := apply[int8](t, "quantize_linear", nil, x, scale, vec[int8](-3)),
		[]int8{-5, -5, -3, -3, -3, -1, 127, -128, 127, -128, 0, 127}; !slices.Equal(got, want) {
		t.Errorf("to int8: %v, want %v", got, want)
	}
	// The sum with the zero point is exact where float32 would not be.
	if got := apply[int32](t, "quantize_linear", nil, vec[float32](16777216, 1, -3e9), vec(float32(1)), vec[int32](1<<30+1)); !slices.Equal(got, []int32{1<<30 + 1 + 1<<24, 1<<30 + 2, 1<<30 + 1 - 3e9}) {
		t.Errorf("to int32: %v", got)
	}
	if got := apply[uint32](t, "quantize_linear", nil, vec(float32(7)), tensor.Scalar[float32](1), tensor.Scalar[uint32](math.MaxUint32-7)); got[0] != math.MaxUint32 {
		t.Errorf("to uint32: %v", got)
	}
}

func TestBlockwise(t *testing.T) {
	x := must(tensor.FromSlice(everyInt[int8](0, 11), 2, 6))
	scale := must(tensor.FromSlice([]float32{1, 10, 100}, 1, 3))
	zero := must(tensor.FromSlice([]int8{0, 0, 1}, 1, 3))
	equalFloats(t, "blocks of 2×2", apply[float32](t, "dequantize_linear", nil, x, scale, zero),
		[]float32{0, 1, 20, 30, 300, 400, 6, 7, 80, 90, 900, 1000})
	half := must(tensor.Cast(scale, tensor.Float16))
	if got := apply[tensor.F16](t, "dequantize_linear", nil, x, half, zero); got[11].Float32() != 1000 {
		t.Errorf("with a float16 scale: %v", got[11].Float32())
	}
	equalFloats(t, "an exact difference", apply[float32](t, "dequantize_linear", nil, vec[int32](math.MaxInt32), vec(float32(1)), vec[int32](math.MaxInt32-3)), []float32{3})
	equalFloats(t, "a wide difference", apply[float32](t, "dequantize_linear", nil, vec[int32](math.MaxInt32), vec(float32(1)), vec[int32](math.MinInt32)), []float32{0x1p32})
	rejected(t, "dequantize_linear", nil, x, must(tensor.FromSlice([]float32{1, 2, 3, 4}, 1, 4)), must(tensor.FromSlice([]int8{1, 2, 3, 4}, 1, 4)))
	rejected(t, "dequantize_linear", nil, x, scale, must(tensor.FromSlice([]int8{1, 2, 3}, 3, 1)))
	rejected(t, "dequantize_linear", nil, x, vec(float32(1)), vec[int8](1)) // rank 1
	rejected(t, "dequantize_linear", nil, x, scale, must(tensor.FromSlice([]uint8{1, 2, 3}, 1, 3)))
}

func quantizers(bits int, signed, symmetric bool) graph.Attrs {
	return graph.Attrs{{Name: "bits", Value: bits}, {Name: "signed", Value: signed}, {Name: "symmetric", Value: symmetric}}
}

func TestMinMaxQuantize(t *testing.T) {
	x, least, most := vec(-2, -1, -0.9, 0.1, 0.6, 1, 7, nan), tensor.Scalar[float32](-1), tensor.Scalar[float32](1)
	// Two bits: four numbers, or three that are symmetric.
	third := float32(1) / 3
	got := apply[float32](t, "min_max_linear_quantize", quantizers(2, false, false), x, least, most)
	closeTo(t, "4 numbers", tensor.Data[float32](x)[:7], got[:7], func(x float64) float64 {
		z := min(max(x, -1), 1)
		return math.Floor((z+1)/2*3+0.5)/3*2 - 1
	}, 1e-6)
	if got[7] == got[7] || got[3] < third-1e-6 || got[3] > third+1e-6 {
		t.Errorf("4 numbers: %v", got)
	}
	equalFloats(t, "3 numbers", apply[float32](t, "min_max_linear_quantize", quantizers(2, true, true), x, least, most),
		[]float32{-1, -1, -1, 0, 1, 1, 1, nan})
	equalFloats(t, "linear_quantize", apply[float32](t, "linear_quantize", quantizers(2, false, false)[:1], x, least, most), got)
	rejected(t, "min_max_linear_quantize", quantizers(1, true, true), x, least, most)
	rejected(t, "min_max_linear_quantize", quantizers(33, true, true), x, least, most)
}

func TestZeroPointQuantize(t *testing.T) {
	x, scale := vec(-9, -1, -0.25, 0.24, 0.25, 1, 9, nan, inf), tensor.Scalar[float32](0.5)
	for _, c := range []struct {
		zero              int32
		signed, symmetric bool
		want              []float32
	}{ // three bits
		{0, false, false, []float32{0, 0, 0, 0, 0.5, 1, 3.5, nan, 3.5}},
		{2, false, false, []float32{-1, -1, 0, 0, 0.5, 1, 2.5, nan, 2.5}},
		{0, true, false, []float32{-2, -1, 0, 0, 0.5, 1, 1.5, nan, 1.5}},
		{0, true, true, []float32{-1.5, -1, 0, 0, 0.5, 1, 1.5, nan, 1.5}},
	} {
		equalFloats(t, "zero_point_linear_quantize", apply[float32](t, "zero_point_linear_quantize", quantizers(3, c.signed, c.symmetric),
			x, tensor.Scalar(c.zero), scale), c.want)
	}
	equalFloats(t, "with a distant zero point", apply[float32](t, "zero_point_linear_quantize", quantizers(32, false, false),
		vec(inf, -inf), tensor.Scalar[int64](math.MaxInt64), tensor.Scalar[float32](1)), []float32{-0x1p62, -0x1p62})
}

func TestLogarithmicQuantize(t *testing.T) {
	x := vec(0, negZero, 1, -1, 1.4, 1.5, -3, 100, 0.001, nan, inf)
	// max 3.9 has m = 2; two bits leave the exponents -1 to 2.
	equalFloats(t, "logarithmic_quantize", apply[float32](t, "logarithmic_quantize", quantizers(2, false, false)[:1], x, tensor.Scalar[float32](3.9)),
		[]float32{0, 0, 1, -1, 1, 2, -4, 4, 0.5, nan, 4})
}
