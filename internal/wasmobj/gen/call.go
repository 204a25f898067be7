package main

import (
	"go/types"

	"github.com/concord-nn/concord/internal/wasmobj"
	"golang.org/x/tools/go/ssa"
)

func (c *compiler) makeClosure(i *ssa.MakeClosure) {
	f := i.Fn.(*ssa.Function)
	t := closureType(f)
	at := c.slot(t)
	c.code.Get(c.fp)
	c.code.Ref(wasmobj.ToTable, c.function(f, true), 0)
	c.code.Uint(0x36, 0, uint64(at))
	for k, b := range i.Bindings {
		c.store(b, func() { c.code.Get(c.fp) }, at+fieldAt(t, k+1))
	}
	c.pushSlot(at)
	c.set(i)
}

func (c *compiler) returns(i *ssa.Return) {
	sret := c.results
	for _, v := range i.Results {
		if isAggregate(v.Type()) {
			to := sret
			c.copyTo(sizeof(v.Type()), func() { c.code.Get(to) }, func() { c.push(v) })
			sret++
		}
	}
	for _, v := range i.Results {
		if !isAggregate(v.Type()) {
			c.push(v)
		}
	}
	if c.framed {
		c.code.Get(c.old)
		c.code.Uint(opGlobalSet, 0)
	}
	c.code.Op(opReturn)
}

func (c *compiler) call(i *ssa.Call) {
	common := i.Call
	if common.IsInvoke() {
		c.invoke(i)
		return
	}
	if b, ok := common.Value.(*ssa.Builtin); ok {
		c.builtin(i, b)
		return
	}
	if f := common.StaticCallee(); f != nil {
		if c.intrinsic(i, f) {
			return
		}
		c.arguments(i)
		if m, ok := common.Value.(*ssa.MakeClosure); ok {
			c.push(m)
			c.code.Ref(wasmobj.ToFunc, c.function(f, true), 0)
		} else {
			c.code.Ref(wasmobj.ToFunc, c.function(f, len(f.FreeVars) > 0), 0)
		}
		c.resultsOf(i)
		return
	}
	c.arguments(i)
	v := c.code.Local(wasmobj.I32)
	c.push(common.Value)
	c.code.Tee(v)
	c.code.Get(v)
	c.code.Uint(opI32Load, 0, 0)
	c.code.Ref(wasmobj.ToType, c.object.Type(signature(common.Signature(), true)), 0)
	c.resultsOf(i)
}

func (c *compiler) invoke(i *ssa.Call) {
	m := i.Call.Method
	f := c.implementation(i.Call.Value.Type(), m)
	if f == nil {
		fail("a call of method %s of an interface", m.Name())
	}
	c.pushPart(i.Call.Value, 1)
	c.code.Uint(opI32Load, 0, 0)
	c.arguments(i)
	c.code.Ref(wasmobj.ToFunc, c.function(f, false), 0)
	c.resultsOf(i)
}

func (c *compiler) arguments(i *ssa.Call) {
	for _, a := range i.Call.Args {
		c.once(a)
	}
	for v := range i.Call.Signature().Results().Variables() {
		if isAggregate(v.Type()) {
			at := c.slot(v.Type())
			c.callSlots[i] = append(c.callSlots[i], at)
			c.pushSlot(at)
		}
	}
}

func (c *compiler) resultsOf(i *ssa.Call) {
	results := i.Call.Signature().Results()
	if results.Len() == 0 {
		c.last = nil
		return
	}
	n := c.locals(i)
	var plain []int
	slots := c.callSlots[i]
	at, k := n, 0
	for v := range results.Variables() {
		for range parts(v.Type()) {
			if !isAggregate(v.Type()) {
				plain = append(plain, at)
			}
			at++
		}
	}
	single := len(plain) == 1 && results.Len() == 1
	for k := len(plain) - 1; k >= 0; k-- {
		before := len(c.code.Bytes)
		c.code.Set(plain[k])
		if single {
			c.last = &lastSet{plain[k], before, len(c.code.Bytes)}
		} else {
			c.last = nil
		}
	}
	at = n
	for v := range results.Variables() {
		if isAggregate(v.Type()) {
			c.pushSlot(slots[k])
			c.code.Set(at)
			k++
		}
		at += len(parts(v.Type()))
	}
}

var intrinsics = map[string][]byte{
	"math.Sqrt":            {0x9F},
	"math.sqrt":            {0x9F},
	"math.Floor":           {0x9C},
	"math.Ceil":            {0x9B},
	"math.Trunc":           {0x9D},
	"math.RoundToEven":     {0x9E},
	"math.Abs":             {0x99},
	"math.Copysign":        {0xA6},
	"math.Float32bits":     {0xBC},
	"math.Float32frombits": {0xBE},
	"math.Float64bits":     {0xBD},
	"math.Float64frombits": {0xBF},
	"math/bits.Len32":      {},
	"math/bits.Len64":      {},
	"strings.IndexByte":    {}, // has no body in Go
}

func (c *compiler) intrinsic(i *ssa.Call, f *ssa.Function) bool {
	code, ok := intrinsics[f.RelString(nil)]
	if !ok {
		return false
	}
	switch f.Name() {
	case "IndexByte":
		c.indexByte(i.Call.Args[0], i.Call.Args[1])
	case "Len32":
		c.code.I32(32)
		c.push(i.Call.Args[0])
		c.code.Op(0x67, opI32Sub)
	case "Len64":
		c.code.I64(64)
		c.push(i.Call.Args[0])
		c.code.Op(0x79, 0x7D, 0xA7)
	default:
		for _, a := range i.Call.Args {
			c.push(a)
		}
		c.code.Op(code...)
	}
	c.set(i)
	return true
}

func (c *compiler) builtin(i *ssa.Call, b *ssa.Builtin) {
	args := i.Call.Args
	switch b.Name() {
	case "len", "cap":
		switch t := args[0].Type().Underlying().(type) {
		case *types.Basic, *types.Slice:
			if b.Name() == "cap" {
				c.pushPart(args[0], 2)
			} else {
				c.pushPart(args[0], 1)
			}
		case *types.Array:
			c.code.I32(int32(t.Len()))
		case *types.Pointer:
			c.code.I32(int32(t.Elem().Underlying().(*types.Array).Len()))
		default:
			fail("%s of %v", b.Name(), t)
		}
		c.set(i)
	case "min", "max":
		c.extreme(i, b.Name() == "max")
	case "copy":
		size := sizeof(args[0].Type().Underlying().(*types.Slice).Elem())
		n := c.locals(i)
		x, y := c.code.Local(wasmobj.I32), c.code.Local(wasmobj.I32)
		c.pushPart(args[0], 1)
		c.code.Set(x)
		c.pushPart(args[1], 1)
		c.code.Set(y)
		c.code.Get(x)
		c.code.Get(y)
		c.code.Get(x)
		c.code.Get(y)
		c.code.Op(0x48, opSelect)
		c.code.Set(n)
		c.pushPart(args[0], 0)
		c.pushPart(args[1], 0)
		c.code.Get(n)
		c.code.I32(int32(size))
		c.code.Op(opI32Mul)
		c.code.Op(opMemory, memoryCopy, 0, 0)
		c.last = nil
	case "clear":
		size := sizeof(args[0].Type().Underlying().(*types.Slice).Elem())
		c.pushPart(args[0], 0)
		c.code.I32(0)
		c.pushPart(args[0], 1)
		c.code.I32(int32(size))
		c.code.Op(opI32Mul)
		c.code.Op(opMemory, memoryFill, 0)
		c.last = nil
	case "append":
		// In the capacity that there is: kernels do not allocate.
		size := sizeof(args[0].Type().Underlying().(*types.Slice).Elem())
		n := c.locals(i)
		c.push(args[0])
		c.code.Set(n + 2)
		c.code.Set(n + 1)
		c.code.Set(n)
		c.code.Get(n)
		c.code.Get(n + 1)
		c.code.I32(int32(size))
		c.code.Op(opI32Mul, opI32Add)
		c.pushPart(args[1], 0)
		c.pushPart(args[1], 1)
		c.code.I32(int32(size))
		c.code.Op(opI32Mul)
		c.code.Get(n + 1)
		c.pushPart(args[1], 1)
		c.code.Op(opI32Add)
		c.code.Tee(n + 1)
		c.code.Get(n + 2)
		c.code.Op(0x4B, opIf, 0x40, 0x00, opEnd) // unreachable if there is too little
		c.code.Op(opMemory, memoryCopy, 0, 0)
		c.last = nil
	case "ssa:wrapnilchk":
		c.push(args[0])
		c.set(i)
	case "Slice": // unsafe
		c.push(args[0])
		n := c.code.Local(wasmobj.I32)
		c.int32(args[1])
		c.code.Tee(n)
		c.code.Get(n)
		c.set(i)
	case "SliceData", "StringData":
		c.pushPart(args[0], 0)
		c.set(i)
	case "Sizeof":
		c.code.I32(int32(sizeof(args[0].Type())))
		c.set(i)
	case "Add":
		c.push(args[0])
		c.int32(args[1])
		c.code.Op(opI32Add)
		c.set(i)
	default:
		fail("builtin %s", b.Name())
	}
}
