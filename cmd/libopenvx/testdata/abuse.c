/* Arguments of the right kinds with values that no program should pass: sizes, ranks, strides, counts, attributes and texts. */
#include "check.h"

#define REFUSED(object) CHECK(STATUS(object) != VX_SUCCESS)
#define FAILS(call) CHECK((call) != VX_SUCCESS)

static const vx_size HUGE_SIZES[] = {0, 1, 2, 7, 1u << 16, 1u << 31, (vx_size)1 << 32, (vx_size)1 << 40, (vx_size)1 << 62,
                                     ((vx_size)1 << 63) - 1, (vx_size)1 << 63, ~(vx_size)0 - 1, ~(vx_size)0};
enum { SIZES = sizeof HUGE_SIZES / sizeof *HUGE_SIZES };

static void tensors(vx_context context, vx_graph graph)
{
    vx_size dims[8] = {4, 3, 2, 1, 1, 1, 1, 1};
    static vx_uint8 memory[4096];

    /* Every combination of two extents either makes a tensor or says why not. */
    for (int i = 0; i < SIZES; i++)
        for (int j = 0; j < SIZES; j++) {
            vx_size two[2] = {HUGE_SIZES[i], HUGE_SIZES[j]};
            vx_tensor t = vxCreateTensor(context, 2, two, VX_TYPE_INT16, 8);
            vx_tensor v = vxCreateVirtualTensor(graph, 2, two, VX_TYPE_INT16, 8);
            if (STATUS(t) == VX_SUCCESS)
                OK(vxReleaseTensor(&t));
            if (STATUS(v) == VX_SUCCESS)
                OK(vxReleaseTensor(&v));
            vx_size strides[2] = {2, HUGE_SIZES[j]};
            vx_size small[2] = {2, 2};
            vx_tensor h = vxCreateTensorFromHandle(context, 2, i & 1 ? two : small, VX_TYPE_INT16, 8, strides, NULL, VX_MEMORY_TYPE_HOST);
            if (STATUS(h) == VX_SUCCESS)
                OK(vxReleaseTensor(&h));
        }
    for (int i = 0; i < SIZES; i++) {
        if (HUGE_SIZES[i] >= 1 && HUGE_SIZES[i] <= 6)
            continue;
        REFUSED(vxCreateTensor(context, HUGE_SIZES[i], dims, VX_TYPE_UINT8, 0));
        REFUSED(vxCreateTensorFromHandle(context, HUGE_SIZES[i], dims, VX_TYPE_UINT8, 0, dims, memory, VX_MEMORY_TYPE_HOST));
    }
    for (int type = -5; type < 0x830; type++) {
        vx_tensor t = vxCreateTensor(context, 2, dims, type, 0);
        if (STATUS(t) == VX_SUCCESS)
            OK(vxReleaseTensor(&t));
    }
    for (int fixed = -128; fixed < 128; fixed++) {
        vx_tensor t = vxCreateTensor(context, 2, dims, VX_TYPE_INT16, (vx_int8)fixed);
        if (STATUS(t) == VX_SUCCESS)
            OK(vxReleaseTensor(&t));
    }

    /* Boxes and strides. */
    vx_tensor t = vxCreateTensor(context, 3, dims, VX_TYPE_UINT8, 0);
    OK(STATUS(t));
    vx_size zero[8] = {0}, one[8] = {1, 4, 12, 24, 24, 24, 24, 24};
    for (int i = 0; i < SIZES; i++)
        for (int at = 0; at < 3; at++)
            for (int what = 0; what < 3; what++) {
                vx_size start[3] = {0, 0, 0}, end[3] = {4, 3, 2}, stride[3] = {1, 4, 12};
                vx_size *changed = what == 0 ? start : what == 1 ? end : stride;
                vx_size huge = HUGE_SIZES[i];
                if (what == 2 && huge > 1 && huge < 1u << 20)
                    continue; /* these may suit the memory, or not: C cannot say */
                if (what == 2 && huge <= 1 && at == 0)
                    continue;
                changed[at] = huge;
                vx_map_id id = 0;
                vx_size strides[3];
                void *p = NULL;
                if (what != 2 || huge <= 1 || huge >= (vx_size)1 << 62)
                    for (vx_enum usage = VX_READ_ONLY; usage <= VX_WRITE_ONLY; usage++) {
                        vx_status status = vxCopyTensorPatch(t, 3, start, end, stride, memory, usage, VX_MEMORY_TYPE_HOST);
                        if (start[at] >= end[at] || end[at] > dims[at] || what == 2)
                            CHECK_STATUS(status, VX_ERROR_INVALID_PARAMETERS);
                        else
                            OK(status);
                    }
                if (what != 2) {
                    vx_status status = vxMapTensorPatch(t, 3, start, end, &id, strides, &p, VX_READ_ONLY, VX_MEMORY_TYPE_HOST);
                    if (status == VX_SUCCESS)
                        OK(vxUnmapTensorPatch(t, id));
                    else
                        CHECK_STATUS(status, VX_ERROR_INVALID_PARAMETERS);
                    vx_tensor view = vxCreateTensorFromView(t, 3, start, end);
                    if (STATUS(view) == VX_SUCCESS) {
                        OK(status);
                        OK(vxReleaseTensor(&view));
                    }
                }
            }
    for (int i = 0; i < SIZES; i++) {
        vx_size rank = HUGE_SIZES[i], strides[8];
        vx_map_id id = 0;
        void *p = NULL;
        if (rank >= 1 && rank <= 3)
            continue;
        FAILS(vxCopyTensorPatch(t, rank, zero, dims, one, memory, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
        FAILS(vxMapTensorPatch(t, rank, zero, dims, &id, strides, &p, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
        if (rank != 0)
            FAILS(vxMapTensorPatch(t, rank, NULL, NULL, &id, strides, &p, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
        REFUSED(vxCreateTensorFromView(t, rank, zero, dims));
    }
    vx_size strides[8];
    vx_map_id id = 0;
    void *p = NULL;
    FAILS(vxCopyTensorPatch(t, 3, NULL, dims, one, memory, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
    FAILS(vxCopyTensorPatch(t, 3, zero, NULL, one, memory, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
    FAILS(vxCopyTensorPatch(t, 3, zero, dims, NULL, memory, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
    FAILS(vxCopyTensorPatch(t, 3, zero, dims, one, NULL, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
    FAILS(vxCopyTensorPatch(t, 3, zero, dims, one, memory, VX_READ_AND_WRITE, VX_MEMORY_TYPE_HOST));
    FAILS(vxCopyTensorPatch(t, 3, zero, dims, one, memory, 77, VX_MEMORY_TYPE_HOST));
    FAILS(vxCopyTensorPatch(t, 3, zero, dims, one, memory, VX_READ_ONLY, VX_MEMORY_TYPE_NONE));
    FAILS(vxMapTensorPatch(t, 3, zero, dims, NULL, strides, &p, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
    FAILS(vxMapTensorPatch(t, 3, zero, dims, &id, NULL, &p, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
    FAILS(vxMapTensorPatch(t, 3, zero, dims, &id, strides, NULL, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
    FAILS(vxMapTensorPatch(t, 3, zero, dims, &id, strides, &p, 0, VX_MEMORY_TYPE_HOST));
    FAILS(vxMapTensorPatch(t, 3, zero, dims, &id, strides, &p, VX_READ_ONLY, 3));
    FAILS(vxUnmapTensorPatch(t, 0));
    FAILS(vxUnmapTensorPatch(t, ~(vx_map_id)0));
    REFUSED(vxCreateTensorFromView(t, 3, NULL, dims));
    REFUSED(vxCreateTensorFromView(t, 3, zero, NULL));

    /* A patch that is still mapped when its tensor and a view of it are released can be used and unmapped. */
    vx_tensor view = vxCreateTensorFromView(t, 3, zero, dims);
    vx_tensor same = t;
    OK(vxMapTensorPatch(t, 3, zero, dims, &id, strides, &p, VX_READ_AND_WRITE, VX_MEMORY_TYPE_HOST));
    OK(vxReleaseTensor(&t));
    memset(p, 1, 24);
    OK(vxUnmapTensorPatch(same, id));
    OK(vxCopyTensorPatch(view, 3, zero, dims, one, memory, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
    CHECK(memory[23] == 1);
    OK(vxReleaseTensor(&view));
    CHECK_STATUS(vxUnmapTensorPatch(same, id), VX_ERROR_INVALID_REFERENCE);

    /* Images of tensors. */
    vx_size cube[3] = {4, 3, 2};
    t = vxCreateTensor(context, 3, cube, VX_TYPE_UINT8, 0);
    vx_rectangle_t all = {0, 0, 4, 3};
    for (int i = 0; i < SIZES; i++)
        for (int j = 0; j < SIZES; j++) {
            vx_object_array array = vxCreateImageObjectArrayFromTensor(t, &all, HUGE_SIZES[i], HUGE_SIZES[j], VX_DF_IMAGE_U8);
            if (STATUS(array) == VX_SUCCESS)
                OK(vxReleaseObjectArray(&array));
        }
    vx_rectangle_t wild[] = {{3, 0, 1, 3}, {0, 0, 5, 3}, {0, 0, 0, 0}, {~0u, ~0u, ~0u, ~0u}, {0, 0, ~0u, ~0u}, {4, 3, 4, 3}};
    for (unsigned i = 0; i < sizeof wild / sizeof *wild; i++)
        REFUSED(vxCreateImageObjectArrayFromTensor(t, &wild[i], 1, 1, VX_DF_IMAGE_U8));
    REFUSED(vxCreateImageObjectArrayFromTensor(t, NULL, 1, 1, VX_DF_IMAGE_U8));
    REFUSED(vxCreateImageObjectArrayFromTensor(t, &all, 1, 1, VX_DF_IMAGE_S16));
    REFUSED(vxCreateImageObjectArrayFromTensor(t, &all, 1, 1, VX_DF_IMAGE_RGB));
    REFUSED(vxCreateImageObjectArrayFromTensor(t, &all, 1, 1, 0));
    OK(vxReleaseTensor(&t));
    REFUSED(vxCreateImage(context, ~0u, ~0u, VX_DF_IMAGE_U8));
    REFUSED(vxCreateImage(context, 0, 1, VX_DF_IMAGE_U8));
    REFUSED(vxCreateImage(context, 1, 1, 0));
}

static void others(vx_context context, vx_graph graph)
{
    vx_uint8 memory[64] = {0};
    vx_size size = 0;
    vx_uint32 number = 0;
    for (int i = 0; i < SIZES; i++) {
        vx_size huge = HUGE_SIZES[i];
        vx_lut lut = vxCreateLUT(context, i & 1 ? VX_TYPE_UINT8 : VX_TYPE_INT16, huge);
        if (STATUS(lut) == VX_SUCCESS)
            OK(vxReleaseLUT(&lut));
        vx_enum type = vxRegisterUserStruct(context, huge);
        CHECK(type == VX_TYPE_INVALID || (huge > 0 && huge < (vx_size)1 << 40));
        vx_uint8 byte = 0;
        vx_scalar scalar = vxCreateScalar(context, VX_TYPE_UINT8, &byte);
        vx_delay delay = vxCreateDelay(context, (vx_reference)scalar, huge);
        if (STATUS(delay) == VX_SUCCESS)
            OK(vxReleaseDelay(&delay));
        if (huge != 1) {
            FAILS(vxQueryScalar(scalar, VX_SCALAR_TYPE, memory, huge));
            FAILS(vxQueryGraph(graph, VX_GRAPH_STATE, memory, huge));
            FAILS(vxQueryContext(context, VX_CONTEXT_VERSION, memory, huge == 2 ? 3 : huge));
            FAILS(vxQueryReference((vx_reference)scalar, VX_REFERENCE_COUNT, memory, huge));
        }
        if (huge > 1u << 31) {
            FAILS(vxQueryContext(context, VX_CONTEXT_IMPLEMENTATION, memory, huge));
            OK(vxQueryContext(context, VX_CONTEXT_EXTENSIONS, memory, huge)); /* no more is written than there is to say */
        }
        OK(vxReleaseScalar(&scalar));
        scalar = vxCreateScalarWithSize(context, VX_TYPE_INT32, memory, huge);
        CHECK((STATUS(scalar) == VX_SUCCESS) == (huge >= 4) || huge >> 62);
        if (STATUS(scalar) == VX_SUCCESS)
            OK(vxReleaseScalar(&scalar));
    }
    for (vx_uint32 i = 1; i; i *= 3) { /* numbers of parameters */
        vx_enum id = 0;
        OK(vxAllocateUserKernelId(context, &id));
        vx_kernel kernel = vxAddUserKernel(context, "org.abuse", id, (vx_kernel_f)(void (*)(void))finish, i,
                                           (vx_kernel_validate_f)(void (*)(void))finish, NULL, NULL);
        if (STATUS(kernel) == VX_SUCCESS) {
            FAILS(vxAddParameterToKernel(kernel, i, VX_INPUT, VX_TYPE_TENSOR, VX_PARAMETER_STATE_REQUIRED));
            FAILS(vxAddParameterToKernel(kernel, ~0u, VX_INPUT, VX_TYPE_TENSOR, VX_PARAMETER_STATE_REQUIRED));
            FAILS(vxAddParameterToKernel(kernel, 0, 77, VX_TYPE_TENSOR, VX_PARAMETER_STATE_REQUIRED));
            FAILS(vxAddParameterToKernel(kernel, 0, VX_INPUT, 0x7777, VX_PARAMETER_STATE_REQUIRED));
            FAILS(vxAddParameterToKernel(kernel, 0, VX_INPUT, VX_TYPE_TENSOR, 77));
            FAILS(vxFinalizeKernel(kernel)); /* parameters are missing */
            REFUSED(vxCreateGenericNode(graph, kernel));
            REFUSED(vxGetKernelByName(context, "org.abuse"));
            REFUSED(vxGetKernelByEnum(context, id));
            for (int s = 0; s < SIZES; s++) {
                size = HUGE_SIZES[s];
                vx_status status = vxSetKernelAttribute(kernel, VX_KERNEL_LOCAL_DATA_SIZE, &size, sizeof size);
                CHECK(status == VX_SUCCESS || size > 1u << 30);
                FAILS(vxSetKernelAttribute(kernel, VX_KERNEL_LOCAL_DATA_SIZE, &size, size == sizeof size ? 1 : size));
            }
            FAILS(vxSetKernelAttribute(kernel, VX_KERNEL_LOCAL_DATA_SIZE, NULL, sizeof size));
            OK(vxRemoveKernel(kernel));
        }
        if (i > 1u << 30)
            break;
    }
    FAILS(vxAllocateUserKernelId(context, NULL));
    FAILS(vxAllocateUserKernelLibraryId(context, NULL));
    int ids = 0, libraries = 0;
    vx_enum id = 0;
    while (ids < 100000 && vxAllocateUserKernelId(context, &id) == VX_SUCCESS)
        ids++;
    while (libraries < 100000 && vxAllocateUserKernelLibraryId(context, &id) == VX_SUCCESS)
        libraries++;
    CHECK(ids < 4096 && libraries < 256);

    FAILS(vxDirective((vx_reference)context, 0));
    FAILS(vxHint((vx_reference)context, 0, NULL, ~(vx_size)0));
    FAILS(vxHint((vx_reference)context, VX_HINT_PERFORMANCE_DEFAULT, memory, ~(vx_size)0));
    REFUSED(vxGetGraphParameterByIndex(graph, 0));
    REFUSED(vxGetGraphParameterByIndex(graph, ~0u));
    FAILS(vxSetGraphParameterByIndex(graph, ~0u, (vx_reference)context));
    FAILS(vxQueryGraph(graph, VX_GRAPH_NUMNODES, NULL, sizeof number));
    FAILS(vxWaitGraph(graph)); /* it has not been scheduled */
    CHECK_STATUS(vxVerifyGraph(graph), VX_ERROR_INVALID_GRAPH); /* it has no nodes */
    CHECK_STATUS(vxProcessGraph(graph), VX_ERROR_INVALID_GRAPH);
    CHECK_STATUS(vxScheduleGraph(graph), VX_ERROR_INVALID_GRAPH);
}

static void layers(vx_context context, vx_graph graph)
{
    vx_size dims[3] = {8, 8, 2}, weights_dims[4] = {3, 3, 2, 2}, out_dims[3] = {6, 6, 2};
    vx_tensor in = vxCreateTensor(context, 3, dims, VX_TYPE_INT16, 8), out = vxCreateTensor(context, 3, out_dims, VX_TYPE_INT16, 8),
              weights = vxCreateTensor(context, 4, weights_dims, VX_TYPE_INT16, 8);
    vx_nn_convolution_params_t convolution;
    vx_nn_deconvolution_params_t deconvolution;
    vx_nn_roi_pool_params_t roi = {77};
    REFUSED(vxConvolutionLayer(graph, in, weights, NULL, NULL, sizeof convolution, out));
    REFUSED(vxDeconvolutionLayer(graph, in, weights, NULL, NULL, sizeof deconvolution, out));
    REFUSED(vxROIPoolingLayer(graph, in, in, NULL, sizeof roi, out));
    REFUSED(vxTensorMatrixMultiplyNode(graph, in, in, NULL, NULL, out));

    /* What cannot be right makes no node, or a graph that says so when it is verified, in bounded time. */
    for (int i = 0; i < SIZES; i++)
        for (int what = 0; what < 14; what++) {
            vx_size huge = HUGE_SIZES[i];
            vx_graph g = vxCreateGraph(context);
            vx_node node = NULL;
            memset(&convolution, 0, sizeof convolution);
            convolution.overflow_policy = VX_CONVERT_POLICY_SATURATE;
            convolution.rounding_policy = VX_ROUND_POLICY_TO_ZERO;
            convolution.down_scale_size_rounding = VX_NN_DS_SIZE_ROUNDING_FLOOR;
            memset(&deconvolution, 0, sizeof deconvolution);
            deconvolution.overflow_policy = VX_CONVERT_POLICY_SATURATE;
            deconvolution.rounding_policy = VX_ROUND_POLICY_TO_ZERO;
            vx_size conv_size = sizeof convolution;
            switch (what) {
            case 0: convolution.padding_x = huge; break;
            case 1: convolution.padding_y = huge; break;
            case 2: convolution.dilation_x = huge; break;
            case 3: convolution.dilation_y = huge; break;
            case 4: convolution.overflow_policy = (vx_enum)huge; break;
            case 5: convolution.rounding_policy = (vx_enum)huge; break;
            case 6: convolution.down_scale_size_rounding = (vx_enum)huge; break;
            case 7: conv_size = huge; break;
            case 8: deconvolution.padding_x = huge; break;
            case 9: deconvolution.a_y = huge; break;
            case 10: node = vxPoolingLayer(g, in, VX_NN_POOLING_AVG, huge, huge, 0, 0, VX_NN_DS_SIZE_ROUNDING_FLOOR, out); break;
            case 11: node = vxPoolingLayer(g, in, VX_NN_POOLING_MAX, 3, 3, huge, 1, VX_NN_DS_SIZE_ROUNDING_CEILING, out); break;
            case 12: node = vxLocalResponseNormalizationLayer(g, in, VX_NN_NORMALIZATION_SAME_MAP, huge, 1, 1, 1, in); break;
            case 13: node = vxTensorTransposeNode(g, in, out, huge, 1); break;
            }
            if (what < 8)
                node = vxConvolutionLayer(g, in, weights, NULL, &convolution, conv_size, out);
            else if (what < 10)
                node = vxDeconvolutionLayer(g, out, weights, NULL, &deconvolution, sizeof deconvolution, in);
            if (STATUS(node) == VX_SUCCESS) {
                vx_status status = vxVerifyGraph(g);
                if (status == VX_SUCCESS)
                    OK(vxProcessGraph(g));
                OK(vxReleaseNode(&node));
            }
            OK(vxReleaseGraph(&g));
        }
    const vx_float32 odd[] = {0.0f / 0.0f, 1.0f / 0.0f, -1.0f / 0.0f, -1, 0, 3e38f};
    for (int i = 0; i < 6; i++)
        for (vx_enum function = VX_NN_ACTIVATION_LOGISTIC - 1; function <= VX_NN_ACTIVATION_LINEAR + 1; function++) {
            vx_graph g = vxCreateGraph(context);
            vx_tensor to = vxCreateTensor(context, 3, dims, VX_TYPE_INT16, 8);
            vx_node node = vxActivationLayer(g, in, function, odd[i], odd[5 - i], to);
            if (STATUS(node) == VX_SUCCESS) {
                if (vxVerifyGraph(g) == VX_SUCCESS)
                    OK(vxProcessGraph(g));
                OK(vxReleaseNode(&node));
            }
            vx_node norm = vxLocalResponseNormalizationLayer(g, in, VX_NN_NORMALIZATION_ACROSS_MAPS, 3, odd[i], odd[5 - i], odd[i], to);
            if (STATUS(norm) == VX_SUCCESS) {
                if (vxVerifyGraph(g) == VX_SUCCESS)
                    OK(vxProcessGraph(g));
                OK(vxReleaseNode(&norm));
            }
            OK(vxReleaseTensor(&to));
            OK(vxReleaseGraph(&g));
        }
    OK(vxReleaseTensor(&in));
    OK(vxReleaseTensor(&out));
    OK(vxReleaseTensor(&weights));
}

/* Names of just the allowed length, one byte more, without an end in sight, and with every byte that there is. */
static void texts(vx_context context)
{
    static vx_char text[70000], back[300];
    const vx_char *name = NULL;
    vx_reference r = (vx_reference)context;
    for (unsigned i = 0; i < sizeof text - 1; i++)
        text[i] = (vx_char)(1 + i % 255);
    FAILS(vxSetReferenceName(r, text));
    text[VX_MAX_REFERENCE_NAME] = 0;
    FAILS(vxSetReferenceName(r, text));
    text[VX_MAX_REFERENCE_NAME - 1] = 0;
    OK(vxSetReferenceName(r, text));
    OK(vxQueryReference(r, VX_REFERENCE_NAME, &name, sizeof name));
    CHECK(name && strcmp(name, text) == 0);
    OK(vxSetReferenceName(r, ""));
    memset(text, '%', sizeof text - 1); /* nobody may take a name for a format */
    text[sizeof text - 1] = 0;
    REFUSED(vxGetKernelByName(context, text));
    REFUSED(vxGetKernelByName(context, "%s%n%s%n"));
    REFUSED(vxGetKernelByName(context, ""));
    FAILS(vxLoadKernels(context, text));
    FAILS(vxLoadKernels(context, ""));
    FAILS(vxLoadKernels(context, NULL));
    FAILS(vxUnloadKernels(context, NULL));
    REFUSED(vxImportKernelFromURL(context, text, "x"));
    REFUSED(vxImportKernelFromURL(context, "nnef", text));
    REFUSED(vxImportKernelFromURL(context, "nnef", "%s%n"));
    REFUSED(vxImportKernelFromURL(context, "nnef", ""));
    REFUSED(vxImportKernelFromURL(context, "nnef", NULL));
    REFUSED(vxImportKernelFromURL(context, NULL, "x"));
    REFUSED(vxImportKernelFromURL(context, "nnef", "/dev/null"));
    REFUSED(vxImportKernelFromURL(context, "nnef", "/"));
    REFUSED(vxImportKernelFromURL(context, "nnef", "/proc/self/mem"));
    CHECK(vxRegisterUserStructWithName(context, 4, text) == VX_TYPE_INVALID);
    FAILS(vxGetUserStructEnumByName(context, text, &(vx_enum){0}));
    FAILS(vxGetUserStructEnumByName(context, NULL, &(vx_enum){0}));
    FAILS(vxGetUserStructNameByEnum(context, VX_TYPE_UINT8, back, sizeof back));
    FAILS(vxGetUserStructNameByEnum(context, VX_TYPE_USER_STRUCT_START, NULL, 0));
    vxAddLogEntry(r, VX_FAILURE, text + sizeof text - 1001, 1);
    vxAddLogEntry(r, VX_FAILURE, "%s %d %.3f", "text", 1, 1.5);
    vxAddLogEntry(r, VX_SUCCESS, "%s", "nothing");
    FAILS(vxSetNodeTarget(NULL, VX_TARGET_STRING, text));
}

/* Two nodes may write one tensor where its elements are not the same. */
static void views(vx_context context)
{
    vx_size dims[2] = {8, 8};
    vx_tensor in = vxCreateTensor(context, 2, dims, VX_TYPE_UINT8, 0), out = vxCreateTensor(context, 2, dims, VX_TYPE_UINT8, 0);
    for (vx_size middle = 3; middle <= 5; middle++) {
        vx_size starts[2][2] = {{0, 0}, {0, middle}}, ends[2][2] = {{8, 4}, {8, 8}};
        vx_graph graph = vxCreateGraph(context);
        vx_tensor from[2], to[2];
        for (int i = 0; i < 2; i++) {
            from[i] = vxCreateTensorFromView(in, 2, starts[i], ends[i]);
            to[i] = vxCreateTensorFromView(out, 2, starts[i], ends[i]);
            vx_node node = vxActivationLayer(graph, from[i], VX_NN_ACTIVATION_RELU, 0, 0, to[i]);
            OK(STATUS(node));
            OK(vxReleaseNode(&node));
        }
        CHECK_STATUS(vxVerifyGraph(graph), middle < 4 ? VX_ERROR_MULTIPLE_WRITERS : VX_SUCCESS);
        for (int i = 0; i < 2; i++) {
            OK(vxReleaseTensor(&from[i]));
            OK(vxReleaseTensor(&to[i]));
        }
        OK(vxReleaseGraph(&graph));
    }
    vx_graph graph = vxCreateGraph(context);
    vx_node node = vxTensorAddNode(graph, in, in, VX_CONVERT_POLICY_WRAP, in); /* it would be its own input */
    CHECK(STATUS(node) != VX_SUCCESS || vxVerifyGraph(graph) != VX_SUCCESS);
    OK(vxReleaseGraph(&graph));
    OK(vxReleaseTensor(&in));
    OK(vxReleaseTensor(&out));
}

int main(void)
{
    vx_context context = vxCreateContext();
    OK(STATUS(context));
    vxRegisterLogCallback(context, show, vx_false_e);
    vx_uint32 before = references(context);
    vx_graph graph = vxCreateGraph(context);
    tensors(context, graph);
    others(context, graph);
    layers(context, graph);
    views(context);
    texts(context);
    OK(vxReleaseGraph(&graph));
    CHECK(references(context) == before);

    /* All objects go with their context. */
    vx_size dims[1] = {4};
    graph = vxCreateGraph(context);
    vx_tensor tensor = vxCreateTensor(context, 1, dims, VX_TYPE_UINT8, 0), error = vxCreateTensor(context, 0, dims, VX_TYPE_UINT8, 0);
    vx_kernel kernel = vxGetKernelByEnum(context, VX_KERNEL_SOFTMAX_LAYER);
    OK(STATUS(kernel));
    vx_node node = vxCreateGenericNode(graph, kernel);
    OK(STATUS(node));
    OK(vxReleaseContext(&context));
    CHECK_STATUS(STATUS(graph), VX_ERROR_INVALID_REFERENCE);
    CHECK_STATUS(STATUS(error), VX_ERROR_INVALID_REFERENCE);
    CHECK_STATUS(vxVerifyGraph(graph), VX_ERROR_INVALID_REFERENCE);
    CHECK_STATUS(vxReleaseGraph(&graph), VX_ERROR_INVALID_REFERENCE);
    CHECK_STATUS(vxReleaseTensor(&tensor), VX_ERROR_INVALID_REFERENCE);
    CHECK_STATUS(vxReleaseKernel(&kernel), VX_ERROR_INVALID_REFERENCE);
    CHECK_STATUS(vxReleaseNode(&node), VX_ERROR_INVALID_REFERENCE);
    return finish("abuse");
}
