package nnef

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"runtime"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/internal/nnef/container"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/nnef/quant"
	"github.com/concord-nn/concord/internal/nnef/tensorfile"
	"github.com/concord-nn/concord/internal/pattern"
	"github.com/concord-nn/concord/internal/stage"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Save writes a graph as a model that [Load] reads as an equal one: into a folder, or into an archive if the name ends
// in .tar, .tgz or .tar.gz. The same graph gives the same bytes. [Write] says what the document looks like; constants
// that are not written in it stand in files named after their labels. Where the reader made a variable of codes and the
// nodes that decode them, the codes are stored again, and graph.quant says what they mean; floats of 16 and 64 bits stay such, too.
//
// Further extension statements are those that loading gives back as [Model.Statements].
func Save(name string, g *graph.Graph, statements ...string) error {
	return saved(name, g, &extras{passedOn: statements})
}

// Files returns the files of the model that [Save] writes: their names, and functions that write them, which may be called several times. The
// constants of the graph must not change before.
func Files(g *graph.Graph, statements ...string) (iter.Seq2[string, func(w io.Writer) error], error) {
	return listed(g, &extras{passedOn: statements})
}

// listed returns files whose writing ends with an error where a mapped file is lost.
func listed(g *graph.Graph, x *extras) (_ container.Members, err error) {
	defer mapfile.Recover(mapfile.Watch(), &err)
	files, err := members(g, x)
	if err != nil {
		return nil, err
	}
	return func(yield func(string, func(io.Writer) error) bool) {
		for name, write := range files {
			watched := func(w io.Writer) (err error) {
				defer mapfile.Recover(mapfile.Watch(), &err)
				defer runtime.KeepAlive(write) // whose bytes may lie in a mapped file
				return write(w)
			}
			if !yield(name, watched) {
				return
			}
		}
	}, nil
}

func saved(name string, g *graph.Graph, x *extras) error {
	files, err := listed(g, x)
	if err != nil {
		return err
	}
	return container.Write(name, files)
}

// WriteArchive writes a graph as a tar archive, compressed if gz is set.
func WriteArchive(w io.Writer, g *graph.Graph, gz bool) error { return archived(w, g, &extras{}, gz) }

func archived(w io.Writer, g *graph.Graph, x *extras, gz bool) error {
	files, err := listed(g, x)
	if err != nil {
		return err
	}
	return container.WriteTar(w, files, gz)
}

// Write writes the document of a graph: in standard NNEF 1.0 if its operators, types and names can be said so, and else
// in the text form of [graph.Print]. Constants that the document names as variables are not written.
//
// Standard NNEF has no place for the labels of nodes: they stand in comments, and are lost when the document is read.
func Write(w io.Writer, g *graph.Graph) (err error) {
	defer mapfile.Recover(mapfile.Watch(), &err)
	if err := graph.Verify(g, op.Rules); err != nil {
		return err
	}
	return write(w, g, nil)
}

// write is [Write] with further extension statements.
func write(w io.Writer, g *graph.Graph, extensions []string) error {
	if isStandard(g) {
		return graph.PrintForm(w, g, standardRules{op.Rules}, graph.Form{Standard: true, Extensions: extensions})
	}
	return graph.PrintForm(w, g, op.Rules, graph.Form{Extensions: extensions})
}

// extras is what a model holds beside its graph.
type extras struct {
	entries    map[string]*quant.Entry // of the quantization file, by the names of values
	decoded    map[*tensor.Tensor]coded
	properties map[string]string
	passedOn   []string // extension statements
}

// statements returns the extension statements beside those of the graph.
func (x *extras) statements() []string {
	var list []string
	for _, key := range naming.Sorted(x.properties) {
		list = append(list, propertyStatement+" "+graph.QuoteText(key)+" "+graph.QuoteText(x.properties[key]))
	}
	return append(list, x.passedOn...)
}

// item is a stored tensor of a model.
type item struct {
	label string
	t     *tensor.Tensor
}

// members returns the files of the model of a graph.
func members(g *graph.Graph, x *extras) (container.Members, error) {
	if err := graph.Verify(g, op.Rules); err != nil {
		return nil, err
	}
	f, err := fold(g)
	if err != nil {
		return nil, err
	}
	if !isStandard(f.graph) {
		f = &folded{graph: g, codes: make(map[*tensor.Tensor]*tensor.Tensor)} // The text form says the nodes themselves.
	}
	f.encode(x.decoded)
	g, items, err := labelled(f)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := write(&text, g, x.statements()); err != nil {
		return nil, err
	}
	f.keep(x.entries, graph.Identifiers(g))
	quantization, err := f.quantization()
	if err != nil {
		return nil, err
	}
	return func(yield func(string, func(io.Writer) error) bool) {
		// Without this a loop that ends early would be a panic; those of package container do not.
		if !yield(container.GraphFile, stage.Content(text.Bytes())) || quantization != nil && !yield(container.QuantFile, stage.Content(quantization)) {
			return
		}
		for _, it := range items {
			write := func(w io.Writer) error { return tensorfile.Encode(w, it.t) }
			if codes := f.codes[it.t]; codes != nil {
				encode := tensorfile.Encode
				if codes.DType().IsInteger() {
					encode = tensorfile.EncodeCodes
				}
				write = func(w io.Writer) error { return encode(w, codes) }
			}
			if !yield(flat.LabelFile(it.label), write) { // Without this likewise.
				return
			}
		}
	}, nil
}

// labelled returns a copy of the graph in which labels are such as files can have and different tensors have different
// ones, and the tensors to store.
func labelled(f *folded) (*graph.Graph, []item, error) {
	g, err := copied(f.graph)
	if err != nil {
		return nil, nil, err
	}
	initial := make(map[*graph.Value]*tensor.Tensor)
	for _, s := range g.States {
		initial[s.Value] = s.Init
	}
	var items []item
	held := make(map[string]*tensor.Tensor) // by file name in lower case
	states := make(map[string]bool)         // likewise; variables of one label would be one state
	for _, s := range graph.Storages(g, op.Rules) {
		t, state := initial[s.Value]
		if !state {
			t = s.Value.Const
		}
		wish := usableLabel(s.Label)
		s.Value.Label = wish
		for n := 2; ; n++ {
			key := strings.ToLower(flat.LabelFile(s.Value.Label))
			other := held[key]
			if other == nil {
				held[key], states[key] = t, state
				items = append(items, item{s.Value.Label, t})
			}
			if other == nil || !states[key] && f.sameStored(other, t) {
				break
			}
			s.Value.Label = fmt.Sprintf("%s_%d", wish, n)
		}
	}
	return g, items, nil
}

// copied returns an equal graph whose labels may be changed.
func copied(g *graph.Graph) (*graph.Graph, error) {
	return graph.Rewrite(g, op.Rules, copied, func(r *graph.Rewriter, _ *graph.Node, in []*graph.Value) ([]*graph.Value, error) {
		return r.Keep(in)
	})
}

// sameElements reports whether two contiguous tensors are equal, bit by bit.
func sameElements(a, b *tensor.Tensor) bool {
	return a.Describe() == b.Describe() && bytes.Equal(a.Bytes(), b.Bytes())
}

var unusable = pattern.Of(`[^A-Za-z0-9_\-./]`)

// usableLabel returns a label of the allowed characters that names a file within the model's folder.
func usableLabel(label string) string {
	if why, _ := flat.CheckLabel(label); why == "" {
		return label
	}
	parts := strings.Split(unusable.Get().ReplaceAllString(strings.ReplaceAll(label, `\`, "/"), "_"), "/")
	kept := parts[:0]
	for _, p := range parts {
		switch p {
		case "", ".":
			continue
		case "..":
			p = "_"
		}
		kept = append(kept, p)
	}
	return strings.Join(kept, "/")
}
