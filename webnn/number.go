package webnn

import (
	"math/big"

	"github.com/concord-nn/concord/tensor"
)

// Number is MLNumber (https://www.w3.org/TR/webnn/#api-mlnumber-typedef): a [Float], an [Int], a [Uint] or a [BigInt]. It is
// cast to the data type that it is used for: to the nearest float, or to an integer by truncation and within the type's range,
// so that integers of 64 bits keep every bit.
type Number interface {
	number() any // a float64, a wholeNumber or a *big.Int, which may be nil
}

// Float is a [Number] that is a double; NaN and infinities are allowed.
type Float float64

// Int is a [Number] that is a signed integer.
type Int int64

// Uint is a [Number] that is an unsigned integer.
type Uint uint64

// BigInt is a [Number] that is an integer of any size, for the data types int64 and uint64 alone, as in browsers: a TypeError
// with others. A nil pointer is no number.
type BigInt struct{ *big.Int }

func (n Float) number() any  { return float64(n) }
func (n Int) number() any    { return wholeNumber{big.NewInt(int64(n))} }
func (n Uint) number() any   { return wholeNumber{new(big.Int).SetUint64(uint64(n))} }
func (n BigInt) number() any { return n.Int }

// wholeNumber is an integer that is not a BigInt, and so for every data type.
type wholeNumber struct{ *big.Int }

// castNumber returns a converted MLNumber (a float64, wholeNumber or BigInt) as a scalar of type d, by the "cast" algorithm of
// the section Casting: to a float the nearest value, to an integer the one that truncation gives within its range, NaN to 0.
// (The text says "round to the nearest integer", the tests of the platform truncate: see docs/deviations.md.)
func castNumber(n any, d tensor.DType) (*tensor.Tensor, *fault) {
	switch v := n.(type) {
	case BigInt:
		if d != tensor.Int64 && d != tensor.Uint64 {
			return nil, faultf("bigint", "a BigInt is for int64 and uint64; for %v give a number", d)
		}
		n = v.Int
	case wholeNumber:
		n = v.Int
	}
	t, err := castPlain(n, d)
	if err != nil { // which no number and type that get here cause
		return nil, faultf("cast", "%v", err)
	}
	return t, nil
}

// castPlain is castNumber for a float64 or a *big.Int.
func castPlain(n any, d tensor.DType) (*tensor.Tensor, error) {
	i, isInt := n.(*big.Int)
	switch {
	case !isInt:
		return tensor.Cast(tensor.Scalar(n.(float64)), d)
	case !d.IsFloat():
		i = within(i, d)
	}
	if i.Sign() > 0 {
		return tensor.Cast(tensor.Scalar(i.Uint64()), d)
	}
	return tensor.Cast(tensor.Scalar(i.Int64()), d)
}

// within returns the integer of type d that is nearest to i.
func within(i *big.Int, d tensor.DType) *big.Int {
	lo, hi := d.IntRange()
	if least := big.NewInt(lo); i.Cmp(least) < 0 {
		return least
	}
	if most := new(big.Int).SetUint64(hi); i.Cmp(most) > 0 {
		return most
	}
	return i
}
