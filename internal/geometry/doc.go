// Package geometry says where the elements lie that operators combine: windows that slide over tensors, convolutions, and products of
// matrices. It is what the references of package op and the kernels of internal/kernel share, apart from the arithmetic.
package geometry
