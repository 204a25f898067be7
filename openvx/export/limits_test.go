package export_test

import (
	"fmt"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/testing/exported"
	"github.com/concord-nn/concord/openvx/export"
	"github.com/concord-nn/concord/tensor"
)

// idleBody is the body of a loop that carries a number, with a node of 14 elements.
func idleBody(t *testing.T) *graph.Graph {
	t.Helper()
	n := exported.NewNet(t, "body")
	n.Input("i", tensor.Int64)
	x := n.Input("x", tensor.Float32)
	list, err := tensor.New(tensor.Bool, tensor.Shape{14})
	n.Check(err)
	n.Node("not", nil, n.Constant("", list))
	return n.Output("more", n.Constant("", tensor.Scalar(true))).Output("carried", x).Graph()
}

// TestLimits exports what needs as much as is allowed, and more.
func TestLimits(t *testing.T) {
	body := idleBody(t)
	for name, c := range map[string]struct {
		most int
		make func(n *net, most int) *graph.Value
	}{
		// Two rows of numbers of 4 bytes, to which an operand is expanded.
		"constants": {limits.VXEvaluated, func(n *net, most int) *graph.Value {
			return n.Node("add", nil, n.Input("x", tensor.Float32, 1, (most+7)/8), n.drawn(tensor.Float32, 1, 2, 1))
		}},
		// Together as much, with 28 bytes of others, as is allowed beside eight times the constants of three times 8 bytes.
		"made": {8*3*8 - 28 - 4, func(n *net, most int) *graph.Value {
			var x *graph.Value
			for i, width := range []int{limits.VXEvaluated / 8, (limits.VXMade-limits.VXEvaluated)/8 - 1000, 1000 + (most+7)/8} {
				x = n.Node("add", nil, n.Input(fmt.Sprint("x", i), tensor.Float32, 1, width), n.drawn(tensor.Float32, 1, 2, 1))
				n.Output(fmt.Sprint("z", i), x)
			}
			return x
		}},
		// A loop that takes no turn costs what it may cost: 16 operations in each.
		"operations": {limits.ExportOperations / 16, func(n *net, most int) *graph.Value {
			out, err := n.B.Add(graph.Node{Op: "loop", In: []*graph.Value{n.Constant("", tensor.Scalar(int64(0))), nil, n.real(1)},
				Attrs: attrs("carried", 1, "most", most), Blocks: []*graph.Graph{body}})
			n.Check(err)
			return n.Node("add", nil, n.Input("x", tensor.Float32, 3), out[1])
		}},
		// A window of one element over that many more behind the input than before it: as many zeros in front make up for it.
		"zeros": {limits.VXZeros, func(n *net, most int) *graph.Value {
			return n.Node("conv", attrs("padding", []int{0, 0, 0, most}), n.Input("x", tensor.Float32, 1, 1, 1, 1000), n.drawn(tensor.Float32, 1, 1, 1, 1, 1))
		}},
		// A chain of copies of what has no sign, of which a pooling without its padding needs to know.
		"signs": {limits.VXSigns, func(n *net, most int) *graph.Value {
			v := n.Node("relu", nil, n.Input("x", tensor.Float32, 1, 1, 4, 4))
			for range most {
				v = n.Node("copy", nil, v)
			}
			return n.Node("max_pool", attrs("size", []int{1, 1, 3, 3}, "padding", []int{0, 0, 0, 0, 1, 1, 1, 1}, "border", "ignore"), v)
		}},
	} {
		for more := range 2 {
			n := newNet(t, 1)
			if _, err := export.New(n.Graph(c.make(n, c.most+more)), export.Options{Float: export.Float32}); (err == nil) != (more == 0) {
				t.Errorf("%s: %d: %v", name, c.most+more, err)
			}
		}
	}
}
