package flat

import (
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/nnef/syntax"
)

// rules checks the parameters of the graph and the rules for external, variable and update.
func (c *checker) rules(g *syntax.Graph) {
	c.repeated(g.Params, nil, "two parameters of the graph are named %s")
	params := g.Params
	if c.operators {
		params = nil // the text form may hand on an input as it is
	}
	c.repeated(g.Results, params, "two results of the graph are named %s")
	r := &rules{checker: c}
	for i := range g.Body {
		a := &g.Body[i]
		call, ok := a.Right.(*syntax.Call)
		if ok {
			r.call(a, call)
		}
		r.nested(a, call)
	}
	r.parameters(g)
}

// repeated reports the names that occur twice in a list of parameters or results, and results named as parameters are.
func (c *checker) repeated(list, params []*syntax.Ident, format string) {
	seen := make(map[string]*syntax.Ident, len(params)+len(list))
	for _, id := range params {
		seen[id.Name] = id
	}
	for _, id := range list {
		switch first := seen[id.Name]; {
		case first == nil:
			seen[id.Name] = id
		case first.From < list[0].From:
			c.report(CodeRepeated, id.Span, "name the result otherwise and assign it by "+c.copying()+"("+id.Name+")",
				here(first.Span, "the parameter is here"), "a parameter and a result of the graph are named %s", id.Name)
		default:
			c.report(CodeRepeated, id.Span, "choose another name", here(first.Span, "the first one is here"), format, id.Name)
		}
	}
}

// rules is the state of the rules for external, variable and update in one graph.
type rules struct {
	*checker
	externals []*syntax.Ident
	variables []variable     // in the order of the text
	byName    map[string]int // the first indexed variables, counted from 1, by identifier
	indexed   int            // not all until one is looked for
}

// variable is a variable of the graph.
type variable struct {
	id      *syntax.Ident
	updated *syntax.Call // the first update, nil if there is none
}

// call applies the rules to a statement that consists of an invocation.
func (r *rules) call(a *syntax.Assignment, call *syntax.Call) {
	name := call.Name.Name
	if r.declared[name] != nil {
		return
	}
	id, _ := a.Left.(*syntax.Ident)
	switch {
	case name == "update":
		r.update(call)
	case id != nil && name == "external":
		r.externals = append(r.externals, id)
	case id != nil && name == "variable":
		r.variables = append(r.variables, variable{id: id})
	}
}

// variable returns the variable of an identifier, nil if there is none so far.
func (r *rules) variable(name string) *variable {
	if r.byName == nil {
		r.byName = make(map[string]int, len(r.variables))
	}
	for ; r.indexed < len(r.variables); r.indexed++ {
		if id := r.variables[r.indexed].id.Name; r.byName[id] == 0 {
			r.byName[id] = r.indexed + 1
		}
	}
	if i := r.byName[name]; i > 0 {
		return &r.variables[i-1]
	}
	return nil
}

// argument returns the argument for a parameter, given by its name or position.
func argument(call *syntax.Call, name string, position int) syntax.Expr {
	for i := range call.Args {
		a := &call.Args[i]
		if a.Name == nil && i == position || a.Name != nil && a.Name.Name == name {
			return a.Value
		}
	}
	return nil
}

// update checks what is updated.
func (r *rules) update(call *syntax.Call) {
	x := argument(call, "variable", 0)
	id, ok := x.(*syntax.Ident)
	if !ok {
		if x != nil {
			r.report(CodeUpdate, syntax.SpanOf(x), "assign the variable to an identifier and pass that", nil,
				"update takes the identifier of a variable")
		}
		return
	}
	v := r.variable(id.Name)
	switch {
	case v == nil:
		def := r.definition(id)
		if def == nil {
			return // a name without a value
		}
		r.report(CodeUpdate, id.Span, "only the results of variable can be updated", here(def.Span, "%s is defined here", id.Name),
			"%s is no variable", id.Name)
	case v.updated != nil:
		r.report(CodeUpdate, id.Span, "a variable gets one new value in a run", here(v.updated.Span, "the first update is here"),
			"the variable %s is updated twice", id.Name)
	default:
		v.updated = call
	}
}

// definition returns where an identifier of the graph is assigned before its use, nil if it is not. In the provisional
// dialect a fragment may yield a variable, so that a result of one is not refused.
func (r *rules) definition(id *syntax.Ident) *syntax.Ident {
	for i := range r.doc.Graph.Body {
		a := &r.doc.Graph.Body[i]
		if a.From >= id.From {
			return nil
		}
		for name := range a.Names() {
			if name.Name != id.Name {
				continue
			}
			if call, ok := a.Right.(*syntax.Call); ok && !r.final() && r.declared[call.Name.Name] != nil {
				return nil
			}
			return name
		}
	}
	return nil
}

// nested checks the invocations inside of a statement beyond the flat syntax. The outermost one was looked at.
func (r *rules) nested(a *syntax.Assignment, outermost *syntax.Call) {
	syntax.Walk(a.Right, func(n syntax.Node) bool {
		call, ok := n.(*syntax.Call)
		if !ok || call == outermost || r.declared[call.Name.Name] != nil {
			return true
		}
		switch call.Name.Name {
		case "external":
			r.report(CodeGraphOnly, call.Span, "assign it to a parameter of the graph", nil,
				"the result of external must be assigned to a parameter of the graph")
		case "update":
			r.update(call)
		}
		return true
	})
}

// parameters checks that the parameters of the graph are the results of external.
func (r *rules) parameters(g *syntax.Graph) {
	params := make(map[string]bool, len(g.Params)) // true once the parameter is external
	for _, p := range g.Params {
		params[p.Name] = false
	}
	reported := make(map[string]bool)
	for _, id := range r.externals {
		if _, ok := params[id.Name]; ok {
			params[id.Name] = true
		} else if !reported[id.Name] {
			reported[id.Name] = true
			r.report(CodeExternal, id.Span, "add it to the parameters of the graph", here(g.Name.Span, "the graph is declared here"),
				"%s is external but no parameter of the graph", id.Name)
		}
	}
	var assigned map[string]*syntax.Ident // found out if there is a parameter that is not external
	for _, p := range g.Params {
		if params[p.Name] {
			continue
		}
		params[p.Name] = true // reported once
		if assigned == nil {
			assigned = assignments(g)
		}
		if id := assigned[p.Name]; id != nil {
			r.report(CodeExternal, id.Span, "write "+p.Name+" = external(shape = …)", here(p.Span,
				"%s is a parameter of the graph", p.Name),
				"the parameter %s of the graph is not the result of external", p.Name)
			continue
		}
		r.report(eval.CodeUnassigned, p.Span, "write "+p.Name+" = external(shape = …) in its body", nil,
			"the parameter %s of the graph is never assigned", p.Name)
	}
}

// assignments returns where the identifiers of a graph are assigned first.
func assignments(g *syntax.Graph) map[string]*syntax.Ident {
	m := make(map[string]*syntax.Ident, len(g.Body))
	for i := range g.Body {
		for id := range g.Body[i].Names() {
			if m[id.Name] == nil {
				m[id.Name] = id
			}
		}
	}
	return m
}
