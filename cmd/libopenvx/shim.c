#include "shim.h"

#include <stdarg.h>
#include <stdio.h>

#include "_cgo_export.h"

vx_status callKernel(vx_kernel_f f, vx_node node, vx_reference *params, vx_uint32 n)
{
    return f(node, params, n);
}

vx_status callValidate(vx_kernel_validate_f f, vx_node node, vx_reference *params, vx_uint32 n, vx_meta_format *metas)
{
    return f(node, params, n, metas);
}

vx_action callNodeComplete(vx_nodecomplete_f f, vx_node node)
{
    return f(node);
}

vx_status callPublish(vx_publish_kernels_f f, vx_context context)
{
    return f(context);
}

void callLog(vx_log_callback_f f, vx_context context, vx_reference reference, vx_status status, vx_char *message)
{
    f(context, reference, status, message);
}

/* Go cannot take a variable number of arguments. */
void vxAddLogEntry(vx_reference reference, vx_status status, char *format, ...)
{
    char message[VX_MAX_LOG_MESSAGE_LEN] = "";
    va_list args;

    if (format == NULL)
        return;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    concordAddLogEntry(reference, status, message);
}

void *vxFormatImagePatchAddress2d(void *ptr, vx_uint32 x, vx_uint32 y, vx_imagepatch_addressing_t *addr)
{
    if (ptr == NULL || addr == NULL || addr->step_x == 0 || addr->step_y == 0)
        return NULL;
    return (vx_uint8 *)ptr + (ptrdiff_t)addr->stride_y * (y / addr->step_y) + (ptrdiff_t)addr->stride_x * (x / addr->step_x);
}
