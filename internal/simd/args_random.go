package simd

// RandomArgs are those of RandomBits, which computes random_bits of the key of N·16 indices: int64 at X become uint32 at Out, which may be X.
type RandomArgs struct {
	X, Out     uintptr
	N          int // at least 1
	Key0, Key1 uint32
}
