package fmath

import "math"

func rsqrtSingle(x float32) float32 { return Canonical(float32(1 / math.Sqrt(float64(x)))) }
