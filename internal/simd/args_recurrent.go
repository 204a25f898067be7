package simd

// GatesArgs are those of the products of a recurrent network: the products of rows of X with panels of W. A panel belongs to 16 elements of the
// state and has a vector of 16 numbers for each gate: W is (Panels, K, gates, 16), and a row of Y is (Panels, gates, 16). Each element of Y
// begins at +0, or, if First is 0, with what it is, and takes one fused multiply-add for each k, in ascending order.
//
// LSTMRow and GRURow compute one row, with 4 and 3 gates. LSTMRows and GRURows compute several rows, but for one panel.
type GatesArgs struct {
	X      uintptr
	XRow   int // bytes between rows of X
	W      uintptr
	Y      uintptr
	YRow   int // bytes between rows of Y
	K      int // at least 1
	First  int
	Panels int // at least 1
	// Of one row: how many bytes behind the end of a panel, of W and of a row of Y, the next one begins, which may be before it.
	WNext, YNext int
}

// RecurrentRows8 and RecurrentRows16 are how many rows LSTMRows and GRURows compute where vectors have so many lanes.
const (
	RecurrentRows8  = 3
	RecurrentRows16 = 6
)

// AheadRows is how many rows an item of [AheadArgs] has, and AheadNumbers how many numbers of the row are taken with one of its.
const (
	AheadRows    = 16
	AheadNumbers = 4
)

// AheadArgs are those of LSTMAhead and GRUAhead, which compute one row as LSTMRow and GRURow do, from +0 on, and meanwhile, with each panel, the
// products of Items: reading panels from the second-level cache leaves time for as many multiply-adds again. Items and Panels are changed.
type AheadArgs struct {
	X, W, Y      uintptr // of GatesArgs
	K            int     // numbers of the row that remain behind those of the items
	Panels       int     // at least 1
	WNext, YNext int     // of GatesArgs
	Items        uintptr // AheadItem
	Count        int     // at least 1
	XRow, YRow   int     // bytes between rows of an item
	WStep, YStep int     // bytes from where an item's W and Y are for a panel to where they are for the next one
}

// AheadItem is AheadRows rows of X with K numbers, K at least 1, of a gate of a panel of W, while the row takes AheadNumbers times as many. Y begins at
// +0, or, if First is 0, with what it is.
type AheadItem struct {
	X, W, Y  uintptr
	K, First int
}

// StateArgs are those of a step of a recurrent network behind the products, for Blocks blocks of 16 elements of the state. X and R are the products of
// the step's input and of the state, B what the biases add, in blocks of (gates, 16), all of them; C, H and Next have 16 elements in a block.
//
// LSTMState has the gates i, o, f and g, B = b + rb: each gate takes s = B + (X + R); the cell state C becomes c = f·C + i·g, Next is o·tanh(c).
// GRUState has the gates z, r and n and a fourth vector in blocks of B: the gates z and r take B + (X + R), and with B's third vector b and fourth
// one rb, n takes b + (X + r·(rb + R)); Next is z·H + n·(1 - z). The functions are sigmoid, and tanh for g and n. All operations are rounded one by one.
type StateArgs struct {
	X, R, B uintptr
	C       uintptr // LSTMState: before, and then after the step
	H       uintptr // GRUState: the state before
	Next    uintptr // the state after the step, in other memory than H
	Blocks  int     // at least 1
}
