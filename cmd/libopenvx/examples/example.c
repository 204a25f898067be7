/* A neural network with hand-made weights that tells horizontal stripes from vertical ones.
 *
 *     cc example.c $(pkg-config --cflags --libs openvx) && ./a.out
 *
 * Elements are 16-bit numbers with 8 fractional bits, which OpenVX calls Q7.8: 256 stands for 1. Extents begin with the dimension that
 * runs fastest: a picture is [width, height, channels].
 */

#include "example.h"
#include <VX/vx_khr_nn.h>

enum { SIZE = 8, FILTERS = 2, CLASSES = 2 };

static vx_tensor tensor(vx_context context, vx_size rank, const vx_size *dims) {
    return MADE(vx_tensor, vxCreateTensor(context, rank, dims, VX_TYPE_INT16, 8));
}

static vx_tensor filled(vx_context context, vx_size rank, const vx_size *dims, vx_int16 *values) {
    vx_tensor t = tensor(context, rank, dims);
    copy(t, values, sizeof *values, VX_WRITE_ONLY);
    return t;
}

/* Between layers, virtual tensors will do. Their extents are left to the library where it can know them. */
static vx_tensor between(vx_graph graph, vx_size rank, const vx_size *dims) {
    return MADE(vx_tensor, vxCreateVirtualTensor(graph, rank, dims, VX_TYPE_INT16, 8));
}

static void release(vx_node node) { CHECK(vxReleaseNode(&node)); }

int main(void) {
    vx_context context = open_context();
    vx_graph graph = MADE(vx_graph, vxCreateGraph(context));

    /* Two filters: one answers to edges between rows, the other to edges between columns. */
    vx_int16 filters[FILTERS][3][3] = {
        {{-256, -256, -256}, {0, 0, 0}, {256, 256, 256}},
        {{-256, 0, 256}, {-256, 0, 256}, {-256, 0, 256}},
    };
    vx_int16 sums[CLASSES][FILTERS] = {{64, 0}, {0, 64}}; /* a quarter of what each filter has found */
    vx_tensor image = tensor(context, 3, (vx_size[]){SIZE, SIZE, 1});
    vx_tensor weights = filled(context, 4, (vx_size[]){3, 3, 1, FILTERS}, &filters[0][0][0]);
    vx_tensor mix = filled(context, 2, (vx_size[]){FILTERS, CLASSES}, &sums[0][0]);
    vx_tensor result = tensor(context, 1, (vx_size[]){CLASSES});

    /* 8x8 -> convolution -> 6x6x2 -> relu -> maximum of all -> 1x1x2 -> fully connected -> 2 -> softmax */
    vx_tensor edges = between(graph, 3, (vx_size[]){SIZE - 2, SIZE - 2, FILTERS});
    vx_tensor found = between(graph, 3, (vx_size[]){SIZE - 2, SIZE - 2, FILTERS});
    vx_tensor most = between(graph, 3, (vx_size[]){1, 1, FILTERS});
    vx_tensor scores = between(graph, 1, (vx_size[]){CLASSES});
    vx_nn_convolution_params_t params = {
        .overflow_policy = VX_CONVERT_POLICY_SATURATE,
        .rounding_policy = VX_ROUND_POLICY_TO_NEAREST_EVEN,
        .down_scale_size_rounding = VX_NN_DS_SIZE_ROUNDING_FLOOR,
    };
    release(MADE(vx_node, vxConvolutionLayer(graph, image, weights, NULL, &params, sizeof params, edges)));
    release(MADE(vx_node, vxActivationLayer(graph, edges, VX_NN_ACTIVATION_RELU, 0, 0, found)));
    release(MADE(vx_node, vxPoolingLayer(graph, found, VX_NN_POOLING_MAX, SIZE - 2, SIZE - 2, 0, 0,
                                         VX_NN_DS_SIZE_ROUNDING_FLOOR, most)));
    release(MADE(vx_node, vxFullyConnectedLayer(graph, most, mix, NULL, VX_CONVERT_POLICY_SATURATE,
                                                VX_ROUND_POLICY_TO_NEAREST_EVEN, scores)));
    release(MADE(vx_node, vxSoftmaxLayer(graph, scores, result)));

    /* Verifying once checks the graph and compiles it; it then runs as often as needed. */
    CHECK(vxVerifyGraph(graph));
    for (int vertical = 0; vertical <= 1; vertical++) {
        vx_int16 picture[SIZE][SIZE], odds[CLASSES];
        for (int y = 0; y < SIZE; y++) {
            for (int x = 0; x < SIZE; x++) {
                picture[y][x] = (vertical ? x : y) / 2 % 2 ? 256 : 0;
            }
        }
        copy(image, picture, sizeof picture[0][0], VX_WRITE_ONLY);
        CHECK(vxProcessGraph(graph));
        copy(result, odds, sizeof odds[0], VX_READ_ONLY);
        printf("%s stripes: horizontal %.2f, vertical %.2f\n", vertical ? "vertical" : "horizontal", odds[0] / 256.0, odds[1] / 256.0);
    }

    /* Releasing the context would do for all of it. */
    vx_tensor tensors[] = {image, weights, mix, result, edges, found, most, scores};
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++) {
        CHECK(vxReleaseTensor(&tensors[i]));
    }
    CHECK(vxReleaseGraph(&graph));
    CHECK(vxReleaseContext(&context));
    return 0;
}
