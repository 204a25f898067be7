package export

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/tensor"
)

// Elements at places in windows.

// places returns, for the positions that an operand names in the windows of a tensor of the shape small over one of the shape large, which
// element of the large one stands there, in row-major order, and -1 for one outside.
func (c *emission) places(index val, large, small tensor.Shape, border string) val {
	w := c.window()
	rule := geometry.BorderOf(at("border", border))
	volume := tensor.Shape(w.Size).Len()
	i := c.index(index, 0, int64(volume-1))
	number := func(n int) val { return c.integer(tensor.Int64, int64(n)) }
	factor, step := 1, 1
	var sum, outside val
	for d := len(w.Size) - 1; d >= 0; d-- {
		k := c.node1("Mod", i.Type, nil, c.do("Div", i, number(factor)), number(w.Size[d]))
		room(small[d], w.Size[d])
		table := make([]int64, small[d]*w.Size[d])
		begins := make([]int64, small[d])
		for o := range small[d] {
			begins[o] = int64(o * w.Size[d])
			for k := range w.Size[d] {
				table[o*w.Size[d]+k] = int64(rule.Index(o*w.Stride[d]-w.Before[d]+k*w.Dilation[d], large[d]))
			}
		}
		at := c.node1("Gather", i.Type, nil, c.along(0, 1, table), c.do("Add", k, c.along(d, len(small), begins)))
		out := c.test("Less", at, number(0))
		at = c.do("Mul", at, number(step))
		if sum.name == "" {
			sum, outside = at, out
		} else {
			sum, outside = c.do("Add", sum, at), c.test("Or", outside, out)
		}
		factor, step = factor*w.Size[d], step*max(large[d], 1)
	}
	if sum.name == "" {
		return i
	}
	return c.do("Where", outside, number(-1), sum)
}

// sample reads behind the elements a zero for those outside.
func sample(c *emission) []val {
	x, n := c.in[0], c.in[0].Shape.Len()
	zero := c.reshape(c.number(x.DType, 0), 1)
	flat := c.node1("Concat", graph.Type{DType: x.DType, Shape: tensor.Shape{n + 1}}, at("axis", 0), c.reshape(x, n), zero)
	at := c.places(c.in[1], x.Shape, c.out(0).Shape, c.Str("border"))
	at = c.do("Where", c.test("Less", at, c.integer(tensor.Int64, 0)), c.integer(tensor.Int64, int64(n)), at)
	return one(c.node1("Gather", c.out(0), nil, flat, at))
}

// desample adds to zeros, of which one more takes what falls outside.
func desample(c *emission) []val {
	x, out := c.in[0], c.out(0)
	d := x.DType
	if d.IsHalf() {
		d = tensor.Float32
	} else if d.IsInteger() {
		d = tensor.Int64
	}
	n := out.Shape.Len()
	room(n, 2)
	at := c.places(c.in[1], out.Shape, x.Shape, "constant")
	at = c.do("Where", c.test("Less", at, c.integer(tensor.Int64, 0)), c.integer(tensor.Int64, int64(n)), at)
	zeros := c.full(graph.Type{DType: d, Shape: tensor.Shape{n + 1}}, 0)
	m := x.Shape.Len()
	y := c.node1("ScatterElements", zeros.Type, attrsAdd, zeros, c.reshape(at, m), c.reshape(c.cast(x, d), m))
	y = c.node1("Slice", graph.Type{DType: d, Shape: tensor.Shape{n}}, nil, y, c.list(0), c.list(n))
	return one(c.cast(c.reshape(y, out.Shape...), out.DType))
}

var attrsAdd = at("reduction", "add")
