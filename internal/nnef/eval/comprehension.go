package eval

import (
	"github.com/concord-nn/concord/nnef/syntax"
)

func (e *Evaluator) comprehension(f *frame, x *syntax.Comprehension) (Value, error) {
	arrays := make([]Array, len(x.Iterators))
	items := make([]Value, len(x.Iterators)) // where the items are not known, what each is
	length := -1
	var failed error
	for i, it := range x.Iterators {
		v, err := e.eval(f, it.In, nil)
		if err == nil {
			arrays[i], items[i], err = e.iterate(f, it, v)
		}
		if u, ok := v.(Unknown); ok && length < 0 {
			length = u.Len
		}
		if failed = first(failed, err); failed != nil && !e.checking {
			return nil, failed
		}
		if items[i] == nil {
			items[i] = poisoned{}
		}
		if i > 0 && len(arrays[i]) != len(arrays[0]) {
			return nil, f.fail(CodeIteration, syntax.SpanOf(it.In), "", "%s iterates over %d items and %s over %d; the lengths must be equal",
				x.Iterators[0].Name.Name, len(arrays[0]), it.Name.Name, len(arrays[i]))
		}
	}
	n := len(f.vars.names)
	defer func() { f.vars.keep(n) }()
	for i, it := range x.Iterators {
		name := it.Name.Name
		if f.vars.get(name) != nil {
			return nil, f.fail(CodeRedefined, it.Name.Span, "choose another name", "the iterator %s has the name of another value", name)
		}
		f.vars.add(name, items[i])
	}
	if e.checking {
		if x.Cond != nil {
			length = -1
		}
		v, err := e.item(f, x)
		if failed = first(failed, err); failed != nil {
			return nil, failed
		}
		if err := e.spendOn(f, x.Span, v); err != nil {
			return nil, err
		}
		return Unknown{arrayOf(e.typeOf(v)), length}, nil
	}
	list := make(Array, 0, len(arrays[0]))
	for i := range arrays[0] {
		if err := e.step(f, x.Span, len(x.Iterators)); err != nil {
			return nil, err
		}
		for k := range x.Iterators {
			f.vars.values[n+k] = arrays[k][i]
		}
		v, err := e.item(f, x)
		if err != nil {
			return nil, err
		}
		if v == nil {
			continue
		}
		if err := first(e.spend(f, x.Span, 1), e.spendOn(f, x.Span, v)); err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// iterate returns the items of an array, or where they are not known, what each of them is.
func (e *Evaluator) iterate(f *frame, it syntax.Iterator, v Value) (Array, Value, error) {
	items, array := itemsIn(v)
	_, unknown := v.(Unknown)
	switch {
	case array && !unknown:
		return items, nil, nil
	case len(items) > 0:
		return nil, items[0], nil
	case array:
		return nil, poisoned{}, nil
	}
	hint := ""
	switch primitiveOf(v) {
	case syntax.String, syntax.Integer:
		hint = "range_of yields the subscripts of an array or a string"
	}
	return nil, nil, f.fail(CodeOperands, syntax.SpanOf(it.In), hint,
		"%s iterates over %s; it must be an array", it.Name.Name, e.typeName(v))
}

// item evaluates the condition and the item of a comprehension. The item is nil if the condition is false.
func (e *Evaluator) item(f *frame, x *syntax.Comprehension) (Value, error) {
	if x.Cond != nil {
		v, err := e.eval(f, x.Cond, nil)
		if err != nil {
			return nil, err
		}
		if primitiveOf(v) != syntax.Logical {
			return nil, f.fail(CodeOperands, syntax.SpanOf(x.Cond), "", "the condition is %s; it must be logical", e.typeName(v))
		}
		if v == false {
			return nil, nil
		}
	}
	return e.eval(f, x.Item, nil)
}
