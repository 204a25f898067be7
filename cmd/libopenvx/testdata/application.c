/* What an application does with a network: convolutions of groups on views, a kernel of its own in the middle, several contexts, delays,
 * exchanged parameters, graphs that run at once, and callbacks. Results are compared with those of the same work done in another way. */
#include "check.h"

enum { SIZE = 13, CHANNELS = 8, HALF = CHANNELS / 2, CLASSES = 10, PIXELS = SIZE * SIZE * CHANNELS };

static vx_uint32 seed = 1;

static vx_int16 noise(int limit)
{
    seed = seed * 1664525u + 1013904223u;
    return (vx_int16)((int)(seed >> 16) % (2 * limit + 1) - limit);
}

/* Copies all elements of a tensor of Q7.8 from or to dense memory. */
static vx_status copy(vx_tensor tensor, vx_int16 *values, vx_enum usage)
{
    vx_size rank = 0, dims[6] = {0}, start[6] = {0}, stride[6] = {sizeof *values};
    OK(vxQueryTensor(tensor, VX_TENSOR_NUMBER_OF_DIMS, &rank, sizeof rank));
    OK(vxQueryTensor(tensor, VX_TENSOR_DIMS, dims, rank * sizeof *dims));
    for (vx_size i = 1; i < rank; i++)
        stride[i] = stride[i - 1] * dims[i - 1];
    return vxCopyTensorPatch(tensor, rank, start, dims, stride, values, usage, VX_MEMORY_TYPE_HOST);
}

static vx_tensor make(vx_context context, vx_size rank, const vx_size *dims, int limit)
{
    vx_tensor t = vxCreateTensor(context, rank, dims, VX_TYPE_INT16, 8);
    OK(STATUS(t));
    if (limit > 0) {
        vx_size n = 1;
        for (vx_size i = 0; i < rank; i++)
            n *= dims[i];
        vx_int16 *values = malloc(n * sizeof *values);
        for (vx_size i = 0; i < n; i++)
            values[i] = noise(limit);
        OK(copy(t, values, VX_WRITE_ONLY));
        free(values);
    }
    return t;
}

/* The application's kernel: y = x + what the node's data say, which initialization finds in a scalar. */
typedef struct {
    vx_int16 offset;
    vx_uint64 calls;
} local;

static int living;

static vx_status VX_CALLBACK validate(vx_node node, const vx_reference params[], vx_uint32 n, vx_meta_format metas[])
{
    vx_size rank = 0, dims[6] = {0};
    vx_enum type = 0;
    vx_int8 fixed = 0;
    vx_enum scalar = 0;
    (void)node;
    (void)n;
    OK(vxQueryTensor((vx_tensor)params[0], VX_TENSOR_NUMBER_OF_DIMS, &rank, sizeof rank));
    OK(vxQueryTensor((vx_tensor)params[0], VX_TENSOR_DIMS, dims, sizeof dims));
    OK(vxQueryTensor((vx_tensor)params[0], VX_TENSOR_DATA_TYPE, &type, sizeof type));
    OK(vxQueryTensor((vx_tensor)params[0], VX_TENSOR_FIXED_POINT_POSITION, &fixed, sizeof fixed));
    OK(vxQueryScalar((vx_scalar)params[1], VX_SCALAR_TYPE, &scalar, sizeof scalar));
    if (type != VX_TYPE_INT16 || fixed != 8 || scalar != VX_TYPE_INT16)
        return VX_ERROR_INVALID_FORMAT;
    /* The order of the attributes is up to the kernel, and an array may have more room than dimensions. */
    OK(vxSetMetaFormatAttribute(metas[2], VX_TENSOR_DATA_TYPE, &type, sizeof type));
    OK(vxSetMetaFormatAttribute(metas[2], VX_TENSOR_FIXED_POINT_POSITION, &fixed, sizeof fixed));
    OK(vxSetMetaFormatAttribute(metas[2], VX_TENSOR_NUMBER_OF_DIMS, &rank, sizeof rank));
    OK(vxSetMetaFormatAttribute(metas[2], VX_TENSOR_DIMS, dims, rank * sizeof *dims));
    return VX_SUCCESS;
}

static vx_status VX_CALLBACK initialize(vx_node node, const vx_reference *params, vx_uint32 n)
{
    local *mine = calloc(1, sizeof *mine);
    vx_size size = sizeof *mine;
    (void)n;
    living++;
    OK(vxCopyScalar((vx_scalar)params[1], &mine->offset, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
    OK(vxSetNodeAttribute(node, VX_NODE_LOCAL_DATA_SIZE, &size, sizeof size));
    OK(vxSetNodeAttribute(node, VX_NODE_LOCAL_DATA_PTR, &mine, sizeof mine));
    return VX_SUCCESS;
}

static vx_status VX_CALLBACK deinitialize(vx_node node, const vx_reference *params, vx_uint32 n)
{
    local *mine = NULL;
    (void)params;
    (void)n;
    OK(vxQueryNode(node, VX_NODE_LOCAL_DATA_PTR, &mine, sizeof mine));
    CHECK(mine != NULL);
    free(mine);
    mine = NULL;
    OK(vxSetNodeAttribute(node, VX_NODE_LOCAL_DATA_PTR, &mine, sizeof mine));
    living--;
    return VX_SUCCESS;
}

static vx_status VX_CALLBACK shift(vx_node node, const vx_reference *params, vx_uint32 n)
{
    local *mine = NULL;
    vx_size strides_in[3], strides_out[3];
    vx_map_id id_in = 0, id_out = 0;
    vx_uint8 *in = NULL, *out = NULL;
    vx_tensor from = (vx_tensor)params[0], to = (vx_tensor)params[2];
    (void)n;
    OK(vxQueryNode(node, VX_NODE_LOCAL_DATA_PTR, &mine, sizeof mine));
    mine->calls++;
    OK(vxMapTensorPatch(from, 3, NULL, NULL, &id_in, strides_in, (void **)&in, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
    OK(vxMapTensorPatch(to, 3, NULL, NULL, &id_out, strides_out, (void **)&out, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
    for (vx_size c = 0; c < CHANNELS; c++)
        for (vx_size y = 0; y < SIZE; y++)
            for (vx_size x = 0; x < SIZE; x++)
                *(vx_int16 *)(out + x * strides_out[0] + y * strides_out[1] + c * strides_out[2]) =
                    (vx_int16)(*(vx_int16 *)(in + x * strides_in[0] + y * strides_in[1] + c * strides_in[2]) + mine->offset);
    OK(vxUnmapTensorPatch(from, id_in));
    OK(vxUnmapTensorPatch(to, id_out));
    return VX_SUCCESS;
}

static vx_kernel add_kernel(vx_context context)
{
    vx_enum id = 0;
    OK(vxAllocateUserKernelId(context, &id));
    vx_kernel k = vxAddUserKernel(context, "app.shift", id, shift, 3, validate, initialize, deinitialize);
    OK(vxAddParameterToKernel(k, 0, VX_INPUT, VX_TYPE_TENSOR, VX_PARAMETER_STATE_REQUIRED));
    OK(vxAddParameterToKernel(k, 1, VX_INPUT, VX_TYPE_SCALAR, VX_PARAMETER_STATE_REQUIRED));
    OK(vxAddParameterToKernel(k, 2, VX_OUTPUT, VX_TYPE_TENSOR, VX_PARAMETER_STATE_REQUIRED));
    OK(vxFinalizeKernel(k));
    return k;
}

static const vx_size image[3] = {SIZE, SIZE, CHANNELS}, kernel4[4] = {3, 3, HALF, HALF}, bias1[1] = {HALF},
                     pooled[3] = {6, 6, CHANNELS}, classes[1] = {CLASSES}, flat[2] = {6 * 6 * CHANNELS, CLASSES}, bias2[1] = {CLASSES};

/* A network in the style of AlexNet, whose second layer convolves two halves of the channels apart. With views, or with tensors that the
 * application copies together. The result is in scores. */
typedef struct {
    vx_context context;
    vx_graph graph;
    vx_tensor in, scores, weights[2], biases[2], matrix, matrix_bias;
} network;

static void own(vx_node node)
{
    OK(STATUS(node));
    OK(vxReleaseNode(&node));
}

static network build(vx_context context, vx_kernel kernel, vx_bool virtuals)
{
    network net = {.context = context, .graph = vxCreateGraph(context)};
    const vx_nn_convolution_params_t params = {.padding_x = 1, .padding_y = 1, .overflow_policy = VX_CONVERT_POLICY_SATURATE,
                                               .rounding_policy = VX_ROUND_POLICY_TO_ZERO,
                                               .down_scale_size_rounding = VX_NN_DS_SIZE_ROUNDING_FLOOR};
    seed = 7;
    net.in = make(context, 3, image, 300);
    for (int i = 0; i < 2; i++) {
        net.weights[i] = make(context, 4, kernel4, 60);
        net.biases[i] = make(context, 1, bias1, 100);
    }
    net.matrix = make(context, 2, flat, 30);
    net.matrix_bias = make(context, 1, bias2, 200);
    net.scores = make(context, 1, classes, 0);
    vx_tensor edges[6];
    const vx_size *dims[6] = {image, image, image, image, pooled, classes};
    for (int i = 0; i < 6; i++)
        edges[i] = virtuals ? vxCreateVirtualTensor(net.graph, i < 5 ? 3 : 1, dims[i], VX_TYPE_INT16, 8)
                            : make(context, i < 5 ? 3 : 1, dims[i], 0);
    for (vx_size i = 0; i < 2; i++) {
        vx_size start[3] = {0, 0, i * HALF}, end[3] = {SIZE, SIZE, (i + 1) * HALF};
        vx_tensor from = vxCreateTensorFromView(net.in, 3, start, end), to = vxCreateTensorFromView(edges[0], 3, start, end);
        vx_tensor active = vxCreateTensorFromView(edges[1], 3, start, end);
        OK(STATUS(from));
        OK(STATUS(to));
        own(vxConvolutionLayer(net.graph, from, net.weights[i], net.biases[i], &params, sizeof params, to));
        own(vxActivationLayer(net.graph, to, VX_NN_ACTIVATION_RELU, 0, 0, active));
        OK(vxReleaseTensor(&from));
        OK(vxReleaseTensor(&to));
        OK(vxReleaseTensor(&active));
    }
    own(vxLocalResponseNormalizationLayer(net.graph, edges[1], VX_NN_NORMALIZATION_ACROSS_MAPS, 5, 0.0001f * 64, 0.75f, 1, edges[2]));
    vx_int16 offset = 25;
    vx_scalar scalar = vxCreateScalar(context, VX_TYPE_INT16, &offset);
    vx_node generic = vxCreateGenericNode(net.graph, kernel);
    OK(vxSetParameterByIndex(generic, 0, (vx_reference)edges[2]));
    OK(vxSetParameterByIndex(generic, 1, (vx_reference)scalar));
    OK(vxSetParameterByIndex(generic, 2, (vx_reference)edges[3]));
    own(generic);
    OK(vxReleaseScalar(&scalar));
    own(vxPoolingLayer(net.graph, edges[3], VX_NN_POOLING_MAX, 3, 3, 0, 0, VX_NN_DS_SIZE_ROUNDING_FLOOR, edges[4]));
    own(vxFullyConnectedLayer(net.graph, edges[4], net.matrix, net.matrix_bias, VX_CONVERT_POLICY_SATURATE, VX_ROUND_POLICY_TO_ZERO,
                              edges[5]));
    own(vxSoftmaxLayer(net.graph, edges[5], net.scores));
    for (int i = 0; i < 6; i++)
        OK(vxReleaseTensor(&edges[i]));
    return net;
}

static void tear_down(network *net)
{
    for (int i = 0; i < 2; i++) {
        OK(vxReleaseTensor(&net->weights[i]));
        OK(vxReleaseTensor(&net->biases[i]));
    }
    OK(vxReleaseTensor(&net->matrix));
    OK(vxReleaseTensor(&net->matrix_bias));
    OK(vxReleaseTensor(&net->in));
    OK(vxReleaseTensor(&net->scores));
    OK(vxReleaseGraph(&net->graph));
}

/* Three contexts with the same network, one with visible edges, run by turns and at once, give the same. */
static void networks(void)
{
    network nets[3];
    vx_kernel kernels[3];
    vx_uint32 before[3];
    vx_int16 first[CLASSES], scores[CLASSES];
    for (int i = 0; i < 3; i++) {
        vx_context context = vxCreateContext();
        vxRegisterLogCallback(context, show, vx_false_e);
        before[i] = references(context);
        kernels[i] = add_kernel(context);
        nets[i] = build(context, kernels[i], i != 1);
        OK(vxVerifyGraph(nets[i].graph));
    }
    CHECK(living == 3);
    OK(vxProcessGraph(nets[0].graph));
    OK(copy(nets[0].scores, first, VX_READ_ONLY));
    int sum = 0;
    for (int i = 0; i < CLASSES; i++)
        sum += first[i];
    CHECK(sum > 200 && sum <= 256); /* probabilities, truncated to 1/256 */
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 3; i++)
            OK(vxScheduleGraph(nets[i].graph));
        for (int i = 2; i >= 0; i--)
            OK(vxWaitGraph(nets[i].graph));
        for (int i = 0; i < 3; i++) {
            OK(copy(nets[i].scores, scores, VX_READ_ONLY));
            CHECK(memcmp(scores, first, sizeof first) == 0);
        }
    }
    /* Objects of one context are nothing in another. */
    CHECK(STATUS(vxSoftmaxLayer(nets[0].graph, nets[1].scores, nets[0].scores)) != VX_SUCCESS);

    /* New weights take effect in the next run, and old ones bring the old result back. */
    vx_int16 weights[3 * 3 * HALF * HALF], zeros[3 * 3 * HALF * HALF] = {0};
    OK(copy(nets[0].weights[1], weights, VX_READ_ONLY));
    OK(copy(nets[0].weights[1], zeros, VX_WRITE_ONLY));
    OK(vxProcessGraph(nets[0].graph));
    OK(copy(nets[0].scores, scores, VX_READ_ONLY));
    CHECK(memcmp(scores, first, sizeof first) != 0);
    OK(copy(nets[0].weights[1], weights, VX_WRITE_ONLY));
    OK(vxProcessGraph(nets[0].graph));
    OK(copy(nets[0].scores, scores, VX_READ_ONLY));
    CHECK(memcmp(scores, first, sizeof first) == 0);

    for (int i = 0; i < 3; i++) {
        vx_context context = nets[i].context;
        tear_down(&nets[i]);
        CHECK(living == 2 - i);
        OK(vxRemoveKernel(kernels[i]));
        CHECK(references(context) == before[i]);
        OK(vxReleaseContext(&context));
    }
}

/* A recurrent net: state = state of the run before / 2 + input, with a delay that ages by itself; the input is a parameter of the graph. */
static void recurrence(vx_context context)
{
    const vx_size one[1] = {4};
    vx_tensor exemplar = make(context, 1, one, 0);
    vx_delay delay = vxCreateDelay(context, (vx_reference)exemplar, 2);
    OK(STATUS(delay));
    vx_tensor now = (vx_tensor)vxGetReferenceFromDelay(delay, 0), past = (vx_tensor)vxGetReferenceFromDelay(delay, -1);
    vx_graph graph = vxCreateGraph(context);
    vx_tensor half_of_it = vxCreateVirtualTensor(graph, 1, one, VX_TYPE_INT16, 8);
    vx_node halve = vxActivationLayer(graph, past, VX_NN_ACTIVATION_LINEAR, 0.5f, 0, half_of_it);
    vx_node add = vxTensorAddNode(graph, half_of_it, exemplar, VX_CONVERT_POLICY_SATURATE, now);
    OK(STATUS(halve));
    OK(STATUS(add));
    vx_parameter parameter = vxGetParameterByIndex(add, 1);
    OK(vxAddParameterToGraph(graph, parameter));
    OK(vxReleaseParameter(&parameter));
    OK(vxRegisterAutoAging(graph, delay));
    OK(vxVerifyGraph(graph));
    int state[4] = {0};
    for (int step = 0; step < 10; step++) {
        vx_int16 values[4];
        vx_tensor input = make(context, 1, one, 1000);
        OK(copy(input, values, VX_READ_ONLY));
        for (int i = 0; i < 4; i++) {
            values[i] = (vx_int16)(2 * (values[i] / 2) + 2000); /* positive, and halves are exact */
            state[i] = state[i] / 2 + values[i];
        }
        OK(copy(input, values, VX_WRITE_ONLY));
        OK(vxSetGraphParameterByIndex(graph, 0, (vx_reference)input));
        CHECK(vxIsGraphVerified(graph) == vx_true_e);
        OK(vxReleaseTensor(&input)); /* the graph keeps it */
        OK(vxProcessGraph(graph));
        OK(copy(past, values, VX_READ_ONLY)); /* it has aged */
        for (int i = 0; i < 4; i++) {
            CHECK(values[i] >= state[i] - 1 && values[i] <= state[i] + 1);
            state[i] = values[i];
        }
    }
    vx_tensor wrong = vxCreateTensor(context, 1, one, VX_TYPE_UINT8, 0);
    OK(vxSetGraphParameterByIndex(graph, 0, (vx_reference)wrong)); /* another format: to be verified again, which fails */
    CHECK(vxIsGraphVerified(graph) == vx_false_e);
    CHECK(vxProcessGraph(graph) != VX_SUCCESS);
    CHECK(vxSetGraphParameterByIndex(graph, 0, (vx_reference)delay) != VX_SUCCESS);
    CHECK(vxSetGraphParameterByIndex(graph, 1, (vx_reference)exemplar) != VX_SUCCESS);
    OK(vxSetGraphParameterByIndex(graph, 0, (vx_reference)exemplar));
    OK(vxProcessGraph(graph));
    OK(vxReleaseTensor(&wrong));
    OK(vxReleaseTensor(&half_of_it));
    OK(vxReleaseNode(&halve));
    OK(vxReleaseNode(&add));
    OK(vxReleaseGraph(&graph));
    OK(vxReleaseDelay(&delay));
    OK(vxReleaseTensor(&exemplar));
}

static int passed;

static vx_action VX_CALLBACK third_time(vx_node node)
{
    (void)node;
    return ++passed == 3 ? VX_ACTION_ABANDON : VX_ACTION_CONTINUE;
}

/* Two graphs, one of which makes what the other one takes; a callback that ends a run; and memory of the application. */
static void handles(vx_context context)
{
    const vx_size rows[2] = {5, 3}, strides[2] = {2, 16}; /* in memory with gaps */
    vx_int16 memory[3][3][8];
    memset(memory, 0x11, sizeof memory);
    for (int i = 0; i < 3; i++)
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 5; x++)
                memory[i][y][x] = (vx_int16)(i * 100 + y * 10 + x);
    vx_tensor a = vxCreateTensorFromHandle(context, 2, rows, VX_TYPE_INT16, 8, strides, memory[0], VX_MEMORY_TYPE_HOST);
    vx_tensor b = vxCreateTensorFromHandle(context, 2, rows, VX_TYPE_INT16, 8, strides, NULL, VX_MEMORY_TYPE_HOST);
    OK(STATUS(a));
    OK(STATUS(b));
    const vx_size dense[2] = {5, 3}, turned[2] = {3, 5};
    vx_tensor middle = make(context, 2, dense, 0), end = make(context, 2, turned, 0);
    vx_graph first = vxCreateGraph(context), second = vxCreateGraph(context);
    vx_node add = vxTensorAddNode(first, a, a, VX_CONVERT_POLICY_SATURATE, middle);
    vx_node subtract = vxTensorSubtractNode(first, middle, a, VX_CONVERT_POLICY_SATURATE, b);
    vx_node transpose = vxTensorTransposeNode(second, middle, end, 0, 1);
    OK(vxVerifyGraph(first));
    CHECK_STATUS(vxProcessGraph(first), VX_ERROR_NOT_ALLOCATED); /* b has no memory */
    void *old = &old;
    OK(vxSwapTensorHandle(b, memory[2], &old));
    CHECK(old == NULL);
    for (int i = 0; i < 2; i++) {
        OK(vxSwapTensorHandle(a, memory[i], i ? &old : NULL));
        CHECK(i == 0 || old == memory[0]);
        OK(vxScheduleGraph(first));
        OK(vxWaitGraph(first));
        OK(vxScheduleGraph(second));
        CHECK(vxWaitGraph(first) == VX_FAILURE);
        OK(vxWaitGraph(second));
        vx_int16 values[5][3];
        OK(copy(end, values[0], VX_READ_ONLY));
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 5; x++)
                CHECK(values[x][y] == 2 * (i * 100 + y * 10 + x));
        OK(vxSwapTensorHandle(b, memory[2], NULL)); /* the memory must be seen now, whatever the library did with it */
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 8; x++)
                CHECK(memory[2][y][x] == (x < 5 ? i * 100 + y * 10 + x : 0x1111));
    }
    vx_tensor view = vxCreateTensorFromView(a, 2, (vx_size[]){1, 1}, rows);
    CHECK(vxSwapTensorHandle(view, memory[0], NULL) != VX_SUCCESS); /* not for views */
    OK(vxReleaseTensor(&view));
    passed = 0;
    OK(vxAssignNodeCallback(add, third_time));
    vx_status statuses[4];
    vx_enum states[4];
    for (int i = 0; i < 4; i++) {
        statuses[i] = vxProcessGraph(first);
        OK(vxQueryGraph(first, VX_GRAPH_STATE, &states[i], sizeof states[i]));
    }
    CHECK(statuses[0] == VX_SUCCESS && statuses[1] == VX_SUCCESS && statuses[2] == VX_ERROR_GRAPH_ABANDONED && statuses[3] == VX_SUCCESS);
    CHECK(states[1] == VX_GRAPH_STATE_COMPLETED && states[2] == VX_GRAPH_STATE_ABANDONED && states[3] == VX_GRAPH_STATE_COMPLETED);
    OK(vxReleaseNode(&add));
    OK(vxReleaseNode(&subtract));
    OK(vxReleaseNode(&transpose));
    OK(vxReleaseGraph(&first));
    OK(vxReleaseGraph(&second));
    OK(vxReleaseTensor(&a));
    OK(vxReleaseTensor(&b));
    OK(vxReleaseTensor(&middle));
    OK(vxReleaseTensor(&end));
}

/* The immediate forms compute what nodes compute. */
static void immediate(vx_context context)
{
    const vx_size square[2] = {4, 4};
    vx_int16 x[16], y[16], z[16];
    vx_tensor a = make(context, 2, square, 500), b = make(context, 2, square, 500), c = make(context, 2, square, 0);
    vx_float32 one = 1;
    vx_scalar scale = vxCreateScalar(context, VX_TYPE_FLOAT32, &one);
    OK(copy(a, x, VX_READ_ONLY));
    OK(copy(b, y, VX_READ_ONLY));
    OK(vxuTensorSubtract(context, a, b, VX_CONVERT_POLICY_SATURATE, c));
    OK(copy(c, z, VX_READ_ONLY));
    for (int i = 0; i < 16; i++)
        CHECK(z[i] == x[i] - y[i]);
    OK(vxuTensorMultiply(context, a, b, scale, VX_CONVERT_POLICY_SATURATE, VX_ROUND_POLICY_TO_ZERO, c));
    OK(copy(c, z, VX_READ_ONLY));
    for (int i = 0; i < 16; i++)
        CHECK(z[i] == x[i] * y[i] / 256);
    OK(vxuTensorTranspose(context, a, c, 0, 1));
    OK(copy(c, z, VX_READ_ONLY));
    for (int i = 0; i < 16; i++)
        CHECK(z[i] == x[i % 4 * 4 + i / 4]);
    vx_tensor_matrix_multiply_params_t params = {vx_false_e, vx_true_e, vx_false_e};
    OK(vxuTensorMatrixMultiply(context, a, b, NULL, &params, c));
    CHECK(vxuTensorAdd(context, a, NULL, VX_CONVERT_POLICY_WRAP, c) != VX_SUCCESS);
    CHECK(vxuTensorAdd(context, a, b, 0, c) != VX_SUCCESS);
    OK(vxReleaseScalar(&scale));
    OK(vxReleaseTensor(&a));
    OK(vxReleaseTensor(&b));
    OK(vxReleaseTensor(&c));
}

int main(void)
{
    networks();
    vx_context context = vxCreateContext();
    vxRegisterLogCallback(context, show, vx_false_e);
    vx_uint32 before = references(context);
    recurrence(context);
    CHECK(references(context) == before);
    handles(context);
    CHECK(references(context) == before);
    immediate(context);
    CHECK(references(context) == before);
    OK(vxReleaseContext(&context));
    return finish("application");
}
