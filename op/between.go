package op

import (
	"math"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
)

// Between says where an index of a result lies along a dimension of the operand: by the part T of their distance behind element A, in front of B.
// With T = 0 it is A.
type Between struct {
	A, B int
	T    float64
}

// Interpolation returns, for each dimension of the result of a node and each index along it, between which indices of the operand that lies. It is for
// a resample, resize or multilinear_upsample that takes the nearest element or interpolates linearly and reads nothing outside of the operand. It
// returns nil for any other node, and where the extents of the result add up to more than most.
func Interpolation(n *graph.Node, most int) [][]Between {
	if _, ok := operator(n); !ok {
		return nil
	}
	place := interpolated(n, most)
	if place == nil {
		return nil
	}
	var list [][]Between
	for d, extent := range n.Out[0].Type.Shape {
		if most -= extent; most < 0 {
			return nil
		}
		dimension := make([]Between, extent)
		for i := range dimension {
			p := place(d, i, 1)
			if p.t == 0 {
				p.b = p.a
			}
			if p.a < 0 || p.b < 0 {
				return nil
			}
			dimension[i] = Between{p.a, p.b, p.t}
		}
		list = append(list, dimension)
	}
	return list
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
			return r.sums(most), 0, true
		}
	}
	if mode := n.Attrs.Get("mode"); mode == resizeModes[0] {
		return nil, 0, false
	}
	for d, places := range Interpolation(n, most/2) {
		var list [][]Term
		still := len(places) == n.In[0].Type.Shape[d]
		for i, p := range places {
			terms := []Term{{p.A, 1}}
			if t := float32(p.T); t != 0 {
				terms = []Term{{p.A, 1 - t}, {p.B, t}}
			}
			list, still = append(list, terms), still && p.A == i && p.T == 0
		}
		if still {
			list = nil
		}
		dims = append(dims, list)
	}
	return dims, float32(math.Copysign(0, -1)), false
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

// interpolated returns where results lie, as [linearRows] asks for it.
func interpolated(n *graph.Node, most int) func(d, i, step int) tap {
	in, out := n.In[0].Type.Shape, n.Out[0].Type.Shape
	switch n.Op {
	case "multilinear_upsample":
		u := upsampler{in: in, factor: n.Attrs.Ints("factor"), method: n.Attrs.String("method"), border: geometry.BorderOf(n.Attrs)}
		return u.place
	case "resample", "resize":
		r := newResizer(in, out, n.Attrs)
		switch {
		case r.extrapolates(most) || r.weighted():
		case r.mode == "nearest-neighbor":
			return r.nearest
		default:
			return r.between
		}
	}
	return nil
}
