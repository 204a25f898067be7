package op_test

import (
	"math"
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

func TestActivations(t *testing.T) {
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	elu := func(x, alpha float64) float64 {
		if x < 0 {
			return alpha * math.Expm1(x)
		}
		return x
	}
	for _, c := range []struct {
		op    string
		attrs graph.Attrs
		f     func(x float64) float64
	}{
		{"relu", nil, func(x float64) float64 { return max(x, 0) }},
		{"leaky_relu", nil, func(x float64) float64 { return max(x, 0) + 0.01*min(x, 0) }},
		{"leaky_relu", graph.Attrs{{Name: "alpha", Value: 2.0}}, func(x float64) float64 { return max(x, 0) + 2*min(x, 0) }},
		{"elu", nil, func(x float64) float64 { return elu(x, 1) }},
		{"elu", graph.Attrs{{Name: "alpha", Value: -0.5}}, func(x float64) float64 { return elu(x, -0.5) }},
		{"selu", nil, func(x float64) float64 { return 1.05070102 * elu(x, 1.67326319) }},
		{"gelu", nil, func(x float64) float64 { return 0.5 * x * (1 + math.Erf(x/math.Sqrt2)) }},
		{"gelu", graph.Attrs{{Name: "approximate", Value: "tanh"}}, func(x float64) float64 {
			return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
		}},
		{"gelu", graph.Attrs{{Name: "approximate", Value: "sigmoid"}}, func(x float64) float64 { return x * sigmoid(1.702*x) }},
		{"silu", nil, func(x float64) float64 { return x * sigmoid(x) }},
		{"sigmoid", nil, sigmoid},
		{"hard_sigmoid", nil, func(x float64) float64 { return max(0, min(1, 0.2*x+0.5)) }},
		{"hard_sigmoid", graph.Attrs{{Name: "alpha", Value: -1.0}, {Name: "beta", Value: 0.25}},
			func(x float64) float64 { return max(0, min(1, -x+0.25)) }},
		{"hard_swish", nil, func(x float64) float64 { return x * max(0, min(6, x+3)) / 6 }},
		{"softplus", nil, func(x float64) float64 { return math.Log1p(math.Exp(x)) }},
		{"softsign", nil, func(x float64) float64 { return x / (1 + math.Abs(x)) }},
		{"affine", graph.Attrs{{Name: "alpha", Value: -1.5}, {Name: "beta", Value: 3.0}}, func(x float64) float64 { return -1.5*x + 3 }},
	} {
		x := op.NewRand(3, 1).Uniform(tensor.Float32, tensor.Shape{400}, -12, 12)
		closeTo(t, c.op, tensor.Data[float32](x), apply[float32](t, c.op, c.attrs, x), c.f, 1e-6)
	}
}

// TestHardSwishOfGreatNumbers compares with the formula as it is written, and where that overflows with x.
func TestHardSwishOfGreatNumbers(t *testing.T) {
	x := []float32{-math.MaxFloat32, 0x1.555554p125, 0x1.555556p125, 1e38, math.MaxFloat32}
	equalFloats(t, "hard_swish", apply[float32](t, "hard_swish", nil, vec(x...)), append([]float32{negZero}, x[1:]...))
	if got := apply[float64](t, "hard_swish", nil, vec(1e308, math.MaxFloat64)); got[0] != 1e308 || got[1] != math.MaxFloat64 {
		t.Errorf("hard_swish of great float64: %v", got)
	}
	r := op.NewRand(1, 1)
	list := make([]float32, 10000)
	for i := range list {
		list[i] = float32(math.Ldexp(float64(r.Float32())*2-1, r.IntN(125)-90))
	}
	want := make([]float32, len(list))
	for i, v := range list {
		want[i] = float32(v*max(min(v+3, 6), 0)) / 6
	}
	equalFloats(t, "hard_swish", apply[float32](t, "hard_swish", nil, vec(list...)), want)
}

func TestActivationSpecialValues(t *testing.T) {
	x := []float32{0, negZero, inf, -inf, nan, 100, -100}
	for _, c := range []struct {
		op   string
		want []float32
	}{
		{"relu", []float32{0, 0, inf, 0, nan, 100, 0}},
		{"leaky_relu", []float32{0, negZero, inf, -inf, nan, 100, -1}},
		{"elu", []float32{0, negZero, inf, -1, nan, 100, -1}},
		{"sigmoid", []float32{0.5, 0.5, 1, 0, nan, 1}},
		{"hard_sigmoid", []float32{0.5, 0.5, 1, 0, nan, 1, 0}},
		{"hard_swish", []float32{0, negZero, inf, nan, nan, 100, negZero}},
		{"softplus", []float32{math.Ln2, math.Ln2, inf, 0, nan, 100}},
		{"softsign", []float32{0, negZero, nan, nan, nan, 0.990099, -0.990099}},
		{"affine", []float32{0, 0, inf, -inf, nan, 100, -100}},
		{"silu", []float32{0, negZero, inf, nan, nan, 100}},
	} {
		equalFloats(t, c.op, apply[float32](t, c.op, nil, vec(x...))[:len(c.want)], c.want)
	}
}

// TestGeluDoesNotCancel compares relative errors far out on the left, where 1 + erf and 1 + tanh would lose every digit.
func TestGeluDoesNotCancel(t *testing.T) {
	x := []float32{-2, -3, -4, -5, -6, -8, -10, -12}
	want := []float64{-0.0455002638964, -0.00404969409489, -0.000126684967332, -1.4332578594e-6, -5.91952587023e-9, -4.97676845942e-15, -7.61985302416e-23, -2.13178e-32}
	check := func(d tensor.DType, bound float64) {
		in := must(tensor.Cast(vec(x...), d))
		out := must(tensor.Cast(must(op.Eval(def("gelu"), []*tensor.Tensor{in}, nil))[0], tensor.Float64))
		for i, got := range tensor.Data[float64](out) {
			if d == tensor.Float16 && i > 3 { // nearly nothing, or nothing
				break
			}
			if !(math.Abs(got/want[i]-1) < bound) {
				t.Errorf("gelu(%v) of %v = %v, want %v", x[i], d, got, want[i])
			}
		}
	}
	check(tensor.Float64, 1e-5)
	check(tensor.Float32, 1e-5)
	check(tensor.BFloat16, 1./256)
	check(tensor.Float16, 1./8)
}

// TestGeluTanhDoesNotCancel is the same of the approximation by tanh.
func TestGeluTanhDoesNotCancel(t *testing.T) {
	x := []float32{-4, -5, -6, -7}
	for i, got := range apply[float32](t, "gelu", graph.Attrs{{Name: "approximate", Value: "tanh"}}, vec(x...)) {
		v := float64(x[i])
		u := 2 * math.Sqrt(2/math.Pi) * (v + 0.044715*v*v*v)
		if want := v / (1 + math.Exp(-u)); math.Abs(float64(got)/want-1) > 1e-5 {
			t.Errorf("gelu(%v) = %v, want %v", v, got, want)
		}
	}
}

func TestPrelu(t *testing.T) {
	x := must(tensor.FromSlice([]float32{-1, 2, -3, nan, negZero, 6}, 2, 3))
	alpha := must(tensor.FromSlice([]float32{0.5, 2, -1}, 1, 3))
	equalFloats(t, "prelu", apply[float32](t, "prelu", nil, x, alpha), []float32{-0.5, 2, 3, nan, negZero, 6})
	if got := apply[int8](t, "prelu", nil, vec[int8](-128, -100, 5), tensor.Scalar[int8](3)); !slices.Equal(got, []int8{-128, -44, 5}) {
		t.Errorf("prelu of int8 = %v", got)
	}
	rejected(t, "prelu", nil, vec[uint8](1), vec[uint8](1))
}
