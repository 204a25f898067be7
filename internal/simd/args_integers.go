package simd

// IntegersArgs are those of the routines of [Tier.Integers], by the name of a type of integers: of those that begin with "from", Out is X as float32,
// rounded to nearest; of those that begin with "to", Out is the float32 X as integers, truncated, with the nearest bound of the type beyond it and 0
// for NaN. Those of float16 convert from and to that type, and make NaN canonical. They take N·16 elements, one after the other. Out may be X where the
// sizes are the same.
type IntegersArgs struct {
	X, Out uintptr
	N      int // at least 1
}

// PairsArgs are those of the routines of [Tier.Pairs], which compute integers of two operands, of N·64 bytes: by the name of an operator, behind
// which _saturate tells of sums that do not wrap, and the type, which those of bits have not. Y is read at the byte (i & YMask) behind it, so that a
// mask of 63 stands for 64 bytes that repeat. Out may be X, or Y.
type PairsArgs struct {
	X, Y, Out uintptr
	YMask     int
	N         int // at least 1
}
