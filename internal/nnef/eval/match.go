package eval

import (
	"slices"

	"github.com/concord-nn/concord/nnef/syntax"
)

// match compares values with types. The generic type is fixed by the first value that it is compared with.
type match struct {
	generic syntax.Primitive
	any     bool // '?' was compared with a tensor of any type
	open    bool // the provisional dialect: tensors have no types
	tract   bool // arrays of numbers are tensors
}

// rigid returns a match in which '?' is a type of its own.
func (e *Evaluator) rigid() match { return e.match(syntax.GenericType) }

func (e *Evaluator) match(generic syntax.Primitive) match {
	return match{generic: generic, open: e.dialect == syntax.Provisional, tract: e.tract}
}

// unify compares a primitive type with a declared one.
func (m *match) unify(p, declared syntax.Primitive) bool {
	switch {
	case p == anyItem:
		m.any = m.any || declared == syntax.GenericType
		return true
	case declared == anyItem:
		return true
	case declared != syntax.GenericType:
		return p == declared
	case m.generic == anyItem:
		return true
	case m.generic == syntax.NoPrimitive:
		m.generic = p
	}
	return p == m.generic
}

// tensor reports whether a literal, or a tensor with elements of a type, can be cast to a tensor.
func (m *match) tensor(p syntax.Primitive, literal bool, declared syntax.Primitive) bool {
	switch {
	case m.open && literal:
		return (p == syntax.Scalar || p == syntax.Logical) && (declared == syntax.NoPrimitive || m.unify(p, declared))
	case declared == syntax.NoPrimitive:
		return !literal || m.tract
	}
	return p != syntax.NoPrimitive && m.unify(p, declared)
}

// fits reports whether a value can be cast to a declared type.
func (m *match) fits(v Value, t syntax.Type) bool {
	switch t := t.(type) {
	case *syntax.PrimitiveType:
		p := primitiveOf(v)
		return p != syntax.NoPrimitive && m.unify(p, t.Kind)
	case *syntax.TensorType:
		if tensor, ok := v.(Tensor); ok {
			return m.tensor(itemOf(tensor), false, t.Item)
		}
		if items, array := itemsIn(v); array {
			return m.tract && m.all(items, t)
		}
		p := primitiveOf(v)
		return p != syntax.NoPrimitive && m.tensor(p, true, t.Item)
	case *syntax.ArrayType:
		items, array := itemsIn(v)
		return array && m.all(items, t.Item)
	case *syntax.TupleType:
		a, ok := v.(Tuple)
		if !ok || len(a) != len(t.Items) {
			return false
		}
		for i, x := range a {
			if !m.fits(x, t.Items[i]) {
				return false
			}
		}
		return true
	}
	return false
}

// all reports whether each of some items can be cast to a type.
func (m *match) all(items []Value, t syntax.Type) bool {
	return !slices.ContainsFunc(items, func(x Value) bool { return !m.fits(x, t) })
}

func usesGeneric(t syntax.Type) bool {
	switch t := t.(type) {
	case *syntax.PrimitiveType:
		return t.Kind == syntax.GenericType
	case *syntax.TensorType:
		return t.Item == syntax.GenericType
	case *syntax.ArrayType:
		return usesGeneric(t.Item)
	case *syntax.TupleType:
		return slices.ContainsFunc(t.Items, usesGeneric)
	}
	return false
}
