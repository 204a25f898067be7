package nnef

import (
	"cmp"
	"io"
	"iter"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/nnef/quant"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/tensor"
)

// Model builds the graph of the model. The data of variables of a folder is mapped, not read. It fails if the document
// invokes a custom operation or leaves extents of an input open that [Options.Shapes] does not give. An error in the
// document or in the data is a [syntax.Diagnostics].
func (f *File) Model() (_ *Model, err error) {
	defer mapfile.Recover(mapfile.Watch(), &err)
	if err := f.making(); err != nil {
		return nil, err
	}
	if err := f.static().Err(); err != nil {
		return nil, err
	}
	fg, err := f.flatten(flat.User, true, newInferrer(f))
	if err != nil {
		return nil, err
	}
	m, err := f.model(fg)
	return m, f.unless(err)
}

// unless returns an error, or that the file was closed meanwhile, from which others follow.
func (f *File) unless(err error) error {
	if err != nil && f.closed.Load() {
		return mapfile.ErrClosed
	}
	return err
}

// model builds the graph of flattened operations.
func (f *File) model(fg *flat.Graph) (*Model, error) {
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
	return &Model{Graph: g, Document: f.Document, Flat: fg, Warnings: f.warnings(), Properties: d.properties, Statements: d.passedOn, file: f, nodes: d.spans,
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
	// Statements are the extension statements that other packages read, each what stands between the keyword and the
	// semicolon: those of package cvm/export.
	Statements []string

	file    *File
	nodes   map[*flat.Op][]*graph.Node
	entries map[string]*quant.Entry  // of the quantization file that the graph does not say, by the names of values
	decoded map[*tensor.Tensor]coded // constants and first contents of states that were stored as codes
}

// Save writes the model anew, as [Save] does with its graph, and keeps what the graph does not say: the entries of the
// quantization file for tensors that are no codes, unless [Options.Quantize] has made nodes of them, the codes of
// variables that were decoded when the model was loaded, Properties, and Statements. What is no part of the graph is left
// out, such as variables that are not used, and entries for tensors that only another way of writing the graph has.
func (m *Model) Save(name string) error {
	m = cmp.Or(m, new(Model))
	return saved(name, m.Graph, m.extras())
}

// Files returns the files of the model that [Model.Save] writes, as [Files] does with its graph.
func (m *Model) Files() (iter.Seq2[string, func(w io.Writer) error], error) {
	m = cmp.Or(m, new(Model))
	return listed(m.Graph, m.extras())
}

// WriteArchive is [Model.Save] as a tar archive, compressed if gz is set.
func (m *Model) WriteArchive(w io.Writer, gz bool) error {
	m = cmp.Or(m, new(Model))
	return archived(w, m.Graph, m.extras(), gz)
}

func (m *Model) extras() *extras {
	return &extras{entries: m.entries, decoded: m.decoded, properties: m.Properties, passedOn: m.Statements}
}

// Close closes the file that the model was made of. The graph, and programs made of it, stay: see [File.Close].
func (m *Model) Close() error { return cmp.Or(m, new(Model)).file.Close() }

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
