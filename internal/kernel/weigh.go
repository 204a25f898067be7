package kernel

import (
	"math"
	"unsafe"

	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// weigher adds rows of elements with weights: by a routine, or in Go if that is nil.
type weigher struct {
	routine *simd.Routine[simd.WeighArgs]
}

func weigherOf(t *simd.Tier) weigher {
	if t == nil {
		return weigher{}
	}
	return weigher{&t.Weigh}
}

// weighed is sums of rows: each begins at first and takes a fused multiply-add for each of its terms, and at last last is added.
type weighed struct {
	x           []float32
	rows        []int     // of each term, where its row begins
	weights     []float32 // of each term
	counts      []int     // of each sum, how many terms it has
	width       int       // of a row
	y           []float32
	step        int // from the begin of a sum to that of the next
	first, last float32
}

// weighMost is about how many elements a call of the routine adds, so that it ends soon.
const weighMost = 1 << 17

// outside is a row of what lies outside, of a block's width.
var outside [block]float32

// zero returns where a row of zeros begins, of a block's width, among the rows of x.
func (w weigher) zero(x []float32) int {
	if w.routine == nil {
		return -1
	}
	return (int(simd.At(outside[:], 0)) - int(simd.At(x, 0))) / 4
}

// run computes sums, some columns at a time.
func (w weigher) run(s *weighed, watch *op.Watch) {
	if len(s.counts) == 0 {
		return
	}
	terms := max(len(s.rows), 1)
	columns := min(max(weighMost/terms&^63, 64), s.width)
	for at := 0; at < s.width && !watch.Stops(terms*columns/block); at += columns {
		n := min(columns, s.width-at)
		if w.routine == nil {
			s.add(at, n)
			continue
		}
		w.routine.Run(&simd.WeighArgs{In: simd.At(s.x, at), Rows: simd.At(s.rows, 0), Weights: simd.At(s.weights, 0), Counts: simd.At(s.counts, 0),
			Sums: len(s.counts), Width: 4 * n, Out: simd.At(s.y, at), OutStep: 4 * s.step, First: s.first, Last: s.last})
	}
}

// add computes n columns from at on.
func (s *weighed) add(at, n int) {
	from, plain := 0, s.first == 0 && math.Signbit(float64(s.first)) // a first product stays as it is
	for i, terms := range s.counts {
		y := s.y[i*s.step+at:][:n]
		for j := range y {
			y[j] = s.first
		}
		for k, row := range s.rows[from:][:terms] {
			x, weight := outside[:], s.weights[from+k]
			if row >= 0 {
				x = s.x[row+at:]
			}
			if k == 0 && plain {
				for j, v := range x[:n] {
					y[j] = float32(weight * v)
				}
				continue
			}
			for j, v := range x[:n] {
				y[j] = fmath.FMA(weight, v, y[j])
			}
		}
		for j, v := range y {
			y[j] = fmath.Canonical(v + s.last)
		}
		from += terms
	}
}

// pass is a step of a resize: the extent n of a dimension becomes m, each of whose indices is a sum of rows of the dimensions behind, for each index
// of those before it. Where there is none behind, the rows of sixteen indices before are brought into groups first.
type pass struct {
	outer, n, m, inner int
	rows               []int
	weights            []float32
	counts, begins     []int // of each index, how many terms there are, and in those before it
	first, last        float32
	together, pieces   int // indices that are computed at a time, and how many pieces there are
}

// resizing is a resize as passes one after the other, from the last dimension to the first. All but the last leave their results in memory that
// pieces share.
type resizing struct {
	passes  []pass
	weigh   weigher
	move    interleaver[uint32]
	results []int // where those of a pass begin in shared memory

	// Integers are made numbers first, and the results of the last pass integers.
	whole *wholeNumbers // nil for floats
}

// wholeNumbers is how integers of a type become numbers, and numbers integers.
type wholeNumbers struct {
	load  func(to []float32, from *tensor.Tensor, at int)
	store func(to *tensor.Tensor, at int, from []float32)
}

const (
	mostBetween = 1 << 28 // elements that passes leave in memory, at most
	loadMost    = 1 << 13 // integers that are made numbers at a time
	lineMost    = 1 << 13 // elements of a row that is brought into groups, at most, and its result
)

// resize prepares sums of elements with weights along dimension after dimension.
func resize(t *simd.Tier, r Region) *Plan {
	n := r.Root()
	if len(r.Nodes) > 1 || n.Out[0].Type.Shape.Len() == 0 {
		return nil
	}
	dims, first, whole := op.WeightedSums(n, mostPlaces)
	in, l := n.In[0].Type.Shape, Plain
	if len(in) > 2 && dims != nil && dims[1] == nil && (r.Layouts[n.In[0]] == Blocked16 || t != nil && in[1] >= blockMost) {
		l, in = Blocked16, blocked(in)
		dims = append(dims, nil)
	}
	g := &resizing{weigh: weigherOf(t)}
	if t != nil {
		g.move = interleaverOf[uint32](simd.Common) // whose processors those of all tiers are
	}
	p := &Plan{In: []Layout{l}, Out: []Layout{l}, Run: g.run}
	between, nanos, shape, most := int64(0), int64(0), in.Clone(), int64(max(mostBetween, in.Len(), l.Shape(n.Out[0].Type.Shape).Len()))
	round := func(pieces, results int) {
		p.Rounds, p.Pieces = append(p.Rounds, pieces), p.Pieces+pieces
		between += int64(geometry.CeilDiv(results, block)) * block
	}
	if d := n.In[0].Type.DType; d != tensor.Float32 {
		g.whole = integer(d, wholeNumbersOf[int8](), wholeNumbersOf[int16](), nil, nil, wholeNumbersOf[uint8](), wholeNumbersOf[uint16](), nil, nil)
		round(geometry.CeilDiv(in.Len(), loadMost), in.Len())
	}
	for d := len(dims) - 1; d >= 0; d-- {
		list, last := dims[d], float32(math.Copysign(0, -1))
		if whole && d > 0 && dims[d-1] == nil {
			last = 0
		}
		before, behind := shape[:d].Len(), shape[d+1:].Len()
		switch {
		case list != nil:
		case whole && l == Plain && len(g.passes) == 0 && d > 0 && dims[d-1] != nil: // which changes -0
			list, behind, last = [][]op.Term{{{Weight: 1}}}, behind*shape[d], 0
		default:
			continue
		}
		if limits.Times(int64(before), int64(len(list)), int64(behind)) > most { // what lies between operand and result may be of any size
			return nil
		}
		s := newPass(list, before, behind)
		if s.first, s.last, s.n = first, last, shape[d]; dims[d] == nil {
			s.n = 1
		} else {
			shape[d] = s.m
		}
		if s.lines() {
			if s.n+s.m > lineMost {
				return nil
			}
			p.Scratch = max(p.Scratch, 4*block*(s.n+s.m))
		}
		g.passes, g.results = append(g.passes, s), append(g.results, int(between))
		round(s.pieces, s.outer*s.m*s.inner)
		nanos += int64(s.outer) * int64(len(s.rows)) * int64(s.inner) / 4
	}
	if len(g.passes) == 0 {
		return nil
	}
	if g.whole != nil {
		round(geometry.CeilDiv(shape.Len(), loadMost), 0)
	} else {
		between = int64(g.results[len(g.results)-1])
	}
	if between > mostBetween || between > 4*int64(in.Len()+shape.Len())+weighMost {
		return nil
	}
	p.Shared, p.Nanos = 4*int(between), nanos
	return p
}

// wholeNumbersOf returns how integers of T become numbers and back, rounded to nearest, ties to even, and saturated.
func wholeNumbersOf[T int8 | int16 | uint8 | uint16]() *wholeNumbers {
	l, m := tensor.TypeOf[T]().IntRange()
	least, most := float64(l), float64(m)
	return &wholeNumbers{
		func(to []float32, from *tensor.Tensor, at int) {
			for i, v := range tensor.Data[T](from)[at:][:len(to)] {
				to[i] = float32(v)
			}
		},
		func(to *tensor.Tensor, at int, from []float32) {
			y := tensor.Data[T](to)[at:]
			for i, v := range from {
				switch w := math.RoundToEven(float64(v)); {
				case w >= most:
					y[i] = T(most)
				case w > least:
					y[i] = T(w)
				default: // also where it is no number
					y[i] = T(least)
				}
			}
		},
	}
}

// blockMost is from how many channels on blocks of them are worth making.
const blockMost = 12

// newPass returns the pass that computes sums for some indices before and behind a dimension.
func newPass(list [][]op.Term, outer, inner int) pass {
	s := pass{outer: outer, m: len(list), inner: inner}
	for _, terms := range list {
		s.counts, s.begins = append(s.counts, len(terms)), append(s.begins, len(s.rows))
		for _, term := range terms {
			s.rows, s.weights = append(s.rows, term.At*inner), append(s.weights, term.Weight)
		}
	}
	s.together = min(max(weighMost/4/(max(inner, block)*max(len(s.rows)/s.m, 1)), 1), s.m)
	if s.pieces = outer * geometry.CeilDiv(s.m, s.together); s.lines() {
		for i := range s.rows {
			s.rows[i] *= block
		}
		s.pieces = geometry.CeilDiv(outer, block)
	}
	return s
}

// lines reports whether nothing is behind the dimension, so that a piece is sixteen lines of elements.
func (s *pass) lines() bool { return s.inner == 1 }

// sums returns those for the indices lo…hi-1, of rows of a width.
func (s *pass) sums(x, y []float32, lo, hi, width int) weighed {
	from, end := s.begins[lo], s.begins[hi-1]+s.counts[hi-1]
	return weighed{x: x, rows: s.rows[from:end], weights: s.weights[from:end], counts: s.counts[lo:hi], width: width, y: y[lo*width:], step: width, first: s.first, last: s.last}
}

func (g *resizing) run(c *op.Call, lo, hi int) {
	watch, shared := c.Watch(), floatsOf(c.Shared)
	first := 0
	var x, y []float32
	if g.whole == nil {
		x = tensor.Data[float32](c.In[0])
	} else {
		n := c.In[0].Len()
		x = shared[:n]
		for ; lo < hi && lo*loadMost < n && !watch.Stops(loadMost); lo++ {
			at := lo * loadMost
			g.whole.load(x[at:min(at+loadMost, n)], c.In[0], at)
		}
		first = geometry.CeilDiv(n, loadMost)
	}
	for i := range g.passes {
		s := &g.passes[i]
		if y = shared[g.results[i]:]; i == len(g.passes)-1 && g.whole == nil {
			y = tensor.Data[float32](c.Out[0])
		}
		for ; lo < min(hi, first+s.pieces) && !watch.Stops(weighMost/block); lo++ {
			if s.lines() {
				g.lines(s, x, y, floatsOf(c.Scratch), lo-first, &watch)
				continue
			}
			parts := geometry.CeilDiv(s.m, s.together)
			outer, begin := (lo-first)/parts, (lo-first)%parts*s.together
			sums := s.sums(x[outer*s.n*s.inner:], y[outer*s.m*s.inner:], begin, min(begin+s.together, s.m), s.inner)
			g.weigh.run(&sums, &watch)
		}
		first, x = first+s.pieces, y
	}
	for ; lo < hi && !watch.Stops(loadMost); lo++ {
		at := (lo - first) * loadMost
		g.whole.store(c.Out[0], at, y[at:min(at+loadMost, c.Out[0].Len())])
	}
}

// lines computes the last dimension of some indices before it.
func (g *resizing) lines(s *pass, x, y, scratch []float32, piece int, watch *op.Watch) {
	n, from, to := min(block, s.outer-piece*block), scratch[:s.n*block], scratch[s.n*block:]
	g.move.interleave(bitsOf(from), block, bitsOf(x)[piece*block*s.n:], s.n, n, s.n)
	for lo := 0; lo < s.m && !watch.Stops(1); lo += s.together {
		sums := s.sums(from, to, lo, min(lo+s.together, s.m), block)
		g.weigh.run(&sums, watch)
	}
	g.move.deinterleave(bitsOf(y)[piece*block*s.m:], s.m, n, bitsOf(to), block, s.m)
}

// bitsOf returns the bits of numbers.
func bitsOf(x []float32) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}
