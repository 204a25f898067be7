package webnn

import (
	"math"
	"math/big"

	"github.com/concord-nn/concord/tensor"
)

// castNumber returns an MLNumber as a scalar of type d, by the "cast" algorithm of the section Casting: to a float the
// nearest value, to an integer the one that truncation gives within its range, NaN to 0. (The text says "round to the nearest
// integer", the tests of the platform truncate: see docs/deviations.md.)
func castNumber(n any, d tensor.DType) (*tensor.Tensor, error) {
	if d.IsFloat() {
		return tensor.Cast(tensor.Scalar(nearestFloat(n, d)), d)
	}
	lo, hi := d.IntRange()
	i := integerPart(n)
	if least := big.NewInt(lo); i.Cmp(least) < 0 {
		i = least
	}
	if most := new(big.Int).SetUint64(hi); i.Cmp(most) > 0 {
		i = most
	}
	if i.Sign() > 0 {
		return tensor.Cast(tensor.Scalar(i.Uint64()), d)
	}
	return tensor.Cast(tensor.Scalar(i.Int64()), d)
}

// nearestFloat returns a float32 that rounds to d as the number itself does.
func nearestFloat(n any, d tensor.DType) float32 {
	var x big.Float
	switch n := n.(type) {
	case float64:
		if math.IsNaN(n) || math.IsInf(n, 0) || n == 0 {
			return float32(n)
		}
		x.SetFloat64(n)
	case *big.Int:
		x.SetPrec(uint(max(n.BitLen(), 64))).SetInt(n)
	}
	if d == tensor.Float32 {
		f, _ := x.Float32()
		return f
	}
	// Rounding to odd keeps what a second rounding needs to know.
	x.SetMode(big.ToZero)
	f, accuracy := x.Float32()
	if accuracy != big.Exact {
		f = math.Float32frombits(math.Float32bits(f) | 1)
	}
	return f
}

// integerPart returns the number without its fraction.
func integerPart(n any) *big.Int {
	switch n := n.(type) {
	case *big.Int:
		return n
	case float64:
		switch {
		case math.IsNaN(n):
			return new(big.Int)
		case math.IsInf(n, 0):
			n = math.Copysign(math.MaxFloat64, n)
		}
		i, _ := big.NewFloat(n).Int(nil)
		return i
	}
	return new(big.Int)
}
