/* Times of layers in an OpenVX library, and in another one beside it.
 *
 *     layers [-r rounds] [-l layer] [library [other]]
 *
 * A library is the path of a shared library; the first is libopenvx.so.1 where the loader finds it if none is given. Option -l takes
 * the layers with this in their names. Each library runs in a process of its own, so that neither meets symbols of the other, and
 * the two take turns: a round is some runs in the one and then some in the other. Times are the best and the median of the rounds, in
 * microseconds for one run of a verified graph; the ratio is that of the medians.
 *
 * The program is linked against no library of OpenVX.
 */

#define _GNU_SOURCE
#include <VX/vx.h>
#include <VX/vx_khr_nn.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <getopt.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --- The layers. --- */

enum kind { CONVOLUTION, DECONVOLUTION, CONNECTED, MAXIMUM, AVERAGE, SOFTMAX, RELU, LOGISTIC, NORMALIZATION, REGIONS, ADD, MULTIPLY, MATRIX,
            TRANSPOSE };

enum { MAX_RANK = 4, U8 = 1, Q78 = 2, BOTH = U8 | Q78 };

static const struct layer {
    const char *name;
    enum kind kind;
    int formats;
    vx_size in[MAX_RANK], second[MAX_RANK], out[MAX_RANK]; /* extents, ended by 0; second has weights, regions or an operand */
    vx_size window, pad;
} layers[] = {
    {"one node of 16 elements", RELU, BOTH, {16}, {0}, {16}, 0, 0},
    {"convolution 7x7/2 224x224x3-64", CONVOLUTION, BOTH, {224, 224, 3}, {7, 7, 3, 64}, {112, 112, 64}, 0, 3},
    {"convolution 3x3 56x56x64-64", CONVOLUTION, BOTH, {56, 56, 64}, {3, 3, 64, 64}, {56, 56, 64}, 0, 1},
    {"convolution 3x3 14x14x256-256", CONVOLUTION, BOTH, {14, 14, 256}, {3, 3, 256, 256}, {14, 14, 256}, 0, 1},
    {"convolution 1x1 28x28x256-128", CONVOLUTION, BOTH, {28, 28, 256}, {1, 1, 256, 128}, {28, 28, 128}, 0, 0},
    {"deconvolution 4x4*2 28x28x32-16", DECONVOLUTION, BOTH, {28, 28, 32}, {4, 4, 32, 16}, {56, 56, 16}, 0, 1},
    {"fully connected 4096-1000", CONNECTED, BOTH, {4096}, {4096, 1000}, {1000}, 0, 0},
    {"maximum 3x3/2 112x112x64", MAXIMUM, BOTH, {112, 112, 64}, {0}, {56, 56, 64}, 3, 1},
    {"average 7x7 7x7x2048", AVERAGE, BOTH, {7, 7, 2048}, {0}, {1, 1, 2048}, 7, 0},
    {"softmax 1000", SOFTMAX, BOTH, {1000}, {0}, {1000}, 0, 0},
    {"relu 56x56x256", RELU, BOTH, {56, 56, 256}, {0}, {56, 56, 256}, 0, 0},
    {"logistic 56x56x64", LOGISTIC, BOTH, {56, 56, 64}, {0}, {56, 56, 64}, 0, 0},
    {"normalization of 5 maps 55x55x96", NORMALIZATION, Q78, {55, 55, 96}, {0}, {55, 55, 96}, 5, 0},
    {"regions 14x14x256, 32 of 6x6", REGIONS, BOTH, {14, 14, 256}, {4, 32}, {6, 6, 256, 32}, 0, 0},
    {"add 56x56x256", ADD, BOTH, {56, 56, 256}, {56, 56, 256}, {56, 56, 256}, 0, 0},
    {"multiply 56x56x256", MULTIPLY, BOTH, {56, 56, 256}, {56, 56, 256}, {56, 56, 256}, 0, 0},
    {"matrices 256x256", MATRIX, BOTH, {256, 256}, {256, 256}, {256, 256}, 0, 0},
    {"transpose 512x512", TRANSPOSE, BOTH, {512, 512}, {0}, {512, 512}, 0, 0},
};

enum { LAYERS = sizeof layers / sizeof *layers };

/* --- A worker: the process that has one library. It reads orders from its input and writes a line for each. --- */

#define FUNCTIONS(F) \
    F(vxCreateContext) F(vxGetStatus) F(vxCreateGraph) F(vxReleaseGraph) F(vxVerifyGraph) F(vxProcessGraph) F(vxReleaseNode) \
    F(vxCreateTensor) F(vxReleaseTensor) F(vxCopyTensorPatch) F(vxCreateScalar) F(vxConvolutionLayer) F(vxDeconvolutionLayer) \
    F(vxFullyConnectedLayer) F(vxPoolingLayer) F(vxSoftmaxLayer) F(vxActivationLayer) F(vxLocalResponseNormalizationLayer) \
    F(vxROIPoolingLayer) F(vxTensorAddNode) F(vxTensorMultiplyNode) F(vxTensorMatrixMultiplyNode) F(vxTensorTransposeNode)

#define DECLARE(f) static __typeof__(f) *p_##f;
FUNCTIONS(DECLARE)

static void load(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
#define FIND(f) p_##f = (__typeof__(p_##f))dlsym(library, #f);
    FUNCTIONS(FIND)
}

/* filled makes a tensor of small numbers: bytes from 0 to 3, or -1 to 1. Those of regions are corners. */
static vx_tensor filled(vx_context context, const vx_size *dims, int format, int corners) {
    static uint32_t seed = 1;
    vx_size rank = 0, start[MAX_RANK] = {0}, stride[MAX_RANK], count = 1, size = format == U8 ? 1 : 2;
    for (; rank < MAX_RANK && dims[rank]; rank++) {
        stride[rank] = count * size;
        count *= dims[rank];
    }
    char *data = malloc(count * size);
    for (vx_size i = 0; i < count; i++) {
        seed = seed * 1664525 + 1013904223;
        int random = (int)(seed >> 23); /* below 512 */
        int value = corners ? (i % 4 < 2 ? random % 6 : 7 + random % 7) : format == U8 ? random % 4 : random - 256;
        if (format == U8) {
            ((vx_uint8 *)data)[i] = (vx_uint8)value;
        } else {
            ((vx_int16 *)data)[i] = (vx_int16)value;
        }
    }
    vx_tensor t = p_vxCreateTensor(context, rank, dims, format == U8 ? VX_TYPE_UINT8 : VX_TYPE_INT16, format == U8 ? 0 : 8);
    p_vxCopyTensorPatch(t, rank, start, dims, stride, data, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST);
    free(data);
    return t;
}

static vx_node add_node(vx_graph g, const struct layer *l, vx_tensor in, vx_tensor second, vx_scalar one, vx_tensor out) {
    const vx_enum saturate = VX_CONVERT_POLICY_SATURATE, nearest = VX_ROUND_POLICY_TO_NEAREST_EVEN;
    const vx_enum down = VX_NN_DS_SIZE_ROUNDING_FLOOR;
    vx_nn_convolution_params_t convolution = {l->pad, l->pad, saturate, nearest, down, 0, 0};
    vx_nn_deconvolution_params_t deconvolution = {l->pad, l->pad, saturate, nearest, 0, 0};
    vx_nn_roi_pool_params_t regions = {VX_NN_POOLING_MAX};
    vx_tensor_matrix_multiply_params_t straight = {vx_false_e, vx_false_e, vx_false_e};
    switch (l->kind) {
    case CONVOLUTION: return p_vxConvolutionLayer(g, in, second, NULL, &convolution, sizeof convolution, out);
    case DECONVOLUTION: return p_vxDeconvolutionLayer(g, in, second, NULL, &deconvolution, sizeof deconvolution, out);
    case CONNECTED: return p_vxFullyConnectedLayer(g, in, second, NULL, saturate, nearest, out);
    case MAXIMUM: return p_vxPoolingLayer(g, in, VX_NN_POOLING_MAX, l->window, l->window, l->pad, l->pad, down, out);
    case AVERAGE: return p_vxPoolingLayer(g, in, VX_NN_POOLING_AVG, l->window, l->window, l->pad, l->pad, down, out);
    case SOFTMAX: return p_vxSoftmaxLayer(g, in, out);
    case RELU: return p_vxActivationLayer(g, in, VX_NN_ACTIVATION_RELU, 0, 0, out);
    case LOGISTIC: return p_vxActivationLayer(g, in, VX_NN_ACTIVATION_LOGISTIC, 0, 0, out);
    case NORMALIZATION:
        return p_vxLocalResponseNormalizationLayer(g, in, VX_NN_NORMALIZATION_ACROSS_MAPS, l->window, 0.0001f, 0.75f, 1, out);
    case REGIONS: return p_vxROIPoolingLayer(g, in, second, &regions, sizeof regions, out);
    case ADD: return p_vxTensorAddNode(g, in, second, saturate, out);
    case MULTIPLY: return p_vxTensorMultiplyNode(g, in, second, one, saturate, nearest, out);
    case MATRIX: return p_vxTensorMatrixMultiplyNode(g, in, second, NULL, &straight, out);
    case TRANSPOSE: return p_vxTensorTransposeNode(g, in, out, 0, 1);
    }
    return NULL;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* work obeys: "p LAYER FORMAT" prepares a graph and answers with a status; "r COUNT" runs it and answers with microseconds. */
static int work(const char *path) {
    load(path);
    vx_context context = p_vxCreateContext();
    vx_float32 value = 1;
    vx_scalar one = p_vxCreateScalar(context, VX_TYPE_FLOAT32, &value);
    vx_graph graph = NULL;
    vx_tensor in = NULL, second = NULL, out = NULL;
    char line[64];
    FILE *answers = fdopen(dup(STDOUT_FILENO), "w");
    dup2(STDERR_FILENO, STDOUT_FILENO); /* a library may print */
    fprintf(answers, "0\n");            /* it is ready */
    fflush(answers);
    while (fgets(line, sizeof line, stdin)) {
        int layer, format, count;
        if (sscanf(line, "p %d %d", &layer, &format) == 2) {
            if (graph) {
                p_vxReleaseGraph(&graph);
                p_vxReleaseTensor(&in);
                p_vxReleaseTensor(&second);
                p_vxReleaseTensor(&out);
            }
            const struct layer *l = &layers[layer];
            graph = p_vxCreateGraph(context);
            in = filled(context, l->in, format, 0);
            second = filled(context, l->second[0] ? l->second : (vx_size[]){1, 0}, format, l->kind == REGIONS);
            out = filled(context, l->out, format, 0);
            vx_node node = add_node(graph, l, in, second, one, out);
            vx_status status = node ? p_vxGetStatus((vx_reference)node) : VX_ERROR_INVALID_NODE;
            if (status == VX_SUCCESS) {
                status = p_vxReleaseNode(&node);
            }
            if (status == VX_SUCCESS) {
                status = p_vxVerifyGraph(graph);
            }
            fprintf(answers, "%d\n", (int)status);
        } else if (sscanf(line, "r %d", &count) == 1) {
            double begin = now();
            vx_status status = VX_SUCCESS;
            for (int i = 0; i < count && status == VX_SUCCESS; i++) {
                status = p_vxProcessGraph(graph);
            }
            fprintf(answers, "%f\n", status == VX_SUCCESS ? now() - begin : -1);
        }
        fflush(answers);
    }
    return 0;
}

/* --- The process that orders and prints. --- */

struct worker {
    const char *path;
    FILE *orders, *answers;
    int runs; /* in a round; 0 if it cannot run the layer */
    double *times;
};

/* start starts a worker and waits until it is ready. The modules of a library are found beside it. */
static void start(struct worker *w) {
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC)) {
        perror("pipe");
        exit(1);
    }
    if (fork() == 0) {
        char folder[PATH_MAX], search[2 * PATH_MAX];
        snprintf(folder, sizeof folder, "%s", w->path);
        const char *others = getenv("LD_LIBRARY_PATH");
        if (strchr(w->path, '/')) {
            snprintf(search, sizeof search, "%s%s%s", dirname(folder), others ? ":" : "", others ? others : "");
            setenv("LD_LIBRARY_PATH", search, 1);
        }
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        execl("/proc/self/exe", "layers", "--work", w->path, (char *)NULL);
        _exit(1);
    }
    close(to[0]);
    close(from[1]);
    w->orders = fdopen(to[1], "w");
    w->answers = fdopen(from[0], "r");
    double ready;
    if (fscanf(w->answers, "%lf", &ready) != 1) {
        fprintf(stderr, "%s cannot be used\n", w->path);
        exit(1);
    }
}

/* order sends an order and returns the answer. If there is none, the library has ended the worker: another takes its place, and the answer
   is -1. */
static double order(struct worker *w, const char *what, int a, int b) {
    double answer;
    fprintf(w->orders, "%s %d %d\n", what, a, b);
    fflush(w->orders);
    if (fscanf(w->answers, "%lf", &answer) == 1) {
        return answer;
    }
    fclose(w->orders);
    fclose(w->answers);
    wait(NULL);
    start(w);
    return -1;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(struct worker *workers, int n, int layer, int format, int rounds) {
    for (int i = 0; i < n; i++) {
        struct worker *w = &workers[i];
        w->runs = 0;
        if (order(w, "p", layer, format) == VX_SUCCESS && order(w, "r", 1, 0) >= 0) {
            double once = order(w, "r", 1, 0);
            w->runs = once > 20000 ? 1 : (int)(20000 / (once + 0.1)) + 1; /* a round takes 20 ms at least */
        }
    }
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < n; i++) {
            struct worker *w = &workers[i];
            w->times[round] = w->runs ? order(w, "r", w->runs, 0) / w->runs : -1;
        }
    }
    printf("%-34s %-4s", layers[layer].name, format == U8 ? "U8" : "Q7.8");
    for (int i = 0; i < n; i++) {
        struct worker *w = &workers[i];
        qsort(w->times, (size_t)rounds, sizeof *w->times, ascending);
        if (w->times[0] >= 0) {
            printf(" %11.1f %11.1f", w->times[0], w->times[rounds / 2]);
        } else {
            printf(" %11s %11s", "-", "-");
        }
    }
    if (n == 2 && workers[0].times[0] >= 0 && workers[1].times[0] >= 0) {
        printf(" %8.2f", workers[1].times[rounds / 2] / workers[0].times[rounds / 2]);
    }
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "--work") == 0) {
        return work(argv[2]);
    }
    signal(SIGPIPE, SIG_IGN); /* a worker may end */
    int rounds = 7;
    const char *part = "";
    for (int option; (option = getopt(argc, argv, "r:l:")) != -1;) {
        switch (option) {
        case 'r': rounds = atoi(optarg); break;
        case 'l': part = optarg; break;
        default: rounds = 0;
        }
    }
    int n = argc - optind;
    if (rounds < 1 || n > 2) {
        fprintf(stderr, "usage: layers [-r rounds] [-l layer] [library [other]]\n");
        return 2;
    }
    struct worker workers[2] = {{.path = n > 0 ? argv[optind] : "libopenvx.so.1"}, {.path = n > 1 ? argv[optind + 1] : ""}};
    n = n == 2 ? 2 : 1;
    printf("microseconds, best and median of %d rounds\n", rounds);
    for (int i = 0; i < n; i++) {
        printf("%s: %s\n", i ? "B" : "A", workers[i].path);
        workers[i].times = calloc((size_t)rounds, sizeof(double));
        start(&workers[i]);
    }
    printf("%-34s %-4s %11s %11s%s\n", "", "", "A best", "A median", n == 2 ? "      B best    B median      B/A" : "");
    for (int layer = 0; layer < LAYERS; layer++) {
        for (int format = U8; format <= Q78; format *= 2) {
            if (layers[layer].formats & format && strstr(layers[layer].name, part)) {
                measure(workers, n, layer, format, rounds);
            }
        }
    }
    return 0;
}
