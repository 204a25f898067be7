/* Threads that disturb each other: all of them use the same graphs, tensors, delays, kernels and log of one context. Every call answers
 * with a status, and in the end nothing is left. argv: how many calls a thread makes. */
#include "check.h"

#include <pthread.h>

enum { THREADS = 6, GRAPHS = 3, ELEMENTS = 64 };

static vx_context context;
static vx_graph graphs[GRAPHS];
static vx_tensor tensors[GRAPHS + 1];
static vx_delay delay;
static int rounds = 300;
static vx_size dims[1] = {ELEMENTS}, start[1] = {0}, stride[1] = {1};

static vx_status VX_CALLBACK validate(vx_node node, const vx_reference params[], vx_uint32 n, vx_meta_format metas[])
{
    (void)node;
    (void)n;
    return vxSetMetaFormatFromReference(metas[1], params[0]);
}

static vx_status VX_CALLBACK run(vx_node node, const vx_reference *params, vx_uint32 n)
{
    vx_uint8 values[ELEMENTS];
    (void)node;
    (void)n;
    vx_status status = vxCopyTensorPatch((vx_tensor)params[0], 1, start, dims, stride, values, VX_READ_ONLY, VX_MEMORY_TYPE_HOST);
    if (status == VX_SUCCESS)
        status = vxCopyTensorPatch((vx_tensor)params[1], 1, start, dims, stride, values, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST);
    return status;
}

static void VX_CALLBACK entry(vx_context c, vx_reference reference, vx_status status, const vx_char text[])
{
    CHECK(c == context && strlen(text) < VX_MAX_LOG_MESSAGE_LEN);
    show(c, reference, status, text);
}

/* The statuses that a call may have when others interfere. */
static void expect(int line, vx_status status)
{
    switch (status) {
    case VX_SUCCESS:
    case VX_FAILURE:                 /* nothing was scheduled, or a patch is mapped */
    case VX_ERROR_GRAPH_SCHEDULED:
    case VX_ERROR_INVALID_REFERENCE: /* another thread has released it */
        break;
    default:
        printf("stress.c:%d: status %d\n", line, status);
        failures++;
    }
}
#define ANY(call) expect(__LINE__, call)

static void *work(void *argument)
{
    unsigned seed = (unsigned)(vx_size)argument * 2654435761u + 1;
    for (int i = 0; i < rounds; i++) {
        seed = seed * 1664525u + 1013904223u;
        unsigned r = seed >> 16;
        vx_graph g = graphs[r % GRAPHS];
        vx_tensor t = tensors[r / 8 % (GRAPHS + 1)];
        switch (r / 64 % 12) {
        case 0: ANY(vxProcessGraph(g)); break;
        case 1: ANY(vxScheduleGraph(g)); break;
        case 2: ANY(vxWaitGraph(g)); break;
        case 3: ANY(vxVerifyGraph(g)); break;
        case 4: { /* a parameter is exchanged for another tensor of the same format, which goes away but for the graph */
            vx_tensor fresh = vxCreateTensor(context, 1, dims, VX_TYPE_UINT8, 0);
            ANY(vxSetGraphParameterByIndex(g, 0, (vx_reference)fresh));
            OK(vxReleaseTensor(&fresh));
            break;
        }
        case 5: {
            vx_size strides[1];
            vx_map_id id = 0;
            void *p = NULL;
            vx_status status = vxMapTensorPatch(t, 1, NULL, NULL, &id, strides, &p, VX_READ_ONLY, VX_MEMORY_TYPE_HOST);
            if (status == VX_SUCCESS) {
                CHECK(p != NULL && strides[0] == 1);
                OK(vxUnmapTensorPatch(t, id));
            } else
                CHECK_STATUS(status, VX_ERROR_INVALID_PARAMETERS);
            break;
        }
        case 6: ANY(vxAgeDelay(delay)); break;
        case 7: { /* a graph of its own, on tensors of all */
            vx_graph own = vxCreateGraph(context);
            vx_tensor to = vxCreateVirtualTensor(own, 1, dims, VX_TYPE_UINT8, 0), end = vxCreateTensor(context, 1, dims, VX_TYPE_UINT8, 0);
            vx_node a = vxTensorAddNode(own, tensors[0], tensors[0], VX_CONVERT_POLICY_WRAP, to);
            vx_node b = vxActivationLayer(own, to, VX_NN_ACTIVATION_RELU, 0, 0, end);
            ANY(vxProcessGraph(own));
            OK(vxReleaseTensor(&to));
            if (r & 1)
                OK(vxReleaseNode(&a));
            OK(vxReleaseGraph(&own));
            CHECK_STATUS(vxReleaseNode(&b), VX_ERROR_INVALID_REFERENCE);
            OK(vxReleaseTensor(&end));
            break;
        }
        case 8: { /* one that is released while it runs */
            vx_graph own = vxCreateGraph(context);
            vx_tensor end = vxCreateTensor(context, 1, dims, VX_TYPE_UINT8, 0);
            vx_node a = vxTensorAddNode(own, tensors[0], tensors[0], VX_CONVERT_POLICY_WRAP, end);
            OK(vxReleaseTensor(&end));
            OK(vxReleaseNode(&a));
            ANY(vxScheduleGraph(own));
            OK(vxReleaseGraph(&own));
            break;
        }
        case 9: { /* references to the same object */
            vx_reference again = (vx_reference)t;
            OK(vxRetainReference(again));
            vx_uint32 count = 0;
            OK(vxQueryReference(again, VX_REFERENCE_COUNT, &count, sizeof count));
            CHECK(count >= 2 && count <= THREADS + 1);
            OK(vxReleaseReference(&again));
            break;
        }
        case 10: {
            vx_kernel kernel = vxGetKernelByName(context, "app.stress");
            OK(STATUS(kernel));
            OK(vxReleaseKernel(&kernel));
            OK(vxSetReferenceName((vx_reference)t, r & 1 ? "one" : "other"));
            vxAddLogEntry((vx_reference)t, VX_FAILURE, "entry %d", i);
            break;
        }
        case 11: { /* several release the same reference: one of them succeeds */
            vx_tensor mine = vxCreateTensor(context, 1, dims, VX_TYPE_UINT8, 0), twice = mine;
            vx_tensor view = vxCreateTensorFromView(mine, 1, start, dims);
            OK(vxReleaseTensor(&mine));
            CHECK_STATUS(vxReleaseTensor(&twice), VX_ERROR_INVALID_REFERENCE);
            OK(vxReleaseTensor(&view));
            break;
        }
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        rounds = atoi(argv[1]);
    context = vxCreateContext();
    OK(STATUS(context));
    vxRegisterLogCallback(context, entry, vx_true_e);
    vx_uint32 before = references(context);
    vx_enum id = 0;
    OK(vxAllocateUserKernelId(context, &id));
    vx_kernel kernel = vxAddUserKernel(context, "app.stress", id, run, 2, validate, NULL, NULL);
    OK(vxAddParameterToKernel(kernel, 0, VX_INPUT, VX_TYPE_TENSOR, VX_PARAMETER_STATE_REQUIRED));
    OK(vxAddParameterToKernel(kernel, 1, VX_OUTPUT, VX_TYPE_TENSOR, VX_PARAMETER_STATE_REQUIRED));
    OK(vxFinalizeKernel(kernel));
    for (int i = 0; i <= GRAPHS; i++)
        tensors[i] = vxCreateTensor(context, 1, dims, VX_TYPE_UINT8, 0);
    delay = vxCreateDelay(context, (vx_reference)tensors[0], 3);
    for (int i = 0; i < GRAPHS; i++) {
        vx_graph g = graphs[i] = vxCreateGraph(context);
        vx_tensor middle = vxCreateVirtualTensor(g, 1, dims, VX_TYPE_UINT8, 0);
        vx_node first = vxTensorAddNode(g, tensors[0], (vx_tensor)vxGetReferenceFromDelay(delay, -1), VX_CONVERT_POLICY_WRAP, middle);
        vx_node second = vxCreateGenericNode(g, kernel);
        OK(vxSetParameterByIndex(second, 0, (vx_reference)middle));
        OK(vxSetParameterByIndex(second, 1, (vx_reference)tensors[i + 1]));
        vx_parameter parameter = vxGetParameterByIndex(first, 0);
        OK(vxAddParameterToGraph(g, parameter));
        OK(vxReleaseParameter(&parameter));
        OK(vxReleaseNode(&first));
        OK(vxReleaseNode(&second));
        OK(vxReleaseTensor(&middle));
        if (i == 0)
            OK(vxRegisterAutoAging(g, delay));
        OK(vxVerifyGraph(g));
    }
    pthread_t threads[THREADS];
    for (vx_size i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, (void *)(i + 1)) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    for (int i = 0; i < GRAPHS; i++) {
        vx_status status = vxWaitGraph(graphs[i]);
        CHECK(status == VX_SUCCESS || status == VX_FAILURE);
        OK(vxReleaseGraph(&graphs[i]));
    }
    for (int i = 0; i <= GRAPHS; i++)
        OK(vxReleaseTensor(&tensors[i]));
    OK(vxReleaseDelay(&delay));
    OK(vxRemoveKernel(kernel));
    while (references(context) > before) /* graphs that still run */
        ;
    OK(vxReleaseContext(&context));
    return finish("stress");
}
