package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Routines around tiles of integer products: those that make what these read, and one for products with a single row.

// fromTo is what moves on from row to row of a copy.
var fromTo = [][2]string{{"From", "FromRow"}, {"To", "ToRow"}}

// copyRows builds the routine that brings rows of pixels into the form that dot products of bytes or of words read.
func copyRows(f *file, name string, bytes bool) {
	r := f.routine(name, "CopyRowsArgs")
	from, to, pixel := r.GP64(), r.GP64(), r.load("ToPixel")
	pad, change := r.YMM(), r.YMM()
	r.VPBROADCASTD(r.field("Pad"), pad)
	r.VPBROADCASTD(r.field("Change"), change)
	// times repeats a body as often as a field says, which may be never.
	times := func(field string, body func()) {
		next, done, n := r.label("next"), r.label("done"), r.load(field)
		r.TESTQ(n, n)
		r.unless(r.JZ, done, func() {
			r.loop(next, n, func() {
				body()
				r.ADDQ(pixel, to)
			})
		})
	}
	padding := func() {
		if bytes {
			r.VMOVDQU(pad.AsX(), at(to, 0))
		} else {
			r.VMOVDQU(pad, at(to, 0))
		}
	}
	rows := func(copyOf func(x reg.VecVirtual)) {
		row := r.label("row")
		r.Label(row)
		r.MOVQ(r.field("From"), from)
		r.MOVQ(r.field("To"), to)
		times("Left", padding)
		times("N", func() {
			x := r.YMM()
			copyOf(x)
			r.ADDQ(operand.Imm(16), from)
		})
		times("Right", padding)
		r.nextRowBy(row, fromTo...)
	}
	if bytes {
		rows(func(x reg.VecVirtual) {
			r.VPXOR(at(from, 0), change.AsX(), x.AsX())
			r.VMOVDQU(x.AsX(), at(to, 0))
		})
		r.end()
		return
	}
	r.bySign(func(signed bool) {
		rows(func(x reg.VecVirtual) {
			r.widen(signed, at(from, 0), x)
			r.VPSUBW(change, x, x)
			r.VMOVDQU(x, at(to, 0))
		})
	})
	r.end()
}

// copyPairs builds the routine that makes rows of pairs of neighbouring pixels of words.
func copyPairs(f *file) {
	r := f.routine("CopyPairs", "CopyPairsArgs")
	from, to, step, toggle := r.GP64(), r.GP64(), r.GP64(), r.load("Toggle")
	left, n := r.GP64(), r.GP64()
	last, x, low, high, change := r.YMM(), r.YMM(), r.YMM(), r.YMM(), r.YMM()
	r.VPBROADCASTD(r.field("Change"), change)
	store := func() {
		r.VMOVDQU(low, at(to, 0))
		r.VMOVDQU(high, at(to, 32))
	}
	unpack := func() {
		r.VPUNPCKLWD(x, last, low)
		r.VPUNPCKHWD(x, last, high)
	}
	// pairs adds as many pixels as a counter says, which may be none: each completes the pair of the one before it. Where that is left out, it is overwritten.
	pairs := func(count reg.GPVirtual, pixel, two func()) {
		next, done, each := r.label("next"), r.label("done"), r.label("each")
		r.Label(next)
		if two != nil { // the first ones of two pairs that are not left out
			r.TESTQ(step, step)
			r.JNZ(operand.LabelRef(each))
			again := r.label("two")
			r.Label(again)
			r.CMPQ(count, operand.Imm(2))
			r.JL(operand.LabelRef(each))
			two()
			store()
			r.ADDQ(operand.Imm(64), to)
			r.SUBQ(operand.Imm(2), count)
			r.JMP(operand.LabelRef(again))
			r.Label(each)
		}
		r.TESTQ(count, count)
		r.unless(r.JZ, done, func() {
			pixel()
			unpack()
			store()
			r.VMOVDQA(x, last)
			r.ADDQ(step, to)
			r.XORQ(toggle, step)
			r.DECQ(count)
			r.JMP(operand.LabelRef(next))
		})
	}
	zero := func() { r.VPXOR(x, x, x) }
	rows := func(size uint64, load, loadTwo func()) {
		pixel := func() {
			load()
			r.ADDQ(operand.Imm(size), from)
		}
		two := func() {
			loadTwo()
			r.ADDQ(operand.Imm(2*size), from)
		}
		row, begin, begun := r.label("row"), r.label("begin"), r.label("begun")
		r.Label(row)
		r.MOVQ(r.field("From"), from)
		r.MOVQ(r.field("To"), to)
		r.MOVQ(operand.U32(64), step)
		r.MOVQ(r.field("Left"), left)
		r.MOVQ(r.field("N"), n)
		r.VPXOR(last, last, last)
		r.TESTQ(left, left)
		r.either(r.JZ, begin, begun, func() { r.DECQ(left) }, func() {
			pixel()
			r.VMOVDQA(x, last)
			r.DECQ(n)
		})
		pairs(left, zero, nil)
		pairs(n, pixel, two)
		r.MOVQ(r.field("Right"), left)
		r.INCQ(left) // with one for the last pixel
		pairs(left, zero, nil)
		r.nextRowBy(row, fromTo...)
	}
	const order = 0b11_01_10_00 // of quarters, so that channels are in order when halves of halves are unpacked
	end := r.label("end")
	for kind, widen := range []func(ops ...operand.Op){r.VPMOVZXBW, r.VPMOVSXBW} {
		other := r.label("other")
		r.CMPQ(r.field("Kind"), operand.Imm(uint64(kind)))
		r.unless(r.JNE, other, func() {
			rows(16, func() {
				r.VPSHUFD(operand.Imm(order), at(from, 0), x.AsX())
				widen(x.AsX(), x)
				r.VPSUBW(change, x, x)
			}, func() {
				r.VMOVDQU(at(from, 0), x.AsX())
				r.VPUNPCKLBW(at(from, 16), x.AsX(), low.AsX())
				r.VPUNPCKHBW(at(from, 16), x.AsX(), high.AsX())
				for _, half := range []reg.VecVirtual{low, high} {
					widen(half.AsX(), half)
					r.VPSUBW(change, half, half)
				}
			})
			r.JMP(operand.LabelRef(end))
		})
	}
	rows(32, func() { r.VPERMQ(operand.Imm(order), at(from, 0), x) }, func() {
		r.VPERMQ(operand.Imm(order), at(from, 0), last)
		r.VPERMQ(operand.Imm(order), at(from, 32), x)
		unpack()
	})
	r.Label(end)
	r.end()
}

// pairRows builds the routine that makes pairs of words of two rows of bytes, one below the other. It serves all tiers.
func pairRows(f *file) {
	r := f.routine("PairRows", "PairRowsArgs")
	from, to, row, below, n := r.load("From"), r.load("To"), r.load("FromRow"), r.load("ToRow"), r.load("Rows")
	x, y, low, high, change := r.YMM(), r.YMM(), r.YMM(), r.YMM(), r.YMM()
	r.VPBROADCASTD(r.field("Change"), change)
	r.bySign(func(signed bool) {
		r.loop(r.label("row"), n, func() {
			r.VMOVDQU(at(from, 0), x.AsX())
			r.VMOVDQU(operand.Mem{Base: from, Index: row, Scale: 1}, y.AsX())
			r.VPUNPCKLBW(y.AsX(), x.AsX(), low.AsX())
			r.VPUNPCKHBW(y.AsX(), x.AsX(), high.AsX())
			for i, half := range []reg.VecVirtual{low, high} {
				r.widen(signed, half.AsX(), half)
				r.VPSUBW(change, half, half)
				r.VMOVDQU(half, at(to, 32*i))
			}
			r.LEAQ(operand.Mem{Base: from, Index: row, Scale: 2}, from)
			r.ADDQ(below, to)
		})
	})
	r.end()
}

// rowDots builds the routine that multiplies rows of bytes, or of words, with one, four at a time.
func rowDots(f *file) {
	r := f.routine("RowDots", "RowDotsArgs")
	out, w, row, n := r.load("Out"), r.load("W"), r.load("WRow"), r.load("N")
	three := r.GP64()
	r.LEAQ(operand.Mem{Base: row, Index: row, Scale: 2}, three)
	type widening func(from, to operand.Op)
	unsigned, signed := func(from, to operand.Op) { r.VPMOVZXBW(from, to) }, func(from, to operand.Op) { r.VPMOVSXBW(from, to) }
	words := func(from, to operand.Op) { r.VMOVDQU(from, to) }
	// rows multiplies so many rows at a time, while there are as many; sixteen elements have so many bytes.
	rows := func(many, size int, widenX, widenW widening) {
		next, few, each := r.label("rows"), r.label("few"), r.label("each")
		r.Label(next)
		r.CMPQ(n, operand.Imm(uint64(many)))
		r.unless(r.JLT, few, func() {
			sums := make([]reg.VecVirtual, many)
			for i := range sums {
				sums[i] = r.YMM()
				r.VPXOR(sums[i], sums[i], sums[i])
			}
			x, at0, k := r.load("X"), r.GP64(), r.load("K")
			r.MOVQ(w, at0)
			left, right := r.YMM(), r.YMM()
			r.loop(each, k, func() {
				widenX(at(x, 0), left)
				for i, sum := range sums {
					widenW(strided(at0, i, 0, row, three), right)
					r.VPMADDWD(left, right, right)
					r.VPADDD(right, sum, sum)
				}
				r.ADDQ(operand.Imm(uint64(size)), x)
				r.ADDQ(operand.Imm(uint64(size)), at0)
			})
			for i, sum := range sums {
				r.VEXTRACTI128(operand.Imm(1), sum, right.AsX())
				r.VPADDD(right.AsX(), sum.AsX(), sum.AsX())
				for _, order := range []uint64{0b01_00_11_10, 0b10_11_00_01} {
					r.VPSHUFD(operand.Imm(order), sum.AsX(), right.AsX())
					r.VPADDD(right.AsX(), sum.AsX(), sum.AsX())
				}
				r.VMOVD(sum.AsX(), at(out, 4*i))
				r.ADDQ(row, w)
			}
			r.ADDQ(operand.Imm(uint64(4*many)), out)
			r.SUBQ(operand.Imm(uint64(many)), n)
			r.JMP(operand.LabelRef(next))
		})
	}
	done, bytes := r.label("done"), r.label("bytes")
	r.CMPQ(r.field("Words"), operand.Imm(0))
	r.unless(r.JE, bytes, func() {
		rows(4, 32, words, words)
		rows(1, 32, words, words)
		r.JMP(operand.LabelRef(done))
	})
	for _, x := range []struct {
		field  int
		widenX widening
	}{{0, unsigned}, {1, signed}} {
		other := r.label("other")
		r.CMPQ(r.field("XSigned"), operand.Imm(uint64(x.field)))
		r.unless(r.JNE, other, func() {
			for _, y := range []struct {
				field  int
				widenW widening
			}{{0, unsigned}, {1, signed}} {
				next := r.label("next")
				r.CMPQ(r.field("WSigned"), operand.Imm(uint64(y.field)))
				r.JNE(operand.LabelRef(next))
				rows(4, 16, x.widenX, y.widenW)
				rows(1, 16, x.widenX, y.widenW)
				r.JMP(operand.LabelRef(done))
				r.Label(next)
			}
		})
	}
	r.Label(done)
	r.end()
}

// pixelsOfPlanes builds the routine that makes pixels of four planes of bytes, eight at a time, of bytes or of words. The last eight may be made twice.
func pixelsOfPlanes(f *file, name string, bytes bool) {
	r := f.routine(name, "PixelsArgs")
	to, last, i := r.load("To"), r.load("N"), r.GP64()
	r.SUBQ(operand.Imm(8), last)
	planes := []reg.GPVirtual{r.load("A"), r.load("B"), r.load("C"), r.load("D")}
	change := r.YMM()
	r.VPBROADCASTD(r.field("Change"), change)
	store := func(half int, x reg.VecVirtual) { // four pixels
		r.VPXOR(change.AsX(), x.AsX(), x.AsX())
		r.VMOVDQU(x.AsX(), operand.Mem{Base: to, Index: i, Scale: 4, Disp: 16 * half})
	}
	eights := func() {
		row, next, done := r.label("row"), r.label("next"), r.label("done")
		r.loop(row, r.field("Rows"), func() {
			r.XORQ(i, i)
			r.Label(next)
			var x [4]reg.VecVirtual
			for k, plane := range planes {
				x[k] = r.YMM()
				r.VMOVQ(operand.Mem{Base: plane, Index: i, Scale: 1}, x[k].AsX())
			}
			r.VPUNPCKLBW(x[1].AsX(), x[0].AsX(), x[0].AsX())
			r.VPUNPCKLBW(x[3].AsX(), x[2].AsX(), x[2].AsX())
			r.VPUNPCKLWD(x[2].AsX(), x[0].AsX(), x[1].AsX())
			r.VPUNPCKHWD(x[2].AsX(), x[0].AsX(), x[3].AsX())
			store(0, x[1])
			store(1, x[3])
			r.CMPQ(i, last)
			r.unless(r.JGE, done, func() {
				r.ADDQ(operand.Imm(8), i)
				r.CMPQ(i, last)
				r.JLE(operand.LabelRef(next))
				r.MOVQ(last, i)
				r.JMP(operand.LabelRef(next))
			})
			for _, plane := range planes {
				r.ADDQ(r.field("FromRow"), plane)
			}
			r.ADDQ(r.field("ToRow"), to)
		})
	}
	if bytes {
		eights()
		r.end()
		return
	}
	r.bySign(func(signed bool) {
		store = func(half int, x reg.VecVirtual) {
			r.widen(signed, x.AsX(), x)
			r.VPSUBW(change, x, x)
			r.VMOVDQU(x, operand.Mem{Base: to, Index: i, Scale: 8, Disp: 32 * half})
		}
		eights()
	})
	r.end()
}
