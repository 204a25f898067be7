/* A graph of two nodes: values, attributes, views, maps, and that nothing is left over. */
#include "check.h"

int main(void)
{
    vx_context context = vxCreateContext();
    OK(STATUS(context));
    vxRegisterLogCallback(context, show, vx_false_e);
    vx_uint32 before = references(context);

    vx_size dims[2] = {4, 3};
    vx_tensor a = vxCreateTensor(context, 2, dims, VX_TYPE_INT16, 8);
    vx_tensor b = vxCreateTensor(context, 2, dims, VX_TYPE_INT16, 8);
    vx_tensor c = vxCreateTensor(context, 2, dims, VX_TYPE_INT16, 8);
    OK(STATUS(a));
    OK(STATUS(b));
    OK(STATUS(c));

    /* Attributes. */
    vx_size rank = 0, got[8] = {0};
    vx_enum type = 0;
    vx_int8 fixed = 0;
    OK(vxQueryTensor(a, VX_TENSOR_NUMBER_OF_DIMS, &rank, sizeof rank));
    OK(vxQueryTensor(a, VX_TENSOR_DIMS, got, sizeof got)); /* more room than needed */
    OK(vxQueryTensor(a, VX_TENSOR_DATA_TYPE, &type, sizeof type));
    OK(vxQueryTensor(a, VX_TENSOR_FIXED_POINT_POSITION, &fixed, sizeof fixed));
    CHECK(rank == 2 && got[0] == 4 && got[1] == 3 && type == VX_TYPE_INT16 && fixed == 8);
    CHECK_STATUS(vxQueryTensor(a, VX_TENSOR_DIMS, got, 8), VX_ERROR_INVALID_PARAMETERS);
    CHECK_STATUS(vxQueryTensor(a, VX_TENSOR_DATA_TYPE, &type, 8), VX_ERROR_INVALID_PARAMETERS);
    CHECK_STATUS(vxQueryTensor(a, VX_TENSOR_DATA_TYPE, NULL, 4), VX_ERROR_INVALID_PARAMETERS);
    CHECK_STATUS(vxQueryTensor(a, VX_GRAPH_STATE, &type, 4), VX_ERROR_NOT_SUPPORTED);
    OK(vxQueryReference((vx_reference)a, VX_REFERENCE_TYPE, &type, sizeof type));
    CHECK(type == VX_TYPE_TENSOR);
    vx_uint32 count = 0;
    OK(vxQueryReference((vx_reference)a, VX_REFERENCE_COUNT, &count, sizeof count));
    CHECK(count == 1);

    /* Names. */
    const vx_char *name = NULL;
    OK(vxSetReferenceName((vx_reference)a, "first"));
    OK(vxQueryReference((vx_reference)a, VX_REFERENCE_NAME, &name, sizeof name));
    CHECK(name && strcmp(name, "first") == 0);
    OK(vxSetReferenceName((vx_reference)a, NULL));
    OK(vxQueryReference((vx_reference)a, VX_REFERENCE_NAME, &name, sizeof name));
    CHECK(name && name[0] == 0);

    /* Values: row by row with a wide stride, which must leave the gap alone. */
    vx_int16 values[3][6];
    vx_size start[2] = {0, 0}, end[2] = {4, 3}, stride[2] = {2, 12};
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 6; x++)
            values[y][x] = (vx_int16)(256 * y + x);
    OK(vxCopyTensorPatch(a, 2, start, end, stride, values, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
    OK(vxCopyTensorPatch(b, 2, start, end, stride, values, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));

    vx_graph graph = vxCreateGraph(context);
    OK(STATUS(graph));
    vx_tensor sum = vxCreateVirtualTensor(graph, 0, NULL, VX_TYPE_INT16, 8);
    OK(STATUS(sum));
    vx_node add = vxTensorAddNode(graph, a, b, VX_CONVERT_POLICY_SATURATE, sum);
    vx_node relu = vxActivationLayer(graph, sum, VX_NN_ACTIVATION_RELU, 0, 0, c);
    OK(STATUS(add));
    OK(STATUS(relu));
    char endless[300];
    memset(endless, 'x', sizeof endless);
    OK(vxSetNodeTarget(add, VX_TARGET_ANY, endless));
    OK(vxSetNodeTarget(add, VX_TARGET_STRING, "any"));
    CHECK(vxSetNodeTarget(add, VX_TARGET_STRING, endless) == VX_ERROR_INVALID_PARAMETERS);
    CHECK(vxIsGraphVerified(graph) == vx_false_e);
    OK(vxVerifyGraph(graph));
    CHECK(vxIsGraphVerified(graph) == vx_true_e);
    OK(vxQueryTensor(sum, VX_TENSOR_DIMS, got, 2 * sizeof *got));
    CHECK(got[0] == 4 && got[1] == 3);
    OK(vxProcessGraph(graph));
    OK(vxScheduleGraph(graph));
    OK(vxWaitGraph(graph));
    vx_enum state = 0;
    OK(vxQueryGraph(graph, VX_GRAPH_STATE, &state, sizeof state));
    CHECK(state == VX_GRAPH_STATE_COMPLETED);

    /* Results, through a copy, a map and a view. */
    memset(values, 0x55, sizeof values);
    OK(vxCopyTensorPatch(c, 2, start, end, stride, values, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 6; x++)
            CHECK(values[y][x] == (x < 4 ? 2 * (256 * y + x) : 0x5555));
    vx_map_id id = 0;
    vx_size from[2] = {1, 1}, to[2] = {3, 3}, steps[2] = {0, 0};
    vx_uint8 *p = NULL;
    OK(vxMapTensorPatch(c, 2, from, to, &id, steps, (void **)&p, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
    CHECK(steps[0] == 2 && p != NULL);
    CHECK(p && *(vx_int16 *)(p + steps[0] + steps[1]) == 2 * (256 * 2 + 2));
    OK(vxUnmapTensorPatch(c, id));
    CHECK_STATUS(vxUnmapTensorPatch(c, id), VX_ERROR_INVALID_PARAMETERS);
    vx_tensor view = vxCreateTensorFromView(c, 2, from, to);
    OK(STATUS(view));
    vx_int16 corner[4] = {0};
    vx_size zero[2] = {0, 0}, two[2] = {2, 2}, dense[2] = {2, 4};
    OK(vxCopyTensorPatch(view, 2, zero, two, dense, corner, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
    CHECK(corner[0] == 2 * 257 && corner[3] == 2 * (256 * 2 + 2));

    /* The end. */
    OK(vxReleaseTensor(&view));
    OK(vxReleaseNode(&add));
    OK(vxReleaseNode(&relu));
    OK(vxReleaseTensor(&sum));
    OK(vxReleaseGraph(&graph));
    OK(vxReleaseTensor(&a));
    OK(vxReleaseTensor(&b));
    OK(vxReleaseTensor(&c));
    CHECK(view == NULL && add == NULL && graph == NULL && a == NULL);
    CHECK(references(context) == before);
    OK(vxReleaseContext(&context));
    CHECK(context == NULL);
    return finish("graph");
}
