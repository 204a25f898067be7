package eval

import (
	"github.com/concord-nn/concord/nnef/syntax"
)

func (e *Evaluator) subscript(f *frame, x *syntax.Subscript) (Value, error) {
	v, err := e.eval(f, x.X, nil)
	if err != nil && !e.checking { // Without this the subscript would be evaluated in vain.
		return nil, err
	}
	index, known, errIndex := e.index(f, x.Index)
	if err = first(err, errIndex); err != nil {
		return nil, err
	}
	n := int64(0)
	switch v := v.(type) {
	case Array:
		if n = int64(len(v)); known && 0 <= index && index < n {
			return v[index], nil
		}
	case Tuple:
		if _, literal := x.Index.(*syntax.IntegerLit); !literal {
			return nil, f.fail(CodeOperands, syntax.SpanOf(x.Index), "", "the subscript of a tuple must be an integer literal")
		}
		if n = int64(len(v)); known && 0 <= index && index < n {
			return v[index], nil
		}
		// Not a fault of evaluation: the subscript picks the type, and there is none.
		return nil, f.fail(CodeOperands, syntax.SpanOf(x.Index), indexHint(index, n),
			"the tuple has %d items; there is no item %d", n, index)
	case string:
		if n = int64(len(v)); known && 0 <= index && index < n {
			return v[index : index+1], nil
		}
		if e.checking {
			return unknowns[syntax.String], nil
		}
	case Unknown:
		if list, ok := v.Type.(*syntax.ArrayType); ok {
			if list.Item == nil {
				return nil, follows{} // whether there is an item is for the evaluation to say
			}
			return unknownOf(list.Item, -1), nil
		}
		if kindOf(v.Type) == syntax.String {
			return v, nil
		}
		return nil, e.noItems(f, x.X, v)
	case Tensor:
		if op := f.op.Scope.Operation(itemOperation); op != nil && e.tract {
			return e.invoke(f, x, op, syntax.NoPrimitive, []argument{{value: v, x: x.X}, {value: index, x: x.Index}}, nil)
		}
		return nil, e.noItems(f, x.X, v)
	default:
		return nil, e.noItems(f, x.X, v)
	}
	return nil, f.fail(CodeIndex, syntax.SpanOf(x.Index), indexHint(index, n),
		"the subscript %d is out of range; the length is %d", index, n)
}

func (e *Evaluator) noItems(f *frame, x syntax.Expr, v Value) error {
	return f.fail(CodeOperands, syntax.SpanOf(x), "arrays, strings and tuples have subscripts", "%s has no items", e.typeName(v))
}

func indexHint(index, n int64) string {
	if index < 0 {
		return "subscripts count from 0; there are no negative ones"
	}
	if n > 0 {
		return "subscripts go from 0 to " + Text(n-1)
	}
	return ""
}

// index evaluates a subscript or one of its bounds. It is not known where the evaluator only checks.
func (e *Evaluator) index(f *frame, x syntax.Expr) (i int64, known bool, err error) {
	v, err := e.eval(f, x, nil)
	if err != nil {
		return 0, false, err
	}
	if primitiveOf(v) != syntax.Integer {
		return 0, false, f.fail(CodeOperands, syntax.SpanOf(x), "", "the subscript is %s; it must be %s", e.typeName(v),
			e.typeText(primitiveTypes[syntax.Integer]))
	}
	if s, ok := v.(Symbol); ok && !e.checking {
		return 0, false, f.unknownSymbol(syntax.SpanOf(x), s)
	}
	i, known = v.(int64)
	return i, known, nil
}

func (e *Evaluator) slice(f *frame, x *syntax.Range) (Value, error) {
	v, err := e.eval(f, x.X, nil)
	if err != nil && !e.checking { // Without this the bounds would be evaluated in vain.
		return nil, err
	}
	n := int64(0)
	switch v := v.(type) {
	case Array:
		n = int64(len(v))
	case string:
		n = int64(len(v))
	case nil:
	default:
		if _, list := itemsIn(v); list || primitiveOf(v) == syntax.String {
			break
		}
		err = first(err, f.fail(CodeOperands, syntax.SpanOf(x.X), "arrays and strings have ranges",
			"%s has no ranges of items", e.typeName(v)))
	}
	from, to := int64(0), n
	if x.First != nil {
		var errBound error
		from, _, errBound = e.index(f, x.First)
		err = first(err, errBound)
	}
	if x.Last != nil && (err == nil || e.checking) {
		var errBound error
		to, _, errBound = e.index(f, x.Last)
		err = first(err, errBound)
	}
	switch {
	case err != nil:
		return nil, err
	case e.checking:
		return ranged(v), nil
	case from < 0 || to > n || from > n || to < 0:
		return nil, f.fail(CodeIndex, syntax.SpanOf(x), "bounds go from 0 to "+Text(n), "the range %d:%d is out of range; the length is %d",
			from, to, n)
	}
	to = max(from, to)
	if s, ok := v.(string); ok {
		return s[from:to], nil
	}
	return v.(Array)[from:to:to], nil
}

// ranged returns some items of an array or string.
func ranged(v Value) Value {
	if u, ok := v.(Unknown); ok {
		return Unknown{u.Type, -1}
	}
	return unknowns[syntax.String]
}
