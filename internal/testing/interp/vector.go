package interp

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
	scalar      int // bytes of the lowest lane if only that is computed
	base        int // the source of what is not computed or switched on, -1 for the old destination
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
