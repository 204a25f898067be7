package simd

// CastArgs are those of the routines that convert elements to float32 and back, as a cast does: rounded to nearest even, NaNs canonical; and integers to
// wider ones. Count is at least that of the float32 in a vector.
type CastArgs struct {
	From, To uintptr
	Count    int
}
