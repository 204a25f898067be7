package webnn

// Products of matrices.

// Matmul multiplies matrices: the last two dimensions of a, [n, k], with those of b, [k, m], into [n, m]. The
// dimensions before them broadcast. Both operands have rank 2 or more and the same float type, which the result has,
// too.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-matmul.
func (g *GraphBuilder) Matmul(a, b *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("matmul", options, a, b)
}

// Gemm computes Alpha · a · b + Beta · C for matrices a, [n, k], and b, [k, m], each transposed first if the options say
// so. The result has shape [n, m]. All operands have the same float type, which the result has, too.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gemm.
func (g *GraphBuilder) Gemm(a, b *Operand, options *GemmOptions) (*Operand, error) {
	return g.single("gemm", options, a, b)
}
