package simd

// InterleaveArgs are those of Interleave4, Interleave2 and Interleave1, which bring sixteen rows of elements of so many bytes into groups of sixteen:
// element j of row i becomes element i of group j, for j < Columns. Deinterleave4 and the others go the other way. They move bits.
//
// Rows may be the same: of those that are written, the first of equal ones counts.
type InterleaveArgs struct {
	Rows    [16]uintptr
	Groups  uintptr
	Step    int // bytes from a group to the next
	Columns int // at least 8
}
