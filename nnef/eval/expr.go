package eval

import (
	"github.com/concord-nn/concord/nnef/syntax"
)

// eval evaluates an expression. If it is an operation on tensors, its results shall get the given names.
func (e *Evaluator) eval(f *frame, x syntax.Expr, names []string) (Value, error) {
	if err := e.step(f, spanOf(x), 1); err != nil {
		return nil, err
	}
	switch x := x.(type) {
	case *syntax.IntegerLit, *syntax.ScalarLit, *syntax.LogicalLit, *syntax.StringLit:
		return literal(x), nil
	case *syntax.Ident:
		return f.lookup(x)
	case *syntax.Array:
		list, err := e.itemsOf(f, x.Span, x.Items)
		return Array(list), err
	case *syntax.Tuple:
		list, err := e.itemsOf(f, x.Span, x.Items)
		return Tuple(list), err
	case *syntax.Subscript:
		return e.subscript(f, x)
	case *syntax.Range:
		return e.slice(f, x)
	case *syntax.Unary:
		return e.unary(f, x, names)
	case *syntax.Binary:
		return e.binary(f, x, names)
	case *syntax.Select:
		cond, err := e.eval(f, x.Cond, nil)
		if err != nil {
			return nil, err
		}
		b, ok := cond.(bool)
		switch {
		case !ok:
			return nil, f.fail(CodeOperands, spanOf(x.Cond), "use the operation select for tensors",
				"the condition is %s; it must be logical and known at compile time", typeName(cond))
		case b:
			return e.eval(f, x.Then, names)
		}
		return e.eval(f, x.Else, names)
	case *syntax.Comprehension:
		return e.comprehension(f, x)
	case *syntax.BuiltinCall:
		return e.builtin(f, x)
	case *syntax.Call:
		return e.call(f, x, names)
	}
	return nil, f.fail(CodeOperands, spanOf(x), "", "this cannot be evaluated")
}

func (f *frame) lookup(x *syntax.Ident) (Value, error) {
	v, ok := f.vars[x.Name]
	if _, bad := v.(poisoned); bad {
		return nil, follows{}
	}
	if !ok {
		return nil, f.fail(CodeUndefined, x.Span, "", "%s has no value here", x.Name)
	}
	return v, nil
}

func (e *Evaluator) itemsOf(f *frame, at syntax.Span, items []syntax.Expr) ([]Value, error) {
	if err := e.spend(f, at, len(items)); err != nil {
		return nil, err
	}
	list := make([]Value, len(items))
	for i, x := range items {
		switch x.(type) {
		case *syntax.IntegerLit, *syntax.ScalarLit: // there may be millions; the limits of the text bound them
			list[i] = literal(x)
			continue
		}
		v, err := e.eval(f, x, nil)
		if err != nil {
			return nil, err
		}
		if err := e.spendOn(f, at, v); err != nil {
			return nil, err
		}
		list[i] = v
	}
	return list, nil
}

func (e *Evaluator) subscript(f *frame, x *syntax.Subscript) (Value, error) {
	v, err := e.eval(f, x.X, nil)
	if err != nil {
		return nil, err
	}
	index, err := e.index(f, x.Index)
	if err != nil {
		return nil, err
	}
	n := 0
	switch v := v.(type) {
	case Array:
		if n = len(v); 0 <= index && index < n {
			return v[index], nil
		}
	case Tuple:
		if n = len(v); 0 <= index && index < n {
			return v[index], nil
		}
	case string:
		if n = len(v); 0 <= index && index < n {
			return v[index : index+1], nil
		}
	default:
		return nil, f.fail(CodeOperands, spanOf(x.X), "", "%s has no items", typeName(v))
	}
	return nil, f.fail(CodeIndex, spanOf(x.Index), "", "the index %d is out of range; there are %d items", index, n)
}

// index evaluates a subscript or one of its bounds.
func (e *Evaluator) index(f *frame, x syntax.Expr) (int, error) {
	v, err := e.eval(f, x, nil)
	if err != nil {
		return 0, err
	}
	i, ok := v.(int)
	if !ok {
		return 0, f.fail(CodeOperands, spanOf(x), "", "the subscript is %s; it must be an integer", typeName(v))
	}
	return i, nil
}

func (e *Evaluator) slice(f *frame, x *syntax.Range) (Value, error) {
	v, err := e.eval(f, x.X, nil)
	if err != nil {
		return nil, err
	}
	n := 0
	switch v := v.(type) {
	case Array:
		n = len(v)
	case string:
		n = len(v)
	default:
		return nil, f.fail(CodeOperands, spanOf(x.X), "", "%s has no ranges of items", typeName(v))
	}
	first, last := 0, n
	if x.First != nil {
		if first, err = e.index(f, x.First); err != nil {
			return nil, err
		}
	}
	if x.Last != nil {
		if last, err = e.index(f, x.Last); err != nil {
			return nil, err
		}
	}
	if first < 0 || last > n || first > n || last < 0 {
		return nil, f.fail(CodeIndex, spanOf(x), "", "the range %d:%d is out of range; there are %d items", first, last, n)
	}
	last = max(first, last)
	if s, ok := v.(string); ok {
		return s[first:last], nil
	}
	return v.(Array)[first:last:last], nil
}

func (e *Evaluator) comprehension(f *frame, x *syntax.Comprehension) (Value, error) {
	arrays := make([]Array, len(x.Iterators))
	outer := make(map[string]Value)
	for i, it := range x.Iterators {
		v, err := e.eval(f, it.In, nil)
		if err != nil {
			return nil, err
		}
		a, ok := v.(Array)
		if !ok {
			return nil, f.fail(CodeOperands, spanOf(it.In), "", "%s iterates over %s; it must be an array", it.Name.Name, typeName(v))
		}
		if i > 0 && len(a) != len(arrays[0]) {
			return nil, f.fail(CodeIteration, spanOf(it.In), "", "%s iterates over %d items and %s over %d; the lengths must be equal",
				x.Iterators[0].Name.Name, len(arrays[0]), it.Name.Name, len(a))
		}
		arrays[i] = a
	}
	for _, it := range x.Iterators {
		name := it.Name.Name
		if _, twice := outer[name]; twice || f.vars[name] != nil {
			return nil, f.fail(CodeRedefined, it.Name.Span, "choose another name", "the iterator %s has the name of another value", name)
		}
		outer[name] = nil
	}
	defer func() {
		for name := range outer {
			delete(f.vars, name)
		}
	}()
	list := Array{}
	for i := range arrays[0] {
		if err := e.step(f, x.Span, len(x.Iterators)); err != nil {
			return nil, err
		}
		for k, it := range x.Iterators {
			f.vars[it.Name.Name] = arrays[k][i]
		}
		if x.Cond != nil {
			v, err := e.eval(f, x.Cond, nil)
			if err != nil {
				return nil, err
			}
			b, ok := v.(bool)
			if !ok {
				return nil, f.fail(CodeOperands, spanOf(x.Cond), "", "the condition is %s; it must be logical", typeName(v))
			}
			if !b {
				continue
			}
		}
		v, err := e.eval(f, x.Item, nil)
		if err != nil {
			return nil, err
		}
		if err := e.spendOn(f, x.Span, Array{v}); err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}
