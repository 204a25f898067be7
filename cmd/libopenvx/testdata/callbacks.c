/* Kernels and callbacks of an application that fail, return what they should not, and use the objects that call them. */
#include "check.h"

#include <pthread.h>

static struct {
    vx_graph graph, other;
    vx_tensor in, out;
    vx_kernel kernel;
    vx_context context;
} now;

typedef enum { NOTHING, VERIFY, PROCESS, SCHEDULE, WAIT_OTHER, RELEASE_GRAPH, RELEASE_NODE, REMOVE_NODE, REMOVE_KERNEL, RELEASE_CONTEXT,
    SET_PARAMETER, ADD_NODE, SWAP, MANY_LOGS, DIRECTIVES, IMMEDIATE, ACTIONS } action;

static action on_validate, on_initialize, on_run, on_deinitialize, on_complete, on_log;
static vx_status validate_returns, initialize_returns, run_returns, deinitialize_returns;
static vx_action complete_returns = VX_ACTION_CONTINUE;
static int runs, deinitialized, initialized, logged;
static vx_bool describe = vx_true_e, releasing;

/* Does something to the graph that runs or is verified at the moment. Whatever the answer, nothing may break. */
static void act(action what, vx_node node)
{
    switch (what) {
    case VERIFY:
        CHECK_STATUS(vxVerifyGraph(now.graph), VX_ERROR_GRAPH_SCHEDULED);
        break;
    case PROCESS:
        CHECK_STATUS(vxProcessGraph(now.graph), VX_ERROR_GRAPH_SCHEDULED);
        break;
    case SCHEDULE:
        CHECK_STATUS(vxScheduleGraph(now.graph), VX_ERROR_GRAPH_SCHEDULED);
        break;
    case WAIT_OTHER:
        OK(vxScheduleGraph(now.other));
        OK(vxWaitGraph(now.other));
        break;
    case RELEASE_GRAPH:
        if (now.graph)
            CHECK_STATUS(vxReleaseGraph(&now.graph), releasing ? VX_ERROR_INVALID_REFERENCE : VX_SUCCESS);
        break;
    case RELEASE_NODE:
        if (node) {
            vx_node again = node;
            OK(vxRetainReference((vx_reference)node));
            OK(vxReleaseNode(&again));
        }
        break;
    case REMOVE_NODE:
        if (node) {
            vx_node gone = node;
            CHECK(vxRemoveNode(&gone) != VX_SUCCESS && gone == node);
        }
        break;
    case REMOVE_KERNEL:
        CHECK(vxRemoveKernel(now.kernel) != VX_SUCCESS);
        break;
    case RELEASE_CONTEXT:
        OK(vxReleaseContext(&now.context));
        break;
    case SET_PARAMETER:
        if (node)
            CHECK(vxSetParameterByIndex(node, 1, (vx_reference)now.in) != VX_SUCCESS);
        break;
    case ADD_NODE:
        CHECK(STATUS(vxTensorAddNode(now.graph, now.in, now.in, VX_CONVERT_POLICY_WRAP, now.out)) != VX_SUCCESS);
        break;
    case SWAP:
        CHECK(vxSwapTensorHandle(now.in, NULL, NULL) != VX_SUCCESS);
        break;
    case MANY_LOGS:
        for (int i = 0; i < 100; i++)
            vxAddLogEntry((vx_reference)node, VX_FAILURE, "%d", i);
        break;
    case DIRECTIVES:
        OK(vxDirective((vx_reference)now.context, VX_DIRECTIVE_ENABLE_PERFORMANCE));
        OK(vxDirective((vx_reference)now.context, VX_DIRECTIVE_DISABLE_LOGGING));
        OK(vxDirective((vx_reference)now.context, VX_DIRECTIVE_ENABLE_LOGGING));
        break;
    case IMMEDIATE: {
        vx_size dims[1] = {4};
        vx_tensor to = vxCreateTensor(now.context, 1, dims, VX_TYPE_UINT8, 0);
        OK(vxuTensorAdd(now.context, now.in, now.in, VX_CONVERT_POLICY_WRAP, to));
        OK(vxReleaseTensor(&to));
        break;
    }
    default:
        break;
    }
}

static vx_status VX_CALLBACK validate(vx_node node, const vx_reference params[], vx_uint32 n, vx_meta_format metas[])
{
    CHECK(n == 2 && metas[0] == NULL && metas[1] != NULL);
    act(on_validate, node);
    if (describe)
        OK(vxSetMetaFormatFromReference(metas[1], params[0]));
    return validate_returns;
}

static vx_status VX_CALLBACK initialize(vx_node node, const vx_reference *params, vx_uint32 n)
{
    (void)params;
    (void)n;
    initialized += initialize_returns == VX_SUCCESS; /* what has failed needs no end */
    act(on_initialize, node);
    return initialize_returns;
}

static vx_status VX_CALLBACK deinitialize(vx_node node, const vx_reference *params, vx_uint32 n)
{
    vx_size rank = 0;
    CHECK(n == 2);
    OK(vxQueryTensor((vx_tensor)params[0], VX_TENSOR_NUMBER_OF_DIMS, &rank, sizeof rank)); /* they still live */
    deinitialized++;
    act(on_deinitialize, node);
    return deinitialize_returns;
}

static vx_status VX_CALLBACK run(vx_node node, const vx_reference *params, vx_uint32 n)
{
    CHECK(n == 2 && params[0] && params[1]);
    runs++;
    act(on_run, node);
    return run_returns;
}

static vx_action VX_CALLBACK complete(vx_node node)
{
    act(on_complete, node);
    return complete_returns;
}

static void VX_CALLBACK entry(vx_context context, vx_reference reference, vx_status status, const vx_char text[])
{
    CHECK(vxGetContext(reference) == context && status != VX_SUCCESS && strlen(text) < VX_MAX_LOG_MESSAGE_LEN);
    logged++;
    if (on_log) {
        action what = on_log;
        on_log = NOTHING;
        act(what, NULL);
    }
    show(context, reference, status, text);
}

/* Builds a graph of one node of the application, and runs it. */
static vx_status once(vx_bool reentrant, vx_bool schedule)
{
    vx_size dims[1] = {4};
    vx_enum id = 0;
    now.context = vxCreateContext();
    vx_context context = now.context;
    vxRegisterLogCallback(context, entry, reentrant);
    OK(vxAllocateUserKernelId(context, &id));
    vx_kernel kernel = now.kernel = vxAddUserKernel(context, "app.test.hostile", id, run, 2, validate, initialize, deinitialize);
    OK(vxAddParameterToKernel(kernel, 0, VX_INPUT, VX_TYPE_TENSOR, VX_PARAMETER_STATE_REQUIRED));
    OK(vxAddParameterToKernel(kernel, 1, VX_OUTPUT, VX_TYPE_TENSOR, VX_PARAMETER_STATE_REQUIRED));
    OK(vxFinalizeKernel(kernel));
    vx_tensor in = now.in = vxCreateTensor(context, 1, dims, VX_TYPE_UINT8, 0);
    vx_tensor out = now.out = vxCreateTensor(context, 1, dims, VX_TYPE_UINT8, 0);
    vx_graph graph = now.graph = vxCreateGraph(context);
    now.other = vxCreateGraph(context);
    vx_tensor apart = vxCreateTensor(context, 1, dims, VX_TYPE_UINT8, 0);
    vx_node addition = vxTensorAddNode(now.other, in, in, VX_CONVERT_POLICY_WRAP, apart);
    OK(STATUS(addition));
    vx_node node = vxCreateGenericNode(graph, kernel);
    OK(vxSetParameterByIndex(node, 0, (vx_reference)in));
    OK(vxSetParameterByIndex(node, 1, (vx_reference)out));
    OK(vxAssignNodeCallback(node, complete));
    runs = logged = initialized = deinitialized = 0;
    vx_status status = vxVerifyGraph(graph);
    if (status == VX_SUCCESS) {
        if (schedule) {
            status = vxScheduleGraph(graph);
            if (status == VX_SUCCESS)
                status = vxWaitGraph(graph);
        } else
            status = vxProcessGraph(graph);
    }
    CHECK(status == VX_SUCCESS || logged > 0 || !now.graph || !now.context); /* whatever fails says why */
    if (now.graph && now.context) {
        releasing = vx_true_e;
        OK(vxReleaseNode(&node));
        OK(vxReleaseGraph(&now.graph));
        releasing = vx_false_e;
    } else
        CHECK_STATUS(vxReleaseNode(&node), VX_ERROR_INVALID_REFERENCE); /* it went with its graph */
    CHECK(deinitialized == initialized);
    if (now.context) {
        OK(vxReleaseTensor(&in));
        OK(vxReleaseTensor(&out));
        OK(vxReleaseTensor(&apart));
        OK(vxReleaseNode(&addition));
        OK(vxReleaseGraph(&now.other));
        OK(vxRemoveKernel(kernel));
        OK(vxReleaseContext(&now.context));
    }
    return status;
}

static void calm(void)
{
    on_validate = on_initialize = on_run = on_deinitialize = on_complete = on_log = NOTHING;
    validate_returns = initialize_returns = run_returns = deinitialize_returns = VX_SUCCESS;
    complete_returns = VX_ACTION_CONTINUE;
    describe = vx_true_e;
}

int main(void)
{
    OK(once(vx_false_e, vx_false_e));
    CHECK(runs == 1 && initialized == 1 && logged == 0);

    /* What they return is the status of the call, even if it is none that the standard knows. */
    const vx_status odd[] = {VX_FAILURE, VX_ERROR_INVALID_PARAMETERS, VX_ERROR_NOT_SUPPORTED, -12345, 1, 0x7fffffff, -0x7fffffff - 1};
    for (unsigned i = 0; i < sizeof odd / sizeof *odd; i++) {
        validate_returns = odd[i];
        CHECK_STATUS(once(vx_true_e, vx_false_e), odd[i]);
        CHECK(runs == 0 && initialized == 0);
        calm();
        initialize_returns = odd[i];
        CHECK_STATUS(once(vx_true_e, vx_false_e), odd[i]);
        CHECK(runs == 0);
        calm();
        run_returns = odd[i];
        CHECK_STATUS(once(vx_false_e, vx_false_e), odd[i]);
        CHECK_STATUS(once(vx_false_e, vx_true_e), odd[i]);
        calm();
        deinitialize_returns = odd[i];
        OK(once(vx_false_e, vx_false_e));
        calm();
    }
    complete_returns = VX_ACTION_ABANDON;
    CHECK_STATUS(once(vx_false_e, vx_false_e), VX_ERROR_GRAPH_ABANDONED);
    CHECK_STATUS(once(vx_false_e, vx_true_e), VX_ERROR_GRAPH_ABANDONED);
    complete_returns = 12345;
    OK(once(vx_false_e, vx_false_e));
    calm();
    describe = vx_false_e; /* nothing is known of the output then, and the one that is given will do */
    OK(once(vx_false_e, vx_false_e));
    calm();

    /* Each action in each place. */
    for (int reentrant = 0; reentrant < 2; reentrant++)
        for (int schedule = 0; schedule < 2; schedule++)
            for (action what = VERIFY; what < ACTIONS; what++) {

                /* A graph that goes while another thread is about to wait for it is another matter. */
                vx_bool wait = schedule && what != RELEASE_GRAPH && what != RELEASE_CONTEXT;
                on_run = what;
                OK(once(reentrant, wait));
                calm();
                on_complete = what;
                OK(once(reentrant, wait));
                calm();
                if (what != RELEASE_CONTEXT && what != RELEASE_GRAPH && what != SWAP) {
                    on_validate = on_initialize = what;
                    OK(once(reentrant, schedule));
                    calm();
                }
                if (what == MANY_LOGS || what == DIRECTIVES || what == IMMEDIATE || what == WAIT_OTHER) {
                    on_deinitialize = what;
                    OK(once(reentrant, schedule));
                    calm();
                    on_log = what;
                    run_returns = VX_FAILURE;
                    CHECK_STATUS(once(reentrant, schedule), VX_FAILURE);
                    calm();
                }
            }
    on_validate = RELEASE_GRAPH;
    once(vx_true_e, vx_false_e);
    calm();
    on_initialize = RELEASE_GRAPH;
    once(vx_true_e, vx_false_e);
    calm();
    on_deinitialize = RELEASE_GRAPH;
    once(vx_true_e, vx_false_e);
    calm();
    on_log = RELEASE_GRAPH;
    run_returns = VX_FAILURE;
    once(vx_false_e, vx_false_e);
    calm();
    on_validate = RELEASE_CONTEXT;
    once(vx_false_e, vx_false_e);
    calm();
    on_log = RELEASE_CONTEXT;
    run_returns = VX_FAILURE;
    once(vx_false_e, vx_false_e);
    return finish("callbacks");
}
