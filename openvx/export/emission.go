package export

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/openvx"
	"github.com/concord-nn/concord/tensor"
)

// emission is the emission of one node, or of one that a later node completes.
type emission struct {
	kit.Node
	e        *exporter
	out      *graph.Value // what the last call makes
	name     string       // for the tensors that it makes
	rounding openvx.RoundPolicy
	overflow openvx.ConvertPolicy // saturates, but for integers of which the operator says otherwise
	same     *graph.Value         // the operand whose elements the result has, in the same order; nil if that is not all
	simpler  bool                 // the definition says it in other operators
	exact    bool                 // the results are those of the operator, although those of the row may not be
	addend   *tensor.Tensor       // of sums of integers: what is added before they are rounded, in place of the node's own bias
}

// constant returns the elements of operand i if they do not depend on inputs, and else nil; those of float types as float32.
func (c *emission) constant(i int) *tensor.Tensor { return c.e.number(c.Operand(i)) }

// shape returns the extents of operand i.
func (c *emission) shape(i int) ints { return c.In[i].Type.Shape }

// outShape returns those of the result.
func (c *emission) outShape() ints { return c.out.Type.Shape }

// tensor returns where operand i lies, in any grouping of extents.
func (c *emission) tensor(i int) *Tensor { return c.e.tensor(c.In[i]) }

// natural returns the first operand with the extents of its shape.
func (c *emission) natural() *Tensor { return c.as(c.In[0], dimsOf(c.shape(0))) }

// format returns the format of the result.
func (c *emission) format() Format {
	f, ok := c.e.formatOf(c.out.Type.DType)
	if !ok {
		kit.Refuse("layers do not compute with elements of type %v", c.out.Type.DType)
	}
	return f
}

// isFloat reports whether the result is a float in the graph.
func (c *emission) isFloat() bool { return c.out.Type.DType.IsFloat() }

// virtual adds a tensor for a result of the node.
func (c *emission) virtual(dims ints) *Tensor {
	if len(dims) > openvx.MaxTensorDims {
		kit.Refuse("a tensor of extents %v would be needed; there are at most %d", dims, openvx.MaxTensorDims)
	}
	return c.e.virtual(c.name, c.format(), dims)
}

// weights adds a tensor with elements that belong to the node.
func (c *emission) weights(what string, dims ints, t *tensor.Tensor) *Tensor {
	return c.e.weights(c.name+"_"+what, c.format(), dims, t)
}

// weightsOf adds a tensor with the elements of operand i, or with others that were made of them.
func (c *emission) weightsOf(i int, dims ints, t *tensor.Tensor) *Tensor {
	return c.e.weights(c.e.source(c.In[i]).Name, c.format(), dims, t)
}

// number adds a tensor of one element with so many dimensions.
func (c *emission) number(x float64, rank int) *Tensor {
	return c.weights("constant", ones(rank), tensor.Scalar(float32(x)))
}

// set says where the result of the node lies.
func (c *emission) set(t *Tensor) { c.e.tensors[c.out] = t }

// do makes a call.
func (c *emission) do(function string, args ...any) { c.repeat(1, function, args...) }

// repeat makes a call several times, with parts of tensors.
func (c *emission) repeat(times int, function string, args ...any) {
	c.e.net.Calls = append(c.e.net.Calls, &Call{Function: function, Args: args, Times: times, Label: c.Label, Value: c.out.Name})
}

// make makes a call whose last argument is a tensor of these extents, added for what it makes.
func (c *emission) make(dims ints, function string, args ...any) *Tensor {
	y := c.virtual(dims)
	c.do(function, append(args, y)...)
	return y
}

// Steps that several operators share. Each adds a tensor for what it makes.

func (c *emission) activate(x *Tensor, f openvx.Activation, a, b float64) *Tensor {
	return c.make(x.Dims, "vxActivationLayer", x, f, float32(a), float32(b))
}

// add adds two tensors, or subtracts them with the other function. Extents of 1 of the second fit any other.
func (c *emission) add(function string, x, y *Tensor, p openvx.ConvertPolicy) *Tensor {
	return c.make(x.Dims, function, x, y, p)
}

func (c *emission) multiply(x, y *Tensor, scale float64) *Tensor {
	return c.make(x.Dims, "vxTensorMultiplyNode", x, y, Real(scale), c.overflow, c.rounding)
}

// zeros adds a tensor of zeros.
func (c *emission) zeros(f Format, dims ints) *Tensor {
	return c.e.weights("zeros", f, dims, filled(f.raw(0), dims))
}

// filled returns a tensor of equal elements.
func filled(x *tensor.Tensor, shape ints) *tensor.Tensor {
	return eval("expand", attrs("shape", shape), eval("reshape", attrs("shape", ones(len(shape))), x))
}

// copy copies a tensor into another of the same extents: it adds nothing.
func (c *emission) copy(from, to *Tensor) {
	c.do("vxTensorAddNode", from, c.zeros(from.Format, ones(len(from.Dims))), openvx.ConvertPolicySaturate, to)
}

// swap exchanges two dimensions, which may be the same.
func (c *emission) swap(x *Tensor, a, b int) *Tensor {
	dims := slices.Clone(x.Dims)
	dims[a], dims[b] = dims[b], dims[a]
	if a == b || x.Dims[a] == 1 && x.Dims[b] == 1 {
		return x
	}
	y := c.e.virtual(x.Name, x.Format, dims)
	c.do("vxTensorTransposeNode", x, y, a, b)
	return y
}

// permute brings dimensions into another order: dimension i of the result is dimension from[i] of x.
func (c *emission) permute(x *Tensor, from ints) *Tensor {
	now := emit.Counting(0, len(from)) // which dimension of x stands at each place
	for i := range from {
		if j := slices.Index(now, from[i]); j != i {
			x = c.swap(x, i, j)
			now[i], now[j] = now[j], now[i]
		}
	}
	return x
}

func ones(n int) ints { return slices.Repeat(ints{1}, n) }

func product(list ints) int { return tensor.Shape(list).Len() }

// maxEvaluated bounds the bytes of constants that are made while a graph is exported, unless their operands have half as many.
const maxEvaluated = limits.VXEvaluated

// beforehand bounds one evaluation while a graph is exported.
var beforehand = op.Budget{Bytes: math.MaxInt64, Operations: limits.ExportOperations, Result: maxEvaluated, Growth: 2}

// eval evaluates an operator while the graph is exported.
func eval(name string, attrs graph.Attrs, in ...*tensor.Tensor) *tensor.Tensor {
	return kit.Eval(beforehand, name, attrs, in...)
}

// attrs is shorthand for [graph.AttrsOf].
func attrs(pairs ...any) graph.Attrs { return graph.AttrsOf(pairs...) }
