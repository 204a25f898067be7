package migrate

import (
	"fmt"
	"slices"

	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/nnef/std"
	"github.com/concord-nn/concord/nnef/syntax"
)

// Codes of diagnostics of this package; see [syntax.Code].
const (
	CodeFinal      syntax.Code = 320 // error: the document is of the final dialect already
	CodeOpen       syntax.Code = 321 // error: an extent of an input is not specified
	CodeUnexpanded syntax.Code = 322 // error: a statement cannot be written in the final dialect
	CodeRenamed    syntax.Code = 330 // note: a name that the final dialect reserves
	CodeExpanded   syntax.Code = 331 // note: a fragment that the final dialect cannot express was expanded
	CodeCompleted  syntax.Code = 332 // note: a list was completed to the rank
	CodeTyped      syntax.Code = 333 // note: a fragment became generic, or a type could not be inferred
	CodeFormula    syntax.Code = 334 // note or warning: the final dialect computes in another way
	CodeReordered  syntax.Code = 335 // note: tensor parameters were moved before the others
)

// Options say how to migrate. The zero value leaves lists as long as they are, because ranks are not known.
type Options struct {
	// Graph is the document flattened at level [flat.User] with shapes, from which ranks are seen. Without it the
	// document is flattened without shapes.
	Graph *flat.Graph

	// Shapes are the shapes of inputs, by their names. The final dialect has no unspecified extents: inputs that have some
	// must be listed.
	Shapes map[string][]int
}

// Document returns the document in the final dialect, and notes about everything that is more than another way of writing
// the same; they have places in the old text. The old document is not changed. The new one was formatted and read
// strictly; its positions are those of the canonical text. The error is a [syntax.Diagnostics] if the old document is
// wrong, or if the final dialect cannot say it.
func Document(doc *syntax.Document, opts Options) (*syntax.Document, syntax.Diagnostics, error) {
	m := &migration{doc: doc, opts: opts, graph: opts.Graph}
	if doc.Dialect != syntax.Provisional {
		m.report(CodeFinal, syntax.Error, doc.Version.Span, "", "the document is of the final dialect already")
		return nil, nil, m.notes
	}
	var err error
	if m.doc, err = copied(doc); err != nil {
		return nil, nil, err
	}
	if m.graph == nil {
		if m.graph, err = flat.Flatten(m.doc, flat.Options{Extents: opts.Shapes}); err != nil {
			return nil, nil, err
		}
	}
	out := m.document()
	m.notes.Sort()
	if err := m.notes.Err(); err != nil {
		return nil, nil, err
	}
	if out, err = m.finish(out); err != nil {
		return nil, nil, err
	}
	return out, m.notes, nil
}

// copied returns a tree of its own of the text of a document, which has the same places.
func copied(doc *syntax.Document) (*syntax.Document, error) {
	if doc.Source == nil {
		return reread("", doc, syntax.Options{Lenient: true})
	}
	return syntax.Parse(doc.Source.Name, []byte(doc.Source.Text), syntax.Options{Lenient: true, Tract: doc.Tract})
}

// migration is the work on one document.
type migration struct {
	doc   *syntax.Document
	opts  Options
	graph *flat.Graph
	notes syntax.Diagnostics

	fragments map[string]*fragment
	renamed   map[string]string               // identifiers that are reserved now
	calls     map[syntax.Span]*syntax.Call    // the invocations of the text, by their places
	missing   map[*syntax.Call]map[string]int // items to add to lists of an invocation
	ops       map[int][]*flat.Op              // the operations that a statement of the graph becomes, by its index

}

func (m *migration) report(code syntax.Code, s syntax.Severity, span syntax.Span, hint, format string, args ...any) {
	m.notes = append(m.notes, syntax.Diagnostic{Code: code, Severity: s, Source: m.doc.Source, Span: span, Hint: hint,
		Message: fmt.Sprintf(format, args...)})
}

func (m *migration) note(code syntax.Code, span syntax.Span, format string, args ...any) {
	m.report(code, syntax.Note, span, "", format, args...)
}

// document makes the new tree.
func (m *migration) document() *syntax.Document {
	m.declare()
	m.renamed = m.reserved()
	m.index()
	m.inferTypes()
	m.complete()
	m.expansions()
	m.doc.Graph.Body = m.body()
	m.doc.Fragments = slices.DeleteFunc(m.doc.Fragments, func(f *syntax.Fragment) bool { return m.fragments[f.Name.Name].expand != "" })
	m.rewrite(m.doc)
	for _, decl := range m.doc.Fragments {
		m.fragment(m.fragments[decl.Name.Name])
	}
	m.doc.Dialect, m.doc.Extensions = syntax.Final, nil
	return m.doc
}

// finish adds the extensions that the document needs, and reads its text.
func (m *migration) finish(out *syntax.Document) (*syntax.Document, error) {
	name := ""
	if m.doc.Source != nil {
		name = m.doc.Source.Name
	}
	if len(out.Fragments) > 0 {
		out.Extensions = append(out.Extensions, syntax.Extension{Name: syntax.ExtFragments})
	}
	read, err := reread(name, out, syntax.Options{})
	if err == nil && read.Expressions {
		out.Extensions = append(out.Extensions, syntax.Extension{Name: syntax.ExtOperators})
	}
	if err == nil {
		read, err = reread(name, out, syntax.Options{Strict: true})
	}
	if err != nil {
		m.report(CodeUnexpanded, syntax.Error, m.doc.Graph.Name.Span, "", "the document cannot be written in the final dialect: %v", err)
		return nil, m.notes
	}
	return read, nil
}

// reread returns the document that the text of one is read as.
func reread(name string, doc *syntax.Document, opts syntax.Options) (*syntax.Document, error) {
	text, err := syntax.Format(doc)
	if err != nil {
		return nil, err
	}
	return syntax.Parse(name, text, opts)
}

// fragment is a fragment of the document.
type fragment struct {
	decl    *syntax.Fragment
	name    string // the new one
	reorder bool   // tensor parameters move to the front
	expand  string // why it is expanded in the graph, empty if it is not

	items   map[*syntax.TensorType]syntax.Primitive // of the tensors of its declaration, as far as they are known
	generic bool
}

// declare finds the fragments and their order.
func (m *migration) declare() {
	m.fragments = make(map[string]*fragment)
	for _, f := range m.doc.Fragments {
		if m.fragments[f.Name.Name] == nil {
			m.fragments[f.Name.Name] = &fragment{decl: f, name: f.Name.Name}
		}
	}
	for _, f := range m.doc.Fragments {
		own := m.fragments[f.Name.Name]
		seen := false // an attribute
		for i := range f.Params {
			if !syntax.HoldsTensor(f.Params[i].Type) {
				seen = true
			} else if seen {
				own.reorder = true
			}
		}
		if own.reorder {
			m.note(CodeReordered, f.Name.Span, "the tensor parameters of %s move before the others", own.name)
		}
		own.expand = unsupported(f)
	}
}

// unsupported tells what a fragment has that the final dialect does not; empty if there is nothing.
func unsupported(f *syntax.Fragment) string {
	for i := range f.Results {
		if r := &f.Results[i]; !syntax.HoldsTensor(r.Type) || mixed(r.Type) {
			return "its result " + r.Name.Name + " is " + syntax.TypeText(r.Type, syntax.Provisional) +
				"; results of the final dialect are tensors"
		}
	}
	for i := range f.Params {
		if p := &f.Params[i]; mixed(p.Type) {
			return "its parameter " + p.Name.Name + " joins tensors and attributes in a tuple"
		}
	}
	reason := ""
	for i := range f.Body {
		a := &f.Body[i]
		syntax.Walk(a, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Call:
				switch name := n.Name.Name; name {
				case "external", "variable", "update":
					reason = "it invokes " + name + ", which the final dialect allows only in the graph"
				}
			case *syntax.BuiltinCall:
				if n.Func == syntax.ShapeOf {
					reason = "it invokes shape_of, which counts trailing extents of 1 in the final dialect"
				}
			}
			return reason == ""
		})
		_, single := a.Left.(*syntax.Ident)
		if c, call := a.Right.(*syntax.Call); single && call && c.Name.Name == "split" {
			reason = "it assigns the array of split to one name, which the final dialect unpacks"
		}
	}
	return reason
}

// mixed tells whether a type joins tensors and attributes.
func mixed(t syntax.Type) bool {
	switch t := t.(type) {
	case *syntax.ArrayType:
		return mixed(t.Item)
	case *syntax.TupleType:
		tensors := 0
		for _, item := range t.Items {
			if mixed(item) {
				return true
			}
			if syntax.HoldsTensor(item) {
				tensors++
			}
		}
		return tensors > 0 && tensors < len(t.Items)
	}
	return false
}

// reserved returns new names for identifiers that the final dialect reserves: its keywords, and for fragments also the
// names of its operations.
func (m *migration) reserved() map[string]string {
	used := make(map[string]bool)
	var first []*syntax.Ident // the first place of each name
	add := func(id *syntax.Ident) {
		if id != nil && !used[id.Name] {
			used[id.Name] = true
			first = append(first, id)
		}
	}
	syntax.Walk(m.doc, func(n syntax.Node) bool {
		if id, ok := n.(*syntax.Ident); ok {
			add(id)
		}
		return true
	})
	for _, op := range m.graph.Ops {
		for _, t := range op.Outputs() {
			used[t.Name] = true
		}
	}
	fresh := func(name string) string {
		for used[name] {
			name += "_"
		}
		used[name] = true
		return name
	}
	renamed := make(map[string]string)
	for _, id := range first {
		if syntax.IsKeyword(id.Name, syntax.Final) {
			renamed[id.Name] = fresh(id.Name)
			m.note(CodeRenamed, id.Span, "%s becomes %s: the final dialect reserves the word", id.Name, renamed[id.Name])
		}
	}
	for _, f := range m.doc.Fragments {
		own := m.fragments[f.Name.Name]
		if name, ok := renamed[own.name]; ok {
			own.name = name
		} else if _, clash := std.Of(syntax.Final).Lookup(own.name); clash && own.name == f.Name.Name {
			own.name = fresh(own.name)
			m.note(CodeRenamed, f.Name.Span, "the fragment %s becomes %s: the final dialect has an operation of that name",
				f.Name.Name, own.name)
		}
	}
	return renamed
}

// Names returns the identifiers of a provisional document that get other names in the final dialect, because they are
// reserved there.
func Names(doc *syntax.Document) map[string]string {
	m := &migration{doc: doc, graph: &flat.Graph{}}
	m.declare()
	return m.reserved()
}
