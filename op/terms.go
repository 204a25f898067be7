package op

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/tensor"
)

// What follows says, for kernels, where the elements of results lie that are made of elements between others, in float32.

// Sums by terms begin with FirstWeighted where elements are added with weights; with FirstBetween, so that the first product stays as it is, where they
// lie between two.
var (
	FirstWeighted float32
	FirstBetween  = float32(math.Copysign(0, -1))
)

// terms writes what an interpolation adds up, and returns how much that is. It has no index where the zero of a border lies.
func (p tap) terms(to *[4]Term) int {
	t := float32(p.t)
	to[0], to[1] = Term{p.a, 1 - t}, Term{p.b, t}
	if t == 0 {
		return 1
	}
	return 2
}

// Term is a part of a sum: the element at an index along a dimension, with a weight.
type Term struct {
	At     int
	Weight float32
}

// WeightedSums returns, for each dimension of the result of a node and each index along it, the terms that are added one after the other by fused
// multiply-adds, of elements of float32 that begin with first: a negative zero has the first product alone. The last dimension is summed first. A
// dimension that is not resized has nil, and if whole is set counts as one term with the weight 1. It is for a resample, resize or multilinear_upsample
// that interpolates and reads nothing outside of the operand. It returns no dimensions for any other node, and where there would be more terms than most.
func WeightedSums(n *graph.Node, most int) (dims [][][]Term, first float32, whole bool) {
	if n.Op == "resize" {
		r := newResizer(n.In[0].Type.Shape, n.Out[0].Type.Shape, n.Attrs)
		if r.extrapolates(most) {
			return nil, 0, false
		}
		if r.weighted() {
			return r.sums(most), FirstWeighted, true
		}
	}
	if mode := n.Attrs.Get("mode"); mode == resizeModes[0] {
		return nil, 0, false
	}
	for d, places := range Interpolation(n, most/2) {
		var list [][]Term
		still := len(places) == n.In[0].Type.Shape[d]
		for i, p := range places {
			var terms [4]Term
			count := tap{p.A, p.B, p.T}.terms(&terms)
			list, still = append(list, slices.Clone(terms[:count])), still && p.A == i && p.T == 0
		}
		if still {
			list = nil
		}
		dims = append(dims, list)
	}
	return dims, FirstBetween, false
}

// sums returns the terms along each dimension of sums with weights, nil if there would be more than most.
func (r *resizer) sums(most int) (dims [][][]Term) {
	var w weights
	for d, extent := range r.out {
		n := r.count(d)
		if most -= min(n, most/max(extent, 1)+1) * extent; most < 0 {
			return nil
		}
		w.of[d], w.at[d] = make([]float64, n), make([]int, n)
		var list [][]Term
		for o := 0; o < extent && !r.still(d); o++ {
			r.weigh(&w, d, o, 1)
			terms := make([]Term, 0, n)
			for i, weight := range w.of[d] {
				if weight := float32(weight); weight != 0 {
					terms = append(terms, Term{w.at[d][i], weight})
				}
			}
			list = append(list, terms)
		}
		dims = append(dims, list)
	}
	return dims
}

// extrapolates reports whether some result lies outside of the operand, of extents up to most.
func (r *resizer) extrapolates(most int) bool {
	if r.coordinates != "tf_crop_and_resize" {
		return false
	}
	for d, extent := range r.out {
		if extent > most {
			return true
		}
		for o := range extent {
			if r.outside(d, o) {
				return true
			}
		}
	}
	return false
}

// Sampling is how grid_sample finds elements.
type Sampling struct {
	grid
	mode string
}

// SamplingOf returns the way that attributes of grid_sample say.
func SamplingOf(a graph.Attrs) Sampling { return Sampling{newGrid(a), a.String("mode")} }

// First returns what sums begin with.
func (s *Sampling) First() float32 {
	if s.mode == "cubic" {
		return FirstWeighted
	}
	return FirstBetween
}

// Terms writes the terms of a place along a dimension of n elements, which are step apart, and returns how many there are. Below 0 is the index of a zero.
func (s *Sampling) Terms(place float32, n, step int, to *[4]Term) (count int) {
	u := positionOf(&s.grid, place, n)
	switch s.mode {
	case "nearest":
		return s.nearest(u, n, step).terms(to)
	case "linear":
		return s.linear(u, n, step).terms(to)
	}
	var of [4]float64
	var at [4]int
	s.cubic(u, n, step, &of, &at)
	for i, weight := range of {
		if t := float32(weight); t != 0 && at[i] >= 0 {
			to[count] = Term{at[i], t}
			count++
		}
	}
	return count
}

// Deforming is the geometry of deform_conv over planes of float32.
type Deforming struct{ deformed[float32] }

// NewDeforming returns that of the attributes, and the shapes of input, filter and result, of which there are two dimensions.
func NewDeforming(a graph.Attrs, in, filter, out tensor.Shape) Deforming {
	return Deforming{newDeformed[float32](a, in, filter, out)}
}

// Of returns the same with the offsets and masks of a call.
func (d Deforming) Of(c *Call) Deforming {
	d.read(c)
	return d
}

// Placed is where an element lies along two dimensions of a plane.
type Placed struct {
	Terms [2][4]Term // indices are those of a plane's elements that the dimension adds, and below 0 that of a zero
	Count [2]int
	Mask  float32
	OK    bool // whether it does not lie outside
}

// Places writes where the elements lie of a result of a batch item: for each group of offsets and window position. It reports whether none lies outside.
func (d *Deforming) Places(item, result int, to []Placed) (all bool) {
	var at taps
	var k geometry.Position
	o := geometry.Position{result / d.out[3], result % d.out[3]}
	all = true
	for group := 0; len(to) > 0; group++ {
		clear(k[:2])
		for n := range d.window {
			p := &to[n]
			if p.Mask, p.OK = d.place(&at, item, group, n, result, &o, &k); p.OK {
				p.Count = [2]int{at[0].terms(&p.Terms[0]), at[1].terms(&p.Terms[1])}
			}
			all = all && p.OK
			advance(&k, nil, d.filter[2:])
		}
		to = to[d.window:]
	}
	return all
}

// Aligning is a region of roi_align along one dimension.
type Aligning struct {
	side[float32]
	Places int // in a cell
}

// AligningOf returns region n of a call along the height and along the width, and the batch item from which it takes: of the attributes and the shapes of
// input and result.
func AligningOf(a graph.Attrs, c *Call, n int, in, out tensor.Shape) (rows, columns Aligning, item int) {
	item, v, h := alignedRegion[float32](a, c, n, in, out)
	return Aligning{v, v.places}, Aligning{h, h.places}, item
}

// Within returns which places of a cell may lie inside the input.
func (a *Aligning) Within(cell int) (lo, hi int) { return a.within(cell) }

// At returns the neighbours of a place; one below 0 if it lies outside.
func (a *Aligning) At(cell, place int) Between {
	if t, ok := a.tap(cell, place, 1); ok {
		return Between{t.a, t.b, t.t}
	}
	return Between{A: -1}
}
