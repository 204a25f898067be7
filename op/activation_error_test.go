package op_test

import (
	"math"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestActivationErrors holds activations to the errors that docs/numerics.md states for them, in units in the last place, from the left of zero on.
func TestActivationErrors(t *testing.T) {
	const samples = 4000
	for _, c := range []struct {
		op     string
		attrs  graph.Attrs
		f      func(x float64) float64
		bounds map[[2]float64]float64 // by range
	}{
		{"elu", nil, func(x float64) float64 { return math.Expm1(min(x, 0)) + max(x, 0) }, map[[2]float64]float64{{-110, 10}: 0.51, {-1e-3, 0}: 0.51}},
		{"gelu", nil, func(x float64) float64 { return x * 0.5 * math.Erfc(-x/math.Sqrt2) }, map[[2]float64]float64{{-15, 15}: 2.3, {-1e-3, 1e-3}: 2.3}},
		{"gelu", graph.AttrsOf("approximate", "tanh"), func(x float64) float64 {
			return x / (1 + math.Exp(-2*math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
		}, map[[2]float64]float64{{-2, 10}: 8, {-4, -2}: 25, {-6, -4}: 60, {-12, -6}: 210}},
		{"gelu", graph.AttrsOf("approximate", "sigmoid"), func(x float64) float64 { return x / (1 + math.Exp(-1.702*x)) },
			map[[2]float64]float64{{-2, 10}: 4, {-4, -2}: 7, {-6, -4}: 12, {-65, -6}: 110}},
		{"silu", nil, func(x float64) float64 { return x / (1 + math.Exp(-x)) }, map[[2]float64]float64{{-87, 30}: 2, {-110, -87}: 55}},
		{"softsign", nil, func(x float64) float64 { return x / (1 + math.Abs(x)) }, map[[2]float64]float64{{-50, 50}: 2}},
		{"hard_swish", nil, func(x float64) float64 { return x * max(min(x+3, 6), 0) / 6 }, map[[2]float64]float64{{-2.9, 10}: 2}},
	} {
		for r, bound := range c.bounds {
			x := op.NewRand(1, 1).Uniform(tensor.Float32, tensor.Shape{samples}, r[0], r[1])
			in := tensor.Data[float32](x)
			for i, got := range apply[float32](t, c.op, c.attrs, x) {
				want := c.f(float64(in[i]))
				_, e := math.Frexp(want)
				if u := math.Abs(float64(got)-want) / math.Ldexp(1, max(e, -125)-24); !(u <= bound) {
					t.Errorf("%s %v of %v = %v, want %v: %.2f ULP, more than %v", c.op, c.attrs, in[i], got, want, u, bound)
					break
				}
			}
		}
	}
}
