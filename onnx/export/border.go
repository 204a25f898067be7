package export

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/kit"
)

// What lies around a tensor that windows slide over.

// padded adds the border to a tensor, after which the window has none. Zeros and what is ignored are told apart by the border.
func (c *emission) padded(x val, w *window, border string) val {
	first := x.rank() - len(w.Size)
	if border == "constant" || border == "ignore" {
		return c.zeros(x, first, w, c.number(x.DType, 0))
	}
	padding := make(ints, 0, 2*len(w.Size))
	for d := range w.Size {
		padding = append(padding, w.Before[d], w.After[d])
	}
	w.Before, w.After = make(ints, len(w.Size)), make(ints, len(w.Size))
	return c.bordered(x, first, padding, border)
}

// cropped takes away what negative padding says, for a border that is ignored.
func (c *emission) cropped(x val, w *window) val {
	crop := &window{geometry.Window{Size: w.Size, Before: make(ints, len(w.Size)), After: make(ints, len(w.Size))}}
	first := x.rank() - len(w.Size)
	if !w.reaches(x.Shape[first:]) {
		kit.Refuse("padding where windows may reach no elements cannot be ignored")
	}
	for d := range w.Size {
		crop.Before[d], crop.After[d] = min(w.Before[d], 0), min(w.After[d], 0)
		w.Before[d], w.After[d] = max(w.Before[d], 0), max(w.After[d], 0)
	}
	return c.zeros(x, first, crop, val{})
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

// flip reverses a dimension.
func (c *emission) flip(x val, d int) val {
	return c.node1("Slice", x.Type, nil, x, c.list(-1), c.list(-x.Shape[d]-1), c.list(d), c.list(-1))
}

// spread puts zeros between the elements of each dimension behind the first two, as many as the stride skips.
func (c *emission) spread(x val, w *window) val {
	for i, s := range w.Stride {
		if s == 1 {
			continue
		}
		d := 2 + i
		n := x.Shape[d]
		split := slices.Insert(ints(x.Shape.Clone()), d+1, 1)
		more := &window{geometry.Window{Size: make(ints, len(split)), Before: make(ints, len(split)), After: make(ints, len(split))}}
		more.After[d+1] = s - 1
		x = c.zeros(c.reshape(x, split...), 0, more, c.integer(x.DType, 0))
		joined := slices.Delete(ints(x.Shape.Clone()), d+1, d+2)
		joined[d] = n * s
		x = c.cut(c.reshape(x, joined...), d, (n-1)*s+1)
	}
	return x
}
