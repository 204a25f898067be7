package openvx

import (
	"fmt"
	"strings"

	"github.com/concord-nn/concord/internal/limits"
)

// Enum is a scalar's value of VX_TYPE_ENUM. The enumerations of the standard are generated from the headers of the C library.
type Enum int32

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
