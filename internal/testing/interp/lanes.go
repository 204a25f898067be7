package interp

import "unsafe"

// The helpers of this file make kernels from functions of one lane. Sources are named as the manuals do: b is the last one of an
// instruction, which is the first in Go's text and may be in memory, a the one before.

// number is the type of a lane.
type number interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

func sizeOf[T any]() int { return int(unsafe.Sizeof(*new(T))) }

// lanes returns the first n lanes of a register.
func lanes[T number](v *vector, n int) []T { return unsafe.Slice((*T)(unsafe.Pointer(v)), n) }

// all returns the lanes of the instruction's width.
func all[T number](x *work, v *vector) []T { return lanes[T](v, x.width/sizeOf[T]()) }

// unary computes each lane of the result from the lane of b. The wider of the two types is as wide as the instruction's lanes.
//
//go:noinline // each row of a table would have a copy
func unary[B, R number](f func(b B) R) kernel {
	return func(x *work) {
		n := x.width / max(sizeOf[B](), sizeOf[R]())
		b, out := lanes[B](x.in[0], n), lanes[R](x.out, n)
		for i := range out {
			out[i] = f(b[i])
		}
	}
}

// rounded is unary for functions that also want the rounding in force.
//
//go:noinline // each row of a table would have a copy
func rounded[B, R number](f func(b B, r rounding) R) kernel {
	return func(x *work) {
		n := x.width / max(sizeOf[B](), sizeOf[R]())
		b, out := lanes[B](x.in[0], n), lanes[R](x.out, n)
		for i := range out {
			out[i] = f(b[i], x.round)
		}
	}
}

// immediate is unary for functions that also want the immediate operand.
//
//go:noinline // each row of a table would have a copy
func immediate[B, R number](f func(b B, i uint8) R) kernel {
	return func(x *work) {
		n := x.width / max(sizeOf[B](), sizeOf[R]())
		b, out := lanes[B](x.in[0], n), lanes[R](x.out, n)
		for i := range out {
			out[i] = f(b[i], x.immediate)
		}
	}
}

//go:noinline // each row of a table would have a copy
func binary[T number](f func(a, b T) T) kernel {
	return func(x *work) {
		a, b, out := all[T](x, x.in[1]), all[T](x, x.in[0]), all[T](x, x.out)
		for i := range out {
			out[i] = f(a[i], b[i])
		}
	}
}

// widening computes each lane of the result from n lanes of half its width or less.
func widening[A, B, R number](f func(a []A, b []B) R) kernel {
	return func(x *work) {
		per := sizeOf[R]() / sizeOf[A]()
		a, b, out := all[A](x, x.in[1]), all[B](x, x.in[0]), all[R](x, x.out)
		for i := range out {
			out[i] = f(a[i*per:][:per], b[i*per:][:per])
		}
	}
}

// compared gives masks: lanes of ones in vector registers, bits in mask registers. The predicate of p gets the immediate operand.
//
//go:noinline // each row of a table would have a copy
func compared[T number](p func(a, b T, i uint8) bool) kernel {
	return func(x *work) {
		a, b := all[T](x, x.in[1]), all[T](x, x.in[0])
		x.bits = 0
		for i := range a {
			if p(a[i], b[i], x.immediate) {
				x.bits |= 1 << i
			}
		}
		spread[T](x)
	}
}

// spread makes lanes of ones of the bits.
func spread[T number](x *work) {
	size := sizeOf[T]()
	out := x.out.bytes()
	for i := range x.width / size {
		fill := byte(-int8(x.bits >> i & 1))
		for j := range size {
			out[i*size+j] = fill
		}
	}
}

// blocks calls f for each 128 bits of the result.
//
//go:noinline // each row of a table would have a copy
func blocks[T number](f func(out, a, b []T, i uint8)) kernel {
	return func(x *work) {
		n := 16 / sizeOf[T]()
		b, out := all[T](x, x.in[0]), all[T](x, x.out)
		a := b
		if x.in[1] != nil {
			a = all[T](x, x.in[1])
		}
		for i := 0; i < len(out); i += n {
			f(out[i:i+n], a[i:i+n], b[i:i+n], x.immediate)
		}
	}
}

// whole calls f for all lanes at once.
func whole[T number](f func(out, a, b []T, i uint8)) kernel {
	return func(x *work) {
		b := all[T](x, x.in[0])
		a := b
		if x.in[1] != nil {
			a = all[T](x, x.in[1])
		}
		f(all[T](x, x.out), a, b, x.immediate)
	}
}

// scalarAndVector are the rows of an instruction that computes lanes of float32 (PS, SS) and float64 (PD, SD) from two sources.
func scalarAndVector(name string, single, double kernel) []row {
	return []row{
		{name + "PS", "vmb v v", 4, single}, {name + "SS", "x4m x s4", 4, single},
		{name + "PD", "vmb v v", 8, double}, {name + "SD", "x8m x s8", 8, double},
	}
}
