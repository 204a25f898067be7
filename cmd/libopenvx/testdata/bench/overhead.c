/* What a call costs apart from its work: overhead COUNT prints the nanoseconds of a query and of running a graph of one small node. */
#include "../check.h"

#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    long count = argc > 1 ? atol(argv[1]) : 100000;
    vx_context context = vxCreateContext();
    vx_graph graph = vxCreateGraph(context);
    vx_size dims[1] = {16}, rank = 0;
    vx_tensor a = vxCreateTensor(context, 1, dims, VX_TYPE_UINT8, 0), b = vxCreateTensor(context, 1, dims, VX_TYPE_UINT8, 0);
    vx_node node = vxTensorAddNode(graph, a, a, VX_CONVERT_POLICY_SATURATE, b);
    OK(STATUS(node));
    OK(vxVerifyGraph(graph));
    OK(vxProcessGraph(graph));

    double start = now();
    for (long i = 0; i < count; i++)
        OK(vxQueryTensor(a, VX_TENSOR_NUMBER_OF_DIMS, &rank, sizeof rank));
    double queried = now();
    for (long i = 0; i < count; i++)
        OK(vxProcessGraph(graph));
    double processed = now();
    printf("%g %g\n", (queried - start) / (double)count, (processed - queried) / (double)count);
    OK(vxReleaseContext(&context));
    return failures != 0;
}
