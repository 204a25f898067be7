package main

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/concord-nn/concord/internal/wasmobj"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// The function that an element-wise operator applies to elements of float32 becomes a loop over memory, four elements at a time. It is named "loop", the
// operator, the attributes that are texts with their values, and those that are numbers, which the function takes as float32 behind its other operands:
//
//	z, n                 where the result lies, and how many elements it has
//	x, mask              for each operand: element i is read at x + (4·i & mask), so that -1 is for one of as many elements
//
// The operands may be read up to 12 bytes behind their ends; nothing is written behind that of the result.

// loops enters the loops of an operator, if its function can be computed so: one for all texts that its attributes may be.
func (g *generator) loops(d *op.Def, kernel *closure) {
	var variants func(chosen map[string]string, suffix string)
	variants = func(chosen map[string]string, suffix string) {
		wants := g.loop(d, kernel, chosen, suffix)
		if wants == "" {
			return
		}
		for _, a := range d.Attrs {
			for _, text := range a.Enum {
				if a.Name == wants {
					next := map[string]string{wants: text}
					for k, v := range chosen {
						next[k] = v
					}
					variants(next, fmt.Sprintf("%s %s=%s", suffix, wants, text))
				}
			}
		}
	}
	variants(nil, "")
}

// loop enters a loop. It returns the attribute that must be known first, or nothing.
func (g *generator) loop(d *op.Def, kernel *closure, chosen map[string]string, suffix string) (wants string) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case wanting:
			wants = string(x)
		case unsupported, stopped: // the reference computes it
		default:
			panic(x)
		}
	}()
	var attrs []string
	for range 2 { // the first time finds the attributes
		var made *lanes
		l := &lanes{generator: g, chosen: chosen, born: make(map[*cell]int)}
		l.took = func(fn *closure) { made = l; l.around(fn, attrs) }
		c := &cell{zero(kernel.f.Params[0].Type().Underlying().(*types.Pointer).Elem())}
		fields := kernel.f.Params[0].Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
		for i := range fields.NumFields() {
			if fields.Field(i).Name() == "Attrs" {
				c.v.(*aggregate).cells[i].v = attributes{}
			}
		}
		l.code = wasmobj.NewCode(wasmobj.FuncType{})
		if _, why := l.walked(kernel.f, []value{c, int64(0), int64(0)}, kernel.bound); why != nil {
			panic(*why)
		}
		if made == nil {
			return ""
		}
		if len(made.attrs) == len(attrs) {
			f := made.code
			name := "loop " + d.Name + suffix
			if len(attrs) > 0 {
				name += " " + strings.Join(attrs, " ")
			}
			g.object.Names[name] = wasmobj.Entry{Func: g.object.AddFunc(made.t, f), Datum: -1}
			return ""
		}
		attrs = made.attrs
	}
	return ""
}

// around makes the loop around a function of elements.
func (l *lanes) around(fn *closure, attrs []string) {
	params := fn.f.Signature.Params()
	if kindOf(fn.f.Signature.Results().At(0).Type()) != singles && kindOf(fn.f.Signature.Results().At(0).Type()) != masks {
		fail("a result of %v", fn.f.Signature.Results())
	}
	l.t = wasmobj.FuncType{Params: []wasmobj.ValType{wasmobj.I32, wasmobj.I32}}
	for p := range params.Variables() {
		if kindOf(p.Type()) != singles {
			fail("an operand of %v", p.Type())
		}
		l.t.Params = append(l.t.Params, wasmobj.I32, wasmobj.I32)
	}
	numbers := len(l.t.Params)
	for range attrs {
		l.t.Params = append(l.t.Params, wasmobj.F32)
	}
	c := wasmobj.NewCode(l.t)
	l.code = c
	const z, n = 0, 1
	at := c.Local(wasmobj.I32)
	for i := range attrs {
		v := c.Local(wasmobj.V128)
		c.Get(numbers + i)
		c.SIMD(f32x4Splat)
		c.Set(v)
		l.params[i].local[0] = v
	}
	c.Op(opLoop, noResult)
	var args []value
	for i := range params.Len() {
		args = append(args, l.add(singles, func(int) {
			c.Get(2 + 2*i)
			c.Get(at)
			c.Get(3 + 2*i)
			c.Op(opI32And, opI32Add)
			c.SIMD(v128Load, 2, 0)
		}))
	}
	y, why := l.walked(fn.f, args, fn.bound)
	if why != nil {
		panic(*why)
	}
	t := fn.f.Signature.Results().At(0).Type()
	v := l.add(singles, func(int) { l.push(y, t, 0) }).local[0]
	if kindOf(t) == masks {
		l.storeTruths(v, z, n, at)
	} else {
		l.storeSingles(v, z, n, at)
	}
	c.Op(opEnd)
}

// storeSingles ends a loop: it writes four elements and goes on, or writes those that are left.
func (l *lanes) storeSingles(v, z, n, at int) {
	c := l.code
	step := func(local, by int) {
		c.Get(local)
		c.I32(int32(by))
		c.Op(opI32Add)
		c.Tee(local)
	}
	c.Get(n)
	c.I32(4)
	c.Op(opI32GeU, opIf, noResult)
	c.Get(z)
	c.Get(at)
	c.Op(opI32Add)
	c.Get(v)
	c.SIMD(v128Store, 2, 0)
	step(at, 16)
	c.Op(opDrop)
	step(n, -4)
	c.Uint(opBranchIf, 1)
	c.Op(opReturn, opEnd)
	c.Get(z)
	c.Get(at)
	c.Op(opI32Add)
	c.Set(z)
	for lane := range byte(3) {
		c.Get(n)
		c.I32(int32(lane))
		c.Op(opI32GtU, opIf, noResult)
		c.Get(z)
		c.Get(v)
		c.SIMD(v128Store32Lane, 2, uint64(4*lane))
		c.Op(lane, opEnd)
	}
}

// storeTruths is storeSingles for masks, of which elements are bytes.
func (l *lanes) storeTruths(v, z, n, at int) {
	c := l.code
	word := c.Local(wasmobj.I32) // four truths
	c.Get(v)
	l.constant(1 | 1<<32)
	c.SIMD(v128And)
	c.Get(v)
	c.SIMD(i16x8NarrowU)
	c.Get(v)
	c.SIMD(i8x16NarrowU)
	c.SIMD(i32x4Extract)
	c.Op(0)
	c.Set(word)
	c.Get(n)
	c.I32(4)
	c.Op(opI32GeU, opIf, noResult)
	c.Get(z)
	c.Get(word)
	c.Uint(opI32Store, 0, 0)
	c.Get(z)
	c.I32(4)
	c.Op(opI32Add)
	c.Set(z)
	c.Get(at)
	c.I32(16)
	c.Op(opI32Add)
	c.Set(at)
	c.Get(n)
	c.I32(4)
	c.Op(opI32Sub)
	c.Tee(n)
	c.Uint(opBranchIf, 1)
	c.Op(opReturn, opEnd)
	for lane := range 3 {
		c.Get(n)
		c.I32(int32(lane))
		c.Op(opI32GtU, opIf, noResult)
		c.Get(z)
		c.Get(word)
		c.I32(int32(8 * lane))
		c.Op(opI32ShrU)
		c.Uint(opI32Store8, 0, uint64(lane))
		c.Op(opEnd)
	}
}

// isLoop reports whether elements of an operator may be computed by a loop.
func isLoop(d *op.Def) bool {
	return d.Traits.Has(op.Elementwise) && d.Ref.By == 0 && d.Ref.Kernels[tensor.Float32] != nil
}
