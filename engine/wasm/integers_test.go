package wasm_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/evaluate"
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

// TestIntegers compares networks of integers of 8 bits with the references.
func TestIntegers(t *testing.T) {
	e, _ := evaluate.Find("wasm")
	for seed := range uint64(testdata.Cases(25, 2000)) {
		n := newNetwork(t, seed)
		x := n.bytes(n.byteType(), n.Between(1, 2), n.Between(1, 40), n.Between(1, 14), n.Between(1, 23))
		for range n.Between(1, 3) {
			if x.Type.DType.Size() == 1 {
				x = n.integerConvolution(x)
			}
		}
		if err := n.Output("out", x); err != nil {
			t.Fatal(err)
		}
		g, err := n.Build()
		if err != nil {
			t.Fatal(err)
		}
		want, err := op.NewInterpreter(g).RunNamed(t.Context(), n.inputs)
		if err != nil {
			t.Fatal(err)
		}
		w, err := e.Open(g, evaluate.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got, err := evaluate.Run(t.Context(), w, g, n.inputs)
		w.Close()
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for name, y := range want {
			if z := got[name]; !bytes.Equal(y.Contiguous().Bytes(), z.Bytes()) {
				var text strings.Builder
				_ = graph.Print(&text, g, op.Rules)
				t.Fatalf("seed %d: %s is %v; want %v\n%s", seed, name, z, y, text.String())
			}
		}
	}
}

// bytes adds an input of integers.
func (n *network) bytes(d tensor.DType, shape ...int) *graph.Value {
	name := fmt.Sprint("in", len(n.inputs))
	n.inputs[name] = n.Tensor(d, shape)
	return must(n.Input(name, graph.TypeOf(n.inputs[name])))(n.t)
}
