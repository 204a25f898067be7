/* SPDX-License-Identifier: Apache-2.0 */
/* Code generated from the tables of package openvx/abi; DO NOT EDIT. */

/* Export of objects. */

#ifndef _OPENVX_IMPORT_EXPORT_H_
#define _OPENVX_IMPORT_EXPORT_H_

#include <VX/vx.h>
#include <VX/vx_import.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The name of the extension. */
#define OPENVX_KHR_IX "vx_khr_ix"

/* Writes objects to memory of the library, from which vxImportObjectsFromMemory makes them again. */
VX_API_ENTRY vx_status VX_API_CALL vxExportObjectsToMemory(vx_context context, vx_size numrefs,
        const vx_reference *refs, const vx_enum *uses, const vx_uint8 **ptr, vx_size *length);

/* Frees what vxExportObjectsToMemory wrote and sets the variable to NULL. */
VX_API_ENTRY vx_status VX_API_CALL vxReleaseExportedMemory(vx_context context, const vx_uint8 **ptr);

#ifdef __cplusplus
}
#endif

#endif
