package simd

// DoublesArgs are those of the routines of [Tier.Doubles], which compute functions of N·8 float64 X, or X and Y, by name: the bits of package fmath, or any
// NaN, which says that the routine does not know. Z may be X or Y.
type DoublesArgs struct {
	X, Y, Z uintptr
	Table   uintptr // of 256 numbers for exponentials, and of 512 for sin and cos: those of package fmath
	N       int     // at least 1
}
