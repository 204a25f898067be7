package main

// #include "shim.h"
import "C"

import "github.com/concord-nn/concord/openvx"

// The operations on tensors, each as a node of a graph and, with the prefix vxu, at once.

//export vxTensorMultiplyNode
func vxTensorMultiplyNode(graph, a, b, scale uintptr, overflow, rounding int32, out uintptr) uintptr {
	return create(graph, func(g *openvx.Graph) (*openvx.Node, error) {
		return g.TensorMultiplyNode(tensor(a), tensor(b), scalar(scale), openvx.ConvertPolicy(overflow), openvx.RoundPolicy(rounding),
			tensor(out))
	})
}

//export vxuTensorMultiply
func vxuTensorMultiply(context, a, b, scale uintptr, overflow, rounding int32, out uintptr) int32 {
	return do(context, func(c *openvx.Context) error {
		return c.TensorMultiplyNode(tensor(a), tensor(b), scalar(scale), openvx.ConvertPolicy(overflow), openvx.RoundPolicy(rounding),
			tensor(out))
	})
}

//export vxTensorAddNode
func vxTensorAddNode(graph, a, b uintptr, policy int32, out uintptr) uintptr {
	return create(graph, func(g *openvx.Graph) (*openvx.Node, error) {
		return g.TensorAddNode(tensor(a), tensor(b), openvx.ConvertPolicy(policy), tensor(out))
	})
}

//export vxuTensorAdd
func vxuTensorAdd(context, a, b uintptr, policy int32, out uintptr) int32 {
	return do(context, func(c *openvx.Context) error {
		return c.TensorAddNode(tensor(a), tensor(b), openvx.ConvertPolicy(policy), tensor(out))
	})
}

//export vxTensorSubtractNode
func vxTensorSubtractNode(graph, a, b uintptr, policy int32, out uintptr) uintptr {
	return create(graph, func(g *openvx.Graph) (*openvx.Node, error) {
		return g.TensorSubtractNode(tensor(a), tensor(b), openvx.ConvertPolicy(policy), tensor(out))
	})
}

//export vxuTensorSubtract
func vxuTensorSubtract(context, a, b uintptr, policy int32, out uintptr) int32 {
	return do(context, func(c *openvx.Context) error {
		return c.TensorSubtractNode(tensor(a), tensor(b), openvx.ConvertPolicy(policy), tensor(out))
	})
}

//export vxTensorTableLookupNode
func vxTensorTableLookupNode(graph, in, table, out uintptr) uintptr {
	return create(graph, func(g *openvx.Graph) (*openvx.Node, error) {
		return g.TensorTableLookupNode(tensor(in), lut(table), tensor(out))
	})
}

//export vxuTensorTableLookup
func vxuTensorTableLookup(context, in, table, out uintptr) int32 {
	return do(context, func(c *openvx.Context) error { return c.TensorTableLookupNode(tensor(in), lut(table), tensor(out)) })
}

//export vxTensorTransposeNode
func vxTensorTransposeNode(graph, in, out, first, second uintptr) uintptr {
	return create(graph, func(g *openvx.Graph) (*openvx.Node, error) {
		return g.TensorTransposeNode(tensor(in), tensor(out), count("a dimension", first), count("a dimension", second))
	})
}

//export vxuTensorTranspose
func vxuTensorTranspose(context, in, out, first, second uintptr) int32 {
	return do(context, func(c *openvx.Context) error {
		return c.TensorTransposeNode(tensor(in), tensor(out), count("a dimension", first), count("a dimension", second))
	})
}

//export vxTensorConvertDepthNode
func vxTensorConvertDepthNode(graph, in uintptr, policy int32, norm, offset, out uintptr) uintptr {
	return create(graph, func(g *openvx.Graph) (*openvx.Node, error) {
		return g.TensorConvertDepthNode(tensor(in), openvx.ConvertPolicy(policy), scalar(norm), scalar(offset), tensor(out))
	})
}

//export vxuTensorConvertDepth
func vxuTensorConvertDepth(context, in uintptr, policy int32, norm, offset, out uintptr) int32 {
	return do(context, func(c *openvx.Context) error {
		return c.TensorConvertDepthNode(tensor(in), openvx.ConvertPolicy(policy), scalar(norm), scalar(offset), tensor(out))
	})
}

// transposed returns which matrices are.
func transposed(p *C.vx_tensor_matrix_multiply_params_t) openvx.MatrixMultiplyParams {
	output("the parameters", p)
	return openvx.MatrixMultiplyParams{
		TransposeA: p.transpose_input1 != 0,
		TransposeB: p.transpose_input2 != 0,
		TransposeC: p.transpose_input3 != 0,
	}
}

//export vxTensorMatrixMultiplyNode
func vxTensorMatrixMultiplyNode(graph, a, b, c uintptr, params *C.vx_tensor_matrix_multiply_params_t, out uintptr) uintptr {
	return create(graph, func(g *openvx.Graph) (*openvx.Node, error) {
		return g.TensorMatrixMultiplyNode(tensor(a), tensor(b), tensor(c), transposed(params), tensor(out))
	})
}

//export vxuTensorMatrixMultiply
func vxuTensorMatrixMultiply(context, a, b, c uintptr, params *C.vx_tensor_matrix_multiply_params_t, out uintptr) int32 {
	return do(context, func(ctx *openvx.Context) error {
		return ctx.TensorMatrixMultiplyNode(tensor(a), tensor(b), tensor(c), transposed(params), tensor(out))
	})
}
