package eval

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/concord-nn/concord/nnef/syntax"
)

// declaration returns the place of the declaration of a parameter, or of the whole operation for -1, if a document of the caller has it.
func (op *Operation) declaration(param int) []syntax.Related {
	if op.Source == nil || op.Decl == nil {
		return nil
	}
	id, span := op.Decl.Name, op.Decl.Name.Span
	if param >= 0 {
		id, span = op.Decl.Params[param].Name, op.Decl.Params[param].Span
	}
	return []syntax.Related{{Source: op.Source, Span: span, Message: id.Name + " is declared here"}}
}

// ParamHint says which parameter may be meant by a name that is none.
func (op *Operation) ParamHint(name string) string {
	names := make([]string, min(len(op.Params), 256))
	for i := range names {
		names[i] = op.Params[i].Name
	}
	if hint := DoYouMean(name, names); hint != "" {
		return hint
	}
	if len(names) == 1 {
		return "its only parameter is " + names[0]
	}
	return "its parameters are " + strings.Join(names[:min(len(names), shown)], ", ")
}

// unsuitable says what an argument of an invocation or an operator must be.
func (e *Evaluator) unsuitable(f *frame, x syntax.Node, op *Operation, i int, args []Value, generic syntax.Primitive) *fault {
	p, v := &op.Params[i], args[i]
	arg, _ := op.argument(x, i)
	span := syntax.SpanOf(arg)
	if t, ok := v.(Tuple); ok && len(t) > 1 && p.IsTensor() {
		if _, list := p.Type.(*syntax.ArrayType); !list && tensorsOnly(t) {
			return f.fail(CodeNested, span, "assign them to (a, b, …) first and pass one of them",
				"the argument %s of %s has %d values; it must be one", p.Name, op.Name, len(t))
		}
	}
	hint := e.castHint(v, p.Type, generic)
	if operator, ok := operatorOf(x); ok {
		return f.fail(CodeOperands, syntax.SpanOf(x), cmp.Or(hint, operatorRules[operator]), "the operator %s does not take %s", operator,
			listed(args, " and ", e.typeName))
	}
	want := "a tensor"
	switch {
	case p.Type == nil && p.List:
		want = "an array of tensors"
	case p.Type != nil:
		want = e.typeText(p.Type)
		if generic != syntax.NoPrimitive && generic < syntax.GenericType && usesGeneric(p.Type) {
			want = strings.ReplaceAll(want, "?", generic.Text(e.dialect))
		}
	}
	if _, text := v.(string); text && p.Name == "padding" {
		hint = "write [] for automatic padding, which other tools call 'same'"
	}
	return f.fail(CodeType, span, hint,
		"the argument %s of %s is %s; it must be %s", p.Name, op.Name, e.typeName(v), want)
}

// operatorOf returns the operator of an expression, and false if it has none.
func operatorOf(x syntax.Node) (syntax.Op, bool) {
	switch x := x.(type) {
	case *syntax.Unary:
		return x.Op, true
	case *syntax.Binary:
		return x.Op, true
	}
	return 0, false
}

// tensorsOnly reports whether a tuple consists of tensors, as several results of an operation do.
func tensorsOnly(t Tuple) bool {
	return !slices.ContainsFunc(t, func(v Value) bool { _, tensor := v.(Tensor); return !tensor })
}

// castHint says how an argument could have the type that is wanted.
func (e *Evaluator) castHint(v Value, t syntax.Type, generic syntax.Primitive) string {
	want := bareType(t)
	if want == syntax.GenericType {
		if want = generic; want == syntax.GenericType {
			return "in the body of a generic fragment nothing is known about the type ?"
		}
	}
	_, list := t.(*syntax.ArrayType)
	if tensor, ok := v.(Tensor); ok {
		switch _, primitive := t.(*syntax.PrimitiveType); {
		case list && syntax.HoldsTensor(t):
			return "write an array: […]"
		case primitive || list:
			return "an attribute is known at compile time; a tensor is not"
		case want == syntax.Scalar && e.dialect == syntax.Final && itemOf(tensor) != syntax.GenericType:
			return "cast<scalar>(…) converts it"
		}
		return ""
	}
	if a, ok := e.typeOf(v).(*syntax.ArrayType); ok && a.Item != nil && syntax.HoldsTensor(a) && !syntax.HoldsTensor(t) {
		return "an attribute is known at compile time; a tensor is not"
	}
	have := bareType(e.typeOf(v))
	switch v := v.(type) {
	case int64:
		if want == syntax.Scalar {
			return "write " + Text(float64(v))
		}
	case float64:
		if want == syntax.Integer && v == math.Trunc(v) && math.Abs(v) < 1<<63 {
			return "write " + Text(int64(v))
		}
	case string:
		if want == syntax.Logical && (v == "true" || v == "false") {
			return "write " + v + " without quotes"
		}
	}
	if hint := e.bracketHint(v, t); hint != "" {
		return hint
	}
	switch {
	case have == syntax.Integer && want == syntax.Scalar:
		return "scalars have a point or an exponent: 1.0"
	case list && have == want && isKnown(v):
		return "write an array: [" + Text(v) + "]"
	case have == syntax.Scalar && want == syntax.Integer:
		return e.typeText(primitiveTypes[want]) + "s have no point and no exponent: 1"
	}
	return ""
}

// bareType returns the primitive type in a type, NoPrimitive if there is none or several.
func bareType(t syntax.Type) syntax.Primitive {
	switch t := t.(type) {
	case *syntax.PrimitiveType:
		return t.Kind
	case *syntax.TensorType:
		return t.Item
	case *syntax.ArrayType:
		return bareType(t.Item)
	}
	return syntax.NoPrimitive
}

// bracketHint says how an array or tuple is written that stands in the brackets of the other, as in Python.
func (e *Evaluator) bracketHint(v Value, t syntax.Type) string {
	want, ok := t.(*syntax.ArrayType)
	if !ok {
		return ""
	}
	_, tuples := want.Item.(*syntax.TupleType)
	switch _, array := e.typeOf(v).(*syntax.ArrayType); {
	case tuples && array:
		return "tuples stand in parentheses: [(1, 1), …]"
	case !tuples && !array:
		if _, tuple := e.typeOf(v).(*syntax.TupleType); tuple {
			return "arrays stand in brackets: […, …]"
		}
	}
	return ""
}
