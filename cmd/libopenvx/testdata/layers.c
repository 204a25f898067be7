/* Each layer as C calls it, and with parameters that do not do. */
#include "check.h"

static vx_tensor make(vx_context context, vx_size a, vx_size b, vx_size c, vx_size d, const vx_uint8 *values)
{
    vx_size dims[4] = {a, b, c, d}, start[4] = {0}, stride[4] = {1, a, a * b, a * b * c}, rank = d ? 4 : c ? 3 : b ? 2 : 1;
    vx_tensor tensor = vxCreateTensor(context, rank, dims, VX_TYPE_UINT8, 0);
    OK(STATUS(tensor));
    if (values)
        OK(vxCopyTensorPatch(tensor, rank, start, dims, stride, (void *)values, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
    return tensor;
}

static vx_uint8 element(vx_tensor tensor)
{
    vx_size start[4] = {0}, end[4] = {1, 1, 1, 1}, stride[4] = {1, 1, 1, 1}, rank = 0;
    vx_uint8 value = 0;
    OK(vxQueryTensor(tensor, VX_TENSOR_NUMBER_OF_DIMS, &rank, sizeof rank));
    OK(vxCopyTensorPatch(tensor, rank, start, end, stride, &value, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
    return value;
}

/* Runs a graph of one node and checks the first element of its result. */
#define RUN(constructor, result, expected) \
    do { \
        vx_graph graph = vxCreateGraph(context); \
        vx_node node = constructor; \
        OK(STATUS(node)); \
        OK(vxProcessGraph(graph)); \
        CHECK(element(result) == (expected)); \
        OK(vxReleaseNode(&node)); \
        OK(vxReleaseGraph(&graph)); \
    } while (0)

#define REFUSED(constructor, status) \
    do { \
        vx_graph graph = vxCreateGraph(context); \
        CHECK_STATUS(STATUS(constructor), status); \
        OK(vxReleaseGraph(&graph)); \
    } while (0)

int main(void)
{
    vx_context context = vxCreateContext();
    OK(STATUS(context));
    vxRegisterLogCallback(context, show, vx_false_e);
    vx_uint32 before = references(context);

    const vx_uint8 nine[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, four[4] = {1, 0, 0, 2}, rois[4] = {0, 0, 1, 1};
    vx_tensor in = make(context, 3, 3, 1, 0, nine), weights = make(context, 2, 2, 1, 1, four), bias = make(context, 1, 0, 0, 0, nine);
    vx_tensor small = make(context, 2, 2, 1, 0, NULL), same = make(context, 3, 3, 1, 0, NULL), large = make(context, 4, 4, 1, 0, NULL);
    struct { /* a structure of a later version */
        vx_nn_convolution_params_t now;
        vx_size more;
    } convolution;
    memset(&convolution, 0, sizeof convolution);
    convolution.now.overflow_policy = VX_CONVERT_POLICY_SATURATE;
    convolution.now.rounding_policy = VX_ROUND_POLICY_TO_ZERO;
    convolution.now.down_scale_size_rounding = VX_NN_DS_SIZE_ROUNDING_FLOOR;
    RUN(vxConvolutionLayer(graph, in, weights, bias, &convolution.now, sizeof convolution.now, small), small, 1 + 2 * 5 + 1);
    RUN(vxConvolutionLayer(graph, in, weights, NULL, &convolution.now, sizeof convolution, small), small, 1 + 2 * 5);
    REFUSED(vxConvolutionLayer(graph, in, weights, bias, &convolution.now, sizeof convolution.now - 1, small), VX_ERROR_INVALID_PARAMETERS);
    REFUSED(vxConvolutionLayer(graph, in, weights, bias, NULL, sizeof convolution, small), VX_ERROR_INVALID_PARAMETERS);
    REFUSED(vxConvolutionLayer(graph, in, (vx_tensor)context, bias, &convolution.now, sizeof convolution, small), VX_ERROR_INVALID_REFERENCE);

    vx_nn_deconvolution_params_t deconvolution = {0, 0, VX_CONVERT_POLICY_SATURATE, VX_ROUND_POLICY_TO_ZERO, 0, 0};
    RUN(vxDeconvolutionLayer(graph, in, weights, NULL, &deconvolution, sizeof deconvolution, large), large, 2);
    REFUSED(vxDeconvolutionLayer(graph, in, weights, NULL, &deconvolution, 0, large), VX_ERROR_INVALID_PARAMETERS);

    vx_tensor vector = make(context, 9, 0, 0, 0, nine), matrix = make(context, 9, 1, 0, 0, nine), one = make(context, 1, 0, 0, 0, NULL);
    RUN(vxFullyConnectedLayer(graph, vector, matrix, bias, VX_CONVERT_POLICY_WRAP, VX_ROUND_POLICY_TO_ZERO, one), one, (285 + 1) & 255);
    RUN(vxPoolingLayer(graph, in, VX_NN_POOLING_MAX, 2, 2, 0, 0, VX_NN_DS_SIZE_ROUNDING_FLOOR, small), small, 5);
    RUN(vxPoolingLayer(graph, in, VX_NN_POOLING_AVG, 2, 2, 0, 0, VX_NN_DS_SIZE_ROUNDING_FLOOR, small), small, 3);
    RUN(vxSoftmaxLayer(graph, bias, one), one, 1);
    RUN(vxActivationLayer(graph, in, VX_NN_ACTIVATION_SQUARE, 0, 0, same), same, 1);
    RUN(vxNormalizationLayer(graph, in, VX_NN_NORMALIZATION_ACROSS_MAPS, 3, 27, 0.75f, same), same, 0); /* 0.18 */
    RUN(vxLocalResponseNormalizationLayer(graph, in, VX_NN_NORMALIZATION_SAME_MAP, 3, 0.0001f, 0.75f, 0.2f, same), same, 3); /* 3.34 */
    REFUSED(vxPoolingLayer(graph, in, VX_NN_POOLING_MAX, ~(vx_size)0, 2, 0, 0, VX_NN_DS_SIZE_ROUNDING_FLOOR, small),
            VX_ERROR_INVALID_PARAMETERS);

    vx_tensor regions = make(context, 4, 1, 0, 0, rois), pooled = make(context, 1, 1, 1, 1, NULL);
    vx_nn_roi_pool_params_t roi = {VX_NN_POOLING_MAX};
    RUN(vxROIPoolingLayer(graph, in, regions, &roi, sizeof roi, pooled), pooled, 5);
    REFUSED(vxROIPoolingLayer(graph, in, regions, &roi, 3, pooled), VX_ERROR_INVALID_PARAMETERS);

    /* Generic nodes find the same kernels; what C passes as arguments are scalars then. */
    vx_kernel kernel = vxGetKernelByEnum(context, VX_KERNEL_SOFTMAX_LAYER);
    OK(STATUS(kernel));
    vx_graph graph = vxCreateGraph(context);
    vx_node node = vxCreateGenericNode(graph, kernel);
    OK(STATUS(node));
    CHECK_STATUS(vxVerifyGraph(graph), VX_ERROR_NOT_SUFFICIENT);
    OK(vxSetParameterByIndex(node, 0, (vx_reference)vector));
    CHECK(vxSetParameterByIndex(node, 1, (vx_reference)kernel) != VX_SUCCESS);
    CHECK(vxSetParameterByIndex(node, 2, (vx_reference)vector) != VX_SUCCESS);
    vx_tensor out = make(context, 9, 0, 0, 0, NULL);
    OK(vxSetParameterByIndex(node, 1, (vx_reference)out));
    OK(vxProcessGraph(graph));
    OK(vxRemoveNode(&node));
    CHECK(node == NULL);
    node = vxSoftmaxLayer(graph, NULL, NULL);
    OK(STATUS(node));
    CHECK_STATUS(vxVerifyGraph(graph), VX_ERROR_NOT_SUFFICIENT);
    OK(vxSetParameterByIndex(node, 0, (vx_reference)vector));
    OK(vxSetParameterByIndex(node, 1, (vx_reference)out));
    OK(vxProcessGraph(graph));
    OK(vxReleaseNode(&node));
    OK(vxReleaseGraph(&graph));
    OK(vxReleaseKernel(&kernel));

    vx_tensor all[] = {in, weights, bias, small, same, large, vector, matrix, one, regions, pooled, out};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        OK(vxReleaseTensor(&all[i]));
    CHECK(references(context) == before);
    OK(vxReleaseContext(&context));
    return finish("layers");
}
