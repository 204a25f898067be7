package nnef

import (
	"slices"

	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/nnef/symbol"
	"github.com/concord-nn/concord/nnef/syntax"
)

// newInferrer returns what infers the shapes of a file's operations.
func newInferrer(f *File) flat.Inferrer {
	if !leavesOpen(f) { // Without this all would be inferred four times.
		return newDocument(f, nil)
	}
	p := make(probes, len(openExtents))
	for i, extents := range openExtents {
		for k, n := range extents {
			p[i][k] = newDocument(f, nil)
			p[i][k].open = n
		}
	}
	return p
}

// leavesOpen reports whether an input of a document has an extent that is not specified: a symbol without a value, or 0 in the provisional
// dialect.
func leavesOpen(f *File) bool {
	if f.Document.Dialect != syntax.Provisional {
		return f.symbolic()
	}
	for _, c := range symbol.Externals(f.Document) {
		for _, a := range c.Args {
			if list, ok := eval.Literal(a.Value).(eval.Array); ok && slices.Contains(list, eval.Value(int64(0))) {
				return true
			}
		}
	}
	return false
}

// openExtents stand for extents that are not specified. All suit windows and divisions that are common: the first are greater than most windows, the
// others leave tensors with several such extents small enough for processors of 32 bits.
var openExtents = [][2]int{{5040, 10080}, {120, 240}}

// probes infers shapes where extents of inputs are not specified: with two numbers in their place, and with two others where shapes with these do
// not fit an operation or the processor. Extents that do not depend on the numbers are known; the others are 0, not specified.
type probes [][2]*document

// Infer implements [flat.Inferrer].
func (p probes) Infer(o *flat.Op) error {
	outputs := o.Outputs()
	depends := slices.ContainsFunc(o.Inputs(), func(t *flat.Tensor) bool { return !t.Known })
	var first error
	var found []flat.Tensor
	for _, pair := range p {
		tensors, err := inferBoth(pair, o, outputs)
		if len(found) == 0 || !found[0].Known && len(found[0].Shape) == 0 { // a document that forgot the operands says nothing
			if tensors != nil {
				found = tensors
			}
		}
		if first == nil {
			first = err
		}
	}
	if found == nil && first != nil && !depends {
		return first
	}
	for i, t := range outputs {
		if found != nil {
			*t = found[i]
		} else {
			t.Shape, t.Known = nil, false
		}
	}
	return nil
}

// inferBoth infers what an operation yields by each of two documents: extents that differ are 0. What does not fit one of them is forgotten; the error is
// that of the first.
func inferBoth(pair [2]*document, o *flat.Op, outputs []*flat.Tensor) ([]flat.Tensor, error) {
	for _, t := range outputs {
		t.Shape, t.Known = nil, false
	}
	errA := pair[0].Infer(o)
	first := make([]flat.Tensor, len(outputs))
	for i, t := range outputs {
		first[i] = *t
		t.Shape, t.Known = nil, false
	}
	errB := pair[1].Infer(o)
	fits := errA == nil && errB == nil
	for i, t := range outputs {
		fits = fits && len(t.Shape) == len(first[i].Shape)
	}
	if !fits {
		for _, t := range outputs {
			pair[0].values[t.Index], pair[1].values[t.Index] = nil, nil
		}
		return nil, errA
	}
	for i, t := range outputs {
		t := *t
		t.Shape = slices.Clone(t.Shape)
		for k, n := range first[i].Shape {
			if t.Shape[k] != n {
				t.Shape[k], t.Known = 0, false
			}
		}
		first[i] = t
	}
	return first, nil
}
