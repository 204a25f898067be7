package onnx

import (
	"math"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

const sharedRemark = "without do_rotary and past_present_share_buffer"

// Attention as ONNX Runtime's optimisers and generators write it.
var microsoftAttentionRows = family{"Attention of ONNX Runtime", []row{
	{name: "com.microsoft.Attention", forms: forms("1", "input, weights, bias?, mask_index?, past?, attention_bias?, past_sequence_length?; do_rotary=0, "+
		"mask_filter_value=-10000.0, num_heads: int!, past_present_share_buffer=0, qkv_hidden_sizes: ints, rotary_embedding_dim=0, scale: float, "+
		"unidirectional=0 -> output, present?"), lower: projectedAttention, remark: sharedRemark},
	{name: "com.microsoft.QAttention", forms: forms("1", "input, weight, bias, input_scale: float, weight_scale: float, mask_index?, input_zero_point?, "+
		"weight_zero_point?, past?; do_rotary=0, mask_filter_value=-10000.0, num_heads: int!, past_present_share_buffer=0, scale: float, unidirectional=0 "+
		"-> output, present?"), lower: quantisedAttention, remark: sharedRemark},
	{name: "com.microsoft.GroupQueryAttention", forms: forms("1", "query, key?, value?, past_key?, past_value?, seqlens_k: integer, total_sequence_length, cos_cache?, "+
		"sin_cache?, position_ids?, attention_bias?, head_sink?, k_scale?, v_scale?, q_norm_weight?, k_norm_weight?; causal=1, do_rotary=0, "+
		`k_quant_type="NONE", kv_cache_bit_width=0, kv_num_heads: int!, local_window_size=-1, num_heads: int!, qk_norm_epsilon=1e-6, qk_output=0, `+
		`rotary_interleaved=0, scale: float, sliding_window_cache=0, smooth_softmax=0, softcap=0.0, v_quant_type="NONE" `+
		"-> output, present_key?, present_value?, output_qk?"), lower: groupQueryAttention,
		remark: "without windowed caches"},
	{name: "com.microsoft.MultiHeadAttention", forms: forms("1", "query, key?, value?, bias?, key_padding_mask?, attention_bias?, past_key?, past_value?, "+
		"past_sequence_length?, cache_indirection?; mask_filter_value=-10000.0, num_heads: int!, scale: float, unidirectional=0 "+
		"-> output, present_key?, present_value?, qk?"), lower: multiHeadAttention, remark: "without shared buffers and beams"},
}}

// attended adds an attention whose heads are there and returns its results without heads.
func (c *lowering) attended(a *attention) *graph.Value {
	if a.scale = c.Float("scale"); a.scale == 0 { // which stands for the default here
		a.scale = 1 / math.Sqrt(float64(max(a.q.Type.Shape[3], 1)))
	}
	c.score(a)
	return c.flat(c.weigh(a))
}

// grown returns keys or values with past ones in front, if there are any.
func (c *lowering) grown(past, v *graph.Value) *graph.Value {
	if past == nil {
		return v
	}
	return c.Node("concat", emit.Attr("axis", 2), past, v)
}

// filterBias is the bias of a mask: the numbers of keys, or where they end and begin, or ones and zeros for all of them, also for each query.
// Masked ones are not left out, but get mask_filter_value.
func (c *lowering) filterBias(mask *graph.Value, batch, keys int, d tensor.DType) *graph.Value {
	if mask == nil {
		return nil
	}
	shape := mask.Type.Shape
	key := c.IotaAlong(3, 4, keys, mask.Type.DType)
	var keep *graph.Value
	switch {
	case len(shape) == 1 && (shape[0] == batch || shape[0] == 2*batch):
		keep = c.Node("lt", nil, key, c.Unsqueeze(c.Section(mask, 0, 0, batch), 1, 2, 3))
		if shape[0] != batch {
			keep = c.Node("and", nil, keep, c.Node("ge", nil, key, c.Unsqueeze(c.Section(mask, 0, batch, 2*batch), 1, 2, 3)))
		}
	case len(shape) == 2 || len(shape) == 3:
		keep = c.Node("gt", nil, mask, c.Number(0, mask.Type.DType))
		if keep = c.Unsqueeze(keep, 1); len(shape) == 2 {
			keep = c.Unsqueeze(keep, 2)
		}
	default:
		c.failf("mask_index", "it is %v; masks of that shape are not supported", mask.Type)
	}
	return c.Node("select", nil, keep, c.Number(0, d), c.Number(c.Float("mask_filter_value"), d))
}

// maskedBias is the bias that Attention and MultiHeadAttention have: of a mask, of what lies behind each query, and one that is given.
func (c *lowering) maskedBias(a *attention, mask, bias *graph.Value) *graph.Value {
	d, queries, keys := a.q.Type.DType, a.q.Type.Shape[2], a.k.Type.Shape[2]
	right := -1
	if c.Flag("unidirectional") {
		right = 0
	}
	return c.sum(c.windowBias(-1, right, queries, keys, keys-queries, d), c.filterBias(mask, a.q.Type.Shape[0], keys, d), bias)
}

// projectedAttention makes queries, keys and values of its input itself.
func projectedAttention(c *lowering) []*graph.Value {
	x := c.product(c.In(0), c.In(1), false, false)
	if bias := c.In(2); bias != nil {
		x = c.Each("add", x, bias)
	}
	return c.projected(x, c.Ints("qkv_hidden_sizes"), c.In(3), c.In(4), c.In(5))
}

// quantisedAttention is [projectedAttention] of codes.
func quantisedAttention(c *lowering) []*graph.Value {
	w := coded{c.In(1), quantisation{scale: c.In(4), zero: c.In(7)}}
	return c.projected(c.measured(c.single(0, 3, 6), w, c.In(2)), nil, c.In(5), c.In(8), nil)
}

// projected returns the results of an attention whose queries, keys and values, of these sizes or else equal ones, are side by side.
func (c *lowering) projected(x *graph.Value, sizes []int, mask, past, bias *graph.Value) []*graph.Value {
	for _, name := range []string{"do_rotary", "past_present_share_buffer"} {
		if c.Flag(name) {
			c.failf(name, "it is not supported")
		}
	}
	n := c.groups("num_heads")
	if len(x.Type.Shape) != 3 {
		c.failf("input", "it is %v; it must have three dimensions", c.In(0).Type)
	}
	if n := x.Type.Shape[2]; sizes == nil {
		if n%3 != 0 {
			c.failf(c.operandName(1), "it is %v; its columns must be those of queries, keys and values, of each as many", c.In(1).Type)
		}
		sizes = []int{n / 3, n / 3, n / 3}
	}
	if len(c.bounded("qkv_hidden_sizes", 0, sizes)) != 3 || sizes[0]+sizes[1]+sizes[2] != x.Type.Shape[2] {
		c.failf("qkv_hidden_sizes", "%v are no sizes of three parts of %v", sizes, x.Type)
	}
	parts := c.Sections(x, 2, sizes...)
	a := &attention{q: c.heads("input", parts[0], n), k: c.heads("input", parts[1], n), v: c.heads("input", parts[2], n)}
	if past != nil {
		if s := past.Type.Shape; len(s) != 5 || s[0] != 2 {
			c.failf("past", "it is %v; it must have five dimensions, the first one for keys and values", past.Type)
		}
		a.k, a.v = c.grown(c.Squeeze(c.Section(past, 0, 0, 1), 0), a.k), c.grown(c.Squeeze(c.Section(past, 0, 1, 2), 0), a.v)
	}
	a.bias = c.maskedBias(a, mask, bias)
	out := []*graph.Value{c.attended(a), nil}
	if c.Wants(1) {
		out[1] = c.Node("stack", emit.Attr("axis", 0), a.k, a.v)
	}
	return out
}

func multiHeadAttention(c *lowering) []*graph.Value {
	if c.In(8) != nil || c.In(9) != nil {
		c.failf("past_sequence_length", "buffers that past and present share are not supported")
	}
	n := c.groups("num_heads")
	a := &attention{}
	switch q, k, v := c.In(0), c.In(1), c.In(2); {
	case len(q.Type.Shape) == 5:
		parts := c.unpacked(0, n, 3)
		a.q, a.k, a.v = parts[0], parts[1], parts[2]
	case k == nil:
		c.failf("key", "the operand is missing; without it the query must have five dimensions")
	case len(k.Type.Shape) == 5:
		parts := c.unpacked(1, n, 2)
		a.q, a.k, a.v = c.heads("query", q, n), parts[0], parts[1]
	case v == nil:
		c.failf("value", "the operand is missing; without it the key must have five dimensions")
	case len(k.Type.Shape) == 4: // as other attentions have left them
		if len(v.Type.Shape) != 4 {
			c.failf("value", "it is %v; it must have four dimensions as the key has", v.Type)
		}
		a.q, a.k, a.v = c.heads("query", q, n), k, v
	default:
		a.q, a.k, a.v = c.heads("query", q, n), c.heads("key", k, n), c.heads("value", v, n)
	}
	c.headBias(a, c.In(3))
	a.k, a.v = c.grown(c.In(6), a.k), c.grown(c.In(7), a.v)
	a.bias = c.maskedBias(a, c.In(4), c.In(5))
	y := c.attended(a)
	return []*graph.Value{y, a.k, a.v, a.biased}
}

// unpacked takes an operand (batch, sequence, heads, parts, size) apart.
func (c *lowering) unpacked(i, heads, parts int) []*graph.Value {
	v := c.In(i)
	s := v.Type.Shape
	if s[2] != heads || s[3] != parts {
		c.failf(c.operandName(i), "it is %v; it must have %d heads, and %d vectors for each", v.Type, heads, parts)
	}
	out := make([]*graph.Value, parts)
	for k := range out {
		out[k] = c.Transpose(c.Squeeze(c.Section(v, 3, k, k+1), 3), 0, 2, 1, 3)
	}
	return out
}

// headBias adds the biases of all heads to queries, keys and values, but not to keys and values that another attention has left.
func (c *lowering) headBias(a *attention, bias *graph.Value) {
	if bias == nil {
		return
	}
	values := []**graph.Value{&a.q, &a.k, &a.v}
	sizes, total := make([]int, 3), 0
	for i, v := range values {
		s := (*v).Type.Shape
		sizes[i] = s[1] * s[3]
		total += sizes[i]
	}
	if s := bias.Type.Shape; len(s) != 1 || s[0] != total {
		c.failf("bias", "it is %v; it must have %d elements", bias.Type, total)
	}
	given := c.In(1) != nil && len(c.Shape(1)) == 4
	for i, part := range c.Sections(bias, 0, sizes...) {
		if i > 0 && given {
			break
		}
		s := (*values[i]).Type.Shape
		*values[i] = c.Node("add", nil, *values[i], c.Reshape(part, 1, s[1], 1, s[3]))
	}
}

// groupQueryAttention keeps keys and values in a cache, whose known elements seqlens_k counts.
func groupQueryAttention(c *lowering) []*graph.Value {
	if c.Flag("sliding_window_cache") {
		c.failf("sliding_window_cache", "it is not supported")
	}
	a := c.groupedHeads()
	batch, queries := a.q.Type.Shape[0], a.q.Type.Shape[2]
	if s := c.Shape(5); s.Len() != batch {
		c.failf("seqlens_k", "it is %v; it must have one element for each of %d items", c.In(5).Type, batch)
	}
	total := c.KnownInt(6)
	g := &grouped{total: total, prompt: queries == total}
	g.known = c.Node("add", nil, c.Cast(c.Reshape(c.In(5), batch), tensor.Int64), c.Constant(tensor.Scalar[int64](1)))
	if g.first = c.Broadcast(c.Constant(tensor.Scalar[int64](0)), batch); !g.prompt {
		g.first = c.Node("sub", nil, g.known, c.Constant(tensor.Scalar(int64(queries))))
	}
	if c.Flag("do_rotary") {
		c.groupedRotary(a, g)
	}
	present := make([]*graph.Value, 2)
	a.k, present[0] = c.kept(3, 12, "k_quant_type", a.k, g)
	a.v, present[1] = c.kept(4, 13, "v_quant_type", a.v, g)
	c.groupedBias(a, g)
	a.softcap = c.Float("softcap")
	if a.sink = c.In(11); a.sink == nil && c.Int("smooth_softmax") > 0 {
		a.sink = c.Broadcast(c.Number(0, a.q.Type.DType), a.q.Type.Shape[1])
	}
	out := []*graph.Value{c.attended(a), present[0], present[1], nil}
	switch c.Int("qk_output") {
	case 1:
		none := c.Node("eq", nil, a.biased, c.Number(math.Inf(-1), a.biased.Type.DType))
		out[3] = c.Node("select", nil, none, c.Number(0, a.biased.Type.DType), a.biased) // as ONNX Runtime has it
	case 2:
		out[3] = a.weights
	}
	return out
}

// grouped says where the queries of a GroupQueryAttention stand.
type grouped struct {
	total        int          // keys, of the item that has most
	prompt       bool         // nothing is in the cache
	known, first *graph.Value // for each item the number of keys, and the place of the first query
}

// groupedHeads returns queries, keys and values, which may be packed in one operand.
func (c *lowering) groupedHeads() *attention {
	n, kv := c.groups("num_heads"), c.groups("kv_num_heads")
	q, k, v := c.In(0), c.In(1), c.In(2)
	if k == nil && v == nil {
		s := q.Type.Shape
		if len(s) != 3 || int64(s[2])%(int64(n)+2*int64(kv)) != 0 {
			c.failf("query", "it is %v; its last extent must be divisible by %d heads and twice %d", q.Type, n, kv)
		}
		size := s[2] / (n + 2*kv)
		parts := c.Sections(q, 2, n*size, kv*size, kv*size)
		q, k, v = parts[0], parts[1], parts[2]
	}
	if k == nil || v == nil {
		c.failf("key", "one of key and value is given; it must be both or none")
	}
	a := &attention{q: c.heads("query", q, n), k: c.heads("key", k, kv), v: c.heads("value", v, kv)}
	attrs := emit.Attr("axes", []int{3}, "epsilon", c.Float("qk_norm_epsilon"))
	for i, x := range []**graph.Value{&a.q, &a.k} {
		if w := c.In(14 + i); w != nil {
			*x = c.Node("rms_normalization", attrs, *x, w)
		}
	}
	c.check(a)
	return a
}

// groupedRotary turns queries and keys by where they stand.
func (c *lowering) groupedRotary(a *attention, g *grouped) {
	if c.In(7) == nil || c.In(8) == nil {
		c.failf("cos_cache", "the operand is missing; do_rotary asks for it")
	}
	places := c.In(9)
	if places == nil {
		places = c.Node("add", nil, c.Unsqueeze(g.first, 1), c.IotaAlong(1, 2, a.q.Type.Shape[2], tensor.Int64))
	}
	if len(places.Type.Shape) != 2 {
		c.failf("position_ids", "it is %v; it must have two dimensions, batch and sequence", places.Type)
	}
	cos, sin := c.Unsqueeze(c.rows(c.In(7), places), 1), c.Unsqueeze(c.rows(c.In(8), places), 1)
	n := 2 * cos.Type.Shape[3]
	a.q, a.k = c.rotated(a.q, cos, sin, n, c.Flag("rotary_interleaved")), c.rotated(a.k, cos, sin, n, c.Flag("rotary_interleaved"))
}

// kept returns all keys or values, and the cache that holds them, whose elements may be codes of 8 bits, or bytes with two codes of 4 bits. These have
// a scale for all or for each channel of a head.
func (c *lowering) kept(past, scale int, kind string, v *graph.Value, g *grouped) (all, present *graph.Value) {
	d, s, k := v.Type.DType, v.Type.Shape, c.In(scale)
	switch how := c.OneOf(kind, "NONE", "PER_TENSOR", "PER_CHANNEL"); {
	case how == "NONE":
		v = c.cached(past, v, g)
		return v, v
	case k == nil:
		c.failf(c.operandName(scale), "the operand is missing; %s asks for it", kind)
	case how == "PER_TENSOR":
		k = c.scalar(scale)
	case k.Type.Shape.Len() != s[1]*s[3]:
		c.failf(c.operandName(scale), "it is %v; it must have %d elements, one for each channel", k.Type, s[1]*s[3])
	default:
		k = c.Reshape(k, 1, s[1], 1, s[3])
	}
	q := quantisation{scale: k, zero: c.Number(0, tensor.Int8)}
	bits := c.Int("kv_cache_bit_width")
	switch {
	case bits == 4 && s[3]%2 == 0:
		q.zero = c.Number(8, tensor.Uint8)
	case bits != 8:
		c.failf("kv_cache_bit_width", "it is %d; it must be 8 or, for vectors of an even size, 4", bits)
	}
	codes := c.Node("quantize_linear", nil, c.Cast(v, tensor.Float32), q.scale, q.zero)
	if bits == 4 {
		codes = c.Reshape(c.Node("min", nil, codes, c.Number(15, tensor.Uint8)), s[0], s[1], s[2], s[3]/2, 2)
		pair := c.Sections(codes, 4, 1, 1)
		codes = c.Squeeze(c.Node("bitwise_or", nil, pair[0], c.Node("shift_left", nil, pair[1], c.Number(4, tensor.Uint8))), 4)
	}
	present = c.cached(past, codes, g)
	if codes = present; bits == 4 {
		codes = c.Reshape(c.digits(present, 4), s[0], s[1], present.Type.Shape[2], s[3])
	}
	return c.Cast(c.dequantize(coded{codes, q}), d), present
}

// cached puts new keys or values where they belong in a cache, which grows if it is too small.
func (c *lowering) cached(operand int, v *graph.Value, g *grouped) *graph.Value {
	past := c.In(operand)
	if past == nil {
		return v
	}
	s, have := v.Type.Shape, 0
	if t := past.Type.Shape; len(t) == 4 {
		have = t[2]
	}
	if want := (tensor.Shape{s[0], s[1], have, s[3]}); past.Type.DType != v.Type.DType || !past.Type.Shape.Equal(want) {
		c.failf(c.operandName(operand), "it is %v; it must be %v[%d,%d,past,%d]", past.Type, v.Type.DType, s[0], s[1], s[3])
	}
	switch {
	case have == 0:
		return v
	case g.prompt && have <= s[2]:
		return v
	case g.prompt:
		return c.Node("concat", emit.Attr("axis", 2), v, c.Section(past, 2, s[2], have))
	case s[0] == 1 && have+s[2] == g.total:
		return c.grown(past, v)
	}
	past = c.Pad(past, "constant", nil, make([]int, 4), []int{0, 0, max(g.total-have, 0), 0})
	places := c.Node("add", nil, c.Unsqueeze(g.first, 1, 2, 3), c.IotaAlong(2, 4, s[2], tensor.Int64))
	return c.Node("scatter_elements", emit.Attr("axis", 2), past, c.Broadcast(places, s...), v)
}

// groupedBias leaves out what lies behind each query, or too far in front of it, and what is not known.
func (c *lowering) groupedBias(a *attention, g *grouped) {
	d, queries, keys := a.q.Type.DType, a.q.Type.Shape[2], a.k.Type.Shape[2]
	left, right := -1, -1
	if c.Flag("causal") {
		right = 0
	}
	if n := c.Int("local_window_size"); n > 0 {
		left = n - 1
	}
	bias := c.In(10)
	if bias != nil {
		bias = c.attentionMask(bias, keys, d)
	}
	switch one := a.q.Type.Shape[0] == 1 && keys == g.total; {
	case g.prompt && right == 0 || one: // padding is behind all queries that count
		a.bias = c.sum(c.windowBias(left, right, queries, keys, g.total-queries, d), bias)
	default:
		a.bias = c.sum(c.paddedBias(left, right, queries, keys, g.known, g.first, d), bias)
	}
}
