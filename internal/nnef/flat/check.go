package flat

import (
	"fmt"
	"slices"

	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/nnef/syntax"
)

// Codes of diagnostics of this package; see [syntax.Code]. Others are those of package eval.
const (
	CodeExtension   syntax.Code = 304  // unknown extension
	CodeRepeated    syntax.Code = 401  // two declarations, parameters or results of one name
	CodeOrder       syntax.Code = 402  // tensor behind an attribute
	CodeGenericMark syntax.Code = 404  // <?> without a generic type, or a generic type without it
	CodeResult      syntax.Code = 405  // result that is no tensor, or of no type
	CodeMixed       syntax.Code = 406  // tuple of tensors and attributes
	CodeExternal    syntax.Code = 902  // graph parameters that are not the results of external
	CodeUpdate      syntax.Code = 903  // update of something that is no variable, or a second one
	CodeLabel       syntax.Code = 1104 // broken label
	CodeShared      syntax.Code = 1202 // variables of one label whose shapes differ
	CodeGraphOnly   syntax.Code = 905  // external, variable or update where it may not stand
)

// Check returns what is wrong with a document before anything is evaluated, in the order of the text: in declarations, in the bodies of all
// fragments, invoked or not, in the graph, and in branches that would not be taken. Nothing in the list follows from another entry of it. What depends
// on values is left to [Flatten]: subscripts out of range, conversions, arithmetic, attributes out of range, shapes, and the rules for the results of external and
// for update.
//
// Where it finds no error, every name that is used is defined before, every invocation fits a declaration, every expression has a type, every fragment
// yields results of the declared types, and no fragment has what belongs to graphs.
//
// Documents of the engine tract, which have no types, are not for it.
func Check(doc *syntax.Document, opts Options) syntax.Diagnostics {
	c := checker{newRecorder(doc, opts)}
	c.extensions()
	for _, f := range doc.Fragments {
		c.declaration(f)
	}
	if doc.Graph != nil {
		c.repeated(doc.Graph.Params, nil, "two parameters of the graph are named %s")
		params := doc.Graph.Params
		if c.operators {
			params = nil // the text form may hand on an input as it is
		}
		c.repeated(doc.Graph.Results, params, "two results of the graph are named %s")
		c.eval.CheckGraph(doc.Graph, c.recorder, opts.Symbols)
	}
	c.forward()
	return c.eval.Diagnostics()
}

// checker is one run.
type checker struct{ *recorder }

func (c *checker) final() bool { return c.doc.Dialect == syntax.Final }

// report adds an error.
func (c *checker) report(code syntax.Code, span syntax.Span, hint string, related []syntax.Related, format string, args ...any) {
	c.eval.Report(syntax.Diagnostic{Code: code, Source: c.doc.Source, Span: span,
		Message: fmt.Sprintf(format, args...), Hint: hint, Related: related})
}

// here is a related place in the document.
func here(span syntax.Span, format string, args ...any) []syntax.Related {
	return []syntax.Related{{Span: span, Message: fmt.Sprintf(format, args...)}}
}

// knownExtensions are those that change what a document may say.
var knownExtensions = []string{syntax.ExtFragments, syntax.ExtOperators, syntax.ExtConcord}

// extensions checks the names of the extension statements.
func (c *checker) extensions() {
	known := slices.Concat(knownExtensions, c.opts.Extensions)
	for i := range c.doc.Extensions {
		x := &c.doc.Extensions[i]
		if slices.Contains(known, x.Name) {
			continue
		}
		hint := eval.DoYouMean(x.Name, known)
		if hint == "" {
			hint = "a document that needs an extension cannot be understood without knowing it"
		}
		d := syntax.Diagnostic{Code: CodeExtension, Source: c.doc.Source, Span: x.Span, Hint: hint,
			Message: "the extension " + x.Name + " is not known"}
		if c.opts.Lenient {
			d.Severity, d.Hint = syntax.Warning, ""
		}
		c.eval.Report(d)
	}
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
			c.report(CodeRepeated, id.Span, "name the result otherwise and assign it by "+eval.Copying(c.doc.Dialect)+"("+id.Name+")",
				here(first.Span, "the parameter is here"), "a parameter and a result of the graph are named %s", id.Name)
		default:
			c.report(CodeRepeated, id.Span, "choose another name", here(first.Span, "the first one is here"), format, id.Name)
		}
	}
}

// forward warns of fragments that were used before their declaration.
func (c *checker) forward() {
	for _, f := range c.doc.Fragments {
		if c.ahead[f.Name.Name] != nil {
			c.eval.Report(syntax.Diagnostic{Code: eval.CodeUndeclared, Severity: syntax.Warning, Source: c.doc.Source, Span: f.Name.Span,
				Message: "the fragment " + f.Name.Name + " is used before its declaration"})
		}
	}
}
