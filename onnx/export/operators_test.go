package export_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/export"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
)

// TestOperators exports generated cases of every operator, reads the model again, and compares the bits.
func TestOperators(t *testing.T) {
	cases := 150
	if testing.Short() {
		cases = 30
	}
	for _, r := range export.Table() {
		t.Run(r.Op, func(t *testing.T) {
			t.Parallel()
			d, _ := op.Lookup(r.Op)
			became := make(map[string]int)
			for seed := range cases {
				exportCase(t, d, uint64(seed), 1+seed/25, became)
			}
			t.Log(became)
		})
	}
}

// exportCase exports an application of an operator that a seed draws, and counts the nodes that it becomes.
func exportCase(t *testing.T, d *op.Def, seed uint64, size int, became map[string]int) {
	t.Helper()
	rnd := op.NewRand(seed, size)
	c := d.Draw(rnd)
	constants := 0
	if rnd.Bool() {
		constants = rnd.IntN(1 << len(c.In))
	}
	g, inputs := application(t, d, c, func(i int) bool { return constants>>i&1 == 1 })
	want, err := op.NewInterpreter(g).RunNamed(t.Context(), inputs)
	if err != nil {
		return // there is no evaluation for these types, or a loop takes more turns than it may
	}
	m := exported(t, g)
	got, err := runs(m, inputs)
	if err != nil {
		t.Fatalf("seed %d: %v: operands %v, attributes %v\n%s", seed, err, c.In, c.Attrs, text(m))
	}
	for name, w := range want {
		if !same(got[name], w) {
			t.Fatalf("seed %d: the bits of %s differ: operands %v, attributes %v\n%s", seed, name, c.In, c.Attrs, text(m))
		}
	}
	became[nodes(m)]++
}

// nodes names the operators of the nodes of a model, and those in the function of one that is ours.
func nodes(m *proto.Model) string {
	list := names(m.Graph.Node)
	for _, f := range m.Functions {
		list = append(list, "("+strings.Join(slices.Compact(slices.Sorted(slices.Values(names(f.Node)))), " ")+")")
	}
	return strings.Join(list, " ")
}

func names(list []*proto.Node) []string {
	var out []string
	for _, n := range list {
		name := n.OpType
		if n.Domain == onnx.OwnDomain {
			name = "own " + name
		}
		if n.OpType != "Constant" {
			out = append(out, name)
		}
	}
	return out
}

// text writes the nodes of a model.
func text(m *proto.Model) string {
	var b strings.Builder
	for _, n := range m.Graph.Node {
		fmt.Fprintf(&b, "%q = %s.%s(%q", n.Output, n.Domain, n.OpType, n.Input)
		for _, a := range n.Attribute {
			fmt.Fprintf(&b, ", %s = %v %v %q %v %v %q", a.Name, a.I, a.F, a.S, a.Ints, a.Floats, a.Strings)
		}
		b.WriteString(")\n")
	}
	for _, t := range m.Graph.Initializer {
		fmt.Fprintf(&b, "%q: %v%v\n", t.Name, t.DataType, t.Dims)
	}
	return b.String()
}

var _, _ = maps.Keys[map[int]int], graph.AttrsOf
