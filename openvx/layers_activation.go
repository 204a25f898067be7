package openvx

import (
	"github.com/concord-nn/concord/graph"
)

// activations are the functions of real numbers that an activation layer has.
var activations = map[Activation]func(l *lowering, x *graph.Value, a, b float32) *graph.Value{
	ActivationLogistic: plain("sigmoid"),
	ActivationHyperbolicTan: func(l *lowering, x *graph.Value, a, b float32) *graph.Value {
		return l.times(a, l.Node("tanh", nil, l.times(b, x)))
	},
	ActivationRelu: plain("relu"),
	ActivationBrelu: func(l *lowering, x *graph.Value, a, _ float32) *graph.Value {
		return l.Node("min", nil, l.Node("relu", nil, x), l.real(a))
	},
	ActivationSoftrelu: plain("softplus"),
	ActivationAbs:      plain("abs"),
	ActivationSquare:   plain("sqr"),
	ActivationSqrt:     plain("sqrt"),
	ActivationLinear: func(l *lowering, x *graph.Value, a, b float32) *graph.Value {
		return l.Node("add", nil, l.times(a, x), l.real(b))
	},
}

// plain is a function without parameters, which is an operator.
func plain(operator string) func(*lowering, *graph.Value, float32, float32) *graph.Value {
	return func(l *lowering, x *graph.Value, _, _ float32) *graph.Value { return l.Node(operator, nil, x) }
}

// times multiplies real numbers by a constant.
func (l *lowering) times(factor float32, x *graph.Value) *graph.Value {
	if factor == 1 {
		return x
	}
	return l.Node("mul", nil, x, l.real(factor))
}

func inferActivation(c *call) error {
	if err := firstOf(c.checkFormats(0), c.checkReal(2, 0, false), c.checkReal(3, 0, false)); err != nil {
		return err
	}
	if f := Activation(argument[Enum](c, 1)); activations[f] == nil {
		return c.wrong(1, ErrorInvalidValue, "gives %v; it must be a function from %v, %#x, to %v, %#x", f,
			ActivationLogistic, int32(ActivationLogistic), ActivationLinear, int32(ActivationLinear))
	}
	return c.complete(c.like(0, c.operands[0].dims...))
}

// lowerActivation computes in float32, apart from relu, which leaves nothing to round.
func lowerActivation(l *lowering) *graph.Value {
	f, a, b := Activation(argument[Enum](l.call, 1)), argument[float32](l.call, 2), argument[float32](l.call, 3)
	if f == ActivationRelu {
		return activations[f](l, l.values[0], a, b)
	}
	format := l.out().format
	return l.eachElement(l.values[0], func(x *graph.Value) *graph.Value {
		return l.fromReal(activations[f](l, l.toReal(x, format), a, b), format)
	})
}
