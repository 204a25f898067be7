package interp

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"unsafe"
)

// Steps is how many instructions a call may run.
const Steps = 1 << 24

// vector is a vector register: lanes in order, the lowest first.
type vector [8]uint64

func (v *vector) bytes() *[64]byte { return (*[64]byte)(unsafe.Pointer(v)) }

// Registers behind the general ones: the frame, which holds the argument.
const frameRegister = 16

// machine is the state of a processor.
type machine struct {
	general      [17]uint64
	vectors      [32]vector
	masks        [8]uint64
	flags        flag
	generalKnown uint32    // the registers that were written, by bits
	lowKnown     [16]uint8 // the bytes of those of which only the lowest were
	vectorsKnown uint32
	masksKnown   uint32
	flagsKnown   flag
	upper        bool // registers 0 to 15 were written beyond 128 bits since the last VZEROUPPER
	pc           int  // of the next instruction, -1 after RET
	at           int  // the instruction that runs

	ranges []memoryRange
	hints  []int // by reference: the range it met last

	work    work
	out     vector
	scratch [4]vector
}

// fault is what stops a machine.
type fault string

func (m *machine) fail(format string, args ...any) { panic(fault(fmt.Sprintf(format, args...))) }

// instruction is a decoded line.
type instruction struct {
	run  func(m *machine)
	line int
	text string
}

// Call runs a function with frame $n-8, of n bytes from SP on, whose one argument is arg: as a rule the address of an argument struct, which must then
// be in mem. It returns nil after RET. An error says file, line and instruction, what was wrong, and the address or register. Several calls may run at
// the same time.
func (f *File) Call(function string, arg uintptr, mem *Memory) (err error) {
	fn := f.functions[function]
	if fn == nil {
		return fmt.Errorf("%s: has no function %q: has %s", f.name, function, strings.Join(f.names, ", "))
	}
	locals, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimPrefix(fn.frame, "$"), "-8"), 10, 16)
	if err != nil || fn.frame != fmt.Sprintf("$%d-8", locals) {
		return fmt.Errorf("%s:%d: %s has frame %s: only $n-8 can be called, with few bytes", f.name, fn.line, function, fn.frame)
	}
	if one := uint16(1); *(*byte)(unsafe.Pointer(&one)) != 1 {
		return errors.New("interp: only runs where the low byte comes first")
	}
	m := &machine{}
	frame := make([]byte, 8)
	*(*uint64)(unsafe.Pointer(unsafe.SliceData(frame))) = uint64(arg)
	m.general[frameRegister] = uint64(addressOf(frame))
	stack := make([]byte, locals)
	m.general[stackRegister] = uint64(addressOf(stack))
	m.generalKnown = 1<<frameRegister | 1<<stackRegister
	m.ranges = make([]memoryRange, 0, len(mem.ranges)+len(f.data)+2)
	m.ranges = append(m.ranges, mem.ranges...)
	m.ranges = append(m.ranges, f.data...)
	m.ranges = append(m.ranges, memoryRange{m.frameBase(), frame, false}, memoryRange{addressOf(stack), stack, true})
	return m.run(f, fn)
}

func (m *machine) frameBase() uintptr { return uintptr(m.general[frameRegister]) }

func (m *machine) run(f *File, fn *function) (err error) {
	defer func() {
		if r := recover(); r != nil {
			what, ok := r.(fault)
			if !ok {
				panic(r)
			}
			in := fn.code[m.at]
			err = fmt.Errorf("%s:%d: %s: %s: %s", f.name, in.line, fn.name, in.text, string(what))
		}
	}()
	m.hints = make([]int, fn.references)
	for range Steps {
		if m.pc < 0 {
			return nil
		}
		m.at = m.pc
		m.pc++
		fn.code[m.at].run(m)
	}
	m.fail("does not return within %d instructions", Steps)
	return nil
}

func (m *machine) unknownGeneral(need uint32) {
	if missing := need &^ m.generalKnown; missing != 0 {
		m.fail("reads %s, which was never written", generalNames[bits.TrailingZeros32(missing)])
	}
}

func (m *machine) unknownVector(need uint32) {
	m.fail("reads vector register %d, which was never written", bits.TrailingZeros32(need&^m.vectorsKnown))
}

func (m *machine) unknownMask(need uint32) {
	m.fail("reads K%d, which was never written", bits.TrailingZeros32(need&^m.masksKnown))
}

// setVector gives a register the low size bytes of m.out, and 0 above.
func (m *machine) setVector(register, size, registerSize int) {
	d := &m.vectors[register]
	n := size / 8
	copy(d[:n], m.out[:n])
	if size%8 != 0 {
		d[n] = m.out[n] & (1<<(size%8*8) - 1)
		n++
	}
	clear(d[n:])
	m.wroteVector(register, registerSize)
}

func (m *machine) wroteVector(register, registerSize int) {
	m.vectorsKnown |= 1 << register
	if registerSize > 16 && register < 16 {
		m.upper = true
	}
}

func (m *machine) setGeneral(register, size int, v uint64) {
	switch size {
	case 1, 2:
		low := uint64(1)<<(8*size) - 1
		m.general[register] = m.general[register]&^low | v&low
		m.lowKnown[register] = max(m.lowKnown[register], uint8(size))
		return
	case 4:
		v = uint64(uint32(v))
	}
	m.general[register] = v
	m.generalKnown |= 1 << register
}

func zeroUpper(m *machine) {
	for i := range 16 {
		clear(m.vectors[i][2:])
	}
	m.upper = false
}

func ret(m *machine) {
	if m.upper {
		m.fail("returns with the upper halves of vector registers in use: VZEROUPPER goes before")
	}
	m.pc = -1
}
