package webnn

import "github.com/concord-nn/concord/tensor"

// Types, shapes, order, and elements by their indices.

// Cast converts each element to the data type. Floats become integers by truncation within the range of the type,
// NaN becomes 0; integers become the nearest float, and integers of another size wrap. The result has the shape of
// the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-cast.
func (g *GraphBuilder) Cast(input *Operand, dataType tensor.DType, options *OperatorOptions) (*Operand, error) {
	return g.single("cast", options, input, dataType)
}

// Concat joins one or more inputs along the axis, from 0 to the rank - 1. They have the same type, and the same
// shape but for the axis; the result has the sum of their extents there.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-concat.
func (g *GraphBuilder) Concat(inputs []*Operand, axis int, options *OperatorOptions) (*Operand, error) {
	return g.single("concat", options, inputs, axis)
}

// Expand broadcasts the input to the new shape: extents of 1 repeat, and dimensions may be added in front. The
// result has the type of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-expand.
func (g *GraphBuilder) Expand(input *Operand, newShape []int, options *OperatorOptions) (*Operand, error) {
	return g.single("expand", options, input, newShape)
}

// Gather takes slices of the input along Axis, by their indices. The result has the shape of the input with the
// dimension Axis replaced by the shape of the indices, and the type of the input. Indices are int32, uint32 or
// int64. An index counts from the end if it is negative; one that is out of range when the graph runs is clamped.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gather.
func (g *GraphBuilder) Gather(input, indices *Operand, options *GatherOptions) (*Operand, error) {
	return g.single("gather", options, input, indices)
}

// GatherElements takes an element for each index: out[i, j, k] = input[indices[i, j, k], j, k] for Axis 0, and so
// on. The indices are int32, uint32 or int64 and have the shape of the input but for Axis; the result has the shape
// of the indices and the type of the input. An index counts from the end if it is negative; one that is out of range
// when the graph runs is clamped.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gatherelements.
func (g *GraphBuilder) GatherElements(input, indices *Operand, options *GatherOptions) (*Operand, error) {
	return g.single("gatherElements", options, input, indices)
}

// GatherND takes elements or slices of the input by their coordinates, which are the rows along the last dimension
// of the indices. Where the indices have shape [..., n], the result has their shape without n, followed by the
// dimensions of the input from n on, and the type of the input. Indices are int32, uint32 or int64; n is at most the
// rank of the input. An index counts from the end if it is negative; one that is out of range when the graph runs is
// clamped.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gathernd.
func (g *GraphBuilder) GatherND(input, indices *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("gatherND", options, input, indices)
}

// Pad puts elements around the input: for each dimension, so many before it and so many after it. Both lists have an
// item for each dimension; with [PadReflection] it is less than the extent. The result has the type of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-pad.
func (g *GraphBuilder) Pad(input *Operand, beginningPadding, endingPadding []int, options *PadOptions) (*Operand, error) {
	return g.single("pad", options, input, beginningPadding, endingPadding)
}

// Reshape gives the same elements in the same order another shape, of as many elements. The result has the type of
// the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-reshape-method.
func (g *GraphBuilder) Reshape(input *Operand, newShape []int, options *OperatorOptions) (*Operand, error) {
	return g.single("reshape", options, input, newShape)
}

// Reverse turns the elements around along Axes. The result has the type and shape of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-reverse-method.
func (g *GraphBuilder) Reverse(input *Operand, options *ReverseOptions) (*Operand, error) {
	return g.single("reverse", options, input)
}

// ScatterElements copies the input and replaces an element for each index: out[indices[i, j, k], j, k] = updates[i,
// j, k] for Axis 0, and so on. Indices and updates have the shape of the input but for Axis; the updates have the
// type of the input, the indices are int32, uint32 or int64. An index counts from the end if it is negative; one
// that is out of range when the graph runs is clamped. Where several updates meet, the last one in the order of the
// elements stays. The result has the type and shape of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-scatterelements.
func (g *GraphBuilder) ScatterElements(input, indices, updates *Operand, options *ScatterOptions) (*Operand, error) {
	return g.single("scatterElements", options, input, indices, updates)
}

// ScatterND copies the input and replaces elements or slices by their coordinates, which are the rows along the last
// dimension of the indices. Where the indices have shape [..., n], the updates have their shape without n, followed
// by the dimensions of the input from n on, and the type of the input. Indices are int32, uint32 or int64; n is at
// most the rank of the input. An index counts from the end if it is negative; one that is out of range when the
// graph runs is clamped. Where several updates meet, the last one in the order of the elements stays. The result has
// the type and shape of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-scatternd.
func (g *GraphBuilder) ScatterND(input, indices, updates *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("scatterND", options, input, indices, updates)
}

// Slice takes from each dimension the window of sizes[i] ≥ 1 elements that begins at starts[i] and lies within the
// input, and of it every Strides[i]-th element: ⌈sizes[i] / Strides[i]⌉ of them. The lists have an item for each
// dimension. The result has the type of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-slice.
func (g *GraphBuilder) Slice(input *Operand, starts, sizes []int, options *SliceOptions) (*Operand, error) {
	return g.single("slice", options, input, starts, sizes)
}

// Split divides the input along Axis into so many equal parts. It is split(input, splits) of the standard with a
// number; [GraphBuilder.SplitSizes] has the form with a list. The number is at least 1 and divides the extent.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-split.
func (g *GraphBuilder) Split(input *Operand, splits int, options *SplitOptions) ([]*Operand, error) {
	return g.several("split", options, input, splits)
}

// SplitSizes divides the input along Axis into parts of the given extents. It is split(input, splits) of the
// standard with a list; [GraphBuilder.Split] has the form with a number. The extents are at least 1 and sum up to
// that of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-split.
func (g *GraphBuilder) SplitSizes(input *Operand, splits []int, options *SplitOptions) ([]*Operand, error) {
	return g.several("split", options, input, splits)
}

// Tile repeats the input along each dimension, so many times as the item of repetitions says, at least 1. The result
// has the type of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-tile.
func (g *GraphBuilder) Tile(input *Operand, repetitions []int, options *OperatorOptions) (*Operand, error) {
	return g.single("tile", options, input, repetitions)
}

// Transpose reorders the dimensions: dimension i of the result is dimension Permutation[i] of the input. The result
// has the type of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-transpose.
func (g *GraphBuilder) Transpose(input *Operand, options *TransposeOptions) (*Operand, error) {
	return g.single("transpose", options, input)
}

// Triangular keeps the upper or lower triangle of the matrices in the last two dimensions and sets the rest to 0.
// The part that is kept includes Diagonal. The result has the type and shape of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-triangular.
func (g *GraphBuilder) Triangular(input *Operand, options *TriangularOptions) (*Operand, error) {
	return g.single("triangular", options, input)
}
