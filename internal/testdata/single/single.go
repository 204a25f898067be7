// Package single makes graphs of one operator for the tests of exporters.
package single

import (
	"fmt"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Graph returns a graph that applies an operator to the operands of a case: to inputs, or to constants where constant says so.
func Graph(t testing.TB, d *op.Def, c op.Case, constant func(i int) bool) (*graph.Graph, map[string]*tensor.Tensor) {
	t.Helper()
	b := graph.NewBuilder(op.Rules, d.Name)
	in := make([]*graph.Value, len(c.In))
	inputs := make(map[string]*tensor.Tensor)
	for i, x := range c.In {
		if x == nil {
			continue
		}
		var err error
		if name := fmt.Sprintf("in%d", i); constant(i) {
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
		if err := b.Output(fmt.Sprintf("out%d", i), v); err != nil {
			t.Fatal(err)
		}
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g, inputs
}
