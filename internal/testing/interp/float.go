package interp

import (
	"math"
	"unsafe"

	"github.com/concord-nn/concord/internal/fmath"
)

type float interface{ float32 | float64 }

// bitsOf and fromBits turn a float into its bits and back, without touching NaN.
func bitsOf[T float](x T) uint64 {
	if unsafe.Sizeof(x) == 4 {
		return uint64(*(*uint32)(unsafe.Pointer(&x)))
	}
	return *(*uint64)(unsafe.Pointer(&x))
}

func fromBits[T float](b uint64) (x T) {
	if unsafe.Sizeof(x) == 4 {
		*(*uint32)(unsafe.Pointer(&x)) = uint32(b)
	} else {
		*(*uint64)(unsafe.Pointer(&x)) = b
	}
	return x
}

// layout is how a float consists of bits.
type layout struct {
	fraction int // bits
	bias     int
	sign     uint64
}

func layoutOf[T float]() layout {
	if sizeOf[T]() == 4 {
		return layout{23, 127, 1 << 31}
	}
	return layout{52, 1023, 1 << 63}
}

func (l layout) infinity() uint64 { return uint64(2*l.bias+1) << l.fraction }

// quiet makes a NaN quiet and keeps its other bits.
func quiet[T float](x T) T {
	return fromBits[T](bitsOf(x) | 1<<(layoutOf[T]().fraction-1))
}

// invalid is the NaN of invalid operations.
func invalid[T float]() T {
	l := layoutOf[T]()
	return fromBits[T](l.sign | l.infinity() | 1<<(l.fraction-1))
}

func isSignaling[T float](x T) bool { return x != x && bitsOf(x)>>(layoutOf[T]().fraction-1)&1 == 0 }

func isNegative[T float](x T) bool { return bitsOf(x)&layoutOf[T]().sign != 0 }

// valid returns x, or the NaN of invalid operations for any NaN.
func valid[T float](x T) T {
	if x != x {
		return invalid[T]()
	}
	return x
}

// firstNaN returns the NaN that operands give: the first that is one, quiet, or that of invalid operations.
func firstNaN[T float](operands ...T) T {
	for _, x := range operands {
		if x != x {
			return quiet(x)
		}
	}
	return invalid[T]()
}

// arithmetic makes a kernel of a function of numbers.
//
//go:noinline // each row of a table would have a copy
func arithmetic[T float](f func(a, b T) T) kernel {
	return func(x *work) {
		a, b, out := all[T](x, x.in[1]), all[T](x, x.in[0]), all[T](x, x.out)
		for i := range out {
			r := f(a[i], b[i])
			if r != r {
				r = firstNaN(a[i], b[i])
			}
			out[i] = r
		}
	}
}

func add[T float](a, b T) T      { return a + b }
func subtract[T float](a, b T) T { return a - b }
func multiply[T float](a, b T) T { return a * b }
func divide[T float](a, b T) T   { return a / b }

// least and greatest return b where neither is the other's better: NaN and zeros.
func least[T float](a, b T) T {
	if a < b {
		return a
	}
	return b
}

func greatest[T float](a, b T) T {
	if a > b {
		return a
	}
	return b
}

func squareRoot[T float](b T) T {
	if b != b {
		return quiet(b)
	}
	return valid(T(math.Sqrt(float64(b))))
}

// fused returns the kernel of a fused multiply-add. Order is the manual's: 132, 213 or 231 says which operands (old, a, b) are multiplied,
// and which is added.
func fused[T float](order int, negateProduct, negateSum bool) kernel {
	return func(x *work) {
		p, q, s, out := all[T](x, x.old), all[T](x, x.in[1]), all[T](x, x.in[0]), all[T](x, x.out)
		switch order {
		case 132:
			q, s = s, q
		case 213:
			p, q = q, p
		case 231:
			p, q, s = q, s, p
		}
		for i := range out {
			v, w := p[i], s[i]
			if negateProduct {
				v = -v
			}
			if negateSum {
				w = -w
			}
			r := fmath.FMA(v, q[i], w)
			if r != r {
				r = firstNaN(p[i], q[i], s[i])
			}
			out[i] = r
		}
	}
}

// rounding is how a result that is not exact is rounded. The numbers are those of instructions' immediate operands.
type rounding uint8

const (
	roundNearest rounding = iota
	roundDown
	roundUp
	roundZero
)

// of returns the whole number that x is rounded to.
func (r rounding) of(x float64) float64 {
	switch r {
	case roundNearest:
		return math.RoundToEven(x)
	case roundDown:
		return math.Floor(x)
	case roundUp:
		return math.Ceil(x)
	}
	return math.Trunc(x)
}

// immediateRounding reads the low bits of an immediate operand. Bit 2 says that the rounding in force counts, which is to nearest.
func immediateRounding(i uint8) rounding {
	if i&4 != 0 {
		return roundNearest
	}
	return rounding(i & 3)
}

// roundScale rounds to the bits of the fraction that the immediate's high half says.
func roundScale[T float](b T, i uint8) T {
	if b != b {
		return quiet(b)
	}
	x, scale := float64(b), float64(uint64(1)<<(i>>4))
	if math.Abs(x) >= 1<<52 {
		return b
	}
	return T(immediateRounding(i).of(float64(x*scale)) / scale)
}

// scaled returns a·2^floor(b).
func scaled[T float](a, b T) T {
	infinite := math.IsInf(float64(b), 0)
	switch {
	case a != a && (!infinite || isSignaling(a)):
		return quiet(a)
	case a != a && b > 0:
		return T(math.Inf(1))
	case a != a:
		return 0
	case b != b:
		return quiet(b)
	case infinite && (b > 0 && a == 0 || b < 0 && math.IsInf(float64(a), 0)):
		return invalid[T]()
	}
	n := max(-4000, min(4000, math.Floor(float64(b))))
	if sizeOf[T]() == 4 { // exact as float64, so that it is rounded once
		n = max(-600, min(600, n))
	}
	return T(math.Ldexp(float64(a), int(n)))
}

// exponent returns floor(log2 |b|).
func exponent[T float](b T) T {
	switch {
	case b != b:
		return quiet(b)
	case b == 0:
		return T(math.Inf(-1))
	case math.IsInf(float64(b), 0):
		return T(math.Inf(1))
	}
	_, e := math.Frexp(float64(b))
	return T(e - 1)
}

// significand returns b scaled to an interval that the immediate chooses, with its sign or without.
func significand[T float](b T, i uint8) T {
	if b != b {
		return quiet(b)
	}
	l := layoutOf[T]()
	sign := bitsOf(b) & l.sign
	if i&8 != 0 && sign != 0 && b != 0 {
		return invalid[T]()
	}
	if i&4 != 0 {
		sign = 0
	}
	if b == 0 || math.IsInf(float64(b), 0) {
		return fromBits[T](uint64(l.bias)<<l.fraction | sign)
	}
	f, e := math.Frexp(math.Abs(float64(b)))
	f, e = 2*f, e-1
	switch i & 3 {
	case 1:
		if e&1 != 0 {
			f /= 2
		}
	case 2:
		f /= 2
	case 3:
		if f >= 1.5 {
			f /= 2
		}
	}
	return fromBits[T](bitsOf(T(f)) | sign)
}

// ranged is the least or greatest of two, by magnitude or not, with a sign that the immediate chooses.
func ranged[T float](a, b T, i uint8) T {
	l := layoutOf[T]()
	magnitude := func(x T) T { return fromBits[T](bitsOf(x) &^ l.sign) }
	var r T
	switch {
	case isSignaling(a):
		return quiet(a)
	case isSignaling(b):
		return quiet(b)
	case a != a && b == b:
		r = b
	case a != a || b != b:
		r = a
	default:
		x, y := a, b
		if i&2 != 0 {
			x, y = magnitude(a), magnitude(b)
		}
		first := x < y || x == y && isNegative(a) && !isNegative(b)
		if i&1 != 0 {
			first = x > y || x == y && !isNegative(a) && isNegative(b)
		}
		if x == y && i&2 != 0 {
			first = isNegative(a) == (i&1 == 0)
		}
		if r = b; first {
			r = a
		}
	}
	switch i >> 2 & 3 {
	case 0:
		r = fromBits[T](bitsOf(r)&^l.sign | bitsOf(a)&l.sign)
	case 2:
		r = magnitude(r)
	case 3:
		r = fromBits[T](bitsOf(r) | l.sign)
	}
	return r
}

// classes reports whether b is of one of the classes that the immediate's bits name.
func classes[T float](b T, i uint8) bool {
	l := layoutOf[T]()
	size := bitsOf(b) &^ l.sign
	subnormal := size != 0 && size < 1<<l.fraction
	is := [8]bool{
		b != b && !isSignaling(b), b == 0 && !isNegative(b), b == 0 && isNegative(b),
		size == l.infinity() && b > 0, size == l.infinity() && b < 0,
		subnormal, isNegative(b) && size != 0 && b == b && size != l.infinity(), isSignaling(b),
	}
	for bit, yes := range is {
		if yes && i>>bit&1 != 0 {
			return true
		}
	}
	return false
}

// comparison is the predicate of an immediate operand.
func comparison[T float](a, b T, i uint8) bool {
	var r bool
	switch i & 7 {
	case 0, 4: // equal, and not
		r = a == b
		if i&8 != 0 {
			r = r || a != a || b != b
		}
	case 1, 5: // less than
		r = a < b
		if i&8 != 0 {
			r = a < b || a != a || b != b
		}
	case 2, 6: // less than or equal
		r = a <= b
		if i&8 != 0 {
			r = a <= b || a != a || b != b
		}
	case 3, 7: // unordered; with bit 3 false and true
		r = (a != a || b != b) && i&8 == 0
	}
	return r != (i&4 != 0)
}

// ordered gives the flags of a comparison.
func ordered[T float](x *work) {
	a, b := lanes[T](x.in[1], 1)[0], lanes[T](x.in[0], 1)[0]
	switch {
	case a < b:
		x.flags = carry
	case a > b:
		x.flags = 0
	case a == b:
		x.flags = zero
	default:
		x.flags = zero | carry | parity
	}
}
