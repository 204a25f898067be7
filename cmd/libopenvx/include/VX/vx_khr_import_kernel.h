/* SPDX-License-Identifier: Apache-2.0 */

/* Kernels made of models. */

#ifndef _OPENVX_IMPORT_KERNEL_H_
#define _OPENVX_IMPORT_KERNEL_H_

#include <VX/vx.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The name of the extension. */
#define OPENVX_KHR_IMPORT_KERNEL "vx_khr_import_kernel"

/* Makes a kernel of a model: type is "nnef" and url the folder or archive of the model; its parameters are the
   inputs and then the outputs. */
VX_API_ENTRY vx_kernel VX_API_CALL vxImportKernelFromURL(vx_context context, const vx_char *type, const vx_char *url);

#ifdef __cplusplus
}
#endif

#endif
