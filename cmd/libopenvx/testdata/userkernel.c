/* A kernel of the application: its functions are called with living objects, and call the library themselves. */
#include "check.h"

static int validated, initialized, ran, deinitialized, completed, logged;
static vx_action completion = VX_ACTION_CONTINUE;
static vx_status outcome = VX_SUCCESS;

static vx_status VX_CALLBACK validate(vx_node node, const vx_reference params[], vx_uint32 n, vx_meta_format metas[])
{
    vx_uint32 count = 0;
    vx_size dims[4] = {0}, rank = 0;
    vx_enum type = 0;

    validated++;
    OK(vxQueryNode(node, VX_NODE_PARAMETERS, &count, sizeof count));
    CHECK(count == 3 && n == 3 && params[1] == NULL);
    CHECK(metas[2] != NULL);
    OK(vxQueryTensor((vx_tensor)params[0], VX_TENSOR_NUMBER_OF_DIMS, &rank, sizeof rank));
    OK(vxQueryTensor((vx_tensor)params[0], VX_TENSOR_DIMS, dims, rank * sizeof *dims));
    OK(vxQueryTensor((vx_tensor)params[0], VX_TENSOR_DATA_TYPE, &type, sizeof type));
    vx_int8 fixed = 8;
    vx_enum other = VX_TYPE_INT16;
    OK(vxSetMetaFormatAttribute(metas[2], VX_TENSOR_DATA_TYPE, &other, sizeof other));
    OK(vxSetMetaFormatAttribute(metas[2], VX_TENSOR_FIXED_POINT_POSITION, &fixed, sizeof fixed));
    other = VX_TYPE_UINT8; /* which has no such position */
    OK(vxSetMetaFormatAttribute(metas[2], VX_TENSOR_DATA_TYPE, &other, sizeof other));
    fixed = 0;
    OK(vxSetMetaFormatAttribute(metas[2], VX_TENSOR_DATA_TYPE, &type, sizeof type));
    OK(vxSetMetaFormatAttribute(metas[2], VX_TENSOR_NUMBER_OF_DIMS, &rank, sizeof rank));
    OK(vxSetMetaFormatAttribute(metas[2], VX_TENSOR_DIMS, dims, rank * sizeof *dims));
    OK(vxSetMetaFormatAttribute(metas[2], VX_TENSOR_FIXED_POINT_POSITION, &fixed, sizeof fixed));
    return VX_SUCCESS;
}

static vx_status VX_CALLBACK initialize(vx_node node, const vx_reference *params, vx_uint32 n)
{
    vx_size size = 0;
    int *data = NULL;

    (void)params;
    (void)n;
    initialized++;
    OK(vxQueryNode(node, VX_NODE_LOCAL_DATA_SIZE, &size, sizeof size));
    OK(vxQueryNode(node, VX_NODE_LOCAL_DATA_PTR, &data, sizeof data));
    CHECK(size == sizeof *data && data != NULL);
    if (data) {
        CHECK(*data == 0);
        *data = 42;
    }
    return VX_SUCCESS;
}

static vx_status VX_CALLBACK deinitialize(vx_node node, const vx_reference *params, vx_uint32 n)
{
    (void)node;
    (void)params;
    (void)n;
    deinitialized++;
    return VX_SUCCESS;
}

static vx_status VX_CALLBACK run(vx_node node, const vx_reference *params, vx_uint32 n)
{
    vx_uint8 values[4];
    vx_size start[1] = {0}, end[1] = {4}, stride[1] = {1};
    int *data = NULL;

    ran++;
    CHECK(n == 3);
    OK(vxQueryNode(node, VX_NODE_LOCAL_DATA_PTR, &data, sizeof data));
    CHECK(data && *data == 42);
    OK(vxCopyTensorPatch((vx_tensor)params[0], 1, start, end, stride, values, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
    for (int i = 0; i < 4; i++)
        values[i] = (vx_uint8)(2 * values[i]);
    OK(vxCopyTensorPatch((vx_tensor)params[2], 1, start, end, stride, values, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
    if (outcome != VX_SUCCESS)
        vxAddLogEntry((vx_reference)node, outcome, "the %s fails with %d", "kernel", outcome);
    return outcome;
}

static vx_action VX_CALLBACK complete(vx_node node)
{
    vx_status status = VX_FAILURE;
    completed++;
    OK(vxQueryNode(node, VX_NODE_STATUS, &status, sizeof status));
    CHECK(status == VX_SUCCESS);
    return completion;
}

static void VX_CALLBACK entry(vx_context context, vx_reference reference, vx_status status, const vx_char text[])
{
    CHECK(vxGetContext(reference) == context);
    if (status == -2000)
        logged += strcmp(text, "the kernel fails with -2000") == 0;
    show(context, reference, status, text);
}

int main(void)
{
    vx_context context = vxCreateContext();
    OK(STATUS(context));
    vxRegisterLogCallback(context, entry, vx_true_e);
    vx_uint32 before = references(context);

    vx_enum id = 0;
    OK(vxAllocateUserKernelId(context, &id));
    vx_kernel kernel = vxAddUserKernel(context, "app.test.double", id, run, 3, validate, initialize, deinitialize);
    OK(STATUS(kernel));
    OK(vxAddParameterToKernel(kernel, 0, VX_INPUT, VX_TYPE_TENSOR, VX_PARAMETER_STATE_REQUIRED));
    OK(vxAddParameterToKernel(kernel, 1, VX_INPUT, VX_TYPE_SCALAR, VX_PARAMETER_STATE_OPTIONAL));
    OK(vxAddParameterToKernel(kernel, 2, VX_OUTPUT, VX_TYPE_TENSOR, VX_PARAMETER_STATE_REQUIRED));
    CHECK(vxAddParameterToKernel(kernel, 3, VX_INPUT, VX_TYPE_TENSOR, VX_PARAMETER_STATE_REQUIRED) != VX_SUCCESS);
    vx_size size = sizeof(int);
    OK(vxSetKernelAttribute(kernel, VX_KERNEL_LOCAL_DATA_SIZE, &size, sizeof size));
    OK(vxFinalizeKernel(kernel));
    vx_char name[VX_MAX_KERNEL_NAME];
    OK(vxQueryKernel(kernel, VX_KERNEL_NAME, name, sizeof name));
    CHECK(strcmp(name, "app.test.double") == 0);
    vx_kernel found = vxGetKernelByName(context, "app.test.double");
    OK(STATUS(found));
    OK(vxReleaseKernel(&found));

    vx_size dims[1] = {4}, start[1] = {0}, stride[1] = {1};
    vx_uint8 values[4] = {1, 2, 3, 4};
    vx_tensor in = vxCreateTensor(context, 1, dims, VX_TYPE_UINT8, 0);
    vx_tensor out = vxCreateTensor(context, 1, dims, VX_TYPE_UINT8, 0);
    OK(vxCopyTensorPatch(in, 1, start, dims, stride, values, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
    vx_graph graph = vxCreateGraph(context);
    vx_tensor middle = vxCreateVirtualTensor(graph, 0, NULL, VX_TYPE_UINT8, 0);
    vx_node node = vxCreateGenericNode(graph, kernel);
    OK(STATUS(node));
    OK(vxSetParameterByIndex(node, 0, (vx_reference)in));
    OK(vxSetParameterByIndex(node, 2, (vx_reference)middle));
    vx_node next = vxTensorAddNode(graph, middle, in, VX_CONVERT_POLICY_SATURATE, out);
    OK(STATUS(next));
    OK(vxAssignNodeCallback(next, complete));
    CHECK(vxRetrieveNodeCallback(next) == complete && vxRetrieveNodeCallback(node) == NULL);
    vx_parameter parameter = vxGetParameterByIndex(node, 0);
    OK(STATUS(parameter));
    vx_reference reference = NULL;
    OK(vxQueryParameter(parameter, VX_PARAMETER_REF, &reference, sizeof reference));
    CHECK(reference == (vx_reference)in);
    OK(vxReleaseReference(&reference));
    OK(vxReleaseParameter(&parameter));

    OK(vxVerifyGraph(graph));
    OK(vxProcessGraph(graph));
    OK(vxProcessGraph(graph));
    OK(vxCopyTensorPatch(out, 1, start, dims, stride, values, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
    CHECK(values[0] == 3 && values[3] == 12);
    CHECK(validated == 1 && initialized == 1 && ran == 2 && completed == 2 && deinitialized == 0);

    completion = VX_ACTION_ABANDON;
    CHECK_STATUS(vxProcessGraph(graph), VX_ERROR_GRAPH_ABANDONED);
    completion = VX_ACTION_CONTINUE;
    outcome = -2000;
    CHECK(vxProcessGraph(graph) != VX_SUCCESS);
    CHECK(logged == 1);

    OK(vxReleaseNode(&node));
    OK(vxReleaseNode(&next));
    OK(vxReleaseTensor(&middle));
    OK(vxReleaseGraph(&graph));
    CHECK(deinitialized == 1);
    OK(vxReleaseTensor(&in));
    OK(vxReleaseTensor(&out));
    OK(vxRemoveKernel(kernel));
    CHECK(references(context) == before);
    OK(vxReleaseContext(&context));
    return finish("userkernel");
}
