package geometry

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// Sliding windows: what convolution and pooling share.
//
// Along each dimension there is a large extent X and a small one x. Position k of the window for the small index i lies
// at the large index i·stride - before + k·dilation. A down operation (conv, box, pooling) reads the large side and
// writes the small one, an up operation (deconv, debox) the reverse. Operand indices that do not exist follow the
// border rule.

// Position is an index or a window position, one number for each dimension of a [Sliding].
type Position [tensor.MaxRank]int

// Slide is the geometry of a window along one dimension.
type Slide struct {
	In, Out                        int // extents of operand and result
	Size, Stride, Dilation, Before int
	Up                             bool
}

// Unmoved is a dimension of one element, such as one that there is not.
var Unmoved = Slide{In: 1, Out: 1, Size: 1, Stride: 1, Dilation: 1}

// SlideOf returns dimension i of a window of that size whose strides, dilations and paddings the attributes have, with these extents.
func SlideOf(a graph.Attrs, i, in, out, size int) Slide {
	d := Slide{In: in, Out: out, Size: size, Stride: 1, Dilation: 1, Before: a.Ints("padding")[2*i]}
	if stride := a.Ints("stride"); len(stride) > 0 {
		d.Stride = stride[i]
	}
	if dilation := a.Ints("dilation"); len(dilation) > 0 {
		d.Dilation = dilation[i]
	}
	return d
}

// Span returns how many elements the window covers, its gaps included.
func (d *Slide) Span() int { return (d.Size-1)*d.Dilation + 1 }

// Reach returns how many elements n windows cover, from the first one of the first to the last one of the last.
func (d *Slide) Reach(n int) int { return (n-1)*d.Stride + d.Span() }

// Outside reports whether a window reaches beyond the operand.
func (d *Slide) Outside() bool { return d.Before > 0 || d.Reach(d.Out)-d.Before > d.In }

// Still reports whether the window leaves the dimension as it is.
func (d *Slide) Still() bool { return d.Size == 1 && d.Stride == 1 && d.Before == 0 && d.In == d.Out }

// Whole reports whether there is one window, which has all elements of the dimension and nothing else.
func (d *Slide) Whole() bool {
	return !d.Up && d.Out == 1 && d.Size == d.In && d.Before == 0 && d.Dilation == 1
}

// Source returns the operand's index, which may lie outside, for result index o and window position k. It returns
// false if an up operation maps no index there.
func (d *Slide) Source(o, k int) (int, bool) {
	if !d.Up {
		return o*d.Stride - d.Before + k*d.Dilation, true
	}
	i := o + d.Before - k*d.Dilation
	return FloorDiv(i, d.Stride), i%d.Stride == 0
}

// meeting returns the least window position from k on at which a result from index first to last may meet an element of the operand, or
// the window's size if there is none. It takes no time for positions without any, however many they are: of a down operation it goes
// from one result's first element to the next one's; of an up operation it leaves out those in front of the first and behind the last.
func (d *Slide) meeting(k, first, last int) int {
	if d.Up {
		if k = max(k, CeilDiv(first+d.Before-(d.In-1)*d.Stride, d.Dilation)); k*d.Dilation > last+d.Before {
			return d.Size
		}
		return min(k, d.Size)
	}
	for k < d.Size && first <= last {
		i := k*d.Dilation - d.Before // the index that result 0 meets
		o := max(CeilDiv(-i, d.Stride), first)
		switch {
		case o > last: // all results lie before the operand
			k = CeilDiv(d.Before-last*d.Stride, d.Dilation)
		case i+o*d.Stride < d.In:
			return k
		case o == first: // all results lie behind it
			return d.Size
		default: // result o lies behind it, the one in front of o before it
			k = CeilDiv(d.Before-(o-1)*d.Stride, d.Dilation)
		}
	}
	return d.Size
}

// Inside returns the positions of the window for index o of the result of a down operation, up to end, that lie on elements of the operand; 0 and 0 if
// there are none.
func (d *Slide) Inside(o int) (begin, end int) {
	start := d.Before - o*d.Stride // of the operand, from the window's first position on
	begin, end = max(CeilDiv(start, d.Dilation), 0), min(FloorDiv(start+d.In-1, d.Dilation)+1, d.Size)
	if begin >= end {
		return 0, 0
	}
	return begin, end
}

// Stretch is results beside each other whose windows have the same positions, up to End, on elements of the operand.
type Stretch struct{ First, N, Begin, End int }

// Stretches divides the results from…to-1 of a down operation.
func (d *Slide) Stretches(from, to int) (list []Stretch) {
	for o := from; o < to; o++ {
		begin, end := d.Inside(o)
		if n := len(list); n > 0 && list[n-1].Begin == begin && list[n-1].End == end {
			list[n-1].N++
		} else {
			list = append(list, Stretch{o, 1, begin, end})
		}
	}
	return list
}

// Sliding is the geometry of a window over all dimensions that it moves along.
type Sliding struct {
	Border Border
	Rank   int
	Dim    [tensor.MaxRank]Slide
	inStep Position // row-major strides of the operand
}

// SlidesUp reports whether the window that the attributes describe slides over the result, which then has a given shape, and not over the operand.
func SlidesUp(a graph.Attrs) bool { return a.Get("output_shape") != nil }

// NewSliding returns the geometry that the attributes give for these extents of operand, result and window.
// Neighbouring dimensions in which the window does not move count as one, and so do those that it covers as a whole.
func NewSliding(a graph.Attrs, in, out, size []int, up bool) Sliding {
	return newSliding(a, 0, in, out, size, up)
}

// Spatial returns the geometry, along the dimensions behind batch and channels, of a window over all dimensions that the attributes give for these
// extents of operand and result, and false if it does anything in these two.
func Spatial(a graph.Attrs, in, out []int) (g Sliding, ok bool) {
	size := a.Ints("size")
	if w := WindowOf(a, size); len(size) < 3 || !w.Idle(0) || !w.Idle(1) {
		return g, false
	}
	return newSliding(a, 2, in, out, size, false), true
}

// newSliding returns the geometry along the dimensions from first on.
func newSliding(a graph.Attrs, first int, in, out, size []int, up bool) Sliding {
	g := Sliding{Border: BorderOf(a)}
	for i := first; i < len(in); i++ {
		d := SlideOf(a, i, in[i], out[i], size[i])
		d.Up = up
		if g.Rank > 0 && d.Still() && g.Last().Still() {
			g.Last().In *= d.In
			g.Last().Out *= d.Out
			continue
		}
		if g.Rank > 0 && d.Whole() && g.Last().Whole() {
			g.Last().In *= d.In
			g.Last().Size *= d.Size
			continue
		}
		g.Dim[g.Rank] = d
		g.Rank++
	}
	if g.Rank == 0 { // scalars
		g.Dim[0] = Unmoved
		g.Rank = 1
	}
	step := 1
	for i := g.Rank - 1; i >= 0; i-- {
		g.inStep[i] = step
		step *= g.Dim[i].In
	}
	return g
}

// WithoutZeros returns the geometry without the zeros of a constant border, for operators that leave them out.
//
//go:noinline // kernels of every element type would hold it
func (g *Sliding) WithoutZeros() Sliding {
	sums := *g
	if g.Border == BorderConstant {
		sums.Border = BorderIgnore
	}
	return sums
}

// Last is the dimension along which a row of results lies.
func (g *Sliding) Last() *Slide { return &g.Dim[g.Rank-1] }

// Rows returns the number of rows of results.
func (g *Sliding) Rows() int {
	n := 1
	for d := range g.Rank - 1 {
		n *= g.Dim[d].Out
	}
	return n
}

// Row returns the index at which a row of results begins.
func (g *Sliding) Row(n int) (o Position) {
	for d := g.Rank - 2; d >= 0 && n > 0; d-- {
		o[d] = n % g.Dim[d].Out
		n /= g.Dim[d].Out
	}
	return o
}

// NextRow moves to the index at which the following row begins.
func (g *Sliding) NextRow(o *Position) {
	for d := g.Rank - 2; d >= 0; d-- {
		if o[d]++; o[d] < g.Dim[d].Out {
			return
		}
		o[d] = 0
	}
}

// Result returns the index of result number n.
//
//go:noinline // kernels of every element type would hold it
func (g *Sliding) Result(n int) Position {
	width := max(g.Last().Out, 1)
	o := g.Row(n / width)
	o[g.Rank-1] = n % width
	return o
}

// NextResult moves to the following index of the result.
//
//go:noinline // kernels of every element type would hold it
func (g *Sliding) NextResult(o *Position) {
	if last := g.Rank - 1; o[last]+1 < g.Dim[last].Out {
		o[last]++
	} else {
		o[last] = 0
		g.NextRow(o)
	}
}

// NextPosition moves to the following window position in row-major order and returns false after the last.
func (g *Sliding) NextPosition(k *Position) bool {
	for d := g.Rank - 1; d >= 0; d-- {
		if k[d]++; k[d] < g.Dim[d].Size {
			return true
		}
		k[d] = 0
	}
	return false
}

// Position returns window position number n.
//
//go:noinline // kernels of every element type would hold it
func (g *Sliding) Position(n int) (k Position) {
	for d := g.Rank - 1; d >= 0; d-- {
		k[d] = n % g.Dim[d].Size
		n /= g.Dim[d].Size
	}
	return k
}

// Number returns the row-major number of a window position.
func (g *Sliding) Number(k *Position) int {
	n := 0
	for d := range g.Rank {
		n = n*g.Dim[d].Size + k[d]
	}
	return n
}

// Volume returns the number of window positions.
func (g *Sliding) Volume() int {
	n := 1
	for d := range g.Rank {
		n *= g.Dim[d].Size
	}
	return n
}

// Offset returns the offset in the operand of the element at window position k for index o, in the first n dimensions.
// It returns -1 if there is none.
func (g *Sliding) Offset(o, k *Position, n int) int {
	at := 0
	for d := range n {
		i, ok := g.Dim[d].Source(o[d], k[d])
		if !ok {
			return -1
		}
		if i = g.Border.Index(i, g.Dim[d].In); i < 0 {
			return -1
		}
		at += i * g.inStep[d]
	}
	return at
}

// Source returns the offset in the operand of the element at window position k for index o of the result, -1 if there
// is none.
func (g *Sliding) Source(o, k *Position) int { return g.Offset(o, k, g.Rank) }

// met returns the least position from k on at which the results may meet something in dimension d: the result at index o, and along the
// last dimension the given number of results from it on. It is k itself where the border may take part.
func (g *Sliding) met(d, k int, o *Position, width int) int {
	if g.Border != BorderIgnore {
		return k
	}
	last := o[d]
	if d == g.Rank-1 {
		last += width - 1
	}
	return g.Dim[d].meeting(k, o[d], last)
}

// FirstMet returns the first window position, in the first n dimensions, at which the given number of results from index o on along the
// last dimension may meet something, and false if there is none. There may still be nothing where [Sliding.Offset] says so.
func (g *Sliding) FirstMet(o *Position, n, width int) (k Position, ok bool) {
	for d := range n {
		if k[d] = g.met(d, 0, o, width); k[d] >= g.Dim[d].Size {
			return k, false
		}
	}
	return k, true
}

// NextMet moves to the following window position that [Sliding.FirstMet] would not pass over, in row-major order, and returns false after
// the last.
func (g *Sliding) NextMet(k, o *Position, n, width int) bool {
	for d := n - 1; d >= 0; d-- {
		if k[d] = g.met(d, k[d]+1, o, width); k[d] < g.Dim[d].Size {
			return true
		}
		k[d] = g.met(d, 0, o, width)
	}
	return false
}

// Counted returns how many operand elements the window positions for index o reach along dimension d, the border left
// aside.
func (g *Sliding) Counted(d, o int) int {
	s, n := &g.Dim[d], 0
	if !s.Up {
		begin, end := s.Inside(o)
		return end - begin
	}
	for k := range s.Size {
		if i, ok := s.Source(o, k); ok && i >= 0 && i < s.In {
			n++
		}
	}
	return n
}
