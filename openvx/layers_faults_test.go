package openvx

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testdata/golden"
	"github.com/concord-nn/concord/op"
)

// sound are arguments that each layer accepts, of which the faults differ in one.
func sound(layer string) []any {
	saturate, zero, floor := enum(ConvertPolicySaturate), enum(RoundPolicyToZero), enum(SizeRoundingFloor)
	x := u8.ramp(0, 1, 5, 4, 2, 3)
	switch layer {
	case "convolution_layer":
		return []any{x, u8.ramp(0, 1, 3, 2, 2, 4), u8.ramp(0, 1, 4), convolution(1, 0, nil), u8.open(5, 3, 4, 3)}
	case "deconvolution_layer":
		return []any{x, u8.ramp(0, 1, 3, 2, 2, 4), u8.ramp(0, 1, 4),
			DeconvolutionParams{PaddingX: 1, AX: 1, OverflowPolicy: ConvertPolicySaturate, RoundingPolicy: RoundPolicyToZero}, u8.open(10, 5, 4, 3)}
	case "fully_connected_layer":
		return []any{x, u8.ramp(0, 1, 40, 4), u8.ramp(0, 1, 4), saturate, zero, u8.open(4, 3)}
	case "pooling_layer":
		return []any{x, enum(PoolingMax), 3, 2, 1, 0, floor, u8.open(5, 3, 2, 3)}
	case "softmax_layer":
		return []any{x, u8.open()}
	case "normalization_layer":
		return []any{x, enum(NormalizationSameMap), 3, float32(1), float32(1), u8.open()}
	case "local_response_normalization_layer":
		return []any{x, enum(NormalizationSameMap), 3, float32(1), float32(1), float32(1), u8.open()}
	case "activation_layer":
		return []any{x, enum(ActivationLinear), float32(1), float32(1), u8.open()}
	case "roi_pooling_layer":
		return []any{x, u8.ramp(0, 1, 4, 2, 3), ROIPoolParams{PoolingMax}, u8.open(2, 2, 2, 2, 3)}
	case "tensor_multiply":
		return []any{x, x, float32(1), saturate, zero, u8.open()}
	case "tensor_add", "tensor_subtract":
		return []any{x, x, saturate, u8.open()}
	case "tensor_table_lookup":
		return []any{x, u8.ramp(0, 1, 256), u8.open()}
	case "tensor_transpose":
		return []any{x, 0, 3, u8.open()}
	case "tensor_convert_depth":
		return []any{x, saturate, float32(1), float32(0), q78.open()}
	case "tensor_matrix_multiply":
		return []any{u8.ramp(0, 1, 3, 2), u8.ramp(0, 1, 4, 3), u8.ramp(0, 1, 4, 2), MatrixMultiplyParams{}, u8.open()}
	}
	panic("no layer " + layer)
}

// TestLayerFaults gives layers one wrong argument and looks at the status and at what the message says is wrong and right.
func TestLayerFaults(t *testing.T) {
	testdata.Wide(t)
	conv := func(change func(p *ConvolutionParams)) any { return convolution(1, 0, change) }
	deconv := func(change func(p *DeconvolutionParams)) any {
		p := sound("deconvolution_layer")[3].(DeconvolutionParams)
		change(&p)
		return p
	}
	nan := float32(math.NaN())
	for _, tt := range []struct {
		layer   string
		operand int
		value   any
		status  Status
		message string
	}{
		{"convolution_layer", 0, u8.ramp(0, 1, 5, 4), ErrorInvalidDimension, "inputs (parameter 0) has 2 dimensions, [5 4]; there must be from 3 to"},
		{"convolution_layer", 0, format{dtype: TypeUint16}.open(5, 4, 2, 3), ErrorInvalidType,
			"has elements of VX_TYPE_UINT16; it must be one of VX_TYPE_UINT8, VX_TYPE_INT8, VX_TYPE_INT16 with fixed point position 8, VX_TYPE_FLOAT32"},
		{"convolution_layer", 0, format{dtype: TypeInt16}.open(5, 4, 2, 3), ErrorInvalidFormat, "has fixed point position 0; with VX_TYPE_INT16 it must be 8"},
		{"convolution_layer", 0, u8.open(5, 4, 3, 3), ErrorInvalidDimension, "weights (parameter 1) has extents [3 2 2 4], 2 input channels; inputs has 3"},
		{"convolution_layer", 1, s8.open(3, 2, 2, 4), ErrorInvalidType, "has elements of VX_TYPE_INT8; it must be VX_TYPE_UINT8, as inputs"},
		{"convolution_layer", 1, u8.open(3, 2, 2), ErrorInvalidDimension, "weights (parameter 1) has 3 dimensions, [3 2 2]; there must be 4"},
		{"convolution_layer", 1, u8.open(3, 5, 2, 4), ErrorInvalidDimension, "has height 3 for inputs with 4, padding 0, a window of 5"},
		{"convolution_layer", 2, u8.open(3), ErrorInvalidDimension, "biases (parameter 2) has extents [3]; they must be [5 3 4], or the last of these alone"},
		{"convolution_layer", 2, u8.open(3, 5, 4), ErrorInvalidDimension, "biases (parameter 2) has extents [3 5 4]; they must be [5 3 4]"},
		{"convolution_layer", 3, conv(func(p *ConvolutionParams) { p.OverflowPolicy = 0 }), ErrorInvalidValue,
			"gives ConvertPolicy(0x0) as overflow_policy; it must be VX_CONVERT_POLICY_WRAP or VX_CONVERT_POLICY_SATURATE"},
		{"convolution_layer", 3, conv(func(p *ConvolutionParams) { p.RoundingPolicy = 5 }), ErrorInvalidValue, "VX_ROUND_POLICY_TO_ZERO or VX_ROUND_POLICY_TO_NEAREST_EVEN"},
		{"convolution_layer", 3, conv(func(p *ConvolutionParams) { p.DownScaleSize = 5 }), ErrorInvalidValue, "VX_NN_DS_SIZE_ROUNDING_FLOOR or"},
		{"convolution_layer", 3, conv(func(p *ConvolutionParams) { p.PaddingX = -1 }), ErrorInvalidValue, "gives -1 as padding_x; it must be from 0 to 268435456"},
		{"convolution_layer", 3, conv(func(p *ConvolutionParams) { p.PaddingY = math.MaxInt }), ErrorInvalidValue, "gives 9223372036854775807 as padding_y"},
		{"convolution_layer", 3, conv(func(p *ConvolutionParams) { p.DilationX = -1 }), ErrorInvalidValue, "gives -1 as dilation_x"},
		{"convolution_layer", 3, conv(func(p *ConvolutionParams) { p.DilationX = limits.VXWindow }), ErrorInvalidValue, "makes of the 3 weights along the width a window of more than"},
		{"convolution_layer", 3, conv(func(p *ConvolutionParams) { p.DilationY = 9 }), ErrorInvalidDimension,
			"has height 3 for inputs with 4, padding 0, a window of 2 with 9 between its elements, and floor rounding: with that no window fits"},
		{"convolution_layer", 4, u8.open(4, 3, 4, 3), ErrorInvalidDimension,
			"outputs (parameter 4) has width 4 for inputs with 5, padding 1, a window of 3 with 0 between its elements, and floor rounding: no skip gives that; skip 1 would give 5"},
		{"convolution_layer", 4, u8.open(5, 3, 5, 3), ErrorInvalidDimension, "outputs (parameter 4) has extents [5 3 5 3]; they must be [5 3 4 3]"},
		{"convolution_layer", 4, u8.open(5, 3, 4), ErrorInvalidDimension, "outputs (parameter 4) has 3 dimensions, [5 3 4]; there must be 4, [5 3 4 3]"},
		{"convolution_layer", 4, q78.open(5, 3, 4, 3), ErrorInvalidType, "has elements of VX_TYPE_INT16 with fixed point position 8; it must be VX_TYPE_UINT8"},
		{"convolution_layer", 4, format{dtype: TypeUint8, fixed: 1}.open(5, 3, 4, 3), ErrorInvalidFormat, "has fixed point position 1; it must be 0"},

		{"deconvolution_layer", 3, deconv(func(p *DeconvolutionParams) { p.PaddingX = 3 }), ErrorInvalidValue, "gives a padding of 3 along the width; with 3 weights it must be less"},
		{"deconvolution_layer", 3, deconv(func(p *DeconvolutionParams) { p.AX = -1 }), ErrorInvalidValue, "gives -1 as a_x"},
		{"deconvolution_layer", 3, deconv(func(p *DeconvolutionParams) { p.AY = 1 }), ErrorInvalidDimension,
			"has height 5 for inputs with 4, padding 0, 2 weights and a = 1; it must be 9 or greater by a multiple of 3"},
		{"deconvolution_layer", 4, u8.open(11, 5, 4, 3), ErrorInvalidDimension,
			"has width 11 for inputs with 5, padding 1, 3 weights and a = 1; it must be 10 or greater by a multiple of 4"},
		{"deconvolution_layer", 4, u8.open(6, 5, 4, 3), ErrorInvalidDimension, "has width 6"},
		{"deconvolution_layer", 0, u8.open(1<<30, 4, 2, 3), ErrorInvalidDimension, "inputs (parameter 0) has width 1073741824"},

		{"fully_connected_layer", 0, u8.open(20, 2, 3), ErrorInvalidDimension, "outputs (parameter 5) has 2 dimensions, [4 3]; with inputs of [20 2 3]"},
		{"fully_connected_layer", 1, u8.open(5, 4, 2), ErrorInvalidDimension, "weights (parameter 1) has extents [5 4 2]; they must be [5 4 2 2]"},
		{"fully_connected_layer", 1, u8.open(41, 4), ErrorInvalidDimension, "weights (parameter 1) has extents [41 4]; they must be [40 4]"},
		{"fully_connected_layer", 2, u8.open(3), ErrorInvalidDimension, "biases (parameter 2) has extents [3]; they must be [4]"},
		{"fully_connected_layer", 4, enum(ConvertPolicySaturate), ErrorInvalidValue, "rounding_policy (parameter 4) gives"},
		{"fully_connected_layer", 5, u8.open(4, 2), ErrorInvalidDimension, "outputs (parameter 5) has extents [4 2]; they must be [4 3]"},

		{"pooling_layer", 1, enum(ConvertPolicyWrap), ErrorInvalidValue, "it must be VX_NN_POOLING_MAX or VX_NN_POOLING_AVG"},
		{"pooling_layer", 2, 0, ErrorInvalidValue, "pooling_size_x (parameter 2) gives 0 as size; it must be from 1"},
		{"pooling_layer", 3, limits.VXWindow, ErrorInvalidValue, "make a window of 3 × 268435456 elements"},
		{"pooling_layer", 4, -1, ErrorInvalidValue, "pooling_padding_x (parameter 4) gives -1 as padding"},
		{"pooling_layer", 7, u8.open(5, 3, 3, 3), ErrorInvalidDimension, "they must be [5 3 2 3]"},

		{"softmax_layer", 0, u8.open(1, 1, 1, 1, 1), ErrorInvalidDimension, "there must be from 1 to 4"},
		{"softmax_layer", 1, u8.open(5, 4, 2), ErrorInvalidDimension, "outputs (parameter 1) has 3 dimensions"},

		{"normalization_layer", 2, 4, ErrorInvalidValue, "normalization_size (parameter 2) is 4; it must be 3, 5 or 7"},
		{"normalization_layer", 3, float32(0), ErrorInvalidValue, "alpha (parameter 3) is 0; it must be greater than 0"},
		{"local_response_normalization_layer", 1, enum(PoolingMax), ErrorInvalidValue, "VX_NN_NORMALIZATION_SAME_MAP or VX_NN_NORMALIZATION_ACROSS_MAPS"},
		{"local_response_normalization_layer", 5, nan, ErrorInvalidValue, "bias (parameter 5) is NaN; it must be greater than 0"},

		{"activation_layer", 1, enum(ActivationLinear + 1), ErrorInvalidValue, "it must be VX_NN_ACTIVATION_LOGISTIC or VX_NN_ACTIVATION_HYPERBOLIC_TAN"},
		{"activation_layer", 2, float32(-1), ErrorInvalidValue, "a (parameter 2) is -1; it must be at least 0"},
		{"activation_layer", 3, nan, ErrorInvalidValue, "b (parameter 3) is NaN; it must be at least 0"},

		{"roi_pooling_layer", 1, u8.open(5, 2, 3), ErrorInvalidDimension, "input_rois (parameter 1) has extents [5 2 3]; with input_data of [5 4 2 3]"},
		{"roi_pooling_layer", 1, u8.open(4, 2, 2), ErrorInvalidDimension, "they must be 4, the number of regions, and the batch of the data"},
		{"roi_pooling_layer", 2, ROIPoolParams{PoolingAvg}, ErrorInvalidValue, "VX_NN_POOLING_AVG as pool_type; it must be VX_NN_POOLING_MAX"},
		{"roi_pooling_layer", 3, u8.open(), ErrorInvalidDimension, "width and height must be given"},
		{"roi_pooling_layer", 3, u8.open(2, 2, 2, 3), ErrorInvalidDimension, "there must be 5, [2 2 2 2 3]"},

		{"tensor_multiply", 1, u8.open(5, 4, 2), ErrorInvalidDimension, "input2 (parameter 1) has 3 dimensions, [5 4 2]; there must be 4"},
		{"tensor_multiply", 1, u8.open(5, 2, 2, 3), ErrorInvalidDimension, "with input1 of [5 4 2 3] extent 1 must be 4 or 1"},
		{"tensor_multiply", 2, float32(-0.5), ErrorInvalidValue, "scale (parameter 2) is -0.5; it must be at least 0"},
		{"tensor_multiply", 2, float32(math.Inf(1)), ErrorInvalidValue, "scale (parameter 2) is +Inf; it must be a finite number"},
		{"tensor_add", 2, enum(RoundPolicyToZero), ErrorInvalidValue, "policy (parameter 2) gives"},
		{"tensor_subtract", 1, s8.open(5, 4, 2, 3), ErrorInvalidType, "as input1"},
		{"tensor_table_lookup", 0, s8.open(5), ErrorInvalidType, "it must be one of VX_TYPE_UINT8, VX_TYPE_INT16"},
		{"tensor_table_lookup", 1, f32.open(5), ErrorInvalidType, "lut (parameter 1) has elements of VX_TYPE_FLOAT32"},
		{"tensor_table_lookup", 2, q78.open(), ErrorInvalidType, "it must be VX_TYPE_UINT8"},
		{"tensor_transpose", 2, 4, ErrorInvalidValue, "dimension2 (parameter 2) is 4; it must be from 0 to 3"},
		{"tensor_transpose", 3, u8.open(5, 4, 2, 3), ErrorInvalidDimension, "they must be [3 4 2 5]"},
		{"tensor_convert_depth", 2, float32(0), ErrorInvalidValue, "norm (parameter 2) is 0"},
		{"tensor_convert_depth", 3, nan, ErrorInvalidValue, "offset (parameter 3) is NaN; it must be a finite number"},
		{"tensor_convert_depth", 4, format{}.open(), ErrorInvalidType, "output (parameter 4) has elements of VX_TYPE_INVALID"},
		{"tensor_matrix_multiply", 0, u8.open(3), ErrorInvalidDimension, "there must be 2"},
		{"tensor_matrix_multiply", 1, u8.open(3, 4), ErrorInvalidDimension, "input2 (parameter 1) has extents [3 4], 4 rows as it is used; there must be 3"},
		{"tensor_matrix_multiply", 2, u8.open(2, 4), ErrorInvalidDimension, "input3 (parameter 2) has extents [2 4]; they must be [4 2]"},
		{"tensor_matrix_multiply", 3, MatrixMultiplyParams{TransposeA: true}, ErrorInvalidDimension, "there must be 2, as many as input1"},
	} {
		arguments := sound(tt.layer)
		arguments[tt.operand] = tt.value
		c := prepared(tt.layer, false, arguments...)
		err := c.layer.infer(c)
		var e *Error
		if !errors.As(err, &e) || e.Status != tt.status || !strings.Contains(e.Msg, tt.message) {
			t.Errorf("%s with %v as parameter %d: %v; it must be %v with %q", tt.layer, tt.value, tt.operand, err, tt.status, tt.message)
		}
	}
	images := &call{layer: layerNamed("color_convert"), operands: []operand{{given: true}, {given: true}}}
	if err := images.layer.infer(images); StatusOf(err) != ErrorNotImplemented {
		t.Errorf("color_convert: %v", err)
	}
}

// TestLayersComplete holds every layer to what the tests of faults start from: its arguments are accepted with a result of which anything
// is open, which then is filled in, and nothing of the caller's is changed.
func TestLayersComplete(t *testing.T) {
	for _, l := range layers {
		if l.lower == nil {
			continue
		}
		name := l.name[strings.LastIndexByte(l.name, '.')+1:]
		arguments := sound(name)
		last := len(arguments) - 1
		whole := prepared(name, false, arguments...)
		if err := l.infer(whole); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := whole.out().format
		for open := range len(want.dims) + 2 {
			given := want
			given.dims = slices.Clone(want.dims)
			switch {
			case open < len(want.dims):
				given.dims[open] = 0
			case open == len(want.dims):
				given.dims = nil
			default:
				given.dtype, given.fixed = TypeInvalid, 0
			}
			if name == "roi_pooling_layer" && (open < 2 || open == len(want.dims)) || name == "tensor_convert_depth" && given.dtype == TypeInvalid {
				continue // the layer cannot know
			}
			arguments[last] = data{format: given}
			c, before := prepared(name, false, arguments...), slices.Clone(given.dims)
			if err := l.infer(c); err != nil {
				t.Errorf("%s, case %d: %v", name, open, err)
			} else if got := c.out().format; !got.equal(want) {
				t.Errorf("%s, case %d: the result is %v %v; it must be %v %v", name, open, got, got.dims, want, want.dims)
			}
			if !slices.Equal(given.dims, before) {
				t.Errorf("%s changes the extents that it is given", name)
			}
		}
		if l.params[last].dir != Output || slices.ContainsFunc(l.params[:last], func(p param) bool { return p.dir != Input }) {
			t.Errorf("%s: the result must be the last parameter", name)
		}
	}
}

// TestLoweredGraphs compares the graphs of some layers with a golden file.
func TestLoweredGraphs(t *testing.T) {
	dilated := convolution(1, 0, func(p *ConvolutionParams) { p.DilationX = 1 })
	saturate, even := enum(ConvertPolicySaturate), enum(RoundPolicyToNearestEven)
	var text strings.Builder
	for _, tt := range []struct {
		about      string
		layer      string
		compatible bool
		arguments  []any
	}{
		{"8 bits", "convolution_layer", false, sound("convolution_layer")},
		{"16 bits, biases by location", "convolution_layer", false, []any{q78.open(5, 4, 2), q78.open(3, 2, 2, 4), q78.open(3, 3, 4), dilated, q78.open()}},
		{"compatible dilation", "convolution_layer", true, []any{u8.open(5, 4, 2), u8.open(3, 2, 2, 4), nil, dilated, u8.open()}},
		{"8 bits", "deconvolution_layer", false, sound("deconvolution_layer")},
		{"compatible bounds", "deconvolution_layer", true, sound("deconvolution_layer")},
		{"16 bits", "fully_connected_layer", false, []any{q78.open(2, 2, 2, 3), q78.open(2, 2, 2, 4), q78.open(4), saturate, even, q78.open(4, 3)}},
		{"unsigned maxima", "pooling_layer", false, sound("pooling_layer")},
		{"signed maxima", "pooling_layer", false, slices.Concat([]any{s8.open(5, 4, 2, 3)}, sound("pooling_layer")[1:7], []any{s8.open()})},
		{"16 bits", "softmax_layer", false, []any{q78.open(5), q78.open()}},
		{"8 bits", "activation_layer", false, sound("activation_layer")},
		{"16 bits", "local_response_normalization_layer", false,
			slices.Concat([]any{q78.open(2, 2, 2)}, sound("local_response_normalization_layer")[1:6], []any{q78.open()})},
		{"compatible", "roi_pooling_layer", true, sound("roi_pooling_layer")},
		{"by 1/255", "tensor_multiply", false, []any{u8.open(3), u8.open(3), float32(1.0 / 255), saturate, even, u8.open()}},
		{"wrapped", "tensor_convert_depth", false, []any{q78.open(3), enum(ConvertPolicyWrap), float32(2), float32(1), s8.open()}},
		{"16 bits", "tensor_matrix_multiply", false, []any{q78.open(3, 2), q78.open(4, 3), q78.open(2, 4), MatrixMultiplyParams{TransposeC: true}, q78.open()}},
	} {
		c := prepared(tt.layer, tt.compatible, tt.arguments...)
		g, err := lowered(c, tt.arguments, func(int) bool { return false })
		if err != nil {
			t.Fatalf("%s, %s: %v", tt.layer, tt.about, err)
		}
		var document strings.Builder
		if err := graph.Print(&document, g, op.Rules); err != nil {
			t.Fatal(err)
		}
		_, body, _ := strings.Cut(document.String(), "\n{\n") // behind declarations and inputs
		fmt.Fprintf(&text, "%s, %s\n%s\n", tt.layer, tt.about, strings.TrimSuffix(body, "}\n"))
	}
	golden.Compare(t, "testdata/layers.txt", text.String())
}
