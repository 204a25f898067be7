package onnx

import (
	"fmt"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/onnx/proto"
)

// functionKey identifies a function of a model.
type functionKey struct{ domain, name, overload string }

// function is an operator that the model defines.
type function struct {
	*proto.Function
	net    *network
	opsets imports
}

// stated returns what stands for an attribute of a node in the scope: itself, or what the function was called with; nil if that was not
// given.
func (s *scope) stated(a *proto.Attribute) *proto.Attribute {
	if a.RefAttrName == "" {
		return a
	}
	return s.attrs[a.RefAttrName]
}

// inline makes the nodes of a function the next steps, in a scope of their own.
func (c *lowering) inline(f *function) error {
	if len(c.in) > len(f.Input) {
		return &Error{Msg: fmt.Sprintf("%d operands are given; the function has %d", len(c.in), len(f.Input))}
	}
	if n := len(c.outputs()); n > len(f.Output) {
		return &Error{Msg: fmt.Sprintf("%d results are named; the function has %d", n, len(f.Output))}
	}
	at, err := c.scope.in("in function "+short(f.Name)+": ", c.outputs())
	if err != nil {
		return err
	}
	c.charge(opening + (len(f.Input)+len(f.Output)+len(f.Attribute)+len(f.AttributeProto))/crowd)
	s := &scope{net: f.net, items: make(map[string]item), opsets: f.opsets, site: at}
	if s.attrs, err = c.arguments(f); err != nil {
		return err
	}
	for i, name := range f.Input {
		s.items[name] = c.item(i)
	}
	c.finish(s, f.Output)
	c.follow(s)
	return nil
}

// arguments returns the attributes that a function is called with: its defaults, and what the node states.
func (c *lowering) arguments(f *function) (map[string]*proto.Attribute, error) {
	out := make(map[string]*proto.Attribute)
	has := make(map[string]bool)
	for _, name := range f.Attribute {
		has[name] = true
	}
	for _, a := range f.AttributeProto {
		has[a.Name] = true
		out[a.Name] = a
	}
	for _, a := range c.node.Attribute {
		if !has[a.Name] {
			return nil, &Error{Operand: a.Name, Msg: fmt.Sprintf("the function %s has no such attribute", f.Name)}
		}
		if stated := c.scope.stated(a); stated != nil {
			out[a.Name] = stated
		}
	}
	return out, nil
}

// then adds a step that yields the results of the node: what run returns, given what names stand for in a scope, and then some operands. It comes
// before the steps that were added already.
func (c *lowering) then(s *scope, names []string, operands []item, run func(c *lowering) []item) {
	c.charge(1 + len(names)/crowd)
	outputs, into := c.step.results()
	c.later = append(c.later, step{c.scope, c.node, c.step.number, &sequel{from: s, reads: names, operands: operands, run: run, into: into, outputs: outputs}})
}

// finish adds the step that gives the results of the node the items that names stand for in another scope.
func (c *lowering) finish(s *scope, names []string) {
	c.then(s, names, nil, func(c *lowering) []item { return c.in })
}

// follow makes the nodes of a scope the next steps, before those that were added already.
func (c *lowering) follow(s *scope) {
	steps, err := c.w.steps(s)
	c.Fail(err)
	c.later = append(c.later, steps...)
}

// through has the nodes of a graph in an attribute follow, and then the results of the node made by next, given the operands of the node again and
// what the outputs of the graph are. The function must not capture values, as it may run in another graph.
func (c *lowering) through(net *network, inputs []item, next func(c *lowering, out []item) []item) []item {
	s := c.inner(net, "in "+c.node.OpType+": ")
	for i, x := range inputs {
		s.items[net.inputs[i]] = x
	}
	form, attrs, opset := c.form, c.attrs, c.opset
	run := func(d *lowering) []item {
		d.form, d.attrs, d.opset = form, attrs, opset
		out := d.in[:len(net.outputs)]
		d.in = d.in[len(out):]
		return next(d, out)
	}
	c.then(s, net.outputs, c.in, run)
	c.follow(s)
	return nil
}

// acyclic refuses functions that call themselves, directly or through others, and chains of calls that are very long.
func (f *File) acyclic() error {
	const begun, done = 1, 2
	state := make(map[*function]int)
	var visit func(nodes []*proto.Node, depth int) error
	visit = func(nodes []*proto.Node, depth int) error {
		if depth > limits.ONNXNesting {
			return tooDeep()
		}
		for _, n := range nodes {
			callee := f.function(n)
			switch {
			case callee == nil || state[callee] == done:
			case state[callee] == begun:
				return &Error{Msg: fmt.Sprintf("the function %s calls itself, directly or through others", short(callee.Name))}
			default:
				state[callee] = begun
				if err := visit(callee.Node, depth+1); err != nil {
					return err
				}
				state[callee] = done
			}
			for _, a := range n.Attribute {
				for _, g := range graphsOf(a) {
					if err := visit(g.Node, depth+1); err != nil {
						return err
					}
				}
			}
		}
		return nil
	}
	for _, p := range f.Model.Functions {
		x := f.functions[functionKey{domain(p.Domain), p.Name, p.Overload}]
		if x == nil || state[x] == done {
			continue
		}
		state[x] = begun
		if err := visit(p.Node, 1); err != nil {
			return err
		}
		state[x] = done
	}
	return nil
}
