/* Whatever is passed for an object, the library answers with a status. */
#include "check.h"

static void try_all(vx_context context, void *bad)
{
    vx_size size = 0, array[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    vx_uint8 memory[512] = {0};
    vx_map_id id = 0;
    vx_enum number = 0;
    vx_bool flags[16] = {0};
    void *p = NULL;
    vx_nn_convolution_params_t convolution;
    vx_nn_deconvolution_params_t deconvolution;
    vx_nn_roi_pool_params_t roi;
    vx_tensor_matrix_multiply_params_t transpose;

    memset(&convolution, 0, sizeof convolution);
    memset(&deconvolution, 0, sizeof deconvolution);
    memset(&roi, 0, sizeof roi);
    memset(&transpose, 0, sizeof transpose);

#define BAD(call) CHECK_STATUS(call, VX_ERROR_INVALID_REFERENCE)
#define NONE(call) CHECK(STATUS(call) != VX_SUCCESS)
#define RELEASE(type, function) \
    do { \
        type object = (type)bad; \
        BAD(function(&object)); \
        CHECK(object == (type)bad); \
        BAD(function(NULL)); \
    } while (0)

    BAD(vxQueryReference(bad, VX_REFERENCE_TYPE, &number, sizeof number));
    BAD(vxRetainReference(bad));
    BAD(vxSetReferenceName(bad, "x"));
    BAD(vxDirective(bad, VX_DIRECTIVE_ENABLE_LOGGING));
    BAD(vxHint(bad, VX_HINT_PERFORMANCE_DEFAULT, NULL, 0));
    CHECK(vxGetContext(bad) == NULL);
    CHECK(vxGetStatus(bad) == (bad ? VX_ERROR_INVALID_REFERENCE : VX_ERROR_NO_RESOURCES));
    vxAddLogEntry(bad, VX_FAILURE, "%d", 1);
    vxRegisterLogCallback(bad, show, vx_false_e);
    BAD(vxQueryContext(bad, VX_CONTEXT_REFERENCES, &number, sizeof number));
    BAD(vxSetContextAttribute(bad, VX_CONTEXT_IMMEDIATE_BORDER, memory, sizeof(vx_border_t)));
    CHECK(vxRegisterUserStruct(bad, 4) == VX_TYPE_INVALID);
    CHECK(vxRegisterUserStructWithName(bad, 4, "x") == VX_TYPE_INVALID);
    CHECK_STATUS(vxGetUserStructNameByEnum(bad, VX_TYPE_USER_STRUCT_START, (vx_char *)memory, sizeof memory),
                 VX_ERROR_INVALID_PARAMETERS);
    BAD(vxGetUserStructEnumByName(bad, "x", &number));
    BAD(vxAllocateUserKernelId(bad, &number));
    BAD(vxAllocateUserKernelLibraryId(bad, &number));
    BAD(vxLoadKernels(bad, "x"));
    BAD(vxUnloadKernels(bad, "x"));
    NONE(vxGetKernelByName(bad, "x"));
    NONE(vxGetKernelByEnum(bad, 1));
    NONE(vxImportKernelFromURL(bad, "nnef", "x"));
    NONE(vxCreateGraph(bad));
    NONE(vxCreateTensor(bad, 2, array, VX_TYPE_UINT8, 0));
    NONE(vxCreateTensorFromHandle(bad, 2, array, VX_TYPE_UINT8, 0, array, memory, VX_MEMORY_TYPE_HOST));
    NONE(vxCreateScalar(bad, VX_TYPE_UINT8, memory));
    NONE(vxCreateScalarWithSize(bad, VX_TYPE_UINT8, memory, 1));
    NONE(vxCreateLUT(bad, VX_TYPE_UINT8, 256));
    NONE(vxCreateDelay(bad, (vx_reference)bad, 2));
    NONE(vxCreateDelay(context, (vx_reference)bad, 2));
    NONE(vxCreateImage(bad, 2, 2, VX_DF_IMAGE_U8));

    BAD(vxQueryGraph(bad, VX_GRAPH_STATE, &number, sizeof number));
    BAD(vxVerifyGraph(bad));
    BAD(vxProcessGraph(bad));
    BAD(vxScheduleGraph(bad));
    BAD(vxWaitGraph(bad));
    CHECK(vxIsGraphVerified(bad) == vx_false_e);
    BAD(vxAddParameterToGraph(bad, bad));
    BAD(vxSetGraphParameterByIndex(bad, 0, bad));
    NONE(vxGetGraphParameterByIndex(bad, 0));
    BAD(vxReplicateNode(bad, bad, flags, 16));
    BAD(vxRegisterAutoAging(bad, bad));
    NONE(vxCreateGenericNode(bad, bad));
    NONE(vxCreateVirtualTensor(bad, 2, array, VX_TYPE_UINT8, 0));
    NONE(vxCreateVirtualScalar(bad, VX_TYPE_UINT8));
    NONE(vxCreateVirtualLUT(bad, VX_TYPE_UINT8, 256));
    NONE(vxCreateVirtualImage(bad, 2, 2, VX_DF_IMAGE_U8));

    BAD(vxQueryNode(bad, VX_NODE_STATUS, &number, sizeof number));
    BAD(vxSetNodeAttribute(bad, VX_NODE_LOCAL_DATA_SIZE, &size, sizeof size));
    BAD(vxAssignNodeCallback(bad, NULL));
    CHECK(vxRetrieveNodeCallback(bad) == NULL);
    BAD(vxSetNodeTarget(bad, VX_TARGET_ANY, NULL));
    NONE(vxGetParameterByIndex(bad, 0));
    BAD(vxSetParameterByIndex(bad, 0, bad));
    BAD(vxSetParameterByReference(bad, bad));
    BAD(vxQueryParameter(bad, VX_PARAMETER_INDEX, &number, sizeof number));
    BAD(vxQueryKernel(bad, VX_KERNEL_ENUM, &number, sizeof number));
    BAD(vxSetKernelAttribute(bad, VX_KERNEL_LOCAL_DATA_SIZE, &size, sizeof size));
    BAD(vxAddParameterToKernel(bad, 0, VX_INPUT, VX_TYPE_TENSOR, VX_PARAMETER_STATE_REQUIRED));
    BAD(vxFinalizeKernel(bad));
    BAD(vxRemoveKernel(bad));
    NONE(vxGetKernelParameterByIndex(bad, 0));
    BAD(vxSetMetaFormatAttribute(bad, VX_TENSOR_NUMBER_OF_DIMS, &size, sizeof size));
    BAD(vxQueryMetaFormatAttribute(bad, VX_TENSOR_NUMBER_OF_DIMS, &size, sizeof size));
    BAD(vxSetMetaFormatFromReference(bad, bad));

    BAD(vxQueryTensor(bad, VX_TENSOR_NUMBER_OF_DIMS, &size, sizeof size));
    BAD(vxCopyTensorPatch(bad, 2, array, array, array, memory, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
    BAD(vxMapTensorPatch(bad, 2, NULL, NULL, &id, array, &p, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
    BAD(vxUnmapTensorPatch(bad, 1));
    BAD(vxSwapTensorHandle(bad, memory, &p));
    NONE(vxCreateTensorFromView(bad, 2, array, array));
    BAD(vxQueryScalar(bad, VX_SCALAR_TYPE, &number, sizeof number));
    BAD(vxCopyScalar(bad, memory, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
    BAD(vxCopyScalarWithSize(bad, 4, memory, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
    BAD(vxQueryLUT(bad, VX_LUT_COUNT, &size, sizeof size));
    BAD(vxCopyLUT(bad, memory, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
    BAD(vxMapLUT(bad, &id, &p, VX_READ_ONLY, VX_MEMORY_TYPE_HOST, 0));
    BAD(vxUnmapLUT(bad, 1));
    BAD(vxQueryDelay(bad, VX_DELAY_SLOTS, &size, sizeof size));
    BAD(vxAgeDelay(bad));
    NONE(vxGetReferenceFromDelay(bad, 0));
    BAD(vxQueryObjectArray(bad, VX_OBJECT_ARRAY_NUMITEMS, &size, sizeof size));
    NONE(vxGetObjectArrayItem(bad, 0));

    /* Layers want a graph; a tensor that is NULL may be set later, another one not. */
    vx_graph good = vxCreateGraph(context);
    for (int i = 0; i < 2; i++) {
        vx_graph graph = i == 0 ? bad : good;
        if (i == 1 && bad == NULL)
            continue;
        NONE(vxConvolutionLayer(graph, bad, bad, bad, &convolution, sizeof convolution, bad));
        NONE(vxDeconvolutionLayer(graph, bad, bad, bad, &deconvolution, sizeof deconvolution, bad));
        NONE(vxFullyConnectedLayer(graph, bad, bad, bad, VX_CONVERT_POLICY_WRAP, VX_ROUND_POLICY_TO_ZERO, bad));
        NONE(vxPoolingLayer(graph, bad, VX_NN_POOLING_MAX, 2, 2, 0, 0, VX_NN_DS_SIZE_ROUNDING_FLOOR, bad));
        NONE(vxSoftmaxLayer(graph, bad, bad));
        NONE(vxNormalizationLayer(graph, bad, VX_NN_NORMALIZATION_SAME_MAP, 3, 1, 1, bad));
        NONE(vxLocalResponseNormalizationLayer(graph, bad, VX_NN_NORMALIZATION_SAME_MAP, 3, 1, 1, 1, bad));
        NONE(vxActivationLayer(graph, bad, VX_NN_ACTIVATION_RELU, 0, 0, bad));
        NONE(vxROIPoolingLayer(graph, bad, bad, &roi, sizeof roi, bad));
        NONE(vxTensorMultiplyNode(graph, bad, bad, bad, VX_CONVERT_POLICY_WRAP, VX_ROUND_POLICY_TO_ZERO, bad));
        NONE(vxTensorAddNode(graph, bad, bad, VX_CONVERT_POLICY_WRAP, bad));
        NONE(vxTensorSubtractNode(graph, bad, bad, VX_CONVERT_POLICY_WRAP, bad));
        NONE(vxTensorTableLookupNode(graph, bad, bad, bad));
        NONE(vxTensorTransposeNode(graph, bad, bad, 0, 1));
        NONE(vxTensorConvertDepthNode(graph, bad, VX_CONVERT_POLICY_WRAP, bad, bad, bad));
        NONE(vxTensorMatrixMultiplyNode(graph, bad, bad, bad, &transpose, bad));
    }
    OK(vxReleaseGraph(&good));
    CHECK(vxuTensorAdd(bad, bad, bad, VX_CONVERT_POLICY_WRAP, bad) == VX_ERROR_INVALID_REFERENCE);
    CHECK(vxuTensorAdd(context, bad, bad, VX_CONVERT_POLICY_WRAP, bad) != VX_SUCCESS);
    CHECK(vxuTensorMatrixMultiply(context, bad, bad, bad, &transpose, bad) != VX_SUCCESS);

    RELEASE(vx_reference, vxReleaseReference);
    RELEASE(vx_context, vxReleaseContext);
    RELEASE(vx_graph, vxReleaseGraph);
    RELEASE(vx_node, vxReleaseNode);
    RELEASE(vx_node, vxRemoveNode);
    RELEASE(vx_kernel, vxReleaseKernel);
    RELEASE(vx_parameter, vxReleaseParameter);
    RELEASE(vx_tensor, vxReleaseTensor);
    RELEASE(vx_scalar, vxReleaseScalar);
    RELEASE(vx_lut, vxReleaseLUT);
    RELEASE(vx_delay, vxReleaseDelay);
    RELEASE(vx_image, vxReleaseImage);
    RELEASE(vx_object_array, vxReleaseObjectArray);
}

int main(void)
{
    vx_context context = vxCreateContext();
    OK(STATUS(context));
    vxRegisterLogCallback(context, show, vx_false_e);
    vx_uint32 before = references(context);

    /* A handle that was released, a small number, an address, and nothing. */
    vx_size dims[2] = {2, 2};
    vx_tensor released = vxCreateTensor(context, 2, dims, VX_TYPE_UINT8, 0);
    vx_tensor copy = released;
    OK(vxReleaseTensor(&released));
    CHECK_STATUS(vxReleaseTensor(&released), VX_ERROR_INVALID_REFERENCE);
    int foreign = 0;
    try_all(context, copy);
    try_all(context, (void *)1);
    try_all(context, &foreign);
    try_all(context, (void *)~(vx_size)0);
    try_all(context, NULL);

    /* An object of another kind. */
    vx_graph graph = vxCreateGraph(context);
    OK(STATUS(graph));
    vx_tensor tensor = (vx_tensor)graph;
    CHECK_STATUS(vxReleaseTensor(&tensor), VX_ERROR_INVALID_REFERENCE);
    CHECK_STATUS(vxVerifyGraph((vx_graph)context), VX_ERROR_INVALID_REFERENCE);
    OK(vxReleaseGraph(&graph));

    /* Error objects are harmless. */
    vx_tensor error = vxCreateTensor(context, 0, dims, VX_TYPE_UINT8, 0);
    CHECK_STATUS(STATUS(error), VX_ERROR_INVALID_DIMENSION);
    vx_enum type = 0;
    OK(vxQueryReference((vx_reference)error, VX_REFERENCE_TYPE, &type, sizeof type));
    CHECK(type == VX_TYPE_ERROR && vxGetContext((vx_reference)error) == context);
    CHECK_STATUS(vxReleaseTensor(&error), VX_ERROR_INVALID_REFERENCE);
    OK(vxReleaseReference((vx_reference *)&error));
    error = vxCreateTensor(context, 1000000, dims, VX_TYPE_UINT8, 0);
    CHECK_STATUS(STATUS(error), VX_ERROR_INVALID_DIMENSION);
    error = vxCreateTensor(context, 2, NULL, VX_TYPE_UINT8, 0);
    CHECK(STATUS(error) != VX_SUCCESS);
    vx_size huge[4] = {~(vx_size)0, ~(vx_size)0, 1 << 30, 1 << 30};
    CHECK(STATUS(vxCreateTensor(context, 4, huge, VX_TYPE_UINT8, 0)) != VX_SUCCESS);
    CHECK(STATUS(vxCreateTensor(context, 2, huge + 2, VX_TYPE_UINT8, 0)) != VX_SUCCESS);
    CHECK_STATUS(STATUS(vxCreateTensor(context, 2, dims, VX_TYPE_IMAGE, 0)), VX_ERROR_INVALID_TYPE);

    /* Strings. */
    char *name = malloc(100000);
    memset(name, 'x', 99999);
    name[99999] = 0;
    CHECK(STATUS(vxGetKernelByName(context, name)) != VX_SUCCESS);
    CHECK(STATUS(vxGetKernelByName(context, NULL)) != VX_SUCCESS);
    CHECK(vxSetReferenceName((vx_reference)context, name) != VX_SUCCESS);
    CHECK(vxLoadKernels(context, name) != VX_SUCCESS);
    CHECK(vxLoadKernels(context, "../there/is/no/such") != VX_SUCCESS);
    CHECK(vxLoadKernels(context, "there-is-no-such-library") != VX_SUCCESS);
    CHECK(vxUnloadKernels(context, "there-is-no-such-library") != VX_SUCCESS);
    CHECK(STATUS(vxImportKernelFromURL(context, "nnef", name)) != VX_SUCCESS);
    CHECK(STATUS(vxImportKernelFromURL(context, "nnef", "/there/is/no/such/model")) != VX_SUCCESS);
    CHECK(STATUS(vxImportKernelFromURL(context, "tea leaves", "cup")) != VX_SUCCESS);
    vxAddLogEntry((vx_reference)context, VX_FAILURE, "%s", name);
    vxAddLogEntry((vx_reference)context, VX_FAILURE, NULL);
    free(name);

    CHECK(references(context) == before);
    vx_context gone = context;
    OK(vxReleaseContext(&context));
    CHECK_STATUS(vxReleaseContext(&gone), VX_ERROR_INVALID_REFERENCE);
    return finish("hostile");
}
