package wasm_test

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/engine/wasm"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestUnsuited has nodes that look like those of kernels, but are not for them: references compute them, alone and behind others.
func TestUnsuited(t *testing.T) {
	attr := graph.AttrsOf
	pads := func(of int, rank int) []int { return slices.Repeat([]int{of}, 2*rank) }
	sums := attr("dtype", tensor.Int32)
	for name, build := range map[string]func(n *network) []*graph.Value{
		"convolutions": func(n *network) []*graph.Value {
			x, w, same := n.input(1, 4, 5, 6), n.constant(4, 4, 3, 3), attr("padding", pads(1, 2))
			conv := func() *graph.Value { return n.node("conv", same, x, n.constant(4, 4, 3, 3)) } // of its own, which nothing else reads
			y := conv()
			return []*graph.Value{
				n.node("conv", same, x, n.input(4, 4, 3, 3)),
				n.node("conv", same, x, w, n.input(4)),
				n.node("conv", attr("padding", pads(1, 2), "border", "replicate"), x, w),
				n.node("conv", attr("padding", pads(1, 3)), n.input(1, 2, 3, 4, 5), n.constant(3, 2, 3, 3, 3)),
				n.node("conv", attr("padding", pads(1, 2), "groups", 2), x, n.constant(4, 2, 3, 3)),
				n.node("batch_normalization", attr("axis", 1, "epsilon", 0.5), conv(), n.input(4), n.constant(4)),
				n.node("batch_normalization", attr("axis", 2, "epsilon", 0.5), conv(), n.constant(5), n.constant(5)),
				n.node("add", nil, conv(), n.constant(1, 4, 5, 6)),
				n.node("add", nil, conv(), n.constant(1, 1, 5, 1)),
				n.node("clamp", nil, n.constant(), conv()),
				n.node("clamp", nil, n.numbers(0.5), conv(), n.numbers(1.5)),
				n.node("exp", nil, n.node("neg", nil, conv())),
				n.node("batch_normalization", attr("axis", 1, "epsilon", 0.5), n.node("exp", nil, conv()), n.constant(4), n.constant(4)),
				n.node("deconv", attr("padding", pads(0, 2), "stride", []int{2, 2}), x, n.input(4, 3, 2, 2)),
				n.node("deconv", attr("padding", pads(0, 2), "stride", []int{2, 2}, "groups", 2), x, n.constant(4, 3, 2, 2)),
				n.node("deconv", attr("padding", pads(0, 3), "stride", []int{2, 2, 2}), n.input(1, 2, 3, 2, 2), n.constant(2, 3, 2, 2, 2)),
				n.node("add", nil, y, y),
				n.node("clamp", nil, conv(), nil, n.input(1, 4, 5, 6)),
				n.node("prelu", nil, conv(), n.constant(1, 4, 1, 1)),
				n.node("deconv", attr("padding", pads(1, 2), "stride", []int{2, 2}), x, n.constant(4, 3, 2, 2)),
				n.node("deconv", attr("padding", pads(0, 2)), x, n.constant(4, 3, 2, 2)),
				n.node("deconv", attr("padding", pads(0, 3), "stride", []int{2, 1, 1}), n.input(1, 2, 3, 2, 2), n.constant(2, 3, 2, 1, 1)),
			}
		},
		"poolings": func(n *network) []*graph.Value {
			x, b := n.input(1, 4, 5, 6), n.bytes(tensor.Int8, 1, 4, 5, 6)
			var list []*graph.Value
			for _, name := range []string{"max_pool", "box"} {
				for _, x := range []*graph.Value{x, b} {
					list = append(list,
						n.node(name, attr("size", []int{1, 1, 2, 2}, "padding", pads(1, 4), "border", "constant"), n.node("abs", nil, x)),
						n.node(name, attr("size", []int{1, 2, 2, 2}, "padding", pads(0, 4), "border", "ignore"), x))
				}
			}
			volume := n.input(1, 2, 3, 4, 5)
			return append(list, n.node("max_pool", attr("size", []int{1, 1, 2, 2, 2}, "padding", pads(0, 5), "border", "ignore"), volume),
				n.node("max_pool", attr("size", []int{1, 1, 2, 2, 2}, "padding", pads(0, 5), "border", "ignore"), n.bytes(tensor.Uint8, 1, 2, 3, 4, 5)),
				n.node("max_pool", attr("size", []int{2, 2}, "padding", pads(0, 2), "border", "ignore"), n.bytes(tensor.Uint8, 4, 5)),
				n.node("max_pool", attr("size", []int{2, 2}, "padding", pads(0, 2), "border", "ignore"), n.input(4, 5)),
				n.node("box", attr("size", []int{2}, "padding", pads(0, 1), "border", "ignore"), n.input(4)),
				n.node("max_pool", attr("size", []int{1, 1, 2, 2}, "padding", pads(0, 4), "border", "ignore"), n.input(0, 2, 4, 5)))
		},
		"products": func(n *network) []*graph.Value {
			x, w := n.input(3, 4), n.constant(4, 5)
			return []*graph.Value{
				n.node("gemm", attr("alpha", 0.5), x, w),
				n.node("gemm", attr("beta", 0.5), x, w, n.constant(5)),
				n.node("gemm", nil, x, w, n.input(3, 1)),
				n.node("gemm", attr("transposeA", true), n.input(4, 3), w),
				n.node("linear", nil, x, n.constant(5, 4), n.input(1, 5)),
				n.node("linear", nil, x, n.constant(5, 4), n.constant(1, 5)),
				n.node("matmul", nil, n.input(2, 1, 3, 4), n.input(1, 2, 4, 5)),
				n.node("matmul", nil, n.input(2, 3, 4), n.constant(2, 4, 5)),
				n.node("matmul", nil, n.input(3, 0), n.constant(0, 5)),
				n.node("matmul", nil, n.input(3, 0), n.input(0, 5)),
				n.node("matmul", nil, n.input(0, 4), w),
				n.node("relu", nil, n.node("matmul", nil, x, w)),
				n.node("matmul", attr("transposeA", true), n.input(2, 4, 3), n.constant(1, 4, 5)),
			}
		},
		"groups": func(n *network) []*graph.Value {
			x := n.input(2, 3, 4, 5)
			list := []*graph.Value{
				n.node("softmax", attr("axes", []int{0, 2}), x),
				n.node("layer_normalization", attr("axes", []int{3, 2}), x, n.constant(5, 4)),
				n.node("layer_normalization", attr("axes", []int{1, 3}), x, n.constant(3, 5)),
				n.node("softmax", attr("axes", []int{1}), n.input(2, 0)),
			}
			for _, name := range []string{"sum_reduce", "max_reduce"} {
				list = append(list, n.node(name, attr("axes", []int{0, 2}), x), n.node(name, attr("axes", []int{1}), n.input(2, 0)))
			}
			return append(list, n.node("sum_reduce", attr("axes", []int{1}, "normalize", true), x),
				n.node("relu", nil, n.node("layer_normalization", attr("axes", []int{3}), x, n.constant(5))),
				n.node("layer_normalization", attr("axes", []int{1}), n.input(0, 4), n.constant(4)),
				n.node("instance_normalization", nil, n.input(2, 3, 0)))
		},
		"elements": func(n *network) []*graph.Value {
			ints := func() *graph.Value { return n.node("cast", attr("dtype", tensor.Int32), n.bytes(tensor.Int8, 1, 4, 5)) }
			return []*graph.Value{
				n.node("tanh", nil, n.input(2, 0)),
				n.node("tanh", nil, n.input(0, 3)),
				n.node("relu", nil, n.node("add", nil, n.input(2, 0, 3), n.input(1, 0, 1))),
				n.node("add", nil, n.input(2, 3, 0), n.input(2, 1, 1)),
				n.node("add", nil, n.node("tanh", nil, n.input(1, 4, 1)), n.input(1, 4, 5)),
				n.node("mul", nil, n.bytes(tensor.Int8, 1, 4, 5), n.bytes(tensor.Int8, 1, 4, 5)),
				n.node("add", nil, ints(), ints()),
				n.node("eq", nil, n.node("lt", nil, n.input(4, 5), n.input(4, 5)), n.node("lt", nil, n.input(4, 5), n.input(4, 5))),
				n.node("not", nil, n.node("lt", nil, n.input(4, 5), n.input(4, 5))),
				n.node("select", nil, n.node("lt", nil, n.input(4, 5), n.input(4, 5)), n.input(4, 5), n.input(4, 5)),
				n.node("add", nil, n.input(40, 16), n.input(1, 16)),
				n.node("relu", nil, n.node("add", nil, n.input(40, 16), n.input(1, 16))),
			}
		},
		"integers": func(n *network) []*graph.Value {
			const i8 = tensor.Int8
			x, w := n.bytes(i8, 1, 4, 5, 6), n.integer(i8, 4, 4, 3, 3)
			same := attr("padding", pads(1, 2), "dtype", tensor.Int32)
			factor := n.numbers
			factors := func(shape ...int) *graph.Value {
				return must(n.Constant("", "", n.Uniform(tensor.Float32, shape, 0.001, 0.01)))(n.t)
			}
			conv := func() *graph.Value { return n.node("conv", same, x, n.integer(i8, 4, 4, 3, 3)) }
			none := func() *graph.Value {
				return n.node("conv", same, x, must(n.Constant("", "", n.Integers(i8, []int{4, 4, 3, 3}, 0, 0)))(n.t))
			}
			a, b := n.bytes(i8, 3, 4), n.integer(i8, 4, 5)
			return []*graph.Value{
				n.node("conv", same, x, n.bytes(i8, 4, 4, 3, 3)),
				n.node("conv", same, x, w, nil, n.bytes(i8)),
				n.node("conv", attr("padding", pads(1, 2)), x, w),
				n.node("conv", attr("padding", pads(1, 3), "dtype", tensor.Int32), n.bytes(i8, 1, 2, 3, 4, 5), n.integer(i8, 3, 2, 3, 3, 3)),
				n.node("conv", attr("padding", pads(1, 2), "groups", 0, "dtype", tensor.Int32), n.bytes(i8, 1, 4, 3, 90), n.integer(i8, 4, 1, 1, 80)),
				n.node("requantize", nil, conv(), factor(float32(math.Inf(1))), n.integer(i8)),
				n.node("requantize", nil, none(), factor(float32(math.Inf(1))), n.integer(i8)),
				n.node("requantize", nil, conv(), n.input(), n.integer(i8)),
				n.node("requantize", nil, n.node("matmul", sums, a, n.integer(i8, 4, 5)), factor(float32(math.Inf(1))), n.integer(i8)),
				n.node("requantize", nil, conv(), factors(1, 1, 5, 1), n.integer(i8)),
				n.node("requantize", nil, conv(), factor(0.01, 1, 4, 1, 1), n.integer(i8, 1, 4, 1, 1)),
				n.node("clamp", nil, n.node("requantize", nil, conv(), factor(0.01), n.integer(i8)), n.integer(i8, 1, 4, 1, 1)),
				n.node("relu", nil, conv()),
				n.node("matmul", append(attr("transposeA", true), sums...), n.bytes(i8, 4, 3), b),
				n.node("matmul", sums, n.bytes(i8, 3, 0), n.integer(i8, 0, 5)),
				n.node("matmul", sums, n.bytes(i8, 2, 3, 4), n.integer(i8, 2, 4, 5)),
				n.node("matmul", nil, a, b),
				n.node("matmul", sums, a, b, n.bytes(i8)),
				n.node("matmul", sums, a, b, n.bytes(i8)),
				n.node("matmul", sums, a, b, n.bytes(i8)),
				n.node("matmul", sums, a, b, nil, n.bytes(i8, 1, 5)),
				n.node("matmul", sums, a, b, n.integer(i8, 3, 1)),
				n.node("linear", sums, a, n.integer(i8, 5, 4), n.node("cast", attr("dtype", tensor.Int32), n.bytes(i8, 1, 5))),
			}
		},
		"codes": func(n *network) []*graph.Value {
			scale := n.numbers(0.5)
			zero := n.integer(tensor.Int8)
			floats := func(shape ...int) *graph.Value {
				return n.node("dequantize_linear", nil, n.bytes(tensor.Int8, shape...), scale, zero)
			}
			quantized := func(x *graph.Value) *graph.Value { return n.node("quantize_linear", nil, x, scale, zero) }
			return []*graph.Value{
				quantized(n.node("add", nil, floats(1, 4, 5), n.input(1, 4, 1))),
				quantized(n.node("add", nil, floats(1, 4, 5), n.constant(1, 4, 1))),
				quantized(n.node("tanh", nil, floats(1, 4, 5))),
				quantized(n.node("clamp", nil, floats(1, 4, 5), nil, n.constant())),
				quantized(n.node("relu", nil, floats(2, 0))),
				quantized(n.node("relu", nil, n.input(1, 4, 5))),
				n.node("add", nil, floats(1, 4, 1), n.input(1, 4, 5)),
			}
		},
		"networks": func(n *network) []*graph.Value {
			n.tame = true
			x, w, u := n.input(2, 1, 3), n.constant(1, 16, 3), n.constant(1, 16, 4)
			lstm := func(in []*graph.Value, more ...any) *graph.Value {
				return n.first("lstm", attr(append([]any{"steps", 2, "hidden_size", 4}, more...)...), in...)
			}
			both := []*graph.Value{x, n.constant(2, 16, 3), n.constant(2, 16, 4)}
			return []*graph.Value{
				lstm([]*graph.Value{x, w, u, nil, nil, n.constant(1, 12)}),
				lstm([]*graph.Value{x, w, u}, "coupled", true),
				lstm([]*graph.Value{x, w, u}, "clip", 0.5),
				lstm([]*graph.Value{x, n.input(1, 16, 3), u}),
				lstm([]*graph.Value{x, w, u}, "activations", []string{"sigmoid", "scaled_tanh", "tanh"}),
				lstm(both, "direction", "both", "activations", []string{"sigmoid", "tanh", "tanh", "relu", "sigmoid", "relu"}),
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newNetwork(t, 1)
			n.compare(1, build(n)...)
		})
	}
}

// numbers adds a constant of equal numbers.
func (n *network) numbers(v float32, shape ...int) *graph.Value {
	n.t.Helper()
	x := n.Uniform(tensor.Float32, shape, 0, 1)
	for i := range tensor.Data[float32](x) {
		tensor.Data[float32](x)[i] = v
	}
	return must(n.Constant("", "", x))(n.t)
}

// first adds an operator with several results, of which it returns the first one.
func (n *network) first(name string, attrs graph.Attrs, in ...*graph.Value) *graph.Value {
	n.t.Helper()
	out, err := n.Add(graph.Node{Op: name, In: in, Attrs: attrs})
	if err != nil {
		n.t.Fatal(err)
	}
	return out[0]
}

// TestFarWindows refuses a window whose numbers a module has no room for.
func TestFarWindows(t *testing.T) {
	const far = 1 << 30
	b := graph.NewBuilder(op.Rules, "far")
	x, err := b.Input("x", graph.Type{DType: tensor.Float32, Shape: tensor.Shape{1, 1, 10}})
	if err != nil {
		t.Fatal(err)
	}
	y, err := b.One("box", []*graph.Value{x}, graph.AttrsOf("size", []int{1, 1, 1}, "padding", make([]int, 6), "stride", []int{1, 1, far}), "")
	if strconv.IntSize == 32 {
		return // nor has package op
	}
	if err == nil {
		err = b.Output("y", y)
	}
	if err != nil {
		t.Fatal(err)
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	var refused *engine.NodeError
	if _, err := wasm.Compile(g, wasm.Options{}); !errors.As(err, &refused) || !strings.Contains(err.Error(), "stride: 1073741824 is given; where addresses have 32 bits it is at most 268435455") {
		t.Errorf("a window with a stride of %d: %v", far, err)
	}
}
