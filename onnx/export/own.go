package export

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
)

// own adds a node of the domain of Concord, which is the operator itself, and the function that says it to others.
func (c *emission) own() []val {
	c.e.own = true
	var attrs []*proto.Attribute
	for _, a := range c.Attrs {
		attrs = append(attrs, kit.Must(onnx.OwnAttribute(a.Name, a.Value)))
	}
	for i, b := range c.Blocks {
		attrs = append(attrs, kit.Must(proto.NewAttribute(c.Def.Blocks[i].Name, c.closed(b))))
	}
	out, names := make([]val, len(c.Out)), make([]string, len(c.Out))
	for i, v := range c.Out {
		names[i] = c.unique(v.Name + "/" + c.Op)
		out[i] = val{names[i], v.Type}
	}
	n := c.add(c.Op, onnx.OwnDomain, attrs, c.in, names)
	n.Overload = c.e.function(c.Node.Node)
	return out
}

// closed returns a block as a graph that reads nothing but its inputs.
func (c *emission) closed(g *graph.Graph) *proto.Graph {
	s := c.block()
	return s.finish(g, s.declare(g.Inputs))
}

// finish adds the nodes of a block whose inputs have names, and returns it.
func (s *scope) finish(g *graph.Graph, in []*proto.ValueInfo) *proto.Graph {
	s.live = g.Reachable()
	for n := range kit.Reached(g, s.live) {
		if why := s.attempt(n, nil); why != "" {
			kit.Refuse("its block: %s: %s", n.Op, why)
		}
	}
	out := make([]*proto.ValueInfo, len(g.Outputs))
	seen := make(map[string]bool)
	for i, o := range g.Outputs {
		x := s.value(o.Value)
		if !s.yields(x.name) || seen[x.name] { // a graph yields nothing that is not its own
			name := s.unique(x.name)
			s.add("Identity", "", nil, []val{x}, []string{name})
			x.name = name
		}
		seen[x.name] = true
		out[i] = s.e.info(x.name, o.Value.Type)
	}
	s.tidy()
	return &proto.Graph{Name: g.Name, Node: s.nodes, Initializer: s.stored, Input: in, Output: out}
}

// yields reports whether a value is a result of a node here.
func (s *scope) yields(name string) bool {
	return slices.ContainsFunc(s.nodes, func(n *proto.Node) bool { return slices.Contains(n.Output, name) })
}

// said is how a node of the domain of Concord is said to other runtimes: by the function of that overload, or not at all.
type said struct{ overload, why string }

// function returns the overload of the function that says a node in the standard's operators; "" if there is none.
func (e *exporter) function(n *graph.Node) string {
	key := fmt.Sprint(n.Op, graph.TypesOf(n.In), n.Attrs)
	s, ok := e.functions[key]
	if !ok || len(n.Blocks) > 0 {
		var f *proto.Function
		why := kit.Try(func() { f = e.body(n) })
		if s = (said{"", why}); why == "" {
			e.overloads[n.Op]++
			s.overload = strconv.Itoa(e.overloads[n.Op])
			f.Overload = s.overload
			e.made = append(e.made, f)
		}
		e.functions[key] = s
	}
	if s.why != "" && e.opts.Foreign != nil {
		e.opts.Foreign(Refusal{Op: n.Op, Label: n.Label, Value: n.Out[0].Name, Reason: s.why})
	}
	return s.overload
}

// body returns a function for a node, of these types, attributes and blocks.
func (e *exporter) body(n *graph.Node) *proto.Function {
	d, _ := op.Lookup(n.Op)
	s := newScope(e)
	s.function = true
	f := &proto.Function{Domain: onnx.OwnDomain, Name: n.Op, Doc: d.Summary()}
	for _, a := range d.Attrs {
		f.Attribute = append(f.Attribute, a.Name)
	}
	for _, b := range d.Blocks {
		f.Attribute = append(f.Attribute, b.Name)
	}
	inner := &graph.Node{Op: n.Op, Attrs: n.Attrs, Blocks: n.Blocks, In: make([]*graph.Value, len(n.In)), Out: make([]*graph.Value, len(n.Out))}
	for i, v := range n.In {
		last := len(d.In) - 1
		name := d.In[min(i, last)].Name
		if d.In[min(i, last)].Variadic {
			name += strconv.Itoa(i - last)
		}
		f.Input = append(f.Input, s.unique(name))
		if v != nil {
			inner.In[i] = &graph.Value{Name: f.Input[i], Type: v.Type}
			s.names[inner.In[i]] = f.Input[i]
		}
	}
	wishes := make(map[*graph.Value]string)
	for i, v := range n.Out {
		last := len(d.Out) - 1
		name := d.Out[min(i, last)].Name
		if d.Out[min(i, last)].Variadic {
			name += strconv.Itoa(i - last)
		}
		f.Output = append(f.Output, s.unique(name))
		inner.Out[i] = &graph.Value{Name: f.Output[i], Type: v.Type}
		wishes[inner.Out[i]] = f.Output[i]
	}
	s.node(inner, wishes)
	for i, v := range inner.Out {
		if x := s.value(v); x.name != f.Output[i] {
			s.add("Identity", "", nil, []val{x}, []string{f.Output[i]})
		}
	}
	f.Node = s.nodes
	return f
}
