package interp

import "slices"

func compareRows() []row {
	return slices.Concat([]row{
		{"VCMPPS", "i vm v v", 0, compared(comparison[float32])},
		{"VCMPPS", "i vmb v k", 4, compared(comparison[float32])},
		{"VCMPPD", "i vm v v", 0, compared(comparison[float64])},
		{"VCMPPD", "i vmb v k", 8, compared(comparison[float64])},
		{"VCMPSS", "i x4m x s4", 0, compared(comparison[float32])},
		{"VCMPSD", "i x8m x s8", 0, compared(comparison[float64])},
		{"VFPCLASSPSX", "i xmb k", 4, classified[float32]},
		{"VFPCLASSPSY", "i ymb k", 4, classified[float32]},
		{"VFPCLASSPSZ", "i zmb k", 4, classified[float32]},
		{"VFPCLASSPDX", "i xmb k", 8, classified[float64]},
		{"VFPCLASSPDY", "i ymb k", 8, classified[float64]},
		{"VFPCLASSPDZ", "i zmb k", 8, classified[float64]},
		{"VUCOMISS", "x4m x f", 0, ordered[float32]},
		{"VUCOMISD", "x8m x f", 0, ordered[float64]},
		{"VCOMISS", "x4m x f", 0, ordered[float32]},
		{"VCOMISD", "x8m x f", 0, ordered[float64]},
		{"VPTEST", "vm v f", 0, tested[uint64](1<<63, true)},
		{"VTESTPS", "vm v f", 0, tested[uint32](1<<31, false)},
		{"VTESTPD", "vm v f", 0, tested[uint64](1<<63, false)},
	},
		compareIntegers("B", "v", 1, comparedInts[int8], comparedInts[uint8]),
		compareIntegers("W", "v", 2, comparedInts[int16], comparedInts[uint16]),
		compareIntegers("D", "vb", 4, comparedInts[int32], comparedInts[uint32]),
		compareIntegers("Q", "vb", 8, comparedInts[int64], comparedInts[uint64]))
}

// compareIntegers has the comparisons of lanes of one size: equal and greater than to vectors and masks, predicates and tests to masks.
func compareIntegers(letter, operand string, size int, signed, unsigned func(p func(order int, i uint8) bool) kernel) []row {
	m := operand[:1] + "m" + operand[1:]
	equal := func(order int, _ uint8) bool { return order == 0 }
	greater := func(order int, _ uint8) bool { return order > 0 }
	predicate := func(order int, i uint8) bool {
		is := [8]bool{order == 0, order < 0, order <= 0, false, order != 0, order >= 0, order > 0, true}
		return is[i&7]
	}
	return []row{
		{"VPCMPEQ" + letter, "vm v v", 0, signed(equal)},
		{"VPCMPEQ" + letter, m + " v k", size, signed(equal)},
		{"VPCMPGT" + letter, "vm v v", 0, signed(greater)},
		{"VPCMPGT" + letter, m + " v k", size, signed(greater)},
		{"VPCMP" + letter, "i " + m + " v k", size, signed(predicate)},
		{"VPCMPU" + letter, "i " + m + " v k", size, unsigned(predicate)},
		{"VPTESTM" + letter, m + " v k", size, bitTest(size, true)},
		{"VPTESTNM" + letter, m + " v k", size, bitTest(size, false)},
	}
}

func comparedInts[T integer](p func(order int, i uint8) bool) kernel {
	return compared(func(a, b T, i uint8) bool {
		switch {
		case a < b:
			return p(-1, i)
		case a > b:
			return p(1, i)
		}
		return p(0, i)
	})
}

func classified[T float](x *work) {
	x.bits = 0
	for i, b := range all[T](x, x.in[0]) {
		if classes(b, x.immediate) {
			x.bits |= 1 << i
		}
	}
}

func bitTest(size int, want bool) kernel {
	switch size {
	case 1:
		return compared(func(a, b uint8, _ uint8) bool { return (a&b != 0) == want })
	case 2:
		return compared(func(a, b uint16, _ uint8) bool { return (a&b != 0) == want })
	case 4:
		return compared(func(a, b uint32, _ uint8) bool { return (a&b != 0) == want })
	}
	return compared(func(a, b uint64, _ uint8) bool { return (a&b != 0) == want })
}

// tested sets zero if no bit is in both sources, carry if none of b's is missing in a. Of each lane the bits of a mask count, or all.
func tested[T uint32 | uint64](mask T, every bool) kernel {
	if every {
		mask = ^T(0)
	}
	return func(x *work) {
		a, b := all[T](x, x.in[1]), all[T](x, x.in[0])
		var both, only T
		for i := range a {
			both |= a[i] & b[i] & mask
			only |= ^a[i] & b[i] & mask
		}
		x.flags = 0
		if both == 0 {
			x.flags |= zero
		}
		if only == 0 {
			x.flags |= carry
		}
	}
}
