package openvx_test

import (
	"math/big"
	"slices"
)

// Arithmetic is vxTensorAddNode, vxTensorSubtractNode or vxTensorMultiplyNode.
type Arithmetic struct {
	Policy
	Operator string // "add", "subtract" or "multiply"
	Scale    float32
}

// Apply returns the result of extents out. An extent of 1 of an operand stands for any.
func (a Arithmetic) Apply(f Format, x, y *exactTensor, out []int) Result {
	return certain(out, func(index []int) int64 {
		v, w := f.value(x.broadcast(index)), f.value(y.broadcast(index))
		switch a.Operator {
		case "add":
			v.Add(v, w)
		case "subtract":
			v.Sub(v, w)
		default:
			v.Mul(v, w)
			v.Mul(v, rational(a.Scale))
		}
		return f.encode(v, a.Policy)
	})
}

func (t *exactTensor) broadcast(index []int) int64 {
	index = slices.Clone(index)
	for i, d := range t.Dims {
		if d == 1 {
			index[i] = 0
		}
	}
	return t.at(index...)
}

func rational(v float32) *big.Rat { return new(big.Rat).SetFloat64(float64(v)) }

// TableLookup is vxTensorTableLookupNode. The table's entry for 0 stands in its middle if the elements are signed.
func TableLookup(f Format, in *exactTensor, table []int64) Result {
	zero := 0
	if f.Signed {
		zero = len(table) / 2
	}
	return certain(in.Dims, func(index []int) int64 { return table[zero+int(in.at(index...))] })
}

// Transpose is vxTensorTransposeNode: it exchanges two dimensions.
func Transpose(in *exactTensor, a, b int) Result {
	out := slices.Clone(in.Dims)
	out[a], out[b] = out[b], out[a]
	return certain(out, func(index []int) int64 {
		index = slices.Clone(index)
		index[a], index[b] = index[b], index[a]
		return in.at(index...)
	})
}

// ConvertDepth is vxTensorConvertDepthNode.
type ConvertDepth struct {
	Wrap         bool
	Norm, Offset float32
}

// Apply returns the result in another format. It is truncated.
func (c ConvertDepth) Apply(from, to Format, in *exactTensor) Result {
	norm := rational(c.Norm)
	norm.Inv(norm)
	return certain(in.Dims, func(index []int) int64 {
		v := from.value(in.at(index...))
		v.Sub(v, rational(c.Offset))
		return to.encode(v.Mul(v, norm), Policy{Wrap: c.Wrap})
	})
}
