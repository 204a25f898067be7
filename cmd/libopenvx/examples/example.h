/* What the examples share. */

#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <VX/vx.h>
#include <stdio.h>
#include <stdlib.h>

/* check ends the program if a call has failed. The log callback has told why. */
static void check(vx_status status, const char *what) {
    if (status != VX_SUCCESS) {
        fprintf(stderr, "%s: status %d\n", what, (int)status);
        exit(1);
    }
}
#define CHECK(call) check(call, #call)

/* made returns an object after making sure that it is one: a constructor that fails returns an object with an error. */
static vx_reference made(vx_reference object, const char *what) {
    check(vxGetStatus(object), what);
    return object;
}
#define MADE(type, constructor) ((type)made((vx_reference)(constructor), #constructor))

/* on_log is told what goes wrong. */
static void VX_CALLBACK on_log(vx_context context, vx_reference on, vx_status status, const vx_char *message) {
    (void)context, (void)on;
    fprintf(stderr, "openvx: status %d: %s\n", (int)status, message);
}

/* open creates a context that reports errors. */
static vx_context open_context(void) {
    vx_context context = MADE(vx_context, vxCreateContext());
    vxRegisterLogCallback(context, on_log, vx_false_e);
    return context;
}

/* copy moves all elements of a dense tensor: to memory with VX_READ_ONLY, from memory with VX_WRITE_ONLY. */
static void copy(vx_tensor tensor, void *data, vx_size element, vx_enum usage) {
    vx_size rank, dims[8], start[8] = {0}, stride[8];
    CHECK(vxQueryTensor(tensor, VX_TENSOR_NUMBER_OF_DIMS, &rank, sizeof rank));
    CHECK(vxQueryTensor(tensor, VX_TENSOR_DIMS, dims, rank * sizeof *dims));
    for (vx_size i = 0; i < rank; i++) {
        stride[i] = i == 0 ? element : stride[i - 1] * dims[i - 1];
    }
    CHECK(vxCopyTensorPatch(tensor, rank, start, dims, stride, data, usage, VX_MEMORY_TYPE_HOST));
}

#endif
