package simd

// FoldArgs are those of the routines of [Tier.Fold], which go on with a reduction in sixteen lanes: element i of X, for i < N, changes lane i mod 16
// of the sixteen float32 at Acc, in ascending order, as the name says:
//
//	sum         acc + x
//	l1          acc + |x|
//	sum_square  fma(x, x, acc)
//	variance    fma(x - A, x - A, acc)
//	product     acc · x
//	max, min    as the operators
//
// NaN results may have any bits, but those of max and min, which are canonical.
type FoldArgs struct {
	X, Acc uintptr
	N      int
	A      float32
}
