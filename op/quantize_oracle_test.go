package op_test

import (
	"math"
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// The formulas of linear quantization in float64, of which each rounding to float32 is made by itself, and the elements of blocks by their
// indices.

// exactly returns the elements of a tensor as float64, which has them all.
func exactly(t *tensor.Tensor) []float64 {
	return tensor.Data[float64](must(tensor.Cast(t, tensor.Float64)))
}

// served returns the number of the element of a smaller tensor that serves element i of one of the shape in.
func served(i int, in, small tensor.Shape, block []int) int {
	if len(small) == 0 {
		return 0
	}
	p, stride := 0, 1
	for d := len(in) - 1; d >= 0; d-- {
		size := 0
		if len(block) > 0 {
			size = block[d]
		} else {
			size = in[d] / small[d]
		}
		p += i % in[d] / size * stride
		stride *= small[d]
		i /= in[d]
	}
	return p
}

func round32(x float64) float64 { return float64(float32(x)) }

// saturated returns round_even(q) + zero in an integer type.
func saturated(d tensor.DType, q, zero float64) float64 {
	lo, hi := d.IntRange()
	if q != q {
		return 0
	}
	return min(max(math.RoundToEven(q)+zero, float64(lo)), float64(hi))
}

// TestQuantizationFormulas compares the operators with the formulas, on every type and on blocks that may not fill the tensor.
func TestQuantizationFormulas(t *testing.T) {
	for _, name := range []string{"quantize_linear", "dequantize_linear", "requantize"} {
		d, _ := op.Lookup(name)
		for seed := range uint64(1500) {
			r := op.NewRand(seed, 1+int(seed)/250)
			generate := d.Generate
			if d.Further != nil {
				generate = d.Further
			}
			c := generate(r)
			if seed%3 == 0 {
				c.Attrs = c.Attrs.With("block", []int{})
				small := r.Shape(0, 4)
				shape := small.Clone()
				for i := range shape {
					shape[i] *= r.Between(1, 3)
				}
				scale, zero := r.Uniform(c.In[1].DType(), small, 0.03125, 2), r.Tensor(tensor.Uint8, small)
				c.In = []*tensor.Tensor{r.Tensor(c.In[0].DType(), shape), scale, must(tensor.Cast(zero, c.In[2].DType()))}
			}
			got := exactly(evaluated(d, c)[0])
			for i, w := range exactly(formula(name, c)) {
				if g := got[i]; math.Float64bits(g) != math.Float64bits(w) {
					t.Fatalf("%s, seed %d: element %d is %v; want %v: operands %v %v, %v, attributes %v", name, seed, i, g, w, c.In, exactly(c.In[1]), exactly(c.In[2]), c.Attrs)
				}
			}
		}
	}
}

// formula returns what an operator must yield.
func formula(name string, c op.Case) *tensor.Tensor {
	x, scale, zero := exactly(c.In[0]), exactly(c.In[1]), exactly(c.In[2])
	shape, block := c.In[0].Shape(), []int{}
	if list, ok := c.Attrs.Get("block").([]int); ok {
		block = list
	}
	to := c.In[2].DType()
	if name == "dequantize_linear" {
		to = c.In[1].DType()
	}
	y := make([]float64, len(x))
	for i := range y {
		p := served(i, shape, c.In[1].Shape(), block)
		z := zero[p%len(zero)]
		switch {
		case name == "dequantize_linear":
			y[i] = round32(round32(x[i]-z) * scale[p])
		case name == "requantize":
			y[i] = saturated(to, round32(round32(x[i])*scale[p]), z)
		case to.IsSmallFloat():
			if y[i] = round32(x[i] / scale[p]); z != 0 {
				y[i] = round32(y[i] + z)
			}
		default:
			y[i] = saturated(to, round32(x[i]/scale[p]), z)
		}
	}
	saturate, ok := c.Attrs.Get("saturate").(bool)
	o := tensor.CastOptions{Unbounded: ok && !saturate}
	return must(o.Cast(must(tensor.FromSlice(y, shape...)), to))
}

// TestQuantizeOfTheStandard has cases of ONNX's QuantizeLinear and DequantizeLinear, and one of QLinearConv's requantisation.
func TestQuantizeOfTheStandard(t *testing.T) {
	codes := func(d tensor.DType, values ...float32) *tensor.Tensor { return must(tensor.Cast(vec(values...), d)) }
	block := func(n ...int) graph.Attrs { return graph.AttrsOf("block", n) }
	for _, c := range []struct {
		name, op string
		attrs    graph.Attrs
		in       []*tensor.Tensor
		want     *tensor.Tensor
	}{
		{"per axis, uint8", "quantize_linear", nil, []*tensor.Tensor{must(vec[float32](-162, 10, -76, 0, 245, -485).Reshape(1, 3, 2)),
			must(vec[float32](2, 4, 5).Reshape(1, 3, 1)), must(vec[uint8](84, 24, 196).Reshape(1, 3, 1))}, must(vec[uint8](3, 89, 5, 24, 245, 99).Reshape(1, 3, 2))},
		{"float8e4m3fn", "quantize_linear", nil, []*tensor.Tensor{vec[float32](0, 1, 2, 100000, 200), tensor.Scalar[float32](2), must(codes(tensor.Float8E4M3FN, 0).Reshape())},
			codes(tensor.Float8E4M3FN, 0, 0.5, 1, 448, 96)},
		{"float8e5m2, not bounded", "quantize_linear", graph.AttrsOf("saturate", false), []*tensor.Tensor{vec(0, 1, 2, 1e6, nan), tensor.Scalar[float32](2),
			must(codes(tensor.Float8E5M2, 0).Reshape())}, must(tensor.CastOptions{Unbounded: true}.Cast(vec(0, 0.5, 1, inf, nan), tensor.Float8E5M2))},
		{"uint4", "quantize_linear", nil, []*tensor.Tensor{vec[float32](0, 2.5, 4.8, 8.6), tensor.Scalar[float32](2), must(codes(tensor.Uint4, 1).Reshape())}, codes(tensor.Uint4, 1, 2, 3, 5)},
		{"int2", "quantize_linear", nil, []*tensor.Tensor{vec[float32](0, 2.5, -9, 8.6, 1), tensor.Scalar[float32](2), must(codes(tensor.Int2, 0).Reshape())}, codes(tensor.Int2, 0, 1, -2, 1, 0)},
		{"blocks", "quantize_linear", block(1, 2), []*tensor.Tensor{must(vec[float32](6, 12, 50, 5, 1, 8, 4, 5, 0).Reshape(3, 3)),
			must(vec[float32](1.5, 2.5, 3, 4.9, 5.1, 6.9).Reshape(3, 2)), must(vec[uint8](0, 1, 1, 0, 2, 3).Reshape(3, 2))},
			must(vec[uint8](4, 8, 21, 3, 1, 2, 3, 3, 3).Reshape(3, 3))},
		{"int32", "dequantize_linear", nil, []*tensor.Tensor{vec[int32](-3, 1<<24+1), tensor.Scalar[float32](0.5), tensor.Scalar[int32](0)}, vec[float32](-1.5, 0x1p23)},
		{"uint2", "dequantize_linear", nil, []*tensor.Tensor{codes(tensor.Uint2, 0, 1, 2, 3), tensor.Scalar[float32](2), must(codes(tensor.Uint2, 1).Reshape())}, vec[float32](-2, 0, 2, 4)},
		{"float8e5m2", "dequantize_linear", nil, []*tensor.Tensor{codes(tensor.Float8E5M2, 0, 0.5, 1, 49152, -96), tensor.Scalar[float32](2), must(codes(tensor.Float8E5M2, 0).Reshape())},
			vec[float32](0, 1, 2, 98304, -192)},
		{"halves go to the even number", "requantize", nil, []*tensor.Tensor{vec[int32](-3, -1, 0, 1, 3, 5, 1<<30), tensor.Scalar[float32](0.5), tensor.Scalar[int8](1)},
			vec[int8](-1, 1, 1, 1, 3, 3, 127)},
		{"by channel", "requantize", nil, []*tensor.Tensor{must(vec[int64](10, 20, 30, 1<<40).Reshape(1, 2, 2)), must(vec[float32](0.1, 1e-9).Reshape(1, 2, 1)), tensor.Scalar[uint8](3)},
			must(vec[uint8](4, 5, 3, 255).Reshape(1, 2, 2))},
	} {
		got := evaluated(def(c.op), op.Case{In: c.in, Attrs: c.attrs})
		if w := differ([]*tensor.Tensor{c.want}, got); w != "" {
			t.Errorf("%s, %s: %s: %v, want %v", c.op, c.name, w, exactly(got[0]), exactly(c.want))
		}
	}
}

// TestMisplacedScales holds scales and zero points of other shapes and blocks of other numbers to being refused.
func TestMisplacedScales(t *testing.T) {
	x, scale, zero := must(tensor.New(tensor.Float32, tensor.Shape{2, 5})), must(tensor.New(tensor.Float32, tensor.Shape{2, 2})), must(tensor.New(tensor.Int8, tensor.Shape{2, 2}))
	block := func(n ...int) graph.Attrs { return graph.AttrsOf("block", n) }
	if got := apply[int8](t, "quantize_linear", block(1, 4), x, scale, tensor.Scalar[int8](3)); !slices.Contains(got, 0) {
		t.Errorf("quotients of zeros by zeros are %v", got)
	}
	rejected(t, "quantize_linear", nil, x, scale, zero)
	rejected(t, "quantize_linear", block(1, 2), x, scale, zero)
	rejected(t, "quantize_linear", block(4), x, scale, zero)
	rejected(t, "quantize_linear", block(0, 4), x, scale, zero)
	rejected(t, "quantize_linear", block(1, 4), x, scale, must(tensor.New(tensor.Int8, tensor.Shape{2, 1})))
	rejected(t, "quantize_linear", block(1, 4), x, tensor.Scalar[float32](1), tensor.Scalar[int8](1))
	rejected(t, "requantize", nil, x, scale, zero)
	rejected(t, "quantize_linear", nil, x, tensor.Scalar[float32](1), must(tensor.Cast(tensor.Scalar[float32](1), tensor.Float8E8M0)))
}
