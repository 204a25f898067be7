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
}

// Nodes returns the nodes of the graph that compute an operation. There are none if its shapes are not known: numbers stand then for what is not known.
func (e *Explanation) Nodes(o *flat.Op) []*graph.Node {
	if e == nil || o == nil || slices.ContainsFunc(slices.Concat(o.Inputs(), o.Outputs()), func(t *flat.Tensor) bool { return !t.Known }) {
		return nil
	}
	return e.nodes[o]
}

// Explain flattens the document, as [File.Flatten] does, and says how each operation is computed. It reads no data:
// variables are inputs of the graph whose nodes it shows. If there are errors, which are a [syntax.Diagnostics], the
// explanation holds what could be evaluated. It is nil if [Options.Shapes] does not fit the document.
func (f *File) Explain(level flat.Level) (_ *Explanation, err error) {
	defer mapfile.Recover(mapfile.Watch(), &err)
	if err := f.usable(); err != nil {
		return nil, err
	}
	shapes := newInferrer(f)
	d, ok := shapes.(*document)
	if !ok {
		d = shapes.(probes)[0][0]
	}
	d.spans = make(map[*flat.Op][]*graph.Node)
	g, err := f.flatten(level, false, shapes)
	if g == nil {
		return nil, err
	}
	if found := f.static(); found.Err() != nil {
		err = merged(found, valueFindings(diagnostics(err)))
	}
	return &Explanation{g, d.spans}, err
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
