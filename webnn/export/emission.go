package export

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// emission is the emission of one node. Its methods make calls on the builder; one that is rejected ends the emission.
type emission struct {
	*exporter
	kit.Node
	in []*webnn.Operand // nil where an operand is absent
}

// ints is shorthand for a list of integers.
type ints = []int

// options is shorthand for the options of a method.
type options = webnn.Options

// all makes a call and returns its results.
func (c *emission) all(method string, o options, args ...any) []*webnn.Operand {
	with := options{}
	for name, v := range o {
		if x, ok := v.(*webnn.Operand); !ok || x != nil {
			with[name] = v
		}
	}
	if c.Label != "" {
		with["label"] = c.Label
	}
	names := make([]string, len(c.Out))
	for i, v := range c.Out {
		names[i] = v.Name
	}
	c.named(names...)
	return kit.Must(c.b.Call(method, args, with))
}

// do makes a call that has one result, one makes one that has that of the node.
func (c *emission) do(method string, o options, args ...any) *webnn.Operand {
	return c.all(method, o, args...)[0]
}

func (c *emission) one(method string, o options, args ...any) []*webnn.Operand {
	return one(c.do(method, o, args...))
}

// operand returns operand i, nil if it is absent.
func (c *emission) operand(i int) *webnn.Operand {
	if i < len(c.in) {
		return c.in[i]
	}
	return nil
}

// outType and outShape describe result i.
func (c *emission) outType(i int) tensor.DType { return dataType(c.Out[i].Type.DType) }
func (c *emission) outShape(i int) ints        { return ints(descriptor(c.Out[i].Type).Shape) }

// one makes a result list of one operand.
func one(o *webnn.Operand) []*webnn.Operand { return []*webnn.Operand{o} }

// shape and rank describe an operand.
func shape(o *webnn.Operand) ints { return ints(o.Shape()) }
func rank(o *webnn.Operand) int   { return len(o.Shape()) }

// reshape gives an operand another shape; a constant becomes another constant.
func (c *emission) reshape(o *webnn.Operand, to ints) *webnn.Operand {
	if slices.Equal(shape(o), to) {
		return o
	}
	if k, ok := c.contents[o]; ok {
		return kit.Must(c.constant(k.name, kit.Must(k.data.Reshape(to...))))
	}
	return c.do("reshape", nil, o, to)
}

// transpose permutes dimensions: dimension i of the result is dimension perm[i] of o.
func (c *emission) transpose(o *webnn.Operand, perm ints) *webnn.Operand {
	if slices.IsSorted(perm) {
		return o
	}
	return c.do("transpose", options{"permutation": perm}, o)
}

// cast converts an operand to another type than it has.
func (c *emission) cast(o *webnn.Operand, d tensor.DType) *webnn.Operand {
	return c.do("cast", nil, o, d)
}

// made adds a constant of the emission itself.
func (c *emission) made(t *tensor.Tensor) *webnn.Operand {
	return kit.Must(c.constant(c.Out[0].Name+"_constant", t))
}

// number adds a scalar constant of the type d, which must be able to hold it.
func (c *emission) number(d tensor.DType, v float64) *webnn.Operand {
	return c.made(kit.Must(tensor.Cast(tensor.Scalar(v), d)))
}

// wide makes an emission compute in another type where operands have one, and converts the results back.
func (c *emission) wide(from, to tensor.DType, emit func(c *emission) []*webnn.Operand) []*webnn.Operand {
	w := *c
	w.in = slices.Clone(c.in)
	for i, o := range w.in {
		if o != nil && o.DataType() == from {
			w.in[i] = c.cast(o, to)
		}
	}
	out := emit(&w)
	for i := range out {
		if c.outType(i) == from {
			out[i] = c.cast(out[i], from)
		}
	}
	return out
}

const roundedNote = "float16 with options that it cannot hold: in float32"

// said calls the method that has the operator's name, after what prepares the operands; nil if it does not say the operator so. WebNN rounds numbers in
// options to the type of the operands first, operators do not: where that makes a difference, 16-bit floats are computed in float32.
//
//go:noinline // each row of the table would have a copy
func said(prepare ...func(c *emission)) func(c *emission) []*webnn.Operand {
	emit := func(c *emission) []*webnn.Operand {
		w := *c
		w.in = slices.Clone(c.in)
		for _, f := range prepare {
			f(&w)
		}
		args, o, ok := webnn.Inverse(c.Def, w.in, c.Attrs)
		if !ok {
			return nil
		}
		out := slices.Clone(c.all(c.Def.Spec.WebNN, o, args...)) // which is the record's
		for i := range out {
			out[i] = c.reshape(out[i], c.outShape(i))
		}
		return out
	}
	return func(c *emission) []*webnn.Operand {
		if slices.ContainsFunc(c.Attrs, func(a graph.Attr) bool {
			x, ok := a.Value.(float64)
			return ok && tensor.ToF16(float32(x)).Float32() != float32(x)
		}) {
			return c.wide(tensor.Float16, tensor.Float32, emit)
		}
		return emit(c)
	}
}
