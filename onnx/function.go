package onnx

import (
	"fmt"

	"github.com/concord-nn/concord/onnx/proto"
)

// functionKey identifies a function of a model.
type functionKey struct{ domain, name, overload string }

// function is an operator that the model defines.
type function struct {
	*proto.Function
	net    *network
	opsets map[string]int
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
func (c *call) inline(f *function) error {
	if len(c.in) > len(f.Input) {
		return &Error{Msg: fmt.Sprintf("%d operands are given; the function has %d", len(c.in), len(f.Input))}
	}
	if len(c.step.outputs) > len(f.Output) {
		return &Error{Msg: fmt.Sprintf("%d results are named; the function has %d", len(c.step.outputs), len(f.Output))}
	}
	s := &scope{net: f.net, items: make(map[string]item), opsets: f.opsets, place: c.scope.place + "in function " + f.Name + ": "}
	var err error
	if s.attrs, err = c.arguments(f); err != nil {
		return err
	}
	for i, name := range f.Input {
		s.items[name] = c.item(i)
	}
	c.later = append(c.later, results(s, f.Output, c.step))
	c.follow(s)
	return nil
}

// arguments returns the attributes that a function is called with: its defaults, and what the node states.
func (c *call) arguments(f *function) (map[string]*proto.Attribute, error) {
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

// results returns the step that gives the results of a step the items that names stand for in another scope.
func results(s *scope, names []string, of *step) *step {
	return &step{scope: s, node: of.node, reads: names, into: of.into, outputs: of.outputs, run: func(c *call) []item { return c.in }}
}

// follow makes the nodes of a scope the next steps, before those that were added already.
func (c *call) follow(s *scope) {
	for i := len(s.net.nodes) - 1; i >= 0; i-- {
		n := s.net.nodes[i]
		c.later = append(c.later, &step{scope: s, node: n, into: s, outputs: n.Output})
	}
}

// through has the nodes of a graph in an attribute follow, and then the results of the node made by next, given the operands of the node again and
// what the outputs of the graph are. The function must not capture values, as it may run in another graph.
func (c *call) through(net *network, inputs []item, next func(c *call, out []item) []item) []item {
	s := c.scope.inner(net, "in "+c.node.OpType+": ")
	for i, x := range inputs {
		s.items[net.inputs[i]] = x
	}
	form, attrs, opset := c.form, c.attrs, c.opset
	run := func(d *call) []item {
		d.form, d.attrs, d.opset = form, attrs, opset
		out := d.in[:len(net.outputs)]
		d.in = d.in[len(out):]
		return next(d, out)
	}
	c.later = append(c.later, &step{scope: s, node: c.node, reads: net.outputs, operands: c.in, run: run, into: c.step.into, outputs: c.step.outputs})
	c.follow(s)
	return nil
}

// recursive returns the name of a function that calls itself, directly or through others; "" if none does.
func recursive(functions map[functionKey]*function) string {
	state := make(map[*function]int) // 1 while its callees are visited, 2 after
	var visit func(f *function) bool
	var calls func(nodes []*proto.Node) bool
	calls = func(nodes []*proto.Node) bool {
		for _, n := range nodes {
			if callee := functions[functionKey{domain(n.Domain), n.OpType, n.Overload}]; callee != nil && visit(callee) {
				return true
			}
			for _, a := range n.Attribute {
				for _, g := range graphsOf(a) {
					if calls(g.Node) {
						return true
					}
				}
			}
		}
		return false
	}
	visit = func(f *function) bool {
		if state[f] != 0 {
			return state[f] == 1
		}
		state[f] = 1
		again := calls(f.Node)
		state[f] = 2
		return again
	}
	for _, f := range functions {
		if visit(f) {
			return f.Name
		}
	}
	return ""
}
