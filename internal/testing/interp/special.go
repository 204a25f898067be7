package interp

import "math/bits"

// specialRows adds the vector instructions that go to memory in ways of their own.
func specialRows(all map[string]builder) {
	for name, size := range map[string]int{"VMASKMOVPS": 4, "VPMASKMOVD": 4, "VMASKMOVPD": 8, "VPMASKMOVQ": 8} {
		all[name] = maskedMove(size)
	}
	for name, sizes := range map[string][2]int{ // of indices and of elements
		"DPS": {4, 4}, "DPD": {4, 8}, "QPS": {8, 4}, "QPD": {8, 8}, "DD": {4, 4}, "DQ": {4, 8}, "QD": {8, 4}, "QQ": {8, 8},
	} {
		letter := "V"
		if len(name) == 2 {
			letter = "VP"
		}
		all[letter+"GATHER"+name] = gather(sizes[0], sizes[1])
		all[letter+"SCATTER"+name] = scatter(sizes[0], sizes[1])
	}
	for name, size := range map[string]int{"PS": 4, "PD": 8} {
		all["VCOMPRESS"+name], all["VEXPAND"+name] = compress(size), expand(size)
	}
	for name, size := range map[string]int{"B": 1, "W": 2, "D": 4, "Q": 8} {
		all["VPCOMPRESS"+name], all["VPEXPAND"+name] = compress(size), expand(size)
	}
}

// vectorSource returns a register that was written.
func (m *machine) vectorSource(register int) *vector {
	if m.vectorsKnown>>register&1 == 0 {
		m.unknownVector(1 << register)
	}
	return &m.vectors[register]
}

// maskedMove loads or stores the lanes of which the highest bit is set in a mask.
func maskedMove(size int) builder {
	return func(d *decoder, ops []operand) (func(*machine), error) {
		if len(ops) != 3 || !ops[1].is(vectorOperand) {
			return nil, d.wants("memory, mask, register or register, mask, memory")
		}
		mask := ops[1]
		lanes := mask.size / size
		isOn := func(m *machine, i int) bool {
			return m.vectorSource(mask.register).bytes()[i*size+size-1]&0x80 != 0
		}
		switch from, to := ops[0], ops[2]; {
		case from.is(memoryOperand) && to.is(vectorOperand) && to.size == mask.size:
			return func(m *machine) {
				m.out = vector{}
				address := m.address(from.ref)
				for i := range lanes {
					if isOn(m, i) {
						m.read(m.out.bytes()[i*size:][:size], address+uintptr(i*size), from.ref.hint)
					}
				}
				m.setVector(to.register, to.size, to.size)
			}, nil
		case from.is(vectorOperand) && to.is(memoryOperand) && from.size == mask.size:
			return func(m *machine) {
				b := m.vectorSource(from.register).bytes()
				address := m.address(to.ref)
				for i := range lanes {
					if isOn(m, i) {
						m.write(b[i*size:][:size], address+uintptr(i*size), to.ref.hint)
					}
				}
			}, nil
		}
		return nil, d.wants("memory, mask, register or register, mask, memory, of one width")
	}
}

// element is the address of an element that an index vector names.
func (m *machine) element(ref *reference, i, indexSize int) uintptr {
	v := m.vectorSource(ref.index)
	offset := v[i%8]
	if indexSize == 4 {
		offset = extend(v[i/2]>>(i%2*32)&(1<<32-1), 4)
	}
	return m.address(ref) + uintptr(offset)*ref.scale
}

// gather loads elements by indices, and clears the mask. It is a vector (AVX2) or a mask register (AVX-512).
func gather(indexSize, size int) builder {
	return func(d *decoder, ops []operand) (func(*machine), error) {
		if len(ops) != 3 || !ops[2].is(vectorOperand) {
			return nil, d.wants("mask, memory, register or memory, K, register")
		}
		memory, mask, to := ops[0], ops[1], ops[2]
		if mask.is(memoryOperand) {
			memory, mask = mask, memory
		}
		if !memory.is(memoryOperand) || memory.ref.vector == 0 || !mask.is(vectorOperand) && (!mask.is(maskOperand) || mask.register == 0) {
			return nil, d.wants("mask, memory with a vector of indices, register")
		}
		ref := memory.ref
		lanes := min(to.size/size, ref.vector/indexSize)
		if ref.index == to.register || mask.is(vectorOperand) && (mask.register == to.register || mask.register == ref.index) {
			return nil, d.wants("three different registers")
		}
		return func(m *machine) {
			m.out = *m.vectorSource(to.register)
			for i := range lanes {
				if m.laneOn(&mask, i, size) {
					m.read(m.out.bytes()[i*size:][:size], m.element(ref, i, indexSize), ref.hint)
				}
			}
			m.setVector(to.register, min(lanes*size, to.size), to.size)
			if mask.is(vectorOperand) {
				m.vectors[mask.register] = vector{}
				m.wroteVector(mask.register, mask.size)
			} else {
				m.setMask(mask.register, 0)
			}
		}, nil
	}
}

func (m *machine) laneOn(mask *operand, i, size int) bool {
	if mask.is(vectorOperand) {
		return m.vectorSource(mask.register).bytes()[i*size+size-1]&0x80 != 0
	}
	return m.mask(mask.register)>>i&1 != 0
}

// scatter stores elements by indices, the lowest first, and clears the mask.
func scatter(indexSize, size int) builder {
	return func(d *decoder, ops []operand) (func(*machine), error) {
		if len(ops) != 3 || !ops[0].is(vectorOperand) || !ops[1].is(maskOperand) || ops[1].register == 0 ||
			!ops[2].is(memoryOperand) || ops[2].ref.vector == 0 {
			return nil, d.wants("register, K, memory with a vector of indices")
		}
		from, mask, ref := ops[0], ops[1], ops[2].ref
		lanes := min(from.size/size, ref.vector/indexSize)
		return func(m *machine) {
			b := m.vectorSource(from.register).bytes()
			for i := range lanes {
				if m.laneOn(&mask, i, size) {
					m.write(b[i*size:][:size], m.element(ref, i, indexSize), ref.hint)
				}
			}
			m.setMask(mask.register, 0)
		}, nil
	}
}

// masked reads operands source, K, destination, of which the mask may be missing.
func (d *decoder) masked(ops []operand) (from, to operand, on func(m *machine) uint64, err error) {
	on = func(*machine) uint64 { return ^uint64(0) }
	if len(ops) == 3 && ops[1].is(maskOperand) && ops[1].register != 0 {
		k := ops[1].register
		on = func(m *machine) uint64 { return m.mask(k) }
		ops = []operand{ops[0], ops[2]}
	} else if d.zero {
		err = d.wants("a mask with .Z")
	}
	if len(ops) != 2 {
		return from, to, on, d.wants("source, K, destination")
	}
	return ops[0], ops[1], on, err
}

// startOf puts into m.out what lanes have that are switched off.
func (d *decoder) startOf(to operand, masked bool) func(m *machine) {
	if d.zero || !masked {
		return func(m *machine) { m.out = vector{} }
	}
	return func(m *machine) { m.out = *m.vectorSource(to.register) }
}

// compress puts the lanes that are switched on next to each other.
func compress(size int) builder {
	return func(d *decoder, ops []operand) (func(*machine), error) {
		from, to, on, err := d.masked(ops)
		if err != nil || !from.is(vectorOperand) || !to.is(memoryOperand) && (!to.is(vectorOperand) || to.size != from.size) {
			return nil, d.wants("register, K, register or memory")
		}
		start := d.startOf(to, len(ops) == 3)
		lanes := from.size / size
		return func(m *machine) {
			b, k, n := m.vectorSource(from.register).bytes(), on(m), 0
			if to.is(vectorOperand) {
				start(m)
			}
			for i := range lanes {
				if k>>i&1 != 0 {
					n += copy(m.out.bytes()[n:], b[i*size:][:size])
				}
			}
			if to.is(vectorOperand) {
				m.setVector(to.register, to.size, to.size)
			} else {
				m.write(m.out.bytes()[:n], m.address(to.ref), to.ref.hint)
			}
		}, nil
	}
}

// expand distributes lanes that stand next to each other to those that are switched on.
func expand(size int) builder {
	return func(d *decoder, ops []operand) (func(*machine), error) {
		from, to, on, err := d.masked(ops)
		if err != nil || !to.is(vectorOperand) || !from.is(memoryOperand) && (!from.is(vectorOperand) || to.size != from.size) {
			return nil, d.wants("register or memory, K, register")
		}
		start := d.startOf(to, len(ops) == 3)
		lanes := to.size / size
		return func(m *machine) {
			k := on(m) & (^uint64(0) >> (64 - lanes))
			b := m.scratch[0].bytes()
			if from.is(memoryOperand) {
				m.read(b[:bits.OnesCount64(k)*size], m.address(from.ref), from.ref.hint)
			} else {
				*b = *m.vectorSource(from.register).bytes()
			}
			start(m)
			n := 0
			for i := range lanes {
				if k>>i&1 != 0 {
					n += copy(m.out.bytes()[i*size:][:size], b[n:])
				}
			}
			m.setVector(to.register, to.size, to.size)
		}, nil
	}
}
