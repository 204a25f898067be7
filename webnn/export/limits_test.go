package export_test

import (
	"errors"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/testing/exported"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn/export"
)

// TestLimits exports what is as large as is allowed, and larger.
func TestLimits(t *testing.T) {
	refusal := func(name string, attrs graph.Attrs, d tensor.DType, shapes ...[]int) error {
		n := exported.NewNet(t, "limits")
		in := make([]*graph.Value, len(shapes))
		for i, shape := range shapes {
			in[i] = n.Input(string(rune('a'+i)), d, shape...)
		}
		_, err := export.New(n.Graph(n.Node(name, attrs, in...)), export.Options{})
		return err
	}
	for name, c := range map[string]struct {
		most int
		make func(n int) error
	}{
		"places": {limits.ExpandedBytes / 4, func(n int) error {
			return refusal("pad", graph.AttrsOf("padding", []int{0, n - 1}, "border", "reflect-even"), tensor.Uint8, []int{1})
		}},
		"weights": {1 << 12, func(n int) error { // of which the square is the bound
			return refusal("multilinear_upsample", graph.AttrsOf("factor", []int{1}, "method", "aligned"), tensor.Float32, []int{1, 1, n})
		}},
		"products": {limits.ExpandedProducts >> 10, func(n int) error {
			return refusal("matmul", nil, tensor.Int32, []int{n, 1 << 10}, []int{1 << 10, 1})
		}},
		"window positions": {limits.ExpandedTaps, func(n int) error {
			return refusal("box", graph.AttrsOf("size", []int{n}, "padding", []int{0, 0}), tensor.Int32, []int{2 * limits.ExpandedTaps})
		}},
	} {
		for _, n := range []int{c.most, c.most + 1} {
			err := c.make(n)
			var refused *export.Error
			if (err == nil) != (n == c.most) || err != nil && !errors.As(err, &refused) {
				t.Errorf("%s: %d give %v", name, n, err)
			}
		}
	}
}
