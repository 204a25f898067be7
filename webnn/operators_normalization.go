package webnn

// Normalisation.

// BatchNormalization computes Scale · (x - mean) / √(variance + Epsilon) + Bias. Mean and variance have shape [n], where
// n is the extent of the input along Axis, and the type of the input. The result has the type and shape of the
// input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-batchnorm.
func (g *GraphBuilder) BatchNormalization(input, mean, variance *Operand, options *BatchNormalizationOptions) (*Operand, error) {
	return g.single("batchNormalization", options, input, mean, variance)
}

// InstanceNormalization computes Scale · (x - mean) / √(variance + Epsilon) + Bias, where mean and variance are those of
// each channel of each item of the batch. The input is 4-D with the dimensions in the order Layout. The result has
// the type and shape of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-instancenorm.
func (g *GraphBuilder) InstanceNormalization(input *Operand, options *InstanceNormalizationOptions) (*Operand, error) {
	return g.single("instanceNormalization", options, input)
}

// LayerNormalization computes Scale · (x - mean) / √(variance + Epsilon) + Bias, where mean and variance are taken over
// Axes. The result has the type and shape of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-layernorm.
func (g *GraphBuilder) LayerNormalization(input *Operand, options *LayerNormalizationOptions) (*Operand, error) {
	return g.single("layerNormalization", options, input)
}
