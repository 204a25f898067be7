package wasm

import (
	"encoding/binary"
	"math"

	"github.com/concord-nn/concord/internal/wasmobj"
)

// Level is what multiply-adds are made of.
type Level int

// The levels.
const (
	// Emulated computes in float64 and corrects what would be rounded twice: the bits of a fused multiply-add on every engine.
	Emulated Level = iota
	// Fused takes relaxed SIMD's multiply-add, on engines where that is fused: the same bits, and fast.
	Fused
	// Loose multiplies and adds, with two roundings: other bits than everywhere else.
	Loose
)

// function is a function of a module under construction, with what is needed to write it by hand.
type function struct {
	*wasmobj.Code
	m *maker
}

// The opcodes that kernels use (Core, 5.4).
const (
	opLoop, opIf, opElse, opEnd, opBranchIf, opReturn = 0x03, 0x04, 0x05, 0x0B, 0x0D, 0x0F
	opUnreachable, opDrop, opSelect, noResult         = 0x00, 0x1A, 0x1B, 0x40
	opMemory, memoryCopy, memoryFill                  = 0xFC, 10, 11
	i32Load, i32Store                                 = 0x28, 0x36
	i32Add, i32Sub, i32Mul, i32DivU, i32RemU, i32And  = 0x6A, 0x6B, 0x6C, 0x6E, 0x70, 0x71
	i32LtU, i32GtU, i32GeU, i32Ne, f32ConvertI32S     = 0x49, 0x4B, 0x4F, 0x47, 0xB2

	v128Load, v128Store, v128Load32Splat, v128Const = 0x00, 0x0B, 0x09, 0x0C
	v128And, v128Or, v128Select, v128AnyTrue        = 0x4E, 0x50, 0x52, 0x53
	f32x4Splat                                      = 0x13
	f32x4Eq, f32x4Ne                                = 0x41, 0x42
	v128Store32Lane                                 = 0x5A
	f32x4Abs, f32x4Sqrt                             = 0xE0, 0xE3
	f32x4Add, f32x4Sub, f32x4Mul, f32x4Div          = 0xE4, 0xE5, 0xE6, 0xE7
	f32x4Min, f32x4Max                              = 0xE8, 0xE9
	f64x2Abs, f64x2Add, f64x2Mul                    = 0xEC, 0xF0, 0xF2
	f64x2Eq, f64x2Gt                                = 0x47, 0x4A
	f32x4Demote, f64x2Promote                       = 0x5E, 0x5F
	i8x16Shuffle                                    = 0x0D
	v128Load64Zero, v128AndNot, v128Xor             = 0x5D, 0x4F, 0x51
	f64x2Sub, i64x2Shl, i64x2ShrS, i64x2Add         = 0xF1, 0xCB, 0xCC, 0xCE
	i32x4Eq, i32x4LtU, i32x4Shl, i32x4Sub           = 0x37, 0x3A, 0xAB, 0xB1
	i32x4MinS, i32x4MinU                            = 0xB6, 0xB7
	i32x4AllTrue, f32x4Madd                         = 0xA3, 0x105
	v128Load8x8S, v128Load8x8U, v128Store64Lane     = 0x01, 0x02, 0x5B
	i8x16MinS, i8x16MinU, i8x16MaxS, i8x16MaxU      = 0x76, 0x77, 0x78, 0x79
	i8x16NarrowS, i8x16NarrowU, i16x8NarrowS        = 0x65, 0x66, 0x85
	i16x8Sub, i32x4Add, i32x4Dot                    = 0x91, 0xAE, 0xBA
	i32x4ExtendLowS, i32x4ExtendHighS               = 0xA7, 0xA8
	i32Load8S, i32Load8U, i32Store8                 = 0x2C, 0x2D, 0x3A
	v128Store8Lane, i16x8Splat                      = 0x58, 0x10
	f32x4PMin, f32x4PMax, f32x4ConvertS             = 0xEA, 0xEB, 0xFA
)

const vectorMemory = 2 // the alignment of vectors that instructions promise, as a power of two: elements are aligned

// kernelType is the type of functions that compute pieces lo…hi-1 of a unit.
var kernelType = wasmobj.FuncType{Params: []wasmobj.ValType{wasmobj.I32, wasmobj.I32}}

func (m *maker) newFunction(t wasmobj.FuncType) *function { return &function{wasmobj.NewCode(t), m} }

// i32 and v128 return a new local.
func (f *function) i32() int  { return f.Local(wasmobj.I32) }
func (f *function) v128() int { return f.Local(wasmobj.V128) }

// loop repeats a body n times, at least once, and counts down in a local.
func (f *function) loop(n int, body func()) {
	if n == 1 {
		body()
		return
	}
	i := f.i32()
	f.I32(int32(n))
	f.Set(i)
	f.repeat(i, body)
}

// repeat repeats a body as often as a local says, at least once, and counts it down to 0.
func (f *function) repeat(i int, body func()) {
	f.Op(opLoop, noResult)
	body()
	f.Get(i)
	f.I32(1)
	f.Op(i32Sub)
	f.Tee(i)
	f.Uint(opBranchIf, 0)
	f.Op(opEnd)
}

// runs adds what computes n elements: most of them at a time as often as there are so many, and then the rest.
func (f *function) runs(n, most int, some func(n int)) {
	if n >= most {
		f.loop(n/most, func() { some(most) })
	}
	if n%most > 0 {
		some(n % most)
	}
}

// parted adds what computes one of several parts, of so many elements each, but for the last one, of which a local then has the number: of the rest,
// if there is one.
func (f *function) parted(local, last, each, rest int, some func(n int)) {
	switch { // Without this there would be code for both sizes.
	case rest == 0:
		some(each)
		return
	case last == 0:
		some(rest)
		return
	}
	f.Get(local)
	f.I32(int32(last))
	f.Op(i32Ne, opIf, noResult)
	some(each)
	f.Op(opElse)
	some(rest)
	f.Op(opEnd)
}

// pieces repeats a body for the pieces lo…hi-1 of a function of [kernelType], with the local that has the piece.
func (f *function) pieces(body func(piece int)) {
	lo, hi := 0, 1
	f.Get(lo)
	f.Get(hi)
	f.Op(i32GeU, opIf, noResult, opReturn, opEnd, opLoop, noResult)
	body(lo)
	f.Get(lo)
	f.I32(1)
	f.Op(i32Add)
	f.Tee(lo)
	f.Get(hi)
	f.Op(i32LtU)
	f.Uint(opBranchIf, 0)
	f.Op(opEnd)
}

// divided returns locals with the quotient and the rest of a local by a number.
func (f *function) divided(local, by int) (quotient, rest int) {
	quotient, rest = f.i32(), f.i32()
	divide := func(to int, division byte) {
		f.Get(local)
		f.I32(int32(by))
		f.Op(division)
		f.Set(to)
	}
	divide(quotient, i32DivU)
	divide(rest, i32RemU)
	return quotient, rest
}

// term is a local times a number of bytes.
type term struct{ local, by int }

// copied returns a new local with what another one has.
func (f *function) copied(local int) int { return f.sum(func() { f.Get(local) }) }

// sum returns a new local with the sum of what is pushed and terms.
func (f *function) sum(base func(), terms ...term) int {
	to := f.i32()
	f.address(to, base, terms...)
	return to
}

// address sets a local to the sum of what is pushed and terms.
func (f *function) address(to int, base func(), terms ...term) {
	base()
	f.add(terms...)
	f.Set(to)
}

// add adds terms to what is pushed.
func (f *function) add(terms ...term) {
	for _, t := range terms {
		f.Get(t.local)
		if t.by != 1 {
			f.I32(int32(t.by))
			f.Op(i32Mul)
		}
		f.Op(i32Add)
	}
}

// move adds a number to a local.
func (f *function) move(local, by int) {
	if by == 0 {
		return
	}
	f.Get(local)
	f.I32(int32(by))
	f.Op(i32Add)
	f.Set(local)
}

// load pushes the vector at a local's address plus an offset, splat four times the float there; store writes a local there.
func (f *function) load(at, offset int) {
	f.Get(at)
	f.SIMD(v128Load, vectorMemory, uint64(offset))
}

func (f *function) splat(at, offset int) {
	f.Get(at)
	f.SIMD(v128Load32Splat, vectorMemory, uint64(offset))
}

func (f *function) store(at, offset, vector int) {
	f.Get(at)
	f.Get(vector)
	f.SIMD(v128Store, vectorMemory, uint64(offset))
}

// vector pushes a constant with four times a float.
func (f *function) vector(x float32) {
	var b []byte
	for range 4 {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	f.SIMD(v128Const)
	f.Op(b...)
}

// wide64 pushes a constant with twice the bits of 64.
func (f *function) wide64(x uint64) {
	f.SIMD(v128Const)
	f.Op(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, x), x)...)
}

// canonical makes every NaN in a local the canonical one.
func (f *function) canonical(v int) {
	f.Get(v)
	f.vector(float32(math.NaN()))
	f.Get(v)
	f.Get(v)
	f.SIMD(f32x4Eq)
	f.SIMD(v128Select)
	f.Set(v)
}

// madd sets sum to x·y + sum, of which the operands are pushed by functions.
func (f *function) madd(sum int, x, y func()) {
	x()
	y()
	switch f.m.level {
	case Fused:
		f.Get(sum)
		f.SIMD(f32x4Madd)
	case Loose:
		f.SIMD(f32x4Mul)
		f.Get(sum)
		f.SIMD(f32x4Add)
	default:
		f.Get(sum)
		f.Ref(wasmobj.ToFunc, f.m.fma, 0)
	}
	f.Set(sum)
}

// multiplyAdd makes the function of vectors x, y and z what the level says. The loops of references call it.
func (m *maker) multiplyAdd() {
	t := wasmobj.FuncType{Params: []wasmobj.ValType{wasmobj.V128, wasmobj.V128, wasmobj.V128}, Results: []wasmobj.ValType{wasmobj.V128}}
	m.fma = m.o.Names["madd"].Func
	f := m.newFunction(t)
	switch m.level {
	case Fused:
		f.SIMD(f32x4Madd)
		m.o.Funcs[m.fma].Inline = f.Bytes
		return
	case Loose:
		f.Get(0)
		f.Get(1)
		f.SIMD(f32x4Mul)
		f.Get(2)
		f.SIMD(f32x4Add)
	default:
		m.emulate(f)
	}
	made := &m.o.Funcs[m.fma]
	made.Locals, made.Bytes, made.Relocs = f.Locals, f.Bytes, f.Relocs
	if m.names {
		made.Name = "madd"
	}
}
