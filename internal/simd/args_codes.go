package simd

// CodesArgs are those of routines on quantized numbers of 8 bits, codes, for N·16 elements one after the other; of LookUp for N·64. Codes are
// signed if Signed is not 0. What is quantized is round_even(min(max(q, Least), Most)) + Zero, or 0 if q is NaN.
//
//   - Quantize: codes of q = A[i] / Scale, where A is float32.
//   - Dequantize: float32(A[i] - Zero) · Scale.
//   - AddCodes: min(max(round_even(q) + Zero, From), To) of q = (A[i] · Scale + Offset) + B[i] · BScale, each step rounded to float32. No q may be NaN,
//     or beyond the integers of 32 bits. From and To are codes.
//   - AddBounded: the low byte of min(max(A[i] + B[i], From), To). Zero must be 0.
//   - SumCodes: sixteen sums of int32, of which the k-th is that of the elements A[16·i + k].
//   - LookUp: byte A[i] of B, which has 256, where signed codes count from -128.
type CodesArgs struct {
	A, B, Out             uintptr
	N                     int // at least 1
	Signed                int
	Scale, Offset, BScale float32
	Least, Most           float32
	Zero, From, To        int32
}
