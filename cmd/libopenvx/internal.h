/* SPDX-License-Identifier: Apache-2.0 */
/* Code generated from the headers of the C library by cmd/libopenvx/generate; DO NOT EDIT. */

/* The interface as Go sees it: objects are integers, nothing is const. */

#ifndef CONCORD_OPENVX_INTERNAL_H
#define CONCORD_OPENVX_INTERNAL_H

#include <stddef.h>
#include <stdint.h>


enum vx_vendor_id_e {
    VX_ID_KHRONOS = 0,
    VX_ID_TI = 1,
    VX_ID_QUALCOMM = 2,
    VX_ID_NVIDIA = 3,
    VX_ID_ARM = 4,
    VX_ID_BDTI = 5,
    VX_ID_RENESAS = 6,
    VX_ID_VIVANTE = 7,
    VX_ID_XILINX = 8,
    VX_ID_AXIS = 9,
    VX_ID_MOVIDIUS = 0xA,
    VX_ID_SAMSUNG = 0xB,
    VX_ID_FREESCALE = 0xC,
    VX_ID_AMD = 0xD,
    VX_ID_BROADCOM = 0xE,
    VX_ID_INTEL = 0xF,
    VX_ID_MARVELL = 0x10,
    VX_ID_MEDIATEK = 0x11,
    VX_ID_ST = 0x12,
    VX_ID_CEVA = 0x13,
    VX_ID_ITSEEZ = 0x14,
    VX_ID_IMAGINATION = 0x15,
    VX_ID_NXP = 0x16,
    VX_ID_VIDEANTIS = 0x17,
    VX_ID_SYNOPSYS = 0x18,
    VX_ID_CADENCE = 0x19,
    VX_ID_HUAWEI = 0x1A,
    VX_ID_SOCIONEXT = 0x1B,
    VX_ID_USER = 0xFFE,
    VX_ID_MAX = 0xFFF,
    VX_ID_DEFAULT = 0xFFF
};

#define VX_MAX_IMPLEMENTATION_NAME (64)
#define VX_MAX_KERNEL_NAME (256)
#define VX_MAX_LOG_MESSAGE_LEN (1024)
#define VX_MAX_REFERENCE_NAME (64)

typedef char vx_char;
typedef uint8_t vx_uint8;
typedef uint16_t vx_uint16;
typedef uint32_t vx_uint32;
typedef uint64_t vx_uint64;
typedef int8_t vx_int8;
typedef int16_t vx_int16;
typedef int32_t vx_int32;
typedef int64_t vx_int64;
typedef uint32_t vx_bitfield;
typedef float vx_float32;
typedef double vx_float64;
typedef int32_t vx_enum;
typedef size_t vx_size;
typedef uint32_t vx_df_image;
typedef uintptr_t vx_map_id;
typedef vx_enum vx_bool;
typedef vx_enum vx_status;
typedef vx_enum vx_action;

typedef uintptr_t vx_reference;

typedef uintptr_t vx_context;

typedef uintptr_t vx_graph;

typedef uintptr_t vx_node;

typedef uintptr_t vx_kernel;

typedef uintptr_t vx_parameter;

typedef uintptr_t vx_meta_format;

typedef uintptr_t vx_delay;

typedef uintptr_t vx_scalar;

typedef uintptr_t vx_tensor;

typedef uintptr_t vx_lut;

typedef uintptr_t vx_image;

typedef uintptr_t vx_array;

typedef uintptr_t vx_object_array;

typedef uintptr_t vx_pyramid;

typedef uintptr_t vx_distribution;

typedef uintptr_t vx_matrix;

typedef uintptr_t vx_convolution;

typedef uintptr_t vx_threshold;

typedef uintptr_t vx_remap;

enum vx_bool_e {
    vx_false_e = 0,
    vx_true_e = 1
};

enum vx_type_e {
    VX_TYPE_INVALID = 0,
    VX_TYPE_CHAR = 1,
    VX_TYPE_INT8 = 2,
    VX_TYPE_UINT8 = 3,
    VX_TYPE_INT16 = 4,
    VX_TYPE_UINT16 = 5,
    VX_TYPE_INT32 = 6,
    VX_TYPE_UINT32 = 7,
    VX_TYPE_INT64 = 8,
    VX_TYPE_UINT64 = 9,
    VX_TYPE_FLOAT32 = 0xA,
    VX_TYPE_FLOAT64 = 0xB,
    VX_TYPE_ENUM = 0xC,
    VX_TYPE_SIZE = 0xD,
    VX_TYPE_DF_IMAGE = 0xE,
    VX_TYPE_FLOAT16 = 0xF,
    VX_TYPE_BOOL = 0x10,
    VX_TYPE_RECTANGLE = 0x20,
    VX_TYPE_KEYPOINT = 0x21,
    VX_TYPE_COORDINATES2D = 0x22,
    VX_TYPE_COORDINATES3D = 0x23,
    VX_TYPE_COORDINATES2DF = 0x24,
    VX_TYPE_HOG_PARAMS = 0x28,
    VX_TYPE_HOUGH_LINES_PARAMS = 0x29,
    VX_TYPE_LINE_2D = 0x2A,
    VX_TYPE_TENSOR_MATRIX_MULTIPLY_PARAMS = 0x2B,
    VX_TYPE_USER_STRUCT_START = 0x100,
    VX_TYPE_VENDOR_STRUCT_START = 0x400,
    VX_TYPE_KHRONOS_OBJECT_START = 0x800,
    VX_TYPE_VENDOR_OBJECT_START = 0xC00,
    VX_TYPE_KHRONOS_STRUCT_MAX = 0xFF,
    VX_TYPE_USER_STRUCT_END = 0x3FF,
    VX_TYPE_VENDOR_STRUCT_END = 0x7FF,
    VX_TYPE_KHRONOS_OBJECT_END = 0xBFF,
    VX_TYPE_VENDOR_OBJECT_END = 0xFFF,
    VX_TYPE_REFERENCE = 0x800,
    VX_TYPE_CONTEXT = 0x801,
    VX_TYPE_GRAPH = 0x802,
    VX_TYPE_NODE = 0x803,
    VX_TYPE_KERNEL = 0x804,
    VX_TYPE_PARAMETER = 0x805,
    VX_TYPE_DELAY = 0x806,
    VX_TYPE_LUT = 0x807,
    VX_TYPE_DISTRIBUTION = 0x808,
    VX_TYPE_PYRAMID = 0x809,
    VX_TYPE_THRESHOLD = 0x80A,
    VX_TYPE_MATRIX = 0x80B,
    VX_TYPE_CONVOLUTION = 0x80C,
    VX_TYPE_SCALAR = 0x80D,
    VX_TYPE_ARRAY = 0x80E,
    VX_TYPE_IMAGE = 0x80F,
    VX_TYPE_REMAP = 0x810,
    VX_TYPE_ERROR = 0x811,
    VX_TYPE_META_FORMAT = 0x812,
    VX_TYPE_OBJECT_ARRAY = 0x813,
    VX_TYPE_TENSOR = 0x815
};

enum vx_status_e {
    VX_STATUS_MIN = -25,
    VX_ERROR_REFERENCE_NONZERO = -24,
    VX_ERROR_MULTIPLE_WRITERS = -23,
    VX_ERROR_GRAPH_ABANDONED = -22,
    VX_ERROR_GRAPH_SCHEDULED = -21,
    VX_ERROR_INVALID_SCOPE = -20,
    VX_ERROR_INVALID_NODE = -19,
    VX_ERROR_INVALID_GRAPH = -18,
    VX_ERROR_INVALID_TYPE = -17,
    VX_ERROR_INVALID_VALUE = -16,
    VX_ERROR_INVALID_DIMENSION = -15,
    VX_ERROR_INVALID_FORMAT = -14,
    VX_ERROR_INVALID_LINK = -13,
    VX_ERROR_INVALID_REFERENCE = -12,
    VX_ERROR_INVALID_MODULE = -11,
    VX_ERROR_INVALID_PARAMETERS = -10,
    VX_ERROR_OPTIMIZED_AWAY = -9,
    VX_ERROR_NO_MEMORY = -8,
    VX_ERROR_NO_RESOURCES = -7,
    VX_ERROR_NOT_COMPATIBLE = -6,
    VX_ERROR_NOT_ALLOCATED = -5,
    VX_ERROR_NOT_SUFFICIENT = -4,
    VX_ERROR_NOT_SUPPORTED = -3,
    VX_ERROR_NOT_IMPLEMENTED = -2,
    VX_FAILURE = -1,
    VX_SUCCESS = 0
};

enum vx_enum_e {
    VX_ENUM_DIRECTION = 0,
    VX_ENUM_ACTION = 1,
    VX_ENUM_HINT = 2,
    VX_ENUM_DIRECTIVE = 3,
    VX_ENUM_INTERPOLATION = 4,
    VX_ENUM_OVERFLOW = 5,
    VX_ENUM_COLOR_SPACE = 6,
    VX_ENUM_COLOR_RANGE = 7,
    VX_ENUM_PARAMETER_STATE = 8,
    VX_ENUM_CHANNEL = 9,
    VX_ENUM_CONVERT_POLICY = 0xA,
    VX_ENUM_THRESHOLD_TYPE = 0xB,
    VX_ENUM_BORDER = 0xC,
    VX_ENUM_COMPARISON = 0xD,
    VX_ENUM_MEMORY_TYPE = 0xE,
    VX_ENUM_TERM_CRITERIA = 0xF,
    VX_ENUM_NORM_TYPE = 0x10,
    VX_ENUM_ACCESSOR = 0x11,
    VX_ENUM_ROUND_POLICY = 0x12,
    VX_ENUM_TARGET = 0x13,
    VX_ENUM_BORDER_POLICY = 0x14,
    VX_ENUM_GRAPH_STATE = 0x15,
    VX_ENUM_NONLINEAR = 0x16,
    VX_ENUM_PATTERN = 0x17,
    VX_ENUM_LBP_FORMAT = 0x18,
    VX_ENUM_COMP_METRIC = 0x19,
    VX_ENUM_SCALAR_OPERATION = 0x20
};

enum vx_action_e {
    VX_ACTION_CONTINUE = 0x1000,
    VX_ACTION_ABANDON = 0x1001
};

enum vx_direction_e {
    VX_INPUT = 0,
    VX_OUTPUT = 1
};

enum vx_hint_e {
    VX_HINT_PERFORMANCE_DEFAULT = 0x2001,
    VX_HINT_PERFORMANCE_LOW_POWER = 0x2002,
    VX_HINT_PERFORMANCE_HIGH_SPEED = 0x2003
};

enum vx_directive_e {
    VX_DIRECTIVE_DISABLE_LOGGING = 0x3000,
    VX_DIRECTIVE_ENABLE_LOGGING = 0x3001,
    VX_DIRECTIVE_DISABLE_PERFORMANCE = 0x3002,
    VX_DIRECTIVE_ENABLE_PERFORMANCE = 0x3003
};

enum vx_graph_state_e {
    VX_GRAPH_STATE_UNVERIFIED = 0x15000,
    VX_GRAPH_STATE_VERIFIED = 0x15001,
    VX_GRAPH_STATE_RUNNING = 0x15002,
    VX_GRAPH_STATE_ABANDONED = 0x15003,
    VX_GRAPH_STATE_COMPLETED = 0x15004
};

enum vx_graph_attribute_e {
    VX_GRAPH_NUMNODES = 0x80200,
    VX_GRAPH_PERFORMANCE = 0x80202,
    VX_GRAPH_NUMPARAMETERS = 0x80203,
    VX_GRAPH_STATE = 0x80204
};

enum vx_convert_policy_e {
    VX_CONVERT_POLICY_WRAP = 0xA000,
    VX_CONVERT_POLICY_SATURATE = 0xA001
};

enum vx_df_image_e {
    VX_DF_IMAGE_VIRT = 0x54524956,
    VX_DF_IMAGE_RGB = 0x32424752,
    VX_DF_IMAGE_RGBX = 0x41424752,
    VX_DF_IMAGE_NV12 = 0x3231564E,
    VX_DF_IMAGE_NV21 = 0x3132564E,
    VX_DF_IMAGE_UYVY = 0x59565955,
    VX_DF_IMAGE_YUYV = 0x56595559,
    VX_DF_IMAGE_IYUV = 0x56555949,
    VX_DF_IMAGE_YUV4 = 0x34565559,
    VX_DF_IMAGE_U1 = 0x31303055,
    VX_DF_IMAGE_U8 = 0x38303055,
    VX_DF_IMAGE_U16 = 0x36313055,
    VX_DF_IMAGE_S16 = 0x36313053,
    VX_DF_IMAGE_U32 = 0x32333055,
    VX_DF_IMAGE_S32 = 0x32333053
};

enum vx_target_e {
    VX_TARGET_ANY = 0x13000,
    VX_TARGET_STRING = 0x13001,
    VX_TARGET_VENDOR_BEGIN = 0x14000
};

enum vx_reference_attribute_e {
    VX_REFERENCE_COUNT = 0x80000,
    VX_REFERENCE_TYPE = 0x80001,
    VX_REFERENCE_NAME = 0x80002
};

enum vx_context_attribute_e {
    VX_CONTEXT_VENDOR_ID = 0x80100,
    VX_CONTEXT_VERSION = 0x80101,
    VX_CONTEXT_UNIQUE_KERNELS = 0x80102,
    VX_CONTEXT_MODULES = 0x80103,
    VX_CONTEXT_REFERENCES = 0x80104,
    VX_CONTEXT_IMPLEMENTATION = 0x80105,
    VX_CONTEXT_EXTENSIONS_SIZE = 0x80106,
    VX_CONTEXT_EXTENSIONS = 0x80107,
    VX_CONTEXT_CONVOLUTION_MAX_DIMENSION = 0x80108,
    VX_CONTEXT_OPTICAL_FLOW_MAX_WINDOW_DIMENSION = 0x80109,
    VX_CONTEXT_IMMEDIATE_BORDER = 0x8010A,
    VX_CONTEXT_UNIQUE_KERNEL_TABLE = 0x8010B,
    VX_CONTEXT_IMMEDIATE_BORDER_POLICY = 0x8010C,
    VX_CONTEXT_NONLINEAR_MAX_DIMENSION = 0x8010D,
    VX_CONTEXT_MAX_TENSOR_DIMS = 0x8010E
};

enum vx_kernel_attribute_e {
    VX_KERNEL_PARAMETERS = 0x80400,
    VX_KERNEL_NAME = 0x80401,
    VX_KERNEL_ENUM = 0x80402,
    VX_KERNEL_LOCAL_DATA_SIZE = 0x80403
};

enum vx_node_attribute_e {
    VX_NODE_STATUS = 0x80300,
    VX_NODE_PERFORMANCE = 0x80301,
    VX_NODE_BORDER = 0x80302,
    VX_NODE_LOCAL_DATA_SIZE = 0x80303,
    VX_NODE_LOCAL_DATA_PTR = 0x80304,
    VX_NODE_PARAMETERS = 0x80305,
    VX_NODE_IS_REPLICATED = 0x80306,
    VX_NODE_REPLICATE_FLAGS = 0x80307,
    VX_NODE_VALID_RECT_RESET = 0x80308
};

enum vx_parameter_attribute_e {
    VX_PARAMETER_INDEX = 0x80500,
    VX_PARAMETER_DIRECTION = 0x80501,
    VX_PARAMETER_TYPE = 0x80502,
    VX_PARAMETER_STATE = 0x80503,
    VX_PARAMETER_REF = 0x80504,
    VX_PARAMETER_META_FORMAT = 0x80505
};

enum vx_image_attribute_e {
    VX_IMAGE_WIDTH = 0x80F00,
    VX_IMAGE_HEIGHT = 0x80F01,
    VX_IMAGE_FORMAT = 0x80F02,
    VX_IMAGE_PLANES = 0x80F03,
    VX_IMAGE_SPACE = 0x80F04,
    VX_IMAGE_RANGE = 0x80F05,
    VX_IMAGE_MEMORY_TYPE = 0x80F07,
    VX_IMAGE_IS_UNIFORM = 0x80F08,
    VX_IMAGE_UNIFORM_VALUE = 0x80F09
};

enum vx_scalar_attribute_e {
    VX_SCALAR_TYPE = 0x80D00
};

enum vx_scalar_operation_e {
    VX_SCALAR_OP_AND = 0x20000,
    VX_SCALAR_OP_OR = 0x20001,
    VX_SCALAR_OP_XOR = 0x20002,
    VX_SCALAR_OP_NAND = 0x20003,
    VX_SCALAR_OP_EQUAL = 0x20004,
    VX_SCALAR_OP_NOTEQUAL = 0x20005,
    VX_SCALAR_OP_LESS = 0x20006,
    VX_SCALAR_OP_LESSEQ = 0x20007,
    VX_SCALAR_OP_GREATER = 0x20008,
    VX_SCALAR_OP_GREATEREQ = 0x20009,
    VX_SCALAR_OP_ADD = 0x2000A,
    VX_SCALAR_OP_SUBTRACT = 0x2000B,
    VX_SCALAR_OP_MULTIPLY = 0x2000C,
    VX_SCALAR_OP_DIVIDE = 0x2000D,
    VX_SCALAR_OP_MODULUS = 0x2000E,
    VX_SCALAR_OP_MIN = 0x2000F,
    VX_SCALAR_OP_MAX = 0x20010
};

enum vx_lut_attribute_e {
    VX_LUT_TYPE = 0x80700,
    VX_LUT_COUNT = 0x80701,
    VX_LUT_SIZE = 0x80702,
    VX_LUT_OFFSET = 0x80703
};

enum vx_distribution_attribute_e {
    VX_DISTRIBUTION_DIMENSIONS = 0x80800,
    VX_DISTRIBUTION_OFFSET = 0x80801,
    VX_DISTRIBUTION_RANGE = 0x80802,
    VX_DISTRIBUTION_BINS = 0x80803,
    VX_DISTRIBUTION_WINDOW = 0x80804,
    VX_DISTRIBUTION_SIZE = 0x80805
};

enum vx_threshold_type_e {
    VX_THRESHOLD_TYPE_BINARY = 0xB000,
    VX_THRESHOLD_TYPE_RANGE = 0xB001
};

enum vx_threshold_attribute_e {
    VX_THRESHOLD_TYPE = 0x80A00,
    VX_THRESHOLD_INPUT_FORMAT = 0x80A07,
    VX_THRESHOLD_OUTPUT_FORMAT = 0x80A08
};

enum vx_matrix_attribute_e {
    VX_MATRIX_TYPE = 0x80B00,
    VX_MATRIX_ROWS = 0x80B01,
    VX_MATRIX_COLUMNS = 0x80B02,
    VX_MATRIX_SIZE = 0x80B03,
    VX_MATRIX_ORIGIN = 0x80B04,
    VX_MATRIX_PATTERN = 0x80B05
};

enum vx_convolution_attribute_e {
    VX_CONVOLUTION_ROWS = 0x80C00,
    VX_CONVOLUTION_COLUMNS = 0x80C01,
    VX_CONVOLUTION_SCALE = 0x80C02,
    VX_CONVOLUTION_SIZE = 0x80C03
};

enum vx_pyramid_attribute_e {
    VX_PYRAMID_LEVELS = 0x80900,
    VX_PYRAMID_SCALE = 0x80901,
    VX_PYRAMID_WIDTH = 0x80902,
    VX_PYRAMID_HEIGHT = 0x80903,
    VX_PYRAMID_FORMAT = 0x80904
};

enum vx_remap_attribute_e {
    VX_REMAP_SOURCE_WIDTH = 0x81000,
    VX_REMAP_SOURCE_HEIGHT = 0x81001,
    VX_REMAP_DESTINATION_WIDTH = 0x81002,
    VX_REMAP_DESTINATION_HEIGHT = 0x81003
};

enum vx_array_attribute_e {
    VX_ARRAY_ITEMTYPE = 0x80E00,
    VX_ARRAY_NUMITEMS = 0x80E01,
    VX_ARRAY_CAPACITY = 0x80E02,
    VX_ARRAY_ITEMSIZE = 0x80E03
};

enum vx_object_array_attribute_e {
    VX_OBJECT_ARRAY_ITEMTYPE = 0x81300,
    VX_OBJECT_ARRAY_NUMITEMS = 0x81301
};

enum vx_tensor_attribute_e {
    VX_TENSOR_NUMBER_OF_DIMS = 0x81500,
    VX_TENSOR_DIMS = 0x81501,
    VX_TENSOR_DATA_TYPE = 0x81502,
    VX_TENSOR_FIXED_POINT_POSITION = 0x81503
};

enum vx_meta_valid_rect_attribute_e {
    VX_VALID_RECT_CALLBACK = 0x81201
};

enum vx_channel_e {
    VX_CHANNEL_0 = 0x9000,
    VX_CHANNEL_1 = 0x9001,
    VX_CHANNEL_2 = 0x9002,
    VX_CHANNEL_3 = 0x9003,
    VX_CHANNEL_R = 0x9010,
    VX_CHANNEL_G = 0x9011,
    VX_CHANNEL_B = 0x9012,
    VX_CHANNEL_A = 0x9013,
    VX_CHANNEL_Y = 0x9014,
    VX_CHANNEL_U = 0x9015,
    VX_CHANNEL_V = 0x9016
};

enum vx_memory_type_e {
    VX_MEMORY_TYPE_NONE = 0xE000,
    VX_MEMORY_TYPE_HOST = 0xE001
};

enum vx_interpolation_type_e {
    VX_INTERPOLATION_NEAREST_NEIGHBOR = 0x4000,
    VX_INTERPOLATION_BILINEAR = 0x4001,
    VX_INTERPOLATION_AREA = 0x4002
};

enum vx_non_linear_filter_e {
    VX_NONLINEAR_FILTER_MEDIAN = 0x16000,
    VX_NONLINEAR_FILTER_MIN = 0x16001,
    VX_NONLINEAR_FILTER_MAX = 0x16002
};

enum vx_pattern_e {
    VX_PATTERN_BOX = 0x17000,
    VX_PATTERN_CROSS = 0x17001,
    VX_PATTERN_DISK = 0x17002,
    VX_PATTERN_OTHER = 0x17003
};

enum vx_color_space_e {
    VX_COLOR_SPACE_NONE = 0x6000,
    VX_COLOR_SPACE_BT601_525 = 0x6001,
    VX_COLOR_SPACE_BT601_625 = 0x6002,
    VX_COLOR_SPACE_BT709 = 0x6003,
    VX_COLOR_SPACE_DEFAULT = 0x6003
};

enum vx_channel_range_e {
    VX_CHANNEL_RANGE_FULL = 0x7000,
    VX_CHANNEL_RANGE_RESTRICTED = 0x7001
};

enum vx_parameter_state_e {
    VX_PARAMETER_STATE_REQUIRED = 0x8000,
    VX_PARAMETER_STATE_OPTIONAL = 0x8001
};

enum vx_border_e {
    VX_BORDER_UNDEFINED = 0xC000,
    VX_BORDER_CONSTANT = 0xC001,
    VX_BORDER_REPLICATE = 0xC002
};

enum vx_border_policy_e {
    VX_BORDER_POLICY_DEFAULT_TO_UNDEFINED = 0x14000,
    VX_BORDER_POLICY_RETURN_ERROR = 0x14001
};

enum vx_termination_criteria_e {
    VX_TERM_CRITERIA_ITERATIONS = 0xF000,
    VX_TERM_CRITERIA_EPSILON = 0xF001,
    VX_TERM_CRITERIA_BOTH = 0xF002
};

enum vx_norm_type_e {
    VX_NORM_L1 = 0x10000,
    VX_NORM_L2 = 0x10001
};

enum vx_delay_attribute_e {
    VX_DELAY_TYPE = 0x80600,
    VX_DELAY_SLOTS = 0x80601
};

enum vx_accessor_e {
    VX_READ_ONLY = 0x11001,
    VX_WRITE_ONLY = 0x11002,
    VX_READ_AND_WRITE = 0x11003
};

enum vx_round_policy_e {
    VX_ROUND_POLICY_TO_ZERO = 0x12001,
    VX_ROUND_POLICY_TO_NEAREST_EVEN = 0x12002
};

enum vx_lbp_format_e {
    VX_LBP = 0x18000,
    VX_MLBP = 0x18001,
    VX_ULBP = 0x18002
};

enum vx_comp_metric_e {
    VX_COMPARE_HAMMING = 0x19000,
    VX_COMPARE_L1 = 0x19001,
    VX_COMPARE_L2 = 0x19002,
    VX_COMPARE_CCORR = 0x19003,
    VX_COMPARE_L2_NORM = 0x19004,
    VX_COMPARE_CCORR_NORM = 0x19005
};

enum vx_map_flag_e {
    VX_NOGAP_X = 1
};

typedef struct _vx_imagepatch_addressing_t {
    vx_uint32 dim_x;
    vx_uint32 dim_y;
    vx_int32 stride_x;
    vx_int32 stride_y;
    vx_uint32 scale_x;
    vx_uint32 scale_y;
    vx_uint32 step_x;
    vx_uint16 step_y;
    vx_uint16 stride_x_bits;
} vx_imagepatch_addressing_t;

typedef struct _vx_perf_t {
    vx_uint64 tmp;
    vx_uint64 beg;
    vx_uint64 end;
    vx_uint64 sum;
    vx_uint64 avg;
    vx_uint64 min;
    vx_uint64 num;
    vx_uint64 max;
} vx_perf_t;

typedef struct _vx_tensor_matrix_multiply_params_t {
    vx_bool transpose_input1;
    vx_bool transpose_input2;
    vx_bool transpose_input3;
} vx_tensor_matrix_multiply_params_t;

typedef struct _vx_kernel_info_t {
    vx_enum enumeration;
    vx_char name[256];
} vx_kernel_info_t;

typedef struct _vx_rectangle_t {
    vx_uint32 start_x;
    vx_uint32 start_y;
    vx_uint32 end_x;
    vx_uint32 end_y;
} vx_rectangle_t;

typedef union _vx_pixel_value_t {
    vx_uint8 RGB[3];
    vx_uint8 RGBX[4];
    vx_uint8 YUV[3];
    vx_bool U1;
    vx_uint8 U8;
    vx_uint16 U16;
    vx_int16 S16;
    vx_uint32 U32;
    vx_int32 S32;
    vx_uint8 reserved[16];
} vx_pixel_value_t;

typedef struct _vx_border_t {
    vx_enum mode;
    vx_pixel_value_t ant_value;
} vx_border_t;

typedef struct _vx_keypoint_t {
    vx_int32 x;
    vx_int32 y;
    vx_float32 strength;
    vx_float32 scale;
    vx_float32 orientation;
    vx_int32 tracking_status;
    vx_float32 error;
} vx_keypoint_t;

typedef struct _vx_coordinates2d_t {
    vx_uint32 x;
    vx_uint32 y;
} vx_coordinates2d_t;

typedef struct _vx_coordinates2df_t {
    vx_float32 x;
    vx_float32 y;
} vx_coordinates2df_t;

typedef struct _vx_coordinates3d_t {
    vx_uint32 x;
    vx_uint32 y;
    vx_uint32 z;
} vx_coordinates3d_t;

typedef struct _vx_line2d_t {
    vx_float32 start_x;
    vx_float32 start_y;
    vx_float32 end_x;
    vx_float32 end_y;
} vx_line2d_t;

typedef struct _vx_hough_lines_p_t {
    vx_float32 rho;
    vx_float32 theta;
    vx_int32 threshold;
    vx_int32 line_length;
    vx_int32 line_gap;
    vx_float32 theta_max;
    vx_float32 theta_min;
} vx_hough_lines_p_t;

typedef struct {
    vx_int32 cell_width;
    vx_int32 cell_height;
    vx_int32 block_width;
    vx_int32 block_height;
    vx_int32 block_stride;
    vx_int32 num_bins;
    vx_int32 window_width;
    vx_int32 window_height;
    vx_int32 window_stride;
    vx_float32 threshold;
} vx_hog_t;

typedef vx_action (*vx_nodecomplete_f)(vx_node node);

typedef vx_status (*vx_publish_kernels_f)(vx_context context);

typedef vx_status (*vx_unpublish_kernels_f)(vx_context context);

typedef vx_status (*vx_kernel_f)(vx_node node, vx_reference *parameters, vx_uint32 num);

typedef vx_status (*vx_kernel_initialize_f)(vx_node node, vx_reference *parameters, vx_uint32 num);

typedef vx_status (*vx_kernel_deinitialize_f)(vx_node node, vx_reference *parameters,
        vx_uint32 num);

typedef vx_status (*vx_kernel_validate_f)(vx_node node, vx_reference *parameters, vx_uint32 num,
        vx_meta_format *metas);

typedef vx_status (*vx_kernel_image_valid_rectangle_f)(vx_node node, vx_uint32 index,
        vx_rectangle_t **input_valid, vx_rectangle_t **output_valid);

typedef void (*vx_log_callback_f)(vx_context context, vx_reference ref, vx_status status,
        vx_char *string);

enum vx_library_e {
    VX_LIBRARY_KHR_BASE = 0
};

enum vx_kernel_e {
    VX_KERNEL_COLOR_CONVERT = 1,
    VX_KERNEL_CHANNEL_EXTRACT = 2,
    VX_KERNEL_CHANNEL_COMBINE = 3,
    VX_KERNEL_SOBEL_3x3 = 4,
    VX_KERNEL_MAGNITUDE = 5,
    VX_KERNEL_PHASE = 6,
    VX_KERNEL_SCALE_IMAGE = 7,
    VX_KERNEL_TABLE_LOOKUP = 8,
    VX_KERNEL_HISTOGRAM = 9,
    VX_KERNEL_EQUALIZE_HISTOGRAM = 0xA,
    VX_KERNEL_ABSDIFF = 0xB,
    VX_KERNEL_MEAN_STDDEV = 0xC,
    VX_KERNEL_THRESHOLD = 0xD,
    VX_KERNEL_INTEGRAL_IMAGE = 0xE,
    VX_KERNEL_DILATE_3x3 = 0xF,
    VX_KERNEL_ERODE_3x3 = 0x10,
    VX_KERNEL_MEDIAN_3x3 = 0x11,
    VX_KERNEL_BOX_3x3 = 0x12,
    VX_KERNEL_GAUSSIAN_3x3 = 0x13,
    VX_KERNEL_CUSTOM_CONVOLUTION = 0x14,
    VX_KERNEL_GAUSSIAN_PYRAMID = 0x15,
    VX_KERNEL_MINMAXLOC = 0x19,
    VX_KERNEL_CONVERTDEPTH = 0x1A,
    VX_KERNEL_CANNY_EDGE_DETECTOR = 0x1B,
    VX_KERNEL_AND = 0x1C,
    VX_KERNEL_OR = 0x1D,
    VX_KERNEL_XOR = 0x1E,
    VX_KERNEL_NOT = 0x1F,
    VX_KERNEL_MULTIPLY = 0x20,
    VX_KERNEL_ADD = 0x21,
    VX_KERNEL_SUBTRACT = 0x22,
    VX_KERNEL_WARP_AFFINE = 0x23,
    VX_KERNEL_WARP_PERSPECTIVE = 0x24,
    VX_KERNEL_HARRIS_CORNERS = 0x25,
    VX_KERNEL_FAST_CORNERS = 0x26,
    VX_KERNEL_OPTICAL_FLOW_PYR_LK = 0x27,
    VX_KERNEL_REMAP = 0x28,
    VX_KERNEL_HALFSCALE_GAUSSIAN = 0x29,
    VX_KERNEL_MAX_1_0 = 0x2A,
    VX_KERNEL_LAPLACIAN_PYRAMID = 0x2A,
    VX_KERNEL_LAPLACIAN_RECONSTRUCT = 0x2B,
    VX_KERNEL_NON_LINEAR_FILTER = 0x2C,
    VX_KERNEL_MAX_1_1 = 0x2D,
    VX_KERNEL_MATCH_TEMPLATE = 0x2D,
    VX_KERNEL_LBP = 0x2E,
    VX_KERNEL_HOUGH_LINES_P = 0x2F,
    VX_KERNEL_TENSOR_MULTIPLY = 0x30,
    VX_KERNEL_TENSOR_ADD = 0x31,
    VX_KERNEL_TENSOR_SUBTRACT = 0x32,
    VX_KERNEL_TENSOR_TABLE_LOOKUP = 0x33,
    VX_KERNEL_TENSOR_TRANSPOSE = 0x34,
    VX_KERNEL_TENSOR_CONVERT_DEPTH = 0x35,
    VX_KERNEL_TENSOR_MATRIX_MULTIPLY = 0x36,
    VX_KERNEL_COPY = 0x37,
    VX_KERNEL_NON_MAX_SUPPRESSION = 0x38,
    VX_KERNEL_SCALAR_OPERATION = 0x39,
    VX_KERNEL_HOG_FEATURES = 0x3A,
    VX_KERNEL_HOG_CELLS = 0x3B,
    VX_KERNEL_BILATERAL_FILTER = 0x3C,
    VX_KERNEL_SELECT = 0x3D,
    VX_KERNEL_MAX_1_2 = 0x3E,
    VX_KERNEL_MAX = 0x3E,
    VX_KERNEL_MIN = 0x3F,
    VX_KERNEL_WEIGHTED_AVERAGE = 0x40
};

vx_context vxCreateContext(void);

vx_status vxReleaseContext(vx_context *context);

vx_context vxGetContext(vx_reference reference);

vx_status vxQueryContext(vx_context context, vx_enum attribute, void *ptr, vx_size size);

vx_status vxSetContextAttribute(vx_context context, vx_enum attribute, void *ptr,
        vx_size size);

vx_status vxHint(vx_reference reference, vx_enum hint, void *data, vx_size data_size);

vx_status vxDirective(vx_reference reference, vx_enum directive);

vx_status vxGetStatus(vx_reference reference);

vx_enum vxRegisterUserStruct(vx_context context, vx_size size);

vx_enum vxRegisterUserStructWithName(vx_context context, vx_size size,
        vx_char *type_name);

vx_status vxGetUserStructNameByEnum(vx_context context, vx_enum user_struct_type,
        vx_char *type_name, vx_size name_size);

vx_status vxGetUserStructEnumByName(vx_context context, vx_char *type_name,
        vx_enum *user_struct_type);

vx_status vxAllocateUserKernelId(vx_context context, vx_enum *pKernelEnumId);

vx_status vxAllocateUserKernelLibraryId(vx_context context, vx_enum *pLibraryId);

vx_status vxSetImmediateModeTarget(vx_context context, vx_enum target_enum,
        char *target_string);

vx_status vxQueryReference(vx_reference ref, vx_enum attribute, void *ptr, vx_size size);

vx_status vxReleaseReference(vx_reference *ref_ptr);

vx_status vxRetainReference(vx_reference ref);

vx_status vxSetReferenceName(vx_reference ref, vx_char *name);

void vxAddLogEntry(vx_reference ref, vx_status status, char *message, ...);

void vxRegisterLogCallback(vx_context context, vx_log_callback_f callback,
        vx_bool reentrant);

vx_status vxRegisterKernelLibrary(vx_context context, vx_char *module,
        vx_publish_kernels_f publish, vx_unpublish_kernels_f unpublish);

vx_status vxLoadKernels(vx_context context, vx_char *module);

vx_status vxUnloadKernels(vx_context context, vx_char *module);

vx_kernel vxGetKernelByName(vx_context context, vx_char *name);

vx_kernel vxGetKernelByEnum(vx_context context, vx_enum kernel);

vx_status vxQueryKernel(vx_kernel kernel, vx_enum attribute, void *ptr, vx_size size);

vx_status vxReleaseKernel(vx_kernel *kernel);

vx_kernel vxAddUserKernel(vx_context context, vx_char *name, vx_enum enumeration,
        vx_kernel_f func_ptr, vx_uint32 numParams, vx_kernel_validate_f validate, vx_kernel_initialize_f init,
        vx_kernel_deinitialize_f deinit);

vx_status vxFinalizeKernel(vx_kernel kernel);

vx_status vxAddParameterToKernel(vx_kernel kernel, vx_uint32 index, vx_enum dir,
        vx_enum data_type, vx_enum state);

vx_status vxRemoveKernel(vx_kernel kernel);

vx_status vxSetKernelAttribute(vx_kernel kernel, vx_enum attribute, void *ptr,
        vx_size size);

vx_parameter vxGetKernelParameterByIndex(vx_kernel kernel, vx_uint32 index);

vx_graph vxCreateGraph(vx_context context);

vx_status vxReleaseGraph(vx_graph *graph);

vx_status vxVerifyGraph(vx_graph graph);

vx_status vxProcessGraph(vx_graph graph);

vx_status vxScheduleGraph(vx_graph graph);

vx_status vxWaitGraph(vx_graph graph);

vx_status vxQueryGraph(vx_graph graph, vx_enum attribute, void *ptr, vx_size size);

vx_status vxSetGraphAttribute(vx_graph graph, vx_enum attribute, void *ptr,
        vx_size size);

vx_status vxAddParameterToGraph(vx_graph graph, vx_parameter parameter);

vx_status vxSetGraphParameterByIndex(vx_graph graph, vx_uint32 index, vx_reference value);

vx_parameter vxGetGraphParameterByIndex(vx_graph graph, vx_uint32 index);

vx_bool vxIsGraphVerified(vx_graph graph);

vx_node vxCreateGenericNode(vx_graph graph, vx_kernel kernel);

vx_status vxQueryNode(vx_node node, vx_enum attribute, void *ptr, vx_size size);

vx_status vxSetNodeAttribute(vx_node node, vx_enum attribute, void *ptr, vx_size size);

vx_status vxReleaseNode(vx_node *node);

vx_status vxRemoveNode(vx_node *node);

vx_status vxAssignNodeCallback(vx_node node, vx_nodecomplete_f callback);

vx_nodecomplete_f vxRetrieveNodeCallback(vx_node node);

vx_status vxSetNodeTarget(vx_node node, vx_enum target_enum, char *target_string);

vx_status vxReplicateNode(vx_graph graph, vx_node first_node, vx_bool *replicate,
        vx_uint32 number_of_parameters);

vx_parameter vxGetParameterByIndex(vx_node node, vx_uint32 index);

vx_status vxReleaseParameter(vx_parameter *param);

vx_status vxSetParameterByIndex(vx_node node, vx_uint32 index, vx_reference value);

vx_status vxSetParameterByReference(vx_parameter parameter, vx_reference value);

vx_status vxQueryParameter(vx_parameter parameter, vx_enum attribute, void *ptr,
        vx_size size);

vx_status vxSetMetaFormatAttribute(vx_meta_format meta, vx_enum attribute, void *ptr,
        vx_size size);

vx_status vxSetMetaFormatFromReference(vx_meta_format meta, vx_reference exemplar);

vx_status vxQueryMetaFormatAttribute(vx_meta_format meta, vx_enum attribute, void *ptr,
        vx_size size);

vx_tensor vxCreateTensor(vx_context context, vx_size number_of_dims, vx_size *dims,
        vx_enum data_type, vx_int8 fixed_point_position);

vx_object_array vxCreateImageObjectArrayFromTensor(vx_tensor tensor,
        vx_rectangle_t *rect, vx_size array_size, vx_size jump, vx_df_image image_format);

vx_tensor vxCreateTensorFromView(vx_tensor tensor, vx_size number_of_dims,
        vx_size *view_start, vx_size *view_end);

vx_tensor vxCreateVirtualTensor(vx_graph graph, vx_size number_of_dims,
        vx_size *dims, vx_enum data_type, vx_int8 fixed_point_position);

vx_tensor vxCreateTensorFromHandle(vx_context context, vx_size number_of_dims,
        vx_size *dims, vx_enum data_type, vx_int8 fixed_point_position, vx_size *stride, void *ptr,
        vx_enum memory_type);

vx_status vxSwapTensorHandle(vx_tensor tensor, void *new_ptr, void **prev_ptr);

vx_status vxCopyTensorPatch(vx_tensor tensor, vx_size number_of_dims,
        vx_size *view_start, vx_size *view_end, vx_size *user_stride, void *user_ptr,
        vx_enum usage, vx_enum user_memory_type);

vx_status vxMapTensorPatch(vx_tensor tensor, vx_size number_of_dims,
        vx_size *view_start, vx_size *view_end, vx_map_id *map_id, vx_size *stride, void **ptr,
        vx_enum usage, vx_enum mem_type);

vx_status vxUnmapTensorPatch(vx_tensor tensor, vx_map_id map_id);

vx_status vxQueryTensor(vx_tensor tensor, vx_enum attribute, void *ptr, vx_size size);

vx_status vxReleaseTensor(vx_tensor *tensor);

vx_scalar vxCreateScalar(vx_context context, vx_enum data_type, void *ptr);

vx_scalar vxCreateScalarWithSize(vx_context context, vx_enum data_type, void *ptr,
        vx_size size);

vx_scalar vxCreateVirtualScalar(vx_graph graph, vx_enum data_type);

vx_status vxReleaseScalar(vx_scalar *scalar);

vx_status vxQueryScalar(vx_scalar scalar, vx_enum attribute, void *ptr, vx_size size);

vx_status vxCopyScalar(vx_scalar scalar, void *user_ptr, vx_enum usage,
        vx_enum user_mem_type);

vx_status vxCopyScalarWithSize(vx_scalar scalar, vx_size size, void *user_ptr,
        vx_enum usage, vx_enum user_mem_type);

vx_lut vxCreateLUT(vx_context context, vx_enum data_type, vx_size count);

vx_lut vxCreateVirtualLUT(vx_graph graph, vx_enum data_type, vx_size count);

vx_status vxReleaseLUT(vx_lut *lut);

vx_status vxQueryLUT(vx_lut lut, vx_enum attribute, void *ptr, vx_size size);

vx_status vxCopyLUT(vx_lut lut, void *user_ptr, vx_enum usage, vx_enum user_mem_type);

vx_status vxMapLUT(vx_lut lut, vx_map_id *map_id, void **ptr, vx_enum usage,
        vx_enum mem_type, vx_bitfield flags);

vx_status vxUnmapLUT(vx_lut lut, vx_map_id map_id);

vx_delay vxCreateDelay(vx_context context, vx_reference exemplar, vx_size num_slots);

vx_reference vxGetReferenceFromDelay(vx_delay delay, vx_int32 index);

vx_status vxAgeDelay(vx_delay delay);

vx_status vxRegisterAutoAging(vx_graph graph, vx_delay delay);

vx_status vxQueryDelay(vx_delay delay, vx_enum attribute, void *ptr, vx_size size);

vx_status vxReleaseDelay(vx_delay *delay);

vx_reference vxGetObjectArrayItem(vx_object_array arr, vx_uint32 index);

vx_status vxQueryObjectArray(vx_object_array arr, vx_enum attribute, void *ptr,
        vx_size size);

vx_status vxReleaseObjectArray(vx_object_array *arr);

vx_image vxCreateImage(vx_context context, vx_uint32 width, vx_uint32 height,
        vx_df_image color);

vx_image vxCreateVirtualImage(vx_graph graph, vx_uint32 width, vx_uint32 height,
        vx_df_image color);

vx_image vxCreateImageFromROI(vx_image img, vx_rectangle_t *rect);

vx_status vxQueryImage(vx_image image, vx_enum attribute, void *ptr, vx_size size);

vx_status vxReleaseImage(vx_image *image);

vx_status vxGetValidRegionImage(vx_image image, vx_rectangle_t *rect);

vx_status vxCopyImagePatch(vx_image image, vx_rectangle_t *image_rect,
        vx_uint32 image_plane_index, vx_imagepatch_addressing_t *user_addr, void *user_ptr, vx_enum usage,
        vx_enum user_mem_type);

vx_status vxMapImagePatch(vx_image image, vx_rectangle_t *rect,
        vx_uint32 plane_index, vx_map_id *map_id, vx_imagepatch_addressing_t *addr, void **ptr, vx_enum usage,
        vx_enum mem_type, vx_uint32 flags);

vx_status vxUnmapImagePatch(vx_image image, vx_map_id map_id);

void *vxFormatImagePatchAddress2d(void *ptr, vx_uint32 x, vx_uint32 y,
        vx_imagepatch_addressing_t *addr);

vx_node vxTensorMultiplyNode(vx_graph graph, vx_tensor input1, vx_tensor input2,
        vx_scalar scale, vx_enum overflow_policy, vx_enum rounding_policy, vx_tensor output);

vx_node vxTensorAddNode(vx_graph graph, vx_tensor input1, vx_tensor input2, vx_enum policy,
        vx_tensor output);

vx_node vxTensorSubtractNode(vx_graph graph, vx_tensor input1, vx_tensor input2,
        vx_enum policy, vx_tensor output);

vx_node vxTensorTableLookupNode(vx_graph graph, vx_tensor input1, vx_lut lut,
        vx_tensor output);

vx_node vxTensorTransposeNode(vx_graph graph, vx_tensor input, vx_tensor output,
        vx_size dimension1, vx_size dimension2);

vx_node vxTensorConvertDepthNode(vx_graph graph, vx_tensor input, vx_enum policy,
        vx_scalar norm, vx_scalar offset, vx_tensor output);

vx_node vxTensorMatrixMultiplyNode(vx_graph graph, vx_tensor input1, vx_tensor input2,
        vx_tensor input3, vx_tensor_matrix_multiply_params_t *matrix_multiply_params, vx_tensor output);

vx_status vxuTensorMultiply(vx_context context, vx_tensor input1, vx_tensor input2,
        vx_scalar scale, vx_enum overflow_policy, vx_enum rounding_policy, vx_tensor output);

vx_status vxuTensorAdd(vx_context context, vx_tensor input1, vx_tensor input2,
        vx_enum policy, vx_tensor output);

vx_status vxuTensorSubtract(vx_context context, vx_tensor input1, vx_tensor input2,
        vx_enum policy, vx_tensor output);

vx_status vxuTensorTableLookup(vx_context context, vx_tensor input1, vx_lut lut,
        vx_tensor output);

vx_status vxuTensorTranspose(vx_context context, vx_tensor input, vx_tensor output,
        vx_size dimension1, vx_size dimension2);

vx_status vxuTensorConvertDepth(vx_context context, vx_tensor input, vx_enum policy,
        vx_scalar norm, vx_scalar offset, vx_tensor output);

vx_status vxuTensorMatrixMultiply(vx_context context, vx_tensor input1, vx_tensor input2,
        vx_tensor input3, vx_tensor_matrix_multiply_params_t *matrix_multiply_params, vx_tensor output);

enum vx_kernel_nn_ext_e {
    VX_KERNEL_CONVOLUTION_LAYER = 0x1000,
    VX_KERNEL_FULLY_CONNECTED_LAYER = 0x1001,
    VX_KERNEL_POOLING_LAYER = 0x1002,
    VX_KERNEL_SOFTMAX_LAYER = 0x1003,
    VX_KERNEL_NORMALIZATION_LAYER = 0x1004,
    VX_KERNEL_ACTIVATION_LAYER = 0x1005,
    VX_KERNEL_ROI_POOLING_LAYER = 0x1006,
    VX_KERNEL_DECONVOLUTION_LAYER = 0x1007,
    VX_KERNEL_LOCAL_RESPONSE_NORMALIZATION_LAYER = 0x1008
};

enum vx_nn_enum_e {
    VX_ENUM_NN_ROUNDING_TYPE = 0x1A,
    VX_ENUM_NN_POOLING_TYPE = 0x1B,
    VX_ENUM_NN_NORMALIZATION_TYPE = 0x1C,
    VX_ENUM_NN_ACTIVATION_FUNCTION_TYPE = 0x1D
};

enum vx_nn_rounding_type_e {
    VX_NN_DS_SIZE_ROUNDING_FLOOR = 0x1A000,
    VX_NN_DS_SIZE_ROUNDING_CEILING = 0x1A001
};

enum vx_nn_pooling_type_e {
    VX_NN_POOLING_MAX = 0x1B000,
    VX_NN_POOLING_AVG = 0x1B001
};

enum vx_nn_norm_type_e {
    VX_NN_NORMALIZATION_SAME_MAP = 0x1C000,
    VX_NN_NORMALIZATION_ACROSS_MAPS = 0x1C001
};

enum vx_nn_activation_function_e {
    VX_NN_ACTIVATION_LOGISTIC = 0x1D000,
    VX_NN_ACTIVATION_HYPERBOLIC_TAN = 0x1D001,
    VX_NN_ACTIVATION_RELU = 0x1D002,
    VX_NN_ACTIVATION_BRELU = 0x1D003,
    VX_NN_ACTIVATION_SOFTRELU = 0x1D004,
    VX_NN_ACTIVATION_ABS = 0x1D005,
    VX_NN_ACTIVATION_SQUARE = 0x1D006,
    VX_NN_ACTIVATION_SQRT = 0x1D007,
    VX_NN_ACTIVATION_LINEAR = 0x1D008
};

enum vx_nn_type_e {
    VX_TYPE_NN_CONVOLUTION_PARAMS = 0x25,
    VX_TYPE_NN_DECONVOLUTION_PARAMS = 0x26,
    VX_TYPE_NN_ROI_POOL_PARAMS = 0x27
};

typedef struct _vx_nn_convolution_params_t {
    vx_size padding_x;
    vx_size padding_y;
    vx_enum overflow_policy;
    vx_enum rounding_policy;
    vx_enum down_scale_size_rounding;
    vx_size dilation_x;
    vx_size dilation_y;
} vx_nn_convolution_params_t;

typedef struct _vx_nn_deconvolution_params_t {
    vx_size padding_x;
    vx_size padding_y;
    vx_enum overflow_policy;
    vx_enum rounding_policy;
    vx_size a_x;
    vx_size a_y;
} vx_nn_deconvolution_params_t;

typedef struct _vx_nn_roi_pool_params_t {
    vx_enum pool_type;
} vx_nn_roi_pool_params_t;

vx_node vxConvolutionLayer(vx_graph graph, vx_tensor inputs, vx_tensor weights,
        vx_tensor biases, vx_nn_convolution_params_t *convolution_params, vx_size size_of_convolution_params,
        vx_tensor outputs);

vx_node vxFullyConnectedLayer(vx_graph graph, vx_tensor inputs, vx_tensor weights,
        vx_tensor biases, vx_enum overflow_policy, vx_enum rounding_policy, vx_tensor outputs);

vx_node vxPoolingLayer(vx_graph graph, vx_tensor inputs, vx_enum pooling_type,
        vx_size pooling_size_x, vx_size pooling_size_y, vx_size pooling_padding_x, vx_size pooling_padding_y,
        vx_enum rounding, vx_tensor outputs);

vx_node vxSoftmaxLayer(vx_graph graph, vx_tensor inputs, vx_tensor outputs);

vx_node vxLocalResponseNormalizationLayer(vx_graph graph, vx_tensor inputs, vx_enum type,
        vx_size normalization_size, vx_float32 alpha, vx_float32 beta, vx_float32 bias, vx_tensor outputs);

vx_node vxActivationLayer(vx_graph graph, vx_tensor inputs, vx_enum function, vx_float32 a,
        vx_float32 b, vx_tensor outputs);

vx_node vxROIPoolingLayer(vx_graph graph, vx_tensor input_data, vx_tensor input_rois,
        vx_nn_roi_pool_params_t *roi_pool_params, vx_size size_of_roi_params, vx_tensor output_arr);

vx_node vxDeconvolutionLayer(vx_graph graph, vx_tensor inputs, vx_tensor weights,
        vx_tensor biases, vx_nn_deconvolution_params_t *deconvolution_params, vx_size size_of_deconv_params,
        vx_tensor outputs);

vx_node vxNormalizationLayer(vx_graph graph, vx_tensor inputs, vx_enum type,
        vx_size normalization_size, vx_float32 alpha, vx_float32 beta, vx_tensor outputs);

vx_kernel vxImportKernelFromURL(vx_context context, vx_char *type, vx_char *url);

typedef struct _vx_delta_rectangle_t {
    vx_int32 delta_start_x;
    vx_int32 delta_start_y;
    vx_int32 delta_end_x;
    vx_int32 delta_end_y;
} vx_delta_rectangle_t;

typedef vx_status (*vx_kernel_input_validate_f)(vx_node node, vx_uint32 index);

typedef vx_status (*vx_kernel_output_validate_f)(vx_node node, vx_uint32 index, vx_meta_format meta);

vx_status vxReadScalarValue(vx_scalar ref, void *ptr);

vx_status vxWriteScalarValue(vx_scalar ref, void *ptr);

enum vx_context_attribute_concord_e {
    VX_CONTEXT_COMPATIBLE_CONCORD = (vx_int32)0xFFF80100u,
    VX_CONTEXT_THREADS_CONCORD = (vx_int32)0xFFF80101u
};

#endif
