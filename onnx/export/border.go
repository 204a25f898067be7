package export

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
)

// What lies around a tensor that windows slide over.

// padded adds the border to a tensor, after which the window has none. Zeros and what is ignored are told apart by the border.
func (c *emission) padded(x val, w *window, border string) val {
	first := x.rank() - len(w.Size)
	if border == "constant" || border == "ignore" {
		return c.zeros(x, first, w, c.number(x.DType, 0))
	}
	padding := w.Padding()
	w.Before, w.After = make(ints, len(w.Size)), make(ints, len(w.Size))
	return c.bordered(x, first, padding, border)
}

// zeros adds a border of one number to the dimensions from first on, after which the window has none. Negative padding takes elements away,
// after others have been added.
func (c *emission) zeros(x val, first int, w *window, fill val) val {
	n := len(w.Size)
	more, less := slices.Repeat([]ints{nil}, 2), slices.Repeat([]ints{nil}, 2)
	for i, list := range []ints{w.Before, w.After} {
		for _, p := range list {
			more[i], less[i] = append(more[i], max(p, 0)), append(less[i], min(p, 0))
		}
	}
	w.Before, w.After = make(ints, n), make(ints, n)
	for _, pads := range [][]ints{more, less} {
		if !slices.ContainsFunc(slices.Concat(pads...), func(p int) bool { return p != 0 }) {
			continue
		}
		shape := x.Shape.Clone()
		for d := range n {
			shape[first+d] += pads[0][d] + pads[1][d]
		}
		none := make(ints, first)
		x = c.node1("Pad", graph.Type{DType: x.DType, Shape: shape}, nil, x, c.list(slices.Concat(none, pads[0], none, pads[1])...), fill)
	}
	return x
}

// bordered adds a border that is no constant to the dimensions from first on, and takes away what negative numbers say.
func (c *emission) bordered(x val, first int, padding ints, border string) val {
	rule := geometry.BorderOf(at("border", border))
	for i := range len(padding) / 2 {
		d, before, after := first+i, padding[2*i], padding[2*i+1]
		if before == 0 && after == 0 {
			continue
		}
		shape := x.Shape.Clone()
		shape[d] += before + after
		room(shape[d])
		places := make(ints, shape[d])
		for k := range places {
			places[k] = rule.Index(k-before, x.Shape[d])
		}
		x = c.node1("Gather", graph.Type{DType: x.DType, Shape: shape}, at("axis", d), x, c.list(places...))
	}
	return x
}

// cut takes the first n elements along a dimension.
func (c *emission) cut(x val, d, n int) val {
	if x.Shape[d] == n {
		return x
	}
	shape := x.Shape.Clone()
	shape[d] = n
	return c.node1("Slice", graph.Type{DType: x.DType, Shape: shape}, nil, x, c.list(0), c.list(n), c.list(d))
}
