package export

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Operators on windows that slide over all dimensions. Those of the standard slide over the dimensions behind batch and channels.

const windowNote = "other borders, windows over batch or channels, padding as large as the window, and other types: own"

var windowRows = []row{
	direct("max_pool", "MaxPool", floats|op.TypeSet(tensor.Int8, tensor.Uint8), func(c *call) []val {
		w := c.window()
		if c.str("border") != "ignore" || !w.spatial() {
			return nil
		}
		return one(c.node1("MaxPool", c.out(0), w.attrs(2), c.in[0]))
	}, windowNote).otherwise(maxPool),
	direct("box", "AveragePool", floats, func(c *call) []val {
		w, border := c.window(), c.str("border")
		if !c.bool("normalize") || border != "ignore" && border != "constant" || !w.spatial() {
			return nil
		}
		attrs := append(w.attrs(2), at("count_include_pad", border == "constant")...)
		return one(c.node1("AveragePool", c.out(0), attrs, c.in[0]))
	}, "sums, and "+windowNote).otherwise(box),
	direct("l2_pool", "LpPool", floats, func(c *call) []val {
		w := c.window()
		if c.str("border") != "ignore" || !w.spatial() {
			return nil
		}
		return one(c.node1("LpPool", c.out(0), append(w.attrs(2), at("p", 2)...), c.in[0]))
	}, windowNote),
	direct("argmax_pool", "MaxPool", floats|op.TypeSet(tensor.Int8, tensor.Uint8), argmaxPool,
		"places in the window, and "+windowNote).otherwise(placesInWindow),
	own("sample", "Mod, Div, Gather, Where", sample),
	own("desample", "Mod, Div, Where, ScatterElements", desample),
	own("debox", "Div, ConvTranspose", debox),
}

// window is what slides over the dimensions of an operand.
type window struct {
	size, stride, dilation []int
	before, after          []int
}

// window returns the window that the attributes describe.
func (c *call) window() *window {
	w := &window{size: slices.Clone(c.ints("size"))}
	w.fill(c, len(w.size))
	return w
}

// fill reads what the attributes say of each of n dimensions.
func (w *window) fill(c *call, n int) {
	w.stride, w.dilation = onesIfEmpty(c.ints("stride"), n), onesIfEmpty(c.ints("dilation"), n)
	w.pad(c.ints("padding"))
}

// pad reads what is added before and after each dimension.
func (w *window) pad(padding ints) {
	for d := range len(padding) / 2 {
		w.before, w.after = append(w.before, padding[2*d]), append(w.after, padding[2*d+1])
	}
}

// onesIfEmpty returns a list, or n ones if it is empty.
func onesIfEmpty(list ints, n int) ints {
	if len(list) > 0 {
		return slices.Clone(list)
	}
	return slices.Repeat(ints{1}, n)
}

// idle reports whether the window does nothing along a dimension.
func (w *window) idle(d int) bool {
	return w.size[d] == 1 && w.stride[d] == 1 && w.before[d] == 0 && w.after[d] == 0
}

// span returns how many elements the window covers along a dimension.
func (w *window) span(d int) int { return (w.size[d]-1)*w.dilation[d] + 1 }

// spatial reports whether the window is one as the standard has it: it slides over the dimensions behind the first two only, and its
// padding is smaller than it.
func (w *window) spatial() bool {
	return len(w.size) > 2 && w.idle(0) && w.idle(1) && w.padded(2)
}

// padded reports whether the padding of the dimensions from first on is smaller than the window.
func (w *window) padded(first int) bool {
	for d := first; d < len(w.size); d++ {
		if min(w.before[d], w.after[d]) < 0 || max(w.before[d], w.after[d]) >= w.size[d] {
			return false
		}
	}
	return true
}

// reaches reports whether the padding is smaller than the window, so that each window reaches elements.
func (w *window) reaches() bool {
	for d, n := range w.size {
		if max(w.before[d], w.after[d]) >= n {
			return false
		}
	}
	return true
}

// attrs returns the attributes that the standard has for the dimensions from first on.
func (w *window) attrs(first int) graph.Attrs {
	return at("kernel_shape", w.size[first:], "strides", w.stride[first:], "dilations", w.dilation[first:],
		"pads", slices.Concat(w.before[first:], w.after[first:]))
}

// pooled lets a body compute on windows of a tensor whose dimensions with windows are the last ones, behind one for all others and one of
// extent 1. The border is added before, but for one that is ignored.
func (c *call) pooled(x val, w *window, border string, f func(x val, w *window) val) val {
	var idle, moved ints
	for d := range w.size {
		if w.idle(d) {
			idle = append(idle, d)
		} else {
			moved = append(moved, d)
		}
	}
	if border != "ignore" {
		x = c.padded(x, w, border)
	} else {
		x = c.cropped(x, w)
	}
	if len(moved) == 0 {
		moved, idle = idle, nil
		if len(moved) == 0 {
			x, w = c.reshape(x, 1), &window{ints{1}, ints{1}, ints{1}, ints{0}, ints{0}}
			moved = ints{0}
		}
	}
	perm := slices.Concat(idle, moved)
	turned := c.transpose(x, perm...)
	lead := turned.Shape[:len(idle)]
	y := f(c.reshape(turned, append(ints{lead.Len(), 1}, turned.Shape[len(idle):]...)...), w.choose(moved))
	y = c.reshape(y, append(slices.Clone(lead), y.Shape[2:]...)...)
	back := make(ints, len(perm))
	for i, d := range perm {
		back[d] = i
	}
	return c.reshape(c.transpose(y, back...), c.out(0).Shape...)
}

// choose returns the window of some dimensions.
func (w *window) choose(dims ints) *window {
	out := &window{}
	for _, d := range dims {
		out.size, out.stride, out.dilation = append(out.size, w.size[d]), append(out.stride, w.stride[d]), append(out.dilation, w.dilation[d])
		out.before, out.after = append(out.before, w.before[d]), append(out.after, w.after[d])
	}
	return out
}

// padded adds the border to a tensor, after which the window has none. Zeros and what is ignored are told apart by the border.
func (c *call) padded(x val, w *window, border string) val {
	first := x.rank() - len(w.size)
	if border == "constant" || border == "ignore" {
		return c.zeros(x, first, w, c.number(x.DType, 0))
	}
	padding := make(ints, 0, 2*len(w.size))
	for d := range w.size {
		padding = append(padding, w.before[d], w.after[d])
	}
	w.before, w.after = make(ints, len(w.size)), make(ints, len(w.size))
	return c.bordered(x, first, padding, border)
}

// cropped takes away what negative padding says, for a border that is ignored.
func (c *call) cropped(x val, w *window) val {
	crop := &window{size: w.size, before: make(ints, len(w.size)), after: make(ints, len(w.size))}
	if !w.reaches() {
		refuse("padding as large as the window cannot be ignored")
	}
	for d := range w.size {
		crop.before[d], crop.after[d] = min(w.before[d], 0), min(w.after[d], 0)
		w.before[d], w.after[d] = max(w.before[d], 0), max(w.after[d], 0)
	}
	return c.zeros(x, x.rank()-len(w.size), crop, val{})
}

// zeros adds a border of one number to the dimensions from first on, after which the window has none. Negative padding takes elements away,
// after others have been added.
func (c *call) zeros(x val, first int, w *window, fill val) val {
	n := len(w.size)
	more, less := slices.Repeat([]ints{nil}, 2), slices.Repeat([]ints{nil}, 2)
	for i, list := range []ints{w.before, w.after} {
		for _, p := range list {
			more[i], less[i] = append(more[i], max(p, 0)), append(less[i], min(p, 0))
		}
	}
	w.before, w.after = make(ints, n), make(ints, n)
	for _, pads := range [][]ints{more, less} {
		if !slices.ContainsFunc(slices.Concat(pads...), func(p int) bool { return p != 0 }) {
			continue
		}
		shape := x.Shape.Clone()
		for d := range n {
			shape[first+d] += pads[0][d] + pads[1][d]
		}
		none := make(ints, first)
		x = c.node1("Pad", graph.Type{DType: x.DType, Shape: shape}, nil, x, c.list(slices.Concat(none, pads[0], none, pads[1])...), fill)
	}
	return x
}

// extents returns the extents of the results of windows.
func (w *window) extents(in []int) tensor.Shape {
	out := make(tensor.Shape, len(in))
	for d, n := range in {
		out[d] = (w.before[d]+n+w.after[d]-w.span(d))/w.stride[d] + 1
	}
	return out
}

// pool adds a pooling of the standard.
func (c *call) pool(to string, x val, w *window, more ...any) val {
	t := graph.Type{DType: x.DType, Shape: append(x.Shape[:2:2], w.extents(x.Shape[2:])...)}
	return c.node1(to, t, append(w.attrs(0), at(more...)...), x)
}

// exactFloat returns a type of floats that holds all integers of a type and that pools take, or the type itself.
func exactFloat(d tensor.DType) tensor.DType {
	switch {
	case small.Has(d) || d.IsHalf():
		return tensor.Float32
	case d.IsInteger() && d.Size() == 4:
		return tensor.Float64
	}
	return d
}

// maxPool pools in floats that hold the integers; those of 64 bits it compares position by position. Where windows reach no elements, or
// that is not known to the operator, the border is made of least elements.
func maxPool(c *call) []val {
	w, border, d := c.window(), c.str("border"), c.in[0].DType
	x := c.cast(c.in[0], exactFloat(d))
	if border == "ignore" && (!w.reaches() || x.DType.IsInteger()) {
		least := c.lowest(x.DType)
		if d.IsInteger() {
			least = c.cast(c.lowest(d), x.DType)
		}
		x = c.zeros(x, 0, w, least)
	}
	y := c.pooled(x, w, border, func(x val, w *window) val {
		if x.DType.IsInteger() {
			return c.taps(x, w, func(sum, part val) val { return c.do("Max", sum, part) })
		}
		return c.pool("MaxPool", x, w)
	})
	return one(c.cast(y, d))
}

// taps joins, position by position of a window without padding, the elements there.
func (c *call) taps(x val, w *window, join func(sum, part val) val) val {
	first := x.rank() - len(w.size)
	var sum val
	for k := range c.positions(w) {
		part := c.tap(x, first, w, k)
		if sum.name == "" {
			sum = part
		} else {
			sum = join(sum, part)
		}
	}
	return sum
}

// positions yields the positions in a window, in row-major order.
func (c *call) positions(w *window) func(yield func(k ints) bool) {
	if n := tensor.Shape(w.size).Len(); n > limits.ONNXTaps {
		refuse("a window of %d positions is not said one by one", n)
	}
	return func(yield func(k ints) bool) {
		k := make(ints, len(w.size))
		for {
			if !yield(k) {
				return
			}
			d := len(k) - 1
			for ; d >= 0; d-- {
				if k[d]++; k[d] < w.size[d] {
					break
				}
				k[d] = 0
			}
			if d < 0 {
				return
			}
		}
	}
}

// tap returns, for each window, the element at position k of it, in the dimensions from first on.
func (c *call) tap(x val, first int, w *window, k ints) val {
	if len(k) == 0 {
		return x
	}
	begin, end, axes, step := make(ints, len(k)), make(ints, len(k)), make(ints, len(k)), make(ints, len(k))
	out := w.extents(x.Shape[first:])
	for d := range k {
		axes[d], step[d] = first+d, w.stride[d]
		begin[d] = k[d] * w.dilation[d]
		end[d] = begin[d] + (out[d]-1)*step[d] + 1
	}
	t := graph.Type{DType: x.DType, Shape: append(x.Shape[:first:first], out...)}
	return c.node1("Slice", t, nil, x, c.list(begin...), c.list(end...), c.list(axes...), c.list(step...))
}

// box adds up elements of float32 by a convolution with ones. Others, for which ONNX Runtime has none, it adds position by position.
func box(c *call) []val {
	d, border, normalize := c.in[0].DType, c.str("border"), c.bool("normalize")
	w := c.window()
	if convolved(d) && (border != "ignore" || w.reaches()) {
		y := c.pooled(c.cast(c.in[0], tensor.Float32), w, border, func(x val, w *window) val {
			if normalize {
				return c.pool("AveragePool", x, w)
			}
			ones := c.full(graph.Type{DType: x.DType, Shape: append(tensor.Shape{1, 1}, w.size...)}, 1)
			t := graph.Type{DType: x.DType, Shape: append(x.Shape[:2:2], w.extents(x.Shape[2:])...)}
			return c.node1("Conv", t, w.attrs(0), x, ones)
		})
		return one(c.cast(y, d))
	}
	counts := c.counts(w, c.in[0].Shape, border)
	y := c.taps(c.padded(c.summed(c.in[0]), w, border), w, func(sum, part val) val { return c.do("Add", sum, part) })
	if normalize {
		y = c.do("Div", y, c.cast(counts, y.DType))
	}
	return one(c.cast(y, d))
}

// summed converts elements to a type in which their sums are computed.
func (c *call) summed(x val) val {
	switch d := x.DType; {
	case d.IsFloat():
		return c.cast(x, realOf(d))
	case d == tensor.Uint64:
		return x
	}
	return c.cast(x, tensor.Int64)
}

// counts returns how many positions of each window count: those inside the tensor if the border is ignored, else all. Never 0.
func (c *call) counts(w *window, in tensor.Shape, border string) val {
	if border != "ignore" {
		return c.integer(tensor.Int64, int64(tensor.Shape(w.size).Len()))
	}
	n := c.constant(tensor.Scalar(int64(1)))
	for d, out := range w.extents(in) {
		room(out, w.size[d])
		list := make([]int64, out)
		for o := range list {
			for k := range w.size[d] {
				if i := o*w.stride[d] - w.before[d] + k*w.dilation[d]; i >= 0 && i < in[d] {
					list[o]++
				}
			}
			list[o] = max(list[o], 1)
		}
		n = c.do("Mul", n, c.along(d, len(in), list))
	}
	return n
}

// argmaxPool is the second result of MaxPool for places in the whole input, counted in row-major order or, in each channel, by columns.
func argmaxPool(c *call) []val {
	w := c.window()
	if c.str("border") != "ignore" || !w.spatial() || c.n.Attrs.DType("dtype") != tensor.Int64 {
		return nil
	}
	for order := range 2 {
		if slices.Equal(c.ints("steps"), steps(c.in[0].Shape, order == 1)) {
			attrs := append(w.attrs(2), at("storage_order", order)...)
			values := graph.Type{DType: c.in[0].DType, Shape: c.out(0).Shape}
			return c.nodes("MaxPool", []graph.Type{values, c.out(0)}, attrs, c.in[0])[1:]
		}
	}
	return nil
}

// steps returns how far neighbours are from each other in each dimension.
func steps(shape tensor.Shape, columns bool) ints {
	out, step := make(ints, len(shape)), 1
	for i := range shape {
		d := len(shape) - 1 - i
		if columns && d >= 2 {
			d = 2 + i
		}
		out[d] = step
		step *= max(shape[d], 1)
	}
	return out
}

// placesInWindow makes places in the input those in windows.
func placesInWindow(c *call) []val {
	d := exactFloat(c.in[0].DType)
	if len(c.ints("steps")) > 0 || !d.IsFloat() {
		return nil
	}
	y := c.pooled(c.cast(c.in[0], d), c.window(), c.str("border"), func(x val, w *window) val {
		t := graph.Type{DType: x.DType, Shape: append(x.Shape[:2:2], w.extents(x.Shape[2:])...)}
		places := graph.Type{DType: tensor.Int64, Shape: t.Shape}
		at := c.nodes("MaxPool", []graph.Type{t, places}, w.attrs(0), x)[1]
		number := func(n int) val { return c.integer(tensor.Int64, int64(n)) }
		step, factor := 1, 1
		var sum val
		for k := len(w.size) - 1; k >= 0; k-- {
			n := max(x.Shape[2+k], 1)
			room(t.Shape[2+k])
			i := c.node1("Mod", at.Type, nil, c.do("Div", at, number(step)), number(n))
			begins := make([]int64, t.Shape[2+k])
			for o := range begins {
				begins[o] = int64(o*w.stride[k] - w.before[k])
			}
			begin := c.along(2+k, len(t.Shape), begins)
			i = c.do("Mul", c.do("Div", c.do("Sub", i, begin), number(w.dilation[k])), number(factor))
			if sum.name == "" {
				sum = i
			} else {
				sum = c.do("Add", sum, i)
			}
			step, factor = step*n, factor*w.size[k]
		}
		return sum
	})
	return one(c.cast(y, c.out(0).DType))
}

// places returns, for the positions that an operand names in the windows of a tensor of the shape small over one of the shape large, which
// element of the large one stands there, in row-major order, and -1 for one outside.
func (c *call) places(index val, large, small tensor.Shape, border string) val {
	w := c.window()
	rule := geometry.BorderOf(at("border", border))
	volume := tensor.Shape(w.size).Len()
	i := c.index(index, 0, int64(volume-1))
	number := func(n int) val { return c.integer(tensor.Int64, int64(n)) }
	factor, step := 1, 1
	var sum, outside val
	for d := len(w.size) - 1; d >= 0; d-- {
		k := c.node1("Mod", i.Type, nil, c.do("Div", i, number(factor)), number(w.size[d]))
		room(small[d], w.size[d])
		table := make([]int64, small[d]*w.size[d])
		begins := make([]int64, small[d])
		for o := range small[d] {
			begins[o] = int64(o * w.size[d])
			for k := range w.size[d] {
				table[o*w.size[d]+k] = int64(rule.Index(o*w.stride[d]-w.before[d]+k*w.dilation[d], large[d]))
			}
		}
		at := c.node1("Gather", i.Type, nil, c.along(0, 1, table), c.do("Add", k, c.along(d, len(small), begins)))
		out := c.test("Less", at, number(0))
		at = c.do("Mul", at, number(step))
		if sum.name == "" {
			sum, outside = at, out
		} else {
			sum, outside = c.do("Add", sum, at), c.test("Or", outside, out)
		}
		factor, step = factor*w.size[d], step*max(large[d], 1)
	}
	if sum.name == "" {
		return i
	}
	return c.do("Where", outside, number(-1), sum)
}

// sample reads behind the elements a zero for those outside.
func sample(c *call) []val {
	x, n := c.in[0], c.in[0].Shape.Len()
	zero := c.reshape(c.number(x.DType, 0), 1)
	flat := c.node1("Concat", graph.Type{DType: x.DType, Shape: tensor.Shape{n + 1}}, at("axis", 0), c.reshape(x, n), zero)
	at := c.places(c.in[1], x.Shape, c.out(0).Shape, c.str("border"))
	at = c.do("Where", c.test("Less", at, c.integer(tensor.Int64, 0)), c.integer(tensor.Int64, int64(n)), at)
	return one(c.node1("Gather", c.out(0), nil, flat, at))
}

// desample adds to zeros, of which one more takes what falls outside.
func desample(c *call) []val {
	x, out := c.in[0], c.out(0)
	d := x.DType
	if d.IsHalf() {
		d = tensor.Float32
	} else if d.IsInteger() {
		d = tensor.Int64
	}
	n := out.Shape.Len()
	room(n, 2)
	at := c.places(c.in[1], out.Shape, x.Shape, "constant")
	at = c.do("Where", c.test("Less", at, c.integer(tensor.Int64, 0)), c.integer(tensor.Int64, int64(n)), at)
	zeros := c.full(graph.Type{DType: d, Shape: tensor.Shape{n + 1}}, 0)
	m := x.Shape.Len()
	y := c.node1("ScatterElements", zeros.Type, attrsAdd, zeros, c.reshape(at, m), c.reshape(c.cast(x, d), m))
	y = c.node1("Slice", graph.Type{DType: d, Shape: tensor.Shape{n}}, nil, y, c.list(0), c.list(n))
	return one(c.cast(c.reshape(y, out.Shape...), out.DType))
}

var attrsAdd = at("reduction", "add")

// debox is a transposed convolution with ones. Where there is no convolution, elements are added position by position.
func debox(c *call) []val {
	d, border, out := c.in[0].DType, c.str("border"), c.out(0)
	w := c.window()
	if len(w.size) == 0 {
		return one(c.node1("Identity", out, nil, c.in[0]))
	}
	x := c.summed(c.in[0])
	x = c.extended(c.reshape(x, append(ints{1, 1}, x.Shape...)...), w, out.Shape)
	var y val
	if convolved(d) {
		ones := c.full(graph.Type{DType: x.DType, Shape: append(tensor.Shape{1, 1}, w.size...)}, 1)
		y = c.transposed(x, ones, w, out.Shape, 1)
	} else {
		y = c.taps(c.inverse(x, w, out.Shape), w, func(sum, part val) val { return c.do("Add", sum, part) })
	}
	y = c.reshape(y, out.Shape...)
	if !c.bool("normalize") {
		return one(c.cast(y, d))
	}
	n := c.integer(tensor.Int64, int64(tensor.Shape(w.size).Len()))
	if border == "ignore" {
		n = c.reaching(c.window(), c.in[0].Shape, out.Shape)
	}
	return one(c.cast(c.do("Div", y, c.cast(n, y.DType)), d))
}

// transposed adds a transposed convolution whose result has the given extents behind batch and channels.
func (c *call) transposed(x, filter val, w *window, extents tensor.Shape, groups int) val {
	full := append(tensor.Shape{x.Shape[0], filter.Shape[1] * groups}, extents...)
	for d := range w.size {
		full[2+d] = (x.Shape[2+d]-1)*w.stride[d] + w.span(d)
	}
	more := &window{size: w.size, before: make(ints, len(w.size)), after: make(ints, len(w.size))}
	for d := range w.size {
		more.before[d] = -w.before[d]
		more.after[d] = extents[d] - full[2+d] + w.before[d]
	}
	attrs := at("kernel_shape", w.size, "strides", w.stride, "dilations", w.dilation, "group", groups)
	y := c.node1("ConvTranspose", graph.Type{DType: x.DType, Shape: full}, attrs, x, filter)
	return c.zeros(y, 2, more, val{})
}

// reaching returns how many elements reach each of a larger tensor, never 0.
func (c *call) reaching(w *window, in, out tensor.Shape) val {
	n := c.constant(tensor.Scalar(int64(1)))
	for d, extent := range out {
		room(extent)
		room(in[d], w.size[d])
		list := make([]int64, extent)
		for x := range in[d] {
			for k := range w.size[d] {
				if i := x*w.stride[d] - w.before[d] + k*w.dilation[d]; i >= 0 && i < extent {
					list[i]++
				}
			}
		}
		for i := range list {
			list[i] = max(list[i], 1)
		}
		n = c.do("Mul", n, c.along(d, len(out), list))
	}
	return n
}
