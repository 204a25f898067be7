package engine

import (
	"context"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

func BenchmarkTmpAdd(b *testing.B) {
	n := newNet(b)
	f := func(x float32) *graph.Value { return n.constant([]float32{x}) }
	_ = f
	sc := func(x float32) *graph.Value { v, err := n.Constant("", "", tensor.Scalar(x)); return ok(b, v, err) }
	z := func(x int8) *graph.Value { v, err := n.Constant("", "", tensor.Scalar(x)); return ok(b, v, err) }
	x, y := n.input("x", tensor.Int8, 1, 256, 56, 56), n.input("y", tensor.Int8, 1, 256, 56, 56)
	p := n.op("add", nil, n.op("dequantize_linear", nil, x, sc(0.1), z(3)), n.op("dequantize_linear", nil, y, sc(0.2), z(3)))
	n.output("o", n.op("quantize_linear", nil, p, sc(0.3), z(1)))
	g, err := n.Build()
	ok(b, g, err)
	pr, err := Compile(g, Options{Threads: 1})
	ok(b, pr, err)
	b.Log(unitsOf(pr.Units()), pr.Plan().Peak)
	s := session(b, pr)
	r := op.NewRand(1, 4)
	ok(b, s, s.SetInput(0, r.Tensor(tensor.Int8, tensor.Shape{1, 256, 56, 56})))
	for b.Loop() {
		if err := s.Run(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTmpConv(b *testing.B) {
	n := newNet(b)
	sc := func(x float32) *graph.Value { v, err := n.Constant("", "", tensor.Scalar(x)); return ok(b, v, err) }
	z := func(x int8) *graph.Value { v, err := n.Constant("", "", tensor.Scalar(x)); return ok(b, v, err) }
	r := op.NewRand(1, 4)
	w, err := n.Constant("", "", r.Tensor(tensor.Int8, tensor.Shape{256, 64, 1, 1}))
	ok(b, w, err)
	m, err := n.Constant("", "", r.Uniform(tensor.Float32, tensor.Shape{1, 256, 1, 1}, 0.001, 0.01))
	ok(b, m, err)
	_ = sc
	x := n.input("x", tensor.Int8, 1, 64, 56, 56)
	p := n.op("conv", graph.AttrsOf("padding", []int{0, 0, 0, 0}), x, w, nil, z(3))
	n.output("o", n.op("requantize", nil, p, m, z(1)))
	g, err := n.Build()
	ok(b, g, err)
	pr, err := Compile(g, Options{Threads: 1})
	ok(b, pr, err)
	b.Log(unitsOf(pr.Units()), pr.Plan().Peak)
	s := session(b, pr)
	ok(b, s, s.SetInput(0, r.Tensor(tensor.Int8, tensor.Shape{1, 64, 56, 56})))
	for b.Loop() {
		if err := s.Run(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}
