package export_test

import (
	"errors"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/testing/exported"
	"github.com/concord-nn/concord/onnx/export"
	"github.com/concord-nn/concord/tensor"
)

// TestLimits exports sums over windows that are as large as is allowed, and refuses larger ones.
func TestLimits(t *testing.T) {
	for name, c := range map[string]struct {
		most int
		of   tensor.DType
	}{
		"constants": {limits.ONNXMade, tensor.Float32},   // by a convolution with ones
		"positions": {limits.ExpandedTaps, tensor.Int64}, // one by one
	} {
		for _, n := range []int{c.most, c.most + 1} {
			m := exported.NewNet(t, "limits")
			g := m.Graph(m.Node("box", graph.AttrsOf("size", []int{n}, "padding", []int{0, 0}), m.Input("x", c.of, n)))
			foreign := false // operators that are not said in those of ONNX
			_, err := export.New(g, export.Options{Foreign: func(export.Refusal) { foreign = true }})
			var refused *export.Error
			if beyond := foreign || errors.As(err, &refused); beyond != (n > c.most) || err != nil && !beyond {
				t.Errorf("%s: %d give %v", name, n, err)
			}
		}
	}
}
