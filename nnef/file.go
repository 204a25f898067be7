package nnef

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/internal/nnef/container"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/nnef/syntax"
)

// File is the text of a model that was opened. Its methods may be called in any order and several times, but not by
// several goroutines at once.
type File struct {
	Document     *syntax.Document
	Quantization *syntax.Quantization // nil if the model has no quantization file

	opts   Options
	files  *container.Container // nil for a text alone
	source source

	block      *block // nil unless the document is a fragment as a graph of its own
	extensions *statements
	closed     atomic.Bool
	checked    *syntax.Diagnostics // what the static check has found; nil before it
	flat       *flat.Graph         // without errors, at level User; nil until it is asked for
}

// Close ends the making of models: it is an error afterwards, fs.ErrClosed. Models that were made stay; they keep of the files what they have in
// memory. It may be called at any time, and twice.
func (f *File) Close() error {
	if f == nil {
		return nil
	}
	f.closed.Store(true)
	if f.files == nil {
		return nil
	}
	return f.files.Close()
}

// usable is the error of a File without a document.
func (f *File) usable() error {
	if f == nil || f.Document == nil {
		return errors.New("there is no document: the File is nil or the zero File; Open makes one")
	}
	return nil
}

// making is the error of a File that makes no models.
func (f *File) making() error {
	if err := f.usable(); err != nil {
		return err
	}
	if f.closed.Load() {
		return mapfile.ErrClosed
	}
	return nil
}

// Check returns all findings about the document, errors and warnings: what parsing accepted with a warning, what the
// static check of declarations, names, arguments and types finds, what evaluation and shapes show, and, if nothing of
// that is an error, what is wrong with the quantization file. It reads no data.
func (f *File) Check() syntax.Diagnostics {
	if err := f.usable(); err != nil {
		return syntax.Diagnostics{{Message: err.Error()}}
	}
	list := f.warnings()
	fg, err := f.flattened()
	switch {
	case list.Err() != nil:
		return merged(list, valueFindings(diagnostics(err)))
	case err != nil:
		return append(list, diagnostics(err)...)
	}
	return append(list, f.checkQuantization(fg)...)
}

// valueFindings returns the findings that evaluation alone makes: those about values and shapes, and about what goes into a graph and into variables.
func valueFindings(list syntax.Diagnostics) syntax.Diagnostics {
	own := []syntax.Code{flat.CodeExternal, flat.CodeUpdate, eval.CodeUnassigned}
	return slices.DeleteFunc(list, func(d syntax.Diagnostic) bool { return d.Class() < syntax.ClassEval && !slices.Contains(own, d.Code) })
}

// static returns what is found without evaluation.
func (f *File) static() syntax.Diagnostics {
	s := f.statements()
	if s.tract != nil { // such a document has no types; the evaluation shows what is wrong
		return s.found
	}
	if f.checked == nil {
		found := flat.Check(f.Document, flat.Options{Library: s.library(), Symbols: s.symbols, Extensions: ownExtensions,
			Lenient: f.opts.Lenient, Limits: f.opts.Limits.Eval})
		f.checked = &found
	}
	return slices.Concat(s.found, *f.checked)
}

// warnings returns what was accepted although the standard does not, and what is found without evaluation.
func (f *File) warnings() syntax.Diagnostics {
	return append(slices.Clone(f.Document.Warnings), f.static()...)
}

// statements returns what the extension statements say.
func (f *File) statements() *statements {
	if f.extensions == nil {
		f.extensions = readStatements(f.Document, f.opts.Shapes)
	}
	return f.extensions
}

// diagnostics returns an error that is a list of findings as such.
func diagnostics(err error) syntax.Diagnostics {
	var list syntax.Diagnostics
	errors.As(err, &list)
	return list
}

// Flatten returns the flattened graph with shapes. Where the document leaves extents of inputs open, or invokes custom
// operations, shapes that depend on them are not known. An error in the document is a [syntax.Diagnostics]. The graph must not be changed.
func (f *File) Flatten(level flat.Level) (*flat.Graph, error) {
	if err := f.usable(); err != nil {
		return nil, err
	}
	if f.static().Err() != nil {
		return nil, f.Check().Err()
	}
	if level == flat.User { // Without this the document would be evaluated again.
		return f.flattened()
	}
	return f.flatten(level, false, newInferrer(f))
}

// flattened evaluates the document at level User, once if it has no errors.
func (f *File) flattened() (*flat.Graph, error) {
	if f.flat != nil { // Without this the document would be evaluated again.
		return f.flat, nil
	}
	g, err := f.flatten(flat.User, false, newInferrer(f))
	if err == nil { // Without this the document would be evaluated again.
		f.flat = g
	}
	return g, err
}

// flatten evaluates the document.
func (f *File) flatten(level flat.Level, deferred bool, shapes flat.Inferrer) (*flat.Graph, error) {
	s := f.statements()
	opts := flat.Options{Level: level, Limits: f.opts.Limits.Eval, Shapes: shapes, Deferred: deferred, Symbols: s.symbols, Library: s.library()}
	if len(f.opts.Shapes) > 0 {
		opts.Extents = make(map[string][]int, len(f.opts.Shapes))
		for name, shape := range f.opts.Shapes {
			if !s.operators && !f.Document.Tract && slices.ContainsFunc(shape, func(n int) bool { return n < 1 }) { // Without this the document would be blamed.
				return nil, &model.GivenError{Name: name, Shape: shape, Why: fmt.Sprintf("the shape %v is given for %q; extents are 1 or more", shape, name)}
			}
			opts.Extents[name] = shape
		}
	}
	g, err := flat.Flatten(f.Document, opts)
	if err != nil {
		return g, err
	}
	var names []string
	for _, t := range g.Inputs {
		names = append(names, t.Name)
	}
	for name := range opts.Extents {
		if !slices.Contains(names, name) {
			return nil, &model.GivenError{Name: name, Shape: opts.Extents[name], Why: fmt.Sprintf("a shape is given for %q; the inputs are %s", name, strings.Join(names, ", "))}
		}
	}
	return g, nil
}
