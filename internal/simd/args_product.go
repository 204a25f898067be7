package simd

// ProductArgs are those of Product, which computes some columns of Tiles times Height rows of a product of float32 matrices, for some k:
//
//	c[i][j] = (Add ? c[i][j] : +0) + Σ a[i][k]·b[k][j]
//
// with one fused multiply-add for each k < K in ascending order, and then adds Bias[j] if there is a bias. A NaN becomes the canonical one.
//
// Height is from 1 to ProductRows of the tier. Columns is at most the number of a vector's lanes, or twice as many; for 1 row also 8 times, and for 2
// rows 4 times as many. Distances are in bytes. The elements of a row of c lie together, and so do those of a row of b in panels, of which each has
// twice as many columns as a vector has lanes, BPanel behind the one before it.
type ProductArgs struct {
	C, CRow        uintptr
	A, ARow, AStep uintptr // AStep leads from a[i][k] to a[i][k+1]
	B, BStep       uintptr // BStep leads from b[k][j] to b[k+1][j]
	BPanel         uintptr
	K              int
	Height, Tiles  int
	Columns        int
	Add            int     // 1 or 0
	Bias           uintptr // one number for each column, or 0

	// Each step of k brings near what lies at Fetch, which then moves on by FetchStep.
	Fetch, FetchStep uintptr
}
