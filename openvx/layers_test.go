package openvx

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// The formats of the tests.
var (
	u8  = format{dtype: TypeUint8}
	s8  = format{dtype: TypeInt8}
	q78 = format{dtype: TypeInt16, fixed: 8}
	f32 = format{dtype: TypeFloat32}
)

// data is an operand that is a tensor or a LUT, with its elements as the raw numbers that they are, dimension 0 the fastest.
type data struct {
	format
	raw []float64
}

func (f format) of(dims []int, raw ...float64) data {
	f.dims = dims
	return data{f, raw}
}

// ramp fills a tensor with raw numbers from first on, step apart.
func (f format) ramp(first, step float64, dims ...int) data {
	d := f.of(dims)
	for i := range product(dims) {
		d.raw = append(d.raw, first+step*float64(i))
	}
	return d
}

// open is a result of that format with nothing but the extents that are given; 0 is open.
func (f format) open(dims ...int) data { return f.of(dims) }

// as returns raw numbers as elements of a type.
func as[T int8 | uint8 | int16 | float32](raw []float64, shape []int) *tensor.Tensor {
	list := make([]T, len(raw))
	for i, v := range raw {
		list[i] = T(v)
	}
	t, err := tensor.FromSlice(list, shape...)
	if err != nil {
		panic(err)
	}
	return t
}

func (d data) tensor() *tensor.Tensor {
	switch shape := reversed(d.dims); d.dtype {
	case TypeInt8:
		return as[int8](d.raw, shape)
	case TypeUint8:
		return as[uint8](d.raw, shape)
	case TypeInt16:
		return as[int16](d.raw, shape)
	default:
		return as[float32](d.raw, shape)
	}
}

func rawOf(t *tensor.Tensor) (raw []float64) {
	for _, v := range tensor.Data[int8](t) {
		raw = append(raw, float64(v))
	}
	for _, v := range tensor.Data[uint8](t) {
		raw = append(raw, float64(v))
	}
	for _, v := range tensor.Data[int16](t) {
		raw = append(raw, float64(v))
	}
	for _, v := range tensor.Data[float32](t) {
		raw = append(raw, float64(v))
	}
	return raw
}

// enum returns a member of an enumeration as a scalar has it.
func enum[E ~int32](v E) Enum { return Enum(v) }

func layerNamed(name string) *layer {
	for _, l := range layers {
		if l.name == "org.khronos.nn_extension."+name || l.name == "org.khronos.openvx."+name {
			return l
		}
	}
	panic("no layer " + name)
}

// prepared applies a layer to data, scalars, and nil for what is not given.
func prepared(name string, compatible bool, arguments ...any) *call {
	c := &call{layer: layerNamed(name), compatible: compatible}
	for _, a := range arguments {
		switch a := a.(type) {
		case nil:
			c.operands = append(c.operands, operand{})
		case data:
			c.operands = append(c.operands, operand{given: true, format: a.format})
		default:
			c.operands = append(c.operands, operand{given: true, scalar: a})
		}
	}
	return c
}

// lowered infers and lowers a call. Tensors become inputs, or constants where static is set.
func lowered(c *call, arguments []any, static func(i int) bool) (*graph.Graph, error) {
	if err := c.layer.infer(c); err != nil {
		return nil, err
	}
	b := graph.NewBuilder(op.Rules, "test")
	l := &lowering{Emitter: emit.Emitter{Target: b, Label: "layer"}, call: c, values: make([]*graph.Value, len(c.operands))}
	for i, a := range arguments[:c.last()] {
		d, ok := a.(data)
		if !ok {
			continue
		}
		var err error
		if name := c.layer.params[i].name; static(i) {
			l.values[i], err = b.Constant(name, "", d.tensor())
		} else {
			l.values[i], err = b.Input(name, graph.Type{DType: d.element(), Shape: reversed(d.dims)})
		}
		if err != nil {
			return nil, err
		}
	}
	v := c.layer.lower(l)
	if l.Err != nil {
		return nil, l.Err
	}
	want := c.out()
	if v.Type.DType != want.element() || !v.Type.Shape.Equal(reversed(want.dims)) {
		return nil, fmt.Errorf("the result is %v; it must be %v %v", v.Type, want.format, reversed(want.dims))
	}
	if err := b.Output("result", v); err != nil {
		return nil, err
	}
	return b.Build()
}

// run computes a layer and returns the raw numbers of its result.
func run(c *call, arguments []any) ([]float64, error) {
	g, err := lowered(c, arguments, func(i int) bool { return i > 0 })
	if err != nil {
		return nil, err
	}
	p, err := engine.Compile(g, engine.Options{Threads: 1})
	if err != nil {
		return nil, err
	}
	defer p.Close()
	first := arguments[0].(data)
	out, err := p.Run(context.Background(), map[string]*tensor.Tensor{c.layer.params[0].name: first.tensor()})
	if err != nil {
		return nil, err
	}
	return rawOf(out["result"]), nil
}

// layerCase is a layer with the result that it must have; compatible if it differs in a compatible context.
type layerCase struct {
	about      string
	layer      string
	arguments  []any
	want       []float64
	compatible []float64
}

func runCases(t *testing.T, cases []layerCase) {
	for _, tt := range cases {
		for _, compatible := range []bool{false, true} {
			want := tt.want
			if compatible && tt.compatible != nil {
				want = tt.compatible
			}
			c := prepared(tt.layer, compatible, tt.arguments...)
			got, err := run(c, tt.arguments)
			if err != nil {
				t.Errorf("%s: %s: %v", tt.layer, tt.about, err)
			} else if !slices.Equal(got, want) {
				t.Errorf("%s: %s, compatible %v, gives %v; it must be %v", tt.layer, tt.about, compatible, got, want)
			}
		}
	}
}

// convolution returns parameters that pad by x and y, saturate, truncate and round sizes down.
func convolution(x, y int, change func(p *ConvolutionParams)) ConvolutionParams {
	p := ConvolutionParams{PaddingX: x, PaddingY: y, OverflowPolicy: ConvertPolicySaturate, RoundingPolicy: RoundPolicyToZero, DownScaleSize: SizeRoundingFloor}
	if change != nil {
		change(&p)
	}
	return p
}

func TestConvolutionLayer(t *testing.T) {
	even := func(p *ConvolutionParams) { p.RoundingPolicy = RoundPolicyToNearestEven }
	one := func(f format, w float64) data { return f.of([]int{1, 1, 1, 1}, w) }
	runCases(t, []layerCase{
		{"not square: 4×3 by 3×2", "convolution_layer",
			[]any{u8.ramp(0, 1, 4, 3, 1), u8.of([]int{3, 2, 1, 1}, 1, 0, 0, 0, 0, 2), nil, convolution(0, 0, nil), u8.open()},
			[]float64{12, 15, 24, 27}, nil},
		{"a skip that the result tells, the least one", "convolution_layer",
			[]any{u8.ramp(0, 1, 6, 1, 1), one(u8, 1), nil, convolution(0, 0, nil), u8.open(2, 1, 1)}, []float64{0, 3}, nil},
		{"ceiling: the last window reaches beyond", "convolution_layer",
			[]any{u8.ramp(1, 1, 4, 1, 1), u8.of([]int{3, 1, 1, 1}, 1, 1, 1), nil,
				convolution(0, 0, func(p *ConvolutionParams) { p.DownScaleSize = SizeRoundingCeiling }), u8.open(2, 1, 1)},
			[]float64{6, 9}, nil},
		{"channels, batch, shared biases", "convolution_layer",
			[]any{s8.of([]int{1, 1, 2, 2}, 1, 2, 3, 4), s8.of([]int{1, 1, 2, 3}, 1, 1, -1, 1, 10, -10), s8.of([]int{3}, 0, 5, -5),
				convolution(0, 0, nil), s8.open()},
			[]float64{3, 6, -15, 7, 6, -15}, nil},
		{"nested batches, of which the result tells nothing", "convolution_layer",
			[]any{s8.ramp(0, 1, 1, 1, 1, 3, 1, 2), one(s8, 2), nil, convolution(0, 0, nil), s8.open()}, []float64{0, 2, 4, 6, 8, 10}, nil},
		{"biases by location", "convolution_layer",
			[]any{u8.ramp(1, 1, 2, 1, 1, 2), u8.of([]int{1, 1, 1, 2}, 1, 2), u8.of([]int{2, 1, 2}, 10, 20, 30, 40), convolution(0, 0, nil), u8.open()},
			[]float64{11, 22, 32, 44, 13, 24, 36, 48}, nil},
		{"dilation: the weights begin at the window's first element, with the sample implementation at the third", "convolution_layer",
			[]any{u8.of([]int{5, 1, 1}, 1, 10, 100, 0, 0), u8.of([]int{2, 1, 1, 1}, 1, 2), nil,
				convolution(0, 0, func(p *ConvolutionParams) { p.DilationX = 1 }), u8.open()},
			[]float64{201, 10, 100}, []float64{10, 100, 0}},
		{"dilation and padding, downwards", "convolution_layer",
			[]any{u8.of([]int{1, 3, 1}, 1, 10, 100), u8.of([]int{1, 2, 1, 1}, 1, 2), nil,
				convolution(0, 2, func(p *ConvolutionParams) { p.DilationY = 2 }), u8.open()},
			[]float64{20, 200, 1, 10}, []float64{1, 10, 100, 0}},
		{"bounds saturate", "convolution_layer",
			[]any{s8.of([]int{3, 1, 1}, -128, 127, 1), one(s8, -128), nil, convolution(0, 0, nil), s8.open()}, []float64{127, -128, -128}, nil},
		{"low bits with wrap", "convolution_layer",
			[]any{s8.of([]int{3, 1, 1}, -128, 127, 1), one(s8, -127), nil,
				convolution(0, 0, func(p *ConvolutionParams) { p.OverflowPolicy = ConvertPolicyWrap }), s8.open()},
			[]float64{-128, -1, -127}, nil},
		{"Q7.8 is truncated once, behind sum and bias", "convolution_layer",
			[]any{q78.of([]int{1, 1, 3}, 1, 1, 1), q78.of([]int{1, 1, 3, 1}, 100, 100, 100), q78.of([]int{1}, -1), convolution(0, 0, nil), q78.open()},
			[]float64{0}, nil},
		{"Q7.8 toward zero", "convolution_layer",
			[]any{q78.of([]int{4, 1, 1}, 3, -3, 255, -255), one(q78, 128), nil, convolution(0, 0, nil), q78.open()}, []float64{1, -1, 127, -127}, nil},
		{"Q7.8 to nearest, halves to even", "convolution_layer",
			[]any{q78.of([]int{6, 1, 1}, 1, 3, -1, -3, 5, 7), one(q78, 128), nil, convolution(0, 0, even), q78.open()},
			[]float64{0, 2, 0, -2, 2, 4}, nil},
		{"Q7.8 sums beyond 32 bits", "convolution_layer",
			[]any{q78.of([]int{1, 1, 4}, -32768, -32768, 32767, 32767), q78.of([]int{1, 1, 4, 1}, -32768, -32768, -32768, -32767), nil,
				convolution(0, 0, func(p *ConvolutionParams) { p.OverflowPolicy = ConvertPolicyWrap }), q78.open()},
			[]float64{383}, nil}, // (2^31 - 32767·65535)/256 = 383.99…
		{"float32", "convolution_layer",
			[]any{f32.of([]int{3, 1, 1}, 0.5, 0.25, 4), f32.of([]int{2, 1, 1, 1}, 1, -1), f32.of([]int{2, 1, 1}, 0.125, 0), convolution(0, 0, nil), f32.open()},
			[]float64{0.375, -3.75}, nil},
	})
}

func TestDeconvolutionLayer(t *testing.T) {
	params := func(x, y, ax, ay int) DeconvolutionParams {
		return DeconvolutionParams{PaddingX: x, PaddingY: y, AX: ax, AY: ay, OverflowPolicy: ConvertPolicySaturate, RoundingPolicy: RoundPolicyToZero}
	}
	runCases(t, []layerCase{
		{"weights are not turned around: out[x] = Σ in[x+w-2]·weights[w]", "deconvolution_layer",
			[]any{u8.of([]int{2, 1, 1}, 1, 10), u8.of([]int{3, 1, 1, 1}, 1, 2, 3), nil, params(0, 0, 0, 0), u8.open()},
			[]float64{3, 32, 21, 10}, nil},
		{"upscaled by 2, of which the sample implementation sees half", "deconvolution_layer",
			[]any{u8.of([]int{4, 1, 1}, 1, 10, 20, 30), u8.of([]int{2, 1, 1, 1}, 1, 2), nil, params(0, 0, 0, 0), u8.open(8, 1, 1)},
			[]float64{2, 1, 20, 10, 40, 20, 60, 30}, []float64{2, 1, 20, 10, 0, 0, 0, 0}},
		{"downwards, with padding and a", "deconvolution_layer",
			[]any{u8.of([]int{1, 2, 1}, 1, 10), u8.of([]int{1, 3, 1, 1}, 1, 2, 3), nil, params(0, 1, 0, 1), u8.open(1, 4, 1)},
			[]float64{2, 31, 20, 10}, []float64{2, 1, 0, 0}},
		{"two channels to two, biases by location, batch", "deconvolution_layer",
			[]any{s8.of([]int{1, 1, 2, 2}, 1, 2, 3, 4), s8.of([]int{1, 1, 2, 2}, 1, 10, -1, 5), s8.of([]int{1, 1, 2}, 1, 2), params(0, 0, 0, 0), s8.open()},
			[]float64{22, 11, 44, 19}, nil},
		{"one element: the result has the weights' extent", "deconvolution_layer",
			[]any{q78.of([]int{1, 1, 1}, 256), q78.of([]int{2, 2, 1, 1}, 1, 2, 3, 4), q78.of([]int{1}, 10), params(0, 0, 0, 0), q78.open(2, 2, 1)},
			[]float64{14, 13, 12, 11}, nil},
	})
}

func TestFullyConnectedLayer(t *testing.T) {
	saturate, zero := enum(ConvertPolicySaturate), enum(RoundPolicyToZero)
	maps := f32.ramp(1, 1, 2, 1, 3, 2) // two of 2×1×3
	runCases(t, []layerCase{
		{"features", "fully_connected_layer",
			[]any{s8.of([]int{2, 3}, 1, 2, 3, 4, 5, 6), s8.of([]int{2, 2}, 1, 1, 1, -1), s8.of([]int{2}, 0, 100), saturate, zero, s8.open()},
			[]float64{3, 99, 7, 99, 11, 99}, nil},
		{"no batch", "fully_connected_layer",
			[]any{u8.of([]int{2}, 200, 100), u8.of([]int{2, 1}, 1, 1), nil, enum(ConvertPolicyWrap), zero, u8.open(1)}, []float64{44}, nil},
		{"maps with flat weights", "fully_connected_layer",
			[]any{maps, f32.of([]int{6, 1}, 1, 10, 100, 1000, 10000, 100000), nil, saturate, zero, f32.open(1, 2)}, []float64{654321, 1320987}, nil},
		{"maps with weights of maps", "fully_connected_layer",
			[]any{maps, f32.of([]int{2, 1, 3, 1}, 1, 10, 100, 1000, 10000, 100000), nil, saturate, zero, f32.open()}, []float64{654321, 1320987}, nil},
		{"nested batch; its rank decides", "fully_connected_layer",
			[]any{s8.ramp(0, 1, 2, 1, 3, 1, 1), s8.of([]int{2, 1}, 1, 1), nil, saturate, zero, s8.open(1, 1, 3, 1, 0)}, []float64{1, 5, 9}, nil},
		{"Q7.8 to nearest even", "fully_connected_layer",
			[]any{q78.of([]int{2}, 128, 128), q78.of([]int{2, 3}, 1, 0, 1, 2, -1, 0), q78.of([]int{3}, 0, 1, 2), saturate, enum(RoundPolicyToNearestEven), q78.open()},
			[]float64{0, 2, 2}, nil}, // 0.5, 1.5 + 1 = 2.5, -0.5 + 2 = 1.5
	})
}

func TestPoolingLayer(t *testing.T) {
	pool := func(kind Pooling, x data, sizeX, sizeY, padX, padY int, r SizeRounding, y data) []any {
		return []any{x, enum(kind), sizeX, sizeY, padX, padY, enum(r), y}
	}
	floor, ceiling := SizeRoundingFloor, SizeRoundingCeiling
	runCases(t, []layerCase{
		{"maxima, not square", "pooling_layer", pool(PoolingMax, u8.ramp(0, 1, 4, 3, 1), 2, 3, 0, 0, floor, u8.open()), []float64{9, 10, 11}, nil},
		{"maxima with ceiling", "pooling_layer", pool(PoolingMax, s8.ramp(-6, 1, 5, 1, 1), 2, 1, 0, 0, ceiling, s8.open(3, 1, 1)), []float64{-5, -3, -2}, nil},
		{"zeros of the padding take part in maxima", "pooling_layer",
			pool(PoolingMax, s8.of([]int{2, 1, 1}, -5, -7), 2, 1, 1, 0, floor, s8.open()), []float64{0, -5, 0}, []float64{-5, -5, -7}},
		{"padding along one dimension, ceiling along the other", "pooling_layer",
			pool(PoolingMax, s8.ramp(-1, -1, 5, 1, 1, 2), 2, 1, 0, 1, ceiling, s8.open(3, 3, 1, 2)),
			[]float64{0, 0, 0, -1, -3, -5, 0, 0, 0, 0, 0, 0, -6, -8, -10, 0, 0, 0},
			[]float64{-128, -128, -128, -1, -3, -5, -128, -128, -128, -128, -128, -128, -6, -8, -10, -128, -128, -128}},
		{"a window beyond everything", "pooling_layer",
			pool(PoolingMax, s8.ramp(-6, 1, 6, 1, 1), 1, 1, 0, 0, ceiling, s8.open(3, 1, 1)), []float64{-6, -3, 0}, []float64{-6, -3, -128}},
		{"averages are truncated", "pooling_layer",
			pool(PoolingAvg, s8.of([]int{2, 1, 3}, -3, -4, 3, 4, 127, 127), 2, 1, 0, 0, floor, s8.open()), []float64{-3, 3, 127}, nil},
		{"padding counts in averages", "pooling_layer",
			pool(PoolingAvg, u8.of([]int{1, 2, 1}, 90, 180), 3, 3, 1, 1, floor, u8.open()), []float64{30, 30}, nil},
		{"what lies beyond the padding does not", "pooling_layer",
			pool(PoolingAvg, u8.ramp(12, 0, 6, 1, 1), 3, 1, 0, 0, ceiling, u8.open(3, 1, 1)), []float64{12, 12, 12}, []float64{12, 12, 8}},
		{"with ceiling, as far as the padding", "pooling_layer",
			pool(PoolingAvg, u8.of([]int{4, 1, 1}, 60, 60, 60, 60), 4, 1, 1, 0, ceiling, u8.open(2, 1, 1)), []float64{45, 45}, nil},
		{"padding, and what lies beyond it", "pooling_layer",
			pool(PoolingAvg, f32.of([]int{6, 1, 1}, 60, 60, 60, 60, 60, 60), 3, 1, 1, 0, ceiling, f32.open(3, 1, 1)), []float64{40, 60, 30}, []float64{40, 60, 20}},
		{"Q7.8, nested batches", "pooling_layer",
			pool(PoolingAvg, q78.ramp(0, 256, 2, 1, 1, 2, 2), 2, 1, 0, 0, floor, q78.open()), []float64{128, 640, 1152, 1664}, nil},
	})
}

func TestSoftmaxLayer(t *testing.T) {
	runCases(t, []layerCase{
		{"one dimension", "softmax_layer", []any{q78.of([]int{2}, 0, 0), q78.open()}, []float64{128, 128}, nil},
		{"two: along the first", "softmax_layer", []any{q78.of([]int{2, 2}, 0, 2560, 2560, 0), q78.open()}, []float64{0, 255, 255, 0}, nil},
		{"four: along the third", "softmax_layer", []any{q78.of([]int{1, 2, 2, 1}, 0, 2560, 0, 0), q78.open()}, []float64{128, 255, 128, 0}, nil},
		{"nothing overflows", "softmax_layer", []any{q78.of([]int{3}, 32767, -32768, 32767), q78.open()}, []float64{128, 0, 128}, nil},
		{"8 bits have room for 0 and 1", "softmax_layer", []any{u8.of([]int{2}, 255, 0), u8.open()}, []float64{1, 0}, nil},
		{"float32", "softmax_layer", []any{f32.of([]int{2}, 300, 300), f32.open()}, []float64{0.5, 0.5}, nil},
	})
}

func TestNormalizationLayers(t *testing.T) {
	across, same := enum(NormalizationAcrossMaps), enum(NormalizationSameMap)
	maps := q78.of([]int{1, 1, 4}, 256, 512, -256, 0)
	runCases(t, []layerCase{
		{"across maps: 3 elements", "normalization_layer", []any{maps, across, 3, float32(3), float32(1), q78.open()},
			[]float64{42, 73, -42, 0}, nil}, // 1/(1+5), 2/(1+6), -1/(1+5)
		{"in the same map: 9 elements", "normalization_layer", []any{maps, same, 3, float32(9), float32(1), q78.open()},
			[]float64{128, 102, -128, 0}, nil}, // 1/(1+1), 2/(1+4)
		{"with a bias", "local_response_normalization_layer", []any{maps, across, 3, float32(3), float32(1), float32(3), q78.open()},
			[]float64{32, 56, -32, 0}, nil}, // 1/8, 2/9
		{"float32, size 5, exponent 1/2", "local_response_normalization_layer",
			[]any{f32.of([]int{3, 1, 1, 1}, 1, 2, 2), same, 5, float32(25), float32(0.5), float32(7), f32.open()}, []float64{0.25, 0.5, 0.5}, nil},
	})
}

func TestActivationLayer(t *testing.T) {
	call := func(f Activation, a, b float32, x data, y data) []any { return []any{x, enum(f), a, b, y} }
	x, y := q78.of([]int{4}, -32768, -256, 64, 1024), f32.of([]int{3}, -2, 0.25, 4)
	bytes := s8.of([]int{4}, -128, -1, 5, 127)
	runCases(t, []layerCase{
		{"logistic", "activation_layer", call(ActivationLogistic, 0, 0, x, q78.open()), []float64{0, 68, 143, 251}, nil},
		{"tanh", "activation_layer", call(ActivationHyperbolicTan, 1, 1, x, q78.open()), []float64{-256, -194, 62, 255}, nil},
		{"a·tanh(b·x)", "activation_layer", call(ActivationHyperbolicTan, 2, 0.5, x, q78.open()), []float64{-512, -236, 63, 493}, nil},
		{"relu", "activation_layer", call(ActivationRelu, 0, 0, x, q78.open()), []float64{0, 0, 64, 1024}, nil},
		{"brelu", "activation_layer", call(ActivationBrelu, 2.001, 0, x, q78.open()), []float64{0, 0, 64, 512}, nil},
		{"softrelu", "activation_layer", call(ActivationSoftrelu, 0, 0, x, q78.open()), []float64{0, 80, 211, 1028}, nil},
		{"abs", "activation_layer", call(ActivationAbs, 0, 0, x, q78.open()), []float64{32767, 256, 64, 1024}, nil},
		{"square", "activation_layer", call(ActivationSquare, 0, 0, x, q78.open()), []float64{32767, 256, 16, 4096}, nil},
		{"sqrt, 0 of what is negative", "activation_layer", call(ActivationSqrt, 0, 0, x, q78.open()), []float64{0, 0, 128, 512}, nil},
		{"linear", "activation_layer", call(ActivationLinear, 0.5, 1.25, x, q78.open()), []float64{-16064, 192, 352, 832}, nil},
		{"of 8 bits", "activation_layer", call(ActivationLinear, 0.5, 1, bytes, s8.open()), []float64{-63, 0, 3, 64}, nil},
		{"abs of 8 bits", "activation_layer", call(ActivationAbs, 0, 0, bytes, s8.open()), []float64{127, 1, 5, 127}, nil},
		{"relu of 8 bits", "activation_layer", call(ActivationRelu, 0, 0, bytes, s8.open()), []float64{0, 0, 5, 127}, nil},
		{"unsigned", "activation_layer", call(ActivationSquare, 0, 0, u8.of([]int{3}, 0, 15, 16), u8.open()), []float64{0, 225, 255}, nil},
		{"float32", "activation_layer", call(ActivationLinear, 0.5, 0, y, f32.open()), []float64{-1, 0.125, 2}, nil},
	})
}

// TestActivationOfAllNumbers: a tensor of as many elements as Q7.8 has numbers, whose results are looked up, has those of its parts.
func TestActivationOfAllNumbers(t *testing.T) {
	x := q78.ramp(-1<<15, 1, 1<<16)
	for f := range activations {
		apply := func(x data) []float64 {
			arguments := []any{x, enum(f), float32(2), float32(0.5), q78.open()}
			y, err := run(prepared("activation_layer", false, arguments...), arguments)
			if err != nil {
				t.Fatal(err)
			}
			return y
		}
		half := len(x.raw) / 2
		want := slices.Concat(apply(q78.of([]int{half}, x.raw[:half]...)), apply(q78.of([]int{half}, x.raw[half:]...)))
		if !slices.Equal(apply(x), want) {
			t.Errorf("%v of all numbers at once differs from that of two halves", f)
		}
	}
}

func TestROIPoolingLayer(t *testing.T) {
	params := ROIPoolParams{PoolType: PoolingMax}
	x := s8.ramp(1, 1, 4, 3, 1)
	runCases(t, []layerCase{
		{"two regions", "roi_pooling_layer", []any{x, s8.of([]int{4, 2}, 0, 0, 3, 2, 0, 0, 2, 0), params, s8.open(2, 1, 1, 2)}, []float64{10, 12, 2, 3}, nil},
		{"one region, of which the text makes no dimension", "roi_pooling_layer",
			[]any{x, s8.of([]int{4, 1}, 1, 1, 2, 2), params, s8.open(1, 1, 1)}, []float64{11}, nil},
		{"before the data", "roi_pooling_layer", []any{x, s8.of([]int{4, 1}, -1, 0, 2, 2), params, s8.open(2, 2, 1, 1)},
			[]float64{5, 7, 9, 11}, []float64{0, 7, 0, 11}},
		{"a batch", "roi_pooling_layer",
			[]any{q78.of([]int{1, 1, 2, 2}, 1, 2, 3, -4), q78.of([]int{4, 1, 2}, 0, 0, 0, 0, 0, 0, 3, 3), params, q78.open(1, 1, 2, 1, 2)}, []float64{1, 2, 3, -4}, nil},
		{"float32", "roi_pooling_layer", []any{f32.ramp(0.5, 1, 4, 3, 1), f32.of([]int{4, 1}, 0, 0, 3.75, 1), params, f32.open(2, 1, 1, 1)}, []float64{5.5, 7.5}, nil},
	})
}

func TestTensorNodes(t *testing.T) {
	saturate, wrap := enum(ConvertPolicySaturate), enum(ConvertPolicyWrap)
	zero, even := enum(RoundPolicyToZero), enum(RoundPolicyToNearestEven)
	row := func(f format, raw ...float64) data { return f.of([]int{len(raw)}, raw...) }
	runCases(t, []layerCase{
		{"saturated", "tensor_add", []any{row(s8, 100, -100, 1), row(s8, 100, -100, 1), saturate, s8.open()}, []float64{127, -128, 2}, nil},
		{"wrapped", "tensor_add", []any{row(u8, 200, 1), row(u8, 100, 1), wrap, u8.open()}, []float64{44, 2}, nil},
		{"broadcast both ways", "tensor_subtract", []any{q78.of([]int{2, 1}, 1, 2), q78.of([]int{1, 2}, 10, 20), saturate, q78.open()}, []float64{-9, -8, -19, -18}, nil},
		{"unsigned below 0", "tensor_subtract", []any{row(u8, 1), row(u8, 2), saturate, u8.open()}, []float64{0}, nil},
		{"float32", "tensor_subtract", []any{row(f32, 1), row(f32, 2.5), saturate, f32.open()}, []float64{-1.5}, nil},

		{"halves to even", "tensor_multiply", []any{row(s8, 1, 3, 5, -1, -3), row(s8, 1), float32(0.5), saturate, even, s8.open()}, []float64{0, 2, 2, 0, -2}, nil},
		{"toward zero", "tensor_multiply", []any{row(s8, 1, 3, 5, -1, -3), row(s8, 1), float32(0.5), saturate, zero, s8.open()}, []float64{0, 1, 2, 0, -1}, nil},
		{"by 1/255", "tensor_multiply", []any{row(u8, 255, 254, 1), row(u8, 255, 255, 127), float32(1) / 255, saturate, even, u8.open()}, []float64{255, 254, 0}, nil},
		{"Q7.8", "tensor_multiply", []any{row(q78, 384, -384, 32767), row(q78, 3, 3, 32767), float32(2), saturate, zero, q78.open()}, []float64{9, -9, 32767}, nil},
		{"Q7.8 wrapped", "tensor_multiply", []any{row(q78, 32767), row(q78, 32767), float32(1), wrap, zero, q78.open()}, []float64{-256}, nil},
		{"a great scale", "tensor_multiply", []any{row(s8, 1, -1, 0), row(s8, 1), float32(3e38), saturate, zero, s8.open()}, []float64{127, -128, 0}, nil},
		{"a great scale, wrapped", "tensor_multiply", []any{row(s8, 1, -1, 0), row(s8, 1), float32(3e38), wrap, zero, s8.open()}, []float64{0, 0, 0}, nil},
		{"the least scale", "tensor_multiply", []any{row(q78, 32767, -32768), row(q78, 32767), float32(1e-45), saturate, even, q78.open()}, []float64{0, 0}, nil},
		{"scale 0", "tensor_multiply", []any{row(u8, 255), row(u8, 255), float32(0), saturate, even, u8.open()}, []float64{0}, nil},
		{"float32", "tensor_multiply", []any{row(f32, 3), row(f32, 0.5), float32(0.25), saturate, even, f32.open()}, []float64{0.375}, nil},

		{"of 8 bits", "tensor_table_lookup", []any{row(u8, 0, 2, 9), row(u8, 5, 6, 7), u8.open()}, []float64{5, 7, 7}, nil},
		{"of 16 bits, 0 in the middle", "tensor_table_lookup", []any{row(q78, -2, 0, 1, -9), row(q78, 10, 20, 30, 40), q78.open()}, []float64{10, 30, 40, 10}, nil},
		{"from 8 to 16 bits", "tensor_table_lookup", []any{row(u8, 0, 1), row(q78, 10, 20, 30, 40), q78.open()}, []float64{30, 40}, nil},

		{"three dimensions", "tensor_transpose", []any{s8.ramp(0, 1, 3, 1, 2), 0, 2, s8.open()}, []float64{0, 3, 1, 4, 2, 5}, nil},
		{"of one with itself", "tensor_transpose", []any{s8.ramp(0, 1, 3), 0, 0, s8.open()}, []float64{0, 1, 2}, nil},

		{"from Q7.8, truncated", "tensor_convert_depth", []any{row(q78, 384, -384, 32767), saturate, float32(1), float32(0), s8.open()}, []float64{1, -1, 127}, nil},
		{"to Q7.8", "tensor_convert_depth", []any{row(u8, 0, 200, 255), saturate, float32(1), float32(0), q78.open()}, []float64{0, 32767, 32767}, nil},
		{"to Q7.8, wrapped", "tensor_convert_depth", []any{row(u8, 0, 200, 255), wrap, float32(1), float32(0), q78.open()}, []float64{0, -14336, -256}, nil},
		{"offset and norm", "tensor_convert_depth", []any{row(u8, 0, 4, 7), saturate, float32(2), float32(4), s8.open()}, []float64{-2, 0, 1}, nil},
		{"far beyond, wrapped", "tensor_convert_depth", []any{row(q78, 256, 0, -256), wrap, float32(1e-30), float32(0), q78.open()}, []float64{0, 0, 0}, nil},
		{"far beyond, saturated", "tensor_convert_depth", []any{row(f32, 1, 0, -1), saturate, float32(1e-38), float32(0), u8.open()}, []float64{255, 0, 0}, nil},
		{"to float32", "tensor_convert_depth", []any{row(q78, 384, -1), wrap, float32(2), float32(1), f32.open()}, []float64{0.25, -0.501953125}, nil},

		{"not square", "tensor_matrix_multiply",
			[]any{s8.of([]int{3, 2}, 1, 2, 3, 4, 5, 6), s8.of([]int{1, 3}, 1, 10, 20), nil, MatrixMultiplyParams{}, s8.open()}, []float64{81, 127}, nil},
		{"all transposed", "tensor_matrix_multiply",
			[]any{f32.of([]int{2, 3}, 1, 4, 2, 5, 3, 6), f32.of([]int{3, 2}, 1, 10, 20, 1, 1, 1), f32.of([]int{2, 2}, 0, 1, 2, 3),
				MatrixMultiplyParams{TransposeA: true, TransposeB: true, TransposeC: true}, f32.open()},
			[]float64{81, 8, 175, 18}, nil},
		{"Q7.8 to nearest", "tensor_matrix_multiply",
			[]any{q78.of([]int{1, 6}, 1, 3, -1, -3, -1, 255), q78.of([]int{1, 1}, 128), q78.of([]int{1, 6}, 0, 0, 0, 0, 10, 0), MatrixMultiplyParams{}, q78.open()},
			[]float64{1, 2, 0, -1, 10, 128}, nil},
		{"Q7.8 below 0", "tensor_matrix_multiply",
			[]any{q78.of([]int{1, 2}, -3, -7), q78.of([]int{1, 1}, 64), nil, MatrixMultiplyParams{}, q78.open()}, []float64{-1, -2}, nil},
	})
}
