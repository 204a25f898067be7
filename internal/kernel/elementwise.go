package kernel

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// formula says which steps an element-wise operator on float32 or truths is.
type formula struct {
	steps func(b *chainBuilder, n *graph.Node, in []int)
	// channels says that operands of one dimension belong to the axis of that attribute.
	channels string
}

// axis returns the axis to which operands of one dimension belong.
func (f *formula) axis(n *graph.Node) int {
	if f.channels == "" {
		return 0
	}
	return n.Attrs.Int(f.channels)
}

// by is the formula of an operator that one routine computes, with attributes as parameters.
//
//go:noinline // tables of kernels would hold it more than once
func by(routine string, attrs ...string) formula {
	return formula{steps: func(b *chainBuilder, n *graph.Node, in []int) {
		p := make([]float32, len(attrs))
		for i, name := range attrs {
			p[i] = float32(n.Attrs.Float(name))
		}
		b.step(routine, in, p...)
	}}
}

// elementFormulas has the operators that are computed in vectors.
var elementFormulas = withSimple(map[string]formula{
	"leaky_relu":   by("leaky_relu", "alpha"),
	"hard_sigmoid": by("hard_sigmoid", "alpha", "beta"),
	"affine":       by("affine", "alpha", "beta"),
	"elu":          by("elu", "alpha"),
	"selu":         by("selu", "alpha", "lambda"),
	"pow": {steps: func(b *chainBuilder, n *graph.Node, in []int) {
		if y := n.In[1].Const; y == nil || y.Len() != 1 || !b.pow(in[0], tensor.Data[float32](y)[0]) {
			b.step("pow", in)
		}
	}},
	"gelu": {steps: func(b *chainBuilder, n *graph.Node, in []int) {
		b.step(map[string]string{"none": "gelu", "tanh": "gelu_tanh", "sigmoid": "gelu_sigmoid"}[n.Attrs.String("approximate")], in)
	}},
	"clamp": {steps: func(b *chainBuilder, n *graph.Node, in []int) {
		x := in[0]
		if len(in) > 2 && in[2] != none {
			if in[1] == previous {
				b.ok = false // the first step would overwrite what the second one needs
			}
			b.step("min", []int{x, in[2]})
			x = previous
		}
		if len(in) > 1 && in[1] != none {
			b.step("max", []int{x, in[1]})
			x = previous
		}
		b.ok = b.ok && x == previous
	}},
	"cast": {steps: func(b *chainBuilder, n *graph.Node, in []int) {
		from, to := n.In[0].Type.DType, n.Out[0].Type.DType
		if in[0] == previous {
			from = tensor.Float32 // between steps
		}
		if from != tensor.Float32 && to != tensor.Float32 {
			if from.IsInteger() && to.IsInteger() || from == to {
				b.ok = false // such a cast keeps the low bits, or a float16
			}
			b.cast(in[0], from, tensor.Float32)
			in, from = []int{previous}, tensor.Float32
		}
		switch {
		case from != tensor.Float32:
			b.cast(in[0], from, to)
		case to == tensor.Bool:
			b.step("ne", []int{in[0], b.number(0)})
		case to == tensor.Float16 && n != b.last():
			b.step("half", in)
		case to != tensor.Float32:
			b.cast(in[0], from, to)
		case in[0] != previous:
			b.ok = false
		}
	}},
	"batch_normalization": {steps: normalizeChannels, channels: "axis"},
	"sin":                 moderately("sin", fmath.Sin[float32]),
	"cos":                 moderately("cos", fmath.Cos[float32]),
	"tan":                 moderately("tan", fmath.Tan[float32]),

	// A truth is 1 or 0.
	"and":    by("mul"),
	"or":     by("max"),
	"xor":    by("ne"),
	"not":    {steps: func(b *chainBuilder, _ *graph.Node, in []int) { b.step("eq", []int{in[0], b.number(0)}) }},
	"is_nan": {steps: func(b *chainBuilder, _ *graph.Node, in []int) { b.step("ne", []int{in[0], in[0]}) }},
	"is_infinite": {steps: func(b *chainBuilder, _ *graph.Node, in []int) {
		b.step("abs", in)
		b.step("eq", []int{previous, b.number(-negativeInfinity)})
	}},
})

// withSimple adds the operators that a routine of their name computes.
func withSimple(all map[string]formula) map[string]formula {
	for _, name := range []string{
		"neg", "abs", "sign", "floor", "ceil", "round", "round_even", "rcp", "sqr", "rsqr", "sqrt", "rsqrt", "exp", "log", "log2", "tanh", "erf",
		"asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh",
		"relu", "silu", "sigmoid", "hard_swish", "softplus", "softsign",
		"add", "sub", "mul", "div", "max", "min", "prelu",
		"eq", "ne", "lt", "le", "gt", "ge", "select",
	} {
		all[name] = by(name)
	}
	return all
}

// moderately is the formula of a function whose routine is for |x| < 2¹⁵.
func moderately(routine string, function func(x float32) float32) formula {
	return formula{steps: func(b *chainBuilder, _ *graph.Node, in []int) {
		b.step(routine, in)
		if b.ok {
			s := &b.steps[len(b.steps)-1]
			s.any, s.below, s.greatest, s.least = function, 1<<15, b.tier.Fold["max"], b.tier.Fold["min"]
		}
	}}
}

// pow adds the step x to the power of y, if y is a number for which there is a routine.
func (b *chainBuilder) pow(x int, y float32) bool {
	routine, p, ok := powerOf(y)
	if ok {
		b.step(routine, []int{x}, p...)
	}
	return ok
}

// powerOf returns the routine for an exponent and its parameters; not for 0, infinities and NaN.
func powerOf(y float32) (routine string, p []float32, ok bool) {
	ofZero, ofInfinity := float32(0), -negativeInfinity
	if y < 0 {
		ofZero, ofInfinity = ofInfinity, ofZero
	}
	whole := float64(y)
	switch {
	case y == 0 || y-y != 0:
		return "", nil, false
	case y == 2:
		return "sqr", nil, true
	case y == 3:
		return "cube", nil, true
	case math.Trunc(whole) != whole:
		return "pow_fraction", []float32{y, 0, ofZero, ofInfinity}, true
	case math.Abs(math.Mod(whole, 2)) == 1:
		return "pow_whole", []float32{y, float32(math.Copysign(0, -1)), ofZero, ofInfinity}, true
	}
	return "pow_whole", []float32{y, 0, ofZero, ofInfinity}, true
}

// normalizeChannels is batch_normalization: fma(x - mean, k, offset), with k being computed for all channels before.
func normalizeChannels(b *chainBuilder, n *graph.Node, in []int) {
	for i, v := range n.In[1:] {
		if in[1+i] == previous || v != nil && v.Type.Shape.Equal(b.shape) {
			b.ok = false // it may be there in another order than that of channels
			return
		}
	}
	in = append(in, none, none)[:5]
	k, scale := b.operands[in[2]], operand{from: -1, number: 1, extent: 1}
	if in[4] != none {
		scale = b.operands[in[4]]
	}
	if scale.extent > k.extent {
		k = scale
	}
	k.stride = slices.Clone(k.stride)
	k.prepare = factors(b.operands[in[2]].from, scale, float32(n.Attrs.Float("epsilon")), k.extent)
	if in[3] == none {
		in[3] = b.number(0)
	}
	b.operands = append(b.operands, k)
	b.step("normalize", []int{in[0], in[1], len(b.operands) - 1, in[3]})
}

// factors returns the function that computes (1/√(variance + epsilon))·scale.
func factors(variance int, scale operand, epsilon float32, n int) func(c *op.Call, to []float32) {
	return func(c *op.Call, to []float32) {
		v, s := tensor.Data[float32](c.In[variance]), scale.data(c)
		for i := range to[:n] {
			to[i] = fmath.Rsqrt(v[i%len(v)] + epsilon)
			if s != nil {
				to[i] *= s[i%len(s)]
			}
		}
	}
}

// member is an operator of a sequence, each of which reads what the one before it yields.
type member struct {
	op   string
	with partner
}

// partner is what a member reads beside what the one before it yields, or the first one beside what the sequence is a function of.
type partner uint8

const (
	_      partner = iota
	number         // which is a parameter of the routine
	same           // what the sequence is a function of
)

// geluByErf is how networks write GELU that were made before ONNX had an operator for it. The routine gelu_by_erf computes it at once.
var geluByErf = []member{{"div", number}, {op: "erf"}, {"add", number}, {"mul", same}, {"mul", number}}

// geluAgain is which operand of the call is what GELU is a function of once more.
const geluAgain = 3

// isGeluByErf reports whether nodes begin with that, and returns the parameters of the routine.
func isGeluByErf(nodes []*graph.Node) (p []float32, ok bool) {
	if len(nodes) < len(geluByErf) {
		return nil, false
	}
	x := nodes[0].In[0]
	for i, m := range geluByErf {
		n, other := nodes[i], 1
		if i > 0 && len(n.In) > 1 && n.In[1] == nodes[i-1].Out[0] {
			other = 0
		}
		if n.Op != m.op || other == 0 && m.op == "div" {
			return nil, false
		}
		switch m.with {
		case number:
			c := n.In[other].Const
			if c == nil || c.Len() != 1 {
				return nil, false
			}
			p = append(p, tensor.Data[float32](c)[0])
		case same:
			if n.In[other] != x {
				return nil, false
			}
		}
	}
	return p, x.Type.DType == tensor.Float32 && x.Type.Shape.Equal(nodes[len(geluByErf)-1].Out[0].Type.Shape)
}

// slow has the routines that take longer than reading and writing elements: nanoseconds for sixteen, about.
var slow = map[string]int{
	"exp": 5, "log": 6, "tanh": 8, "erf": 9, "sigmoid": 6, "silu": 7, "gelu": 11, "gelu_sigmoid": 8, "gelu_tanh": 9, "gelu_by_erf": 11, "softplus": 16,
	"rsqrt": 14, "expm1": 20, "sin": 10, "cos": 10, "tan": 18, "elu": 20, "selu": 22, "log2": 22, "pow_whole": 45, "pow_fraction": 45, "pow": 90,
	"asin": 26, "acos": 28, "atan": 27, "sinh": 40, "cosh": 38, "asinh": 55, "acosh": 50, "atanh": 45, "cube": 4, "div": 2, "rcp": 2, "sqrt": 3, "hard_swish": 2, "softsign": 2,
}

// elementRows returns the rows of element-wise operators on float32 and on truths.
func elementRows(t *simd.Tier) []Kernel {
	if t.Elements == nil {
		return nil
	}
	var rows []Kernel
	for _, d := range op.All() {
		if _, ok := elementFormulas[d.Name]; ok {
			in := float32s | op.Bools
			if d.Name == "cast" {
				in |= bits8 | bits16 | op.TypeSet(tensor.Int32, tensor.Float16)
			}
			types := []op.Types{in & d.In[0].Types}
			if d.Name == "select" {
				types = append(types, float32s)
			}
			rows = append(rows, Kernel{Name: "elements", Op: d.Name, In: types, Prepare: elementwise(t)})
		}
	}
	return rows
}
