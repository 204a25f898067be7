package op_test

import (
	"math"
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// segment is a range of arguments, and the largest error there in units in the last place.
type segment struct{ first, last, most float64 }

// activationErrors are the errors that docs/numerics.md states, from the left of zero on, and the functions that they are of.
var activationErrors = []struct {
	op     string
	attrs  graph.Attrs
	f      func(x float64) float64
	bounds []segment
}{
	{"elu", nil, func(x float64) float64 { return math.Expm1(min(x, 0)) + max(x, 0) }, []segment{{-110, 10, 0.51}, {-1e-3, 0, 0.51}}},
	{"gelu", nil, func(x float64) float64 { return x * 0.5 * math.Erfc(-x/math.Sqrt2) }, []segment{{-15, 15, 2.3}, {-1e-3, 1e-3, 2.3}}},
	{"gelu", graph.AttrsOf("approximate", "tanh"), func(x float64) float64 {
		return x / (1 + math.Exp(-2*math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
	}, []segment{{-2, 10, 8}, {-4, -2, 25}, {-6, -4, 63}, {-12, -6, 219}}},
	{"gelu", graph.AttrsOf("approximate", "sigmoid"), func(x float64) float64 { return x / (1 + math.Exp(-1.702*x)) },
		[]segment{{-2, 10, 4}, {-4, -2, 7}, {-6, -4, 12}, {-65, -6, 111}}},
	{"silu", nil, func(x float64) float64 { return x / (1 + math.Exp(-x)) }, []segment{{-87, 30, 2}, {-110, -87, 55}}},
	{"softsign", nil, func(x float64) float64 { return x / (1 + math.Abs(x)) }, []segment{{-50, 50, 2}}},
	{"hard_swish", nil, func(x float64) float64 { return x * max(min(x+3, 6), 0) / 6 }, []segment{{-2.9, 10, 2}}},
}

func TestActivationErrors(t *testing.T) {
	for _, c := range activationErrors {
		for _, b := range c.bounds {
			x := op.NewRand(1, 1).Uniform(tensor.Float32, tensor.Shape{4000}, b.first, b.last)
			in := tensor.Data[float32](x)
			for i, got := range apply[float32](t, c.op, c.attrs, x) {
				if u := ulps(got, c.f(float64(in[i]))); !(u <= b.most) {
					t.Errorf("%s %v of %v = %v: %.2f ULP, more than %v", c.op, c.attrs, in[i], got, u, b.most)
					break
				}
			}
		}
	}
}

// TestActivationErrorsOfAll takes every float32 within the bounds.
func TestActivationErrorsOfAll(t *testing.T) {
	testdata.Exhaustive(t, "it measures all 2^32 arguments, for an hour")
	const chunk = 1 << 20 // arguments of one sign, with growing magnitudes
	x, err := tensor.New(tensor.Float32, tensor.Shape{chunk})
	if err != nil {
		t.Fatal(err)
	}
	in := tensor.Data[float32](x)
	for _, c := range activationErrors {
		t.Run(c.op+" "+c.attrs.String("approximate"), func(t *testing.T) {
			worst, at := make([]float64, len(c.bounds)), make([]float32, len(c.bounds))
			for first := uint64(0); first < 1<<32; first += chunk {
				for i := range in {
					in[i] = math.Float32frombits(uint32(first) + uint32(i))
				}
				near, far := float64(in[0]), float64(in[chunk-1])
				if !slices.ContainsFunc(c.bounds, func(b segment) bool { return min(near, far) <= b.last && max(near, far) >= b.first }) {
					continue
				}
				for i, got := range apply[float32](t, c.op, c.attrs, x) {
					v := float64(in[i])
					u := ulps(got, c.f(v))
					for k, b := range c.bounds {
						if v >= b.first && v < b.last && !(u <= worst[k]) {
							worst[k], at[k] = u, in[i]
						}
					}
				}
			}
			for k, b := range c.bounds {
				t.Logf("%v to %v: %.4f ULP at %x", b.first, b.last, worst[k], at[k])
				if !(worst[k] <= b.most) {
					t.Errorf("that is more than %v", b.most)
				}
			}
		})
	}
}

// ulps returns the error of a float32 in units in the last place.
func ulps(got float32, want float64) float64 {
	if got != got {
		return math.Inf(1)
	}
	_, e := math.Frexp(want)
	return math.Abs(float64(got)-want) / math.Ldexp(1, max(e, -125)-24)
}
