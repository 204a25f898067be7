package interp

import (
	"math/bits"
	"strings"
)

// flag is a set of the processor's flags.
type flag uint8

const (
	carry flag = 1 << iota
	parity
	zero
	negative
	overflow
	allFlags = 1<<iota - 1
)

// setFlags gives the flags of which a bit is in known their values, makes those of unknown unknown, and leaves the others.
func (m *machine) setFlags(values, known, unknown flag) {
	m.flags = m.flags&^known | values&known
	m.flagsKnown = m.flagsKnown&^unknown | known
}

func when(condition bool, f flag) flag {
	if condition {
		return f
	}
	return 0
}

// resultFlags are those that most results have.
func resultFlags(v uint64, size int) flag {
	v = truncate(v, size)
	return when(v == 0, zero) | when(signBit(v, size), negative) | when(bits.OnesCount8(uint8(v))%2 == 0, parity)
}

// condition is what jumps, moves and bytes depend on.
type condition struct {
	names string // Go's first, then others
	need  flag
	holds func(f flag) bool
}

func is(set flag) func(flag) bool   { return func(f flag) bool { return f&set != 0 } }
func none(set flag) func(flag) bool { return func(f flag) bool { return f&set == 0 } }
func less(f flag) bool              { return (f&negative != 0) != (f&overflow != 0) }

var conditions = []condition{
	{"EQ E Z", zero, is(zero)},
	{"NE NZ", zero, none(zero)},
	{"CS C B NAE", carry, is(carry)},
	{"CC NC AE NB HS", carry, none(carry)},
	{"HI A NBE", carry | zero, none(carry | zero)},
	{"LS BE NA", carry | zero, is(carry | zero)},
	{"LT L NGE", negative | overflow, less},
	{"GE NL", negative | overflow, func(f flag) bool { return !less(f) }},
	{"LE NG", negative | overflow | zero, func(f flag) bool { return less(f) || f&zero != 0 }},
	{"GT G NLE", negative | overflow | zero, func(f flag) bool { return !less(f) && f&zero == 0 }},
	{"MI S", negative, is(negative)},
	{"PL NS", negative, none(negative)},
	{"OS O", overflow, is(overflow)},
	{"OC NO", overflow, none(overflow)},
	{"PS P PE", parity, is(parity)},
	{"PC NP PO", parity, none(parity)},
}

func (c *condition) check(m *machine) bool {
	if missing := c.need &^ m.flagsKnown; missing != 0 {
		var names []string
		for i, name := range []string{"carry", "parity", "zero", "sign", "overflow"} {
			if missing>>i&1 != 0 {
				names = append(names, name)
			}
		}
		m.fail("depends on flags that no instruction defined: %s", strings.Join(names, ", "))
	}
	return c.holds(m.flags)
}

// conditionRows adds the instructions of all conditions.
func conditionRows(all map[string]builder) {
	for i := range conditions {
		c := &conditions[i]
		for j, name := range strings.Fields(c.names) {
			all["J"+name] = jump(c)
			if j > 0 {
				continue
			}
			all["SET"+name] = setByte(c)
			all["CMOVQ"+name] = moveIf(c, 8)
			all["CMOVL"+name] = moveIf(c, 4)
		}
	}
}

// jump goes to a label, if the condition holds.
func jump(c *condition) builder {
	return func(d *decoder, ops []operand) (func(*machine), error) {
		if len(ops) != 1 || !ops[0].is(labelOperand) {
			return nil, d.wants("label")
		}
		to, ok := d.fn.labels[ops[0].text]
		if !ok {
			return nil, d.noLabel(ops[0].text)
		}
		if c == nil {
			return func(m *machine) { m.pc = to }, nil
		}
		return func(m *machine) {
			if c.check(m) {
				m.pc = to
			}
		}, nil
	}
}

func setByte(c *condition) builder {
	return func(d *decoder, ops []operand) (func(*machine), error) {
		if len(ops) != 1 {
			return nil, d.wants("register or memory")
		}
		set, err := d.writer(&ops[0], 1)
		return func(m *machine) {
			v := uint64(0)
			if c.check(m) {
				v = 1
			}
			set(m, v)
		}, err
	}
}

func moveIf(c *condition, size int) builder {
	return func(d *decoder, ops []operand) (func(*machine), error) {
		if len(ops) != 2 || !ops[1].is(generalOperand) {
			return nil, d.wants("register or memory, register")
		}
		get, err := d.reader(&ops[0], size)
		if err != nil {
			return nil, err
		}
		old, err := d.reader(&ops[1], size)
		to := ops[1].register
		return func(m *machine) {
			v, other := get(m), old(m)
			if !c.check(m) {
				v = other
			}
			m.setGeneral(to, size, v)
		}, err
	}
}
