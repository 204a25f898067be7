package webnn

// window is what a window that slides over height and width is given by. Numbers have up to 32 bits; what is computed from
// them is an int64 and is cut where it may have more.
type window struct {
	size, strides, dilations []int // of the height and of the width
	padding                  []int // at beginning and end of the height, then of the width
}

// window returns a window of that size with the options padding, strides and dilations, which it checks.
func (l *lowering) window(size []int) window {
	w := window{size: size, padding: l.intsOf("padding", 4, 0, 0, 0, 0)}
	w.strides = l.positive("strides", l.intsOf("strides", 2, 1, 1))
	w.dilations = l.positive("dilations", l.intsOf("dilations", 2, 1, 1))
	return w
}

// positive returns a list after rejecting it if it has a zero.
func (l *lowering) positive(name string, list []int) []int {
	for i, n := range list {
		if n == 0 {
			l.reject(name+".positive", "%s: item %d is 0; it must be positive", name, i)
		}
	}
	return list
}

// far is beyond every extent, also after paddings are taken away.
const far = int64(1) << 40

// product returns a·b for non-negative numbers, at most far.
func product(a, b int) int64 {
	if b != 0 && int64(a) > far/int64(b) {
		return far
	}
	return int64(a) * int64(b)
}

// span returns the number of elements that the window covers along dimension i, its gaps included.
func (w *window) span(i int) int64 { return product(w.size[i]-1, w.dilations[i]) + 1 }

// added returns the padding of dimension i.
func (w *window) added(i int) int64 { return int64(w.padding[2*i]) + int64(w.padding[2*i+1]) }

// room returns how many elements the window can move along dimension i of that extent. It is negative if the window is
// larger than the padded input.
func (w *window) room(i, extent int) int64 { return int64(extent) + w.added(i) - w.span(i) }

// windows is outputSize of the number of places of a window along dimension i of that extent.
func (l *lowering) windows(w *window, i, extent int, n int64) int {
	if n < 1 {
		l.reject("outputSize", "the window covers %d elements of the %s, but the padded input has only %d",
			w.span(i), spatial[i], int64(extent)+w.added(i))
	}
	return l.outputSize(spatial[i], n)
}

// spatial names the dimensions of a window in messages.
var spatial = [2]string{"height", "width"}

// floorDiv returns floor(a/b) for b > 0.
func floorDiv(a int64, b int) int64 {
	q := a / int64(b)
	if a%int64(b) < 0 {
		q--
	}
	return q
}
