package nnef

import (
	"slices"

	"github.com/concord-nn/concord/nnef/eval"
	"github.com/concord-nn/concord/nnef/flat"
	"github.com/concord-nn/concord/nnef/syntax"
)

// newInferrer returns what infers the shapes of a file's operations. If it is light, it makes no nodes.
func newInferrer(f *File, light bool) flat.Inferrer {
	d := newDocument(f, nil)
	d.light = light && d.tract == nil // such documents compute extents, which takes nodes
	if f.Document.Dialect != syntax.Provisional || !leavesOpen(f.Document) {
		return d
	}
	other := newDocument(f, nil)
	other.light = light
	d.open, other.open = openExtents[0], openExtents[1]
	return &probes{d, other}
}

// leavesOpen reports whether a document of the provisional dialect has an input with an extent of 0.
func leavesOpen(doc *syntax.Document) bool {
	for i := range doc.Graph.Body {
		call, ok := doc.Graph.Body[i].Right.(*syntax.Call)
		if !ok || call.Name.Name != "external" {
			continue
		}
		for _, a := range call.Args {
			if list, ok := eval.Literal(a.Value).(eval.Array); ok && slices.Contains(list, eval.Value(0)) {
				return true
			}
		}
	}
	return false
}

// openExtents stand for extents that are not specified. Both suit windows and divisions that are common.
var openExtents = [2]int{5040, 10080}

// probes infers shapes where extents of inputs are not specified: with two numbers in their place. Extents that do not
// depend on the numbers are known; the others are 0, not specified.
type probes struct{ a, b *document }

// Infer implements [flat.Inferrer].
func (p *probes) Infer(o *flat.Op) error {
	outputs := o.Outputs()
	errA := p.a.Infer(o)
	first := make([]flat.Tensor, len(outputs))
	for i, t := range outputs {
		first[i] = *t
	}
	errB := p.b.Infer(o)
	depends := slices.ContainsFunc(o.Inputs(), func(t *flat.Tensor) bool { return !t.Known })
	if errA != nil && !depends {
		return errA
	}
	for i, t := range outputs {
		if errA != nil || errB != nil || len(t.Shape) != len(first[i].Shape) {
			t.Shape, t.Known = nil, false
			p.a.forget(t)
			p.b.forget(t)
			continue
		}
		for k, n := range first[i].Shape {
			if t.Shape[k] != n {
				t.Shape[k], t.Known = 0, false
			}
		}
	}
	return nil
}

// forget makes a tensor unknown.
func (d *document) forget(t *flat.Tensor) {
	if t.Index < len(d.values) {
		d.values[t.Index] = nil
	}
}
