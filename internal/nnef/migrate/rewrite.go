package migrate

import (
	"cmp"
	"slices"

	"github.com/concord-nn/concord/internal/nnef/std"
	"github.com/concord-nn/concord/nnef/syntax"
)

// fragment returns a declaration in the final dialect.
func (m *migration) fragment(f *fragment) *syntax.Fragment {
	out := &syntax.Fragment{Name: &syntax.Ident{Name: f.name}, Comments: f.decl.Comments}
	if f.generic {
		out.Generic = &syntax.Generic{}
	}
	out.Params = m.params(f, f.decl.Params)
	out.Results = m.params(f, f.decl.Results)
	if f.reorder {
		slices.SortStableFunc(out.Params, func(a, b syntax.Param) int { return cmp.Compare(rankOf(a), rankOf(b)) })
	}
	for i := range f.decl.Body {
		out.Body = append(out.Body, m.statement(&f.decl.Body[i]))
	}
	return out
}

// rankOf sorts tensor parameters before the others.
func rankOf(p syntax.Param) int {
	if syntax.HoldsTensor(p.Type) {
		return 0
	}
	return 1
}

func (m *migration) params(f *fragment, list []syntax.Param) []syntax.Param {
	out := make([]syntax.Param, len(list))
	for i, p := range list {
		out[i] = syntax.Param{Name: m.ident(p.Name), Type: f.written(p.Type)}
		if p.Default != nil {
			out[i].Default = m.expr(p.Default)
		}
	}
	return out
}

// newGraph returns the graph in the final dialect.
func (m *migration) newGraph() *syntax.Graph {
	g := m.doc.Graph
	out := &syntax.Graph{Name: m.ident(g.Name), Params: m.idents(g.Params), Results: m.idents(g.Results), Comments: g.Comments}
	for i := range g.Body {
		a := &g.Body[i]
		if m.expanded(a.Right) == "" {
			s := m.statement(a)
			m.external(a, &s)
			out.Body = append(out.Body, s)
			continue
		}
		list := m.operations(i)
		for k := range list {
			s := m.statement(&list[k])
			if a.Comments != nil {
				s.Comments = new(syntax.Comments)
				if k == 0 {
					s.Comments.Before = a.Comments.Before
				}
				if k == len(list)-1 {
					s.Comments.After = a.Comments.After
				}
			}
			out.Body = append(out.Body, s)
		}
	}
	return out
}

// external fills in the shape of an input.
func (m *migration) external(a *syntax.Assignment, out *syntax.Assignment) {
	id, single := a.Left.(*syntax.Ident)
	c, call := out.Right.(*syntax.Call)
	if !single || !call || c.Name.Name != "external" {
		return
	}
	arg := c.Named("shape")
	if arg == nil {
		return
	}
	if shape, ok := m.opts.Shapes[id.Name]; ok {
		list := &syntax.Array{}
		for _, n := range shape {
			list.Items = append(list.Items, &syntax.IntegerLit{Value: int64(n)})
		}
		arg.Value = list
	}
	list, ok := arg.Value.(*syntax.Array)
	if !ok {
		return
	}
	for _, item := range list.Items {
		if n, ok := item.(*syntax.IntegerLit); ok && n.Value == 0 {
			m.report(CodeOpen, syntax.Error, a.Right.(*syntax.Call).Named("shape").Value.(*syntax.Array).Span,
				"give it with --shape "+id.Name+"=EXTENTS, such as "+id.Name+"=1,3,224,224",
				"the shape of the input %s is not specified, which the final dialect forbids", id.Name)
			return
		}
	}
}

func (m *migration) statement(a *syntax.Assignment) syntax.Assignment {
	return syntax.Assignment{Left: m.expr(a.Left), Right: m.expr(a.Right), Comments: a.Comments}
}

func (m *migration) ident(id *syntax.Ident) *syntax.Ident {
	if name, ok := m.renamed[id.Name]; ok {
		return &syntax.Ident{Name: name}
	}
	return &syntax.Ident{Name: id.Name}
}

func (m *migration) idents(list []*syntax.Ident) []*syntax.Ident {
	out := make([]*syntax.Ident, len(list))
	for i, id := range list {
		out[i] = m.ident(id)
	}
	return out
}

func (m *migration) exprs(list []syntax.Expr) []syntax.Expr {
	out := make([]syntax.Expr, len(list))
	for i, x := range list {
		out[i] = m.expr(x)
	}
	return out
}

// expr returns an expression, or a pattern, in the final dialect; nil for nil.
func (m *migration) expr(x syntax.Expr) syntax.Expr {
	switch x := x.(type) {
	case *syntax.Ident:
		return m.ident(x)
	case *syntax.Array:
		return &syntax.Array{Items: m.exprs(x.Items)}
	case *syntax.Tuple:
		return &syntax.Tuple{Items: m.exprs(x.Items)}
	case *syntax.Subscript:
		return &syntax.Subscript{X: m.expr(x.X), Index: m.expr(x.Index)}
	case *syntax.Range:
		return &syntax.Range{X: m.expr(x.X), First: m.expr(x.First), Last: m.expr(x.Last)}
	case *syntax.Unary:
		return &syntax.Unary{Op: x.Op, X: m.expr(x.X)}
	case *syntax.Binary:
		return &syntax.Binary{Op: x.Op, X: m.expr(x.X), Y: m.expr(x.Y)}
	case *syntax.Select:
		return &syntax.Select{Then: m.expr(x.Then), Cond: m.expr(x.Cond), Else: m.expr(x.Else)}
	case *syntax.Comprehension:
		out := &syntax.Comprehension{Cond: m.expr(x.Cond), Item: m.expr(x.Item)}
		for _, it := range x.Iterators {
			out.Iterators = append(out.Iterators, syntax.Iterator{Name: m.ident(it.Name), In: m.expr(it.In)})
		}
		return out
	case *syntax.BuiltinCall:
		return &syntax.BuiltinCall{Func: x.Func, Arg: m.expr(x.Arg)}
	case *syntax.Call:
		if f := m.fragments[x.Name.Name]; f != nil {
			return m.invocation(x, f)
		}
		return m.operation(x)
	}
	return x // a literal
}

// invocation returns the invocation of a fragment.
func (m *migration) invocation(x *syntax.Call, f *fragment) *syntax.Call {
	c := &syntax.Call{Name: &syntax.Ident{Name: f.name}, Type: x.Type}
	for i, a := range x.Args {
		arg := syntax.Arg{Value: m.expr(a.Value)}
		switch {
		case a.Name != nil:
			arg.Name = m.ident(a.Name)
		case f.reorder && i < len(f.decl.Params): // its position may be another one now
			arg.Name = m.ident(f.decl.Params[i].Name)
		}
		c.Args = append(c.Args, arg)
	}
	return c
}

// operation returns the invocation of an operation of the standard.
func (m *migration) operation(x *syntax.Call) *syntax.Call {
	name := x.Name.Name
	change := changes[name]
	c := &syntax.Call{Name: &syntax.Ident{Name: cmp.Or(change.name, name)}, Type: x.Type}
	for _, a := range x.Args {
		arg := syntax.Arg{Value: m.expr(a.Value)}
		if a.Name != nil {
			arg.Name = &syntax.Ident{Name: cmp.Or(change.params[a.Name.Name], a.Name.Name)}
			if n := m.missing[x][a.Name.Name]; n > 0 {
				arg.Value = m.completed(name, a, arg.Value, n)
			}
		}
		c.Args = append(c.Args, arg)
	}
	m.defaults(x, c)
	if change.groups {
		c.Args = append(c.Args, syntax.Arg{Name: &syntax.Ident{Name: "groups"}, Value: &syntax.IntegerLit{}})
	}
	if change.note != "" {
		m.note(CodeFormula, x.Span, "%s: %s", name, change.note)
	}
	if bias := x.Named("bias"); biased[name] && bias != nil {
		if v, ok := bias.Value.(*syntax.ScalarLit); !ok || v.Value < 0 {
			m.report(CodeFormula, syntax.Warning, syntax.SpanOf(bias), "",
				"%s of the final dialect divides by 0.0 at least; with a negative bias the result is another one", name)
		}
	}
	return c
}

// completed returns a list with n further items.
func (m *migration) completed(op string, a syntax.Arg, value syntax.Expr, n int) syntax.Expr {
	names := lists[op].names
	l := names[slices.IndexFunc(names, func(l list) bool { return l.name == a.Name.Name })]
	more := &syntax.Array{}
	for range n {
		more.Items = append(more.Items, l.filler())
	}
	text, err := syntax.FormatExpr(more, syntax.Final)
	if err == nil {
		m.note(CodeCompleted, syntax.SpanOf(a), "%s is completed to the rank with %s", l.name, text)
	}
	if list, ok := value.(*syntax.Array); ok {
		list.Items = append(list.Items, more.Items...)
		return list
	}
	return &syntax.Binary{Op: syntax.Plus, X: value, Y: more}
}

// defaults writes out what the final dialect has no default for, or another one.
func (m *migration) defaults(x, c *syntax.Call) {
	before, known := std.Of(syntax.Provisional).Lookup(x.Name.Name)
	after, exists := std.Of(syntax.Final).Lookup(c.Name.Name)
	if !known || !exists {
		return
	}
	for i := range before.Params {
		p := &before.Params[i]
		if p.Default == nil || i < len(x.Args) && x.Args[i].Name == nil || x.Named(p.Name.Name) != nil {
			continue
		}
		name := cmp.Or(changes[x.Name.Name].params[p.Name.Name], p.Name.Name)
		for k := range after.Params {
			if q := &after.Params[k]; q.Name.Name == name && !sameText(p.Default, q.Default) {
				c.Args = append(c.Args, syntax.Arg{Name: &syntax.Ident{Name: name}, Value: p.Default})
			}
		}
	}
}
