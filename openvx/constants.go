// Code generated from the headers of the C library by cmd/libopenvx/generate; DO NOT EDIT.

package openvx

// Members of vx_type_e.
const (
	TypeInvalid                    Type = 0x0   // VX_TYPE_INVALID
	TypeChar                       Type = 0x1   // VX_TYPE_CHAR
	TypeInt8                       Type = 0x2   // VX_TYPE_INT8
	TypeUint8                      Type = 0x3   // VX_TYPE_UINT8
	TypeInt16                      Type = 0x4   // VX_TYPE_INT16
	TypeUint16                     Type = 0x5   // VX_TYPE_UINT16
	TypeInt32                      Type = 0x6   // VX_TYPE_INT32
	TypeUint32                     Type = 0x7   // VX_TYPE_UINT32
	TypeInt64                      Type = 0x8   // VX_TYPE_INT64
	TypeUint64                     Type = 0x9   // VX_TYPE_UINT64
	TypeFloat32                    Type = 0xa   // VX_TYPE_FLOAT32
	TypeFloat64                    Type = 0xb   // VX_TYPE_FLOAT64
	TypeEnum                       Type = 0xc   // VX_TYPE_ENUM
	TypeSize                       Type = 0xd   // VX_TYPE_SIZE
	TypeDFImage                    Type = 0xe   // VX_TYPE_DF_IMAGE
	TypeFloat16                    Type = 0xf   // VX_TYPE_FLOAT16
	TypeBool                       Type = 0x10  // VX_TYPE_BOOL
	TypeRectangle                  Type = 0x20  // VX_TYPE_RECTANGLE
	TypeKeypoint                   Type = 0x21  // VX_TYPE_KEYPOINT
	TypeCoordinates2d              Type = 0x22  // VX_TYPE_COORDINATES2D
	TypeCoordinates3d              Type = 0x23  // VX_TYPE_COORDINATES3D
	TypeCoordinates2df             Type = 0x24  // VX_TYPE_COORDINATES2DF
	TypeHogParams                  Type = 0x28  // VX_TYPE_HOG_PARAMS
	TypeHoughLinesParams           Type = 0x29  // VX_TYPE_HOUGH_LINES_PARAMS
	TypeLine2d                     Type = 0x2a  // VX_TYPE_LINE_2D
	TypeTensorMatrixMultiplyParams Type = 0x2b  // VX_TYPE_TENSOR_MATRIX_MULTIPLY_PARAMS
	TypeUserStructStart            Type = 0x100 // VX_TYPE_USER_STRUCT_START
	TypeVendorStructStart          Type = 0x400 // VX_TYPE_VENDOR_STRUCT_START
	TypeKhronosObjectStart         Type = 0x800 // VX_TYPE_KHRONOS_OBJECT_START
	TypeVendorObjectStart          Type = 0xc00 // VX_TYPE_VENDOR_OBJECT_START
	TypeKhronosStructMax           Type = 0xff  // VX_TYPE_KHRONOS_STRUCT_MAX
	TypeUserStructEnd              Type = 0x3ff // VX_TYPE_USER_STRUCT_END
	TypeVendorStructEnd            Type = 0x7ff // VX_TYPE_VENDOR_STRUCT_END
	TypeKhronosObjectEnd           Type = 0xbff // VX_TYPE_KHRONOS_OBJECT_END
	TypeVendorObjectEnd            Type = 0xfff // VX_TYPE_VENDOR_OBJECT_END
	TypeReference                  Type = 0x800 // VX_TYPE_REFERENCE
	TypeContext                    Type = 0x801 // VX_TYPE_CONTEXT
	TypeGraph                      Type = 0x802 // VX_TYPE_GRAPH
	TypeNode                       Type = 0x803 // VX_TYPE_NODE
	TypeKernel                     Type = 0x804 // VX_TYPE_KERNEL
	TypeParameter                  Type = 0x805 // VX_TYPE_PARAMETER
	TypeDelay                      Type = 0x806 // VX_TYPE_DELAY
	TypeLUT                        Type = 0x807 // VX_TYPE_LUT
	TypeDistribution               Type = 0x808 // VX_TYPE_DISTRIBUTION
	TypePyramid                    Type = 0x809 // VX_TYPE_PYRAMID
	TypeThreshold                  Type = 0x80a // VX_TYPE_THRESHOLD
	TypeMatrix                     Type = 0x80b // VX_TYPE_MATRIX
	TypeConvolution                Type = 0x80c // VX_TYPE_CONVOLUTION
	TypeScalar                     Type = 0x80d // VX_TYPE_SCALAR
	TypeArray                      Type = 0x80e // VX_TYPE_ARRAY
	TypeImage                      Type = 0x80f // VX_TYPE_IMAGE
	TypeRemap                      Type = 0x810 // VX_TYPE_REMAP
	TypeError                      Type = 0x811 // VX_TYPE_ERROR
	TypeMetaFormat                 Type = 0x812 // VX_TYPE_META_FORMAT
	TypeObjectArray                Type = 0x813 // VX_TYPE_OBJECT_ARRAY
	TypeTensor                     Type = 0x815 // VX_TYPE_TENSOR
)

// Members of vx_status_e.
const (
	StatusMin              Status = -0x19 // VX_STATUS_MIN
	ErrorReferenceNonzero  Status = -0x18 // VX_ERROR_REFERENCE_NONZERO: references are left
	ErrorMultipleWriters   Status = -0x17 // VX_ERROR_MULTIPLE_WRITERS: several nodes write the same data
	ErrorGraphAbandoned    Status = -0x16 // VX_ERROR_GRAPH_ABANDONED: a callback or a failure stopped the graph
	ErrorGraphScheduled    Status = -0x15 // VX_ERROR_GRAPH_SCHEDULED: the graph is running
	ErrorInvalidScope      Status = -0x14 // VX_ERROR_INVALID_SCOPE: the object belongs to another graph or context
	ErrorInvalidNode       Status = -0x13 // VX_ERROR_INVALID_NODE: a node could not be created
	ErrorInvalidGraph      Status = -0x12 // VX_ERROR_INVALID_GRAPH: the graph has a cycle or is empty
	ErrorInvalidType       Status = -0x11 // VX_ERROR_INVALID_TYPE: a type is not right
	ErrorInvalidValue      Status = -0x10 // VX_ERROR_INVALID_VALUE: a value is not right
	ErrorInvalidDimension  Status = -0xf  // VX_ERROR_INVALID_DIMENSION: a rank or an extent is not right
	ErrorInvalidFormat     Status = -0xe  // VX_ERROR_INVALID_FORMAT: a format is not right
	ErrorInvalidLink       Status = -0xd  // VX_ERROR_INVALID_LINK: objects do not go together
	ErrorInvalidReference  Status = -0xc  // VX_ERROR_INVALID_REFERENCE: no object, or not of this type
	ErrorInvalidModule     Status = -0xb  // VX_ERROR_INVALID_MODULE: a library cannot be loaded or is not right
	ErrorInvalidParameters Status = -0xa  // VX_ERROR_INVALID_PARAMETERS: an argument is not right
	ErrorOptimizedAway     Status = -0x9  // VX_ERROR_OPTIMIZED_AWAY: a virtual object has no data for the application
	ErrorNoMemory          Status = -0x8  // VX_ERROR_NO_MEMORY: not enough memory
	ErrorNoResources       Status = -0x7  // VX_ERROR_NO_RESOURCES: something has run out
	ErrorNotCompatible     Status = -0x6  // VX_ERROR_NOT_COMPATIBLE: things do not fit
	ErrorNotAllocated      Status = -0x5  // VX_ERROR_NOT_ALLOCATED: a parameter or its memory is missing
	ErrorNotSufficient     Status = -0x4  // VX_ERROR_NOT_SUFFICIENT: a required parameter is missing
	ErrorNotSupported      Status = -0x3  // VX_ERROR_NOT_SUPPORTED: this library does not have it
	ErrorNotImplemented    Status = -0x2  // VX_ERROR_NOT_IMPLEMENTED: it is not implemented
	Failure                Status = -0x1  // VX_FAILURE: of no other kind
	Success                Status = 0x0   // VX_SUCCESS
)

// Members of vx_action_e.
const (
	ActionContinue Action = 0x1000 // VX_ACTION_CONTINUE: go on
	ActionAbandon  Action = 0x1001 // VX_ACTION_ABANDON: stop the graph
)

// Members of vx_direction_e.
const (
	Input  Direction = 0x0 // VX_INPUT
	Output Direction = 0x1 // VX_OUTPUT
)

// Members of vx_hint_e.
const (
	HintPerformanceDefault   Hint = 0x2001 // VX_HINT_PERFORMANCE_DEFAULT
	HintPerformanceLowPower  Hint = 0x2002 // VX_HINT_PERFORMANCE_LOW_POWER
	HintPerformanceHighSpeed Hint = 0x2003 // VX_HINT_PERFORMANCE_HIGH_SPEED
)

// Members of vx_directive_e.
const (
	DirectiveDisableLogging     Directive = 0x3000 // VX_DIRECTIVE_DISABLE_LOGGING
	DirectiveEnableLogging      Directive = 0x3001 // VX_DIRECTIVE_ENABLE_LOGGING
	DirectiveDisablePerformance Directive = 0x3002 // VX_DIRECTIVE_DISABLE_PERFORMANCE
	DirectiveEnablePerformance  Directive = 0x3003 // VX_DIRECTIVE_ENABLE_PERFORMANCE
)

// Members of vx_graph_state_e.
const (
	GraphStateUnverified GraphState = 0x15000 // VX_GRAPH_STATE_UNVERIFIED
	GraphStateVerified   GraphState = 0x15001 // VX_GRAPH_STATE_VERIFIED
	GraphStateRunning    GraphState = 0x15002 // VX_GRAPH_STATE_RUNNING
	GraphStateAbandoned  GraphState = 0x15003 // VX_GRAPH_STATE_ABANDONED
	GraphStateCompleted  GraphState = 0x15004 // VX_GRAPH_STATE_COMPLETED
)

// Members of vx_convert_policy_e.
const (
	ConvertPolicyWrap     ConvertPolicy = 0xa000 // VX_CONVERT_POLICY_WRAP: the low bits remain
	ConvertPolicySaturate ConvertPolicy = 0xa001 // VX_CONVERT_POLICY_SATURATE: the nearest value that the type has
)

// Members of vx_df_image_e.
const (
	DFImageVirt ImageFormat = 0x54524956 // VX_DF_IMAGE_VIRT
	DFImageRgb  ImageFormat = 0x32424752 // VX_DF_IMAGE_RGB
	DFImageRgbx ImageFormat = 0x41424752 // VX_DF_IMAGE_RGBX
	DFImageNv12 ImageFormat = 0x3231564e // VX_DF_IMAGE_NV12
	DFImageNv21 ImageFormat = 0x3132564e // VX_DF_IMAGE_NV21
	DFImageUyvy ImageFormat = 0x59565955 // VX_DF_IMAGE_UYVY
	DFImageYuyv ImageFormat = 0x56595559 // VX_DF_IMAGE_YUYV
	DFImageIyuv ImageFormat = 0x56555949 // VX_DF_IMAGE_IYUV
	DFImageYuv4 ImageFormat = 0x34565559 // VX_DF_IMAGE_YUV4
	DFImageU1   ImageFormat = 0x31303055 // VX_DF_IMAGE_U1
	DFImageU8   ImageFormat = 0x38303055 // VX_DF_IMAGE_U8
	DFImageU16  ImageFormat = 0x36313055 // VX_DF_IMAGE_U16
	DFImageS16  ImageFormat = 0x36313053 // VX_DF_IMAGE_S16
	DFImageU32  ImageFormat = 0x32333055 // VX_DF_IMAGE_U32
	DFImageS32  ImageFormat = 0x32333053 // VX_DF_IMAGE_S32
)

// Members of vx_target_e.
const (
	TargetAny         Target = 0x13000 // VX_TARGET_ANY: anywhere
	TargetString      Target = 0x13001 // VX_TARGET_STRING: where the string says
	TargetVendorBegin Target = 0x14000 // VX_TARGET_VENDOR_BEGIN
)

// Members of vx_parameter_state_e.
const (
	ParameterStateRequired ParameterState = 0x8000 // VX_PARAMETER_STATE_REQUIRED
	ParameterStateOptional ParameterState = 0x8001 // VX_PARAMETER_STATE_OPTIONAL
)

// Members of vx_border_e.
const (
	BorderUndefined Border = 0xc000 // VX_BORDER_UNDEFINED
	BorderConstant  Border = 0xc001 // VX_BORDER_CONSTANT
	BorderReplicate Border = 0xc002 // VX_BORDER_REPLICATE
)

// Members of vx_border_policy_e.
const (
	BorderPolicyDefaultToUndefined BorderPolicy = 0x14000 // VX_BORDER_POLICY_DEFAULT_TO_UNDEFINED
	BorderPolicyReturnError        BorderPolicy = 0x14001 // VX_BORDER_POLICY_RETURN_ERROR
)

// Members of vx_accessor_e.
const (
	ReadOnly     Usage = 0x11001 // VX_READ_ONLY: the application reads
	WriteOnly    Usage = 0x11002 // VX_WRITE_ONLY: the application writes all of it
	ReadAndWrite Usage = 0x11003 // VX_READ_AND_WRITE: both
)

// Members of vx_round_policy_e.
const (
	RoundPolicyToZero        RoundPolicy = 0x12001 // VX_ROUND_POLICY_TO_ZERO
	RoundPolicyToNearestEven RoundPolicy = 0x12002 // VX_ROUND_POLICY_TO_NEAREST_EVEN
)

// Members of vx_kernel_e.
const (
	KernelColorConvert         KernelID = 0x1  // VX_KERNEL_COLOR_CONVERT
	KernelTensorMultiply       KernelID = 0x30 // VX_KERNEL_TENSOR_MULTIPLY
	KernelTensorAdd            KernelID = 0x31 // VX_KERNEL_TENSOR_ADD
	KernelTensorSubtract       KernelID = 0x32 // VX_KERNEL_TENSOR_SUBTRACT
	KernelTensorTableLookup    KernelID = 0x33 // VX_KERNEL_TENSOR_TABLE_LOOKUP
	KernelTensorTranspose      KernelID = 0x34 // VX_KERNEL_TENSOR_TRANSPOSE
	KernelTensorConvertDepth   KernelID = 0x35 // VX_KERNEL_TENSOR_CONVERT_DEPTH
	KernelTensorMatrixMultiply KernelID = 0x36 // VX_KERNEL_TENSOR_MATRIX_MULTIPLY
)

// Members of vx_kernel_nn_ext_e.
const (
	KernelConvolutionLayer                KernelID = 0x1000 // VX_KERNEL_CONVOLUTION_LAYER
	KernelFullyConnectedLayer             KernelID = 0x1001 // VX_KERNEL_FULLY_CONNECTED_LAYER
	KernelPoolingLayer                    KernelID = 0x1002 // VX_KERNEL_POOLING_LAYER
	KernelSoftmaxLayer                    KernelID = 0x1003 // VX_KERNEL_SOFTMAX_LAYER
	KernelNormalizationLayer              KernelID = 0x1004 // VX_KERNEL_NORMALIZATION_LAYER
	KernelActivationLayer                 KernelID = 0x1005 // VX_KERNEL_ACTIVATION_LAYER
	KernelROIPoolingLayer                 KernelID = 0x1006 // VX_KERNEL_ROI_POOLING_LAYER
	KernelDeconvolutionLayer              KernelID = 0x1007 // VX_KERNEL_DECONVOLUTION_LAYER
	KernelLocalResponseNormalizationLayer KernelID = 0x1008 // VX_KERNEL_LOCAL_RESPONSE_NORMALIZATION_LAYER
)

// Members of vx_nn_rounding_type_e.
const (
	SizeRoundingFloor   SizeRounding = 0x1a000 // VX_NN_DS_SIZE_ROUNDING_FLOOR: down
	SizeRoundingCeiling SizeRounding = 0x1a001 // VX_NN_DS_SIZE_ROUNDING_CEILING: up
)

// Members of vx_nn_pooling_type_e.
const (
	PoolingMax Pooling = 0x1b000 // VX_NN_POOLING_MAX
	PoolingAvg Pooling = 0x1b001 // VX_NN_POOLING_AVG
)

// Members of vx_nn_norm_type_e.
const (
	NormalizationSameMap    Normalization = 0x1c000 // VX_NN_NORMALIZATION_SAME_MAP
	NormalizationAcrossMaps Normalization = 0x1c001 // VX_NN_NORMALIZATION_ACROSS_MAPS
)

// Members of vx_nn_activation_function_e.
const (
	ActivationLogistic      Activation = 0x1d000 // VX_NN_ACTIVATION_LOGISTIC: 1 / (1 + exp(-x))
	ActivationHyperbolicTan Activation = 0x1d001 // VX_NN_ACTIVATION_HYPERBOLIC_TAN: a * tanh(b * x)
	ActivationRelu          Activation = 0x1d002 // VX_NN_ACTIVATION_RELU: max(0, x)
	ActivationBrelu         Activation = 0x1d003 // VX_NN_ACTIVATION_BRELU: min(a, max(0, x))
	ActivationSoftrelu      Activation = 0x1d004 // VX_NN_ACTIVATION_SOFTRELU: log(1 + exp(x))
	ActivationAbs           Activation = 0x1d005 // VX_NN_ACTIVATION_ABS: |x|
	ActivationSquare        Activation = 0x1d006 // VX_NN_ACTIVATION_SQUARE: x * x
	ActivationSqrt          Activation = 0x1d007 // VX_NN_ACTIVATION_SQRT: square root of x
	ActivationLinear        Activation = 0x1d008 // VX_NN_ACTIVATION_LINEAR: a * x + b
)

// Members of vx_nn_type_e.
const (
	TypeNNConvolutionParams   Type = 0x25 // VX_TYPE_NN_CONVOLUTION_PARAMS
	TypeNNDeconvolutionParams Type = 0x26 // VX_TYPE_NN_DECONVOLUTION_PARAMS
	TypeNNROIPoolParams       Type = 0x27 // VX_TYPE_NN_ROI_POOL_PARAMS
)
