package webnn

import "github.com/concord-nn/concord/tensor"

// The options of the builder's methods: for each MLXOptions of the standard a struct XOptions with the same members. A nil
// pointer to it gives every member its default. A member is absent if its field is nil, or has Go's zero value where that
// is the default; members with another default are pointers, which new makes: &webnn.EluOptions{Alpha: new(0.5)}.

// OperatorOptions is MLOperatorOptions: the options of a method that has no others.
// See https://www.w3.org/TR/webnn/#api-mloperand.
type OperatorOptions struct {
	// Label names the operator in error messages. Empty by default.
	Label string
}

// ArgMinMaxOptions is MLArgMinMaxOptions, for [GraphBuilder.ArgMin] and [GraphBuilder.ArgMax].
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-argminmax.
type ArgMinMaxOptions struct {
	// Label names the operator in error messages. Empty by default.
	Label string
	// KeepDimensions keeps the reduced dimension, with extent 1. False by default.
	KeepDimensions bool
	// OutputDataType is the type of the result: tensor.Int32, which is the default, or tensor.Int64.
	OutputDataType tensor.DType
}

// BatchNormalizationOptions is MLBatchNormalizationOptions, for [GraphBuilder.BatchNormalization].
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-batchnorm.
type BatchNormalizationOptions struct {
	// Label names the operator in error messages. Empty by default.
	Label string
	// Scale multiplies each feature: shape [n], where n is the input's extent along Axis. Absent, it is 1.
	Scale *Operand
	// Bias is added to each feature: shape [n], where n is the input's extent along Axis. Absent, it is 0.
	Bias *Operand
	// Axis is the dimension of the features, from 0 to the input's rank - 1. 1 by default.
	Axis *int
	// Epsilon is added to the variance, so that the divisor is not zero. 1e-5 by default.
	Epsilon *float64
}

// ClampOptions is MLClampOptions, for [GraphBuilder.Clamp]. Both bounds are cast to the type of the input.
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-clamp.
type ClampOptions struct {
	// Label names the operator in error messages. Empty by default.
	Label string
	// MinValue is the lower bound. Absent or NaN, there is none.
	MinValue Number
	// MaxValue is the upper bound, not below MinValue. Absent or NaN, there is none.
	MaxValue Number
}

// Conv2dOptions is MLConv2dOptions, for [GraphBuilder.Conv2d].
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-conv2d.
type Conv2dOptions struct {
	// Label names the operator in error messages. Empty by default.
	Label string
	// Padding has the elements of padding before and after the height and before and after the width, in this order.
	// [0, 0, 0, 0] by default.
	Padding []int
	// Strides has the steps of the filter along height and width, at least 1. [1, 1] by default.
	Strides []int
	// Dilations has the distances between filter elements along height and width, at least 1. [1, 1] by default.
	Dilations []int
	// Groups is into how many groups the channels are divided; it divides the numbers of input and of output channels.
	// 1 by default.
	Groups *int
	// InputLayout is the order of the dimensions of input and result. [LayoutNCHW] by default.
	InputLayout InputOperandLayout
	// FilterLayout is the order of the dimensions of the filter. [FilterOIHW] by default.
	FilterLayout Conv2dFilterOperandLayout
	// Bias is added to each output channel: shape [output channels]. Absent, it is 0.
	Bias *Operand
}

// ConvTranspose2dOptions is MLConvTranspose2dOptions, for [GraphBuilder.ConvTranspose2d].
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-convtranspose2d.
type ConvTranspose2dOptions struct {
	// Label names the operator in error messages. Empty by default.
	Label string
	// Padding has the elements that are cut off the result before and after the height and before and after the width,
	// in this order. [0, 0, 0, 0] by default.
	Padding []int
	// Strides has the steps of the filter in the result along height and width, at least 1. [1, 1] by default.
	Strides []int
	// Dilations has the distances between filter elements along height and width, at least 1. [1, 1] by default.
	Dilations []int
	// OutputPadding enlarges height and width of the result, each by less than its stride. [0, 0] by default.
	OutputPadding []int
	// OutputSizes gives height and width of the result instead of OutputPadding. Absent, they are computed.
	OutputSizes []int
	// Groups is into how many groups the channels are divided; it divides the number of input channels. 1 by default.
	Groups *int
	// InputLayout is the order of the dimensions of input and result. [LayoutNCHW] by default.
	InputLayout InputOperandLayout
	// FilterLayout is the order of the dimensions of the filter. [TransposeFilterIOHW] by default.
	FilterLayout ConvTranspose2dFilterOperandLayout
	// Bias is added to each output channel: shape [output channels]. Absent, it is 0.
	Bias *Operand
}

// CumulativeSumOptions is MLCumulativeSumOptions, for [GraphBuilder.CumulativeSum].
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-cumulativesum.
type CumulativeSumOptions struct {
	// Label names the operator in error messages. Empty by default.
	Label string
	// Exclusive leaves the element itself out of its sum, so that the first sum is 0. False by default.
	Exclusive bool
	// Reversed sums from the end of the dimension. False by default.
	Reversed bool
}

// EluOptions is MLEluOptions, for [GraphBuilder.Elu].
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-elu.
type EluOptions struct {
	// Label names the operator in error messages. Empty by default.
	Label string
	// Alpha multiplies the exponential part. 1 by default.
	Alpha *float64
}

// GatherOptions is MLGatherOptions, for [GraphBuilder.Gather] and [GraphBuilder.GatherElements].
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gather.
type GatherOptions struct {
	// Label names the operator in error messages. Empty by default.
	Label string
	// Axis is the dimension that is indexed, from 0 to the input's rank - 1. 0 by default.
	Axis int
}

// GemmOptions is MLGemmOptions, for [GraphBuilder.Gemm].
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gemm.
type GemmOptions struct {
	// Label names the operator in error messages. Empty by default.
	Label string
	// C is added to the product: a scalar, or a shape that broadcasts to the result's. Absent, it is 0.
	C *Operand
	// Alpha multiplies the product. 1 by default.
	Alpha *float64
	// Beta multiplies C. 1 by default.
	Beta *float64
	// ATranspose transposes a first. False by default.
	ATranspose bool
	// BTranspose transposes b first. False by default.
	BTranspose bool
}

// GruOptions is MLGruOptions, for [GraphBuilder.Gru]. d is 2 for [DirectionBoth] and else 1.
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gru.
type GruOptions struct {
	// Label names the operator in error messages. Empty by default.
	Label string
	// Bias is the bias of the input: shape [d, 3·hiddenSize]. Absent, it is 0.
	Bias *Operand
	// RecurrentBias is the bias of the hidden state: shape [d, 3·hiddenSize]. Absent, it is 0.
	RecurrentBias *Operand
	// InitialHiddenState is the state before the first step: shape [d, batch, hiddenSize]. Absent, it is 0.
	InitialHiddenState *Operand
	// ResetAfter applies the reset gate after the matrix product, and not before it. True by default.
	ResetAfter *bool
	// ReturnSequence adds the outputs of all steps to the results. False by default.
	ReturnSequence bool
	// Direction is how the steps are taken. [DirectionForward] by default.
	Direction RecurrentNetworkDirection
	// Layout is the order of the gates in weights and biases. [GruZRN] by default.
	Layout GruWeightLayout
	// Activations has two functions: that of the update and reset gates, and that of the new gate.
	// [ActivationSigmoid] and [ActivationTanh] by default.
	Activations []RecurrentNetworkActivation
}

// GruCellOptions is MLGruCellOptions, for [GraphBuilder.GruCell].
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-grucell.
type GruCellOptions struct {
	// Label names the operator in error messages. Empty by default.
	Label string
	// Bias is the bias of the input: shape [3·hiddenSize]. Absent, it is 0.
	Bias *Operand
	// RecurrentBias is the bias of the hidden state: shape [3·hiddenSize]. Absent, it is 0.
	RecurrentBias *Operand
	// ResetAfter applies the reset gate after the matrix product, and not before it. True by default.
	ResetAfter *bool
	// Layout is the order of the gates in weights and biases. [GruZRN] by default.
	Layout GruWeightLayout
	// Activations has two functions: that of the update and reset gates, and that of the new gate.
	// [ActivationSigmoid] and [ActivationTanh] by default.
	Activations []RecurrentNetworkActivation
}

// HardSigmoidOptions is MLHardSigmoidOptions, for [GraphBuilder.HardSigmoid].
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-hard-sigmoid.
type HardSigmoidOptions struct {
	// Label names the operator in error messages. Empty by default.
	Label string
	// Alpha is the slope. 0.2 by default.
	Alpha *float64
	// Beta is the value at 0. 0.5 by default.
	Beta *float64
}

// InstanceNormalizationOptions is MLInstanceNormalizationOptions, for [GraphBuilder.InstanceNormalization].
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-instancenorm.
type InstanceNormalizationOptions struct {
	// Label names the operator in error messages. Empty by default.
	Label string
	// Scale multiplies each channel: shape [channels]. Absent, it is 1.
	Scale *Operand
	// Bias is added to each channel: shape [channels]. Absent, it is 0.
	Bias *Operand
	// Epsilon is added to the variance, so that the divisor is not zero. 1e-5 by default.
	Epsilon *float64
	// Layout is the order of the dimensions of input and result. [LayoutNCHW] by default.
	Layout InputOperandLayout
}

// LayerNormalizationOptions is MLLayerNormalizationOptions, for [GraphBuilder.LayerNormalization].
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-layernorm.
type LayerNormalizationOptions struct {
	// Label names the operator in error messages. Empty by default.
	Label string
	// Scale multiplies the elements; its shape is the input's extents along Axes. Absent, it is 1.
	Scale *Operand
	// Bias is added to the elements; its shape is the input's extents along Axes. Absent, it is 0.
	Bias *Operand
	// Axes are the different dimensions over which mean and variance are taken, each from 0 to the input's rank - 1.
	// Absent (nil), all but the first; empty, none.
	Axes []int
	// Epsilon is added to the variance, so that the divisor is not zero. 1e-5 by default.
	Epsilon *float64
}

// LeakyReluOptions is MLLeakyReluOptions, for [GraphBuilder.LeakyRelu].
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-leakyrelu.
type LeakyReluOptions struct {
	// Label names the operator in error messages. Empty by default.
	Label string
	// Alpha is the slope below 0. 0.01 by default.
	Alpha *float64
}

// LinearOptions is MLLinearOptions, for [GraphBuilder.Linear].
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-linear.
type LinearOptions struct {
	// Label names the operator in error messages. Empty by default.
	Label string
	// Alpha is the slope. 1 by default.
	Alpha *float64
	// Beta is the value at 0. 0 by default.
	Beta float64
}

// LstmOptions is MLLstmOptions, for [GraphBuilder.Lstm]. d is 2 for [DirectionBoth] and else 1.
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-lstm.
type LstmOptions struct {
	// Label names the operator in error messages. Empty by default.
	Label string
	// Bias is the bias of the input: shape [d, 4·hiddenSize]. Absent, it is 0.
	Bias *Operand
	// RecurrentBias is the bias of the hidden state: shape [d, 4·hiddenSize]. Absent, it is 0.
	RecurrentBias *Operand
	// PeepholeWeight multiplies the cell state in the input, output and forget gates, in this order whatever Layout is:
	// shape [d, 3·hiddenSize]. Absent, it is 0.
	PeepholeWeight *Operand
	// InitialHiddenState is the hidden state before the first step: shape [d, batch, hiddenSize]. Absent, it is 0.
	InitialHiddenState *Operand
	// InitialCellState is the cell state before the first step: shape [d, batch, hiddenSize]. Absent, it is 0.
	InitialCellState *Operand
	// ReturnSequence adds the outputs of all steps to the results. False by default.
	ReturnSequence bool
	// Direction is how the steps are taken. [DirectionForward] by default.
	Direction RecurrentNetworkDirection
	// Layout is the order of the gates in weights and biases. [LstmIOFG] by default.
	Layout LstmWeightLayout
	// Activations has three functions: that of the input, forget and output gates, that of the cell gate, and that which
	// the cell state passes on its way out. [ActivationSigmoid], [ActivationTanh] and [ActivationTanh] by default.
	Activations []RecurrentNetworkActivation
}

// LstmCellOptions is MLLstmCellOptions, for [GraphBuilder.LstmCell].
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-lstmcell.
type LstmCellOptions struct {
	// Label names the operator in error messages. Empty by default.
	Label string
	// Bias is the bias of the input: shape [4·hiddenSize]. Absent, it is 0.
	Bias *Operand
	// RecurrentBias is the bias of the hidden state: shape [4·hiddenSize]. Absent, it is 0.
	RecurrentBias *Operand
	// PeepholeWeight multiplies the cell state in the input, output and forget gates, in this order whatever Layout is:
	// shape [3·hiddenSize]. Absent, it is 0.
	PeepholeWeight *Operand
	// Layout is the order of the gates in weights and biases. [LstmIOFG] by default.
	Layout LstmWeightLayout
	// Activations has three functions: that of the input, forget and output gates, that of the cell gate, and that which
	// the cell state passes on its way out. [ActivationSigmoid], [ActivationTanh] and [ActivationTanh] by default.
	Activations []RecurrentNetworkActivation
}

// PadOptions is MLPadOptions, for [GraphBuilder.Pad].
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-pad.
type PadOptions struct {
	// Label names the operator in error messages. Empty by default.
	Label string
	// Mode is what is put around the input. [PadConstant] by default.
	Mode PaddingMode
	// Value is what [PadConstant] puts there, cast to the type of the input. Absent, it is 0.
	Value Number
}

// Pool2dOptions is MLPool2dOptions, for [GraphBuilder.AveragePool2d], [GraphBuilder.L2Pool2d] and [GraphBuilder.MaxPool2d].
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-pool2d.
type Pool2dOptions struct {
	// Label names the operator in error messages. Empty by default.
	Label string
	// WindowDimensions has the height and width of the window, at least 1. The height and width of the input by default.
	WindowDimensions []int
	// Padding has the elements of padding before and after the height and before and after the width, in this order.
	// Padding takes no part in the result. [0, 0, 0, 0] by default.
	Padding []int
	// Strides has the steps of the window along height and width, at least 1. [1, 1] by default.
	Strides []int
	// Dilations has the distances between elements of the window along height and width, at least 1. [1, 1] by default.
	Dilations []int
	// Layout is the order of the dimensions of input and result. [LayoutNCHW] by default.
	Layout InputOperandLayout
	// OutputShapeRounding says whether a last window that is not complete counts. [RoundingFloor], no, by default.
	OutputShapeRounding RoundingType
	// OutputSizes gives height and width of the result instead of OutputShapeRounding: both rounded down or both rounded
	// up. Absent, they are computed.
	OutputSizes []int
}

// ReduceOptions is MLReduceOptions, for the reductions such as [GraphBuilder.ReduceSum].
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-reduce.
type ReduceOptions struct {
	// Label names the operator in error messages. Empty by default.
	Label string
	// Axes are the different dimensions that are reduced, each from 0 to the input's rank - 1. Absent (nil), all; empty,
	// none, and then the function is applied to each element by itself.
	Axes []int
	// KeepDimensions keeps the reduced dimensions, with extent 1. False by default.
	KeepDimensions bool
}

// Resample2dOptions is MLResample2dOptions, for [GraphBuilder.Resample2d].
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-resample2d-method.
type Resample2dOptions struct {
	// Label names the operator in error messages. Empty by default.
	Label string
	// Mode is how values between elements are found. [InterpolationNearestNeighbor] by default.
	Mode InterpolationMode
	// Scales has the factors, greater than 0, by which the two dimensions of Axes grow; the extents of the result are
	// rounded down. [1, 1] by default.
	Scales []float64
	// Sizes has the extents of the result along the two dimensions of Axes, at least 1. If given, Scales is ignored.
	Sizes []int
	// Axes are the two different dimensions that are resampled, each from 0 to 3. [2, 3] by default.
	Axes []int
}

// ReverseOptions is MLReverseOptions, for [GraphBuilder.Reverse].
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-reverse-method.
type ReverseOptions struct {
	// Label names the operator in error messages. Empty by default.
	Label string
	// Axes are the different dimensions that are reversed, each from 0 to the input's rank - 1. Absent (nil), all; empty,
	// none.
	Axes []int
}

// ScatterOptions is MLScatterOptions, for [GraphBuilder.ScatterElements].
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-scatterelements.
type ScatterOptions struct {
	// Label names the operator in error messages. Empty by default.
	Label string
	// Axis is the dimension that is indexed, from 0 to the input's rank - 1. 0 by default.
	Axis int
}

// SliceOptions is MLSliceOptions, for [GraphBuilder.Slice].
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-slice.
type SliceOptions struct {
	// Label names the operator in error messages. Empty by default.
	Label string
	// Strides has the step along each dimension, at least 1. All 1 by default.
	Strides []int
}

// SplitOptions is MLSplitOptions, for [GraphBuilder.Split] and [GraphBuilder.SplitSizes].
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-split.
type SplitOptions struct {
	// Label names the operator in error messages. Empty by default.
	Label string
	// Axis is the dimension that is divided, from 0 to the input's rank - 1. 0 by default.
	Axis int
}

// TransposeOptions is MLTransposeOptions, for [GraphBuilder.Transpose].
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-transpose.
type TransposeOptions struct {
	// Label names the operator in error messages. Empty by default.
	Label string
	// Permutation has, for each dimension of the result, the dimension of the input that it is. Absent (nil), all
	// dimensions in reverse order.
	Permutation []int
}

// TriangularOptions is MLTriangularOptions, for [GraphBuilder.Triangular].
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-triangular.
type TriangularOptions struct {
	// Label names the operator in error messages. Empty by default.
	Label string
	// Upper keeps the upper part, and otherwise the lower one. True by default.
	Upper *bool
	// Diagonal is the diagonal at which the part ends, from -2147483648 to 2147483647: 0 the main one, positive ones
	// above it. 0 by default.
	Diagonal int
}
