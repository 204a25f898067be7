package interp

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// row is a form of a vector instruction: see the package's comment.
type row struct {
	name    string
	pattern string
	element int // bytes of a lane of the result that a mask switches, 0 where no mask may stand
	do      kernel
}

// kernel computes an instruction: from x's sources to x.out.
type kernel func(x *work)

// work is what a kernel sees of an instruction.
type work struct {
	width     int // bytes of the instruction
	immediate uint8
	round     rounding
	in        [4]*vector // sources as in the text: in[0] is what may be in memory. Other registers' values are in the low bytes
	old       *vector    // the destination before
	out       *vector
	bits      uint64 // the result if the destination is a mask
	flags     flag   // the result if these are
}

// token is an operand of a pattern.
type token struct {
	kind      kind
	flags     bool // f
	letter    byte
	size      int // bytes, or of the instruction's width 1/part
	part      int
	register  bool // a register may stand
	memory    bool
	whole     bool
	aligned   bool
	broadcast bool
	keep      bool
	upper     bool // lanes that are switched off come from the last source
	scalar    bool
	rounds    bool
}

func parseToken(s string) token {
	t := token{register: true}
	for s[0] == '+' || s[0] == '<' {
		t.keep, t.upper = t.keep || s[0] == '+', t.upper || s[0] == '<'
		s = s[1:]
	}
	t.letter = s[0]
	t.kind = vectorOperand
	switch s[0] {
	case 'i':
		t.kind = immediateOperand
	case 'k':
		t.kind = maskOperand
	case 'g':
		t.kind = generalOperand
	case 'm':
		t.kind, t.register, t.memory, t.part = memoryOperand, false, true, 1
	case 'f':
		t.flags = true
	case 's':
		t.scalar, t.letter = true, 'x'
	case 'v', 'h', 'q', 'e':
		t.part = map[byte]int{'v': 1, 'h': 2, 'q': 4, 'e': 8}[s[0]]
	case 'x', 'y', 'z':
		t.size = 16 << (s[0] - 'x')
	default:
		panic("pattern " + s)
	}
	digits := strings.TrimLeft(s[1:], "0123456789")
	if n := s[1 : len(s)-len(digits)]; n != "" {
		t.size, t.part = 0, 0
		for _, c := range n {
			t.size = t.size*10 + int(c-'0')
		}
	}
	for _, c := range digits {
		switch c {
		case 'm', 'M':
			t.memory, t.whole = true, c == 'M'
		case 'a':
			t.aligned = true
		case 'b':
			t.broadcast = true
		case 'r':
			t.rounds = true
		default:
			panic("pattern " + s)
		}
	}
	return t
}

func (t *token) bytes(width int) int {
	if t.part != 0 {
		return width / t.part
	}
	return t.size
}

// takes reports whether an operand can stand for the token, the width aside.
func (t *token) takes(o *operand) bool {
	if o.kind == memoryOperand {
		return t.memory && o.ref.vector == 0
	}
	return t.register && o.kind == t.kind
}

func (t *token) registerSize(width int) int { return max(16, t.bytes(width)) }

type parsedRow struct {
	*row
	tokens []token
}

// vectorRows returns the table of vector instructions by name.
var vectorRows = sync.OnceValue(func() map[string][]parsedRow {
	all := map[string][]parsedRow{}
	for _, family := range [][]row{floatRows(), compareRows(), integerRows(), shiftRows(), moveRows(), shuffleRows(), convertRows()} {
		for i := range family {
			r := &family[i]
			p := parsedRow{row: r}
			for s := range strings.FieldsSeq(r.pattern) {
				p.tokens = append(p.tokens, parseToken(s))
			}
			all[r.name] = append(all[r.name], p)
		}
	}
	return all
})

// vectorOp is a decoded vector instruction.
type vectorOp struct {
	do          kernel
	width       int
	immediate   uint8
	round       rounding
	sources     []source
	lanes       int    // that a mask switches
	all         uint64 // their bits
	mask        int    // the register, 0 for none
	zero        bool
	keep        bool // the kernel reads the old destination
	scalar      int  // bytes of the lowest lane if only that is computed
	base        int  // the source of what is not computed or switched on, -1 for the old destination
	to          operand
	toFlags     bool
	toSize      int
	element     int
	aligned     bool
	needVectors uint32
	needMasks   uint32
	needGeneral uint32
}

// source is an operand that is read.
type source struct {
	kind      kind
	register  int
	ref       *reference
	size      int // bytes in memory
	element   int // bytes in memory of a lane that a mask switches, 0 if none does
	broadcast bool
	whole     bool // read even if all lanes are switched off
	aligned   bool
}

func (d *decoder) decodeVector(rows []parsedRow, ops []operand) (func(m *machine), error) {
	var patterns []string
	for i := range rows {
		if v := d.match(&rows[i], ops); v != nil {
			if err := d.complete(&rows[i], v); err != nil {
				return nil, err
			}
			return v.run, nil
		}
		patterns = append(patterns, rows[i].pattern)
	}
	return nil, fmt.Errorf("operands are not those of %s (package comment)", strings.Join(patterns, " | "))
}

// match returns the instruction if the operands are of the row's form.
func (d *decoder) match(r *parsedRow, ops []operand) *vectorOp {
	tokens := r.tokens
	last := len(tokens) - 1
	v := &vectorOp{do: r.do, base: -1, element: r.element, round: d.round, zero: d.zero}
	if v.toFlags = tokens[last].flags; v.toFlags {
		tokens = tokens[:last]
	}
	if len(ops) == len(tokens)+1 && r.element > 0 && len(ops) >= 2 && ops[len(ops)-2].is(maskOperand) {
		v.mask = ops[len(ops)-2].register
		ops = slices.Delete(slices.Clone(ops), len(ops)-2, len(ops)-1)
		if v.mask == 0 {
			return nil
		}
	}
	if len(ops) != len(tokens) {
		return nil
	}
	for i := range tokens {
		t, o := &tokens[i], &ops[i]
		if !t.takes(o) {
			return nil
		}
		switch {
		case t.part != 0 && o.kind == vectorOperand && v.width == 0:
			v.width = o.size * t.part
			if t.part > 1 && o.size == 16 {
				v.width = 0 // an X register may hold a part of any width: others decide
			}
		case t.letter >= 'x' && t.size > v.width && !hasFullWidth(tokens):
			v.width = t.size
		}
	}
	for i := range tokens {
		t, o := &tokens[i], &ops[i]
		if o.kind == vectorOperand && o.size != t.registerSize(v.width) {
			return nil
		}
		if o.kind == immediateOperand {
			v.immediate = uint8(o.value)
			if o.value < -128 || o.value > 255 {
				return nil
			}
			continue
		}
		if i == last {
			v.to, v.toSize, v.keep, v.aligned = *o, t.bytes(v.width), t.keep, t.aligned
			continue
		}
		v.sources = append(v.sources, source{kind: o.kind, register: o.register, ref: o.ref, size: t.bytes(v.width),
			broadcast: d.broadcast && t.broadcast && o.kind == memoryOperand, whole: t.whole, aligned: t.aligned})
	}
	return v
}

func hasFullWidth(tokens []token) bool {
	for i := range tokens {
		if tokens[i].kind == vectorOperand && tokens[i].part != 0 && tokens[i].letter == 'v' {
			return true
		}
	}
	return false
}

// complete finds lanes and what must be known, and checks suffixes.
func (d *decoder) complete(r *parsedRow, v *vectorOp) error {
	to := &r.tokens[len(r.tokens)-1]
	switch {
	case d.zero && (v.mask == 0 || v.to.kind != vectorOperand):
		return fmt.Errorf(".Z wants a mask and a vector register as the destination")
	case d.round != roundNearest && !to.rounds:
		return fmt.Errorf("directed rounding is not known of this instruction")
	}
	broadcasts := false
	for _, s := range v.sources {
		broadcasts = broadcasts || s.broadcast
	}
	if d.broadcast && !broadcasts {
		return fmt.Errorf(".BCST wants an operand in memory of which one element can be broadcast")
	}
	size := v.toSize
	if v.to.kind == maskOperand || v.to.kind == generalOperand || v.toFlags {
		size = v.width
	}
	if to.scalar {
		v.scalar, v.lanes = to.size, 1
		if !to.keep {
			v.base = len(v.sources) - 1
		}
		v.toSize = 16
	} else if r.element > 0 {
		v.lanes = size / r.element
	}
	if to.upper {
		v.base = len(v.sources) - 1
	}
	if v.all = 1<<v.lanes - 1; v.lanes == 0 {
		v.all = ^uint64(0)
	}
	for i := range v.sources {
		s := &v.sources[i]
		switch {
		case s.whole && s.broadcast:
			s.element = max(r.element, 4)
		case !s.whole && v.lanes > 0:
			s.element = s.size / v.lanes
		}
	}
	v.findNeeds(r.name, to)
	return nil
}

// findNeeds notes which registers must have been written: those of masks, the destination where lanes of it stay or are an operand, and sources
// unless the result is the same for any of their values.
func (v *vectorOp) findNeeds(name string, to *token) {
	constant := v.isConstant(name)
	stays := v.mask > 0 && !v.zero && (to.scalar || !to.upper)
	if v.to.kind == vectorOperand && (stays || to.keep && !constant) {
		v.needVectors |= 1 << v.to.register
	}
	if v.mask > 0 {
		v.needMasks |= 1 << v.mask
	}
	for _, s := range v.sources {
		switch {
		case s.kind == vectorOperand && !constant:
			v.needVectors |= 1 << s.register
		case s.kind == maskOperand:
			v.needMasks |= 1 << s.register
		case s.kind == generalOperand:
			v.needGeneral |= 1 << s.register
		}
	}
}

// clearing are instructions of which the result is a constant if both sources are one register.
var clearing = strings.Fields(`VXORPS VXORPD VPXOR VPXORD VPXORQ VPSUBB VPSUBW VPSUBD VPSUBQ VPCMPEQB VPCMPEQW VPCMPEQD VPCMPEQQ
	VPCMPGTB VPCMPGTW VPCMPGTD VPCMPGTQ VANDNPS VANDNPD VPANDN VPANDND VPANDNQ`)

func (v *vectorOp) isConstant(name string) bool {
	if strings.HasPrefix(name, "VPTERNLOG") {
		return v.immediate == 0 || v.immediate == 0xFF
	}
	s := v.sources
	return len(s) == 2 && s[0].kind == vectorOperand && s[1].kind == vectorOperand && s[0].register == s[1].register && slices.Contains(clearing, name)
}

func (v *vectorOp) check(m *machine) {
	if v.needVectors&^m.vectorsKnown != 0 {
		m.unknownVector(v.needVectors)
	}
	if v.needMasks&^m.masksKnown != 0 {
		m.unknownMask(v.needMasks)
	}
	if v.needGeneral&^m.generalKnown != 0 {
		m.unknownGeneral(v.needGeneral)
	}
}

func (v *vectorOp) run(m *machine) {
	v.check(m)
	x := &m.work
	x.width, x.immediate, x.round, x.out = v.width, v.immediate, v.round, &m.out
	on := v.all
	if v.mask > 0 {
		on &= m.masks[v.mask]
	}
	for i := range v.sources {
		x.in[i] = m.fetch(&v.sources[i], &m.scratch[i], on)
	}
	if v.to.kind == vectorOperand {
		x.old = &m.vectors[v.to.register]
	}
	if v.scalar > 0 {
		from := x.old
		if v.base >= 0 {
			from = x.in[v.base]
		}
		m.out = *from
		x.width = v.scalar
	}
	v.do(x)
	v.store(m, on)
}

// fetch returns the value of an operand. Memory and what is no vector register goes to the scratch.
func (m *machine) fetch(s *source, scratch *vector, on uint64) *vector {
	switch s.kind {
	case vectorOperand:
		return &m.vectors[s.register]
	case generalOperand:
		*scratch = vector{m.general[s.register]}
		return scratch
	case maskOperand:
		*scratch = vector{m.masks[s.register]}
		return scratch
	}
	address := m.address(s.ref)
	b := scratch.bytes()
	switch {
	case s.broadcast:
		*scratch = vector{}
		if on != 0 || s.whole {
			m.read(b[:s.element], address, s.ref.hint)
			for i := s.element; i < s.size; i += s.element {
				copy(b[i:i+s.element], b[:s.element])
			}
		}
	case s.element > 0 && on != 1<<(s.size/s.element)-1:
		*scratch = vector{}
		for i := range s.size / s.element {
			if on>>i&1 != 0 {
				m.read(b[i*s.element:][:s.element], address+uintptr(i*s.element), s.ref.hint)
			}
		}
	default:
		m.read(b[:s.size], address, s.ref.hint)
		clear(b[s.size:])
	}
	if s.aligned && address%uintptr(s.size) != 0 {
		m.fail("reads %d bytes at %#x, which is no multiple of %d", s.size, address, s.size)
	}
	return scratch
}

// store puts the result where it belongs.
func (v *vectorOp) store(m *machine, on uint64) {
	switch {
	case v.toFlags:
		m.flags, m.flagsKnown = m.work.flags, allFlags
	case v.to.kind == maskOperand:
		m.setMask(v.to.register, m.work.bits&on)
	case v.to.kind == generalOperand:
		m.setGeneral(v.to.register, v.toSize, m.out[0])
	case v.to.kind == memoryOperand:
		v.storeMemory(m, on)
	default:
		if v.mask > 0 && on != v.all {
			v.blend(m, on)
		}
		m.setVector(v.to.register, v.toSize, v.to.size)
	}
}

// blend replaces lanes of the result that are switched off.
func (v *vectorOp) blend(m *machine, on uint64) {
	from := m.work.old
	if v.base >= 0 && v.scalar == 0 {
		from = m.work.in[v.base]
	}
	to, old := m.out.bytes(), from.bytes()
	for i := range v.lanes {
		switch lane := to[i*v.element:][:v.element]; {
		case on>>i&1 != 0:
		case v.zero:
			clear(lane)
		default:
			copy(lane, old[i*v.element:])
		}
	}
}

func (v *vectorOp) storeMemory(m *machine, on uint64) {
	address := m.address(v.to.ref)
	b := m.out.bytes()
	if v.mask == 0 || on == v.all {
		m.write(b[:v.toSize], address, v.to.ref.hint)
	} else {
		for i := range v.lanes {
			if on>>i&1 != 0 {
				m.write(b[i*v.element:][:v.element], address+uintptr(i*v.element), v.to.ref.hint)
			}
		}
	}
	if v.aligned && address%uintptr(v.toSize) != 0 {
		m.fail("writes %d bytes at %#x, which is no multiple of %d", v.toSize, address, v.toSize)
	}
}

func (m *machine) setMask(register int, v uint64) {
	m.masks[register] = v
	m.masksKnown |= 1 << register
}
