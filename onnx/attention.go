package onnx

import (
	"math"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

const (
	attentionOut   = " -> Y, present_key?, present_value?, qk_matmul_output?"
	attentionAttrs = "; is_causal=0, kv_num_heads: int, q_num_heads: int, qk_matmul_output_mode=0, scale: float, softcap=0.0, softmax_precision: int"
)

// Attention.
var attentionRows = family{"Attention", []row{
	{name: "Attention", forms: forms("23", "Q, K, V, attn_mask?: any, past_key?, past_value?"+attentionAttrs+attentionOut,
		"24", "Q, K, V, attn_mask?: any, past_key?, past_value?, nonpad_kv_seqlen?: integer"+attentionAttrs+attentionOut,
		"25", "Q, K, V, attn_mask?: any, past_key?, past_value?, nonpad_kv_seqlen?: integer"+attentionAttrs+", left_window_size=-1, right_window_size=-1"+attentionOut),
		lower: lowerAttention},
	{name: "ai.onnx.preview.FlexAttention", forms: forms("1", "Q, K, V: float; prob_mod: graph, scale: float, score_mod: graph, softmax_precision: int"),
		items: flexAttention},
	{name: "LinearAttention", forms: forms("27", "query: float, key: float, value: float, past_state?: float, decay?: float, beta?: float; chunk_size=64, kv_num_heads: int!, "+
		`q_num_heads: int!, scale=0.0, update_rule="gated_delta" -> output, present_state`), lower: linearAttention, remark: "chunk_size, which only tunes speed, has no effect"},
}}

// attention is the weighing of values by how well keys fit queries. Tensors are (batch, heads, sequence, size); each head of keys and values
// serves as many heads of queries in a row as there are for one.
type attention struct {
	q, k, v   *graph.Value
	scale     float64
	softcap   float64      // scores are kept below it in magnitude; 0 for no bound
	bias      *graph.Value // is added to the scores, to whose shape it broadcasts; nil for none
	empty     bool         // all keys may be masked for a query
	sink      *graph.Value // a score for each head that counts in the softmax as if there were a key whose value is 0; nil for none
	precision tensor.DType // of the softmax; Invalid for that of q
	scores    *graph.Value // before softcap
	capped    *graph.Value // before bias
	biased    *graph.Value // before softmax
	weights   *graph.Value // behind it
}

// heads makes (batch, sequence, heads·size) a tensor (batch, heads, sequence, size).
func (c *lowering) heads(what string, v *graph.Value, n int) *graph.Value {
	s := v.Type.Shape
	if n < 1 {
		c.failf(what, "the number of heads is %d; it must be positive", n)
	}
	if len(s) != 3 || s[2]%n != 0 {
		c.failf(what, "it is %v; it must have three dimensions, the last one divisible by the number of heads, %d", v.Type, n)
	}
	return c.Transpose(c.Reshape(v, s[0], s[1], n, s[2]/n), 0, 2, 1, 3)
}

// flat is the inverse of [lowering.heads].
func (c *lowering) flat(v *graph.Value) *graph.Value {
	s := v.Type.Shape
	return c.Reshape(c.Transpose(v, 0, 2, 1, 3), s[0], s[2], s[1]*s[3])
}

// check holds the shapes of an attention against each other.
func (c *lowering) check(a *attention) {
	for i, v := range []*graph.Value{a.q, a.k, a.v} {
		if len(v.Type.Shape) != 4 {
			c.failf(c.operandName(i), "it has the shape %v; there must be four dimensions: batch, heads, sequence, size", v.Type.Shape)
		}
	}
	q, k, v := a.q.Type.Shape, a.k.Type.Shape, a.v.Type.Shape
	switch {
	case k[0] != q[0] || v[0] != q[0]:
		c.failf(c.operandName(1), "the batches are %d, %d and %d; they must be equal", q[0], k[0], v[0])
	case k[1] != v[1] || k[2] != v[2]:
		c.failf(c.operandName(2), "it has %d heads and %d elements; it must have as many as the keys, %d and %d", v[1], v[2], k[1], k[2])
	case k[1] == 0 || q[1]%k[1] != 0:
		c.failf(c.operandName(0), "it has %d heads; their number must be a multiple of that of the keys, %d", q[1], k[1])
	case k[3] != q[3]:
		c.failf(c.operandName(1), "its vectors have %d elements; they must have %d, as the queries", k[3], q[3])
	}
}

// shared multiplies the matrices in a, which have as many heads or a multiple, with those in b.
func (c *lowering) shared(a, b *graph.Value, transposed bool) *graph.Value {
	s, t := a.Type.Shape, b.Type.Shape
	if s[1] != t[1] {
		a = c.Reshape(a, s[0], t[1], s[1]/max(t[1], 1)*s[2], s[3]) // the rows of all heads that share a matrix
	}
	y := c.product(a, b, false, transposed)
	return c.Reshape(y, s[0], s[1], s[2], y.Type.Shape[3])
}

// score sets the scores of keys for queries, in all stages before the softmax.
func (c *lowering) score(a *attention) {
	c.check(a)
	a.scores = c.shared(c.scaled(a.q, "scale", a.scale), a.k, true)
	a.capped = a.scores
	if a.softcap > 0 {
		bound := c.Number(a.softcap, a.q.Type.DType)
		a.capped = c.Node("mul", nil, c.Node("tanh", nil, c.Node("div", nil, a.scores, bound)), bound)
	}
	a.biased = a.capped
	if a.bias != nil {
		a.biased = c.Each("add", a.capped, a.bias)
		if !a.biased.Type.Shape.Equal(a.capped.Type.Shape) {
			c.failf("attn_mask", "it has the shape %v, which does not broadcast to %v", a.bias.Type.Shape, a.capped.Type.Shape)
		}
	}
}

// weigh returns the result of an attention whose scores are there.
func (c *lowering) weigh(a *attention) *graph.Value {
	d := a.q.Type.DType
	x := a.biased
	if a.precision != tensor.Invalid {
		x = c.Cast(x, a.precision)
	}
	keys := x.Type.Shape[3]
	if a.sink != nil {
		s := x.Type.Shape
		sink := c.Broadcast(c.Reshape(c.Cast(a.sink, x.Type.DType), 1, s[1], 1, 1), s[0], s[1], s[2], 1)
		x = c.Node("concat", emit.Attr("axis", 3), x, sink)
	}
	a.weights = c.Cast(c.Section(c.shares(x, 3), 3, 0, keys), d)
	y := c.shared(a.weights, a.v, false)
	if a.empty && a.bias != nil {
		none := c.Node("eq", nil, c.Node("max_reduce", emit.Attr("axes", []int{len(a.bias.Type.Shape) - 1}), a.bias), c.Number(math.Inf(-1), d))
		a.weights, y = c.Each("select", none, c.Number(0, d), a.weights), c.Each("select", none, c.Number(0, d), y)
	}
	return y
}

// defaultScale returns the attribute scale, by default the reciprocal root of the size of vectors.
func (c *lowering) defaultScale(size int) float64 {
	if c.Given("scale") {
		return c.Float("scale")
	}
	return 1 / math.Sqrt(float64(max(size, 1)))
}

// sum adds values that are there, nil if none is.
func (c *lowering) sum(biases ...*graph.Value) *graph.Value {
	var out *graph.Value
	for _, b := range biases {
		switch {
		case out == nil:
			out = b
		case b != nil:
			out = c.Each("add", out, b)
		}
	}
	return out
}

// maskWhere returns a bias that leaves out what a condition is false for.
func (c *lowering) maskWhere(keep *graph.Value, d tensor.DType) *graph.Value {
	return c.Node("select", nil, keep, c.Number(0, d), c.Number(math.Inf(-1), d))
}

// maskBeyond returns a bias for scores of that many queries and keys that leaves out key j for query i if j - i is beyond a bound: greater or, if it
// is a lower one, less.
func (c *lowering) maskBeyond(queries, keys, bound int, lower bool, d tensor.DType) *graph.Value {
	all := c.Broadcast(c.Number(math.Inf(-1), d), queries, keys)
	if lower {
		return c.Node("triangular", emit.Attr("upper", false, "diagonal", bound-1), all)
	}
	return c.Node("triangular", emit.Attr("upper", true, "diagonal", bound+1), all)
}

func lowerAttention(c *lowering) []*graph.Value {
	a := &attention{q: c.In(0), k: c.In(1), v: c.In(2), softcap: c.Float("softcap"), precision: c.ElemType("softmax_precision")}
	flat := len(a.q.Type.Shape) == 3
	if flat {
		a.q = c.heads("Q", a.q, c.Int("q_num_heads"))
		a.k, a.v = c.heads("K", a.k, c.Int("kv_num_heads")), c.heads("V", a.v, c.Int("kv_num_heads"))
	}
	past := 0
	if (c.In(4) == nil) != (c.In(5) == nil) {
		c.failf("past_key", "one of past_key and past_value is given; it must be both or none")
	}
	if c.In(4) != nil {
		if s := c.Shape(4); len(s) == 4 {
			past = s[2]
		}
		a.k = c.Node("concat", emit.Attr("axis", 2), c.In(4), a.k)
		a.v = c.Node("concat", emit.Attr("axis", 2), c.In(5), a.v)
	}
	c.check(a)
	a.scale = c.defaultScale(a.q.Type.Shape[3])
	c.attentionBias(a, past)
	c.score(a)
	y := c.weigh(a)
	if flat {
		y = c.flat(y)
	}
	out := []*graph.Value{y, a.k, a.v, nil}
	switch mode := c.Int("qk_matmul_output_mode"); mode {
	case 0:
		out[3] = a.scores
	case 1:
		out[3] = a.capped
	case 2:
		out[3] = a.biased
	case 3:
		out[3] = a.weights
	default:
		c.failf("qk_matmul_output_mode", "it is %d; it must be from 0 to 3", mode)
	}
	return out
}

// attentionBias sets the bias of Attention: that of the mask, of what lies behind the query, of windows around it, and of keys that are padding.
// The queries stand behind as many keys as are past or, if lengths without padding are given, at the end of those.
func (c *lowering) attentionBias(a *attention, past int) {
	d, queries, keys := a.q.Type.DType, a.q.Type.Shape[2], a.k.Type.Shape[2]
	mask := c.In(3)
	if mask != nil {
		mask, a.empty = c.attentionMask(mask, keys, d), true
	}
	left, right := -1, -1 // the distances of the last keys that are seen; negative for no bound
	if c.form.declared("left_window_size") != nil {
		left, right = c.Int("left_window_size"), c.Int("right_window_size")
		a.empty = a.empty || left >= 0 || right >= 0
	}
	if c.Flag("is_causal") {
		right = 0
	}
	if c.In(6) != nil {
		a.empty = true
		known := c.Cast(c.In(6), tensor.Int64)
		first := c.Node("sub", nil, known, c.Constant(tensor.Scalar(int64(queries))))
		if c.In(4) != nil {
			first = c.Broadcast(c.Constant(tensor.Scalar(int64(past))), known.Type.Shape...)
		}
		a.bias = c.sum(c.paddedBias(left, right, queries, keys, known, first, d), mask)
		return
	}
	a.bias = c.sum(c.windowBias(left, right, queries, keys, past, d), mask)
}

// windowBias leaves out the keys that lie farther to the left or right of a query than these numbers say, the queries standing behind as many keys as
// are past; negative numbers leave out none.
func (c *lowering) windowBias(left, right, queries, keys, past int, d tensor.DType) *graph.Value {
	var biases []*graph.Value
	if right >= 0 {
		biases = append(biases, c.maskBeyond(queries, keys, past+right, false, d))
	}
	if left >= 0 {
		biases = append(biases, c.maskBeyond(queries, keys, past-left, true, d))
	}
	return c.sum(biases...)
}

// attentionMask makes a mask a bias for all keys; those that it says nothing of are left out. One for a single key says nothing of others, too: only
// opset 23 has it count for all.
func (c *lowering) attentionMask(mask *graph.Value, keys int, d tensor.DType) *graph.Value {
	if mask.Type.DType == tensor.Bool {
		mask = c.maskWhere(mask, d)
	}
	mask = c.Cast(mask, d)
	rank := len(mask.Type.Shape)
	if rank == 0 || mask.Type.Shape[rank-1] >= keys || mask.Type.Shape[rank-1] == 1 && c.opset < 24 {
		return mask
	}
	padding := make([]int, 2*rank)
	padding[2*rank-1] = keys - mask.Type.Shape[rank-1]
	return c.Node("pad", emit.Attr("padding", padding), mask, c.Number(math.Inf(-1), d))
}

// paddedBias is [lowering.windowBias] with known keys for each item of the batch, the rest being padding, and the place of its first query.
func (c *lowering) paddedBias(left, right, queries, keys int, known, first *graph.Value, d tensor.DType) *graph.Value {
	if len(known.Type.Shape) != 1 {
		c.failf("nonpad_kv_seqlen", "it is %v; it must have one dimension", known.Type)
	}
	key := c.IotaAlong(3, 4, keys, tensor.Int64)
	bias := c.maskWhere(c.Node("lt", nil, key, c.Unsqueeze(known, 1, 2, 3)), d)
	if left < 0 && right < 0 {
		return bias
	}
	query := c.Node("add", nil, c.IotaAlong(2, 4, queries, tensor.Int64), c.Unsqueeze(first, 1, 2, 3))
	distance := c.Node("sub", nil, key, query)
	if right >= 0 {
		bias = c.sum(bias, c.maskWhere(c.Node("le", nil, distance, c.Constant(tensor.Scalar(int64(right)))), d))
	}
	if left >= 0 {
		bias = c.sum(bias, c.maskWhere(c.Node("ge", nil, distance, c.Constant(tensor.Scalar(int64(-left)))), d))
	}
	return bias
}

// flexAttention is an attention with graphs that change scores and weights.
func flexAttention(c *lowering) []item {
	a := &attention{q: c.In(0), k: c.In(1), v: c.In(2)}
	c.check(a)
	a.scale = c.defaultScale(a.q.Type.Shape[3])
	c.score(a)
	d := c.ElemType("softmax_precision")
	if d == tensor.Invalid {
		if d = a.q.Type.DType; d.Size() < 4 {
			d = tensor.Float32
		}
	}
	if !d.IsFloat() {
		c.failf("softmax_precision", "it is %v; it must be a float", d)
	}
	return c.modified("score_mod", c.Cast(a.scores, d), func(c *lowering, scores *graph.Value) []item {
		weights := c.shares(scores, 3)
		return c.modified("prob_mod", weights, func(c *lowering, weights *graph.Value) []item {
			return tensors(c.Cast(c.shared(weights, c.Cast(c.In(2), d), false), c.DType(2)))
		})
	})
}

// modified has a graph in an attribute, if there is one, make another value of the same type of one, and then next go on.
func (c *lowering) modified(name string, v *graph.Value, next func(c *lowering, v *graph.Value) []item) []item {
	if !c.Given(name) {
		return next(c, v)
	}
	net := c.Graph(name)
	if len(net.inputs) != 1 || len(net.outputs) != 1 {
		c.failf(name, "the graph has %d inputs and %d outputs; it must have one of each", len(net.inputs), len(net.outputs))
	}
	t := v.Type
	return c.through(net, tensors(v), func(c *lowering, out []item) []item {
		w := out[0].value
		if w == nil || !w.Type.Shape.Equal(t.Shape) || w.Type.DType != t.DType {
			c.failf(name, "the output of the graph is no tensor of the type of its input, %v", t)
		}
		return next(c, w)
	})
}
