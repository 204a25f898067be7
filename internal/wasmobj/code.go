package wasmobj

import (
	"encoding/binary"
	"math"
)

// ValType is a type of values.
type ValType byte

// The types of values (Core, 5.3).
const (
	I32  ValType = 0x7F
	I64  ValType = 0x7E
	F32  ValType = 0x7D
	F64  ValType = 0x7C
	V128 ValType = 0x7B
)

// FuncType is the type of a function.
type FuncType struct{ Params, Results []ValType }

// Kind is what a place in code or data refers to.
type Kind byte

// The kinds of references. What a function stands for in the table, and where data lie, is known when a module is linked.
const (
	ToFunc  Kind = iota // the index of a function, behind call
	ToTable             // its index in the table, behind i32.const, and in data
	ToData              // the address of data, behind i32.const, and in data
	ToType              // the index of a type, behind call_indirect
)

// Reloc is a place where linking writes a number: for code where its LEB128 form is inserted, for data where four bytes are overwritten.
type Reloc struct {
	At   int
	Kind Kind
	Sym  int // a function, datum or type of the object
	Add  int // for data, how many bytes behind its begin
}

// Code is a function's body, to which its methods append.
type Code struct {
	Bytes  []byte
	Relocs []Reloc
	Locals []ValType // behind the parameters
	params int
}

// NewCode returns an empty body of a function of that type.
func NewCode(t FuncType) *Code { return &Code{params: len(t.Params)} }

// Local adds a local variable and returns its index.
//
//go:noinline
func (c *Code) Local(t ValType) int {
	c.Locals = append(c.Locals, t)
	return c.params + len(c.Locals) - 1
}

// Op appends an instruction without immediates, or several. It and others are not inlined: what writes code is little else, and would be twice as large.
//
//go:noinline
func (c *Code) Op(b ...byte) { c.Bytes = append(c.Bytes, b...) }

// Uint appends an instruction with unsigned immediates.
//
//go:noinline
func (c *Code) Uint(op byte, immediates ...uint64) {
	c.Bytes = append(c.Bytes, op)
	for _, x := range immediates {
		c.Bytes = binary.AppendUvarint(c.Bytes, x)
	}
}

// SIMD appends an instruction of the vector set with unsigned immediates.
//
//go:noinline
func (c *Code) SIMD(op uint32, immediates ...uint64) {
	c.Bytes = binary.AppendUvarint(append(c.Bytes, 0xFD), uint64(op))
	for _, x := range immediates {
		c.Bytes = binary.AppendUvarint(c.Bytes, x)
	}
}

// Atomic appends an instruction on memory that several threads share, at its natural alignment, given as a power of two.
func (c *Code) Atomic(op byte, align, offset uint64) {
	c.Bytes = binary.AppendUvarint(binary.AppendUvarint(append(c.Bytes, 0xFE, op), align), offset)
}

// Get is local.get.
func (c *Code) Get(local int) { c.Uint(0x20, uint64(local)) }

// Set is local.set.
func (c *Code) Set(local int) { c.Uint(0x21, uint64(local)) }

// Tee is local.tee.
func (c *Code) Tee(local int) { c.Uint(0x22, uint64(local)) }

// GlobalGet is global.get.
func (c *Code) GlobalGet(global int) { c.Uint(0x23, uint64(global)) }

// GlobalSet is global.set.
func (c *Code) GlobalSet(global int) { c.Uint(0x24, uint64(global)) }

// I32 is i32.const.
//
//go:noinline
func (c *Code) I32(x int32) { c.Bytes = appendInt(append(c.Bytes, 0x41), int64(x)) }

// I64 is i64.const.
func (c *Code) I64(x int64) { c.Bytes = appendInt(append(c.Bytes, 0x42), x) }

// F32 is f32.const.
func (c *Code) F32(x float32) {
	c.Bytes = binary.LittleEndian.AppendUint32(append(c.Bytes, 0x43), math.Float32bits(x))
}

// F64 is f64.const.
func (c *Code) F64(x float64) {
	c.Bytes = binary.LittleEndian.AppendUint64(append(c.Bytes, 0x44), math.Float64bits(x))
}

// Ref appends an instruction whose immediate is a reference: call for ToFunc, i32.const for ToTable and ToData, call_indirect for ToType.
func (c *Code) Ref(k Kind, sym, add int) {
	c.Bytes = append(c.Bytes, [...]byte{ToFunc: 0x10, ToTable: 0x41, ToData: 0x41, ToType: 0x11}[k])
	c.Relocs = append(c.Relocs, Reloc{len(c.Bytes), k, sym, add})
	if k == ToType {
		c.Bytes = append(c.Bytes, 0) // of the one table
	}
}

// appendInt appends the LEB128 form of a signed number.
func appendInt(b []byte, x int64) []byte {
	for {
		low := byte(x & 0x7F)
		x >>= 7
		if x == 0 && low&0x40 == 0 || x == -1 && low&0x40 != 0 {
			return append(b, low)
		}
		b = append(b, low|0x80)
	}
}
