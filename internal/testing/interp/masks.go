package interp

import "strings"

// maskSizes are the bits of mask registers that the letters in names mean.
var maskSizes = map[string]int{"B": 8, "W": 16, "D": 32, "Q": 64}

// maskRows adds the instructions of mask registers.
func maskRows(all map[string]builder) {
	for letter, n := range maskSizes {
		low := ^uint64(0) >> (64 - n)
		all["KMOV"+letter] = moveMask(n / 8)
		for name, f := range map[string]func(a, b uint64) uint64{
			"KAND": and[uint64], "KANDN": andNot[uint64], "KOR": or[uint64], "KXOR": xor[uint64],
			"KXNOR": func(a, b uint64) uint64 { return ^(a ^ b) }, "KADD": plus[uint64],
		} {
			all[name+letter] = twoMasks(low, f)
		}
		all["KNOT"+letter] = oneMask(func(_ uint8, b uint64) uint64 { return ^b & low }, false)
		all["KSHIFTL"+letter] = oneMask(func(i uint8, b uint64) uint64 { return b << i & low }, true)
		all["KSHIFTR"+letter] = oneMask(func(i uint8, b uint64) uint64 { return b & low >> i }, true)
		all["KORTEST"+letter] = testMasks(func(a, b uint64) flag { return when((a|b)&low == 0, zero) | when((a|b)&low == low, carry) })
		all["KTEST"+letter] = testMasks(func(a, b uint64) flag { return when(a&b&low == 0, zero) | when(^a&b&low == 0, carry) })
	}
	for name, n := range map[string]int{"KUNPCKBW": 8, "KUNPCKWD": 16, "KUNPCKDQ": 32} {
		low := uint64(1)<<n - 1
		all[name] = twoMasks(^uint64(0), func(a, b uint64) uint64 { return a&low<<n | b&low })
	}
}

func areMasks(ops []operand) bool {
	for _, o := range ops {
		if !o.is(maskOperand) {
			return false
		}
	}
	return true
}

func (m *machine) mask(register int) uint64 {
	if m.masksKnown>>register&1 == 0 {
		m.unknownMask(1 << register)
	}
	return m.masks[register]
}

func twoMasks(low uint64, f func(a, b uint64) uint64) builder {
	return func(d *decoder, ops []operand) (func(*machine), error) {
		if len(ops) != 3 || !areMasks(ops) {
			return nil, d.wants("K, K, K")
		}
		b, a, to := ops[0].register, ops[1].register, ops[2].register
		if a == b && (strings.HasPrefix(d.name, "KXOR") || strings.HasPrefix(d.name, "KXNOR")) {
			return func(m *machine) { m.setMask(to, f(0, 0)&low) }, nil
		}
		return func(m *machine) { m.setMask(to, f(m.mask(a), m.mask(b))&low) }, nil
	}
}

// oneMask is for instructions of one source, and an immediate before it if they shift.
func oneMask(f func(i uint8, b uint64) uint64, shifts bool) builder {
	return func(d *decoder, ops []operand) (func(*machine), error) {
		i := uint8(0)
		if shifts && len(ops) == 3 && ops[0].is(immediateOperand) {
			i, ops = uint8(ops[0].value), ops[1:]
		} else if shifts {
			return nil, d.wants("$count, K, K")
		}
		if len(ops) != 2 || !areMasks(ops) {
			return nil, d.wants("K, K")
		}
		b, to := ops[0].register, ops[1].register
		return func(m *machine) { m.setMask(to, f(i, m.mask(b))) }, nil
	}
}

func testMasks(f func(a, b uint64) flag) builder {
	return func(d *decoder, ops []operand) (func(*machine), error) {
		if len(ops) != 2 || !areMasks(ops) {
			return nil, d.wants("K, K")
		}
		b, a := ops[0].register, ops[1].register
		return func(m *machine) { m.setFlags(f(m.mask(a), m.mask(b)), allFlags, 0) }, nil
	}
}

// moveMask moves size bytes between masks, memory and general registers, of which it sets 32 bits at least.
func moveMask(size int) builder {
	return func(d *decoder, ops []operand) (func(*machine), error) {
		if len(ops) != 2 || !ops[0].is(maskOperand) && !ops[1].is(maskOperand) {
			return nil, d.wants("K and K, register or memory")
		}
		from, to := &ops[0], &ops[1]
		if !from.is(maskOperand) {
			get, err := d.reader(from, size)
			return func(m *machine) { m.setMask(to.register, get(m)) }, err
		}
		if to.is(maskOperand) {
			return func(m *machine) { m.setMask(to.register, truncate(m.mask(from.register), size)) }, nil
		}
		width := size
		if to.is(generalOperand) {
			width = max(4, size)
		}
		set, err := d.writer(to, width)
		return func(m *machine) { set(m, truncate(m.mask(from.register), size)) }, err
	}
}
