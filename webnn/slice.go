package webnn

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
)

// Methods that take, cut or repeat parts of any tensor.

// perDimension rejects a list that has not one item for each dimension.
func (l *lowering) perDimension(name string, list []int, rank int) {
	if len(list) != rank {
		l.reject(name, "%s: %d values are given; there must be %d, one for each dimension", name, len(list), rank)
	}
}

// slice is https://www.w3.org/TR/webnn/#api-mlgraphbuilder-slice.
func slice(l *lowering) []*graph.Value {
	x := l.operand("input")
	in := x.Type.Shape
	begin, sizes, strides := l.ints("starts"), l.positive("sizes", l.ints("sizes")), slices.Repeat([]int{1}, len(in))
	if l.has("strides") {
		strides = l.positive("strides", l.ints("strides"))
	}
	l.perDimension("starts", begin, len(in))
	l.perDimension("sizes", sizes, len(in))
	l.perDimension("strides", strides, len(in))
	if l.Err != nil {
		return nil
	}
	end := make([]int, len(in))
	for i, n := range in {
		if begin[i] > n || sizes[i] > n-begin[i] {
			l.reject("sizes.bounds", "%d elements from %d are not within dimension %d of shape %v", sizes[i], begin[i], i, in)
			return nil
		}
		end[i] = begin[i] + sizes[i]
	}
	return one(l.Node("slice", emit.Attr("axes", emit.Counting(0, len(in)), "begin", begin, "end", end, "stride", strides), x))
}

// split is https://www.w3.org/TR/webnn/#api-mlgraphbuilder-split.
func split(l *lowering) []*graph.Value {
	x, axis := l.operand("input"), l.axis("input")
	if l.Err != nil {
		return nil
	}
	extent := x.Type.Shape[axis]
	sizes, listed := l.values["splits"].([]int)
	count := len(sizes)
	if !listed {
		count = l.int("splits")
	}
	if count < 1 || count > maxTensorCount {
		l.reject("splits", "there would be %d results; there must be from 1 to %d", count, maxTensorCount)
		return nil
	}
	if !listed {
		if extent%count != 0 {
			l.reject("splits.divide", "the extent %d of dimension %d is not divisible by splits, %d", extent, axis, count)
		}
		sizes = slices.Repeat([]int{extent / count}, count)
	}
	sum := int64(0)
	for _, n := range l.positive("splits", sizes) {
		sum += int64(n)
	}
	if sum != int64(extent) {
		l.reject("splits.sum", "the sum of splits is %d; it must be %d, the extent of dimension %d", sum, extent, axis)
	}
	return l.Nodes("split", emit.Attr("axis", axis, "ratios", sizes), x)
}

// tile is https://www.w3.org/TR/webnn/#api-mlgraphbuilder-tile.
func tile(l *lowering) []*graph.Value {
	x := l.operand("input")
	in, repetitions := x.Type.Shape, l.positive("repetitions", l.ints("repetitions"))
	l.perDimension("repetitions", repetitions, len(in))
	if l.Err != nil {
		return nil
	}
	for i, n := range in {
		l.outputSize(nth(i), product(n, repetitions[i]))
	}
	return one(l.Node("tile", emit.Attr("repeats", repetitions), x))
}
