/* Libraries of kernels: one that the program registers, and one in a file. */
#include "check.h"

static int published, unpublished;

static vx_status VX_API_CALL publish(vx_context context)
{
    (void)context;
    published++;
    return VX_SUCCESS;
}

static vx_status VX_API_CALL unpublish(vx_context context)
{
    (void)context;
    unpublished++;
    return VX_SUCCESS;
}

static vx_uint32 query(vx_context context, vx_enum attribute)
{
    vx_uint32 n = 0;
    OK(vxQueryContext(context, attribute, &n, sizeof n));
    return n;
}

int main(void)
{
    vx_context context = vxCreateContext();
    OK(STATUS(context));
    vxRegisterLogCallback(context, show, vx_false_e);
    vx_uint32 references_before = references(context), kernels = query(context, VX_CONTEXT_UNIQUE_KERNELS),
              modules = query(context, VX_CONTEXT_MODULES);

    OK(vxRegisterKernelLibrary(context, "mine", publish, unpublish));
    CHECK(vxRegisterKernelLibrary(context, "nobody's", NULL, NULL) != VX_SUCCESS);
    OK(vxLoadKernels(context, "mine"));
    OK(vxUnloadKernels(context, "mine"));
    CHECK(published == 1 && unpublished == 1);

    for (int i = 0; i < 2; i++) {
        OK(vxLoadKernels(context, "concord-test"));
        CHECK(query(context, VX_CONTEXT_UNIQUE_KERNELS) == kernels + 1);
        CHECK(query(context, VX_CONTEXT_MODULES) == modules + 1);
        vx_kernel kernel = vxGetKernelByName(context, "test.module.nothing");
        OK(STATUS(kernel));
        OK(vxReleaseKernel(&kernel));
        OK(vxUnloadKernels(context, "concord-test"));
        CHECK(query(context, VX_CONTEXT_UNIQUE_KERNELS) == kernels);
        CHECK(query(context, VX_CONTEXT_MODULES) == modules);
    }
    CHECK(vxUnloadKernels(context, "concord-test") != VX_SUCCESS);
    CHECK(references(context) == references_before);

    /* The table of kernels. */
    vx_kernel_info_t *table = calloc(kernels, sizeof *table);
    OK(vxQueryContext(context, VX_CONTEXT_UNIQUE_KERNEL_TABLE, table, kernels * sizeof *table));
    for (vx_uint32 i = 0; i < kernels; i++) {
        vx_kernel kernel = vxGetKernelByEnum(context, table[i].enumeration);
        vx_char name[VX_MAX_KERNEL_NAME];
        OK(STATUS(kernel));
        OK(vxQueryKernel(kernel, VX_KERNEL_NAME, name, sizeof name));
        CHECK(strcmp(name, table[i].name) == 0);
        OK(vxReleaseKernel(&kernel));
    }
    free(table);
    CHECK(references(context) == references_before);
    OK(vxReleaseContext(&context));
    return finish("module");
}
