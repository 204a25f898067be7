package webnn

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Methods that compute each element of their result from the elements at the same place of their operands.

func unary(name, operator string) method {
	return method{name, list(operand("input")), nil, func(l *lowering) []*graph.Value {
		return one(l.Node(operator, nil, l.operand("input")))
	}}
}

// activation binds a method whose options are alpha and perhaps beta, with these defaults.
func activation(name, operator string, defaults ...float64) method {
	names := []string{"alpha", "beta"}[:len(defaults)]
	var options []param
	for i, n := range names {
		options = append(options, float(n, defaults[i]))
	}
	return method{name, list(operand("input")), options, func(l *lowering) []*graph.Value {
		x := l.operand("input")
		var a graph.Attrs
		for _, n := range names {
			a = append(a, graph.Attr{Name: n, Value: l.floatAs(n, x)})
		}
		return one(l.Node(operator, a, x))
	}}
}

func cast(l *lowering) []*graph.Value {
	l.checkOutputType("dataType")
	return one(l.Node("cast", emit.Attr("dtype", l.dtype("dataType")), l.operand("input")))
}

// checkOutputType checks that the parameter names a data type that the method's output may have.
func (l *lowering) checkOutputType(param string) {
	d := l.dtype(param)
	for _, row := range tensorLimits[l.name] {
		if row.name == "output" && !slices.Contains(row.types, d) {
			l.reject(param, "%s is %v; the output must be one of %v", param, d, row.types)
		}
	}
}

func clamp(l *lowering) []*graph.Value {
	x := l.operand("input")
	lo, hi := l.bound("minValue", x), l.bound("maxValue", x)
	if lo != nil && hi != nil && l.Err == nil && greater(lo.Const, hi.Const) {
		l.reject("bounds", "minValue %v is greater than maxValue %v, both cast to %v",
			l.values["minValue"], l.values["maxValue"], x.Type.DType)
	}
	return one(l.Node("clamp", nil, x, lo, hi))
}

// bound returns an option as a constant of the type of x, nil if it is absent or NaN, which bounds nothing.
func (l *lowering) bound(name string, x *graph.Value) *graph.Value {
	if f, isFloat := l.values[name].(float64); !l.has(name) || isFloat && f != f {
		return nil
	}
	return l.number(name, x.Type.DType)
}

// greater compares two scalars of one type. NaN is not greater than anything, nor is anything greater than NaN.
func greater(a, b *tensor.Tensor) bool {
	gt, _ := op.Lookup("gt")
	out, err := op.Eval(gt, []*tensor.Tensor{a, b}, nil)
	return err == nil && out[0].Bytes()[0] != 0
}

func binary(name, operator string) method {
	return method{name, list(operand("a"), operand("b")), nil, func(l *lowering) []*graph.Value {
		return one(l.Node(operator, nil, l.broadcast("a", "b")...))
	}}
}

func prelu(l *lowering) []*graph.Value {
	return one(l.Node("prelu", nil, l.broadcast("input", "slope")...))
}

// Logical values are uint8 in WebNN and bool in the operators.

func comparison(name, operator string) method {
	return method{name, list(operand("a"), operand("b")), nil, func(l *lowering) []*graph.Value {
		return one(l.Cast(l.Node(operator, nil, l.broadcast("a", "b")...), tensor.Uint8))
	}}
}

// predicate binds isNaN or isInfinite. Their table allows every data type, a step of their algorithm only floats.
func predicate(name, operator string) method {
	return method{name, list(operand("a")), nil, func(l *lowering) []*graph.Value {
		a := l.operand("a")
		if d := a.Type.DType; !d.IsFloat() {
			l.reject("a.dataType", "the data type of a is %v; it must be float32 or float16", d)
		}
		return one(l.Cast(l.Node(operator, nil, a), tensor.Uint8))
	}}
}

func logical(name, operator string) method {
	return method{name, list(operand("a"), operand("b")), nil, func(l *lowering) []*graph.Value {
		in := l.broadcast("a", "b")
		for i, v := range in {
			in[i] = l.Cast(v, tensor.Bool)
		}
		return one(l.Cast(l.Node(operator, nil, in...), tensor.Uint8))
	}}
}

func logicalNot(l *lowering) []*graph.Value {
	return one(l.Cast(l.Node("not", nil, l.Cast(l.operand("a"), tensor.Bool)), tensor.Uint8))
}

func where(l *lowering) []*graph.Value {
	in := l.broadcast("condition", "trueValue", "falseValue")
	in[0] = l.Cast(in[0], tensor.Bool)
	return one(l.Node("select", nil, in...))
}
