package webnn

// Convolution, pooling and resampling: a window over height and width.

// Conv2d convolves a 4-D input with a 4-D filter, whose dimensions are in the orders InputLayout and FilterLayout.
//
// The filter has shape [output channels, input channels / Groups, height, width] in the order [FilterOIHW]. Along
// height and width the result has the extent
//
//	1 + ⌊(input - (filter - 1)·dilation - 1 + padding before + padding after) / stride⌋
//
// It is an error if that is less than 1, if the channels do not match, or if Groups does not divide them.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-conv2d.
func (g *GraphBuilder) Conv2d(input, filter *Operand, options *Conv2dOptions) (*Operand, error) {
	return g.single("conv2d", options, input, filter)
}

// ConvTranspose2d is the transposed convolution of a 4-D input with a 4-D filter, whose dimensions are in the orders
// InputLayout and FilterLayout.
//
// The filter has shape [input channels, output channels / Groups, height, width] in the order [TransposeFilterIOHW].
// Along height and width the result has the extent
//
//	(input - 1)·stride + (filter - 1)·dilation + 1 - padding before - padding after + OutputPadding
//
// or that of OutputSizes, which may exceed the extent without OutputPadding by less than the stride.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-convtranspose2d.
func (g *GraphBuilder) ConvTranspose2d(input, filter *Operand, options *ConvTranspose2dOptions) (*Operand, error) {
	return g.single("convTranspose2d", options, input, filter)
}

// AveragePool2d computes the mean of the elements in a window that moves over a 4-D input; padding is not counted.
//
// The result has the type of the input and, along height and width, the extent
//
//	1 + (input - (window - 1)·dilation - 1 + padding before + padding after) / stride
//
// rounded as OutputShapeRounding says, or that of OutputSizes.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-pool2d.
func (g *GraphBuilder) AveragePool2d(input *Operand, options *Pool2dOptions) (*Operand, error) {
	return g.single("averagePool2d", options, input)
}

// L2Pool2d computes the Euclidean norm √(Σ x²) of the elements in a window that moves over a 4-D input.
//
// The result has the type of the input and, along height and width, the extent
//
//	1 + (input - (window - 1)·dilation - 1 + padding before + padding after) / stride
//
// rounded as OutputShapeRounding says, or that of OutputSizes.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-pool2d.
func (g *GraphBuilder) L2Pool2d(input *Operand, options *Pool2dOptions) (*Operand, error) {
	return g.single("l2Pool2d", options, input)
}

// MaxPool2d computes the greatest of the elements in a window that moves over a 4-D input.
//
// The result has the type of the input and, along height and width, the extent
//
//	1 + (input - (window - 1)·dilation - 1 + padding before + padding after) / stride
//
// rounded as OutputShapeRounding says, or that of OutputSizes.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-pool2d.
func (g *GraphBuilder) MaxPool2d(input *Operand, options *Pool2dOptions) (*Operand, error) {
	return g.single("maxPool2d", options, input)
}

// Resample2d resizes two dimensions, Axes, of a 4-D input to Sizes, or by the factors Scales. An element of the
// result at the coordinate i lies in the input at (i + 0.5) / scale - 0.5, limited to the input. The result has the
// type of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-resample2d-method.
func (g *GraphBuilder) Resample2d(input *Operand, options *Resample2dOptions) (*Operand, error) {
	return g.single("resample2d", options, input)
}
