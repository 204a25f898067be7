package eval

import (
	"github.com/concord-nn/concord/nnef/syntax"
)

// comprehension evaluates the items of a new array. Where only types are known, there is one turn that stands for all.
func (e *Evaluator) comprehension(f *frame, x *syntax.Comprehension) (Value, error) {
	arrays := make([][]Value, len(x.Iterators))
	unknown := -1 // the number of items where they are not known
	var failed error
	for i, it := range x.Iterators {
		v, err := e.eval(f, it.In, nil)
		if err == nil {
			arrays[i], err = e.iterate(f, it, v)
		}
		if n, _ := length(v); unknown < 0 && x.Cond == nil {
			unknown = n
		}
		if failed = first(failed, err); failed != nil && !e.checking {
			return nil, failed
		}
		if e.checking && len(arrays[i]) == 0 {
			arrays[i] = []Value{poisoned{}}
		}
		if len(arrays[i]) != len(arrays[0]) {
			return nil, f.fail(CodeIteration, syntax.SpanOf(it.In), "", "%s iterates over %d items and %s over %d; the lengths must be equal",
				x.Iterators[0].Name.Name, len(arrays[0]), it.Name.Name, len(arrays[i]))
		}
	}
	n := len(f.vars.names)
	defer func() { f.vars.keep(n) }()
	for _, it := range x.Iterators {
		name := it.Name.Name
		if f.vars.get(name) != nil {
			return nil, f.fail(CodeRedefined, it.Name.Span, "choose another name", "the iterator %s has the name of another value", name)
		}
		f.vars.set(name, poisoned{})
	}
	list := make(Array, 0, len(arrays[0]))
	for i := range arrays[0] {
		if err := e.step(f, x.Span, len(x.Iterators)); err != nil {
			return nil, err
		}
		for k, it := range x.Iterators {
			f.vars.set(it.Name.Name, arrays[k][i])
		}
		v, err := e.item(f, x)
		if failed = first(failed, err); failed != nil {
			return nil, failed
		}
		if v == nil && !e.checking {
			continue
		}
		if err := first(e.spend(f, x.Span, 1), e.spendOn(f, x.Span, v)); err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	if e.checking {
		return Unknown{arrayOf(e.typeOf(list[0])), unknown}, nil
	}
	return list, nil
}

// iterate returns the items of an array, of one that is not known what each of them is.
func (e *Evaluator) iterate(f *frame, it syntax.Iterator, v Value) ([]Value, error) {
	if items, array := itemsIn(v); array {
		return items, nil
	}
	hint := ""
	switch primitiveOf(v) {
	case syntax.String, syntax.Integer:
		hint = "range_of yields the subscripts of an array or a string"
	}
	return nil, f.fail(CodeOperands, syntax.SpanOf(it.In), hint, "%s iterates over %s; it must be an array", it.Name.Name, e.typeName(v))
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
