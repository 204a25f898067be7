package onnx

import (
	"math"
	"slices"
	"sort"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
)

// activationKind is a function that other operators apply: an operator of ours, and what its attributes are if nothing is said of them.
type activationKind struct {
	op       string
	attrs    []string
	defaults []float64
}

// activationKinds are the functions that fused operators name.
var activationKinds = map[string]activationKind{
	"Relu": {op: "relu"}, "Sigmoid": {op: "sigmoid"}, "Tanh": {op: "tanh"}, "Softplus": {op: "softplus"}, "Softsign": {op: "softsign"},
	"LeakyRelu":       {"leaky_relu", []string{"alpha"}, []float64{0.01}},
	"Elu":             {"elu", []string{"alpha"}, []float64{1}},
	"HardSigmoid":     {"hard_sigmoid", []string{"alpha", "beta"}, []float64{0.2, 0.5}},
	"Selu":            {"selu", []string{"alpha", "lambda"}, []float64{1.67326319217681884765625, 1.05070102214813232421875}},
	"Celu":            {"elu", []string{"alpha"}, []float64{1}},
	"ThresholdedRelu": {"select", []string{"alpha"}, []float64{1}},
	"Clip":            {"clamp", []string{"a", "b"}, []float64{-math.MaxFloat32, math.MaxFloat32}},
}

// activation applies the function of that name, with as many numbers as are given; none if there is no name.
func (c *lowering) activation(name string, v *graph.Value, numbers []float64) *graph.Value {
	if name == "" {
		return v
	}
	k, ok := activationKinds[name]
	if !ok {
		names := make([]string, 0, len(activationKinds))
		for n := range activationKinds {
			names = append(names, n)
		}
		sort.Strings(names)
		c.failf("activation", "%q is not supported; there are %q", name, names)
	}
	values := slices.Clone(k.defaults)
	copy(values, numbers)
	switch name {
	case "ThresholdedRelu":
		return c.thresholded(v, values[0])
	case "Celu":
		return c.celu(v, values[0])
	case "Clip":
		return c.Node("clamp", nil, v, c.Number(values[0], v.Type.DType), c.Number(values[1], v.Type.DType))
	}
	var attrs graph.Attrs
	for i, a := range k.attrs {
		attrs = append(attrs, emit.Attr(a, values[i])...)
	}
	return c.Node(k.op, attrs, v)
}

// given returns the numbers that the node states under some names, up to the first one that it does not state.
func (c *lowering) given(names ...string) []float64 {
	var out []float64
	for _, n := range names {
		if !c.Given(n) {
			break
		}
		out = append(out, c.Float(n))
	}
	return out
}
