package op_test

import (
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

func TestSelect(t *testing.T) {
	cond := must(tensor.FromSlice([]bool{true, false}, 2, 1))
	x, y := must(tensor.FromSlice([]int64{1, 2, 3}, 1, 3)), tensor.Scalar[int64](-1)
	if got := apply[int64](t, "select", nil, cond, x, y); !slices.Equal(got, []int64{1, 2, 3, -1, -1, -1}) {
		t.Errorf("select = %v", got)
	}
	// Elements are moved, not computed.
	if got := apply[tensor.F16](t, "select", nil, vec(true, false), vec[tensor.F16](0x7C01, 0), vec[tensor.F16](0, 0xFC01)); !slices.Equal(got, []tensor.F16{0x7C01, 0xFC01}) {
		t.Errorf("select = %04x", got)
	}
	rejected(t, "select", nil, vec[uint8](1), x, y)
}

func TestClamp(t *testing.T) {
	x := []float32{-3, -1, negZero, 2, 5, nan, inf, -inf}
	a, b := tensor.Scalar[float32](-1), tensor.Scalar[float32](2.5)
	equalFloats(t, "clamp", apply[float32](t, "clamp", nil, vec(x...), a, b), []float32{-1, -1, negZero, 2, 2.5, nan, 2.5, -1})
	equalFloats(t, "clamp below", apply[float32](t, "clamp", nil, vec(x...), a), []float32{-1, -1, negZero, 2, 5, nan, inf, -1})
	equalFloats(t, "clamp above", apply[float32](t, "clamp", nil, vec(x...), nil, b), []float32{-3, -1, negZero, 2, 2.5, nan, 2.5, -inf})
	equalFloats(t, "clamp not at all", apply[float32](t, "clamp", nil, vec(x...)), x)
	equalFloats(t, "clamp with a > b", apply[float32](t, "clamp", nil, vec(x[:2]...), b, a), []float32{2.5, 2.5})
	if got := apply[uint64](t, "clamp", nil, vec[uint64](0, 1<<63+1, 1<<63+9), tensor.Scalar[uint64](7), tensor.Scalar[uint64](1<<63+3)); !slices.Equal(got, []uint64{7, 1<<63 + 1, 1<<63 + 3}) {
		t.Errorf("clamp of uint64 = %v", got)
	}
	// A bound may have more dimensions than a scalar x.
	if got := apply[int8](t, "clamp", nil, tensor.Scalar[int8](4), vec[int8](1, 5)); !slices.Equal(got, []int8{4, 5}) {
		t.Errorf("clamp of a scalar = %v", got)
	}
}

func TestCast(t *testing.T) {
	to := func(d tensor.DType) graph.Attrs { return graph.Attrs{{Name: "dtype", Value: d}} }
	x := vec(-1.9, 0.9, 300, nan, inf, negZero)
	if got := apply[uint8](t, "cast", to(tensor.Uint8), x); !slices.Equal(got, []uint8{0, 0, 255, 0, 255, 0}) {
		t.Errorf("float32 to uint8 = %v", got)
	}
	if got := apply[int8](t, "cast", to(tensor.Int8), vec[uint64](255, 1<<63+127)); !slices.Equal(got, []int8{-1, 127}) {
		t.Errorf("uint64 to int8 = %v", got)
	}
	if got := apply[bool](t, "cast", to(tensor.Bool), x); !slices.Equal(got, []bool{true, true, true, true, true, false}) {
		t.Errorf("float32 to bool = %v", got)
	}
	if got := apply[tensor.F16](t, "cast", to(tensor.Float16), vec[int32](65519, 65520)); !slices.Equal(got, []tensor.F16{0x7BFF, 0x7C00}) {
		t.Errorf("int32 to float16 = %04x", got)
	}
	equalFloats(t, "float16 to float32", apply[float32](t, "cast", to(tensor.Float32), vec[tensor.F16](0x7C01, 0x8000, 1)), []float32{nan, negZero, 0x1p-24})
}
