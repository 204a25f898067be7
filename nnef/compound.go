package nnef

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/std"
)

// expand adds the nodes of an operation by the body that the standard gives for it, and returns its results.
func (d *document) expand(c *eval.Invocation) ([]*graph.Value, error) {
	s := &compound{document: d, c: c}
	f, _ := std.Of(d.dialect).Lookup(c.Op.Name)
	o := eval.FromFragment(f, s)
	o.Source = nil // errors concern the invocation
	out, err := eval.New(d.limits).Expand(o, c.Args, c.Names)
	switch {
	case s.err != nil:
		return nil, s.err
	case err != nil:
		return nil, eval.First(err)
	}
	l := new(lowering).begin(d.sink, c)
	return l.listed(out), l.Err
}

// compound is the library of the body of an operation: those of the standard, each of which adds to the graph.
type compound struct {
	*document
	c   *eval.Invocation
	err error // the first one, about c
}

// Operation implements [eval.Library].
func (s *compound) Operation(name string) *eval.Operation {
	f, ok := std.Of(s.dialect).Lookup(name)
	if !ok {
		return nil
	}
	o := eval.FromFragment(f, s)
	o.Body, o.Source = nil, nil
	o.Apply = func(c *eval.Invocation) ([]eval.Value, error) {
		l := new(lowering).begin(s.sink, c)
		values, err := l.standard(), l.Err
		if l.expand {
			values, err = s.expand(c)
		}
		if err != nil && s.err == nil { // it is better told than by the evaluator, which does not know the arguments of the operation
			s.err = s.c.Blame(o, c.Site, err)
		}
		return results(o, values), err
	}
	return o
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
