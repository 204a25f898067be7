package nnef

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/nnef/element"
	"github.com/concord-nn/concord/internal/nnef/eval"
)

// core is a lowering as package tract sees it.
type core struct {
	l *lowering
	d *document
}

func (c core) Value(arg string, v eval.Value) *graph.Value { return c.l.value(arg, v) }
func (c core) ValueOf(v eval.Value) (*graph.Value, bool)   { return c.l.valueOf(v) }
func (c core) Narrow(arg string, n int64) int              { return c.l.narrow(arg, n) }
func (c core) Open() int                                   { return c.l.open }
func (c core) Standard() []*graph.Value                    { return c.l.standard() }
func (c core) Operators() eval.Library                     { return newCanonical(c.l.sink) }
func (c core) Add(n graph.Node, names []string) ([]*graph.Value, error) {
	return c.l.add(n, names)
}

func (c core) Block(fragment string, args []element.Argument) (*graph.Graph, error) {
	return c.d.block(fragment, args)
}
