package simd

// DecodeArgs are those of Decode2, Decode4 and Decode8, which write the float32 that codes of so many bits stand for, in a panel that Product reads, of
// twice as many columns as a vector has lanes:
//
//	to[k][j] = (code[k][j] − zero[block][j]) · scale[block][j]
//
// A group has a dword for each column, with the codes of as many rows as it has room for, from its lowest bits on. There are Blocks blocks of Groups
// groups each; numbers of a block lie ScaleStep and ZeroStep bytes behind those of the one before it. Zeros are given as DecodeZero more than they are.
type DecodeArgs struct {
	From, To            uintptr
	Scale, Zero         uintptr
	ScaleStep, ZeroStep uintptr
	Blocks, Groups      int
}

// DecodeRowArgs are those of DecodeRow2, DecodeRow4 and DecodeRow8, which multiply a row by codes in two panels as [DecodeArgs] describes them, with one fused
// multiply-add for each k in ascending order:
//
//	c[j] = (First ? +0 : c[j]) + Σ x[k]·((code[k][j] − zero[block][j]) · scale[block][j])
//
// What is of the second panel lies FromPanel, ScalePanel and ZeroPanel bytes behind that of the first one.
type DecodeRowArgs struct {
	X, C                             uintptr
	From, Scale, Zero                uintptr
	FromPanel, ScalePanel, ZeroPanel uintptr
	ScaleStep, ZeroStep              uintptr
	Blocks, Groups                   int
	First                            int // 1 or 0
}

// DecodeZero is 2^23: a float32 that with a code of up to 8 bits in its own lowest bits is by the code more.
const DecodeZero = 1 << 23
