/* Contexts that are released while other threads use them: these get a status, and what a run uses stays until it ends. Before that,
 * threads that live for one call, and one with the smallest stack. */
#include "check.h"

#include <limits.h>
#include <pthread.h>
#include <unistd.h>

enum { THREADS = 4, SHORT = 500, CONTEXTS = 100 };

static vx_size dims[1] = {64};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static vx_context shared; /* of which mutex guards the variable, not the context */
static int stop;

static vx_context exchange(vx_context by)
{
    pthread_mutex_lock(&mutex);
    vx_context old = shared;
    if (by)
        shared = by;
    pthread_mutex_unlock(&mutex);
    return old;
}

static int stopped(void)
{
    pthread_mutex_lock(&mutex);
    int now = stop;
    pthread_mutex_unlock(&mutex);
    return now;
}

static void *one_call(void *context)
{
    CHECK(references(context) > 0);
    return NULL;
}

static void *some_calls(void *argument)
{
    vx_context context = argument;
    vx_graph graph = vxCreateGraph(context);
    vx_tensor a = vxCreateTensor(context, 1, dims, VX_TYPE_INT16, 8), b = vxCreateTensor(context, 1, dims, VX_TYPE_INT16, 8);
    vx_node node = vxActivationLayer(graph, a, VX_NN_ACTIVATION_LOGISTIC, 1, 1, b);
    OK(vxProcessGraph(graph));
    OK(vxReleaseNode(&node));
    OK(vxReleaseGraph(&graph));
    OK(vxReleaseTensor(&a));
    OK(vxReleaseTensor(&b));
    vxAddLogEntry((vx_reference)context, VX_FAILURE, "%s", "from a thread");
    return NULL;
}

/* Statuses of calls on objects that may be gone at any time. */
static void expect(vx_status status)
{
    CHECK(status == VX_SUCCESS || status == VX_ERROR_INVALID_REFERENCE || status == VX_ERROR_GRAPH_SCHEDULED);
}

static void *use(void *argument)
{
    (void)argument;
    while (!stopped()) {
        vx_context context = exchange(NULL);
        vx_size strides[1];
        vx_map_id id = 0;
        void *p = NULL;
        vx_graph graph = vxCreateGraph(context);
        vx_tensor a = vxCreateTensor(context, 1, dims, VX_TYPE_UINT8, 0), b = vxCreateTensor(context, 1, dims, VX_TYPE_UINT8, 0);
        vxTensorAddNode(graph, a, a, VX_CONVERT_POLICY_WRAP, b);
        expect(vxProcessGraph(graph));
        expect(vxScheduleGraph(graph));
        expect(vxMapTensorPatch(a, 1, NULL, NULL, &id, strides, &p, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
        expect(vxReleaseGraph(&graph));
        expect(vxReleaseTensor(&a));
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    pthread_attr_t attributes;
    vx_context context = vxCreateContext();
    vxRegisterLogCallback(context, show, vx_true_e);
    for (int i = 0; i < SHORT; i++) {
        CHECK(pthread_create(&threads[0], NULL, one_call, context) == 0);
        CHECK(pthread_join(threads[0], NULL) == 0);
    }
    CHECK(pthread_attr_init(&attributes) == 0);
#ifndef __SANITIZE_ADDRESS__ /* which takes more of the stack than there is */
    CHECK(pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN) == 0);
#endif
    CHECK(pthread_create(&threads[0], &attributes, some_calls, context) == 0);
    CHECK(pthread_join(threads[0], NULL) == 0);
    CHECK(pthread_attr_destroy(&attributes) == 0);
    OK(vxReleaseContext(&context));

    exchange(vxCreateContext());
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, use, NULL) == 0);
    for (int i = 0; i < CONTEXTS; i++) {
        usleep(1000);
        context = exchange(vxCreateContext());
        OK(vxReleaseContext(&context));
    }
    pthread_mutex_lock(&mutex);
    stop = 1;
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    context = exchange(NULL);
    OK(vxReleaseContext(&context));
    return finish("vanish");
}
