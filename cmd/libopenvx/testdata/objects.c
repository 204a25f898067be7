/* Scalars, tables, delays, images, structures of the application, and attributes of the context. */
#include "check.h"

static void scalars(vx_context context)
{
    vx_float32 value = 1.5f, got = 0;
    vx_enum type = 0;
    vx_scalar scalar = vxCreateScalar(context, VX_TYPE_FLOAT32, &value);
    OK(STATUS(scalar));
    OK(vxQueryScalar(scalar, VX_SCALAR_TYPE, &type, sizeof type));
    CHECK(type == VX_TYPE_FLOAT32);
    OK(vxCopyScalar(scalar, &got, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
    CHECK(got == 1.5f);
    value = -2;
    OK(vxWriteScalarValue(scalar, &value));
    OK(vxReadScalarValue(scalar, &got));
    CHECK(got == -2);
    CHECK(vxCopyScalar(scalar, NULL, VX_READ_ONLY, VX_MEMORY_TYPE_HOST) != VX_SUCCESS);
    CHECK(vxCopyScalar(scalar, &got, VX_READ_ONLY, VX_MEMORY_TYPE_NONE) != VX_SUCCESS);
    OK(vxReleaseScalar(&scalar));

    vx_nn_convolution_params_t params, back;
    memset(&params, 0, sizeof params);
    params.padding_x = 3;
    scalar = vxCreateScalarWithSize(context, VX_TYPE_NN_CONVOLUTION_PARAMS, &params, sizeof params);
    OK(STATUS(scalar));
    OK(vxCopyScalarWithSize(scalar, sizeof back, &back, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
    CHECK(back.padding_x == 3);
    OK(vxReleaseScalar(&scalar));
    CHECK(STATUS(vxCreateScalarWithSize(context, VX_TYPE_NN_CONVOLUTION_PARAMS, &params, 4)) != VX_SUCCESS);
    CHECK(STATUS(vxCreateScalar(context, VX_TYPE_TENSOR, &params)) != VX_SUCCESS);
}

static void tables(vx_context context)
{
    vx_uint8 values[256], *p = NULL;
    vx_size count = 0, size = 0;
    vx_uint32 offset = 1;
    vx_map_id id = 0;
    vx_lut lut = vxCreateLUT(context, VX_TYPE_UINT8, 256);
    OK(STATUS(lut));
    for (int i = 0; i < 256; i++)
        values[i] = (vx_uint8)(255 - i);
    OK(vxCopyLUT(lut, values, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
    OK(vxQueryLUT(lut, VX_LUT_COUNT, &count, sizeof count));
    OK(vxQueryLUT(lut, VX_LUT_SIZE, &size, sizeof size));
    OK(vxQueryLUT(lut, VX_LUT_OFFSET, &offset, sizeof offset));
    CHECK(count == 256 && size == 256 && offset == 0);
    OK(vxQueryReference((vx_reference)lut, VX_REFERENCE_COUNT, &offset, sizeof offset));
    CHECK(offset == 1);
    OK(vxMapLUT(lut, &id, (void **)&p, VX_READ_AND_WRITE, VX_MEMORY_TYPE_HOST, 0));
    CHECK(p && p[1] == 254);
    if (p)
        p[1] = 7;
    OK(vxUnmapLUT(lut, id));
    CHECK(vxUnmapLUT(lut, id) != VX_SUCCESS);

    vx_size dims[1] = {2}, start[1] = {0}, stride[1] = {1};
    vx_uint8 elements[2] = {0, 1};
    vx_tensor a = vxCreateTensor(context, 1, dims, VX_TYPE_UINT8, 0), b = vxCreateTensor(context, 1, dims, VX_TYPE_UINT8, 0);
    OK(vxCopyTensorPatch(a, 1, start, dims, stride, elements, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
    OK(vxuTensorTableLookup(context, a, lut, b));
    OK(vxCopyTensorPatch(b, 1, start, dims, stride, elements, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
    CHECK(elements[0] == 255 && elements[1] == 7);
    OK(vxReleaseTensor(&a));
    OK(vxReleaseTensor(&b));
    OK(vxReleaseLUT(&lut));
}

static void delays(vx_context context)
{
    vx_uint8 value = 1;
    vx_size slots = 0;
    vx_enum type = 0;
    vx_scalar exemplar = vxCreateScalar(context, VX_TYPE_UINT8, &value);
    vx_delay delay = vxCreateDelay(context, (vx_reference)exemplar, 2);
    OK(STATUS(delay));
    OK(vxReleaseScalar(&exemplar));
    OK(vxQueryDelay(delay, VX_DELAY_SLOTS, &slots, sizeof slots));
    OK(vxQueryDelay(delay, VX_DELAY_TYPE, &type, sizeof type));
    CHECK(slots == 2 && type == VX_TYPE_SCALAR);
    vx_scalar now = (vx_scalar)vxGetReferenceFromDelay(delay, 0), past = (vx_scalar)vxGetReferenceFromDelay(delay, -1);
    OK(STATUS(now));
    OK(STATUS(past));
    CHECK(STATUS(vxGetReferenceFromDelay(delay, 1)) != VX_SUCCESS && STATUS(vxGetReferenceFromDelay(delay, -2)) != VX_SUCCESS);
    value = 9;
    OK(vxCopyScalar(now, &value, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
    OK(vxAgeDelay(delay));
    value = 0;
    OK(vxCopyScalar(past, &value, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
    CHECK(value == 9);
    OK(vxReleaseDelay(&delay));
    CHECK_STATUS(STATUS(now), VX_ERROR_INVALID_REFERENCE);
}

static void images(vx_context context)
{
    vx_size dims[3] = {4, 3, 2};
    vx_rectangle_t all = {0, 0, 4, 3}, valid = {9, 9, 9, 9};
    vx_tensor tensor = vxCreateTensor(context, 3, dims, VX_TYPE_UINT8, 0);
    vx_object_array array = vxCreateImageObjectArrayFromTensor(tensor, &all, 2, 12, VX_DF_IMAGE_U8);
    OK(STATUS(array));
    vx_size n = 0;
    OK(vxQueryObjectArray(array, VX_OBJECT_ARRAY_NUMITEMS, &n, sizeof n));
    CHECK(n == 2);
    vx_image image = (vx_image)vxGetObjectArrayItem(array, 1);
    OK(STATUS(image));
    OK(vxGetValidRegionImage(image, &valid));
    CHECK(valid.start_x == 0 && valid.end_x == 4 && valid.end_y == 3);
    vx_imagepatch_addressing_t address = VX_IMAGEPATCH_ADDR_INIT;
    vx_map_id id = 0;
    void *p = NULL;
    OK(vxMapImagePatch(image, &all, 0, &id, &address, &p, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST, VX_NOGAP_X));
    CHECK(address.dim_x == 4 && address.dim_y == 3 && address.stride_x == 1);
    vx_uint8 *pixel = vxFormatImagePatchAddress2d(p, 3, 2, &address);
    if (pixel)
        *pixel = 77;
    OK(vxUnmapImagePatch(image, id));
    vx_size start[3] = {3, 2, 1}, end[3] = {4, 3, 2}, stride[3] = {1, 1, 1};
    vx_uint8 element = 0;
    OK(vxCopyTensorPatch(tensor, 3, start, end, stride, &element, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
    CHECK(element == 77);
    vx_uint8 pixels[12] = {0};
    end[0] = 4, start[0] = 2, stride[0] = 2;
    CHECK_STATUS(vxCopyTensorPatch(tensor, 3, start, end, stride, &address, VX_READ_ONLY, VX_MEMORY_TYPE_HOST), VX_ERROR_INVALID_PARAMETERS);
    address.stride_y = 4;
    OK(vxCopyImagePatch(image, &all, 0, &address, pixels, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
    CHECK(pixels[11] == 77 && pixels[10] == 0);
    address.stride_x = -1;
    CHECK(vxCopyImagePatch(image, &all, 0, &address, pixels, VX_READ_ONLY, VX_MEMORY_TYPE_HOST) != VX_SUCCESS);
    OK(vxReleaseImage(&image));
    OK(vxReleaseObjectArray(&array));
    OK(vxReleaseTensor(&tensor));
}

static void structures(vx_context context)
{
    CHECK(vxRegisterUserStructWithName(context, 4, NULL) >= VX_TYPE_USER_STRUCT_START);
    vx_enum type = vxRegisterUserStructWithName(context, 12, "point"), found = 0;
    vx_char name[32];
    CHECK(type >= VX_TYPE_USER_STRUCT_START && type <= VX_TYPE_USER_STRUCT_END);
    OK(vxGetUserStructNameByEnum(context, type, name, sizeof name));
    CHECK(strcmp(name, "point") == 0);
    CHECK_STATUS(vxGetUserStructNameByEnum(context, type, name, 5), VX_ERROR_NO_MEMORY);
    OK(vxGetUserStructEnumByName(context, "point", &found));
    CHECK(found == type);
    CHECK_STATUS(vxGetUserStructEnumByName(context, "line", &found), VX_FAILURE);
    CHECK(vxRegisterUserStruct(context, 0) == VX_TYPE_INVALID);
}

static void attributes(vx_context context)
{
    vx_uint16 version = 0;
    vx_size size = 0;
    vx_char name[VX_MAX_IMPLEMENTATION_NAME], *extensions;
    vx_border_t border;
    memset(&border, 0, sizeof border);
    OK(vxQueryContext(context, VX_CONTEXT_VERSION, &version, sizeof version));
    CHECK(version == VX_VERSION);
    OK(vxQueryContext(context, VX_CONTEXT_VENDOR_ID, &version, sizeof version));
    CHECK(version == VX_ID_DEFAULT);
    OK(vxQueryContext(context, VX_CONTEXT_MAX_TENSOR_DIMS, &size, sizeof size));
    CHECK(size == 6);
    OK(vxQueryContext(context, VX_CONTEXT_IMPLEMENTATION, name, sizeof name));
    CHECK(name[0] != 0);
    CHECK_STATUS(vxQueryContext(context, VX_CONTEXT_IMPLEMENTATION, name, sizeof name + 1), VX_ERROR_INVALID_PARAMETERS);
    OK(vxQueryContext(context, VX_CONTEXT_EXTENSIONS_SIZE, &size, sizeof size));
    extensions = malloc(size);
    OK(vxQueryContext(context, VX_CONTEXT_EXTENSIONS, extensions, size));
    CHECK(strlen(extensions) + 1 == size && strstr(extensions, "KHR_NN_16"));
    CHECK(strstr(extensions, OPENVX_KHR_NN) && strstr(extensions, OPENVX_KHR_IMPORT_KERNEL));
    memset(extensions, 'x', size);
    OK(vxQueryContext(context, VX_CONTEXT_EXTENSIONS, extensions, 4)); /* cut */
    CHECK(strcmp(extensions, "KHR") == 0 && extensions[4] == 'x');
    CHECK_STATUS(vxQueryContext(context, VX_CONTEXT_EXTENSIONS, extensions, 0), VX_ERROR_INVALID_PARAMETERS);
    free(extensions);
    border.mode = VX_BORDER_REPLICATE;
    OK(vxSetContextAttribute(context, VX_CONTEXT_IMMEDIATE_BORDER, &border, sizeof border));
    border.mode = 0;
    OK(vxQueryContext(context, VX_CONTEXT_IMMEDIATE_BORDER, &border, sizeof border));
    CHECK(border.mode == VX_BORDER_REPLICATE);
    border.mode = 1;
    CHECK_STATUS(vxSetContextAttribute(context, VX_CONTEXT_IMMEDIATE_BORDER, &border, sizeof border), VX_ERROR_INVALID_VALUE);
    vx_enum policy = 0;
    OK(vxQueryContext(context, VX_CONTEXT_IMMEDIATE_BORDER_POLICY, &policy, sizeof policy));
    CHECK(policy == VX_BORDER_POLICY_DEFAULT_TO_UNDEFINED);
    policy = VX_BORDER_POLICY_RETURN_ERROR;
    OK(vxSetContextAttribute(context, VX_CONTEXT_IMMEDIATE_BORDER_POLICY, &policy, sizeof policy));
    policy = VX_BORDER_UNDEFINED;
    CHECK_STATUS(vxSetContextAttribute(context, VX_CONTEXT_IMMEDIATE_BORDER_POLICY, &policy, sizeof policy), VX_ERROR_INVALID_VALUE);
    OK(vxQueryContext(context, VX_CONTEXT_IMMEDIATE_BORDER_POLICY, &policy, sizeof policy));
    CHECK(policy == VX_BORDER_POLICY_RETURN_ERROR);
    CHECK_STATUS(vxSetContextAttribute(context, VX_CONTEXT_VERSION, &version, sizeof version), VX_ERROR_NOT_SUPPORTED);
    char endless[300];
    memset(endless, 'x', sizeof endless);
    OK(vxSetImmediateModeTarget(context, VX_TARGET_ANY, endless));
    CHECK_STATUS(vxSetImmediateModeTarget(context, VX_TARGET_STRING, endless), VX_ERROR_INVALID_PARAMETERS);
    OK(vxSetImmediateModeTarget(context, VX_TARGET_STRING, "any"));
    vx_bool compatible = vx_true_e;
    vx_size threads = 3;
    OK(vxSetContextAttribute(context, VX_CONTEXT_THREADS_CONCORD, &threads, sizeof threads));
    threads = 0;
    OK(vxQueryContext(context, VX_CONTEXT_THREADS_CONCORD, &threads, sizeof threads));
    CHECK(threads == 3);
    threads = ~(vx_size)0;
    CHECK(vxSetContextAttribute(context, VX_CONTEXT_THREADS_CONCORD, &threads, sizeof threads) != VX_SUCCESS);
    OK(vxSetContextAttribute(context, VX_CONTEXT_COMPATIBLE_CONCORD, &compatible, sizeof compatible));
    compatible = vx_false_e;
    OK(vxQueryContext(context, VX_CONTEXT_COMPATIBLE_CONCORD, &compatible, sizeof compatible));
    CHECK(compatible == vx_true_e);
}

int main(void)
{
    vx_context context = vxCreateContext();
    OK(STATUS(context));
    vxRegisterLogCallback(context, show, vx_false_e);
    vx_uint32 before = references(context);
    scalars(context);
    tables(context);
    delays(context);
    images(context);
    structures(context);
    attributes(context);
    CHECK(references(context) == before);
    OK(vxReleaseContext(&context));
    return finish("objects");
}
