package nnef

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/nnef/check"
	"github.com/concord-nn/concord/nnef/container"
	"github.com/concord-nn/concord/nnef/flat"
	"github.com/concord-nn/concord/nnef/quant"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/tensor"
)

// File is the text of a model that was opened. Its methods may be called in any order and several times, but not by
// several goroutines at once.
type File struct {
	Document     *syntax.Document
	Quantization *syntax.Quantization // nil if the model has no quantization file

	opts   Options
	files  *container.Container // nil for a text alone
	source source

	extensions *statements
	checked    bool
	found      syntax.Diagnostics // by the static check
}

// Close releases the files. No model that was made of the file may be used afterwards: constants may lie in mapped files,
// and reading them then ends the process.
func (f *File) Close() error {
	if f.files == nil {
		return nil
	}
	return f.files.Close()
}

// Check returns all findings about the document, errors and warnings: what parsing accepted with a warning, what the
// static check of declarations, names, arguments and types finds, and, if that is no error, what evaluation and shapes
// show. It reads no data.
func (f *File) Check() syntax.Diagnostics {
	list := append(slices.Clone(f.Document.Warnings), f.static()...)
	fg, err := f.flatten(flat.User, false, newInferrer(f, true))
	switch {
	case list.Err() != nil:
		return merged(list, valueFindings(diagnostics(err)))
	case err != nil:
		return append(list, diagnostics(err)...)
	}
	return append(list, f.checkQuantization(fg)...)
}

// valueFindings returns the findings about values and shapes, which the static check does not know.
func valueFindings(list syntax.Diagnostics) syntax.Diagnostics {
	return slices.DeleteFunc(list, func(d syntax.Diagnostic) bool { return d.Class() < syntax.ClassEval })
}

// static returns what is found without evaluation.
func (f *File) static() syntax.Diagnostics {
	if !f.checked {
		f.checked = true
		s := f.statements()
		if s.tract != nil { // such a document has no types; the evaluation shows what is wrong
			f.found = s.found
			return f.found
		}
		f.found = append(s.found, f.check(true)...)
	}
	return f.found
}

// check runs the static check; evaluated says that statements of flat bodies are left to evaluation.
func (f *File) check(evaluated bool) syntax.Diagnostics {
	s := f.statements()
	return check.Check(f.Document, check.Options{Libraries: s.libraries(), Known: s.symbols, Extensions: ownExtensions,
		Lenient: f.opts.Lenient, Evaluated: evaluated, Limits: f.opts.Limits.Eval})
}

// explained gives findings of the evaluation the hints of the static check, which sees the whole document, where both
// find the same mistake.
func (f *File) explained(err error) error {
	found := diagnostics(err)
	if len(found) == 0 || f.statements().tract != nil {
		return err
	}
	static := f.check(false)
	for i := range found {
		same := func(d syntax.Diagnostic) bool { return d.Code == found[i].Code && d.Span == found[i].Span }
		if k := slices.IndexFunc(static, same); k >= 0 {
			found[i] = static[k]
		}
	}
	return found
}

// warnings returns what was accepted although the standard does not.
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
// operations, shapes that depend on them are not known. An error is a [syntax.Diagnostics].
func (f *File) Flatten(level flat.Level) (*flat.Graph, error) {
	if err := f.static().Err(); err != nil {
		return nil, err
	}
	return f.flatten(level, false, newInferrer(f, true))
}

// flatten evaluates the document.
func (f *File) flatten(level flat.Level, deferred bool, shapes flat.Inferrer) (*flat.Graph, error) {
	s := f.statements()
	opts := flat.Options{Level: level, Limits: f.opts.Limits.Eval, Shapes: shapes, Deferred: deferred, Symbols: s.symbols, Libraries: s.libraries()}
	if len(f.opts.Shapes) > 0 {
		opts.Extents = make(map[string][]int, len(f.opts.Shapes))
		for name, shape := range f.opts.Shapes {
			opts.Extents[name] = shape
		}
	}
	g, err := flat.Flatten(f.Document, opts)
	if err != nil {
		return g, f.explained(err)
	}
	for name := range opts.Extents {
		if !slices.ContainsFunc(g.Inputs, func(t *flat.Tensor) bool { return t.Name == name }) {
			return nil, fmt.Errorf("a shape is given for %q; the inputs are %s", name, inputNames(g))
		}
	}
	return g, nil
}

// inputNames lists the inputs of a graph for messages.
func inputNames(g *flat.Graph) string {
	names := make([]string, len(g.Inputs))
	for i, t := range g.Inputs {
		names[i] = t.Name
	}
	return strings.Join(names, ", ")
}

// Model builds the graph of the model. The data of variables of a folder is mapped, not read. It fails if the document
// invokes a custom operation or leaves extents of an input open that [Options.Shapes] does not give. An error in the
// document or in the data is a [syntax.Diagnostics].
func (f *File) Model() (*Model, error) {
	if err := f.static().Err(); err != nil {
		return nil, err
	}
	fg, err := f.flatten(flat.User, true, newInferrer(f, true))
	if err != nil {
		return nil, err
	}
	d := newDocument(f, f.source)
	if f.opts.Quantize {
		d.rounded = d.quants
	}
	g, err := d.build(fg)
	if found := f.checkQuantization(fg).Err(); found != nil {
		return nil, found // What is wrong with the variables may follow from it.
	}
	if err != nil {
		return nil, err
	}
	return &Model{Graph: g, Document: f.Document, Flat: fg, Warnings: f.warnings(), Properties: d.properties, file: f, nodes: d.spans,
		entries: d.kept(fg), decoded: d.decoded}, nil
}

// Model is a model whose graph was built.
type Model struct {
	Graph    *graph.Graph       // must not be changed
	Document *syntax.Document   // the text that the graph was made from
	Flat     *flat.Graph        // the operations that the text invokes, with the shapes of their results
	Warnings syntax.Diagnostics // what was accepted although the standard does not
	// Properties say where a model of the engine tract comes from, as its writer noted, also after it was saved by
	// Concord; nil for other models.
	Properties map[string]string

	file    *File
	nodes   map[*flat.Op][]*graph.Node
	entries map[string]*quant.Entry  // of the quantization file that the graph does not say, by the names of values
	decoded map[*tensor.Tensor]coded // constants and first contents of states that were stored as codes
}

// Save writes the model anew, as [Save] does with its graph, and keeps what the graph does not say: the entries of the
// quantization file for tensors that are no codes, unless [Options.Quantize] has made nodes of them, the codes of
// variables that were decoded when the model was loaded, and Properties. What is no part of the graph is left out, such as
// variables that are not used, and entries for tensors that only another way of writing the graph has.
func (m *Model) Save(name string) error {
	files, err := m.members()
	if err != nil {
		return err
	}
	return container.Write(name, files)
}

// WriteArchive is [Model.Save] as a tar archive, compressed if gz is set.
func (m *Model) WriteArchive(w io.Writer, gz bool) error {
	files, err := m.members()
	if err != nil {
		return err
	}
	return container.WriteTar(w, files, gz)
}

func (m *Model) members() (container.Members, error) {
	return members(m.Graph, &extras{entries: m.entries, decoded: m.decoded, properties: m.Properties})
}

// Close releases the files of the model. Neither its graph nor programs made of it may be used afterwards: constants may
// lie in mapped files, and reading them then ends the process.
func (m *Model) Close() error { return m.file.Close() }

// Nodes returns the nodes of the graph that an operation of Flat became. There may be none.
func (m *Model) Nodes(op *flat.Op) []*graph.Node { return m.nodes[op] }

// Load opens a model and builds its graph; see [Open] and [File.Model].
func Load(name string, opts Options) (*Model, error) {
	f, err := Open(name, opts)
	if err != nil {
		return nil, err
	}
	m, err := f.Model()
	if err != nil {
		_ = f.Close() // err says more
		return nil, err
	}
	return m, nil
}

// Parse reads the graph of a document; see [OpenText] and [File.Model].
func Parse(name string, text []byte, opts Options) (*graph.Graph, error) {
	f, err := OpenText(name, text, opts)
	if err != nil {
		return nil, err
	}
	m, err := f.Model()
	if err != nil {
		return nil, err
	}
	return m.Graph, nil
}
