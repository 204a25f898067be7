package op_test

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

func TestSlice(t *testing.T) {
	slice := func(name string, begin, end int, stride []int, want []int32, err string) moveCase {
		return moveCase{name: name, op: def("slice"), in: []*tensor.Tensor{iota32(10)},
			attrs:  graph.Attrs{with("axes", []int{0}), with("begin", []int{begin}), with("end", []int{end}), with("stride", stride)},
			shapes: []tensor.Shape{{len(want)}}, want: [][]int32{want}, err: err}
	}
	const least, most = math.MinInt, math.MaxInt
	checkMoves(t, []moveCase{
		slice("down", 8, 2, []int{-2}, []int32{8, 6, 4}, ""),
		slice("from the end", -5, -1, nil, []int32{5, 6, 7, 8}, ""),
		slice("zero is the end", 3, 0, nil, []int32{3, 4, 5, 6, 7, 8, 9}, ""),
		slice("zero is the end, stride 1", 3, 0, []int{1}, []int32{3, 4, 5, 6, 7, 8, 9}, ""),
		slice("remainder", 0, 10, []int{3}, []int32{0, 3, 6, 9}, ""),
		slice("flip", -1, -11, []int{-1}, []int32{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, ""),
		slice("down to 1", 3, 0, []int{-1}, []int32{3, 2, 1}, ""),
		slice("beyond the end", 8, 100, nil, []int32{8, 9}, ""),
		slice("before the beginning", -100, 2, nil, []int32{0, 1}, ""),
		slice("down from beyond", 100, 7, []int{-1}, []int32{9, 8}, ""),
		slice("wide stride", 4, 9, []int{most}, []int32{4}, ""),
		slice("wide stride down", 4, 1, []int{least}, []int32{4}, ""),
		slice("extreme bounds", least, most, []int{2}, []int32{0, 2, 4, 6, 8}, ""),
		slice("extreme bounds down", most, least, []int{-5}, []int32{9, 4}, ""),
		slice("against the stride", 5, 3, nil, nil, "goes against its stride 1"),
		slice("against a negative stride", 3, 5, []int{-1}, nil, "goes against its stride -1"),
		slice("against a wide negative stride", 3, 5, []int{math.MinInt}, nil, "goes against its stride"),
		slice("zero with stride 2", 3, 0, []int{2}, nil, "goes against"),
		slice("no stride", 3, 5, []int{0}, nil, "stride of axis 0 is 0"),
		slice("lengths", 3, 5, []int{1, 1}, nil, "the number of items is 2; it must be 1"),
	})
	x := iota32(4, 5, 6)
	out, err := op.Eval(def("slice"), []*tensor.Tensor{x}, graph.Attrs{with("axes", []int{2, 0}), with("begin", []int{-1, 1}), with("end", []int{0, 4}), with("stride", []int{-2, 2})})
	if err != nil {
		t.Fatal(err)
	}
	checkElements(t, out[0], func(i []int) int32 { return elementAt(x, []int{1 + 2*i[0], i[1], 5 - 2*i[2]}) })
}

func TestReverseTriangular(t *testing.T) {
	x := iota32(2, 3, 4)
	out := must(op.Eval(def("reverse"), []*tensor.Tensor{x}, graph.Attrs{with("axes", []int{2, 0})}))
	checkElements(t, out[0], func(i []int) int32 { return elementAt(x, []int{1 - i[0], i[1], 3 - i[2]}) })
	for _, diagonal := range []int{math.MinInt, -4, -3, -2, -1, 0, 1, 2, 3, 4, math.MaxInt} {
		for _, upper := range []bool{true, false} {
			out := must(op.Eval(def("triangular"), []*tensor.Tensor{x}, graph.Attrs{with("upper", upper), with("diagonal", diagonal)}))
			checkElements(t, out[0], func(i []int) int32 {
				if d := i[2] - i[1]; upper && d >= diagonal || !upper && d <= diagonal {
					return elementAt(x, i)
				}
				return 0
			})
		}
	}
}

func TestPad(t *testing.T) {
	pad := func(name, border string, before, after int, want []int32, err string) moveCase {
		return moveCase{name: name, op: def("pad"), in: []*tensor.Tensor{ints32([]int32{1, 2, 3}, 3)},
			attrs:  graph.Attrs{with("padding", []int{before, after}), with("border", border), with("value", 9.0)},
			shapes: []tensor.Shape{{len(want)}}, want: [][]int32{want}, err: err}
	}
	checkMoves(t, []moveCase{
		pad("constant", "constant", 2, 1, []int32{9, 9, 1, 2, 3, 9}, ""),
		pad("replicate", "replicate", 2, 1, []int32{1, 1, 1, 2, 3, 3}, ""),
		pad("reflect", "reflect", 2, 1, []int32{3, 2, 1, 2, 3, 2}, ""),
		pad("reflect again", "reflect", 5, 4, []int32{2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3}, ""),
		pad("reflect-even", "reflect-even", 2, 1, []int32{2, 1, 1, 2, 3, 3}, ""),
		pad("reflect-even again", "reflect-even", 5, 4, []int32{2, 3, 3, 2, 1, 1, 2, 3, 3, 2, 1, 1}, ""),
		pad("crop", "constant", -1, -1, []int32{2}, ""),
		pad("crop to nothing", "constant", -1, -2, nil, ""),
		pad("crop past the end", "constant", -4, 3, []int32{9, 9}, ""),
		pad("crop past the end, replicate", "replicate", -4, 3, []int32{3, 3}, ""),
		pad("pad past the end", "reflect", 4, -5, []int32{1, 2}, ""),
		pad("crop too much", "constant", -2, -2, nil, "take away more than the extent 3"),
		pad("border", "ignore", 0, 0, nil, "not allowed"),
		pad("overflow", "constant", tensor.MaxElements, tensor.MaxElements, nil, "more elements"),
		pad("beyond int", "constant", math.MaxInt, 0, nil, "out of range"),
		{name: "count", op: def("pad"), in: []*tensor.Tensor{iota32(2, 2)}, attrs: graph.Attrs{with("padding", []int{1, 1})}, err: "needs 4"},
		{name: "fill", op: def("pad"), in: []*tensor.Tensor{iota32(1), tensor.Scalar[int32](math.MinInt32)}, attrs: graph.Attrs{with("padding", []int{0, 1}), with("value", 0.5)},
			shapes: []tensor.Shape{{2}}, want: [][]int32{{0, math.MinInt32}}},
		{name: "value", op: def("pad"), in: []*tensor.Tensor{iota32(1)}, attrs: graph.Attrs{with("padding", []int{0, 1}), with("value", 0.5)}, err: "give the operand fill"},
		{name: "scalar", op: def("pad"), in: []*tensor.Tensor{tensor.Scalar[int32](7)}, attrs: graph.Attrs{with("padding", []int{})}, shapes: []tensor.Shape{{}}, want: [][]int32{{7}}},
	})
	// Several dimensions: each one by itself, the constant where any of them is outside.
	x := iota32(2, 3, 2)
	source := map[string]func(i, n int) int{
		"constant":     func(i, n int) int { return i },
		"replicate":    func(i, n int) int { return min(max(i, 0), n-1) },
		"reflect":      func(i, n int) int { return mirror(i, n, 0) },
		"reflect-even": func(i, n int) int { return mirror(i, n, 1) },
	}
	for border, source := range source {
		padding := []int{1, 2, -1, 3, 2, 0}
		out := must(op.Eval(def("pad"), []*tensor.Tensor{x}, graph.Attrs{with("padding", padding), with("border", border), with("value", -5.0)}))
		checkElements(t, out[0], func(index []int) int32 {
			from := make([]int, 3)
			for d, n := range x.Shape() {
				if from[d] = source(index[d]-padding[2*d], n); from[d] < 0 || from[d] >= n {
					return -5
				}
			}
			return elementAt(x, from)
		})
	}
}

// mirror walks from i to the nearest edge and back, edge being 1 if the outermost element is repeated.
func mirror(i, n, edge int) int {
	for i < 0 || i >= n {
		if i < 0 {
			i = -i - edge
		} else {
			i = 2*(n-1) - i + edge
		}
	}
	return i
}

// paddingBits returns the bits of an element that pad makes of a number, and false if there is none.
func paddingBits(d tensor.DType, v float64) (uint64, bool) {
	out, err := op.Eval(def("pad"), []*tensor.Tensor{must(tensor.New(d, tensor.Shape{0}))}, graph.Attrs{with("padding", []int{0, 1}), with("value", v)})
	if err != nil {
		return 0, false
	}
	var bits [8]byte
	copy(bits[:], tensor.Raw(out[0]))
	return binary.LittleEndian.Uint64(bits[:]), true
}

// TestPadValue compares the rounding of the value with exact arithmetic.
func TestPadValue(t *testing.T) {
	nearest := func(v float64, d tensor.DType, bits uint64) bool {
		decode := func(b uint64) float64 {
			switch d {
			case tensor.Float16:
				return float64(tensor.F16(b).Float32())
			case tensor.BFloat16:
				return float64(tensor.BF16(b).Float32())
			}
			if d == tensor.Float64 {
				return math.Float64frombits(b)
			}
			return float64(math.Float32frombits(uint32(b)))
		}
		distance := func(b uint64) *big.Float {
			diff := new(big.Float).SetPrec(200).Sub(big.NewFloat(v), big.NewFloat(decode(b)))
			return diff.Abs(diff)
		}
		for _, other := range []uint64{bits - 1, bits + 1} {
			if f := decode(other); math.IsNaN(f) || math.IsInf(f, 0) {
				continue
			}
			if c := distance(bits).Cmp(distance(other)); c > 0 || c == 0 && bits&1 != 0 {
				return false
			}
		}
		return true
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		for _, d := range op.Floats.List() {
			v := math.Ldexp(1+r.Float64(), r.IntN(24)-14)
			if r.IntN(2) == 0 { // a tie between 16-bit floats, or just beside one
				v = math.Ldexp(float64(2*r.IntN(1<<11)+1<<12+1), r.IntN(10)-14)
				v += math.Ldexp(float64(r.IntN(3)-1), -40)
			}
			if bits, ok := paddingBits(d, v); !ok || !nearest(v, d, bits) {
				t.Fatalf("%v as %v has the bits %#x", v, d, bits)
			}
		}
	}
	for _, c := range []struct {
		d    tensor.DType
		v    float64
		bits uint64
		ok   bool
	}{
		{tensor.Float16, 1e300, 0x7C00, true},
		{tensor.Float32, -1e300, 0xFF800000, true},
		{tensor.BFloat16, math.Copysign(0, -1), 0x8000, true},
		{tensor.Int8, -128, 0x80, true},
		{tensor.Int8, 128, 0, false},
		{tensor.Uint64, 0x1p63, 1 << 63, true},
		{tensor.Uint64, 0x1p64, 0, false},
		{tensor.Int64, 0x1p63, 0, false},
		{tensor.Int64, -0x1p63, 1 << 63, true},
		{tensor.Int32, math.NaN(), 0, false},
		{tensor.Uint8, -1, 0, false},
		{tensor.Bool, 1, 1, true},
		{tensor.Bool, 2, 0, false},
	} {
		if bits, ok := paddingBits(c.d, c.v); ok != c.ok || ok && bits != c.bits {
			t.Errorf("%v as %v: %#x, %v", c.v, c.d, bits, ok)
		}
	}
}

// TestReverseSequence has the cases of ONNX's test_reversesequence_batch and …_time.
func TestReverseSequence(t *testing.T) {
	x := iota32(4, 4)
	lengths := func(n ...int64) *tensor.Tensor { return vec(n...) }
	batchFirst := graph.Attrs{with("batch_axis", 0), with("time_axis", 1)}
	in := func(x, l *tensor.Tensor) []*tensor.Tensor { return []*tensor.Tensor{x, l} }
	checkMoves(t, []moveCase{
		{name: "batch", op: def("reverse_sequence"), in: in(x, lengths(1, 2, 3, 4)), attrs: batchFirst, shapes: []tensor.Shape{{4, 4}},
			want: [][]int32{{0, 1, 2, 3, 5, 4, 6, 7, 10, 9, 8, 11, 15, 14, 13, 12}}},
		{name: "time", op: def("reverse_sequence"), in: in(x, lengths(4, 3, 2, 1)), shapes: []tensor.Shape{{4, 4}},
			want: [][]int32{{12, 9, 6, 3, 8, 5, 2, 7, 4, 1, 10, 11, 0, 13, 14, 15}}},
		{name: "items", op: def("reverse_sequence"), in: in(iota32(2, 3, 2), vec[int32](2, 3)), attrs: batchFirst, shapes: []tensor.Shape{{2, 3, 2}},
			want: [][]int32{{2, 3, 0, 1, 4, 5, 10, 11, 8, 9, 6, 7}}},
		{name: "out of range", op: def("reverse_sequence"), in: in(iota32(3, 2), lengths(-5, 0, 9)), attrs: batchFirst, shapes: []tensor.Shape{{3, 2}},
			want: [][]int32{{0, 1, 2, 3, 5, 4}}},
		{name: "axes apart", op: def("reverse_sequence"), in: in(iota32(2, 2, 2), lengths(2, 1)), attrs: graph.Attrs{with("batch_axis", 2), with("time_axis", 0)},
			shapes: []tensor.Shape{{2, 2, 2}}, want: [][]int32{{4, 1, 6, 3, 0, 5, 2, 7}}},
		{name: "lengths", op: def("reverse_sequence"), in: in(x, lengths(1)), err: "4 sequences"},
		{name: "one axis", op: def("reverse_sequence"), in: in(x, lengths(1, 1, 1, 1)), attrs: graph.Attrs{with("batch_axis", 0)}, err: "must differ"},
		{name: "no sequence", op: def("reverse_sequence"), in: in(iota32(3, 0), lengths()), shapes: []tensor.Shape{{3, 0}}},
	})
}
