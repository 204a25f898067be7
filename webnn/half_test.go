package webnn_test

import (
	"math"
	"slices"
	"testing"

	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// half is a float16 tensor of these numbers.
func half(t *testing.T, numbers []float32, shape ...int) *tensor.Tensor {
	t.Helper()
	x, err := tensor.FromSlice(numbers, shape...)
	if err == nil {
		x, err = tensor.Cast(x, tensor.Float16)
	}
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestFloat16 has results whose values tell how they were computed: in single precision, rounded once.
func TestFloat16(t *testing.T) {
	type o = webnn.Options
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	const small = 0x1p-11 // half of the unit in the last place of 1: added to it one by one, it would be lost
	few := half(t, []float32{1, small, small}, 1, 3, 1, 1)
	row := half(t, []float32{1, small, small}, 1, 1, 1, 3)
	ones := func(shape ...int) *tensor.Tensor {
		return half(t, slices.Repeat([]float32{1}, tensor.Shape(shape).Len()), shape...)
	}
	shift, one := integers(t, tensor.Int32, 0, 1), integers(t, tensor.Uint8, 1, 1, 1, 1, 1)
	flat := half(t, []float32{5, 5}, 1, 1, 1, 2)
	for _, tt := range []struct {
		method  string
		args    []any
		options o
		want    []float32
	}{
		{"conv2d", in(few, ones(1, 3, 1, 1)), nil, []float32{1 + 2*small}},
		{"conv2d", in(ones(1, 1, 1, 1), half(t, []float32{60000}, 1, 1, 1, 1)), o{"bias": half(t, []float32{60000}, 1)}, []float32{inf}},
		{"convTranspose2d", in(few, ones(3, 1, 1, 1)), nil, []float32{1 + 2*small}},
		{"averagePool2d", in(half(t, []float32{60000, 60000}, 1, 1, 1, 2)), nil, []float32{60000}},
		{"averagePool2d", in(row), nil, []float32{0.333740234375}},
		{"l2Pool2d", in(half(t, []float32{300, 400}, 1, 1, 1, 2)), nil, []float32{500}},
		{"maxPool2d", in(row), o{"windowDimensions": []int{1, 2}}, []float32{1, small}},
		{"resample2d", in(half(t, []float32{60000, 65504}, 1, 1, 1, 2)), o{"mode": "linear", "sizes": []int{1, 4}},
			[]float32{60000, 61376, 64128, 65504}},
		{"pad", in(half(t, []float32{1}, 1), []int{1}, []int{0}), o{"value": 65520.0}, []float32{inf, 1}},
		{"pad", in(half(t, []float32{1}, 1), []int{1}, []int{0}), o{"value": 0.1}, []float32{0.0999755859375, 1}},
		// An epsilon of 1e-9 is 0 in half precision, and 0 times the reciprocal of the root of 0 is no number.
		{"instanceNormalization", in(flat), o{"epsilon": 1e-9}, []float32{nan, nan}},
		{"instanceNormalization", in(flat), o{"epsilon": 1e-7}, []float32{0, 0}},
		{"layerNormalization", in(flat), o{"epsilon": 1e-9}, []float32{nan, nan}},
		{"layerNormalization", in(flat), o{"epsilon": 1e-7}, []float32{0, 0}},
		{"batchNormalization", in(flat, half(t, []float32{5}, 1), half(t, []float32{0}, 1)), o{"epsilon": 1e-9}, []float32{nan, nan}},
		{"batchNormalization", in(flat, half(t, []float32{4}, 1), half(t, []float32{1}, 1)), o{"epsilon": 70000.0}, []float32{0, 0}},
		{"quantizeLinear", in(half(t, []float32{-65504, 2.5, 3.5, inf, nan}, 5), ones(5), one), nil, []float32{0, 3, 5, 255, 0}},
		{"dequantizeLinear", in(integers(t, tensor.Int32, math.MaxInt32, 3), half(t, []float32{1, 0.1}, 2), shift), nil,
			[]float32{inf, 0.199951171875}},
	} {
		s := newSketch(t)
		args, options := make([]any, len(tt.args)), o{}
		for i, v := range tt.args {
			args[i] = s.given(v)
		}
		for name, v := range tt.options {
			options[name] = s.given(v)
		}
		s.outputs["y"] = s.list(tt.method, args, options)[0]
		results, _ := s.evaluate()
		got := numbers[float32](t, results["y"], tensor.Float32)
		if len(got) != len(tt.want) {
			t.Errorf("%s %v: %v; want %v", tt.method, tt.options, got, tt.want)
			continue
		}
		for i, v := range tt.want {
			if got[i] != v && !(got[i] != got[i] && v != v) {
				t.Errorf("%s %v: %v; want %v", tt.method, tt.options, got, tt.want)
				break
			}
		}
	}
}

// given adds an input for a tensor and returns anything else as it is.
func (s *sketch) given(v any) any {
	if x, ok := v.(*tensor.Tensor); ok {
		return s.data(x)
	}
	return v
}

// integers is a tensor of type d with these elements.
func integers(t *testing.T, d tensor.DType, numbers ...int64) *tensor.Tensor {
	t.Helper()
	x, err := tensor.FromSlice(numbers, len(numbers))
	if err == nil {
		x, err = tensor.Cast(x, d)
	}
	if err != nil {
		t.Fatal(err)
	}
	return x
}
