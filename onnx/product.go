package onnx

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

// Products of matrices.
var productRows = family{"Matrix products", []row{
	{name: "MatMul", forms: forms("1 9 13", "A, B"), lower: func(c *lowering) []*graph.Value {
		return one(c.matmul(c.In(0), c.In(1)))
	}},
	{name: "Gemm", forms: forms(
		"1 6", "A, B, C; alpha=1.0, beta=1.0, broadcast=0, transA=0, transB=0",
		"7 9", "A, B, C; alpha=1.0, beta=1.0, transA=0, transB=0",
		"11 13", "A, B, C?; alpha=1.0, beta=1.0, transA=0, transB=0"), lower: func(c *lowering) []*graph.Value {
		return one(c.gemm())
	}},
	{name: "com.microsoft.FusedGemm", forms: forms("1", "A, B, C?; alpha=1.0, beta=1.0, transA=0, transB=0, activation=\"\", "+
		"activation_alpha: float, activation_beta: float, activation_gamma: float"), lower: func(c *lowering) []*graph.Value {
		second := "activation_beta"
		if c.Str("activation") == "Selu" {
			second = "activation_gamma"
		}
		return one(c.activation(c.Str("activation"), c.gemm(), c.given("activation_alpha", second)))
	}, remark: "the activation_beta of functions that have none, and the activation_gamma of all but Selu have no effect"},
	{name: "com.microsoft.FusedMatMul", forms: forms("1", "A, B; alpha=1.0, transA=0, transB=0, transBatchA=0, transBatchB=0"), lower: fusedMatMul},
	{name: "com.microsoft.TransposeMatMul", forms: forms("1", "A, B; alpha=1.0, transA=0, transB=0"), lower: func(c *lowering) []*graph.Value {
		return one(c.scaled(c.product(c.In(0), c.In(1), c.Flag("transA"), c.Flag("transB")), "alpha", c.Float("alpha")))
	}},
}}

// matmul multiplies matrices as numpy does: a vector on the left is a row, one on the right a column, which the result has no dimension for.
func (c *lowering) matmul(a, b *graph.Value) *graph.Value {
	if a.Type.DType != b.Type.DType {
		c.failf(c.operandName(1), "the element type is %v; it must be that of %s, %v", b.Type.DType, c.operandName(0), a.Type.DType)
	}
	return c.multiplied(a, b, func(a, b *graph.Value) *graph.Value { return c.product(a, b, false, false) })
}

// multiplied has factors multiplied of which any may be a vector.
func (c *lowering) multiplied(a, b *graph.Value, product func(a, b *graph.Value) *graph.Value) *graph.Value {
	var row, column bool
	if row = len(a.Type.Shape) == 1; row {
		a = c.Unsqueeze(a, 0)
	}
	if column = len(b.Type.Shape) == 1; column {
		b = c.Unsqueeze(b, 1)
	}
	y := product(a, b)
	rank := len(y.Type.Shape)
	switch {
	case row && column:
		return c.Squeeze(y, rank-2, rank-1)
	case row:
		return c.Squeeze(y, rank-2)
	case column:
		return c.Squeeze(y, rank-1)
	}
	return y
}

// product multiplies matrices, whose ranks may differ. Integers wrap in their own type.
func (c *lowering) product(a, b *graph.Value, transposeA, transposeB bool) *graph.Value {
	for i, v := range []*graph.Value{a, b} {
		if len(v.Type.Shape) < 2 {
			c.failf(c.operandName(i), "it is %v; it must have two dimensions or more", v.Type)
		}
	}
	attrs := emit.Attr("transposeA", transposeA, "transposeB", transposeB)
	d := a.Type.DType
	if d.IsInteger() {
		attrs = append(attrs, emit.Attr("dtype", sumType(d))...)
	}
	y := c.Node("matmul", attrs, c.AlignRight(a, b)...)
	if d.IsFloat() {
		return c.exactProduct(y)
	}
	return c.Cast(y, d)
}

// sumType returns the type in which sums of integers are computed whose low bits are those of sums in d.
func sumType(d tensor.DType) tensor.DType {
	if d.Size() > 4 {
		return tensor.Int64
	}
	return tensor.Int32
}

// gemm is the operator of that name.
func (c *lowering) gemm() *graph.Value {
	a, b, addend := c.In(0), c.In(1), c.In(2)
	alpha, beta := c.Float("alpha"), c.Float("beta")
	if a.Type.DType.IsFloat() {
		return c.exactProduct(c.Node("gemm", emit.Attr("alpha", alpha, "beta", beta, "transposeA", c.Flag("transA"), "transposeB", c.Flag("transB")), a, b, addend))
	}
	y := c.scaled(c.product(a, b, c.Flag("transA"), c.Flag("transB")), "alpha", alpha)
	if addend == nil {
		return y
	}
	return c.Each("add", y, c.scaled(addend, "beta", beta))
}

// scaled multiplies a value by a number, of which integers must be multiples.
func (c *lowering) scaled(v *graph.Value, attr string, factor float64) *graph.Value {
	if factor == 1 {
		return v
	}
	if v.Type.DType.IsInteger() && factor != float64(int32(factor)) {
		c.failf(attr, "it is %v; for %v it must be a whole number", factor, v.Type.DType)
	}
	return c.Node("mul", nil, v, c.Number(factor, v.Type.DType))
}

func fusedMatMul(c *lowering) []*graph.Value {
	operand := func(i int, flag string) *graph.Value {
		v := c.In(i)
		rank := len(v.Type.Shape)
		if !c.Flag(flag) || rank < 3 {
			return v
		}
		// The rows of the matrices stand in front of the batch.
		return c.Transpose(v, append(emit.Counting(1, rank-2), 0, rank-1)...)
	}
	a, b := operand(0, "transBatchA"), operand(1, "transBatchB")
	turned := func(flag string, v *graph.Value) bool { return c.Flag(flag) && len(v.Type.Shape) > 1 } // the flags say nothing of vectors
	y := c.multiplied(a, b, func(x, w *graph.Value) *graph.Value { return c.product(x, w, turned("transA", a), turned("transB", b)) })
	return one(c.scaled(y, "alpha", c.Float("alpha")))
}
