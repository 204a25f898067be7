package nnef

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/nnef/syntax"
)

// Explanation says how the operations of a flat graph are computed.
type Explanation struct {
	Flat  *flat.Graph
	nodes map[*flat.Op][]*graph.Node
	names map[*graph.Value]string
}

// Nodes returns the nodes of the graph that compute an operation. There are none if its shapes are not known.
func (e *Explanation) Nodes(o *flat.Op) []*graph.Node { return e.nodes[o] }

// Name returns the name of the tensor of the flat graph that a value is, and else the name of the value itself, which
// stands between the nodes of one operation.
func (e *Explanation) Name(v *graph.Value) string {
	if name, ok := e.names[v]; ok {
		return name
	}
	return v.Name
}

// Explain flattens the document, as [File.Flatten] does, and says how each operation is computed. It reads no data:
// variables are inputs of the graph whose nodes it shows. If there are errors, which are a [syntax.Diagnostics], the
// explanation holds what could be evaluated. It is nil if [Options.Shapes] does not fit the document.
func (f *File) Explain(level flat.Level) (_ *Explanation, err error) {
	defer mapfile.Recover(mapfile.Watch(), &err)
	e := &Explanation{nodes: make(map[*flat.Op][]*graph.Node), names: make(map[*graph.Value]string)}
	w := &watcher{Inferrer: newInferrer(f), Explanation: e}
	switch d := w.Inferrer.(type) {
	case *document:
		w.d = d
	case probes:
		w.d = d[0][0]
	}
	e.Flat, err = f.flatten(level, false, w)
	if e.Flat == nil {
		return nil, err
	}
	if found := f.static(); found.Err() != nil {
		err = merged(found, valueFindings(diagnostics(err)))
	}
	return e, err
}

// merged joins two lists of findings about one document, of which some may be the same.
func merged(a, b syntax.Diagnostics) syntax.Diagnostics {
	list := slices.Clone(a)
	for _, d := range b {
		if !slices.ContainsFunc(a, func(e syntax.Diagnostic) bool { return e.Code == d.Code && e.Span == d.Span }) {
			list = append(list, d)
		}
	}
	list.Sort()
	return list
}

// watcher infers shapes and keeps the nodes that each operation becomes.
type watcher struct {
	flat.Inferrer
	*Explanation
	d *document
}

// Infer implements [flat.Inferrer].
func (w *watcher) Infer(o *flat.Op) error {
	from := len(w.d.nodes)
	err := w.Inferrer.Infer(o)
	known := func(list []*flat.Tensor) bool {
		return !slices.ContainsFunc(list, func(t *flat.Tensor) bool { return !t.Known })
	}
	for _, t := range o.Outputs() {
		if t.Index < len(w.d.values) && w.d.values[t.Index] != nil {
			w.names[w.d.values[t.Index]] = t.Name
		}
	}
	if err == nil && known(o.Inputs()) && known(o.Outputs()) { // otherwise numbers stand for what is not known
		w.nodes[o] = slices.Clone(w.d.nodes[from:])
	}
	return err
}
