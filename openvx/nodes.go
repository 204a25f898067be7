package openvx

// Nodes of the built-in kernels. Operands that are nil are left unset, to be set later by [Node.SetParameter] or not at all if they are
// optional; values other than tensors become scalars that the node holds. What operands must be is checked by [Graph.Verify]. Operands
// that the standard calls [static], those of which a comment here says "static", are best not written by nodes: they become constants of
// the compiled graph, which is compiled anew when the application has changed them.

// ConvolutionLayer adds a convolution (vxConvolutionLayer): in is [width, height, channels, batch…], weights, static, are [kernel width,
// kernel height, channels, filters], and biases, static and optional, [filters] or [width, height, filters] of the result.
func (g *Graph) ConvolutionLayer(in, weights, biases *Tensor, p ConvolutionParams, out *Tensor) (*Node, error) {
	return g.add("ConvolutionLayer", KernelConvolutionLayer, in, weights, biases, p, out)
}

// DeconvolutionLayer adds a deconvolution (vxDeconvolutionLayer). Its operands are those of [Graph.ConvolutionLayer].
func (g *Graph) DeconvolutionLayer(in, weights, biases *Tensor, p DeconvolutionParams, out *Tensor) (*Node, error) {
	return g.add("DeconvolutionLayer", KernelDeconvolutionLayer, in, weights, biases, p, out)
}

// FullyConnectedLayer adds a matrix product (vxFullyConnectedLayer): in is [inputs, batch…] or [width, height, channels, batch…], weights,
// static, are [inputs, outputs] or [width, height, channels, outputs], and biases, static and optional, [outputs].
func (g *Graph) FullyConnectedLayer(in, weights, biases *Tensor, o ConvertPolicy, r RoundPolicy, out *Tensor) (*Node, error) {
	return g.add("FullyConnectedLayer", KernelFullyConnectedLayer, in, weights, biases, Enum(o), Enum(r), out)
}

// PoolingLayer adds the maximum or average over windows of sizeX by sizeY elements, with padX and padY elements of padding at each side
// (vxPoolingLayer).
func (g *Graph) PoolingLayer(in *Tensor, p Pooling, sizeX, sizeY, padX, padY int, r SizeRounding, out *Tensor) (*Node, error) {
	return g.add("PoolingLayer", KernelPoolingLayer, in, Enum(p), sizeX, sizeY, padX, padY, Enum(r), out)
}

// SoftmaxLayer adds a softmax over dimension 0 of one or two dimensions, and over dimension 2 of three or four (vxSoftmaxLayer).
func (g *Graph) SoftmaxLayer(in, out *Tensor) (*Node, error) {
	return g.add("SoftmaxLayer", KernelSoftmaxLayer, in, out)
}

// NormalizationLayer adds a local response normalization with the bias 1 (vxNormalizationLayer of OpenVX 1.2).
func (g *Graph) NormalizationLayer(in *Tensor, n Normalization, size int, alpha, beta float32, out *Tensor) (*Node, error) {
	return g.add("NormalizationLayer", KernelNormalizationLayer, in, Enum(n), size, alpha, beta, out)
}

// LocalResponseNormalizationLayer adds the division by the power beta of bias + alpha · the mean of squares of a neighbourhood of
// size channels or size by size elements (vxLocalResponseNormalizationLayer).
func (g *Graph) LocalResponseNormalizationLayer(in *Tensor, n Normalization, size int, alpha, beta, bias float32, out *Tensor) (*Node, error) {
	return g.add("LocalResponseNormalizationLayer", KernelLocalResponseNormalizationLayer, in, Enum(n), size, alpha, beta, bias, out)
}

// ActivationLayer adds a function of each element with the parameters a and b (vxActivationLayer).
func (g *Graph) ActivationLayer(in *Tensor, f Activation, a, b float32, out *Tensor) (*Node, error) {
	return g.add("ActivationLayer", KernelActivationLayer, in, Enum(f), a, b, out)
}

// ROIPoolingLayer adds the maxima over a grid laid on regions of interest (vxROIPoolingLayer): data is [width, height, channels, batch…]
// and rois are [4, regions, batch…], each x0, y0, x1, y1.
func (g *Graph) ROIPoolingLayer(data, rois *Tensor, p ROIPoolParams, out *Tensor) (*Node, error) {
	return g.add("ROIPoolingLayer", KernelROIPoolingLayer, data, rois, p, out)
}

// TensorMultiplyNode adds the product of elements and a scale, of type float32 (vxTensorMultiplyNode).
func (g *Graph) TensorMultiplyNode(a, b *Tensor, scale *Scalar, o ConvertPolicy, r RoundPolicy, out *Tensor) (*Node, error) {
	return g.add("TensorMultiplyNode", KernelTensorMultiply, a, b, scale, Enum(o), Enum(r), out)
}

// TensorAddNode adds the sum of elements (vxTensorAddNode). An extent of 1 is repeated.
func (g *Graph) TensorAddNode(a, b *Tensor, o ConvertPolicy, out *Tensor) (*Node, error) {
	return g.add("TensorAddNode", KernelTensorAdd, a, b, Enum(o), out)
}

// TensorSubtractNode adds the difference of elements (vxTensorSubtractNode). An extent of 1 is repeated.
func (g *Graph) TensorSubtractNode(a, b *Tensor, o ConvertPolicy, out *Tensor) (*Node, error) {
	return g.add("TensorSubtractNode", KernelTensorSubtract, a, b, Enum(o), out)
}

// TensorTableLookupNode adds the replacement of each element by that of a table which it is the index of (vxTensorTableLookupNode).
func (g *Graph) TensorTableLookupNode(in *Tensor, lut *LUT, out *Tensor) (*Node, error) {
	return g.add("TensorTableLookupNode", KernelTensorTableLookup, in, lut, out)
}

// TensorTransposeNode adds the exchange of dimensions d1 and d2 (vxTensorTransposeNode).
func (g *Graph) TensorTransposeNode(in, out *Tensor, d1, d2 int) (*Node, error) {
	return g.add("TensorTransposeNode", KernelTensorTranspose, in, d1, d2, out)
}

// TensorConvertDepthNode adds a conversion to the format of out by way of (element - offset) / norm, both of type float32
// (vxTensorConvertDepthNode).
func (g *Graph) TensorConvertDepthNode(in *Tensor, o ConvertPolicy, norm, offset *Scalar, out *Tensor) (*Node, error) {
	return g.add("TensorConvertDepthNode", KernelTensorConvertDepth, in, Enum(o), norm, offset, out)
}

// TensorMatrixMultiplyNode adds the product of two matrices, to which c, if it is not nil, is added (vxTensorMatrixMultiplyNode).
func (g *Graph) TensorMatrixMultiplyNode(a, b, c *Tensor, p MatrixMultiplyParams, out *Tensor) (*Node, error) {
	return g.add("TensorMatrixMultiplyNode", KernelTensorMatrixMultiply, a, b, c, p, out)
}

// CreateGenericNode adds a node of any kernel that has been finalized, with no parameter set (vxCreateGenericNode).
func (g *Graph) CreateGenericNode(k *Kernel) (*Node, error) {
	return create(g.ctx, g, "Graph.CreateGenericNode", func() (*Node, error) {
		if _, err := g.ctx.check(k, "the kernel"); err != nil {
			return nil, err
		}
		return g.newNode(k, nil)
	})
}

// newNode adds a node, which has one reference of the application.
func (g *Graph) newNode(k *Kernel, params []Reference) (*Node, error) {
	if err := g.editable(); err != nil {
		return nil, err
	}
	n, err := g.ctx.newNode(g, k, params)
	if err != nil {
		return nil, err
	}
	g.nodes = append(g.nodes, n)
	g.unverify()
	return n, nil
}

// add adds a node of a built-in kernel with its parameters in order: objects, or values that become scalars.
func (g *Graph) add(name string, id KernelID, params ...any) (*Node, error) {
	return create(g.ctx, g, "Graph."+name, func() (*Node, error) { return g.addNode(id, params) })
}

func (g *Graph) addNode(id KernelID, params []any) (*Node, error) {
	k := g.ctx.kernels.byID[id]
	refs := make([]Reference, len(params))
	for i, v := range params {
		if r, ok := v.(Reference); ok {
			refs[i] = r
			continue
		}
		kind := k.params[i].value
		data := make([]byte, g.ctx.scalarSize(kind))
		if err := encode(data, kind, v); err != nil {
			return nil, &Error{Status: StatusOf(err), Msg: k.params[i].title(i), Err: err}
		}
		s := g.ctx.newScalar(nil, kind, data)
		s.intern()
		defer s.drop() // it is the node's, if there is one
		refs[i] = s
	}
	return g.newNode(k, refs)
}
