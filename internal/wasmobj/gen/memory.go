package main

import (
	"go/types"
	"math/bits"

	"github.com/concord-nn/concord/internal/wasmobj"
	"golang.org/x/tools/go/ssa"
)

func (c *compiler) slot(t types.Type) int {
	at := (c.frame + 7) &^ 7
	c.frame = at + sizeof(t)
	return at
}

func (c *compiler) pushSlot(at int) {
	c.code.Get(c.fp)
	if at > 0 {
		c.code.I32(int32(at))
		c.code.Op(opI32Add)
	}
}

func (c *compiler) load(t types.Type, address func(), offset int) {
	if isAggregate(t) {
		address()
		if offset > 0 {
			c.code.I32(int32(offset))
			c.code.Op(opI32Add)
		}
		return
	}
	list := parts(t)
	var at int
	if len(list) > 1 {
		at = c.code.Local(wasmobj.I32)
		address()
		c.code.Set(at)
		address = func() { c.code.Get(at) }
	}
	for _, p := range list {
		address()
		c.code.Uint(loads(p), 0, uint64(offset+p.at))
	}
}

func loads(p part) byte {
	switch {
	case p.as == wasmobj.I64:
		return 0x29
	case p.as == wasmobj.F32:
		return 0x2A
	case p.as == wasmobj.F64:
		return 0x2B
	case p.width == 1 && p.sign:
		return 0x2C
	case p.width == 1:
		return 0x2D
	case p.width == 2 && p.sign:
		return 0x2E
	case p.width == 2:
		return 0x2F
	}
	return 0x28
}

func stores(p part) byte {
	switch {
	case p.as == wasmobj.I64:
		return 0x37
	case p.as == wasmobj.F32:
		return 0x38
	case p.as == wasmobj.F64:
		return 0x39
	case p.width == 1:
		return 0x3A
	case p.width == 2:
		return 0x3B
	}
	return 0x36
}

func (c *compiler) store(v ssa.Value, address func(), offset int) {
	t := v.Type()
	if isAggregate(t) {
		c.copyTo(sizeof(t), func() {
			address()
			if offset > 0 {
				c.code.I32(int32(offset))
				c.code.Op(opI32Add)
			}
		}, func() { c.push(v) })
		return
	}
	list := parts(t)
	for i, p := range list {
		address()
		if len(list) == 1 {
			c.once(v)
		} else {
			c.pushPart(v, i)
		}
		c.code.Uint(stores(p), 0, uint64(offset+p.at))
	}
}

func (c *compiler) copyTo(n int, to, from func()) {
	switch {
	case n == 0:
	case n <= 32:
		a, b := c.code.Local(wasmobj.I32), c.code.Local(wasmobj.I32)
		to()
		c.code.Set(a)
		from()
		c.code.Set(b)
		at := 0
		for _, w := range []struct {
			n           int
			load, store byte
		}{{8, 0x29, 0x37}, {4, 0x28, 0x36}, {2, 0x2F, 0x3B}, {1, 0x2D, 0x3A}} {
			for ; at+w.n <= n; at += w.n {
				c.code.Get(a)
				c.code.Get(b)
				c.code.Uint(w.load, 0, uint64(at))
				c.code.Uint(w.store, 0, uint64(at))
			}
		}
	default:
		to()
		from()
		c.code.I32(int32(n))
		c.code.Op(opMemory, memoryCopy, 0, 0)
	}
}

func (c *compiler) clear(n int, at int) {
	switch {
	case n == 0:
	case n <= 32:
		for i := 0; i < n; {
			c.code.Get(c.fp)
			switch {
			case n-i >= 8:
				c.code.I64(0)
				c.code.Uint(0x37, 0, uint64(at+i))
				i += 8
			case n-i >= 4:
				c.code.I32(0)
				c.code.Uint(0x36, 0, uint64(at+i))
				i += 4
			default:
				c.code.I32(0)
				c.code.Uint(0x3A, 0, uint64(at+i))
				i++
			}
		}
	default:
		c.pushSlot(at)
		c.code.I32(0)
		c.code.I32(int32(n))
		c.code.Op(opMemory, memoryFill, 0)
	}
}

func (c *compiler) offset(index ssa.Value, size int) {
	if k, ok := index.(*ssa.Const); ok {
		if n := int(integer(k.Value)) * size; n != 0 {
			c.code.I32(int32(n))
			c.code.Op(opI32Add)
		}
		return
	}
	c.once(index)
	if parts(index.Type())[0].as == wasmobj.I64 {
		c.code.Op(opWrap)
	}
	switch {
	case size == 1:
	case size&(size-1) == 0:
		c.code.I32(int32(bits.TrailingZeros(uint(size))))
		c.code.Op(0x74)
	default:
		c.code.I32(int32(size))
		c.code.Op(opI32Mul)
	}
	c.code.Op(opI32Add)
}

func (c *compiler) index(i *ssa.Index) {
	size := sizeof(i.Type())
	c.pushPart(i.X, 0)
	c.offset(i.Index, size)
	if !isAggregate(i.Type()) {
		address := c.code.Local(wasmobj.I32)
		c.code.Set(address)
		c.load(i.Type(), func() { c.code.Get(address) }, 0)
	}
	c.set(i)
}

func (c *compiler) slice(i *ssa.Slice) {
	var size int
	length := func() { c.pushPart(i.X, 1) }
	capacity := func() { c.pushPart(i.X, 2) }
	switch t := i.X.Type().Underlying().(type) {
	case *types.Basic:
		size, capacity = 1, length
	case *types.Slice:
		size = sizeof(t.Elem())
	case *types.Pointer:
		a := t.Elem().Underlying().(*types.Array)
		size = sizeof(a.Elem())
		length = func() { c.code.I32(int32(a.Len())) }
		capacity = length
	}
	low := func() { c.code.I32(0) }
	if i.Low != nil {
		low = func() { c.int32(i.Low) }
	}
	high := length
	if i.High != nil {
		high = func() { c.int32(i.High) }
	}
	if i.Max != nil {
		capacity = func() { c.int32(i.Max) }
	}
	c.pushPart(i.X, 0)
	if i.Low != nil {
		c.offset(i.Low, size)
	}
	minusLow := func() {
		if i.Low != nil {
			low()
			c.code.Op(opI32Sub)
		}
	}
	high()
	minusLow()
	if len(parts(i.Type())) == 3 {
		capacity()
		minusLow()
	}
	c.set(i)
}

func (c *compiler) int32(v ssa.Value) {
	c.push(v)
	if parts(v.Type())[0].as == wasmobj.I64 {
		c.code.Op(opWrap)
	}
}

func (c *compiler) typeAssert(i *ssa.TypeAssert) {
	if types.IsInterface(i.AssertedType) {
		fail("an assertion to %v", i.AssertedType)
	}
	address := func() { c.pushPart(i.X, 1) }
	if !i.CommaOk {
		c.load(i.AssertedType, address, 0)
		c.set(i)
		return
	}
	// The value is read only where the type is right: the address may be nil.
	ok := c.code.Local(wasmobj.I32)
	c.pushPart(i.X, 0)
	c.code.Ref(wasmobj.ToData, c.typeID(i.AssertedType), 0)
	c.code.Op(opI32Eq)
	c.code.Set(ok)
	n := c.locals(i)
	list := parts(i.AssertedType)
	if isAggregate(i.AssertedType) {
		c.pushPart(i.X, 1)
		c.code.Ref(wasmobj.ToData, c.zeros(sizeof(i.AssertedType)), 0)
		c.code.Get(ok)
		c.code.Op(opSelect)
		c.code.Set(n)
	} else {
		c.code.Get(ok)
		c.code.Op(opIf, noResult)
		c.load(i.AssertedType, address, 0)
		for k := len(list) - 1; k >= 0; k-- {
			c.code.Set(n + k)
		}
		c.code.Op(opElse)
		c.constant(ssa.NewConst(nil, i.AssertedType))
		for k := len(list) - 1; k >= 0; k-- {
			c.code.Set(n + k)
		}
		c.code.Op(opEnd)
	}
	c.code.Get(ok)
	c.code.Set(n + len(list))
	c.last = nil
}
