package onnx_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// waves makes a tensor of numbers between -1 and 1 that look arbitrary.
func waves(seed int, shape ...int) *tensor.Tensor {
	x := make([]float32, tensor.Shape(shape).Len())
	for k := range x {
		x[k] = float32(math.Sin(float64(k*k+7*seed+k) * 1.3))
	}
	return array(shape, x...)
}

// reshaped gives a tensor another shape.
func reshaped(x *tensor.Tensor, shape ...int) *tensor.Tensor {
	return array(shape, tensor.Data[float32](x)...)
}

// swapped exchanges dimensions 1 and 2 of four.
func swapped(x *tensor.Tensor) *tensor.Tensor {
	d := x.Shape()
	y := make([]float32, d.Len())
	k := 0
	for a := range d[0] {
		for b := range d[1] {
			for e := range d[2] {
				copy(y[((a*d[2]+e)*d[1]+b)*d[3]:][:d[3]], tensor.Data[float32](x)[k:])
				k += d[3]
			}
		}
	}
	return array([]int{d[0], d[2], d[1], d[3]}, y...)
}

// results runs a node and returns its results, in their order.
func results(t *testing.T, opset int64, n *proto.Node, in ...*tensor.Tensor) []*tensor.Tensor {
	t.Helper()
	c := rowCase{opset: opset, node: n, in: in, want: make([]*tensor.Tensor, len(n.Output))}
	var last []*tensor.Tensor
	for _, known := range []bool{true, false} {
		out, err := c.run(t, known)
		if err != nil {
			t.Fatalf("%s: %v", n.OpType, err)
		}
		last = ordered(n, out)
	}
	return last
}

func ordered(n *proto.Node, out model.Values) []*tensor.Tensor {
	list := make([]*tensor.Tensor, len(n.Output))
	for k, name := range n.Output {
		list[k] = out[name]
	}
	return list
}

// alike fails the test if tensors are not nearly equal.
func alike(t *testing.T, what string, got, want *tensor.Tensor) {
	t.Helper()
	if err := nearCase(got, want); err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

const batch, heads, length, size = 2, 4, 3, 4

// TestAttentionForms: operands of three dimensions and of four, shared heads, masks and windows say the same in different ways.
func TestAttentionForms(t *testing.T) {
	q, k, v := waves(1, batch, heads, length, size), waves(2, batch, heads, length, size), waves(3, batch, heads, length, size)
	flat := func(x *tensor.Tensor) *tensor.Tensor {
		return reshaped(swapped(x), batch, length, x.Shape().Len()/batch/length)
	}
	plain := results(t, 23, node("Attention", "q, k, v -> y"), q, k, v)[0]
	alike(t, "three dimensions", results(t, 23, node("Attention", "q, k, v -> y", "q_num_heads", heads, "kv_num_heads", heads), flat(q), flat(k), flat(v))[0], flat(plain))
	alike(t, "MultiHeadAttention", results(t, 23, node("com.microsoft.MultiHeadAttention", "q, k, v -> y", "num_heads", heads), flat(q), flat(k), flat(v))[0], flat(plain))
	alike(t, "FlexAttention", results(t, 26, node("ai.onnx.preview.FlexAttention", "q, k, v -> y"), q, k, v)[0], plain)
	alike(t, "an open window", results(t, 25, node("Attention", "q, k, v -> y", "left_window_size", 2, "right_window_size", 2), q, k, v)[0], plain)
	alike(t, "a mask that masks nothing", results(t, 23, node("Attention", "q, k, v, m -> y"), q, k, v, b(s(1, length), true, true, true))[0], plain)
	alike(t, "lengths without padding", results(t, 24, node("Attention", "q, k, v, , , , n -> y"), q, k, v, list(length, length))[0], plain)

	causal := results(t, 23, node("Attention", "q, k, v -> y", "is_causal", 1), q, k, v)[0]
	mask := b(s(length, length), true, false, false, true, true, false, true, true, true)
	alike(t, "a triangular mask", results(t, 23, node("Attention", "q, k, v, m -> y"), q, k, v, mask)[0], causal)
	alike(t, "a window to the left", results(t, 25, node("Attention", "q, k, v -> y", "right_window_size", 0), q, k, v)[0], causal)
	alike(t, "lengths and causal", results(t, 24, node("Attention", "q, k, v, , , , n -> y", "is_causal", 1), q, k, v, list(length, length))[0], causal)
	alike(t, "unidirectional", results(t, 23, node("com.microsoft.MultiHeadAttention", "q, k, v -> y", "num_heads", heads, "unidirectional", 1), flat(q), flat(k), flat(v))[0], flat(causal))

	one := b(s(length, 1), true, true, true)
	alike(t, "a mask of one key for all", results(t, 23, node("Attention", "q, k, v, m -> y"), q, k, v, one)[0], plain)
	alike(t, "a mask of one key of several", results(t, 24, node("Attention", "q, k, v, m -> y"), q, k, v, one)[0],
		results(t, 24, node("Attention", "q, k, v, m -> y"), q, k, v, b(s(1, length), true, false, false))[0])

	// Each head of keys serves two of queries.
	few, values := waves(2, batch, heads/2, length, size), waves(3, batch, heads/2, length, size)
	twice := func(x *tensor.Tensor) *tensor.Tensor {
		var y []float32
		for n := range batch * heads / 2 {
			part := tensor.Data[float32](x)[n*length*size:][:length*size]
			y = append(append(y, part...), part...)
		}
		return array(s(batch, heads, length, size), y...)
	}
	alike(t, "shared heads", results(t, 23, node("Attention", "q, k, v -> y"), q, few, values)[0], results(t, 23, node("Attention", "q, k, v -> y"), q, twice(few), twice(values))[0])

	hidden := b(s(length, length), true, true, true, false, false, false, true, true, true)
	out := results(t, 23, node("Attention", "q, k, v, m -> y, , , w", "qk_matmul_output_mode", 3), q, k, v, hidden)
	for n, x := range tensor.Data[float32](out[0]) {
		if row := n / size % length; (x == 0) != (row == 1) {
			t.Fatalf("element %d of the result is %v though row %d is masked or is not", n, x, row)
		}
	}
	if w := tensor.Data[float32](out[3]); w[length] != 0 || w[0] == 0 {
		t.Errorf("the weights are %v", w[:2*length])
	}
}

// TestCaches: what comes in two steps is what comes in one.
func TestCaches(t *testing.T) {
	const kv, past = 2, 2
	q, k, v := waves(1, batch, length, heads*size), waves(2, batch, length, kv*size), waves(3, batch, length, kv*size)
	part := func(x *tensor.Tensor, begin, end int) *tensor.Tensor { // of the sequence, which is dimension 1
		var y []float32
		n := x.Shape()[2]
		for item := range batch {
			y = append(y, tensor.Data[float32](x)[(item*length+begin)*n:(item*length+end)*n]...)
		}
		return array(s(batch, end-begin, n), y...)
	}
	none := reshaped(f(s(0)), batch, kv, 0, size)
	attention := node("Attention", "q, k, v, , pk, pv -> y, nk, nv", "q_num_heads", heads, "kv_num_heads", kv, "is_causal", 1)
	whole := results(t, 24, attention, q, k, v, none, none)
	first := results(t, 24, attention, part(q, 0, past), part(k, 0, past), part(v, 0, past), none, none)
	second := results(t, 24, attention, part(q, past, length), part(k, past, length), part(v, past, length), first[1], first[2])
	alike(t, "Attention, the second step", second[0], part(whole[0], past, length))
	alike(t, "the keys", second[1], whole[1])

	grouped := node("com.microsoft.GroupQueryAttention", "q, k, v, pk, pv, n, total, cos, sin -> y, nk, nv", "num_heads", heads, "kv_num_heads", kv, "do_rotary", 1)
	cos, sin := waves(4, 8, size/2), waves(5, 8, size/2)
	known := func(n ...int32) *tensor.Tensor { return array(s(len(n)), n...) }
	whole = results(t, 24, grouped, q, k, v, none, none, known(length-1, length-1), known(length), cos, sin)
	first = results(t, 24, grouped, part(q, 0, past), part(k, 0, past), part(v, 0, past), none, none, known(past-1, past-1), known(past), cos, sin)
	second = results(t, 24, grouped, part(q, past, length), part(k, past, length), part(v, past, length), first[1], first[2], known(past, past), known(past+1), cos, sin)
	alike(t, "GroupQueryAttention, the second step", second[0], part(whole[0], past, length))
	alike(t, "its keys", second[1], whole[1])

	// A cache that has room already, and one that is longer than the prompt.
	room := make([]float32, batch*kv*5*size)
	for n := range batch * kv {
		copy(room[n*5*size:], tensor.Data[float32](first[1])[n*past*size:][:past*size])
	}
	roomy := array(s(batch, kv, 5, size), room...)
	values := make([]float32, len(room))
	for n := range batch * kv {
		copy(values[n*5*size:], tensor.Data[float32](first[2])[n*past*size:][:past*size])
	}
	third := results(t, 24, grouped, part(q, past, length), part(k, past, length), part(v, past, length), roomy, array(s(batch, kv, 5, size), values...),
		known(past, past), known(past+1), cos, sin)
	alike(t, "with room in the cache", third[0], second[0])
	again := results(t, 24, grouped, q, k, v, roomy, roomy, known(length-1, length-1), known(length), cos, sin)
	alike(t, "a prompt over a longer cache", again[0], whole[0])
	if !again[1].Shape().Equal(s(batch, kv, 5, size)) {
		t.Errorf("the cache has become %v", again[1])
	}
}

// TestRotary: both ways of writing heads, and pairs that lie side by side.
func TestRotary(t *testing.T) {
	cos, sin := f(s(2, 1), 1, 0), f(s(2, 1), 0, 1) // nothing, a quarter
	x := f(s(1, 2, 3), 1, 2, 3, 4, 5, 6)
	checkRows(t,
		rowCase{23, node("RotaryEmbedding", "x, cos, sin, p -> y", "num_heads", 1, "rotary_embedding_dim", 2), of(x, cos, sin, i(s(1, 2), 0, 1)), of(f(s(1, 2, 3), 1, 2, 3, -5, 4, 6)), ""},
		rowCase{23, node("RotaryEmbedding", "x, cos, sin -> y", "interleaved", 1), of(f(s(1, 1, 2, 2), 1, 2, 3, 4), f(s(1, 2, 1), 1, 0), f(s(1, 2, 1), 0, 1)),
			of(f(s(1, 1, 2, 2), 1, 2, -4, 3)), ""},
		rowCase{23, node("com.microsoft.RotaryEmbedding", "x, p, cos, sin -> y"), of(f(s(1, 1, 4), 1, 2, 3, 4), list(1), cos, sin), of(f(s(1, 1, 4), -2, 1, -4, 3)), ""},
		rowCase{23, node("RotaryEmbedding", "x, cos, sin, p -> y", "num_heads", 2), of(x, cos, sin, i(s(1, 2), 0, 1)), nil, "num_heads: it is 2, by which the last extent of float32[1,2,3] must be divisible"},
		rowCase{23, node("RotaryEmbedding", "x, cos, sin, p -> y", "num_heads", 1), of(x, cos, sin, i(s(1, 2), 0, 1)), nil, "rotary_embedding_dim: 3 elements of vectors of 3 cannot be turned"},
	)
}

// TestAttentionErrors: what the shapes must be.
func TestAttentionErrors(t *testing.T) {
	q := waves(1, 1, 2, 3, 4)
	grouped := []any{"num_heads", 1, "kv_num_heads", 1, "k_quant_type", "PER_TENSOR", "v_quant_type", "PER_TENSOR"}
	checkRows(t,
		rowCase{23, node("Attention", "q, k, v -> y"), of(q, waves(1, 1, 2, 3, 5), q), nil, "K: its vectors have 5 elements; they must have 4"},
		rowCase{23, node("Attention", "q, k, v -> y"), of(q, waves(1, 1, 3, 3, 4), waves(1, 1, 3, 3, 4)), nil, "Q: it has 2 heads; their number must be a multiple of that of the keys, 3"},
		rowCase{23, node("Attention", "q, k, v, m -> y"), of(q, q, q, b(s(2, 1, 1, 3), true, true, true, true, true, true)), nil, "attn_mask: it has the shape [2,1,1,3], which does not broadcast"},
		rowCase{23, node("Attention", "q, k, v, , p -> y"), of(q, q, q, q), nil, "past_key: one of past_key and past_value is given"},
		rowCase{23, node("Attention", "q, k, v -> y", "q_num_heads", 3, "kv_num_heads", 1), of(waves(1, 1, 2, 4), waves(1, 1, 2, 4), waves(1, 1, 2, 4)), nil, "the last one divisible by the number of heads, 3"},
		rowCase{27, node("LinearAttention", "q, k, v -> y", "q_num_heads", 2, "kv_num_heads", 1), of(waves(1, 1, 2, 4), waves(1, 1, 2, 2), waves(1, 1, 2, 2)), nil, `update_rule: with "gated_delta" decay and beta must be given`},
		rowCase{23, node("com.microsoft.QAttention", "x, w, b, xs, ws, , xz -> y, z", "num_heads", 1), of(array(s(1, 1, 1), uint8(7)), array(s(1, 3), int8(1), 2, 3), f(s(3), 0, 1, 2),
			f(nil, 0.5), f(s(1), 0.5), array(nil, uint8(3))), of(f(s(1, 1, 1), 5), f(s(2, 1, 1, 1, 1), 3, 5)), ""},
		rowCase{23, node("com.microsoft.GroupQueryAttention", "q, k, v, pk, pv, n, t, , , , , , ks, vs -> y, k1, v1", append(grouped, "kv_cache_bit_width", 4)...),
			of(f(s(1, 1, 2), 0, 0), f(s(1, 1, 2), 9, -9), f(s(1, 1, 2), 1.1, -2), array(s(1, 1, 1, 1), uint8(0x88)), array(s(1, 1, 1, 1), uint8(0xa9)), array(s(1), int32(1)),
				array(s(1), int32(2)), f(s(1), 1), f(s(1), 0.5)),
			of(f(s(1, 1, 2), 0.75, -0.5), array(s(1, 1, 2, 1), uint8(0x88), 0x0f), array(s(1, 1, 2, 1), uint8(0xa9), 0x4a)), ""},
		rowCase{23, node("com.microsoft.GroupQueryAttention", "q, k, v, , , n, t -> y", append(grouped, "kv_cache_bit_width", 8)...),
			of(f(s(1, 1, 2), 0, 0), f(s(1, 1, 2), 9, -9), f(s(1, 1, 2), 1, -2), array(s(1), int32(0)), array(s(1), int32(1))), nil, "k_scale: the operand is missing"},
		rowCase{23, node("com.microsoft.GroupQueryAttention", "q, k, v, , , n, t, , , , , , ks, vs -> y", grouped...),
			of(f(s(1, 1, 2), 0, 0), f(s(1, 1, 2), 9, -9), f(s(1, 1, 2), 1, -2), array(s(1), int32(0)), array(s(1), int32(1)), f(s(1), 1), f(s(1), 1)), nil,
			"kv_cache_bit_width: it is 0; it must be 8 or"},
		rowCase{23, node("com.microsoft.GroupQueryAttention", "q, k, v, pk, pv, n, t -> y", "num_heads", 1, "kv_num_heads", 1), of(f(s(1, 1, 2), 0, 0), f(s(1, 1, 2), 9, -9),
			f(s(1, 1, 2), 1, -2), f(s(1, 1, 2), 1, 2), f(s(1, 1, 1, 2), 1, 2), array(s(1), int32(1)), array(s(1), int32(2))), nil, "past_key: it is float32[1,1,2]; it must be float32[1,1,past,2]"},
		rowCase{23, node("com.microsoft.GroupQueryAttention", "q, , , , , n, t -> y", "num_heads", 2, "kv_num_heads", math.MaxInt),
			of(f(s(1, 1, 2), 0, 0), array(s(1), int32(0)), array(s(1), int32(1))), nil, fmt.Sprintf("kv_num_heads: it is %d; it must be from 1 to", math.MaxInt)},
		rowCase{23, node("com.microsoft.QAttention", "x, w, b, xs, ws -> y", "num_heads", 1, "do_rotary", 1), of(array(s(1, 1, 1), uint8(7)), array(s(1, 3), int8(1), 2, 3), f(s(3), 0, 1, 2),
			f(nil, 0.5), f(nil, 0.5)), nil, "do_rotary: it is not supported"},
		rowCase{23, node("com.microsoft.QAttention", "x, w, b, xs, ws -> y", "num_heads", 1), of(array(s(1, 1, 1), uint8(7)), array(s(1, 4), int8(1), 2, 3, 4), f(s(4), 0, 1, 2, 3),
			f(nil, 0.5), f(nil, 0.5)), nil, "weight: it is int8[1,4]; its columns must be those of queries, keys and values"},
		rowCase{23, node("com.microsoft.QAttention", "x, w, b, xs, ws -> y", "num_heads", 1), of(array(s(1, 1), uint8(7)), array(s(1, 3), int8(1), 2, 3), f(s(3), 0, 1, 2),
			f(nil, 0.5), f(nil, 0.5)), nil, "input: it is uint8[1,1]; it must have three dimensions"},
		rowCase{23, node("com.microsoft.MultiHeadAttention", "q -> y", "num_heads", 1), of(waves(1, 1, 2, 4)), nil, "key: the operand is missing"},
	)
}

// TestLinearAttention: a state that is handed on makes one sequence of two.
func TestLinearAttention(t *testing.T) {
	n := node("LinearAttention", "q, k, v, state -> y, next", "q_num_heads", 1, "kv_num_heads", 1, "update_rule", "linear", "scale", float32(1))
	state := f(s(1, 1, 1, 1), 0)
	whole := results(t, 27, n, f(s(1, 3, 1), 1, 1, 2), f(s(1, 3, 1), 1, 2, 3), f(s(1, 3, 1), 4, 5, 6), state)
	alike(t, "the sequence", whole[0], f(s(1, 3, 1), 4, 14, 64))
	first := results(t, 27, n, f(s(1, 2, 1), 1, 1), f(s(1, 2, 1), 1, 2), f(s(1, 2, 1), 4, 5), state)
	second := results(t, 27, n, f(s(1, 1, 1), 2), f(s(1, 1, 1), 3), f(s(1, 1, 1), 6), first[1])
	alike(t, "its last step", second[0], f(s(1, 1, 1), 64))
	alike(t, "the state", second[1], whole[1])
}
