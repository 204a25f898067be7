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
	if isDouble[T]() {
		rowOfDoubles(y, k, a, aK, b, bK, bCol)
		return
	}
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

// rowOfDoubles is [RowProduct] of float64: four products are added to a sum while it is there, or to four sums in turn. NaNs get their bits in the end.
func rowOfDoubles[T Float](y []T, k int, a []T, aK int, b []T, bK, bCol int) {
	const together = 4
	fma := func(x, y, z T) T { return T(fused(float64(x), float64(y), float64(z))) }
	clear(y)
	i, n := 0, len(y)
	if bCol == 1 {
		for ; i+together <= k; i += together {
			a, b := a[i*aK:], b[i*bK:]
			a0, a1, a2, a3 := a[0], a[aK], a[2*aK], a[3*aK]
			b0, b1, b2, b3 := b[:n], b[bK:][:n], b[2*bK:][:n], b[3*bK:][:n]
			for j, s := range y {
				y[j] = fma(a3, b3[j], fma(a2, b2[j], fma(a1, b1[j], fma(a0, b0[j], s))))
			}
		}
	}
	j := 0
	for ; i == 0 && j+together <= n; j += together {
		b := b[j*bCol:]
		var s0, s1, s2, s3 T
		for i := range k {
			v, at := a[i*aK], i*bK
			s0, s1, s2, s3 = fma(v, b[at], s0), fma(v, b[at+bCol], s1), fma(v, b[at+2*bCol], s2), fma(v, b[at+3*bCol], s3)
		}
		y[j], y[j+1], y[j+2], y[j+3] = s0, s1, s2, s3
	}
	for ; i < k; i++ {
		for j := j; j < n; j++ {
			y[j] = fma(a[i*aK], b[i*bK+j*bCol], y[j])
		}
	}
	for j, v := range y {
		y[j] = Canonical(v)
	}
}
