package main

import (
	"fmt"
	"log"

	"github.com/mmcloughlin/avo/operand"
)

// rule translates an instruction with its operands, of which the last one is the result.
type rule func(t *translation, o []operand.Op)

// rules lists how each instruction is translated.
var rules = map[string]rule{
	"VZEROUPPER": func(*translation, []operand.Op) {},
	"RET":        func(t *translation, _ []operand.Op) { t.line("RET") },

	"VADDPS": binary("FADD", "4S"), "VSUBPS": binary("FSUB", "4S"), "VMULPS": binary("FMUL", "4S"), "VDIVPS": binary("FDIV", "4S"),
	"VADDPD": binary("FADD", "2D"), "VSUBPD": binary("FSUB", "2D"), "VMULPD": binary("FMUL", "2D"), "VDIVPD": binary("FDIV", "2D"),
	"VANDPS": binary("AND", "16B"), "VANDPD": binary("AND", "16B"), "VPAND": binary("AND", "16B"),
	"VORPS": binary("ORR", "16B"), "VORPD": binary("ORR", "16B"), "VPOR": binary("ORR", "16B"),
	"VXORPS": exclusiveOr, "VXORPD": exclusiveOr, "VPXOR": exclusiveOr,
	"VANDNPS": eachBinary(func(t *translation, d, n, m register) { t.do("BIC", "16B", d, m, n) }),

	"VPADDB": binary("ADD", "16B"), "VPADDW": binary("ADD", "8H"), "VPADDD": binary("ADD", "4S"), "VPADDQ": binary("ADD", "2D"),
	"VPSUBB": binary("SUB", "16B"), "VPSUBW": binary("SUB", "8H"), "VPSUBD": binary("SUB", "4S"), "VPSUBQ": binary("SUB", "2D"),
	"VPADDSB": binary("SQADD", "16B"), "VPADDSW": binary("SQADD", "8H"), "VPADDUSB": binary("UQADD", "16B"), "VPADDUSW": binary("UQADD", "8H"),
	"VPSUBSB": binary("SQSUB", "16B"), "VPSUBSW": binary("SQSUB", "8H"), "VPSUBUSB": binary("UQSUB", "16B"), "VPSUBUSW": binary("UQSUB", "8H"),
	"VPMAXSB": binary("SMAX", "16B"), "VPMAXSW": binary("SMAX", "8H"), "VPMAXSD": binary("SMAX", "4S"),
	"VPMINSB": binary("SMIN", "16B"), "VPMINSW": binary("SMIN", "8H"), "VPMINSD": binary("SMIN", "4S"),
	"VPMAXUB": binary("UMAX", "16B"), "VPMAXUW": binary("UMAX", "8H"), "VPMAXUD": binary("UMAX", "4S"),
	"VPMINUB": binary("UMIN", "16B"), "VPMINUW": binary("UMIN", "8H"), "VPMINUD": binary("UMIN", "4S"),
	"VPMULLW": binary("MUL", "8H"), "VPMULLD": binary("MUL", "4S"),
	"VPCMPEQD": binary("CMEQ", "4S"), "VPCMPGTD": binary("CMGT", "4S"), "VPCMPGTQ": binary("CMGT", "2D"),

	"VUNPCKLPS": binary("ZIP1", "4S"), "VUNPCKHPS": binary("ZIP2", "4S"), "VUNPCKLPD": binary("ZIP1", "2D"), "VUNPCKHPD": binary("ZIP2", "2D"),
	"VPUNPCKLBW": binary("ZIP1", "16B"), "VPUNPCKHBW": binary("ZIP2", "16B"), "VPUNPCKLWD": binary("ZIP1", "8H"), "VPUNPCKHWD": binary("ZIP2", "8H"),

	"VPABSB": unary("ABS", "16B"), "VPABSW": unary("ABS", "8H"), "VPABSD": unary("ABS", "4S"),
	"VSQRTPS": unary("FSQRT", "4S"), "VSQRTPD": unary("FSQRT", "2D"), "VCVTDQ2PS": unary("SCVTF", "4S"),
	"VCVTPS2DQ": toIntegers("FCVTNS"), "VCVTTPS2DQ": toIntegers("FCVTZS"),
	"VROUNDPS": func(t *translation, o []operand.Op) {
		unary([]string{"FRINTN", "FRINTM", "FRINTP", "FRINTZ"}[number(o[0])&3], "4S")(t, o[1:])
	},

	"VPSLLW": shiftBy("SHL", "8H"), "VPSLLD": shiftBy("SHL", "4S"), "VPSLLQ": shiftBy("SHL", "2D"),
	"VPSRLW": shiftBy("USHR", "8H"), "VPSRLD": shiftBy("USHR", "4S"), "VPSRLQ": shiftBy("USHR", "2D"), "VPSRAD": shiftBy("SSHR", "4S"),
	"VPSLLVD": shiftEach("USHL", false), "VPSRLVD": shiftEach("USHL", true), "VPSRAVD": shiftEach("SSHL", true),
	"VPSLLVQ": shiftEachLong(false), "VPSRLVQ": shiftEachLong(true),

	// The greater is the first one if it is greater, and else the second one.
	"VMAXPS": extreme("4S", false), "VMAXPD": extreme("2D", false), "VMINPS": extreme("4S", true), "VMINPD": extreme("2D", true),

	"VFMADD231PS": binary("FMLA", "4S"), "VFMADD231PD": binary("FMLA", "2D"), "VFNMADD231PD": binary("FMLS", "2D"),
	"VFMADD213PS": multiplied("FMLA"), "VFNMADD213PS": multiplied("FMLS"),
	"VFMSUB231PD": eachBinary(func(t *translation, d, n, m register) {
		minus := t.temp()
		t.do("FNEG", "2D", minus, d)
		t.do("FMLA", "2D", minus, n, m)
		t.move(d, minus)
	}),

	"VCMPPS": compare("4S"), "VCMPPD": compare("2D"),
	"VBLENDVPS": blend("4S"), "VBLENDVPD": blend("2D"),
	"VPTEST": func(t *translation, o []operand.Op) {
		n := len(t.halves(o[1]))
		x, y := t.halves(o[1]), t.source(o[0], n)
		both := t.temp()
		t.do("AND", "16B", both, x[0], y[0])
		if n == 2 {
			other := t.temp()
			t.do("AND", "16B", other, x[1], y[1])
			t.do("ORR", "16B", both, both, other)
		}
		t.do("UMAXP", "4S", both, both, both)
		t.word(extractWord("2D", spare, both, 0))
		t.line("CMP $0, R%d", spare)
	},

	"VPMADDWD": eachBinary(func(t *translation, d, n, m register) {
		lower, upper := t.temp(), t.temp()
		t.do("SMULL", "4H", lower, n, m)
		t.do("SMULL", "8H", upper, n, m)
		t.do("ADDP", "4S", d, lower, upper)
	}),
	"VPMULUDQ": multiplyEven("UMULL"), "VPMULDQ": multiplyEven("SMULL"),
	"VPACKSSDW": pack("SQXTN", "4H", "8H"), "VPACKUSDW": pack("SQXTUN", "4H", "8H"), "VPACKSSWB": pack("SQXTN", "8B", "16B"),
	"VPACKUSWB": pack("SQXTUN", "8B", "16B"),

	"VPMOVSXBW": widened("SSHLL", "8B"), "VPMOVZXBW": widened("USHLL", "8B"), "VPMOVSXWD": widened("SSHLL", "4H"), "VPMOVZXWD": widened("USHLL", "4H"),
	"VPMOVSXDQ": widened("SSHLL", "2S"), "VPMOVSXBD": widenedTwice("SSHLL"), "VPMOVZXBD": widenedTwice("USHLL"),
	"VCVTPS2PD": widened("FCVTL", "2S"), "VCVTPH2PS": widened("FCVTL", "4H"),
	"VCVTPD2PSY": func(t *translation, o []operand.Op) { t.narrow(t.halves(o[0]), "2S", "4S", o[1]) },
	"VCVTPS2PH":  func(t *translation, o []operand.Op) { t.narrow(t.halves(o[1]), "4H", "8H", o[2]) },

	"VPSHUFB": eachBinary(func(t *translation, d, n, m register) { // an index with the highest bit yields 0, and others count by four bits
		index := t.temp()
		t.line("MOVD $0x8f, R%d", spare)
		t.word(allWord("16B", index, spare))
		t.do("AND", "16B", index, index, m)
		t.do("TBL", "16B", d, n, index)
	}),
	"VPSHUFD": shuffle, "VPERMILPS": shuffle,
	"VSHUFPS": func(t *translation, o []operand.Op) {
		how, ok := map[int64]rule{0x44: binary("ZIP1", "2D"), 0xEE: binary("ZIP2", "2D"), 0x88: binary("UZP1", "4S")}[number(o[0])]
		if !ok {
			log.Fatalf("%s: there is no rule for %s", t.name, text(o))
		}
		how(t, o[1:])
	},
	"VPERMQ": func(t *translation, o []operand.Op) {
		x, d := t.source(o[1], 2), t.result(o[2])
		if x[0] == x[1] || number(o[0]) != 0xD8 {
			to := []register{t.temp(), t.temp()}
			for i := range uint32(4) {
				from := uint32(number(o[0])) >> (2 * i) & 3
				t.word(insertWord("2D", to[i/2], i%2, x[from/2], from%2))
			}
			t.move(d[0], to[0])
			t.move(d[1], to[1])
			return
		}
		lower := t.temp()
		t.do("ZIP1", "2D", lower, x[0], x[1])
		t.do("ZIP2", "2D", d[1], x[0], x[1])
		t.move(d[0], lower)
	},
	"VPERMD": func(t *translation, o []operand.Op) {
		table := t.temps()
		for i, x := range t.source(o[0], 2) {
			t.move(table[i], x)
		}
		to := t.result(o[2])
		index, by := t.temp(), t.temp()
		for i, x := range t.halves(o[1]) {
			t.shift("SHL", "4S", index, x, 29) // the lowest three bits, times four
			t.shift("USHR", "4S", index, index, 27)
			t.line("MOVD $0x01010101, R%d", spare)
			t.word(allWord("4S", by, spare))
			t.do("MUL", "4S", index, index, by)
			t.line("MOVD $0x03020100, R%d", spare)
			t.word(allWord("4S", by, spare))
			t.do("ADD", "4S", index, index, by)
			t.do("TBL pair", "16B", to[i], table[0], index)
		}
	},
	"VPERM2F128": func(t *translation, o []operand.Op) {
		both, x, d := append(t.halves(o[2]), t.source(o[1], 2)...), []register{t.temp(), t.temp()}, t.result(o[3])
		for i := range x {
			t.move(x[i], both[number(o[0])>>(4*i)&3])
		}
		t.move(d[0], x[0])
		t.move(d[1], x[1])
	},
	"VINSERTF128": func(t *translation, o []operand.Op) {
		x, y, d := t.source(o[1], 1), t.halves(o[2]), t.result(o[3])
		upper := x[0]
		if upper == d[0] && y[0] != d[0] {
			upper = t.temp()
			t.move(upper, x[0])
		}
		t.move(d[0], y[0])
		t.move(d[1], upper)
	},
	"VEXTRACTF128": extractHalf, "VEXTRACTI128": extractHalf,

	"VMOVUPS": moveVector, "VMOVDQU": moveVector, "VMOVAPS": moveVector, "VMOVDQA": moveVector,
	"VBROADCASTSS": broadcast("4S"), "VPBROADCASTD": broadcast("4S"), "VBROADCASTSD": broadcast("2D"), "VPBROADCASTQ": broadcast("2D"),
	"VPBROADCASTW": broadcast("8H"), "VPBROADCASTB": broadcast("16B"),
	"VBROADCASTF128": func(t *translation, o []operand.Op) { t.load(t.result(o[1])[:1], o[0].(operand.Mem)) },
	"VBROADCASTI128": func(t *translation, o []operand.Op) { t.load(t.result(o[1])[:1], o[0].(operand.Mem)) },
	"VMOVSS":         moveScalar("FMOVS"), "VMOVD": moveScalar("FMOVS"), "VMOVQ": moveScalar("FMOVD"),
	"VMOVHPS": func(t *translation, o []operand.Op) { // to memory
		t.line("VST1 V%d.D[1], %s", t.halves(o[0])[0], t.place(o[1].(operand.Mem), 1, 0, 0))
	},
	"VMASKMOVPS": func(t *translation, o []operand.Op) {
		m, load := o[0].(operand.Mem)
		if load {
			mask, d := t.halves(o[1]), t.result(o[2])
			to := make([]register, len(d))
			for i := range to {
				to[i] = t.temp()
				t.clear(to[i])
			}
			t.masked("VLD1 %[2]s, V%[1]d.S[%[3]d]", m, mask, to)
			for i := range to {
				t.move(d[i], to[i])
			}
			return
		}
		t.masked("VST1 V%[1]d.S[%[3]d], %[2]s", o[2].(operand.Mem), t.halves(o[1]), t.halves(o[0]))
	},
	"VGATHERQPD": func(t *translation, o []operand.Op) { // of all elements
		m, d := o[1].(operand.Mem), t.result(o[2])
		m.Index, m.Disp = nil, 0
		for i, x := range t.halves(o[1].(operand.Mem).Index) {
			for e := range uint32(2) {
				t.word(extractWord("2D", spare, x, e))
				t.line("ADD R%d<<3, %s, R%d", spare, general(m.Base), address)
				if disp := o[1].(operand.Mem).Disp; disp != 0 {
					t.line("ADD $%d, R%d, R%[2]d", disp, address)
				}
				t.line("VLD1 (R%d), V%d.D[%d]", address, d[i], e)
			}
		}
		for _, mask := range t.result(o[0]) {
			t.clear(mask)
		}
	},

	"PREFETCHT0": prefetch("PLDL1KEEP"), "PREFETCHT1": prefetch("PLDL2KEEP"),

	"MOVQ": func(t *translation, o []operand.Op) {
		if to, ok := o[1].(operand.Mem); ok {
			from := t.scalar(o[0], "MOVD")
			t.line("MOVD %s, %s", from, t.anywhere(to))
			return
		}
		t.loadGeneral("MOVD", o[0], general(o[1].(gp)))
	},
	"MOVL":    func(t *translation, o []operand.Op) { t.loadGeneral("MOVWU", o[0], general(o[1].(gp))) },
	"MOVLQSX": func(t *translation, o []operand.Op) { t.loadGeneral("MOVW", o[0], general(o[1].(gp))) },
	"LEAQ": func(t *translation, o []operand.Op) {
		m, to := o[0].(operand.Mem), general(o[1].(gp))
		switch {
		case m.Symbol.Name != "":
			t.line("MOVD $%s, %s", m.Asm(), to)
		default:
			disp := m.Disp
			m.Disp = 0
			from := t.place(m, 1, 0, 0)
			t.line("ADD $%d, %s, %s", disp, from[1:len(from)-1], to)
		}
	},
	"ADDQ": arithmetic("ADDS"), "SUBQ": arithmetic("SUBS"), "ANDQ": arithmetic("ANDS"),
	"INCQ": func(t *translation, o []operand.Op) { arithmetic("ADDS")(t, []operand.Op{operand.U8(1), o[0]}) },
	"DECQ": func(t *translation, o []operand.Op) { arithmetic("SUBS")(t, []operand.Op{operand.U8(1), o[0]}) },
	"XORQ": exclusiveOrGeneral, "XORL": exclusiveOrGeneral, // of 32 bits only of a register with itself
	"SHLQ":  func(t *translation, o []operand.Op) { t.line("LSL $%d, %s", number(o[0]), general(o[1].(gp))) },
	"IMULQ": func(t *translation, o []operand.Op) { t.line("MUL %s, %s", t.scalar(o[0], "MOVD"), general(o[1].(gp))) },
	"IMUL3Q": func(t *translation, o []operand.Op) {
		t.line("MUL %s, %s, %s", t.scalar(o[0], "MOVD"), general(o[1].(gp)), general(o[2].(gp)))
	},
	"XCHGQ": func(t *translation, o []operand.Op) {
		x, y := general(o[0].(gp)), general(o[1].(gp))
		t.line("MOVD %s, R%d", x, spare)
		t.line("MOVD %s, %s", y, x)
		t.line("MOVD R%d, %s", spare, y)
	},
	"CMPQ": comparison("CMP", "MOVD"), "CMPL": comparison("CMPW", "MOVWU"),
	"TESTQ": func(t *translation, o []operand.Op) { t.line("TST %s, %s", t.scalar(o[0], "MOVD"), general(o[1].(gp))) },
	"TESTL": func(t *translation, o []operand.Op) { t.line("TSTW $%d, %s", number(o[0]), general(o[1].(gp))) },
	"CMOVQGT": func(t *translation, o []operand.Op) {
		t.line("CSEL GT, %s, %s, %[2]s", general(o[0].(gp)), general(o[1].(gp)))
	},

	"JMP": jump("B"), "JE": jump("BEQ"), "JEQ": jump("BEQ"), "JZ": jump("BEQ"), "JNE": jump("BNE"), "JNZ": jump("BNE"), "JG": jump("BGT"), "JGE": jump("BGE"),
	"JL": jump("BLT"), "JLT": jump("BLT"), "JLE": jump("BLE"),
	// Behind a subtraction, of which both processors tell the same by the carry, one the other way round.
	"JA": jump("BHI"), "JAE": jump("BHS"), "JB": jump("BLO"), "JBE": jump("BLS"),
}

// eachBinary translates by what becomes of each half: of the result, the first operand and the second one, which may lie in memory and is written first.
func eachBinary(do func(t *translation, d, n, m register)) rule {
	return func(t *translation, o []operand.Op) {
		d := t.result(o[2])
		n, m := t.halves(o[1]), t.source(o[0], len(d))
		for i := range d {
			taken := t.taken
			do(t, d[i], n[i], m[i])
			t.again(taken)
		}
	}
}

func binary(name string, of lanes) rule {
	return eachBinary(func(t *translation, d, n, m register) { t.do(name, of, d, n, m) })
}

// unary is of an instruction with one operand.
func unary(name string, of lanes) rule {
	return eachUnary(func(t *translation, d, n register) { t.do(name, of, d, n) })
}

func eachUnary(do func(t *translation, d, n register)) rule {
	return func(t *translation, o []operand.Op) {
		d := t.result(o[1])
		for i, n := range t.source(o[0], len(d)) {
			taken := t.taken
			do(t, d[i], n)
			t.again(taken)
		}
	}
}

// exclusiveOr clears a register if that is what is meant.
func exclusiveOr(t *translation, o []operand.Op) {
	if o[0] == o[1] {
		for _, d := range t.result(o[2]) {
			t.clear(d)
		}
		return
	}
	binary("EOR", "16B")(t, o)
}

// toIntegers yields the least integer for what is none: what lies beyond the greatest, and NaN.
func toIntegers(name string) rule {
	return eachUnary(func(t *translation, d, n register) {
		fits, least := t.temp(), t.temp()
		t.line("MOVD $0x4f000000, R%d", spare)
		t.word(allWord("4S", fits, spare))
		t.do("FCMGT", "4S", fits, fits, n)
		t.line("MOVD $0x80000000, R%d", spare)
		t.word(allWord("4S", least, spare))
		t.do(name, "4S", d, n)
		t.do("BIF", "16B", d, least, fits)
	})
}

func shiftBy(name string, of lanes) rule {
	return func(t *translation, o []operand.Op) {
		by := uint32(number(o[0]))
		eachUnary(func(t *translation, d, n register) { t.shift(name, of, d, n, by) })(t, o[1:])
	}
}

// shiftEach shifts by a vector of counts, of which those of 32 and more shift everything out.
func shiftEach(name string, right bool) rule {
	return eachBinary(func(t *translation, d, n, m register) {
		count := t.temp()
		t.line("MOVD $32, R%d", spare)
		t.word(allWord("4S", count, spare))
		t.do("UMIN", "4S", count, count, m)
		if right {
			t.do("NEG", "4S", count, count)
		}
		t.do(name, "4S", d, n, count)
	})
}

// shiftEachLong is that of 64 bits, which arm64 has no least of.
func shiftEachLong(right bool) rule {
	return eachBinary(func(t *translation, d, n, m register) {
		count, beyond := t.temp(), t.temp()
		t.line("MOVD $63, R%d", spare)
		t.word(allWord("2D", beyond, spare))
		t.do("CMHI", "2D", beyond, m, beyond)
		if right {
			t.do("NEG", "2D", count, m)
		} else {
			t.move(count, m)
		}
		t.do("USHL", "2D", d, n, count)
		t.do("BIC", "16B", d, d, beyond)
	})
}

func extreme(of lanes, least bool) rule {
	return eachBinary(func(t *translation, d, n, m register) {
		first := t.temp()
		if least {
			t.do("FCMGT", of, first, m, n)
		} else {
			t.do("FCMGT", of, first, n, m)
		}
		t.do("BSL", "16B", first, n, m)
		t.move(d, first)
	})
}

// multiplied is of a result that is a factor.
func multiplied(name string) rule {
	return eachBinary(func(t *translation, d, n, m register) {
		sum := t.temp()
		t.move(sum, m)
		t.do(name, "4S", sum, d, n)
		t.move(d, sum)
	})
}

// compare is of the comparisons that vector.go names.
func compare(of lanes) rule {
	return func(t *translation, o []operand.Op) {
		how := number(o[0])
		eachBinary(func(t *translation, d, n, m register) {
			not := false
			switch operand.U8(how) {
			case equal:
				t.do("FCMEQ", of, d, n, m)
			case unequal:
				t.do("FCMEQ", of, d, n, m)
				not = true
			case less:
				t.do("FCMGT", of, d, m, n)
			case lessEqual, notLessEqual:
				t.do("FCMGE", of, d, m, n)
				not = operand.U8(how) == notLessEqual
			case more, notMore:
				t.do("FCMGT", of, d, n, m)
				not = operand.U8(how) == notMore
			case moreEqual, notMoreEqual:
				t.do("FCMGE", of, d, n, m)
				not = operand.U8(how) == notMoreEqual
			case ordered, unordered:
				other := t.temp()
				t.do("FCMEQ", of, other, m, m)
				t.do("FCMEQ", of, d, n, n)
				t.do("AND", "16B", d, d, other)
				not = operand.U8(how) == unordered
			default:
				log.Fatalf("%s: comparison %d has no rule", t.name, how)
			}
			if not {
				t.do("NOT", "16B", d, d)
			}
		})(t, o[1:])
	}
}

// blend chooses by the highest bit of each element of a mask.
func blend(of lanes) rule {
	return func(t *translation, o []operand.Op) {
		d := t.result(o[3])
		mask, no, yes := t.halves(o[0]), t.halves(o[2]), t.source(o[1], len(d))
		for i := range d {
			taken := t.taken
			chosen := t.temp()
			t.shift("SSHR", of, chosen, mask[i], 8<<of.size()-1)
			t.do("BSL", "16B", chosen, yes[i], no[i])
			t.move(d[i], chosen)
			t.again(taken)
		}
	}
}

// multiplyEven multiplies the lower halves of 64 bits.
func multiplyEven(name string) rule {
	return eachBinary(func(t *translation, d, n, m register) {
		x, y := t.temp(), t.temp()
		t.do("XTN", "2S", x, n)
		t.do("XTN", "2S", y, m)
		t.do(name, "2S", d, x, y)
	})
}

// pack narrows the first operand into the lower half, and the second into the upper one.
func pack(name string, lower, upper lanes) rule {
	return eachBinary(func(t *translation, d, n, m register) {
		to := t.temp()
		t.do(name, lower, to, n)
		t.do(name, upper, to, m)
		t.move(d, to)
	})
}

// halfOf returns a register with an operand, of so many bytes if it lies in memory.
func (t *translation) halfOf(o operand.Op, bytes int) register {
	m, ok := o.(operand.Mem)
	if !ok {
		return t.halves(o)[0]
	}
	x := t.temp()
	switch bytes {
	case 16:
		t.load([]register{x}, m)
	case 8:
		t.line("FMOVD %s, F%d", t.anywhere(m), x)
	case 4:
		t.line("FMOVS %s, F%d", t.anywhere(m), x)
	}
	return x
}

// widen emits an instruction that reads the lower half of a register, or the upper one.
func (t *translation) widen(name string, of lanes, d, n register) {
	if name == "FCVTL" {
		t.do(name, of, d, n)
	} else {
		t.shift(name, of, d, n, 0)
	}
}

var upperHalf = map[lanes]lanes{"8B": "16B", "4H": "8H", "2S": "4S"}

func widened(name string, of lanes) rule {
	return func(t *translation, o []operand.Op) {
		d := t.result(o[1])
		x := t.halfOf(o[0], 8*len(d))
		if len(d) == 2 {
			t.widen(name, upperHalf[of], d[1], x)
		}
		t.widen(name, of, d[0], x)
	}
}

// widenedTwice makes 32 bits of 8.
func widenedTwice(name string) rule {
	return func(t *translation, o []operand.Op) {
		d := t.result(o[1])
		words := t.temp()
		t.widen(name, "8B", words, t.halfOf(o[0], 4*len(d)))
		if len(d) == 2 {
			t.widen(name, "8H", d[1], words)
		}
		t.widen(name, "4H", d[0], words)
	}
}

// narrow converts to half as many bits.
func (t *translation) narrow(x []register, lower, upper lanes, to operand.Op) {
	y := t.temp()
	t.do("FCVTN", lower, y, x[0])
	if len(x) == 2 {
		t.do("FCVTN", upper, y, x[1])
	}
	if m, ok := to.(operand.Mem); ok {
		t.store([]register{y}, m)
		return
	}
	t.move(t.result(to)[0], y)
}

// shuffle chooses four elements.
func shuffle(t *translation, o []operand.Op) {
	how := uint32(number(o[0]))
	eachUnary(func(t *translation, d, n register) {
		if how == 0xB1 {
			t.do("REV64", "4S", d, n)
			return
		}
		to := t.temp()
		for i := range uint32(4) {
			t.word(insertWord("4S", to, i, n, how>>(2*i)&3))
		}
		t.move(d, to)
	})(t, o[1:])
}

func extractHalf(t *translation, o []operand.Op) { // the upper one
	upper := t.halves(o[1])[1]
	if m, ok := o[2].(operand.Mem); ok {
		t.store([]register{upper}, m)
		return
	}
	t.move(t.result(o[2])[0], upper)
}

func moveVector(t *translation, o []operand.Op) {
	if m, ok := o[1].(operand.Mem); ok {
		t.store(t.halves(o[0]), m)
		return
	}
	d := t.result(o[1])
	if m, ok := o[0].(operand.Mem); ok {
		t.load(d, m)
		return
	}
	for i, n := range t.halves(o[0])[:len(d)] {
		t.move(d[i], n)
	}
}

// broadcast sets all elements of the lower half.
func broadcast(of lanes) rule {
	return func(t *translation, o []operand.Op) {
		d := t.result(o[1])[0]
		m, ok := o[0].(operand.Mem)
		if !ok {
			t.word(duplicateWord(of, d, t.halves(o[0])[0]))
			return
		}
		elements := map[lanes]string{"16B": "B16", "8H": "H8", "4S": "S4", "2D": "D2"}[of]
		t.line("VLD1R %s, [V%d.%s]", t.place(m, 1, 0, 0), d, elements)
	}
}

// moveScalar moves one element: from memory or a general register, which clears the others, or to memory.
func moveScalar(name string) rule {
	return func(t *translation, o []operand.Op) {
		switch to := o[1].(type) {
		case operand.Mem:
			t.line("%s F%d, %s", name, t.halves(o[0])[0], t.anywhere(to))
		default:
			d := t.result(to)[0]
			switch from := o[0].(type) {
			case operand.Mem:
				t.line("%s %s, F%d", name, t.anywhere(from), d)
			case gp:
				t.line("%s %s, F%d", name, general(from), d)
			}
		}
	}
}

// masked emits a load or store of each element of registers whose highest bit of a mask is set.
func (t *translation) masked(format string, m operand.Mem, mask, x []register) {
	where := t.place(m, 1, 0, 0)
	t.line("MOVD %s, R%d", where[1:len(where)-1], address)
	for i := range x {
		for e := range uint32(4) {
			next := t.newLabel()
			t.word(extractWord("4S", spare, mask[i], e))
			t.line("TBZ $31, R%d, %s", spare, next)
			t.line(format, x[i], fmt.Sprintf("(R%d)", address), e)
			fmt.Fprintf(t, "\n%s:\n", next)
			t.line("ADD $4, R%d", address)
		}
	}
}

func prefetch(how string) rule {
	return func(t *translation, o []operand.Op) {
		t.line("PRFM %s, %s", t.place(o[0].(operand.Mem), 8, 0, 32760), how)
	}
}

// loadGeneral sets a general register.
func (t *translation) loadGeneral(name string, from operand.Op, to string) {
	switch from := from.(type) {
	case operand.Mem:
		t.line("%s %s, %s", name, t.anywhere(from), to)
	case gp:
		t.line("%s %s, %s", name, general(from), to)
	default:
		t.line("MOVD $%d, %s", number(from), to)
	}
}

// arithmetic sets the flags, too.
func arithmetic(name string) rule {
	return func(t *translation, o []operand.Op) {
		to, ok := o[1].(operand.Mem)
		if !ok {
			if _, constant := o[0].(operand.Constant); constant {
				t.line("%s $%d, %s", name, number(o[0]), general(o[1].(gp)))
			} else {
				t.line("%s %s, %s", name, t.scalar(o[0], "MOVD"), general(o[1].(gp)))
			}
			return
		}
		where := t.anywhere(to)
		t.line("MOVD %s, R%d", where, spare2)
		if _, constant := o[0].(operand.Constant); constant {
			t.line("%s $%d, R%d", name, number(o[0]), spare2)
		} else {
			t.line("%s %s, R%d", name, general(o[0].(gp)), spare2)
		}
		t.line("MOVD R%d, %s", spare2, where)
	}
}

func exclusiveOrGeneral(t *translation, o []operand.Op) {
	t.line("EOR %s, %s", general(o[0].(gp)), general(o[1].(gp)))
}

// comparison compares the first operand with the second one, either of which may lie in memory.
func comparison(name, load string) rule {
	return func(t *translation, o []operand.Op) {
		first := t.scalar(o[0], load)
		switch second := o[1].(type) {
		case operand.Mem:
			t.line("%s %s, R%d", load, t.anywhere(second), spare2)
			t.line("%s R%d, %s", name, spare2, first)
		case gp:
			t.line("%s %s, %s", name, general(second), first)
		default:
			t.line("%s $%d, %s", name, number(second), first)
		}
	}
}

func jump(name string) rule {
	return func(t *translation, o []operand.Op) { t.line("%s %s", name, o[0].Asm()) }
}
