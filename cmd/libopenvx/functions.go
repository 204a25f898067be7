// Code generated from the headers of the C library by cmd/libopenvx/generate; DO NOT EDIT.

package main

// #include "shim.h"
import "C"

import (
	"unsafe"

	"github.com/concord-nn/concord/openvx"
)

//export vxReleaseContext
func vxReleaseContext(context *uintptr) int32 { return release[*openvx.Context](context) }

//export vxQueryContext
func vxQueryContext(context uintptr, attribute int32, ptr unsafe.Pointer, size uintptr) int32 {
	return query(context, contextAttributes, attribute, ptr, size)
}

//export vxSetContextAttribute
func vxSetContextAttribute(context uintptr, attribute int32, ptr unsafe.Pointer, size uintptr) int32 {
	return set(context, contextAttributes, attribute, ptr, size)
}

//export vxLoadKernels
func vxLoadKernels(context uintptr, module *C.char) int32 {
	return do(context, func(o *openvx.Context) error { return o.LoadKernels(text("the module", module, maxModule)) })
}

//export vxUnloadKernels
func vxUnloadKernels(context uintptr, module *C.char) int32 {
	return do(context, func(o *openvx.Context) error { return o.UnloadKernels(text("the module", module, maxModule)) })
}

//export vxGetKernelByName
func vxGetKernelByName(context uintptr, name *C.char) uintptr {
	return create(context, func(o *openvx.Context) (*openvx.Kernel, error) {
		return o.KernelByName(text("the name", name, openvx.MaxKernelName))
	})
}

//export vxGetKernelByEnum
func vxGetKernelByEnum(context uintptr, kernel int32) uintptr {
	return create(context, func(o *openvx.Context) (*openvx.Kernel, error) { return o.KernelByID(openvx.KernelID(kernel)) })
}

//export vxQueryKernel
func vxQueryKernel(kernel uintptr, attribute int32, ptr unsafe.Pointer, size uintptr) int32 {
	return query(kernel, kernelAttributes, attribute, ptr, size)
}

//export vxReleaseKernel
func vxReleaseKernel(kernel *uintptr) int32 { return release[*openvx.Kernel](kernel) }

//export vxFinalizeKernel
func vxFinalizeKernel(kernel uintptr) int32 {
	return do(kernel, func(o *openvx.Kernel) error { return o.Finalize() })
}

//export vxAddParameterToKernel
func vxAddParameterToKernel(kernel uintptr, index uint32, dir, dataType, state int32) int32 {
	return do(kernel, func(o *openvx.Kernel) error {
		return o.AddParameter(int(index), openvx.Direction(dir), openvx.Type(dataType), openvx.ParameterState(state))
	})
}

//export vxRemoveKernel
func vxRemoveKernel(kernel uintptr) int32 {
	return do(kernel, func(o *openvx.Kernel) error { return o.Remove() })
}

//export vxSetKernelAttribute
func vxSetKernelAttribute(kernel uintptr, attribute int32, ptr unsafe.Pointer, size uintptr) int32 {
	return set(kernel, kernelAttributes, attribute, ptr, size)
}

//export vxGetKernelParameterByIndex
func vxGetKernelParameterByIndex(kernel uintptr, index uint32) uintptr {
	return create(kernel, func(o *openvx.Kernel) (*openvx.Parameter, error) { return o.Parameter(int(index)) })
}

//export vxCreateGraph
func vxCreateGraph(context uintptr) uintptr {
	return create(context, func(o *openvx.Context) (*openvx.Graph, error) { return o.CreateGraph() })
}

//export vxReleaseGraph
func vxReleaseGraph(graph *uintptr) int32 { return release[*openvx.Graph](graph) }

//export vxVerifyGraph
func vxVerifyGraph(graph uintptr) int32 {
	return do(graph, func(o *openvx.Graph) error { return o.Verify() })
}

//export vxProcessGraph
func vxProcessGraph(graph uintptr) int32 {
	return do(graph, func(o *openvx.Graph) error { return o.Process() })
}

//export vxScheduleGraph
func vxScheduleGraph(graph uintptr) int32 {
	return do(graph, func(o *openvx.Graph) error { return o.Schedule() })
}

//export vxWaitGraph
func vxWaitGraph(graph uintptr) int32 {
	return do(graph, func(o *openvx.Graph) error { return o.Wait() })
}

//export vxQueryGraph
func vxQueryGraph(graph uintptr, attribute int32, ptr unsafe.Pointer, size uintptr) int32 {
	return query(graph, graphAttributes, attribute, ptr, size)
}

//export vxSetGraphAttribute
func vxSetGraphAttribute(graph uintptr, attribute int32, ptr unsafe.Pointer, size uintptr) int32 {
	return set(graph, graphAttributes, attribute, ptr, size)
}

//export vxAddParameterToGraph
func vxAddParameterToGraph(graph, parameter uintptr) int32 {
	return do(graph, func(o *openvx.Graph) error { return o.AddParameter(optional[*openvx.Parameter](parameter)) })
}

//export vxSetGraphParameterByIndex
func vxSetGraphParameterByIndex(graph uintptr, index uint32, value uintptr) int32 {
	return do(graph, func(o *openvx.Graph) error { return o.SetParameter(int(index), optional[openvx.Reference](value)) })
}

//export vxGetGraphParameterByIndex
func vxGetGraphParameterByIndex(graph uintptr, index uint32) uintptr {
	return create(graph, func(o *openvx.Graph) (*openvx.Parameter, error) { return o.Parameter(int(index)) })
}

//export vxCreateGenericNode
func vxCreateGenericNode(graph, kernel uintptr) uintptr {
	return create(graph, func(o *openvx.Graph) (*openvx.Node, error) {
		return o.CreateGenericNode(optional[*openvx.Kernel](kernel))
	})
}

//export vxQueryNode
func vxQueryNode(node uintptr, attribute int32, ptr unsafe.Pointer, size uintptr) int32 {
	return query(node, nodeAttributes, attribute, ptr, size)
}

//export vxSetNodeAttribute
func vxSetNodeAttribute(node uintptr, attribute int32, ptr unsafe.Pointer, size uintptr) int32 {
	return set(node, nodeAttributes, attribute, ptr, size)
}

//export vxReleaseNode
func vxReleaseNode(node *uintptr) int32 { return release[*openvx.Node](node) }

//export vxGetParameterByIndex
func vxGetParameterByIndex(node uintptr, index uint32) uintptr {
	return create(node, func(o *openvx.Node) (*openvx.Parameter, error) { return o.Parameter(int(index)) })
}

//export vxReleaseParameter
func vxReleaseParameter(param *uintptr) int32 { return release[*openvx.Parameter](param) }

//export vxSetParameterByIndex
func vxSetParameterByIndex(node uintptr, index uint32, value uintptr) int32 {
	return do(node, func(o *openvx.Node) error { return o.SetParameter(int(index), optional[openvx.Reference](value)) })
}

//export vxSetParameterByReference
func vxSetParameterByReference(parameter, value uintptr) int32 {
	return do(parameter, func(o *openvx.Parameter) error { return o.Set(optional[openvx.Reference](value)) })
}

//export vxQueryParameter
func vxQueryParameter(parameter uintptr, attribute int32, ptr unsafe.Pointer, size uintptr) int32 {
	return query(parameter, parameterAttributes, attribute, ptr, size)
}

//export vxSetMetaFormatAttribute
func vxSetMetaFormatAttribute(meta uintptr, attribute int32, ptr unsafe.Pointer, size uintptr) int32 {
	return set(meta, metaFormatAttributes, attribute, ptr, size)
}

//export vxSetMetaFormatFromReference
func vxSetMetaFormatFromReference(meta, exemplar uintptr) int32 {
	return do(meta, func(o *openvx.MetaFormat) error { return o.FromReference(optional[openvx.Reference](exemplar)) })
}

//export vxQueryMetaFormatAttribute
func vxQueryMetaFormatAttribute(meta uintptr, attribute int32, ptr unsafe.Pointer, size uintptr) int32 {
	return query(meta, metaFormatAttributes, attribute, ptr, size)
}

//export vxCreateTensor
func vxCreateTensor(context, numberOfDims uintptr, dims *uintptr, dataType int32, fixedPointPosition int8) uintptr {
	return create(context, func(o *openvx.Context) (*openvx.Tensor, error) {
		return o.CreateTensor(sizes("the size", numberOfDims, dims), openvx.Type(dataType), int8(fixedPointPosition))
	})
}

//export vxCreateVirtualTensor
func vxCreateVirtualTensor(graph, numberOfDims uintptr, dims *uintptr, dataType int32, fixedPointPosition int8) uintptr {
	return create(graph, func(o *openvx.Graph) (*openvx.Tensor, error) {
		return o.CreateVirtualTensor(sizes("the size", numberOfDims, dims), openvx.Type(dataType), int8(fixedPointPosition))
	})
}

//export vxUnmapTensorPatch
func vxUnmapTensorPatch(tensor, mapID uintptr) int32 {
	return do(tensor, func(o *openvx.Tensor) error { return o.UnmapPatch(uint64(mapID)) })
}

//export vxQueryTensor
func vxQueryTensor(tensor uintptr, attribute int32, ptr unsafe.Pointer, size uintptr) int32 {
	return query(tensor, tensorAttributes, attribute, ptr, size)
}

//export vxReleaseTensor
func vxReleaseTensor(tensor *uintptr) int32 { return release[*openvx.Tensor](tensor) }

//export vxCreateVirtualScalar
func vxCreateVirtualScalar(graph uintptr, dataType int32) uintptr {
	return create(graph, func(o *openvx.Graph) (*openvx.Scalar, error) { return o.CreateVirtualScalar(openvx.Type(dataType)) })
}

//export vxReleaseScalar
func vxReleaseScalar(scalar *uintptr) int32 { return release[*openvx.Scalar](scalar) }

//export vxQueryScalar
func vxQueryScalar(scalar uintptr, attribute int32, ptr unsafe.Pointer, size uintptr) int32 {
	return query(scalar, scalarAttributes, attribute, ptr, size)
}

//export vxCreateLUT
func vxCreateLUT(context uintptr, dataType int32, number uintptr) uintptr {
	return create(context, func(o *openvx.Context) (*openvx.LUT, error) {
		return o.CreateLUT(openvx.Type(dataType), count("count", number))
	})
}

//export vxCreateVirtualLUT
func vxCreateVirtualLUT(graph uintptr, dataType int32, number uintptr) uintptr {
	return create(graph, func(o *openvx.Graph) (*openvx.LUT, error) {
		return o.CreateVirtualLUT(openvx.Type(dataType), count("count", number))
	})
}

//export vxReleaseLUT
func vxReleaseLUT(lut *uintptr) int32 { return release[*openvx.LUT](lut) }

//export vxQueryLUT
func vxQueryLUT(lut uintptr, attribute int32, ptr unsafe.Pointer, size uintptr) int32 {
	return query(lut, lutAttributes, attribute, ptr, size)
}

//export vxUnmapLUT
func vxUnmapLUT(lut, mapID uintptr) int32 {
	return do(lut, func(o *openvx.LUT) error { return o.Unmap(uint64(mapID)) })
}

//export vxCreateDelay
func vxCreateDelay(context, exemplar, numSlots uintptr) uintptr {
	return create(context, func(o *openvx.Context) (*openvx.Delay, error) {
		return o.CreateDelay(optional[openvx.Reference](exemplar), count("num_slots", numSlots))
	})
}

//export vxGetReferenceFromDelay
func vxGetReferenceFromDelay(delay uintptr, index int32) uintptr {
	return create(delay, func(o *openvx.Delay) (openvx.Reference, error) { return o.Reference(int(index)) })
}

//export vxAgeDelay
func vxAgeDelay(delay uintptr) int32 {
	return do(delay, func(o *openvx.Delay) error { return o.Age() })
}

//export vxRegisterAutoAging
func vxRegisterAutoAging(graph, delay uintptr) int32 {
	return do(graph, func(o *openvx.Graph) error { return o.RegisterAutoAging(optional[*openvx.Delay](delay)) })
}

//export vxQueryDelay
func vxQueryDelay(delay uintptr, attribute int32, ptr unsafe.Pointer, size uintptr) int32 {
	return query(delay, delayAttributes, attribute, ptr, size)
}

//export vxReleaseDelay
func vxReleaseDelay(delay *uintptr) int32 { return release[*openvx.Delay](delay) }

//export vxGetObjectArrayItem
func vxGetObjectArrayItem(arr uintptr, index uint32) uintptr {
	return create(arr, func(o *openvx.ObjectArray) (openvx.Reference, error) { return o.Item(int(index)) })
}

//export vxQueryObjectArray
func vxQueryObjectArray(arr uintptr, attribute int32, ptr unsafe.Pointer, size uintptr) int32 {
	return query(arr, objectArrayAttributes, attribute, ptr, size)
}

//export vxReleaseObjectArray
func vxReleaseObjectArray(arr *uintptr) int32 { return release[*openvx.ObjectArray](arr) }

//export vxCreateImage
func vxCreateImage(context uintptr, width, height, color uint32) uintptr {
	return create(context, func(o *openvx.Context) (*openvx.Image, error) {
		return o.CreateImage(int(width), int(height), openvx.ImageFormat(color))
	})
}

//export vxCreateVirtualImage
func vxCreateVirtualImage(graph uintptr, width, height, color uint32) uintptr {
	return create(graph, func(o *openvx.Graph) (*openvx.Image, error) {
		return o.CreateVirtualImage(int(width), int(height), openvx.ImageFormat(color))
	})
}

//export vxCreateImageFromROI
func vxCreateImageFromROI(img uintptr, rect *C.vx_rectangle_t) uintptr {
	return create(img, func(o *openvx.Image) (*openvx.Image, error) { return o.CreateFromROI(rectangle(rect)) })
}

//export vxQueryImage
func vxQueryImage(image uintptr, attribute int32, ptr unsafe.Pointer, size uintptr) int32 {
	return query(image, imageAttributes, attribute, ptr, size)
}

//export vxReleaseImage
func vxReleaseImage(image *uintptr) int32 { return release[*openvx.Image](image) }

//export vxUnmapImagePatch
func vxUnmapImagePatch(image, mapID uintptr) int32 {
	return do(image, func(o *openvx.Image) error { return o.UnmapPatch(uint64(mapID)) })
}

//export vxTensorMultiplyNode
func vxTensorMultiplyNode(graph, input1, input2, scale uintptr, overflowPolicy, roundingPolicy int32, output uintptr) uintptr {
	return create(graph, func(g *openvx.Graph) (*openvx.Node, error) {
		return g.TensorMultiplyNode(optional[*openvx.Tensor](input1), optional[*openvx.Tensor](input2), optional[*openvx.Scalar](scale), openvx.ConvertPolicy(overflowPolicy), openvx.RoundPolicy(roundingPolicy), optional[*openvx.Tensor](output))
	})
}

//export vxTensorAddNode
func vxTensorAddNode(graph, input1, input2 uintptr, policy int32, output uintptr) uintptr {
	return create(graph, func(g *openvx.Graph) (*openvx.Node, error) {
		return g.TensorAddNode(optional[*openvx.Tensor](input1), optional[*openvx.Tensor](input2), openvx.ConvertPolicy(policy), optional[*openvx.Tensor](output))
	})
}

//export vxTensorSubtractNode
func vxTensorSubtractNode(graph, input1, input2 uintptr, policy int32, output uintptr) uintptr {
	return create(graph, func(g *openvx.Graph) (*openvx.Node, error) {
		return g.TensorSubtractNode(optional[*openvx.Tensor](input1), optional[*openvx.Tensor](input2), openvx.ConvertPolicy(policy), optional[*openvx.Tensor](output))
	})
}

//export vxTensorTableLookupNode
func vxTensorTableLookupNode(graph, input1, lut, output uintptr) uintptr {
	return create(graph, func(g *openvx.Graph) (*openvx.Node, error) {
		return g.TensorTableLookupNode(optional[*openvx.Tensor](input1), optional[*openvx.LUT](lut), optional[*openvx.Tensor](output))
	})
}

//export vxTensorTransposeNode
func vxTensorTransposeNode(graph, input, output, dimension1, dimension2 uintptr) uintptr {
	return create(graph, func(g *openvx.Graph) (*openvx.Node, error) {
		return g.TensorTransposeNode(optional[*openvx.Tensor](input), optional[*openvx.Tensor](output), count("dimension1", dimension1), count("dimension2", dimension2))
	})
}

//export vxTensorConvertDepthNode
func vxTensorConvertDepthNode(graph, input uintptr, policy int32, norm, offset, output uintptr) uintptr {
	return create(graph, func(g *openvx.Graph) (*openvx.Node, error) {
		return g.TensorConvertDepthNode(optional[*openvx.Tensor](input), openvx.ConvertPolicy(policy), optional[*openvx.Scalar](norm), optional[*openvx.Scalar](offset), optional[*openvx.Tensor](output))
	})
}

//export vxTensorMatrixMultiplyNode
func vxTensorMatrixMultiplyNode(graph, input1, input2, input3 uintptr, matrixMultiplyParams *C.vx_tensor_matrix_multiply_params_t, output uintptr) uintptr {
	return create(graph, func(g *openvx.Graph) (*openvx.Node, error) {
		return g.TensorMatrixMultiplyNode(optional[*openvx.Tensor](input1), optional[*openvx.Tensor](input2), optional[*openvx.Tensor](input3), matrixMultiplyParamsOf(matrixMultiplyParams, unsafe.Sizeof(*matrixMultiplyParams)), optional[*openvx.Tensor](output))
	})
}

//export vxuTensorMultiply
func vxuTensorMultiply(context, input1, input2, scale uintptr, overflowPolicy, roundingPolicy int32, output uintptr) int32 {
	return do(context, func(c *openvx.Context) error {
		return c.TensorMultiplyNode(optional[*openvx.Tensor](input1), optional[*openvx.Tensor](input2), optional[*openvx.Scalar](scale), openvx.ConvertPolicy(overflowPolicy), openvx.RoundPolicy(roundingPolicy), optional[*openvx.Tensor](output))
	})
}

//export vxuTensorAdd
func vxuTensorAdd(context, input1, input2 uintptr, policy int32, output uintptr) int32 {
	return do(context, func(c *openvx.Context) error {
		return c.TensorAddNode(optional[*openvx.Tensor](input1), optional[*openvx.Tensor](input2), openvx.ConvertPolicy(policy), optional[*openvx.Tensor](output))
	})
}

//export vxuTensorSubtract
func vxuTensorSubtract(context, input1, input2 uintptr, policy int32, output uintptr) int32 {
	return do(context, func(c *openvx.Context) error {
		return c.TensorSubtractNode(optional[*openvx.Tensor](input1), optional[*openvx.Tensor](input2), openvx.ConvertPolicy(policy), optional[*openvx.Tensor](output))
	})
}

//export vxuTensorTableLookup
func vxuTensorTableLookup(context, input1, lut, output uintptr) int32 {
	return do(context, func(c *openvx.Context) error {
		return c.TensorTableLookupNode(optional[*openvx.Tensor](input1), optional[*openvx.LUT](lut), optional[*openvx.Tensor](output))
	})
}

//export vxuTensorTranspose
func vxuTensorTranspose(context, input, output, dimension1, dimension2 uintptr) int32 {
	return do(context, func(c *openvx.Context) error {
		return c.TensorTransposeNode(optional[*openvx.Tensor](input), optional[*openvx.Tensor](output), count("dimension1", dimension1), count("dimension2", dimension2))
	})
}

//export vxuTensorConvertDepth
func vxuTensorConvertDepth(context, input uintptr, policy int32, norm, offset, output uintptr) int32 {
	return do(context, func(c *openvx.Context) error {
		return c.TensorConvertDepthNode(optional[*openvx.Tensor](input), openvx.ConvertPolicy(policy), optional[*openvx.Scalar](norm), optional[*openvx.Scalar](offset), optional[*openvx.Tensor](output))
	})
}

//export vxuTensorMatrixMultiply
func vxuTensorMatrixMultiply(context, input1, input2, input3 uintptr, matrixMultiplyParams *C.vx_tensor_matrix_multiply_params_t, output uintptr) int32 {
	return do(context, func(c *openvx.Context) error {
		return c.TensorMatrixMultiplyNode(optional[*openvx.Tensor](input1), optional[*openvx.Tensor](input2), optional[*openvx.Tensor](input3), matrixMultiplyParamsOf(matrixMultiplyParams, unsafe.Sizeof(*matrixMultiplyParams)), optional[*openvx.Tensor](output))
	})
}

//export vxConvolutionLayer
func vxConvolutionLayer(graph, inputs, weights, biases uintptr, convolutionParams *C.vx_nn_convolution_params_t, sizeOfConvolutionParams, outputs uintptr) uintptr {
	return create(graph, func(g *openvx.Graph) (*openvx.Node, error) {
		return g.ConvolutionLayer(optional[*openvx.Tensor](inputs), optional[*openvx.Tensor](weights), optional[*openvx.Tensor](biases), convolutionParamsOf(convolutionParams, sizeOfConvolutionParams), optional[*openvx.Tensor](outputs))
	})
}

//export vxFullyConnectedLayer
func vxFullyConnectedLayer(graph, inputs, weights, biases uintptr, overflowPolicy, roundingPolicy int32, outputs uintptr) uintptr {
	return create(graph, func(g *openvx.Graph) (*openvx.Node, error) {
		return g.FullyConnectedLayer(optional[*openvx.Tensor](inputs), optional[*openvx.Tensor](weights), optional[*openvx.Tensor](biases), openvx.ConvertPolicy(overflowPolicy), openvx.RoundPolicy(roundingPolicy), optional[*openvx.Tensor](outputs))
	})
}

//export vxPoolingLayer
func vxPoolingLayer(graph, inputs uintptr, poolingType int32, poolingSizeX, poolingSizeY, poolingPaddingX, poolingPaddingY uintptr, rounding int32, outputs uintptr) uintptr {
	return create(graph, func(g *openvx.Graph) (*openvx.Node, error) {
		return g.PoolingLayer(optional[*openvx.Tensor](inputs), openvx.Pooling(poolingType), count("pooling_size_x", poolingSizeX), count("pooling_size_y", poolingSizeY), count("pooling_padding_x", poolingPaddingX), count("pooling_padding_y", poolingPaddingY), openvx.SizeRounding(rounding), optional[*openvx.Tensor](outputs))
	})
}

//export vxSoftmaxLayer
func vxSoftmaxLayer(graph, inputs, outputs uintptr) uintptr {
	return create(graph, func(g *openvx.Graph) (*openvx.Node, error) {
		return g.SoftmaxLayer(optional[*openvx.Tensor](inputs), optional[*openvx.Tensor](outputs))
	})
}

//export vxLocalResponseNormalizationLayer
func vxLocalResponseNormalizationLayer(graph, inputs uintptr, kind int32, normalizationSize uintptr, alpha, beta, bias float32, outputs uintptr) uintptr {
	return create(graph, func(g *openvx.Graph) (*openvx.Node, error) {
		return g.LocalResponseNormalizationLayer(optional[*openvx.Tensor](inputs), openvx.Normalization(kind), count("normalization_size", normalizationSize), alpha, beta, bias, optional[*openvx.Tensor](outputs))
	})
}

//export vxActivationLayer
func vxActivationLayer(graph, inputs uintptr, function int32, a, b float32, outputs uintptr) uintptr {
	return create(graph, func(g *openvx.Graph) (*openvx.Node, error) {
		return g.ActivationLayer(optional[*openvx.Tensor](inputs), openvx.Activation(function), a, b, optional[*openvx.Tensor](outputs))
	})
}

//export vxROIPoolingLayer
func vxROIPoolingLayer(graph, inputData, inputRois uintptr, rOIPoolParams *C.vx_nn_roi_pool_params_t, sizeOfROIParams, outputArr uintptr) uintptr {
	return create(graph, func(g *openvx.Graph) (*openvx.Node, error) {
		return g.ROIPoolingLayer(optional[*openvx.Tensor](inputData), optional[*openvx.Tensor](inputRois), rOIPoolParamsOf(rOIPoolParams, sizeOfROIParams), optional[*openvx.Tensor](outputArr))
	})
}

//export vxDeconvolutionLayer
func vxDeconvolutionLayer(graph, inputs, weights, biases uintptr, deconvolutionParams *C.vx_nn_deconvolution_params_t, sizeOfDeconvParams, outputs uintptr) uintptr {
	return create(graph, func(g *openvx.Graph) (*openvx.Node, error) {
		return g.DeconvolutionLayer(optional[*openvx.Tensor](inputs), optional[*openvx.Tensor](weights), optional[*openvx.Tensor](biases), deconvolutionParamsOf(deconvolutionParams, sizeOfDeconvParams), optional[*openvx.Tensor](outputs))
	})
}

//export vxNormalizationLayer
func vxNormalizationLayer(graph, inputs uintptr, kind int32, normalizationSize uintptr, alpha, beta float32, outputs uintptr) uintptr {
	return create(graph, func(g *openvx.Graph) (*openvx.Node, error) {
		return g.NormalizationLayer(optional[*openvx.Tensor](inputs), openvx.Normalization(kind), count("normalization_size", normalizationSize), alpha, beta, optional[*openvx.Tensor](outputs))
	})
}

//export vxImportKernelFromURL
func vxImportKernelFromURL(context uintptr, kind, url *C.char) uintptr {
	return create(context, func(o *openvx.Context) (*openvx.Kernel, error) {
		return o.ImportKernel(text("the type", kind, openvx.MaxKernelName), text("the url", url, maxURL))
	})
}

func matrixMultiplyParamsOf(c *C.vx_tensor_matrix_multiply_params_t, size uintptr) openvx.MatrixMultiplyParams {
	p := structure(c, size)
	return openvx.MatrixMultiplyParams{
		TransposeA: p.transpose_input1 != 0,
		TransposeB: p.transpose_input2 != 0,
		TransposeC: p.transpose_input3 != 0,
	}
}

func convolutionParamsOf(c *C.vx_nn_convolution_params_t, size uintptr) openvx.ConvolutionParams {
	p := structure(c, size)
	return openvx.ConvolutionParams{
		PaddingX:       count("padding_x", uintptr(p.padding_x)),
		PaddingY:       count("padding_y", uintptr(p.padding_y)),
		OverflowPolicy: openvx.ConvertPolicy(p.overflow_policy),
		RoundingPolicy: openvx.RoundPolicy(p.rounding_policy),
		DownScaleSize:  openvx.SizeRounding(p.down_scale_size_rounding),
		DilationX:      count("dilation_x", uintptr(p.dilation_x)),
		DilationY:      count("dilation_y", uintptr(p.dilation_y)),
	}
}

func deconvolutionParamsOf(c *C.vx_nn_deconvolution_params_t, size uintptr) openvx.DeconvolutionParams {
	p := structure(c, size)
	return openvx.DeconvolutionParams{
		PaddingX:       count("padding_x", uintptr(p.padding_x)),
		PaddingY:       count("padding_y", uintptr(p.padding_y)),
		OverflowPolicy: openvx.ConvertPolicy(p.overflow_policy),
		RoundingPolicy: openvx.RoundPolicy(p.rounding_policy),
		AX:             count("a_x", uintptr(p.a_x)),
		AY:             count("a_y", uintptr(p.a_y)),
	}
}

func rOIPoolParamsOf(c *C.vx_nn_roi_pool_params_t, size uintptr) openvx.ROIPoolParams {
	p := structure(c, size)
	return openvx.ROIPoolParams{
		PoolType: openvx.Pooling(p.pool_type),
	}
}
