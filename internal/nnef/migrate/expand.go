package migrate

import (
	"maps"
	"slices"
	"sort"

	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/nnef/syntax"
)

// index finds the invocations of the text.
func (m *migration) index() {
	m.calls = make(map[syntax.Span]*syntax.Call)
	m.missing = make(map[*syntax.Call]map[string]int)
	syntax.Walk(m.doc, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.Call); ok {
			m.calls[c.Span] = c
		}
		return true
	})
}

// complete finds how many items the lists of each invocation lack. Where a fragment is invoked with tensors of several
// ranks it is expanded.
func (m *migration) complete() {
	doubtful := make(map[*syntax.Call]bool)
	for _, op := range m.graph.Ops {
		if op.Site == nil {
			continue
		}
		at := op.Site.Trace()[0]
		c := m.calls[at.Span] // nil for operators, which have no lists
		found, known := lacking(op)
		if !known && !doubtful[c] {
			doubtful[c] = true
			m.report(CodeCompleted, syntax.Warning, c.Span, "write one item for each dimension",
				"the rank of the input of %s is not known; the final dialect needs lists of its length", op.Name())
		}
		if old, ok := m.missing[c]; !ok {
			m.missing[c] = found
			m.caution(op, c)
		} else if f := m.fragments[at.Name]; f != nil && f.expand == "" && !maps.Equal(old, found) {
			f.expand = "it is invoked with tensors of several ranks, for which its lists have several lengths"
		}
	}
	for _, f := range m.doc.Fragments {
		m.unseen(f)
	}
}

// lacking returns how many items the lists of an operation lack, by the names of the parameters. It is not known if the
// operation has such lists and the rank of its input is not.
func lacking(op *flat.Op) (missing map[string]int, known bool) {
	lists, less := listsOf(op.Name())
	rank := -1
	if in := op.Inputs(); len(in) > 0 && in[0].Shape != nil {
		rank = len(in[0].Shape)
	}
	missing, known = make(map[string]int), true
	for _, name := range lists {
		items, _ := op.Arg(name).(eval.Array)
		switch {
		case len(items) == 0:
			missing[name] = 0
		case rank < 0:
			known = false
		default:
			missing[name] = max(0, rank-less-len(items))
		}
	}
	return missing, known
}

// caution reports operations whose rules for ranks differ.
func (m *migration) caution(op *flat.Op, c *syntax.Call) {
	if op.Name() != "matmul" {
		return
	}
	for _, t := range op.Inputs() {
		if len(t.Shape) > 2 {
			m.report(CodeFormula, syntax.Warning, c.Span, "reshape the operands to two dimensions",
				"%s has %d dimensions; matmul of the final dialect multiplies the last two", t.Name, len(t.Shape))
		}
	}
}

// unseen reports lists in fragments that are not invoked: their ranks are not known.
func (m *migration) unseen(f *syntax.Fragment) {
	syntax.Walk(f, func(n syntax.Node) bool {
		c, ok := n.(*syntax.Call)
		if !ok || m.missing[c] != nil {
			return true
		}
		lists, _ := listsOf(c.Name.Name)
		for _, name := range lists {
			arg := c.Named(name)
			if arg == nil {
				continue
			}
			if a, ok := arg.Value.(*syntax.Array); ok && len(a.Items) > 0 {
				m.report(CodeCompleted, syntax.Warning, a.Span, "write one item for each dimension",
					"%s is not evaluated, so that the length of %s is not known; the final dialect completes no lists", c.Name.Name, name)
				break
			}
		}
		return true
	})
}

// expansions decides which fragments are expanded, with those that invoke them, and finds the operations that the
// statements of the graph become.
func (m *migration) expansions() {
	for changed := true; changed; {
		changed = false
		for _, f := range m.doc.Fragments {
			if own := m.fragments[f.Name.Name]; own.expand == "" {
				if name := m.expanded(f); name != "" {
					own.expand, changed = "it invokes "+name, true
				}
			}
		}
	}
	for _, f := range m.doc.Fragments {
		if own := m.fragments[f.Name.Name]; own.expand != "" {
			m.note(CodeExpanded, f.Name.Span, "the fragment %s is expanded in the graph: %s", f.Name.Name, own.expand)
		}
	}
	m.ops = make(map[int][]*flat.Op)
	body := m.doc.Graph.Body
	owner := make(map[string]int)
	for i := range body {
		for id := range body[i].Names() {
			owner[id.Name] = i
		}
	}
	for _, op := range m.graph.Ops {
		var at int
		var ok bool
		if op.Site == nil {
			at, ok = owner[op.Outputs()[0].Name]
		} else {
			trace := op.Site.Trace()
			place := trace[len(trace)-1].Span
			at = sort.Search(len(body), func(i int) bool { return body[i].From > place.From }) - 1
			ok = at >= 0
		}
		if ok {
			m.ops[at] = append(m.ops[at], op)
		}
	}
}

// expanded returns the name of a fragment that a part of the document invokes and that is expanded; empty if there is none.
func (m *migration) expanded(x syntax.Node) string {
	name := ""
	syntax.Walk(x, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.Call); ok && name == "" {
			if f := m.fragments[c.Name.Name]; f != nil && f.expand != "" {
				name = c.Name.Name
			}
		}
		return name == ""
	})
	return name
}

// operations returns the statements of a statement's operations.
func (m *migration) operations(i int) []syntax.Assignment {
	ops := m.ops[i]
	sub := flat.Graph{Name: "g", Dialect: syntax.Provisional, Ops: ops}
	list := sub.Document().Graph.Body
	for k := range list {
		c := list[k].Right.(*syntax.Call)
		c.Span = m.doc.Graph.Body[i].Span
		c.Args = slices.DeleteFunc(c.Args, func(a syntax.Arg) bool { return isDefault(ops[k].Op.Decl, a) })
		m.missing[c], _ = lacking(ops[k])
	}
	return list
}

// isDefault tells whether a named argument is what the parameter is without it.
func isDefault(decl *syntax.Fragment, a syntax.Arg) bool {
	return decl != nil && a.Name != nil && slices.ContainsFunc(decl.Params, func(p syntax.Param) bool {
		return p.Name.Name == a.Name.Name && p.Default != nil && sameText(p.Default, a.Value)
	})
}

// sameText tells whether two expressions are written in the same way.
func sameText(a, b syntax.Expr) bool {
	x, errX := syntax.FormatExpr(a, syntax.Final)
	y, errY := syntax.FormatExpr(b, syntax.Final)
	return errX == nil && errY == nil && x == y
}
