// Package openvx implements the neural-network extension of OpenVX 1.3: layers and tensor operations as nodes of graphs, on 8-bit,
// 16-bit fixed-point and float32 tensors, with the objects of the standard's base feature set. The C library in cmd/libopenvx is this
// package behind OpenVX's C interface.
//
// The names are those of the standard without the prefix vx; what C queries by attributes are methods. Creating functions are methods of
// the object that will own the new one. Failures are [*Error] values with the standard's status.
//
// Objects count the references of the application, as in C, but a Go program need not release them: what cannot be reached any more
// is collected. Dimension 0 is the fastest in memory, as everywhere in OpenVX.
//
// A context and its objects may be used by several goroutines. The memory of a tensor is not guarded: whoever writes it while a graph that
// uses it runs gets undefined elements, but no worse.
package openvx
