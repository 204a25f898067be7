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
	x     syntax.Node
}

// call evaluates an invocation. It yields the result, or of several results a Tuple.
func (e *Evaluator) call(f *frame, c *syntax.Call, names []string) (Value, error) {
	op := f.op.Scope.Operation(c.Name.Name)
	generic := c.Type
	var failed error
	switch {
	case op == nil:
		failed = f.undeclared(c.Name)
	case op.Refusal != nil:
		failed = f.fail(op.Refusal.Code, c.Name.Span, op.Refusal.Hint, "%s", op.Refusal.Msg)
	case generic == syntax.GenericType:
		if generic = f.generic; generic == syntax.NoPrimitive {
			failed = f.fail(CodeGeneric, c.Name.Span, "name the type", "'?' stands for no type outside of a generic fragment")
		}
	}
	args := make([]argument, len(c.Args))
	for i, a := range c.Args {
		v, err := e.eval(f, a.Value, nil)
		if err != nil {
			v = poisoned{}
			if e.checking && op != nil {
				e.report(err)
			} else {
				failed = first(failed, err)
			}
		}
		if failed != nil && !errors.Is(failed, follows{}) { // before a fragment that invokes itself in several arguments does so again and again
			return nil, failed
		}
		args[i] = argument{a.Name, v, a.Value}
	}
	// An argument that fails because of an earlier mistake must not hide a mistake in the invocation.
	if failed == nil || errors.Is(failed, follows{}) {
		return e.invoke(f, c, op, generic, args, names)
	}
	return nil, failed
}

// invoke applies an operation to arguments, as the expression x says. A generic type of NoPrimitive is to be deduced.
func (e *Evaluator) invoke(f *frame, x syntax.Node, op *Operation, generic syntax.Primitive, args []argument, names []string,
) (Value, error) {
	if e.steps += len(op.Params) + len(op.Results); e.steps > e.limits.Steps {
		return nil, e.step(f, syntax.SpanOf(x), 0)
	}
	values := make([]Value, len(op.Params))
	if err := e.arguments(f, x, op, args, values); err != nil {
		if e.checking {
			e.report(err)
			return e.declared(op, unless(generic, op)), nil
		}
		return nil, err
	}
	generic, err := e.check(f, x, op, generic, values)
	if err != nil {
		return nil, err
	}
	for i := range op.Params {
		if _, absent := values[i].(Absent); absent && op.Params[i].Default == nil {
			return oneOf(slices.Repeat([]Value{Absent{}}, len(op.Results))), nil
		}
	}
	switch {
	case e.checking:
		return e.declared(op, generic), nil
	case op.Body != nil:
		out, err := e.expand(f, syntax.SpanOf(x), op, generic, values, names)
		return oneOf(out), err
	case op.Apply == nil && op.Rewrite == nil:
		return nil, f.fail(CodeNoBody, syntax.SpanOf(x), "give the fragment a body",
			"the operation %s is declared without a body and not known", op.Name)
	}
	if e.calls++; e.calls > e.limits.Calls {
		return nil, f.fail(CodeLimit, syntax.SpanOf(x), "", "more than %d operations are applied", e.limits.Calls)
	}
	for i := range values {
		values[i], _ = asLiteral(values[i])
	}
	c := &Invocation{Op: op, Type: public(generic), Args: values, Names: names, Site: &Site{f.place, op, x}}
	if op.Rewrite != nil {
		if c.Op, c.Args, err = op.Rewrite(c); err != nil {
			return nil, c.Site.fail(err)
		}
		if c.Op.Body != nil {
			out, err := e.expand(f, syntax.SpanOf(x), c.Op, syntax.NoPrimitive, c.Args, names)
			return oneOf(out), err
		}
		c.Site = &Site{f.place, c.Op, x}
	}
	out, err := c.Op.Apply(c)
	if err != nil {
		return nil, c.Site.fail(err)
	}
	return oneOf(out), nil
}

// public returns a generic type as callers see it, who know of no type that is any.
func public(generic syntax.Primitive) syntax.Primitive {
	if generic == anyItem {
		return syntax.NoPrimitive
	}
	return generic
}

// unless returns the generic type that is written or declared, and any where it would have to follow from the arguments.
func unless(generic syntax.Primitive, op *Operation) syntax.Primitive {
	if generic == syntax.NoPrimitive {
		generic = op.GenericDefault
	}
	if generic == syntax.NoPrimitive {
		generic = anyItem
	}
	return generic
}

// declared returns values of the types that an operation declares for its results.
func (e *Evaluator) declared(op *Operation, generic syntax.Primitive) Value {
	if len(op.Results) == 1 {
		return unknownOf(bound(op.Results[0].Type, generic, true), -1)
	}
	out := make(Tuple, len(op.Results))
	for i := range op.Results {
		out[i] = unknownOf(bound(op.Results[i].Type, generic, true), -1)
	}
	return out
}

// asLiteral returns constants, also those in arrays and tuples, as the literals that they are, and whether there are any.
func asLiteral(v Value) (Value, bool) {
	switch v := v.(type) {
	case constant:
		return v.value, true
	case Array:
		if list, changed := asLiterals(v); changed {
			return Array(list), true
		}
	case Tuple:
		if list, changed := asLiterals(v); changed {
			return Tuple(list), true
		}
	}
	return v, false
}

func asLiterals(list []Value) ([]Value, bool) {
	changed := false
	for i, x := range list {
		y, other := asLiteral(x)
		if !other { // Without this the list would be copied for what stays.
			continue
		}
		if !changed {
			list, changed = slices.Clone(list), true
		}
		list[i] = y
	}
	return list, changed
}

func oneOf(results []Value) Value {
	if len(results) == 1 {
		return results[0]
	}
	return Tuple(results)
}
