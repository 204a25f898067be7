package op

import (
	"fmt"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// What the generators of operators with blocks draw.

// types returns n types of small tensors.
func (r *Rand) types(n int) []Type {
	out := make([]Type, n)
	for i := range out {
		out[i] = Type{DType: r.DType(AnyType), Shape: r.Shape(0, 2)}
	}
	return out
}

// values returns n small tensors.
func (r *Rand) values(n int) []*tensor.Tensor {
	out := make([]*tensor.Tensor, n)
	for i, t := range r.types(n) {
		out[i] = r.Tensor(t.DType, t.Shape)
	}
	return out
}

// blockBuilder draws a block of element-wise operators.
type blockBuilder struct {
	*graph.Builder
	r *Rand
}

// block returns a graph whose inputs and outputs have the given types.
func (r *Rand) block(name string, in, out []Type) *graph.Graph {
	b, values := r.newBlock(name, in)
	for i, t := range out {
		v := b.like(values, t)
		for range r.IntN(3) {
			v = b.changed(v, values)
		}
		must(0, b.Output(fmt.Sprint("y", i), v))
	}
	return must(b.Build())
}

// body returns the block of a loop, which ends it after most turns, whatever its operands are, or earlier.
func (r *Rand) body(in, out []Type, most int) *graph.Graph {
	b, values := r.newBlock("body", in)
	last := must(b.Constant("", "", tensor.Scalar(int64(most-1))))
	condition := must(b.One("lt", []*graph.Value{values[0], last}, nil, ""))
	if r.Bool() {
		condition = must(b.One("and", []*graph.Value{condition, b.like(values, out[0])}, nil, ""))
	}
	must(0, b.Output("more", condition))
	for i, t := range out[1:] {
		must(0, b.Output(fmt.Sprint("y", i), b.changed(b.like(values, t), values)))
	}
	return must(b.Build())
}

func (r *Rand) newBlock(name string, in []Type) (*blockBuilder, []*graph.Value) {
	b := &blockBuilder{graph.NewBuilder(Rules, name), r}
	values := make([]*graph.Value, len(in))
	for i, t := range in {
		values[i] = must(b.Input(fmt.Sprint("x", i), t))
	}
	return b, values
}

// like returns a value of the type, mostly one of those that are there.
func (b *blockBuilder) like(values []*graph.Value, t Type) *graph.Value {
	var same []*graph.Value
	for _, v := range values {
		if v.Type.Equal(t) {
			same = append(same, v)
		}
	}
	if len(same) > 0 && b.r.IntN(4) > 0 {
		return Pick(b.r, same)
	}
	return must(b.Constant("", "", b.r.Tensor(t.DType, t.Shape)))
}

// changed returns another value of the same type.
func (b *blockBuilder) changed(v *graph.Value, values []*graph.Value) *graph.Value {
	t := v.Type
	switch other := b.like(values, t); {
	case b.r.IntN(6) == 0:
		condition := b.like(values, Type{DType: tensor.Bool})
		in := []Type{t, t}
		n := graph.Node{Op: "if", In: []*graph.Value{condition, v, other},
			Blocks: []*graph.Graph{b.r.block("then", in, []Type{t}), b.r.block("else", in, []Type{t})}}
		return must(b.Add(n))[0]
	case t.DType == tensor.Bool:
		return must(b.One(Pick(b.r, []string{"and", "or", "xor"}), []*graph.Value{v, other}, nil, ""))
	default:
		return must(b.One(Pick(b.r, []string{"add", "sub", "mul", "max", "min"}), []*graph.Value{v, other}, nil, ""))
	}
}
