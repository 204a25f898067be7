/* What C has to do for the library: calling functions of the application, and formatting log entries. */
#ifndef CONCORD_OPENVX_SHIM_H
#define CONCORD_OPENVX_SHIM_H

#include <stdlib.h>
#include <string.h>

#include "internal.h"

vx_status callKernel(vx_kernel_f f, vx_node node, vx_reference *params, vx_uint32 n);
vx_status callValidate(vx_kernel_validate_f f, vx_node node, vx_reference *params, vx_uint32 n, vx_meta_format *metas);
vx_action callNodeComplete(vx_nodecomplete_f f, vx_node node);
vx_status callPublish(vx_publish_kernels_f f, vx_context context);
void callLog(vx_log_callback_f f, vx_context context, vx_reference reference, vx_status status, vx_char *message);

#endif
