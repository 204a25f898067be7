package eval

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/nnef/syntax"
)

// unaryNames and binaryNames are the operations that operators on tensors stand for.
var (
	unaryNames  = [syntax.In + 1]string{syntax.Plus: "copy", syntax.Minus: "neg", syntax.Not: "not"}
	binaryNames = [syntax.In + 1]string{syntax.Plus: "add", syntax.Minus: "sub", syntax.Times: "mul", syntax.Divide: "div",
		syntax.Power: "pow", syntax.Less: "lt", syntax.LessEqual: "le", syntax.Greater: "gt", syntax.GreaterEqual: "ge",
		syntax.Equal: "eq", syntax.NotEqual: "ne", syntax.And: "and", syntax.Or: "or"}
)

// Copying returns the name of the operation of a dialect that yields its argument.
func Copying(d syntax.Dialect) string {
	if d == syntax.Provisional {
		return "idn"
	}
	return "copy"
}

// unaryType returns the type that an operator yields for a primitive type, and nil if it does not take it.
func unaryType(op syntax.Op, p syntax.Primitive) syntax.Type {
	number := p == syntax.Integer || p == syntax.Scalar
	if number && op != syntax.Not || p == syntax.Logical && op == syntax.Not {
		return primitiveTypes[p]
	}
	return nil
}

// binaryType returns the type that an operator yields for values of two types that are known at compile time, and nil if
// it does not take them.
func (e *Evaluator) binaryType(op syntax.Op, a, b syntax.Type) syntax.Type {
	p, q := kindOf(a), kindOf(b)
	number := p == q && (p == syntax.Integer || p == syntax.Scalar)
	listA, isA := a.(*syntax.ArrayType)
	listB, isB := b.(*syntax.ArrayType)
	switch op {
	case syntax.Plus:
		switch {
		case isA && isB:
			return e.common(listA, listB)
		case number || p == syntax.String && q == syntax.String:
			return a
		}
	case syntax.Times:
		switch {
		case number || (isA || p == syntax.String) && q == syntax.Integer:
			return a
		case p == syntax.Integer && isB:
			return b
		}
	case syntax.Minus, syntax.Divide, syntax.Power:
		if number {
			return a
		}
	case syntax.Less, syntax.LessEqual, syntax.Greater, syntax.GreaterEqual:
		if number {
			return primitiveTypes[syntax.Logical]
		}
	case syntax.Equal, syntax.NotEqual:
		if p == q && p != syntax.NoPrimitive {
			return primitiveTypes[syntax.Logical]
		}
	case syntax.And, syntax.Or:
		if p == q && p == syntax.Logical {
			return primitiveTypes[syntax.Logical]
		}
	case syntax.In:
		if isB && (listB.Item == nil || e.common(a, listB.Item) != nil) {
			return primitiveTypes[syntax.Logical]
		}
	}
	return nil
}

// kindOf returns the primitive type that a type is, NoPrimitive if it is another one.
func kindOf(t syntax.Type) syntax.Primitive {
	if p, ok := t.(*syntax.PrimitiveType); ok {
		return p.Kind
	}
	return syntax.NoPrimitive
}

func (e *Evaluator) unary(f *frame, x *syntax.Unary, names []string) (Value, error) {
	v, err := e.eval(f, x.X, nil)
	if err != nil {
		return nil, err
	}
	switch v.(type) {
	case Tensor, Absent:
		name := unaryNames[x.Op]
		if x.Op == syntax.Plus {
			name = Copying(e.dialect)
		}
		return e.operate(f, x, name, names, argument{value: v, x: x.X})
	}
	t := unaryType(x.Op, primitiveOf(v))
	if t == nil {
		return nil, f.fail(CodeOperands, x.Span, operatorRules[x.Op], "the operator %s does not take %s", x.Op, e.typeName(v))
	}
	if e.checking {
		return unknownOf(t, -1), nil
	}
	switch v := v.(type) {
	case int64:
		if x.Op == syntax.Minus {
			if v == math.MinInt64 {
				return nil, f.fail(CodeArithmetic, x.Span, "", "the negative of %d is not an integer of 64 bits", v)
			}
			return -v, nil
		}
	case float64:
		if x.Op == syntax.Minus {
			return -v, nil
		}
	case bool:
		return !v, nil
	case Symbol:
		return nil, f.unknownSymbol(x.Span, v)
	}
	return v, nil
}

func (f *frame) unknownSymbol(at syntax.Span, s Symbol) error {
	return f.fail(CodeUnknown, at, "give the inputs fixed shapes", "%s has no value at compile time", string(s))
}

// operatorRules say what operators take.
var operatorRules = func() (list [syntax.In + 1]string) {
	const numbers = "it takes two integers, two scalars, or tensors of scalars"
	for op := syntax.Plus; op <= syntax.GreaterEqual; op++ {
		list[op] = numbers
	}
	list[syntax.Plus] = "it takes two integers, two scalars, two strings, two arrays, or tensors of scalars"
	list[syntax.Times] = "it takes two integers, two scalars, a string or an array and an integer, or tensors of scalars"
	list[syntax.Equal] = "it takes two primitive values of one type, or tensors of scalars"
	list[syntax.NotEqual] = list[syntax.Equal]
	list[syntax.And] = "it takes logical values or tensors of them"
	list[syntax.Or], list[syntax.Not] = list[syntax.And], list[syntax.And]
	return list
}()

// operate applies the operation that an operator on tensors stands for.
func (e *Evaluator) operate(f *frame, x syntax.Node, name string, names []string, args ...argument) (Value, error) {
	op := f.op.Scope.Operation(name)
	if op == nil {
		return nil, f.fail(CodeUndeclared, syntax.SpanOf(x), "", "there is no operation %s for this operator", name)
	}
	return e.invoke(f, x, op, syntax.NoPrimitive, args, names)
}

func (e *Evaluator) binary(f *frame, x *syntax.Binary, names []string) (Value, error) {
	a, err := e.eval(f, x.X, nil)
	if err != nil && !e.checking { // before a fragment that invokes itself in both operands does so again and again
		return nil, err
	}
	if left, ok := a.(bool); ok && !e.checking && (x.Op == syntax.And && !left || x.Op == syntax.Or && left) {
		return left, nil
	}
	b, errB := e.eval(f, x.Y, nil)
	if err = first(err, errB); err != nil {
		return nil, err
	}
	_, absentA := a.(Absent)
	_, absentB := b.(Absent)
	if absentA || absentB {
		switch x.Op {
		case syntax.Plus, syntax.Times, syntax.Minus, syntax.Divide:
			if absentB {
				return a, nil
			}
			if x.Op == syntax.Plus || x.Op == syntax.Times {
				return b, nil
			}
		}
		return Absent{}, nil
	}
	_, tensorA := a.(Tensor)
	_, tensorB := b.(Tensor)
	if (tensorA || tensorB) && x.Op != syntax.In {
		return e.operate(f, x, binaryNames[x.Op], names, argument{value: a, x: x.X}, argument{value: b, x: x.Y})
	}
	if err := e.spendOn(f, x.Span, a, b); err != nil {
		return nil, err
	}
	if e.tract {
		if s, ok := symbolOf(a, b); ok {
			return nil, f.unknownSymbol(x.Span, s)
		}
		if f.op.Source != nil && arrayOperation(x.Op, a, b) {
			return e.operate(f, x, binaryNames[x.Op], names, argument{value: a, x: x.X}, argument{value: b, x: x.Y})
		}
		a, b = mixed(a, b)
	}
	t := e.binaryType(x.Op, e.typeOf(a), e.typeOf(b))
	switch {
	case t == nil:
		return nil, e.refuse(f, x, a, b)
	case e.checking:
		return unknownOf(t, joined(x.Op, a, b)), nil
	}
	return e.combine(f, x, a, b)
}

// first returns the error of two that does not follow from an earlier mistake, if there is one.
func first(a, b error) error {
	if a == nil || b != nil && errors.Is(a, follows{}) {
		return b
	}
	return a
}

// joined returns the length of two arrays put together, negative if it is not known.
func joined(op syntax.Op, a, b Value) int {
	x, okX := a.(Unknown)
	y, okY := b.(Unknown)
	if op == syntax.Plus && okX && okY && x.Len >= 0 && y.Len >= 0 {
		return x.Len + y.Len
	}
	return -1
}

// refuse says that a binary operator does not take two values.
func (e *Evaluator) refuse(f *frame, x *syntax.Binary, a, b Value) error {
	p, q := primitiveOf(a), primitiveOf(b)
	hint := operatorRules[x.Op]
	if p != q && (p == syntax.Integer || p == syntax.Scalar) && (q == syntax.Integer || q == syntax.Scalar) && x.Op != syntax.In {
		hint = fmt.Sprintf("%ss and scalars do not mix; convert one of them with scalar(…) or %s(…)",
			syntax.Integer.Text(e.dialect), syntax.ToInteger.Text(e.dialect))
	}
	if x.Op != syntax.In {
		return f.fail(CodeOperands, x.Span, hint, "the operator %s does not take %s and %s", x.Op, e.typeName(a), e.typeName(b))
	}
	if _, list := e.typeOf(b).(*syntax.ArrayType); !list {
		return f.fail(CodeOperands, syntax.SpanOf(x.Y), "", "the right side of 'in' is %s; it must be an array", e.typeName(b))
	}
	return f.fail(CodeOperands, x.Span, "", "%s cannot be an item of %s", e.typeName(a), e.typeName(b))
}

// combine applies a binary operator to values of types that it takes.
func (e *Evaluator) combine(f *frame, x *syntax.Binary, a, b Value) (Value, error) {
	switch x.Op {
	case syntax.In:
		list, _ := b.(Array)
		return slices.ContainsFunc(list, func(item Value) bool { return equal(a, item) }), nil
	case syntax.And, syntax.Or: // the left side did not decide
		return b, nil
	}
	if s, ok := symbolOf(a, b); ok {
		return nil, f.unknownSymbol(x.Span, s)
	}
	switch x.Op {
	case syntax.Equal:
		return a == b, nil
	case syntax.NotEqual:
		return a != b, nil
	}
	switch a := a.(type) {
	case int64:
		if list, ok := b.(Array); ok {
			return e.repeated(f, x, list, a)
		}
		return f.integers(x, a, b.(int64))
	case float64:
		return e.scalars(f, x, a, b.(float64))
	case string:
		if n, ok := b.(int64); ok {
			times, err := e.repeat(f, x, a, n)
			return strings.Repeat(a, times), err
		}
		return a + b.(string), nil
	case Array:
		if n, ok := b.(int64); ok {
			return e.repeated(f, x, a, n)
		}
		return slices.Concat(a, b.(Array)), nil
	}
	return nil, e.refuse(f, x, a, b)
}

// compare applies an operator that compares the sizes of two numbers.
func compare[T int64 | float64](op syntax.Op, a, b T) bool {
	switch op {
	case syntax.Less:
		return a < b
	case syntax.LessEqual:
		return a <= b
	case syntax.Greater:
		return a > b
	}
	return a >= b
}

// integers applies an operator to integers, whose result must have 64 bits.
func (f *frame) integers(x *syntax.Binary, a, b int64) (Value, error) {
	var c int64
	var ok bool
	switch x.Op {
	case syntax.Plus:
		c = a + b
		ok = (c > a) == (b > 0)
	case syntax.Minus:
		c = a - b
		ok = (c < a) == (b > 0)
	case syntax.Times:
		c, ok = product(a, b)
	case syntax.Divide:
		if b == 0 {
			return nil, f.fail(CodeArithmetic, x.Span, "", "the integer %d is divided by 0", a)
		}
		c, ok = a/b, a != math.MinInt64 || b != -1
	case syntax.Power:
		c, ok = 1, b >= 0
		for n := min(b, 64+b%2); ok && n > 0; n-- { // what remains after 64 factors is -1, 0 or 1
			c, ok = product(c, a)
		}
	default:
		return compare(x.Op, a, b), nil
	}
	if !ok {
		return nil, f.fail(CodeArithmetic, x.Span, "", "%d %s %d is not an integer of 64 bits", a, x.Op, b)
	}
	return c, nil
}

// product multiplies in 64 bits, and returns false if the product does not fit.
func product(a, b int64) (int64, bool) {
	c := a * b
	return c, a == 0 || c/a == b && (a != -1 || b != math.MinInt64)
}

// scalars applies an operator to scalars, whose result must be finite in other documents than those of tract.
func (e *Evaluator) scalars(f *frame, x *syntax.Binary, a, b float64) (Value, error) {
	var c float64
	switch x.Op {
	case syntax.Plus:
		c = a + b
	case syntax.Minus:
		c = a - b
	case syntax.Times:
		c = a * b
	case syntax.Divide:
		c = a / b
	case syntax.Power:
		c = fmath.Pow(a, b)
	default:
		return compare(x.Op, a, b), nil
	}
	if !e.tract && (math.IsNaN(c) || math.IsInf(c, 0)) {
		return nil, f.fail(CodeArithmetic, x.Span, "", "%s %s %s is not a finite scalar", Text(a), x.Op, Text(b))
	}
	return fmath.Canonical(c), nil // processors differ in the sign of what is no number
}

func (e *Evaluator) repeated(f *frame, x *syntax.Binary, list Array, n int64) (Value, error) {
	times, err := e.repeat(f, x, list, n)
	return slices.Repeat(list, times), err
}

// repeat counts what a string or array repeated n times consists of, and returns how often it is to be repeated: 0 times after an error.
func (e *Evaluator) repeat(f *frame, x *syntax.Binary, v Value, n int64) (times int, err error) {
	n = max(n, 0)
	size, ok := product(int64(e.limits.Items-weigh(v, e.limits.Items)), n)
	if !ok || size > math.MaxInt {
		size = math.MaxInt
	}
	if err := e.spend(f, x.Span, int(size)); err != nil || size == 0 { // what is empty may be repeated more often than an int counts
		return 0, err
	}
	return int(n), nil
}
