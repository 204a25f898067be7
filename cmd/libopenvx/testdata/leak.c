/* Builds, runs and releases everything again and again: what the process holds must not grow. argv: how many times. */
#include "check.h"

#include <unistd.h>

static long resident(void)
{
    long pages = 0, all = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f) {
        if (fscanf(f, "%ld %ld", &all, &pages) != 2)
            pages = 0;
        fclose(f);
    }
    return pages * sysconf(_SC_PAGESIZE) / 1024;
}

static vx_size dims[2] = {64, 64}, start[2] = {0, 0}, stride[2] = {1, 64};
static vx_uint8 values[64 * 64];

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

static vx_action VX_CALLBACK complete(vx_node node)
{
    (void)node;
    return VX_ACTION_CONTINUE;
}

static void objects(vx_context context)
{
    vx_uint8 value = 1;
    vx_tensor t = vxCreateTensor(context, 2, dims, VX_TYPE_UINT8, 0);
    vx_tensor view = vxCreateTensorFromView(t, 2, start, dims);
    vx_scalar s = vxCreateScalar(context, VX_TYPE_UINT8, &value);
    vx_lut lut = vxCreateLUT(context, VX_TYPE_UINT8, 256);
    vx_delay delay = vxCreateDelay(context, (vx_reference)t, 3);
    OK(vxCopyTensorPatch(t, 2, start, dims, stride, values, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
    OK(vxAgeDelay(delay));
    OK(vxSetReferenceName((vx_reference)t, "named"));
    CHECK(STATUS(vxCreateTensor(context, 0, dims, VX_TYPE_UINT8, 0)) != VX_SUCCESS);
    OK(vxReleaseDelay(&delay));
    OK(vxReleaseLUT(&lut));
    OK(vxReleaseScalar(&s));
    OK(vxReleaseTensor(&t));
    OK(vxReleaseTensor(&view));
}

static void graphs(vx_context context)
{
    vx_graph g = vxCreateGraph(context);
    vx_tensor a = vxCreateTensor(context, 2, dims, VX_TYPE_UINT8, 0), b = vxCreateTensor(context, 2, dims, VX_TYPE_UINT8, 0);
    vx_tensor v = vxCreateVirtualTensor(g, 0, NULL, VX_TYPE_UINT8, 0), w = vxCreateVirtualTensor(g, 2, dims, VX_TYPE_UINT8, 0);
    vx_kernel kernel = vxGetKernelByName(context, "app.leak");
    vx_node node = vxCreateGenericNode(g, kernel);
    OK(vxSetParameterByIndex(node, 0, (vx_reference)v));
    OK(vxSetParameterByIndex(node, 1, (vx_reference)w));
    OK(vxAssignNodeCallback(node, complete));
    OK(vxReleaseNode(&node));
    OK(vxReleaseKernel(&kernel));
    node = vxTensorAddNode(g, a, a, VX_CONVERT_POLICY_WRAP, v);
    vx_parameter p = vxGetParameterByIndex(node, 0);
    OK(vxAddParameterToGraph(g, p));
    OK(vxReleaseParameter(&p));
    OK(vxReleaseNode(&node));
    node = vxActivationLayer(g, w, VX_NN_ACTIVATION_RELU, 0, 0, b); /* its handle goes with the graph */
    OK(STATUS(node));
    OK(vxReleaseTensor(&v));
    OK(vxReleaseTensor(&w));
    OK(vxProcessGraph(g));
    OK(vxScheduleGraph(g));
    OK(vxWaitGraph(g));
    OK(vxuTensorAdd(context, a, a, VX_CONVERT_POLICY_WRAP, b));
    OK(vxReleaseTensor(&a));
    OK(vxReleaseTensor(&b));
    OK(vxReleaseGraph(&g));
}

static void contexts(vx_context unused)
{
    (void)unused;
    vx_context context = vxCreateContext();
    vx_tensor left = vxCreateTensor(context, 2, dims, VX_TYPE_UINT8, 0);
    OK(vxCopyTensorPatch(left, 2, start, dims, stride, values, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
    vx_graph g = vxCreateGraph(context);
    OK(STATUS(g));
    vxRegisterLogCallback(context, show, vx_false_e);
    CHECK(STATUS(vxCreateGenericNode(g, NULL)) != VX_SUCCESS);
    OK(vxReleaseContext(&context)); /* what was not released goes with it */
}

static void cycles(const char *name, void (*once)(vx_context), vx_context context, int n)
{
    vx_uint32 before = context ? references(context) : 0;
    for (int i = 0; i < n / 4; i++)
        once(context);
    long begin = resident();
    for (int i = 0; i < n; i++)
        once(context);
    long end = resident();
    if (getenv("SHOW_LOG"))
        printf("%s: %ld KiB, then %ld KiB\n", name, begin, end);
#ifndef __SANITIZE_ADDRESS__ /* which keeps memory that is freed, and finds what is not by itself */
    if (end - begin > 24 * 1024) {
        printf("%s: %d cycles let the process grow from %ld to %ld KiB\n", name, n, begin, end);
        failures++;
    }
#endif
    if (context)
        CHECK(references(context) == before);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 4000;
    vx_context context = vxCreateContext();
    vx_enum id = 0;
    OK(vxAllocateUserKernelId(context, &id));
    vx_kernel kernel = vxAddUserKernel(context, "app.leak", id, run, 2, validate, NULL, NULL);
    OK(vxAddParameterToKernel(kernel, 0, VX_INPUT, VX_TYPE_TENSOR, VX_PARAMETER_STATE_REQUIRED));
    OK(vxAddParameterToKernel(kernel, 1, VX_OUTPUT, VX_TYPE_TENSOR, VX_PARAMETER_STATE_REQUIRED));
    OK(vxFinalizeKernel(kernel));
    cycles("objects", objects, context, n);
    cycles("graphs", graphs, context, n / 4);
    cycles("contexts", contexts, NULL, n / 4);
    OK(vxRemoveKernel(kernel));
    OK(vxReleaseContext(&context));
    return finish("leak");
}
