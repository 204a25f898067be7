package export_test

import (
	"math"
	"slices"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testdata/single"
	"github.com/concord-nn/concord/internal/testing/exported"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/export"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestFunctions runs the functions that say operators to other runtimes, on moderate cases of every operator: results must be near.
func TestFunctions(t *testing.T) {
	cases := testdata.Cases(5, 500)
	for _, r := range export.Table() {
		t.Run(r.Op, func(t *testing.T) {
			t.Parallel()
			d, _ := op.Lookup(r.Op)
			for seed := range cases {
				functionCase(t, d, uint64(seed), 1+seed*4/cases)
			}
		})
	}
}

// TestGaps writes no pooling of the standard where a window, dilated farther than there are elements, reaches none of them: what that yields is
// left open.
func TestGaps(t *testing.T) {
	attrs := graph.AttrsOf("size", []int{1, 1, 2}, "padding", []int{0, 0, 0, 0, 1, 1}, "stride", []int{1, 1, 2}, "dilation", []int{1, 1, 2}, "border", "ignore")
	for name, attrs := range map[string]graph.Attrs{
		"max_pool": attrs, "box": append(graph.AttrsOf("normalize", true), attrs...), "l2_pool": attrs, "argmax_pool": attrs,
	} {
		for _, d := range []tensor.DType{tensor.Float32, tensor.Int16} {
			if name == "l2_pool" && d == tensor.Int16 {
				continue // it is for floats
			}
			m := exported.NewNet(t, "test")
			p := written(t, m.Graph(m.Node(name, attrs, m.Input("x", d, 1, 1, 1))))
			list := p.Graph.Node
			for _, f := range p.Functions {
				list = append(list, f.Node...)
			}
			for _, n := range list {
				for _, a := range n.Attribute {
					if a.Name == "pads" && slices.Max(a.Ints) > 0 {
						t.Errorf("%s of %v is %s with the padding %v", name, d, n.OpType, a.Ints)
					}
				}
			}
		}
	}
}

// TestZerosBesidePools pads by -0 in front of a pool: padding by +0 becomes the pool's own in ONNX Runtime, which leaves it out of maxima.
func TestZerosBesidePools(t *testing.T) {
	m := exported.NewNet(t, "test")
	x := m.Input("x", tensor.Float32, 3, 1, 2)
	p := written(t, m.Graph(m.Node("max_pool", graph.AttrsOf("size", []int{1, 1, 2}, "padding", []int{0, 0, 0, 0, 1, 1}, "border", "constant"), x)))
	list := p.Functions[0].Node
	find := func(op string) *proto.Node {
		i := slices.IndexFunc(list, func(n *proto.Node) bool { return n.OpType == op })
		if i < 0 {
			t.Fatalf("there is no %s: %v", op, list)
		}
		return list[i]
	}
	pad := find("Pad")
	if find("MaxPool").Input[0] != pad.Output[0] {
		t.Fatal("the pool is not behind the padding")
	}
	for _, n := range list {
		if n.OpType == "Constant" && n.Output[0] == pad.Input[2] {
			fill, err := n.Attribute[0].T.Value(nil)
			if err != nil || !math.Signbit(float64(tensor.Data[float32](fill)[0])) {
				t.Errorf("the padding is %v, %v", fill, err)
			}
		}
	}
}

func functionCase(t *testing.T, d *op.Def, seed uint64, size int) {
	t.Helper()
	c := d.Draw(op.NewRand(seed, size))
	if !moderate(c) {
		return
	}
	g, inputs := single.Graph(t, d, c, func(int) bool { return false })
	want, err := op.NewInterpreter(g).RunNamed(t.Context(), inputs)
	if err != nil {
		return
	}
	m := written(t, g)
	if !foreign(m) {
		return
	}
	got, err := runs(m, inputs, engine.Options{Threads: 1})
	if err != nil {
		t.Fatalf("seed %d: %v: operands %v, attributes %v\n%s", seed, err, c.In, c.Attrs, nodes(m))
	}
	for name, w := range want {
		if far := single.Distance(got[name], w, nil); got[name] == nil || got[name].DType() != w.DType() || far > 1e-3 && !(w.DType().IsHalf() && far <= 0.02) {
			t.Fatalf("seed %d: %s is off by %v: operands %v, attributes %v\n%s", seed, name, far, c.In, c.Attrs, nodes(m))
		}
	}
}

// foreign makes a model one whose nodes in the domain of Concord are calls of functions, and reports whether there are such.
func foreign(m *proto.Model) bool {
	calls := false
	for _, n := range m.Graph.Node {
		calls = calls || n.Domain == onnx.OwnDomain && n.Overload != ""
		if n.Domain == onnx.OwnDomain && n.Overload == "" {
			return false
		}
	}
	for _, s := range m.OpsetImport {
		if s.Domain == onnx.OwnDomain {
			s.Version = onnx.OwnVersion + 1
		}
	}
	return calls
}

// moderate reports whether all numbers are finite and of a size for which other orders of rounding make no great difference.
func moderate(c op.Case) bool { return single.Moderate(c, 1e4) }
