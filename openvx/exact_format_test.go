package openvx_test

import "math/big"

// Format is how an element stands for a number: an integer of some bits that counts units of 2^-Fraction.
type Format struct {
	Name           string
	Bits, Fraction int
	Signed         bool
}

// The formats of the extensions KHR_NN_8 and KHR_NN_16.
var (
	U8  = Format{Name: "U8", Bits: 8}
	S8  = Format{Name: "S8", Bits: 8, Signed: true}
	Q78 = Format{Name: "Q78", Bits: 16, Fraction: 8, Signed: true}
)

// Formats lists them.
var Formats = []Format{U8, S8, Q78}

// Min returns the least element.
func (f Format) Min() int64 {
	if f.Signed {
		return -1 << (f.Bits - 1)
	}
	return 0
}

// Max returns the greatest element.
func (f Format) Max() int64 { return f.Min() + 1<<f.Bits - 1 }

// Policy is what becomes of a number that is no element. The zero Policy rounds to zero and saturates.
type Policy struct {
	Wrap        bool `json:"wrap,omitempty"`
	NearestEven bool `json:"nearestEven,omitempty"`
}

// value is the number that an element stands for.
func (f Format) value(raw int64) *big.Rat { return big.NewRat(raw, 1<<f.Fraction) }

// scaled is v in units of the format.
func (f Format) scaled(v *big.Rat) *big.Rat { return new(big.Rat).Mul(v, big.NewRat(1<<f.Fraction, 1)) }

// encode turns a number into an element.
func (f Format) encode(v *big.Rat, p Policy) int64 {
	round := toZero
	if p.NearestEven {
		round = nearestEven
	}
	return f.fit(round(f.scaled(v)), p.Wrap)
}

// fit keeps the low bits of a number, or takes the nearest element.
func (f Format) fit(n *big.Int, wrap bool) int64 {
	least, greatest := big.NewInt(f.Min()), big.NewInt(f.Max())
	switch {
	case wrap:
		n = new(big.Int).Sub(n, least)
		n.Mod(n, new(big.Int).Lsh(big.NewInt(1), uint(f.Bits)))
		return n.Int64() + f.Min()
	case n.Cmp(least) < 0:
		return f.Min()
	case n.Cmp(greatest) > 0:
		return f.Max()
	}
	return n.Int64()
}

func toZero(v *big.Rat) *big.Int { return new(big.Int).Quo(v.Num(), v.Denom()) }

func floor(v *big.Rat) *big.Int { return new(big.Int).Div(v.Num(), v.Denom()) } // a denominator is positive

func ceil(v *big.Rat) *big.Int {
	n := floor(new(big.Rat).Neg(v))
	return n.Neg(n)
}

var half = big.NewRat(1, 2)

func nearestEven(v *big.Rat) *big.Int {
	n := floor(new(big.Rat).Add(v, half))
	if n.Bit(0) == 1 && n.Cmp(ceil(new(big.Rat).Sub(v, half))) != 0 {
		n.Sub(n, big.NewInt(1)) // a tie, and n is the odd one of the two
	}
	return n
}
