/* SPDX-License-Identifier: Apache-2.0 */
/* Code generated from the tables of package openvx/abi; DO NOT EDIT. */

/* What this library adds to OpenVX. */

#ifndef _VX_CONCORD_H_
#define _VX_CONCORD_H_

#include <VX/vx.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Attributes of contexts that this library adds. With the compatible switch, layers compute what the sample
   implementation does where that departs from the standard's formulas. */
enum vx_context_attribute_concord_e {
    VX_CONTEXT_COMPATIBLE_CONCORD = (vx_int32)0xFFF80100u /* vx_bool, also to be set */
};

#ifdef __cplusplus
}
#endif

#endif
