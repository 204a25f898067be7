package fmath

import "math"

func sinhSingle(x float32) float32 {
	if x != x {
		return NaN()
	}
	u := expm1By64(float64(min(abs(x), 90)))
	return copySign(float32(0.5*(u+u/(1+u))), x)
}

func coshSingle(x float32) float32 {
	if x != x {
		return NaN()
	}
	w := 1 + expm1By64(float64(min(abs(x), 90)))
	return float32(0.5 * (w + 1/w))
}

func asinhSingle(x float32) float32 {
	a := abs(x)
	switch {
	case x != x:
		return NaN()
	case a > math.MaxFloat32:
		return x
	}
	d := float64(a)
	sq := float64(d * d)
	return copySign(float32(log1pBy64(d+sq/(1+math.Sqrt(1+sq)))), x)
}

func acoshSingle(x float32) float32 {
	switch {
	case x != x || x < 1:
		return NaN()
	case x > math.MaxFloat32:
		return x
	}
	t := float64(x) - 1
	return float32(log1pBy64(t + math.Sqrt(float64(t*(t+2)))))
}

func atanhSingle(x float32) float32 {
	a := float64(abs(x))
	switch {
	case x != x || a > 1:
		return NaN()
	case a == 1:
		return copySign(float32(math.Inf(1)), x)
	}
	return copySign(float32(0.5*log1pBy64(2*a/(1-a))), x)
}
