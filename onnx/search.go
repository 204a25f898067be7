package onnx

import (
	"math"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

// Operators that find elements. Where their number is known only when they are found, the run goes on in parts.
var searchRows = family{"Searches", []row{
	argument("ArgMax", "argmax_reduce"),
	argument("ArgMin", "argmin_reduce"),
	{name: "Compress", forms: forms("9 11", "input, condition; axis: int -> output"), items: compress},
	{name: "Hardmax", forms: forms("1 11", "input; axis=1 -> output", "13", "input; axis=-1 -> output"), lower: hardmax},
	{name: "NonMaxSuppression", forms: forms("10 11", "boxes, scores, max_output_boxes_per_class?, iou_threshold?: float, score_threshold?: float; center_point_box=0 -> selected_indices"),
		items: nonMaxSuppression},
	{name: "NonZero", forms: forms("9 13", "X"), items: func(c *lowering) []item {
		found := c.Nodes("non_zero", nil, c.In(0))
		return c.Then(found[1], found[:1], func(c *lowering, count *tensor.Tensor, found []*graph.Value) []*graph.Value {
			return one(c.Section(found[0], 1, 0, number(count)))
		})
	}},
	{name: "TfIdfVectorizer", forms: forms("9", "X; max_gram_length: int!, max_skip_count: int!, min_gram_length: int!, mode: string!, ngram_counts: ints!, "+
		"ngram_indexes: ints!, pool_int64s: ints, pool_strings: strings, weights: floats"), lower: tfIdfVectorizer},
	{name: "TopK", forms: forms("1", "X; axis=-1, k: int! -> Values, Indices", "10", "X, K; axis=-1 -> Values, Indices",
		"11 24", "X, K; axis=-1, largest=1, sorted=1 -> Values, Indices"), lower: topK},
	{name: "Unique", forms: forms("11", "X; axis: int, sorted=1 -> Y, indices?, inverse_indices?, counts?"), items: unique},
}}

// number returns the only element of a count.
func number(count *tensor.Tensor) int { return int(tensor.Data[int64](count)[0]) }

// argument is the row of an operator that finds the place of an element along an axis.
func argument(name, operator string) row {
	return row{name: name, forms: forms("1 11", "data; axis=0, keepdims=1 -> reduced", "12 13", "data; axis=0, keepdims=1, select_last_index=0 -> reduced"),
		lower: func(c *lowering) []*graph.Value {
			axis := c.Axis("axis", c.Int("axis"), len(c.Shape(0)))
			last := c.Flag("select_last_index")
			y := c.place(operator, c.In(0), axis, last)
			if !c.Flag("keepdims") {
				y = c.Squeeze(y, axis)
			}
			return one(y)
		}}
}

// place finds the first or last place of an element along an axis.
func (c *lowering) place(operator string, x *graph.Value, axis int, last bool) *graph.Value {
	axes := emit.Attr("axes", []int{axis})
	if !last {
		return c.Node(operator, axes, x)
	}
	most := c.Constant(tensor.Scalar(int64(x.Type.Shape[axis] - 1)))
	return c.Node("sub", nil, most, c.Node(operator, axes, c.Node("reverse", axes, x)))
}

func compress(c *lowering) []item {
	x, axis := c.lined(c.In(0))
	condition := c.In(1)
	if len(condition.Type.Shape) != 1 {
		c.failf("condition", "it is %v; its rank must be 1", condition.Type)
	}
	condition = c.Section(condition, 0, 0, min(condition.Type.Shape[0], x.Type.Shape[axis]))
	found := c.Nodes("non_zero", nil, condition)
	return c.Then(found[1], []*graph.Value{x, found[0]}, func(c *lowering, count *tensor.Tensor, kept []*graph.Value) []*graph.Value {
		n := number(count)
		x, axis := c.lined(kept[0])
		return one(c.Node("gather", emit.Attr("axis", axis), x, c.Reshape(c.Section(kept[1], 1, 0, n), n)))
	})
}

// lined returns a value and the axis that an attribute names or, if it names none, the value as one dimension and 0.
func (c *lowering) lined(x *graph.Value) (*graph.Value, int) {
	if c.Given("axis") {
		return x, c.Axis("axis", c.Int("axis"), len(x.Type.Shape))
	}
	return c.Reshape(x, x.Type.Shape.Len()), 0
}

// hardmax puts ones among zeros, where the greatest elements are.
func hardmax(c *lowering) []*graph.Value {
	x := c.In(0)
	s := x.Type.Shape
	axis := c.Axis("axis", c.Int("axis"), len(s))
	flat := x
	if c.opset < 13 {
		flat, axis = c.Reshape(x, s[:axis].Len(), s[axis:].Len()), 1
	}
	best := c.Node("argmax_reduce", emit.Attr("axes", []int{axis}), flat)
	all := func(y int64, like *graph.Value) *graph.Value {
		return c.Broadcast(c.Cast(c.Constant(tensor.Scalar(y)), x.Type.DType), like.Type.Shape...)
	}
	return one(c.Reshape(c.Node("scatter_elements", emit.Attr("axis", axis), all(0, flat), best, all(1, best)), s...))
}

func nonMaxSuppression(c *lowering) []item {
	attrs := []any{"centered", c.Flag("center_point_box"), "max_output_size", 0}
	if c.In(2) != nil {
		c.scalar(2)
		attrs[3] = min(max(c.KnownPlaces(2)[0], 0), math.MaxInt32)
	}
	for i, name := range []string{"iou_threshold", "score_threshold"} {
		if c.scalar(3+i) != nil {
			attrs = append(attrs, name, max(c.KnownFloats(3 + i)[0], -math.MaxFloat32))
		}
	}
	found := c.Nodes("class_box_suppression", emit.Attr(attrs...), c.In(0), c.In(1))
	return c.Then(found[1], found[:1], func(c *lowering, count *tensor.Tensor, found []*graph.Value) []*graph.Value {
		return one(c.Section(found[0], 0, 0, number(count)))
	})
}

func tfIdfVectorizer(c *lowering) []*graph.Value {
	if c.Given("pool_strings") {
		c.failf("pool_strings", stringsOut)
	}
	weights := c.Floats("weights")
	if weights == nil {
		weights = []float64{}
	}
	return one(c.Node("n_gram_count", emit.Attr("pool", c.list("pool_int64s"), "starts", c.list("ngram_counts"), "columns", c.list("ngram_indexes"),
		"min_length", c.Int("min_gram_length"), "max_length", c.Int("max_gram_length"), "max_skip", c.Int("max_skip_count"),
		"mode", c.OneOf("mode", "TF", "IDF", "TFIDF"), "weights", weights), c.In(0)))
}

// list is [lowering.Ints], which may be empty but not nil.
func (c *lowering) list(name string) []int { return append([]int{}, c.Ints(name)...) }

func topK(c *lowering) []*graph.Value {
	axis := c.Axis("axis", c.Int("axis"), len(c.Shape(0)))
	k := 0
	if c.form.declared("k") != nil {
		k = c.Int("k")
	} else {
		k = c.KnownInt(1)
	}
	largest, sorted := true, true
	if c.form.declared("largest") != nil {
		largest, sorted = c.Flag("largest"), c.Flag("sorted")
	}
	return c.Nodes("top_k", emit.Attr("axis", axis, "k", k, "largest", largest, "sorted", sorted), c.In(0))
}

func unique(c *lowering) []item {
	x, axis := c.lined(c.In(0))
	found := c.Nodes("unique", emit.Attr("axis", axis, "sorted", c.Flag("sorted")), x)
	return c.Then(found[3], append(found[:3:3], x), func(c *lowering, count *tensor.Tensor, kept []*graph.Value) []*graph.Value {
		n := number(count)
		x, axis := c.lined(kept[3])
		first, inverse, counts := c.Section(kept[0], 0, 0, n), kept[1], c.Section(kept[2], 0, 0, n)
		return []*graph.Value{c.Node("gather", emit.Attr("axis", axis), x, first), first, inverse, counts}
	})
}
