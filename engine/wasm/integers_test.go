package wasm_test

import (
	"fmt"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// integer adds a constant of integers.
func (n *network) integer(d tensor.DType, shape ...int) *graph.Value {
	x := n.Tensor(d, shape)
	if d == tensor.Int32 {
		x = n.Integers(d, shape, -30000, 30000)
	}
	return must(n.Constant("", "", x))(n.t)
}

// byteType draws one of the types of 8 bits.
func (n *network) byteType() tensor.DType {
	return op.Pick(n.Rand, []tensor.DType{tensor.Int8, tensor.Uint8})
}

// requantized adds what makes of sums integers of 8 bits, or nothing.
func (n *network) requantized(x *graph.Value, axis int) *graph.Value {
	if n.IntN(4) == 0 {
		return x
	}
	multipliers := make([]int, len(x.Type.Shape))
	for i := range multipliers {
		multipliers[i] = 1
	}
	if n.Bool() {
		multipliers[axis] = x.Type.Shape[axis]
	}
	scale := op.Pick(n.Rand, []float64{1e-4, 0x1p-9, 0x1p-8, 1, 3e37})
	m := must(n.Constant("", "", n.Uniform(tensor.Float32, multipliers, -scale/4, scale)))(n.t)
	d := n.byteType()
	x = n.node("requantize", nil, x, m, n.integer(d))
	switch n.IntN(3) {
	case 0:
		x = n.node("clamp", nil, x, n.integer(d), n.integer(d))
	case 1:
		x = n.node("clamp", nil, x, nil, n.integer(d))
	}
	return x
}

// integerConvolution adds a convolution of integers of 8 bits.
func (n *network) integerConvolution(x *graph.Value) *graph.Value {
	shape, d := x.Type.Shape, n.byteType()
	groups, out, each := 1, n.Between(1, 37), shape[1]
	if n.IntN(3) == 0 {
		groups, out, each = shape[1], shape[1], 1
	}
	size := []int{n.Between(1, 4), n.Between(1, 4)}
	dilation := []int{n.Between(1, 2), n.Between(1, 2)}
	attrs := graph.AttrsOf("stride", []int{n.Between(1, 3), n.Between(1, 3)}, "dilation", dilation, "groups", groups, "padding", n.padding(shape[2:], size, dilation))
	in := []*graph.Value{x, n.integer(d, out, each, size[0], size[1]), nil, nil, nil}
	if n.Bool() {
		in[2] = n.integer(tensor.Int32, out)
	}
	if n.Bool() {
		in[3] = n.integer(x.Type.DType, 1)
	}
	if n.Bool() {
		in[4] = n.integer(d, op.Pick(n.Rand, []int{1, out}))
	}
	return n.requantized(n.node("conv", attrs, in...), 1)
}

// codes adds what makes of integers floats, adds such, and makes integers of them again.
func (n *network) codes(x *graph.Value) *graph.Value {
	number := func(x float32) *graph.Value { return must(n.Constant("", "", tensor.Scalar(x)))(n.t) }
	scales := []float32{1, 0.1, -0.25, 0, 1e-30, 3e38}
	floats := func(x *graph.Value) *graph.Value {
		return n.node("dequantize_linear", nil, x, number(op.Pick(n.Rand, scales)), n.integer(x.Type.DType))
	}
	y := floats(x)
	for range n.IntN(3) {
		y = n.node(op.Pick(n.Rand, []string{"add", "sub", "mul", "div", "max"}), nil, y, n.constant())
	}
	switch n.IntN(4) {
	case 0:
		y = n.node("add", nil, y, n.input(y.Type.Shape...))
	case 1:
		y = n.node("add", nil, y, floats(x))
	case 2:
		y = n.node("add", nil, floats(n.bytes(n.byteType(), y.Type.Shape...)), y)
	}
	if n.IntN(4) > 0 {
		d := n.byteType()
		y = n.node("quantize_linear", nil, y, number(op.Pick(n.Rand, scales)), n.integer(d))
		if n.Bool() {
			table := must(n.Constant("", "", n.Tensor(n.byteType(), []int{n.Between(1, 256)})))(n.t)
			y = n.node("lookup", graph.AttrsOf("offset", op.Pick(n.Rand, []int{0, 128, -3})), y, table)
		}
	}
	return y
}

// integerProduct adds a product of matrices of integers of 8 bits.
func (n *network) integerProduct() *graph.Value {
	rows, inner, columns, d := n.Between(1, 12), n.Between(1, 40), n.Between(1, 30), n.byteType()
	x := n.bytes(n.byteType(), rows, inner)
	int32s := graph.Attr{Name: "dtype", Value: tensor.Int32}
	if n.Bool() {
		in := []*graph.Value{x, n.integer(d, columns, inner), nil}
		if n.Bool() {
			in[2] = n.integer(tensor.Int32, op.Pick(n.Rand, []int{1, columns}))
		}
		return n.requantized(n.node("linear", graph.Attrs{int32s}, in...), 1)
	}
	in := []*graph.Value{x, n.integer(d, inner, columns), nil, nil}
	switch n.IntN(3) {
	case 0:
		in[2] = n.integer(x.Type.DType)
	case 1:
		in[2] = n.bytes(x.Type.DType)
	}
	if n.Bool() {
		in[3] = n.integer(d, 1, op.Pick(n.Rand, []int{1, columns}))
	}
	return n.requantized(n.node("matmul", graph.Attrs{int32s}, in...), 1)
}

// TestIntegers compares networks of integers of 8 bits with the references.
func TestIntegers(t *testing.T) {
	for seed := range uint64(testdata.Cases(25, 2000)) {
		n := newNetwork(t, seed)
		x := n.bytes(n.byteType(), n.Between(1, 2), n.Between(1, 40), n.Between(1, 14), n.Between(1, 23))
		for range n.Between(1, 3) {
			switch {
			case x.Type.DType.Size() > 1:
			case n.IntN(3) == 0:
				x = n.codes(x)
			case n.IntN(4) == 0:
				size, shape := []int{n.Between(1, 3), n.Between(1, 3)}, x.Type.Shape
				x = n.node("max_pool", graph.AttrsOf("size", append([]int{1, 1}, size...), "stride", []int{1, 1, n.Between(1, 2), n.Between(1, 2)},
					"padding", append([]int{0, 0, 0, 0}, n.padding(shape[2:], size, []int{1, 1})...), "border", "ignore"), x)
			default:
				x = n.integerConvolution(x)
			}
		}
		n.compare(seed, x, n.integerProduct())
	}
}

// TestWholePlanes has windows that cover a plane, or all of its lines or columns, which the geometry counts as one dimension.
func TestWholePlanes(t *testing.T) {
	for i, size := range [][]int{{3, 5}, {3, 2}, {1, 5}} {
		n := newNetwork(t, uint64(i))
		attrs := graph.AttrsOf("stride", []int{1, 1}, "dilation", []int{1, 1}, "padding", []int{0, 0, 0, 0}, "groups", 1)
		windows := graph.AttrsOf("size", append([]int{1, 1}, size...), "stride", []int{1, 1, 1, 1}, "padding", make([]int, 8), "border", "ignore")
		x := n.input(2, 20, 3, 5)
		y := []*graph.Value{n.node("max_pool", windows, x), n.node("conv", attrs, x, n.constant(9, 20, size[0], size[1]))}
		for _, d := range []tensor.DType{tensor.Int8, tensor.Uint8} {
			x := n.bytes(d, 2, 20, 3, 5)
			y = append(y, n.node("max_pool", windows, x), n.node("conv", attrs, x, n.integer(d, 9, 20, size[0], size[1]), nil, nil, nil))
		}
		n.compare(uint64(i), y...)
	}
}

// bytes adds an input of integers.
func (n *network) bytes(d tensor.DType, shape ...int) *graph.Value {
	name := fmt.Sprint("in", len(n.inputs))
	n.inputs[name] = n.Tensor(d, shape)
	return must(n.Input(name, graph.TypeOf(n.inputs[name])))(n.t)
}
