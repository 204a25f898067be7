package simd

// WeighArgs are those of Weigh, which adds rows of float32 with weights: each sum begins at First and takes a fused multiply-add for each of its terms, one
// after the other, and at last Last is added. NaNs become canonical.
type WeighArgs struct {
	In          uintptr
	Rows        uintptr // of each term of each sum, an int: the elements from In to its row
	Weights     uintptr // of each term of each sum, a float32
	Counts      uintptr // of each sum, an int: how many terms it has
	Sums        int     // at least 1
	Width       int     // bytes of a row, at least 4
	Out         uintptr // where the first sum goes
	OutStep     int     // bytes from there to the next one
	First, Last float32
}
