package op

import (
	"math"
	"unsafe"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/tensor"
)

// numeric is the set of element types that have arithmetic in Go.
type numeric interface{ tensor.Number | float64 }

var modDef = &Def{
	Name: "mod",
	Doc: "Mod returns the remainder of x / y, exactly: x - n·y, where n is the quotient rounded to an integer (ONNX Mod). " +
		"With the sign of the dividend n is truncated, as by fmod in C; with that of the divisor n is the integer below, as in Python, and if the " +
		"signs of x and y differ, a remainder that is not 0 gets y added, with one rounding. A zero has the sign that the result must have. " +
		"Integers: x mod 0 is 0. Floats: NaN for an infinite x or y = 0; x for an infinite y of its sign.",
	In:  binaryOperands(Numbers),
	Out: []Result{{Name: "z", Like: "x", Doc: "the remainder, in the shape to which x and y broadcast"}},
	Attrs: []Attr{{Name: "sign", Kind: graph.KindString, Default: "divisor", Enum: []string{"divisor", "dividend"},
		Doc: "whose sign the result has"}},
	Shape: broadcastShape,
	Ref: Reference{
		Kernels: merge(Kernels{tensor.Float32: remainders(floatMod[float32]), tensor.Float64: remainders(floatMod[float64])},
			integerKernels(remainders(integerMod[int8]), remainders(integerMod[int16]), remainders(integerMod[int32]), remainders(integerMod[int64]),
				remainders(integerMod[uint8]), remainders(integerMod[uint16]), remainders(integerMod[uint32]), remainders(integerMod[uint64]))),
		PerElement: true,
	},
	Traits: Elementwise,
	// The sign of the result is that of an operand.
	NonNegative: func(s *Sig, in []bool) bool {
		if s.String("sign") == "dividend" {
			return in[0]
		}
		return in[1]
	},
	Work: func(_ *Sig, out []tensor.Shape) Work { return Work{Ops: times(out[0].Len(), 10)} },
	Generate: func(r *Rand) Case {
		return Case{In: r.operands(r.DType(Numbers), 2), Attrs: graph.Attrs{{Name: "sign", Value: Pick(r, []string{"divisor", "dividend"})}}}
	},
}

// remainders makes the kernel of a function that also says whether the result has the divisor's sign.
func remainders[T numeric](mod func(x, y T, divisor bool) T) Kernel {
	ofDivisor, ofDividend := func(x, y T) T { return mod(x, y, true) }, func(x, y T) T { return mod(x, y, false) }
	return func(c *Call, lo, hi int) {
		if c.String("sign") == "divisor" {
			mapPairs(c, lo, hi, ofDivisor)
		} else {
			mapPairs(c, lo, hi, ofDividend)
		}
	}
}

func integerMod[T tensor.Integer](x, y T, divisor bool) T {
	if y == 0 {
		return 0
	}
	r := x % y
	if divisor && r != 0 && (r < 0) != (y < 0) {
		r += y
	}
	return r
}

// floatMod computes in float64, where the remainder of two float32 is exact and again a float32.
func floatMod[T float32 | float64](x, y T, divisor bool) T {
	r := T(floatRemainder(x, y))
	switch {
	case r != r:
		return T(fmath.NaN())
	case r == 0 && divisor:
		return T(math.Copysign(0, float64(y)))
	case r != 0 && divisor && (r < 0) != (y < 0):
		return r + y
	}
	return r
}

// floatRemainder is math.Mod, which takes a step for each bit of the quotient. No quotient of two float32 is so near to an integer below 2²⁴ that it would be
// rounded to that, and n·y has 48 bits.
func floatRemainder[T float32 | float64](x, y T) float64 {
	a, b := float64(x), float64(y)
	if q := a / b; unsafe.Sizeof(x) == 4 && -1<<24 < q && q < 1<<24 && math.Abs(b) <= math.MaxFloat32 {
		return math.Copysign(a-float64(float64(int32(q))*b), a)
	}
	return math.Mod(a, b)
}
