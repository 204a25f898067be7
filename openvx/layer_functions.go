// Code generated from the headers of the C library by cmd/libopenvx/generate; DO NOT EDIT.

package openvx

import "reflect"

// MatrixMultiplyParams are the parameters of a product of matrices: which of them are transposed (vx_tensor_matrix_multiply_params_t).
type MatrixMultiplyParams struct {
	TransposeA bool `vx:"transpose_input1"`
	TransposeB bool `vx:"transpose_input2"`
	TransposeC bool `vx:"transpose_input3"`
}

// ConvolutionParams are the parameters of a convolution (vx_nn_convolution_params_t).
type ConvolutionParams struct {
	PaddingX       int           `vx:"padding_x"` // elements added at each side of the inputs
	PaddingY       int           `vx:"padding_y"`
	OverflowPolicy ConvertPolicy `vx:"overflow_policy"`
	RoundingPolicy RoundPolicy   `vx:"rounding_policy"`
	DownScaleSize  SizeRounding  `vx:"down_scale_size_rounding"`
	DilationX      int           `vx:"dilation_x"` // number of zeros inserted between the weights
	DilationY      int           `vx:"dilation_y"`
}

// DeconvolutionParams are the parameters of a deconvolution (vx_nn_deconvolution_params_t).
type DeconvolutionParams struct {
	PaddingX       int           `vx:"padding_x"` // elements taken away at each side of the outputs
	PaddingY       int           `vx:"padding_y"`
	OverflowPolicy ConvertPolicy `vx:"overflow_policy"`
	RoundingPolicy RoundPolicy   `vx:"rounding_policy"`
	AX             int           `vx:"a_x"` // elements added at the end, fewer than the factor of upscaling
	AY             int           `vx:"a_y"`
}

// ROIPoolParams are the parameters of a pooling of regions (vx_nn_roi_pool_params_t).
type ROIPoolParams struct {
	PoolType Pooling `vx:"pool_type"` // VX_NN_POOLING_MAX
}

// structTypes are the structures of the standard that scalars hold.
var structTypes = map[Type]structType{
	TypeTensorMatrixMultiplyParams: {12, reflect.TypeFor[MatrixMultiplyParams]()},
	TypeRectangle:                  {16, nil},
	TypeKeypoint:                   {28, nil},
	TypeCoordinates2d:              {8, nil},
	TypeCoordinates2df:             {8, nil},
	TypeCoordinates3d:              {12, nil},
	TypeLine2d:                     {16, nil},
	TypeHoughLinesParams:           {28, nil},
	TypeHogParams:                  {40, nil},
	TypeNNConvolutionParams:        {48, reflect.TypeFor[ConvolutionParams]()},
	TypeNNDeconvolutionParams:      {40, reflect.TypeFor[DeconvolutionParams]()},
	TypeNNROIPoolParams:            {4, reflect.TypeFor[ROIPoolParams]()},
}

// layerParams are the parameters of the built-in kernels, the result last.
var layerParams = map[KernelID][]param{
	KernelTensorMultiply: {
		{name: "input1", dir: Input, kind: TypeTensor, state: ParameterStateRequired},
		{name: "input2", dir: Input, kind: TypeTensor, state: ParameterStateRequired},
		{name: "scale", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeFloat32},
		{name: "overflow_policy", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeEnum, as: reflect.TypeFor[ConvertPolicy]()},
		{name: "rounding_policy", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeEnum, as: reflect.TypeFor[RoundPolicy]()},
		{name: "output", dir: Output, kind: TypeTensor, state: ParameterStateRequired},
	},
	KernelTensorAdd: {
		{name: "input1", dir: Input, kind: TypeTensor, state: ParameterStateRequired},
		{name: "input2", dir: Input, kind: TypeTensor, state: ParameterStateRequired},
		{name: "policy", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeEnum, as: reflect.TypeFor[ConvertPolicy]()},
		{name: "output", dir: Output, kind: TypeTensor, state: ParameterStateRequired},
	},
	KernelTensorSubtract: {
		{name: "input1", dir: Input, kind: TypeTensor, state: ParameterStateRequired},
		{name: "input2", dir: Input, kind: TypeTensor, state: ParameterStateRequired},
		{name: "policy", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeEnum, as: reflect.TypeFor[ConvertPolicy]()},
		{name: "output", dir: Output, kind: TypeTensor, state: ParameterStateRequired},
	},
	KernelTensorTableLookup: {
		{name: "input1", dir: Input, kind: TypeTensor, state: ParameterStateRequired},
		{name: "lut", dir: Input, kind: TypeLUT, state: ParameterStateRequired},
		{name: "output", dir: Output, kind: TypeTensor, state: ParameterStateRequired},
	},
	KernelTensorTranspose: {
		{name: "input", dir: Input, kind: TypeTensor, state: ParameterStateRequired},
		{name: "dimension1", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeSize, as: reflect.TypeFor[int]()},
		{name: "dimension2", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeSize, as: reflect.TypeFor[int]()},
		{name: "output", dir: Output, kind: TypeTensor, state: ParameterStateRequired},
	},
	KernelTensorConvertDepth: {
		{name: "input", dir: Input, kind: TypeTensor, state: ParameterStateRequired},
		{name: "policy", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeEnum, as: reflect.TypeFor[ConvertPolicy]()},
		{name: "norm", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeFloat32},
		{name: "offset", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeFloat32},
		{name: "output", dir: Output, kind: TypeTensor, state: ParameterStateRequired},
	},
	KernelTensorMatrixMultiply: {
		{name: "input1", dir: Input, kind: TypeTensor, state: ParameterStateRequired},
		{name: "input2", dir: Input, kind: TypeTensor, state: ParameterStateRequired},
		{name: "input3", dir: Input, kind: TypeTensor, state: ParameterStateOptional},
		{name: "matrix_multiply_params", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeTensorMatrixMultiplyParams, as: reflect.TypeFor[MatrixMultiplyParams]()},
		{name: "output", dir: Output, kind: TypeTensor, state: ParameterStateRequired},
	},
	KernelConvolutionLayer: {
		{name: "inputs", dir: Input, kind: TypeTensor, state: ParameterStateRequired},
		{name: "weights", dir: Input, kind: TypeTensor, state: ParameterStateRequired, static: true},
		{name: "biases", dir: Input, kind: TypeTensor, state: ParameterStateOptional, static: true},
		{name: "convolution_params", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeNNConvolutionParams, as: reflect.TypeFor[ConvolutionParams]()},
		{name: "outputs", dir: Output, kind: TypeTensor, state: ParameterStateRequired},
	},
	KernelFullyConnectedLayer: {
		{name: "inputs", dir: Input, kind: TypeTensor, state: ParameterStateRequired},
		{name: "weights", dir: Input, kind: TypeTensor, state: ParameterStateRequired, static: true},
		{name: "biases", dir: Input, kind: TypeTensor, state: ParameterStateOptional, static: true},
		{name: "overflow_policy", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeEnum, as: reflect.TypeFor[ConvertPolicy]()},
		{name: "rounding_policy", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeEnum, as: reflect.TypeFor[RoundPolicy]()},
		{name: "outputs", dir: Output, kind: TypeTensor, state: ParameterStateRequired},
	},
	KernelPoolingLayer: {
		{name: "inputs", dir: Input, kind: TypeTensor, state: ParameterStateRequired},
		{name: "pooling_type", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeEnum, as: reflect.TypeFor[Pooling]()},
		{name: "pooling_size_x", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeSize, as: reflect.TypeFor[int]()},
		{name: "pooling_size_y", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeSize, as: reflect.TypeFor[int]()},
		{name: "pooling_padding_x", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeSize, as: reflect.TypeFor[int]()},
		{name: "pooling_padding_y", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeSize, as: reflect.TypeFor[int]()},
		{name: "rounding", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeEnum, as: reflect.TypeFor[SizeRounding]()},
		{name: "outputs", dir: Output, kind: TypeTensor, state: ParameterStateRequired},
	},
	KernelSoftmaxLayer: {
		{name: "inputs", dir: Input, kind: TypeTensor, state: ParameterStateRequired},
		{name: "outputs", dir: Output, kind: TypeTensor, state: ParameterStateRequired},
	},
	KernelLocalResponseNormalizationLayer: {
		{name: "inputs", dir: Input, kind: TypeTensor, state: ParameterStateRequired},
		{name: "type", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeEnum, as: reflect.TypeFor[Normalization]()},
		{name: "normalization_size", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeSize, as: reflect.TypeFor[int]()},
		{name: "alpha", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeFloat32, as: reflect.TypeFor[float32]()},
		{name: "beta", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeFloat32, as: reflect.TypeFor[float32]()},
		{name: "bias", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeFloat32, as: reflect.TypeFor[float32]()},
		{name: "outputs", dir: Output, kind: TypeTensor, state: ParameterStateRequired},
	},
	KernelActivationLayer: {
		{name: "inputs", dir: Input, kind: TypeTensor, state: ParameterStateRequired},
		{name: "function", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeEnum, as: reflect.TypeFor[Activation]()},
		{name: "a", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeFloat32, as: reflect.TypeFor[float32]()},
		{name: "b", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeFloat32, as: reflect.TypeFor[float32]()},
		{name: "outputs", dir: Output, kind: TypeTensor, state: ParameterStateRequired},
	},
	KernelROIPoolingLayer: {
		{name: "input_data", dir: Input, kind: TypeTensor, state: ParameterStateRequired},
		{name: "input_rois", dir: Input, kind: TypeTensor, state: ParameterStateRequired},
		{name: "roi_pool_params", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeNNROIPoolParams, as: reflect.TypeFor[ROIPoolParams]()},
		{name: "output_arr", dir: Output, kind: TypeTensor, state: ParameterStateRequired},
	},
	KernelDeconvolutionLayer: {
		{name: "inputs", dir: Input, kind: TypeTensor, state: ParameterStateRequired},
		{name: "weights", dir: Input, kind: TypeTensor, state: ParameterStateRequired, static: true},
		{name: "biases", dir: Input, kind: TypeTensor, state: ParameterStateOptional, static: true},
		{name: "deconvolution_params", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeNNDeconvolutionParams, as: reflect.TypeFor[DeconvolutionParams]()},
		{name: "outputs", dir: Output, kind: TypeTensor, state: ParameterStateRequired},
	},
	KernelNormalizationLayer: {
		{name: "inputs", dir: Input, kind: TypeTensor, state: ParameterStateRequired},
		{name: "type", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeEnum, as: reflect.TypeFor[Normalization]()},
		{name: "normalization_size", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeSize, as: reflect.TypeFor[int]()},
		{name: "alpha", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeFloat32, as: reflect.TypeFor[float32]()},
		{name: "beta", dir: Input, kind: TypeScalar, state: ParameterStateRequired, value: TypeFloat32, as: reflect.TypeFor[float32]()},
		{name: "outputs", dir: Output, kind: TypeTensor, state: ParameterStateRequired},
	},
	KernelColorConvert: {
		{name: "input", dir: Input, kind: TypeImage, state: ParameterStateRequired},
		{name: "output", dir: Output, kind: TypeImage, state: ParameterStateRequired},
	},
}

// TensorMultiplyNode adds the product of elements and a scale, a VX_TYPE_FLOAT32 that is not negative (vxTensorMultiplyNode).
func (g *Graph) TensorMultiplyNode(input1, input2 *Tensor, scale *Scalar, overflowPolicy ConvertPolicy, roundingPolicy RoundPolicy, output *Tensor) (*Node, error) {
	return g.add("TensorMultiplyNode", KernelTensorMultiply, input1, input2, scale, Enum(overflowPolicy), Enum(roundingPolicy), output)
}

// TensorMultiplyNode performs [Graph.TensorMultiplyNode] at once (vxuTensorMultiply).
func (c *Context) TensorMultiplyNode(input1, input2 *Tensor, scale *Scalar, overflowPolicy ConvertPolicy, roundingPolicy RoundPolicy, output *Tensor) error {
	return c.perform("TensorMultiplyNode", KernelTensorMultiply, input1, input2, scale, Enum(overflowPolicy), Enum(roundingPolicy), output)
}

// TensorAddNode adds the sum of elements; an extent of 1 is repeated (vxTensorAddNode).
func (g *Graph) TensorAddNode(input1, input2 *Tensor, policy ConvertPolicy, output *Tensor) (*Node, error) {
	return g.add("TensorAddNode", KernelTensorAdd, input1, input2, Enum(policy), output)
}

// TensorAddNode performs [Graph.TensorAddNode] at once (vxuTensorAdd).
func (c *Context) TensorAddNode(input1, input2 *Tensor, policy ConvertPolicy, output *Tensor) error {
	return c.perform("TensorAddNode", KernelTensorAdd, input1, input2, Enum(policy), output)
}

// TensorSubtractNode adds the difference of elements; an extent of 1 is repeated (vxTensorSubtractNode).
func (g *Graph) TensorSubtractNode(input1, input2 *Tensor, policy ConvertPolicy, output *Tensor) (*Node, error) {
	return g.add("TensorSubtractNode", KernelTensorSubtract, input1, input2, Enum(policy), output)
}

// TensorSubtractNode performs [Graph.TensorSubtractNode] at once (vxuTensorSubtract).
func (c *Context) TensorSubtractNode(input1, input2 *Tensor, policy ConvertPolicy, output *Tensor) error {
	return c.perform("TensorSubtractNode", KernelTensorSubtract, input1, input2, Enum(policy), output)
}

// TensorTableLookupNode adds the replacement of each element by the entry of a look-up table that it is the index of
// (vxTensorTableLookupNode).
func (g *Graph) TensorTableLookupNode(input1 *Tensor, lut *LUT, output *Tensor) (*Node, error) {
	return g.add("TensorTableLookupNode", KernelTensorTableLookup, input1, lut, output)
}

// TensorTableLookupNode performs [Graph.TensorTableLookupNode] at once (vxuTensorTableLookup).
func (c *Context) TensorTableLookupNode(input1 *Tensor, lut *LUT, output *Tensor) error {
	return c.perform("TensorTableLookupNode", KernelTensorTableLookup, input1, lut, output)
}

// TensorTransposeNode adds the exchange of two dimensions (vxTensorTransposeNode).
func (g *Graph) TensorTransposeNode(input, output *Tensor, dimension1, dimension2 int) (*Node, error) {
	return g.add("TensorTransposeNode", KernelTensorTranspose, input, dimension1, dimension2, output)
}

// TensorTransposeNode performs [Graph.TensorTransposeNode] at once (vxuTensorTranspose).
func (c *Context) TensorTransposeNode(input, output *Tensor, dimension1, dimension2 int) error {
	return c.perform("TensorTransposeNode", KernelTensorTranspose, input, dimension1, dimension2, output)
}

// TensorConvertDepthNode adds a conversion to the format of the output, (x - offset) / norm; both are VX_TYPE_FLOAT32
// (vxTensorConvertDepthNode).
func (g *Graph) TensorConvertDepthNode(input *Tensor, policy ConvertPolicy, norm, offset *Scalar, output *Tensor) (*Node, error) {
	return g.add("TensorConvertDepthNode", KernelTensorConvertDepth, input, Enum(policy), norm, offset, output)
}

// TensorConvertDepthNode performs [Graph.TensorConvertDepthNode] at once (vxuTensorConvertDepth).
func (c *Context) TensorConvertDepthNode(input *Tensor, policy ConvertPolicy, norm, offset *Scalar, output *Tensor) error {
	return c.perform("TensorConvertDepthNode", KernelTensorConvertDepth, input, Enum(policy), norm, offset, output)
}

// TensorMatrixMultiplyNode adds the product of two matrices, and a third, if it is not nil (vxTensorMatrixMultiplyNode).
func (g *Graph) TensorMatrixMultiplyNode(input1, input2, input3 *Tensor, matrixMultiplyParams MatrixMultiplyParams, output *Tensor) (*Node, error) {
	return g.add("TensorMatrixMultiplyNode", KernelTensorMatrixMultiply, input1, input2, input3, matrixMultiplyParams, output)
}

// TensorMatrixMultiplyNode performs [Graph.TensorMatrixMultiplyNode] at once (vxuTensorMatrixMultiply).
func (c *Context) TensorMatrixMultiplyNode(input1, input2, input3 *Tensor, matrixMultiplyParams MatrixMultiplyParams, output *Tensor) error {
	return c.perform("TensorMatrixMultiplyNode", KernelTensorMatrixMultiply, input1, input2, input3, matrixMultiplyParams, output)
}

// ConvolutionLayer adds a convolution: inputs [width, height, IFM, batch...], weights [width, height, IFM, OFM], biases nil, [OFM] or as
// large as an output without its batch (vxConvolutionLayer).
func (g *Graph) ConvolutionLayer(inputs, weights, biases *Tensor, convolutionParams ConvolutionParams, outputs *Tensor) (*Node, error) {
	return g.add("ConvolutionLayer", KernelConvolutionLayer, inputs, weights, biases, convolutionParams, outputs)
}

// ConvolutionLayer performs [Graph.ConvolutionLayer] at once.
func (c *Context) ConvolutionLayer(inputs, weights, biases *Tensor, convolutionParams ConvolutionParams, outputs *Tensor) error {
	return c.perform("ConvolutionLayer", KernelConvolutionLayer, inputs, weights, biases, convolutionParams, outputs)
}

// FullyConnectedLayer adds a matrix product: inputs [IFM, batch...] or [width, height, IFM, batch...], weights [IFM, OFM] or [width,
// height, IFM, OFM], biases nil or [OFM], outputs [OFM, batch...] (vxFullyConnectedLayer).
func (g *Graph) FullyConnectedLayer(inputs, weights, biases *Tensor, overflowPolicy ConvertPolicy, roundingPolicy RoundPolicy, outputs *Tensor) (*Node, error) {
	return g.add("FullyConnectedLayer", KernelFullyConnectedLayer, inputs, weights, biases, Enum(overflowPolicy), Enum(roundingPolicy), outputs)
}

// FullyConnectedLayer performs [Graph.FullyConnectedLayer] at once.
func (c *Context) FullyConnectedLayer(inputs, weights, biases *Tensor, overflowPolicy ConvertPolicy, roundingPolicy RoundPolicy, outputs *Tensor) error {
	return c.perform("FullyConnectedLayer", KernelFullyConnectedLayer, inputs, weights, biases, Enum(overflowPolicy), Enum(roundingPolicy), outputs)
}

// PoolingLayer adds the maximum or the average over windows, with padding at each side (vxPoolingLayer).
func (g *Graph) PoolingLayer(inputs *Tensor, poolingType Pooling, poolingSizeX, poolingSizeY, poolingPaddingX, poolingPaddingY int, rounding SizeRounding, outputs *Tensor) (*Node, error) {
	return g.add("PoolingLayer", KernelPoolingLayer, inputs, Enum(poolingType), poolingSizeX, poolingSizeY, poolingPaddingX, poolingPaddingY, Enum(rounding), outputs)
}

// PoolingLayer performs [Graph.PoolingLayer] at once.
func (c *Context) PoolingLayer(inputs *Tensor, poolingType Pooling, poolingSizeX, poolingSizeY, poolingPaddingX, poolingPaddingY int, rounding SizeRounding, outputs *Tensor) error {
	return c.perform("PoolingLayer", KernelPoolingLayer, inputs, Enum(poolingType), poolingSizeX, poolingSizeY, poolingPaddingX, poolingPaddingY, Enum(rounding), outputs)
}

// SoftmaxLayer adds a softmax over dimension 0 of one or two, or dimension 2 of three or four (vxSoftmaxLayer).
func (g *Graph) SoftmaxLayer(inputs, outputs *Tensor) (*Node, error) {
	return g.add("SoftmaxLayer", KernelSoftmaxLayer, inputs, outputs)
}

// SoftmaxLayer performs [Graph.SoftmaxLayer] at once.
func (c *Context) SoftmaxLayer(inputs, outputs *Tensor) error {
	return c.perform("SoftmaxLayer", KernelSoftmaxLayer, inputs, outputs)
}

// LocalResponseNormalizationLayer adds a normalization: x / (bias + alpha / n * sum of squares of n neighbours) ^ beta, which are
// normalization_size channels or a square of that side (vxLocalResponseNormalizationLayer).
func (g *Graph) LocalResponseNormalizationLayer(inputs *Tensor, kind Normalization, normalizationSize int, alpha, beta, bias float32, outputs *Tensor) (*Node, error) {
	return g.add("LocalResponseNormalizationLayer", KernelLocalResponseNormalizationLayer, inputs, Enum(kind), normalizationSize, alpha, beta, bias, outputs)
}

// LocalResponseNormalizationLayer performs [Graph.LocalResponseNormalizationLayer] at once.
func (c *Context) LocalResponseNormalizationLayer(inputs *Tensor, kind Normalization, normalizationSize int, alpha, beta, bias float32, outputs *Tensor) error {
	return c.perform("LocalResponseNormalizationLayer", KernelLocalResponseNormalizationLayer, inputs, Enum(kind), normalizationSize, alpha, beta, bias, outputs)
}

// ActivationLayer adds a function of each element, such as max(0, x), with the parameters a and b (vxActivationLayer).
func (g *Graph) ActivationLayer(inputs *Tensor, function Activation, a, b float32, outputs *Tensor) (*Node, error) {
	return g.add("ActivationLayer", KernelActivationLayer, inputs, Enum(function), a, b, outputs)
}

// ActivationLayer performs [Graph.ActivationLayer] at once.
func (c *Context) ActivationLayer(inputs *Tensor, function Activation, a, b float32, outputs *Tensor) error {
	return c.perform("ActivationLayer", KernelActivationLayer, inputs, Enum(function), a, b, outputs)
}

// ROIPoolingLayer adds the maxima over a grid laid on regions of interest: data [width, height, C, batch...], regions [4, R, batch...],
// each x0, y0, x1, y1, outputs [width, height, C, R, batch...] (vxROIPoolingLayer).
func (g *Graph) ROIPoolingLayer(inputData, inputRois *Tensor, rOIPoolParams ROIPoolParams, outputArr *Tensor) (*Node, error) {
	return g.add("ROIPoolingLayer", KernelROIPoolingLayer, inputData, inputRois, rOIPoolParams, outputArr)
}

// ROIPoolingLayer performs [Graph.ROIPoolingLayer] at once.
func (c *Context) ROIPoolingLayer(inputData, inputRois *Tensor, rOIPoolParams ROIPoolParams, outputArr *Tensor) error {
	return c.perform("ROIPoolingLayer", KernelROIPoolingLayer, inputData, inputRois, rOIPoolParams, outputArr)
}

// DeconvolutionLayer adds a deconvolution, the convolution of the inputs with zeros inserted between them; its operands are those of
// vxConvolutionLayer (vxDeconvolutionLayer).
func (g *Graph) DeconvolutionLayer(inputs, weights, biases *Tensor, deconvolutionParams DeconvolutionParams, outputs *Tensor) (*Node, error) {
	return g.add("DeconvolutionLayer", KernelDeconvolutionLayer, inputs, weights, biases, deconvolutionParams, outputs)
}

// DeconvolutionLayer performs [Graph.DeconvolutionLayer] at once.
func (c *Context) DeconvolutionLayer(inputs, weights, biases *Tensor, deconvolutionParams DeconvolutionParams, outputs *Tensor) error {
	return c.perform("DeconvolutionLayer", KernelDeconvolutionLayer, inputs, weights, biases, deconvolutionParams, outputs)
}

// NormalizationLayer adds a normalization as OpenVX 1.2 had it, with a bias of 1; see vxLocalResponseNormalizationLayer
// (vxNormalizationLayer).
func (g *Graph) NormalizationLayer(inputs *Tensor, kind Normalization, normalizationSize int, alpha, beta float32, outputs *Tensor) (*Node, error) {
	return g.add("NormalizationLayer", KernelNormalizationLayer, inputs, Enum(kind), normalizationSize, alpha, beta, outputs)
}

// NormalizationLayer performs [Graph.NormalizationLayer] at once.
func (c *Context) NormalizationLayer(inputs *Tensor, kind Normalization, normalizationSize int, alpha, beta float32, outputs *Tensor) error {
	return c.perform("NormalizationLayer", KernelNormalizationLayer, inputs, Enum(kind), normalizationSize, alpha, beta, outputs)
}
