package export_test

import (
	"errors"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn/export"
)

// TestLimits exports what is as large as is allowed, and larger.
func TestLimits(t *testing.T) {
	exported := func(name string, attrs graph.Attrs, d tensor.DType, shapes ...[]int) error {
		b := graph.NewBuilder(op.Rules, "limits")
		in := make([]*graph.Value, len(shapes))
		var err error
		for i, shape := range shapes {
			if in[i], err = b.Input(string(rune('a'+i)), graph.Type{DType: d, Shape: shape}); err != nil {
				t.Fatal(err)
			}
		}
		y, err := b.One(name, in, attrs, "")
		if err == nil {
			err = b.Output("y", y)
		}
		if err != nil {
			t.Fatal(err)
		}
		g, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		_, err = export.New(g, export.Options{})
		return err
	}
	for name, c := range map[string]struct {
		most int
		make func(n int) error
	}{
		"places": {limits.ExpandedBytes / 4, func(n int) error {
			return exported("pad", graph.AttrsOf("padding", []int{0, n - 1}, "border", "reflect-even"), tensor.Uint8, []int{1})
		}},
		"weights": {1 << 12, func(n int) error { // of which the square is the bound
			return exported("multilinear_upsample", graph.AttrsOf("factor", []int{1}, "method", "aligned"), tensor.Float32, []int{1, 1, n})
		}},
		"products": {limits.ExpandedProducts >> 10, func(n int) error {
			return exported("matmul", nil, tensor.Int32, []int{n, 1 << 10}, []int{1 << 10, 1})
		}},
		"window positions": {limits.ExpandedTaps, func(n int) error {
			return exported("box", graph.AttrsOf("size", []int{n}, "padding", []int{0, 0}), tensor.Int32, []int{2 * limits.ExpandedTaps})
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
