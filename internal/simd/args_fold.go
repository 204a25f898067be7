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
//	exp_sum     acc + exp(x - A), of which the exponential also becomes element i of Z
//
// If First is not 0, the lanes do not go on but begin with Start. If Join is not 0, no lanes are written but the one float32 that they are joined
// to by halving; of so many Rows of N elements, which lie one behind the other, each begins and is joined by itself, and the results lie one behind the
// other, too. Then the routines change their Args. NaN results may have any bits, but those of max and min, which are canonical.
type FoldArgs struct {
	X, Z, Acc   uintptr
	N           int
	First, Join int
	Rows        int // 0 stands for 1
	A, Start    float32
}

// SoftmaxArgs are those of the routine that computes softmax of rows of N elements, which lie one behind the other from X on, and leaves it from Z on,
// which may be there, too: with the lanes of the routines max and exp_sum, see [FoldArgs]. It changes its Args.
type SoftmaxArgs struct {
	X, Z    uintptr
	N, Rows int
}

// MomentsArgs are those of the routine that computes the mean, and then the mean square of the distances from it, of each of so many rows of N elements,
// which lie one behind the other from X on: with the lanes of the routines sum and variance, see [FoldArgs], whose results are divided by Count. It
// changes its Args.
type MomentsArgs struct {
	X, Out  uintptr // Out has two numbers for each row
	N, Rows int
	Count   float32
}
