package op

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// window generates extents, a window and its attributes padding, stride and dilation, so that the window fits. Large is
// a legal result of an up operation.
func (r *Rand) window(rank int, up bool) (in, size, large []int, attrs graph.Attrs) {
	padding, stride, dilation := []int{}, []int{}, []int{}
	for range rank {
		n, f, step, dist := r.Extent()+r.IntN(3), r.Between(1, 3), r.Between(1, 3), Pick(r, []int{1, 1, 2, 3})
		span := (f-1)*dist + 1
		before, after := r.Between(-1, 3), r.Between(-1, 3)
		if lack := span - (n + before + after); !up && lack > 0 {
			after += lack
		}
		if excess := before + after - (n-1)*step - span; up && excess > 0 {
			before -= excess
		}
		in, size = append(in, n), append(size, f)
		large = append(large, (n-1)*step+span-before-after+r.IntN(step))
		padding, stride, dilation = append(padding, before, after), append(stride, step), append(dilation, dist)
	}
	return in, size, large, graph.Attrs{{Name: "padding", Value: padding}, {Name: "stride", Value: stride}, {Name: "dilation", Value: dilation}}
}

// pooling generates a case of an operator whose window covers all dimensions: the operand and its attributes. In most
// cases the window is still in the leading dimensions.
func (r *Rand) pooling(types Types, up bool, borders ...string) Case {
	in, size, large, attrs := r.window(r.Between(0, 3), up)
	stride, dilation, padding := attrs.Ints("stride"), attrs.Ints("dilation"), attrs.Ints("padding")
	for range r.IntN(3) {
		n := r.Between(1, 3)
		in, size, large = append([]int{n}, in...), append([]int{1}, size...), append([]int{n}, large...)
		padding, stride, dilation = append([]int{0, 0}, padding...), append([]int{1}, stride...), append([]int{1}, dilation...)
	}
	attrs = graph.Attrs{{Name: "size", Value: append([]int{}, size...)}, {Name: "border", Value: Pick(r, borders)},
		{Name: "padding", Value: padding}, {Name: "stride", Value: stride}, {Name: "dilation", Value: dilation}}
	if up && r.Bool() {
		attrs = append(attrs, graph.Attr{Name: "output_shape", Value: append([]int{}, large...)})
	}
	d := r.DType(types)
	x := r.Tensor(d, in)
	if d.IsFloat() && r.IntN(6) == 0 {
		x = r.Extremes(d, in)
	}
	return Case{In: []*tensor.Tensor{x}, Attrs: attrs}
}
