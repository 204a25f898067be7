package export

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kit"
)

// The extents of tensors. Layers want certain extents; a value may lie in a tensor that groups its elements otherwise.

// as returns a value in a tensor of the given extents. Extents of 1 can be added, removed and moved; others cannot be joined or divided,
// other than those of constants and of inputs that nothing else has read yet.
func (c *emission) as(v *graph.Value, dims ints) *Tensor {
	if k := c.e.constant(v); k != nil {
		f, _ := c.e.formatOf(v.Type.DType)
		return c.e.weights(c.e.source(v).Name, f, dims, k)
	}
	t := c.e.tensorAs(v, dims)
	if slices.Equal(t.Dims, dims) {
		return t
	}
	n := max(len(t.Dims), len(dims))
	from := arrangement(extended(t.Dims, n), extended(dims, n))
	if from == nil {
		kit.Refuse("its operand %s lies in a tensor of extents %v, and would have to be regrouped to %v; OpenVX has no such operation", v.Name, t.Dims, dims)
	}
	t = c.permute(c.raise(t, n), from)
	return c.e.view(t, t.Name, make(ints, len(dims)), dims)
}

// extended returns extents with extents of 1 behind them.
func extended(dims ints, n int) ints { return append(slices.Clone(dims), ones(n-len(dims))...) }

// arrangement returns which of the extents in have goes to each place of want, of which there are as many, if they differ only in where
// extents of 1 stand.
func arrangement(have, want ints) ints {
	from := slices.Repeat(ints{-1}, len(want))
	next := func(one bool) int { // the first extent of 1, or other, that has no place yet
		for i, n := range have {
			if (n == 1) == one && !slices.Contains(from, i) {
				return i
			}
		}
		return -1
	}
	for place, n := range want {
		if n == 1 {
			continue
		}
		if from[place] = next(false); from[place] < 0 || have[from[place]] != n {
			return nil
		}
	}
	if next(false) >= 0 {
		return nil
	}
	for place := range want { // as many as possible stay where they are
		if from[place] < 0 && have[place] == 1 {
			from[place] = place
		}
	}
	for place := range want {
		if from[place] < 0 {
			from[place] = next(true)
		}
	}
	return from
}

// raise gives a tensor more dimensions, of extent 1 behind its own: it becomes a view of one that has them.
func (c *emission) raise(t *Tensor, n int) *Tensor {
	if len(t.Dims) == n {
		return t
	}
	if t.Kind != Virtual {
		u := c.e.virtual(t.Name, t.Format, t.Dims)
		c.copy(t, u)
		t = u
	}
	root := c.e.virtual(t.Name, t.Format, extended(t.Dims, n))
	t.Kind, t.Of, t.Start, t.End = View, root, make(ints, len(t.Dims)), t.Dims
	return root
}

// dimension returns the dimension of a tensor that is an axis of the value in it, and refuses if that is part of another or divided.
func (c *emission) dimension(t *Tensor, shape ints, axis int) int {
	if slices.Equal(t.Dims, dimsOf(shape)) {
		return len(shape) - 1 - axis
	}
	inner, before := product(shape[axis+1:]), 1
	for d, n := range t.Dims {
		if before == inner && n == shape[axis] {
			return d
		}
		before *= n
	}
	kit.Refuse("its operand lies in a tensor of extents %v, of which none is axis %d of shape %v alone", t.Dims, axis, shape)
	return 0
}

// join lays tensors side by side along a dimension. Those that nodes make are made in their place at once; others are copied.
func (c *emission) join(parts []*Tensor, d int) *Tensor {
	dims, total := slices.Clone(parts[0].Dims), 0
	for _, p := range parts {
		total += p.Dims[d]
	}
	dims[d] = total
	whole := c.e.virtual(c.name, parts[0].Format, dims)
	begin := 0
	for _, p := range parts {
		start, end := make(ints, len(dims)), slices.Clone(dims)
		start[d], end[d] = begin, begin+p.Dims[d]
		begin = end[d]
		if p.Kind == Virtual {
			p.Kind, p.Of, p.Start, p.End = View, whole, start, end
			continue
		}
		c.copy(p, c.e.view(whole, p.Name, start, end))
	}
	return whole
}

// cut returns a view of the elements from begin up to but without end along a dimension.
func (c *emission) cut(t *Tensor, d, begin, end int) *Tensor {
	start, stop := make(ints, len(t.Dims)), slices.Clone(t.Dims)
	start[d], stop[d] = begin, end
	return c.e.view(t, c.name, start, stop)
}
