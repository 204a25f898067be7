package webnn

// Quantised numbers.

// DequantizeLinear computes (x - zero point) · scale, element by element. The zero point has the type of the input, the
// result that of the scale. Scale and zero point have the same shape, whose extents divide those of
// the input at the end: each element holds for a block of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-dequantizelinear.
func (g *GraphBuilder) DequantizeLinear(input, scale, zeroPoint *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("dequantizeLinear", options, input, scale, zeroPoint)
}

// QuantizeLinear computes round(x / scale) + zero point, element by element; halves go to the even number, and the
// result is limited to the range of its type, which is that of the zero point. The scale has the type of the input.
// Scale and zero point have the same shape, whose extents divide those of the input at the end: each element holds for a
// block of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-quantizelinear.
func (g *GraphBuilder) QuantizeLinear(input, scale, zeroPoint *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("quantizeLinear", options, input, scale, zeroPoint)
}
