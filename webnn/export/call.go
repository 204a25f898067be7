package export

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// call is the emission of one node. Its methods make calls on the builder; one that is rejected ends the emission.
type call struct {
	e   *exporter
	n   *graph.Node
	d   *op.Def
	in  []*webnn.Operand // nil where an operand is absent
	row *row
}

// ints is shorthand for a list of integers.
type ints = []int

// options is shorthand for the options of a method.
type options = webnn.Options

// all makes a call and returns its results.
func (c *call) all(method string, o options, args ...any) []*webnn.Operand {
	with := options{}
	for name, v := range o {
		if x, ok := v.(*webnn.Operand); !ok || x != nil {
			with[name] = v
		}
	}
	if c.n.Label != "" {
		with["label"] = c.n.Label
	}
	names := make([]string, len(c.n.Out))
	for i, v := range c.n.Out {
		names[i] = v.Name
	}
	c.e.named(names...)
	out, err := c.e.b.Call(method, args, with)
	if err != nil {
		refuse("%v", err)
	}
	return out
}

// do makes a call that has one result.
func (c *call) do(method string, o options, args ...any) *webnn.Operand {
	return c.all(method, o, args...)[0]
}

// operand returns operand i, nil if it is absent.
func (c *call) operand(i int) *webnn.Operand {
	if i < len(c.in) {
		return c.in[i]
	}
	return nil
}

// value returns what the elements of operand i are if it is a constant, and else nil.
func (c *call) value(i int) *tensor.Tensor {
	if i < len(c.n.In) && c.n.In[i] != nil {
		return c.n.In[i].Const
	}
	return nil
}

// typeOf returns the element type that operand i has in the graph.
func (c *call) typeOf(i int) tensor.DType { return c.n.In[i].Type.DType }

// outType and outShape describe result i.
func (c *call) outType(i int) tensor.DType { return descriptor(c.n.Out[i].Type).DataType }
func (c *call) outShape(i int) ints        { return ints(descriptor(c.n.Out[i].Type).Shape) }

// Attributes.

func (c *call) int(name string) int       { return c.n.Attrs.Int(name) }
func (c *call) ints(name string) ints     { return c.n.Attrs.Ints(name) }
func (c *call) float(name string) float64 { return c.n.Attrs.Float(name) }
func (c *call) bool(name string) bool     { return c.n.Attrs.Bool(name) }
func (c *call) str(name string) string    { return c.n.Attrs.String(name) }

// one makes a result list of one operand.
func one(o *webnn.Operand) []*webnn.Operand { return []*webnn.Operand{o} }

// shape and rank describe an operand.
func shape(o *webnn.Operand) ints { return ints(o.Shape()) }
func rank(o *webnn.Operand) int   { return len(o.Shape()) }

// reshape gives an operand another shape; a constant becomes another constant.
func (c *call) reshape(o *webnn.Operand, to ints) *webnn.Operand {
	if slices.Equal(shape(o), to) {
		return o
	}
	if k, ok := c.e.contents[o]; ok {
		t, err := k.data.Reshape(to...)
		if err == nil {
			o, err = c.e.constant(k.name, t)
		}
		if err != nil {
			refuse("%v", err)
		}
		return o
	}
	return c.do("reshape", nil, o, to)
}

// transpose permutes dimensions: dimension i of the result is dimension perm[i] of o.
func (c *call) transpose(o *webnn.Operand, perm ints) *webnn.Operand {
	if slices.IsSorted(perm) {
		return o
	}
	return c.do("transpose", options{"permutation": perm}, o)
}

// cast converts an operand, if it has another type.
func (c *call) cast(o *webnn.Operand, d tensor.DType) *webnn.Operand {
	if o == nil || o.DataType() == d {
		return o
	}
	return c.do("cast", nil, o, d)
}

// constant adds a constant.
func (c *call) constant(t *tensor.Tensor) *webnn.Operand {
	o, err := c.e.constant(c.n.Out[0].Name+"_constant", t)
	if err != nil {
		refuse("%v", err)
	}
	return o
}

// number adds a scalar constant of the type d, which must be able to hold it.
func (c *call) number(d tensor.DType, v float64) *webnn.Operand {
	t, err := tensor.Cast(tensor.Scalar(float32(v)), d)
	if d.IsInteger() {
		t, err = tensor.Cast(tensor.Scalar(int64(v)), d)
	}
	if err != nil {
		refuse("%v", err)
	}
	return c.constant(t)
}

// integer adds a scalar constant of the type int64.
func (c *call) integer(v int64) *webnn.Operand { return c.constant(tensor.Scalar(v)) }

// slice takes the elements start, start+stride, … as many as count, along each dimension.
func (c *call) slice(o *webnn.Operand, start, count, stride ints) *webnn.Operand {
	sizes, whole := make(ints, len(count)), true
	for i := range count {
		sizes[i] = (count[i]-1)*stride[i] + 1
		whole = whole && sizes[i] == shape(o)[i] && stride[i] == 1
	}
	if whole {
		return o
	}
	with := options{}
	if slices.ContainsFunc(stride, func(n int) bool { return n != 1 }) {
		with["strides"] = stride
	}
	return c.do("slice", with, o, start, sizes)
}

// maxEvaluated bounds the bytes of constants that are made while a graph is exported.
const maxEvaluated = limits.WebNNEvaluated

// beforehand bounds one evaluation while a graph is exported.
var beforehand = op.Budget{Bytes: maxEvaluated, Operations: limits.ExportOperations, Result: maxEvaluated}

// eval evaluates an operator while the graph is exported: what it says about indices and weights need not be said again.
func (c *call) eval(name string, attrs graph.Attrs, in ...*tensor.Tensor) *tensor.Tensor {
	results, err := beforehand.Eval(lookup(name), in, attrs)
	if err != nil {
		refuse("%v", err)
	}
	return results[0]
}

// attrs is shorthand for [graph.AttrsOf].
func attrs(pairs ...any) graph.Attrs { return graph.AttrsOf(pairs...) }

// wide makes an emission compute 16-bit floats in float32 and convert the results: where it rounds more often than the
// operator does.
func wide(emit func(c *call) []*webnn.Operand) func(c *call) []*webnn.Operand {
	return func(c *call) []*webnn.Operand {
		w := *c
		w.in = slices.Clone(c.in)
		for i, o := range w.in {
			if o != nil && o.DataType() == tensor.Float16 {
				w.in[i] = c.cast(o, tensor.Float32)
			}
		}
		out := emit(&w)
		for i := range out {
			if c.outType(i) == tensor.Float16 {
				out[i] = c.cast(out[i], tensor.Float16)
			}
		}
		return out
	}
}

const roundedNote = "float16 with options that it cannot hold: in float32"

// rounded is for methods with numbers as options. WebNN rounds them to the type of the operands first, operators do not: where
// that makes a difference, 16-bit floats are computed in float32.
func rounded(emit func(c *call) []*webnn.Operand, names ...string) func(c *call) []*webnn.Operand {
	return func(c *call) []*webnn.Operand {
		for _, n := range names {
			if !exactHalf(c.float(n)) {
				return wide(emit)(c)
			}
		}
		return emit(c)
	}
}

// exactHalf reports whether a number loses nothing as a 16-bit float.
func exactHalf(x float64) bool { return tensor.ToF16(float32(x)).Float32() == float32(x) }

// near notes that the results may differ from those of the operator so far, relative to max(1, |result|).
func (c *call) near(tolerance float64) { c.e.near = max(c.e.near, tolerance) }

// byBody makes the calls for the body of an operator.
func (c *call) byBody(d *op.Def) []*webnn.Operand {
	c.near(d.BodyTol)
	if c.e.opts.Expand == nil {
		refuse("it would be expressed by its body, which needs a way to expand it")
	}
	body, err := c.e.opts.Expand(d, graph.TypesOf(c.n.In), c.n.Attrs)
	if err != nil {
		refuse("%v", err)
	}
	outer := c.e.operands
	c.e.operands = make(map[*graph.Value]*webnn.Operand)
	defer func() { c.e.operands = outer }()
	next := 0
	for _, o := range c.in {
		if o != nil {
			c.e.operands[body.Inputs[next]] = o
			next++
		}
	}
	for _, n := range body.Nodes {
		c.inner(n)
	}
	out := make([]*webnn.Operand, len(body.Outputs))
	for i, o := range body.Outputs {
		if out[i] = c.e.operand(o.Value); out[i] == nil {
			refuse("the body has no result %s", o.Name)
		}
	}
	return out
}

// inner makes the calls for a node of a body.
func (c *call) inner(n *graph.Node) {
	in := make([]*webnn.Operand, len(n.In))
	for i, v := range n.In {
		if v == nil {
			continue
		}
		before := len(c.e.refused)
		if in[i] = c.e.operand(v); len(c.e.refused) > before || in[i] == nil {
			c.e.refused = c.e.refused[:before]
			refuse("its body: a constant of %v cannot be expressed", v.Type)
		}
	}
	renamed := *n
	renamed.Label = c.n.Label
	out, why := c.e.emit(&renamed, in)
	if why != "" {
		refuse("its body: %s: %s", n.Op, why)
	}
	for i, v := range n.Out {
		c.e.operands[v] = out[i]
	}
}
