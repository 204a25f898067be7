package nnef

import (
	"iter"
	"slices"

	"github.com/concord-nn/concord/nnef/eval"
	"github.com/concord-nn/concord/nnef/flat"
	"github.com/concord-nn/concord/nnef/syntax"
)

// newInferrer returns what infers the shapes of a file's operations.
func newInferrer(f *File) flat.Inferrer {
	d := newDocument(f, nil)
	if !leavesOpen(f) {
		return d
	}
	other := newDocument(f, nil)
	d.open, other.open = openExtents[0], openExtents[1]
	return &probes{d, other}
}

// leavesOpen reports whether an input of a document has an extent that is not specified: a symbol without a value, or 0 in the provisional
// dialect.
func leavesOpen(f *File) bool {
	if f.Document.Dialect != syntax.Provisional {
		return f.symbolic()
	}
	for _, c := range externals(f.Document) {
		for _, a := range c.Args {
			if list, ok := eval.Literal(a.Value).(eval.Array); ok && slices.Contains(list, eval.Value(int64(0))) {
				return true
			}
		}
	}
	return false
}

// externals yields the invocations that declare inputs, by the identifiers that they are assigned to.
func externals(doc *syntax.Document) iter.Seq2[*syntax.Ident, *syntax.Call] {
	return func(yield func(*syntax.Ident, *syntax.Call) bool) {
		if doc.Graph == nil {
			return
		}
		for i := range doc.Graph.Body {
			a := &doc.Graph.Body[i]
			id, named := a.Left.(*syntax.Ident)
			c, called := a.Right.(*syntax.Call)
			if named && called && (c.Name.Name == "external" || c.Name.Name == "tract_core_external") && !yield(id, c) {
				return
			}
		}
	}
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
