package nnef

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/tensor"
)

// unsqueezed adds dimensions of extent 1 in front.
func (l *tractLowering) unsqueezed(v *graph.Value, n int) *graph.Value {
	return l.Unsqueeze(v, emit.Counting(0, n-rank(v))...)
}

// tractBroadcast aligns shapes on the right, other than the operations on elements.
func tractBroadcast(l *tractLowering) []*graph.Value {
	shape := slices.Clone(l.ints("shape"))
	x := l.unsqueezed(l.tensor("input"), len(shape))
	have := l.shape(x)
	if l.Err != nil {
		return nil
	}
	shape = append(slices.Repeat([]int{1}, len(have)-len(shape)), shape...)
	for i := range shape {
		if shape[i] == 1 {
			shape[i] = have[i]
		}
	}
	return l.result("expand", []*graph.Value{x}, attr("shape", shape))
}

// strided takes elements along one dimension.
func (l *tractLowering) strided(v *graph.Value, axis, begin, end, stride int, result bool) []*graph.Value {
	attrs := []graph.Attr{attr("axes", []int{axis}), attr("begin", []int{begin}), attr("end", []int{end}),
		attr("stride", []int{stride})}
	if result {
		return l.result("slice", []*graph.Value{v}, attrs...)
	}
	return []*graph.Value{l.step("slice", []*graph.Value{v}, attrs...)}
}

// part takes the elements begin … end-1 along a dimension.
func (l *tractLowering) part(v *graph.Value, axis, begin, end int) *graph.Value {
	return l.strided(v, axis, begin, end, 1, false)[0]
}

func tractDownsample(l *tractLowering) []*graph.Value {
	x, stride, modulo := l.tensor("input"), l.int("stride"), l.int("modulo")
	axis := l.axis("axis", x, 0)
	shape := l.shape(x)
	switch {
	case l.Err != nil:
		return nil
	case stride == 0 || modulo < 0:
		l.fail(eval.CodeAttribute, "stride", "the stride is %d and the modulo %d; they must not be 0 and not be negative", stride, modulo)
		return nil
	}
	n := shape[axis]
	if begin := min(modulo, n); stride > 0 {
		if begin == n {
			return l.strided(x, axis, n, n, stride, true)
		}
		return l.strided(x, axis, begin, n, stride, true)
	}
	return l.strided(x, axis, -1, modulo-n-1, stride, true)
}

func tractDynSlice(l *tractLowering) []*graph.Value {
	x := l.tensor("input")
	axis := l.axis("axis", x, 0)
	shape := l.shape(x)
	if l.Err != nil {
		return nil
	}
	n := shape[axis]
	begin, end := l.int("start"), l.int("end")
	if begin < 0 || end < begin || end > n {
		l.fail(eval.CodeAttribute, "end", "the range %d … %d is not within the extent %d", begin, end, n)
		return nil
	}
	if begin == end {
		begin, end = n, n
	}
	return l.strided(x, axis, begin, end, 1, true)
}

func tractGather(l *tractLowering) []*graph.Value {
	x := l.tensor("input")
	if l.Err == nil {
		x = l.Cast(x, l.dtypeOr("datum_type", x.Type.DType))
	}
	return l.result("gather", []*graph.Value{x, l.tensor("indices")}, attr("axis", l.axis("axis", x, 0)), attr("negative", true))
}

func tractGatherElements(l *tractLowering) []*graph.Value {
	x := l.tensor("input")
	return l.result("gather_elements", []*graph.Value{x, l.tensor("indices")}, attr("axis", l.axis("axis", x, 0)),
		attr("negative", true))
}

// tractGatherND writes the coordinates along shared leading dimensions before those that are given.
func tractGatherND(l *tractLowering) []*graph.Value {
	x, indices, batch := l.tensor("input"), l.tensor("indices"), l.int("batch_dims")
	if batch > 0 {
		shape := l.shape(indices)
		if l.Err == nil && (batch >= len(shape) || batch > rank(x)) {
			l.fail(eval.CodeAttribute, "batch_dims", "there are %d shared dimensions; the indices have rank %d", batch, len(shape))
		}
		if l.Err != nil {
			return nil
		}
		prefix := slices.Clone(shape)
		prefix[len(prefix)-1] = 1
		parts := make([]*graph.Value, 0, batch+1)
		for d := range batch {
			one := slices.Repeat([]int{1}, len(prefix))
			one[d] = prefix[d]
			v := l.Reshape(l.iota(prefix[d], indices.Type.DType), one...)
			parts = append(parts, l.step("expand", []*graph.Value{v}, attr("shape", []int(prefix))))
		}
		indices = l.step("concat", append(parts, indices), attr("axis", len(shape)-1))
	}
	return l.result("gather_nd", []*graph.Value{x, indices}, attr("negative", true))
}

func tractScatter(name string) func(l *tractLowering) []*graph.Value {
	return func(l *tractLowering) []*graph.Value {
		if r := l.string("reduction"); r != "none" {
			l.fail(eval.CodeAttribute, "reduction", "the reduction %q of %s is not supported; only \"none\"", r, l.c.Op.Name)
			return nil
		}
		in := []*graph.Value{l.tensor("input"), l.tensor("indices"), l.tensor("updates")}
		if name == "scatter_nd" {
			return l.result(name, in, attr("negative", true))
		}
		return l.result(name, in, attr("axis", l.axis("axis", in[0], 0)), attr("negative", true))
	}
}

// Constants of more numbers in a row than iotaInline are computed when the model runs.
const iotaInline = limits.TractRange

// iota returns the numbers 0 … n-1.
func (l *tractLowering) iota(n int, d tensor.DType) *graph.Value {
	if n <= iotaInline {
		values := make([]eval.Value, n)
		for i := range values {
			values[i] = int64(i)
		}
		return l.constant(values, d, tensor.Shape{n})
	}
	one := l.constant([]eval.Value{int64(1)}, tensor.Int64, tensor.Shape{1})
	ones := l.step("expand", []*graph.Value{one}, attr("shape", []int{n}))
	return l.Cast(l.step("cumulative_sum", []*graph.Value{ones}, attr("axis", 0), attr("exclusive", true)), d)
}

func tractOneHot(l *tractLowering) []*graph.Value {
	x, dim := l.tensor("input"), l.int("dim")
	axis := l.axis("axis", x, 1)
	if l.Err == nil && (dim < 0 || dim > limits.TractCount) {
		l.fail(eval.CodeAttribute, "dim", "%d classes are not allowed", dim)
	}
	if l.Err != nil {
		return nil
	}
	classes := slices.Repeat([]int{1}, rank(x)+1)
	classes[axis] = dim
	n := l.like(x, float64(dim))
	x = l.op("select", l.op("lt", x, l.like(x, 0)), l.op("add", x, n), x)
	numbers := l.Reshape(l.iota(dim, x.Type.DType), classes...)
	hit := l.step("eq", []*graph.Value{l.Unsqueeze(x, axis), numbers})
	return l.result("select", []*graph.Value{hit, l.number("value_on"), l.number("value_off")})
}

// number returns an argument as a float32.
func (l *tractLowering) number(arg string) *graph.Value {
	return l.constant([]eval.Value{l.float(arg)}, tensor.Float32, tensor.Shape{})
}

// tractRange makes start, start+step, … before end, which must be known.
func tractRange(l *tractLowering) []*graph.Value {
	var p [3]*graph.Value
	var v [3]float64
	for i, arg := range []string{"start", "end", "step"} {
		p[i] = l.tensor(arg)
		if list := l.elements(arg, p[i]); len(list) == 1 {
			v[i], _ = primitiveAs(list[0], syntax.Scalar).(float64)
		} else if l.Err == nil {
			l.fail(eval.CodeType, arg, "the argument %s has %d elements; it must be one number", arg, len(list))
		}
	}
	n := math.Ceil((v[1] - v[0]) / v[2])
	if l.Err == nil && (v[2] == 0 || math.IsNaN(n) || n > limits.TractCount) {
		l.fail(eval.CodeAttribute, "step", "from %v to %v by %v is no range", v[0], v[1], v[2])
	}
	if l.Err != nil {
		return nil
	}
	l.alike(p[:])
	steps := l.op("mul", l.iota(int(max(n, 0)), p[0].Type.DType), p[2])
	return l.result("add", []*graph.Value{steps, p[0]})
}

func tractTrilu(l *tractLowering) []*graph.Value {
	return l.result("triangular", []*graph.Value{l.tensor("input")}, attr("upper", l.bool("upper")), attr("diagonal", l.int("k")))
}

// rankWork bounds the comparisons by which the greatest elements are found.
const rankWork = limits.TractComparisons

// tractTopK finds the place of each element in the order by comparing all with all: the number of elements that come
// before it. The lower index comes first among equals.
func tractTopK(l *tractLowering) []*graph.Value {
	x, k := l.tensor("input"), l.int("k")
	axis := l.axis("axis", x, 0)
	shape := l.shape(x)
	if l.Err != nil {
		return nil
	}
	n := shape[axis]
	if k < 1 || k > n {
		l.fail(eval.CodeAttribute, "k", "%d elements of %d cannot be taken", k, n)
		return nil
	}
	if shape.Len() > rankWork/n {
		l.fail(eval.CodeAttribute, "k", "%s of %d elements is not supported: it takes too many comparisons", l.c.Op.Name, n)
		return nil
	}
	order := emit.Counting(0, len(shape))
	order[axis], order[len(order)-1] = order[len(order)-1], order[axis]
	moved := l.Transpose(x, order...) // the axis is the last one
	last := len(shape)
	mine := l.Unsqueeze(moved, last)
	others := l.Unsqueeze(moved, last-1)
	before := "lt"
	if l.bool("largest") {
		before = "gt"
	}
	numbers := l.iota(n, tensor.Int64)
	column := l.Reshape(numbers, append(slices.Repeat([]int{1}, last-1), n, 1)...)
	row := l.Reshape(numbers, append(slices.Repeat([]int{1}, last), n)...)
	earlier := l.step("and", []*graph.Value{l.op("eq", others, mine), l.op("lt", row, column)})
	first := l.step("or", []*graph.Value{l.op(before, others, mine), earlier})
	place := l.step("sum_reduce", []*graph.Value{l.Cast(first, tensor.Int64)}, attr("axes", []int{last}))
	places := l.Reshape(l.iota(k, tensor.Int64), append(slices.Repeat([]int{1}, last), k)...)
	hit := l.Cast(l.op("eq", place, places), tensor.Uint8)
	index := l.step("argmax_reduce", []*graph.Value{hit}, attr("axes", []int{last - 1}))
	index = l.Squeeze(index, last-1)
	indices := l.Named(l.named(1), "transpose", emit.Attr("axes", order), index)
	if l.Err != nil {
		return nil
	}
	values := l.Named(l.named(0), "gather_elements", emit.Attr("axis", axis), x, indices[0])
	return append(values, indices...)
}

// tractItem takes an item along the first dimension.
func tractItem(l *tractLowering) []*graph.Value {
	x := l.tensor("input")
	shape := l.shape(x)
	if i := l.int("index"); l.Err == nil && (len(shape) == 0 || i < 0 || i >= shape[0]) {
		l.fail(eval.CodeIndex, "index", "the index %d is out of range for the shape %v", i, shape)
	}
	if l.Err != nil {
		return nil
	}
	return l.result("squeeze", []*graph.Value{l.part(x, 0, l.int("index"), l.int("index")+1)}, attr("axes", []int{0}))
}
