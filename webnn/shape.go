package webnn

import (
	"fmt"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

// What methods have beside their operators.

// aligned gives the operands one rank: shapes broadcast aligned at the end in WebNN, those of the operators have as many dimensions.
func aligned(l *lowering) {
	in := make([]*graph.Value, len(l.method.args))
	for i, p := range l.method.args {
		in[i] = l.operand(p.name)
	}
	for i, v := range l.AlignRight(in...) {
		l.values[l.method.args[i].name] = v
	}
}

// blocks gives scale and zero point the rank of the input, by extents of 1 in front.
func blocks(l *lowering) {
	scale, zero := l.operand("scale"), l.operand("zeroPoint")
	if small := scale.Type.Shape; !zero.Type.Shape.Equal(small) {
		l.reject("zeroPoint.shape", "the shape of zeroPoint is %v; it must be %v, that of scale", zero.Type.Shape, small)
	}
	rank := len(l.shape("input"))
	l.values["scale"], l.values["zeroPoint"] = l.unsqueezeTo(scale, rank), l.unsqueezeTo(zero, rank)
}

func batchNormalization(l *lowering) {
	in, axis := l.shape("input"), l.int("axis")
	if axis < len(in) { // otherwise the operator rejects it
		l.channels(in[axis], fmt.Sprintf("the extent of dimension %d of the input %v", axis, in), "mean", "variance", "scale", "bias")
	}
}

func instanceNormalization(l *lowering) {
	l.channels(l.shape("input")[1], "the channels of the "+l.seen[0], "scale", "bias")
}

// recurrent checks that "hidden size" is a valid dimension with gates for two directions. A layout has a letter for each gate.
func recurrent(l *lowering) {
	hidden, gates := int64(l.int("hiddenSize")), 2*int64(len(l.string("layout")))
	if n := gates * hidden; n < 1 || n > maxDimension {
		l.reject("hiddenSize", "hiddenSize is %d; %d times that must be from 1 to %d", hidden, gates, maxDimension)
	}
}

// clamp makes its bounds operands.
func clamp(l *lowering) {
	lo, hi := l.bound("minValue"), l.bound("maxValue")
	if lo != nil && hi != nil && l.Err == nil && greater(lo.Const, hi.Const) {
		l.reject("bounds", "minValue %v is greater than maxValue %v, both cast to %v",
			l.values["minValue"], l.values["maxValue"], lo.Type.DType)
	}
	l.values["a"], l.values["b"] = lo, hi
}

// bound returns an option as a constant of the type of the input, nil if it is absent or NaN, which bounds nothing.
func (l *lowering) bound(name string) *graph.Value {
	if f, isFloat := l.values[name].(float64); !l.has(name) || isFloat && f != f {
		return nil
	}
	return l.Constant(l.cast(name, l.operand("input").Type.DType))
}

// greater compares two scalars of one type. NaN is not greater than anything, nor is anything greater than NaN. It is no evaluation of an operator: on a
// page that takes a module of its own, for each clamp.
func greater(a, b *tensor.Tensor) bool {
	switch a.DType() {
	case tensor.Int64:
		return tensor.Data[int64](a)[0] > tensor.Data[int64](b)[0]
	case tensor.Uint64:
		return tensor.Data[uint64](a)[0] > tensor.Data[uint64](b)[0]
	}
	x, err := tensor.Cast(a, tensor.Float64) // which has the values of all others
	if err != nil {
		return false
	}
	y, err := tensor.Cast(b, tensor.Float64)
	return err == nil && tensor.Data[float64](x)[0] > tensor.Data[float64](y)[0]
}

// maxTensorCount is the greatest "valid tensor count" of the standard: of the inputs of concat and the results of split.
const maxTensorCount = limits.WebNNTensors

func concat(l *lowering) {
	inputs := value[[]*graph.Value](l, "inputs")
	if n := len(inputs); n == 0 || n > maxTensorCount {
		l.reject("inputs.count", "%d inputs are given; there must be from 1 to %d", n, maxTensorCount)
	}
	for i, v := range inputs {
		if want := inputs[0].Type.DType; v.Type.DType != want {
			l.reject("inputs.dataType", "inputs: item %d is %v; it must be %v as the first one", i, v.Type.DType, want)
		}
	}
}

func expand(l *lowering) {
	x, to := l.operand("input"), l.ints("newShape")
	l.checkResult(x.Type.DType, to)
	l.values["input"] = l.unsqueezeTo(x, len(to))
}

func reshape(l *lowering) { l.checkResult(l.operand("input").Type.DType, l.ints("newShape")) }

func transpose(l *lowering) {
	rank := len(l.shape("input"))
	if !l.has("permutation") {
		reverse := emit.Counting(0, rank)
		slices.Reverse(reverse)
		l.values["permutation"] = reverse
	}
	l.perDimension("permutation", rank)
}

// perDimension rejects a list that has not one item for each dimension, and returns it.
func (l *lowering) perDimension(name string, rank int) []int {
	list := l.ints(name)
	if len(list) != rank {
		l.reject(name, "%s: %d values are given; there must be %d, one for each dimension", name, len(list), rank)
		return make([]int, rank)
	}
	return list
}

// positive returns a list after rejecting it if it has a zero.
func (l *lowering) positive(name string, list []int) []int {
	for i, n := range list {
		if n == 0 {
			l.reject(name+".positive", "%s: item %d is 0; it must be positive", name, i)
		}
	}
	return list
}

// pad is about the number of elements that [graph] writes in pairs, and what they are.
func pad(l *lowering) {
	in, mode := l.shape("input"), PaddingMode(l.string("mode"))
	begin, end := l.perDimension("beginningPadding", len(in)), l.perDimension("endingPadding", len(in))
	padding := make([]int, 0, 2*len(in))
	for i, n := range in {
		if most := max(begin[i], end[i]); mode == PadReflection && most >= n {
			l.reject("mode.reflection", "the padding %d of dimension %d must be less than the extent %d for reflection", most, i, n)
		}
		padding = append(padding, begin[i], end[i])
	}
	l.values["padding"] = padding
	l.values["border"] = map[PaddingMode]string{PadConstant: "constant", PadEdge: "replicate", PadReflection: "reflect"}[mode]
	if fill := l.cast("value", l.operand("input").Type.DType); mode == PadConstant {
		l.values["fill"] = l.Constant(fill)
	}
	delete(l.values, "value") // which is no attribute
}

func slice(l *lowering) {
	in := l.shape("input")
	begin, sizes := l.perDimension("starts", len(in)), l.positive("sizes", l.perDimension("sizes", len(in)))
	if l.has("strides") {
		l.positive("strides", l.perDimension("strides", len(in)))
	}
	end := make([]int, len(in))
	for i, n := range in {
		if begin[i] > n || sizes[i] > n-begin[i] {
			l.reject("sizes.bounds", "%d elements from %d are not within dimension %d of shape %v", sizes[i], begin[i], i, in)
			return
		}
		end[i] = begin[i] + sizes[i]
	}
	l.values["axes"], l.values["end"] = emit.Counting(0, len(in)), end
}

func split(l *lowering) {
	in, axis := l.shape("input"), l.int("axis")
	if axis >= len(in) {
		return // which the operator rejects
	}
	sizes, listed := l.values["splits"].([]int)
	count := len(sizes)
	if !listed {
		count = l.int("splits")
	}
	if count < 1 || count > maxTensorCount {
		l.reject("splits", "there would be %d results; there must be from 1 to %d", count, maxTensorCount)
		return
	}
	if !listed {
		if in[axis]%count != 0 {
			l.reject("splits.divide", "the extent %d of dimension %d is not divisible by splits, %d", in[axis], axis, count)
		}
		sizes = slices.Repeat([]int{in[axis] / count}, count)
	}
	sum := int64(0)
	for _, n := range l.positive("splits", sizes) {
		sum += int64(n)
	}
	if sum != int64(in[axis]) {
		l.reject("splits.sum", "the sum of splits is %d; it must be %d, the extent of dimension %d", sum, in[axis], axis)
	}
	l.values["splits"] = sizes
}
