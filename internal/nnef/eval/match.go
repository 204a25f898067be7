package eval

import (
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
	if u, ok := v.(Unknown); ok {
		return m.casts(u.Type, t)
	}
	switch t := t.(type) {
	case *syntax.PrimitiveType:
		p := primitiveOf(v)
		return p != syntax.NoPrimitive && m.unify(p, t.Kind)
	case *syntax.TensorType:
		switch v := v.(type) {
		case Tensor:
			return m.tensor(itemOf(v), false, t.Item)
		case Array:
			return m.tract && m.numbers(v, t.Item)
		}
		p := primitiveOf(v)
		return p != syntax.NoPrimitive && m.tensor(p, true, t.Item)
	case *syntax.ArrayType:
		a, ok := v.(Array)
		for _, x := range a {
			if !m.fits(x, t.Item) {
				return false
			}
		}
		return ok
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

// numbers reports whether nested arrays consist of numbers of a type.
func (m *match) numbers(a Array, item syntax.Primitive) bool {
	for _, x := range a {
		if list, ok := x.(Array); ok && !m.numbers(list, item) {
			return false
		} else if !ok && !m.tensor(primitiveOf(x), true, item) {
			return false
		}
	}
	return true
}

// casts reports whether values of one type can be cast to another.
func (m *match) casts(from, to syntax.Type) bool {
	switch to := to.(type) {
	case *syntax.PrimitiveType:
		from, ok := from.(*syntax.PrimitiveType)
		return ok && m.unify(from.Kind, to.Kind)
	case *syntax.TensorType:
		switch from := from.(type) {
		case *syntax.PrimitiveType:
			return m.tensor(from.Kind, true, to.Item)
		case *syntax.TensorType:
			return m.tensor(from.Item, false, to.Item)
		case *syntax.ArrayType:
			return m.tract && m.casts(from.Item, to)
		}
	case *syntax.ArrayType:
		from, ok := from.(*syntax.ArrayType)
		return ok && (from.Item == nil || to.Item != nil && m.casts(from.Item, to.Item))
	case *syntax.TupleType:
		from, ok := from.(*syntax.TupleType)
		if !ok || len(from.Items) != len(to.Items) {
			return false
		}
		for i, item := range from.Items {
			if !m.casts(item, to.Items[i]) {
				return false
			}
		}
		return true
	}
	return false
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
		for _, item := range t.Items {
			if usesGeneric(item) {
				return true
			}
		}
	}
	return false
}
