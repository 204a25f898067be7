/* Made by Concord: see "small.h". */

#include "small.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How many numbers there are, and the numbers. */
#define LIST(...) sizeof((vx_size[]){__VA_ARGS__}) / sizeof(vx_size), AT(__VA_ARGS__)
#define AT(...) (vx_size[]){__VA_ARGS__}

/* The parameters of a layer, and their size. */
#define PARAMS(type, ...) &(type){__VA_ARGS__}, sizeof(type)

/* A network that is being made. */
typedef struct {
    small_network *network;
    vx_context context;
    unsigned char *weights;
    vx_status status; /* of the first call that has failed */
} builder;

static vx_status check(builder *to, vx_status status, const char *what)
{
    if (to->status == VX_SUCCESS && status != VX_SUCCESS) {
        to->status = status;
        to->network->failed = what;
    }
    return status;
}

/* Notes an object that is to be released with the network. */
static void keep(builder *to, vx_reference object, const char *what)
{
    small_network *network = to->network;

    if (check(to, vxGetStatus(object), what) != VX_SUCCESS)
        return;
    if (network->count == network->capacity) {
        vx_size capacity = 2 * network->capacity + 64;
        vx_reference *held = realloc(network->held, capacity * sizeof *held);

        if (held == NULL) {
            check(to, VX_ERROR_NO_MEMORY, what);
            vxReleaseReference(&object);
            return;
        }
        network->held = held;
        network->capacity = capacity;
    }
    network->held[network->count++] = object;
}

static void node(builder *to, const char *value, vx_node made)
{
    if (check(to, vxGetStatus((vx_reference)made), value) == VX_SUCCESS)
        vxReleaseNode(&made); /* the graph has it */
}

/* A tensor that the application sees. */
static vx_tensor tensor(builder *to, vx_enum type, vx_int8 fixed, vx_size rank, const vx_size *dims)
{
    vx_tensor made = vxCreateTensor(to->context, rank, dims, type, fixed);

    keep(to, (vx_reference)made, "a tensor");
    return made;
}

/* A tensor that only the nodes see. */
static vx_tensor virtual_tensor(builder *to, vx_enum type, vx_int8 fixed, vx_size rank, const vx_size *dims)
{
    vx_tensor made = vxCreateVirtualTensor(to->network->graph, rank, dims, type, fixed);

    keep(to, (vx_reference)made, "a virtual tensor");
    return made;
}

/* A tensor with elements from the weights. */
static vx_tensor weights(builder *to, vx_size offset, vx_enum type, vx_int8 fixed, vx_size rank, const vx_size *dims)
{
    vx_tensor made = tensor(to, type, fixed, rank, dims);
    vx_size start[8] = {0}, strides[8], bytes = type == VX_TYPE_FLOAT32 ? 4 : type == VX_TYPE_INT16 ? 2 : 1;

    for (vx_size d = 0; d < rank; d++) {
        strides[d] = bytes;
        bytes *= dims[d];
    }
    if (to->status == VX_SUCCESS)
        check(to, vxCopyTensorPatch(made, rank, start, dims, strides, to->weights + offset, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST), "weights");
    return made;
}

/* The part of a tensor from start up to but without end. */
static vx_tensor view(builder *to, vx_tensor whole, vx_size rank, const vx_size *start, const vx_size *end)
{
    vx_tensor made = vxCreateTensorFromView(whole, rank, start, end);

    keep(to, (vx_reference)made, "a view");
    return made;
}

/* One of several equal parts of a tensor along a dimension. */
static vx_tensor part(builder *to, vx_tensor whole, vx_size dimension, vx_size which, vx_size parts)
{
    vx_size rank = 0, start[8] = {0}, end[8] = {0}, step;

    if (check(to, vxQueryTensor(whole, VX_TENSOR_NUMBER_OF_DIMS, &rank, sizeof rank), "a part") != VX_SUCCESS ||
        check(to, vxQueryTensor(whole, VX_TENSOR_DIMS, end, rank * sizeof *end), "a part") != VX_SUCCESS)
        return NULL;
    step = end[dimension] / parts;
    start[dimension] = which * step;
    end[dimension] = start[dimension] + step;
    return view(to, whole, rank, start, end);
}

/* Elements: type, and number of fractional bits. */
#define Q78 VX_TYPE_INT16, 8

static void make(builder *to)
{
    vx_graph graph = to->network->graph;

    vx_tensor x = to->network->x = tensor(to, Q78, LIST(4, 4, 2, 1));
    vx_tensor filter = weights(to, 0, Q78, LIST(2, 2, 1, 2));
    vx_tensor conv1 = virtual_tensor(to, Q78, LIST(3, 3, 2, 1));
    vx_tensor conv1_bias = weights(to, 16, Q78, LIST(2));
    vx_tensor relu1 = virtual_tensor(to, Q78, LIST(3, 3, 2, 1));
    vx_tensor pool1 = virtual_tensor(to, Q78, LIST(1, 1, 2, 1));
    vx_tensor dense = weights(to, 24, Q78, LIST(2, 3));
    vx_tensor scores = virtual_tensor(to, Q78, LIST(3, 1));
    vx_tensor y = to->network->y = tensor(to, Q78, LIST(3, 1));

    if (to->status != VX_SUCCESS)
        return;

    for (vx_size group = 0; group < 2; group++)
        node(to, "conv1", vxConvolutionLayer(graph, part(to, x, 2, group, 2), part(to, filter, 3, group, 2), part(to, conv1_bias, 0, group, 2),
            PARAMS(vx_nn_convolution_params_t, 0, 0, VX_CONVERT_POLICY_SATURATE, VX_ROUND_POLICY_TO_NEAREST_EVEN, VX_NN_DS_SIZE_ROUNDING_FLOOR, 0, 0), part(to, conv1, 2, group, 2)));
    node(to, "relu1", vxActivationLayer(graph, conv1, VX_NN_ACTIVATION_RELU, 0.0f, 0.0f, relu1));
    node(to, "pool1", vxPoolingLayer(graph, relu1, VX_NN_POOLING_MAX, 3, 3, 0, 0, VX_NN_DS_SIZE_ROUNDING_FLOOR, pool1));
    node(to, "scores", vxFullyConnectedLayer(graph, pool1, dense, NULL, VX_CONVERT_POLICY_SATURATE, VX_ROUND_POLICY_TO_NEAREST_EVEN, scores));
    node(to, "y", vxSoftmaxLayer(graph, scores, y));
}

vx_status small_create_from_memory(vx_context context, const void *weights, vx_size size, small_network *network)
{
    builder to = {network, context, (unsigned char *)weights, VX_SUCCESS};

    memset(network, 0, sizeof *network);
    if (size != 36) {
        network->failed = "the weights, whose size is not 36 bytes";
        return VX_ERROR_INVALID_PARAMETERS;
    }
    network->graph = vxCreateGraph(context);
    if (check(&to, vxGetStatus((vx_reference)network->graph), "the graph") == VX_SUCCESS) {
        make(&to);
        if (to.status == VX_SUCCESS)
            check(&to, vxVerifyGraph(network->graph), "the verified graph");
    } else {
        network->graph = NULL;
    }
    if (to.status != VX_SUCCESS) {
        const char *failed = network->failed;

        small_release(network);
        network->failed = failed;
    }
    return to.status;
}

vx_status small_create(vx_context context, const char *weights, small_network *network)
{
    vx_status status = VX_FAILURE;
    unsigned char *data = malloc(36 + 1);
    FILE *file = fopen(weights, "rb");
    vx_size size = 0;

    memset(network, 0, sizeof *network);
    network->failed = "the file of weights";
    if (data == NULL)
        status = VX_ERROR_NO_MEMORY;
    else if (file != NULL) {
        size = fread(data, 1, 36 + 1, file);
        if (!ferror(file))
            status = small_create_from_memory(context, data, size, network);
    }
    if (file != NULL)
        fclose(file);
    free(data);
    return status;
}

void small_release(small_network *network)
{
    if (network->graph != NULL)
        vxReleaseGraph(&network->graph);
    while (network->count > 0)
        vxReleaseReference(&network->held[--network->count]);
    free(network->held);
    memset(network, 0, sizeof *network);
}
