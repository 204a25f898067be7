package simd

// DecodeArgs are those of Decode and DecodeRow for codes of 2, 4 or 8 bits, which stand for
//
//	w[k][j] = (code[k][j] − zero[block][j]) · scale[block][j]
//
// in panels that have twice as many columns as a vector has lanes. A group has a dword for each column of a panel, with the codes of as many rows as it has
// room for, from its lowest bits on. There are Blocks blocks of Groups groups each; numbers of a block lie ScaleStep and ZeroStep bytes behind those of the one
// before it, those of the next panel FromPanel, ScalePanel and ZeroPanel bytes behind those of a panel. Zeros are given as DecodeZero more than they are.
//
// Decode writes the numbers of a panel, as Product reads them. DecodeRow adds the products of a row with two panels, with one fused multiply-add for
// each k in ascending order:
//
//	c[j] = (First ? +0 : c[j]) + Σ x[k]·w[k][j]
//
// Both bring near what they would need for the panels behind those that they decode.
type DecodeArgs struct {
	From, Scale, Zero                uintptr
	FromPanel, ScalePanel, ZeroPanel uintptr
	ScaleStep, ZeroStep              uintptr
	Blocks, Groups                   int

	To    uintptr // of Decode
	X, C  uintptr // of DecodeRow
	First int     // 1 or 0
}

// DecodeZero is 2^23: a float32 that with a code of up to 8 bits in its own lowest bits is by the code more.
const DecodeZero = 1 << 23
