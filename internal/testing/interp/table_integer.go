package interp

import (
	"math"
	"math/bits"
	"slices"
)

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

func plus[T integer](a, b T) T           { return a + b }
func minus[T integer](a, b T) T          { return a - b }
func times[T integer](a, b T) T          { return a * b }
func and[T integer](a, b T) T            { return a & b }
func andNot[T integer](a, b T) T         { return ^a & b }
func or[T integer](a, b T) T             { return a | b }
func xor[T integer](a, b T) T            { return a ^ b }
func lower[T integer](a, b T) T          { return min(a, b) }
func higher[T integer](a, b T) T         { return max(a, b) }
func average[T uint8 | uint16](a, b T) T { return T((uint32(a) + uint32(b) + 1) / 2) }

func absolute[T int8 | int16 | int32 | int64](b T) T {
	if b < 0 {
		return -b
	}
	return b
}

func sign[T int8 | int16 | int32](a, b T) T {
	switch {
	case b < 0:
		return -a
	case b == 0:
		return 0
	}
	return a
}

// limits returns the least and the greatest number of a type of up to 32 bits.
func limits[T int8 | int16 | int32 | uint8 | uint16 | uint32]() (least, greatest int64) {
	n := 8 * sizeOf[T]()
	if ^T(0) < 0 {
		return -1 << (n - 1), 1<<(n-1) - 1
	}
	return 0, 1<<n - 1
}

func saturated[T int8 | int16 | int32 | uint8 | uint16 | uint32](v int64) T {
	least, greatest := limits[T]()
	return T(max(least, min(greatest, v)))
}

func plusSaturated[T int8 | int16 | uint8 | uint16](a, b T) T {
	return saturated[T](int64(a) + int64(b))
}
func minusSaturated[T int8 | int16 | uint8 | uint16](a, b T) T {
	return saturated[T](int64(a) - int64(b))
}

func integerRows() []row {
	return slices.Concat([]row{
		{"VPADDB", "vm v v", 1, binary(plus[int8])},
		{"VPADDW", "vm v v", 2, binary(plus[int16])},
		{"VPADDD", "vmb v v", 4, binary(plus[int32])},
		{"VPADDQ", "vmb v v", 8, binary(plus[int64])},
		{"VPSUBB", "vm v v", 1, binary(minus[int8])},
		{"VPSUBW", "vm v v", 2, binary(minus[int16])},
		{"VPSUBD", "vmb v v", 4, binary(minus[int32])},
		{"VPSUBQ", "vmb v v", 8, binary(minus[int64])},
		{"VPADDSB", "vm v v", 1, binary(plusSaturated[int8])},
		{"VPADDSW", "vm v v", 2, binary(plusSaturated[int16])},
		{"VPADDUSB", "vm v v", 1, binary(plusSaturated[uint8])},
		{"VPADDUSW", "vm v v", 2, binary(plusSaturated[uint16])},
		{"VPSUBSB", "vm v v", 1, binary(minusSaturated[int8])},
		{"VPSUBSW", "vm v v", 2, binary(minusSaturated[int16])},
		{"VPSUBUSB", "vm v v", 1, binary(minusSaturated[uint8])},
		{"VPSUBUSW", "vm v v", 2, binary(minusSaturated[uint16])},
		{"VPAVGB", "vm v v", 1, binary(average[uint8])},
		{"VPAVGW", "vm v v", 2, binary(average[uint16])},

		{"VPMULLW", "vm v v", 2, binary(times[int16])},
		{"VPMULLD", "vmb v v", 4, binary(times[int32])},
		{"VPMULLQ", "vmb v v", 8, binary(times[int64])},
		{"VPMULHW", "vm v v", 2, binary(func(a, b int16) int16 { return int16(int32(a) * int32(b) >> 16) })},
		{"VPMULHUW", "vm v v", 2, binary(func(a, b uint16) uint16 { return uint16(uint32(a) * uint32(b) >> 16) })},
		{"VPMULHRSW", "vm v v", 2, binary(func(a, b int16) int16 { return int16((int32(a)*int32(b)>>14 + 1) >> 1) })},
		{"VPMULDQ", "vmb v v", 8, binary(func(a, b int64) int64 { return int64(int32(a)) * int64(int32(b)) })},
		{"VPMULUDQ", "vmb v v", 8, binary(func(a, b uint64) uint64 { return uint64(uint32(a)) * uint64(uint32(b)) })},
		{"VPMADDWD", "vM v v", 4, dots[int16, int16](false, false)},
		{"VPMADDUBSW", "vM v v", 2, widening(func(a []uint8, b []int8) int16 {
			return saturated[int16](int64(a[0])*int64(b[0]) + int64(a[1])*int64(b[1]))
		})},
		{"VPDPBUSD", "vmb v +v", 4, dots[uint8, int8](true, false)},
		{"VPDPBUSDS", "vmb v +v", 4, dots[uint8, int8](true, true)},
		{"VPDPWSSD", "vmb v +v", 4, dots[int16, int16](true, false)},
		{"VPDPWSSDS", "vmb v +v", 4, dots[int16, int16](true, true)},
		{"VPSADBW", "vM v v", 0, widening(differences)},

		{"VPABSB", "vm v", 1, unary(absolute[int8])},
		{"VPABSW", "vm v", 2, unary(absolute[int16])},
		{"VPABSD", "vmb v", 4, unary(absolute[int32])},
		{"VPABSQ", "vmb v", 8, unary(absolute[int64])},
		{"VPSIGNB", "vm v v", 0, binary(sign[int8])},
		{"VPSIGNW", "vm v v", 0, binary(sign[int16])},
		{"VPSIGND", "vm v v", 0, binary(sign[int32])},
		{"VPMINSB", "vm v v", 1, binary(lower[int8])},
		{"VPMINSW", "vm v v", 2, binary(lower[int16])},
		{"VPMINSD", "vmb v v", 4, binary(lower[int32])},
		{"VPMINSQ", "vmb v v", 8, binary(lower[int64])},
		{"VPMINUB", "vm v v", 1, binary(lower[uint8])},
		{"VPMINUW", "vm v v", 2, binary(lower[uint16])},
		{"VPMINUD", "vmb v v", 4, binary(lower[uint32])},
		{"VPMINUQ", "vmb v v", 8, binary(lower[uint64])},
		{"VPMAXSB", "vm v v", 1, binary(higher[int8])},
		{"VPMAXSW", "vm v v", 2, binary(higher[int16])},
		{"VPMAXSD", "vmb v v", 4, binary(higher[int32])},
		{"VPMAXSQ", "vmb v v", 8, binary(higher[int64])},
		{"VPMAXUB", "vm v v", 1, binary(higher[uint8])},
		{"VPMAXUW", "vm v v", 2, binary(higher[uint16])},
		{"VPMAXUD", "vmb v v", 4, binary(higher[uint32])},
		{"VPMAXUQ", "vmb v v", 8, binary(higher[uint64])},
		{"VPHADDW", "vm v v", 0, blocks(intPairs(plus[int16]))},
		{"VPHADDD", "vm v v", 0, blocks(intPairs(plus[int32]))},
		{"VPHADDSW", "vm v v", 0, blocks(intPairs(plusSaturated[int16]))},
		{"VPHSUBW", "vm v v", 0, blocks(intPairs(minus[int16]))},
		{"VPHSUBD", "vm v v", 0, blocks(intPairs(minus[int32]))},

		{"VPAND", "vm v v", 0, binary(and[uint64])},
		{"VPANDD", "vmb v v", 4, binary(and[uint32])},
		{"VPANDQ", "vmb v v", 8, binary(and[uint64])},
		{"VPANDN", "vm v v", 0, binary(andNot[uint64])},
		{"VPANDND", "vmb v v", 4, binary(andNot[uint32])},
		{"VPANDNQ", "vmb v v", 8, binary(andNot[uint64])},
		{"VPOR", "vm v v", 0, binary(or[uint64])},
		{"VPORD", "vmb v v", 4, binary(or[uint32])},
		{"VPORQ", "vmb v v", 8, binary(or[uint64])},
		{"VPXOR", "vm v v", 0, binary(xor[uint64])},
		{"VPXORD", "vmb v v", 4, binary(xor[uint32])},
		{"VPXORQ", "vmb v v", 8, binary(xor[uint64])},
		{"VPTERNLOGD", "i vmb v +v", 4, logic},
		{"VPTERNLOGQ", "i vmb v +v", 8, logic},
		{"VPLZCNTD", "vmb v", 4, unary(func(b uint32) uint32 { return uint32(bits.LeadingZeros32(b)) })},
		{"VPLZCNTQ", "vmb v", 8, unary(func(b uint64) uint64 { return uint64(bits.LeadingZeros64(b)) })},
		{"VPOPCNTB", "vm v", 1, unary(func(b uint8) uint8 { return uint8(bits.OnesCount8(b)) })},
		{"VPOPCNTW", "vm v", 2, unary(func(b uint16) uint16 { return uint16(bits.OnesCount16(b)) })},
		{"VPOPCNTD", "vmb v", 4, unary(func(b uint32) uint32 { return uint32(bits.OnesCount32(b)) })},
		{"VPOPCNTQ", "vmb v", 8, unary(func(b uint64) uint64 { return uint64(bits.OnesCount64(b)) })},
	})
}

// dots adds the products of the parts of each 32 bits, and the old destination where it accumulates.
func dots[A uint8 | int16, B int8 | int16](accumulate, saturate bool) kernel {
	return func(x *work) {
		per := 4 / sizeOf[A]()
		a, b, old, out := all[A](x, x.in[1]), all[B](x, x.in[0]), all[int32](x, x.old), all[int32](x, x.out)
		for i := range out {
			sum := int64(0)
			if accumulate {
				sum = int64(old[i])
			}
			for j := i * per; j < (i+1)*per; j++ {
				sum += int64(a[j]) * int64(b[j])
			}
			if saturate {
				sum = int64(saturated[int32](sum))
			}
			out[i] = int32(sum)
		}
	}
}

func differences(a, b []uint8) (sum uint64) {
	for i := range a {
		sum += uint64(max(a[i], b[i]) - min(a[i], b[i]))
	}
	return sum
}

func intPairs[T integer](f func(x, y T) T) func(out, a, b []T, i uint8) {
	return func(out, a, b []T, _ uint8) {
		for i := range out {
			if j := 2 * i; j < len(a) {
				out[i] = f(a[j], a[j+1])
			} else {
				out[i] = f(b[j-len(a)], b[j-len(a)+1])
			}
		}
	}
}

// logic computes any function of three bits: the immediate is its table.
func logic(x *work) {
	for i := range x.width / 8 {
		p, q, r := x.old[i], x.in[1][i], x.in[0][i]
		var v uint64
		for row := range 8 {
			if x.immediate>>row&1 == 0 {
				continue
			}
			term := ^uint64(0)
			for j, s := range [3]uint64{r, q, p} {
				if row>>j&1 == 0 {
					s = ^s
				}
				term &= s
			}
			v |= term
		}
		x.out[i] = v
	}
}

func shiftRows() []row {
	return slices.Concat(
		shifts("W", 2, "vm", left[uint16], right[uint16], arithmeticRight[int16]),
		shifts("D", 4, "vmb", left[uint32], right[uint32], arithmeticRight[int32]),
		shifts("Q", 8, "vmb", left[uint64], right[uint64], arithmeticRight[int64]),
		[]row{
			{"VPSLLDQ", "i v v", 0, blocks(shiftBytesLeft)},
			{"VPSLLDQ", "i m v", 0, blocks(shiftBytesLeft)},
			{"VPSRLDQ", "i v v", 0, blocks(shiftBytesRight)},
			{"VPSRLDQ", "i m v", 0, blocks(shiftBytesRight)},
			{"VPROLD", "i vmb v", 4, immediate(func(b uint32, i uint8) uint32 { return bits.RotateLeft32(b, int(i)) })},
			{"VPROLQ", "i vmb v", 8, immediate(func(b uint64, i uint8) uint64 { return bits.RotateLeft64(b, int(i)) })},
			{"VPRORD", "i vmb v", 4, immediate(func(b uint32, i uint8) uint32 { return bits.RotateLeft32(b, -int(i)) })},
			{"VPRORQ", "i vmb v", 8, immediate(func(b uint64, i uint8) uint64 { return bits.RotateLeft64(b, -int(i)) })},
			{"VPROLVD", "vmb v v", 4, binary(func(a, b uint32) uint32 { return bits.RotateLeft32(a, int(b&31)) })},
			{"VPROLVQ", "vmb v v", 8, binary(func(a, b uint64) uint64 { return bits.RotateLeft64(a, int(b&63)) })},
			{"VPRORVD", "vmb v v", 4, binary(func(a, b uint32) uint32 { return bits.RotateLeft32(a, -int(b&31)) })},
			{"VPRORVQ", "vmb v v", 8, binary(func(a, b uint64) uint64 { return bits.RotateLeft64(a, -int(b&63)) })},
		})
}

// shifts has the shifts of lanes of one size, by an immediate, by a register's low 64 bits, and lane by lane.
//
//go:noinline // each row of a table would have a copy
func shifts[U uint16 | uint32 | uint64, I int16 | int32 | int64](letter string, size int, memory string, sll, srl func(U, uint64) U, sra func(I, uint64) I) (all []row) {
	for _, s := range []struct {
		name                 string
		immediate, count, by kernel
	}{
		{"VPSLL", shiftImmediate(sll), shiftCount(sll), shiftLanes(sll)},
		{"VPSRL", shiftImmediate(srl), shiftCount(srl), shiftLanes(srl)},
		{"VPSRA", shiftImmediate(sra), shiftCount(sra), shiftLanes(sra)},
	} {
		all = append(all, row{s.name + letter, "i " + memory + " v", size, s.immediate}, row{s.name + letter, "xM v v", size, s.count},
			row{s.name + "V" + letter, memory + " v v", size, s.by})
	}
	return all
}

func left[T uint16 | uint32 | uint64](a T, n uint64) T  { return a << min(n, 64) }
func right[T uint16 | uint32 | uint64](a T, n uint64) T { return a >> min(n, 64) }

func arithmeticRight[T int16 | int32 | int64](a T, n uint64) T { return a >> min(n, 64) }

func shiftImmediate[T integer](f func(T, uint64) T) kernel {
	return immediate(func(b T, i uint8) T { return f(b, uint64(i)) })
}

func shiftCount[T integer](f func(T, uint64) T) kernel {
	return func(x *work) {
		a, out := all[T](x, x.in[1]), all[T](x, x.out)
		for i := range out {
			out[i] = f(a[i], x.in[0][0])
		}
	}
}

func shiftLanes[T integer](f func(T, uint64) T) kernel {
	mask := uint64(math.MaxUint64) >> (64 - 8*sizeOf[T]())
	return binary(func(a, b T) T { return f(a, uint64(b)&mask) })
}

func shiftBytesLeft(out, _, b []uint8, i uint8) {
	n := min(int(i), 16)
	copy(out[n:], b)
	clear(out[:n])
}

func shiftBytesRight(out, _, b []uint8, i uint8) {
	n := copy(out, b[min(int(i), 16):])
	clear(out[n:])
}
