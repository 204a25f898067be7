package export

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// Operators that find or choose elements. Those of the standard yield as many as they find; ours fill what is left.

var searchRows = []row{
	own("non_zero", "Cast, NonZero, Shape, Pad", func(c *emission) []val {
		x := c.in[0]
		some := c.cast(x, tensor.Bool)
		if x.rank() == 0 {
			return []val{c.full(c.out(0), 0), c.cast(some, tensor.Int64)}
		}
		found := c.node1("NonZero", c.out(0), nil, some)
		return []val{c.filled(found, 1, x.Shape.Len()), c.number1(found, 1)}
	}),
	own("unique", "Cast, Unique, Shape, Pad", func(c *emission) []val {
		axis := c.Int("axis")
		n := c.in[0].Shape[axis]
		x := c.in[0]
		switch {
		case x.DType.IsHalf():
			x = c.cast(x, tensor.Float32)
		case !x.DType.IsFloat() && x.DType != tensor.Uint64:
			x = c.cast(x, tensor.Int64)
		}
		out := c.nodes("Unique", []graph.Type{x.Type, c.out(0), c.out(1), c.out(2)}, at("axis", axis, "sorted", c.Bool("sorted")), x)
		return []val{c.filled(out[1], 0, n), out[2], c.filled(out[3], 0, n), c.number1(out[1], 0)}
	}),
	own("class_box_suppression", "NonMaxSuppression, Shape, Pad", func(c *emission) []val {
		single := func(name string) val { return c.reals([]float64{c.Float(name)}) }
		found := c.node1("NonMaxSuppression", c.out(0), at("center_point_box", c.Bool("centered")), c.in[0], c.in[1],
			c.list(c.Int("max_output_size")), single("iou_threshold"), single("score_threshold"))
		return []val{c.filled(found, 0, c.out(0).Shape[0]), c.number1(found, 0)}
	}),
	own("valid_count", "Greater, CumSum, ScatterElements, ReduceSum", validCount),
	own("box_suppression", "TopK, Loop, ScatterElements", boxSuppression),
	own("non_max_suppression", "TopK, Loop, ScatterElements", nonMaxSuppression),
	direct("n_gram_count", "TfIdfVectorizer", stored, func(c *emission) []val {
		if !singles(c.Attrs.Floats("weights")...) {
			return nil
		}
		attrs := at("pool_int64s", c.Ints("pool"), "ngram_counts", c.Ints("starts"), "ngram_indexes", c.Ints("columns"), "min_gram_length", c.Int("min_length"),
			"max_gram_length", c.Int("max_length"), "max_skip_count", c.Int("max_skip"), "mode", c.Str("mode"))
		if weights := c.Attrs.Floats("weights"); len(weights) > 0 {
			attrs = append(attrs, graph.Attr{Name: "weights", Value: weights})
		}
		return one(c.node1("TfIdfVectorizer", c.out(0), attrs, c.in[0]))
	}),
	own("random_bits", "Mul, BitShift, BitwiseAnd, BitwiseXor", randomBits),
}

// number1 returns the extent of a dimension that only a run knows, as a scalar.
func (c *emission) number1(x val, d int) val {
	shape := c.node1("Shape", graph.Type{DType: tensor.Int64, Shape: tensor.Shape{x.rank()}}, nil, x)
	return c.node1("Gather", graph.Type{DType: tensor.Int64, Shape: tensor.Shape{}}, nil, shape, c.integer(tensor.Int64, int64(d)))
}

// filled appends zeros to a dimension whose extent only a run knows, up to n.
func (c *emission) filled(x val, d, n int) val {
	missing := c.do("Sub", c.list(n), c.reshape(c.number1(x, d), 1))
	pads := []val{c.list(make(ints, x.rank()+d)...), missing, c.list(make(ints, x.rank()-d-1)...)}
	pads = slices.DeleteFunc(pads, func(v val) bool { return v.Shape[0] == 0 })
	all := c.node1("Concat", graph.Type{DType: tensor.Int64, Shape: tensor.Shape{2 * x.rank()}}, at("axis", 0), pads...)
	shape := x.Shape.Clone()
	shape[d] = n
	return c.node1("Pad", graph.Type{DType: x.DType, Shape: shape}, nil, x, all)
}

// compacted moves the rows of x (b, n, …) that are kept, of the shape (b, n), to the front of each batch; the others become -1.
func (c *emission) compacted(x, kept val) val {
	n := x.Shape[1]
	before := c.do("Sub", c.node1("CumSum", kept.Type, nil, kept, c.integer(tensor.Int64, 1)), c.integer(tensor.Int64, 1))
	places := c.do("Where", c.cast(kept, tensor.Bool), before, c.integer(tensor.Int64, int64(n)))
	places = c.reshape(places, append(ints(kept.Shape.Clone()), slices.Repeat(ints{1}, x.rank()-2)...)...)
	if !places.Shape.Equal(x.Shape) {
		places = c.node1("Expand", graph.Type{DType: tensor.Int64, Shape: x.Shape}, nil, places, c.list(x.Shape...))
	}
	shape := x.Shape.Clone()
	shape[1]++
	rest := c.full(graph.Type{DType: x.DType, Shape: shape}, -1)
	return c.cut(c.node1("ScatterElements", rest.Type, at("axis", 1), rest, places, x), 1, n)
}

// element returns element i of the last dimension.
func (c *emission) element(x val, i int) val {
	last := x.rank() - 1
	return c.node1("Gather", graph.Type{DType: x.DType, Shape: x.Shape[:last:last]}, at("axis", last), x, c.integer(tensor.Int64, int64(i)))
}

func validCount(c *emission) []val {
	x := c.cast(c.in[0], tensor.Int64)
	kept := c.cast(c.test("Greater", c.element(x, 1), c.integer(tensor.Int64, int64(c.Int("score_threshold")))), tensor.Int64)
	count := c.node1("ReduceSum", graph.Type{DType: tensor.Int64, Shape: c.out(0).Shape}, at("keepdims", 0), kept, c.list(1))
	return []val{c.cast(count, tensor.Int32), c.cast(c.compacted(x, kept), c.out(1).DType)}
}

// loop adds a loop of n turns. The function adds the nodes of a turn and returns what is carried to the next one.
func (c *emission) loop(n val, carried []val, turn func(c *emission, i val, carried []val) []val) []val {
	inner := *c
	inner.scope = c.block()
	input := func(name string, t graph.Type) val { return val{inner.unique(c.Op + "/" + name), t} }
	i, more := input("turn", graph.Type{DType: tensor.Int64, Shape: tensor.Shape{}}), input("more", graph.Type{DType: tensor.Bool, Shape: tensor.Shape{}})
	g := &proto.Graph{Name: "turn", Input: []*proto.ValueInfo{c.e.info(i.name, i.Type), c.e.info(more.name, more.Type)}}
	in, types := make([]val, len(carried)), make([]graph.Type, len(carried))
	for k, v := range carried {
		in[k], types[k] = input("carried", v.Type), v.Type
		g.Input = append(g.Input, c.e.info(in[k].name, v.Type))
	}
	out := append([]val{inner.do("Identity", more)}, turn(&inner, i, in)...)
	for _, v := range out {
		g.Output = append(g.Output, c.e.info(v.name, v.Type))
	}
	g.Node, g.Initializer = inner.scope.nodes, inner.stored
	return c.nodes("Loop", types, at("body", g), append([]val{n, {}}, carried...)...)
}

// suppressed visits the boxes of each batch in their order. It keeps those that are valid, of the shape (b, n), and overlap, of the shape
// (b, n, n), none that is kept, at most limit of a batch, and returns 1 for those that are kept and 0 for others.
func (c *emission) suppressed(valid, overlap val, limit int) val {
	b, n := valid.Shape[0], valid.Shape[1]
	zeros := c.full(graph.Type{DType: tensor.Int64, Shape: valid.Shape}, 0)
	none := c.full(graph.Type{DType: tensor.Int64, Shape: tensor.Shape{b, 1}}, 0)
	out := c.loop(c.integer(tensor.Int64, int64(n)), []val{zeros, none}, func(c *emission, i val, carried []val) []val {
		kept, count := carried[0], carried[1]
		number := func(n int) val { return c.integer(tensor.Int64, int64(n)) }
		row := graph.Type{DType: tensor.Int64, Shape: tensor.Shape{b, n}}
		over := c.do("Mul", kept, c.node1("Gather", row, at("axis", 1), c.cast(overlap, tensor.Int64), i))
		taken := c.node1("ReduceMax", none.Type, nil, over, c.list(1))
		one := c.node1("Gather", none.Type, at("axis", 1), c.cast(valid, tensor.Int64), c.reshape(i, 1))
		free := c.cast(c.test("Less", count, number(limit)), tensor.Int64)
		keep := c.do("Mul", c.do("Mul", one, c.do("Sub", number(1), taken)), free)
		here := c.cast(c.test("Equal", c.counting(n, 1, 2), i), tensor.Int64)
		return []val{c.do("Add", kept, c.do("Mul", here, keep)), c.do("Add", count, keep)}
	})
	return out[0]
}

// sorted returns the order in which the scores (b, n) descend, and their rows (b, n, k) so.
func (c *emission) sorted(scores, rows val) (best, order, sorted val) {
	n := scores.Shape[1]
	places := graph.Type{DType: tensor.Int64, Shape: scores.Shape}
	out := c.nodes("TopK", []graph.Type{scores.Type, places}, at("axis", 1), scores, c.list(n))
	at3 := c.reshape(out[1], append(ints(scores.Shape.Clone()), 1)...)
	at3 = c.node1("Expand", graph.Type{DType: tensor.Int64, Shape: rows.Shape}, nil, at3, c.list(rows.Shape...))
	return out[0], out[1], c.node1("GatherElements", rows.Type, at("axis", 1), rows, at3)
}

// pairs returns a value (b, n) as those of the first and of the second of two boxes: (b, n, 1) and (b, 1, n).
func (c *emission) pairs(x val) (a, b val) {
	return c.reshape(x, x.Shape[0], x.Shape[1], 1), c.reshape(x, x.Shape[0], 1, x.Shape[1])
}

// common returns the extents of what boxes have in common along a dimension, given the corners.
func (c *emission) common(lo, hi val) val {
	a, b := c.pairs(lo)
	least := c.do("Max", a, b)
	a, b = c.pairs(hi)
	return c.do("Max", c.do("Sub", c.do("Min", a, b), least), c.number(lo.DType, 0))
}

// limit returns an attribute that bounds a number, which it does not if it is negative.
func (c *emission) limit(name string, n int) int {
	if k := c.Int(name); k >= 0 {
		return min(k, n)
	}
	return n
}

func boxSuppression(c *emission) []val {
	d := realOf(c.in[0].DType)
	boxes, scores := c.cast(c.in[0], d), c.cast(c.in[1], d)
	n := scores.Shape[1]
	best, order, rows := c.sorted(scores, boxes)
	valid := c.test("Greater", best, c.number(d, c.Float("score_threshold")))
	x1, y1, x2, y2 := c.element(rows, 0), c.element(rows, 1), c.element(rows, 2), c.element(rows, 3)
	zero := c.number(d, 0)
	area := c.do("Mul", c.do("Max", c.do("Sub", x2, x1), zero), c.do("Max", c.do("Sub", y2, y1), zero))
	inner := c.do("Mul", c.common(x1, x2), c.common(y1, y2))
	a, b := c.pairs(area)
	union := c.do("Sub", c.do("Add", a, b), inner)
	// A union that is not above 0 leaves no overlap.
	ratio := c.do("Where", c.test("Greater", union, zero), c.do("Div", inner, union), zero)
	over := c.test("Greater", ratio, c.number(d, c.Float("iou_threshold")))
	kept := c.suppressed(valid, over, c.limit("max_output_size", n))
	return one(c.compacted(order, kept))
}

func nonMaxSuppression(c *emission) []val {
	x := c.cast(c.in[0], tensor.Int64)
	b, n := x.Shape[0], x.Shape[1]
	number := func(n int64) val { return c.integer(tensor.Int64, n) }
	counts := c.reshape(c.cast(c.in[1], tensor.Int64), b, 1)
	scores := c.do("Where", c.test("Less", c.counting(n, 1, 2), counts), c.element(x, 1), number(-1<<40))
	best, _, rows := c.sorted(scores, x)
	class := c.element(rows, 0)
	valid := c.test("And", c.test("Greater", best, number(-1<<40)), c.test("GreaterOrEqual", class, number(0)))
	valid = c.test("And", valid, c.test("Less", c.counting(n, 1, 2), number(int64(c.limit("top_k", n)))))
	wrapped := func(x val) val { return c.cast(c.cast(x, tensor.Int32), tensor.Int64) }
	x1, y1, x2, y2 := c.element(rows, 2), c.element(rows, 3), c.element(rows, 4), c.element(rows, 5)
	area := c.do("Mul", wrapped(c.do("Sub", x2, x1)), wrapped(c.do("Sub", y2, y1)))
	inner := c.do("Mul", c.common(x1, x2), c.common(y1, y2))
	a, z := c.pairs(area)
	sum := c.do("Add", a, z)
	union := c.do("Sub", sum, inner)
	some := c.test("And", c.test("Greater", sum, number(0)), c.test("Greater", union, number(0)))
	percent := c.do("Div", c.do("Mul", inner, number(100)), c.do("Max", union, number(1)))
	over := c.test("And", some, c.test("GreaterOrEqual", percent, number(int64(c.Int("iou_threshold")))))
	if !c.Bool("force_suppress") {
		p, q := c.pairs(class)
		over = c.test("And", over, c.test("Equal", p, q))
	}
	kept := c.suppressed(valid, over, c.limit("max_output_size", n))
	return one(c.cast(c.compacted(rows, kept), c.out(0).DType))
}

// randomBits multiplies in 64 bits, of which the halves are the words of the generator.
func randomBits(c *emission) []val {
	seed := c.Ints("seed")
	word := func(x uint64) val { return c.integer(tensor.Int64, int64(x&0xffffffff)) }
	low := func(x val) val { return c.do("BitwiseAnd", x, word(0xffffffff)) }
	high := func(x val) val {
		u := c.cast(x, tensor.Uint64)
		u = c.node1("BitShift", u.Type, at("direction", "RIGHT"), u, c.integer(tensor.Uint64, 32))
		return c.cast(u, tensor.Int64)
	}
	xor := func(a, b, k val) val { return c.do("BitwiseXor", c.do("BitwiseXor", a, b), k) }
	i := c.in[0]
	zero := c.do("Sub", i, i)
	state := [4]val{low(i), high(i), zero, zero}
	for round := range uint64(10) {
		k0, k1 := word(uint64(seed[0])+round*0x9E3779B9), word(uint64(seed[1])+round*0xBB67AE85)
		a, b := c.do("Mul", state[0], word(0xD2511F53)), c.do("Mul", state[2], word(0xCD9E8D57))
		state = [4]val{xor(high(b), state[1], k0), low(b), xor(high(a), state[3], k1), low(a)}
	}
	return one(c.cast(state[0], tensor.Uint32))
}
