package openvx

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
)

func inferSoftmax(c *call) error {
	if err := firstOf(c.checkFormats(0), c.checkRank(0, 1, 4)); err != nil {
		return err
	}
	return c.complete(c.like(0, c.operands[0].dims...))
}

// lowerSoftmax computes in float32. The operator subtracts the greatest element, so that nothing overflows.
func lowerSoftmax(l *lowering) *graph.Value {
	f := l.out().format
	axis := len(f.dims) - 1 // the first dimension, of one or two
	if len(f.dims) > 2 {
		axis -= 2
	}
	return l.fromReal(l.Node("softmax", emit.Attr("axes", []int{axis}), l.toReal(l.values[0], f)), f)
}
