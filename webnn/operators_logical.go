package webnn

// Comparisons, logic and selection.

// Equal compares a = b, element by element; NaN equals nothing. The result is uint8: 1 where it holds, else 0. Both
// operands have the same type; the shapes broadcast.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-logical.
func (g *GraphBuilder) Equal(a, b *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("equal", options, a, b)
}

// NotEqual compares a ≠ b, element by element; it holds for NaN. The result is uint8: 1 where it holds, else 0. Both
// operands have the same type; the shapes broadcast.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-logical.
func (g *GraphBuilder) NotEqual(a, b *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("notEqual", options, a, b)
}

// Greater compares a > b, element by element. The result is uint8: 1 where it holds, else 0. Both operands have the
// same type; the shapes broadcast.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-logical.
func (g *GraphBuilder) Greater(a, b *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("greater", options, a, b)
}

// GreaterOrEqual compares a ≥ b, element by element. The result is uint8: 1 where it holds, else 0. Both operands
// have the same type; the shapes broadcast.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-logical.
func (g *GraphBuilder) GreaterOrEqual(a, b *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("greaterOrEqual", options, a, b)
}

// Lesser compares a < b, element by element. The result is uint8: 1 where it holds, else 0. Both operands have the
// same type; the shapes broadcast.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-logical.
func (g *GraphBuilder) Lesser(a, b *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("lesser", options, a, b)
}

// LesserOrEqual compares a ≤ b, element by element. The result is uint8: 1 where it holds, else 0. Both operands
// have the same type; the shapes broadcast.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-logical.
func (g *GraphBuilder) LesserOrEqual(a, b *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("lesserOrEqual", options, a, b)
}

// LogicalNot computes not a, element by element. Operand and result are uint8: 0 is false, everything else true, and the
// result is 0 or 1.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-logical.
func (g *GraphBuilder) LogicalNot(a *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("logicalNot", options, a)
}

// LogicalAnd computes a and b, element by element. The operands and the result are uint8: 0 is false, everything else
// true, and the result is 0 or 1. The shapes broadcast.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-logical.
func (g *GraphBuilder) LogicalAnd(a, b *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("logicalAnd", options, a, b)
}

// LogicalOr computes a or b, element by element. The operands and the result are uint8: 0 is false, everything else
// true, and the result is 0 or 1. The shapes broadcast.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-logical.
func (g *GraphBuilder) LogicalOr(a, b *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("logicalOr", options, a, b)
}

// LogicalXor computes either a or b, element by element. The operands and the result are uint8: 0 is false, everything
// else true, and the result is 0 or 1. The shapes broadcast.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-logical.
func (g *GraphBuilder) LogicalXor(a, b *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("logicalXor", options, a, b)
}

// IsNaN tells which elements are NaN. The result is uint8, 1 where one is and else 0, and has the shape of a.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-logical.
func (g *GraphBuilder) IsNaN(a *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("isNaN", options, a)
}

// IsInfinite tells which elements are an infinity of either sign. The result is uint8, 1 where one is and else 0,
// and has the shape of a.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-logical.
func (g *GraphBuilder) IsInfinite(a *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("isInfinite", options, a)
}

// Where takes each element from trueValue where the condition is not 0, and from falseValue where it is. The
// condition is uint8; the two others have the same type, which the result has, too. The three shapes broadcast.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-where.
func (g *GraphBuilder) Where(condition, trueValue, falseValue *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("where", options, condition, trueValue, falseValue)
}
