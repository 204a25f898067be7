// Code generated from the headers of the C library by cmd/libopenvx/generate; DO NOT EDIT.

package openvx

// Type numbers the types of objects, elements and scalars (vx_type_e), the types of structures, for scalars that hold them (vx_nn_type_e).
type Type int32

// String returns the standard's name of the value.
func (v Type) String() string { return nameOf(v, typeNames) }

var typeNames = map[Type]string{
	0x0:   "VX_TYPE_INVALID",
	0x1:   "VX_TYPE_CHAR",
	0x2:   "VX_TYPE_INT8",
	0x3:   "VX_TYPE_UINT8",
	0x4:   "VX_TYPE_INT16",
	0x5:   "VX_TYPE_UINT16",
	0x6:   "VX_TYPE_INT32",
	0x7:   "VX_TYPE_UINT32",
	0x8:   "VX_TYPE_INT64",
	0x9:   "VX_TYPE_UINT64",
	0xa:   "VX_TYPE_FLOAT32",
	0xb:   "VX_TYPE_FLOAT64",
	0xc:   "VX_TYPE_ENUM",
	0xd:   "VX_TYPE_SIZE",
	0xe:   "VX_TYPE_DF_IMAGE",
	0xf:   "VX_TYPE_FLOAT16",
	0x10:  "VX_TYPE_BOOL",
	0x20:  "VX_TYPE_RECTANGLE",
	0x21:  "VX_TYPE_KEYPOINT",
	0x22:  "VX_TYPE_COORDINATES2D",
	0x23:  "VX_TYPE_COORDINATES3D",
	0x24:  "VX_TYPE_COORDINATES2DF",
	0x28:  "VX_TYPE_HOG_PARAMS",
	0x29:  "VX_TYPE_HOUGH_LINES_PARAMS",
	0x2a:  "VX_TYPE_LINE_2D",
	0x2b:  "VX_TYPE_TENSOR_MATRIX_MULTIPLY_PARAMS",
	0x100: "VX_TYPE_USER_STRUCT_START",
	0x400: "VX_TYPE_VENDOR_STRUCT_START",
	0x800: "VX_TYPE_REFERENCE",
	0xc00: "VX_TYPE_VENDOR_OBJECT_START",
	0xff:  "VX_TYPE_KHRONOS_STRUCT_MAX",
	0x3ff: "VX_TYPE_USER_STRUCT_END",
	0x7ff: "VX_TYPE_VENDOR_STRUCT_END",
	0xbff: "VX_TYPE_KHRONOS_OBJECT_END",
	0xfff: "VX_TYPE_VENDOR_OBJECT_END",
	0x801: "VX_TYPE_CONTEXT",
	0x802: "VX_TYPE_GRAPH",
	0x803: "VX_TYPE_NODE",
	0x804: "VX_TYPE_KERNEL",
	0x805: "VX_TYPE_PARAMETER",
	0x806: "VX_TYPE_DELAY",
	0x807: "VX_TYPE_LUT",
	0x808: "VX_TYPE_DISTRIBUTION",
	0x809: "VX_TYPE_PYRAMID",
	0x80a: "VX_TYPE_THRESHOLD",
	0x80b: "VX_TYPE_MATRIX",
	0x80c: "VX_TYPE_CONVOLUTION",
	0x80d: "VX_TYPE_SCALAR",
	0x80e: "VX_TYPE_ARRAY",
	0x80f: "VX_TYPE_IMAGE",
	0x810: "VX_TYPE_REMAP",
	0x811: "VX_TYPE_ERROR",
	0x812: "VX_TYPE_META_FORMAT",
	0x813: "VX_TYPE_OBJECT_ARRAY",
	0x815: "VX_TYPE_TENSOR",
	0x25:  "VX_TYPE_NN_CONVOLUTION_PARAMS",
	0x26:  "VX_TYPE_NN_DECONVOLUTION_PARAMS",
	0x27:  "VX_TYPE_NN_ROI_POOL_PARAMS",
}

// Status numbers the outcomes of calls (vx_status_e).
type Status int32

// String returns the standard's name of the value.
func (v Status) String() string { return nameOf(v, statusNames) }

var statusNames = map[Status]string{
	-0x19: "VX_STATUS_MIN",
	-0x18: "VX_ERROR_REFERENCE_NONZERO",
	-0x17: "VX_ERROR_MULTIPLE_WRITERS",
	-0x16: "VX_ERROR_GRAPH_ABANDONED",
	-0x15: "VX_ERROR_GRAPH_SCHEDULED",
	-0x14: "VX_ERROR_INVALID_SCOPE",
	-0x13: "VX_ERROR_INVALID_NODE",
	-0x12: "VX_ERROR_INVALID_GRAPH",
	-0x11: "VX_ERROR_INVALID_TYPE",
	-0x10: "VX_ERROR_INVALID_VALUE",
	-0xf:  "VX_ERROR_INVALID_DIMENSION",
	-0xe:  "VX_ERROR_INVALID_FORMAT",
	-0xd:  "VX_ERROR_INVALID_LINK",
	-0xc:  "VX_ERROR_INVALID_REFERENCE",
	-0xb:  "VX_ERROR_INVALID_MODULE",
	-0xa:  "VX_ERROR_INVALID_PARAMETERS",
	-0x9:  "VX_ERROR_OPTIMIZED_AWAY",
	-0x8:  "VX_ERROR_NO_MEMORY",
	-0x7:  "VX_ERROR_NO_RESOURCES",
	-0x6:  "VX_ERROR_NOT_COMPATIBLE",
	-0x5:  "VX_ERROR_NOT_ALLOCATED",
	-0x4:  "VX_ERROR_NOT_SUFFICIENT",
	-0x3:  "VX_ERROR_NOT_SUPPORTED",
	-0x2:  "VX_ERROR_NOT_IMPLEMENTED",
	-0x1:  "VX_FAILURE",
	0x0:   "VX_SUCCESS",
}

// Action numbers the wishes of completion callbacks (vx_action_e).
type Action int32

// String returns the standard's name of the value.
func (v Action) String() string { return nameOf(v, actionNames) }

var actionNames = map[Action]string{
	0x1000: "VX_ACTION_CONTINUE",
	0x1001: "VX_ACTION_ABANDON",
}

// Direction numbers the directions of parameters (vx_direction_e).
type Direction int32

// String returns the standard's name of the value.
func (v Direction) String() string { return nameOf(v, directionNames) }

var directionNames = map[Direction]string{
	0x0: "VX_INPUT",
	0x1: "VX_OUTPUT",
}

// Hint numbers the hints for vxHint (vx_hint_e).
type Hint int32

// String returns the standard's name of the value.
func (v Hint) String() string { return nameOf(v, hintNames) }

var hintNames = map[Hint]string{
	0x2001: "VX_HINT_PERFORMANCE_DEFAULT",
	0x2002: "VX_HINT_PERFORMANCE_LOW_POWER",
	0x2003: "VX_HINT_PERFORMANCE_HIGH_SPEED",
}

// Directive numbers the directives for vxDirective (vx_directive_e).
type Directive int32

// String returns the standard's name of the value.
func (v Directive) String() string { return nameOf(v, directiveNames) }

var directiveNames = map[Directive]string{
	0x3000: "VX_DIRECTIVE_DISABLE_LOGGING",
	0x3001: "VX_DIRECTIVE_ENABLE_LOGGING",
	0x3002: "VX_DIRECTIVE_DISABLE_PERFORMANCE",
	0x3003: "VX_DIRECTIVE_ENABLE_PERFORMANCE",
}

// GraphState numbers the states of graphs (vx_graph_state_e).
type GraphState int32

// String returns the standard's name of the value.
func (v GraphState) String() string { return nameOf(v, graphStateNames) }

var graphStateNames = map[GraphState]string{
	0x15000: "VX_GRAPH_STATE_UNVERIFIED",
	0x15001: "VX_GRAPH_STATE_VERIFIED",
	0x15002: "VX_GRAPH_STATE_RUNNING",
	0x15003: "VX_GRAPH_STATE_ABANDONED",
	0x15004: "VX_GRAPH_STATE_COMPLETED",
}

// ConvertPolicy numbers the treatments of results that their type cannot hold (vx_convert_policy_e).
type ConvertPolicy int32

// String returns the standard's name of the value.
func (v ConvertPolicy) String() string { return nameOf(v, convertPolicyNames) }

func (v ConvertPolicy) members() (all string, is bool) { return membersOf(v, convertPolicyNames) }

var convertPolicyNames = map[ConvertPolicy]string{
	0xa000: "VX_CONVERT_POLICY_WRAP",
	0xa001: "VX_CONVERT_POLICY_SATURATE",
}

// ImageFormat numbers the formats of images (vx_df_image_e).
type ImageFormat uint32

// String returns the standard's name of the value.
func (v ImageFormat) String() string { return nameOf(v, imageFormatNames) }

var imageFormatNames = map[ImageFormat]string{
	0x54524956: "VX_DF_IMAGE_VIRT",
	0x32424752: "VX_DF_IMAGE_RGB",
	0x41424752: "VX_DF_IMAGE_RGBX",
	0x3231564e: "VX_DF_IMAGE_NV12",
	0x3132564e: "VX_DF_IMAGE_NV21",
	0x59565955: "VX_DF_IMAGE_UYVY",
	0x56595559: "VX_DF_IMAGE_YUYV",
	0x56555949: "VX_DF_IMAGE_IYUV",
	0x34565559: "VX_DF_IMAGE_YUV4",
	0x31303055: "VX_DF_IMAGE_U1",
	0x38303055: "VX_DF_IMAGE_U8",
	0x36313055: "VX_DF_IMAGE_U16",
	0x36313053: "VX_DF_IMAGE_S16",
	0x32333055: "VX_DF_IMAGE_U32",
	0x32333053: "VX_DF_IMAGE_S32",
}

// Target numbers the places where nodes are performed (vx_target_e).
type Target int32

// String returns the standard's name of the value.
func (v Target) String() string { return nameOf(v, targetNames) }

var targetNames = map[Target]string{
	0x13000: "VX_TARGET_ANY",
	0x13001: "VX_TARGET_STRING",
	0x14000: "VX_TARGET_VENDOR_BEGIN",
}

// ParameterState numbers the states of parameters, which must be set or not (vx_parameter_state_e).
type ParameterState int32

// String returns the standard's name of the value.
func (v ParameterState) String() string { return nameOf(v, parameterStateNames) }

var parameterStateNames = map[ParameterState]string{
	0x8000: "VX_PARAMETER_STATE_REQUIRED",
	0x8001: "VX_PARAMETER_STATE_OPTIONAL",
}

// Border numbers the treatments of what lies outside an image (vx_border_e).
type Border int32

// String returns the standard's name of the value.
func (v Border) String() string { return nameOf(v, borderNames) }

var borderNames = map[Border]string{
	0xc000: "VX_BORDER_UNDEFINED",
	0xc001: "VX_BORDER_CONSTANT",
	0xc002: "VX_BORDER_REPLICATE",
}

// BorderPolicy numbers the ways to go on where a border is not supported (vx_border_policy_e).
type BorderPolicy int32

// String returns the standard's name of the value.
func (v BorderPolicy) String() string { return nameOf(v, borderPolicyNames) }

var borderPolicyNames = map[BorderPolicy]string{
	0x14000: "VX_BORDER_POLICY_DEFAULT_TO_UNDEFINED",
	0x14001: "VX_BORDER_POLICY_RETURN_ERROR",
}

// Usage numbers the usages of copied or mapped memory (vx_accessor_e).
type Usage int32

// String returns the standard's name of the value.
func (v Usage) String() string { return nameOf(v, usageNames) }

var usageNames = map[Usage]string{
	0x11001: "VX_READ_ONLY",
	0x11002: "VX_WRITE_ONLY",
	0x11003: "VX_READ_AND_WRITE",
}

// RoundPolicy numbers the roundings of results (vx_round_policy_e).
type RoundPolicy int32

// String returns the standard's name of the value.
func (v RoundPolicy) String() string { return nameOf(v, roundPolicyNames) }

func (v RoundPolicy) members() (all string, is bool) { return membersOf(v, roundPolicyNames) }

var roundPolicyNames = map[RoundPolicy]string{
	0x12001: "VX_ROUND_POLICY_TO_ZERO",
	0x12002: "VX_ROUND_POLICY_TO_NEAREST_EVEN",
}

// KernelID numbers the kernels of the standard, of which this library has those of tensors (vx_kernel_e), the layers of neural networks
// (vx_kernel_nn_ext_e).
type KernelID int32

// String returns the standard's name of the value.
func (v KernelID) String() string { return nameOf(v, kernelIDNames) }

var kernelIDNames = map[KernelID]string{
	0x1:    "VX_KERNEL_COLOR_CONVERT",
	0x2:    "VX_KERNEL_CHANNEL_EXTRACT",
	0x3:    "VX_KERNEL_CHANNEL_COMBINE",
	0x4:    "VX_KERNEL_SOBEL_3x3",
	0x5:    "VX_KERNEL_MAGNITUDE",
	0x6:    "VX_KERNEL_PHASE",
	0x7:    "VX_KERNEL_SCALE_IMAGE",
	0x8:    "VX_KERNEL_TABLE_LOOKUP",
	0x9:    "VX_KERNEL_HISTOGRAM",
	0xa:    "VX_KERNEL_EQUALIZE_HISTOGRAM",
	0xb:    "VX_KERNEL_ABSDIFF",
	0xc:    "VX_KERNEL_MEAN_STDDEV",
	0xd:    "VX_KERNEL_THRESHOLD",
	0xe:    "VX_KERNEL_INTEGRAL_IMAGE",
	0xf:    "VX_KERNEL_DILATE_3x3",
	0x10:   "VX_KERNEL_ERODE_3x3",
	0x11:   "VX_KERNEL_MEDIAN_3x3",
	0x12:   "VX_KERNEL_BOX_3x3",
	0x13:   "VX_KERNEL_GAUSSIAN_3x3",
	0x14:   "VX_KERNEL_CUSTOM_CONVOLUTION",
	0x15:   "VX_KERNEL_GAUSSIAN_PYRAMID",
	0x19:   "VX_KERNEL_MINMAXLOC",
	0x1a:   "VX_KERNEL_CONVERTDEPTH",
	0x1b:   "VX_KERNEL_CANNY_EDGE_DETECTOR",
	0x1c:   "VX_KERNEL_AND",
	0x1d:   "VX_KERNEL_OR",
	0x1e:   "VX_KERNEL_XOR",
	0x1f:   "VX_KERNEL_NOT",
	0x20:   "VX_KERNEL_MULTIPLY",
	0x21:   "VX_KERNEL_ADD",
	0x22:   "VX_KERNEL_SUBTRACT",
	0x23:   "VX_KERNEL_WARP_AFFINE",
	0x24:   "VX_KERNEL_WARP_PERSPECTIVE",
	0x25:   "VX_KERNEL_HARRIS_CORNERS",
	0x26:   "VX_KERNEL_FAST_CORNERS",
	0x27:   "VX_KERNEL_OPTICAL_FLOW_PYR_LK",
	0x28:   "VX_KERNEL_REMAP",
	0x29:   "VX_KERNEL_HALFSCALE_GAUSSIAN",
	0x2a:   "VX_KERNEL_LAPLACIAN_PYRAMID",
	0x2b:   "VX_KERNEL_LAPLACIAN_RECONSTRUCT",
	0x2c:   "VX_KERNEL_NON_LINEAR_FILTER",
	0x2d:   "VX_KERNEL_MATCH_TEMPLATE",
	0x2e:   "VX_KERNEL_LBP",
	0x2f:   "VX_KERNEL_HOUGH_LINES_P",
	0x30:   "VX_KERNEL_TENSOR_MULTIPLY",
	0x31:   "VX_KERNEL_TENSOR_ADD",
	0x32:   "VX_KERNEL_TENSOR_SUBTRACT",
	0x33:   "VX_KERNEL_TENSOR_TABLE_LOOKUP",
	0x34:   "VX_KERNEL_TENSOR_TRANSPOSE",
	0x35:   "VX_KERNEL_TENSOR_CONVERT_DEPTH",
	0x36:   "VX_KERNEL_TENSOR_MATRIX_MULTIPLY",
	0x37:   "VX_KERNEL_COPY",
	0x38:   "VX_KERNEL_NON_MAX_SUPPRESSION",
	0x39:   "VX_KERNEL_SCALAR_OPERATION",
	0x3a:   "VX_KERNEL_HOG_FEATURES",
	0x3b:   "VX_KERNEL_HOG_CELLS",
	0x3c:   "VX_KERNEL_BILATERAL_FILTER",
	0x3d:   "VX_KERNEL_SELECT",
	0x3e:   "VX_KERNEL_MAX",
	0x3f:   "VX_KERNEL_MIN",
	0x40:   "VX_KERNEL_WEIGHTED_AVERAGE",
	0x1000: "VX_KERNEL_CONVOLUTION_LAYER",
	0x1001: "VX_KERNEL_FULLY_CONNECTED_LAYER",
	0x1002: "VX_KERNEL_POOLING_LAYER",
	0x1003: "VX_KERNEL_SOFTMAX_LAYER",
	0x1004: "VX_KERNEL_NORMALIZATION_LAYER",
	0x1005: "VX_KERNEL_ACTIVATION_LAYER",
	0x1006: "VX_KERNEL_ROI_POOLING_LAYER",
	0x1007: "VX_KERNEL_DECONVOLUTION_LAYER",
	0x1008: "VX_KERNEL_LOCAL_RESPONSE_NORMALIZATION_LAYER",
}

// SizeRounding numbers the roundings of the size of a result (vx_nn_rounding_type_e).
type SizeRounding int32

// String returns the standard's name of the value.
func (v SizeRounding) String() string { return nameOf(v, sizeRoundingNames) }

func (v SizeRounding) members() (all string, is bool) { return membersOf(v, sizeRoundingNames) }

var sizeRoundingNames = map[SizeRounding]string{
	0x1a000: "VX_NN_DS_SIZE_ROUNDING_FLOOR",
	0x1a001: "VX_NN_DS_SIZE_ROUNDING_CEILING",
}

// Pooling numbers the functions of poolings (vx_nn_pooling_type_e).
type Pooling int32

// String returns the standard's name of the value.
func (v Pooling) String() string { return nameOf(v, poolingNames) }

func (v Pooling) members() (all string, is bool) { return membersOf(v, poolingNames) }

var poolingNames = map[Pooling]string{
	0x1b000: "VX_NN_POOLING_MAX",
	0x1b001: "VX_NN_POOLING_AVG",
}

// Normalization numbers the neighbourhoods that a normalization takes: of the same channel or across channels (vx_nn_norm_type_e).
type Normalization int32

// String returns the standard's name of the value.
func (v Normalization) String() string { return nameOf(v, normalizationNames) }

func (v Normalization) members() (all string, is bool) { return membersOf(v, normalizationNames) }

var normalizationNames = map[Normalization]string{
	0x1c000: "VX_NN_NORMALIZATION_SAME_MAP",
	0x1c001: "VX_NN_NORMALIZATION_ACROSS_MAPS",
}

// Activation numbers the activation functions of an element x, with parameters a and b (vx_nn_activation_function_e).
type Activation int32

// String returns the standard's name of the value.
func (v Activation) String() string { return nameOf(v, activationNames) }

func (v Activation) members() (all string, is bool) { return membersOf(v, activationNames) }

var activationNames = map[Activation]string{
	0x1d000: "VX_NN_ACTIVATION_LOGISTIC",
	0x1d001: "VX_NN_ACTIVATION_HYPERBOLIC_TAN",
	0x1d002: "VX_NN_ACTIVATION_RELU",
	0x1d003: "VX_NN_ACTIVATION_BRELU",
	0x1d004: "VX_NN_ACTIVATION_SOFTRELU",
	0x1d005: "VX_NN_ACTIVATION_ABS",
	0x1d006: "VX_NN_ACTIVATION_SQUARE",
	0x1d007: "VX_NN_ACTIVATION_SQRT",
	0x1d008: "VX_NN_ACTIVATION_LINEAR",
}
