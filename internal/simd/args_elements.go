package simd

// ElementsArgs are those of the routines of [Tier.Elements], which compute Z[i] = f(X[i], Y[i], V[i], W[i]) for i < N, as the name says. All
// are float32; f reads as many operands as it has. NaN results are canonical.
//
// Operands but X of a function of one may repeat: element i is read at the byte (4·i & XMask) behind X, so that a mask of -1 stands for N
// elements, and one of 63 for sixteen that repeat. Z may be an operand that does not.
type ElementsArgs struct {
	X, Y, V, W, Z              uintptr
	XMask, YMask, VMask, WMask int
	N                          int
	A, B, C, D                 float32 // the function's parameters
}
