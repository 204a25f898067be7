package interp

import (
	"slices"
	"strconv"
)

func floatRows() []row {
	return slices.Concat(
		scalarAndVector("VADD", arithmetic(add[float32]), arithmetic(add[float64])),
		scalarAndVector("VSUB", arithmetic(subtract[float32]), arithmetic(subtract[float64])),
		scalarAndVector("VMUL", arithmetic(multiply[float32]), arithmetic(multiply[float64])),
		scalarAndVector("VDIV", arithmetic(divide[float32]), arithmetic(divide[float64])),
		scalarAndVector("VMIN", binary(least[float32]), binary(least[float64])),
		scalarAndVector("VMAX", binary(greatest[float32]), binary(greatest[float64])),
		scalarAndVector("VSCALEF", binary(scaled[float32]), binary(scaled[float64])),
		fusedRows(),
		[]row{
			{"VSQRTPS", "vmb v", 4, unary(squareRoot[float32])},
			{"VSQRTPD", "vmb v", 8, unary(squareRoot[float64])},
			{"VSQRTSS", "x4m x s4", 4, unary(squareRoot[float32])},
			{"VSQRTSD", "x8m x s8", 8, unary(squareRoot[float64])},
			{"VROUNDPS", "i vm v", 0, immediate(rounded4[float32])},
			{"VROUNDPD", "i vm v", 0, immediate(rounded4[float64])},
			{"VROUNDSS", "i x4m x s4", 0, immediate(rounded4[float32])},
			{"VROUNDSD", "i x8m x s8", 0, immediate(rounded4[float64])},
			{"VRNDSCALEPS", "i vmb v", 4, immediate(roundScale[float32])},
			{"VRNDSCALEPD", "i vmb v", 8, immediate(roundScale[float64])},
			{"VRNDSCALESS", "i x4m x s4", 4, immediate(roundScale[float32])},
			{"VRNDSCALESD", "i x8m x s8", 8, immediate(roundScale[float64])},
			{"VGETEXPPS", "vmb v", 4, unary(exponent[float32])},
			{"VGETEXPPD", "vmb v", 8, unary(exponent[float64])},
			{"VGETEXPSS", "x4m x s4", 4, unary(exponent[float32])},
			{"VGETEXPSD", "x8m x s8", 8, unary(exponent[float64])},
			{"VGETMANTPS", "i vmb v", 4, immediate(significand[float32])},
			{"VGETMANTPD", "i vmb v", 8, immediate(significand[float64])},
			{"VRANGEPS", "i vmb v v", 4, binaryImmediate(ranged[float32])},
			{"VRANGEPD", "i vmb v v", 8, binaryImmediate(ranged[float64])},
			{"VHADDPS", "vm v v", 0, blocks(pairs(add[float32]))},
			{"VHADDPD", "vm v v", 0, blocks(pairs(add[float64]))},
			{"VHSUBPS", "vm v v", 0, blocks(pairs(subtract[float32]))},
			{"VHSUBPD", "vm v v", 0, blocks(pairs(subtract[float64]))},

			{"VANDPS", "vmb v v", 4, binary(and[uint32])},
			{"VANDPD", "vmb v v", 8, binary(and[uint64])},
			{"VANDNPS", "vmb v v", 4, binary(andNot[uint32])},
			{"VANDNPD", "vmb v v", 8, binary(andNot[uint64])},
			{"VORPS", "vmb v v", 4, binary(or[uint32])},
			{"VORPD", "vmb v v", 8, binary(or[uint64])},
			{"VXORPS", "vmb v v", 4, binary(xor[uint32])},
			{"VXORPD", "vmb v v", 8, binary(xor[uint64])},
		})
}

// rounded4 is VROUNDPS: what the immediate's high half says does not count.
func rounded4[T float](b T, i uint8) T { return roundScale(b, i&15) }

// fusedRows has the forms of the fused multiply-adds: four signs, three orders.
func fusedRows() (all []row) {
	for _, order := range []int{132, 213, 231} {
		for _, sign := range []struct {
			name         string
			product, sum bool // negated
		}{
			{"VFMADD", false, false}, {"VFMSUB", false, true}, {"VFNMADD", true, false}, {"VFNMSUB", true, true},
		} {
			name := sign.name + strconv.Itoa(order)
			single, double := fused[float32](order, sign.product, sign.sum), fused[float64](order, sign.product, sign.sum)
			all = append(all, row{name + "PS", "vmb v +v", 4, single}, row{name + "SS", "x4m x +s4", 4, single},
				row{name + "PD", "vmb v +v", 8, double}, row{name + "SD", "x8m x +s8", 8, double})
		}
	}
	return all
}

// pairs computes each lane from two neighbours: those of a first, those of b then.
func pairs[T float](f func(x, y T) T) func(out, a, b []T, i uint8) {
	return func(out, a, b []T, _ uint8) {
		for i := range out {
			from, j := a, 2*i
			if j >= len(a) {
				from, j = b, j-len(a)
			}
			switch x, y := from[j], from[j+1]; {
			case x != x:
				out[i] = quiet(x)
			case y != y:
				out[i] = quiet(y)
			default:
				out[i] = valid(f(x, y))
			}
		}
	}
}

// binaryImmediate is binary for functions that also want the immediate operand.
//
//go:noinline // each row of a table would have a copy
func binaryImmediate[T number](f func(a, b T, i uint8) T) kernel {
	return func(x *work) {
		a, b, out := all[T](x, x.in[1]), all[T](x, x.in[0]), all[T](x, x.out)
		for i := range out {
			out[i] = f(a[i], b[i], x.immediate)
		}
	}
}
