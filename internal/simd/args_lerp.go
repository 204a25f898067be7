package simd

// LerpArgs are those of Lerp, which interpolates a row of pixels between two rows of an operand, or along one: a vector of channels at each pixel.
// Between elements a and b with the weight t lies fma(b, t, a·(1-t)), or a if t is 0. NaNs become canonical.
type LerpArgs struct {
	Top, Bottom uintptr // the rows
	Both        int     // 1 for between the two, 0 for along Top
	Out         uintptr
	Places      uintptr // of each pixel, a [LerpPlace]
	Pixels      int     // at least 1
	T, Rest     float32 // of Bottom, and 1 - T
}

// LerpPlace is where a pixel lies between two of a row: bytes from its begin.
type LerpPlace struct {
	A, B    int32
	T, Rest float32 // of B, and 1 - T
}
