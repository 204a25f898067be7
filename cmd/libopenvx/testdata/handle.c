/* Memory of the application under a tensor. */
#include "check.h"

int main(void)
{
    vx_context context = vxCreateContext();
    OK(STATUS(context));
    vxRegisterLogCallback(context, show, vx_false_e);
    vx_uint8 first[6] = {1, 2, 3, 4, 5, 6}, second[6] = {10, 20, 30, 40, 50, 60}, out[6] = {0};
    vx_size dims[2] = {3, 2}, stride[2] = {1, 3}, start[2] = {0, 0};

    vx_tensor bad = vxCreateTensorFromHandle(context, 2, dims, VX_TYPE_UINT8, 0, start, first, VX_MEMORY_TYPE_HOST);
    CHECK_STATUS(STATUS(bad), VX_ERROR_INVALID_VALUE);
    bad = vxCreateTensorFromHandle(context, 2, dims, VX_TYPE_UINT8, 0, NULL, first, VX_MEMORY_TYPE_HOST);
    CHECK(STATUS(bad) != VX_SUCCESS);
    bad = vxCreateTensorFromHandle(context, 2, dims, VX_TYPE_UINT8, 0, stride, first, VX_MEMORY_TYPE_NONE);
    CHECK(STATUS(bad) != VX_SUCCESS);
    vx_size huge[2] = {1, ~(vx_size)0 / 2};
    bad = vxCreateTensorFromHandle(context, 2, dims, VX_TYPE_UINT8, 0, huge, first, VX_MEMORY_TYPE_HOST);
    CHECK(STATUS(bad) != VX_SUCCESS);

    vx_tensor a = vxCreateTensorFromHandle(context, 2, dims, VX_TYPE_UINT8, 0, stride, first, VX_MEMORY_TYPE_HOST);
    OK(STATUS(a));
    vx_tensor c = vxCreateTensorFromHandle(context, 2, dims, VX_TYPE_UINT8, 0, stride, out, VX_MEMORY_TYPE_HOST);
    OK(STATUS(c));
    OK(vxuTensorAdd(context, a, a, VX_CONVERT_POLICY_WRAP, c));
    void *p = NULL;
    OK(vxSwapTensorHandle(c, NULL, &p));
    CHECK(p == out && out[0] == 2 && out[5] == 12);
    OK(vxSwapTensorHandle(a, second, &p));
    CHECK(p == first);
    OK(vxSwapTensorHandle(c, out, NULL));
    OK(vxuTensorAdd(context, a, a, VX_CONVERT_POLICY_SATURATE, c));
    OK(vxSwapTensorHandle(c, NULL, &p));
    CHECK(p == out && out[0] == 20 && out[5] == 120);

    OK(vxReleaseTensor(&a));
    OK(vxReleaseTensor(&c));
    OK(vxReleaseContext(&context));
    return finish("handle");
}
