package nnef

import (
	"slices"

	"github.com/concord-nn/concord/nnef/flat"
	"github.com/concord-nn/concord/nnef/syntax"
)

// newInferrer returns what infers the shapes of a file's operations.
func newInferrer(f *File) flat.Inferrer {
	d := newDocument(f, nil)
	if f.Document.Dialect != syntax.Provisional {
		return d
	}
	other := newDocument(f, nil)
	d.open, other.open = openExtents[0], openExtents[1]
	return &probes{d, other}
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
