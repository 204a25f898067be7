package fmath

import "math"

// AddProducts adds x[i·xStep]·w to acc[i·accStep] for i < n, with one rounding each: it is [FMA] for runs of numbers.
func AddProducts[T Float](acc []T, accStep int, x []T, xStep int, w T, n int) {
	if isDouble[T]() {
		for i := range n {
			acc[i*accStep] = FMA(x[i*xStep], w, acc[i*accStep])
		}
		return
	}
	wide := float64(w)
	if accStep == 1 && xStep == 1 {
		acc = acc[:n]
		for i, v := range x[:n] {
			if s := float64(float64(v)*wide) + float64(acc[i]); roundsOnce(s) {
				acc[i] = T(float32(s))
			} else {
				acc[i] = FMA(v, w, acc[i])
			}
		}
		return
	}
	for i := range n {
		v, a := x[i*xStep], &acc[i*accStep]
		if s := float64(float64(v)*wide) + float64(*a); roundsOnce(s) {
			*a = T(float32(s))
		} else {
			*a = FMA(v, w, *a)
		}
	}
}

// roundsOnce reports whether a sum that was rounded to float64 rounds to the float32 that the exact sum would: it is no
// midpoint of two float32, and neither zero, subnormal as a float32, infinite nor NaN. The product of two float32 is
// exact in float64.
func roundsOnce(s float64) bool {
	const least, infinity = 0x381 << 53, 0x7FF << 53 // 2^-126 and infinity without the sign bit
	b := math.Float64bits(s)
	return b&(1<<29-1) != 1<<28 && b<<1-least < infinity-least
}

// columnTile is how many columns that lie apart are computed at a time, so that they stay in the nearest cache even
// where they share its sets.
const columnTile = 8

// RowProduct sets y[j] to ∑ a[i·aK]·b[i·bK+j·bCol] over i < k, a row of a product of matrices, by one fused multiply-add for each i, from
// +0 on and in ascending order.
func RowProduct[T Float](y []T, k int, a []T, aK int, b []T, bK, bCol int) {
	clear(y)
	tile := len(y)
	if bCol != 1 {
		tile = columnTile
	}
	for j := 0; j < len(y); j += tile {
		part := y[j:min(j+tile, len(y))]
		for i := range k {
			AddProducts(part, 1, b[i*bK+j*bCol:], bCol, a[i*aK], len(part))
		}
	}
}
