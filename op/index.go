package op

import "github.com/concord-nn/concord/tensor"

// cursor walks the indices of a shape in row-major order and keeps, for up to four operands, the position of the
// element that belongs to the index. A dimension along which an operand is broadcast has stride 0.
type cursor struct {
	rank    int
	extent  [tensor.MaxRank]int
	stride  [4][tensor.MaxRank]int
	index   [tensor.MaxRank]int
	pos     [4]int
	operand int // the number of operands
}

// newCursor returns a cursor over shape at index 0, without operands.
//
//go:noinline // kernels of every element type would hold it
func newCursor(shape tensor.Shape) cursor {
	c := cursor{rank: len(shape)}
	copy(c.extent[:], shape)
	return c
}

// operands lets the cursor follow operands of the given shapes, broadcast to its own shape: each has its rank, or is a
// scalar, and each extent is its own or 1.
//
//go:noinline // kernels of every element type would hold it
func (c *cursor) operands(shapes ...tensor.Shape) {
	for _, s := range shapes {
		n := 1
		for d := len(s) - 1; d >= 0; d-- {
			if s[d] != 1 {
				c.stride[c.operand][d] = n
			}
			n *= s[d]
		}
		c.operand++
	}
}

// strided lets the cursor follow an operand with the given strides.
func (c *cursor) strided(strides []int) {
	copy(c.stride[c.operand][:], strides)
	c.operand++
}

// seek moves from index 0 to the index of row-major number i.
//
//go:noinline // kernels of every element type would hold it
func (c *cursor) seek(i int) {
	if i == 0 { // Without this the first one takes longer.
		return // also where a dimension is empty and there is no index at all
	}
	for d := c.rank - 1; d >= 0; d-- {
		c.index[d] = i % c.extent[d]
		i /= c.extent[d]
		for k := range c.operand {
			c.pos[k] += c.index[d] * c.stride[k][d]
		}
	}
}

// next moves to the following index.
func (c *cursor) next() {
	for d := c.rank - 1; d >= 0; d-- {
		c.index[d]++
		for k := range c.operand {
			c.pos[k] += c.stride[k][d]
		}
		if c.index[d] < c.extent[d] {
			return
		}
		for k := range c.operand {
			c.pos[k] -= c.extent[d] * c.stride[k][d]
		}
		c.index[d] = 0
	}
}
