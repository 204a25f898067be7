package webnn_test

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// rounded is the reason of most differences.
const rounded = "for the emulation rounds after every step, in float16 to 11 bits, where the operator rounds once or at the end"

// emulations is the table of emulations, in the order of the specification.
var emulations = []emulation{
	{"batchNormalization", floatTypes, func(e *emulator) ([]any, webnn.Options) {
		shape := e.shape(2)
		axis := e.r.IntN(len(shape))
		n, o := shape[axis], webnn.Options{"axis": axis, "epsilon": 0.25}
		e.optional(o, "scale", n)
		e.optional(o, "bias", n)
		return []any{e.input(shape...), e.input(n), e.uniform(0.5, 4, n)}, o
	}, func(e *emulator, args []any, o webnn.Options) []*webnn.Operand {
		x, mean, variance := args[0].(*webnn.Operand), args[1].(*webnn.Operand), args[2].(*webnn.Operand)
		shape := slices.Repeat([]int{1}, len(x.Shape()))
		shape[o["axis"].(int)] = mean.Shape()[0]
		return one(e.normalized(x, e.reshape(mean, shape...), e.reshape(variance, shape...), o, shape))
	}, 4, 4, rounded},
	{"clamp", anyDataTypes, func(e *emulator) ([]any, webnn.Options) {
		o := webnn.Options{}
		lo, hi := e.r.IntN(len(bounds)), e.r.IntN(len(bounds))
		if e.r.Bool() {
			o["minValue"] = bounds[min(lo, hi)]
		}
		if e.r.Bool() {
			o["maxValue"] = bounds[max(lo, hi)]
		}
		if e.r.IntN(8) == 0 {
			o[[]string{"minValue", "maxValue"}[e.r.IntN(2)]] = webnn.Float(math.NaN())
		}
		return []any{e.wild(e.shape(0)...)}, o
	}, func(e *emulator, args []any, o webnn.Options) []*webnn.Operand {
		x := args[0].(*webnn.Operand)
		if v, ok := o["minValue"].(webnn.Number); ok && !isNaN(v) {
			x = e.max(x, e.made(e.b.ConstantNumber(x.DataType(), v)))
		}
		if v, ok := o["maxValue"].(webnn.Number); ok && !isNaN(v) {
			x = e.min(x, e.made(e.b.ConstantNumber(x.DataType(), v)))
		}
		return one(x)
	}, bits, bits, ""},
	{"sign", signedTypes, func(e *emulator) ([]any, webnn.Options) {
		return []any{e.wild(e.shape(0)...)}, nil
	}, func(e *emulator, args []any, _ webnn.Options) []*webnn.Operand {
		x := args[0].(*webnn.Operand)
		zero := e.constant(x, 0)
		negative := e.call("where", e.call("lesser", x, zero), e.constant(x, -1), zero)
		return one(e.call("where", e.call("greater", x, zero), e.constant(x, 1), negative))
	}, bits, bits, ""},
	{"dequantizeLinear", floatTypes, func(e *emulator) ([]any, webnn.Options) {
		scale, zero, shape := e.quantization()
		return []any{e.data(e.r.Tensor(zero.DataType(), shape)), scale, zero}, nil
	}, func(e *emulator, args []any, _ webnn.Options) []*webnn.Operand {
		x, scale, zero := args[0].(*webnn.Operand), args[1].(*webnn.Operand), args[2].(*webnn.Operand)
		shape := x.Shape()
		difference := e.sub(e.cast(x, scale.DataType()), e.blockwise(e.cast(zero, scale.DataType()), shape))
		return one(e.mul(difference, e.blockwise(scale, shape)))
	}, bits, bits, ""},
	{"quantizeLinear", floatTypes, func(e *emulator) ([]any, webnn.Options) {
		scale, zero, shape := e.quantization()
		return []any{e.uniform(-20, 20, shape...), scale, zero}, nil
	}, func(e *emulator, args []any, _ webnn.Options) []*webnn.Operand {
		x, scale, zero := args[0].(*webnn.Operand), args[1].(*webnn.Operand), args[2].(*webnn.Operand)
		y := e.call("roundEven", e.call("div", x, e.blockwise(scale, x.Shape())))
		y = e.add(y, e.blockwise(e.cast(zero, scale.DataType()), x.Shape()))
		least, most := zero.DataType().IntRange() // 0 and 255 in the specification, which writes it for uint8
		y = e.call("clamp", y, webnn.Options{"minValue": float64(least), "maxValue": float64(most)})
		return one(e.cast(y, zero.DataType()))
	}, 0, 1, "for the emulation rounds a quotient to float16 before it rounds it to an integer"},
	activation("elu", func(e *emulator, x *webnn.Operand, o webnn.Options) *webnn.Operand {
		zero, alpha := e.constant(x, 0), e.constant(x, option(o, "alpha", 1))
		return e.add(e.max(zero, x), e.mul(alpha, e.sub(e.call("exp", e.min(zero, x)), e.constant(x, 1))))
	}, 2, 2, "for exp(x) - 1 cancels and is rounded twice, in float16 to 11 bits", "alpha"),
	activation("gelu", func(e *emulator, x *webnn.Operand, _ webnn.Options) *webnn.Operand {
		phi := e.add(e.constant(x, 1), e.call("erf", e.call("div", x, e.call("sqrt", e.constant(x, 2)))))
		return e.mul(e.mul(x, e.constant(x, 0.5)), phi)
	}, 2, 2, rounded),
	{"gemm", floatTypes, func(e *emulator) ([]any, webnn.Options) {
		m, k, n := e.r.Extent(), e.r.Extent(), e.r.Extent()
		a, b := []int{m, k}, []int{k, n}
		o := webnn.Options{"aTranspose": e.r.Bool(), "bTranspose": e.r.Bool()}
		if o["aTranspose"].(bool) {
			slices.Reverse(a)
		}
		if o["bTranspose"].(bool) {
			slices.Reverse(b)
		}
		e.number(o, "alpha")
		e.number(o, "beta")
		if e.r.Bool() {
			o["c"] = e.input([][]int{{}, {1}, {n}, {1, n}, {m, 1}, {m, n}}[e.r.IntN(6)]...)
		}
		return []any{e.input(a...), e.input(b...)}, o
	}, func(e *emulator, args []any, o webnn.Options) []*webnn.Operand {
		a, b := args[0].(*webnn.Operand), args[1].(*webnn.Operand)
		if o["aTranspose"].(bool) {
			a = e.call("transpose", a)
		}
		if o["bTranspose"].(bool) {
			b = e.call("transpose", b)
		}
		y := e.call("matmul", e.mul(e.constant(a, option(o, "alpha", 1)), a), b)
		if c, ok := o["c"].(*webnn.Operand); ok {
			y = e.add(y, e.mul(e.constant(a, option(o, "beta", 1)), c))
		}
		return one(y)
	}, 32, 32, "for the emulation multiplies by alpha before the sum, and the sum may cancel"},
	{"gru", floatTypes, gruTrial, emulateGru, bits, 8, "for the operator keeps its state in float32 between steps"},
	{"gruCell", floatTypes, gruCellTrial, emulateGruCell, 0, 4, rounded},
	activation("hardSigmoid", func(e *emulator, x *webnn.Operand, o webnn.Options) *webnn.Operand {
		y := e.add(e.mul(e.constant(x, option(o, "alpha", 0.2)), x), e.constant(x, option(o, "beta", 0.5)))
		return e.max(e.min(y, e.constant(x, 1)), e.constant(x, 0))
	}, 2, 2, rounded, "alpha", "beta"),
	activation("hardSwish", func(e *emulator, x *webnn.Operand, _ webnn.Options) *webnn.Operand {
		y := e.mul(x, e.max(e.constant(x, 0), e.min(e.constant(x, 6), e.add(x, e.constant(x, 3)))))
		return e.call("div", y, e.constant(x, 6))
	}, 0, 2, rounded),
	{"instanceNormalization", floatTypes, func(e *emulator) ([]any, webnn.Options) {
		shape := e.r.Shape(4, 4)
		o := webnn.Options{"epsilon": 0.25, "layout": [2]string{"nchw", "nhwc"}[e.r.IntN(2)]}
		n := shape[channelAxis(o)]
		e.optional(o, "scale", n)
		e.optional(o, "bias", n)
		return []any{e.input(shape...)}, o
	}, func(e *emulator, args []any, o webnn.Options) []*webnn.Operand {
		x, channel := args[0].(*webnn.Operand), channelAxis(o)
		axes := []int{2, 3}
		if channel == 3 {
			axes = []int{1, 2}
		}
		shape := []int{1, 1, 1, 1}
		shape[channel] = x.Shape()[channel]
		mean, variance := e.moments(x, axes)
		return one(e.normalized(x, mean, variance, o, shape))
	}, 4, 4, rounded},
	{"layerNormalization", floatTypes, func(e *emulator) ([]any, webnn.Options) {
		shape := e.shape(1)
		o := webnn.Options{"epsilon": 0.25}
		axes := leading(len(shape))
		if e.r.Bool() {
			axes = e.r.Perm(len(shape))[:e.r.IntN(len(shape)+1)]
			o["axes"] = axes
		}
		params := make([]int, len(axes))
		for i, a := range axes {
			params[i] = shape[a]
		}
		e.optional(o, "scale", params...)
		e.optional(o, "bias", params...)
		return []any{e.input(shape...)}, o
	}, func(e *emulator, args []any, o webnn.Options) []*webnn.Operand {
		x := args[0].(*webnn.Operand)
		axes, ok := o["axes"].([]int)
		if !ok {
			axes = leading(len(x.Shape()))
		}
		mean, variance := e.moments(x, axes)
		// The parameters have the dimensions in the order of the axes.
		ascending := leading(len(axes) + 1)
		for i := range ascending {
			ascending[i]--
		}
		slices.SortFunc(ascending, func(i, j int) int { return axes[i] - axes[j] })
		shape := slices.Repeat([]int{1}, len(x.Shape()))
		for _, a := range axes {
			shape[a] = x.Shape()[a]
		}
		moved := webnn.Options{"epsilon": o["epsilon"]}
		for _, name := range []string{"scale", "bias"} {
			if p, ok := o[name].(*webnn.Operand); ok {
				moved[name] = e.call("transpose", p, webnn.Options{"permutation": ascending})
			}
		}
		return one(e.normalized(x, mean, variance, moved, shape))
	}, 4, 4, rounded},
	activation("leakyRelu", func(e *emulator, x *webnn.Operand, o webnn.Options) *webnn.Operand {
		zero, alpha := e.constant(x, 0), e.constant(x, option(o, "alpha", 0.01))
		return e.add(e.max(zero, x), e.mul(alpha, e.min(zero, x)))
	}, 0, 0, "", "alpha"),
	activation("linear", func(e *emulator, x *webnn.Operand, o webnn.Options) *webnn.Operand {
		return e.add(e.mul(x, e.constant(x, option(o, "alpha", 1))), e.constant(x, option(o, "beta", 0)))
	}, 2, 2, "for the emulation rounds the product, and the sum may cancel", "alpha", "beta"),
	{"lstm", floatTypes, lstmTrial, emulateLstm, bits, 8, "for the operator keeps its states in float32 between steps"},
	{"lstmCell", floatTypes, lstmCellTrial, emulateLstmCell, 0, 4, rounded},
	{"prelu", signedTypes, func(e *emulator) ([]any, webnn.Options) {
		shape := e.shape(0)
		return []any{e.wild(shape...), e.input(e.r.Broadcastable(shape)...)}, nil
	}, func(e *emulator, args []any, _ webnn.Options) []*webnn.Operand {
		x, slope := args[0].(*webnn.Operand), args[1].(*webnn.Operand)
		zero := e.constant(x, 0)
		return one(e.add(e.max(zero, x), e.mul(slope, e.min(zero, x))))
	}, 0, 0, ""},
	reduction("reduceLogSum", floatTypes, 0.25, 4, func(e *emulator, x *webnn.Operand, o webnn.Options) *webnn.Operand {
		return e.call("log", e.call("reduceSum", x, o))
	}, bits, 2, rounded),
	reduction("reduceLogSumExp", floatTypes, -4, 4, func(e *emulator, x *webnn.Operand, o webnn.Options) *webnn.Operand {
		return e.call("log", e.call("reduceSum", e.call("exp", x), o))
	}, 2, 2, rounded),
	reduction("reduceSumSquare", append(slices.Clone(floatTypes), tensor.Int32, tensor.Uint32, tensor.Int64, tensor.Uint64), -4, 4,
		func(e *emulator, x *webnn.Operand, o webnn.Options) *webnn.Operand {
			return e.call("reduceSum", e.mul(x, x), o) // the text's pow(x, 2), whose exponent would be an operand
		}, 2, 2, rounded),
	activation("relu", func(e *emulator, x *webnn.Operand, _ webnn.Options) *webnn.Operand {
		return e.max(e.constant(x, 0), x)
	}, bits, bits, "").of(signedTypes),
	activation("sigmoid", func(e *emulator, x *webnn.Operand, _ webnn.Options) *webnn.Operand {
		return e.call("div", e.constant(x, 1), e.add(e.call("exp", e.call("neg", x)), e.constant(x, 1)))
	}, 2, 2, rounded),
	{"softmax", floatTypes, func(e *emulator) ([]any, webnn.Options) {
		shape := e.shape(1)
		return []any{e.input(shape...), e.r.IntN(len(shape))}, nil
	}, func(e *emulator, args []any, _ webnn.Options) []*webnn.Operand {
		x := args[0].(*webnn.Operand)
		along := webnn.Options{"axes": []int{args[1].(int)}, "keepDimensions": true}
		y := e.call("exp", e.sub(x, e.call("reduceMax", x, along)))
		return one(e.call("div", y, e.call("reduceSum", y, along)))
	}, bits, 1, rounded},
	activation("softplus", func(e *emulator, x *webnn.Operand, _ webnn.Options) *webnn.Operand {
		return e.call("log", e.add(e.call("exp", x), e.constant(x, 1)))
	}, 2, 2, rounded),
	activation("softsign", func(e *emulator, x *webnn.Operand, _ webnn.Options) *webnn.Operand {
		return e.call("div", x, e.add(e.constant(x, 1), e.call("abs", x)))
	}, bits, 2, rounded),
	{"split", anyDataTypes, func(e *emulator) ([]any, webnn.Options) {
		shape := e.shape(1)
		axis := e.r.IntN(len(shape))
		o := webnn.Options{"axis": axis}
		if e.r.Bool() {
			n := e.r.Between(1, 3)
			shape[axis] *= n
			return []any{e.input(shape...), n}, o
		}
		splits := []int(e.r.Shape(1, 4))
		shape[axis] = 0
		for _, n := range splits {
			shape[axis] += n
		}
		return []any{e.input(shape...), splits}, o
	}, emulateSplit, bits, bits, ""},
	activation("tanh", func(e *emulator, x *webnn.Operand, _ webnn.Options) *webnn.Operand {
		y := e.call("exp", e.mul(e.constant(x, 2), x))
		return e.call("div", e.sub(y, e.constant(x, 1)), e.add(y, e.constant(x, 1)))
	}, 2, 2, rounded),
	{"where", anyDataTypes, func(e *emulator) ([]any, webnn.Options) {
		shape := e.shape(0)
		condition := e.data(e.r.Integers(tensor.Uint8, e.r.Broadcastable(shape), 0, 3))
		return []any{condition, e.input(e.r.Broadcastable(shape)...), e.input(shape...)}, nil
	}, func(e *emulator, args []any, _ webnn.Options) []*webnn.Operand {
		x, y := args[1].(*webnn.Operand), args[2].(*webnn.Operand)
		c := e.call("clamp", args[0], webnn.Options{"minValue": 0.0, "maxValue": 1.0})
		return one(e.add(e.mul(x, e.cast(c, x.DataType())), e.mul(y, e.cast(e.call("logicalNot", c), y.DataType()))))
	}, 0, 0, ""},
}

// bounds are numbers of all kinds in ascending order, some of which only one type holds, or none.
var bounds = []webnn.Number{
	webnn.Float(-1 << 70), webnn.Int(math.MinInt64), webnn.Int(-1<<53 - 1), webnn.Float(-1.75),
	webnn.Float(0), webnn.Int(5), webnn.Float(12.5), webnn.Int(1<<53 + 1), webnn.Uint(1<<63 + 1), webnn.Float(1 << 70),
}

func isNaN(n webnn.Number) bool {
	f, ok := n.(webnn.Float)
	return ok && math.IsNaN(float64(f))
}

func one(x *webnn.Operand) []*webnn.Operand { return []*webnn.Operand{x} }

// single is an emulation of a method of one operand.
type single func(e *emulator, x *webnn.Operand, o webnn.Options) *webnn.Operand

// activation is the emulation of a method of one operand, whose options are these numbers.
func activation(method string, emulate single, float32s, float16s float64, why string, options ...string) emulation {
	return emulation{method, floatTypes, func(e *emulator) ([]any, webnn.Options) {
		o := webnn.Options{}
		for _, name := range options {
			e.number(o, name)
		}
		return []any{e.input(e.shape(0)...)}, o
	}, func(e *emulator, args []any, o webnn.Options) []*webnn.Operand {
		return one(emulate(e, args[0].(*webnn.Operand), o))
	}, float32s, float16s, why}
}

// of returns the emulation for other types.
func (m emulation) of(types []tensor.DType) emulation {
	m.types = types
	return m
}

// reduction is the emulation of a reduction of elements from lo to hi.
func reduction(method string, types []tensor.DType, lo, hi float64, emulate single, float32s, float16s float64, why string) emulation {
	return emulation{method, types, func(e *emulator) ([]any, webnn.Options) {
		shape := e.shape(0)
		o := webnn.Options{"keepDimensions": e.r.Bool()}
		if e.r.Bool() {
			o["axes"] = e.r.Perm(len(shape))[:e.r.IntN(len(shape)+1)]
		}
		return []any{e.uniform(lo, hi, shape...)}, o
	}, func(e *emulator, args []any, o webnn.Options) []*webnn.Operand {
		return one(emulate(e, args[0].(*webnn.Operand), o))
	}, float32s, float16s, why}
}

// option returns an option that is a number, or its default.
func option(o webnn.Options, name string, fallback float64) float64 {
	if v, ok := o[name].(float64); ok {
		return v
	}
	return fallback
}

// leading returns the dimensions from the second on.
func leading(rank int) []int {
	axes := []int{}
	for i := 1; i < rank; i++ {
		axes = append(axes, i)
	}
	return axes
}

func channelAxis(o webnn.Options) int {
	if o["layout"] == "nhwc" {
		return 3
	}
	return 1
}

func emulateSplit(e *emulator, args []any, o webnn.Options) []*webnn.Operand {
	x, axis := args[0].(*webnn.Operand), o["axis"].(int)
	shape := x.Shape()
	splits, ok := args[1].([]int)
	if n, equal := args[1].(int); !ok && equal {
		splits = slices.Repeat([]int{shape[axis] / n}, n)
	}
	starts, sizes := make([]int, len(shape)), slices.Clone([]int(shape))
	var out []*webnn.Operand
	for _, n := range splits {
		sizes[axis] = n
		out = append(out, e.call("slice", x, slices.Clone(starts), slices.Clone(sizes)))
		starts[axis] += n
	}
	return out
}

// quantization draws a scale, a zero point and the shape of an input that they serve in blocks.
func (e *emulator) quantization() (scale, zero *webnn.Operand, shape []int) {
	small := e.r.Shape(0, 4)
	for _, n := range small {
		shape = append(shape, n*e.r.Between(1, 3))
	}
	types := []tensor.DType{tensor.Int32, tensor.Uint32, tensor.Int8, tensor.Uint8}
	return e.uniform(0.0625, 2, small...), e.data(e.r.Tensor(types[e.r.IntN(len(types))], small)), shape
}

// blockwise repeats every element of x along each dimension, to fill a block of the shape.
func (e *emulator) blockwise(x *webnn.Operand, shape []int) *webnn.Operand {
	for axis, n := range shape {
		s := x.Shape().Clone()
		if s[axis] == n {
			continue
		}
		before, after := s[:axis].Len(), s[axis+1:].Len()
		y := e.reshape(x, before, s[axis], 1, after)
		y = e.call("expand", y, []int{before, s[axis], n / s[axis], after})
		s[axis] = n
		x = e.reshape(y, s...)
	}
	return x
}

// moments returns mean and variance along axes.
func (e *emulator) moments(x *webnn.Operand, axes []int) (mean, variance *webnn.Operand) {
	along := webnn.Options{"axes": axes, "keepDimensions": true}
	mean = e.call("reduceMean", x, along)
	return mean, e.call("reduceMean", e.call("pow", e.sub(x, mean), e.constant(x, 2)), along)
}

// normalized returns (x - mean) / √(variance + epsilon), multiplied by the option scale and with the option bias added, both
// brought into a shape.
func (e *emulator) normalized(x, mean, variance *webnn.Operand, o webnn.Options, shape []int) *webnn.Operand {
	epsilon := e.constant(x, option(o, "epsilon", 1e-5))
	y := e.call("div", e.sub(x, mean), e.call("sqrt", e.add(variance, epsilon)))
	if scale, ok := o["scale"].(*webnn.Operand); ok {
		y = e.mul(e.reshape(scale, shape...), y)
	}
	if bias, ok := o["bias"].(*webnn.Operand); ok {
		y = e.add(y, e.reshape(bias, shape...))
	}
	return y
}

// Shorthand for the methods that emulations use most.

func (s *sketch) add(a, b *webnn.Operand) *webnn.Operand { return s.made(s.b.Add(a, b, nil)) }
func (s *sketch) sub(a, b *webnn.Operand) *webnn.Operand { return s.made(s.b.Sub(a, b, nil)) }
func (s *sketch) mul(a, b *webnn.Operand) *webnn.Operand { return s.made(s.b.Mul(a, b, nil)) }
func (s *sketch) max(a, b *webnn.Operand) *webnn.Operand { return s.made(s.b.Max(a, b, nil)) }
func (s *sketch) min(a, b *webnn.Operand) *webnn.Operand { return s.made(s.b.Min(a, b, nil)) }
func (s *sketch) cast(x *webnn.Operand, d tensor.DType) *webnn.Operand {
	return s.made(s.b.Cast(x, d, nil))
}
func (s *sketch) reshape(x *webnn.Operand, shape ...int) *webnn.Operand {
	return s.made(s.b.Reshape(x, shape, nil))
}

// made returns an operand, and fails the test where the call is rejected.
func (s *sketch) made(o *webnn.Operand, err error) *webnn.Operand {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
	return o
}
