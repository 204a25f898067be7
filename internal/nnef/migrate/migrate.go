// Package migrate turns documents of the provisional dialect of NNEF 1.0 into documents of the final one.
//
// [Document] rewrites the syntax, the names of operations and parameters and what each operation left to its rank, gives
// the tensors of fragments their item types, and expands in the graph those fragments that the final dialect cannot
// express. Whatever is more than another way of writing the same is listed as a note with its place in the old text.
// [Quantization] does the same for quantization files.
//
// The result is read back strictly before it is returned. Whether shapes and values agree is for the caller to see, with
// package nnef; command concord migrate does so.
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

// Document returns a document that was read in the final dialect, and notes about everything that is more than another way of writing
// the same; they have places in the old text. The old document is not changed. The new one was formatted and read
// again; its positions are those of the canonical text. The error is a [syntax.Diagnostics] if the final dialect cannot say the document.
//
// The graph is the document flattened at level [flat.User] with shapes, from which ranks are seen; lists stay as long as they are where
// it has none. shapes are those of inputs, by their names: the final dialect has no unspecified extents, so inputs that have some must be
// listed.
func Document(doc *syntax.Document, graph *flat.Graph, shapes map[string][]int) (*syntax.Document, syntax.Diagnostics, error) {
	m := &migration{doc: doc, graph: graph, shapes: shapes}
	if doc.Dialect != syntax.Provisional {
		m.report(CodeFinal, syntax.Error, doc.Version, "", "the document is of the final dialect already")
		return nil, nil, m.notes
	}
	var err error
	// A tree of its own, which has the same places.
	m.doc, err = syntax.Parse(doc.Source.Name, []byte(doc.Source.Text), syntax.Options{Lenient: true, Tract: doc.Tract})
	if err != nil { // it was not read from its source
		return nil, nil, err
	}
	m.document()
	out := m.finish()
	m.notes.Sort()
	if err := m.notes.Err(); err != nil {
		return nil, nil, err
	}
	return out, m.notes, nil
}

// migration is the work on one document.
type migration struct {
	doc    *syntax.Document
	graph  *flat.Graph
	shapes map[string][]int
	notes  syntax.Diagnostics

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

// document turns the tree into the new one.
func (m *migration) document() {
	m.declare()
	m.renamed = m.reserved()
	m.index()
	m.inferTypes()
	m.complete()
	m.expansions()
	m.doc.Graph.Body = m.body()
	m.doc.Fragments = slices.DeleteFunc(m.doc.Fragments, func(f *syntax.Fragment) bool { return m.fragments[f.Name.Name].expand != "" })
	for _, decl := range m.doc.Fragments {
		m.fragments[decl.Name.Name].declare()
	}
	m.rewrite()
	m.doc.Dialect, m.doc.Extensions = syntax.Final, nil
}

// finish adds the extensions that the document needs, and reads its text.
func (m *migration) finish() *syntax.Document {
	if len(m.doc.Fragments) > 0 {
		m.doc.Extensions = []syntax.Extension{{Name: syntax.ExtFragments}}
	}
	read := m.reread()
	if read != nil && read.Expressions {
		m.doc.Extensions = append(m.doc.Extensions, syntax.Extension{Name: syntax.ExtOperators})
		read = m.reread()
	}
	return read
}

// reread returns the document that the text of the new tree is read as.
func (m *migration) reread() (doc *syntax.Document) {
	text, err := syntax.Format(m.doc)
	if err == nil {
		doc, err = syntax.Parse(m.doc.Source.Name, text, syntax.Options{})
	}
	if err != nil {
		m.report(CodeUnexpanded, syntax.Error, m.doc.Graph.Name.Span, "", "the document cannot be written in the final dialect: %v", err)
	}
	return doc
}

// fragment is a fragment of the document.
type fragment struct {
	decl   *syntax.Fragment
	name   string // the new one
	expand string // why it is expanded in the graph, empty if it is not

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
		if !slices.IsSortedFunc(f.Params, tensorsFirst) {
			m.note(CodeReordered, f.Name.Span, "the tensor parameters of %s move before the others", own.name)
		}
		own.expand = unsupported(f)
	}
}

// tensorsFirst compares parameters so that those of tensors stand before the others.
func tensorsFirst(a, b syntax.Param) int {
	switch first := syntax.HoldsTensor(a.Type); {
	case first == syntax.HoldsTensor(b.Type):
		return 0
	case first:
		return -1
	}
	return 1
}

// unsupported tells what a fragment has that the final dialect does not; empty if there is nothing.
func unsupported(f *syntax.Fragment) string {
	for i := range f.Results {
		if r := &f.Results[i]; !syntax.OnlyTensors(r.Type) {
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
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assignment:
			_, single := n.Left.(*syntax.Ident)
			if c, call := n.Right.(*syntax.Call); single && call && c.Name.Name == "split" {
				reason = "it assigns the array of split to one name, which the final dialect unpacks"
			}
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
	return reason
}

// mixed tells whether a type joins tensors and attributes.
func mixed(t syntax.Type) bool { return syntax.HoldsTensor(t) && !syntax.OnlyTensors(t) }

// reserved returns new names for identifiers that the final dialect reserves: its keywords, and for fragments also the
// names of its operations.
func (m *migration) reserved() map[string]string {
	used := make(map[string]bool)
	var first []*syntax.Ident // the first place of each name
	syntax.Walk(m.doc, func(n syntax.Node) bool {
		if id, ok := n.(*syntax.Ident); ok && !used[id.Name] {
			used[id.Name] = true
			first = append(first, id)
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
		if _, clash := std.Of(syntax.Final).Lookup(own.name); clash && own.name == f.Name.Name {
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

// Quantization returns a quantization file of a provisional model as one of the final dialect. names holds the
// identifiers that have other names there; see [Names]. The file itself is not changed.
func Quantization(q *syntax.Quantization, names map[string]string) *syntax.Quantization {
	out := &syntax.Quantization{Comments: q.Comments}
	for _, e := range q.Entries {
		if name, ok := names[e.Tensor.Value]; ok {
			e.Tensor = &syntax.StringLit{Value: name}
		}
		out.Entries = append(out.Entries, e)
	}
	return out
}
