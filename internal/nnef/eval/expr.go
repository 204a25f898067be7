package eval

import (
	"github.com/concord-nn/concord/nnef/syntax"
)

// eval evaluates an expression. If it is an operation on tensors, its results shall get the given names.
func (e *Evaluator) eval(f *frame, x syntax.Expr, names []string) (Value, error) {
	if e.steps++; e.steps > e.limits.Steps {
		return nil, e.step(f, syntax.SpanOf(x), 0)
	}
	switch x := x.(type) {
	case *syntax.Ident:
		return f.lookup(x)
	case *syntax.IntegerLit, *syntax.ScalarLit, *syntax.LogicalLit, *syntax.StringLit:
		return Literal(x), nil
	case *syntax.Array:
		return e.array(f, x)
	case *syntax.Tuple:
		list, err := e.itemsOf(f, x.Span, x.Items)
		return Tuple(list), err
	case *syntax.Call:
		return e.call(f, x, names)
	case *syntax.Subscript:
		return e.subscript(f, x)
	case *syntax.Range:
		return e.slice(f, x)
	case *syntax.Unary:
		return e.unary(f, x, names)
	case *syntax.Binary:
		return e.binary(f, x, names)
	case *syntax.Select:
		return e.choose(f, x, names)
	case *syntax.Comprehension:
		return e.comprehension(f, x)
	case *syntax.BuiltinCall:
		return e.builtin(f, x)
	}
	return nil, f.fail(CodeOperands, syntax.SpanOf(x), "", "this cannot be evaluated")
}

func (f *frame) lookup(x *syntax.Ident) (Value, error) {
	switch v := f.vars.get(x.Name); v.(type) {
	case nil:
		if v := f.known[x.Name]; v != nil {
			return v, nil
		}
		return nil, f.undefined(x)
	case poisoned:
		return nil, follows{}
	default:
		return v, nil
	}
}

// choose evaluates a conditional expression: only the branch that is chosen, or both to check them.
func (e *Evaluator) choose(f *frame, x *syntax.Select, names []string) (Value, error) {
	cond, err := e.eval(f, x.Cond, nil)
	if err == nil && primitiveOf(cond) != syntax.Logical {
		hint := ""
		if t, ok := cond.(Tensor); ok && itemOf(t) == syntax.Logical {
			hint = "use the operation select for tensors"
		}
		err = f.fail(CodeOperands, syntax.SpanOf(x.Cond), hint,
			"the condition is %s; it must be logical and known at compile time", e.typeName(cond))
	}
	if e.checking {
		a, errA := e.eval(f, x.Then, nil)
		b, errB := e.eval(f, x.Else, nil)
		if err = first(first(err, errA), errB); err != nil {
			return nil, err
		}
		if err := e.spendOn(f, x.Span, a, b); err != nil {
			return nil, err
		}
		p, q := e.typeOf(a), e.typeOf(b)
		t := e.common(p, q)
		if t == nil {
			return nil, f.fail(CodeCommon, x.Span, e.mixHint(p, q),
				"the branches of a conditional expression need a common type; they are %s and %s", e.typeText(p), e.typeText(q))
		}
		return unknownOf(t, -1), nil
	}
	if err != nil {
		return nil, err
	}
	chosen, other := x.Then, x.Else
	if !cond.(bool) {
		chosen, other = other, chosen
	}
	v, err := e.eval(f, chosen, names)
	if err == nil && e.isTensor(f, other, v) {
		v = asTensor(v)
	}
	return v, err
}

// isTensor reports whether an expression that is not evaluated would be a tensor, where that matters: where the value in
// its place is a literal.
func (e *Evaluator) isTensor(f *frame, x syntax.Expr, v Value) bool {
	switch v.(type) {
	case int64, float64, bool:
	default:
		return false
	}
	if isLiteral(x) { // Without this it would be evaluated in vain.
		return false
	}
	before, errs, found := e.checking, e.errors, e.diagnostics
	e.checking = true
	t, err := e.eval(f, x, nil)
	e.checking, e.errors, e.diagnostics = before, errs, found
	_, tensor := t.(Tensor)
	return err == nil && tensor
}
