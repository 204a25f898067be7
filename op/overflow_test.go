package op_test

import (
	"math"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestOverflowingSums holds operators whose sums overflow, though their results do not, to float64's answer, or float64's to that of numbers that do not
// overflow. Ordinary bits are golden.
func TestOverflowingSums(t *testing.T) {
	ordinary := op.NewRand(5, 1).Uniform(tensor.Float64, tensor.Shape{3, 67}, -3, 5)
	scaled := func(d tensor.DType, factor float64) *tensor.Tensor {
		values := make([]float64, ordinary.Len())
		for i, v := range tensor.Data[float64](ordinary) {
			values[i] = v * factor
		}
		return must(tensor.Cast(must(tensor.FromSlice(values, ordinary.Shape()...)), d))
	}
	great := map[tensor.DType]float64{tensor.Float32: 0x1p125, tensor.BFloat16: 0x1p125, tensor.Float64: 0x1p1020}
	for _, c := range []struct {
		op    string
		attrs graph.Attrs
		f     func(y, factor float64) float64 // the result of elements times factor, given that of the elements
	}{
		{"l2_reduce", nil, func(y, factor float64) float64 { return y * factor }},
		{"mean_reduce", nil, func(y, factor float64) float64 { return y * factor }},
		{"sum_reduce", graph.AttrsOf("normalize", true), func(y, factor float64) float64 { return y * factor }},
		{"log_sum_reduce", nil, func(y, factor float64) float64 { return y + math.Log(factor) }},
		{"layer_normalization", nil, func(y, _ float64) float64 { return y }},
		{"instance_normalization", nil, func(y, _ float64) float64 { return y }},
		{"rms_normalization", nil, func(y, _ float64) float64 { return y }},
	} {
		for d, factor := range great {
			// The norm of so many elements is greater than them.
			if c.op == "l2_reduce" {
				factor /= 16
			}
			attrs := append(c.attrs, graph.AttrsOf("axes", []int{1})...)
			shape := ordinary.Shape()
			if c.op == "instance_normalization" {
				attrs, shape = nil, tensor.Shape{1, 3, 67}
			}
			if strings.HasSuffix(c.op, "normalization") {
				attrs = append(attrs, graph.Attr{Name: "epsilon", Value: 0.0})
			}
			x := must(must(tensor.Cast(scaled(d, factor), d)).Reshape(shape...))
			base := must(must(tensor.Cast(must(tensor.Cast(scaled(d, 1), d)), tensor.Float64)).Reshape(shape...))
			got := tensor.Data[float64](must(tensor.Cast(must(op.Eval(def(c.op), []*tensor.Tensor{x}, attrs))[0], tensor.Float64)))
			tolerance := map[tensor.DType]float64{tensor.Float32: 1e-5, tensor.BFloat16: 1e-2, tensor.Float64: 1e-13}[d]
			for i, y := range tensor.Data[float64](must(op.Eval(def(c.op), []*tensor.Tensor{base}, attrs))[0]) {
				if want := c.f(y, factor); !(math.Abs(got[i]-want) <= tolerance*max(math.Abs(want), 1e-2)) {
					t.Errorf("%s of %v, result %d: got %v; want %v", c.op, d, i, got[i], want)
					break
				}
			}
		}
	}
}

// TestEqualGreatElements normalizes equal elements whose sum overflows: what is left is the bias.
func TestEqualGreatElements(t *testing.T) {
	x := must(tensor.FromSlice([]float32{3e38, 3e38, 3e38, 3e38}, 4))
	attrs := graph.AttrsOf("axes", []int{0}, "epsilon", 1e-5)
	bias := must(tensor.FromSlice([]float32{1, 2, 3, 4}, 4))
	equalFloats(t, "layer_normalization", apply[float32](t, "layer_normalization", attrs, x, nil, bias), []float32{1, 2, 3, 4})
	equalFloats(t, "mean_reduce", apply[float32](t, "mean_reduce", axesOf(0), x), []float32{3e38})
	equalFloats(t, "l2_reduce", apply[float32](t, "l2_reduce", axesOf(0), vec(inf, 1, 3e38)), []float32{inf})
	equalFloats(t, "mean_reduce", apply[float32](t, "mean_reduce", axesOf(0), vec(-inf, 1, 3e38)), []float32{-inf})
	equalFloats(t, "mean_reduce", apply[float32](t, "mean_reduce", axesOf(0), vec(-inf, inf, 3e38)), []float32{nan})
}
