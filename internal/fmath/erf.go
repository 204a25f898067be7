package fmath

// erfP holds P of erf x ≈ x + x·P(x²) on |x| ≤ 1, relative error 2^-29.4.
var erfP = [...]float32{0x1.4771eap-14, -0x1.a3515cp-11, 0x1.53f224p-8, -0x1.b7f71ap-6, 0x1.ce2ce6p-4, -0x1.81273ep-2, 0x1.06eba8p-3}

// erfR holds R of ln(1 - erf a) ≈ -(a + a·R(a)) on 1 ≤ a ≤ 4; erf's relative error is 2^-28.6.
var erfR = [...]float32{-0x1.b9c1ap-13, 0x1.a1b876p-9, -0x1.7587a8p-6, 0x1.ae8e36p-4, 0x1.458bb6p-1, 0x1.072088p-3}

func erfSingle(x float32) float32 {
	if x != x {
		return NaN()
	}
	a := abs(x)
	if a < 1 {
		return fmaSingle(x, poly(float32(x*x), erfP[:]), x)
	}
	// 1 - e^-(a+a·R) = (1-2^n) - 2^n·u; from 3.92 on the result rounds to 1.
	a = min(a, 4)
	u, n := expParts(-fmaSingle(a, poly(a, erfR[:]), a))
	s := pow2(n)
	return copySign(fmaSingle(-s, u, 1-s), x)
}
