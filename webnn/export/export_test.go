package export_test

import (
	"context"
	"math"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata/single"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// builder returns a new builder.
func builder(t testing.TB) *webnn.GraphBuilder {
	t.Helper()
	c, err := webnn.ML{}.CreateContext(nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := webnn.NewGraphBuilder(c)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// run evaluates a graph. Inputs that it lacks are left aside, and logical ones become uint8 where it has them so.
func run(t testing.TB, g *graph.Graph, inputs map[string]*tensor.Tensor) map[string]*tensor.Tensor {
	t.Helper()
	p, err := engine.Compile(g, engine.Options{Threads: 1})
	if err != nil {
		t.Fatalf("%v\n%s", err, graph.Text(g, op.Rules))
	}
	defer p.Close()
	s, err := p.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	for i, port := range p.Inputs() {
		x, err := tensor.Cast(inputs[port.Name], port.Type.DType)
		if err == nil {
			err = s.SetInput(i, x)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	outputs := make(map[string]*tensor.Tensor)
	for i, port := range p.Outputs() {
		outputs[port.Name] = s.Output(i).Clone()
	}
	return outputs
}

// equal reports whether two tensors have the same shape and bits; logical elements are 0 and 1.
func equal(got, want *tensor.Tensor) bool {
	return got.Shape().Equal(want.Shape()) && string(got.Bytes()) == string(want.Bytes())
}

// distance leaves out what is infinite in want, and neighbouring 16-bit floats.
func distance(got, want *tensor.Tensor) float64 {
	return single.Distance(got, want, func(i int, _, y float64) bool {
		if !want.DType().IsHalf() {
			return math.IsInf(y, 0)
		}
		n := int(tensor.Words[uint16](got)[i]) - int(tensor.Words[uint16](want)[i])
		return math.IsInf(y, 0) || -1 <= n && n <= 1
	})
}
