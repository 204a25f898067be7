package op

import (
	"math"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// Operators on the bits of elements.
var bitOps = []*Def{
	withTraits(Commutative, bitwise("bitwise_and", "Bitwise_and sets the bits that both x and y have (ONNX BitwiseAnd).", false,
		integerKernels(elementwise2(bitAnd[int8]), elementwise2(bitAnd[int16]), elementwise2(bitAnd[int32]), elementwise2(bitAnd[int64]),
			elementwise2(bitAnd[uint8]), elementwise2(bitAnd[uint16]), elementwise2(bitAnd[uint32]), elementwise2(bitAnd[uint64])))),
	withTraits(Commutative, bitwise("bitwise_or", "Bitwise_or sets the bits that x or y or both have (ONNX BitwiseOr).", false,
		integerKernels(elementwise2(bitOr[int8]), elementwise2(bitOr[int16]), elementwise2(bitOr[int32]), elementwise2(bitOr[int64]),
			elementwise2(bitOr[uint8]), elementwise2(bitOr[uint16]), elementwise2(bitOr[uint32]), elementwise2(bitOr[uint64])))),
	withTraits(Commutative, bitwise("bitwise_xor", "Bitwise_xor sets the bits that exactly one of x and y has (ONNX BitwiseXor).", false,
		integerKernels(elementwise2(bitXor[int8]), elementwise2(bitXor[int16]), elementwise2(bitXor[int32]), elementwise2(bitXor[int64]),
			elementwise2(bitXor[uint8]), elementwise2(bitXor[uint16]), elementwise2(bitXor[uint32]), elementwise2(bitXor[uint64])))),
	unary("bitwise_not", "Bitwise_not inverts each bit of x (ONNX BitwiseNot).", Spec{}, Integers,
		integerKernels(elementwise1(bitNot[int8]), elementwise1(bitNot[int16]), elementwise1(bitNot[int32]), elementwise1(bitNot[int64]),
			elementwise1(bitNot[uint8]), elementwise1(bitNot[uint16]), elementwise1(bitNot[uint32]), elementwise1(bitNot[uint64]))),
	bitwise("shift_left", "Shift_left moves the bits of x by y places up, x · 2^y modulo 2^bits (ONNX BitShift, LEFT). "+shiftRule, true,
		integerKernels(elementwise2(shiftLeft[int8]), elementwise2(shiftLeft[int16]), elementwise2(shiftLeft[int32]), elementwise2(shiftLeft[int64]),
			elementwise2(shiftLeft[uint8]), elementwise2(shiftLeft[uint16]), elementwise2(shiftLeft[uint32]), elementwise2(shiftLeft[uint64]))),
	bitwise("shift_right", "Shift_right moves the bits of x by y places down, floor(x / 2^y) (ONNX BitShift, RIGHT). "+shiftRule, true,
		integerKernels(elementwise2(shiftRight[int8]), elementwise2(shiftRight[int16]), elementwise2(shiftRight[int32]), elementwise2(shiftRight[int64]),
			elementwise2(shiftRight[uint8]), elementwise2(shiftRight[uint16]), elementwise2(shiftRight[uint32]), elementwise2(shiftRight[uint64]))),
	bitCastDef,
	randomBitsDef,
}

const shiftRule = "By as many places as the type has bits, by more, or by a negative number of them, no bit of x is left: " +
	"the result is 0, or -1 for a negative x that is moved down."

// bitwise defines an operator on pairs of integers, of which the second may be numbers of places.
func bitwise(name, doc string, shift bool, kernels Kernels) *Def {
	d := &Def{
		Name:   name,
		Doc:    doc,
		In:     binaryOperands(Integers),
		Out:    []Result{{Name: "z", Like: "x", Doc: "result, in the shape to which x and y broadcast"}},
		Shape:  broadcastShape,
		Ref:    Reference{Kernels: kernels, PerElement: true},
		Traits: Elementwise,
	}
	d.Generate = func(r *Rand) Case {
		in := r.operands(r.DType(Integers), 2)
		if t := in[1].DType(); shift {
			least := 0
			if t.IsSigned() {
				least = -1
			}
			in[1] = r.Integers(t, in[1].Shape(), least, t.Bits()+1)
		}
		return Case{In: in}
	}
	return d
}

func bitAnd[T tensor.Integer](x, y T) T { return x & y }
func bitOr[T tensor.Integer](x, y T) T  { return x | y }
func bitXor[T tensor.Integer](x, y T) T { return x ^ y }
func bitNot[T tensor.Integer](x T) T    { return ^x }

// A negative number of places is a great one without its sign.
func shiftLeft[T tensor.Integer](x, y T) T  { return x << uint64(y) }
func shiftRight[T tensor.Integer](x, y T) T { return x >> uint64(y) }

// castable are the types that every pattern of bits is an element of.
var castable = Stored &^ Bools

var bitCastDef = &Def{
	Name: "bit_cast",
	Doc: "Bit_cast takes the bits of each element as an element of another type of as many bits (ONNX BitCast). " +
		"A bool has the bits of the uint8 0 or 1, but no other type becomes a bool. NaNs keep their bits.",
	In:    []Operand{{Name: "input", Types: Stored, Rank: AnyRank, Doc: "elements to take anew"}},
	Out:   []Result{{Name: "output", TypeAttr: "dtype", Doc: "the same bits"}},
	Attrs: []Attr{{Name: "dtype", Kind: graph.KindDType, Types: castable, Doc: "the element type of the result, of as many bits as that of input"}},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		if from, to := s.In[0].DType, s.DType("dtype"); from.Bits() != to.Bits() {
			return nil, s.Errorf("dtype", "an element of type %v has %d bits, one of input %d; there must be as many", to, to.Bits(), from.Bits())
		}
		return sameShape(s)
	},
	Ref:      copyReference,
	Traits:   Elementwise,
	Simplify: ifSameType,
	Generate: func(r *Rand) Case {
		from := r.DType(AnyType)
		to := r.DType(castable & AnyType)
		for to.Bits() != from.Bits() {
			to = r.DType(castable & AnyType)
		}
		return Case{ // of numbers that are not negative, none has the bits of a NaN
			In:    []*tensor.Tensor{r.Uniform(from, r.Shape(0, 4), 0, 4)},
			Attrs: graph.Attrs{{Name: "dtype", Value: to}},
		}
	},
}

var randomBitsDef = &Def{
	Name: "random_bits",
	Doc: `Random_bits returns 32 random bits for each index: the same for the same index and seed, everywhere.

It is the first word of Philox4x32-10 (Salmon and others, Parallel Random Numbers: As Easy as 1, 2, 3, 2011), whose counter c is the index
and whose key k is the seed: c₀, k₀ are their low 32 bits, c₁, k₁ the high ones, and c₂ = c₃ = 0. Ten times, with hi:lo the 64-bit product,

    hi₀:lo₀ = 0xD2511F53 · c₀,  hi₁:lo₁ = 0xCD9E8D57 · c₂
    c = hi₁ xor c₁ xor k₀, lo₁, hi₀ xor c₃ xor k₁, lo₀
    k = k₀ + 0x9E3779B9, k₁ + 0xBB67AE85  modulo 2^32

and the result is c₀. Distributions are made of it by other operators: the high 24 bits, as a float times 2^-24, are uniform in [0, 1).`,
	In:  []Operand{{Name: "index", Types: TypeSet(tensor.Int64), Rank: AnyRank, Doc: "the numbers of the results: a range, for independent ones"}},
	Out: []Result{{Name: "bits", Type: tensor.Uint32, Doc: "uniform in 0 … 2^32-1"}},
	Attrs: []Attr{{Name: "seed", Kind: graph.KindInts, Default: []int{0, 0}, Range: [2]float64{math.MinInt32, math.MaxInt32},
		Doc: "which sequence: the words k₀ and k₁ of the key, as signed integers"}},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		if n := len(s.Ints("seed")); n != 2 {
			return nil, s.Errorf("seed", "the number of words is %d; it must be 2", n)
		}
		return sameShape(s)
	},
	Ref: Reference{Kernels: Kernels{tensor.Int64: func(c *Call, lo, hi int) {
		seed := c.Ints("seed")
		index, y := tensor.Data[int64](c.In[0]), tensor.Data[uint32](c.Out[0])
		for i := lo; i < hi; i++ {
			at := uint64(index[i])
			y[i] = philox(uint32(at), uint32(at>>32), uint32(seed[0]), uint32(seed[1]))
		}
	}}, PerElement: true},
	Traits: Elementwise,
	Work:   func(_ *Sig, out []tensor.Shape) Work { return Work{Ops: times(out[0].Len(), 60)} },
	Generate: func(r *Rand) Case {
		index := must(tensor.New(tensor.Int64, r.Shape(0, 4)))
		for i := range tensor.Data[int64](index) {
			tensor.Data[int64](index)[i] = int64(r.Uint64())
		}
		return Case{In: []*tensor.Tensor{index}, Attrs: graph.Attrs{{Name: "seed", Value: Seed(r.Uint64())}}}
	},
}

// Seed returns a number of 64 bits as random_bits takes it, in words that an int of 32 bits holds.
func Seed(n uint64) []int { return []int{int(int32(n)), int(int32(n >> 32))} }

// philox returns the first of the four words that Philox4x32-10 makes of a counter, whose other two words are 0. Arrays would not be in registers.
func philox(c0, c1, k0, k1 uint32) uint32 {
	c2, c3 := uint32(0), uint32(0)
	for range 10 {
		p, q := uint64(c0)*0xD2511F53, uint64(c2)*0xCD9E8D57
		c0, c1, c2, c3 = uint32(q>>32)^c1^k0, uint32(q), uint32(p>>32)^c3^k1, uint32(p)
		k0 += 0x9E3779B9
		k1 += 0xBB67AE85
	}
	return c0
}
