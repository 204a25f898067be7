package openvx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
)

// layers are the built-in kernels. Their parameters are numbered as the standard says, and where it does not say so in the order of the
// node functions, the result last.
var layers = []*layer{
	newLayer("org.khronos.nn_extension.convolution_layer", KernelConvolutionLayer, inferConvolution, lowerConvolution,
		tensorIn("inputs"), static(tensorIn("weights")), static(tensorOptional("biases")),
		scalarIn("convolution_params", TypeNNConvolutionParams), tensorOut("outputs")),
	newLayer("org.khronos.nn_extension.deconvolution_layer", KernelDeconvolutionLayer, inferDeconvolution, lowerDeconvolution,
		tensorIn("inputs"), static(tensorIn("weights")), static(tensorOptional("biases")),
		scalarIn("deconvolution_params", TypeNNDeconvolutionParams), tensorOut("outputs")),
	newLayer("org.khronos.nn_extension.fully_connected_layer", KernelFullyConnectedLayer, inferFullyConnected, lowerFullyConnected,
		tensorIn("inputs"), static(tensorIn("weights")), static(tensorOptional("biases")),
		scalarIn("overflow_policy", TypeEnum), scalarIn("rounding_policy", TypeEnum), tensorOut("outputs")),
	newLayer("org.khronos.nn_extension.pooling_layer", KernelPoolingLayer, inferPooling, lowerPooling,
		tensorIn("inputs"), scalarIn("pooling_type", TypeEnum), scalarIn("pooling_size_x", TypeSize), scalarIn("pooling_size_y", TypeSize),
		scalarIn("pooling_padding_x", TypeSize), scalarIn("pooling_padding_y", TypeSize), scalarIn("rounding", TypeEnum), tensorOut("outputs")),
	newLayer("org.khronos.nn_extension.softmax_layer", KernelSoftmaxLayer, inferSoftmax, lowerSoftmax,
		tensorIn("inputs"), tensorOut("outputs")),
	// Of OpenVX 1.2; 1.3 replaced it by the following one, which has a bias.
	newLayer("org.khronos.nn_extension.normalization_layer", KernelNormalizationLayer, inferNormalization, lowerNormalization,
		tensorIn("inputs"), scalarIn("type", TypeEnum), scalarIn("normalization_size", TypeSize), scalarIn("alpha", TypeFloat32),
		scalarIn("beta", TypeFloat32), tensorOut("outputs")),
	newLayer("org.khronos.nn_extension.local_response_normalization_layer", KernelLocalResponseNormalizationLayer,
		inferNormalization, lowerNormalization,
		tensorIn("inputs"), scalarIn("type", TypeEnum), scalarIn("normalization_size", TypeSize), scalarIn("alpha", TypeFloat32),
		scalarIn("beta", TypeFloat32), scalarIn("bias", TypeFloat32), tensorOut("outputs")),
	newLayer("org.khronos.nn_extension.activation_layer", KernelActivationLayer, inferActivation, lowerActivation,
		tensorIn("inputs"), scalarIn("function", TypeEnum), scalarIn("a", TypeFloat32), scalarIn("b", TypeFloat32), tensorOut("outputs")),
	newLayer("org.khronos.nn_extension.roi_pooling_layer", KernelROIPoolingLayer, inferROIPooling, lowerROIPooling,
		tensorIn("input_data"), tensorIn("input_rois"), scalarIn("roi_pool_params", TypeNNROIPoolParams), tensorOut("output_arr")),

	newLayer("org.khronos.openvx.tensor_multiply", KernelTensorMultiply, inferMultiply, lowerMultiply,
		tensorIn("input1"), tensorIn("input2"), objectIn("scale", TypeFloat32), scalarIn("overflow_policy", TypeEnum),
		scalarIn("rounding_policy", TypeEnum), tensorOut("output")),
	newLayer("org.khronos.openvx.tensor_add", KernelTensorAdd, inferAddition, lowerAddition("add"),
		tensorIn("input1"), tensorIn("input2"), scalarIn("policy", TypeEnum), tensorOut("output")),
	newLayer("org.khronos.openvx.tensor_subtract", KernelTensorSubtract, inferAddition, lowerAddition("sub"),
		tensorIn("input1"), tensorIn("input2"), scalarIn("policy", TypeEnum), tensorOut("output")),
	newLayer("org.khronos.openvx.tensor_table_lookup", KernelTensorTableLookup, inferTableLookup, lowerTableLookup,
		tensorIn("input1"), param{name: "lut", dir: Input, kind: TypeLUT, state: ParameterStateRequired}, tensorOut("output")),
	newLayer("org.khronos.openvx.tensor_transpose", KernelTensorTranspose, inferTranspose, lowerTranspose,
		tensorIn("input"), scalarIn("dimension1", TypeSize), scalarIn("dimension2", TypeSize), tensorOut("output")),
	newLayer("org.khronos.openvx.tensor_convert_depth", KernelTensorConvertDepth, inferConvertDepth, lowerConvertDepth,
		tensorIn("input"), scalarIn("policy", TypeEnum), objectIn("norm", TypeFloat32), objectIn("offset", TypeFloat32), tensorOut("output")),
	newLayer("org.khronos.openvx.tensor_matrix_multiply", KernelTensorMatrixMultiply, inferMatrixMultiply, lowerMatrixMultiply,
		tensorIn("input1"), tensorIn("input2"), tensorOptional("input3"),
		scalarIn("matrix_multiply_params", TypeTensorMatrixMultiplyParams), tensorOut("output")),

	// This one can be found, as the standard's base feature set asks, and named in a graph, but not run: there are no images to run it on.
	newLayer("org.khronos.openvx.color_convert", KernelColorConvert,
		func(*call) error {
			return failed(ErrorNotImplemented, "color_convert computes with images, which are not in the neural-network feature set")
		}, nil,
		param{name: "input", dir: Input, kind: TypeImage, state: ParameterStateRequired},
		param{name: "output", dir: Output, kind: TypeImage, state: ParameterStateRequired}),
}

// newLayer makes a row of the table.
func newLayer(name string, id KernelID, infer func(*call) error, lower func(*lowering) *graph.Value, params ...param) *layer {
	return &layer{name: name, id: id, params: params, infer: infer, lower: lower}
}

func tensorIn(name string) param {
	return param{name: name, dir: Input, kind: TypeTensor, state: ParameterStateRequired}
}

// static says that the standard calls a parameter [static].
func static(p param) param {
	p.static = true
	return p
}

func tensorOptional(name string) param {
	return param{name: name, dir: Input, kind: TypeTensor, state: ParameterStateOptional}
}

func tensorOut(name string) param {
	return param{name: name, dir: Output, kind: TypeTensor, state: ParameterStateRequired}
}

// scalarIn is an argument of C's node function, and objectIn a scalar of its caller.
func scalarIn(name string, value Type) param {
	p := objectIn(name, value)
	p.fixed = true
	return p
}

func objectIn(name string, value Type) param {
	return param{name: name, dir: Input, kind: TypeScalar, value: value, state: ParameterStateRequired}
}

// wrong makes an error about an operand, which begins with its name and its index.
func (c *call) wrong(i int, s Status, format string, args ...any) error {
	return failed(s, "%s (parameter %d) %s", c.layer.params[i].name, i, fmt.Sprintf(format, args...))
}

// checkFormats checks that tensors have one format, that of the first, and that layers compute with it.
func (c *call) checkFormats(operands ...int) error {
	first := operands[0]
	if err := c.checkFormat(first, TypeUint8, TypeInt8, TypeInt16, TypeFloat32); err != nil {
		return err
	}
	for _, i := range operands[1:] {
		o := &c.operands[i]
		if !o.given {
			continue
		}
		if err := c.checkSame(i, c.operands[first].format, c.layer.params[first].name); err != nil {
			return err
		}
	}
	return nil
}

// checkFormat checks that a tensor has one of the element types, and the fixed point position that belongs to it.
func (c *call) checkFormat(i int, types ...Type) error {
	f := c.operands[i].format
	var wanted []string
	for _, known := range layerFormats {
		if !slices.Contains(types, known.dtype) {
			continue
		}
		if wanted = append(wanted, known.String()); known.dtype != f.dtype {
			continue
		}
		if known.fixed != f.fixed {
			return c.wrong(i, ErrorInvalidFormat, "has fixed point position %d; with %v it must be %d", f.fixed, f.dtype, known.fixed)
		}
		return nil
	}
	return c.wrong(i, ErrorInvalidType, "has elements of %v; it must be one of %s", f, strings.Join(wanted, ", "))
}

// checkSame checks that a tensor has the format of the operand called like.
func (c *call) checkSame(i int, f format, like string) error {
	switch o := &c.operands[i]; {
	case o.dtype != f.dtype:
		return c.wrong(i, ErrorInvalidType, "has elements of %v; it must be %v, as %s", o.format, f, like)
	case o.fixed != f.fixed:
		return c.wrong(i, ErrorInvalidFormat, "has fixed point position %d; it must be %d, as %s", o.fixed, f.fixed, like)
	}
	return nil
}

// checkDims checks the extents of an operand other than the result.
func (c *call) checkDims(i int, want []int, why string) error {
	if got := c.operands[i].dims; !slices.Equal(got, want) {
		return c.wrong(i, ErrorInvalidDimension, "has extents %v; they must be %v, %s", got, want, why)
	}
	return nil
}

// checkRank checks the number of dimensions of an operand.
func (c *call) checkRank(i, least, most int) error {
	n := len(c.operands[i].dims)
	if n >= least && n <= most {
		return nil
	}
	want := fmt.Sprintf("from %d to %d", least, most)
	if least == most {
		want = strconv.Itoa(least)
	}
	return c.wrong(i, ErrorInvalidDimension, "has %d dimensions, %v; there must be %s", n, c.operands[i].dims, want)
}

// complete fills in what the result leaves open and checks the rest.
func (c *call) complete(f format) error {
	o := c.out()
	if o.dtype == TypeInvalid {
		o.dtype, o.fixed = f.dtype, f.fixed
	}
	if err := c.checkSame(c.last(), f, "it follows from the inputs"); err != nil {
		return err
	}
	if len(o.dims) == 0 {
		o.dims = make([]int, len(f.dims))
	}
	dims := slices.Clone(o.dims) // which may be those of a tensor
	if len(dims) != len(f.dims) {
		return c.wrong(c.last(), ErrorInvalidDimension, "has %d dimensions, %v; there must be %d, %v", len(dims), dims, len(f.dims), f.dims)
	}
	for axis, n := range f.dims {
		if dims[axis] == 0 {
			dims[axis] = n
		}
		if dims[axis] != n {
			return c.wrong(c.last(), ErrorInvalidDimension, "has extents %v; they must be %v", dims, f.dims)
		}
	}
	o.dims = dims
	return nil
}

// like returns the format of an operand with other extents.
func (c *call) like(i int, dims ...int) format {
	f := c.operands[i].format
	f.dims = dims
	return f
}

// The policies that a layer's parameter is or has.

func (c *call) checkOverflow(i int, p ConvertPolicy) error {
	return checkEnum(c, i, "overflow policy", p, ConvertPolicyWrap, ConvertPolicySaturate)
}

func (c *call) checkRounding(i int, p RoundPolicy) error {
	return checkEnum(c, i, "rounding policy", p, RoundPolicyToZero, RoundPolicyToNearestEven)
}

func (c *call) checkSizeRounding(i int, p SizeRounding) error {
	return checkEnum(c, i, "rounding of sizes", p, SizeRoundingFloor, SizeRoundingCeiling)
}

// checkEnum checks that a member of an enumeration is among those allowed.
func checkEnum[E comparable](c *call, i int, what string, v E, allowed ...E) error {
	if slices.Contains(allowed, v) {
		return nil
	}
	names := fmt.Sprint(allowed[0])
	for _, a := range allowed[1:] {
		names += fmt.Sprint(" or ", a)
	}
	return c.wrong(i, ErrorInvalidValue, "gives %v as %s; it must be %s", v, what, names)
}

// checkSize checks a number of elements, such as a padding.
func (c *call) checkSize(i int, what string, v, least int) error {
	if v >= least && v <= limits.VXWindow {
		return nil
	}
	return c.wrong(i, ErrorInvalidValue, "gives %d as %s; it must be from %d to %d", v, what, least, limits.VXWindow)
}

// checkReal checks a float32 parameter: least or more, or if above is set more than least, and no NaN.
func (c *call) checkReal(i int, least float32, above bool) error {
	v := argument[float32](c, i)
	switch {
	case v >= least && !(above && v == least):
		return nil
	case above:
		return c.wrong(i, ErrorInvalidValue, "is %g; it must be greater than %g", v, least)
	}
	return c.wrong(i, ErrorInvalidValue, "is %g; it must be at least %g", v, least)
}
