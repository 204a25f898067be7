package op

import (
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
