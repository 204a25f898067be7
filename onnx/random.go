package onnx

import (
	"fmt"
	"hash/fnv"
	"math"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Operators that draw random numbers. Like all results they are a function of model and inputs: the same in every run and everywhere, but not in every
// turn of a loop.
var randomRows = family{"Random numbers", []row{
	{name: "Bernoulli", forms: forms("15 22", "input: float; dtype: int, seed: float -> output"), lower: bernoulli, remark: randomRemark},
	{name: "Dropout", forms: forms("1", "data; "+consumed+", is_test=0, ratio=0.5 -> output, mask?", "6", "data; is_test=0, ratio=0.5 -> output, mask?",
		"7 10", "data; ratio=0.5 -> output, mask?", "12 13 22", "data, ratio?, training_mode?; seed: int -> output, mask?"),
		lower: dropout, remark: "an identity unless it is asked to train; " + randomRemark},
	{name: "Multinomial", forms: forms("7 22", "input: float; dtype=6, sample_size=1, seed: float -> output"), lower: multinomial, remark: randomRemark},
	random("RandomNormal", "; dtype=1, mean=0.0, scale=1.0, seed: float, shape: ints! -> output", normal),
	random("RandomNormalLike", "input; dtype: int, mean=0.0, scale=1.0, seed: float -> output", normal),
	random("RandomUniform", "; dtype=1, high=1.0, low=0.0, seed: float, shape: ints! -> output", uniform),
	random("RandomUniformLike", "input; dtype: int, high=1.0, low=0.0, seed: float -> output", uniform),
}}

const randomRemark = "the numbers are the same in every run, and others in every turn of a loop; without a seed they depend on the name of the result"

// random is the row of an operator that fills a shape, its own or that of an operand, with numbers of a distribution.
func random(name, declaration string, draw func(c *lowering, shape tensor.Shape) *graph.Value) row {
	return row{name: name, forms: forms("1 22", declaration), remark: randomRemark, lower: func(c *lowering) []*graph.Value {
		d := c.ElemType("dtype")
		var shape tensor.Shape
		if c.form.declared("shape") != nil {
			shape = c.Ints("shape")
			if err := shape.Check(); err != nil {
				c.failf("shape", "%v", err)
			}
		} else if shape = c.Shape(0); d == tensor.Invalid {
			d = c.DType(0)
		}
		if !d.IsFloat() && d != tensor.Float64 {
			c.failf("dtype", "it is %v; it must be a float", d)
		}
		return one(c.Cast(draw(c, shape), d))
	}}
}

// seed returns the number that an attribute gives or, if it gives none, one of the result's name and where it is.
func (c *lowering) seed() uint64 {
	if !c.Given("seed") {
		h := fnv.New64a()
		if at := c.scope.site; at != nil {
			fmt.Fprint(h, at.hash)
		}
		h.Write([]byte("\x00" + c.outputs()[0]))
		return h.Sum64()
	}
	if c.form.declared("seed").kind == proto.AttributeInt {
		a, _ := c.attribute("seed", proto.AttributeInt)
		return uint64(a.I)
	}
	return uint64(math.Float32bits(float32(c.Float("seed"))))
}

// bits adds 24 random bits for each element of a shape, as float32. Another sequence, and another turn of what is repeated around, has other numbers.
func (c *lowering) bits(shape tensor.Shape, sequence int) *graph.Value {
	const sequences = 2
	n := int64(shape.Len())
	turn, counted := c.turnAt(c.scope.site)
	index := c.Node("add", nil, c.Iota(int(n), tensor.Int64), c.Constant(tensor.Scalar((turn*sequences+int64(sequence))*n)))
	if counted != nil {
		index = c.Node("add", nil, index, c.Node("mul", nil, counted, c.Constant(tensor.Scalar(sequences*n))))
	}
	bits := c.Node("shift_right", nil, c.Node("random_bits", emit.Attr("seed", op.Seed(c.seed())), index), c.Number(8, tensor.Uint32))
	return c.Reshape(c.Cast(bits, tensor.Float32), shape...)
}

// turnAt returns the number of the turn of all that is repeated around a place: a number, and what is to be added to it if a block counts turns.
func (c *lowering) turnAt(at *site) (known int64, counted *graph.Value) {
	const far = 0x9E3779B97F4A7 // turns of what is inside of one turn
	if at == nil {
		return 0, nil
	}
	known, counted = c.turnAt(at.outer)
	switch {
	case at.block && (counted != nil || at.repeats && at.counter == nil):
		c.Fail(errOpen) // so that turns are taken one by one, as the graph does not know their number
	case !at.repeats:
		return known, counted
	case at.block:
		return known * far, at.counter
	case counted != nil:
		counted = c.Node("mul", nil, counted, c.Constant(tensor.Scalar[int64](far)))
	}
	return known*far + at.turn, counted
}

// uniformUnit adds numbers of the uniform distribution in [0, 1).
func (c *lowering) uniformUnit(shape tensor.Shape) *graph.Value {
	return c.Node("mul", nil, c.bits(shape, 0), c.Number(1.0/(1<<24), tensor.Float32))
}

func uniform(c *lowering, shape tensor.Shape) *graph.Value {
	low, high := c.Float("low"), c.Float("high")
	y := c.Node("mul", nil, c.uniformUnit(shape), c.Number(high-low, tensor.Float32))
	return c.Node("add", nil, y, c.Number(low, tensor.Float32))
}

// normal makes normal numbers of two uniform ones each, by the method of Box and Muller: √(-2·ln u)·cos(2π·v) for u in (0, 1].
func normal(c *lowering, shape tensor.Shape) *graph.Value {
	number := func(x float64) *graph.Value { return c.Number(x, tensor.Float32) }
	u := c.Node("mul", nil, c.Node("add", nil, c.bits(shape, 0), number(1)), number(1.0/(1<<24)))
	radius := c.Node("sqrt", nil, c.Node("mul", nil, c.Node("log", nil, u), number(-2)))
	angle := c.Node("mul", nil, c.bits(shape, 1), number(2*math.Pi/(1<<24)))
	y := c.Node("mul", nil, radius, c.Node("cos", nil, angle))
	return c.Node("add", nil, c.Node("mul", nil, y, number(c.Float("scale"))), number(c.Float("mean")))
}

func bernoulli(c *lowering) []*graph.Value {
	d := c.ElemType("dtype")
	if d == tensor.Invalid {
		d = c.DType(0)
	}
	return one(c.Cast(c.Node("lt", nil, c.uniformUnit(c.Shape(0)), c.Cast(c.In(0), tensor.Float32)), d))
}

// multinomial counts for each sample the outcomes whose probabilities, together with those before them, do not exceed a uniform number.
func multinomial(c *lowering) []*graph.Value {
	s, samples := c.Shape(0), c.Int("sample_size")
	switch {
	case len(s) != 2 || s[1] == 0:
		c.failf("input", "it is %v; it must be a batch of one or more outcomes", c.In(0).Type)
	case samples < 0 || samples > math.MaxInt32:
		c.failf("sample_size", "%d samples are not possible", samples)
	}
	p := c.shares(c.Cast(c.In(0), tensor.Float32), 1)
	below := c.Section(c.Node("cumulative_sum", emit.Attr("axis", 1), p), 1, 0, s[1]-1)
	u := c.uniformUnit(tensor.Shape{s[0], samples})
	passed := c.Cast(c.Node("le", nil, c.Unsqueeze(below, 1), c.Unsqueeze(u, 2)), tensor.Int32)
	return one(c.Cast(c.Squeeze(c.Node("sum_reduce", emit.Attr("axes", []int{2}), passed), 2), c.ElemType("dtype")))
}

// dropout leaves the operand as it is unless it is asked to train: then elements are dropped, and the others grow by 1 / (1 - ratio).
func dropout(c *lowering) []*graph.Value {
	x := c.In(0)
	d := x.Type.DType
	train := false
	var ratio *graph.Value
	switch {
	case c.form.declared("is_test") != nil:
		train, ratio = !c.Flag("is_test"), c.bound("ratio")
	case c.form.declared("ratio") != nil:
		ratio = c.bound("ratio")
	default:
		if c.In(2) != nil {
			train = c.KnownFlag(2)
		}
		if ratio = c.Cast(c.scalar(1), d); ratio == nil {
			ratio = c.Number(0.5, d)
		}
	}
	masks := tensor.Bool
	if c.opset < 10 {
		masks = d
	}
	if !train {
		return []*graph.Value{x, c.Broadcast(c.Number(1, masks), x.Type.Shape...)}
	}
	kept := c.Node("ge", nil, c.uniformUnit(x.Type.Shape), c.Cast(ratio, tensor.Float32))
	scaled := c.Node("div", nil, x, c.Node("sub", nil, c.Number(1, d), ratio))
	return []*graph.Value{c.Node("select", nil, kept, scaled, c.Number(0, d)), c.Cast(kept, masks)}
}
