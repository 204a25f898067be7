package onnx

import (
	"math"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// Operators that make tensors of attributes, shapes or a few numbers. Where the elements follow a formula, operators on constants compute
// them, which are evaluated when the graph is made.
var createRows = family{"Constants and ranges", []row{
	windowFunction("BlackmanWindow", 0, 0.36, 0.64),
	{name: "Constant", forms: forms("1 9", "; value: tensor! -> output", "11", "; sparse_value: sparse, value: tensor -> output",
		"12 13 19 21 23 24 25", "; sparse_value: sparse, value: tensor, value_float: float, value_floats: floats, value_int: int, value_ints: ints, "+
			"value_string: string, value_strings: strings -> output"), lower: constant},
	{name: "ConstantOfShape", forms: forms("9 20 21 23 24 25", "input; value: tensor -> output"), lower: constantOfShape},
	{name: "EyeLike", forms: forms("9 22", "input; dtype: int, k=0 -> output"), lower: eyeLike},
	windowFunction("HammingWindow", 4.0/46, 42.0/46, 0),
	windowFunction("HannWindow", 0, 1, 0),
	{name: "MelWeightMatrix", forms: forms("17", "num_mel_bins, dft_length, sample_rate, lower_edge_hertz: number, upper_edge_hertz: number; output_datatype=1 -> output"),
		lower: melWeightMatrix},
	{name: "OneHot", forms: forms("9 11", "indices: number, depth: number, values; axis=-1 -> output"), lower: oneHot},
	{name: "Range", forms: forms("11", "start, limit, delta -> output", "27", "start, limit, delta; stash_type=1 -> output"), lower: rangeOf},
	{name: "Shape", forms: forms("1 13", "data -> shape", "15 19 21 23 24 25", "data; end: int, start=0 -> shape"), lower: shapeOf},
	{name: "Size", forms: forms("1 13 19 21 23 24 25", "data -> size"), lower: func(c *lowering) []*graph.Value {
		return one(c.Constant(tensor.Scalar(int64(c.Shape(0).Len()))))
	}},
}}

func constant(c *lowering) []*graph.Value {
	given := ""
	for _, a := range c.form.attrs {
		if c.Given(a.name) && given != "" {
			c.failf(a.name, "%s is given, too; there must be one value", given)
		} else if c.Given(a.name) {
			given = a.name
		}
	}
	var t *tensor.Tensor
	var err error
	switch given {
	case "value":
		t = c.Tensor(given)
	case "sparse_value":
		a, _ := c.attribute(given, proto.AttributeSparseTensor)
		if a.SparseTensor == nil {
			c.failf(given, "the attribute has no tensor")
		}
		t, err = c.w.file.dense(a.SparseTensor)
	case "value_float":
		t = tensor.Scalar(float32(c.Float(given)))
	case "value_floats":
		a, _ := c.attribute(given, proto.AttributeFloats)
		t, err = tensor.FromSlice(a.Floats, len(a.Floats))
	case "value_int":
		a, _ := c.attribute(given, proto.AttributeInt)
		t = tensor.Scalar(a.I)
	case "value_ints":
		a, _ := c.attribute(given, proto.AttributeInts)
		t, err = tensor.FromSlice(a.Ints, len(a.Ints))
	case "":
		c.failf("", "no value is given")
	default:
		c.failf(given, stringsOut)
	}
	if err != nil {
		c.failf(given, "%v", err)
	}
	return one(c.Constant(t))
}

func constantOfShape(c *lowering) []*graph.Value {
	t := tensor.Scalar[float32](0)
	if c.Given("value") {
		if t = c.Tensor("value"); t.Len() != 1 {
			c.failf("value", "it is %v; it must have one element", t.Describe())
		}
	}
	return one(c.Broadcast(c.Reshape(c.Constant(t)), c.extents(0)...))
}

// Iota adds the numbers 0 … n-1.
func (c *lowering) Iota(n int, d tensor.DType) *graph.Value {
	ones := c.Broadcast(c.Constant(tensor.Scalar[int64](1)), n)
	return c.Cast(c.Node("cumulative_sum", emit.Attr("axis", 0, "exclusive", true), ones), d)
}

// IotaAlong adds the numbers 0 … n-1 along an axis of a tensor of a rank.
func (c *lowering) IotaAlong(axis, rank, n int, d tensor.DType) *graph.Value {
	shape := make([]int, rank)
	for i := range shape {
		shape[i] = 1
	}
	shape[axis] = n
	return c.Reshape(c.Iota(n, d), shape...)
}

// eyeLike compares numbers of rows and columns.
func eyeLike(c *lowering) []*graph.Value {
	s, d := c.Shape(0), c.ElemType("dtype")
	if len(s) != 2 {
		c.failf("input", "it is %v; its rank must be 2", c.In(0).Type)
	}
	if d == tensor.Invalid {
		d = c.DType(0)
	}
	diagonal := c.Constant(tensor.Scalar(int64(c.Int("k"))))
	rows := c.Node("add", nil, c.IotaAlong(0, 2, s[0], tensor.Int64), diagonal)
	return one(c.Cast(c.Node("eq", nil, rows, c.IotaAlong(1, 2, s[1], tensor.Int64)), d))
}

func oneHot(c *lowering) []*graph.Value {
	indices := c.Cast(c.In(0), tensor.Int64)
	depth := c.KnownWhole(1)
	if depth < 0 {
		c.failf("depth", "%d is no number of classes", depth)
	}
	if len(c.Shape(2)) != 1 || c.Shape(2)[0] != 2 {
		c.failf("values", "it is %v; it must have two elements", c.In(2).Type)
	}
	values := c.Sections(c.In(2), 0, 1, 1)
	rank := len(indices.Type.Shape) + 1
	axis := c.Axis("axis", c.Int("axis"), rank)
	hot := c.oneHot(indices, axis, depth)
	return one(c.Node("select", nil, hot, c.Reshape(values[1]), c.Reshape(values[0])))
}

// oneHot adds a dimension of extent n and says where an index, which may be negative, is that of the place along it.
func (c *lowering) oneHot(indices *graph.Value, axis, n int) *graph.Value {
	zero, extent := c.Constant(tensor.Scalar[int64](0)), c.Constant(tensor.Scalar(int64(n)))
	indices = c.Node("select", nil, c.Node("lt", nil, indices, zero), c.Node("add", nil, indices, extent), indices)
	places := c.IotaAlong(axis, len(indices.Type.Shape)+1, n, tensor.Int64)
	return c.Node("eq", nil, c.Unsqueeze(indices, axis), places)
}

// rangeOf computes floats of 16 bits in the type that stash_type says.
func rangeOf(c *lowering) []*graph.Value {
	d := c.DType(0)
	wide := d
	if d.IsHalf() {
		wide = tensor.Float32
		if c.form.declared("stash_type") != nil {
			wide = c.ElemType("stash_type")
		}
		if wide != tensor.Float32 && wide != tensor.Float64 {
			c.failf("stash_type", "it is %v; it must be float32 or float64", wide)
		}
	}
	for i := range 3 {
		if c.DType(i) != d {
			c.failf(c.operandName(i), "the element type is %v; it must be %v, that of start", c.DType(i), d)
		}
	}
	start, delta := c.scalar(0), c.scalar(2)
	var n int
	c.scalar(1)
	if d.IsInteger() {
		n = c.count(c.KnownInt(0), c.KnownInt(1), c.KnownInt(2))
	} else {
		n = c.floatSteps(c.KnownFloats(0)[0], c.KnownFloats(1)[0], c.KnownFloats(2)[0])
	}
	along := c.Node("mul", nil, c.Iota(n, wide), c.Cast(delta, wide))
	return one(c.Cast(c.Node("add", nil, along, c.Cast(start, wide)), d))
}

// count returns how many numbers there are from start up to but without limit, delta apart.
func (c *lowering) count(start, limit, delta int) int {
	var way, step uint64
	switch {
	case delta == 0:
		c.failf("delta", "it is 0")
	case delta > 0 && start < limit:
		way, step = uint64(limit)-uint64(start), uint64(delta)
	case delta < 0 && start > limit:
		way, step = uint64(start)-uint64(limit), -uint64(delta)
	default:
		return 0
	}
	return c.number((way-1)/step + 1)
}

// floatSteps is steps for floats.
func (c *lowering) floatSteps(start, limit, delta float64) int {
	n := math.Ceil((limit - start) / delta)
	if math.IsNaN(n) || n > tensor.MaxElements {
		c.failf("limit", "from %v to %v by %v is no range", start, limit, delta)
	}
	return int(max(n, 0))
}

// number checks a number of elements.
func (c *lowering) number(n uint64) int {
	if n > tensor.MaxElements {
		c.failf("limit", "the range has %d elements, more than can be addressed", n)
	}
	return int(n)
}

func shapeOf(c *lowering) []*graph.Value {
	s := c.Shape(0)
	begin, end := 0, len(s)
	if c.form.declared("start") != nil {
		begin = c.Int("start")
		if c.Given("end") {
			end = c.Int("end")
		}
	}
	place := func(i int) int {
		if i < 0 {
			i += len(s)
		}
		return min(max(i, 0), len(s))
	}
	begin, end = place(begin), place(end)
	return one(c.IntsConstant(s[begin:max(begin, end)]...))
}

// window is the row of a window function c₀ + c₁·s + c₂·s² of s = sin²(π·i/n), which is (1 - cos(2π·i/n)) / 2 without the loss of digits
// near the edges.
func windowFunction(name string, c0, c1, c2 float64) row {
	return row{name: name, forms: forms("17", "size; output_datatype=1, periodic=1 -> output"), lower: func(c *lowering) []*graph.Value {
		size := c.KnownInt(0)
		if size < 0 {
			c.failf("size", "%d is no size", size)
		}
		n := size
		if !c.Flag("periodic") {
			n--
		}
		number := func(x float64) *graph.Value { return c.Number(x, tensor.Float32) }
		angle := c.Node("div", nil, c.Node("mul", nil, c.Iota(size, tensor.Float32), number(math.Pi)), number(float64(max(n, 1))))
		s := c.Node("sqr", nil, c.Node("sin", nil, angle))
		y := c.Node("add", nil, number(c1), c.Node("mul", nil, s, number(c2)))
		y = c.Node("add", nil, number(c0), c.Node("mul", nil, s, y))
		return one(c.Cast(y, c.ElemType("output_datatype")))
	}}
}

// melWeightMatrix makes triangles over the bins of a spectrum, whose corners have equal distances on the mel scale: m = 2595·log₁₀(1 + f/700).
func melWeightMatrix(c *lowering) []*graph.Value {
	bands, length, rate := c.KnownInt(0), c.KnownInt(1), c.KnownInt(2)
	switch {
	case bands < 0 || bands > math.MaxInt32:
		c.failf("num_mel_bins", "%d is no number of bands", bands)
	case length < 0 || length > math.MaxInt32:
		c.failf("dft_length", "%d is no length", length)
	case rate < 1:
		c.failf("sample_rate", "%d is no rate", rate)
	}
	number := func(x float64) *graph.Value { return c.Number(x, tensor.Float32) }
	mel := func(i int) *graph.Value { // in units of 2595·log₁₀ 2
		f := c.Cast(c.scalar(i), tensor.Float32)
		return c.Node("log2", nil, c.Node("add", nil, c.Node("div", nil, f, number(700)), number(1)))
	}
	low, high := mel(3), mel(4)
	step := c.Node("div", nil, c.Node("sub", nil, high, low), number(float64(bands+2)))
	corners := c.Node("add", nil, c.Node("mul", nil, c.Iota(bands+2, tensor.Float32), step), low)
	hertz := c.Node("mul", nil, c.Node("sub", nil, c.Node("pow", nil, number(2), corners), number(1)), number(700))
	bins := c.Node("floor", nil, c.Node("div", nil, c.Node("mul", nil, hertz, number(float64(length+1))), number(float64(rate))))

	left, center, right := c.Section(bins, 0, 0, bands), c.Section(bins, 0, 1, bands+1), c.Section(bins, 0, 2, bands+2)
	bin := c.IotaAlong(0, 2, length/2+1, tensor.Float32)
	rising := c.slope(bin, left, center)
	atPeak := c.Each("eq", bin, center)
	falling := c.slope(bin, right, center)
	y := c.Each("select", c.between(bin, left, center), rising, number(0))
	y = c.Each("select", atPeak, number(1), y)
	y = c.Each("select", c.Each("and", c.Each("gt", bin, center), c.Each("lt", bin, right)), falling, y)
	return one(c.Cast(y, c.ElemType("output_datatype")))
}

// slope is the line that is 0 at one place and 1 at another.
func (c *lowering) slope(x, zero, one *graph.Value) *graph.Value {
	return c.Each("div", c.Each("sub", x, zero), c.Each("sub", one, zero))
}

// between says which x lie from least to most.
func (c *lowering) between(x, least, most *graph.Value) *graph.Value {
	return c.Each("and", c.Each("ge", x, least), c.Each("le", x, most))
}
