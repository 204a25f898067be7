package nnef

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/op"
)

// slide returns the window of an operation on n dimensions, still without padding.
func (l *lowering) slide(size []int, n int) *geometry.Window {
	w := &geometry.Window{Size: l.filled(size, n, 1), Stride: l.each("stride", n, 1), Dilation: l.each("dilation", n, 1)}
	if len(w.Stride) == 0 {
		w.Stride = slices.Repeat([]int{1}, n)
	}
	if len(w.Dilation) == 0 {
		w.Dilation = slices.Repeat([]int{1}, n)
	}
	for _, a := range []struct {
		name string
		list []int
	}{{"size", w.Size}, {"stride", w.Stride}, {"dilation", w.Dilation}} {
		if len(a.list) != n {
			l.miscounted(a.name, "number", int64(1), n)
			return &geometry.Window{}
		}
		for _, x := range a.list {
			if x < 1 || int64(x) > maxSlide {
				l.fail(eval.CodeAttribute, a.name, "%s: %d is out of range; it must be from 1 to %d", a.name, x, maxSlide)
				return &geometry.Window{}
			}
		}
	}
	return w
}

// counted checks that the argument padding has a pair for each of n dimensions.
func (l *lowering) counted(n int) {
	if given := len(l.each("padding", 2*n, 0)); given != 2*n {
		l.miscounted("padding", "pair", eval.Tuple{int64(0), int64(0)}, n)
	}
}

// miscounted says that an argument has not one item for each of n dimensions. A neutral item is one without effect.
func (l *lowering) miscounted(arg, item string, neutral eval.Value, n int) {
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

// down returns the padding of an operation that reads extents large: the one that is given, or so much that one window
// begins in each stride.
func (l *lowering) down(w *geometry.Window, large []int) []int {
	if list, _ := l.c.Arg("padding").(eval.Array); len(list) > 0 || l.Err != nil {
		l.counted(len(large))
		return l.each("padding", 2*len(large), 0)
	}
	padding := make([]int, 0, 2*len(large))
	for i, extent := range large {
		padding = l.halves(padding, w, i, extent, int(w.Strides(i, extent)))
	}
	return padding
}

// up returns the padding of an operation that reads extents small, and the extents of its result: those of shape if it
// is given. If neither padding nor shape is given, each extent is multiplied by the stride. The extents are nil where
// they follow from the padding.
func (l *lowering) up(w *geometry.Window, small, shape []int) (padding, large []int) {
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
			large[i] = l.Narrow("stride", int64(extent)*int64(w.Stride[i]))
		} else if large[i] = shape[i]; l.Err == nil && w.Strides(i, shape[i]) != int64(extent) {
			l.fail(eval.CodeShape, "output_shape", "the extent %d does not suit the stride %d with automatic padding, which makes it %d; the input has %d",
				shape[i], w.Stride[i], w.Strides(i, shape[i]), extent)
		}
		padding = l.halves(padding, w, i, large[i], extent)
	}
	return padding, large
}

// halves adds the padding of a dimension with which n windows cover its extent.
func (l *lowering) halves(padding []int, w *geometry.Window, i, extent, n int) []int {
	less, more := w.Halves(i, extent, n)
	return append(padding, l.Narrow("padding", less), l.Narrow("padding", more))
}

// spatial returns the extents behind batch and channels.
func (l *lowering) spatial(v *graph.Value, arg string) []int {
	shape := l.Shape(v)
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
	v := l.addend()
	shape := l.Shape(v)
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

// kernelled binds a convolution, or a transposed one, whose window is the spatial extents of a filter.
func kernelled(name string) func(l *lowering) []*graph.Value {
	up := slidesUp(name)
	return func(l *lowering) []*graph.Value {
		input, filter := l.kernel()
		in, kernel := l.spatial(input, "input"), l.spatial(filter, "filter")
		if l.Err == nil && len(in) != len(kernel) {
			l.fail(eval.CodeShape, "filter", "the rank of the filter is %d; it must be %d, that of the input", len(kernel)+2, len(in)+2)
		}
		s, groups := l.slide(kernel, len(in)), l.int("groups")
		attrs := l.sliding(len(in), attr("groups", groups))
		if !up {
			attrs = append(attrs, attr("padding", l.down(s, in)))
			return l.result(name, []*graph.Value{input, filter, l.bias()}, attrs...)
		}
		shape := l.ints("output_shape")
		l.positive("output_shape", shape)
		padding, large := l.up(s, in, shape[min(2, len(shape)):])
		if l.Err == nil && len(shape) == 0 && large != nil {
			f := l.Shape(filter)
			channels := l.Narrow("groups", int64(f[1])*int64(groups))
			if groups == 0 {
				channels = f[0]
			}
			shape = append([]int{l.Shape(input)[0], channels}, large...)
		}
		return l.result(name, []*graph.Value{input, filter, l.bias()}, append(attrs, attr("padding", padding), attr("output_shape", shape))...)
	}
}

// slidesUp reports whether the window of an operator slides over its result, which then has a given shape.
func slidesUp(name string) bool {
	def, _ := op.Lookup(name)
	return slices.ContainsFunc(def.Attrs, func(a op.Attr) bool { return a.Name == "output_shape" })
}

// sliding returns the attributes of a window that moves in n dimensions, but for its size and padding, with further ones.
func (l *lowering) sliding(n int, further ...graph.Attr) graph.Attrs {
	return append(further, attr("border", l.c.Text("border")), attr("stride", l.each("stride", n, 1)), attr("dilation", l.each("dilation", n, 1)))
}

// windowed binds an operation to an operator whose window slides over all dimensions of its operands, or, if that has an attribute output_shape, of
// its result.
func windowed(name string, fixed ...graph.Attr) func(l *lowering) []*graph.Value {
	up := slidesUp(name)
	return func(l *lowering) []*graph.Value {
		in, attrs := l.window(up)
		attrs = append(attrs, fixed...)
		if len(fixed) == 0 && l.c.Op.Index("normalize") >= 0 {
			attrs = append(attrs, attr("normalize", l.bool("normalize")))
		}
		return l.result(name, in, attrs...)
	}
}

// window returns the operands of an operation with a window, of which the first one is that which it slides over, and the attributes of the window;
// up says that it slides over the result.
func (l *lowering) window(up bool) ([]*graph.Value, graph.Attrs) {
	size := l.ints("size")
	var in []*graph.Value
	for i := range l.c.Op.Params {
		if p := &l.c.Op.Params[i]; p.IsTensor() {
			in = append(in, l.extended(l.tensor(p.Name), len(size)))
		}
	}
	extents := l.Shape(in[0])
	n := len(extents)
	s, attrs := l.slide(size, n), l.sliding(n, attr("size", l.each("size", n, 1)))
	if !up {
		return in, append(attrs, attr("padding", l.down(s, extents)))
	}
	shape := l.ints("output_shape")
	l.positive("output_shape", shape)
	padding, large := l.up(s, extents, shape)
	if len(shape) == 0 && large != nil {
		shape = large
	}
	return in, append(attrs, attr("padding", padding), attr("output_shape", shape))
}

// lowerMaxPoolWithIndex takes the greatest elements directly, which sample cannot do with border ignore.
func lowerMaxPoolWithIndex(l *lowering) []*graph.Value {
	in, attrs := l.window(false)
	output := l.Named(l.named(0), "max_pool", attrs, in...)
	return append(output, l.Named(l.named(1), "argmax_pool", attrs, in...)...)
}
