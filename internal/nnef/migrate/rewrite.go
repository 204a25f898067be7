package migrate

import (
	"cmp"
	"slices"

	"github.com/concord-nn/concord/internal/nnef/std"
	"github.com/concord-nn/concord/nnef/syntax"
)

// declare turns the declaration into one of the final dialect.
func (f *fragment) declare() {
	f.decl.Name = &syntax.Ident{Name: f.name}
	if f.generic {
		f.decl.Generic = &syntax.Generic{}
	}
	syntax.Walk(f.decl, func(n syntax.Node) bool {
		if t, ok := n.(*syntax.TensorType); ok {
			t.Item = cmp.Or(f.items[t], syntax.Scalar)
		}
		return true
	})
	slices.SortStableFunc(f.decl.Params, tensorsFirst)
}

// body returns the statements of the graph, with those of the fragments that are expanded in it.
func (m *migration) body() (body []syntax.Assignment) {
	for i, a := range m.doc.Graph.Body {
		if m.expanded(a.Right) == "" {
			m.external(&a)
			body = append(body, a)
			continue
		}
		list := m.operations(i)
		if a.Comments != nil && len(list) > 0 {
			list[0].Comments = &syntax.Comments{Before: a.Comments.Before}
			last := &list[len(list)-1]
			if last.Comments == nil {
				last.Comments = new(syntax.Comments)
			}
			last.Comments.After = a.Comments.After
		}
		body = append(body, list...)
	}
	return body
}

// external fills in the shape of an input.
func (m *migration) external(a *syntax.Assignment) {
	id, single := a.Left.(*syntax.Ident)
	c, call := a.Right.(*syntax.Call)
	if !single || !call || c.Name.Name != "external" {
		return
	}
	arg := c.Named("shape")
	if arg == nil { // by its position
		arg = &c.Args[0]
	}
	place := arg.Value
	if shape, ok := m.shapes[id.Name]; ok {
		list := &syntax.Array{}
		for _, n := range shape {
			list.Items = append(list.Items, &syntax.IntegerLit{Value: int64(n)})
		}
		arg.Value = list
	}
	list, ok := arg.Value.(*syntax.Array)
	if ok && slices.ContainsFunc(list.Items, func(x syntax.Expr) bool { n, ok := x.(*syntax.IntegerLit); return ok && n.Value == 0 }) {
		m.report(CodeOpen, syntax.Error, syntax.SpanOf(place), "give it with --shape "+id.Name+"=EXTENTS, such as "+id.Name+"=1,3,224,224",
			"the shape of the input %s is not specified, which the final dialect forbids", id.Name)
	}
}

// rewrite gives the document the names and arguments of the final dialect.
func (m *migration) rewrite() {
	syntax.Walk(m.doc, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Ident:
			n.Name = cmp.Or(m.renamed[n.Name], n.Name)
		case *syntax.Call:
			if f := m.fragments[n.Name.Name]; f != nil { // positions stay: those of attributes have names
				n.Name = &syntax.Ident{Name: f.name}
			} else {
				m.operation(n)
			}
		}
		return true
	})
}

// operation rewrites the invocation of an operation of the standard.
func (m *migration) operation(x *syntax.Call) {
	name := x.Name.Name
	successor := std.Successors[name]
	if note := notes[name]; note != "" {
		m.note(CodeFormula, x.Span, "%s: %s", name, note)
	}
	if bias := x.Named("bias"); biased[name] && bias != nil {
		if v, ok := bias.Value.(*syntax.ScalarLit); !ok || v.Value < 0 {
			m.report(CodeFormula, syntax.Warning, syntax.SpanOf(bias), "",
				"%s of the final dialect divides by 0.0 at least; with a negative bias the result is another one", name)
		}
	}
	x.Name = &syntax.Ident{Name: cmp.Or(successor.Name, name)}
	more := defaults(name, x)
	for i := range x.Args {
		a := &x.Args[i]
		if a.Name == nil {
			continue
		}
		if n := m.missing[x][a.Name.Name]; n > 0 {
			a.Value = m.completed(*a, n)
		}
		a.Name = &syntax.Ident{Name: cmp.Or(successor.Params[a.Name.Name], a.Name.Name)}
	}
	x.Args = append(slices.Clip(x.Args), more...)
	if successor.Grouped {
		x.Args = append(x.Args, syntax.Arg{Name: &syntax.Ident{Name: "groups"}, Value: &syntax.IntegerLit{}})
	}
}

// completed returns a list with n further items.
func (m *migration) completed(a syntax.Arg, n int) syntax.Expr {
	more := &syntax.Array{Items: slices.Repeat([]syntax.Expr{fillers[a.Name.Name]}, n)}
	text, err := syntax.FormatExpr(more, syntax.Final)
	if err == nil {
		m.note(CodeCompleted, syntax.SpanOf(a), "%s is completed to the rank with %s", a.Name.Name, text)
	}
	if list, ok := a.Value.(*syntax.Array); ok {
		return &syntax.Array{Items: slices.Concat(list.Items, more.Items)}
	}
	return &syntax.Binary{Op: syntax.Plus, X: a.Value, Y: more}
}

// defaults returns the arguments of an invocation that was not rewritten, of an operation of a name, for which the final
// dialect has no default, or another one.
func defaults(name string, x *syntax.Call) (list []syntax.Arg) {
	before, known := std.Of(syntax.Provisional).Lookup(name)
	after, exists := std.Of(syntax.Final).Lookup(x.Name.Name)
	if !known || !exists {
		return nil
	}
	for i := range before.Params {
		p := &before.Params[i]
		if p.Default == nil || i < len(x.Args) && x.Args[i].Name == nil || x.Named(p.Name.Name) != nil {
			continue
		}
		to := cmp.Or(std.Successors[name].Params[p.Name.Name], p.Name.Name)
		for k := range after.Params {
			if q := &after.Params[k]; q.Name.Name == to && !sameText(p.Default, q.Default) {
				list = append(list, syntax.Arg{Name: &syntax.Ident{Name: to}, Value: p.Default})
			}
		}
	}
	return list
}
