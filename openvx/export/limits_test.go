package export

import (
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/testing/exported"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/openvx"
	"github.com/concord-nn/concord/tensor"
)

// idleBody is the body of a loop with a node of 14 elements.
func idleBody(t *testing.T) *graph.Graph {
	t.Helper()
	n := exported.NewNet(t, "body")
	n.Input("i", tensor.Int64)
	list, err := tensor.New(tensor.Bool, tensor.Shape{14})
	n.Check(err)
	n.Node("not", nil, n.Constant("", list))
	return n.Output("more", n.Constant("", tensor.Scalar(true))).Graph()
}

// TestLimits makes what is as large as is allowed, and larger.
func TestLimits(t *testing.T) {
	one, err := tensor.New(tensor.Uint8, tensor.Shape{1})
	if err != nil {
		t.Fatal(err)
	}
	blocks := []*graph.Graph{idleBody(t)}
	for name, c := range map[string]struct {
		most int
		make func(n int) bool
	}{
		"constants": {limits.VXEvaluated, func(n int) bool {
			return kit.Try(func() { eval("expand", attrs("shape", []int{n}), one) }) == ""
		}},
		// A loop that takes no turn costs what it may cost: 16 operations in each.
		"operations": {limits.ExportOperations / 16, func(n int) bool {
			loop, _ := op.Lookup("loop")
			_, err := beforehand.Eval(loop, []*tensor.Tensor{tensor.Scalar(int64(0))}, attrs("carried", 0, "most", n), blocks...)
			return err == nil
		}},
		// A window of one element over n more behind the input than before it: as many zeros in front make up for it.
		"zeros": {limits.VXZeros, func(n int) bool {
			s := slide{Slide: geometry.Slide{In: 1000, Out: 1000 + n, Size: 1, Stride: 1, Dilation: 1}, after: n}
			return s.widen(openvx.SizeRoundingFloor) == n
		}},
		// A chain of copies of what has no sign.
		"signs": {limits.VXSigns, func(n int) bool {
			chain := exported.NewNet(t, "signs")
			v := chain.Node("relu", nil, chain.Input("x", tensor.Float32, 1))
			for range n {
				v = chain.Node("copy", nil, v)
			}
			return (&exporter{Exporter: &kit.Exporter[*graph.Value]{}, folder: op.NewFolder(beforehand)}).neverNegative(v, 0)
		}},
	} {
		if !c.make(c.most) || c.make(c.most+1) {
			t.Errorf("%s: %d give %v, one more %v", name, c.most, c.make(c.most), c.make(c.most+1))
		}
	}
}
