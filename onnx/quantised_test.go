package onnx_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/testdata/golden"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// pattern is a network of floats between dequantizations and a quantization: nodes from x and others to y.
type pattern struct {
	name  string
	x     string // the shape
	nodes []*proto.Node
	// What the nodes read besides x and its relatives, see quantised.
	w []int
}

var patterns = []pattern{
	{name: "conv", x: "1,2,4,4", w: []int{3, 2, 3, 3}, nodes: []*proto.Node{node("Conv", "x, w, b -> c", "pads", []int64{1, 1, 1, 1}), node("Relu", "c -> y")}},
	{name: "clip", x: "1,2,4,4", w: []int{3, 2, 2, 2}, nodes: []*proto.Node{node("Conv", "x, w -> c"), node("Clip", "c, low, high -> y")}},
	{name: "deconv", x: "1,2,4,4", w: []int{2, 1, 2, 2}, nodes: []*proto.Node{node("ConvTranspose", "x, w -> y")}},
	{name: "matmul", x: "2,3,4", w: []int{4, 5}, nodes: []*proto.Node{node("MatMul", "x, w -> y")}},
	{name: "moved", x: "2,3,4", w: []int{5, 4}, nodes: []*proto.Node{node("Transpose", "w -> wt", "perm", []int64{1, 0}), node("MatMul", "x, wt -> p"),
		node("Transpose", "p -> y", "perm", []int64{1, 0, 2})}},
	{name: "gemm", x: "2,4", w: []int{5, 4}, nodes: []*proto.Node{node("Gemm", "x, w, b -> y", "transB", 1)}},
	{name: "gemm_alpha", x: "2,4", w: []int{5, 4}, nodes: []*proto.Node{node("Gemm", "x, w -> y", "transB", 1, "alpha", float32(2))}},
	{name: "global_pool", x: "1,2,4,4", nodes: []*proto.Node{node("GlobalAveragePool", "x -> y")}},
	{name: "average_pool", x: "1,2,4,4", nodes: []*proto.Node{node("AveragePool", "x -> y", "kernel_shape", []int64{3, 3}, "pads", []int64{1, 1, 0, 0})}},
	{name: "max_pool", x: "1,2,4,4", w: []int{2, 2, 1, 1}, nodes: []*proto.Node{node("Conv", "x, w -> c"), node("MaxPool", "c -> y", "kernel_shape", []int64{2, 2})}},
	{name: "concat", x: "1,2,4,4", w: []int{2, 2, 1, 1}, nodes: []*proto.Node{node("Conv", "x, w -> c"), node("Concat", "c, x -> y", "axis", 1)}},
	{name: "add", x: "2,3", nodes: []*proto.Node{node("Add", "x, x -> y")}},
	{name: "mul", x: "2,3", nodes: []*proto.Node{node("Mul", "x, x -> y")}},
	{name: "sigmoid", x: "1,2,4,4", w: []int{3, 2, 3, 3}, nodes: []*proto.Node{node("Conv", "x, w -> c"), node("Sigmoid", "c -> y")}},
}

// The quantizations of x and of the result.
const (
	xScale, xZero = 0.05, 117
	yScale, yZero = 0.25, 101
	wScale        = 0.02
)

// quantised makes the model of a pattern: xq is codes of x, w has codes of weights with a scale for each index along dimension 0, or for all,
// b a bias of 32 bits, y is the result in floats, unless that is left out, and yq its codes.
func (p *pattern) quantised(r *rand.Rand, floats bool) *proto.Model {
	nodes := append([]*proto.Node{node("DequantizeLinear", "xq, xs, xz -> x")}, p.nodes...)
	out := "yq"
	if floats {
		out = "yq, y"
	}
	g := graphOf("xq: uint8["+p.x+"] -> "+out, nodes...)
	stored(g, "xs", nil, float32(xScale))
	stored(g, "xz", nil, uint8(xZero))
	stored(g, "ys", nil, float32(yScale))
	stored(g, "yz", nil, uint8(yZero))
	stored(g, "low", nil, float32(0))
	stored(g, "high", nil, float32(6))
	if p.w != nil {
		codes := make([]int8, tensor.Shape(p.w).Len())
		for i := range codes {
			codes[i] = int8(r.IntN(255) - 127)
		}
		stored(g, "wq", p.w, codes...)
		scales, shape, axis := []float32{wScale}, []int(nil), 0
		if p.name == "conv" || p.name == "gemm" || p.name == "moved" {
			shape = p.w[:1]
			for len(scales) < p.w[0] {
				scales = append(scales, wScale*float32(1+len(scales)))
			}
		}
		stored(g, "ws", shape, scales...)
		g.Node = append([]*proto.Node{node("DequantizeLinear", "wq, ws -> w", "axis", axis)}, g.Node...)
		bias, units := make([]int32, p.w[0]), make([]float32, p.w[0])
		for i := range bias {
			bias[i] = int32(r.IntN(2001) - 1000)
			units[i] = float32(xScale) * scales[min(i, len(scales)-1)]
		}
		stored(g, "bq", p.w[:1], bias...)
		stored(g, "bs", p.w[:1], units...)
		g.Node = append([]*proto.Node{node("DequantizeLinear", "bq, bs -> b", "axis", 0)}, g.Node...)
	}
	g.Node = append(g.Node, node("QuantizeLinear", "y, ys, yz -> yq"))
	return modelOf(13, g)
}

// TestQuantisedGolden holds the graphs of quantised networks to the recorded ones.
func TestQuantisedGolden(t *testing.T) {
	var b strings.Builder
	for _, p := range patterns {
		n, err := network(t, p.quantised(rand.New(rand.NewPCG(1, 2)), false))
		if err != nil {
			t.Fatal(p.name, err)
		}
		g, err := n.Graph(nil)
		if err != nil {
			t.Fatal(p.name, err)
		}
		fmt.Fprintf(&b, "# %s\n%s\n", p.name, graph.Text(g, op.Rules))
	}
	golden.Compare(t, filepath.Join("testdata", "quantised.txt"), b.String())
}

// TestQuantisedIsNear compares the codes that integers make with those of the floats, which are one apart at most.
func TestQuantisedIsNear(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, p := range patterns {
		for range 5 {
			m := p.quantised(r, true)
			var x []uint8
			var shape []int
			for _, d := range m.Graph.Input[0].Type.Tensor.Shape.Dim {
				shape = append(shape, int(d.Value))
			}
			for range tensor.Shape(shape).Len() {
				x = append(x, uint8(r.IntN(256)))
			}
			out, err := eval(t, m, model.Values{"xq": array(shape, x...)})
			if err != nil {
				t.Fatal(p.name, err)
			}
			codes := tensor.Data[uint8](out["yq"])
			for i, y := range tensor.Data[float32](out["y"]) {
				want := min(max(math.RoundToEven(float64(y)/yScale)+yZero, 0), 255)
				if d := math.Abs(float64(codes[i]) - want); d > 1 {
					t.Fatalf("%s: element %d is %d; the floats, %v, say %v", p.name, i, codes[i], y, want)
				}
			}
		}
	}
}

// TestNegativeScales has operators that go by the order of elements on codes in the opposite order.
func TestNegativeScales(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, n := range []*proto.Node{
		node("Relu", "a -> b"), node("Clip", "a, low, high -> b"), node("MaxPool", "a -> b", "kernel_shape", []int64{1, 2}), node("GlobalMaxPool", "a -> b"),
		node("Max", "a, x -> b"), node("Min", "a, x -> b"), node("ReduceMax", "a -> b", "axes", []int64{3}), node("ReduceMin", "a -> b", "axes", []int64{2}),
	} {
		for _, scales := range [][2]float32{{-xScale, yScale}, {xScale, -yScale}, {-xScale, -yScale}, {xScale, yScale}} {
			for name, nodes := range map[string][]*proto.Node{
				"behind the codes": {node("Identity", "x -> a"), n, node("Identity", "b -> y")},
				"before a sum":     {node("Identity", "x -> a"), n, node("Add", "b, b -> y")},
				"behind a sum":     {node("Add", "x, x -> a"), n, node("Identity", "b -> y")},
			} {
				g := graphOf("xq: uint8[1,2,2,4] -> yq, y", append(append([]*proto.Node{node("DequantizeLinear", "xq, xs, xz -> x")}, nodes...), node("QuantizeLinear", "y, ys, yz -> yq"))...)
				stored(stored(stored(stored(g, "xs", nil, scales[0]), "xz", nil, uint8(xZero)), "ys", nil, scales[1]), "yz", nil, uint8(yZero))
				stored(stored(g, "low", nil, float32(-1)), "high", nil, float32(2))
				var x []uint8
				for range 16 {
					x = append(x, uint8(r.IntN(256)))
				}
				out, err := eval(t, modelOf(13, g), model.Values{"xq": array([]int{1, 2, 2, 4}, x...)})
				if err != nil {
					t.Fatal(n.OpType, err)
				}
				codes := tensor.Data[uint8](out["yq"])
				for i, y := range tensor.Data[float32](out["y"]) {
					want := min(max(math.RoundToEven(float64(y/scales[1]))+yZero, 0), 255)
					if math.Abs(float64(codes[i])-want) > 1 {
						t.Fatalf("%s %s, scales %v: element %d is %d; the floats, %v, say %v", n.OpType, name, scales, i, codes[i], y, want)
					}
				}
			}
		}
	}
}

// TestBiasOfFloats adds biases that are no codes: the unit of the sums is too coarse for some, and others are too great to be counted in 32 bits.
func TestBiasOfFloats(t *testing.T) {
	for _, c := range []struct {
		unit, bias, step float32
		floats           bool
		want             uint8
	}{
		{0.5, 100, 1, false, 110},       // 2 * 5 * 1 + 100
		{1, 0.4, 0.1, true, 204},        // (2 * 5 * 2 + 0.4) / 0.1; in units of 2 the bias is 0
		{0x1p-32, 1, 0x1p-7, true, 128}, // 2^31 units
	} {
		g := graphOf("xq: uint8[1,1] -> yq", node("DequantizeLinear", "xq, xs, xz -> x"), node("DequantizeLinear", "wq, ws, xz -> w"), node("Gemm", "x, w, b -> y"),
			node("QuantizeLinear", "y, ys, xz -> yq"))
		stored(stored(stored(g, "xz", nil, uint8(0)), "ys", nil, c.step), "wq", []int{1, 1}, uint8(5))
		m := modelOf(13, stored(stored(stored(g, "xs", nil, 2*c.unit), "ws", nil, float32(1)), "b", []int{1}, c.bias))
		expect(t, m, model.Values{"xq": array([]int{1, 1}, uint8(2))}, "yq", []int{1, 1}, c.want)
		n, err := network(t, m)
		if err != nil {
			t.Fatal(err)
		}
		made, err := n.Graph(nil)
		if err != nil {
			t.Fatal(err)
		}
		if floats := made.Nodes[len(made.Nodes)-1].Op == "quantize_linear"; floats != c.floats {
			t.Errorf("a bias of %v counted in %v, quantized by %v, stays a float: %v; want %v", c.bias, 2*c.unit, c.step, floats, c.floats)
		}
	}
}

// TestExactProduct multiplies codes whose product nothing quantizes: the sums are those of integers, each rounded to a float once and counted in the unit.
func TestExactProduct(t *testing.T) {
	product := func(terms int, scale float32, known bool, add ...int32) *proto.Model {
		g := graphOf(fmt.Sprintf("xq: uint8[1,%d] -> y", terms), node("DequantizeLinear", "xq, xs, xz -> x"), node("DequantizeLinear", "wq, ws -> w"))
		if !known {
			g = graphOf(fmt.Sprintf("xq: uint8[1,%d], xs: float[] -> y", terms), g.Node...)
		}
		stored(stored(g, "xz", nil, uint8(3)), "ws", nil, float32(0.1))
		if known {
			stored(g, "xs", nil, scale)
		}
		w := make([]int8, terms)
		for i := range w {
			w[i] = int8(i%100 - 7)
		}
		if stored(g, "wq", []int{terms, 1}, w...); len(add) == 0 {
			g.Node = append(g.Node, node("MatMul", "x, w -> y"))
			return modelOf(13, g)
		}
		stored(stored(g, "bq", []int{1}, add...), "bs", nil, scale*0.1)
		g.Node = append(g.Node, node("DequantizeLinear", "bq, bs -> b"), node("Gemm", "x, w, b -> y"))
		return modelOf(13, g)
	}
	const scale = float32(0.3)
	for _, c := range []struct {
		name  string
		model *proto.Model
		terms int
		exact bool
		add   int64
	}{
		{"matmul", product(50, scale, true), 50, true, 0},
		{"gemm", product(50, scale, true, 70_001), 50, true, 70_001},
		{"an addend as great as can be", product(50, scale, true, math.MaxInt32-50*255*255), 50, true, math.MaxInt32 - 50*255*255},
		{"a greater one", product(50, scale, true, math.MaxInt32-50*255*255+1), 50, false, 0},
		{"many", product(33_025, scale, true), 33_025, true, 0},
		{"too many", product(33_026, scale, true), 33_026, false, 0},
		{"a scale of the run", product(50, scale, false), 50, false, 0},
	} {
		x, sum := make([]uint8, c.terms), c.add
		for i := range x {
			x[i] = uint8(200 + i%50)
			sum += int64(int(x[i])-3) * int64(i%100-7)
		}
		n, err := network(t, c.model)
		if err != nil {
			t.Fatal(c.name, err)
		}
		g, err := n.Graph(nil)
		if err != nil {
			t.Fatal(c.name, err)
		}
		exact := true
		for _, n := range g.Nodes {
			exact = exact && n.Op != "gemm" && (n.Op != "matmul" || n.Out[0].Type.DType == tensor.Int32)
		}
		if exact != c.exact {
			t.Errorf("%s: integers make the sums: %v; want %v", c.name, exact, c.exact)
		}
		if want := float32(sum) * (scale * float32(0.1)); c.exact {
			expect(t, c.model, model.Values{"xq": array([]int{1, c.terms}, x...)}, "y", []int{1, 1}, want)
		}
	}
}

// TestQuantisedForms holds an operator on codes to the same operator on floats between dequantizations and a quantization.
func TestQuantisedForms(t *testing.T) {
	p := patterns[0]
	p.nodes = p.nodes[:1]
	p.nodes[0].Output[0] = "y"
	defer func() { p.nodes[0].Output[0] = "c" }()
	m := p.quantised(rand.New(rand.NewPCG(1, 2)), false)
	var texts []string
	for range 2 {
		n, err := network(t, m)
		if err != nil {
			t.Fatal(err)
		}
		g, err := n.Graph(nil)
		if err != nil {
			t.Fatal(err)
		}
		var ops []string
		for _, n := range g.Nodes {
			if n.Op == "conv" || n.Op == "requantize" {
				ops = append(ops, fmt.Sprint(n.Op, n.Attrs))
			}
		}
		texts = append(texts, strings.Join(ops, "\n"))
		stored(m.Graph, "wz", p.w[:1], make([]int8, p.w[0])...)
		m.Graph.Node = []*proto.Node{node("QLinearConv", "xq, xs, xz, wq, ws, wz, ys, yz, bq -> yq", "pads", []int64{1, 1, 1, 1})}
	}
	if texts[0] != texts[1] || texts[0] == "" {
		t.Errorf("the convolution between floats becomes\n%s\nthat of codes\n%s", texts[0], texts[1])
	}
}

// TestQuantisedLimit quantizes what has come a long way from its codes.
func TestQuantisedLimit(t *testing.T) {
	for _, c := range []struct {
		moves  int
		floats bool
	}{{limits.ONNXQuantised - 1, false}, {limits.ONNXQuantised, true}} {
		nodes := []*proto.Node{node("DequantizeLinear", "xq, s, z -> t0")}
		for i := range c.moves {
			nodes = append(nodes, node("Transpose", fmt.Sprintf("t%d -> t%d", i, i+1)))
		}
		g := graphOf("xq: uint8[2,3] -> yq", append(nodes, node("QuantizeLinear", fmt.Sprintf("t%d, s, z -> yq", c.moves)))...)
		n, err := network(t, modelOf(13, stored(stored(g, "s", nil, float32(2)), "z", nil, uint8(3))))
		if err != nil {
			t.Fatal(err)
		}
		made, err := n.Graph(nil)
		if err != nil {
			t.Fatal(err)
		}
		if floats := made.Nodes[0].Op == "dequantize_linear"; floats != c.floats {
			t.Errorf("after %d moves the elements that are moved are floats: %v; want %v", c.moves, floats, c.floats)
		}
	}
}

// TestBlocksOfBits multiplies by weights of a few bits that stay packed.
func TestBlocksOfBits(t *testing.T) {
	g := graphOf("a: float[1,16] -> y", node("com.microsoft.MatMulNBits", "a, b, s -> y", "K", 16, "N", 2, "block_size", 16, "bits", 4))
	codes := make([]uint8, 16)
	for i := range codes {
		codes[i] = 0x98
	}
	m := modelOf(21, stored(stored(g, "b", []int{2, 1, 8}, codes...), "s", []int{2, 1}, float32(1), 0.5))
	a := make([]float32, 16)
	for i := range a {
		a[i] = float32(i)
	}
	expect(t, m, model.Values{"a": array([]int{1, 16}, a...)}, "y", []int{1, 2}, float32(64), 32)
	n, err := network(t, m)
	if err != nil {
		t.Fatal(err)
	}
	made, err := n.Graph(nil)
	if err != nil {
		t.Fatal(err)
	}
	packed := false
	for v := range made.Constants() {
		packed = packed || v.Type.DType == tensor.Uint4 && v.Type.Shape.Len() == 32
	}
	if !packed {
		t.Errorf("there is no packed constant in\n%s", graph.Text(made, op.Rules))
	}
}

// TestBlocks: matrices of codes with a scale for a block, by which is multiplied or of which rows are taken.
func TestBlocks(t *testing.T) {
	bnb := func(attrs ...any) *proto.Node {
		return node("com.microsoft.MatMulBnb4", "a, b, m -> y", append(attrs, "K", 3, "N", 1, "block_size", 2)...)
	}
	rows := func(values string, attrs ...any) *proto.Node {
		return node("com.microsoft.GatherBlockQuantized", values, append(attrs, "block_size", 2)...)
	}
	a, codes, scales := f(s(1, 3), 1, 1, 1), array(s(2), uint8(0xf7), 0x0a), f(s(2), 2, 3)
	data, last := array(s(2, 2), uint8(0xa9), 0xcb, 0x21, 0x43), array(s(1), int64(-1))
	int4, err := tensor.FromBytes(tensor.Int4, s(2, 4), data.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	zeros, err := tensor.FromBytes(tensor.Int4, s(2, 2), []byte{0, 0x31})
	if err != nil {
		t.Fatal(err)
	}
	k := f(s(2, 2), 1, 2, 3, 4)
	checkRows(t,
		rowCase{21, bnb("quant_type", 1), of(a, codes, scales), of(f(s(1, 1), -1)), ""},
		rowCase{21, bnb("quant_type", 0), of(a, codes, scales), of(f(s(1, 1), -0.5+0.5)), ""},
		rowCase{21, node("com.microsoft.MatMulBnb4", "a, b, m -> y", "K", 3, "N", 1, "block_size", 1<<30, "quant_type", 1), of(a, codes, f(s(1), 2)), of(f(s(1, 1), 0)), ""},
		rowCase{21, bnb("quant_type", 2), of(a, codes, scales), nil, "quant_type: it is 2; it must be 0 or 1"},
		rowCase{21, bnb("quant_type", 0, "transB", 0), of(a, codes, scales), nil, "transB: matrices that are not transposed are not supported"},
		rowCase{21, bnb("quant_type", 0), of(a, array(s(1), uint8(1)), scales), nil, "B: it is uint8[1]; it must have 2 elements of uint8"},
		rowCase{21, bnb("quant_type", 0), of(a, codes, f(s(1), 1)), nil, "absmax: it is float32[1]; it must have 2 elements"},

		rowCase{21, rows("x, i, k -> y"), of(data, last, k), of(f(s(1, 4), -21, -18, -20, -16)), ""},
		rowCase{21, rows("x, i, k, z -> y"), of(data, array(nil, int32(0)), k, array(s(2, 1), uint8(0x89), 0)), of(f(s(4), 0, 1, 6, 8)), ""},
		rowCase{21, rows("x, i, k, z -> y", "bits", 8), of(data, last, f(s(2, 1), 1, 2), array(s(2, 1), uint8(0), 0x20)), of(f(s(1, 2), 2, 70)), ""},
		rowCase{21, rows("x, i, k, z -> y"), of(int4, last, k, zeros), of(f(s(1, 4), 0, 3, 0, 4)), ""},
		rowCase{21, rows("x, i, k -> y", "gather_axis", 1, "quantize_axis", 0), of(int4, last, f(s(1, 4), 1, 1, 1, 2)), of(f(s(2, 1), -8, 8)), ""},
		rowCase{21, node("com.microsoft.GatherBlockQuantized", "x, i, k -> y", "block_size", 1<<30), of(int4, last, f(s(2, 1), 1, 2)), of(f(s(1, 4), 2, 4, 6, 8)), ""},
		rowCase{21, rows("x, i, k -> y", "gather_axis", 1), of(int4, last, k), nil, "quantize_axis: it is 1 for int4[2,4]; it must differ from gather_axis"},
		rowCase{21, rows("x, i, k -> y", "quantize_axis", 0, "gather_axis", 1), of(data, last, k), nil, "for uint8, be the last one"},
		rowCase{21, rows("x, i, k -> y", "bits", 3), of(data, last, k), nil, "bits: it is 3; it must be 2, 4 or 8"},
		rowCase{21, rows("x, i, k -> y"), of(data, last, f(s(1, 2), 1, 1)), nil, "scales: it is float32[1,2]; it must have the shape [2,2]"},
		rowCase{21, rows("x, i, k, z -> y"), of(data, last, k, array(s(2, 2), uint8(0), 0, 0, 0)), nil, "zero_points: it is uint8[2,2]; it must have the shape [2,1]"},
		rowCase{21, rows("x, i, k, z -> y"), of(data, last, k, array(s(2, 1), int8(0), 0)), nil, "zero_points: it is int8[2,1]; its type must be that of data, uint8"},
		rowCase{21, rows("x, i, k -> y"), of(array(s(1, 2), int32(1), 2), last, f(s(1, 1), 1)), nil, "data: it is int32[1,2]; its type must be int4, uint4 or uint8"},
		rowCase{21, node("com.microsoft.GatherBlockQuantized", "x, i, k -> y", "block_size", 0), of(data, last, k), nil, "block_size: it is 0"},
	)
}

// TestFloatsOfSums has products of codes that become floats, of which scales must not be more than columns: a product of one column would have as many.
func TestFloatsOfSums(t *testing.T) {
	x, w, one, two := array(s(2, 2), uint8(3), 5, 1, 0), array(s(2, 1), int8(2), -1), f(nil, 1), f(s(2), 0.5, 2)
	measured, gemm := node("com.microsoft.MatMulIntegerToFloat", "a, b, s, t -> y"), node("com.microsoft.QGemm", "a, s, z, b, t -> y")
	zero := array(nil, uint8(1))
	checkRows(t,
		rowCase{21, measured, of(x, w, one, f(s(1), 0.5)), of(f(s(2, 1), 0.5, 1)), ""},
		rowCase{21, measured, of(x, w, one, two), nil, "scale: those of the factors are for the sums of [2,2]; the product is [2,1]"},
		rowCase{21, gemm, of(x, one, zero, w, f(s(1), 0.5)), of(f(s(2, 1), 0, 0.5)), ""},
		rowCase{21, gemm, of(x, one, zero, w, two), nil, "scale: those of the factors are for the sums of [2,2]; the product is [2,1]"},
	)
}
