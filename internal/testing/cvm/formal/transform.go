package formal

import "slices"

// axis checks an axis of a tensor of rank n and counts it from the front.
func axis(a, n int64) int64 {
	check(-n <= a && a < n, "axis out of range")
	if a < 0 {
		a += n
	}
	return a
}

func rank(t *Tensor) int64 { return int64(len(t.Shape)) }

// with returns a copy of d with d[i] = v.
func with(d []int64, i, v int64) []int64 {
	d = slices.Clone(d)
	d[i] = v
	return d
}

var repeat = operator{
	attrs:  "repeats:int! axis:int",
	inputs: count(1),
	infer: func(c *call) {
		x, n := c.in[0], c.int("repeats")
		check(n > 0, "repeats must be positive")
		a := axis(c.intOr("axis", 0), rank(x))
		c.yield(same(c), with(x.Shape, a, x.Shape[a]*n)...)
	},
	compute: func(c *call) {
		x, n := c.in[0], c.int("repeats")
		a := axis(c.intOr("axis", 0), rank(x))
		each(c.out[0].Shape, func(d []int64) { c.out[0].set(x.at(with(d, a, d[a]/n)...), d...) })
	},
}

// aligned returns shape with extents of 1 before it, of rank k.
func aligned(shape []int64, k int) []int64 {
	s := slices.Repeat([]int64{1}, k-len(shape))
	return append(s, shape...)
}

var tile = operator{
	attrs:  "reps:tuple",
	inputs: count(1),
	infer: func(c *call) {
		reps := c.tupleOr("reps")
		check(len(reps) > 0, "reps must not be empty")
		for _, r := range reps {
			check(1 <= r && r <= maxAttr, "reps out of range")
		}
		k := max(len(reps), len(c.in[0].Shape))
		shape := aligned(c.in[0].Shape, k)
		for i, r := range aligned(reps, k) {
			shape[i] *= r
		}
		c.yield(same(c), shape...)
	},
	compute: func(c *call) {
		x := c.in[0]
		each(c.out[0].Shape, func(k []int64) {
			index := slices.Clone(k[len(k)-len(x.Shape):])
			for i, n := range x.Shape {
				index[i] %= n
			}
			c.out[0].set(x.at(index...), k...)
		})
	},
}

// viewed is an operator whose result has the elements of its operand in row-major order, as T = flatten(X) has them.
func viewed(attrs string, shape func(c *call) []int64) operator {
	return operator{
		attrs:   attrs,
		inputs:  count(1),
		infer:   func(c *call) { c.yield(same(c), shape(c)...) },
		compute: func(c *call) { copy(c.out[0].Data, c.in[0].Data) },
	}
}

// flatten makes matrices; the text has an index of one dimension only.
var flatten = viewed("", func(c *call) []int64 {
	n := c.in[0].Shape
	return []int64{n[0], product(n[1:])}
})

var expandDims = viewed("axis:int! num_newaxis:int", func(c *call) []int64 {
	x := c.in[0]
	a, n := c.int("axis"), c.intOr("num_newaxis", 1)
	if n < 1 {
		refuseRuntime("num_newaxis must be at least 1")
	}
	check(n <= maxAttr, "num_newaxis out of range")
	a = axis(a, rank(x)+1)
	return slices.Insert(slices.Clone(x.Shape), int(a), slices.Repeat([]int64{1}, int(n))...)
})

// reshape has the items of the original; the text knows extents only. The extent that -1 stands for is put at the place that it has in the
// attribute, as there, even behind items that stand for more or fewer extents than one.
var reshape = viewed("shape:tuple!", func(c *call) []int64 {
	x := c.in[0].Shape
	target := c.tuple("shape")
	check(len(target) > 0, "shape must not be empty")
	var shape []int64
	infer := -1
	unknown := func(place int) {
		check(infer < 0, "only one extent may be -1")
		infer = place
		shape = append(shape, 1)
	}
	next := func() int64 {
		check(len(x) > 0, "shape takes more extents than there are")
		n := x[0]
		x = x[1:]
		return n
	}
	for i := 0; i < len(target); i++ {
		switch t := target[i]; {
		case t > 0:
			shape = append(shape, t)
			if len(x) > 0 {
				x = x[1:]
			}
		case t == 0:
			shape = append(shape, next())
		case t == -1:
			unknown(i)
			if len(x) > 0 {
				x = x[1:]
			}
		case t == -2:
			shape = append(shape, x...)
			x = nil
		case t == -3:
			shape = append(shape, next()*next())
		case t == -4:
			check(i+2 < len(target), "-4 takes two extents")
			n, a, b := next(), target[i+1], target[i+2]
			check(a != -1 || b != -1, "only one part may be -1")
			check((a > 0 || a == -1) && (b > 0 || b == -1), "a part must be positive or -1")
			if a == -1 {
				a = n / b
			} else if b == -1 {
				b = n / a
			}
			check(a*b == n, "the parts do not divide the extent")
			shape = append(shape, a, b)
			i += 2
		}
	}
	size := c.in[0].Len()
	if 0 <= infer && infer < len(shape) {
		shape[infer] = size / max(1, product(shape))
	}
	check(len(shape) > 0 && product(shape) == size, "element counts differ")
	return shape
})

var squeeze = viewed("axis:tuple", func(c *call) []int64 {
	x := c.in[0]
	var axes []int64
	for _, a := range c.tupleOr("axis") {
		a = axis(a, rank(x))
		check(x.Shape[a] == 1, "a squeezed extent must be 1")
		axes = append(axes, a)
	}
	var shape []int64
	for i, n := range x.Shape {
		if len(axes) > 0 && !slices.Contains(axes, int64(i)) || len(axes) == 0 && n != 1 {
			shape = append(shape, n)
		}
	}
	if len(shape) == 0 {
		shape = []int64{1}
	}
	return shape
})

var concatenate = operator{
	attrs: "axis:int",
	infer: func(c *call) {
		first := c.in[0]
		a := axis(c.intOr("axis", 1), rank(first))
		shape, precision := with(first.Shape, a, 0), 0
		for _, x := range c.in {
			check(rank(x) == rank(first), "ranks differ")
			for j, n := range x.Shape {
				check(int64(j) == a || n == first.Shape[j], "shapes differ")
			}
			shape[a] += x.Shape[a]
			precision = max(precision, x.Precision)
		}
		c.yield(precision, shape...)
	},
	compute: func(c *call) {
		a := axis(c.intOr("axis", 1), rank(c.in[0]))
		before := int64(0)
		for _, x := range c.in {
			each(x.Shape, func(d []int64) { c.out[0].set(x.at(d...), with(d, a, before+d[a])...) })
			before += x.Shape[a]
		}
	},
}

func realAxes(c *call) []int64 {
	n := rank(c.in[0])
	axes := slices.Clone(c.tupleOr("axes"))
	if len(axes) == 0 {
		for i := range n {
			axes = append(axes, n-1-i)
		}
		return axes
	}
	check(int64(len(axes)) == n, "axes must have as many elements as there are axes")
	for i := range axes {
		axes[i] = axis(axes[i], n)
		check(!slices.Contains(axes[:i], axes[i]), "axis repeated")
	}
	return axes
}

// transpose gives axis i the coordinates of axis real_axes_i. (The text has the indices of Y and X the other way round.)
var transpose = operator{
	attrs:  "axes:tuple",
	inputs: count(1),
	infer: func(c *call) {
		var shape []int64
		for _, a := range realAxes(c) {
			shape = append(shape, c.in[0].Shape[a])
		}
		c.yield(same(c), shape...)
	},
	compute: func(c *call) {
		axes := realAxes(c)
		each(c.in[0].Shape, func(d []int64) {
			var index []int64
			for _, a := range axes {
				index = append(index, d[a])
			}
			c.out[0].set(c.in[0].at(d...), index...)
		})
	},
}

// bounds returns b_vec, e_vec and s_arr. Bounds are clamped to one more than the text says, which would never reach the last index; what
// is given beyond the axes is ignored.
func bounds(c *call) (b, e, s []int64) {
	n := c.in[0].Shape
	begin, end, stride := c.tupleOr("begin", 0), c.tupleOr("end", 1), c.tupleOr("stride")
	for i := range n {
		step := int64(1)
		if i < len(stride) {
			step = stride[i]
		}
		check(step != 0, "the stride must not be 0")
		lo, hi := int64(0), n[i]
		if step < 0 {
			lo, hi = -1, n[i]-1
		}
		normal := func(list []int64, missing int64) int64 {
			at := missing
			if i < len(list) {
				at = list[i]
			}
			if at < 0 {
				at += n[i]
			}
			return clip(at, lo, hi)
		}
		from, to := normal(begin, 0), normal(end, n[i])
		check(step > 0 && from < to || step < 0 && to < from, "the slice is empty")
		b, e, s = append(b, from), append(e, to), append(s, step)
	}
	return b, e, s
}

var slice = operator{
	attrs:  "begin:tuple end:tuple stride:tuple",
	inputs: count(1),
	infer: func(c *call) {
		b, e, s := bounds(c)
		var shape []int64
		for i := range s {
			if s[i] > 0 {
				shape = append(shape, ceilDiv(e[i]-b[i], s[i]))
			} else {
				shape = append(shape, ceilDiv(b[i]-e[i], -s[i]))
			}
		}
		c.yield(same(c), shape...)
	},
	compute: func(c *call) {
		b, _, s := bounds(c)
		each(c.out[0].Shape, func(d []int64) {
			k := slices.Clone(d)
			for i := range k {
				k[i] = b[i] + s[i]*d[i]
			}
			c.out[0].set(c.in[0].at(k...), d...)
		})
	},
}

var sliceLike = operator{
	attrs:  "axis:tuple32",
	inputs: count(2),
	infer: func(c *call) {
		n, m := c.in[0].Shape, c.in[1].Shape
		axes := slices.Clone(c.tupleOr("axis"))
		if len(axes) == 0 {
			check(len(n) == len(m), "ranks differ")
			for i := range m {
				axes = append(axes, int64(i))
			}
		}
		shape := slices.Clone(n)
		for _, j := range axes {
			if j < 0 {
				j += rank(c.in[0])
			}
			check(0 <= j && j < min(rank(c.in[0]), rank(c.in[1])), "axis out of range")
			check(m[j] <= n[j], "the target is larger")
			shape[j] = m[j]
		}
		c.yield(same(c), shape...)
	},
	compute: func(c *call) {
		each(c.out[0].Shape, func(d []int64) { c.out[0].set(c.in[0].at(d...), d...) })
	},
}

// lookUp gives each index of indices the element of flatten(X) there.
func lookUp(y, x, indices *Tensor) {
	each(indices.Shape, func(d []int64) { y.set(x.Data[clip(indices.at(d...), 0, x.Len()-1)], d...) })
}

func takeAxis(c *call) (a int64, ok bool) {
	if s, given := c.attrs["axis"]; !given || s == "None" {
		return 0, false
	}
	return axis(c.int("axis"), rank(c.in[0])), true
}

var take = operator{
	attrs:  "axis:optional",
	inputs: count(2),
	infer: func(c *call) {
		shape := c.in[1].Shape
		if a, ok := takeAxis(c); ok {
			n := c.in[0].Shape
			shape = slices.Concat(n[:a], shape, n[a+1:])
		}
		c.yield(same(c), shape...)
	},
	compute: func(c *call) {
		x, indices, y := c.in[0], c.in[1], c.out[0]
		a, ok := takeAxis(c)
		if !ok {
			lookUp(y, x, indices)
			return
		}
		m := rank(indices)
		each(y.Shape, func(d []int64) {
			at := clip(indices.at(d[a:a+m]...), 0, x.Shape[a]-1)
			y.set(x.at(slices.Concat(d[:a], []int64{at}, d[a+m:])...), d...)
		})
	},
}

// lut has its operands the other way round than the text.
var lut = operator{
	attrs:  "in_dim:int!",
	inputs: count(2),
	infer: func(c *call) {
		check(c.int("in_dim") == c.in[1].Len(), "in_dim must be the length of the table")
		c.yield(c.in[1].Precision, c.in[0].Shape...)
	},
	compute: func(c *call) { lookUp(c.out[0], c.in[1], c.in[0]) },
}

var where = operator{
	inputs: count(3),
	infer: func(c *call) {
		cond, a, b := c.in[0], c.in[1], c.in[2]
		check(slices.Equal(a.Shape, b.Shape), "shapes differ")
		check(slices.Equal(cond.Shape, a.Shape) || len(cond.Shape) == 1 && cond.Shape[0] == a.Shape[0], "the condition has another shape")
		p := cond.Precision
		if c.strict {
			p = max(a.Precision, b.Precision)
		}
		c.yield(p, a.Shape...)
	},
	compute: func(c *call) {
		cond, a, b := c.in[0], c.in[1], c.in[2]
		each(a.Shape, func(d []int64) {
			chosen := b
			if cond.at(d[:len(cond.Shape)]...) != 0 {
				chosen = a
			}
			c.out[0].set(chosen.at(d...), d...)
		})
	},
}
