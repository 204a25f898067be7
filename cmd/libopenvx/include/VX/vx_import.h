/* SPDX-License-Identifier: Apache-2.0 */
/* Code generated from the tables of package openvx/abi; DO NOT EDIT. */

/* Import of objects. */

#ifndef _OPENVX_IMPORT_H_
#define _OPENVX_IMPORT_H_

#include <VX/vx.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The type of vx_import. */
#define VX_TYPE_IMPORT 0x814

/* What is done with an object that is exported or imported: the application creates it; or it is made, with or
   without its values. */
#define VX_ENUM_IX_USE 0x18
#define VX_IX_USE_APPLICATION_CREATE (VX_ENUM_BASE(VX_ID_KHRONOS, VX_ENUM_IX_USE) + 0x0)
#define VX_IX_USE_EXPORT_VALUES (VX_ENUM_BASE(VX_ID_KHRONOS, VX_ENUM_IX_USE) + 0x1)
#define VX_IX_USE_NO_EXPORT_VALUES (VX_ENUM_BASE(VX_ID_KHRONOS, VX_ENUM_IX_USE) + 0x2)

/* Objects made of exported memory. */
typedef struct _vx_import *vx_import;

/* Makes objects of what vxExportObjectsToMemory wrote. */
VX_API_ENTRY vx_import VX_API_CALL vxImportObjectsFromMemory(vx_context context, vx_size numrefs,
        vx_reference *refs, const vx_enum *uses, const vx_uint8 *ptr, vx_size length);

/* Releases an import and sets the variable to NULL. */
VX_API_ENTRY vx_status VX_API_CALL vxReleaseImport(vx_import *import);

/* Finds an object of an import by its name. */
VX_API_ENTRY vx_reference VX_API_CALL vxGetImportReferenceByName(vx_import import, const vx_char *name);

#ifdef __cplusplus
}
#endif

#endif
