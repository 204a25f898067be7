package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/internal/testing/onnx/random"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// samples are nodes of the operators that have no random models, as these are compared with ONNX Runtime, which lacks them or draws other
// numbers. Attributes, then operands with type, shape and what all their elements are, 1 if nothing is said; "-" is one that is left out.
var samples = []struct{ op, text string }{
	{"Bernoulli", "dtype=1 | f32[2]"},
	{"CausalConvWithState", "| f32[1,2,4] f32[2,1,3] f32[2] f32[1,2,2]"},
	{"LinearAttention", "q_num_heads=2 kv_num_heads=2 | f32[1,3,8] f32[1,3,8] f32[1,3,8] f32[1,2,4,4] f32[1,3,2] f32[1,3,2]"},
	{"Multinomial", "dtype=6 | f32[1,2]"},
	{"RandomNormal", "dtype=1 shape=2,3 |"},
	{"RandomNormalLike", "dtype=1 | f32[2]"},
	{"RandomNormalLike", "| f32[2]"},
	{"RandomUniform", "dtype=1 shape=2,3 |"},
	{"RandomUniformLike", "dtype=1 | f32[2]"},
	{"RandomUniformLike", "| f32[2]"},
	{"SwiGLU", "| f32[2,3] f32[2,3]"},
	{"ai.onnx.preview.FlexAttention", "| f32[1,2,3,4] f32[1,2,3,4] f32[1,2,3,4]"},
	{"com.microsoft.Attention", "num_heads=2 | f32[1,2,4] f32[4,12] f32[12] i32[1]=2 - f32[1,2,2,2]"},
	{"com.microsoft.DequantizeLinear", "| u8[2,3] f32[] u8[]"},
	{"com.microsoft.EmbedLayerNormalization", "| i32[1,2] i32[1,2] f32[3,4] f32[3,4] f32[2,4] f32[4] f32[4] i32[1,2]"},
	{"com.microsoft.GridSample", "| f32[1,2,3,3] f32[1,2,2,2]"},
	{"com.microsoft.GroupQueryAttention", "num_heads=2 kv_num_heads=2 | f32[1,2,8] f32[1,2,8] f32[1,2,8] - - i32[1]=1 i32[]=2"},
	{"com.microsoft.LayerNormalization", "| f32[2,3] f32[3] f32[3]"},
	{"com.microsoft.MultiHeadAttention", "num_heads=2 | f32[1,2,4] f32[1,3,4] f32[1,3,4] f32[12] - f32[1,2,2,3]"},
	{"com.microsoft.QuantizeLinear", "| f32[2,3] f32[] u8[]"},
	{"com.microsoft.SimplifiedLayerNormalization", "| f32[2,3] f32[3]"},
}

var sampleTypes = map[string]tensor.DType{"f32": tensor.Float32, "i32": tensor.Int32, "u8": tensor.Uint8}

// sample makes the model of a node.
func sample(op, text string) *random.Model {
	n := &proto.Node{OpType: op, Output: []string{"y"}}
	if i := strings.LastIndex(op, "."); i >= 0 {
		n.Domain, n.OpType = op[:i], op[i+1:]
	}
	g := &proto.Graph{Name: "sample", Node: []*proto.Node{n}}
	attrs, in, _ := strings.Cut(text, "|")
	for _, a := range strings.Fields(attrs) {
		name, value, _ := strings.Cut(a, "=")
		if list := ints(value); name == "shape" {
			n.Attribute = append(n.Attribute, &proto.Attribute{Name: name, Type: proto.AttributeInts, Ints: list})
		} else {
			n.Attribute = append(n.Attribute, &proto.Attribute{Name: name, Type: proto.AttributeInt, I: list[0]})
		}
	}
	for i, x := range strings.Fields(in) {
		if x == "-" {
			n.Input = append(n.Input, "")
			continue
		}
		name := fmt.Sprint("x", i)
		n.Input = append(n.Input, name)
		g.Initializer = append(g.Initializer, filled(name, x))
	}
	domains := []*proto.OperatorSet{{Version: 28}, {Domain: "com.microsoft", Version: 1}, {Domain: "ai.onnx.preview", Version: 1}}
	return &random.Model{Op: op, Opset: 28, Proto: &proto.Model{IRVersion: 13, Graph: g, OpsetImport: domains}}
}

// filled makes a tensor of a text as "i32[2,3]=1".
func filled(name, text string) *proto.Tensor {
	kind, rest, _ := strings.Cut(text, "[")
	dims, value, _ := strings.Cut(rest, "]")
	x := int64(1)
	if value != "" {
		x = ints(value[1:])[0]
	}
	t := &proto.Tensor{Name: name, Dims: ints(dims), DataType: proto.DataTypeOf(sampleTypes[kind])}
	n := int64(1)
	for _, d := range t.Dims {
		n *= d
	}
	for range n {
		if kind == "f32" {
			t.FloatData = append(t.FloatData, float32(x))
		} else {
			t.Int32Data = append(t.Int32Data, int32(x))
		}
	}
	return t
}

func ints(text string) (out []int64) {
	for _, s := range strings.Split(text, ",") {
		if x, err := strconv.ParseInt(s, 10, 64); err == nil {
			out = append(out, x)
		}
	}
	return out
}
