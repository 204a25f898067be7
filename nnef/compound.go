package nnef

import (
	"errors"
	"slices"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/nnef/syntax"
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
		return nil, inText(err)
	}
	for _, part := range parts {
		if err := d.part(part); err != nil {
			return nil, inBody(c, part.Operation, part.Site, err)
		}
	}
	l := new(lowering).begin(d.sink, c)
	return l.listed(results), l.Err
}

// listed returns what a body yields as values, those of arrays one by one.
func (l *lowering) listed(results []eval.Value) []*graph.Value {
	var values []*graph.Value
	for _, v := range results {
		list, ok := v.(eval.Array)
		if !ok {
			list = eval.Array{v}
		}
		for _, x := range list {
			values = append(values, l.value("", x))
		}
	}
	return values
}

// part lowers an operation in the body of another one.
func (d *document) part(o *flat.Op) error {
	outputs := o.Outputs()
	d.extend(outputs)
	l := d.lowering(o, outputs)
	values, err := l.standard(), l.Err
	if l.expand {
		values, err = d.expand(l.c)
	}
	if err == nil && len(values) != len(outputs) {
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

// inText returns the first mistake that the evaluation of a body has found.
func inText(err error) error {
	var list syntax.Diagnostics
	if errors.As(err, &list) && len(list) > 0 {
		return &eval.Error{Code: list[0].Code, Msg: list[0].Message, Hint: list[0].Hint}
	}
	return err
}

// inBody returns an error about a part of an operation as one about the operation itself, and about the argument of it that its body hands
// on, if there is one. The part is an operation that the body invokes at a site.
func inBody(c *eval.Invocation, part *eval.Operation, site *eval.Site, err error) error {
	inner := &eval.Error{Code: eval.CodeShape, Msg: err.Error()}
	errors.As(err, &inner)
	outer := &eval.Error{Code: inner.Code, Msg: "in the body of " + c.Op.Name + ": " + inner.Msg, Hint: inner.Hint}
	i := part.Index(inner.Arg)
	if i < 0 || len(site.Trace()) > 2 { // the names are those of a fragment in between
		return outer
	}
	given := site.Names(i)
	for _, p := range c.Op.Params {
		if slices.Contains(given, p.Name) {
			text := strings.TrimPrefix(strings.TrimPrefix(inner.Msg, part.Name+": "), inner.Arg+": ")
			outer.Arg, outer.Msg = p.Name, c.Op.Name+": "+p.Name+": "+text
			break
		}
	}
	return outer
}
