package export

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Products of matrices.

// bytes are the types of integers that the standard multiplies with zero points.
var bytes = op.TypeSet(tensor.Int8, tensor.Uint8)

var linearRows = []row{
	several("matmul", "Transpose, MatMul or MatMulInteger", op.Numbers, func(c *emission) []val {
		a, b := c.in[0], c.in[1]
		if bytes.Has(a.DType) && bytes.Has(b.DType) && c.out(0).DType == tensor.Int32 {
			return one(c.node1("MatMulInteger", c.out(0), nil, c.turned(a, "transposeA"), c.turned(b, "transposeB"), c.in[2], c.in[3]))
		}
		if !(floats | op.TypeSet(tensor.Int32, tensor.Int64)).Has(a.DType) {
			return nil
		}
		if a.DType != c.out(0).DType || b.DType != a.DType || c.Has(2) || c.Has(3) {
			return nil
		}
		return one(c.matmul(c.turned(a, "transposeA"), c.turned(b, "transposeB")))
	}, "integers that differ from those of the result, but for 8 bits: own").otherwise(func(c *emission) []val {
		d := c.out(0).DType
		a, b := c.centred(c.in[0], c.turned(c.in[2], "transposeA"), d), c.centred(c.in[1], c.turned(c.in[3], "transposeB"), d)
		return one(c.matmul(c.turned(a, "transposeA"), c.turned(b, "transposeB")))
	}),
	several("linear", "Gemm", floats, func(c *emission) []val {
		return one(c.node1("Gemm", c.out(0), at("transB", 1), c.in...))
	}, "integers: own").otherwise(func(c *emission) []val {
		d := c.out(0).DType
		y := c.matmul(c.cast(c.in[0], d), c.transpose(c.cast(c.in[1], d), 1, 0))
		if c.Has(2) {
			y = c.do("Add", y, c.in[2])
		}
		return one(y)
	}),
	with("gemm", "Gemm", floats, "alpha", "alpha", "beta", "beta", "transposeA", "transA", "transposeB", "transB"),
}

// turned returns matrices that are transposed if an attribute says so.
func (c *emission) turned(x val, attr string) val {
	if !c.Bool(attr) || x.rank() < 2 {
		return x
	}
	perm := make(ints, x.rank())
	for d := range perm {
		perm[d] = d
	}
	slices.Reverse(perm[len(perm)-2:])
	return c.transpose(x, perm...)
}

// matmul multiplies matrices.
func (c *emission) matmul(a, b val) val {
	n := a.rank()
	lead := broadcast([]val{{Type: graph.Type{Shape: a.Shape[:n-2]}}, {Type: graph.Type{Shape: b.Shape[:len(b.Shape)-2]}}})
	shape := append(lead.Clone(), a.Shape[n-2], b.Shape[len(b.Shape)-1])
	return c.node1("MatMul", graph.Type{DType: a.DType, Shape: shape}, nil, a, b)
}

// centred converts integers to a type in which they are computed, and subtracts their zero point if there is one.
func (c *emission) centred(x, zero val, d tensor.DType) val {
	x = c.cast(x, d)
	if zero.name == "" {
		return x
	}
	return c.do("Sub", x, c.cast(zero, d))
}
