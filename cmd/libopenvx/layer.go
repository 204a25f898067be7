package main

// #include "shim.h"
import "C"

import (
	"unsafe"

	"github.com/concord-nn/concord/openvx"
)

// tensor, scalar and lut return operands of nodes. A node may be made without some, to be set later.
func tensor(handle uintptr) *openvx.Tensor { return optional[*openvx.Tensor](handle) }
func scalar(handle uintptr) *openvx.Scalar { return optional[*openvx.Scalar](handle) }
func lut(handle uintptr) *openvx.LUT       { return optional[*openvx.LUT](handle) }

// structure returns a structure of which the caller says the size: later versions of the standard may have added to it.
func structure[T any](p *T, size uintptr) T {
	if output("the parameters", p); size < unsafe.Sizeof(*p) {
		refuse(openvx.ErrorInvalidParameters, "the parameters have %d bytes, not %d", size, unsafe.Sizeof(*p))
	}
	return *p
}

//export vxConvolutionLayer
func vxConvolutionLayer(
	graph, inputs, weights, biases uintptr, params *C.vx_nn_convolution_params_t, size, outputs uintptr,
) uintptr {
	return create(graph, func(g *openvx.Graph) (*openvx.Node, error) {
		p := structure(params, size)
		return g.ConvolutionLayer(tensor(inputs), tensor(weights), tensor(biases), openvx.ConvolutionParams{
			PaddingX:       count("padding_x", uintptr(p.padding_x)),
			PaddingY:       count("padding_y", uintptr(p.padding_y)),
			OverflowPolicy: openvx.ConvertPolicy(p.overflow_policy),
			RoundingPolicy: openvx.RoundPolicy(p.rounding_policy),
			DownScaleSize:  openvx.SizeRounding(p.down_scale_size_rounding),
			DilationX:      count("dilation_x", uintptr(p.dilation_x)),
			DilationY:      count("dilation_y", uintptr(p.dilation_y)),
		}, tensor(outputs))
	})
}

//export vxDeconvolutionLayer
func vxDeconvolutionLayer(
	graph, inputs, weights, biases uintptr, params *C.vx_nn_deconvolution_params_t, size, outputs uintptr,
) uintptr {
	return create(graph, func(g *openvx.Graph) (*openvx.Node, error) {
		p := structure(params, size)
		return g.DeconvolutionLayer(tensor(inputs), tensor(weights), tensor(biases), openvx.DeconvolutionParams{
			PaddingX:       count("padding_x", uintptr(p.padding_x)),
			PaddingY:       count("padding_y", uintptr(p.padding_y)),
			OverflowPolicy: openvx.ConvertPolicy(p.overflow_policy),
			RoundingPolicy: openvx.RoundPolicy(p.rounding_policy),
			AX:             count("a_x", uintptr(p.a_x)),
			AY:             count("a_y", uintptr(p.a_y)),
		}, tensor(outputs))
	})
}

//export vxFullyConnectedLayer
func vxFullyConnectedLayer(graph, inputs, weights, biases uintptr, overflow, rounding int32, outputs uintptr) uintptr {
	return create(graph, func(g *openvx.Graph) (*openvx.Node, error) {
		return g.FullyConnectedLayer(tensor(inputs), tensor(weights), tensor(biases),
			openvx.ConvertPolicy(overflow), openvx.RoundPolicy(rounding), tensor(outputs))
	})
}

//export vxPoolingLayer
func vxPoolingLayer(
	graph, inputs uintptr, pooling int32, sizeX, sizeY, paddingX, paddingY uintptr, rounding int32, outputs uintptr,
) uintptr {
	return create(graph, func(g *openvx.Graph) (*openvx.Node, error) {
		return g.PoolingLayer(tensor(inputs), openvx.Pooling(pooling), count("the width", sizeX), count("the height", sizeY),
			count("the padding in x", paddingX), count("the padding in y", paddingY), openvx.SizeRounding(rounding), tensor(outputs))
	})
}

//export vxSoftmaxLayer
func vxSoftmaxLayer(graph, inputs, outputs uintptr) uintptr {
	return create(graph, func(g *openvx.Graph) (*openvx.Node, error) { return g.SoftmaxLayer(tensor(inputs), tensor(outputs)) })
}

//export vxNormalizationLayer
func vxNormalizationLayer(graph, inputs uintptr, kind int32, size uintptr, alpha, beta float32, outputs uintptr) uintptr {
	return create(graph, func(g *openvx.Graph) (*openvx.Node, error) {
		return g.NormalizationLayer(tensor(inputs), openvx.Normalization(kind), count("the size", size), alpha, beta, tensor(outputs))
	})
}

//export vxLocalResponseNormalizationLayer
func vxLocalResponseNormalizationLayer(
	graph, inputs uintptr, kind int32, size uintptr, alpha, beta, bias float32, outputs uintptr,
) uintptr {
	return create(graph, func(g *openvx.Graph) (*openvx.Node, error) {
		return g.LocalResponseNormalizationLayer(tensor(inputs), openvx.Normalization(kind), count("the size", size), alpha, beta, bias,
			tensor(outputs))
	})
}

//export vxActivationLayer
func vxActivationLayer(graph, inputs uintptr, function int32, a, b float32, outputs uintptr) uintptr {
	return create(graph, func(g *openvx.Graph) (*openvx.Node, error) {
		return g.ActivationLayer(tensor(inputs), openvx.Activation(function), a, b, tensor(outputs))
	})
}

//export vxROIPoolingLayer
func vxROIPoolingLayer(graph, data, rois uintptr, params *C.vx_nn_roi_pool_params_t, size, outputs uintptr) uintptr {
	return create(graph, func(g *openvx.Graph) (*openvx.Node, error) {
		p := structure(params, size)
		return g.ROIPoolingLayer(tensor(data), tensor(rois), openvx.ROIPoolParams{PoolType: openvx.Pooling(p.pool_type)}, tensor(outputs))
	})
}
