/* What the test programs share. A program prints what it finds wrong and then fails. */
#ifndef CHECK_H
#define CHECK_H

#include <VX/vx.h>
#include <VX/vx_compatibility.h>
#include <VX/vx_concord.h>
#include <VX/vx_khr_import_kernel.h>
#include <VX/vx_khr_nn.h>
#include <VX/vxu.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define CHECK(what) \
    do { \
        if (!(what)) { \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #what); \
            failures++; \
        } \
    } while (0)

#define CHECK_STATUS(call, expected) \
    do { \
        vx_status status_ = (call); \
        if (status_ != (expected)) { \
            printf("%s:%d: %s gives %d, not %s\n", __FILE__, __LINE__, #call, status_, #expected); \
            failures++; \
        } \
    } while (0)

#define OK(call) CHECK_STATUS(call, VX_SUCCESS)

/* The status that a creating function left. */
#define STATUS(object) vxGetStatus((vx_reference)(object))

static inline vx_uint32 references(vx_context context)
{
    vx_uint32 n = 0;
    OK(vxQueryContext(context, VX_CONTEXT_REFERENCES, &n, sizeof n));
    return n;
}

static inline void show(vx_context context, vx_reference reference, vx_status status, const vx_char text[])
{
    (void)context;
    (void)reference;
    if (getenv("SHOW_LOG"))
        printf("log: %d %s\n", status, text);
}

static inline int finish(const char *program)
{
    if (failures == 0)
        printf("%s: passed\n", program);
    return failures != 0;
}

#endif
