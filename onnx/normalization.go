package onnx

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

// Normalizations.
var normalizationRows = family{"Normalization", []row{
	{name: "BatchNormalization", forms: forms(
		"1", "X: float, scale: float, B: float, mean: float, var: float; consumed_inputs: ints!, epsilon=1e-05, is_test=0, momentum=0.9, spatial=1 -> Y, mean?, var?, saved_mean?, saved_var?",
		"6", "X: float, scale: float, B: float, mean: float, var: float; epsilon=1e-05, is_test=0, momentum=0.9, spatial=1 -> Y, mean?, var?, saved_mean?, saved_var?",
		"7", "X: float, scale: float, B: float, mean: float, var: float; epsilon=1e-05, momentum=0.9, spatial=1 -> Y, mean?, var?, saved_mean?, saved_var?",
		"9", "X: float, scale: float, B: float, mean: float, var: float; epsilon=1e-05, momentum=0.9 -> Y, mean?, var?, saved_mean?, saved_var?",
		"14 15", "X: float, scale: float, B: float, input_mean: float, input_var: float; epsilon=1e-05, momentum=0.9, training_mode=0 -> Y, running_mean?, running_var?"),
		lower: batchNormalization, remark: "before opset 14 only the first result"},
	{name: "InstanceNormalization", forms: forms("1", "input, scale, B; consumed_inputs: ints, epsilon=1e-05 -> output",
		"6 22", "input, scale, B; epsilon=1e-05 -> output"), lower: func(c *lowering) []*graph.Value {
		return one(c.Node("instance_normalization", c.epsilon(), c.All(0)...))
	}},
	{name: "LayerNormalization", forms: forms("1 17", "X: float, Scale: float, B?; axis=-1, epsilon=1e-05, stash_type=1 -> Y, Mean?, InvStdDev?"), lower: layerNormalization,
		remark: "before opset 17, where the standard has none, as optimisers of ONNX Runtime write it"},
	{name: "com.microsoft.LayerNormalization", forms: forms("1", "X: float, Scale: float, B?; axis=-1, epsilon=1e-05, stash_type=1 -> Y, Mean?, InvStdDev?"),
		lower: layerNormalization},
	{name: "GroupNormalization", forms: forms("18", "X, scale, bias; epsilon=1e-05, num_groups: int!",
		"21", "X, scale, bias; epsilon=1e-05, num_groups: int!, stash_type=1"), lower: groupNormalization},
	{name: "RMSNormalization", forms: forms("23", "X: float, scale: float; axis=-1, epsilon=1e-05, stash_type=1"), lower: rmsNormalization},
	{name: "SimplifiedLayerNormalization", forms: forms("1", "X: float, scale: float; axis=-1, epsilon=1e-05, stash_type=1 -> Y, inv_std_var?"), lower: rmsNormalization},
	{name: "com.microsoft.SimplifiedLayerNormalization", forms: forms("1", "X: float, scale: float; axis=-1, epsilon=1e-05, stash_type=1 -> Y, inv_std_var?"),
		lower: rmsNormalization},
	{name: "com.microsoft.SkipLayerNormalization", forms: forms("1",
		"input, skip, gamma: float, beta?, bias?; epsilon=1e-12 -> output, mean?, inv_std_var?, input_skip_bias_sum?"), lower: skipLayer(true, 4)},
	{name: "com.microsoft.SkipSimplifiedLayerNormalization", forms: forms("1",
		"input, skip, gamma: float, bias?; epsilon=1e-12 -> output, mean?, inv_std_var?, input_skip_bias_sum?"), lower: skipLayer(false, 3)},
	{name: "com.microsoft.EmbedLayerNormalization", forms: forms("1", "input_ids, segment_ids?, word_embedding, position_embedding, segment_embedding?, "+
		"gamma: float, beta, mask?: integer, position_ids?; epsilon=1e-12, mask_index_type=0 -> output, mask_index?, embedding_sum?"), lower: embedding,
		remark: "mask_index_type, which ONNX Runtime does not use, has no effect"},
	{name: "com.microsoft.QEmbedLayerNormalization", forms: forms("1", "input_ids, segment_ids?, word_embedding_quant, position_embedding_quant, segment_embedding?, "+
		"gamma_quant, beta_quant, mask?: integer, word_embedding_scale: float, position_embedding_scale: float, segment_embedding_scale?: float, gamma_scale: float, "+
		"beta_scale: float, word_embedding_zero_point, position_embedding_zero_point, segment_embedding_zero_point?, gamma_zero_point, beta_zero_point; epsilon=1e-12 "+
		"-> layernorm_out, mask_index_out"), lower: quantisedEmbedding},
	{name: "LRN", forms: forms("1 13", "X; alpha=0.0001, beta=0.75, bias=1.0, size: int!"), lower: lrn},
}}

// epsilon returns the attribute that says by how much variances are increased.
func (c *lowering) epsilon() graph.Attrs { return emit.Attr("epsilon", c.Float("epsilon")) }

func batchNormalization(c *lowering) []*graph.Value {
	in, d := c.All(0), c.DType(0)
	for _, v := range in {
		if v.Type.DType != d {
			d = tensor.Float32 // what types that differ are widened to
		}
	}
	for i, v := range in {
		in[i] = c.Cast(v, d)
	}
	x := in[0]
	switch len(x.Type.Shape) {
	case 0:
		c.failf("X", "it is %v; it must have one dimension or more", x.Type)
	case 1:
		in[0] = c.Unsqueeze(x, 1) // one channel
	}
	if c.Flag("training_mode") {
		return c.trainedBatch(in)
	}
	if c.form.declared("spatial") != nil && !c.Flag("spatial") { // a mean for each element of an item
		n := max(x.Type.Shape[0], 1)
		in[0] = c.Reshape(in[0], x.Type.Shape[0], x.Type.Shape.Len()/n)
		for i, v := range in[1:] {
			in[1+i] = c.Reshape(v, v.Type.Shape.Len())
		}
	}
	y := c.Node("batch_normalization", c.epsilon(), in[0], in[3], in[4], in[2], in[1])
	return one(c.Cast(c.Reshape(y, x.Type.Shape...), c.DType(0)))
}

// trainedBatch normalizes by mean and variance of the batch itself, and moves the known ones towards those.
func (c *lowering) trainedBatch(in []*graph.Value) []*graph.Value {
	x := in[0]
	axes := append([]int{0}, spatialAxes(x)...)
	mean := c.Node("mean_reduce", emit.Attr("axes", axes), x)
	variance := c.Node("mean_reduce", emit.Attr("axes", axes), c.Node("sqr", nil, c.Node("sub", nil, x, mean)))
	mean, variance = c.Squeeze(mean, axes...), c.Squeeze(variance, axes...)
	y := c.Node("batch_normalization", c.epsilon(), x, mean, variance, in[2], in[1])
	out := []*graph.Value{c.Cast(c.Reshape(y, c.Shape(0)...), c.DType(0))}
	momentum := c.Number(c.Float("momentum"), x.Type.DType)
	rest := c.Node("sub", nil, c.Number(1, x.Type.DType), momentum)
	for i, now := range []*graph.Value{mean, variance} {
		moved := c.Node("add", nil, c.Node("mul", nil, in[3+i], momentum), c.Node("mul", nil, now, rest))
		out = append(out, c.Cast(moved, c.DType(3)))
	}
	return out
}

func layerNormalization(c *lowering) []*graph.Value {
	axis := c.Axis("axis", c.Int("axis"), len(c.Shape(0)))
	out := []*graph.Value{c.layer(c.In(0), c.In(1), c.In(2), axis, true), nil, nil}
	if c.Wants(1) || c.Wants(2) {
		out[1], out[2] = c.statistics(c.In(0), axis, true)
	}
	return out
}

func rmsNormalization(c *lowering) []*graph.Value {
	axis := c.Axis("axis", c.Int("axis"), len(c.Shape(0)))
	out := []*graph.Value{c.layer(c.In(0), c.In(1), nil, axis, false), nil}
	if c.Wants(1) {
		_, out[1] = c.statistics(c.In(0), axis, false)
	}
	return out
}

// layer normalizes over the axes from one on: by mean and variance if it is centred, else by the mean of the squares. The result has the element
// type of the scale.
func (c *lowering) layer(x, scale, bias *graph.Value, axis int, centred bool) *graph.Value {
	c.stash()
	d := scale.Type.DType
	if x.Type.DType != d {
		x, scale, bias = c.Cast(x, tensor.Float32), c.Cast(scale, tensor.Float32), c.Cast(bias, tensor.Float32)
	}
	operator, in := "layer_normalization", []*graph.Value{x, scale, bias}
	if !centred {
		operator, in = "rms_normalization", in[:2]
	}
	attrs := append(c.epsilon(), emit.Attr("axes", emit.Counting(axis, len(x.Type.Shape)-axis))...)
	inner := x.Type.Shape[axis:]
	if scale.Type.Shape.Equal(inner) && (bias == nil || bias.Type.Shape.Equal(inner)) {
		return c.Cast(c.Node(operator, attrs, in...), d)
	}
	y := c.Each("mul", c.Node(operator, attrs, x), scale)
	if bias != nil {
		y = c.Each("add", y, bias)
	}
	return c.Cast(y, d)
}

// statistics returns the means over the axes from one on, and the reciprocal deviations from them or, if they are not centred, from 0.
func (c *lowering) statistics(x *graph.Value, axis int, centred bool) (mean, inverse *graph.Value) {
	d := c.stash()
	x = c.Cast(x, d)
	axes := emit.Attr("axes", emit.Counting(axis, len(x.Type.Shape)-axis))
	mean = c.Node("mean_reduce", axes, x)
	if centred {
		x = c.Node("sub", nil, x, mean)
	}
	variance := c.Node("mean_reduce", axes, c.Node("sqr", nil, x))
	return mean, c.Node("rsqrt", nil, c.Node("add", nil, variance, c.Number(c.Float("epsilon"), d)))
}

// stash returns the element type in which statistics are returned, and checks it: our operators compute them in float32 or better.
func (c *lowering) stash() tensor.DType {
	if c.form.declared("stash_type") == nil {
		return tensor.Float32
	}
	d := c.ElemType("stash_type")
	if !d.IsFloat() {
		c.failf("stash_type", "it is %v; it must be a float", d)
	}
	return d
}

// skipLayer is the row of a normalization of the sum of operands: input, skip and, in operand bias, one more.
func skipLayer(centred bool, bias int) func(c *lowering) []*graph.Value {
	return func(c *lowering) []*graph.Value {
		sum := c.Each("add", c.In(0), c.In(1))
		if v := c.In(bias); v != nil {
			sum = c.Each("add", sum, v)
		}
		var beta *graph.Value
		if centred {
			beta = c.In(3)
		}
		axis := c.Axis("input", -1, len(sum.Type.Shape))
		out := []*graph.Value{c.layer(sum, c.In(2), beta, axis, centred), nil, nil, sum}
		if c.Wants(1) || c.Wants(2) {
			out[1], out[2] = c.statistics(sum, axis, centred)
		}
		return out
	}
}

func embedding(c *lowering) []*graph.Value {
	return c.embedded(c.In(8), func(_ int, v *graph.Value) *graph.Value { return v })
}

// quantisedEmbedding is [embedding] by tables of codes, whose scales and zero points follow in the order of the tables.
func quantisedEmbedding(c *lowering) []*graph.Value {
	return c.embedded(nil, func(table int, v *graph.Value) *graph.Value {
		return c.dequantize(coded{v, c.target(table+6, table+11, v.Type.DType)})
	})[:2]
}

// embedded normalizes the sum of what words, positions and segments are embedded as. The function returns the numbers in rows of a table.
func (c *lowering) embedded(places *graph.Value, numbers func(table int, v *graph.Value) *graph.Value) []*graph.Value {
	ids := c.In(0)
	if len(ids.Type.Shape) != 2 {
		c.failf("input_ids", "it is %v; it must have two dimensions", ids.Type)
	}
	rows := func(table int, indices *graph.Value) *graph.Value {
		return numbers(table, c.Node("gather", emit.Attr("axis", 0), c.In(table), indices))
	}
	if places == nil {
		places = c.IotaAlong(1, 2, ids.Type.Shape[1], tensor.Int64)
	}
	sum := c.Each("add", rows(2, ids), rows(3, places))
	if c.In(1) != nil && c.In(4) != nil {
		sum = c.Each("add", sum, rows(4, c.In(1)))
	}
	counts := c.Broadcast(c.Number(0, tensor.Int32), ids.Type.Shape[0])
	if mask := c.In(7); mask != nil {
		counts = c.Squeeze(c.Node("sum_reduce", emit.Attr("axes", []int{1}), c.Cast(mask, tensor.Int32)), 1)
	}
	return []*graph.Value{c.layer(sum, numbers(5, c.In(5)), numbers(6, c.In(6)), 2, true), counts, sum}
}

func groupNormalization(c *lowering) []*graph.Value {
	x, shape := c.In(0), c.Shape(0)
	n := c.groups("num_groups")
	c.stash()
	if len(shape) < 2 || shape[1]%n != 0 {
		c.failf("X", "it is %v; its second extent must be divisible by num_groups, %d", x.Type, n)
	}
	parts := []*graph.Value{c.Reshape(x, shape[0], n, shape.Len()/max(shape[0]*n, 1))}
	perGroup := c.opset < 21
	if perGroup {
		parts = append(parts, c.In(1), c.In(2))
	}
	y := c.Reshape(c.Node("instance_normalization", c.epsilon(), parts...), shape...)
	if perGroup {
		return one(y)
	}
	for i, operator := range []string{"mul", "add"} {
		v := c.In(1 + i)
		if len(v.Type.Shape) != 1 || v.Type.Shape[0] != shape[1] {
			c.failf(c.operandName(1+i), "it is %v; it must have one element for each of the %d channels", v.Type, shape[1])
		}
		y = c.Node(operator, nil, y, c.Unsqueeze(v, append([]int{0}, emit.Counting(2, len(shape)-2)...)...))
	}
	return one(y)
}

func lrn(c *lowering) []*graph.Value {
	if rank := len(c.Shape(0)); rank < 2 {
		c.failf("X", "it is %v; it must have channels", c.In(0).Type)
	}
	size := make([]int, len(c.Shape(0)))
	for d := range size {
		size[d] = 1
	}
	size[1] = c.groups("size")
	return one(c.Node("local_response_normalization", emit.Attr("size", size, "alpha", c.Float("alpha"), "beta", c.Float("beta"),
		"bias", c.Float("bias")), c.In(0)))
}
