package export

import "regexp"

// helper is a part of the generated code.
type helper struct {
	name  string // empty for what is always there
	text  string
	users []string // other helpers that use it
}

// in reports whether code uses the helper.
func (h *helper) in(code string) bool {
	for _, name := range append([]string{h.name}, h.users...) {
		if regexp.MustCompile(`\b` + name + `\(`).MatchString(code) {
			return true
		}
	}
	return false
}

// helpers are what the generated code is made of, each behind those that it uses.
var helpers = []helper{
	{"", `/* How many numbers there are, and the numbers. */
#define LIST(...) sizeof((vx_size[]){__VA_ARGS__}) / sizeof(vx_size), AT(__VA_ARGS__)
#define AT(...) (vx_size[]){__VA_ARGS__}
`, nil},
	{"PARAMS", `/* The parameters of a layer, and their size. */
#define PARAMS(type, ...) &(type){__VA_ARGS__}, sizeof(type)
`, nil},
	{"", `/* A network that is being made. */
typedef struct {
    NETWORK_network *network;
    vx_context context;
    unsigned char *weights;
    vx_status status; /* of the first call that has failed */
} builder;

static vx_status check(builder *to, vx_status status, const char *what)
{
    if (to->status == VX_SUCCESS && status != VX_SUCCESS) {
        to->status = status;
        to->network->failed = what;
    }
    return status;
}

/* Notes an object that is to be released with the network. */
static void keep(builder *to, vx_reference object, const char *what)
{
    NETWORK_network *network = to->network;

    if (check(to, vxGetStatus(object), what) != VX_SUCCESS)
        return;
    if (network->count == network->capacity) {
        vx_size capacity = 2 * network->capacity + 64;
        vx_reference *held = realloc(network->held, capacity * sizeof *held);

        if (held == NULL) {
            check(to, VX_ERROR_NO_MEMORY, what);
            vxReleaseReference(&object);
            return;
        }
        network->held = held;
        network->capacity = capacity;
    }
    network->held[network->count++] = object;
}

static void node(builder *to, const char *value, vx_node made)
{
    if (check(to, vxGetStatus((vx_reference)made), value) == VX_SUCCESS)
        vxReleaseNode(&made); /* the graph has it */
}
`, nil},
	{"tensor", `/* A tensor that the application sees. */
static vx_tensor tensor(builder *to, vx_enum type, vx_int8 fixed, vx_size rank, const vx_size *dims)
{
    vx_tensor made = vxCreateTensor(to->context, rank, dims, type, fixed);

    keep(to, (vx_reference)made, "a tensor");
    return made;
}
`, []string{"weights"}},
	{"virtual_tensor", `/* A tensor that only the nodes see. */
static vx_tensor virtual_tensor(builder *to, vx_enum type, vx_int8 fixed, vx_size rank, const vx_size *dims)
{
    vx_tensor made = vxCreateVirtualTensor(to->network->graph, rank, dims, type, fixed);

    keep(to, (vx_reference)made, "a virtual tensor");
    return made;
}
`, nil},
	{"weights", `/* A tensor with elements from the weights. */
static vx_tensor weights(builder *to, vx_size offset, vx_enum type, vx_int8 fixed, vx_size rank, const vx_size *dims)
{
    vx_tensor made = tensor(to, type, fixed, rank, dims);
    vx_size start[8] = {0}, strides[8], bytes = type == VX_TYPE_FLOAT32 ? 4 : type == VX_TYPE_INT16 ? 2 : 1;

    for (vx_size d = 0; d < rank; d++) {
        strides[d] = bytes;
        bytes *= dims[d];
    }
    if (to->status == VX_SUCCESS)
        check(to, vxCopyTensorPatch(made, rank, start, dims, strides, to->weights + offset, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST), "weights");
    return made;
}
`, nil},
	{"view", `/* The part of a tensor from start up to but without end. */
static vx_tensor view(builder *to, vx_tensor whole, vx_size rank, const vx_size *start, const vx_size *end)
{
    vx_tensor made = vxCreateTensorFromView(whole, rank, start, end);

    keep(to, (vx_reference)made, "a view");
    return made;
}
`, []string{"part"}},
	{"part", `/* One of several equal parts of a tensor along a dimension. */
static vx_tensor part(builder *to, vx_tensor whole, vx_size dimension, vx_size which, vx_size parts)
{
    vx_size rank = 0, start[8] = {0}, end[8] = {0}, step;

    if (check(to, vxQueryTensor(whole, VX_TENSOR_NUMBER_OF_DIMS, &rank, sizeof rank), "a part") != VX_SUCCESS ||
        check(to, vxQueryTensor(whole, VX_TENSOR_DIMS, end, rank * sizeof *end), "a part") != VX_SUCCESS)
        return NULL;
    step = end[dimension] / parts;
    start[dimension] = which * step;
    end[dimension] = start[dimension] + step;
    return view(to, whole, rank, start, end);
}
`, nil},
	{"real", `/* A number as an object. */
static vx_scalar real(builder *to, vx_float32 value)
{
    vx_scalar made = vxCreateScalar(to->context, VX_TYPE_FLOAT32, &value);

    keep(to, (vx_reference)made, "a scalar");
    return made;
}
`, nil},
	{"table", `/* A table with entries from the weights. */
static vx_lut table(builder *to, vx_size offset, vx_enum type, vx_size entries)
{
    vx_lut made = vxCreateLUT(to->context, type, entries);

    keep(to, (vx_reference)made, "a table");
    if (to->status == VX_SUCCESS)
        check(to, vxCopyLUT(made, to->weights + offset, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST), "the entries of a table");
    return made;
}
`, nil},
}

// entry are the functions that the header declares.
const entry = `
vx_status NETWORK_create_from_memory(vx_context context, const void *weights, vx_size size, NETWORK_network *network)
{
    builder to = {network, context, (unsigned char *)weights, VX_SUCCESS};

    memset(network, 0, sizeof *network);
    if (size != SIZE) {
        network->failed = "the weights, whose size is not SIZE bytes";
        return VX_ERROR_INVALID_PARAMETERS;
    }
    network->graph = vxCreateGraph(context);
    if (check(&to, vxGetStatus((vx_reference)network->graph), "the graph") == VX_SUCCESS) {
        make(&to);
        if (to.status == VX_SUCCESS)
            check(&to, vxVerifyGraph(network->graph), "the verified graph");
    } else {
        network->graph = NULL;
    }
    if (to.status != VX_SUCCESS) {
        const char *failed = network->failed;

        NETWORK_release(network);
        network->failed = failed;
    }
    return to.status;
}

vx_status NETWORK_create(vx_context context, const char *weights, NETWORK_network *network)
{
    vx_status status = VX_FAILURE;
    unsigned char *data = malloc(SIZE + 1);
    FILE *file = fopen(weights, "rb");
    vx_size size = 0;

    memset(network, 0, sizeof *network);
    network->failed = "the file of weights";
    if (data == NULL)
        status = VX_ERROR_NO_MEMORY;
    else if (file != NULL) {
        size = fread(data, 1, SIZE + 1, file);
        if (!ferror(file))
            status = NETWORK_create_from_memory(context, data, size, network);
    }
    if (file != NULL)
        fclose(file);
    free(data);
    return status;
}

void NETWORK_release(NETWORK_network *network)
{
    if (network->graph != NULL)
        vxReleaseGraph(&network->graph);
    while (network->count > 0)
        vxReleaseReference(&network->held[--network->count]);
    free(network->held);
    memset(network, 0, sizeof *network);
}
`
