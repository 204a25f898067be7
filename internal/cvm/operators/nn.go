package operators

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/pattern"
	"github.com/concord-nn/concord/tensor"
)

// Layers of networks.
var nnOperators = []*Operator{
	{Name: "conv2d", Shape: func(c *Call) []tensor.Shape {
		// The weight's shape is compared with the attributes, too, which the original does not do; a weight that is not 4-D is left to the rule
		// of precisions.
		data, weight := c.In[0].Shape, c.In[1].Shape
		c.must("layout", "NCHW")
		c.must("kernel_layout", "OIHW")
		if text := c.Attrs.String("out_layout"); text != "__undef__" { // which stands for the layout of the data
			if !isLayout(text) {
				panic(fault.Runtimef(fault.Shape, "%q is no layout", text).With("out_layout", "NCHW"))
			}
			c.must("out_layout", "NCHW")
		}
		c.rank(0, 4)
		kernel := c.pair("kernel_size", math.MinInt, math.MaxInt)
		padding, stride, dilation := c.pair("padding", 0, maxAttr), c.pair("strides", 1, maxAttr), c.pair("dilation", 1, maxAttr)
		channels, groups := c.Attrs.Int("channels"), c.Attrs.Int("groups")
		if groups <= 0 || data[1]%groups != 0 || channels%groups != 0 {
			refuse("groups", fmt.Sprintf("a divisor of the %d channels of data and the %d of the output", data[1], channels), "the value is %d", groups)
		}
		// A bias agrees with 0 channels, which stand for any number; the weight then does not.
		if len(c.In) == 3 && (c.In[2].Shape.Rank() != 1 || channels != 0) {
			c.equal(2, tensor.Shape{channels})
		}
		items("kernel_size", kernel, 1, MaxExtent)
		out := tensor.Shape{data[0], channels, 0, 0}
		w := planar(kernel, stride, dilation, padding)
		for i, n := range data[2:] {
			if room := w.Room(i, n); room < 0 {
				refuse("kernel_size", "a dilated kernel within the padded data", "the kernel is %d too large in dimension %d", -room, 2+i)
			}
			out[2+i] = int(w.Count(i, n, false))
		}
		checkShape("output", out)
		if want := (tensor.Shape{channels, data[1] / groups, kernel[0], kernel[1]}); weight.Rank() == 4 && !weight.Equal(want) {
			refuse(c.operand(1), fmt.Sprintf("%v by channels, groups and kernel_size", want), "the shape is %v", weight)
		}
		if c.Attrs.Get("out_dtype") != "same" {
			c.must("out_dtype", "int32")
		}
		return []tensor.Shape{out}
	}, Precision: sumOfProducts, Gas: productGas, Lower: one(func(a *Application) *graph.Value {
		// It sums in 32 bits whatever the operands' types, and so does dense: the result holds the sum.
		pad := a.Attrs.Ints("padding")
		return a.Node("conv", emit.Attr("padding", []int{pad[0], pad[0], pad[1], pad[1]}, "stride", a.Attrs.Ints("strides"),
			"dilation", a.Attrs.Ints("dilation"), "groups", a.Attrs.Int("groups")), a.biased()...)
	})},
	{Name: "dense", Shape: func(c *Call) []tensor.Shape {
		c.rank(0, 2)
		c.rank(1, 2)
		data, units := c.In[0].Shape, c.Attrs.Int("units")
		c.equal(1, tensor.Shape{units, data[1]})
		if len(c.In) == 3 {
			c.equal(2, tensor.Shape{units})
		}
		return []tensor.Shape{{data[0], units}}
	}, Precision: sumOfProducts, Gas: productGas, Lower: one(func(a *Application) *graph.Value {
		return a.Node("linear", nil, a.biased()...)
	})},
	{Name: "relu", Shape: sameShape, Precision: same, Lower: unary("relu")},
	{Name: "max_pool2d", Shape: func(c *Call) []tensor.Shape {
		c.rank(0, 4)
		c.must("layout", "NCHW")
		padding := c.Attrs.Ints("padding")
		if len(padding) != 1 && len(padding) != 2 {
			refuse("padding", "1 or 2", "the number of items is %d", len(padding))
		}
		items("padding", padding, 0, maxAttr)
		size, strides := c.pair("pool_size", math.MinInt, math.MaxInt), c.pair("strides", 1, maxAttr)
		out := c.In[0].Shape.Clone()
		pads := both(padding)
		w := planar(size, strides, []int{1, 1}, pads[:])
		for i, pad := range pads {
			n := out[2+i]
			within(fault.Shape, "pool_size", size[i], pad+1, n+2*pad)
			out[2+i] = int(w.Count(i, n, c.Attrs.Bool("ceil_mode")))
			if last := (out[2+i]-1)*strides[i] - pad; last >= n {
				refuse("ceil_mode", "windows that begin within the data", "the last window begins at %d of %d in dimension %d", last, n, 2+i)
			}
		}
		return []tensor.Shape{out}
	}, Precision: same, Lower: one(func(a *Application) *graph.Value {
		// It pads behind as much as the last window needs, whichever way the size of the output is rounded, and lets padding never win. Every
		// window has an element of the data: it is larger than the padding.
		size, stride, padding := a.Attrs.Ints("pool_size"), a.Attrs.Ints("strides"), []int{0, 0, 0, 0}
		for i, pad := range both(a.Attrs.Ints("padding")) {
			w := geometry.Slide{Size: size[i], Stride: stride[i], Dilation: 1}
			padding = append(padding, pad, max(pad, w.Reach(a.Out[0][2+i])-a.In[0].Shape[2+i]-pad))
		}
		return a.Node("max_pool", emit.Attr("size", []int{1, 1, size[0], size[1]}, "border", "ignore",
			"padding", padding, "stride", []int{1, 1, stride[0], stride[1]}), a.Args[0])
	}), Gas: Gas{"the number of elements in the window", func(c *Call) int64 {
		size := c.Attrs.Ints("pool_size")
		return int64(size[0]) * int64(size[1])
	}}},
	{Name: "upsampling", Shape: func(c *Call) []tensor.Shape {
		c.rank(0, 4)
		c.must("method", "NEAREST_NEIGHBOR")
		scale := c.int("scale", 1, maxAttr)
		c.must("layout", "NCHW")
		out := c.In[0].Shape.Clone()
		out[2], out[3] = times(out[2], scale), times(out[3], scale)
		return []tensor.Shape{out}
	}, Precision: same, Lower: one(func(a *Application) *graph.Value {
		// It takes element o/scale: the nearest one where the scale is a whole number.
		return a.Node("resample", emit.Attr("sizes", []int(a.Out[0])), a.Args[0])
	})},
}

// planar returns a window over height and width, with the same padding on both sides.
func planar(size, stride, dilation, padding []int) *geometry.Window {
	return &geometry.Window{Size: size, Stride: stride, Dilation: dilation, Before: padding, After: padding}
}

// The rules of sums of products.
var (
	sumOfProducts = Precision{"those of data and weight + the bits of the number of products in each sum; " +
		"with a bias 1 more than the greater of that and the bias's", productPrecision}
	productGas = Gas{"3 × the number of products in each sum, + 1 with a bias", func(c *Call) int64 {
		return 3*int64(products(c)) + int64(len(c.In)-2)
	}}
)

// A layout lists dimensions by letters. Small ones with a factor split that of the capital one, as in NCHW16c. The original parses
// out_layout, and a text that is no layout is another error than a layout that is not supported.
var (
	layoutText = pattern.Of(`^(0*[A-Z]|0*[1-9][0-9]*[a-z])+[0-9]*$`)
	factors    = pattern.Of(`[0-9]+`)
)

func isLayout(text string) bool {
	letters := factors.Get().ReplaceAllString(text, "")
	for i, r := range letters {
		if strings.ContainsRune(letters[:i], r) || !strings.Contains(letters, strings.ToUpper(string(r))) {
			return false
		}
	}
	return layoutText.Get().MatchString(text)
}

// products returns how many products conv2d or dense sums up for an element.
func products(c *Call) int {
	weight := c.In[1].Shape
	return weight.Len() / weight[0]
}

func productPrecision(c *Call, _ int) int {
	for i := range 2 {
		if p := c.In[i].Precision; p > MaxFactor {
			refuseAt(fault.Precision, c.operand(i), fmt.Sprintf("at most %d", MaxFactor), "the precision is %d", p)
		}
	}
	if n, want := c.In[1].Shape.Rank(), c.In[0].Shape.Rank(); n != want {
		refuseAt(fault.Precision, c.operand(1), strconv.Itoa(want), "the number of dimensions is %d", n)
	}
	p := c.In[0].Precision + c.In[1].Precision + bits.Len(uint(products(c)))
	if len(c.In) == 3 {
		p = max(p, c.In[2].Precision) + 1
	}
	return p
}

// both returns two numbers, of which the tuple may have only one.
func both(t []int) [2]int { return [2]int{t[0], t[len(t)-1]} }

// biased returns the operands of conv or linear: the bias is added to the sums in their type.
func (a *Application) biased() []*graph.Value {
	if len(a.Args) < 3 {
		return a.Args
	}
	return []*graph.Value{a.Args[0], a.Args[1], a.Cast(a.Args[2], tensor.Int32)}
}
