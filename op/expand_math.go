package op

import (
	"math"
	"math/bits"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

// What arithmetic, most of it of integers, means in simpler operators.

// expandArithmetic computes integers that saturate in more bits.
func expandArithmetic(x *Expansion) []*graph.Value {
	d, wide := x.Types[0].DType, tensor.Int64
	switch {
	case !d.IsInteger() || x.String("overflow") == "wrap":
		x.none()
	case d.Size() > 4:
		x.fail("overflow = saturate: there are no integers of more than the 64 bits of %v", d)
	case x.Def.Name == "mul" && d == tensor.Uint32: // products may exceed the 63 bits of int64
		wide = tensor.Uint64
	}
	lo, hi := d.IntRange()
	y := x.do(x.Def.Name, x.cast(x.Args[0], wide), x.cast(x.Args[1], wide))
	return only(x.between(y, lo, int64(hi)))
}

func expandClamp(x *Expansion) []*graph.Value {
	y := x.Args[0]
	if x.Has(2) {
		y = x.do("min", y, x.Args[2])
	}
	if x.Has(1) {
		y = x.do("max", y, x.Args[1])
	}
	return only(y)
}

func expandClampPrecision(x *Expansion) []*graph.Value {
	v, d := x.Args[0], x.Types[0].DType
	bound := int64(1)<<(x.Int("precision")-1) - 1
	var lower, upper *graph.Value
	lo, hi := d.IntRange()
	if -bound > lo {
		lower = x.integer(d, -bound)
	}
	if uint64(bound) < hi {
		upper = x.integer(d, bound)
	}
	return only(x.do("clamp", v, lower, upper))
}

// expandBitLength counts the powers of two that are not above |x|.
func expandBitLength(x *Expansion) []*graph.Value {
	v, d := x.Args[0], tensor.Int64
	kind := v.Type.DType
	if len(v.Type.Shape) == tensor.MaxRank {
		x.fail("a dimension more would be needed")
	}
	powers := make([]uint64, kind.Bits()-1)
	for i := range powers {
		powers[i] = 2 << i
	}
	magnitude := x.cast(v, d)
	switch kind {
	case tensor.Uint64:
		d, magnitude = kind, v
	case tensor.Int64:
		powers = powers[:len(powers)-1] // the last one is no int64
		fallthrough
	default:
		magnitude = x.do("abs", magnitude)
	}
	rank := len(v.Type.Shape)
	column := x.reshape(magnitude, append(v.Type.Shape.Clone(), 1)...)
	row := x.constant(must(must(tensor.Cast(must(tensor.FromSlice(powers, len(powers))), d)).Reshape(append(slices.Repeat([]int{1}, rank), len(powers))...)))
	reached := x.cast(x.do("ge", column, row), tensor.Int32)
	n := x.reshape(x.node("sum_reduce", emit.Attr("axes", []int{rank}), reached), v.Type.Shape...)
	n = x.do("add", n, x.integer(tensor.Int32, 1))
	if kind == tensor.Int64 { // the least number is its own magnitude
		n = x.do("select", x.do("lt", magnitude, x.integer(d, 0)), x.integer(tensor.Int32, 64), n)
	}
	return only(x.cast(n, kind))
}

// expandSum divides sums of integers, which wrap in their type first.
func expandSum(x *Expansion) []*graph.Value {
	if !x.Bool("normalize") {
		x.none()
	}
	v := x.Args[0]
	if v.Type.DType.IsFloat() {
		return only(x.node("mean_reduce", emit.Attr("axes", x.Ints("axes")), v))
	}
	n := 1
	for _, a := range x.Ints("axes") {
		n *= v.Type.Shape[a]
	}
	if n == 0 { // Without this 0 would be divided by 0, which is 0 here but may be an error elsewhere.
		return only(x.full(v.Type.DType, 0, x.Types[0].Shape))
	}
	sum := x.wide(x.node("sum_reduce", x.but("normalize", false), v))
	return only(x.do("div", sum, x.integer(sum.Type.DType, int64(n))))
}

// expandMatmul transposes the factors and takes away zero points, and of integers makes all products, and adds them.
func expandMatmul(x *Expansion) []*graph.Value {
	a, b := x.turned(0, "transposeA"), x.turned(1, "transposeB")
	d, rank := a.Type.DType, len(a.Type.Shape)
	if !d.IsInteger() {
		if a == x.Args[0] && b == x.Args[1] {
			x.none()
		}
		return only(x.do("matmul", a, b))
	}
	k := a.Type.Shape[rank-1]
	if n := x.Types[0].Shape.Len(); k > 0 && n > limits.ExpandedProducts/k || rank == tensor.MaxRank {
		x.fail("matrices of integers are multiplied element by element, and these, %v and %v, have more than %d products, or %d dimensions",
			a.Type.Shape, b.Type.Shape, limits.ExpandedProducts, tensor.MaxRank)
	}
	left := x.reshape(a, append(a.Type.Shape.Clone(), 1)...)
	right := x.reshape(b, slices.Insert(b.Type.Shape.Clone(), rank-2, 1)...)
	return only(x.reshape(x.node("sum_reduce", emit.Attr("axes", []int{rank - 1}), x.do("mul", left, right)), x.Types[0].Shape...))
}

// turned is a factor without its zero point, with its last dimensions exchanged if the attribute says so.
func (x *Expansion) turned(i int, attr string) *graph.Value {
	v, d := x.Args[i], x.Types[0].DType
	swap := emit.Counting(0, len(v.Type.Shape))
	if x.Bool(attr) {
		slices.Reverse(swap[len(swap)-2:])
	}
	v = x.transpose(v, swap...)
	if !d.IsInteger() { // Without this floats would be cast there and back.
		return v
	}
	if v = x.cast(v, d); x.Has(2 + i) {
		v = x.do("sub", v, x.cast(x.Args[2+i], d))
	}
	return v
}

// expandRequantize takes sums for quantised numbers, and quantises the floats that they mean in steps of 1.
func expandRequantize(x *Expansion) []*graph.Value {
	v, scale := x.Args[0], x.Args[1]
	if v.Type.DType != tensor.Int32 {
		x.fail("its sums are of %v; dequantised are int32", v.Type.DType)
	}
	zeros, ones := x.like(x.integer(tensor.Int32, 0), scale), x.like(x.number(tensor.Float32, 1), scale)
	block := emit.Attr("block", x.Ints("block"))
	return only(x.node("quantize_linear", block, x.node("dequantize_linear", block, v, scale, zeros), ones, x.Args[2]))
}

// like gives a scalar the shape of another value.
func (x *Expansion) like(v, other *graph.Value) *graph.Value {
	if len(other.Type.Shape) == 0 { // Without this a node would change nothing.
		return v
	}
	return x.node("expand", emit.Attr("shape", []int(other.Type.Shape)), x.aligned(v, len(other.Type.Shape)))
}

// expandRescale multiplies and divides in int64, where that is exact.
func expandRescale(x *Expansion) []*graph.Value {
	v, to := x.Args[0], x.Types[0].DType
	shift, factor := int(min(max(x.single(1, "shift"), -64), 127)), x.single(2, "multiplier")
	if v.Type.DType == tensor.Uint64 {
		x.fail("the elements are uint64, and are computed with 63 bits and a sign")
	}
	lo, hi := v.Type.DType.IntRange()
	width := max(bits.Len64(uint64(-lo)), bits.Len64(hi)) // |x| ≤ 2^width
	if factor != 1 {
		width += bits.Len64(uint64(max(factor, -factor)))
	}
	if width+max(-shift, 0) > 62 || shift > 62 {
		x.fail("multiplier %d and shift %d may exceed the 63 bits of int64", factor, shift)
	}
	if v = x.cast(v, tensor.Int64); shift < 0 {
		factor <<= -shift
	}
	if factor != 1 {
		v = x.do("mul", v, x.integer(tensor.Int64, factor))
	}
	if shift > 0 {
		v = x.shifted(v, shift, x.String("rounding"))
	}
	if least, most := to.IntRange(); x.String("overflow") == "saturate" && to != tensor.Int64 {
		v = x.between(v, least, int64(min(most, math.MaxInt64)))
	}
	return only(v)
}

// single is an operand of rescale, which must be a constant of one element; 1 if it is absent.
func (x *Expansion) single(i int, name string) int64 {
	if !x.Has(i) {
		return 1
	}
	t := x.Args[i].Const
	if t == nil || t.Len() != 1 {
		x.fail("its %s is no constant with one element", name)
	}
	return tensor.Data[int64](must(tensor.Cast(t, tensor.Int64)))[0]
}

// shifted divides by 2^shift.
func (x *Expansion) shifted(v *graph.Value, shift int, rounding string) *graph.Value {
	number := func(n int64) *graph.Value { return x.integer(tensor.Int64, n) }
	divisor, half, zero := number(1<<shift), number(1<<(shift-1)), number(0)
	quotient := func(v *graph.Value) *graph.Value { return x.do("div", v, divisor) }
	floor := func(v *graph.Value) (q, rest *graph.Value) {
		q = quotient(v)
		rest = x.do("sub", v, x.do("mul", q, divisor))
		below := x.cast(x.do("lt", rest, zero), tensor.Int64)
		return x.do("sub", q, below), x.do("add", rest, x.do("mul", below, divisor))
	}
	switch roundingOf(rounding) {
	case roundFloor:
		q, _ := floor(v)
		return q
	case roundToZero:
		return quotient(v)
	case roundHalfToUp:
		q, _ := floor(x.do("add", v, half))
		return q
	case roundHalfUpToZero:
		return quotient(x.do("add", v, half))
	case roundHalfFromZero:
		return x.do("mul", x.do("sign", v), quotient(x.do("add", x.do("abs", v), half)))
	}
	q, rest := floor(v) // to the nearest, of two to the even one
	odd := x.do("ne", q, x.do("mul", x.do("div", q, number(2)), number(2)))
	up := x.do("or", x.do("gt", rest, half), x.do("and", x.do("eq", rest, half), odd))
	return x.do("add", q, x.cast(up, tensor.Int64))
}
