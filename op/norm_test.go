package op_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// normalizeDefinition is the definition of the normalizations, written out for one group.
func normalizeDefinition(x []float32, epsilon float32, scale, bias func(i int) float32) []float32 {
	n := float32(len(x))
	mean := laneSum(x) / n
	variance := laneFold(x, 0, func(acc, v float32) float32 {
		d := v - mean
		return fmath.FMA(d, d, acc)
	}, floatAdd) / n
	root := fmath.Rsqrt(variance + epsilon)
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = fmath.FMA(v-mean, float32(root*scale(i)), bias(i))
	}
	return y
}

func TestLayerNormalization(t *testing.T) {
	r := op.NewRand(3, 1)
	shape := tensor.Shape{3, 5, 4, 2}
	x := r.Tensor(tensor.Float32, shape)
	for _, axes := range [][]int{{3}, {1, 2, 3}, {2, 0}, {3, 1, 2}, {1, 0, 3, 2}, {}} {
		params := tensor.Shape{}
		for _, a := range axes {
			params = append(params, shape[a])
		}
		scale, bias := r.Tensor(tensor.Float32, params), r.Tensor(tensor.Float32, params)
		attrs := append(axesOf(axes...), graph.Attr{Name: "epsilon", Value: 1e-3})
		got := tensor.Data[float32](evalOne(t, "layer_normalization", attrs, x, scale, bias))
		// The parameters as they would lie if the axes were listed in ascending order.
		order := make([]int, len(axes))
		for i, a := range slices.Sorted(slices.Values(axes)) {
			order[i] = slices.Index(axes, a)
		}
		ascending := func(p *tensor.Tensor) func(int) float32 {
			if len(order) > 0 {
				p = must(p.Transpose(order...)).Contiguous()
			}
			return func(i int) float32 { return tensor.Data[float32](p)[i] }
		}
		for _, group := range groupsOf(shape, axes) {
			want := normalizeDefinition(gatherValues(x, group), 1e-3, ascending(scale), ascending(bias))
			for i, p := range group {
				sameBits(t, fmt.Sprintf("axes %v, element %d", axes, p), got[p], want[i])
			}
		}
	}
	for _, wrong := range []tensor.Shape{{2, 4}, {4}, {4, 2, 1}, {}} {
		in := []*tensor.Tensor{x, must(tensor.New(tensor.Float32, wrong))}
		if _, err := op.Eval(def("layer_normalization"), in, axesOf(2, 3)); err == nil {
			t.Errorf("a scale of shape %v is accepted for axes of extents [4,2]", wrong)
		}
	}
}

func TestInstanceNormalization(t *testing.T) {
	r := op.NewRand(4, 1)
	shape := tensor.Shape{2, 3, 5, 7}
	x, scale := r.Tensor(tensor.Float32, shape), r.Tensor(tensor.Float32, tensor.Shape{3})
	got := tensor.Data[float32](evalOne(t, "instance_normalization", nil, x, scale))
	for g, group := range groupsOf(shape, []int{2, 3}) {
		want := normalizeDefinition(gatherValues(x, group), 1e-5,
			func(int) float32 { return tensor.Data[float32](scale)[g%3] }, func(int) float32 { return 0 })
		for i, p := range group {
			sameBits(t, fmt.Sprintf("element %d", p), got[p], want[i])
		}
	}
}

// TestBatchNormalization gives the parameters in every shape that they may have.
func TestBatchNormalization(t *testing.T) {
	r := op.NewRand(5, 1)
	x := r.Tensor(tensor.Float32, tensor.Shape{2, 3, 4})
	var params [4][]float32
	for i := range params {
		params[i] = tensor.Data[float32](r.Uniform(tensor.Float32, tensor.Shape{3}, 0.5, 2))
	}
	attrs := graph.Attrs{{Name: "epsilon", Value: 0.5}}
	for _, shape := range []tensor.Shape{{3}, {1, 3}, {1, 3, 1}} {
		in := []*tensor.Tensor{x}
		for _, p := range params {
			in = append(in, must(tensor.FromSlice(p, shape...)))
		}
		got := tensor.Data[float32](evalOne(t, "batch_normalization", attrs, in...))
		for i, v := range tensor.Data[float32](x) {
			c := i / 4 % 3
			k := float32(fmath.Rsqrt(params[1][c]+0.5) * params[3][c])
			sameBits(t, fmt.Sprintf("shape %v, element %d", shape, i), got[i], fmath.FMA(v-params[0][c], k, params[2][c]))
			exact := float64(v-params[0][c])/math.Sqrt(float64(params[1][c])+0.5)*float64(params[3][c]) + float64(params[2][c])
			if math.Abs(float64(got[i])-exact) > 1e-5 {
				t.Errorf("element %d: %v, want about %v", i, got[i], exact)
			}
		}
	}
	for _, wrong := range []tensor.Shape{{4}, {3, 1}, {1, 1, 3}, {2, 3}, {1, 3, 1, 1}} {
		p := must(tensor.New(tensor.Float32, wrong))
		if _, err := op.Eval(def("batch_normalization"), []*tensor.Tensor{x, p, p}, attrs); err == nil {
			t.Errorf("a mean of shape %v is accepted for 3 channels of %v", wrong, x)
		}
	}
}

func TestSoftmax(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range []struct{ x, want []float32 }{
		{[]float32{0, 0}, []float32{0.5, 0.5}},
		{[]float32{1000, -inf, 1000}, []float32{0.5, 0, 0.5}},
		{[]float32{0, 1000}, []float32{0, 1}},
		{[]float32{-inf, -inf}, []float32{nan, nan}},
		{[]float32{inf, 0}, []float32{nan, nan}},
		{[]float32{nan, 0}, []float32{nan, nan}},
	} {
		got := tensor.Data[float32](evalOne(t, "softmax", axesOf(0), must(tensor.FromSlice(c.x, len(c.x)))))
		for i := range got {
			sameBits(t, fmt.Sprintf("softmax of %v, element %d", c.x, i), got[i], canonical(c.want[i]))
		}
	}
	r := op.NewRand(6, 1)
	x := r.Tensor(tensor.Float32, tensor.Shape{3, 20, 2})
	got := tensor.Data[float32](evalOne(t, "softmax", nil, x)) // axis 1 by default
	for _, group := range groupsOf(x.Shape(), []int{1}) {
		values := gatherValues(x, group)
		m, e := slices.Max(values), make([]float32, len(values))
		for i, v := range values {
			e[i] = fmath.Exp(v - m)
		}
		for i, p := range group {
			sameBits(t, fmt.Sprintf("element %d", p), got[p], e[i]/laneSum(e))
		}
	}
}

func TestLocalResponseNormalization(t *testing.T) {
	x := must(tensor.FromSlice([]float32{1, 2, 3, 4, 5}, 1, 5, 1))
	attrs := graph.Attrs{{Name: "size", Value: []int{1, 4, 1}}, {Name: "alpha", Value: 2.0}, {Name: "beta", Value: 1.0}, {Name: "bias", Value: 3.0}}
	got := tensor.Data[float32](evalOne(t, "local_response_normalization", attrs, x))
	// The window reaches one back and two forward; its volume is 4 at the edges too.
	for i, squares := range []float32{1 + 4 + 9, 1 + 4 + 9 + 16, 4 + 9 + 16 + 25, 9 + 16 + 25, 16 + 25} {
		sameBits(t, fmt.Sprintf("element %d", i), got[i], float32(i+1)/(3+2*(squares/4)))
	}
	for _, size := range [][]int{{1, 1}, {1, 0, 1}, {1 << 16, 1 << 16, 1}} {
		if _, err := op.Eval(def("local_response_normalization"), []*tensor.Tensor{x}, attrs.With("size", size)); err == nil {
			t.Errorf("size %v is accepted for %v", size, x)
		}
	}
}
