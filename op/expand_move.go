package op

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/tensor"
)

// What operators that move, resize and find elements mean in simpler ones.

// expandPad takes elements away after others have been added. Which elements a border consists of, indices say; a fill is
// repeated beside the elements.
func expandPad(x *Expansion) []*graph.Value {
	v, padding, rule := x.Args[0], x.Ints("padding"), geometry.BorderOf(x.Attrs)
	axes, begin, end, more := []int{}, []int{}, []int{}, slices.Clone(padding)
	for d, n := range x.Types[0].Shape {
		if padding[2*d] < 0 || padding[2*d+1] < 0 {
			from := max(-padding[2*d], 0)
			axes, begin, end = append(axes, d), append(begin, from), append(end, from+n)
			more[2*d], more[2*d+1] = max(padding[2*d], 0), max(padding[2*d+1], 0)
		}
	}
	if len(axes) > 0 {
		v = x.node("pad", x.but("padding", more), x.Args...)
		return only(x.node("slice", emit.Attr("axes", axes, "begin", begin, "end", end), v))
	}
	for d := range v.Type.Shape {
		before, after := padding[2*d], padding[2*d+1]
		switch {
		case before == 0 && after == 0: // Without this a node would change nothing.
		case rule != geometry.BorderConstant:
			n := v.Type.Shape[d]
			x.room(before + n + after)
			places := make([]int32, before+n+after)
			for i := range places {
				places[i] = int32(rule.Index(i-before, n))
			}
			v = x.gather(v, d, places)
		default:
			parts, fill := []*graph.Value{v}, x.Args[len(x.Args)-1]
			if !x.Has(1) {
				fill = x.number(v.Type.DType, x.Float("value"))
			}
			for i, n := range []int{before, after} {
				if n > 0 {
					shape := v.Type.Shape.Clone()
					shape[d] = n
					strip := x.node("expand", emit.Attr("shape", []int(shape)), x.aligned(fill, len(shape)))
					parts = slices.Insert(parts, i*len(parts), strip)
				}
			}
			v = x.node("concat", emit.Attr("axis", d), parts...)
		}
	}
	if v == x.Args[0] { // Without this an operand would be its own result.
		v = x.do("copy", v)
	}
	return only(v)
}

// expandSplit takes one part after the other.
func expandSplit(x *Expansion) (out []*graph.Value) {
	axis, begin := x.Int("axis"), 0
	for _, part := range x.Types {
		end := begin + part.Shape[axis]
		out = append(out, x.node("slice", emit.Attr("axes", []int{axis}, "begin", []int{begin}, "end", []int{end}), x.Args[0]))
		begin = end
	}
	return out
}

// expandSlice takes elements of dimensions that are counted backwards from the reversed tensor.
func expandSlice(x *Expansion) []*graph.Value {
	stride, begin, end := slices.Clone(x.Ints("stride")), slices.Clone(x.Ints("begin")), slices.Clone(x.Ints("end"))
	var back []int
	for i, d := range x.Ints("axes") {
		if len(stride) == 0 || stride[i] > 0 {
			continue
		}
		s, n := sliceBounds(x.Attrs, i, x.In[0].Shape[d]), x.In[0].Shape[d]
		begin[i], stride[i] = n-1-s.Begin, -s.Stride
		end[i] = begin[i] + (s.Count-1)*stride[i] + 1
		back = append(back, d)
	}
	if len(back) == 0 {
		x.none()
	}
	v := x.node("reverse", emit.Attr("axes", back), x.Args[0])
	return only(x.node("slice", x.but("begin", begin, "end", end, "stride", stride), v))
}

// expandArgReduce brings several axes, or none, together to one.
func expandArgReduce(x *Expansion) []*graph.Value {
	v, axes := x.Args[0], slices.Sorted(slices.Values(x.Ints("axes")))
	if len(axes) == 1 {
		x.none()
	}
	var kept []int
	shape, n := []int{}, 1
	for d, extent := range v.Type.Shape {
		if slices.Contains(axes, d) {
			n *= extent
		} else {
			kept, shape = append(kept, d), append(shape, extent)
		}
	}
	flat := x.reshape(x.transpose(v, append(kept, axes...)...), append(shape, n)...)
	return only(x.reshape(x.node(x.Def.Name, x.but("axes", []int{len(shape)}), flat), x.Types[0].Shape...))
}

// expandLookup moves the bounds of the table, so that the sum cannot overflow.
func expandLookup(x *Expansion) []*graph.Value {
	table := x.Args[1]
	n, offset := int64(table.Type.Shape.Len()), int64(x.Int("offset"))
	at := x.between(x.Args[0], -offset, n-1-offset)
	if offset != 0 {
		at = x.do("add", at, x.integer(tensor.Int64, offset))
	}
	return only(x.node("gather", emit.Attr("axis", 0), x.reshape(table, int(n)), at))
}

// between brings integers into a range, as int64.
func (x *Expansion) between(v *graph.Value, lo, hi int64) *graph.Value {
	if d := v.Type.DType; d == tensor.Uint64 {
		v = x.do("min", v, x.integer(d, max(hi, 0)))
	}
	return x.do("clamp", x.cast(v, tensor.Int64), x.integer(tensor.Int64, lo), x.integer(tensor.Int64, hi))
}

// expandResample takes nearest elements by indices, and interpolates by weights, along one dimension after the other: those that the operator
// itself gives.
func expandResample(x *Expansion) []*graph.Value {
	v, sizes, scales := x.Args[0], x.Ints("sizes"), x.Floats("scales")
	linear := x.String("mode") == "linear"
	if linear && v.Type.DType.IsInteger() {
		x.fail("integers are interpolated as floats and rounded, which no simpler operators say")
	}
	// along are the attributes that resize a dimension, behind others.
	along := func(d int, others ...int) graph.Attrs {
		a := x.but("sizes", append(others, sizes[d]))
		if len(scales) > 0 {
			a = a.With("scales", append(slices.Repeat([]float64{1}, len(others)), scales[d]))
		}
		return a
	}
	for d, n := range slices.Backward(v.Type.Shape) {
		switch scaled := len(scales) > 0 && scales[d] != float64(sizes[d])/float64(n); {
		case sizes[d] == n && !scaled: // Without this a node would change nothing.
		case linear:
			v = x.weighted(v, d, along(d, n, 1))
		default:
			x.room(n)
			list := make([]int32, n)
			for i := range list {
				list[i] = int32(i)
			}
			v = x.gather(v, d, tensor.Data[int32](x.eval(along(d), must(tensor.FromSlice(list, n)))))
		}
	}
	if v == x.Args[0] { // Without this an operand would be its own result.
		v = x.do("copy", v)
	}
	if !linear {
		x.tolerance = 0
	}
	return only(v)
}

func expandUpsample(x *Expansion) []*graph.Value {
	v := x.Args[0]
	for d := len(v.Type.Shape) - 1; d >= 2; d-- {
		v = x.weighted(v, d, x.but("factor", []int{x.Ints("factor")[d-2]}))
	}
	return only(v)
}

// weighted interpolates along one dimension by a matrix product. The weights are what the operator, with these attributes, makes of unit
// vectors.
func (x *Expansion) weighted(v *graph.Value, d int, attrs graph.Attrs) *graph.Value {
	n, last := v.Type.Shape[d], len(v.Type.Shape)-1
	x.room(n, n)
	unit := make([]float32, n*n)
	for i := range n {
		unit[i*(n+1)] = 1
	}
	rows := must(tensor.Cast(must(tensor.FromSlice(unit, n, 1, n)), v.Type.DType)) // batch, channels and one spatial dimension
	weights := x.eval(attrs, rows)
	weights = must(weights.Reshape(n, weights.Len()/n))
	swap := emit.Counting(0, last+1)
	swap[d], swap[last] = last, d
	y := x.transpose(v, swap...)
	shape := y.Type.Shape.Clone()
	y = x.do("matmul", x.reshape(y, shape[:last].Len(), n), x.constant(weights))
	shape[last] = y.Type.Shape[1]
	return x.transpose(x.reshape(y, shape...), swap...)
}
