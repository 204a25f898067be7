// Package lint finds what is allowed in a valid NNEF document but deprecated, without effect, or a likely slip.
//
// All findings are warnings. [Document] looks at the text alone, [Graph] at the shapes of a flattened graph.
package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/concord-nn/concord/internal/nnef/std"
	"github.com/concord-nn/concord/nnef/syntax"
)

// Codes of diagnostics of this package; see [syntax.Code]. Numbers from 90 on within a class are only ever warnings.
const (
	CodeExtension   syntax.Code = 390  // extension that is not needed
	CodeUnused      syntax.Code = 590  // identifier that is never used
	CodeOperation   syntax.Code = 591  // deprecated operation
	CodeNamedTensor syntax.Code = 690  // tensor that is given by name
	CodeShapeOf     syntax.Code = 790  // the function shape_of
	CodeLabelCase   syntax.Code = 990  // labels that differ in case only
	CodeSliceEnd    syntax.Code = 1190 // slice to the end by end = 0
)

// successors maps deprecated operations to what says the same.
var successors = map[string]string{
	"linear_quantize": "write min_max_linear_quantize with signed = false and symmetric = false",
}

// Document returns the warnings about a document that was parsed from a text, in the order of the text.
func Document(doc *syntax.Document) syntax.Diagnostics {
	l := &linter{src: doc.Source, fragments: make(map[string]*syntax.Fragment, len(doc.Fragments))}
	for _, f := range doc.Fragments {
		l.fragments[f.Name.Name] = f
	}
	// The dialects of tract and of the text form of graphs have usages of their own.
	own := doc.Tract || doc.Declares(syntax.ExtConcord)
	if doc.Dialect == syntax.Final && !own {
		l.extensions(doc)
		syntax.Walk(doc, l.deprecated)
	}
	for _, f := range doc.Fragments {
		l.fragment(f)
	}
	if doc.Graph != nil {
		l.graph(doc.Graph)
	}
	l.list.Sort()
	return l.list
}

// Quantization returns the warnings about a quantization file.
func Quantization(q *syntax.Quantization) syntax.Diagnostics {
	l := &linter{src: q.Source}
	for i := range q.Entries {
		l.operation(q.Entries[i].Call)
	}
	return l.list
}

type linter struct {
	src       *syntax.Source
	fragments map[string]*syntax.Fragment
	list      syntax.Diagnostics
}

func (l *linter) warn(code syntax.Code, span syntax.Span, hint, format string, args ...any) {
	l.list = append(l.list, syntax.Diagnostic{Code: code, Severity: syntax.Warning, Source: l.src, Span: span,
		Message: fmt.Sprintf(format, args...), Hint: hint})
}

// extensions reports extensions of the standard that enable nothing.
func (l *linter) extensions(doc *syntax.Document) {
	for _, e := range doc.Extensions {
		if e.Name == syntax.ExtFragments && len(doc.Fragments) == 0 || e.Name == syntax.ExtOperators && !doc.Expressions {
			l.warn(CodeExtension, e.Span, "remove it", "the extension %s is not needed here", e.Name)
		}
	}
}

// deprecated reports constructs of the final dialect that later revisions advise against.
func (l *linter) deprecated(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.BuiltinCall:
		if n.Func == syntax.ShapeOf {
			l.warn(CodeShapeOf, n.Span, "shapes of operations like reshape can copy extents by 0", "shape_of is deprecated")
		}
	case *syntax.Call:
		l.operation(n)
		l.namedTensors(n)
		l.sliceEnd(n)
	}
	return true
}

func (l *linter) operation(c *syntax.Call) {
	if hint, ok := successors[c.Name.Name]; ok && l.fragments[c.Name.Name] == nil {
		l.warn(CodeOperation, c.Name.Span, hint, "the operation %s is deprecated", c.Name.Name)
	}
}

// namedTensors reports the tensors that an invocation gives by name. Numbers in the place of tensors, such as alpha = 0.1
// of leaky_relu, are so common by name that a warning would only be noise.
func (l *linter) namedTensors(c *syntax.Call) {
	f, ok := l.fragments[c.Name.Name]
	if !ok {
		if f, ok = std.Lookup(c.Name.Name); !ok {
			return
		}
	}
	for i, a := range c.Args {
		switch a.Value.(type) {
		case *syntax.IntegerLit, *syntax.ScalarLit, *syntax.LogicalLit, *syntax.StringLit:
			continue
		}
		j := slices.IndexFunc(f.Params, func(p syntax.Param) bool { return a.Name != nil && p.Name.Name == a.Name.Name })
		if j < 0 || !syntax.HoldsTensor(f.Params[j].Type) {
			continue
		}
		hint := "leave out the name"
		if i != j {
			hint += fmt.Sprintf(" and make it argument %d", j+1)
		}
		l.warn(CodeNamedTensor, a.Name.Span, hint, "%s is a tensor, and giving tensors by name is deprecated", a.Name.Name)
	}
}

// sliceEnd reports slice with an end of 0 and no stride but 1.
func (l *linter) sliceEnd(c *syntax.Call) {
	if c.Name.Name != "slice" || l.fragments["slice"] != nil {
		return
	}
	if slices.ContainsFunc(items(c.Named("stride")), func(x syntax.Expr) bool { return !isInteger(x, 1) }) {
		return
	}
	for _, x := range items(c.Named("end")) {
		if isInteger(x, 0) {
			l.warn(CodeSliceEnd, syntax.SpanOf(x), "write the extent", "end = 0 for “to the end” is deprecated")
		}
	}
}

// items returns the items of an argument that is an array.
func items(a *syntax.Arg) []syntax.Expr {
	if a != nil {
		if list, ok := a.Value.(*syntax.Array); ok {
			return list.Items
		}
	}
	return nil
}

func isInteger(x syntax.Expr, value int64) bool {
	n, ok := x.(*syntax.IntegerLit)
	return ok && n.Value == value
}

// fragment reports parameters and values of a body that nothing uses.
func (l *linter) fragment(f *syntax.Fragment) {
	if f.Body == nil {
		return
	}
	used := uses(f.Body)
	for _, r := range f.Results {
		used[r.Name.Name] = true
	}
	for _, p := range f.Params {
		if !used[p.Name.Name] {
			l.warn(CodeUnused, p.Name.Span, "", "the parameter %s of %s is never used", p.Name.Name, f.Name.Name)
		}
	}
	l.unused(f.Body, used)
}

func (l *linter) graph(g *syntax.Graph) {
	used := uses(g.Body)
	for _, r := range g.Results {
		used[r.Name] = true
	}
	l.unused(g.Body, used)
	l.labels(g)
}

// uses returns the identifiers that the right sides of a body mention.
func uses(body []syntax.Assignment) map[string]bool {
	used := make(map[string]bool)
	var visit func(n syntax.Node) bool
	visit = func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Ident:
			used[n.Name] = true
		case *syntax.Call: // the names of operations and parameters are no uses
			for _, a := range n.Args {
				syntax.Walk(a.Value, visit)
			}
			return false
		}
		return true
	}
	for i := range body {
		syntax.Walk(body[i].Right, visit)
	}
	return used
}

// unused reports the assignments of which no identifier is used. An update has its effect without that.
func (l *linter) unused(body []syntax.Assignment, used map[string]bool) {
	for i := range body {
		a := &body[i]
		if c, ok := a.Right.(*syntax.Call); ok && c.Name.Name == "update" {
			continue
		}
		var names []string
		verb := "is"
		for id := range a.Names() {
			if names = append(names, id.Name); len(names) > 1 {
				verb = "are"
			}
		}
		if len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool { return used[name] }) {
			l.warn(CodeUnused, syntax.SpanOf(a.Left), "", "%s %s never used", strings.Join(names, ", "), verb)
		}
	}
}

// labels reports variables whose labels differ in case only.
func (l *linter) labels(g *syntax.Graph) {
	first := make(map[string]*syntax.StringLit)
	for i := range g.Body {
		c, ok := g.Body[i].Right.(*syntax.Call)
		if !ok || c.Name.Name != "variable" || c.Named("label") == nil {
			continue
		}
		label, ok := c.Named("label").Value.(*syntax.StringLit)
		if !ok {
			continue
		}
		key := strings.ToLower(label.Value)
		before, ok := first[key]
		if !ok {
			first[key] = label
		} else if before.Value != label.Value {
			l.warn(CodeLabelCase, label.Span, "write the labels alike, or make them differ in more than case",
				"the labels %q and %q differ in case only, so that the variables share their data", before.Value, label.Value)
			l.list[len(l.list)-1].Related = []syntax.Related{{Span: before.Span, Message: "the other label"}}
		}
	}
}
