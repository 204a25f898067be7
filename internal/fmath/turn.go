package fmath

import "math"

// turnSin and turnCos hold the coefficients of sin(x)/x and cos(x) in x², highest power first: the reciprocals of factorials.
var (
	turnSin = [...]float64{
		-1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800, 1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6, 1,
	}
	turnCos = [...]float64{
		1.0 / 20922789888000, -1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24, -1.0 / 2, 1,
	}
)

// Turn returns sine and cosine of 2π·k/n, for 0 ≤ k < n ≤ 2^60, with errors below 2^-52. Multiples of a quarter turn are exact, and
// places that mirror each other have the same values.
func Turn(k, n int64) (sin, cos float64) {
	quarter, rest := 4*k/n, 4*k%n
	mirrored := 2*rest > n // beyond an eighth of a turn
	if mirrored {
		rest = n - rest
	}
	x := float64(rest) / float64(n) * (math.Pi / 2)
	z := float64(x * x)
	sin, cos = float64(x*poly64(z, turnSin[:])), poly64(z, turnCos[:])
	switch {
	case mirrored:
		sin, cos = cos, sin
	case 2*rest == n:
		sin, cos = math.Sqrt2/2, math.Sqrt2/2
	}
	switch quarter {
	case 1:
		return cos, -sin
	case 2:
		return -sin, -cos
	case 3:
		return -cos, sin
	}
	return sin, cos
}
