package onnx

import (
	"fmt"
	"slices"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/onnx/proto"
)

// network is a graph or the body of a function, prepared for translation.
type network struct {
	nodes   []*proto.Node // each behind those that it reads
	weight  int           // the steps that they take
	inputs  []string
	outputs []string
	types   []*proto.Type   // of the outputs, as a graph declares them; nil for those of a function
	free    []string        // the names that are read and come from around the network
	names   map[string]bool // all others: inputs, what is stored, and results of nodes
	stored  map[string]*proto.Tensor
	sparse  map[string]*proto.SparseTensor
}

// has reports whether the network stores a value of that name.
func (n *network) has(name string) bool { return n.stored[name] != nil || n.sparse[name] != nil }

// networks has the network of each graph of a model.
type networks map[*proto.Graph]*network

// graph prepares a graph, which is so deep in others, and those in it.
func (s networks) graph(g *proto.Graph, depth int) (*network, error) {
	if depth > limits.ONNXNesting {
		return nil, tooDeep()
	}
	if err := nameable("the graph", g.Name); err != nil {
		return nil, err
	}
	n := &network{stored: make(map[string]*proto.Tensor), sparse: make(map[string]*proto.SparseTensor), names: make(map[string]bool)}
	declare := declarer(n.names, fmt.Sprintf("graph %q", short(g.Name)))
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
		n.outputs, n.types = append(n.outputs, v.Name), append(n.types, v.Type)
	}
	return n, s.fill(n, g.Node, declare, depth)
}

// function prepares the body of a function.
func (s networks) function(f *proto.Function) (*network, error) {
	if err := nameable("the function", f.Name, f.Domain, f.Overload); err != nil {
		return nil, err
	}
	n := &network{inputs: f.Input, outputs: f.Output, names: make(map[string]bool)}
	declare := declarer(n.names, fmt.Sprintf("function %q", short(f.Name)))
	for _, name := range f.Input {
		if err := declare(name, "an input"); err != nil {
			return nil, err
		}
	}
	return n, s.fill(n, f.Node, declare, 0)
}

// declarer returns a function that notes the names of values, each of which must be given once.
func declarer(known map[string]bool, place string) func(name, what string) error {
	return func(name, what string) error {
		if name != "" && known[name] {
			return &Error{Operand: name, Msg: fmt.Sprintf("%s: the name is given to two values, the second one %s", place, what)}
		}
		known[name] = true
		return nameable("the value", name)
	}
}

// nameable refuses names that are very long, as they may be used in many places.
func nameable(what string, names ...string) error {
	for _, name := range names {
		if len(name) > limits.ONNXName {
			return &Error{Err: ErrLimit, Msg: fmt.Sprintf("a name of %s has %d bytes; at most %d are allowed: %s", what, len(name), limits.ONNXName, short(name))}
		}
	}
	return nil
}

// fill puts nodes in order. The names that are known already stand for inputs and what is stored.
func (s networks) fill(n *network, nodes []*proto.Node, declare func(name, what string) error, depth int) error {
	producer := make(map[string]int)
	for i, x := range nodes {
		if err := nameable("the node", x.Name, x.OpType, x.Domain, x.Overload); err != nil {
			return err
		}
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
				inner, err := s.graph(g, depth+1)
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
	free, read := make(map[string]bool), make(map[string]bool)
	note := func(name string) {
		read[name] = true
		if name != "" && !n.names[name] && !free[name] {
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
	n.nodes = slices.DeleteFunc(n.nodes, func(x *proto.Node) bool {
		return hasText(x) && !slices.ContainsFunc(x.Output, func(name string) bool { return read[name] })
	})
	for _, x := range n.nodes {
		n.weight += s.weight(x)
	}
	return nil
}

// hasText reports whether a node is a constant of strings. No tensor holds them, so only what reads it is refused, as with stored ones.
func hasText(n *proto.Node) bool {
	return fullName(n.Domain, n.OpType) == "Constant" && slices.ContainsFunc(n.Attribute, func(a *proto.Attribute) bool {
		return a.Name == "value_string" || a.Name == "value_strings" || a.Name == "value" && a.T != nil && a.T.DataType == proto.String
	})
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
	s.around(n, note)
}

// around calls note for each name that graphs in the attributes of a node read from around them.
func (s networks) around(n *proto.Node, note func(name string)) {
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
		return fmt.Sprintf("%q", short(n.Name))
	}
	return fmt.Sprintf("#%d", i)
}
