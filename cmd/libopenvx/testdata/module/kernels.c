/* A library with one kernel, for vxLoadKernels. */
#include <VX/vx.h>

static vx_status VX_CALLBACK validate(vx_node node, const vx_reference params[], vx_uint32 n, vx_meta_format metas[])
{
    (void)node;
    (void)n;
    return vxSetMetaFormatFromReference(metas[1], params[0]);
}

static vx_status VX_CALLBACK run(vx_node node, const vx_reference *params, vx_uint32 n)
{
    (void)node;
    (void)params;
    (void)n;
    return VX_SUCCESS;
}

vx_status VX_API_CALL vxPublishKernels(vx_context context);
vx_status VX_API_CALL vxUnpublishKernels(vx_context context);

vx_status VX_API_CALL vxPublishKernels(vx_context context)
{
    vx_enum id = 0;
    vx_status status = vxAllocateUserKernelId(context, &id);
    if (status != VX_SUCCESS)
        return status;
    vx_kernel kernel = vxAddUserKernel(context, "test.module.nothing", id, run, 2, validate, NULL, NULL);
    status = vxGetStatus((vx_reference)kernel);
    if (status == VX_SUCCESS)
        status = vxAddParameterToKernel(kernel, 0, VX_INPUT, VX_TYPE_TENSOR, VX_PARAMETER_STATE_REQUIRED);
    if (status == VX_SUCCESS)
        status = vxAddParameterToKernel(kernel, 1, VX_OUTPUT, VX_TYPE_TENSOR, VX_PARAMETER_STATE_REQUIRED);
    if (status == VX_SUCCESS)
        status = vxFinalizeKernel(kernel);
    if (status == VX_SUCCESS)
        status = vxReleaseKernel(&kernel);
    return status;
}

vx_status VX_API_CALL vxUnpublishKernels(vx_context context)
{
    vx_kernel kernel = vxGetKernelByName(context, "test.module.nothing");
    vx_status status = vxGetStatus((vx_reference)kernel);
    if (status == VX_SUCCESS)
        status = vxRemoveKernel(kernel);
    return status;
}
