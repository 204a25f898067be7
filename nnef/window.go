package nnef

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/nnef/eval"
)

// slide is the geometry of a sliding window along the dimensions that it moves in.
type slide struct {
	size, stride, dilation []int // one item for each dimension
}

// slide returns the window of an operation on n dimensions.
func (l *lowering) slide(size []int, n int) slide {
	s := slide{l.filled(size, n, 1), l.each("stride", n, 1), l.each("dilation", n, 1)}
	if len(s.stride) == 0 {
		s.stride = slices.Repeat([]int{1}, n)
	}
	if len(s.dilation) == 0 {
		s.dilation = slices.Repeat([]int{1}, n)
	}
	for _, a := range []struct {
		name string
		list []int
	}{{"size", s.size}, {"stride", s.stride}, {"dilation", s.dilation}} {
		if len(a.list) != n {
			l.miscounted(a.name, "number", int64(1), n)
			return slide{}
		}
		for _, x := range a.list {
			if x < 1 || int64(x) > maxSlide {
				l.fail(eval.CodeAttribute, a.name, "%s: %d is out of range; it must be from 1 to %d", a.name, x, maxSlide)
				return slide{}
			}
		}
	}
	return s
}

// counted checks that the argument padding has a pair for each of n dimensions.
func (l *lowering) counted(n int) {
	if given := len(l.each("padding", 2*n, 0)); l.Err == nil && given != 2*n {
		l.miscounted("padding", "pair", eval.Tuple{int64(0), int64(0)}, n)
	}
}

// miscounted says that an argument has not one item for each of n dimensions. A neutral item is one without effect.
func (l *lowering) miscounted(arg, item string, neutral eval.Value, n int) {
	if l.Err != nil {
		return
	}
	list, _ := l.c.Arg(arg).(eval.Array)
	given := "1 " + item + " is"
	if len(list) != 1 {
		given = strconv.Itoa(len(list)) + " " + item + "s are"
	}
	err := &eval.Error{Code: eval.CodeAttribute, Arg: arg}
	batch := eval.Array{neutral, neutral} // with the channels
	if which := "dimension"; l.c.Arg("size") != nil {
		if err.Msg = which; len(list) == n-len(batch) {
			err.Hint = "batch and channels count, too: " + eval.Text(append(batch, list...))
		}
	} else if err.Msg = "spatial " + which; len(list) == n+len(batch) && eval.Text(list[:len(batch)]) == eval.Text(batch) {
		err.Hint = "batch and channels do not count: " + eval.Text(list[len(batch):])
	}
	err.Msg = fmt.Sprintf("%s: %s given; there must be %d, one for each %s", arg, given, n, err.Msg)
	l.Fail(err)
}

// maxSlide bounds the numbers of a window, so that products of two fit.
const maxSlide int64 = limits.NNEFSlide

// reach returns the extent that the window covers along dimension i.
func (s *slide) reach(i int) int64 { return int64(s.size[i]-1)*int64(s.dilation[i]) + 1 }

// steps returns in how many strides a window passes an extent of dimension i, rounded up.
func (s *slide) steps(i, extent int) int64 {
	stride := int64(s.stride[i])
	return (int64(extent) + stride - 1) / stride
}

// down returns the padding of an operation that reads extents large: the one that is given, or so much that one window
// begins in each stride.
func (l *lowering) down(s slide, large []int) []int {
	if list, _ := l.c.Arg("padding").(eval.Array); len(list) > 0 || l.Err != nil {
		l.counted(len(large))
		return l.each("padding", 2*len(large), 0)
	}
	padding := make([]int, 0, 2*len(large))
	for i, extent := range large {
		padding = append(padding, l.halves((s.steps(i, extent)-1)*int64(s.stride[i])+s.reach(i)-int64(extent))...)
	}
	return padding
}

// up returns the padding of an operation that reads extents small, and the extents of its result: those of shape if it
// is given. If neither padding nor shape is given, each extent is multiplied by the stride. The extents are nil where
// they follow from the padding.
func (l *lowering) up(s slide, small, shape []int) (padding, large []int) {
	if list, _ := l.c.Arg("padding").(eval.Array); len(list) > 0 || l.Err != nil {
		l.counted(len(small))
		return l.each("padding", 2*len(small), 0), nil
	}
	padding, large = make([]int, 0, 2*len(small)), make([]int, len(small))
	for i, extent := range small {
		if int64(extent) > maxSlide {
			l.fail(eval.CodeShape, "input", "the extent %d is too large", extent)
			return nil, nil
		}
		if len(shape) != len(small) {
			large[i] = l.narrow("stride", int64(extent)*int64(s.stride[i]))
		} else if large[i] = shape[i]; l.Err == nil && s.steps(i, shape[i]) != int64(extent) {
			l.fail(eval.CodeShape, "output_shape", "the extent %d does not suit the stride %d with automatic padding, which makes it %d; the input has %d",
				shape[i], s.stride[i], s.steps(i, shape[i]), extent)
		}
		padding = append(padding, l.halves(int64(extent-1)*int64(s.stride[i])+s.reach(i)-int64(large[i]))...)
	}
	return padding, large
}

// halves divides a total padding, which is not negative, into that before and that behind.
func (l *lowering) halves(total int64) []int {
	total = max(total, 0)
	return []int{l.narrow("padding", total/2), l.narrow("padding", total-total/2)}
}

// spatial returns the extents behind batch and channels.
func (l *lowering) spatial(v *graph.Value, arg string) []int {
	shape := l.shape(v)
	if l.Err == nil && len(shape) < 3 {
		l.fail(eval.CodeShape, arg, "the rank of %v is %d; it must be at least 3: batch, channels and spatial dimensions", shape, len(shape))
	}
	if l.Err != nil {
		return nil
	}
	return shape[2:]
}

// bias returns the argument bias as the operators take it: nil for 0, a number, or one number for each channel.
func (l *lowering) bias() *graph.Value {
	v := l.unless("bias", 0.0)
	if v == nil || l.Err != nil {
		return nil
	}
	shape := l.shape(v)
	if shape.Len() == 1 && len(shape) <= 2 || len(shape) == 2 && shape[0] == 1 {
		return v
	}
	for i, n := range shape {
		if n != 1 && i != 1 {
			l.Fail(&eval.Error{Code: eval.CodeShape, Arg: "bias", Hint: "dimensions are aligned on the left: a bias of the channels has the shape (1, C)",
				Msg: "the bias has shape " + shape.String() + "; only its second extent may differ from 1"})
			return nil
		}
	}
	return l.Reshape(v, 1, shape.Len())
}

func lowerConv(l *lowering) []*graph.Value {
	input, filter := l.kernel()
	in, kernel := l.spatial(input, "input"), l.spatial(filter, "filter")
	if l.Err == nil && len(in) != len(kernel) {
		l.fail(eval.CodeShape, "filter", "the rank of the filter is %d; it must be %d, that of the input", len(kernel)+2, len(in)+2)
	}
	s := l.slide(kernel, len(in))
	padding := l.down(s, in)
	return l.result("conv", []*graph.Value{input, filter, l.bias()}, attr("border", l.string("border")), attr("padding", padding),
		attr("stride", l.each("stride", len(in), 1)), attr("dilation", l.each("dilation", len(in), 1)), attr("groups", l.int("groups")))
}

func lowerDeconv(l *lowering) []*graph.Value {
	input, filter := l.kernel()
	in, kernel := l.spatial(input, "input"), l.spatial(filter, "filter")
	if l.Err == nil && len(in) != len(kernel) {
		l.fail(eval.CodeShape, "filter", "the rank of the filter is %d; it must be %d, that of the input", len(kernel)+2, len(in)+2)
	}
	s := l.slide(kernel, len(in))
	shape, groups := l.ints("output_shape"), l.int("groups")
	l.positive("output_shape", shape)
	padding, large := l.up(s, in, shape[min(2, len(shape)):])
	if l.Err == nil && len(shape) == 0 && large != nil {
		f := l.shape(filter)
		channels := l.narrow("groups", int64(f[1])*int64(groups))
		if groups == 0 {
			channels = f[0]
		}
		shape = append([]int{l.shape(input)[0], channels}, large...)
	}
	return l.result("deconv", []*graph.Value{input, filter, l.bias()}, attr("border", l.string("border")), attr("padding", padding),
		attr("stride", l.each("stride", len(in), 1)), attr("dilation", l.each("dilation", len(in), 1)), attr("output_shape", shape), attr("groups", groups))
}

// window returns the attributes of an operation whose window slides over all dimensions of an input that it reads.
func (l *lowering) window(input *graph.Value) graph.Attrs {
	in := l.shape(input)
	padding := l.down(l.slide(l.ints("size"), len(in)), in)
	return l.windowAttrs(padding, len(in))
}

func (l *lowering) windowAttrs(padding []int, n int) graph.Attrs {
	return graph.Attrs{attr("size", l.each("size", n, 1)), attr("border", l.string("border")), attr("padding", padding),
		attr("stride", l.each("stride", n, 1)), attr("dilation", l.each("dilation", n, 1))}
}

// unwindow is window for an operation that yields the larger tensor.
func (l *lowering) unwindow(input *graph.Value) graph.Attrs {
	in, shape := l.shape(input), l.ints("output_shape")
	l.positive("output_shape", shape)
	padding, large := l.up(l.slide(l.ints("size"), len(in)), in, shape)
	if len(shape) == 0 && large != nil {
		shape = large
	}
	return append(l.windowAttrs(padding, len(in)), attr("output_shape", shape))
}

// lowerWindow binds an operation to an operator whose window slides over all dimensions.
func lowerWindow(name string) func(l *lowering) []*graph.Value {
	return func(l *lowering) []*graph.Value {
		input := l.extended(l.tensor("input"), len(l.ints("size")))
		return l.result(name, []*graph.Value{input}, l.window(input)...)
	}
}

func lowerBox(l *lowering) []*graph.Value {
	input := l.extended(l.tensor("input"), len(l.ints("size")))
	return l.result("box", []*graph.Value{input}, append(l.window(input), attr("normalize", l.bool("normalize")))...)
}

func lowerAveragePool(l *lowering) []*graph.Value {
	input := l.extended(l.tensor("input"), len(l.ints("size")))
	return l.result("box", []*graph.Value{input}, append(l.window(input), attr("normalize", true))...)
}

func lowerDebox(l *lowering) []*graph.Value {
	input := l.extended(l.tensor("input"), len(l.ints("size")))
	return l.result("debox", []*graph.Value{input}, append(l.unwindow(input), attr("normalize", l.bool("normalize")))...)
}

func lowerSample(l *lowering) []*graph.Value {
	n := len(l.ints("size"))
	input := l.extended(l.tensor("input"), n)
	return l.result("sample", []*graph.Value{input, l.extended(l.tensor("index"), n)}, l.window(input)...)
}

func lowerDesample(l *lowering) []*graph.Value {
	n := len(l.ints("size"))
	input := l.extended(l.tensor("input"), n)
	return l.result("desample", []*graph.Value{input, l.extended(l.tensor("index"), n)}, l.unwindow(input)...)
}

// lowerMaxPoolWithIndex takes the greatest elements directly, which sample cannot do with border ignore.
func lowerMaxPoolWithIndex(l *lowering) []*graph.Value {
	input := l.extended(l.tensor("input"), len(l.ints("size")))
	attrs := l.window(input)
	output := l.Named(l.named(0), "max_pool", attrs, input)
	return append(output, l.Named(l.named(1), "argmax_pool", attrs, input)...)
}
