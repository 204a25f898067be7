// Package tensor holds n-dimensional arrays: element types, shapes, strided views that share memory, element
// conversion, and NumPy's .npy and .npz file formats.
//
// A [Tensor] is a view of bytes in the machine's own byte order. Views made by [Tensor.Transpose], [Tensor.Slice],
// [Tensor.Expand] and [Tensor.Reshape] copy nothing (Reshape does where it must); [Tensor.Contiguous] copies when it must.
// Typed access is by [Data], which returns a Go slice over the same memory; [Words] does so for code that only moves
// elements. [FromStrided] shows memory that others own. [Cast] converts elements by WebNN's and ONNX's rules. Elements of 4 and 2
// bits are packed: such tensors can be reshaped and cast, but have no other views and no Go type. Floats of 8 bits have no Go type either;
// [SmallFloat32] and [ToSmall] are their decoder and encoder.
//
// [ReadNPY] and [ReadNPZ] take hostile data: they check every size, stay within [Limits] and within about twice the
// bytes that are really there, and say in a [FormatError] where the data is wrong.
package tensor
