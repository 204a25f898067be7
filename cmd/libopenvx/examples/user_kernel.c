/* A kernel of the application in a graph: relu with a slope for negative numbers, behind an addition.
 *
 *     cc user_kernel.c $(pkg-config --cflags --libs openvx) && ./a.out
 */

#include "example.h"
#include <VX/vx_khr_nn.h>

enum { COUNT = 8 };

/* run is called when the graph runs. The parameters are those of the node: input, slope, output. */
static vx_status VX_CALLBACK run(vx_node node, const vx_reference *parameters, vx_uint32 num) {
    (void)node, (void)num;
    vx_float32 slope;
    vx_map_id in_id, out_id;
    vx_size in_stride, out_stride, start = 0, end;
    void *in, *out;
    vx_status status = vxQueryTensor((vx_tensor)parameters[0], VX_TENSOR_DIMS, &end, sizeof end);
    if (status == VX_SUCCESS) {
        status = vxCopyScalar((vx_scalar)parameters[1], &slope, VX_READ_ONLY, VX_MEMORY_TYPE_HOST);
    }
    if (status == VX_SUCCESS) {
        status = vxMapTensorPatch((vx_tensor)parameters[0], 1, &start, &end, &in_id, &in_stride, &in, VX_READ_ONLY,
                                  VX_MEMORY_TYPE_HOST);
    }
    if (status != VX_SUCCESS) {
        return status;
    }
    status = vxMapTensorPatch((vx_tensor)parameters[2], 1, &start, &end, &out_id, &out_stride, &out, VX_WRITE_ONLY,
                              VX_MEMORY_TYPE_HOST);
    if (status == VX_SUCCESS) {
        for (vx_size i = 0; i < end; i++) {
            vx_int16 x = *(vx_int16 *)((char *)in + i * in_stride);
            *(vx_int16 *)((char *)out + i * out_stride) = x < 0 ? (vx_int16)(x * slope) : x;
        }
        status = vxUnmapTensorPatch((vx_tensor)parameters[2], out_id);
    }
    vxUnmapTensorPatch((vx_tensor)parameters[0], in_id);
    return status;
}

/* validate is called when the graph is verified. It says what the output is like. */
static vx_status VX_CALLBACK validate(vx_node node, const vx_reference *parameters, vx_uint32 num, vx_meta_format *metas) {
    (void)node, (void)num;
    vx_enum type;
    vx_size rank;
    CHECK(vxQueryTensor((vx_tensor)parameters[0], VX_TENSOR_NUMBER_OF_DIMS, &rank, sizeof rank));
    CHECK(vxQueryTensor((vx_tensor)parameters[0], VX_TENSOR_DATA_TYPE, &type, sizeof type));
    if (rank != 1 || type != VX_TYPE_INT16) {
        vxAddLogEntry((vx_reference)node, VX_ERROR_INVALID_FORMAT, "the input has rank %zu and type %d", (size_t)rank, (int)type);
        return VX_ERROR_INVALID_FORMAT;
    }
    return vxSetMetaFormatFromReference(metas[2], parameters[0]);
}

int main(void) {
    vx_context context = open_context();

    vx_enum id;
    CHECK(vxAllocateUserKernelId(context, &id));
    vx_kernel kernel = MADE(vx_kernel, vxAddUserKernel(context, "org.example.leaky_relu", id, run, 3, validate, NULL, NULL));
    CHECK(vxAddParameterToKernel(kernel, 0, VX_INPUT, VX_TYPE_TENSOR, VX_PARAMETER_STATE_REQUIRED));
    CHECK(vxAddParameterToKernel(kernel, 1, VX_INPUT, VX_TYPE_SCALAR, VX_PARAMETER_STATE_REQUIRED));
    CHECK(vxAddParameterToKernel(kernel, 2, VX_OUTPUT, VX_TYPE_TENSOR, VX_PARAMETER_STATE_REQUIRED));
    CHECK(vxFinalizeKernel(kernel));

    vx_graph graph = MADE(vx_graph, vxCreateGraph(context));
    vx_size dims[] = {COUNT};
    vx_int16 numbers[COUNT] = {-400, -300, -200, -100, 0, 100, 200, 300}, hundred[COUNT], results[COUNT];
    for (int i = 0; i < COUNT; i++) {
        hundred[i] = 100;
    }
    vx_tensor a = MADE(vx_tensor, vxCreateTensor(context, 1, dims, VX_TYPE_INT16, 8));
    vx_tensor b = MADE(vx_tensor, vxCreateTensor(context, 1, dims, VX_TYPE_INT16, 8));
    vx_tensor sum = MADE(vx_tensor, vxCreateVirtualTensor(graph, 1, dims, VX_TYPE_INT16, 8));
    vx_tensor out = MADE(vx_tensor, vxCreateTensor(context, 1, dims, VX_TYPE_INT16, 8));
    copy(a, numbers, sizeof *numbers, VX_WRITE_ONLY);
    copy(b, hundred, sizeof *hundred, VX_WRITE_ONLY);

    MADE(vx_node, vxTensorAddNode(graph, a, b, VX_CONVERT_POLICY_SATURATE, sum));
    vx_node node = MADE(vx_node, vxCreateGenericNode(graph, kernel));
    vx_float32 slope = 0.25f;
    vx_scalar scalar = MADE(vx_scalar, vxCreateScalar(context, VX_TYPE_FLOAT32, &slope));
    CHECK(vxSetParameterByIndex(node, 0, (vx_reference)sum));
    CHECK(vxSetParameterByIndex(node, 1, (vx_reference)scalar));
    CHECK(vxSetParameterByIndex(node, 2, (vx_reference)out));

    CHECK(vxProcessGraph(graph)); /* verifies it first */
    copy(out, results, sizeof *results, VX_READ_ONLY);
    for (int i = 0; i < COUNT; i++) {
        printf("%d + %d -> %d\n", numbers[i], hundred[i], results[i]);
    }
    CHECK(vxReleaseContext(&context)); /* and all that is in it */
    return 0;
}
