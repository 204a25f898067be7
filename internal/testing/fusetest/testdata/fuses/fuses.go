// Package fuses has products and sums that the compiler may fuse, and one that it may not.
package fuses

import "math"

// MulAdd may be fused.
func MulAdd(x, y, z float64) float64 { return x*y + z }

// MulSub may be fused.
func MulSub(x, y, z float32) float32 { return z - x*y }

// Separate rounds twice.
func Separate(x, y, z float32) float32 { return float32(x*y) + z }

// Asked asks for one rounding.
func Asked(x, y, z float64) float64 { return math.FMA(x, y, z) }
