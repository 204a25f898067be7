/* SPDX-License-Identifier: Apache-2.0 */

/* Nodes on tensors. */

#ifndef _OPENVX_NODES_H_
#define _OPENVX_NODES_H_

#include <VX/vx_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Adds the product of elements and a scale, a VX_TYPE_FLOAT32 that is not negative. */
VX_API_ENTRY vx_node VX_API_CALL vxTensorMultiplyNode(vx_graph graph, vx_tensor input1, vx_tensor input2,
        vx_scalar scale, vx_enum overflow_policy, vx_enum rounding_policy, vx_tensor output);

/* Adds the sum of elements; an extent of 1 is repeated. */
VX_API_ENTRY vx_node VX_API_CALL vxTensorAddNode(vx_graph graph, vx_tensor input1, vx_tensor input2, vx_enum policy,
        vx_tensor output);

/* Adds the difference of elements; an extent of 1 is repeated. */
VX_API_ENTRY vx_node VX_API_CALL vxTensorSubtractNode(vx_graph graph, vx_tensor input1, vx_tensor input2,
        vx_enum policy, vx_tensor output);

/* Adds the replacement of each element by the entry of a look-up table that it is the index of. */
VX_API_ENTRY vx_node VX_API_CALL vxTensorTableLookupNode(vx_graph graph, vx_tensor input1, vx_lut lut,
        vx_tensor output);

/* Adds the exchange of two dimensions. */
VX_API_ENTRY vx_node VX_API_CALL vxTensorTransposeNode(vx_graph graph, vx_tensor input, vx_tensor output,
        vx_size dimension1, vx_size dimension2);

/* Adds a conversion to the format of the output, (x - offset) / norm; both are VX_TYPE_FLOAT32. */
VX_API_ENTRY vx_node VX_API_CALL vxTensorConvertDepthNode(vx_graph graph, vx_tensor input, vx_enum policy,
        vx_scalar norm, vx_scalar offset, vx_tensor output);

/* Adds the product of two matrices, and a third, if it is not NULL. */
VX_API_ENTRY vx_node VX_API_CALL vxTensorMatrixMultiplyNode(vx_graph graph, vx_tensor input1, vx_tensor input2,
        vx_tensor input3, const vx_tensor_matrix_multiply_params_t *matrix_multiply_params, vx_tensor output);

#ifdef __cplusplus
}
#endif

#endif
