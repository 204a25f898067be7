package interp

import "slices"

func shuffleRows() []row {
	return slices.Concat(
		blends(),
		[]row{
			{"VPSHUFB", "vM v v", 1, blocks(shuffleBytes)},
			{"VPSHUFD", "i vMb v", 4, blocks(choose4[uint32])},
			{"VPERMILPS", "i vMb v", 4, blocks(choose4[uint32])},
			{"VPERMILPS", "vMb v v", 4, blocks(func(out, a, b []uint32, _ uint8) { pick(out, a, b, 3, 0) })},
			{"VPERMILPD", "i vMb v", 8, choosePairs},
			{"VPERMILPD", "vMb v v", 8, blocks(func(out, a, b []uint64, _ uint8) { pick(out, a, b, 1, 1) })},
			{"VPSHUFLW", "i vM v", 2, blocks(func(out, _, b []uint16, i uint8) { copy(out[4:], b[4:]); choose4(out[:4], nil, b[:4], i) })},
			{"VPSHUFHW", "i vM v", 2, blocks(func(out, _, b []uint16, i uint8) { copy(out[:4], b[:4]); choose4(out[4:], nil, b[4:], i) })},
			{"VSHUFPS", "i vMb v v", 4, blocks(func(out, a, b []uint32, i uint8) {
				out[0], out[1], out[2], out[3] = a[i&3], a[i>>2&3], b[i>>4&3], b[i>>6]
			})},
			{"VSHUFPD", "i vMb v v", 8, shufflePairs},

			{"VUNPCKLPS", "vMb v v", 4, blocks(interleaveLow[uint32])},
			{"VUNPCKHPS", "vMb v v", 4, blocks(interleaveHigh[uint32])},
			{"VUNPCKLPD", "vMb v v", 8, blocks(interleaveLow[uint64])},
			{"VUNPCKHPD", "vMb v v", 8, blocks(interleaveHigh[uint64])},
			{"VPUNPCKLBW", "vM v v", 1, blocks(interleaveLow[uint8])},
			{"VPUNPCKHBW", "vM v v", 1, blocks(interleaveHigh[uint8])},
			{"VPUNPCKLWD", "vM v v", 2, blocks(interleaveLow[uint16])},
			{"VPUNPCKHWD", "vM v v", 2, blocks(interleaveHigh[uint16])},
			{"VPUNPCKLDQ", "vMb v v", 4, blocks(interleaveLow[uint32])},
			{"VPUNPCKHDQ", "vMb v v", 4, blocks(interleaveHigh[uint32])},
			{"VPUNPCKLQDQ", "vMb v v", 8, blocks(interleaveLow[uint64])},
			{"VPUNPCKHQDQ", "vMb v v", 8, blocks(interleaveHigh[uint64])},
			{"VPACKSSWB", "vM v v", 1, packed[int16, int8]()},
			{"VPACKUSWB", "vM v v", 1, packed[int16, uint8]()},
			{"VPACKSSDW", "vMb v v", 2, packed[int32, int16]()},
			{"VPACKUSDW", "vMb v v", 2, packed[int32, uint16]()},

			{"VPERM2F128", "i ym y y", 0, permuteHalves},
			{"VPERM2I128", "i ym y y", 0, permuteHalves},
			{"VPERMQ", "i vMb v", 8, quarters},
			{"VPERMPD", "i vMb v", 8, quarters},
			{"VPERMQ", "vMb v v", 8, whole(byIndex[uint64])},
			{"VPERMPD", "vMb v v", 8, whole(byIndex[uint64])},
			{"VPERMD", "vMb v v", 4, whole(byIndex[uint32])},
			{"VPERMPS", "vMb v v", 4, whole(byIndex[uint32])},
			{"VPERMW", "vM v v", 2, whole(byIndex[uint16])},
			{"VPERMB", "vM v v", 1, whole(byIndex[uint8])},
			{"VPERMI2B", "vM v +v", 1, fromTwo[uint8](true)},
			{"VPERMI2W", "vM v +v", 2, fromTwo[uint16](true)},
			{"VPERMI2D", "vMb v +v", 4, fromTwo[uint32](true)},
			{"VPERMI2PS", "vMb v +v", 4, fromTwo[uint32](true)},
			{"VPERMI2Q", "vMb v +v", 8, fromTwo[uint64](true)},
			{"VPERMI2PD", "vMb v +v", 8, fromTwo[uint64](true)},
			{"VPERMT2B", "vM v +v", 1, fromTwo[uint8](false)},
			{"VPERMT2W", "vM v +v", 2, fromTwo[uint16](false)},
			{"VPERMT2D", "vMb v +v", 4, fromTwo[uint32](false)},
			{"VPERMT2PS", "vMb v +v", 4, fromTwo[uint32](false)},
			{"VPERMT2Q", "vMb v +v", 8, fromTwo[uint64](false)},
			{"VPERMT2PD", "vMb v +v", 8, fromTwo[uint64](false)},
			{"VSHUFF32X4", "i vMb v v", 4, shuffleBlocks},
			{"VSHUFI32X4", "i vMb v v", 4, shuffleBlocks},
			{"VSHUFF64X2", "i vMb v v", 8, shuffleBlocks},
			{"VSHUFI64X2", "i vMb v v", 8, shuffleBlocks},
			{"VALIGND", "i vMb v v", 4, whole(align[uint32])},
			{"VALIGNQ", "i vMb v v", 8, whole(align[uint64])},
			{"VPALIGNR", "i vM v v", 1, blocks(alignBytes)},
		})
}

func blends() []row {
	return []row{
		{"VBLENDPS", "i vm v v", 0, blendImmediate[uint32](8)},
		{"VBLENDPD", "i vm v v", 0, blendImmediate[uint64](8)},
		{"VPBLENDD", "i vm v v", 0, blendImmediate[uint32](8)},
		{"VPBLENDW", "i vm v v", 0, blendImmediate[uint16](8)},
		{"VBLENDVPS", "v vm v v", 0, blendSigns[int32]},
		{"VBLENDVPD", "v vm v v", 0, blendSigns[int64]},
		{"VPBLENDVB", "v vm v v", 0, blendSigns[int8]},
		{"VBLENDMPS", "vmb v <v", 4, move},
		{"VBLENDMPD", "vmb v <v", 8, move},
		{"VPBLENDMB", "vm v <v", 1, move},
		{"VPBLENDMW", "vm v <v", 2, move},
		{"VPBLENDMD", "vmb v <v", 4, move},
		{"VPBLENDMQ", "vmb v <v", 8, move},
	}
}

// blendImmediate takes lanes of b where the immediate has ones; its bits repeat.
func blendImmediate[T number](bits int) kernel {
	return func(x *work) {
		a, b, out := all[T](x, x.in[1]), all[T](x, x.in[0]), all[T](x, x.out)
		for i := range out {
			if out[i] = a[i]; x.immediate>>(i%bits)&1 != 0 {
				out[i] = b[i]
			}
		}
	}
}

// blendSigns takes lanes of the second source where the first, the mask, is negative, and else of the third.
func blendSigns[T int8 | int32 | int64](x *work) {
	mask, b, a, out := all[T](x, x.in[0]), all[T](x, x.in[1]), all[T](x, x.in[2]), all[T](x, x.out)
	for i := range out {
		if out[i] = a[i]; mask[i] < 0 {
			out[i] = b[i]
		}
	}
}

func shuffleBytes(out, a, b []uint8, _ uint8) {
	for i := range out {
		if out[i] = a[b[i]&15]; b[i]&0x80 != 0 {
			out[i] = 0
		}
	}
}

// choose4 takes lanes of b by two bits of the immediate each.
func choose4[T number](out, _, b []T, i uint8) {
	for j := range out {
		out[j] = b[i>>(2*j)&3]
	}
}

// pick takes lanes of a that b says.
func pick[T uint8 | uint16 | uint32 | uint64](out, a, b []T, mask T, shift int) {
	for j := range out {
		out[j] = a[b[j]>>shift&mask]
	}
}

func byIndex[T uint8 | uint16 | uint32 | uint64](out, a, b []T, _ uint8) {
	for j := range out { // b is the table, a the indices
		out[j] = b[int(a[j])&(len(b)-1)]
	}
}

func choosePairs(x *work) {
	for i := range x.width / 8 {
		x.out[i] = x.in[0][i&^1+int(x.immediate>>i&1)]
	}
}

func shufflePairs(x *work) {
	for i := range x.width / 8 {
		x.out[i] = x.in[1-i&1][i&^1+int(x.immediate>>i&1)]
	}
}

func interleaveLow[T number](out, a, b []T, _ uint8) {
	for i := range len(out) / 2 {
		out[2*i], out[2*i+1] = a[i], b[i]
	}
}

func interleaveHigh[T number](out, a, b []T, _ uint8) {
	interleaveLow(out, a[len(a)/2:], b[len(b)/2:], 0)
}

// packed narrows the lanes of a and b with saturation, within each 128 bits.
func packed[W int16 | int32, N int8 | uint8 | int16 | uint16]() kernel {
	return func(x *work) {
		a, b, out := all[W](x, x.in[1]), all[W](x, x.in[0]), all[N](x, x.out)
		per := 16 / sizeOf[W]()
		for i := range out {
			from, block, lane := a, i/(2*per), i%(2*per)
			if lane >= per {
				from, lane = b, lane-per
			}
			out[i] = saturated[N](int64(from[block*per+lane]))
		}
	}
}

func permuteHalves(x *work) {
	for half := range 2 {
		i := x.immediate >> (4 * half)
		from := x.in[1-i>>1&1][2*(i&1):]
		to := x.out[2*half : 2*half+2]
		if copy(to, from); i&8 != 0 {
			clear(to)
		}
	}
}

// quarters takes lanes of 64 bits within each 256.
func quarters(x *work) {
	for i := range x.width / 8 {
		x.out[i] = x.in[0][i&^3+int(x.immediate>>(i%4*2)&3)]
	}
}

// fromTwo takes lanes of two tables in a row. Either the old destination has the indices, or it is the first table and a has them.
//
//go:noinline // each row of a table would have a copy
func fromTwo[T uint8 | uint16 | uint32 | uint64](index bool) kernel {
	return func(x *work) {
		a, b, old, out := all[T](x, x.in[1]), all[T](x, x.in[0]), all[T](x, x.old), all[T](x, x.out)
		first, by := a, old
		if !index {
			first, by = old, a
		}
		for i := range out {
			if at := int(by[i]) & (2*len(out) - 1); at < len(out) {
				out[i] = first[at]
			} else {
				out[i] = b[at-len(out)]
			}
		}
	}
}

// shuffleBlocks takes 128 bits at a time: the lower half of the result from a, the upper from b.
func shuffleBlocks(x *work) {
	n := x.width / 16
	for i := range n {
		from, choices := x.in[1], n
		if i >= n/2 {
			from = x.in[0]
		}
		shift := i
		if choices == 4 {
			shift = 2 * i
		}
		at := int(x.immediate>>shift) % choices
		copy(x.out[2*i:2*i+2], from[2*at:])
	}
}

// align shifts b, and a behind it, down by lanes.
func align[T uint32 | uint64](out, a, b []T, i uint8) {
	n := int(i) & (len(out) - 1)
	copy(out, b[n:])
	copy(out[len(out)-n:], a[:n])
}

func alignBytes(out, a, b []uint8, i uint8) {
	for j := range out {
		switch at := j + int(i); {
		case at < 16:
			out[j] = b[at]
		case at < 32:
			out[j] = a[at-16]
		default:
			out[j] = 0
		}
	}
}
