package formal

import "math"

// unary is an operator that gives each element f(x), with the given precision.
func unary(attrs string, precision func(c *call) int, f func(c *call, x int64) int64) operator {
	return operator{
		attrs:  attrs,
		inputs: count(1),
		infer:  func(c *call) { c.yield(precision(c), c.in[0].Shape...) },
		compute: func(c *call) {
			each(c.in[0].Shape, func(d []int64) { c.out[0].set(f(c, c.in[0].at(d...)), d...) })
		},
	}
}

func same(c *call) int { return c.in[0].Precision }

// wider is the precision of a sum or difference of two tensors.
func wider(c *call) int { return max(c.in[0].Precision, c.in[1].Precision) + 1 }

func elemwise(f func(a, b int64) int64) operator {
	return operator{
		inputs: count(2),
		infer: func(c *call) {
			a, b := c.in[0].Shape, c.in[1].Shape
			check(len(a) == len(b), "ranks differ")
			for i := range a {
				check(a[i] == b[i], "shapes differ")
			}
			c.yield(wider(c), a...)
		},
		compute: func(c *call) {
			each(c.in[0].Shape, func(d []int64) { c.out[0].set(f(c.in[0].at(d...), c.in[1].at(d...)), d...) })
		},
	}
}

// broadcast is A OP B with each operand's axes aligned to the right and its extents of 1 repeated.
func broadcast(precision func(c *call) int, f func(a, b int64) int64) operator {
	return operator{
		inputs: count(2),
		infer: func(c *call) {
			m, n := c.in[0].Shape, c.in[1].Shape
			q := max(len(m), len(n))
			shape := make([]int64, q)
			for i := range q {
				em, en := int64(1), int64(1)
				if i >= q-len(m) {
					em = m[i-(q-len(m))]
				}
				if i >= q-len(n) {
					en = n[i-(q-len(n))]
				}
				check(em == en || em == 1 || en == 1, "shapes do not broadcast")
				shape[i] = max(em, en)
			}
			c.yield(precision(c), shape...)
		},
		compute: func(c *call) {
			a, b, y := c.in[0], c.in[1], c.out[0]
			operand := func(t *Tensor, d []int64) int64 {
				index := make([]int64, len(t.Shape))
				for j := range index {
					if at := d[len(d)-len(index)+j]; at < t.Shape[j] {
						index[j] = at
					}
				}
				return t.at(index...)
			}
			each(y.Shape, func(d []int64) { y.set(f(operand(a, d), operand(b, d)), d...) })
		},
	}
}

func add(a, b int64) int64 { return a + b }
func sub(a, b int64) int64 { return a - b }
func mul(a, b int64) int64 { return a * b }

// div truncates, and x / 0 = 0; the text is silent about both.
func div(a, b int64) int64 {
	if b == 0 {
		return 0
	}
	return a / b
}

func larger(a, b int64) int64 { return max(a, b) }

func greater(a, b int64) int64 {
	if a > b {
		return 1
	}
	return 0
}

func relu(_ *call, x int64) int64     { return max(0, x) }
func negative(_ *call, x int64) int64 { return -x }

func abs(_ *call, x int64) int64 {
	if x >= 0 {
		return x
	}
	return -x
}

// bits is ⌈log2(|x| + 1)⌉, or 1.
func bits(c *call, x int64) int64 {
	if x == 0 {
		return 1
	}
	n := int64(0)
	for power := int64(1); power < abs(c, x)+1; power *= 2 {
		n++
	}
	return n
}

func clipPrecision(c *call) int {
	lo, hi := c.int("a_min"), c.int("a_max")
	check(lo > math.MinInt32 && hi > math.MinInt32, "a bound is out of range")
	check(lo < hi, "a_min must be less than a_max")
	return bitlen(max(abs(c, lo), abs(c, hi))+1) + 1
}

func given(c *call) int {
	p := c.int("precision")
	check(1 <= p && p <= 32, "precision out of range")
	return int(p)
}

func shifted(c *call) int {
	p, s := given(c), c.int("shift_bit")
	check(1 <= s && s <= 32, "shift_bit out of range")
	return p
}

func shiftedLeft(c *call) int {
	p := shifted(c)
	if int64(c.in[0].Precision)+c.int("shift_bit") > 32 {
		refuseRuntime("the shifted value takes more than 32 bits")
	}
	return p
}

func clipBounds(c *call, x int64) int64 { return clip(x, c.int("a_min"), c.int("a_max")) }

func clipTo(c *call, x int64) int64 {
	alpha := bound(c.int("precision"))
	return clip(x, -alpha, alpha)
}

func rightShift(c *call, x int64) int64 {
	return clipTo(c, floorDiv(floorDiv(x, 1<<(c.int("shift_bit")-1))+1, 2))
}

// leftShift is exact in strict mode. By the deployed rules it wraps before it clips, as all arithmetic does with elements beyond their
// precision. Others it does not concern.
func leftShift(c *call, x int64) int64 {
	y := x * (1 << c.int("shift_bit"))
	if !c.strict {
		y = wrap(y)
	}
	return clipTo(c, y)
}
