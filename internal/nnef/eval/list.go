package eval

import (
	"slices"

	"github.com/concord-nn/concord/nnef/syntax"
)

// isLiteral reports whether an expression is a literal, or a list of such.
func isLiteral(x syntax.Expr) bool {
	switch x := x.(type) {
	case *syntax.IntegerLit, *syntax.ScalarLit, *syntax.LogicalLit, *syntax.StringLit:
		return true
	case *syntax.Array:
		return !slices.ContainsFunc(x.Items, func(i syntax.Expr) bool { return !isLiteral(i) })
	case *syntax.Tuple:
		return !slices.ContainsFunc(x.Items, func(i syntax.Expr) bool { return !isLiteral(i) })
	}
	return false
}

func (e *Evaluator) itemsOf(f *frame, at syntax.Span, items []syntax.Expr) ([]Value, error) {
	if err := e.spend(f, at, len(items)); err != nil {
		return nil, err
	}
	list := make([]Value, len(items))
	var failed error
	for i, x := range items {
		switch x := x.(type) {
		case *syntax.IntegerLit: // there may be millions; the limits of the text bound them
			list[i] = x.Value
			continue
		case *syntax.ScalarLit:
			list[i] = x.Value
			continue
		}
		v, err := e.eval(f, x, nil)
		if err != nil {
			if failed = first(failed, err); !e.checking { // Without this the rest would be evaluated in vain.
				return nil, failed
			}
			continue
		}
		if err := e.spendOn(f, at, v); err != nil {
			return nil, err
		}
		list[i] = v
	}
	return list, failed
}

// array evaluates an array. Literals beside tensors stand for tensors.
func (e *Evaluator) array(f *frame, x *syntax.Array) (Value, error) {
	list, err := e.itemsOf(f, x.Span, x.Items)
	if err != nil || len(list) == 0 {
		if e.checking {
			return Unknown{noItems, 0}, err
		}
		return Array(list), err
	}
	literals, simple := primitiveOf(list[0]), true
	for _, v := range list {
		p := primitiveOf(v)
		simple = simple && p != syntax.NoPrimitive && p == literals
	}
	var t syntax.Type
	if simple { // Without this their types would be compared.
		t = primitiveTypes[literals]
	} else if t, err = e.commonType(f, x, list); err != nil {
		return nil, err
	}
	if e.checking {
		return Unknown{arrayOf(t), len(list)}, nil
	}
	if e.tract && !simple {
		return relaxItems(Array(list), t), nil
	}
	if _, tensors := t.(*syntax.TensorType); tensors {
		for i, v := range list {
			list[i] = asTensor(v)
		}
	}
	return Array(list), nil
}

// commonType returns the type that all items of an array can be cast to.
func (e *Evaluator) commonType(f *frame, x *syntax.Array, list []Value) (syntax.Type, error) {
	t := e.typeOf(list[0])
	for i, v := range list[1:] {
		if pairs(list[0], v) { // Without this their types would be compared.
			continue
		}
		u := e.typeOf(v)
		if e.tract {
			continue // operations convert each item
		}
		if c := e.common(t, u); c != nil {
			t = c
			continue
		}
		_, tensorT := t.(*syntax.TensorType)
		_, tensorU := u.(*syntax.TensorType)
		if e.operators && (tensorT || tensorU) { // those of an operator with blocks have types of their own
			t = anyTensor
			continue
		}
		return nil, f.fail(CodeCommon, syntax.SpanOf(x.Items[i+1]), e.mixHint(t, u),
			"the items of an array need a common type; this one is %s, those before it are %s", e.typeText(u), e.typeText(t))
	}
	return t, nil
}

// pairs reports whether two values are pairs of integers, which windows have many of.
func pairs(a, b Value) bool {
	for _, v := range [2]Value{a, b} {
		t, ok := v.(Tuple)
		if !ok || len(t) != 2 || primitiveOf(t[0]) != syntax.Integer || primitiveOf(t[1]) != syntax.Integer {
			return false
		}
	}
	return true
}

// mixHint says how values of two types could go together.
func (e *Evaluator) mixHint(a, b syntax.Type) string {
	kinds := [2]syntax.Primitive{bareType(a), bareType(b)}
	if kinds == [2]syntax.Primitive{syntax.Integer, syntax.Scalar} || kinds == [2]syntax.Primitive{syntax.Scalar, syntax.Integer} {
		return "write scalars with a point or an exponent: 1.0"
	}
	return ""
}

// asTensor returns a literal as a tensor, and other values as they are.
func asTensor(v Value) Value {
	switch v.(type) {
	case int64, float64, bool, string:
		return constant{v}
	}
	return v
}
