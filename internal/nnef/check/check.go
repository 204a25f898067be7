package check

import (
	"fmt"
	"slices"
	"strings"

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

// Options say what is known beside the document. The zero value is the standard alone.
type Options struct {
	// Libraries are looked through before the operations of the standard, which are those of the document's dialect.
	// Of their operations only the declarations are used.
	Libraries []eval.Library

	// Known are identifiers that the graph may use without defining them, with their values.
	Known map[string]eval.Value

	// Extensions are names of extensions that the caller reads, beside those of the standard, that of Concord's text form
	// and those of tract.
	Extensions []string

	// Lenient turns unknown extensions, fragments that are used before their declaration, and variables and updates in
	// fragments into warnings.
	Lenient bool

	// Evaluated says that the caller evaluates the graph if Check finds no error. Unless it has found one, Check then
	// leaves the statements of a flat body to that evaluation, which applies the same rules to them.
	Evaluated bool

	Limits eval.Limits
}

// Check returns what is wrong with a document, in the order of the text. Nothing in the list follows from another entry
// of it.
func Check(doc *syntax.Document, opts Options) syntax.Diagnostics {
	c := &checker{doc: doc, opts: opts, eval: eval.New(opts.Limits).For(doc)}
	c.scope = newScope(doc, opts)
	c.extensions()
	for _, f := range doc.Fragments {
		c.declare(f)
	}
	if doc.Graph != nil {
		c.graph(doc.Graph)
	}
	c.forward()
	return c.eval.Diagnostics()
}

// checker is one run.
type checker struct {
	doc   *syntax.Document
	opts  Options
	eval  *eval.Evaluator
	scope *scope
}

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

// knownExtensions are those that change what a document may say. Those of tract begin with tract_.
var knownExtensions = []string{syntax.ExtFragments, syntax.ExtOperators, syntax.ExtConcord}

// extensions checks the names of the extension statements.
func (c *checker) extensions() {
	known := slices.Concat(knownExtensions, c.opts.Extensions)
	for i := range c.doc.Extensions {
		x := &c.doc.Extensions[i]
		if slices.Contains(known, x.Name) || strings.HasPrefix(x.Name, "tract_") {
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

// forward warns of fragments that were used before their declaration.
func (c *checker) forward() {
	if c.doc.Tract {
		return
	}
	for _, f := range c.doc.Fragments {
		if c.scope.ahead[f.Name.Name] != nil {
			c.eval.Report(syntax.Diagnostic{Code: eval.CodeUndeclared, Severity: syntax.Warning, Source: c.doc.Source, Span: f.Name.Span,
				Message: "the fragment " + f.Name.Name + " is used before its declaration"})
		}
	}
}

// extended reports whether a document uses an extension of that name.
func extended(doc *syntax.Document, name string) bool {
	return slices.ContainsFunc(doc.Extensions, func(x syntax.Extension) bool { return x.Name == name })
}
