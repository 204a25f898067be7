package openvx

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

// completeBroadcast completes the result of an operator with two tensors, of which extents of 1 fit any other.
func (c *call) completeBroadcast() error {
	x, y := c.operands[0].dims, c.operands[1].dims
	dims := slices.Clone(x)
	if len(x) != len(y) {
		return c.wrong(1, ErrorInvalidDimension, "has %d dimensions, %v; there must be %d, as many as input1 has", len(y), y, len(x))
	}
	for axis := range dims {
		if dims[axis] == 1 {
			dims[axis] = y[axis]
		} else if y[axis] != 1 && y[axis] != dims[axis] {
			return c.wrong(1, ErrorInvalidDimension, "has extents %v; with input1 of %v extent %d must be %d or 1", y, x, axis, x[axis])
		}
	}
	return c.complete(c.like(0, dims...))
}

func inferAddition(c *call) error {
	if err := firstOf(c.checkFormats(0, 1), c.checkOverflow(2, ConvertPolicy(argument[Enum](c, 2)))); err != nil {
		return err
	}
	return c.completeBroadcast()
}

func lowerAddition(operator string) func(*lowering) *graph.Value {
	return func(l *lowering) *graph.Value {
		return l.Node(operator, emit.Attr("overflow", ConvertPolicy(argument[Enum](l.call, 2)).overflow()), l.values[0], l.values[1])
	}
}

func inferMultiply(c *call) error {
	if err := firstOf(
		c.checkFormats(0, 1), c.checkOverflow(3, ConvertPolicy(argument[Enum](c, 3))), c.checkRounding(4, RoundPolicy(argument[Enum](c, 4))),
		c.checkReal(2, 0, false), c.checkFinite(2),
	); err != nil {
		return err
	}
	return c.completeBroadcast()
}

// checkFinite checks that a float32 parameter is a number.
func (c *call) checkFinite(i int) error {
	if v := argument[float32](c, i); v-v != 0 {
		return c.wrong(i, ErrorInvalidValue, "is %g; it must be a finite number", v)
	}
	return nil
}

// lowerMultiply is exact: a float32 is an integer times a power of two, so that the scale is a step of rescaling.
func lowerMultiply(l *lowering) *graph.Value {
	f, scale := l.out().format, argument[float32](l.call, 2)
	if f.element().IsFloat() {
		return l.times(scale, l.Node("mul", nil, l.values[0], l.values[1]))
	}
	product := l.Node("mul", nil, l.Cast(l.values[0], tensor.Int32), l.Cast(l.values[1], tensor.Int32))
	multiplier, exponent := dyadic(scale)
	// Beyond these shifts a product, of 54 digits at most, gives the same: nothing, or digits that are all out of range.
	shift := min(max(int(f.fixed)-exponent, -64), 127)
	return l.Node("rescale", emit.Attr("rounding", RoundPolicy(argument[Enum](l.call, 4)).rounding(),
		"overflow", ConvertPolicy(argument[Enum](l.call, 3)).overflow(), "dtype", f.element()), product, l.integer(shift), l.integer(multiplier))
}

// dyadic returns x, which is finite and not negative, as an odd integer times a power of two, or as 0.
func dyadic(x float32) (multiplier, exponent int) {
	if x == 0 {
		return 0, 0
	}
	const digits = 24
	fraction, exponent := math.Frexp(float64(x))
	multiplier, exponent = int(math.Ldexp(fraction, digits)), exponent-digits
	for multiplier%2 == 0 {
		multiplier, exponent = multiplier/2, exponent+1
	}
	return multiplier, exponent
}

func inferTableLookup(c *call) error {
	table := &c.operands[1]
	if err := c.checkFormat(0, TypeUint8, TypeInt16); err != nil {
		return err
	}
	f := format{dtype: table.dtype, dims: c.operands[0].dims}
	switch table.dtype {
	case TypeUint8:
	case TypeInt16:
		f.fixed = 8
	default:
		return c.wrong(1, ErrorInvalidType, "has elements of %v; it must be %v or %v", table.dtype, TypeUint8, TypeInt16)
	}
	return c.complete(f)
}

// lowerTableLookup: in a table of 16 bits the entry of 0 stands in the middle (VX_LUT_OFFSET). An index outside the table gives its first
// or last entry; the standard says nothing of it.
func lowerTableLookup(l *lowering) *graph.Value {
	table := &l.operands[1]
	return l.Node("lookup", emit.Attr("offset", tableOffset(table.dtype, table.dims[0])), l.values[0], l.values[1])
}

func inferTranspose(c *call) error {
	if err := c.checkFormats(0); err != nil {
		return err
	}
	dims := slices.Clone(c.operands[0].dims)
	for i := 1; i <= 2; i++ {
		if d := argument[int](c, i); d < 0 || d >= len(dims) {
			return c.wrong(i, ErrorInvalidValue, "is %d; it must be from 0 to %d, a dimension of %v", d, len(dims)-1, dims)
		}
	}
	a, b := argument[int](c, 1), argument[int](c, 2)
	dims[a], dims[b] = dims[b], dims[a]
	return c.complete(c.like(0, dims...))
}

func lowerTranspose(l *lowering) *graph.Value {
	last := len(l.out().dims) - 1
	axes := emit.Counting(0, last+1)
	a, b := last-argument[int](l.call, 1), last-argument[int](l.call, 2)
	axes[a], axes[b] = b, a
	return l.Node("transpose", emit.Attr("axes", axes), l.values[0])
}

func inferConvertDepth(c *call) error {
	if err := firstOf(
		c.checkFormats(0), c.checkOverflow(1, ConvertPolicy(argument[Enum](c, 1))), c.checkFinite(2), c.checkFinite(3),
	); err != nil {
		return err
	}
	if argument[float32](c, 2) == 0 {
		return c.wrong(2, ErrorInvalidValue, "is 0, by which nothing can be divided")
	}
	if err := c.checkFormat(c.last(), TypeUint8, TypeInt8, TypeInt16, TypeFloat32); err != nil {
		return err // also where it is open: nothing else says it
	}
	f := c.out().format
	f.dims = c.operands[0].dims
	return c.complete(f)
}

// lowerConvertDepth computes the standard's formula in float32, each operation rounded, and truncates the result.
func lowerConvertDepth(l *lowering) *graph.Value {
	from, to := l.operands[0].format, l.out().format
	policy, norm, offset := ConvertPolicy(argument[Enum](l.call, 1)), argument[float32](l.call, 2), argument[float32](l.call, 3)
	return l.eachElement(l.values[0], func(x *graph.Value) *graph.Value {
		v := l.Node("div", nil, l.Node("sub", nil, l.toReal(x, from), l.real(offset)), l.real(norm))
		if policy == ConvertPolicySaturate || to.element().IsFloat() {
			return l.fromReal(v, to)
		}
		// The low digits of the truncated number. Those of a float32 beyond ±2^62 are zeros, as those of 2^62.
		v = l.Node("clamp", nil, l.scaled(v, to), l.real(-exp2(62)), l.real(exp2(62)))
		return l.Cast(l.Cast(v, tensor.Int64), to.element())
	})
}

func inferMatrixMultiply(c *call) error {
	if err := firstOf(c.checkFormats(0, 1, 2), c.checkRank(0, 2, 2), c.checkRank(1, 2, 2)); err != nil {
		return err
	}
	p := argument[MatrixMultiplyParams](c, 3)
	a, b := transposedIf(p.TransposeA, c.operands[0].dims), transposedIf(p.TransposeB, c.operands[1].dims)
	if a[0] != b[1] {
		return c.wrong(1, ErrorInvalidDimension, "has extents %v, %d rows as it is used; there must be %d, as many as input1, %v, has columns",
			c.operands[1].dims, b[1], a[0], c.operands[0].dims)
	}
	want := []int{b[0], a[1]}
	if c.operands[2].given {
		if err := c.checkDims(2, transposedIf(p.TransposeC, want), "those of the product as they are used"); err != nil {
			return err
		}
	}
	return c.complete(c.like(0, want...))
}

func transposedIf(transposed bool, dims []int) []int {
	if transposed {
		return reversed(dims)
	}
	return dims
}

// lowerMatrixMultiply rounds the exact sum to nearest, as the standard says; halves, of which it says nothing, go up.
func lowerMatrixMultiply(l *lowering) *graph.Value {
	p, a := argument[MatrixMultiplyParams](l.call, 3), l.operands[0].format
	acc := accumulator(a, transposedIf(p.TransposeA, a.dims)[0])
	sum := l.Node("matmul", append(emit.Attr("transposeA", p.TransposeA, "transposeB", p.TransposeB), sums(acc)...), l.values[0], l.values[1])
	if c := l.aligned(l.values[2], a, acc); c != nil {
		if p.TransposeC {
			c = l.Transpose(c, 1, 0)
		}
		sum = l.Node("add", nil, sum, c)
	}
	return l.rounded(sum, "half_up", ConvertPolicySaturate)
}
