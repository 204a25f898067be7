package webnn

// Reductions, indices of extremes, and running sums.

// ReduceL1 computes the sum of magnitudes Σ |x| over Axes. Reduced dimensions are removed, or kept with extent 1 if
// KeepDimensions is set. The result has the type of the input. Axes that repeat or are not dimensions of the input
// are an error.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-reduce.
func (g *GraphBuilder) ReduceL1(input *Operand, options *ReduceOptions) (*Operand, error) {
	return g.single("reduceL1", options, input)
}

// ReduceL2 computes the Euclidean norm √(Σ x²) over Axes. Reduced dimensions are removed, or kept with extent 1 if
// KeepDimensions is set. The result has the type of the input. Axes that repeat or are not dimensions of the input
// are an error.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-reduce.
func (g *GraphBuilder) ReduceL2(input *Operand, options *ReduceOptions) (*Operand, error) {
	return g.single("reduceL2", options, input)
}

// ReduceLogSum computes ln(Σ x) over Axes. Reduced dimensions are removed, or kept with extent 1 if KeepDimensions is
// set. The result has the type of the input. Axes that repeat or are not dimensions of the input are an error.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-reduce.
func (g *GraphBuilder) ReduceLogSum(input *Operand, options *ReduceOptions) (*Operand, error) {
	return g.single("reduceLogSum", options, input)
}

// ReduceLogSumExp computes ln(Σ eˣ) over Axes. Reduced dimensions are removed, or kept with extent 1 if KeepDimensions
// is set. The result has the type of the input. Axes that repeat or are not dimensions of the input are an error.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-reduce.
func (g *GraphBuilder) ReduceLogSumExp(input *Operand, options *ReduceOptions) (*Operand, error) {
	return g.single("reduceLogSumExp", options, input)
}

// ReduceMax computes the greatest element over Axes. Reduced dimensions are removed, or kept with extent 1 if
// KeepDimensions is set. The result has the type of the input. Axes that repeat or are not dimensions of the input
// are an error.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-reduce.
func (g *GraphBuilder) ReduceMax(input *Operand, options *ReduceOptions) (*Operand, error) {
	return g.single("reduceMax", options, input)
}

// ReduceMean computes the mean over Axes. Reduced dimensions are removed, or kept with extent 1 if KeepDimensions is
// set. The result has the type of the input. Axes that repeat or are not dimensions of the input are an error.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-reduce.
func (g *GraphBuilder) ReduceMean(input *Operand, options *ReduceOptions) (*Operand, error) {
	return g.single("reduceMean", options, input)
}

// ReduceMin computes the least element over Axes. Reduced dimensions are removed, or kept with extent 1 if
// KeepDimensions is set. The result has the type of the input. Axes that repeat or are not dimensions of the input
// are an error.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-reduce.
func (g *GraphBuilder) ReduceMin(input *Operand, options *ReduceOptions) (*Operand, error) {
	return g.single("reduceMin", options, input)
}

// ReduceProduct computes the product over Axes. Reduced dimensions are removed, or kept with extent 1 if KeepDimensions
// is set. The result has the type of the input. Axes that repeat or are not dimensions of the input are an error.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-reduce.
func (g *GraphBuilder) ReduceProduct(input *Operand, options *ReduceOptions) (*Operand, error) {
	return g.single("reduceProduct", options, input)
}

// ReduceSum computes the sum over Axes. Reduced dimensions are removed, or kept with extent 1 if KeepDimensions is set.
// The result has the type of the input. Axes that repeat or are not dimensions of the input are an error.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-reduce.
func (g *GraphBuilder) ReduceSum(input *Operand, options *ReduceOptions) (*Operand, error) {
	return g.single("reduceSum", options, input)
}

// ReduceSumSquare computes the sum of squares Σ x² over Axes. Reduced dimensions are removed, or kept with extent 1 if
// KeepDimensions is set. The result has the type of the input. Axes that repeat or are not dimensions of the input
// are an error.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-reduce.
func (g *GraphBuilder) ReduceSumSquare(input *Operand, options *ReduceOptions) (*Operand, error) {
	return g.single("reduceSumSquare", options, input)
}

// ArgMin computes the index of the least element along the axis, from 0 to the rank - 1; the lowest one if several are
// equal. The dimension is removed, or kept with extent 1 if KeepDimensions is set. The result has the type
// OutputDataType, in which every index of the dimension must fit.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-argminmax.
func (g *GraphBuilder) ArgMin(input *Operand, axis int, options *ArgMinMaxOptions) (*Operand, error) {
	return g.single("argMin", options, input, axis)
}

// ArgMax computes the index of the greatest element along the axis, from 0 to the rank - 1; the lowest one if several
// are equal. The dimension is removed, or kept with extent 1 if KeepDimensions is set. The result has the type
// OutputDataType, in which every index of the dimension must fit.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-argminmax.
func (g *GraphBuilder) ArgMax(input *Operand, axis int, options *ArgMinMaxOptions) (*Operand, error) {
	return g.single("argMax", options, input, axis)
}

// CumulativeSum computes the sums of each element and all before it along the axis, from 0 to the rank - 1. The result
// has the type and shape of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-cumulativesum.
func (g *GraphBuilder) CumulativeSum(input *Operand, axis int, options *CumulativeSumOptions) (*Operand, error) {
	return g.single("cumulativeSum", options, input, axis)
}
