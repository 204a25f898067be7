/* Threads of C use the library at once: each a context of its own, then all one context. */
#include "check.h"

#include <pthread.h>

enum { THREADS = 8, ROUNDS = 50 };

static void *work(void *argument)
{
    vx_context context = argument ? (vx_context)argument : vxCreateContext();

    OK(STATUS(context));
    for (int i = 0; i < ROUNDS; i++) {
        vx_size dims[1] = {64}, start[1] = {0}, stride[1] = {1};
        vx_uint8 values[64];
        memset(values, i + 1, sizeof values);
        vx_graph graph = vxCreateGraph(context);
        vx_tensor a = vxCreateTensor(context, 1, dims, VX_TYPE_UINT8, 0);
        vx_tensor b = vxCreateTensor(context, 1, dims, VX_TYPE_UINT8, 0);
        OK(vxCopyTensorPatch(a, 1, start, dims, stride, values, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
        vx_node node = vxTensorAddNode(graph, a, a, VX_CONVERT_POLICY_SATURATE, b);
        OK(STATUS(node));
        OK(vxProcessGraph(graph));
        OK(vxScheduleGraph(graph));
        OK(vxWaitGraph(graph));
        OK(vxCopyTensorPatch(b, 1, start, dims, stride, values, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
        CHECK(values[0] == 2 * (i + 1) && values[63] == 2 * (i + 1));
        OK(vxReleaseNode(&node));
        OK(vxReleaseTensor(&a));
        OK(vxReleaseTensor(&b));
        OK(vxReleaseGraph(&graph));
    }
    if (!argument)
        OK(vxReleaseContext(&context));
    return NULL;
}

static void run(vx_context context)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, context) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
}

int main(void)
{
    run(NULL);
    vx_context context = vxCreateContext();
    vx_uint32 before = references(context);
    run(context);
    CHECK(references(context) == before);
    OK(vxReleaseContext(&context));
    return finish("threads");
}
