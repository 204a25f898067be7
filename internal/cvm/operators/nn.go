package operators

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/tensor"
)

// Layers of networks.
var nnOperators = []*Operator{
	conv2dOperator,
	denseOperator,
	inPlace(unary("relu", "The element, but 0 if it is negative (NN Operators, relu).", same, firstPrecision, "nn.relu")),
	maxPoolOperator,
	upsamplingOperator,
}

// The rules of sums of products in words.
const (
	productPrecision = "those of data and weight + the bits of the number of products in each sum; " +
		"with a bias 1 more than the greater of that and the bias's"
	productGas = "3 × the number of products in each sum, + 1 with a bias"
)

var conv2dOperator = &Operator{
	Name:     "conv2d",
	Doc:      "The convolution of images with a kernel, in groups (NN Operators, conv2d).",
	Operands: []string{"data", "weight", "bias"},
	Attrs: []Attr{
		{Name: "channels", Kind: Int, Doc: "the channels of the output"},
		{Name: "kernel_size", Kind: Tuple, Doc: "height and width of the kernel"},
		{Name: "strides", Kind: Tuple, Default: []int{1, 1}, Doc: "steps of the kernel, 1…4096; `stride` in the text"},
		{Name: "padding", Kind: Tuple, Default: []int{0, 0}, Doc: "zeros on either side, 0…4096"},
		{Name: "dilation", Kind: Tuple, Default: []int{1, 1}, Doc: "distances of the kernel's elements, 1…4096"},
		{Name: "groups", Kind: Int, Default: 1, Doc: "how many groups the channels form; divides those of data and output"},
		{Name: "layout", Kind: String, Default: "NCHW", Doc: "NCHW"},
		{Name: "kernel_layout", Kind: String, Default: "OIHW", Doc: "OIHW"},
		{Name: "out_layout", Kind: String, Default: undefined, Doc: "NCHW, or undefined"},
		{Name: "out_dtype", Kind: Enum, Enum: append([]string{"same"}, dtypes...), Default: "same", Doc: "same or int32"},
		{Name: "use_bias", Kind: Bool, Default: true, Doc: "whether there is a bias"},
	},
	Outputs:    1,
	Inputs:     withBias,
	Shapes:     conv2dShape,
	Precision:  productPrecision,
	Precisions: conv2dPrecision,
	Gas:        productGas,
	Base:       func(c *Call) int64 { return 3*int64(kernelElements(c)) + biasGas(c) },
}

var denseOperator = &Operator{
	Name:     "dense",
	Doc:      "The product of a matrix and a transposed one (NN Operators, dense).",
	Operands: []string{"data", "weight", "bias"},
	Attrs: []Attr{
		{Name: "units", Kind: Int, Min: 1, Max: math.MaxInt32, Doc: "the columns of the output"},
		{Name: "use_bias", Kind: Bool, Default: true, Doc: "whether there is a bias"},
	},
	Outputs:    1,
	Inputs:     withBias,
	Shapes:     denseShape,
	Precision:  productPrecision,
	Precisions: densePrecision,
	Gas:        productGas,
	Base:       func(c *Call) int64 { return 3*int64(c.In[1].Shape[1]) + biasGas(c) },
}

var maxPoolOperator = &Operator{
	Name:     "max_pool2d",
	Doc:      "The maximum in windows of images (NN Operators, max_pool2d).",
	Operands: []string{"data"},
	Attrs: []Attr{
		{Name: "pool_size", Kind: Tuple, Doc: "height and width of the window; greater than the padding and within the padded image"},
		{Name: "strides", Kind: Tuple, Default: []int{1, 1}, Doc: "steps of the window, 1…4096"},
		{Name: "padding", Kind: Tuple, Default: []int{0, 0}, Doc: "rows and columns on either side, 0…4096, or one number for both"},
		{Name: "layout", Kind: String, Default: "NCHW", Doc: "NCHW"},
		{Name: "ceil_mode", Kind: Bool, Default: false, Doc: "whether the size of the output is rounded up"},
	},
	Outputs:    1,
	Inputs:     inputs(1),
	Shapes:     maxPoolShape,
	Precision:  same,
	Precisions: one(firstPrecision),
	Gas:        "the number of elements in the window",
	Base: func(c *Call) int64 {
		size := c.Attrs.Tuple("pool_size")
		return int64(size[0]) * int64(size[1])
	},
}

var upsamplingOperator = &Operator{
	Name:     "upsampling",
	Doc:      "Each element of images, repeated in both directions (NN Operators, upsampling).",
	Operands: []string{"data"},
	Attrs: []Attr{
		{Name: "scale", Kind: Int, Doc: "how often, 1…4096"},
		{Name: "layout", Kind: String, Default: "NCHW", Doc: "NCHW"},
		{Name: "method", Kind: String, Default: "NEAREST_NEIGHBOR", Doc: "NEAREST_NEIGHBOR"},
	},
	Outputs:    1,
	Inputs:     inputs(1),
	Shapes:     upsamplingShape,
	Precision:  same,
	Precisions: one(firstPrecision),
}

// dtypes are the data types that the original enumerates.
var dtypes = []string{"float16", "float32", "float64", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"}

// withBias returns the number of operands of operators that may have a bias.
func withBias(v Values) int {
	if v.Bool("use_bias") {
		return 3
	}
	return 2
}

func biasGas(c *Call) int64 { return int64(len(c.In) - 2) }

// kernelElements returns how many products conv2d sums up for an element.
func kernelElements(c *Call) int {
	weight := c.In[1].Shape
	return weight.Len() / weight[0]
}

// conv2dShape checks in the order of the original, as the class of an error depends on which comes first. It also compares the weight's
// shape with the attributes, which the original does not; a weight that is not 4-D is left to the rule of precisions.
func conv2dShape(c *Call) ([]tensor.Shape, error) {
	data, weight := c.In[0].Shape, c.In[1].Shape
	if err := cmp.Or(c.must("layout", "NCHW"), c.must("kernel_layout", "OIHW"), c.outLayout(), c.rank(0, 4),
		c.tuple("kernel_size", 2, math.MinInt, math.MaxInt), c.tuple("padding", 2, 0, MaxAttr),
		c.tuple("strides", 2, 1, MaxAttr), c.tuple("dilation", 2, 1, MaxAttr)); err != nil {
		return nil, err
	}
	channels, groups, kernel := c.Attrs.Int("channels"), c.Attrs.Int("groups"), c.Attrs.Tuple("kernel_size")
	if groups <= 0 || data[1]%groups != 0 || channels%groups != 0 {
		return nil, refuse("groups", fmt.Sprintf("a divisor of the %d channels of data and the %d of the output", data[1], channels),
			"the value is %d", groups)
	}
	// A bias agrees with 0 channels, which stand for any number; the weight then does not.
	if len(c.In) == 3 && (c.In[2].Shape.Rank() != 1 || c.In[2].Shape[0] != channels && channels != 0) {
		return nil, c.conflict(2, tensor.Shape{channels})
	}
	if err := items("kernel_size", kernel, 1, MaxExtent); err != nil {
		return nil, err
	}
	out := tensor.Shape{data[0], channels, 0, 0}
	for i := range 2 {
		pad, dilation, stride := c.Attrs.Tuple("padding")[i], c.Attrs.Tuple("dilation")[i], c.Attrs.Tuple("strides")[i]
		free := int64(data[2+i]+2*pad) - dilated(kernel[i], dilation)
		if free < 0 {
			return nil, refuse("kernel_size", "a dilated kernel within the padded data",
				"the kernel is %d too large in dimension %d", -free, 2+i)
		}
		out[2+i] = int(free)/stride + 1
	}
	if err := checkShape("output", out); err != nil {
		return nil, err
	}
	if want := (tensor.Shape{channels, data[1] / groups, kernel[0], kernel[1]}); weight.Rank() == 4 && !weight.Equal(want) {
		return nil, refuse(c.operand(1), fmt.Sprintf("%v by channels, groups and kernel_size", want), "the shape is %v", weight)
	}
	return []tensor.Shape{out}, c.outType()
}

// dilated returns the extent of a dilated kernel.
func dilated(size, dilation int) int64 { return 1 + int64(size-1)*int64(dilation) }

// outType checks the type of conv2d's output.
func (c *Call) outType() error {
	if c.Attrs["out_dtype"] == "same" {
		return nil
	}
	return c.must("out_dtype", "int32")
}

func conv2dPrecision(c *Call) ([]int, error) {
	if err := cmp.Or(narrow(c), weight4D(c)); err != nil {
		return nil, err
	}
	return []int{sumOfProducts(c, kernelElements(c))}, nil
}

func weight4D(c *Call) error {
	if n := c.In[1].Shape.Rank(); n != 4 {
		return refuseAt(fault.Precision, c.operand(1), "4", "the number of dimensions is %d", n)
	}
	return nil
}

func densePrecision(c *Call) ([]int, error) {
	if err := narrow(c); err != nil {
		return nil, err
	}
	return []int{sumOfProducts(c, c.In[0].Shape[1])}, nil
}

// narrow checks the precisions of data and weight.
func narrow(c *Call) error {
	for i := range 2 {
		if p := c.In[i].Precision; p > MaxFactor {
			return refuseAt(fault.Precision, c.operand(i), fmt.Sprintf("at most %d", MaxFactor), "the precision is %d", p)
		}
	}
	return nil
}

// sumOfProducts returns the precision of a sum of n products and a bias, if there is one.
func sumOfProducts(c *Call, n int) int {
	p := c.In[0].Precision + c.In[1].Precision + bits.Len(uint(n))
	if len(c.In) == 3 {
		p = max(p, c.In[2].Precision) + 1
	}
	return p
}

func denseShape(c *Call) ([]tensor.Shape, error) {
	if err := cmp.Or(c.rank(0, 2), c.rank(1, 2)); err != nil {
		return nil, err
	}
	data, units := c.In[0].Shape, c.Attrs.Int("units")
	if want := (tensor.Shape{units, data[1]}); !c.In[1].Shape.Equal(want) {
		return nil, c.conflict(1, want)
	}
	if want := (tensor.Shape{units}); len(c.In) == 3 && !c.In[2].Shape.Equal(want) {
		return nil, c.conflict(2, want)
	}
	return []tensor.Shape{{data[0], units}}, nil
}

func maxPoolShape(c *Call) ([]tensor.Shape, error) {
	if err := cmp.Or(c.rank(0, 4), c.must("layout", "NCHW"), c.poolPadding(),
		c.tuple("pool_size", 2, math.MinInt, math.MaxInt), c.tuple("strides", 2, 1, MaxAttr)); err != nil {
		return nil, err
	}
	data, size, strides := c.In[0].Shape, c.Attrs.Tuple("pool_size"), c.Attrs.Tuple("strides")
	out := data.Clone()
	for i, pad := range pair(c.Attrs.Tuple("padding")) {
		n, stride := data[2+i], strides[i]
		if err := within(fault.Shape, "pool_size", size[i], pad+1, n+2*pad); err != nil {
			return nil, err
		}
		free := n + 2*pad - size[i]
		if c.Attrs.Bool("ceil_mode") {
			free += stride - 1
		}
		out[2+i] = free/stride + 1
		if last := (out[2+i]-1)*stride - pad; last >= n {
			return nil, refuse("ceil_mode", "windows that begin within the data", "the last window begins at %d of %d in dimension %d", last, n, 2+i)
		}
	}
	return []tensor.Shape{out}, nil
}

func (c *Call) poolPadding() error {
	padding := c.Attrs.Tuple("padding")
	if len(padding) != 1 && len(padding) != 2 {
		return refuse("padding", "1 or 2", "the number of items is %d", len(padding))
	}
	return items("padding", padding, 0, MaxAttr)
}

// pair returns two numbers, of which the tuple may have only one.
func pair(t []int) [2]int { return [2]int{t[0], t[len(t)-1]} }

func upsamplingShape(c *Call) ([]tensor.Shape, error) {
	scale := c.Attrs.Int("scale")
	if err := cmp.Or(c.rank(0, 4), c.must("method", "NEAREST_NEIGHBOR"), within(fault.Shape, "scale", scale, 1, MaxAttr),
		c.must("layout", "NCHW")); err != nil {
		return nil, err
	}
	out := c.In[0].Shape.Clone()
	out[2], out[3] = times(out[2], scale), times(out[3], scale)
	return []tensor.Shape{out}, nil
}

// Window is how conv2d and max_pool2d move over the height and the width of their data, in this order.
type Window struct {
	Size, Stride, Dilation [2]int
	Before                 [2]int // rows and columns of padding in front of the data
	After                  [2]int // and behind it, so many that the last window fits, whichever way the size of the output is rounded
	Groups                 int    // 1 for max_pool2d
}

// Window returns the window of conv2d or max_pool2d. With it the size of the output is ⌊(n + Before + After - d) / Stride⌋ + 1 for
// a dilated window d, with ceil_mode, too. It may be called once Out is set.
func (c *Call) Window() Window {
	size, dilation, groups := "pool_size", []int{1, 1}, 1
	if _, ok := c.Attrs["kernel_size"]; ok { // else there are neither dilations nor groups
		size, dilation, groups = "kernel_size", c.Attrs.Tuple("dilation"), c.Attrs.Int("groups")
	}
	w := Window{
		Size:     pair(c.Attrs.Tuple(size)),
		Stride:   pair(c.Attrs.Tuple("strides")),
		Dilation: pair(dilation),
		Before:   pair(c.Attrs.Tuple("padding")),
		Groups:   groups,
	}
	for i := range 2 {
		reach := (c.Out[0][2+i]-1)*w.Stride[i] + int(dilated(w.Size[i], w.Dilation[i]))
		w.After[i] = max(w.Before[i], reach-c.In[0].Shape[2+i]-w.Before[i])
	}
	return w
}
