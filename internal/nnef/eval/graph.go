package eval

import (
	"github.com/concord-nn/concord/nnef/syntax"
)

// Graph evaluates the body of a graph and returns what yields the values of its identifiers; the known ones are defined before. Each
// identifier is one tensor; a literal that is assigned to a result, or that stands for a tensor, becomes one by the
// operation copy (idn in the provisional dialect). Errors are in Diagnostics; an identifier that is assigned has no value, nil, if that follows from one.
func (e *Evaluator) Graph(g *syntax.Graph, lib Library, known map[string]Value) (value func(name string) (v Value, assigned bool)) {
	f := e.graph(g, lib, known)
	return func(name string) (Value, bool) {
		v := f.vars.get(name)
		if _, bad := v.(poisoned); bad || e.stopped {
			return nil, true
		}
		return v, v != nil
	}
}

func (e *Evaluator) graph(g *syntax.Graph, lib Library, known map[string]Value) *frame {
	f := &frame{place: &place{op: &Operation{Name: g.Name.Name, Source: g.Source, Body: g.Body, Scope: lib}}}
	f.results = make(map[string]bool, len(g.Results))
	for _, id := range g.Results {
		f.results[id.Name] = true
	}
	for name, v := range known {
		f.vars.set(name, v)
	}
	f.vars.params = len(known)
	if e.tract {
		f.known = known
	}
	for i := range g.Body {
		if e.stopped {
			break
		}
		a := &g.Body[i]
		var names []string
		for id := range a.Names() {
			names = append(names, id.Name)
		}
		if err := e.assign(f, a, names); err != nil {
			e.recover(f, a, err)
		}
	}
	for _, id := range g.Results {
		if f.vars.get(id.Name) == nil && !e.stopped {
			e.report(f.fail(CodeUnassigned, id.Span, DoYouMean(id.Name, f.vars.names), "the result %s is never assigned", id.Name))
		}
	}
	return f
}

// graphTensor returns the value of an identifier of a graph, which is one tensor.
func (e *Evaluator) graphTensor(f *frame, a *syntax.Assignment, id *syntax.Ident, v Value) (Value, error) {
	literal := v
	switch t := v.(type) {
	case constant:
		literal = t.value
	case Tensor:
		return v, nil
	default:
		if _, several := v.(Tuple); e.tract && !several {
			if !f.results[id.Name] {
				return v, nil
			}
			break
		}
		if p := primitiveOf(v); p == syntax.NoPrimitive || p == syntax.String || !f.results[id.Name] {
			return nil, e.noTensor(f, id, v)
		}
	}
	copying := f.op.Scope.Operation(Copying(e.dialect))
	whole := syntax.SpanOf(a.Right)
	return e.invoke(f, whole, copying, syntax.NoPrimitive, []argument{{value: literal, x: whole}}, []string{id.Name})
}

func (e *Evaluator) noTensor(f *frame, id *syntax.Ident, v Value) error {
	hint := "write the value where it is used"
	switch n, list := length(v); {
	case !syntax.HoldsTensor(e.typeOf(v)):
	case list:
		hint = "name each item: […] with one name for each"
		if n >= 0 {
			hint = "name each item: […] with " + plural(n, "name")
		}
	default:
		if t, ok := v.(Tuple); ok {
			hint = "name each result: (…) with " + plural(len(t), "name")
		}
	}
	return f.fail(CodeGraph, id.Span, hint, "an identifier of a graph is one tensor; %s would be %s", id.Name, e.typeName(v))
}
