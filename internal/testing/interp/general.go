package interp

import (
	"fmt"
	"math/bits"
	"strings"
	"sync"
)

// builder decodes the operands of an instruction that stands in no table of forms.
type builder func(d *decoder, ops []operand) (func(m *machine), error)

// builders returns them by name.
var builders = sync.OnceValue(func() map[string]builder {
	all := map[string]builder{
		"RET":        plain(ret),
		"NOP":        plain(func(*machine) {}),
		"SFENCE":     plain(func(*machine) {}),
		"VZEROUPPER": plain(zeroUpper),
		"VZEROALL":   plain(zeroAll),
		"JMP":        jump(nil),
	}
	for _, name := range []string{"PREFETCHT0", "PREFETCHT1", "PREFETCHT2", "PREFETCHNTA"} {
		all[name] = prefetch
	}
	conditionRows(all)
	maskRows(all)
	specialRows(all)
	generalRows(all)
	return all
})

func (d *decoder) wants(what string) error { return fmt.Errorf("%s takes %s", d.name, what) }

func (d *decoder) noLabel(name string) error {
	return fmt.Errorf("label %s is not in %s", name, d.fn.name)
}

func plain(run func(*machine)) builder {
	return func(d *decoder, ops []operand) (func(*machine), error) {
		if len(ops) != 0 {
			return nil, d.wants("no operands")
		}
		return run, nil
	}
}

func zeroAll(m *machine) {
	for i := range 16 {
		m.vectors[i] = vector{}
	}
	m.vectorsKnown |= 0xFFFF
	m.upper = false
}

// prefetch does nothing, and may name any address; the registers must be known.
func prefetch(d *decoder, ops []operand) (func(*machine), error) {
	if len(ops) != 1 || !ops[0].is(memoryOperand) {
		return nil, d.wants("memory")
	}
	ref := ops[0].ref
	return func(m *machine) { m.address(ref) }, nil
}

func truncate(v uint64, size int) uint64 { return v & (^uint64(0) >> (64 - 8*size)) }

func signBit(v uint64, size int) bool { return v>>(8*size-1)&1 != 0 }

func extend(v uint64, size int) uint64 {
	shift := 64 - 8*size
	return uint64(int64(v<<shift) >> shift)
}

// reader returns the function that reads an operand's low size bytes, with zeros above.
func (d *decoder) reader(o *operand, size int) (func(m *machine) uint64, error) {
	switch {
	case o.kind == immediateOperand:
		v := truncate(uint64(o.value), size)
		return func(*machine) uint64 { return v }, nil
	case o.kind == memoryOperand && o.ref.vector == 0:
		ref := o.ref
		return func(m *machine) uint64 { return m.loadInt(ref, size) }, nil
	case o.kind == generalOperand:
		register, bit := o.register, uint32(1)<<o.register
		return func(m *machine) uint64 {
			if m.generalKnown&bit == 0 && int(m.lowKnown[register]) < size {
				m.unknownGeneral(bit)
			}
			return truncate(m.general[register], size)
		}, nil
	}
	return nil, fmt.Errorf("%s can not be read by %s", o.text, d.name)
}

// writer returns the function that writes size bytes to an operand.
func (d *decoder) writer(o *operand, size int) (func(m *machine, v uint64), error) {
	switch {
	case o.kind == memoryOperand && o.ref.vector == 0:
		ref := o.ref
		return func(m *machine, v uint64) { m.storeInt(ref, size, v) }, nil
	case o.kind == generalOperand:
		register := o.register
		return func(m *machine, v uint64) { m.setGeneral(register, size, v) }, nil
	}
	return nil, fmt.Errorf("%s can not be written by %s", o.text, d.name)
}

// sizes are the letters of sizes in names.
var sizes = map[byte]int{'B': 1, 'W': 2, 'L': 4, 'Q': 8}

// sized adds an instruction for each letter: name is followed by it.
func sized(all map[string]builder, name, letters string, build func(size int) builder) {
	for i := range letters {
		all[name+letters[i:i+1]] = build(sizes[letters[i]])
	}
}

func generalRows(all map[string]builder) {
	sized(all, "MOV", "BWLQ", moveGeneral)
	for _, from := range "BWL" {
		for _, to := range "WLQ" {
			a, b := sizes[byte(from)], sizes[byte(to)]
			if a < b {
				all["MOV"+string(from)+string(to)+"ZX"] = one(a, b, func(_ *machine, v uint64, _ int) uint64 { return v })
				all["MOV"+string(from)+string(to)+"SX"] = one(a, b, func(_ *machine, v uint64, _ int) uint64 { return extend(v, a) })
			}
		}
	}
	sized(all, "LEA", "LQ", loadAddress)
	for name, f := range map[string]operation{"ADD": addInts, "SUB": subtractInts, "AND": logical(and[uint64]), "OR": logical(or[uint64]),
		"XOR": logical(xor[uint64]), "ADC": addCarry, "SBB": subtractBorrow} {
		sized(all, name, "BWLQ", two(f))
	}
	sized(all, "CMP", "BWLQ", func(size int) builder {
		return compareGeneral(size, func(m *machine, a, b uint64) { subtractInts(m, a, b, size) })
	})
	test := logical(and[uint64])
	sized(all, "TEST", "BWLQ", func(size int) builder {
		return compareGeneral(size, func(m *machine, a, b uint64) { test(m, a, b, size) })
	})
	sized(all, "BT", "LQ", func(size int) builder {
		return compareGeneral(size, func(m *machine, a, b uint64) {
			m.setFlags(when(b>>(a%uint64(8*size))&1 != 0, carry), carry, allFlags&^(carry|zero))
		})
	})
	sized(all, "IMUL", "LQ", two(multiplyInts))
	sized(all, "IMUL3", "LQ", func(size int) builder {
		return three(size, func(m *machine, a, b uint64) uint64 { return multiplyInts(m, b, a, size) })
	})
	for name, f := range map[string]operation{"SHL": shiftLeft, "SHR": shiftRight, "SAR": shiftArithmetic, "ROL": rotateLeft, "ROR": rotateRight} {
		sized(all, name, "LQ", shift(f))
	}
	for name, f := range map[string]operation{"SHLX": plainLeft, "SHRX": plainRight, "SARX": plainArithmetic, "BZHI": zeroHigh} {
		sized(all, name, "LQ", func(size int) builder {
			return three(size, func(m *machine, by, a uint64) uint64 { return f(m, a, by, size) })
		})
	}
	sized(all, "RORX", "LQ", func(size int) builder {
		return three(size, func(_ *machine, by, a uint64) uint64 { return rotated(a, -int(by), size) })
	})
	sized(all, "ANDN", "LQ", func(size int) builder {
		return three(size, func(m *machine, b, a uint64) uint64 {
			v := andNot(a, b)
			m.setFlags(resultFlags(v, size), allFlags&^parity, parity)
			return v
		})
	})
	sized(all, "PEXT", "LQ", func(size int) builder {
		return three(size, func(_ *machine, mask, a uint64) uint64 { return gatherBits(a, mask) })
	})
	sized(all, "PDEP", "LQ", func(size int) builder {
		return three(size, func(_ *machine, mask, a uint64) uint64 { return scatterBits(a, mask) })
	})
	for name, f := range map[string]func(m *machine, v uint64, size int) uint64{"BLSR": resetLowest, "BLSI": isolateLowest, "BLSMSK": maskLowest,
		"TZCNT": trailingZeros, "LZCNT": leadingZeros, "POPCNT": countOnes} {
		sized(all, name, "LQ", func(size int) builder { return one(size, size, f) })
	}
	sized(all, "BSF", "LQ", func(size int) builder { return scan(size, func(v uint64) int { return bits.TrailingZeros64(v) }) })
	sized(all, "BSR", "LQ", func(size int) builder { return scan(size, func(v uint64) int { return bits.Len64(v) - 1 }) })
	for name, f := range map[string]func(m *machine, v uint64, size int) uint64{"NEG": negate, "NOT": complement, "INC": increment,
		"DEC": decrement, "BSWAP": swapBytes} {
		letters := "BWLQ"
		if name == "BSWAP" {
			letters = "LQ"
		}
		sized(all, name, letters, func(size int) builder { return inPlace(size, f) })
	}
	sized(all, "MULX", "LQ", multiplyWide)
	sized(all, "XCHG", "LQ", exchange)
}

// operation computes a whole number of size bytes from the destination a and the source b, and sets flags.
type operation func(m *machine, a, b uint64, size int) uint64

func moveGeneral(size int) builder {
	return func(d *decoder, ops []operand) (func(*machine), error) {
		if len(ops) == 2 && (ops[0].is(vectorOperand) || ops[1].is(vectorOperand)) {
			return nil, fmt.Errorf("is an instruction of SSE, which mixes badly with AVX: write VMOVD or VMOVQ")
		}
		return one(size, size, func(_ *machine, v uint64, _ int) uint64 { return v })(d, ops)
	}
}

// one computes the destination from the source, which may have another size.
func one(from, to int, f func(m *machine, v uint64, size int) uint64) builder {
	return func(d *decoder, ops []operand) (func(*machine), error) {
		if len(ops) != 2 {
			return nil, d.wants("source, destination")
		}
		get, err := d.reader(&ops[0], from)
		if err != nil {
			return nil, err
		}
		set, err := d.writer(&ops[1], to)
		return func(m *machine) { set(m, f(m, get(m), from)) }, err
	}
}

func inPlace(size int, f func(m *machine, v uint64, size int) uint64) builder {
	return func(d *decoder, ops []operand) (func(*machine), error) {
		if len(ops) != 1 {
			return nil, d.wants("one operand")
		}
		return one(size, size, f)(d, []operand{ops[0], ops[0]})
	}
}

// two computes the destination from itself and the source. A register combined with itself by XOR or SUB is 0 whatever it was.
func two(f operation) func(size int) builder {
	return func(size int) builder {
		return func(d *decoder, ops []operand) (func(*machine), error) {
			if len(ops) != 2 {
				return nil, d.wants("source, destination")
			}
			get, err := d.reader(&ops[0], size)
			if err != nil {
				return nil, err
			}
			old, err := d.reader(&ops[1], size)
			if err != nil {
				return nil, err
			}
			set, err := d.writer(&ops[1], size)
			if clears := strings.HasPrefix(d.name, "XOR") || strings.HasPrefix(d.name, "SUB"); clears && size >= 4 &&
				ops[0].is(generalOperand) && ops[1].is(generalOperand) && ops[0].register == ops[1].register {
				return func(m *machine) { set(m, f(m, 0, 0, size)) }, err
			}
			return func(m *machine) { b, a := get(m), old(m); set(m, f(m, a, b, size)) }, err
		}
	}
}

// three computes a register from two other operands, in the text's order.
func three(size int, f func(m *machine, first, second uint64) uint64) builder {
	return func(d *decoder, ops []operand) (func(*machine), error) {
		if len(ops) != 3 || !ops[2].is(generalOperand) {
			return nil, d.wants("source, source, register")
		}
		first, err := d.reader(&ops[0], size)
		if err != nil {
			return nil, err
		}
		second, err := d.reader(&ops[1], size)
		to := ops[2].register
		return func(m *machine) { a, b := first(m), second(m); m.setGeneral(to, size, f(m, a, b)) }, err
	}
}

// compareGeneral only sets flags, by its operands in the text's order.
func compareGeneral(size int, f func(m *machine, a, b uint64)) builder {
	return func(d *decoder, ops []operand) (func(*machine), error) {
		if len(ops) != 2 {
			return nil, d.wants("two operands")
		}
		first, err := d.reader(&ops[0], size)
		if err != nil {
			return nil, err
		}
		second, err := d.reader(&ops[1], size)
		return func(m *machine) { a, b := first(m), second(m); f(m, a, b) }, err
	}
}

func loadAddress(size int) builder {
	return func(d *decoder, ops []operand) (func(*machine), error) {
		if len(ops) != 2 || !ops[0].is(memoryOperand) || ops[0].ref.vector != 0 || !ops[1].is(generalOperand) {
			return nil, d.wants("address, register")
		}
		ref, to := ops[0].ref, ops[1].register
		return func(m *machine) { m.setGeneral(to, size, uint64(m.address(ref))) }, nil
	}
}

func addWith(m *machine, a, b, c uint64, size int) uint64 {
	v := truncate(a+b+c, size)
	carried := v < a || c != 0 && v == a
	m.setFlags(resultFlags(v, size)|when(carried, carry)|when(signBit((a^v)&(b^v), size), overflow), allFlags, 0)
	return v
}

func subtractWith(m *machine, a, b, c uint64, size int) uint64 {
	v := truncate(a-b-c, size)
	borrowed := a < b || c != 0 && a == b
	m.setFlags(resultFlags(v, size)|when(borrowed, carry)|when(signBit((a^b)&(a^v), size), overflow), allFlags, 0)
	return v
}

func addInts(m *machine, a, b uint64, size int) uint64      { return addWith(m, a, b, 0, size) }
func subtractInts(m *machine, a, b uint64, size int) uint64 { return subtractWith(m, a, b, 0, size) }

var carried = condition{need: carry, holds: is(carry)}

func (m *machine) carryIn() uint64 {
	if carried.check(m) {
		return 1
	}
	return 0
}

func addCarry(m *machine, a, b uint64, size int) uint64 { return addWith(m, a, b, m.carryIn(), size) }
func subtractBorrow(m *machine, a, b uint64, size int) uint64 {
	return subtractWith(m, a, b, m.carryIn(), size)
}

func logical(f func(a, b uint64) uint64) operation {
	return func(m *machine, a, b uint64, size int) uint64 {
		v := f(a, b)
		m.setFlags(resultFlags(v, size), allFlags, 0)
		return v
	}
}

func multiplyInts(m *machine, a, b uint64, size int) uint64 {
	x, y := int64(extend(a, size)), int64(extend(b, size))
	high, low := bits.Mul64(uint64(x), uint64(y))
	high -= uint64(x>>63)&uint64(y) + uint64(y>>63)&uint64(x)
	v := truncate(low, size)
	fits := extend(v, size) == low && high == uint64(int64(low)>>63)
	m.setFlags(when(!fits, carry|overflow), carry|overflow, zero|negative|parity)
	return v
}

// shift is by an immediate or CX, or by 1.
func shift(f operation) func(size int) builder {
	return func(size int) builder {
		return func(d *decoder, ops []operand) (func(*machine), error) {
			if len(ops) != 2 || !ops[0].is(immediateOperand) && (!ops[0].is(generalOperand) || ops[0].register != 1) {
				return nil, d.wants("$count or CX, destination")
			}
			by, err := d.reader(&ops[0], 1)
			if err != nil {
				return nil, err
			}
			old, err := d.reader(&ops[1], size)
			if err != nil {
				return nil, err
			}
			set, err := d.writer(&ops[1], size)
			return func(m *machine) {
				v := old(m)
				if n := by(m) % uint64(8*size); n != 0 {
					v = f(m, v, n, size)
				}
				set(m, v)
			}, err
		}
	}
}

// shiftFlags sets them: overflow is only defined where n is 1.
func shiftFlags(m *machine, v uint64, size int, n uint64, carries, overflows bool) {
	known := flag(allFlags)
	if n != 1 {
		known &^= overflow
	}
	m.setFlags(resultFlags(v, size)|when(carries, carry)|when(overflows, overflow), known, allFlags&^known)
}

func shiftLeft(m *machine, a, n uint64, size int) uint64 {
	v, out := truncate(a<<n, size), a>>(uint64(8*size)-n)&1 != 0
	shiftFlags(m, v, size, n, out, out != signBit(v, size))
	return v
}

func shiftRight(m *machine, a, n uint64, size int) uint64 {
	v := a >> n
	shiftFlags(m, v, size, n, a>>(n-1)&1 != 0, signBit(a, size))
	return v
}

func shiftArithmetic(m *machine, a, n uint64, size int) uint64 {
	s := int64(extend(a, size))
	v := truncate(uint64(s>>n), size)
	shiftFlags(m, v, size, n, s>>(n-1)&1 != 0, false)
	return v
}

func rotated(a uint64, n, size int) uint64 {
	if size == 4 {
		return uint64(bits.RotateLeft32(uint32(a), n))
	}
	return bits.RotateLeft64(a, n)
}

func rotateLeft(m *machine, a, n uint64, size int) uint64 {
	v := rotated(a, int(n), size)
	rotateFlags(m, n, v&1 != 0, (v&1 != 0) != signBit(v, size))
	return v
}

func rotateRight(m *machine, a, n uint64, size int) uint64 {
	v := rotated(a, -int(n), size)
	rotateFlags(m, n, signBit(v, size), signBit(v, size) != signBit(v<<1, size))
	return v
}

func rotateFlags(m *machine, n uint64, carries, overflows bool) {
	known := carry
	if n == 1 {
		known |= overflow
	}
	m.setFlags(when(carries, carry)|when(overflows, overflow), known, (carry|overflow)&^known)
}

func plainLeft(_ *machine, a, n uint64, size int) uint64  { return a << (n % uint64(8*size)) }
func plainRight(_ *machine, a, n uint64, size int) uint64 { return a >> (n % uint64(8*size)) }
func plainArithmetic(_ *machine, a, n uint64, size int) uint64 {
	return uint64(int64(extend(a, size)) >> (n % uint64(8*size)))
}

// zeroHigh clears the bits from n on.
func zeroHigh(m *machine, a, n uint64, size int) uint64 {
	n &= 255
	v := a
	if n < uint64(8*size) {
		v &= 1<<n - 1
	}
	m.setFlags(resultFlags(v, size)|when(n >= uint64(8*size), carry), allFlags&^parity, parity)
	return v
}

func gatherBits(a, mask uint64) (v uint64) {
	for i := 0; mask != 0; mask, i = mask&(mask-1), i+1 {
		v |= a >> bits.TrailingZeros64(mask) & 1 << i
	}
	return v
}

func scatterBits(a, mask uint64) (v uint64) {
	for ; mask != 0; mask, a = mask&(mask-1), a>>1 {
		v |= a & 1 << bits.TrailingZeros64(mask)
	}
	return v
}

func lowestFlags(m *machine, v uint64, size int, carries bool) uint64 {
	m.setFlags(resultFlags(v, size)|when(carries, carry), allFlags&^parity, parity)
	return v
}

func resetLowest(m *machine, v uint64, size int) uint64   { return lowestFlags(m, v&(v-1), size, v == 0) }
func isolateLowest(m *machine, v uint64, size int) uint64 { return lowestFlags(m, v&-v, size, v != 0) }
func maskLowest(m *machine, v uint64, size int) uint64 {
	return lowestFlags(m, truncate(v^(v-1), size), size, v == 0)
}

func counted(m *machine, v, n uint64) uint64 {
	m.setFlags(when(n == 0, zero)|when(v == 0, carry), zero|carry, allFlags&^(zero|carry))
	return n
}

func trailingZeros(m *machine, v uint64, size int) uint64 {
	return counted(m, v, uint64(min(8*size, bits.TrailingZeros64(v))))
}

func leadingZeros(m *machine, v uint64, size int) uint64 {
	return counted(m, v, uint64(bits.LeadingZeros64(v)-(64-8*size)))
}

func countOnes(m *machine, v uint64, _ int) uint64 {
	m.setFlags(when(v == 0, zero), allFlags, 0)
	return uint64(bits.OnesCount64(v))
}

// scan finds a bit. Where there is none, nobody knows what is in the register.
func scan(size int, f func(v uint64) int) builder {
	return func(d *decoder, ops []operand) (func(*machine), error) {
		if len(ops) != 2 || !ops[1].is(generalOperand) {
			return nil, d.wants("source, register")
		}
		get, err := d.reader(&ops[0], size)
		to := ops[1].register
		return func(m *machine) {
			v := get(m)
			m.setFlags(when(v == 0, zero), zero, allFlags&^zero)
			if v == 0 {
				m.generalKnown &^= 1 << to
				m.lowKnown[to] = 0
				return
			}
			m.setGeneral(to, size, uint64(f(v)))
		}, err
	}
}

func negate(m *machine, v uint64, size int) uint64 { return subtractInts(m, 0, v, size) }

func complement(_ *machine, v uint64, _ int) uint64 { return ^v }

func increment(m *machine, v uint64, size int) uint64 {
	r := truncate(v+1, size)
	m.setFlags(resultFlags(r, size)|when(signBit(r&^v, size), overflow), allFlags&^carry, 0)
	return r
}

func decrement(m *machine, v uint64, size int) uint64 {
	r := truncate(v-1, size)
	m.setFlags(resultFlags(r, size)|when(signBit(v&^r, size), overflow), allFlags&^carry, 0)
	return r
}

func swapBytes(_ *machine, v uint64, size int) uint64 { return bits.ReverseBytes64(v) >> (64 - 8*size) }

// multiplyWide is MULX: source, low, high; the other factor is DX.
func multiplyWide(size int) builder {
	return func(d *decoder, ops []operand) (func(*machine), error) {
		if len(ops) != 3 || !ops[1].is(generalOperand) || !ops[2].is(generalOperand) {
			return nil, d.wants("source, register, register")
		}
		get, err := d.reader(&ops[0], size)
		dx := registers["DX"]
		factor, _ := d.reader(&dx, size)
		low, high := ops[1].register, ops[2].register
		return func(m *machine) {
			h, l := bits.Mul64(get(m), factor(m))
			if size == 4 {
				h = l >> 32
			}
			m.setGeneral(low, size, l)
			m.setGeneral(high, size, h)
		}, err
	}
}

func exchange(size int) builder {
	return func(d *decoder, ops []operand) (func(*machine), error) {
		if len(ops) != 2 || !ops[0].is(generalOperand) || !ops[1].is(generalOperand) {
			return nil, d.wants("register, register")
		}
		first, _ := d.reader(&ops[0], size)
		second, _ := d.reader(&ops[1], size)
		a, b := ops[0].register, ops[1].register
		return func(m *machine) {
			v, w := first(m), second(m)
			m.setGeneral(a, size, w)
			m.setGeneral(b, size, v)
		}, nil
	}
}
