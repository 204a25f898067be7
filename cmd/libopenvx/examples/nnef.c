/* Runs a model in NNEF, a format of files for neural networks, on numbers from 0 to 1.
 *
 *     cc nnef.c $(pkg-config --cflags --libs openvx) && ./a.out model
 */

#include "example.h"
#include <VX/vx_khr_import_kernel.h>

enum { MAX_RANK = 8 };

int main(int argc, char **argv) {
    const char *model = argc > 1 ? argv[1] : "examples/model";
    vx_context context = open_context();
    vx_graph graph = MADE(vx_graph, vxCreateGraph(context));

    /* The model becomes a kernel. Its parameters are the inputs and then the outputs of the model. */
    vx_kernel kernel = MADE(vx_kernel, vxImportKernelFromURL(context, "nnef", model));
    vx_node node = MADE(vx_node, vxCreateGenericNode(graph, kernel));
    vx_uint32 count;
    CHECK(vxQueryKernel(kernel, VX_KERNEL_PARAMETERS, &count, sizeof count));

    vx_tensor last = NULL;
    vx_size elements = 0;
    for (vx_uint32 i = 0; i < count; i++) {
        /* A meta format says what tensor a parameter takes. */
        vx_parameter parameter = MADE(vx_parameter, vxGetKernelParameterByIndex(kernel, i));
        vx_meta_format meta;
        vx_enum direction, type;
        vx_size rank, dims[MAX_RANK];
        CHECK(vxQueryParameter(parameter, VX_PARAMETER_DIRECTION, &direction, sizeof direction));
        CHECK(vxQueryParameter(parameter, VX_PARAMETER_META_FORMAT, &meta, sizeof meta));
        CHECK(vxQueryMetaFormatAttribute(meta, VX_TENSOR_NUMBER_OF_DIMS, &rank, sizeof rank));
        CHECK(vxQueryMetaFormatAttribute(meta, VX_TENSOR_DIMS, dims, rank * sizeof *dims));
        CHECK(vxQueryMetaFormatAttribute(meta, VX_TENSOR_DATA_TYPE, &type, sizeof type));
        CHECK(vxReleaseParameter(&parameter));
        if (type != VX_TYPE_FLOAT32) {
            fprintf(stderr, "parameter %u has type %d, and this example knows 32-bit floats only\n", (unsigned)i, (int)type);
            return 1;
        }

        printf("%s", direction == VX_INPUT ? "input" : "output");
        elements = 1;
        for (vx_size d = 0; d < rank; d++) {
            printf(" %zu", (size_t)dims[d]);
            elements *= dims[d];
        }
        printf("\n");

        last = MADE(vx_tensor, vxCreateTensor(context, rank, dims, type, 0));
        CHECK(vxSetParameterByIndex(node, i, (vx_reference)last));
        if (direction == VX_INPUT) {
            vx_float32 *values = malloc(elements * sizeof *values);
            for (vx_size e = 0; e < elements; e++) {
                values[e] = (vx_float32)e / (vx_float32)(elements - 1);
            }
            copy(last, values, sizeof *values, VX_WRITE_ONLY);
            free(values);
        }
    }

    CHECK(vxProcessGraph(graph));
    vx_float32 *values = malloc(elements * sizeof *values);
    copy(last, values, sizeof *values, VX_READ_ONLY);
    for (vx_size e = 0; e < elements && e < 16; e++) {
        printf("%.3f%c", values[e], e % 4 == 3 ? '\n' : ' ');
    }
    free(values);
    CHECK(vxReleaseContext(&context));
    return 0;
}
