package export_test

import (
	"context"
	"math"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
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

// distance returns the greatest difference of two tensors, relative to max(1, |want|), leaving out what is not finite in want
// and neighbouring 16-bit floats.
func distance(t testing.TB, got, want *tensor.Tensor) float64 {
	t.Helper()
	if !got.Shape().Equal(want.Shape()) {
		t.Fatalf("the result is %v; want %v", got, want)
	}
	worst := 0.0
	a, b := numbers(t, got), numbers(t, want)
	for i := range a {
		if a[i] == b[i] || math.IsNaN(a[i]) && math.IsNaN(b[i]) || math.IsInf(b[i], 0) {
			continue
		}
		if want.DType().IsHalf() {
			if n := int(tensor.Words[uint16](got)[i]) - int(tensor.Words[uint16](want)[i]); -1 <= n && n <= 1 {
				continue
			}
		}
		far := math.Abs(a[i]-b[i]) / max(1, math.Abs(b[i]))
		if math.IsNaN(far) {
			far = math.Inf(1)
		}
		worst = max(worst, far)
	}
	return worst
}

func numbers(t testing.TB, x *tensor.Tensor) []float64 {
	t.Helper()
	d := tensor.Float32
	if !x.DType().IsFloat() {
		d = tensor.Int64
	}
	y, err := tensor.Cast(x, d)
	if err != nil {
		t.Fatal(err)
	}
	var out []float64
	for _, v := range tensor.Data[float32](y) {
		out = append(out, float64(v))
	}
	for _, v := range tensor.Data[int64](y) {
		out = append(out, float64(v))
	}
	return out
}

// moderate reports whether all elements are finite and not so great that intermediate results overflow.
func moderate(t testing.TB, c op.Case) bool {
	for _, x := range c.In {
		if x == nil || !x.DType().IsFloat() {
			continue
		}
		for _, v := range numbers(t, x) {
			if !(math.Abs(v) <= 1e18) {
				return false
			}
		}
	}
	return true
}
