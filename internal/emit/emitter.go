package emit

import (
	"fmt"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// Target takes nodes and constants as a [graph.Builder] does. It is one, or what a front-end puts around one to name, count or
// refuse what is added.
type Target interface {
	Node(op string, in []*graph.Value, attrs graph.Attrs, label string, names ...string) ([]*graph.Value, error)
	Constant(name, label string, t *tensor.Tensor) (*graph.Value, error)
}

// Emitter adds nodes to a target. The first error sticks: after it nothing is added any more, and methods return a value without a
// type where they would add one, so that callers may go on. An operand that is nil is absent; methods that convert one return nil.
type Emitter struct {
	Target Target
	Label  string // of the nodes to come; may be empty
	Err    error  // the first error

	aligned []alignment
}

// alignment is what has become of a shape that was given.
type alignment struct{ given, aligned tensor.Shape }

// Fail keeps an error, unless it is nil or there is one already.
func (e *Emitter) Fail(err error) {
	if e.Err == nil {
		e.Err = err
	}
}

// Nodes adds an operator and returns its results, nil after an error.
func (e *Emitter) Nodes(op string, attrs graph.Attrs, in ...*graph.Value) []*graph.Value {
	return e.Named(nil, op, attrs, in...)
}

// Named is [Emitter.Nodes] with wishes for the names of the results.
func (e *Emitter) Named(names []string, op string, attrs graph.Attrs, in ...*graph.Value) []*graph.Value {
	if e.Err != nil {
		return nil
	}
	out, err := e.Target.Node(op, in, attrs, e.Label, names...)
	e.Fail(err)
	return out
}

// Node adds an operator that has one result, and returns that.
func (e *Emitter) Node(op string, attrs graph.Attrs, in ...*graph.Value) *graph.Value {
	out := e.Nodes(op, attrs, in...)
	if e.Err == nil && len(out) != 1 {
		e.Fail(fmt.Errorf("%s yields %d results where one is expected", op, len(out)))
	}
	return e.valid(out...)
}

// Constant adds a tensor that the translation itself needs.
func (e *Emitter) Constant(t *tensor.Tensor) *graph.Value { return e.Stored("", "", t) }

// Stored adds a tensor of a model: the name is a wish, and the label says where the model keeps it.
func (e *Emitter) Stored(name, label string, t *tensor.Tensor) *graph.Value {
	if e.Err != nil {
		return e.valid()
	}
	v, err := e.Target.Constant(name, label, t)
	e.Fail(err)
	return e.valid(v)
}

// valid returns the only one of some results, or what stands for it after an error.
func (e *Emitter) valid(out ...*graph.Value) *graph.Value {
	if e.Err != nil {
		return &graph.Value{Type: graph.Type{Shape: tensor.Shape{}}}
	}
	return out[0]
}

// Attr is shorthand for [graph.AttrsOf].
func Attr(pairs ...any) graph.Attrs { return graph.AttrsOf(pairs...) }

// Shape returns the extents of a value, nil behind a mistake.
func (e *Emitter) Shape(v *graph.Value) tensor.Shape {
	if v == nil || e.Err != nil {
		return nil
	}
	return v.Type.Shape.Clone()
}
