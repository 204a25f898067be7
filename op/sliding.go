package op

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

// Sliding windows: what convolution and pooling share.
//
// Along each dimension there is a large extent X and a small one x. Position k of the window for the small index i lies
// at the large index i·stride - before + k·dilation. A down operation (conv, box, pooling) reads the large side and
// writes the small one, an up operation (deconv, debox) the reverse. Operand indices that do not exist follow the
// border rule.

// border is the rule for window positions outside the operand.
type border uint8

const (
	borderConstant    border = iota // zeros
	borderReplicate                 // the nearest element
	borderReflect                   // mirrored without the edge element
	borderReflectEven               // mirrored with the edge element
	borderIgnore                    // no part in the result
)

var borderNames = []string{"constant", "replicate", "reflect", "reflect-even", "ignore"}

// borderOf returns the rule that the attribute border names.
func borderOf(a graph.Attrs) border { return border(slices.Index(borderNames, a.String("border"))) }

// index returns the element of a dimension of extent n that stands for index i, or -1 if there is none.
func (b border) index(i, n int) int {
	switch {
	case i >= 0 && i < n:
		return i
	case n == 0:
		return -1
	case b == borderReplicate:
		return min(max(i, 0), n-1)
	case b == borderReflect && n == 1:
		return 0
	case b == borderReflect:
		period := 2 * (n - 1)
		i = modulo(i, period)
		return min(i, period-i)
	case b == borderReflectEven:
		i = modulo(i, 2*n)
		return min(i, 2*n-1-i)
	}
	return -1
}

// modulo returns i - n·floor(i/n).
func modulo(i, n int) int {
	if i %= n; i < 0 {
		i += n
	}
	return i
}

// floorDiv returns floor(a/b) for b > 0.
func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// ceilDiv returns ceil(a/b) for b > 0.
func ceilDiv(a, b int) int { return -floorDiv(-a, b) }

// The attributes of sliding windows. Their bounds, above all numbers of 32 bits and sums of a few, keep the arithmetic of
// positions within 64 bits.
const slideLimit = limits.OpSlide

var slideRange = [2]float64{1, slideLimit}

func borderAttr(doc string, rules ...string) Attr {
	return Attr{Name: "border", Kind: graph.KindString, Default: "constant", Enum: rules, Doc: doc}
}

func slideAttrs(dims string) []Attr {
	return []Attr{
		{Name: "padding", Kind: graph.KindInts, Pairs: true, Range: [2]float64{-slideLimit, slideLimit},
			Doc: "elements added before and after each " + dims + ", alternating; negative numbers crop"},
		{Name: "stride", Kind: graph.KindInts, Default: []int{}, Range: slideRange,
			Doc: "distance of neighbouring windows in each " + dims + "; empty for ones"},
		{Name: "dilation", Kind: graph.KindInts, Default: []int{}, Range: slideRange,
			Doc: "distance of neighbouring window positions in each " + dims + "; empty for ones"},
	}
}

var outputShapeAttr = Attr{Name: "output_shape", Kind: graph.KindInts, Default: []int{}, Range: [2]float64{0, math.MaxInt},
	Doc: "shape of the result, which the window must map down to the operand's; empty for the smallest such shape"}

// position is an index or a window position, one number for each dimension of a sliding.
type position [tensor.MaxRank]int

// slide is the geometry of a window along one dimension.
type slide struct {
	in, out                        int // extents of operand and result
	size, stride, dilation, before int
	up                             bool
}

// still reports whether the window leaves the dimension as it is.
func (d *slide) still() bool { return d.size == 1 && d.stride == 1 && d.before == 0 && d.in == d.out }

// whole reports whether there is one window, which has all elements of the dimension and nothing else.
func (d *slide) whole() bool {
	return !d.up && d.out == 1 && d.size == d.in && d.before == 0 && d.dilation == 1
}

// source returns the operand's index, which may lie outside, for result index o and window position k. It returns
// false if an up operation maps no index there.
func (d *slide) source(o, k int) (int, bool) {
	if !d.up {
		return o*d.stride - d.before + k*d.dilation, true
	}
	i := o + d.before - k*d.dilation
	return floorDiv(i, d.stride), i%d.stride == 0
}

// sliding is the geometry of a window over all dimensions that it moves along.
type sliding struct {
	border border
	rank   int
	dim    [tensor.MaxRank]slide
	inStep position // row-major strides of the operand
}

// newSliding returns the geometry that the attributes give for these extents of operand, result and window.
// Neighbouring dimensions in which the window does not move count as one, and so do those that it covers as a whole.
func newSliding(a graph.Attrs, in, out, size []int, up bool) sliding {
	g := sliding{border: borderOf(a)}
	padding, stride, dilation := a.Ints("padding"), a.Ints("stride"), a.Ints("dilation")
	for i := range in {
		d := slide{in: in[i], out: out[i], size: size[i], stride: 1, dilation: 1, before: padding[2*i], up: up}
		if len(stride) > 0 {
			d.stride = stride[i]
		}
		if len(dilation) > 0 {
			d.dilation = dilation[i]
		}
		if g.rank > 0 && d.still() && g.last().still() {
			g.last().in *= d.in
			g.last().out *= d.out
			continue
		}
		if g.rank > 0 && d.whole() && g.last().whole() {
			g.last().in *= d.in
			g.last().size *= d.size
			continue
		}
		g.dim[g.rank] = d
		g.rank++
	}
	if g.rank == 0 { // scalars
		g.dim[0] = slide{in: 1, out: 1, size: 1, stride: 1, dilation: 1}
		g.rank = 1
	}
	step := 1
	for i := g.rank - 1; i >= 0; i-- {
		g.inStep[i] = step
		step *= g.dim[i].in
	}
	return g
}

// windowed returns the geometry of an operator whose window covers all dimensions of its first operand and result.
func windowed(c *Call, up bool) sliding {
	return newSliding(c.Attrs, c.In[0].Shape(), c.Out[0].Shape(), c.Ints("size"), up)
}

// last is the dimension along which a row of results lies.
func (g *sliding) last() *slide { return &g.dim[g.rank-1] }

// rows returns the number of rows of results.
func (g *sliding) rows() int {
	n := 1
	for d := range g.rank - 1 {
		n *= g.dim[d].out
	}
	return n
}

// row returns the index at which a row of results begins.
func (g *sliding) row(n int) (o position) {
	for d := g.rank - 2; d >= 0 && n > 0; d-- {
		o[d] = n % g.dim[d].out
		n /= g.dim[d].out
	}
	return o
}

// nextRow moves to the index at which the following row begins.
func (g *sliding) nextRow(o *position) {
	for d := g.rank - 2; d >= 0; d-- {
		if o[d]++; o[d] < g.dim[d].out {
			return
		}
		o[d] = 0
	}
}

// nextResult moves to the following index of the result.
func (g *sliding) nextResult(o *position) {
	if last := g.rank - 1; o[last]+1 < g.dim[last].out {
		o[last]++
	} else {
		o[last] = 0
		g.nextRow(o)
	}
}

// result returns the index of result number n.
func (g *sliding) result(n int) position {
	width := max(g.last().out, 1)
	o := g.row(n / width)
	o[g.rank-1] = n % width
	return o
}

// nextPosition moves to the following window position in row-major order and returns false after the last.
func (g *sliding) nextPosition(k *position) bool {
	for d := g.rank - 1; d >= 0; d-- {
		if k[d]++; k[d] < g.dim[d].size {
			return true
		}
		k[d] = 0
	}
	return false
}

// position returns window position number n.
func (g *sliding) position(n int) (k position) {
	for d := g.rank - 1; d >= 0; d-- {
		k[d] = n % g.dim[d].size
		n /= g.dim[d].size
	}
	return k
}

// volume returns the number of window positions.
func (g *sliding) volume() int {
	n := 1
	for d := range g.rank {
		n *= g.dim[d].size
	}
	return n
}

// offset returns the offset in the operand of the element at window position k for index o, in the first n dimensions.
// It returns -1 if there is none.
func (g *sliding) offset(o, k *position, n int) int {
	at := 0
	for d := range n {
		i, ok := g.dim[d].source(o[d], k[d])
		if !ok {
			return -1
		}
		if i = g.border.index(i, g.dim[d].in); i < 0 {
			return -1
		}
		at += i * g.inStep[d]
	}
	return at
}

// source returns the offset in the operand of the element at window position k for index o of the result, -1 if there
// is none.
func (g *sliding) source(o, k *position) int { return g.offset(o, k, g.rank) }

// counted returns how many operand elements the window positions for index o reach along dimension d, the border left
// aside.
func (g *sliding) counted(d, o int) int {
	s, n := &g.dim[d], 0
	if !s.up {
		start := s.before - o*s.stride // of the operand, from the window's first position on
		return max(min(floorDiv(start+s.in-1, s.dilation), s.size-1)-max(ceilDiv(start, s.dilation), 0)+1, 0)
	}
	for k := range s.size {
		if i, ok := s.source(o, k); ok && i >= 0 && i < s.in {
			n++
		}
	}
	return n
}

// meeting returns the least window position from k on at which a result from index first to last meets an element of the
// operand of a down operation, or the window's size if there is none. It goes from one result's first element to the next
// one's, so that positions without any cost nothing, however many they are.
func (d *slide) meeting(k, first, last int) int {
	for k < d.size && first <= last {
		i := k*d.dilation - d.before // the index that result 0 meets
		o := max(ceilDiv(-i, d.stride), first)
		switch {
		case o > last: // all results lie before the operand
			k = ceilDiv(d.before-last*d.stride, d.dilation)
		case i+o*d.stride < d.in:
			return k
		case o == first: // all results lie behind it
			return d.size
		default: // result o lies behind it, the one in front of o before it
			k = ceilDiv(d.before-(o-1)*d.stride, d.dilation)
		}
	}
	return d.size
}

// met is meeting in dimension d for the row of results at index o. It is k itself where the border may take part.
func (g *sliding) met(d, k int, o *position) int {
	s := &g.dim[d]
	switch {
	case s.up || g.border != borderIgnore:
		return k
	case d == g.rank-1:
		return s.meeting(k, 0, s.out-1)
	}
	return s.meeting(k, o[d], o[d])
}

// firstMet returns the first window position for a row of results in the first n dimensions, and false if there is none.
func (g *sliding) firstMet(o *position, n int) (k position, ok bool) {
	for d := range n {
		if k[d] = g.met(d, 0, o); k[d] >= g.dim[d].size {
			return k, false
		}
	}
	return k, true
}

// nextMet moves to the following window position for a row of results in the first n dimensions, in row-major order, and returns false
// after the last.
func (g *sliding) nextMet(k, o *position, n int) bool {
	for d := n - 1; d >= 0; d-- {
		if k[d] = g.met(d, k[d]+1, o); k[d] < g.dim[d].size {
			return true
		}
		k[d] = g.met(d, 0, o)
	}
	return false
}

// span is a run of results of one row at one window position: result out + j·outStep of the row meets the operand's
// element in + j·inStep, for j < n. If outside is set it meets the zero of a constant border.
type span struct {
	out, outStep int
	in, inStep   int
	n            int
	outside      bool
}

// spans calls f for the runs that make up the row of results at index o, at window position k. Results that nothing
// meets, as with the border ignore, are in none of them.
func (g *sliding) spans(o, k *position, f func(span)) {
	base := g.offset(o, k, g.rank-1)
	d, kd := g.last(), k[g.rank-1]
	// Step j of the row is a result in a down operation and an operand element in an up operation. Both sides are
	// linear in j; from…to-1 are in the result, lo…hi-1 of them in the operand too.
	s := span{outStep: 1, inStep: 1}
	var from, to, lo, hi int
	if shift := kd*d.dilation - d.before; d.up {
		s.out, s.outStep = shift, d.stride
		from, to = ceilDiv(-shift, d.stride), ceilDiv(d.out-shift, d.stride)
		lo = min(max(0, from), to)
		hi = min(max(d.in, lo), to)
	} else {
		s.in, s.inStep = shift, d.stride
		to = d.out
		lo = min(max(ceilDiv(-shift, d.stride), 0), to)
		hi = min(max(ceilDiv(d.in-shift, d.stride), lo), to)
	}
	if base < 0 {
		lo, hi = to, to
	}
	if lo < hi {
		f(span{out: s.out + lo*s.outStep, outStep: s.outStep, in: base + s.in + lo*s.inStep, inStep: s.inStep, n: hi - lo})
	}
	for _, edge := range [2][2]int{{from, lo}, {hi, to}} {
		n := edge[1] - edge[0]
		switch {
		case n <= 0 || g.border == borderIgnore:
		case base < 0 || g.border == borderConstant || d.in == 0:
			if g.border == borderConstant {
				f(span{out: s.out + edge[0]*s.outStep, outStep: s.outStep, n: n, outside: true})
			}
		default:
			for j := edge[0]; j < edge[1]; j++ {
				i := g.border.index(s.in+j*s.inStep, d.in)
				f(span{out: s.out + j*s.outStep, in: base + i, n: 1})
			}
		}
	}
}

// extents returns the extents of the result along the dimensions that a window of the given size slides over. An up
// operation gives want, if it is not nil, after checking that the window maps it down to in.
func (s *Sig) extents(in, size []int, up bool, want []int) ([]int, error) {
	padding, stride, dilation := s.Ints("padding"), s.Ints("stride"), s.Ints("dilation")
	n := len(in)
	if len(padding) != 2*n {
		return nil, s.Errorf("padding", "%d numbers are given; there must be %d, two for each of the %d dimensions", len(padding), 2*n, n)
	}
	for _, a := range []struct {
		name string
		list []int
	}{{"stride", stride}, {"dilation", dilation}} {
		if len(a.list) != 0 && len(a.list) != n {
			return nil, s.Errorf(a.name, "%d numbers are given; there must be one for each of the %d dimensions, or none", len(a.list), n)
		}
	}
	out := make([]int, n)
	for i := range n {
		if in[i] == 0 && size[i] == 1 && padding[2*i] == 0 && padding[2*i+1] == 0 && (want == nil || want[i] == 0) {
			continue // such as an empty batch
		}
		step, dist := 1, 1
		if len(stride) > 0 {
			step = stride[i]
		}
		if len(dilation) > 0 {
			dist = dilation[i]
		}
		const limit = math.MaxInt / 4 // leaves room to add paddings
		if size[i] < 1 || size[i]-1 > limit/dist {
			return nil, s.Errorf("dilation", "a window of extent %d dilated by %d in dimension %d is not possible", size[i], dist, i)
		}
		span, added := (size[i]-1)*dist+1, padding[2*i]+padding[2*i+1]
		if !up {
			if span > in[i]+added {
				return nil, s.Misfit("padding", "the window spans %d elements in dimension %d; extent %d and padding %d make only %d",
					span, len(s.In[0].Shape)-n+i, in[i], added, in[i]+added)
			}
			out[i] = (in[i]+added-span)/step + 1
			continue
		}
		if in[i] < 1 || in[i]-1 > limit/step {
			return nil, s.Errorf("stride", "extent %d with stride %d in dimension %d is not possible", in[i], step, i)
		}
		out[i] = (in[i]-1)*step + span - added
		if want != nil {
			if want[i]+added < span || (want[i]+added-span)/step+1 != in[i] {
				return nil, s.Misfit("output_shape", "extent %d does not map down to %d in dimension %d; it must be from %d to %d",
					want[i], in[i], i, out[i], out[i]+step-1)
			}
			out[i] = want[i]
		}
		if out[i] < 0 {
			return nil, s.Misfit("padding", "the result would have the negative extent %d in dimension %d", out[i], i)
		}
	}
	return out, nil
}

// maxVolume bounds the positions of a pooling window, so that indices fit int32 and counts are exact.
const maxVolume = limits.OpWindow

// windowShape is the shape rule of operators whose window covers all dimensions of the first operand.
func windowShape(s *Sig, up bool) (tensor.Shape, error) {
	in, size := s.In[0].Shape, s.Ints("size")
	if len(size) != len(in) {
		return nil, s.Errorf("size", "%d numbers are given; there must be one for each of the %d dimensions", len(size), len(in))
	}
	volume := 1
	for _, n := range size {
		if volume *= n; volume > maxVolume {
			return nil, s.Errorf("size", "the window %v has more than %d positions", size, maxVolume)
		}
	}
	var want []int
	if up {
		if w := s.Ints("output_shape"); len(w) > 0 {
			if len(w) != len(in) {
				return nil, s.Errorf("output_shape", "rank %d; it must be %d, that of the operand", len(w), len(in))
			}
			if err := tensor.Shape(w).Check(); err != nil {
				return nil, s.Errorf("output_shape", "%v", err)
			}
			want = w
		}
	}
	return s.extents(in, size, up, want)
}

// rows returns the number of rows, along the last dimension, of a shape; 0 if they have no elements.
func rows(shape tensor.Shape) int { return shape.Len() / max(rowLen(shape), 1) }

// times returns the product of counts, at most the greatest int64.
func times(counts ...int) int64 {
	n := int64(1)
	for _, c := range counts {
		if c == 0 {
			return 0
		}
		if n > math.MaxInt64/int64(c) {
			n = math.MaxInt64
		} else {
			n *= int64(c)
		}
	}
	return n
}

// addCounts returns the sum of two counts, at most the greatest int64.
func addCounts(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
