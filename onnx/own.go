package onnx

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Operators of package op, as nodes of a domain of their own: for what the standard's operators do not say, or not to the bit. The type of
// such a node is the operator's name, its inputs are the operands, its attributes the operator's, and blocks are attributes with graphs,
// which read nothing from around them. A model may have functions of the same names, for readers that do not know the domain.

// The domain of such nodes, and its version. Of another version the functions count.
const (
	OwnDomain  = "org.concord"
	OwnVersion = 1
)

// owns returns the operator that a node of the domain stands for, or nil.
func (f *File) owns(domain, name string) *op.Def {
	if d, ok := op.Lookup(name); ok && domain == OwnDomain && f.opsets[OwnDomain] == OwnVersion {
		return d
	}
	return nil
}

// ownRow is the row of an operator of package op.
func ownRow(d *op.Def) row {
	return row{name: fullName(OwnDomain, d.Name), forms: sync.OnceValue(func() []*form { return []*form{ownForm(d)} }),
		lower: func(c *lowering) []*graph.Value { return c.own(d) }}
}

// ownForm declares an operator of package op.
func ownForm(d *op.Def) *form {
	f := &form{since: []int{OwnVersion}}
	for _, o := range d.In {
		f.in = append(f.in, param{name: o.Name, optional: o.Optional, variadic: o.Variadic})
	}
	for _, r := range d.Out {
		f.out = append(f.out, param{name: r.Name, variadic: r.Variadic})
	}
	for _, a := range d.Attrs {
		f.attrs = append(f.attrs, attribute{name: a.Name, required: a.Default == nil}) // any type: see ownValue
	}
	for _, b := range d.Blocks {
		f.attrs = append(f.attrs, attribute{name: b.Name, kind: proto.AttributeGraph, required: true})
	}
	return f
}

// own adds the operator that the node stands for.
func (c *lowering) own(d *op.Def) []*graph.Value {
	n := graph.Node{Op: d.Name}
	for i := range c.in {
		n.In = append(n.In, c.In(i))
	}
	for i := len(n.In); i < len(d.In) && !d.In[i].Variadic; i++ {
		n.In = append(n.In, nil)
	}
	for i := range d.Attrs {
		if a := c.attrs[d.Attrs[i].Name]; a != nil {
			n.Attrs = append(n.Attrs, graph.Attr{Name: a.Name, Value: c.ownValue(d.Attrs[i].Kind, a)})
		}
	}
	for i, b := range d.Blocks {
		types, err := d.BlockTypes(graph.TypesOf(n.In), n.Attrs, i)
		c.Fail(err)
		n.Blocks = append(n.Blocks, c.closed(b.Name, types))
	}
	return c.add(n)
}

// closed returns the graph of an attribute as a block whose inputs have the given types.
func (c *lowering) closed(name string, types []op.Type) *graph.Graph {
	net := c.Graph(name)
	switch {
	case len(net.free) > 0:
		c.failf(name, "the graph reads %q from around it; it must read its inputs only", net.free[0])
	case len(net.inputs) != len(types):
		c.failf(name, "the graph has %d inputs; it must have %d", len(net.inputs), len(types))
	}
	b, err := c.block(net, types, nil, func(in []*graph.Value, _ *lowering) []item { return tensors(in...) },
		func(out []*graph.Value, _ *lowering) []*graph.Value { return out })
	c.Fail(err)
	return b
}

// ownValue returns the value of an attribute of an operator of ours: see [OwnAttribute].
func (c *lowering) ownValue(kind graph.Kind, a *proto.Attribute) any {
	wrong := func(want string) {
		c.failf(a.Name, "the attribute is %s; it must be %s", named(a.Type), want)
	}
	if want := ownTypes[kind]; a.Type != want.kind && (a.Type != proto.AttributeTensor || !want.wide) {
		wrong(want.name)
	}
	switch kind {
	case graph.KindBool:
		return a.I != 0
	case graph.KindInt:
		return c.narrow(a.Name, []int64{a.I})[0]
	case graph.KindInts:
		return c.narrow(a.Name, a.Ints)
	case graph.KindDType:
		return c.elemType(a.Name, a.I)
	case graph.KindString:
		return a.S
	case graph.KindStrings:
		return slices.Clone(a.Strings)
	case graph.KindFloat:
		if a.Type == proto.AttributeTensor {
			return c.doubles(a, 0)[0]
		}
		return float64(a.F)
	case graph.KindFloats:
		if a.Type == proto.AttributeTensor {
			return c.doubles(a, 1)
		}
		return wide(a.Floats)
	}
	panic(fmt.Sprintf("onnx: attributes of kind %v", kind))
}

// ownTypes has, for each kind of attribute, the type that says it, and whether a tensor of doubles may say it instead.
var ownTypes = map[graph.Kind]struct {
	kind proto.AttributeType
	wide bool
	name string
}{
	graph.KindBool:    {proto.AttributeInt, false, "an integer, 0 or 1"},
	graph.KindInt:     {proto.AttributeInt, false, "an integer"},
	graph.KindDType:   {proto.AttributeInt, false, "an integer, that of an element type"},
	graph.KindString:  {proto.AttributeString, false, "a string"},
	graph.KindInts:    {proto.AttributeInts, false, "integers"},
	graph.KindStrings: {proto.AttributeStrings, false, "strings"},
	graph.KindFloat:   {proto.AttributeFloat, true, "a float, or a double as a tensor"},
	graph.KindFloats:  {proto.AttributeFloats, true, "floats, or doubles as a tensor"},
}

// doubles returns the elements of an attribute that is a tensor of doubles.
func (c *lowering) doubles(a *proto.Attribute, rank int) []float64 {
	if a.T == nil {
		c.failf(a.Name, "the attribute has no tensor")
	}
	t, err := c.w.file.tensor(a.T)
	if err != nil {
		c.Fail(&Error{Operand: a.Name, Msg: err.Error(), Err: err})
	}
	if t.DType() != tensor.Float64 || t.Rank() != rank {
		c.failf(a.Name, "the tensor is %v; it must be of rank %d with elements of type %v", t.Describe(), rank, tensor.Float64)
	}
	return tensor.Data[float64](t.Contiguous())
}

// OwnAttribute returns an attribute of an operator of ours as nodes of [OwnDomain] have it. Logical values are the integers 0 and 1, and
// element types those of the standard. Numbers that are no float32 are written as a tensor of doubles. It fails for an element type that
// ONNX does not have.
func OwnAttribute(name string, value any) (*proto.Attribute, error) {
	switch v := value.(type) {
	case float64:
		if !single(v) {
			return doubles(name, tensor.Shape{}, v)
		}
	case []float64:
		if slices.ContainsFunc(v, func(x float64) bool { return !single(x) }) {
			return doubles(name, tensor.Shape{len(v)}, v...)
		}
	}
	return proto.NewAttribute(name, value)
}

// single reports whether a float32 holds a number as it is.
func single(x float64) bool { return math.Float64bits(float64(float32(x))) == math.Float64bits(x) }

// doubles returns an attribute that is a tensor of doubles.
func doubles(name string, shape tensor.Shape, list ...float64) (*proto.Attribute, error) {
	t, err := tensor.FromSlice(list, shape...)
	if err != nil {
		return nil, err
	}
	m, err := proto.NewTensor("", t)
	return &proto.Attribute{Name: name, Type: proto.AttributeTensor, T: m}, err
}

// wide returns numbers as attributes of operators have them.
func wide(list []float32) []float64 {
	out := make([]float64, len(list))
	for i, x := range list {
		out[i] = float64(x)
	}
	return out
}
