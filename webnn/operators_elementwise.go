package webnn

// Functions of one and of two numbers, element by element.

// Abs computes the magnitude |x| of each element. The least integer of a type stays as it is. The result has the type
// and shape of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-unary.
func (g *GraphBuilder) Abs(input *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("abs", options, input)
}

// Ceil rounds each element to the least integer that is not below it. The result has the type and shape of the
// input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-unary.
func (g *GraphBuilder) Ceil(input *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("ceil", options, input)
}

// Cos computes the cosine of each element, which is an angle in radians. The result has the type and shape of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-unary.
func (g *GraphBuilder) Cos(input *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("cos", options, input)
}

// Erf computes the error function of each element, 2/√π · ∫₀ˣ exp(-t²) dt. The result has the type and shape of the
// input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-unary.
func (g *GraphBuilder) Erf(input *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("erf", options, input)
}

// Exp computes eˣ for each element x. The result has the type and shape of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-unary.
func (g *GraphBuilder) Exp(input *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("exp", options, input)
}

// Floor rounds each element to the greatest integer that is not above it. The result has the type and shape of the
// input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-unary.
func (g *GraphBuilder) Floor(input *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("floor", options, input)
}

// Identity copies its input. It gives a name of its own to a value, or makes an output of an input. The result has
// the type and shape of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-unary.
func (g *GraphBuilder) Identity(input *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("identity", options, input)
}

// Log computes the natural logarithm of each element: -∞ for 0 and NaN below it. The result has the type and shape of
// the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-unary.
func (g *GraphBuilder) Log(input *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("log", options, input)
}

// Neg changes the sign of each element. The least integer of a type stays as it is. The result has the type and
// shape of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-unary.
func (g *GraphBuilder) Neg(input *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("neg", options, input)
}

// Reciprocal computes 1 / x for each element x. The result has the type and shape of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-unary.
func (g *GraphBuilder) Reciprocal(input *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("reciprocal", options, input)
}

// RoundEven rounds each element to the nearest integer; halves go to the even one. The result has the type and shape
// of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-unary.
func (g *GraphBuilder) RoundEven(input *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("roundEven", options, input)
}

// Sin computes the sine of each element, which is an angle in radians. The result has the type and shape of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-unary.
func (g *GraphBuilder) Sin(input *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("sin", options, input)
}

// Sign computes -1, 0 or 1 for elements below, equal to and above 0. The result has the type and shape of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-unary.
func (g *GraphBuilder) Sign(input *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("sign", options, input)
}

// Sqrt computes the square root of each element, NaN below 0. The result has the type and shape of the input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-unary.
func (g *GraphBuilder) Sqrt(input *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("sqrt", options, input)
}

// Tan computes the tangent of each element, which is an angle in radians. The result has the type and shape of the
// input.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-unary.
func (g *GraphBuilder) Tan(input *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("tan", options, input)
}

// Add computes a + b, element by element. Integers wrap. Both operands have the same type, which the result has, too;
// the shapes broadcast.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-binary.
func (g *GraphBuilder) Add(a, b *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("add", options, a, b)
}

// Sub computes a - b, element by element. Integers wrap. Both operands have the same type, which the result has, too;
// the shapes broadcast.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-binary.
func (g *GraphBuilder) Sub(a, b *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("sub", options, a, b)
}

// Mul computes a · b, element by element. Integers wrap. Both operands have the same type, which the result has, too;
// the shapes broadcast.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-binary.
func (g *GraphBuilder) Mul(a, b *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("mul", options, a, b)
}

// Div computes a / b, element by element. Quotients of integers are truncated toward 0; division by an integer 0 gives
// 0. Both operands have the same type, which the result has, too; the shapes broadcast.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-binary.
func (g *GraphBuilder) Div(a, b *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("div", options, a, b)
}

// Max computes the greater of a and b, element by element. Both operands have the same type, which the result has, too;
// the shapes broadcast.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-binary.
func (g *GraphBuilder) Max(a, b *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("max", options, a, b)
}

// Min computes the lesser of a and b, element by element. Both operands have the same type, which the result has, too;
// the shapes broadcast.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-binary.
func (g *GraphBuilder) Min(a, b *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("min", options, a, b)
}

// Pow computes a to the power of b, element by element. Both operands have the same type, which the result has, too; the
// shapes broadcast.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-binary.
func (g *GraphBuilder) Pow(a, b *Operand, options *OperatorOptions) (*Operand, error) {
	return g.single("pow", options, a, b)
}
