/* Imports models that are broken in every place: each becomes a kernel that runs, or an error. argv: the folder of a model, how often it is
 * broken, and the names of its files that are. */
#include "check.h"

#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    char name[64];
    unsigned char *data;
    size_t size;
} file;

static file files[32];
static int count;

static void slurp(const char *dir, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "rb");
    if (!f)
        return;
    file *to = &files[count++];
    snprintf(to->name, sizeof to->name, "%s", name);
    to->data = malloc(1 << 22);
    to->size = fread(to->data, 1, 1 << 22, f);
    fclose(f);
}

static int try_model(vx_context context, const char *dir)
{
    vx_kernel kernel = vxImportKernelFromURL(context, "nnef", dir);
    if (STATUS(kernel) != VX_SUCCESS)
        return 0;
    vx_uint32 n = 0;
    int ran = 0;
    OK(vxQueryKernel(kernel, VX_KERNEL_PARAMETERS, &n, sizeof n));
    vx_graph graph = vxCreateGraph(context);
    vx_node node = vxCreateGenericNode(graph, kernel);
    OK(STATUS(node));
    for (vx_uint32 i = 0; i < n; i++) {
        vx_parameter p = vxGetKernelParameterByIndex(kernel, i);
        vx_meta_format meta = NULL;
        vx_size rank = 0, dims[8] = {0};
        vx_enum type = 0;
        OK(vxQueryParameter(p, VX_PARAMETER_META_FORMAT, &meta, sizeof meta));
        OK(vxQueryMetaFormatAttribute(meta, VX_TENSOR_NUMBER_OF_DIMS, &rank, sizeof rank));
        OK(vxQueryMetaFormatAttribute(meta, VX_TENSOR_DIMS, dims, sizeof dims));
        OK(vxQueryMetaFormatAttribute(meta, VX_TENSOR_DATA_TYPE, &type, sizeof type));
        vx_tensor t = vxCreateTensor(context, rank, dims, type, 0);
        if (STATUS(t) == VX_SUCCESS) {
            OK(vxSetParameterByIndex(node, i, (vx_reference)t));
            OK(vxReleaseTensor(&t));
        }
        OK(vxReleaseParameter(&p));
    }
    if (vxVerifyGraph(graph) == VX_SUCCESS)
        ran = vxProcessGraph(graph) == VX_SUCCESS;
    OK(vxReleaseNode(&node));
    OK(vxReleaseGraph(&graph));
    OK(vxReleaseKernel(&kernel));
    return ran;
}

static void spill(const char *dir, const file *f, size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", dir, f->name);
    FILE *to = fopen(path, "wb");
    if (to) {
        fwrite(f->data, 1, size, to);
        fclose(to);
    }
}

int main(int argc, char **argv)
{
    const char *model = argc > 1 ? argv[1] : "examples/model";
    int rounds = argc > 2 ? atoi(argv[2]) : 300;
    char dir[] = "/tmp/concord-nnef-XXXXXX", path[4096];
    vx_context context = vxCreateContext();
    vxRegisterLogCallback(context, show, vx_false_e);
    vx_uint32 before = references(context);
    CHECK(try_model(context, model));
    CHECK(references(context) == before);
    for (int i = 3; i < argc; i++)
        slurp(model, argv[i]);
    if (argc <= 3)
        slurp(model, "graph.nnef");
    CHECK(count > 0 && mkdtemp(dir));
    int ran = 0, tried = 0;
    unsigned seed = 1;
    for (int f = 0; f < count; f++)
        spill(dir, &files[f], files[f].size);
    CHECK(try_model(context, dir));
    for (int i = 0; i < rounds; i++) {
        file *f = &files[i % count];
        seed = seed * 1664525u + 1013904223u;
        if (i % 3 == 0) {
            spill(dir, f, f->size * (seed >> 16) >> 16);
        } else {
            size_t at = f->size < 2048 || i % 2 ? (seed >> 8) % f->size : (seed >> 8) % 128;
            unsigned char old = f->data[at];
            f->data[at] = (unsigned char)(i % 5 ? "(),;<>=[]{}0123456789-abc\"' \n\xff"[seed % 30] : (int)(seed >> 24));
            spill(dir, f, f->size);
            f->data[at] = old;
        }
        ran += try_model(context, dir);
        tried++;
        spill(dir, f, f->size);
    }
    for (int f = 0; f < count; f++) {
        snprintf(path, sizeof path, "%s/%s", dir, files[f].name);
        unlink(path);
        CHECK(!try_model(context, dir));
        CHECK(mkdir(path, 0700) == 0); /* a folder where a file should be */
        CHECK(!try_model(context, dir));
        rmdir(path);
        spill(dir, &files[f], files[f].size);
    }
    for (int f = 0; f < count; f++) {
        snprintf(path, sizeof path, "%s/%s", dir, files[f].name);
        unlink(path);
        free(files[f].data);
    }
    rmdir(dir);
    CHECK(references(context) == before);
    OK(vxReleaseContext(&context));
    if (getenv("SHOW_LOG"))
        printf("%d of %d ran\n", ran, tried);
    return finish("models");
}
