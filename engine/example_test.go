package engine_test

import (
	"context"
	"fmt"
	"log"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// A graph is built, compiled and run: once with named tensors, then often, in a session that allocates nothing.
func Example() {
	b := graph.NewBuilder(op.Rules, "average")
	x, err := b.Input("x", graph.Type{DType: tensor.Float32, Shape: tensor.Shape{3}})
	check(err)
	zero, err := tensor.FromSlice([]float32{0, 0, 0}, 3)
	check(err)
	last, err := b.State("last", "", zero)
	check(err)
	check(b.Update(last, x))
	half, err := b.Constant("half", "", tensor.Scalar(float32(0.5)))
	check(err)
	sum, err := b.One("add", []*graph.Value{x, last}, nil, "")
	check(err)
	mean, err := b.One("mul", []*graph.Value{sum, half}, nil, "")
	check(err)
	check(b.Output("mean", mean))
	g, err := b.Build()
	check(err)

	p, err := engine.Compile(g, engine.Options{})
	check(err)
	defer p.Close()
	fmt.Println(p.Inputs()[0], "→", p.Outputs()[0])

	in, err := tensor.FromSlice([]float32{1, 2, 3}, 3)
	check(err)
	out, err := p.Run(context.Background(), map[string]*tensor.Tensor{"x": in})
	check(err)
	fmt.Println(tensor.Data[float32](out["mean"]))

	s, err := p.NewSession()
	check(err)
	for i := range 3 {
		copy(tensor.Data[float32](s.Input(0)), []float32{float32(i), 1, 2})
		check(s.Run(context.Background()))
		fmt.Println(tensor.Data[float32](s.Output(0)))
	}
	// Output:
	// x: float32[3] → mean: float32[3]
	// [0.5 1 1.5]
	// [0 0.5 1]
	// [0.5 1 2]
	// [1.5 1 2]
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
