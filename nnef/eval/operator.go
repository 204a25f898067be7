package eval

import (
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/concord-nn/concord/nnef/syntax"
)

// unaryNames and binaryNames are the operations that operators on tensors stand for.
var (
	unaryNames  = map[syntax.Op]string{syntax.Plus: "copy", syntax.Minus: "neg", syntax.Not: "not"}
	binaryNames = map[syntax.Op]string{syntax.Plus: "add", syntax.Minus: "sub", syntax.Times: "mul", syntax.Divide: "div",
		syntax.Power: "pow", syntax.Less: "lt", syntax.LessEqual: "le", syntax.Greater: "gt", syntax.GreaterEqual: "ge",
		syntax.Equal: "eq", syntax.NotEqual: "ne", syntax.And: "and", syntax.Or: "or"}
)

func (e *Evaluator) unary(f *frame, x *syntax.Unary, names []string) (Value, error) {
	v, err := e.eval(f, x.X, nil)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case Tensor, Absent:
		return e.operate(f, x, unaryNames[x.Op], names, argument{value: v, span: spanOf(x.X)})
	case int:
		switch {
		case x.Op == syntax.Minus && v == math.MinInt:
			return nil, f.fail(CodeArithmetic, x.Span, "", "the negative of %d is not an integer of 64 bits", v)
		case x.Op == syntax.Minus:
			return -v, nil
		case x.Op == syntax.Plus:
			return v, nil
		}
	case float64:
		switch x.Op {
		case syntax.Minus:
			return -v, nil
		case syntax.Plus:
			return v, nil
		}
	case bool:
		if x.Op == syntax.Not {
			return !v, nil
		}
	}
	return nil, f.fail(CodeOperands, x.Span, "", "the operator %s does not take %s", x.Op, typeName(v))
}

// operate applies the operation that an operator stands for.
func (e *Evaluator) operate(f *frame, x syntax.Node, name string, names []string, args ...argument) (Value, error) {
	op := f.lib.Operation(name)
	if op == nil {
		return nil, f.fail(CodeUndeclared, spanOf(x), "", "there is no operation %s for this operator", name)
	}
	return e.invoke(f, spanOf(x), op, syntax.NoPrimitive, args, names)
}

func (e *Evaluator) binary(f *frame, x *syntax.Binary, names []string) (Value, error) {
	a, err := e.eval(f, x.X, nil)
	if err != nil {
		return nil, err
	}
	if left, ok := a.(bool); ok && (x.Op == syntax.And && !left || x.Op == syntax.Or && left) {
		return left, nil
	}
	b, err := e.eval(f, x.Y, nil)
	if err != nil {
		return nil, err
	}
	if x.Op == syntax.In {
		list, ok := b.(Array)
		if !ok {
			return nil, f.fail(CodeOperands, spanOf(x.Y), "", "the right side of 'in' is %s; it must be an array", typeName(b))
		}
		if err := e.spendOn(f, x.Span, list); err != nil {
			return nil, err
		}
		for _, item := range list {
			if equal(a, item) {
				return true, nil
			}
		}
		return false, nil
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
	if tensorA || tensorB {
		return e.operate(f, x, binaryNames[x.Op], names, argument{value: a, span: spanOf(x.X)}, argument{value: b, span: spanOf(x.Y)})
	}
	v, err := e.combine(f, x, a, b)
	if v == nil && err == nil {
		hint := ""
		if p, q := primitiveOf(a), primitiveOf(b); p != q && (p == syntax.Integer || p == syntax.Scalar) && (q == syntax.Integer || q == syntax.Scalar) {
			hint = "convert one of them with scalar(…) or integer(…)"
		}
		return nil, f.fail(CodeOperands, x.Span, hint, "the operator %s does not take %s and %s", x.Op, typeName(a), typeName(b))
	}
	return v, err
}

// combine applies a binary operator to values known at compile time. It returns nil if it does not take them.
func (e *Evaluator) combine(f *frame, x *syntax.Binary, a, b Value) (Value, error) {
	switch a := a.(type) {
	case int:
		if b, ok := b.(int); ok {
			if v := compare(x.Op, a, b); v != nil {
				return v, nil
			}
			v, ok := integers(x.Op, a, b)
			if !ok {
				return nil, f.fail(CodeArithmetic, x.Span, "", "%d %s %d is not an integer of 64 bits", a, x.Op, b)
			}
			return v, nil
		}
	case float64:
		if b, ok := b.(float64); ok {
			if v := compare(x.Op, a, b); v != nil {
				return v, nil
			}
			v := scalars(x.Op, a, b)
			if s, ok := v.(float64); ok && (math.IsNaN(s) || math.IsInf(s, 0)) {
				return nil, f.fail(CodeArithmetic, x.Span, "", "%s %s %s is not a finite scalar", Text(a), x.Op, Text(b))
			}
			return v, nil
		}
	case bool:
		if b, ok := b.(bool); ok {
			switch x.Op {
			case syntax.And:
				return a && b, nil
			case syntax.Or:
				return a || b, nil
			case syntax.Equal:
				return a == b, nil
			case syntax.NotEqual:
				return a != b, nil
			}
		}
	case string:
		return e.strings(f, x, a, b)
	case Array:
		return e.arrays(f, x, a, b)
	}
	if list, ok := b.(Array); ok {
		if n, ok := a.(int); ok && x.Op == syntax.Times {
			return e.arrays(f, x, list, n)
		}
	}
	return nil, nil
}

func compare[T int | float64](op syntax.Op, a, b T) Value {
	switch op {
	case syntax.Less:
		return a < b
	case syntax.LessEqual:
		return a <= b
	case syntax.Greater:
		return a > b
	case syntax.GreaterEqual:
		return a >= b
	case syntax.Equal:
		return a == b
	case syntax.NotEqual:
		return a != b
	}
	return nil
}

// integers returns the value of an arithmetic operator, and false if there is none in 64 bits. The value is nil for
// another operator.
func integers(op syntax.Op, a, b int) (Value, bool) {
	switch op {
	case syntax.Plus:
		c := a + b
		return c, (c > a) == (b > 0)
	case syntax.Minus:
		c := a - b
		return c, (c < a) == (b > 0)
	case syntax.Times:
		return product(a, b)
	case syntax.Divide:
		if b == 0 || a == math.MinInt && b == -1 {
			return nil, false
		}
		return a / b, true
	case syntax.Power:
		if b < 0 {
			return nil, false
		}
		c := 1
		for range min(b, 64) {
			var ok bool
			if c, ok = product(c, a); !ok {
				return nil, false
			}
		}
		if b > 64 && (a > 1 || a < -1) {
			return nil, false
		}
		if b > 64 && a == -1 && b%2 != 0 {
			c = -1
		}
		return c, true
	}
	return nil, true
}

// product multiplies in 64 bits, and returns false if the product does not fit.
func product(a, b int) (int, bool) {
	size := func(x int) uint64 {
		if x < 0 {
			return -uint64(x)
		}
		return uint64(x)
	}
	hi, lo := bits.Mul64(size(a), size(b))
	limit := uint64(math.MaxInt)
	if (a < 0) != (b < 0) {
		limit++
	}
	return a * b, hi == 0 && lo <= limit
}

func scalars(op syntax.Op, a, b float64) Value {
	switch op {
	case syntax.Plus:
		return a + b
	case syntax.Minus:
		return a - b
	case syntax.Times:
		return a * b
	case syntax.Divide:
		return a / b
	case syntax.Power:
		return power(a, b)
	}
	return nil
}

// power returns a to the power of b; for an integral b by repeated multiplication, which gives the same bits on every
// processor.
func power(a, b float64) float64 {
	n := math.Abs(b)
	if b != math.Trunc(b) || n > 1<<20 {
		if b == 0.5 {
			return math.Sqrt(a)
		}
		if b == -0.5 {
			return 1 / math.Sqrt(a)
		}
		return exponential(a, b)
	}
	z := 1.0
	for k := uint(n); k != 0; k >>= 1 {
		if k&1 != 0 {
			z *= a
		}
		a *= a
	}
	if b < 0 {
		return 1 / z
	}
	return z
}

func (e *Evaluator) strings(f *frame, x *syntax.Binary, a string, b Value) (Value, error) {
	switch b := b.(type) {
	case string:
		if err := e.spend(f, x.Span, len(a)+len(b)); err != nil {
			return nil, err
		}
		switch x.Op {
		case syntax.Equal:
			return a == b, nil
		case syntax.NotEqual:
			return a != b, nil
		case syntax.Plus:
			return a + b, nil
		}
	case int:
		if x.Op == syntax.Times {
			if err := e.repeat(f, x, a, b); err != nil {
				return nil, err
			}
			return strings.Repeat(a, max(b, 0)), nil
		}
	}
	return nil, nil
}

func (e *Evaluator) arrays(f *frame, x *syntax.Binary, a Array, b Value) (Value, error) {
	switch b := b.(type) {
	case Array:
		if err := e.spendOn(f, x.Span, a, b); err != nil {
			return nil, err
		}
		switch x.Op {
		case syntax.Equal:
			return equal(a, b), nil
		case syntax.NotEqual:
			return !equal(a, b), nil
		case syntax.Plus:
			return slices.Concat(a, b), nil
		}
	case int:
		if x.Op == syntax.Times {
			if err := e.repeat(f, x, a, b); err != nil {
				return nil, err
			}
			return slices.Repeat(a, max(b, 0)), nil
		}
	}
	return nil, nil
}

// repeat counts what a string or array repeated n times consists of.
func (e *Evaluator) repeat(f *frame, x *syntax.Binary, v Value, n int) error {
	size, ok := product(e.limits.Items-weigh(v, e.limits.Items), max(n, 0))
	if !ok {
		size = math.MaxInt
	}
	return e.spend(f, x.Span, size)
}
