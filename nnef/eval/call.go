package eval

import (
	"errors"
	"slices"

	"github.com/concord-nn/concord/nnef/syntax"
)

// argument is a value with its place in the text.
type argument struct {
	name  *syntax.Ident // nil if it is positional
	value Value
	span  syntax.Span
}

// call evaluates an invocation. It yields the result, or of several results a Tuple.
func (e *Evaluator) call(f *frame, c *syntax.Call, names []string) (Value, error) {
	op := f.lib.Operation(c.Name.Name)
	if op == nil {
		return nil, f.fail(CodeUndeclared, c.Name.Span, "declare a fragment of that name before its use", "there is no operation %s", c.Name.Name)
	}
	generic := c.Type
	if generic == syntax.GenericType {
		if generic = f.generic; generic == syntax.NoPrimitive {
			return nil, f.fail(CodeGeneric, c.Name.Span, "name the type", "'?' stands for no type outside of a generic fragment")
		}
	}
	args := make([]argument, len(c.Args))
	var failed error
	for i, a := range c.Args {
		v, err := e.eval(f, a.Value, nil)
		// An argument that fails because of an earlier mistake must not hide a mistake in another one.
		if err != nil && (failed == nil || errors.Is(failed, follows{})) {
			failed = err
		}
		args[i] = argument{a.Name, v, spanOf(a.Value)}
	}
	if failed != nil {
		return nil, failed
	}
	return e.invoke(f, c.Span, op, generic, args, names)
}

// invoke applies an operation to arguments. A generic type of NoPrimitive is to be deduced.
func (e *Evaluator) invoke(f *frame, span syntax.Span, op *Operation, generic syntax.Primitive, args []argument, names []string) (Value, error) {
	if err := e.step(f, span, len(op.Params)+len(op.Results)); err != nil {
		return nil, err
	}
	c := &Invocation{Op: op, Names: names}
	spans := make([]syntax.Span, len(op.Params))
	var err error
	if c.Args, err = e.arguments(f, span, op, args, spans); err != nil {
		return nil, err
	}
	if c.Type, err = e.check(f, span, op, generic, c.Args, spans); err != nil {
		return nil, err
	}
	for i, p := range op.Params {
		if _, absent := c.Args[i].(Absent); absent && p.Default == nil {
			return oneOf(absents(len(op.Results))), nil
		}
	}
	if op.Body != nil {
		out, err := e.expand(f, span, op, c.Type, c.Args, names)
		return oneOf(out), err
	}
	if op.Apply == nil {
		return nil, f.fail(CodeNoBody, span, "give the fragment a body", "the operation %s is declared without a body and not known", op.Name)
	}
	if e.calls++; e.calls > e.limits.Calls {
		return nil, f.fail(CodeLimit, span, "", "more than %d operations are applied", e.limits.Calls)
	}
	out, err := op.Apply(c)
	if err == nil {
		return oneOf(out), nil
	}
	at := &Error{Code: CodeShape, Msg: err.Error()}
	errors.As(err, &at)
	for i, p := range op.Params {
		if p.Name == at.Arg && spans[i] != (syntax.Span{}) {
			span = spans[i]
		}
	}
	return nil, f.fail(at.Code, span, at.Hint, "%s", at.Msg)
}

func oneOf(results []Value) Value {
	if len(results) == 1 {
		return results[0]
	}
	return Tuple(results)
}

func absents(n int) []Value {
	out := make([]Value, n)
	for i := range out {
		out[i] = Absent{}
	}
	return out
}

// arguments returns one value for each parameter and sets the spans of those that are given.
func (e *Evaluator) arguments(f *frame, span syntax.Span, op *Operation, args []argument, spans []syntax.Span) ([]Value, error) {
	values := make([]Value, len(op.Params))
	find := op.finder(len(args))
	named := false
	for i, a := range args {
		at := i
		if a.name == nil {
			switch {
			case i >= len(op.Params):
				return nil, f.fail(CodeTooMany, a.span, "", "%s has %d parameters; %d arguments are given", op.Name, len(op.Params), len(args))
			case named:
				return nil, f.fail(CodePositional, a.span, "name it, or move it before the named ones", "an argument without a name follows a named one")
			case !op.Params[i].IsTensor():
				return nil, f.fail(CodePositional, a.span, "write "+op.Params[i].Name+" = …", "an attribute must be named")
			}
		} else {
			named = true
			if at = find(a.name.Name); at < 0 {
				return nil, f.fail(CodeParameter, a.name.Span, "", "%s has no parameter %s", op.Name, a.name.Name)
			}
			if values[at] != nil {
				return nil, f.fail(CodeDuplicate, a.name.Span, "", "the argument %s is given twice", a.name.Name)
			}
		}
		values[at], spans[at] = a.value, a.span
	}
	for i := range op.Params {
		if values[i] == nil {
			if values[i] = op.Params[i].Default; values[i] == nil {
				return nil, f.fail(CodeMissing, span, "", "the argument %s of %s is missing", op.Params[i].Name, op.Name)
			}
		}
	}
	return values, nil
}

// finder returns a function that finds a parameter by name, or -1, and that will be called n times. Lists of hostile
// length must not take time in the square of it.
func (op *Operation) finder(n int) func(name string) int {
	if min(n, len(op.Params)) <= 32 {
		return func(name string) int {
			return slices.IndexFunc(op.Params, func(p Param) bool { return p.Name == name })
		}
	}
	index := make(map[string]int, len(op.Params))
	for i, p := range op.Params {
		index[p.Name] = i
	}
	return func(name string) int {
		if i, ok := index[name]; ok {
			return i
		}
		return -1
	}
}

// check compares the arguments with the declared types and returns the generic type.
func (e *Evaluator) check(f *frame, span syntax.Span, op *Operation, generic syntax.Primitive, args []Value, spans []syntax.Span) (syntax.Primitive, error) {
	if generic != syntax.NoPrimitive && !op.Generic {
		return 0, f.fail(CodeGeneric, span, "remove <"+generic.String()+">", "%s is not generic", op.Name)
	}
	if generic == syntax.NoPrimitive {
		generic = op.GenericDefault
	}
	m := match{generic: generic}
	for i := range op.Params {
		p, v := &op.Params[i], args[i]
		if _, absent := v.(Absent); absent {
			continue
		}
		at := spans[i]
		if at == (syntax.Span{}) {
			at = span
		}
		if err := e.spendOn(f, at, v); err != nil {
			return 0, err
		}
		if p.Type == nil {
			if !isOperand(v, p.List) {
				what := "a tensor"
				if p.List {
					what = "an array of tensors"
				}
				return 0, f.fail(CodeType, at, "", "the argument %s of %s is %s; it must be %s", p.Name, op.Name, typeName(v), what)
			}
			continue
		}
		before := m.generic
		if m.fits(v, p.Type) {
			continue
		}
		want := syntax.TypeText(p.Type, syntax.Final)
		if before != syntax.NoPrimitive && usesGeneric(p.Type) {
			want += " with ? = " + before.String()
		}
		return 0, f.fail(CodeType, at, castHint(v, p.Type, m.generic), "the argument %s of %s is %s; it must be %s", p.Name, op.Name, typeName(v), want)
	}
	if op.Generic && m.generic == syntax.NoPrimitive {
		return 0, f.fail(CodeGeneric, span, "write "+op.Name+"<scalar>(…)", "the generic type of %s does not follow from its arguments", op.Name)
	}
	return m.generic, nil
}

// isOperand reports whether a value can stand for a tensor, or with list for an array of them.
func isOperand(v Value, list bool) bool {
	if list {
		a, ok := v.(Array)
		for _, x := range a {
			ok = ok && isOperand(x, false)
		}
		return ok
	}
	switch v.(type) {
	case Tensor, int, float64, bool:
		return true
	}
	return false
}

// match compares values with types. The generic type is fixed by the first value that it is compared with.
type match struct{ generic syntax.Primitive }

// unify compares a primitive type with a declared one.
func (m *match) unify(p, declared syntax.Primitive) bool {
	if declared != syntax.GenericType {
		return p == declared
	}
	if m.generic == syntax.NoPrimitive {
		m.generic = p
	}
	return p == m.generic
}

// fits reports whether a value can be cast to a type.
func (m *match) fits(v Value, t syntax.Type) bool {
	switch t := t.(type) {
	case *syntax.PrimitiveType:
		p := primitiveOf(v)
		return p != syntax.NoPrimitive && m.unify(p, t.Kind)
	case *syntax.TensorType:
		p := primitiveOf(v)
		if x, ok := v.(Tensor); ok {
			if p = x.Item(); t.Item == syntax.NoPrimitive {
				return true
			}
		}
		return p != syntax.NoPrimitive && t.Item != syntax.NoPrimitive && m.unify(p, t.Item)
	case *syntax.ArrayType:
		a, ok := v.(Array)
		for _, x := range a {
			if !ok || !m.fits(x, t.Item) {
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

// castHint says how an integer becomes the scalar that is wanted.
func castHint(v Value, t syntax.Type, generic syntax.Primitive) string {
	want := syntax.NoPrimitive
	switch t := t.(type) {
	case *syntax.PrimitiveType:
		want = t.Kind
	case *syntax.TensorType:
		want = t.Item
	}
	if want == syntax.GenericType {
		want = generic
	}
	if i, ok := v.(int); ok && want == syntax.Scalar {
		return "write " + Text(float64(i))
	}
	return ""
}
