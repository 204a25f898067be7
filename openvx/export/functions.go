// Code generated from the headers of the C library by cmd/libopenvx/generate; DO NOT EDIT.

package export

import "github.com/concord-nn/concord/openvx"

// functions are the methods that perform calls.
var functions = map[string]any{
	"vxTensorMultiplyNode":              (*openvx.Graph).TensorMultiplyNode,
	"vxTensorAddNode":                   (*openvx.Graph).TensorAddNode,
	"vxTensorSubtractNode":              (*openvx.Graph).TensorSubtractNode,
	"vxTensorTableLookupNode":           (*openvx.Graph).TensorTableLookupNode,
	"vxTensorTransposeNode":             (*openvx.Graph).TensorTransposeNode,
	"vxTensorConvertDepthNode":          (*openvx.Graph).TensorConvertDepthNode,
	"vxTensorMatrixMultiplyNode":        (*openvx.Graph).TensorMatrixMultiplyNode,
	"vxConvolutionLayer":                (*openvx.Graph).ConvolutionLayer,
	"vxFullyConnectedLayer":             (*openvx.Graph).FullyConnectedLayer,
	"vxPoolingLayer":                    (*openvx.Graph).PoolingLayer,
	"vxSoftmaxLayer":                    (*openvx.Graph).SoftmaxLayer,
	"vxLocalResponseNormalizationLayer": (*openvx.Graph).LocalResponseNormalizationLayer,
	"vxActivationLayer":                 (*openvx.Graph).ActivationLayer,
	"vxROIPoolingLayer":                 (*openvx.Graph).ROIPoolingLayer,
	"vxDeconvolutionLayer":              (*openvx.Graph).DeconvolutionLayer,
	"vxNormalizationLayer":              (*openvx.Graph).NormalizationLayer,
}
