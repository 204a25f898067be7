package eval

import (
	"fmt"

	"github.com/concord-nn/concord/nnef/syntax"
)

// place is where a body is evaluated. It outlives the evaluation, because sites refer to it.
type place struct {
	op     *Operation  // whose body it is; of a graph one that stands for it
	caller *place      // nil of a graph
	site   syntax.Span // of the invocation, in the caller's text
}

// frame is one body under evaluation.
type frame struct {
	*place
	vars    scope
	names   []string         // that results shall have
	generic syntax.Primitive // what '?' stands for
	depth   int
	known   map[string]Value // what every body sees
	results map[string]bool  // of a graph; nil in other bodies
}

// poisoned is the value of an identifier whose assignment failed.
type poisoned struct{}

// assign evaluates one statement.
func (e *Evaluator) assign(f *frame, a *syntax.Assignment, names []string) error {
	if err := e.fresh(f, a); err != nil {
		return err
	}
	v, err := e.eval(f, a.Right, names)
	if err != nil {
		return err
	}
	return e.bind(f, a, a.Left, v)
}

// recover reports an error of a statement and sees to it that nothing follows from it.
func (e *Evaluator) recover(f *frame, a *syntax.Assignment, err error) {
	e.report(err)
	for id := range a.Names() {
		if f.vars.get(id.Name) == nil {
			f.vars.set(id.Name, poisoned{})
		}
	}
}

// fresh checks that the identifiers on a left side have no value yet.
func (e *Evaluator) fresh(f *frame, a *syntax.Assignment) error {
	if id, ok := a.Left.(*syntax.Ident); ok { // Without this a set would be made for one name.
		if !e.tract && f.vars.get(id.Name) != nil {
			return f.redefined(id)
		}
		return nil
	}
	seen := make(map[string]bool)
	for id := range a.Names() {
		if err := e.step(f, id.Span, 1); err != nil {
			return err
		}
		if seen[id.Name] || f.vars.get(id.Name) != nil && !e.tract {
			return f.redefined(id)
		}
		seen[id.Name] = true
	}
	return nil
}

// bind matches a value with a left side and gives each identifier its value.
func (e *Evaluator) bind(f *frame, a *syntax.Assignment, pattern syntax.Expr, v Value) error {
	switch p := pattern.(type) {
	case *syntax.Ident:
		if f.results != nil {
			t, err := e.graphTensor(f, a, p, v)
			if err != nil {
				return err
			}
			v = t
		}
		f.vars.set(p.Name, v)
		return nil
	case *syntax.Array:
		if n, list := length(v); list {
			items, _ := itemsIn(v)
			return e.bindItems(f, a, p, "an array", p.Items, n, items)
		}
		hint := "remove the brackets"
		if t, ok := v.(Tuple); ok {
			hint = fmt.Sprintf("write (…) with %s", plural(len(t), "name"))
		}
		return f.fail(CodePattern, p.Span, hint, "the left side is an array; the right side is %s", e.typeName(v))
	case *syntax.Tuple:
		if t, ok := v.(Tuple); ok {
			return e.bindItems(f, a, p, "a tuple", p.Items, len(t), t)
		}
		hint := "write one name"
		if n, list := length(v); n >= 0 {
			hint = fmt.Sprintf("write […] with %s", plural(n, "name"))
		} else if list {
			hint = "write the names in brackets: […]"
		}
		return f.fail(CodePattern, p.Span, hint, "the left side is a tuple; the right side is %s", e.typeName(v))
	}
	return nil
}

// length returns the number of items of an array, negative if it is not known.
func length(v Value) (n int, list bool) {
	switch v := v.(type) {
	case Array:
		return len(v), true
	case Unknown:
		if _, ok := v.Type.(*syntax.ArrayType); ok {
			return v.Len, true
		}
	}
	return -1, false
}

// bindItems matches n items of an array or tuple, or as many as there are names where n is negative, with those of a left side. Of an array whose
// items are not known there is one that stands for all.
func (e *Evaluator) bindItems(f *frame, a *syntax.Assignment, pattern syntax.Node, what string, names []syntax.Expr, n int, items []Value,
) error {
	if n >= 0 && n != len(names) {
		code := CodePattern
		if _, array := pattern.(*syntax.Array); array && !f.yields(a.Right) {
			code = CodeLength
		}
		return f.fail(code, syntax.SpanOf(pattern), "write "+plural(n, "name"),
			"the left side is %s of %s; the right side has %s", what, plural(len(names), "name"), plural(n, "item"))
	}
	for i, x := range names {
		item := unknownOf(nil, -1)
		if len(items) > 0 {
			item = items[min(i, len(items)-1)]
		}
		if err := e.bind(f, a, x, item); err != nil {
			return err
		}
	}
	return nil
}

// yields reports whether an expression invokes an operation, whose attributes say what it yields; other arrays have the length that the
// evaluation gives them.
func (f *frame) yields(x syntax.Expr) bool {
	c, call := x.(*syntax.Call)
	if !call {
		return false
	}
	op := f.op.Scope.Operation(c.Name.Name)
	return op != nil && op.Body == nil
}

// Expand evaluates the body of an operation for the given arguments, one for each parameter, and returns one value for
// each result. Tensors that become results get the given names. A literal that becomes a tensor stays a literal.
func (e *Evaluator) Expand(op *Operation, args []Value, names []string) ([]Value, error) {
	f := &frame{place: &place{op: op}}
	out, err := e.expand(f, syntax.Span{}, op, syntax.NoPrimitive, args, names)
	if err != nil {
		e.report(err)
		return nil, e.Diagnostics().Err()
	}
	for i, v := range out {
		out[i], _ = asLiteral(v)
	}
	return out, nil
}

// expand evaluates a body within an invocation at site.
func (e *Evaluator) expand(caller *frame, site syntax.Span, op *Operation, generic syntax.Primitive, args []Value, names []string,
) ([]Value, error) {
	if caller.depth >= e.limits.Depth {
		return nil, caller.fail(CodeLimit, site, "a fragment that invokes itself needs an if … else that ends it", "invocations are nested more than %d deep", e.limits.Depth)
	}
	f := &frame{place: &place{op, caller.place, site}, names: names, generic: generic, depth: caller.depth + 1, known: caller.known}
	for i := range op.Params {
		f.vars.set(op.Params[i].Name, e.tensors(args[i], op.Params[i].Type))
	}
	f.vars.params = len(args)
	for i := range op.Body {
		a := &op.Body[i]
		if err := e.assign(f, a, f.wished(a)); err != nil {
			return nil, err
		}
	}
	out := make([]Value, len(op.Results))
	for i, r := range op.Results {
		v := f.vars.get(r.Name)
		if v == nil {
			return nil, caller.fail(CodeUnassigned, site, "", "the body of %s does not assign its result %s", op.Name, r.Name)
		}
		if _, absent := v.(Absent); !absent && r.Type != nil {
			if err := e.spendOn(caller, site, v); err != nil {
				return nil, err
			}
		}
		out[i] = e.tensors(v, r.Type)
	}
	if e.Expanded != nil {
		e.Expanded(op, args, out)
	}
	return out, nil
}

// tensors returns literals in the places of tensors as tensors.
func (e *Evaluator) tensors(v Value, t syntax.Type) Value {
	switch u := t.(type) {
	case nil, *syntax.TensorType:
		return asTensor(v)
	case *syntax.ArrayType:
		list, ok := v.(Array)
		if !ok || !syntax.HoldsTensor(u.Item) {
			return v
		}
		out := make(Array, len(list))
		for i, x := range list {
			out[i] = e.tensors(x, u.Item)
		}
		return out
	case *syntax.TupleType:
		list, ok := v.(Tuple)
		if !ok || len(list) != len(u.Items) {
			return v
		}
		out := make(Tuple, len(list))
		for i, x := range list {
			out[i] = e.tensors(x, u.Items[i])
		}
		return out
	}
	return v
}

// wish returns the names that the tensors of a result shall have. Of several results each has one, up to the first that is an array.
func (f *frame) wish(result string) []string {
	list := f.op.Results
	for i := range list {
		_, array := list[i].Type.(*syntax.ArrayType)
		switch {
		case len(list) == 1 && list[i].Name == result:
			return f.names
		case array || i >= len(f.names):
			return nil
		case list[i].Name == result:
			return f.names[i : i+1]
		}
	}
	return nil
}

// wished returns the names that the tensors assigned to a left side shall get.
func (f *frame) wished(a *syntax.Assignment) []string {
	if id, ok := a.Left.(*syntax.Ident); ok {
		return f.wish(id.Name)
	}
	var names []string
	for id := range a.Names() {
		name := ""
		if w := f.wish(id.Name); len(w) == 1 {
			name = w[0]
		}
		names = append(names, name)
	}
	return names
}
