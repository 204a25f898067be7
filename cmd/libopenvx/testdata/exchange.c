/* A graph that is exported by one process and imported by another, which computes the same bytes with it. */
#include "check.h"

enum { RUNS = 3, N = 3 };

static const vx_enum uses[] = {0, VX_IX_USE_APPLICATION_CREATE, VX_IX_USE_NO_EXPORT_VALUES};

static void copy(vx_tensor tensor, vx_uint8 *data, vx_size n, vx_enum usage)
{
    vx_size start[1] = {0}, end[1] = {n}, stride[1] = {1};
    OK(vxCopyTensorPatch(tensor, 1, start, end, stride, data, usage, VX_MEMORY_TYPE_HOST));
}

/* Processes a graph RUNS times. */
static void runs(vx_graph graph, vx_tensor in, vx_tensor out, vx_uint8 results[RUNS][N])
{
    for (int i = 0; i < RUNS; i++) {
        vx_uint8 data[N] = {(vx_uint8)i, 10, (vx_uint8)(20 * i)};
        copy(in, data, N, VX_WRITE_ONLY);
        OK(vxProcessGraph(graph));
        copy(out, results[i], N, VX_READ_ONLY);
    }
}

static void parameter(vx_graph graph, vx_node node, vx_uint32 index)
{
    vx_parameter p = vxGetParameterByIndex(node, index);
    OK(vxAddParameterToGraph(graph, p));
    OK(vxReleaseParameter(&p));
}

static void exporter(FILE *file)
{
    vx_context context = vxCreateContext();
    vxRegisterLogCallback(context, show, vx_false_e);
    vx_uint32 before = references(context);
    vx_graph graph = vxCreateGraph(context);
    vx_size dims[2] = {N, N}, start[2] = {0, 0}, stride[2] = {1, N};
    vx_tensor in = vxCreateTensor(context, 1, dims, VX_TYPE_UINT8, 0), out = vxCreateTensor(context, 1, dims, VX_TYPE_UINT8, 0);
    vx_tensor weights = vxCreateTensor(context, 2, dims, VX_TYPE_UINT8, 0);
    vx_tensor product = vxCreateVirtualTensor(graph, 0, NULL, VX_TYPE_UINT8, 0);
    vx_delay delay = vxCreateDelay(context, (vx_reference)in, 2);
    vx_tensor now = (vx_tensor)vxGetReferenceFromDelay(delay, 0), past = (vx_tensor)vxGetReferenceFromDelay(delay, -1);
    vx_uint8 values[N * N] = {1, 2, 0, 0, 3, 1, 1, 0, 1}, memory[N] = {100, 50, 25}, results[RUNS][N];
    OK(vxCopyTensorPatch(weights, 2, start, dims, stride, values, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
    copy(past, memory, N, VX_WRITE_ONLY);
    vx_node first = vxFullyConnectedLayer(graph, in, weights, NULL, VX_CONVERT_POLICY_SATURATE, VX_ROUND_POLICY_TO_ZERO, product);
    vx_node second = vxTensorAddNode(graph, product, past, VX_CONVERT_POLICY_WRAP, now);
    vx_node third = vxTensorAddNode(graph, now, in, VX_CONVERT_POLICY_WRAP, out);
    parameter(graph, first, 0);
    parameter(graph, third, 3);
    OK(vxRegisterAutoAging(graph, delay));
    OK(vxSetReferenceName((vx_reference)graph, "network"));

    vx_reference refs[3] = {(vx_reference)graph, (vx_reference)in, (vx_reference)out};
    const vx_uint8 *blob = values, *lost = values;
    vx_size length = 1;
    CHECK(vxExportObjectsToMemory(context, 2, refs, uses, &blob, &length) != VX_SUCCESS); /* a parameter is not listed */
    CHECK(blob == NULL && length == 0);
    CHECK(vxExportObjectsToMemory(context, 3, NULL, uses, &blob, &length) != VX_SUCCESS);
    CHECK(vxExportObjectsToMemory(context, 3, refs, NULL, &blob, &length) != VX_SUCCESS);
    CHECK(vxExportObjectsToMemory(context, 3, refs, uses, NULL, &length) != VX_SUCCESS);
    CHECK(vxExportObjectsToMemory(context, 3, refs, uses, &blob, NULL) != VX_SUCCESS);
    CHECK(vxReleaseExportedMemory(context, &lost) != VX_SUCCESS && lost == values);
    CHECK(vxReleaseExportedMemory(context, NULL) != VX_SUCCESS);
    OK(vxExportObjectsToMemory(context, 3, refs, uses, &blob, &length));
    runs(graph, in, out, results);
    CHECK(fwrite(results, sizeof results, 1, file) == 1);
    CHECK(fwrite(blob, length, 1, file) == 1);
    lost = blob;
    OK(vxReleaseExportedMemory(context, &blob));
    CHECK(blob == NULL);
    CHECK(vxReleaseExportedMemory(context, &lost) != VX_SUCCESS);

    OK(vxReleaseNode(&first));
    OK(vxReleaseNode(&second));
    OK(vxReleaseNode(&third));
    OK(vxReleaseGraph(&graph));
    OK(vxReleaseDelay(&delay));
    OK(vxReleaseTensor(&in));
    OK(vxReleaseTensor(&out));
    OK(vxReleaseTensor(&weights));
    OK(vxReleaseTensor(&product));
    CHECK(references(context) == before);
    OK(vxReleaseContext(&context));
}

static void importer(FILE *file)
{
    static vx_uint8 blob[1 << 16];
    vx_uint8 expected[RUNS][N], results[RUNS][N];
    CHECK(fread(expected, sizeof expected, 1, file) == 1);
    vx_size length = fread(blob, 1, sizeof blob, file), dims[1] = {N};
    vx_context context = vxCreateContext();
    vxRegisterLogCallback(context, show, vx_false_e);
    vx_uint32 before = references(context);
    vx_tensor in = vxCreateTensor(context, 1, dims, VX_TYPE_UINT8, 0);
    vx_reference refs[3] = {NULL, (vx_reference)in, NULL};
    CHECK(STATUS(vxImportObjectsFromMemory(context, 3, NULL, uses, blob, length)) != VX_SUCCESS);
    CHECK(STATUS(vxImportObjectsFromMemory(context, 3, refs, NULL, blob, length)) != VX_SUCCESS);
    CHECK(STATUS(vxImportObjectsFromMemory(context, 3, refs, uses, NULL, length)) != VX_SUCCESS);
    CHECK(STATUS(vxImportObjectsFromMemory(context, 2, refs, uses, blob, length)) != VX_SUCCESS);
    CHECK(STATUS(vxImportObjectsFromMemory(context, 3, refs, uses, blob, length - 1)) != VX_SUCCESS);
    CHECK(refs[0] == NULL && refs[2] == NULL && references(context) == before + 1);

    vx_import import = vxImportObjectsFromMemory(context, 3, refs, uses, blob, length);
    OK(STATUS(import));
    memset(blob, 0, sizeof blob); /* it is not needed any more */
    vx_enum type = 0;
    OK(vxQueryReference((vx_reference)import, VX_REFERENCE_TYPE, &type, sizeof type));
    CHECK(type == VX_TYPE_IMPORT);
    CHECK(refs[1] == (vx_reference)in);
    vx_graph graph = (vx_graph)vxGetImportReferenceByName(import, "network");
    CHECK((vx_reference)graph == refs[0]);
    CHECK(STATUS(vxGetImportReferenceByName(import, "nobody")) != VX_SUCCESS);
    CHECK(STATUS(vxGetImportReferenceByName(import, "")) != VX_SUCCESS);
    CHECK(STATUS(vxGetImportReferenceByName(import, NULL)) != VX_SUCCESS);
    OK(vxReleaseImport(&import));
    CHECK(import == NULL);

    CHECK(vxIsGraphVerified(graph));
    runs(graph, in, (vx_tensor)refs[2], results);
    CHECK(memcmp(results, expected, sizeof results) == 0);
    vx_tensor wide = vxCreateTensor(context, 1, (vx_size[]){N + 1}, VX_TYPE_UINT8, 0);
    CHECK(vxSetGraphParameterByIndex(graph, 0, (vx_reference)wide) != VX_SUCCESS);
    CHECK(vxIsGraphVerified(graph));

    OK(vxReleaseTensor(&wide));
    OK(vxReleaseGraph(&graph));
    OK(vxReleaseReference(&refs[0]));
    OK(vxReleaseReference(&refs[2]));
    OK(vxReleaseTensor(&in));
    CHECK(references(context) == before);
    OK(vxReleaseContext(&context));
}

int main(int argc, char **argv)
{
    char path[] = "/tmp/exchangeXXXXXX", command[4096];
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : fdopen(mkstemp(path), "wb");
    if (!file)
        return 1;
    (argc > 1 ? importer : exporter)(file);
    fclose(file);
    if (argc == 1) {
        snprintf(command, sizeof command, "'%s' %s", argv[0], path);
        CHECK(system(command) == 0);
        remove(path);
    }
    return finish("exchange");
}
