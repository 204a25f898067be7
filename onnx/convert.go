package onnx

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// Operators that convert elements to another type.
var convertRows = family{"Conversions", []row{
	{name: "BitCast", forms: forms("26", "input; to: int! -> output"), lower: func(c *lowering) []*graph.Value {
		return one(c.Node("bit_cast", emit.Attr("dtype", c.ElemType("to")), c.In(0)))
	}},
	{name: "Cast", forms: forms("1", "input; to: string! -> output", "6 9 13", "input; to: int! -> output", "19 21 23", "input; saturate=1, to: int! -> output",
		"24 25", `input; round_mode="up", saturate=1, to: int! -> output`), lower: func(c *lowering) []*graph.Value {
		if c.form.declared("to").kind == proto.AttributeString {
			return one(c.convert(c.elemTypeNamed("to")))
		}
		return one(c.convert(c.ElemType("to")))
	}},
	{name: "CastLike", forms: forms("15", "input, target_type -> output", "19 21 23", "input, target_type; saturate=1 -> output",
		"24 25", `input, target_type; round_mode="up", saturate=1 -> output`), lower: func(c *lowering) []*graph.Value { return one(c.convert(c.DType(1))) }},
}}

// elemTypeNamed returns the element type whose name in the standard an attribute is.
func (c *lowering) elemTypeNamed(attr string) tensor.DType {
	d := proto.DataTypeNamed(c.Str(attr))
	if d == proto.Undefined {
		c.failf(attr, "%q is no element type", c.Str(attr))
	}
	return c.elemType(attr, int64(d))
}

// convert casts the first operand, with what the node says of floats of 8 bits.
func (c *lowering) convert(d tensor.DType) *graph.Value {
	attrs := []any{"dtype", d}
	if c.form.declared("saturate") != nil {
		attrs = append(attrs, "saturate", c.Flag("saturate"))
	}
	if c.form.declared("round_mode") != nil {
		attrs = append(attrs, "round", c.OneOf("round_mode", "up", "down", "nearest"))
	}
	if c.DType(0) == d {
		return c.In(0)
	}
	return c.Node("cast", emit.Attr(attrs...), c.In(0))
}
