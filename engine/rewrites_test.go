package engine

import (
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/testdata/golden"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// rewrites are graphs of which units, places and layouts make something else than an evaluation of one node after the other.
var rewrites = []struct {
	name  string
	build func(n net)
}{
	{"bias, residual and activation behind a convolution", func(n net) {
		x, y := n.input("x", tensor.Float32, 1, 32, 8, 8), n.input("y", tensor.Float32, 1, 32, 8, 8)
		n.output("z", n.op("relu", nil, n.op("add", nil, n.conv(x, 32, 3), y)))
	}},
	{"bounds behind a convolution", func(n net) {
		x := n.conv(n.input("x", tensor.Float32, 1, 32, 8, 8), 16, 1)
		n.output("y", n.op("clamp", nil, x, n.constant([]float32{0}, 1, 1, 1, 1), n.constant([]float32{6}, 1, 1, 1, 1)))
	}},
	{"batch normalisation behind a convolution", func(n net) {
		x := n.conv(n.input("x", tensor.Float32, 1, 16, 8, 8), 32, 3)
		c := func(v float32) *graph.Value { return n.constant(slices.Repeat([]float32{v}, 32), 1, 32) }
		n.output("y", n.op("relu", nil, n.op("batch_normalization", graph.AttrsOf("epsilon", 1e-5), x, c(0.5), c(2), c(0.25), c(1.5))))
	}},
	{"bias and activation behind a product", func(n net) {
		y := n.op("matmul", nil, n.input("x", tensor.Float32, 4, 32), n.constant(make([]float32, 32*48), 32, 48))
		n.output("y", n.op("gelu", nil, n.op("add", nil, y, n.constant(make([]float32, 48), 1, 48))))
	}},
	{"layouts change only at the edges", func(n net) {
		x := n.conv(n.conv(n.input("x", tensor.Float32, 1, 16, 8, 8), 32, 3), 32, 1)
		x = n.op("max_pool", graph.AttrsOf("size", []int{1, 1, 2, 2}, "stride", []int{1, 1, 2, 2}, "padding", make([]int, 8)), x)
		x = n.op("sigmoid", nil, n.conv(x, 16, 3))
		n.output("y", n.op("softmax", graph.AttrsOf("axes", []int{1}), x))
	}},
	{"a concatenation in place", func(n net) {
		x := n.input("x", tensor.Float32, 1, 16, 8, 8)
		n.output("y", n.conv(n.op("concat", graph.AttrsOf("axis", 1), n.conv(x, 16, 1), n.conv(x, 32, 3)), 16, 1))
	}},
	{"a split in place", func(n net) {
		parts := n.ops("split", graph.AttrsOf("axis", 1, "ratios", []int{1, 1}), n.conv(n.input("x", tensor.Float32, 1, 16, 8, 8), 32, 1))
		n.output("y", n.op("add", nil, n.conv(parts[0], 16, 3), n.conv(parts[1], 16, 1)))
	}},
	{"transposes around a convolution", func(n net) {
		x := n.op("transpose", graph.AttrsOf("axes", []int{0, 3, 1, 2}), n.input("x", tensor.Float32, 1, 8, 8, 16))
		n.output("y", n.op("transpose", graph.AttrsOf("axes", []int{0, 2, 3, 1}), n.conv(n.conv(x, 32, 3), 16, 1)))
	}},
	{"transposes of heads of attention", func(n net) {
		heads := func(name string) *graph.Value {
			x := n.op("reshape", reshapeTo(1, 12, 2, 16), n.input(name, tensor.Float32, 1, 12, 32))
			return n.op("transpose", graph.AttrsOf("axes", []int{0, 2, 1, 3}), x)
		}
		q, k, v := heads("q"), heads("k"), heads("v")
		k = n.op("transpose", graph.AttrsOf("axes", []int{0, 1, 3, 2}), k)
		w := n.op("softmax", graph.AttrsOf("axes", []int{3}), n.op("mul", nil, n.op("matmul", nil, q, k), n.constant([]float32{0.25}, 1, 1, 1, 1)))
		y := n.op("transpose", graph.AttrsOf("axes", []int{0, 2, 1, 3}), n.op("matmul", nil, w, v))
		n.output("y", n.op("reshape", reshapeTo(1, 12, 32), y))
	}},
	{"a quantized convolution and what requantises it", func(n net) {
		x := n.input("x", tensor.Uint8, 1, 16, 8, 8)
		sums := n.op("conv", graph.AttrsOf("padding", []int{1, 1, 1, 1}, "dtype", tensor.Int32), x, n.codes(tensor.Int8, 16, 16, 3, 3), nil, n.scalar(3))
		y := n.op("requantize", nil, sums, n.constant(slices.Repeat([]float32{0.01}, 16), 1, 16, 1, 1), n.scalar(7))
		n.output("y", y)
	}},
	{"a sum of quantized numbers", func(n net) { // as package onnx makes it of a sum between dequantizations and a quantization
		number := func(name string, scale float32) *graph.Value {
			return n.op("dequantize_linear", nil, n.input(name, tensor.Uint8, 1, 16, 8, 8), n.constant([]float32{scale}), n.scalar(0))
		}
		x := n.op("add", nil, number("a", 0.5), n.constant([]float32{-3}, 1, 1, 1, 1))
		n.output("y", n.op("quantize_linear", nil, n.op("add", nil, x, number("b", 2)), n.constant([]float32{1}), n.scalar(7)))
	}},
	{"a sum of bytes between casts", func(n net) { // as CVM's networks have it
		wide := func(name string) *graph.Value {
			return n.op("cast", graph.AttrsOf("dtype", tensor.Int32), n.input(name, tensor.Int8, 1, 16, 8, 8))
		}
		bound := func(v float32) *graph.Value {
			return n.op("cast", graph.AttrsOf("dtype", tensor.Int32), n.constant([]float32{v}, 1, 1, 1, 1))
		}
		sum := n.op("clamp", nil, n.op("add", nil, wide("a"), wide("b")), bound(-127), bound(127))
		n.output("y", n.op("cast", graph.AttrsOf("dtype", tensor.Int8), sum))
	}},
	{"a product with codes of 4 bits in blocks", func(n net) { // as package onnx makes it of MatMulNBits
		w := n.codes(tensor.Uint4, 128, 256)
		w = n.op("dequantize_linear", graph.AttrsOf("block", []int{1, 32}), w, n.constant(make([]float32, 128*8), 128, 8), n.codes(tensor.Uint4))
		y := n.op("matmul", graph.AttrsOf("transposeB", true), n.input("x", tensor.Float32, 1, 4, 256), n.op("unsqueeze", graph.AttrsOf("axes", []int{0}), w))
		n.output("y", n.op("relu", nil, y))
	}},
	{"a product with codes, to which bytes are added that no kernel widens for it", func(n net) {
		w := n.op("dequantize_linear", nil, n.codes(tensor.Int4, 256, 128), n.constant(make([]float32, 128), 1, 128), n.codes(tensor.Int4))
		x := n.op("dequantize_linear", nil, n.input("y", tensor.Int8, 4, 128), n.constant([]float32{0.5}), n.codes(tensor.Int8))
		n.output("z", n.op("add", nil, n.op("matmul", nil, n.input("x", tensor.Float32, 4, 256), w), x))
	}},
	{"a chain of elements", func(n net) {
		x := n.op("exp", nil, n.op("neg", nil, n.input("x", tensor.Float32, 4, 50)))
		n.output("y", n.op("div", nil, x, n.op("add", nil, x, n.constant([]float32{1}, 1, 1))))
	}},
	{"rounds of a recurrent network", func(n net) {
		c := func(shape ...int) *graph.Value {
			return n.constant(make([]float32, tensor.Shape(shape).Len()), shape...)
		}
		y := n.ops("gru", graph.AttrsOf("steps", 5, "hidden_size", 32), n.input("x", tensor.Float32, 5, 1, 16), c(1, 96, 16), c(1, 96, 32))
		n.output("y", n.op("neg", nil, y[0]))
	}},
	{"strips of rows, so that large values are only there in windows", func(n net) {
		x := n.conv(n.conv(n.input("x", tensor.Float32, 1, 3, 128, 160), 16, 3), 16, 1)
		x = n.op("max_pool", graph.AttrsOf("size", []int{1, 1, 2, 2}, "stride", []int{1, 1, 2, 2}, "padding", make([]int, 8)), x)
		n.output("y", n.conv(x, 16, 3))
	}},
	{"rounds of a product that is packed first", func(n net) {
		n.output("y", n.op("matmul", nil, n.input("a", tensor.Float32, 300, 300), n.input("b", tensor.Float32, 300, 300)))
	}},
}

// conv adds a convolution with constant weights that keeps the extents, with a bias.
func (n net) conv(x *graph.Value, channels, size int) *graph.Value {
	n.tb.Helper()
	in := x.Type.Shape[1]
	w, b := n.constant(make([]float32, channels*in*size*size), channels, in, size, size), n.constant(make([]float32, channels), channels)
	return n.op("conv", graph.AttrsOf("padding", slices.Repeat([]int{size / 2}, 4)), x, w, b)
}

// codes adds a constant of zeros.
func (n net) codes(d tensor.DType, shape ...int) *graph.Value {
	n.tb.Helper()
	t, err := tensor.New(d, shape)
	ok(n.tb, t, err)
	v, err := n.Constant("", "", t)
	return ok(n.tb, v, err)
}

// scalar adds a constant zero point.
func (n net) scalar(zero uint8) *graph.Value {
	n.tb.Helper()
	v, err := n.Constant("", "", tensor.Scalar(zero))
	return ok(n.tb, v, err)
}

// TestRewrites writes down what becomes of graphs in portable Go and with AVX2, which any machine can plan for.
func TestRewrites(t *testing.T) {
	all := kernel.Tiers
	t.Cleanup(func() { kernel.Tiers = all })
	var text strings.Builder
	for _, c := range rewrites {
		n := newNet(t)
		c.build(n)
		g, err := n.Build()
		ok(t, g, err)
		fmt.Fprintf(&text, "# %s\n\n%s\n", c.name, graph.Text(g, op.Rules))
		for _, name := range []string{"portable", "avx2"} {
			first := slices.IndexFunc(all, func(tier kernel.Tier) bool { return tier.Name == name })
			kernel.Tiers = slices.Clone(all[first:])
			kernel.Tiers[0].Has = nil
			p, err := Compile(g, Options{Threads: 1})
			ok(t, p, err)
			fmt.Fprintf(&text, "%s:\n%s\n", name, planOf(p))
			p.Close()
		}
	}
	golden.Compare(t, filepath.Join("testdata", "rewrites.golden"), text.String())
}

// planOf writes the units of a program, with the tier of their first kernel and the layout that they leave, and what lies in the memory of another value.
func planOf(p *Program) string {
	var text strings.Builder
	for _, u := range p.Units() {
		var names []string
		for _, n := range u.Nodes {
			names = append(names, n.Out[0].Name)
		}
		out, tier := u.parts[len(u.parts)-1].out[0], strings.Fields(u.Kernel)[0]
		what := strings.Join(names, " ")
		if u.Converts() {
			tier, what = "layout", fmt.Sprintf("%s from %v", out.value.Name, u.parts[0].in[0].layout) // by whatever this processor has
		}
		fmt.Fprintf(&text, "  %-10s %s", tier, what)
		if u.Converts() || out.layout != kernel.Plain {
			fmt.Fprintf(&text, " to %v", out.layout)
		}
		if u.strips != nil {
			fmt.Fprintf(&text, " in strips, windows of %v rows", u.strips.Windows)
		}
		if u.rounds != nil {
			fmt.Fprintf(&text, " in %d rounds", len(u.rounds))
		}
		text.WriteByte('\n')
	}
	var inside []string
	for _, b := range p.Plan().Buffers {
		if b.In != nil {
			inside = append(inside, fmt.Sprintf("  %s lies in %s\n", b.Value.Name, b.In.Name))
		}
	}
	sort.Strings(inside)
	text.WriteString(strings.Join(slices.Compact(inside), ""))
	return text.String()
}
