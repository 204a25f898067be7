package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// emission is the emission of one node.
type emission struct {
	*scope
	kit.Node
	in []val // absent ones included
}

// ints is shorthand for a list of integers.
type ints = []int

// at is shorthand for [graph.AttrsOf]. In the attributes of nodes of the standard, a float64 becomes a float32.
func at(pairs ...any) graph.Attrs { return graph.AttrsOf(pairs...) }

// results adds the nodes for a node of the graph, and returns what stands for its results.
func (s *scope) results(n *graph.Node) []val {
	c := &emission{scope: s, Node: kit.NodeOf(n), in: make([]val, len(n.In))}
	for i, v := range n.In {
		c.in[i] = s.value(v)
	}
	for len(c.in) < len(c.Def.In) && !c.Def.In[len(c.in)].Variadic {
		c.in = append(c.in, val{})
	}
	for _, v := range n.Out {
		s.e.types |= op.TypeSet(v.Type.DType)
	}
	r := s.e.rows.Of(n.Op)
	if out := r.standard(c); out != nil {
		return out
	}
	if !s.function {
		return c.own()
	}
	return c.body(r)
}

// body adds nodes that say the same in the standard's operators, perhaps not to the bit: by the row, or else in simpler operators.
func (c *emission) body(r *row) []val {
	if r.body != nil {
		if out := r.body(c); out != nil {
			return out
		}
	}
	return c.simpler(c.in)
}

// simpler says the operator in simpler ones, for operands that may have been converted, as its results are then.
func (c *emission) simpler(in []val) []val {
	n := *c.Node.Node
	n.In = make([]*graph.Value, len(c.In))
	for i, v := range c.In {
		if n.In[i] = v; v != nil && v.Type.DType != in[i].DType {
			n.In[i] = &graph.Value{Name: v.Name, Type: in[i].Type}
		}
	}
	x := kit.Simpler(&n)
	for i, v := range x.Args {
		if v != nil {
			c.names[v] = in[i].name
		}
	}
	for _, n := range x.Nodes {
		if why := c.attempt(n, nil); why != "" {
			kit.Refuse("its body: %s: %s", n.Op, why)
		}
	}
	out := make([]val, len(x.Outputs))
	for i, o := range x.Outputs {
		out[i] = c.cast(c.value(o.Value), c.out(i).DType)
	}
	return out
}

// Nodes of the standard.

// nodes adds a node whose results have the given types; the zero type is that of one that is left out.
func (c *emission) nodes(op string, types []graph.Type, attrs graph.Attrs, in ...val) []val {
	out, names := make([]val, len(types)), make([]string, len(types))
	for i, t := range types {
		if t.DType == tensor.Invalid {
			continue
		}
		names[i] = c.unique(c.Out[0].Name + "/" + strings.ToLower(op))
		out[i] = val{names[i], t}
	}
	c.add(op, "", attributes(attrs), in, names)
	return out
}

// node1 adds a node that has one result.
func (c *emission) node1(op string, t graph.Type, attrs graph.Attrs, in ...val) val {
	return c.nodes(op, []graph.Type{t}, attrs, in...)[0]
}

// attributes returns attributes of a node of the standard.
func attributes(list graph.Attrs) []*proto.Attribute {
	var out []*proto.Attribute
	for _, a := range list {
		out = append(out, kit.Must(proto.NewAttribute(a.Name, a.Value)))
	}
	return out
}

// Facts of the node, and lists.

// operand returns the operand of a name, if there is one.
func (c *emission) operand(name string) val {
	if i := slices.IndexFunc(c.Def.In, func(o op.Operand) bool { return o.Name == name }); i >= 0 {
		return c.in[i]
	}
	return val{}
}

// out returns the type of result i.
func (c *emission) out(i int) graph.Type { return c.Out[i].Type }

// one makes a result list of one value.
func one(v val) []val { return []val{v} }

// Conversions, none of which adds a node that would change nothing.

func (c *emission) cast(x val, d tensor.DType) val {
	if x.name == "" || x.DType == d {
		return x
	}
	return c.node1("Cast", graph.Type{DType: d, Shape: x.Shape}, at("to", d), x)
}

func (c *emission) reshape(x val, shape ...int) val {
	if x.name == "" || x.Shape.Equal(shape) {
		return x
	}
	if t := c.e.elements[x.name]; t != nil && !c.function {
		v := c.once(fmt.Sprint("reshaped ", x.name, shape), x.name, kit.Must(t.Reshape(shape...)))
		c.reshaped[v.name] = x.name
		return v
	}
	attrs := at()
	if slices.Contains(shape, 0) {
		attrs = at("allowzero", 1)
	}
	return c.node1("Reshape", graph.Type{DType: x.DType, Shape: shape}, attrs, x, c.list(shape...))
}

func (c *emission) transpose(x val, perm ...int) val {
	if slices.IsSorted(perm) {
		return x
	}
	shape := make(tensor.Shape, len(perm))
	for i, p := range perm {
		shape[i] = x.Shape[p]
	}
	return c.node1("Transpose", graph.Type{DType: x.DType, Shape: shape}, at("perm", perm), x)
}

// list adds a constant that is a list of int64.
func (c *emission) list(list ...int) val {
	wide := make([]int64, len(list))
	for i, n := range list {
		wide[i] = int64(n)
	}
	return c.along(0, 1, wide)
}

// room ends the emission if a constant of so many elements would be made, or as much work be done for one.
func room(extents ...int) {
	n := int64(1)
	for _, k := range extents {
		n = limits.Times(n, int64(k))
	}
	if n > limits.ONNXMade {
		kit.Refuse("it takes a constant of %v elements, which are more than %d", extents, limits.ONNXMade)
	}
}

// along adds a constant: integers along dimension d of a tensor of some rank, whose other extents are 1.
func (c *emission) along(d, rank int, list []int64) val {
	shape := slices.Repeat(ints{1}, rank)
	shape[d] = len(list)
	return c.constant(kit.Must(tensor.FromSlice(list, shape...)))
}

// number adds a scalar constant of an element type, which must be able to hold it.
func (c *emission) number(d tensor.DType, x float64) val {
	return c.constant(kit.Must(tensor.Cast(tensor.Scalar(x), d)))
}

// integer adds a scalar constant of an integer type.
func (c *emission) integer(d tensor.DType, x int64) val {
	return c.constant(kit.Must(tensor.Cast(tensor.Scalar(x), d)))
}

// full adds a constant all of whose elements are one number.
func (c *emission) full(t graph.Type, x float64) val {
	room(t.Shape...)
	s := kit.Must(tensor.Cast(tensor.Scalar(x), t.DType))
	s = kit.Must(s.Reshape(slices.Repeat(ints{1}, len(t.Shape))...))
	return c.constant(kit.Must(s.Expand(t.Shape...)))
}

// do adds an element-wise node: its result has the element type of the last operand and the common shape of all, aligned at the last
// dimension.
func (c *emission) do(op string, in ...val) val {
	return c.node1(op, graph.Type{DType: in[len(in)-1].DType, Shape: broadcast(in)}, nil, in...)
}

// test is do for a node that yields logical values.
func (c *emission) test(op string, in ...val) val {
	return c.node1(op, graph.Type{DType: tensor.Bool, Shape: broadcast(in)}, nil, in...)
}

// broadcast returns the common shape of operands that broadcast in ONNX.
func broadcast(in []val) tensor.Shape {
	var out tensor.Shape
	for _, v := range in {
		if more := v.rank() - len(out); more > 0 {
			out = append(slices.Repeat(tensor.Shape{1}, more), out...)
		}
		skip := len(out) - v.rank()
		for i, n := range v.Shape {
			if n != 1 {
				out[skip+i] = n
			}
		}
	}
	if out == nil {
		out = tensor.Shape{}
	}
	return out
}
