package onnx

import (
	"fmt"
	"slices"

	"github.com/concord-nn/concord/onnx/proto"
)

// network is a graph or the body of a function, prepared for translation.
type network struct {
	nodes   []*proto.Node // each behind those that it reads
	inputs  []string
	outputs []string
	free    []string // the names that are read and come from around the network
	stored  map[string]*proto.Tensor
	sparse  map[string]*proto.SparseTensor
}

// has reports whether the network stores a value of that name.
func (n *network) has(name string) bool { return n.stored[name] != nil || n.sparse[name] != nil }

// networks has the network of each graph of a model.
type networks map[*proto.Graph]*network

// graph prepares a graph and those in it.
func (s networks) graph(g *proto.Graph) (*network, error) {
	n := &network{stored: make(map[string]*proto.Tensor), sparse: make(map[string]*proto.SparseTensor)}
	known := make(map[string]bool)
	declare := func(name, what string) error {
		if name != "" && known[name] {
			return &Error{Msg: fmt.Sprintf("graph %q: the name %q is given to two values, the second one %s", g.Name, name, what)}
		}
		known[name] = true
		return nil
	}
	for _, t := range g.Initializer {
		if err := declare(t.Name, "an initializer"); err != nil {
			return nil, err
		}
		n.stored[t.Name] = t
	}
	for _, t := range g.SparseInitializer {
		if t.Values == nil {
			return nil, &Error{Msg: fmt.Sprintf("graph %q: a sparse initializer has no values", g.Name)}
		}
		if err := declare(t.Values.Name, "a sparse initializer"); err != nil {
			return nil, err
		}
		n.sparse[t.Values.Name] = t
	}
	for _, v := range g.Input {
		if n.has(v.Name) {
			continue // models of IR version 3 list what they store among the inputs
		}
		if err := declare(v.Name, "an input"); err != nil {
			return nil, err
		}
		n.inputs = append(n.inputs, v.Name)
	}
	for _, v := range g.Output {
		n.outputs = append(n.outputs, v.Name)
	}
	return n, s.fill(n, g.Node, declare, known)
}

// function prepares the body of a function.
func (s networks) function(f *proto.Function) (*network, error) {
	n := &network{inputs: f.Input, outputs: f.Output}
	known := make(map[string]bool)
	declare := func(name, what string) error {
		if name != "" && known[name] {
			return &Error{Msg: fmt.Sprintf("function %q: the name %q is given to two values, the second one %s", f.Name, name, what)}
		}
		known[name] = true
		return nil
	}
	for _, name := range f.Input {
		if err := declare(name, "an input"); err != nil {
			return nil, err
		}
	}
	return n, s.fill(n, f.Node, declare, known)
}

// fill puts nodes in order. The names that are known already stand for inputs and what is stored.
func (s networks) fill(n *network, nodes []*proto.Node, declare func(name, what string) error, known map[string]bool) error {
	producer := make(map[string]int)
	for i, x := range nodes {
		for _, name := range x.Output {
			if err := declare(name, "a result of node "+nodeName(x, i)); err != nil {
				return err
			}
			if name != "" {
				producer[name] = i
			}
		}
		for _, a := range x.Attribute {
			for _, g := range graphsOf(a) {
				if s[g] != nil {
					continue
				}
				inner, err := s.graph(g)
				if err != nil {
					return err
				}
				s[g] = inner
			}
		}
	}
	if err := n.sort(nodes, producer, s); err != nil {
		return err
	}
	free := make(map[string]bool)
	note := func(name string) {
		if name != "" && !known[name] && !free[name] {
			free[name] = true
			n.free = append(n.free, name)
		}
	}
	for _, x := range n.nodes {
		s.reads(x, note)
	}
	for _, name := range n.outputs {
		note(name)
	}
	return nil
}

// graphsOf returns the graphs in an attribute.
func graphsOf(a *proto.Attribute) []*proto.Graph {
	out := slices.DeleteFunc(slices.Clone(a.Graphs), func(g *proto.Graph) bool { return g == nil })
	if a.G != nil {
		out = append(out, a.G)
	}
	return out
}

// reads calls note for each name that a node reads, in the graphs of its attributes, too.
func (s networks) reads(n *proto.Node, note func(name string)) {
	for _, name := range n.Input {
		note(name)
	}
	for _, a := range n.Attribute {
		for _, g := range graphsOf(a) {
			for _, name := range s[g].free {
				note(name)
			}
		}
	}
}

// sort puts nodes in an order in which each stands behind those it reads, and keeps their order where that is one.
func (n *network) sort(nodes []*proto.Node, producer map[string]int, s networks) error {
	const (
		waiting = iota
		begun
		done
	)
	state := make([]byte, len(nodes))
	n.nodes = make([]*proto.Node, 0, len(nodes))
	before := func(i int) []int { // the nodes that must come before node i
		var out []int
		s.reads(nodes[i], func(name string) {
			if p, ok := producer[name]; ok && state[p] != done {
				out = append(out, p)
			}
		})
		return out
	}
	type visit struct {
		node int
		rest []int
	}
	for i := range nodes {
		if state[i] == done {
			continue
		}
		state[i] = begun
		stack := []visit{{i, before(i)}}
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if len(top.rest) == 0 {
				state[top.node] = done
				n.nodes = append(n.nodes, nodes[top.node])
				stack = stack[:len(stack)-1]
				continue
			}
			next := top.rest[0]
			top.rest = top.rest[1:]
			switch state[next] {
			case begun:
				return &Error{Node: nodeName(nodes[next], next), Op: fullName(nodes[next].Domain, nodes[next].OpType),
					Msg: "the node reads what depends on its own results: the graph has a cycle"}
			case waiting:
				state[next] = begun
				stack = append(stack, visit{next, before(next)})
			}
		}
	}
	return nil
}

// nodeName returns the name of a node or, if it has none, its number.
func nodeName(n *proto.Node, i int) string {
	if n.Name != "" {
		return fmt.Sprintf("%q", n.Name)
	}
	return fmt.Sprintf("#%d", i)
}
