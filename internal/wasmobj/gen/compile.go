package main

import (
	"fmt"
	"go/constant"
	"go/types"
	"slices"

	"github.com/concord-nn/concord/internal/wasmobj"
	"golang.org/x/tools/go/ssa"
)

// compiler compiles a function.
type compiler struct {
	*generator
	f       *ssa.Function
	code    *wasmobj.Code
	flow    *flow
	local   map[ssa.Value]int // the first of a value's locals
	frame   int               // bytes of memory
	fp, old int               // locals: the frame, and the stack before
	closure int               // the local with the closure
	results int               // the local with the address of the first result that is an aggregate
	last    *lastSet
	framed  bool // there is memory on the stack

	callSlots map[*ssa.Call][]int // where the results of a call lie that are aggregates
	phiSlots  map[*ssa.Phi]int    // where those of phis lie, and behind it a copy
}

// lastSet is the local that the code has set last, where the code stood before, and behind.
type lastSet struct{ local, before, after int }

// The opcodes that are named here (Core, 5.4).
const (
	opUnreachable, opBlock, opLoop, opIf, opElse, opEnd = 0x00, 0x02, 0x03, 0x04, 0x05, 0x0B
	opBranch, opBranchIf, opReturn, opDrop, opSelect    = 0x0C, 0x0D, 0x0F, 0x1A, 0x1B
	opGlobalGet, opGlobalSet                            = 0x23, 0x24
	opI32Load, opI32Load8U                              = 0x28, 0x2D
	opI32Eqz, opI32Eq, opI32Ne                          = 0x45, 0x46, 0x47
	opI32Add, opI32Sub, opI32Mul, opI32And, opI32Xor    = 0x6A, 0x6B, 0x6C, 0x71, 0x73
	opI32GtU, opI32GeU, opI32ShrU                       = 0x4B, 0x4F, 0x76
	opI32Store, opI32Store8                             = 0x36, 0x3A
	opWrap                                              = 0xA7 // an i64 to an i32
	opMemory, memoryCopy, memoryFill                    = 0xFC, 10, 11
	noResult                                            = 0x40 // of a block
)

// body compiles a function that has a body, for calls by its name, or by its value, with a closure.
func (g *generator) body(f *ssa.Function, closure bool) (code *wasmobj.Code, err error) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case unsupported:
			err = fmt.Errorf("%s: %s", f, string(x))
		default:
			panic(x)
		}
	}()
	if f.Recover != nil {
		fail("it recovers from panics")
	}
	t := signature(f.Signature, closure)
	c := g.compile(f, t, true)
	if c.frame == 0 {
		return g.compile(f, t, false).code, nil
	}
	head := wasmobj.NewCode(t)
	head.Uint(opGlobalGet, 0)
	head.Tee(c.old)
	head.I32(int32(c.frame+15) &^ 15)
	head.Op(opI32Sub)
	head.Tee(c.fp)
	head.Uint(opGlobalSet, 0)
	for i := range c.code.Relocs {
		c.code.Relocs[i].At += len(head.Bytes)
	}
	c.code.Bytes = append(head.Bytes, c.code.Bytes...)
	return c.code, nil
}

// compile compiles a function with or without memory on the stack.
func (g *generator) compile(f *ssa.Function, t wasmobj.FuncType, framed bool) *compiler {
	c := &compiler{generator: g, f: f, code: wasmobj.NewCode(t), framed: framed, local: make(map[ssa.Value]int), callSlots: make(map[*ssa.Call][]int),
		phiSlots: make(map[*ssa.Phi]int), flow: newFlow(f)}
	n := 0
	for _, p := range f.Params {
		c.local[p] = n
		n += len(parts(p.Type()))
	}
	c.results, c.closure = n, len(t.Params)-1
	if framed {
		c.old, c.fp = c.code.Local(wasmobj.I32), c.code.Local(wasmobj.I32)
	}
	c.tree(f.Blocks[0])
	c.code.Op(opUnreachable) // as every way has returned
	return c
}

func (c *compiler) block(b *ssa.BasicBlock) {
	for _, i := range b.Instrs {
		c.instruction(b, i)
	}
}

// locals returns the first local of a value.
func (c *compiler) locals(v ssa.Value) int {
	n, ok := c.local[v]
	if !ok {
		first := true
		for _, p := range parts(v.Type()) {
			if i := c.code.Local(p.as); first {
				n, first = i, false
			}
		}
		c.local[v] = n
	}
	return n
}

// set makes what lies on the stack the value.
func (c *compiler) set(v ssa.Value) {
	n := c.locals(v)
	for i := len(parts(v.Type())) - 1; i >= 0; i-- {
		before := len(c.code.Bytes)
		c.code.Set(n + i)
		c.last = &lastSet{n + i, before, len(c.code.Bytes)}
	}
}

// once pushes a value, or leaves it on the stack where it has just been set and nothing else reads it. It is for values that an instruction pushes once.
func (c *compiler) once(v ssa.Value) {
	if n, ok := c.local[v]; ok && c.last != nil && *c.last == (lastSet{n, c.last.before, len(c.code.Bytes)}) && len(*v.Referrers()) == 1 && len(parts(v.Type())) == 1 {
		c.code.Bytes = c.code.Bytes[:c.last.before]
		c.last = nil
		return
	}
	c.push(v)
}

// push pushes all parts of a value.
func (c *compiler) push(v ssa.Value) {
	switch v := v.(type) {
	case *ssa.Const:
		c.constant(v)
	case *ssa.Global:
		c.code.Ref(wasmobj.ToData, c.global(v), 0)
	case *ssa.Function:
		c.code.Ref(wasmobj.ToData, c.functionValue(v), 0)
	case *ssa.FreeVar:
		c.load(v.Type(), func() { c.code.Get(c.closure) }, fieldAt(closureType(c.f), 1+slices.Index(c.f.FreeVars, v)))
	case *ssa.Builtin:
		fail("builtin %s as a value", v.Name())
	default:
		n := c.locals(v)
		list := parts(v.Type())
		for i := range list {
			c.code.Get(n + i)
		}
	}
}

// pushPart pushes one scalar of a value.
func (c *compiler) pushPart(v ssa.Value, i int) {
	switch v.(type) {
	case *ssa.Const, *ssa.Global, *ssa.Function, *ssa.FreeVar:
		c.push(v)
		n := len(parts(v.Type()))
		for range n - 1 - i {
			c.code.Op(opDrop)
		}
		if i > 0 {
			list := parts(v.Type())
			t := c.code.Local(list[i].as)
			c.code.Set(t)
			for range i {
				c.code.Op(opDrop)
			}
			c.code.Get(t)
		}
	default:
		c.code.Get(c.locals(v) + i)
	}
}

func (c *compiler) constant(v *ssa.Const) {
	if isAggregate(v.Type()) {
		c.code.Ref(wasmobj.ToData, c.zeros(sizeof(v.Type())), 0)
		return
	}
	list := parts(v.Type())
	if b, ok := v.Type().Underlying().(*types.Basic); ok && v.Value != nil {
		switch {
		case b.Info()&types.IsString != 0:
			s := constant.StringVal(v.Value)
			c.code.Ref(wasmobj.ToData, c.text(s), 0)
			c.code.I32(int32(len(s)))
			return
		case b.Info()&types.IsBoolean != 0:
			c.code.I32(int32(truth(constant.BoolVal(v.Value))))
			return
		case b.Info()&types.IsInteger != 0:
			if list[0].as == wasmobj.I64 {
				c.code.I64(integer(v.Value))
			} else {
				c.code.I32(int32(integer(v.Value)))
			}
			return
		case b.Info()&types.IsFloat != 0:
			if list[0].as == wasmobj.F32 {
				x, _ := constant.Float32Val(v.Value)
				c.code.F32(x)
			} else {
				x, _ := constant.Float64Val(v.Value)
				c.code.F64(x)
			}
			return
		}
	}
	for _, p := range list {
		switch p.as {
		case wasmobj.I64:
			c.code.I64(0)
		case wasmobj.F32:
			c.code.F32(0)
		case wasmobj.F64:
			c.code.F64(0)
		default:
			c.code.I32(0)
		}
	}
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// integer returns the bits of an integer constant.
func integer(v constant.Value) int64 {
	v = constant.ToInt(v)
	if x, ok := constant.Int64Val(v); ok {
		return x
	}
	x, _ := constant.Uint64Val(v)
	return int64(x)
}

// load pushes the value of a type at an address plus an offset. An aggregate is its address.
// loads returns the instruction that loads a part, stores the one that stores it.
// store writes a value at an address, which is asked for several times, plus an offset.
// copyTo copies n bytes.
// phis copies what the phis of a block take from another one.
func (c *compiler) phis(from, to *ssa.BasicBlock) {
	edge := -1
	for i, p := range to.Preds {
		if p == from {
			edge = i
		}
	}
	var list []*ssa.Phi
	for _, i := range to.Instrs {
		p, ok := i.(*ssa.Phi)
		if !ok {
			break
		}
		if p.Edges[edge] != ssa.Value(p) {
			list = append(list, p)
		}
	}
	// All are read before one is written.
	aggregates := 0
	for _, p := range list {
		if isAggregate(p.Type()) {
			aggregates++
		}
	}
	for _, p := range list {
		if isAggregate(p.Type()) {
			own, temporary := c.phiSlot(p), c.phiTemporary(p)
			if aggregates == 1 {
				temporary = own
			}
			c.copyTo(sizeof(p.Type()), func() { c.pushSlot(temporary) }, func() { c.push(p.Edges[edge]) })
		} else {
			c.push(p.Edges[edge])
		}
	}
	for i := len(list) - 1; i >= 0; i-- {
		if p := list[i]; !isAggregate(p.Type()) {
			n := c.locals(p)
			for k := len(parts(p.Type())) - 1; k >= 0; k-- {
				c.code.Set(n + k)
			}
		}
	}
	for _, p := range list {
		if isAggregate(p.Type()) {
			own, temporary := c.phiSlot(p), c.phiTemporary(p)
			if aggregates > 1 {
				c.copyTo(sizeof(p.Type()), func() { c.pushSlot(own) }, func() { c.pushSlot(temporary) })
			}
			c.pushSlot(own)
			c.code.Set(c.locals(p))
		}
	}
	c.last = nil
}

func (c *compiler) phiSlot(p *ssa.Phi) int {
	if at, ok := c.phiSlots[p]; ok {
		return at
	}
	c.phiSlots[p] = c.slot(p.Type())
	c.slot(p.Type())
	return c.phiSlots[p]
}

// phiTemporary is where a phi is copied before others are written.
func (c *compiler) phiTemporary(p *ssa.Phi) int { return (c.phiSlot(p) + sizeof(p.Type()) + 7) &^ 7 }

func (c *compiler) instruction(b *ssa.BasicBlock, i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.Phi, *ssa.DebugRef, *ssa.RunDefers:
	case *ssa.Alloc:
		// What escapes nowhere has a place of its own, as the compiler of Go gives it one: kernels do not allocate.
		t := i.Type().Underlying().(*types.Pointer).Elem()
		at := c.slot(t)
		c.clear(sizeof(t), at)
		c.pushSlot(at)
		c.set(i)
	case *ssa.BinOp:
		c.binary(i)
		c.set(i)
	case *ssa.UnOp:
		c.unary(i)
	case *ssa.Call:
		c.call(i)
	case *ssa.ChangeType:
		c.push(i.X)
		c.set(i)
	case *ssa.ChangeInterface:
		c.push(i.X)
		c.set(i)
	case *ssa.Convert:
		c.convert(i)
		c.set(i)
	case *ssa.Extract:
		n := c.locals(i.Tuple)
		tuple := i.Tuple.Type().(*types.Tuple)
		for k := range i.Index {
			n += len(parts(tuple.At(k).Type()))
		}
		for k := range parts(i.Type()) {
			c.code.Get(n + k)
		}
		c.set(i)
	case *ssa.Field:
		s := i.X.Type().Underlying().(*types.Struct)
		c.load(i.Type(), func() { c.push(i.X) }, fieldAt(s, i.Field))
		c.set(i)
	case *ssa.FieldAddr:
		s := i.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
		c.once(i.X)
		if at := fieldAt(s, i.Field); at > 0 {
			c.code.I32(int32(at))
			c.code.Op(opI32Add)
		}
		c.set(i)
	case *ssa.Index:
		c.index(i)
	case *ssa.IndexAddr:
		element := i.Type().Underlying().(*types.Pointer).Elem()
		c.pushPart(i.X, 0)
		c.offset(i.Index, sizeof(element))
		c.set(i)
	case *ssa.Slice:
		c.slice(i)
	case *ssa.SliceToArrayPointer:
		c.pushPart(i.X, 0)
		c.set(i)
	case *ssa.MakeInterface:
		at := c.slot(i.X.Type())
		c.store(i.X, func() { c.code.Get(c.fp) }, at)
		c.code.Ref(wasmobj.ToData, c.typeID(i.X.Type()), 0)
		c.pushSlot(at)
		c.set(i)
	case *ssa.MakeClosure:
		c.makeClosure(i)
	case *ssa.MakeSlice:
		n, ok := i.Cap.(*ssa.Const)
		if !ok {
			fail("a slice of open length")
		}
		array := types.NewArray(i.Type().Underlying().(*types.Slice).Elem(), n.Int64())
		at := c.slot(array)
		c.clear(sizeof(array), at)
		c.pushSlot(at)
		c.push(i.Len)
		c.push(i.Cap)
		c.set(i)
	case *ssa.TypeAssert:
		c.typeAssert(i)
	case *ssa.Store:
		address := func() { c.push(i.Addr) }
		c.store(i.Val, address, 0)
	case *ssa.Jump:
		c.branch(b, b.Succs[0])
	case *ssa.If:
		c.once(i.Cond)
		c.code.Op(opIf, noResult)
		c.last = nil
		c.flow.open = append(c.flow.open, label{})
		c.branch(b, b.Succs[0])
		c.code.Op(opElse)
		c.last = nil
		c.branch(b, b.Succs[1])
		c.close()
	case *ssa.Return:
		c.returns(i)
	case *ssa.Panic:
		c.code.Op(opUnreachable)
	default:
		fail("%T", i)
	}
}

// offset adds an index times the size of an element to the address on the stack.
// int32 pushes an integer of any type as a word.
// unary compiles the operators with one operand; loads of aggregates copy them, as memory may change.
// narrow makes the number on the stack one of the width that its type has.
// arithmetic has the instructions for i32, i64, f32 and f64; for integers the signed and the unsigned one.
// column returns where the instructions for a part stand.
// plain reports whether values of a type are equal if their bytes are.
// shift compiles shifts, of which Go's counts may be any.
// less is the unsigned comparison.
// texts compares strings.
// memoryEqual pushes whether n bytes are equal at the addresses in two locals, which it changes.
// call compiles calls of functions, closures and builtins.
// invoke calls a method of an interface that one type alone implements, whose values are pointers.
// arguments pushes what a call is given, and where its aggregates shall lie.
// resultsOf sets the value of a call.
// intrinsics are functions of the standard library that are an instruction.
// indexByte pushes where a byte is in a string, or -1.
