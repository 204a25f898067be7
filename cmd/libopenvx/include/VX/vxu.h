/* SPDX-License-Identifier: Apache-2.0 */

/* Functions that work at once, without a graph. */

#ifndef _OPENVX_UTILITY_H_
#define _OPENVX_UTILITY_H_

#include <VX/vx.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Multiplies element by element and by a scale; see vxTensorMultiplyNode. */
VX_API_ENTRY vx_status VX_API_CALL vxuTensorMultiply(vx_context context, vx_tensor input1, vx_tensor input2,
        vx_scalar scale, vx_enum overflow_policy, vx_enum rounding_policy, vx_tensor output);

/* Adds element by element; see vxTensorAddNode. */
VX_API_ENTRY vx_status VX_API_CALL vxuTensorAdd(vx_context context, vx_tensor input1, vx_tensor input2,
        vx_enum policy, vx_tensor output);

/* Subtracts element by element; see vxTensorSubtractNode. */
VX_API_ENTRY vx_status VX_API_CALL vxuTensorSubtract(vx_context context, vx_tensor input1, vx_tensor input2,
        vx_enum policy, vx_tensor output);

/* Replaces each element by the entry of a look-up table; see vxTensorTableLookupNode. */
VX_API_ENTRY vx_status VX_API_CALL vxuTensorTableLookup(vx_context context, vx_tensor input1, vx_lut lut,
        vx_tensor output);

/* Exchanges two dimensions; see vxTensorTransposeNode. */
VX_API_ENTRY vx_status VX_API_CALL vxuTensorTranspose(vx_context context, vx_tensor input, vx_tensor output,
        vx_size dimension1, vx_size dimension2);

/* Converts elements to another type; see vxTensorConvertDepthNode. */
VX_API_ENTRY vx_status VX_API_CALL vxuTensorConvertDepth(vx_context context, vx_tensor input, vx_enum policy,
        vx_scalar norm, vx_scalar offset, vx_tensor output);

/* Multiplies two matrices and adds a third, if there is one; see vxTensorMatrixMultiplyNode. */
VX_API_ENTRY vx_status VX_API_CALL vxuTensorMatrixMultiply(vx_context context, vx_tensor input1, vx_tensor input2,
        vx_tensor input3, const vx_tensor_matrix_multiply_params_t *matrix_multiply_params, vx_tensor output);

#ifdef __cplusplus
}
#endif

#endif
