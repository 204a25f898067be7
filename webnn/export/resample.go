package export

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// Operators that resize. What the method does not place as they do, is expressed by the indices and weights that the operators
// themselves give.

// interpolationTolerance is how far interpolations by other methods differ.
const interpolationTolerance = 1e-6

var resizeRows = []row{
	{Row{"multilinear_upsample", Direct, "resample2d", interpolationTolerance,
		"other methods and borders than symmetric with replicate: matmul with the weights"}, upsample},
	{Row{"resample", Direct, "resample2d", interpolationTolerance, windowNote + "more than two dimensions, scales that are not the quotient " +
		"of the extents, and other types: gather for the nearest elements, matmul with the weights for linear interpolation, " +
		"which is refused for integers"},
		resample},
}

func upsample(c *call) []*webnn.Operand {
	x, s, out := c.in[0], shape(c.in[0]), c.outShape(0)
	c.near(interpolationTolerance)
	if c.str("method") == "symmetric" && c.str("border") == "replicate" && len(s) <= 4 {
		from, to := append(ints{s[0], s[1]}, spatial(s[2:], 1)...), spatial(out[2:], 1)
		return one(c.reshape(c.do("resample2d", options{"mode": "linear", "sizes": to}, c.reshape(x, from)), out))
	}
	return wide(func(c *call) []*webnn.Operand {
		x := c.in[0]
		for d := rank(x) - 1; d >= 2; d-- {
			x = c.weighted(x, d, attrs("factor", ints{c.ints("factor")[d-2]}, "method", c.str("method"), "border", c.str("border")))
		}
		return one(x)
	})(c)
}

// weighted interpolates along one dimension by a matrix product. The weights are what the operator, with these attributes, makes of
// unit vectors.
func (c *call) weighted(x *webnn.Operand, d int, a graph.Attrs) *webnn.Operand {
	n := shape(x)[d]
	if n > maxEvaluated/4/n {
		refuse("the weights of %d elements in dimension %d would be too many", n, d)
	}
	unit := make([]float32, n*n)
	for i := range n {
		unit[i*(n+1)] = 1
	}
	t, err := tensor.FromSlice(unit, n, 1, n) // batch, channels and one spatial dimension
	if err != nil {
		refuse("%v", err)
	}
	m := c.constant(c.eval("reshape", attrs("shape", ints{n, -1}), c.eval(c.d.Name, a, t)))
	last := rank(x) - 1
	swap := make(ints, rank(x))
	for i := range swap {
		swap[i] = i
	}
	swap[d], swap[last] = last, d
	y := c.transpose(x, swap)
	to := slices.Clone(shape(y))
	y = c.do("matmul", nil, c.reshape(y, ints{tensor.Shape(to[:last]).Len(), n}), m)
	to[last] = shape(y)[1]
	return c.transpose(c.reshape(y, to), swap)
}

func resample(c *call) []*webnn.Operand {
	x, sizes, scales := c.in[0], c.ints("sizes"), c.n.Attrs.Floats("scales")
	axes, direct := ints{}, true
	for d, n := range shape(x) {
		scaled := len(scales) > 0 && scales[d] != float64(sizes[d])/float64(n)
		direct = direct && !scaled
		if sizes[d] != n || scaled {
			axes = append(axes, d)
		}
	}
	resizable := slices.Contains(floats, x.DataType()) || x.DataType() == tensor.Int8 || x.DataType() == tensor.Uint8
	linear := c.str("mode") == "linear"
	switch {
	case len(axes) == 0:
		return one(c.do("identity", nil, x))
	case direct && len(axes) <= 2 && (resizable || linear):
		flat, back := c.planar(x, axes)
		var to ints
		for _, a := range axes {
			to = append(to, sizes[a])
		}
		return one(back(c.do("resample2d", options{"mode": c.str("mode"), "sizes": spatial(to, 1)}, flat)))
	case linear && x.DataType().IsInteger():
		refuse("WebNN interpolates integers in at most two dimensions, by the quotients of the extents")
	}
	// along are the attributes that resize a dimension, behind others of these extents.
	along := func(d int, others ...int) graph.Attrs {
		a := attrs("mode", c.str("mode"), "sizes", append(others, sizes[d]))
		if len(scales) > 0 {
			a = append(a, graph.Attr{Name: "scales", Value: append(slices.Repeat([]float64{1}, len(others)), scales[d])})
		}
		return a
	}
	if !linear {
		for _, d := range axes {
			x = c.do("gather", options{"axis": d}, x, c.constant(c.eval("resample", along(d), c.indicesOf(shape(x)[d]))))
		}
		return one(x)
	}
	c.near(interpolationTolerance)
	return wide(func(c *call) []*webnn.Operand {
		x := c.in[0]
		for _, d := range slices.Backward(axes) {
			x = c.weighted(x, d, along(d, shape(x)[d], 1))
		}
		return one(x)
	})(c)
}

// indicesOf returns the numbers from 0 to n-1: what an operator that moves elements makes of them says where it takes them from.
func (c *call) indicesOf(n int) *tensor.Tensor {
	if n > maxEvaluated/4 {
		refuse("the %d indices of a dimension would be too many", n)
	}
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	t, err := tensor.FromSlice(list, n)
	if err != nil {
		refuse("%v", err)
	}
	return t
}
