package interp

import "slices"

// move copies a register, or memory.
func move(x *work) { *x.out = *x.in[0] }

// moves are the rows of an instruction that copies registers from and to memory.
func moves(name string, element int, aligned string) []row {
	return []row{
		{name, "vm" + aligned + " v", element, move},
		{name, "v m" + aligned, element, move},
	}
}

func moveRows() []row {
	return slices.Concat(
		moves("VMOVUPS", 4, ""), moves("VMOVUPD", 8, ""), moves("VMOVAPS", 4, "a"), moves("VMOVAPD", 8, "a"),
		moves("VMOVDQU", 0, ""), moves("VMOVDQA", 0, "a"), moves("VMOVDQA32", 4, "a"), moves("VMOVDQA64", 8, "a"),
		moves("VMOVDQU8", 1, ""), moves("VMOVDQU16", 2, ""), moves("VMOVDQU32", 4, ""), moves("VMOVDQU64", 8, ""),
		[]row{
			{"VLDDQU", "m v", 0, move},
			{"VMOVNTPS", "v ma", 0, move},
			{"VMOVNTPD", "v ma", 0, move},
			{"VMOVNTDQ", "v ma", 0, move},
			{"VMOVNTDQA", "ma v", 0, move},
			{"VMOVSS", "m4 x4", 4, move},
			{"VMOVSS", "x4 m4", 4, move},
			{"VMOVSS", "x4 x s4", 4, moveLowest[uint32]},
			{"VMOVSD", "m8 x8", 8, move},
			{"VMOVSD", "x8 m8", 8, move},
			{"VMOVSD", "x8 x s8", 8, moveLowest[uint64]},
			{"VMOVD", "g4m x4", 0, move},
			{"VMOVD", "x4 g4m", 0, move},
			{"VMOVQ", "g8m x8", 0, move},
			{"VMOVQ", "x8 g8m", 0, move},
			{"VMOVQ", "x8 x8", 0, move},
			{"VMOVHLPS", "x x x", 0, func(x *work) { x.out[0], x.out[1] = x.in[0][1], x.in[1][1] }},
			{"VMOVLHPS", "x x x", 0, func(x *work) { x.out[0], x.out[1] = x.in[1][0], x.in[0][0] }},
			{"VMOVHPS", "m8 x x", 0, func(x *work) { x.out[0], x.out[1] = x.in[1][0], x.in[0][0] }},
			{"VMOVHPD", "m8 x x", 0, func(x *work) { x.out[0], x.out[1] = x.in[1][0], x.in[0][0] }},
			{"VMOVLPS", "m8 x x", 0, func(x *work) { x.out[0], x.out[1] = x.in[0][0], x.in[1][1] }},
			{"VMOVLPD", "m8 x x", 0, func(x *work) { x.out[0], x.out[1] = x.in[0][0], x.in[1][1] }},
			{"VMOVHPS", "x m8", 0, func(x *work) { x.out[0] = x.in[0][1] }},
			{"VMOVHPD", "x m8", 0, func(x *work) { x.out[0] = x.in[0][1] }},
			{"VMOVLPS", "x m8", 0, move},
			{"VMOVLPD", "x m8", 0, move},
			{"VMOVSHDUP", "vM v", 4, blocks(func(out, _, b []uint32, _ uint8) { out[0], out[1], out[2], out[3] = b[1], b[1], b[3], b[3] })},
			{"VMOVSLDUP", "vM v", 4, blocks(func(out, _, b []uint32, _ uint8) { out[0], out[1], out[2], out[3] = b[0], b[0], b[2], b[2] })},
			{"VMOVDDUP", "x8M x", 8, broadcast[uint64](1)},
			{"VMOVDDUP", "yM y", 8, blocks(func(out, _, b []uint64, _ uint8) { out[0], out[1] = b[0], b[0] })},
			{"VMOVDDUP", "zM z", 8, blocks(func(out, _, b []uint64, _ uint8) { out[0], out[1] = b[0], b[0] })},

			{"VBROADCASTSS", "x4M v", 4, broadcast[uint32](1)},
			{"VBROADCASTSD", "x8M v", 8, broadcast[uint64](1)},
			{"VBROADCASTF128", "m16 v", 0, broadcast[uint64](2)},
			{"VBROADCASTI128", "m16 v", 0, broadcast[uint64](2)},
			{"VBROADCASTF32X2", "x8M v", 4, broadcast[uint64](1)},
			{"VBROADCASTI32X2", "x8M v", 4, broadcast[uint64](1)},
			{"VBROADCASTF32X4", "m16M v", 4, broadcast[uint64](2)},
			{"VBROADCASTI32X4", "m16M v", 4, broadcast[uint64](2)},
			{"VBROADCASTF64X2", "m16M v", 8, broadcast[uint64](2)},
			{"VBROADCASTI64X2", "m16M v", 8, broadcast[uint64](2)},
			{"VBROADCASTF32X8", "m32M v", 4, broadcast[uint64](4)},
			{"VBROADCASTI32X8", "m32M v", 4, broadcast[uint64](4)},
			{"VBROADCASTF64X4", "m32M v", 8, broadcast[uint64](4)},
			{"VBROADCASTI64X4", "m32M v", 8, broadcast[uint64](4)},
			{"VPBROADCASTB", "x1M v", 1, broadcast[uint8](1)},
			{"VPBROADCASTB", "g1 v", 1, broadcast[uint8](1)},
			{"VPBROADCASTW", "x2M v", 2, broadcast[uint16](1)},
			{"VPBROADCASTW", "g2 v", 2, broadcast[uint16](1)},
			{"VPBROADCASTD", "x4M v", 4, broadcast[uint32](1)},
			{"VPBROADCASTD", "g4 v", 4, broadcast[uint32](1)},
			{"VPBROADCASTQ", "x8M v", 8, broadcast[uint64](1)},
			{"VPBROADCASTQ", "g8 v", 8, broadcast[uint64](1)},

			{"VPMOVMSKB", "v g4", 0, signs[int8]},
			{"VMOVMSKPS", "v g4", 0, signs[int32]},
			{"VMOVMSKPD", "v g4", 0, signs[int64]},
			{"VPMOVB2M", "v k", 0, signs[int8]},
			{"VPMOVW2M", "v k", 0, signs[int16]},
			{"VPMOVD2M", "v k", 0, signs[int32]},
			{"VPMOVQ2M", "v k", 0, signs[int64]},
			{"VPMOVM2B", "k v", 0, fromMask[int8]},
			{"VPMOVM2W", "k v", 0, fromMask[int16]},
			{"VPMOVM2D", "k v", 0, fromMask[int32]},
			{"VPMOVM2Q", "k v", 0, fromMask[int64]},

			{"VPEXTRB", "i x g4", 0, extract[uint8]},
			{"VPEXTRB", "i x m1", 0, extract[uint8]},
			{"VPEXTRW", "i x g4", 0, extract[uint16]},
			{"VPEXTRW", "i x m2", 0, extract[uint16]},
			{"VPEXTRD", "i x g4m", 0, extract[uint32]},
			{"VPEXTRQ", "i x g8m", 0, extract[uint64]},
			{"VEXTRACTPS", "i x g4m", 0, extract[uint32]},
			{"VPINSRB", "i g4 x x", 0, insert[uint8]},
			{"VPINSRB", "i m1 x x", 0, insert[uint8]},
			{"VPINSRW", "i g4 x x", 0, insert[uint16]},
			{"VPINSRW", "i m2 x x", 0, insert[uint16]},
			{"VPINSRD", "i g4m x x", 0, insert[uint32]},
			{"VPINSRQ", "i g8m x x", 0, insert[uint64]},
			{"VINSERTPS", "i x x x", 0, insertSingle(3)},
			{"VINSERTPS", "i m4 x x", 0, insertSingle(0)},

			{"VEXTRACTF128", "i y x16m", 0, extractPart(2)},
			{"VEXTRACTI128", "i y x16m", 0, extractPart(2)},
			{"VEXTRACTF32X4", "i v x16m", 4, extractPart(2)},
			{"VEXTRACTI32X4", "i v x16m", 4, extractPart(2)},
			{"VEXTRACTF64X2", "i v x16m", 8, extractPart(2)},
			{"VEXTRACTI64X2", "i v x16m", 8, extractPart(2)},
			{"VEXTRACTF32X8", "i z y32m", 4, extractPart(4)},
			{"VEXTRACTI32X8", "i z y32m", 4, extractPart(4)},
			{"VEXTRACTF64X4", "i z y32m", 8, extractPart(4)},
			{"VEXTRACTI64X4", "i z y32m", 8, extractPart(4)},
			{"VINSERTF128", "i x16m y y", 0, insertPart(2)},
			{"VINSERTI128", "i x16m y y", 0, insertPart(2)},
			{"VINSERTF32X4", "i x16M v v", 4, insertPart(2)},
			{"VINSERTI32X4", "i x16M v v", 4, insertPart(2)},
			{"VINSERTF64X2", "i x16M v v", 8, insertPart(2)},
			{"VINSERTI64X2", "i x16M v v", 8, insertPart(2)},
			{"VINSERTF32X8", "i y32M z z", 4, insertPart(4)},
			{"VINSERTI32X8", "i y32M z z", 4, insertPart(4)},
			{"VINSERTF64X4", "i y32M z z", 8, insertPart(4)},
			{"VINSERTI64X4", "i y32M z z", 8, insertPart(4)},
		})
}

func moveLowest[T number](x *work) { lanes[T](x.out, 1)[0] = lanes[T](x.in[0], 1)[0] }

// broadcast repeats the first n lanes.
func broadcast[T number](n int) kernel {
	return func(x *work) {
		b, out := lanes[T](x.in[0], n), all[T](x, x.out)
		for i := range out {
			out[i] = b[i%n]
		}
	}
}

// signs gathers the highest bits of lanes.
func signs[T int8 | int16 | int32 | int64](x *work) {
	x.bits = 0
	for i, v := range all[T](x, x.in[0]) {
		if v < 0 {
			x.bits |= 1 << i
		}
	}
	x.out[0] = x.bits
}

func fromMask[T number](x *work) {
	x.bits = x.in[0][0]
	spread[T](x)
}

func extract[T uint8 | uint16 | uint32 | uint64](x *work) {
	from := lanes[T](x.in[0], 16/sizeOf[T]())
	x.out[0] = uint64(from[int(x.immediate)%len(from)])
}

func insert[T uint8 | uint16 | uint32 | uint64](x *work) {
	*x.out = *x.in[1]
	to := lanes[T](x.out, 16/sizeOf[T]())
	to[int(x.immediate)%len(to)] = T(x.in[0][0])
}

// insertSingle puts one of the source's lanes up to last, by the immediate's bits 6 and 7, where 4 and 5 say, and clears lanes by 0 to 3.
func insertSingle(last uint8) kernel {
	return func(x *work) {
		from := lanes[uint32](x.in[0], 4)[x.immediate>>6&last]
		*x.out = *x.in[1]
		to := lanes[uint32](x.out, 4)
		to[x.immediate>>4&3] = from
		for i := range to {
			if x.immediate>>i&1 != 0 {
				to[i] = 0
			}
		}
	}
}

// extractPart takes one of the source's parts of n times 64 bits.
func extractPart(n int) kernel {
	return func(x *work) {
		at := int(x.immediate) * n % (x.width / 8)
		copy(x.out[:n], x.in[0][at:])
	}
}

func insertPart(n int) kernel {
	return func(x *work) {
		*x.out = *x.in[1]
		at := int(x.immediate) * n % (x.width / 8)
		copy(x.out[at:at+n], x.in[0][:n])
	}
}
