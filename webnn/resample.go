package webnn

import (
	"math/big"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
)

// resample2d is https://www.w3.org/TR/webnn/#api-mlgraphbuilder-resample2d-method. Coordinates follow the quotients of the
// extents, also where scales give the extents.
func resample2d(l *lowering) []*graph.Value {
	x := l.operand("input")
	scales := l.scales()
	sizes := l.positive("sizes", l.intsOf("sizes", 2))
	axes := l.intsOf("axes", 2, 2, 3)
	l.checkDimensions("axes", axes, len(x.Type.Shape))
	if l.Err != nil {
		return nil
	}
	out := x.Type.Shape.Clone()
	for i, axis := range axes {
		n := scaled(out[axis], scales[i])
		if sizes != nil {
			n = int64(sizes[i])
		}
		out[axis] = l.outputSize(nth(axis), n)
	}
	return one(l.Node("resample", emit.Attr("mode", l.string("mode"), "sizes", []int(out)), x))
}

// scales returns the option of that name.
func (l *lowering) scales() []float64 {
	if !l.has("scales") {
		return []float64{1, 1}
	}
	scales := l.floats("scales")
	if len(scales) != 2 {
		l.reject("scales", "scales: %d values are given; there must be 2", len(scales))
	}
	for i, s := range scales {
		if s <= 0 {
			l.reject("scales.positive", "scales: item %d is %v; it must be positive", i, s)
		}
	}
	return scales
}

// scaled returns floor(n·scale), at most the greatest int64. The product of an extent and a float of single precision is
// exact in 64 bits.
func scaled(n int, scale float64) int64 {
	p := new(big.Float).SetPrec(64).SetInt64(int64(n))
	size, _ := p.Mul(p, big.NewFloat(scale)).Int64()
	return size
}
