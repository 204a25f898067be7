package nnef

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/flat"
)

// expand adds the nodes of an operation by the body that the standard gives for it, and returns its results. The body is evaluated first and
// what it invokes is lowered then, so that evaluation and lowering do not nest, however deep bodies do.
func (d *document) expand(c *eval.Invocation) ([]*graph.Value, error) {
	if d.expander == nil {
		d.expander = flat.NewExpander(d.dialect, d.limits)
	}
	from := len(d.values)
	defer func() { // the tensors in between are of no further use
		clear(d.values[from:])
		d.values = d.values[:from]
	}()
	parts, results, err := d.expander.Expand(c.Op, c.Args, c.Names, from)
	if err != nil {
		return nil, eval.First(err)
	}
	for _, part := range parts {
		if err := d.part(part); err != nil {
			return nil, c.Blame(part.Op, part.Site, err)
		}
	}
	l := new(lowering).begin(d.sink, c)
	var values []*graph.Value
	for _, v := range eval.Singles(results) {
		values = append(values, l.Value("", v))
	}
	return values, l.Err
}

// part lowers an operation in the body of another one.
func (d *document) part(o *flat.Op) error {
	outputs := o.Outputs()
	d.extend(outputs)
	l := new(lowering).begin(d.sink, o.Invocation)
	values, err := l.Standard(), l.Err
	if l.expand {
		values, err = d.expand(l.c)
	}
	if err == nil && len(values) != len(outputs) { // Without this a mistake in a body of the standard would be a panic.
		err = unequal(o, len(values))
	}
	if err != nil {
		return err
	}
	for i, t := range outputs {
		d.values[t.Index] = values[i]
	}
	return nil
}
