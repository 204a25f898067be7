/* SPDX-License-Identifier: Apache-2.0 */

/* What this library adds to OpenVX. */

#ifndef _VX_CONCORD_H_
#define _VX_CONCORD_H_

#include <VX/vx.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Attributes of contexts that this library adds. With the compatible switch, layers compute what the sample
   implementation does where that departs from the standard's formulas. Threads are those that compute one node, 0 as
   many as there are processors; results do not depend on them. */
enum vx_context_attribute_concord_e {
    VX_CONTEXT_COMPATIBLE_CONCORD = (vx_int32)0xFFF80100u, /* vx_bool, also to be set */
    VX_CONTEXT_THREADS_CONCORD = (vx_int32)0xFFF80101u /* vx_size, also to be set */
};

#ifdef __cplusplus
}
#endif

#endif
