package kernel

import (
	"sort"

	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/op"
)

// Rows is how a kernel computes rows of its result alone: of planes of two dimensions, which are the last two, in blocks of channels.
type Rows struct {
	Rows  int                               // of the result
	Needs func(lo, hi int) (first, end int) // which rows of operand 0 the rows lo…hi-1 need
	// Cut returns what computes ranges of rows, as pieces: all of those that the cuts have, of each item of the batch. It is nil where they are too many.
	Cut  func(c Cuts) op.Kernel
	Adds bool // whether the kernel reads another operand that lies as the result does, which then must have all rows
}

// needs returns [Rows.Needs] for windows, given by their extent with dilation, along a dimension of the operand.
func needs(in, stride, before, span int) func(lo, hi int) (first, end int) {
	return func(lo, hi int) (first, end int) {
		end = min(max((hi-1)*stride-before+span, 0), in)
		return min(max(lo*stride-before, 0), end), end
	}
}

// Cuts says which rows of a result are computed at a time, from and to what holds all rows or only some.
type Cuts struct {
	Ranges []RowRange
	// In and Out say how many rows of a plane the tensors of operand 0 and of the result have, of one item of the batch; 0 for all, of all items.
	In, Out int
}

// RowRange is some rows of a result.
type RowRange struct {
	First, End int
	In, Out    int // the first rows that the tensors of operand 0 and of the result have
}

// Strips evaluates regions of which each reads, as operand 0, the result of the one before, which nothing else reads: a strip of rows of all of them
// after the other, from and to working memory that holds only some rows, a window, which the next cache keeps. A few rows of a window are kept for the
// strip that follows. What is computed at the same time, bands of strips, computes such rows for itself.
type Strips struct {
	Pieces  int   // of a band of an item of the batch
	Windows []int // rows of the result of each region but the last that are held

	regions []*Rows
	runs    []op.Kernel
	cuts    []Cuts
	rows    []int // bytes of a row of a plane of a window
	bands   [][]stripStep
}

// stripStep computes rows of the result of one region.
type stripStep struct {
	region int
	piece  int // of the region's kernel, in the first item
	kept   int // rows of the window that are kept, at its beginning
	from   int // where they lie before
}

// NewStrips divides the evaluation of regions into so many bands of each item, of strips whose windows together have at most so many bytes. It has
// the types of the values that pass between the regions, in blocks. It is nil if that is impossible.
func NewStrips(regions []*Rows, values []op.Type, bands, bytes int) *Strips {
	s := &Strips{regions: regions, cuts: make([]Cuts, len(regions))}
	last := regions[len(regions)-1].Rows
	bands = min(bands, last)
	for _, v := range values {
		s.rows = append(s.rows, v.Shape[3]*block*v.DType.Size())
	}
	fits := func(height int) bool {
		s.divide(bands, height)
		sum := 0
		for i, v := range values {
			sum += s.Windows[i] * blocked(v.Shape)[1] * s.rows[i]
		}
		return sum <= bytes
	}
	each := geometry.CeilDiv(last, bands)
	height := sort.Search(each, func(i int) bool { return !fits(i + 1) })
	if height == 0 {
		return nil
	}
	height = geometry.CeilDiv(each, geometry.CeilDiv(each, height)) // strips of equal height
	s.divide(bands, height)
	for i := range regions {
		if i > 0 {
			s.cuts[i].In = s.Windows[i-1]
		}
		if i < len(values) {
			s.cuts[i].Out = s.Windows[i]
		}
		run := regions[i].Cut(s.cuts[i])
		if run == nil {
			return nil
		}
		s.runs = append(s.runs, run)
	}
	s.Pieces = values[0].Shape[0] * bands
	return s
}

// divide makes the steps of bands with strips of so many rows of the result.
func (s *Strips) divide(bands, height int) {
	n := len(s.regions)
	last := s.regions[n-1].Rows
	s.bands, s.Windows = nil, make([]int, n-1)
	for i := range s.cuts {
		s.cuts[i].Ranges = nil
	}
	for b := range bands {
		first, end := b*last/bands, (b+1)*last/bands
		done := make([]int, n) // the end of what is computed
		held := make([]int, n) // the first row that a window has
		done[n-1] = first
		for i := n - 1; i > 0; i-- {
			done[i-1], _ = s.regions[i].Needs(done[i], done[i]+1)
			held[i-1] = done[i-1]
		}
		var steps []stripStep
		for lo := first; lo < end; lo += height {
			ends := make([]int, n)
			ends[n-1] = min(lo+height, end)
			for i := n - 1; i > 0; i-- {
				if ends[i-1] = done[i-1]; ends[i] > done[i] {
					_, need := s.regions[i].Needs(done[i], ends[i])
					ends[i-1] = max(need, done[i-1])
				}
			}
			for i := range n {
				if ends[i] == done[i] {
					continue
				}
				r := RowRange{First: done[i], End: ends[i]}
				step := stripStep{region: i, piece: len(s.cuts[i].Ranges)}
				if i > 0 {
					r.In = held[i-1]
				}
				if i < n-1 {
					keep := min(done[i], s.regions[i+1].first(done[i+1]))
					step.kept, step.from = done[i]-keep, keep-held[i]
					held[i] = keep
					r.Out = keep
					s.Windows[i] = max(s.Windows[i], ends[i]-keep)
				}
				s.cuts[i].Ranges = append(s.cuts[i].Ranges, r)
				steps = append(steps, step)
				done[i] = ends[i]
			}
		}
		s.bands = append(s.bands, steps)
	}
}

// first returns the first row of operand 0 that a row of the result, and those behind it, need.
func (r *Rows) first(row int) int {
	first, _ := r.Needs(row, row+1)
	return first
}

// Run computes bands, with the call of each region.
func (s *Strips) Run(calls []op.Call, lo, hi int) {
	for ; lo < hi; lo++ {
		item, steps := lo/len(s.bands), s.bands[lo%len(s.bands)]
		for i := range steps {
			t := &steps[i]
			c := &calls[t.region]
			if t.region == 0 && c.Stop != nil && c.Stop() {
				return
			}
			if t.kept > 0 && t.from > 0 {
				s.keep(c.Out[0].Bytes(), t)
			}
			piece := t.piece + item*len(s.cuts[t.region].Ranges)
			s.runs[t.region](c, piece, piece+1)
		}
	}
}

// keep moves the rows that are kept to the beginning of each plane of a window.
func (s *Strips) keep(window []byte, t *stripStep) {
	row := s.rows[t.region]
	plane := row * s.Windows[t.region]
	for ; len(window) >= plane; window = window[plane:] {
		copy(window, window[t.from*row:][:t.kept*row])
	}
}

// held returns the bytes between planes, and between items of so many planes, in a tensor that has so many rows of one item, or, if that is 0, all of all.
func held(some, all, row, planes int) (plane, item int) {
	if some > 0 {
		return some * row, 0
	}
	return all * row, planes * all * row
}
