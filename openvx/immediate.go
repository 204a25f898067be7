package openvx

// Layers and tensor operations that are performed at once, on tensors that are not virtual (the functions vxu… of the standard): each is
// a graph of one node. Their arguments are those of the nodes in nodes.go, and their errors those of [Graph.Process].

// ConvolutionLayer performs [Graph.ConvolutionLayer] at once (vxuConvolutionLayer).
func (c *Context) ConvolutionLayer(in, weights, biases *Tensor, p ConvolutionParams, out *Tensor) error {
	return c.perform("ConvolutionLayer", KernelConvolutionLayer, in, weights, biases, p, out)
}

// DeconvolutionLayer performs [Graph.DeconvolutionLayer] at once (vxuDeconvolutionLayer).
func (c *Context) DeconvolutionLayer(in, weights, biases *Tensor, p DeconvolutionParams, out *Tensor) error {
	return c.perform("DeconvolutionLayer", KernelDeconvolutionLayer, in, weights, biases, p, out)
}

// FullyConnectedLayer performs [Graph.FullyConnectedLayer] at once (vxuFullyConnectedLayer).
func (c *Context) FullyConnectedLayer(in, weights, biases *Tensor, o ConvertPolicy, r RoundPolicy, out *Tensor) error {
	return c.perform("FullyConnectedLayer", KernelFullyConnectedLayer, in, weights, biases, Enum(o), Enum(r), out)
}

// PoolingLayer performs [Graph.PoolingLayer] at once (vxuPoolingLayer).
func (c *Context) PoolingLayer(in *Tensor, p Pooling, sizeX, sizeY, padX, padY int, r SizeRounding, out *Tensor) error {
	return c.perform("PoolingLayer", KernelPoolingLayer, in, Enum(p), sizeX, sizeY, padX, padY, Enum(r), out)
}

// SoftmaxLayer performs [Graph.SoftmaxLayer] at once (vxuSoftmaxLayer).
func (c *Context) SoftmaxLayer(in, out *Tensor) error {
	return c.perform("SoftmaxLayer", KernelSoftmaxLayer, in, out)
}

// NormalizationLayer performs [Graph.NormalizationLayer] at once (vxuNormalizationLayer).
func (c *Context) NormalizationLayer(in *Tensor, n Normalization, size int, alpha, beta float32, out *Tensor) error {
	return c.perform("NormalizationLayer", KernelNormalizationLayer, in, Enum(n), size, alpha, beta, out)
}

// LocalResponseNormalizationLayer performs [Graph.LocalResponseNormalizationLayer] at once (vxuLocalResponseNormalizationLayer).
func (c *Context) LocalResponseNormalizationLayer(in *Tensor, n Normalization, size int, alpha, beta, bias float32, out *Tensor) error {
	return c.perform("LocalResponseNormalizationLayer", KernelLocalResponseNormalizationLayer, in, Enum(n), size, alpha, beta, bias, out)
}

// ActivationLayer performs [Graph.ActivationLayer] at once (vxuActivationLayer).
func (c *Context) ActivationLayer(in *Tensor, f Activation, a, b float32, out *Tensor) error {
	return c.perform("ActivationLayer", KernelActivationLayer, in, Enum(f), a, b, out)
}

// ROIPoolingLayer performs [Graph.ROIPoolingLayer] at once (vxuROIPoolingLayer).
func (c *Context) ROIPoolingLayer(data, rois *Tensor, p ROIPoolParams, out *Tensor) error {
	return c.perform("ROIPoolingLayer", KernelROIPoolingLayer, data, rois, p, out)
}

// TensorMultiplyNode performs [Graph.TensorMultiplyNode] at once (vxuTensorMultiply).
func (c *Context) TensorMultiplyNode(a, b *Tensor, scale *Scalar, o ConvertPolicy, r RoundPolicy, out *Tensor) error {
	return c.perform("TensorMultiplyNode", KernelTensorMultiply, a, b, scale, Enum(o), Enum(r), out)
}

// TensorAddNode performs [Graph.TensorAddNode] at once (vxuTensorAdd).
func (c *Context) TensorAddNode(a, b *Tensor, o ConvertPolicy, out *Tensor) error {
	return c.perform("TensorAddNode", KernelTensorAdd, a, b, Enum(o), out)
}

// TensorSubtractNode performs [Graph.TensorSubtractNode] at once (vxuTensorSubtract).
func (c *Context) TensorSubtractNode(a, b *Tensor, o ConvertPolicy, out *Tensor) error {
	return c.perform("TensorSubtractNode", KernelTensorSubtract, a, b, Enum(o), out)
}

// TensorTableLookupNode performs [Graph.TensorTableLookupNode] at once (vxuTensorTableLookup).
func (c *Context) TensorTableLookupNode(in *Tensor, lut *LUT, out *Tensor) error {
	return c.perform("TensorTableLookupNode", KernelTensorTableLookup, in, lut, out)
}

// TensorTransposeNode performs [Graph.TensorTransposeNode] at once (vxuTensorTranspose).
func (c *Context) TensorTransposeNode(in, out *Tensor, d1, d2 int) error {
	return c.perform("TensorTransposeNode", KernelTensorTranspose, in, d1, d2, out)
}

// TensorConvertDepthNode performs [Graph.TensorConvertDepthNode] at once (vxuTensorConvertDepth).
func (c *Context) TensorConvertDepthNode(in *Tensor, o ConvertPolicy, norm, offset *Scalar, out *Tensor) error {
	return c.perform("TensorConvertDepthNode", KernelTensorConvertDepth, in, Enum(o), norm, offset, out)
}

// TensorMatrixMultiplyNode performs [Graph.TensorMatrixMultiplyNode] at once (vxuTensorMatrixMultiply).
func (c *Context) TensorMatrixMultiplyNode(a, b, added *Tensor, p MatrixMultiplyParams, out *Tensor) error {
	return c.perform("TensorMatrixMultiplyNode", KernelTensorMatrixMultiply, a, b, added, p, out)
}

// perform runs a graph of one node.
func (c *Context) perform(name string, id KernelID, params ...any) error {
	return c.do(c, "Context."+name, func() error {
		g := c.newGraph()
		g.intern()
		defer g.drop()
		n, err := g.addNode(id, params)
		if err != nil {
			return err
		}
		n.intern()
		defer n.drop()
		return g.process()
	})
}
