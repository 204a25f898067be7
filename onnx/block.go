package onnx

import (
	"errors"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// captured returns the tensors that graphs read from around them, but for those that constants decide: their values in the scope of the
// node, each once.
func (c *lowering) captured(nets ...*network) []*graph.Value {
	var out []*graph.Value
	seen := make(map[*graph.Value]bool)
	for _, net := range nets {
		for _, name := range net.free {
			x, _, err := c.w.lookup(c.scope, name)
			c.Fail(err)
			c.charge(len(x.list) / crowd)
			x.each(func(v *graph.Value) *graph.Value {
				if !seen[v] && c.constant(v) == nil {
					out = append(out, v)
				}
				seen[v] = true
				return v
			})
		}
	}
	return out
}

// attempts is how often a graph is tried to be made a block after that has failed. Where its nodes take the place of the block they are translated
// again, so that without a bound graphs in graphs would be tried many times over.
const attempts = 8

// errOpen says that a graph of an attribute cannot be a block: what only a run knows decides about its shapes, or it takes or yields
// something else than tensors.
var errOpen = errors.New("the shapes in the graph are not known before the run")

// block makes a graph of one in an attribute. Its inputs are of the given types, and then the captured values. The function start returns
// what the inputs of the network are, given the values of the first inputs; end may add to the outputs.
func (c *lowering) block(net *network, types []op.Type, captured []*graph.Value, start func(in []*graph.Value, inner *lowering) []item,
	end func(out []*graph.Value, inner *lowering) []*graph.Value) (*graph.Graph, error) {
	if c.w.work.failed[net] > attempts {
		return nil, errOpen
	}
	at, err := c.scope.in("in "+c.node.OpType+": ", c.outputs())
	if err != nil {
		return nil, err
	}
	at.block, at.repeats = true, c.node.OpType != "If"
	w := &walker{file: c.w.file, b: graph.NewBuilder(op.Rules, "block"), folder: c.w.folder, work: c.w.work}
	s := &scope{net: net, items: make(map[string]item), opsets: c.scope.opsets, attrs: c.scope.attrs, site: at}
	inner := &lowering{w: w, scope: s, node: c.node}
	var made *graph.Graph
	err = guarded(inner, func() {
		var in []*graph.Value
		for _, t := range types {
			v, err := w.b.Input(name("in", len(in)), t)
			inner.Fail(err)
			in = append(in, v)
		}
		outer := make(map[*graph.Value]*graph.Value)
		for i, v := range captured {
			x, err := w.b.Input(name("captured", i), v.Type)
			inner.Fail(err)
			outer[v] = x
		}
		c.capture(inner, net, outer)
		for i, x := range start(in, inner) {
			s.items[net.inputs[i]] = x
		}
		inner.Fail(w.begin(s))
		if err := w.walk(); err != nil {
			inner.Fail(err)
		}
		if len(w.waiting) > 0 {
			inner.Fail(errOpen)
		}
		var out []*graph.Value
		for _, name := range net.outputs {
			x, _, err := w.lookup(s, name)
			inner.Fail(err)
			if x.kind != aTensor {
				inner.Fail(errOpen)
			}
			out = append(out, x.value)
		}
		for i, v := range end(out, inner) {
			inner.Fail(w.b.Output(name("out", i), v))
		}
		w.b.Prune()
		g, err := w.b.Build()
		inner.Fail(err)
		made = g
	})
	switch {
	case errors.Is(err, ErrLimit):
		c.Fail(err)
	case err != nil:
		c.w.work.failed[net]++
	}
	return made, err
}

// guarded calls f and returns the error that ends it.
func guarded(c *lowering, f func()) (err error) {
	defer func() { err = recovered(recover(), err) }()
	c.Emitter = c.emitter()
	f()
	return nil
}

// capture gives a block's scope what the network reads from around it. The map has inputs of the block for values; others are constants.
func (c *lowering) capture(inner *lowering, net *network, outer map[*graph.Value]*graph.Value) {
	value := func(v *graph.Value) *graph.Value {
		if outer[v] == nil {
			made, err := inner.w.b.Constant(v.Name, v.Label, c.constant(v))
			inner.Fail(err)
			outer[v] = made
		}
		return outer[v]
	}
	for _, name := range net.free {
		x, _, err := c.w.lookup(c.scope, name)
		inner.Fail(err)
		inner.scope.items[name] = x.each(value)
	}
}

// scalar adds a constant of one element.
func scalar[T tensor.Element](c *lowering, x T) item {
	return item{kind: aTensor, value: c.Constant(tensor.Scalar(x))}
}
