package formal

import "slices"

// reduce applies f to the elements along the reduced axes R.
func reduce(f func(z []int64) int64, precision func(c *call) int) operator {
	o := operator{
		attrs:  "axis:tuple keepdims:bool exclude:bool dtype:dtype",
		inputs: count(1),
		infer: func(c *call) {
			x := c.in[0]
			r, identity := reduced(c)
			var shape []int64
			for i, n := range x.Shape {
				switch {
				case identity || !slices.Contains(r, int64(i)):
					shape = append(shape, n)
				case c.boolOr("keepdims", false):
					shape = append(shape, 1)
				}
			}
			if len(shape) == 0 {
				shape = []int64{1}
			}
			c.yield(x.Precision, shape...)
			if precision != nil {
				c.out[0].Precision = precision(c)
			}
		},
		compute: func(c *call) {
			x, y := c.in[0], c.out[0]
			r, _ := reduced(c)
			groups := make([][]int64, y.Len())
			each(x.Shape, func(d []int64) {
				var index, extents []int64 // of d without the axes of R
				for i := range d {
					if !slices.Contains(r, int64(i)) {
						index, extents = append(index, d[i]), append(extents, x.Shape[i])
					}
				}
				at := flattenIndex(index, extents)
				groups[at] = append(groups[at], x.at(d...))
			})
			for i, z := range groups {
				y.Data[i] = f(z)
			}
		},
	}
	if precision != nil {
		o.base = func(c *call) int64 { return c.in[0].Len() / c.out[0].Len() }
	}
	return o
}

// reduced returns the set R of the text, and whether the result is the operand, which is case 1.
func reduced(c *call) (r []int64, identity bool) {
	n := int64(len(c.in[0].Shape))
	var t []int64
	for _, axis := range c.tupleOr("axis") {
		if axis < 0 {
			axis += n
		}
		check(0 <= axis && axis < n, "axis out of range")
		check(!slices.Contains(t, axis), "axis repeated")
		t = append(t, axis)
	}
	exclude := c.boolOr("exclude", false)
	if exclude && int64(len(t)) == n {
		return nil, true
	}
	for i := range n {
		if len(t) == 0 || slices.Contains(t, i) != exclude {
			r = append(r, i)
		}
	}
	return r, false
}

func sum(z []int64) int64 {
	s := int64(0)
	for _, x := range z {
		s += x
	}
	return s
}

func maximum(z []int64) int64 { return slices.Max(z) }
