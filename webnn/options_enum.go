package webnn

// The enumerations of the standard that options take. The empty string stands for the default of the option.

// InputOperandLayout is MLInputOperandLayout: the order of the dimensions of a picture or feature map.
// See https://www.w3.org/TR/webnn/#api-mloperanddescriptor.
type InputOperandLayout string

// The values of MLInputOperandLayout.
const (
	LayoutNCHW InputOperandLayout = "nchw" // batch, channels, height, width
	LayoutNHWC InputOperandLayout = "nhwc" // batch, height, width, channels
)

// Conv2dFilterOperandLayout is MLConv2dFilterOperandLayout: the order of the dimensions of a filter. O stands for output
// channels, I for input channels of a group, H for height, W for width.
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-conv2d.
type Conv2dFilterOperandLayout string

// The values of MLConv2dFilterOperandLayout.
const (
	FilterOIHW Conv2dFilterOperandLayout = "oihw"
	FilterHWIO Conv2dFilterOperandLayout = "hwio"
	FilterOHWI Conv2dFilterOperandLayout = "ohwi"
	FilterIHWO Conv2dFilterOperandLayout = "ihwo"
)

// ConvTranspose2dFilterOperandLayout is MLConvTranspose2dFilterOperandLayout: the order of the dimensions of the filter
// of a transposed convolution. I stands for input channels, O for output channels of a group, H for height, W for width.
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-convtranspose2d.
type ConvTranspose2dFilterOperandLayout string

// The values of MLConvTranspose2dFilterOperandLayout.
const (
	TransposeFilterIOHW ConvTranspose2dFilterOperandLayout = "iohw"
	TransposeFilterHWOI ConvTranspose2dFilterOperandLayout = "hwoi"
	TransposeFilterOHWI ConvTranspose2dFilterOperandLayout = "ohwi"
)

// GruWeightLayout is MLGruWeightLayout: the order of the gates in the weights and biases of a GRU.
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gru.
type GruWeightLayout string

// The values of MLGruWeightLayout.
const (
	GruZRN GruWeightLayout = "zrn" // update, reset, new
	GruRZN GruWeightLayout = "rzn" // reset, update, new
)

// LstmWeightLayout is MLLstmWeightLayout: the order of the gates in the weights and biases of an LSTM.
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-lstm.
type LstmWeightLayout string

// The values of MLLstmWeightLayout.
const (
	LstmIOFG LstmWeightLayout = "iofg" // input, output, forget, cell
	LstmIFGO LstmWeightLayout = "ifgo" // input, forget, cell, output
)

// RecurrentNetworkActivation is MLRecurrentNetworkActivation: a function that a gate of a recurrent network applies.
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gru.
type RecurrentNetworkActivation string

// The values of MLRecurrentNetworkActivation.
const (
	ActivationRelu    RecurrentNetworkActivation = "relu"
	ActivationSigmoid RecurrentNetworkActivation = "sigmoid"
	ActivationTanh    RecurrentNetworkActivation = "tanh"
)

// RecurrentNetworkDirection is MLRecurrentNetworkDirection: in which order a recurrent network takes its steps.
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gru.
type RecurrentNetworkDirection string

// The values of MLRecurrentNetworkDirection.
const (
	DirectionForward  RecurrentNetworkDirection = "forward"  // from the first step to the last
	DirectionBackward RecurrentNetworkDirection = "backward" // from the last step to the first
	DirectionBoth     RecurrentNetworkDirection = "both"     // both ways, with weights for each
)

// PaddingMode is MLPaddingMode: what is put around a tensor.
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-pad.
type PaddingMode string

// The values of MLPaddingMode.
const (
	PadConstant   PaddingMode = "constant"   // a value
	PadEdge       PaddingMode = "edge"       // the element at the edge
	PadReflection PaddingMode = "reflection" // the mirrored elements, without the one at the edge
)

// RoundingType is MLRoundingType: how the extent of a pooled result is rounded.
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-pool2d.
type RoundingType string

// The values of MLRoundingType.
const (
	RoundingFloor RoundingType = "floor" // complete windows only
	RoundingCeil  RoundingType = "ceil"  // a last window that is not complete, too
)

// InterpolationMode is MLInterpolationMode: how a value between elements is found.
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-resample2d-method.
type InterpolationMode string

// The values of MLInterpolationMode.
const (
	InterpolationNearestNeighbor InterpolationMode = "nearest-neighbor"
	InterpolationLinear          InterpolationMode = "linear"
)
