package simd

// WindowArgs are those of the routines for windows that slide over planes, channel by channel: a vector of channels at each pixel, and nothing
// else, takes one step for each position of the window that is inside of the plane, in row-major order. From these sums x come the results.
//
//   - Depthwise: x = fma(element, weight, x), from +0.
//   - WindowMaxInt8, WindowMaxUint8, WindowMaxInt16: the greatest integer of each of sixteen channels, the least there is if there is none; no tail.
//   - WindowMax: the greatest element; NaN if there is one, +0 before -0, -Inf if there is none.
//   - WindowSum: x + element, from +0, divided by the part's divisor if Divide is 1.
//   - WindowSquares: the same of fma(element, element, x), and then the square root.
//
// All but the first leave NaNs to the steps of the tail, as the tail does. The routines use up their arguments.
type WindowArgs struct {
	In, Out uintptr // the first pixel of a plane
	Weights uintptr // as many channels for each position of the window, 64 bytes apart
	Width   int     // bytes of the channels of a pixel that are computed: vectors, line by line one after the other

	Parts uintptr // the first [WindowPart]
	Count int     // of parts, at least 1

	ColumnStep int // bytes of the input between neighbouring columns of the window
	Divide     int

	Steps uintptr // the list of [TailStep], whose lists of operands by channel are 64 bytes apart

	// Where a routine keeps what it has no registers for.
	LinesLeft, GroupsLeft         int
	LayersLeft, Way               int
	Signs                         int // whether an element has had one
	Lane                          int // bytes from the first channel of a pixel to the vector that is computed
	LineIn, LineOut, GroupIn, Now uintptr
}

// WindowPart is a rectangle of pixels of the result whose windows have the same layers, rows and columns inside of the plane: lines of groups of
// pixels. A plane may have layers of rows. Distances are in bytes.
type WindowPart struct {
	In, Out int // the first window's first element, and the first pixel, as distances from those of the plane
	Weights int // the first position's weights, likewise

	Rows, Columns        int // of the window; there are no Rows if there are no Columns
	RowSkip, WeightsSkip int // from behind a row of the window to the next one, in the input and the weights
	Layers               int // of the window, at least 1
	LayerSkip            int // from behind the rows of a layer of the window to the next one, in the input
	LayerWeightsSkip     int // likewise, in the weights
	Pixels               int // of a group: from 1 to WindowPixels, or to DepthwisePixels
	InStep, OutStep      int // between neighbouring pixels of a group
	Groups               int // of a line, at least 1
	InGroup, OutGroup    int // between groups
	Lines                int // at least 1
	InLine, OutLine      int // between lines
	Divisor              float32
}

// The greatest groups of pixels.
const (
	DepthwisePixels = 12
	WindowPixels    = 6
)
