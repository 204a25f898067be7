package openvx

import (
	"fmt"
	"strings"

	"github.com/concord-nn/concord/internal/limits"
)

// The enumerations of the standard. Their constants are generated from the tables of package abi.

type (
	// Status says what became of a call (vx_status_e).
	Status int32

	// Type is that of an object, an element or a scalar (vx_type_e, vx_nn_type_e).
	Type int32

	// Action is what a completion callback wants (vx_action_e).
	Action int32

	// Direction is that of a parameter (vx_direction_e).
	Direction int32

	// Directive is for [Context.Directive] (vx_directive_e).
	Directive int32

	// Hint is for [Context.Hint] (vx_hint_e).
	Hint int32

	// GraphState says what became of a graph (vx_graph_state_e).
	GraphState int32

	// ConvertPolicy says what happens on overflow (vx_convert_policy_e).
	ConvertPolicy int32

	// RoundPolicy says how results are rounded (vx_round_policy_e).
	RoundPolicy int32

	// ParameterState is required or optional (vx_parameter_state_e).
	ParameterState int32

	// Usage is that of copied and mapped memory (vx_accessor_e).
	Usage int32

	// KernelID is a number of vx_kernel_e, of vx_kernel_nn_ext_e, or of a user kernel.
	KernelID int32

	// SizeRounding says how the size of a result is rounded (vx_nn_rounding_type_e).
	SizeRounding int32

	// Pooling is the function of a pooling (vx_nn_pooling_type_e).
	Pooling int32

	// Normalization says over what a normalization sums (vx_nn_norm_type_e).
	Normalization int32

	// Activation is an activation function (vx_nn_activation_function_e).
	Activation int32

	// Border is how a kernel treats what is outside of an image (vx_border_e).
	Border int32

	// Target is where a node runs (vx_target_e).
	Target int32

	// ImageFormat is a FourCC (vx_df_image_e).
	ImageFormat uint32

	// Enum is a scalar's value of VX_TYPE_ENUM.
	Enum int32
)

// nameOf returns the name of a member of an enumeration, or the type and the value of what is none: a status as the number that it is,
// others, which the standard puts together of bits, in base 16.
func nameOf[E ~int32 | ~uint32](v E, names map[E]string) string {
	if name, ok := names[v]; ok {
		return name
	}
	format := "%s(%#x)"
	if _, ok := any(v).(Status); ok {
		format = "%s(%d)"
	}
	return fmt.Sprintf(format, strings.TrimPrefix(fmt.Sprintf("%T", v), "openvx."), int64(v))
}

// noun is how messages call an object of the type: "tensor" or "object array".
func (t Type) noun() string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(t.String(), "VX_TYPE_"), "_", " "))
}

// ConvolutionParams are the parameters of a convolution (vx_nn_convolution_params_t).
type ConvolutionParams struct {
	PaddingX, PaddingY   int // elements added at each side
	OverflowPolicy       ConvertPolicy
	RoundingPolicy       RoundPolicy
	DownScaleSize        SizeRounding
	DilationX, DilationY int // number of zeros inserted between the weights
}

// DeconvolutionParams are the parameters of a deconvolution (vx_nn_deconvolution_params_t).
type DeconvolutionParams struct {
	PaddingX, PaddingY int // elements taken away at each side of the output
	OverflowPolicy     ConvertPolicy
	RoundingPolicy     RoundPolicy
	AX, AY             int // elements added at the end, less than the factor of upscaling
}

// ROIPoolParams are the parameters of a ROI pooling (vx_nn_roi_pool_params_t).
type ROIPoolParams struct {
	PoolType Pooling // PoolingMax
}

// MatrixMultiplyParams say which matrices are transposed (vx_tensor_matrix_multiply_params_t).
type MatrixMultiplyParams struct {
	TransposeA, TransposeB, TransposeC bool
}

// Limits of names, in bytes without the terminating zero, of parameters and of ranks.
const (
	MaxKernelName       = limits.VXKernelName
	MaxReferenceName    = limits.VXReferenceName
	MaxLogMessage       = limits.VXLogMessage
	MaxKernelParameters = limits.VXParameters
	MaxTensorDims       = limits.VXDims
)
