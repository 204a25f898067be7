/* SPDX-License-Identifier: Apache-2.0 */

/* Layers of neural networks. */

#ifndef _VX_KHR_NN_H_
#define _VX_KHR_NN_H_

#include <VX/vx.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The name of the extension. */
#define OPENVX_KHR_NN "vx_khr_nn"

/* The library of the layers. */
#define VX_LIBRARY_KHR_NN_EXTENSION (0x1)

/* Layers of neural networks. */
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

/* Numbers of enumerations, for VX_ENUM_BASE. */
enum vx_nn_enum_e {
    VX_ENUM_NN_ROUNDING_TYPE = 0x1A,
    VX_ENUM_NN_POOLING_TYPE = 0x1B,
    VX_ENUM_NN_NORMALIZATION_TYPE = 0x1C,
    VX_ENUM_NN_ACTIVATION_FUNCTION_TYPE = 0x1D
};

/* Roundings of the size of a result. */
enum vx_nn_rounding_type_e {
    VX_NN_DS_SIZE_ROUNDING_FLOOR = 0x1A000, /* down */
    VX_NN_DS_SIZE_ROUNDING_CEILING = 0x1A001 /* up */
};

/* Functions of poolings. */
enum vx_nn_pooling_type_e {
    VX_NN_POOLING_MAX = 0x1B000,
    VX_NN_POOLING_AVG = 0x1B001
};

/* Neighbourhoods that a normalization takes: of the same channel or across channels. */
enum vx_nn_norm_type_e {
    VX_NN_NORMALIZATION_SAME_MAP = 0x1C000,
    VX_NN_NORMALIZATION_ACROSS_MAPS = 0x1C001
};

/* Activation functions of an element x, with parameters a and b. */
enum vx_nn_activation_function_e {
    VX_NN_ACTIVATION_LOGISTIC = 0x1D000, /* 1 / (1 + exp(-x)) */
    VX_NN_ACTIVATION_HYPERBOLIC_TAN = 0x1D001, /* a * tanh(b * x) */
    VX_NN_ACTIVATION_RELU = 0x1D002, /* max(0, x) */
    VX_NN_ACTIVATION_BRELU = 0x1D003, /* min(a, max(0, x)) */
    VX_NN_ACTIVATION_SOFTRELU = 0x1D004, /* log(1 + exp(x)) */
    VX_NN_ACTIVATION_ABS = 0x1D005, /* |x| */
    VX_NN_ACTIVATION_SQUARE = 0x1D006, /* x * x */
    VX_NN_ACTIVATION_SQRT = 0x1D007, /* square root of x */
    VX_NN_ACTIVATION_LINEAR = 0x1D008 /* a * x + b */
};

/* Types of structures, for scalars that hold them. */
enum vx_nn_type_e {
    VX_TYPE_NN_CONVOLUTION_PARAMS = 0x25,
    VX_TYPE_NN_DECONVOLUTION_PARAMS = 0x26,
    VX_TYPE_NN_ROI_POOL_PARAMS = 0x27
};

/* The parameters of a convolution. */
typedef struct _vx_nn_convolution_params_t {
    vx_size padding_x; /* elements added at each side of the inputs */
    vx_size padding_y;
    vx_enum overflow_policy; /* vx_convert_policy_e */
    vx_enum rounding_policy; /* vx_round_policy_e */
    vx_enum down_scale_size_rounding; /* vx_nn_rounding_type_e */
    vx_size dilation_x; /* number of zeros inserted between the weights */
    vx_size dilation_y;
} vx_nn_convolution_params_t;

/* The parameters of a deconvolution. */
typedef struct _vx_nn_deconvolution_params_t {
    vx_size padding_x; /* elements taken away at each side of the outputs */
    vx_size padding_y;
    vx_enum overflow_policy; /* vx_convert_policy_e */
    vx_enum rounding_policy; /* vx_round_policy_e */
    vx_size a_x; /* elements added at the end, fewer than the factor of upscaling */
    vx_size a_y;
} vx_nn_deconvolution_params_t;

/* The parameters of a pooling of regions. */
typedef struct _vx_nn_roi_pool_params_t {
    vx_enum pool_type; /* VX_NN_POOLING_MAX */
} vx_nn_roi_pool_params_t;

/* Adds a convolution: inputs [width, height, IFM, batch...], weights [width, height, IFM, OFM], biases NULL, [OFM]
   or as large as an output without its batch. */
VX_API_ENTRY vx_node VX_API_CALL vxConvolutionLayer(vx_graph graph, vx_tensor inputs, vx_tensor weights,
        vx_tensor biases, const vx_nn_convolution_params_t *convolution_params, vx_size size_of_convolution_params,
        vx_tensor outputs);

/* Adds a matrix product: inputs [IFM, batch...] or [width, height, IFM, batch...], weights [IFM, OFM] or [width,
   height, IFM, OFM], biases NULL or [OFM], outputs [OFM, batch...]. */
VX_API_ENTRY vx_node VX_API_CALL vxFullyConnectedLayer(vx_graph graph, vx_tensor inputs, vx_tensor weights,
        vx_tensor biases, vx_enum overflow_policy, vx_enum rounding_policy, vx_tensor outputs);

/* Adds the maximum or the average over windows, with padding at each side. */
VX_API_ENTRY vx_node VX_API_CALL vxPoolingLayer(vx_graph graph, vx_tensor inputs, vx_enum pooling_type,
        vx_size pooling_size_x, vx_size pooling_size_y, vx_size pooling_padding_x, vx_size pooling_padding_y,
        vx_enum rounding, vx_tensor outputs);

/* Adds a softmax over dimension 0 of one or two, or dimension 2 of three or four. */
VX_API_ENTRY vx_node VX_API_CALL vxSoftmaxLayer(vx_graph graph, vx_tensor inputs, vx_tensor outputs);

/* Adds a normalization: x / (bias + alpha / n * sum of squares of n neighbours) ^ beta, which are
   normalization_size channels or a square of that side. */
VX_API_ENTRY vx_node VX_API_CALL vxLocalResponseNormalizationLayer(vx_graph graph, vx_tensor inputs, vx_enum type,
        vx_size normalization_size, vx_float32 alpha, vx_float32 beta, vx_float32 bias, vx_tensor outputs);

/* Adds a function of each element, such as max(0, x), with the parameters a and b. */
VX_API_ENTRY vx_node VX_API_CALL vxActivationLayer(vx_graph graph, vx_tensor inputs, vx_enum function, vx_float32 a,
        vx_float32 b, vx_tensor outputs);

/* Adds the maxima over a grid laid on regions of interest: data [width, height, C, batch...], regions [4, R,
   batch...], each x0, y0, x1, y1, outputs [width, height, C, R, batch...]. */
VX_API_ENTRY vx_node VX_API_CALL vxROIPoolingLayer(vx_graph graph, vx_tensor input_data, vx_tensor input_rois,
        const vx_nn_roi_pool_params_t *roi_pool_params, vx_size size_of_roi_params, vx_tensor output_arr);

/* Adds a deconvolution, the convolution of the inputs with zeros inserted between them; its operands are those of
   vxConvolutionLayer. */
VX_API_ENTRY vx_node VX_API_CALL vxDeconvolutionLayer(vx_graph graph, vx_tensor inputs, vx_tensor weights,
        vx_tensor biases, const vx_nn_deconvolution_params_t *deconvolution_params, vx_size size_of_deconv_params,
        vx_tensor outputs);

/* Adds a normalization as OpenVX 1.2 had it, with a bias of 1; see vxLocalResponseNormalizationLayer. */
VX_API_ENTRY vx_node VX_API_CALL vxNormalizationLayer(vx_graph graph, vx_tensor inputs, vx_enum type,
        vx_size normalization_size, vx_float32 alpha, vx_float32 beta, vx_tensor outputs);

#ifdef __cplusplus
}
#endif

#endif
