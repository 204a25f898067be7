/* The network "small" as a graph of OpenVX, made by Concord.
 *
 *     vx_context context = vxCreateContext();
 *     small_network network;
 *     if (small_create(context, "small.bin", &network) != VX_SUCCESS) ...   (network.failed says where)
 *     vxCopyTensorPatch(network.x, ..., VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST);
 *     vxProcessGraph(network.graph);
 *     vxCopyTensorPatch(network.y, ..., VX_READ_ONLY, VX_MEMORY_TYPE_HOST);
 *     small_release(&network);
 *
 * The first dimension is the fastest in memory. The weights are little-endian, as the processor must be.
 */
#ifndef SMALL_H
#define SMALL_H

#include <VX/vx.h>
#include <VX/vx_khr_nn.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    vx_graph graph; /* verified */
    vx_tensor x; /* input "x": Q7.8, vx_int16: the number times 256; extents 4, 4, 2, 1, in the model float32[1,2,4,4] */
    vx_tensor y; /* output "y": Q7.8, vx_int16: the number times 256; extents 3, 1, in the model float32[1,3] */
    const char *failed; /* what could not be made, if creating the network has failed, and else NULL */
    vx_reference *held; /* the objects to be released */
    vx_size count, capacity;
} small_network;

/* Makes the network in a context, with the weights in a file. After an error there is nothing to be released. */
vx_status small_create(vx_context context, const char *weights, small_network *network);

/* Makes the network with weights in memory, which may be given back afterwards. */
vx_status small_create_from_memory(vx_context context, const void *weights, vx_size size, small_network *network);

/* Releases everything that the network has. */
void small_release(small_network *network);

#ifdef __cplusplus
}
#endif

#endif
