package simd

// SumsArgs are those of AddSums, which adds integers of 32 bits to sums of 64 bits, for N pixels of sixteen:
//
//	v = Sums[i] + Part[i]·Factor
//
// A pixel of Sums lies SumsStep bytes behind the one before it, which is 0 for sixteen that repeat; one of Part 64. If Size is 8, v is stored. If
// it is 1 or 2, as many low bytes are stored of v with Shift fewer binary digits, rounded and bounded:
//
//	r = v mod 2^Shift, f = (v - r) / 2^Shift
//	min(max(f + (r + Half + (v < 0 ? Below : 0) + (f & Even)) >> Shift, From), To)
//
// A pixel is stored OutStep bytes behind the one before it. Out may be Sums.
type SumsArgs struct {
	Part, Sums, Out   uintptr
	SumsStep, OutStep int // bytes
	N                 int // at least 1
	Size              int
	Factor            int64 // of 32 bits, with a sign
	Shift, Fraction   int64 // Fraction is 2^Shift - 1
	Half, Below, Even int64
	From, To          int64
}
