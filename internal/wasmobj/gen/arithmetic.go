package main

import (
	"go/token"
	"go/types"

	"github.com/concord-nn/concord/internal/wasmobj"
	"golang.org/x/tools/go/ssa"
)

func (c *compiler) unary(i *ssa.UnOp) {
	switch i.Op {
	case token.MUL:
		if isAggregate(i.Type()) {
			at := c.slot(i.Type())
			c.copyTo(sizeof(i.Type()), func() { c.pushSlot(at) }, func() { c.push(i.X) })
			c.pushSlot(at)
		} else {
			c.load(i.Type(), func() { c.once(i.X) }, 0)
		}
	case token.NOT:
		c.once(i.X)
		c.code.Op(opI32Eqz)
	case token.SUB:
		switch p := parts(i.Type())[0]; p.as {
		case wasmobj.F32:
			c.push(i.X)
			c.code.Op(0x8C)
		case wasmobj.F64:
			c.push(i.X)
			c.code.Op(0x9A)
		case wasmobj.I64:
			c.code.I64(0)
			c.push(i.X)
			c.code.Op(0x7D)
		default:
			c.code.I32(0)
			c.push(i.X)
			c.code.Op(opI32Sub)
			c.narrow(p)
		}
	case token.XOR:
		p := parts(i.Type())[0]
		c.push(i.X)
		if p.as == wasmobj.I64 {
			c.code.I64(-1)
			c.code.Op(0x85)
		} else {
			c.code.I32(-1)
			c.code.Op(opI32Xor)
			c.narrow(p)
		}
	default:
		fail("operator %v", i.Op)
	}
	c.set(i)
}

func (c *compiler) narrow(p part) {
	switch {
	case p.as != wasmobj.I32 || p.width == 4:
	case p.width == 1 && p.sign:
		c.code.Op(0xC0)
	case p.width == 2 && p.sign:
		c.code.Op(0xC1)
	case p.width == 1:
		c.code.I32(0xFF)
		c.code.Op(opI32And)
	default:
		c.code.I32(0xFFFF)
		c.code.Op(opI32And)
	}
}

var arithmetic = map[token.Token][6]byte{
	token.ADD: {0x6A, 0x6A, 0x7C, 0x7C, 0x92, 0xA0},
	token.SUB: {0x6B, 0x6B, 0x7D, 0x7D, 0x93, 0xA1},
	token.MUL: {0x6C, 0x6C, 0x7E, 0x7E, 0x94, 0xA2},
	token.QUO: {0x6D, 0x6E, 0x7F, 0x80, 0x95, 0xA3},
	token.REM: {0x6F, 0x70, 0x81, 0x82, 0, 0},
	token.AND: {0x71, 0x71, 0x83, 0x83, 0, 0},
	token.OR:  {0x72, 0x72, 0x84, 0x84, 0, 0},
	token.XOR: {0x73, 0x73, 0x85, 0x85, 0, 0},
	token.SHL: {0x74, 0x74, 0x86, 0x86, 0, 0},
	token.SHR: {0x75, 0x76, 0x87, 0x88, 0, 0},
	token.EQL: {0x46, 0x46, 0x51, 0x51, 0x5B, 0x61},
	token.NEQ: {0x47, 0x47, 0x52, 0x52, 0x5C, 0x62},
	token.LSS: {0x48, 0x49, 0x53, 0x54, 0x5D, 0x63},
	token.GTR: {0x4A, 0x4B, 0x55, 0x56, 0x5E, 0x64},
	token.LEQ: {0x4C, 0x4D, 0x57, 0x58, 0x5F, 0x65},
	token.GEQ: {0x4E, 0x4F, 0x59, 0x5A, 0x60, 0x66},
}

func column(p part) int {
	switch p.as {
	case wasmobj.F32:
		return 4
	case wasmobj.F64:
		return 5
	}
	n := 0
	if p.as == wasmobj.I64 {
		n = 2
	}
	if !p.sign {
		n++
	}
	return n
}

func (c *compiler) binary(i *ssa.BinOp) {
	t := i.X.Type()
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			c.texts(i)
			return
		}
	case *types.Interface, *types.Slice:
		if !isNil(i.X) && !isNil(i.Y) {
			fail("a comparison of %v", t)
		}
		v := i.X
		if isNil(v) {
			v = i.Y
		}
		c.pushPart(v, 0)
		c.code.Op(opI32Eqz)
		if i.Op == token.NEQ {
			c.code.Op(opI32Eqz)
		}
		return
	case *types.Struct, *types.Array:
		n := sizeof(t)
		a, b, at := c.code.Local(wasmobj.I32), c.code.Local(wasmobj.I32), c.code.Local(wasmobj.I32)
		if !plain(t) {
			fail("a comparison of %v", t)
		}
		c.push(i.X)
		c.code.Set(a)
		c.push(i.Y)
		c.code.Set(b)
		c.memoryEqual(a, b, func() { c.code.I32(int32(n)) }, at)
		if i.Op == token.NEQ {
			c.code.Op(opI32Eqz)
		}
		return
	}
	p := parts(t)[0]
	if i.Op == token.SHL || i.Op == token.SHR {
		c.shift(i, p)
		return
	}
	if i.Op == token.AND_NOT {
		c.push(i.X)
		c.push(i.Y)
		if p.as == wasmobj.I64 {
			c.code.I64(-1)
			c.code.Op(0x85, 0x83)
		} else {
			c.code.I32(-1)
			c.code.Op(opI32Xor, opI32And)
		}
		return
	}
	instruction := arithmetic[i.Op][column(p)]
	if instruction == 0 {
		fail("%v of %v", i.Op, t)
	}
	if i.Op == token.QUO && p.sign && column(p) < 4 && !positiveConst(i.Y) {
		// Go's quotient of the least number and -1 is that number; WebAssembly's is a trap.
		y := c.code.Local(p.as)
		c.push(i.Y)
		c.code.Set(y)
		c.code.Get(y)
		if p.as == wasmobj.I64 {
			c.code.I64(-1)
			c.code.Op(0x51, opIf, byte(wasmobj.I64))
			c.code.I64(0)
			c.push(i.X)
			c.code.Op(0x7D, opElse)
		} else {
			c.code.I32(-1)
			c.code.Op(opI32Eq, opIf, byte(wasmobj.I32))
			c.code.I32(0)
			c.push(i.X)
			c.code.Op(opI32Sub, opElse)
		}
		c.push(i.X)
		c.code.Get(y)
		c.code.Op(instruction, opEnd)
		c.narrow(p)
		return
	}
	c.once(i.X)
	c.once(i.Y)
	c.code.Op(instruction)
	if i.Op == token.ADD || i.Op == token.SUB || i.Op == token.MUL {
		c.narrow(p)
	}
}

func positiveConst(v ssa.Value) bool {
	k, ok := v.(*ssa.Const)
	return ok && integer(k.Value) > 0
}

func isNil(v ssa.Value) bool {
	k, ok := v.(*ssa.Const)
	return ok && k.IsNil()
}

func plain(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsInteger|types.IsBoolean) != 0
	case *types.Array:
		return plain(u.Elem())
	case *types.Struct:
		size := 0
		for f := range u.Fields() {
			if !plain(f.Type()) {
				return false
			}
			size += sizeof(f.Type())
		}
		return size == sizeof(t)
	case *types.Pointer:
		return true
	}
	return false
}

func (c *compiler) shift(i *ssa.BinOp, p part) {
	instruction := arithmetic[i.Op][column(p)]
	bits := int64(p.width * 8)
	q := parts(i.Y.Type())[0]
	if k, ok := i.Y.(*ssa.Const); ok {
		n := integer(k.Value)
		c.push(i.X)
		switch {
		case n < bits:
		case i.Op == token.SHR && p.sign:
			n = bits - 1
		default:
			c.code.Op(opDrop)
			c.zero(p.as)
			return
		}
		c.number(p.as, n)
		c.code.Op(instruction)
		if i.Op == token.SHL {
			c.narrow(p)
		}
		return
	}
	// A count in a local, as unsigned: negative ones panic in Go.
	count := c.code.Local(p.as)
	c.push(i.Y)
	switch {
	case q.as == wasmobj.I64 && p.as == wasmobj.I32: // saturate
		wide := c.code.Local(wasmobj.I64)
		c.code.Set(wide)
		c.code.Get(wide)
		c.code.I64(64)
		c.code.Get(wide)
		c.code.I64(64)
		c.code.Op(0x54, opSelect, 0xA7)
	case q.as == wasmobj.I32 && p.as == wasmobj.I64:
		c.code.Op(0xAD)
	}
	c.code.Set(count)
	c.push(i.X)
	c.code.Get(count)
	if i.Op == token.SHR && p.sign {
		c.number(p.as, bits-1)
		c.code.Get(count)
		c.number(p.as, bits)
		c.less(p.as)
		c.code.Op(opSelect, instruction)
		return
	}
	c.code.Op(instruction)
	c.zero(p.as)
	c.code.Get(count)
	c.number(p.as, bits)
	c.less(p.as)
	c.code.Op(opSelect)
	if i.Op == token.SHL {
		c.narrow(p)
	}
}

func (c *compiler) zero(t wasmobj.ValType) { c.number(t, 0) }

func (c *compiler) number(t wasmobj.ValType, n int64) {
	if t == wasmobj.I64 {
		c.code.I64(n)
	} else {
		c.code.I32(int32(n))
	}
}

func (c *compiler) less(t wasmobj.ValType) {
	if t == wasmobj.I64 {
		c.code.Op(0x54)
	} else {
		c.code.Op(0x49)
	}
}

func (c *compiler) texts(i *ssa.BinOp) {
	if i.Op != token.EQL && i.Op != token.NEQ {
		fail("%v of strings", i.Op)
	}
	a, b, at := c.code.Local(wasmobj.I32), c.code.Local(wasmobj.I32), c.code.Local(wasmobj.I32)
	c.pushPart(i.X, 0)
	c.code.Set(a)
	c.pushPart(i.Y, 0)
	c.code.Set(b)
	c.pushPart(i.X, 1)
	c.pushPart(i.Y, 1)
	c.code.Op(opI32Eq, opIf, byte(wasmobj.I32))
	c.memoryEqual(a, b, func() { c.pushPart(i.X, 1) }, at)
	c.code.Op(opElse)
	c.code.I32(0)
	c.code.Op(opEnd)
	if i.Op == token.NEQ {
		c.code.Op(opI32Eqz)
	}
}

func (c *compiler) memoryEqual(a, b int, n func(), at int) {
	k := c.code
	n()
	k.Set(at)
	k.Op(opBlock, byte(wasmobj.I32), opLoop, noResult)
	k.I32(1)
	k.Get(at)
	k.Op(opI32Eqz)
	k.Uint(opBranchIf, 1)
	k.Op(opDrop)
	k.Get(at)
	k.I32(1)
	k.Op(opI32Sub)
	k.Set(at)
	k.I32(0)
	k.Get(a)
	k.Get(at)
	k.Op(opI32Add)
	k.Uint(opI32Load8U, 0, 0)
	k.Get(b)
	k.Get(at)
	k.Op(opI32Add)
	k.Uint(opI32Load8U, 0, 0)
	k.Op(opI32Ne)
	k.Uint(opBranchIf, 1)
	k.Op(opDrop)
	k.Uint(opBranch, 0)
	k.Op(opEnd, opUnreachable, opEnd)
	c.last = nil
}

func (c *compiler) convert(i *ssa.Convert) {
	from, to := i.X.Type().Underlying(), i.Type().Underlying()
	a, aok := from.(*types.Basic)
	b, bok := to.(*types.Basic)
	if !aok || !bok || a.Kind() == types.UnsafePointer || b.Kind() == types.UnsafePointer {
		_, p := from.(*types.Slice)
		_, q := to.(*types.Slice)
		if p || q {
			fail("a conversion of %v to %v", from, to)
		}
		c.push(i.X)
		return
	}
	if (a.Info()|b.Info())&types.IsString != 0 {
		fail("a conversion of %v to %v", from, to)
	}
	p, q := parts(from)[0], parts(to)[0]
	c.once(i.X)
	isInt := func(p part) bool { return p.as == wasmobj.I32 || p.as == wasmobj.I64 }
	signed := func(s, u byte, sign bool) byte {
		if sign {
			return s
		}
		return u
	}
	switch {
	case isInt(p) && isInt(q):
		switch {
		case p.as == wasmobj.I64 && q.as == wasmobj.I32:
			c.code.Op(opWrap)
		case p.as == wasmobj.I32 && q.as == wasmobj.I64:
			c.code.Op(signed(0xAC, 0xAD, p.sign))
		}
		if p.as == wasmobj.I64 || q.width < p.width || q.width == p.width && q.sign != p.sign || p.sign && q.width < 4 {
			c.narrow(q)
		}
	case isInt(p) && q.as == wasmobj.F32 && p.as == wasmobj.I32:
		c.code.Op(signed(0xB2, 0xB3, p.sign))
	case isInt(p) && q.as == wasmobj.F32:
		c.code.Op(signed(0xB4, 0xB5, p.sign))
	case isInt(p) && p.as == wasmobj.I32:
		c.code.Op(signed(0xB7, 0xB8, p.sign))
	case isInt(p):
		c.code.Op(signed(0xB9, 0xBA, p.sign))
	case p.as == wasmobj.F32 && q.as == wasmobj.F64:
		c.code.Op(0xBB)
	case p.as == wasmobj.F64 && q.as == wasmobj.F32:
		c.code.Op(0xB6)
	case p.as == q.as:
	case q.as == wasmobj.I32: // of floats, saturated; for narrow ones as an int first, as Go's compilers do
		base := byte(0)
		if p.as == wasmobj.F64 {
			base = 2
		}
		c.code.Op(0xFC, base+signed(0, 1, q.sign || q.width < 4))
		c.narrow(q)
	default:
		base := byte(4)
		if p.as == wasmobj.F64 {
			base = 6
		}
		c.code.Op(0xFC, base+signed(0, 1, q.sign))
	}
}

func (c *compiler) indexByte(s, b ssa.Value) {
	k, at := c.code, c.code.Local(wasmobj.I32)
	k.I32(0)
	k.Set(at)
	k.Op(opBlock, byte(wasmobj.I32), opLoop, noResult)
	k.I32(-1)
	k.Get(at)
	c.pushPart(s, 1)
	k.Op(opI32Eq)
	k.Uint(opBranchIf, 1)
	k.Op(opDrop)
	k.Get(at)
	c.pushPart(s, 0)
	k.Get(at)
	k.Op(opI32Add)
	k.Uint(opI32Load8U, 0, 0)
	c.push(b)
	k.Op(opI32Eq)
	k.Uint(opBranchIf, 1)
	k.Op(opDrop)
	k.Get(at)
	k.I32(1)
	k.Op(opI32Add)
	k.Set(at)
	k.Uint(opBranch, 0)
	k.Op(opEnd, opUnreachable, opEnd)
	c.last = nil
}

func (c *compiler) extreme(i *ssa.Call, greatest bool) {
	p := parts(i.Type())[0]
	c.push(i.Call.Args[0])
	for _, a := range i.Call.Args[1:] {
		switch p.as {
		case wasmobj.F32:
			c.push(a)
			c.code.Op(0x96 + byte(truth(greatest)))
		case wasmobj.F64:
			c.push(a)
			c.code.Op(0xA4 + byte(truth(greatest)))
		default:
			x, y := c.code.Local(p.as), c.code.Local(p.as)
			c.code.Set(x)
			c.push(a)
			c.code.Set(y)
			c.code.Get(x)
			c.code.Get(y)
			c.code.Get(x)
			c.code.Get(y)
			op := token.LSS
			if greatest {
				op = token.GTR
			}
			c.code.Op(arithmetic[op][column(p)], opSelect)
		}
	}
	c.set(i)
}
