package openvx

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
)

// inferNormalization is that of both normalizations; the newer one has a bias in front of the result.
func inferNormalization(c *call) error {
	if err := firstOf(
		c.checkFormats(0), c.checkRank(0, 3, MaxTensorDims),
		checkEnum(c, 1, "type", Normalization(argument[Enum](c, 1)), NormalizationSameMap, NormalizationAcrossMaps),
	); err != nil {
		return err
	}
	if size := argument[int](c, 2); size != 3 && size != 5 && size != 7 {
		return c.wrong(2, ErrorInvalidValue, "is %d; it must be 3, 5 or 7", size)
	}
	for i := 3; i < c.last(); i++ {
		if err := c.checkReal(i, 0, true); err != nil {
			return err
		}
	}
	return c.complete(c.like(0, c.operands[0].dims...))
}

// lowerNormalization computes in float32. The sum is divided by the number of elements in the region, zeros outside the input included: the
// size across maps, and its square in the same map.
func lowerNormalization(l *lowering) *graph.Value {
	f, size, bias := l.out().format, argument[int](l.call, 2), float32(1)
	if l.last() > 5 {
		bias = argument[float32](l.call, 5)
	}
	rank := len(f.dims)
	window := ones(rank)
	if Normalization(argument[Enum](l.call, 1)) == NormalizationAcrossMaps {
		window[rank-3] = size
	} else {
		window[rank-2], window[rank-1] = size, size
	}
	return l.fromReal(l.Node("local_response_normalization", emit.Attr("size", window, "alpha", float64(argument[float32](l.call, 3)),
		"beta", float64(argument[float32](l.call, 4)), "bias", float64(bias)), l.toReal(l.values[0], f)), f)
}
