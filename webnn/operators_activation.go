package webnn

// Activation functions.

// Clamp limits each element to the range from MinValue to MaxValue. The result has the type and shape of the input.
// A MinValue above MaxValue, as numbers of the type of the input, is an error.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-clamp.
func (g *GraphBuilder) Clamp(input *Operand, options *ClampOptions) (*Operand, error) {
	return g.single("clamp", options, input)
}

// Elu computes x for x > 0 and Alpha · (eˣ - 1) else, for each element x. The result has the type and shape of the
// input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-elu.
func (g *GraphBuilder) Elu(input *Operand, options *EluOptions) (*Operand, error) {
	return g.single("elu", options, input)
}

// Gelu computes x · (1 + erf(x / √2)) / 2 for each element x. The result has the type and shape of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gelu-method.
func (g *GraphBuilder) Gelu(input *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("gelu", options, input)
}

// HardSigmoid computes max(0, min(1, Alpha · x + Beta)) for each element x. The result has the type and shape of the
// input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-hard-sigmoid.
func (g *GraphBuilder) HardSigmoid(input *Operand, options *HardSigmoidOptions) (*Operand, error) {
	return g.single("hardSigmoid", options, input)
}

// HardSwish computes x · max(0, min(6, x + 3)) / 6 for each element x. The result has the type and shape of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-hard-swish.
func (g *GraphBuilder) HardSwish(input *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("hardSwish", options, input)
}

// LeakyRelu computes x for x ≥ 0 and Alpha · x else, for each element x. The result has the type and shape of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-leakyrelu.
func (g *GraphBuilder) LeakyRelu(input *Operand, options *LeakyReluOptions) (*Operand, error) {
	return g.single("leakyRelu", options, input)
}

// Linear computes Alpha · x + Beta for each element x. The result has the type and shape of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-linear.
func (g *GraphBuilder) Linear(input *Operand, options *LinearOptions) (*Operand, error) {
	return g.single("linear", options, input)
}

// Prelu computes x for x ≥ 0 and slope · x else, for each element x. Both operands have the same type, which the result
// has, too; the shapes broadcast, the input's as well.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-prelu.
func (g *GraphBuilder) Prelu(input, slope *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("prelu", options, input, slope)
}

// Relu computes max(0, x) for each element x. The result has the type and shape of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-relu-method.
func (g *GraphBuilder) Relu(input *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("relu", options, input)
}

// Sigmoid computes 1 / (1 + e⁻ˣ) for each element x. The result has the type and shape of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-sigmoid-method.
func (g *GraphBuilder) Sigmoid(input *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("sigmoid", options, input)
}

// Softmax computes e^(x - m) / Σ e^(x - m), where the sum and the greatest value m are taken along the axis, from 0 to
// the rank - 1. The result has the type and shape of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-softmax-method.
func (g *GraphBuilder) Softmax(input *Operand, axis int, options *OperatorOptions) (*Operand, error) {
	return g.single("softmax", options, input, axis)
}

// Softplus computes ln(1 + eˣ) for each element x. The result has the type and shape of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-softplus-method.
func (g *GraphBuilder) Softplus(input *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("softplus", options, input)
}

// Softsign computes x / (1 + |x|) for each element x. The result has the type and shape of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-softsign-method.
func (g *GraphBuilder) Softsign(input *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("softsign", options, input)
}

// Tanh computes the hyperbolic tangent of each element. The result has the type and shape of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-tanh-method.
func (g *GraphBuilder) Tanh(input *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("tanh", options, input)
}
