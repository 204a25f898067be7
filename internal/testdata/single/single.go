// Package single makes graphs of one operator for the tests of exporters, and compares what comes back.
package single

import (
	"fmt"
	"math"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Graph returns a graph that applies an operator to the operands of a case: to inputs, or to constants where constant says so.
func Graph(t testing.TB, d *op.Def, c op.Case, constant func(i int) bool) (*graph.Graph, map[string]*tensor.Tensor) {
	t.Helper()
	b := graph.NewBuilder(op.Rules, d.Name)
	inputs := make(map[string]*tensor.Tensor)
	Add(t, b, d, c, "", inputs, constant)
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g, inputs
}

// Add applies an operator to the operands of a case in a graph, and makes its results outputs: out0, out1 and so on, in front of which stands a prefix, as
// in front of the names of inputs and constants, which count likewise. It adds the inputs to those that there are.
func Add(t testing.TB, b *graph.Builder, d *op.Def, c op.Case, prefix string, inputs map[string]*tensor.Tensor, constant func(i int) bool) {
	t.Helper()
	in := make([]*graph.Value, len(c.In))
	for i, x := range c.In {
		if x == nil {
			continue
		}
		var err error
		if name := fmt.Sprintf("%sin%d", prefix, i); constant(i) {
			in[i], err = b.Constant(name, "", x.Contiguous())
		} else {
			inputs[name] = x
			in[i], err = b.Input(name, graph.TypeOf(x))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	out, err := b.Add(graph.Node{Op: d.Name, In: in, Attrs: c.Attrs, Blocks: c.Blocks})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range out {
		if err := b.Output(fmt.Sprintf("%sout%d", prefix, i), v); err != nil {
			t.Fatal(err)
		}
	}
}

// Numbers returns the elements of a tensor.
func Numbers(x *tensor.Tensor) []float64 {
	wide, err := tensor.Cast(x, tensor.Float64)
	if err != nil {
		panic(err) // any element is a number
	}
	return tensor.Data[float64](wide.Contiguous())
}

// Moderate reports whether all operands of a float type are finite and not so great that intermediate results overflow.
func Moderate(c op.Case, most float64) bool {
	for _, x := range c.In {
		if x == nil || !x.DType().IsFloat() {
			continue
		}
		for _, v := range Numbers(x) {
			if !(math.Abs(v) <= most) {
				return false
			}
		}
	}
	return true
}

// Distance returns the greatest difference of two tensors, relative to max(1, |want|), leaving out what is alike though it differs,
// if alike is not nil.
func Distance(got, want *tensor.Tensor, alike func(i int, got, want float64) bool) float64 {
	if got == nil || !got.Shape().Equal(want.Shape()) {
		return math.Inf(1)
	}
	worst := 0.0
	a, b := Numbers(got), Numbers(want)
	for i := range a {
		if a[i] == b[i] || math.IsNaN(a[i]) && math.IsNaN(b[i]) || alike != nil && alike(i, a[i], b[i]) {
			continue
		}
		far := math.Abs(a[i]-b[i]) / max(1, math.Abs(b[i]))
		if math.IsNaN(far) {
			far = math.Inf(1)
		}
		worst = max(worst, far)
	}
	return worst
}
