package interp

import (
	"fmt"
	"slices"
	"unsafe"
)

// Memory is the ranges of memory that a function may touch, by their real addresses. Its zero value has none. A copy can be added to without
// changing what it was copied from.
type Memory struct{ ranges []memoryRange }

type memoryRange struct {
	base     uintptr
	bytes    []byte
	writable bool
}

// Add lets functions read the bytes of b, and write them if writable. Ranges may touch or overlap: what one of them allows is allowed. So that a
// step too far is found, a range should have memory around it that is in none.
func (m *Memory) Add(b []byte, writable bool) {
	if len(b) > 0 {
		m.ranges = append(slices.Clip(m.ranges), memoryRange{addressOf(b), b, writable})
	}
}

func addressOf(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// part returns the bytes from address on, or nil if they do not all lie in the range.
func (r *memoryRange) part(address uintptr, size int) []byte {
	offset := address - r.base
	if offset >= uintptr(len(r.bytes)) || uintptr(len(r.bytes))-offset < uintptr(size) {
		return nil
	}
	return r.bytes[offset:][:size:size]
}

// reference is an operand in memory.
type reference struct {
	base, index int // numbers of general registers, -1 for none; index may be of a vector register
	scale, disp uintptr
	vector      int    // bytes of the index if it is a vector register
	symbol      string // what disp counts from
	need        uint32 // the general registers that must be known
	hint        int    // its number in the function, for machine.hints
}

func (m *machine) address(r *reference) uintptr {
	if r.need&^m.generalKnown != 0 {
		m.unknownGeneral(r.need)
	}
	a := r.disp
	if r.base >= 0 {
		a += uintptr(m.general[r.base])
	}
	if r.index >= 0 && r.vector == 0 {
		a += uintptr(m.general[r.index]) * r.scale
	}
	return a
}

// bytes returns memory at address, or nil if no single range has all of it.
func (m *machine) bytes(address uintptr, size, hint int, write bool) []byte {
	if at := m.hints[hint]; !write || m.ranges[at].writable {
		if b := m.ranges[at].part(address, size); b != nil {
			return b
		}
	}
	for i := range m.ranges {
		if r := &m.ranges[i]; !write || r.writable {
			if b := r.part(address, size); b != nil {
				m.hints[hint] = i
				return b
			}
		}
	}
	return nil
}

// read copies memory at address to b, which may lie in several ranges that touch.
func (m *machine) read(b []byte, address uintptr, hint int) {
	if from := m.bytes(address, len(b), hint, false); from != nil {
		copy(b, from)
		return
	}
	for i := range b {
		from := m.bytes(address+uintptr(i), 1, hint, false)
		if from == nil {
			m.outside("reads", address, len(b), i)
		}
		b[i] = from[0]
	}
}

func (m *machine) write(b []byte, address uintptr, hint int) {
	if to := m.bytes(address, len(b), hint, true); to != nil {
		copy(to, b)
		return
	}
	for i := range b {
		to := m.bytes(address+uintptr(i), 1, hint, true)
		if to == nil {
			m.outside("writes", address, len(b), i)
		}
		to[0] = b[i]
	}
}

// outside reports an access of which byte i is not allowed, with the range that is nearest.
func (m *machine) outside(what string, address uintptr, size, i int) {
	at := address + uintptr(i)
	message := fmt.Sprintf("%s %d bytes at %#x, of which byte %d is in no range", what, size, address, i)
	nearest := ^uintptr(0)
	for _, r := range m.ranges {
		last := r.base + uintptr(len(r.bytes)) - 1
		switch {
		case at >= r.base && at <= last:
			m.fail("%s %d bytes at %#x, of which byte %d is in a range that is only read", what, size, address, i)
		case at < r.base && r.base-at < nearest:
			nearest = r.base - at
			message = fmt.Sprintf("%s %d bytes at %#x, of which byte %d lies %d before a range of %d", what, size, address, i, nearest, len(r.bytes))
		case at > last && at-last < nearest:
			nearest = at - last
			message = fmt.Sprintf("%s %d bytes at %#x, of which byte %d lies %d behind a range of %d", what, size, address, i, nearest, len(r.bytes))
		}
	}
	m.fail("%s", message)
}

// loadInt reads a whole number of 1, 2, 4 or 8 bytes.
func (m *machine) loadInt(r *reference, size int) uint64 {
	m.scratch[0] = vector{}
	m.read(m.scratch[0].bytes()[:size], m.address(r), r.hint)
	return m.scratch[0][0]
}

func (m *machine) storeInt(r *reference, size int, v uint64) {
	m.scratch[0][0] = v
	m.write(m.scratch[0].bytes()[:size], m.address(r), r.hint)
}
