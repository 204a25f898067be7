package op

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

// What operators on windows mean in simpler ones: their positions are written out, one after the other.

// frame is the window over the dimensions of a tensor from first on.
type frame struct {
	*geometry.Window
	first  int
	border string
}

// frame returns the window that the attributes describe.
func (x *Expansion) frame(first int, size []int) *frame {
	return &frame{geometry.WindowOf(x.Attrs, size), first, x.String("border")}
}

// bordered adds the border around a tensor.
func (x *Expansion) bordered(v *graph.Value, f *frame) *graph.Value {
	if !slices.ContainsFunc(f.Padding(), func(n int) bool { return n != 0 }) { // Without this a node would change nothing.
		return v
	}
	return x.padded(v, f, append(make([]int, 2*f.first), f.Padding()...))
}

// padded adds as many elements around a tensor as padding says, those of the window's border, zeros where it is ignored.
func (x *Expansion) padded(v *graph.Value, f *frame, padding []int) *graph.Value {
	border := f.border
	if border == "ignore" {
		border = "constant"
	}
	return x.node("pad", emit.Attr("padding", padding, "border", border), v)
}

// unpadded says an operator on the window with the border added around its first operand before, or with what negative padding takes away cut
// off where the border has no part in the result; nil if that changes nothing.
func (x *Expansion) unpadded(f *frame) []*graph.Value {
	now, later := slices.Repeat([]int{0}, 2*f.first), []int{}
	for _, n := range f.Padding() {
		if f.border == "ignore" {
			now, later = append(now, min(n, 0)), append(later, max(n, 0))
		} else {
			now, later = append(now, n), append(later, 0)
		}
	}
	if !slices.ContainsFunc(now, func(n int) bool { return n != 0 }) {
		return nil
	}
	in := slices.Clone(x.Args)
	in[0] = x.padded(in[0], f, now)
	return only(x.node(x.Def.Name, x.but("padding", later), in...))
}

// positions lists the positions in a window, in row-major order.
func (x *Expansion) positions(f *frame) [][]int {
	list := [][]int{{}}
	for _, n := range f.Size {
		if n > limits.ExpandedTaps/len(list) {
			x.fail("each position of the window %v would take operators of its own; at most %d are written out", f.Size, limits.ExpandedTaps)
		}
		var longer [][]int
		for _, p := range list {
			for k := range n {
				longer = append(longer, append(slices.Clone(p), k))
			}
		}
		list = longer
	}
	return list
}

// tap returns the elements at one position of a window for all windows, over a tensor that has its border already.
func (x *Expansion) tap(v *graph.Value, f *frame, position, out []int) *graph.Value {
	var axes, begin, end, stride []int
	for d, k := range position {
		at, n := k*f.Dilation[d], v.Type.Shape[f.first+d]
		last := at + (out[d]-1)*f.Stride[d] + 1
		if at > 0 || last < n || f.Stride[d] > 1 && out[d] > 1 {
			axes, begin, end, stride = append(axes, f.first+d), append(begin, at), append(end, last), append(stride, f.Stride[d])
		}
	}
	if len(axes) == 0 { // Without this a node would change nothing.
		return v
	}
	return x.node("slice", emit.Attr("axes", axes, "begin", begin, "end", end, "stride", stride), v)
}

// spread makes of a window under which elements of v are scattered one that slides, step by step, over the tensor that is returned: elements
// of v with zeros between them and the border around them, or another fill. All its dimensions are reversed, so that positions meet the
// elements in their order, and what is made of it is to be turned around by [Expansion.back].
func (x *Expansion) spread(v *graph.Value, f *frame, fill float64, out []int) (*graph.Value, *frame) {
	rule := geometry.Border(max(slices.Index(geometry.BorderNames, f.border), 0))
	for d := range f.Size {
		if f.Idle(d) && out[d] == v.Type.Shape[f.first+d] {
			continue
		}
		n := v.Type.Shape[f.first+d]
		reach := int(f.Span(d)) - 1
		x.room(out[d], 1)
		x.room(out[d] + reach)
		places, gaps := make([]int32, out[d]+reach), false
		for q := range places {
			at := -1
			if i := q + f.Before[d] - reach; i%f.Stride[d] == 0 {
				at = rule.Index(i/f.Stride[d], n)
			}
			if at < 0 {
				at, gaps = n, true
			}
			places[len(places)-1-q] = int32(at)
		}
		if gaps {
			padding := make([]int, 2*len(v.Type.Shape))
			padding[2*(f.first+d)+1] = 1
			v = x.node("pad", emit.Attr("padding", padding, "value", fill), v)
		}
		v = x.gather(v, f.first+d, places)
	}
	ones, none := slices.Repeat([]int{1}, len(f.Size)), make([]int, len(f.Size))
	slid := &frame{&geometry.Window{Size: f.Size, Stride: ones, Dilation: f.Dilation, Before: none, After: none}, f.first, "constant"}
	return v, slid
}

// back turns around what [Expansion.spread] has reversed.
func (x *Expansion) back(v *graph.Value, f *frame, in tensor.Shape) *graph.Value {
	var axes []int
	for d := range f.Size {
		if !f.Idle(d) || in[f.first+d] != v.Type.Shape[f.first+d] {
			axes = append(axes, f.first+d)
		}
	}
	if len(axes) == 0 { // Without this a node would change nothing.
		return v
	}
	return x.node("reverse", emit.Attr("axes", axes), v)
}

// added adds the elements at all positions to +0, one after the other.
func (x *Expansion) added(v *graph.Value, f *frame, out []int) *graph.Value {
	sum := x.number(v.Type.DType, 0)
	for _, p := range x.positions(f) {
		sum = x.do("add", sum, x.tap(v, f, p, out))
	}
	return sum
}

// pairTolerance is how far sums may differ that are added one pair of dimensions after the other.
const pairTolerance = 1e-5

// pooled says windows with a border by those without, and those over more than two dimensions by two poolings, one after the other.
func pooled(x *Expansion) []*graph.Value {
	f := x.frame(0, x.Ints("size"))
	if out := x.unpadded(f); out != nil {
		x.tolerance = 0
		return out
	}
	v, moving := x.Args[0], f.Active()
	if len(moving) <= 2 {
		return only(x.greatest(v, f))
	}
	for _, dims := range [][]int{moving[:2], moving[2:]} {
		all := slices.Repeat([]int{-1}, len(f.Size))
		for _, d := range dims {
			all[d] = d
		}
		part := f.Choose(all)
		v = x.node(x.Def.Name, x.but("size", part.Size, "stride", part.Stride, "dilation", part.Dilation, "padding", part.Padding()), v)
	}
	if x.tolerance = pairTolerance; x.Def.Name == "max_pool" || v.Type.DType.IsInteger() {
		x.tolerance = 0
	}
	return only(v)
}

// greatest says a pooling of greatest elements position by position; no others.
func (x *Expansion) greatest(v *graph.Value, f *frame) *graph.Value {
	if x.Def.Name != "max_pool" {
		x.none()
	}
	d := v.Type.DType
	least := x.number(d, math.Inf(-1))
	if d.IsInteger() {
		lo, _ := d.IntRange()
		least = x.integer(d, lo)
	}
	in, padding := v, f.Padding()
	if slices.Max(append(padding, 0)) > 0 { // Without this a node would change nothing.
		in = x.node("pad", emit.Attr("padding", padding), v, least)
	}
	y := least
	for _, p := range x.positions(f) {
		y = x.do("max", y, x.tap(in, f, p, x.Types[0].Shape))
	}
	return y
}

func expandBox(x *Expansion) []*graph.Value {
	v, f := x.Args[0], x.frame(0, x.Ints("size"))
	d := v.Type.DType
	switch {
	case x.Bool("normalize") && d.IsInteger():
		sum := x.node("box", x.but("normalize", false), x.wide(v))
		return only(x.averaged(sum, f, f.border))
	case len(f.Active()) > 2:
		return pooled(x)
	}
	x.tolerance = 0
	if out := x.unpadded(f); out != nil {
		return out
	}
	if f.border = "constant"; x.Bool("normalize") {
		return only(x.averaged(x.node("box", x.but("normalize", false), v), f, x.String("border")))
	}
	return only(x.added(x.bordered(v, f), f, x.Types[0].Shape))
}

func expandDebox(x *Expansion) []*graph.Value {
	v, f := x.Args[0], x.frame(0, x.Ints("size"))
	if x.Bool("normalize") && v.Type.DType.IsInteger() {
		v = x.wide(v)
	}
	scattered, slid := x.spread(v, f, 0, x.Types[0].Shape)
	attrs := emit.Attr("size", slid.Size, "padding", make([]int, 2*len(slid.Size)), "dilation", slid.Dilation)
	sum := x.back(x.node("box", attrs, scattered), f, v.Type.Shape)
	if x.Bool("normalize") {
		sum = x.averaged(sum, f, f.border)
	}
	return only(sum)
}

// wide converts integers to a type in which their sums are exact; those of 64 bits have none.
func (x *Expansion) wide(v *graph.Value) *graph.Value {
	if d := v.Type.DType; d.Size() == 8 {
		return v
	}
	return x.cast(v, tensor.Int64)
}

// averaged divides sums by the number of elements in each, which the reference finds by adding ones; dimensions in which the window does
// nothing need not be counted.
func (x *Expansion) averaged(sum *graph.Value, f *frame, border string) *graph.Value {
	d := sum.Type.DType
	if border != "ignore" {
		return x.do("div", sum, x.number(d, float64(tensor.Shape(f.Size).Len())))
	}
	shape, want := x.In[0].Shape.Clone(), slices.Clone(x.Ints("output_shape"))
	for i := range shape {
		if f.Idle(i) && (len(want) == 0 || want[i] == shape[i]) {
			if shape[i] = 1; len(want) > 0 {
				want[i] = 1
			}
		}
	}
	x.room(shape...)
	attrs := x.but("border", "constant", "normalize", false)
	if len(want) > 0 {
		attrs = attrs.With("output_shape", want)
	}
	ones := must(must(must(tensor.Cast(tensor.Scalar(int64(1)), tensor.Int64)).Reshape(slices.Repeat([]int{1}, len(shape))...)).Expand(shape...))
	counts := x.constant(must(tensor.Cast(x.eval(attrs, ones.Contiguous()), d)))
	return x.do("div", sum, x.do("max", counts, x.number(d, 1)))
}

// expandArgmaxPool compares position by position. NaN counts as greater than any number.
func expandArgmaxPool(x *Expansion) []*graph.Value {
	if len(x.Ints("steps")) > 0 {
		x.fail("it counts places in the whole input")
	}
	v, f, out, d := x.Args[0], x.frame(0, x.Ints("size")), x.Types[0].Shape, x.Types[0].DType
	in := x.bordered(v, f)
	var inside *graph.Value // whether an element is one of the input, if others must not count
	if in != v && f.border == "ignore" {
		inside = x.bordered(x.full(tensor.Bool, 1, v.Type.Shape), f)
	}
	index := x.full(d, 0, out)
	var best, seen *graph.Value
	for k, p := range x.positions(f) {
		t := x.tap(in, f, p, out)
		var here *graph.Value
		if inside != nil {
			here = x.tap(inside, f, p, out)
		}
		if best == nil {
			best, seen = t, here
			continue
		}
		better := x.do("gt", t, best)
		if v.Type.DType.IsFloat() {
			first := x.do("and", x.do("is_nan", t), x.do("not", x.do("is_nan", best)))
			better = x.do("or", better, first)
		}
		if here != nil {
			better = x.do("and", here, x.do("or", better, x.do("not", seen)))
			seen = x.do("or", seen, here)
		}
		best = x.do("select", better, t, best)
		index = x.do("select", better, x.number(d, float64(k)), index)
	}
	return only(index)
}

// expandSample takes the element at each position where the index names it.
func expandSample(x *Expansion) []*graph.Value {
	f, out := x.frame(0, x.Ints("size")), x.Types[0].Shape
	in, list := x.bordered(x.Args[0], f), x.positions(f)
	index := x.within(x.Args[1], len(list))
	var y *graph.Value
	for k, p := range list {
		if t := x.tap(in, f, p, out); y == nil {
			y = t
		} else {
			y = x.do("select", x.do("eq", index, x.number(index.Type.DType, float64(k))), t, y)
		}
	}
	return only(y)
}

// within brings indices to the nearest one of n.
func (x *Expansion) within(index *graph.Value, n int) *graph.Value {
	d := index.Type.DType
	return x.do("clamp", index, x.number(d, 0), x.number(d, float64(n-1)))
}

// expandDesample adds, at each position, the elements whose index names it. Elements that meet are added in their own order, which is the
// opposite of that of the positions.
func expandDesample(x *Expansion) []*graph.Value {
	v, f, out := x.Args[0], x.frame(0, x.Ints("size")), x.Types[0].Shape
	f.border = "constant"
	list := x.positions(f)
	index, _ := x.spread(x.within(x.Args[1], len(list)), f, -1, out)
	in, slid := x.spread(v, f, 0, out)
	zero := x.number(v.Type.DType, 0)
	sum := zero
	for k, p := range slices.Backward(list) {
		here := x.do("eq", x.tap(index, slid, p, out), x.number(index.Type.DType, float64(k)))
		sum = x.do("add", sum, x.do("select", here, x.tap(in, slid, p, out), zero))
	}
	return only(x.back(sum, f, v.Type.Shape))
}

// expandConv adds, for each position of the window, the products of its elements and weights.
func expandConv(x *Expansion) []*graph.Value {
	out, filter := x.Types[0].Shape, x.filter()
	f := x.frame(2, x.In[1].Shape[2:])
	if negative := f.Crops(); !x.Types[0].DType.IsInteger() && (f.border != "constant" || negative) {
		if out := x.unpadded(f); out != nil {
			if !negative { // zeros that take part are not skipped
				x.tolerance = 0
			}
			return out
		}
	}
	in := x.bordered(x.centred(0), f)
	groups, n := Groups(x.Attrs, x.In[0].Shape[1]), out[2:].Len()
	outputs, inputs := filter.Type.Shape[0]/groups, filter.Type.Shape[1]
	at := &frame{geometry.WindowOf(nil, f.Size), 2, ""}
	var sum *graph.Value
	for _, p := range x.positions(f) {
		part := x.reshape(x.tap(in, f, p, out[2:]), out[0], groups, inputs, n)
		weights := x.reshape(x.tap(filter, at, p, slices.Repeat([]int{1}, len(p))), 1, groups, outputs, inputs)
		if t := x.product(weights, part); sum == nil {
			sum = t
		} else {
			sum = x.do("add", sum, t)
		}
	}
	y := x.reshape(sum, out...)
	x.toleratesFloats()
	return only(x.biased(y))
}

// expandDeconv convolves what the window is scattered over.
func expandDeconv(x *Expansion) []*graph.Value {
	out, filter := x.Types[0].Shape, x.filter()
	in, f := x.centred(0), x.frame(2, x.In[1].Shape[2:])
	shape := filter.Type.Shape // input channels, output channels of a group
	groups := out[1] / shape[1]
	order := append([]int{0, 2, 1}, emit.Counting(3, len(shape)-2)...)
	parts := x.transpose(x.reshape(filter, append([]int{groups, shape[0] / groups, shape[1]}, shape[2:]...)...), order...)
	filter = x.reshape(parts, append([]int{out[1], shape[0] / groups}, shape[2:]...)...)
	scattered, slid := x.spread(in, f, 0, out[2:])
	attrs := emit.Attr("border", "constant", "padding", make([]int, 2*len(f.Size)), "dilation", slid.Dilation, "groups", groups)
	if filter.Type.DType.IsInteger() {
		attrs = append(attrs, graph.Attr{Name: "dtype", Value: filter.Type.DType})
	}
	y := x.back(x.node("conv", attrs, scattered, filter), f, in.Type.Shape)
	x.toleratesFloats()
	return only(x.biased(y))
}

// centred is a factor of products in their type, without its zero point, which is the operand of its name and so on.
func (x *Expansion) centred(i int) *graph.Value {
	v, d := x.Args[i], x.Types[0].DType
	if !d.IsInteger() {
		return v
	}
	zero := slices.IndexFunc(x.Def.In, func(o Operand) bool { return o.Name == x.Def.In[i].Name+zeroSuffix })
	v = x.cast(v, d)
	if zero >= 0 && x.Has(zero) {
		z := x.cast(x.Args[zero], d)
		if z.Type.Shape.Len() == 1 {
			z = x.reshape(z)
		}
		v = x.do("sub", v, z)
	}
	return v
}

// filter is the filter of a convolution without its zero point, of which there may be one for each output channel.
func (x *Expansion) filter() *graph.Value {
	n := x.In[4].Shape.Len() // 1 if it is absent
	if n <= 1 {
		return x.centred(1)
	}
	v, zero := x.cast(x.Args[1], x.Types[0].DType), x.cast(x.Args[4], x.Types[0].DType)
	shape := slices.Repeat([]int{1}, len(v.Type.Shape))
	if !geometry.SlidesUp(x.Attrs) {
		shape[0] = n
		return x.do("sub", v, x.reshape(zero, shape...))
	}
	// That of a transposed convolution has its output channels group by group.
	groups, perGroup := n/v.Type.Shape[1], v.Type.Shape[1]
	parts := append([]int{groups, v.Type.Shape[0] / groups, perGroup}, v.Type.Shape[2:]...)
	each := append([]int{groups, 1, perGroup}, slices.Repeat([]int{1}, len(v.Type.Shape)-2)...)
	return x.reshape(x.do("sub", x.reshape(v, parts...), x.reshape(zero, each...)), v.Type.Shape...)
}

// biased adds the bias to the channels, which are dimension 1.
func (x *Expansion) biased(y *graph.Value) *graph.Value {
	b := x.Args[2]
	if b == nil {
		return y
	}
	shape := slices.Repeat([]int{1}, len(y.Type.Shape))
	shape[1] = b.Type.Shape.Len()
	return x.do("add", y, x.reshape(b, shape...))
}

// product multiplies matrices, of integers in their own type.
func (x *Expansion) product(a, b *graph.Value) *graph.Value {
	var attrs graph.Attrs
	if d := a.Type.DType; d.IsInteger() {
		attrs = emit.Attr("dtype", d)
	}
	return x.node("matmul", attrs, a, b)
}
