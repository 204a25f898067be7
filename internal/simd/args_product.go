package simd

// ProductRows8 and ProductRows16 are how many rows the highest tile of Product has where vectors have so many lanes: with two vectors of columns its sums
// leave registers for the two of b and, of the 16 of AVX2, for an element of a.
const (
	ProductRows8  = 6
	ProductRows16 = 14
)

// ProductArgs are those of Product, which computes some columns of Tiles times Rows rows of a product of float32 matrices, for some k:
//
//	c[i][j] = (Add ? c[i][j] : +0) + Σ a[i][k]·b[k][j]
//
// with one fused multiply-add for each k < K in ascending order. Then it does what the list of [TailStep] at Tail says, whose channels are the columns.
//
// Rows is from 1 to ProductRows of the tier. Columns is at most the number of a vector's lanes, or twice that; for 1 row it may also be 8 times as many,
// and for 2 rows 4 times. Distances are in bytes. The elements of a row of c lie together, and so do those of a row of b in panels, of which each has
// twice as many columns as a vector has lanes, BPanel behind the one before it, unless BLine says otherwise. The routine changes its arguments.
//
// ProductDoubles does that for float64, and ProductInts for int32 with products and sums that wrap, both for as many columns as two vectors have and without
// a tail: NaN results may have any bits. Their Rows is ProductRows of the tier, or up to ProductRows8.
type ProductArgs struct {
	C, CRow        uintptr
	A, ARow, AStep uintptr // AStep leads from a[i][k] to a[i][k+1]
	B, BStep       uintptr // BStep leads from b[k][j] to b[k+1][j]
	BPanel         uintptr
	BLine          uintptr // 0, or for 1 row and 8 vectors of columns the distance of columns of b, whose elements lie together; K is a multiple of 4 then, and AStep 4
	K              int
	Rows, Tiles    int
	Columns        int
	Add            int // 1 or 0
	Tail           uintptr

	// Each step of k brings near what lies at Fetch, which then moves on by FetchStep.
	Fetch, FetchStep uintptr
}
