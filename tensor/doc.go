// Package tensor holds n-dimensional arrays: element types, shapes, strided views that share memory, element
// conversion, and the .npy and .npz file formats.
//
// A [Tensor] is a view of bytes in the machine's own byte order. Views made by [Tensor.Transpose], [Tensor.Slice],
// [Tensor.Expand] and [Tensor.Reshape] copy nothing; [Tensor.Contiguous] copies when it must. Typed access is by
// [Data], which returns a Go slice over the same memory.
package tensor
