/* SPDX-License-Identifier: Apache-2.0 */
/* Code generated from the tables of package openvx/abi; DO NOT EDIT. */

/* Nodes on tensors. */

#ifndef _OPENVX_NODES_H_
#define _OPENVX_NODES_H_

#include <VX/vx_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Adds a node that multiplies element by element and by a scale, a VX_TYPE_FLOAT32 that is not negative. */
VX_API_ENTRY vx_node VX_API_CALL vxTensorMultiplyNode(vx_graph graph, vx_tensor input1, vx_tensor input2,
        vx_scalar scale, vx_enum overflow_policy, vx_enum rounding_policy, vx_tensor output);

/* Adds a node that adds element by element. */
VX_API_ENTRY vx_node VX_API_CALL vxTensorAddNode(vx_graph graph, vx_tensor input1, vx_tensor input2, vx_enum policy,
        vx_tensor output);

/* Adds a node that subtracts element by element. */
VX_API_ENTRY vx_node VX_API_CALL vxTensorSubtractNode(vx_graph graph, vx_tensor input1, vx_tensor input2,
        vx_enum policy, vx_tensor output);

/* Adds a node that replaces each element by the entry of a look-up table. */
VX_API_ENTRY vx_node VX_API_CALL vxTensorTableLookupNode(vx_graph graph, vx_tensor input1, vx_lut lut,
        vx_tensor output);

/* Adds a node that exchanges two dimensions. */
VX_API_ENTRY vx_node VX_API_CALL vxTensorTransposeNode(vx_graph graph, vx_tensor input, vx_tensor output,
        vx_size dimension1, vx_size dimension2);

/* Adds a node that converts elements to another type: (x - offset) / norm. */
VX_API_ENTRY vx_node VX_API_CALL vxTensorConvertDepthNode(vx_graph graph, vx_tensor input, vx_enum policy,
        vx_scalar norm, vx_scalar offset, vx_tensor output);

/* Adds a node that multiplies two matrices and adds a third, if there is one. */
VX_API_ENTRY vx_node VX_API_CALL vxTensorMatrixMultiplyNode(vx_graph graph, vx_tensor input1, vx_tensor input2,
        vx_tensor input3, const vx_tensor_matrix_multiply_params_t *matrix_multiply_params, vx_tensor output);

#ifdef __cplusplus
}
#endif

#endif
