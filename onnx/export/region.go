package export

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// Operators on regions that are data. Each dimension of a region has cells; a matrix for each region says what the elements of the dimension
// are to them, by which the dimensions are reduced one after the other.

var regionRows = []row{
	own("avg_roi_pool", "Gather, Floor, GreaterOrEqual, Less, MatMul, Div", func(c *emission) []val {
		return c.roiPool(func(y, mask val) val { return c.weighted(y, c.cast(mask, y.DType)) }, true)
	}),
	own("max_roi_pool", "Gather, Floor, GreaterOrEqual, Less, Where, ReduceMax", func(c *emission) []val {
		return c.roiPool(c.greatest, false)
	}),
	own("roi_resample", "Gather, Sub, Abs, Clip, MatMul", roiResample),
	own("roi_pool", "Gather, GreaterOrEqual, Less, Where, ReduceMax", roiMaxPool),
	direct("col_to_im", "Col2Im", numbers, func(c *emission) []val {
		w := c.window()
		if w.Crops() {
			return nil
		}
		attrs := at("strides", w.Stride, "dilations", w.Dilation, "pads", slices.Concat(w.Before, w.After))
		return one(c.node1("Col2Im", c.out(0), attrs, c.in[0], c.list(c.Ints("output_size")...), c.list(w.Size...)))
	}, "negative padding: own, without a function"),
	direct("roi_align", "RoiAlign", floats, func(c *emission) []val {
		mode := "output_half_pixel"
		if c.Bool("half_pixel") {
			mode = "half_pixel"
		}
		size := c.Ints("output_size")
		attrs := at("mode", c.Str("mode"), "output_height", size[0], "output_width", size[1], "sampling_ratio", c.Int("sampling_ratio"),
			"spatial_scale", c.Float("spatial_scale"), "coordinate_transformation_mode", mode)
		return one(c.node1("RoiAlign", c.out(0), attrs, c.in[0], c.in[1], c.cast(c.in[2], tensor.Int64)))
	}),
}

// items returns for each region the item of the batch that it takes.
func (c *emission) items(x, numbers val) val {
	i := c.index(numbers, 0, int64(x.Shape[0]-1))
	i = c.reshape(i, i.Shape.Len())
	return c.node1("Gather", graph.Type{DType: x.DType, Shape: append(tensor.Shape{i.Shape[0]}, x.Shape[1:]...)}, nil, x, i)
}

// column returns column i of a matrix, as a matrix.
func (c *emission) column(x val, i int) val {
	return c.node1("Gather", graph.Type{DType: x.DType, Shape: tensor.Shape{x.Shape[0], 1}}, at("axis", 1), x, c.list(i))
}

// counting returns the numbers from 0 to n-1 along a dimension of a tensor of some rank.
func (c *emission) counting(n, d, rank int) val {
	room(n)
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(i)
	}
	return c.along(d, rank, list)
}

// cells returns for n regions, p cells and the elements of a dimension whether an element is in a cell, of the shape (n, p, elements). The
// begins and ends of cells are of the shape (n, p).
func (c *emission) cells(begin, end val, elements int) val {
	n, p := begin.Shape[0], begin.Shape[1]
	i := c.counting(elements, 2, 3)
	return c.test("And", c.test("GreaterOrEqual", i, c.reshape(begin, n, p, 1)), c.test("Less", i, c.reshape(end, n, p, 1)))
}

// weighted adds the elements of the last dimension of y (n, m, elements) for each cell, times their weights (n, p, elements).
func (c *emission) weighted(y, weights val) val { return c.matmul(y, c.transpose(weights, 0, 2, 1)) }

// greatest returns the greatest element of the last dimension of y (n, m, elements) in each cell of a mask (n, p, elements).
func (c *emission) greatest(y, mask val) val {
	n, m, k, p := y.Shape[0], y.Shape[1], y.Shape[2], mask.Shape[1]
	inside := c.do("Where", c.reshape(mask, n, 1, p, k), c.reshape(y, n, m, 1, k), c.lowest(y.DType))
	t := graph.Type{DType: y.DType, Shape: tensor.Shape{n, m, p}}
	return c.node1("ReduceMax", t, at("keepdims", 0), inside, c.list(3))
}

// lowest adds the least number of a type.
func (c *emission) lowest(d tensor.DType) val {
	if d.IsFloat() {
		return c.do("Neg", c.do("Reciprocal", c.number(d, 0)))
	}
	lo, _ := d.IntRange()
	return c.integer(d, lo)
}

// perDimension reduces each dimension of y behind the first two by its cells.
func (c *emission) perDimension(y val, cells []val, reduce func(y, cells val) val) val {
	for range cells {
		// The dimension reduced last is the last one, so that each comes to that place in turn.
		d := y.rank() - 1
		rest := y.Shape[1:d]
		k := len(cells) - 1
		turned := c.reshape(y, y.Shape[0], rest.Len(), y.Shape[d])
		y = reduce(turned, cells[k])
		cells = append([]val{cells[k]}, cells[:k]...)
		p := y.Shape[2]
		y = c.reshape(y, append(append(ints{y.Shape[0]}, rest...), p)...)
		// (n, c, a, b, p) becomes (n, c, p, a, b)
		perm := ints{0, 1, d}
		for i := 2; i < d; i++ {
			perm = append(perm, i)
		}
		y = c.transpose(y, perm...)
	}
	return y
}

// roiPool pools regions of floats whose corners are rounded.
func (c *emission) roiPool(reduce func(y, mask val) val, average bool) []val {
	t := realOf(c.in[0].DType)
	x, rois, size := c.cast(c.in[0], t), c.cast(c.in[1], t), c.Ints("output_size")
	m := len(size)
	corner := func(i int) val {
		v := c.column(rois, i)
		v = c.do("Where", c.test("IsNaN", v), c.number(v.DType, 0), v)
		v = c.node1("Clip", v.Type, nil, v, c.number(v.DType, -1<<30), c.number(v.DType, 1<<30))
		return c.cast(c.do("Floor", c.do("Add", v, c.number(v.DType, 0.5))), tensor.Int64)
	}
	number := func(n int) val { return c.integer(tensor.Int64, int64(n)) }
	masks, counts := make([]val, m), val{}
	for d, p := range size {
		begin := corner(d)
		r := c.do("Max", c.do("Sub", corner(m+d), begin), number(0))
		from := c.do("Add", begin, c.do("Mul", c.counting(p, 1, 2), c.do("Div", r, number(p))))
		to := c.do("Add", from, c.do("Div", c.do("Add", r, number(p-1)), number(p)))
		masks[d] = c.cells(from, to, x.Shape[2+d])
		counts = c.times(counts, masks[d], d, m)
	}
	y := c.perDimension(c.items(x, c.in[2]), slices.Clone(masks), reduce)
	if average {
		y = c.do("Div", y, c.cast(c.do("Max", counts, number(1)), y.DType))
	} else {
		y = c.do("Where", c.test("Equal", counts, number(0)), c.number(y.DType, 0), y)
	}
	return one(c.cast(y, c.out(0).DType))
}

// times multiplies the numbers of elements in cells by those of the cells of dimension d of m.
func (c *emission) times(counts, mask val, d, m int) val {
	n, p := mask.Shape[0], mask.Shape[1]
	t := graph.Type{DType: tensor.Int64, Shape: tensor.Shape{n, p}}
	sum := c.node1("ReduceSum", t, at("keepdims", 0), c.cast(mask, tensor.Int64), c.list(2))
	shape := slices.Repeat(ints{1}, 2+m)
	shape[0], shape[2+d] = n, p
	if sum = c.reshape(sum, shape...); counts.name == "" {
		return sum
	}
	return c.do("Mul", counts, sum)
}

// roiResample weighs each element by how near it is to the place, up to 1.
func roiResample(c *emission) []val {
	t := realOf(c.in[0].DType)
	x, rois, size := c.cast(c.in[0], t), c.cast(c.in[1], t), c.Ints("output_size")
	m := len(size)
	number := func(v float64) val { return c.number(x.DType, v) }
	weights := make([]val, m)
	for d, p := range size {
		begin := c.column(rois, d)
		r := c.do("Sub", c.column(rois, m+d), begin)
		i := c.cast(c.counting(p, 1, 2), x.DType)
		var u val
		switch c.Str("method") {
		case "symmetric":
			u = c.do("Sub", c.do("Add", begin, c.do("Mul", c.do("Add", i, number(0.5)), c.do("Div", r, number(float64(p))))), number(0.5))
		case "asymmetric":
			u = c.do("Add", begin, c.do("Mul", i, c.do("Div", r, number(float64(p)))))
		default:
			u = c.do("Add", begin, c.do("Mul", i, c.do("Div", c.do("Sub", r, number(1)), number(float64(max(p-1, 1))))))
		}
		u = c.do("Where", c.test("IsNaN", u), number(0), u)
		u = c.node1("Clip", u.Type, nil, u, number(0), number(float64(x.Shape[2+d]-1)))
		u = c.reshape(u, u.Shape[0], p, 1)
		far := c.do("Abs", c.do("Sub", u, c.cast(c.counting(x.Shape[2+d], 2, 3), x.DType)))
		weights[d] = c.do("Max", c.do("Sub", number(1), far), number(0))
	}
	y := c.perDimension(c.items(x, c.in[2]), weights, c.weighted)
	return one(c.cast(y, c.out(0).DType))
}

// roiMaxPool pools regions that integers say.
func roiMaxPool(c *emission) []val {
	x, size, d := c.in[0], c.Ints("output_size"), realOf(c.in[0].DType)
	if x.DType.IsInteger() {
		d = tensor.Int64
	}
	if x.DType == tensor.Uint64 {
		return nil
	}
	batch, regions := c.in[1].Shape[0], c.in[1].Shape[1]
	rois := c.reshape(c.index(c.in[1], -1<<30, 1<<30), batch*regions, 4)
	numbers := c.in[2]
	if !c.Has(2) {
		room(batch, regions)
		list := make(ints, 0, batch*regions)
		for b := range batch {
			list = append(list, slices.Repeat(ints{b}, regions)...)
		}
		numbers = c.list(list...)
	}
	number := func(n int) val { return c.integer(tensor.Int64, int64(n)) }
	var masks [2]val
	counts := val{}
	for i, p := range size {
		begin := c.column(rois, 1-i) // columns come first in regions
		extent := c.do("Add", c.do("Max", c.do("Sub", c.column(rois, 3-i), begin), number(0)), number(1))
		j := c.counting(p, 1, 2)
		from := c.do("Add", begin, c.do("Div", c.do("Mul", j, extent), number(p)))
		past := c.do("Add", c.do("Mul", c.do("Add", j, number(1)), extent), number(p-1))
		to := c.do("Add", begin, c.do("Div", past, number(p)))
		if c.Str("before") == "empty" {
			to = c.do("Where", c.test("Less", from, number(0)), from, to)
		}
		masks[i] = c.cells(from, to, x.Shape[2+i])
		counts = c.times(counts, masks[i], i, 2)
	}
	y := c.perDimension(c.items(c.cast(x, d), numbers), masks[:], c.greatest)
	y = c.do("Where", c.test("Equal", counts, number(0)), c.number(d, 0), y)
	return one(c.cast(c.reshape(y, c.out(0).Shape...), c.out(0).DType))
}
