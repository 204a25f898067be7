package export

import (
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/openvx"
	"github.com/concord-nn/concord/tensor"
)

// TestLimits makes what is as large as is allowed, and larger.
func TestLimits(t *testing.T) {
	one, err := tensor.New(tensor.Uint8, tensor.Shape{1})
	if err != nil {
		t.Fatal(err)
	}
	expand, _ := op.Lookup("expand")
	for name, c := range map[string]struct {
		most int
		make func(n int) bool
	}{
		"constants": {limits.VXEvaluated, func(n int) bool {
			why := ""
			func() {
				defer stopped(&why)
				if _, err := evaluate(expand, []*tensor.Tensor{one}, attrs("shape", []int{n})); err != nil {
					t.Error(err)
				}
			}()
			return why == ""
		}},
		// A window of one element over n more behind the input than before it: as many zeros in front make up for it.
		"zeros": {limits.VXZeros, func(n int) bool {
			s := slide{in: 1000, out: 1000 + n, size: 1, stride: 1, dilation: 1, after: n}
			return s.widen(openvx.SizeRoundingFloor) == n
		}},
		// A chain of copies of what has no sign.
		"signs": {limits.VXSigns, func(n int) bool {
			b := graph.NewBuilder(op.Rules, "signs")
			v, err := b.Input("x", graph.Type{DType: tensor.Float32, Shape: []int{1}})
			for i := range n + 1 {
				if err != nil {
					t.Fatal(err)
				}
				name := "copy"
				if i == 0 {
					name = "relu"
				}
				v, err = b.One(name, []*graph.Value{v}, nil, "")
			}
			return new(exporter).neverNegative(v, 0)
		}},
	} {
		if !c.make(c.most) || c.make(c.most+1) {
			t.Errorf("%s: %d give %v, one more %v", name, c.most, c.make(c.most), c.make(c.most+1))
		}
	}
}
