package main

import (
	"encoding/binary"
	"go/token"
	"go/types"
	"math"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/concord-nn/concord/internal/wasmobj"
)

// Functions of one element become functions of four: their SSA form is evaluated as initial.go does, on values of which some are vectors. What vectors
// decide is computed on both ways and selected; what constants decide, such as the steps of a polynomial, is decided here. A call that cannot be
// computed so is made lane by lane.

// vector is a value in four lanes.
type vector struct {
	kind  kind
	local [2]int  // of 64 bits there are two, with the lower lanes in the first
	exact *vector // of doubles: the singles that they are, in place of locals
	near  *vector // of doubles: the singles that they are rounded to
}

// kind is what the lanes of a vector are.
type kind byte

const (
	singles   kind = iota // float32
	words                 // int32, uint32
	masks                 // bool: all bits or none
	doubles               // float64
	longs                 // int64, uint64
	attribute             // a float64 that is a parameter of the function as a float32
)

func (k kind) wide() bool { return k == doubles || k == longs }

// kindOf returns what elements of a type are in lanes.
func kindOf(t types.Type) kind {
	if b, ok := t.Underlying().(*types.Basic); ok {
		switch p := parts(t)[0]; {
		case b.Info()&types.IsBoolean != 0:
			return masks
		case p.as == wasmobj.F32:
			return singles
		case p.as == wasmobj.F64:
			return doubles
		case p.as == wasmobj.I64:
			return longs
		case p.width == 4 && p.as == wasmobj.I32 && b.Info()&types.IsInteger != 0:
			return words
		}
	}
	fail("lanes of %v", t)
	return 0
}

// lanes compiles a function of vectors.
type lanes struct {
	*generator
	code   *wasmobj.Code
	t      wasmobj.FuncType
	attrs  []string          // the parameters that are attributes, behind the others,
	params []*vector         // and what they are
	chosen map[string]string // attributes that are texts
	took   func(fn *closure) // is given the function that a kernel applies to elements
	steps  int
	depth  int
	born   map[*cell]int // how deep in branches variables were made
}

// wanting is what a compilation ends with that must know an attribute.
type wanting string

// laneSteps bounds the instructions of a function.
const laneSteps = 20000

// The instructions of vectors (Core, 5.4.9) that are named here.
const (
	v128Load, v128Store, v128Const                            = 0x00, 0x0B, 0x0C
	shuffle, i32x4Splat, f32x4Splat                           = 0x0D, 0x11, 0x13
	v128Not, v128And, v128AndNot, v128Or, v128Xor             = 0x4D, 0x4E, 0x4F, 0x50, 0x51
	v128Select, v128AnyTrue                                   = 0x52, 0x53
	f32x4Demote, f64x2Promote                                 = 0x5E, 0x5F
	f64x2ConvertS, f64x2ConvertU                              = 0xFE, 0xFF
	i32x4TruncDoubleS, i32x4TruncDoubleU                      = 0xFC, 0xFD
	i64x2ExtendLowS, i64x2ExtendHighS, i64x2ExtendLowU        = 0xC7, 0xC8, 0xC9
	i16x8NarrowU, i8x16NarrowU, i32x4Extract, v128Store32Lane = 0x86, 0x66, 0x1B, 0x5A
	i32x4TruncS, i32x4TruncU, f32x4ConvertS, f32x4Convert     = 0xF8, 0xF9, 0xFA, 0xFB
)

// laneOps are the instructions of operators by kind: of singles, words and unsigned words, doubles, longs and unsigned longs; 0 for none.
var laneOps = map[token.Token][6]uint32{
	token.ADD: {0xE4, 0xAE, 0xAE, 0xF0, 0xCE, 0xCE},
	token.SUB: {0xE5, 0xB1, 0xB1, 0xF1, 0xD1, 0xD1},
	token.MUL: {0xE6, 0xB5, 0xB5, 0xF2, 0xD5, 0xD5},
	token.QUO: {0xE7, 0, 0, 0xF3, 0, 0},
	token.AND: {0, v128And, v128And, 0, v128And, v128And},
	token.OR:  {0, v128Or, v128Or, 0, v128Or, v128Or},
	token.XOR: {0, v128Xor, v128Xor, 0, v128Xor, v128Xor},

	token.AND_NOT: {0, v128AndNot, v128AndNot, 0, v128AndNot, v128AndNot},

	token.SHL: {0, 0xAB, 0xAB, 0, 0xCB, 0xCB},
	token.SHR: {0, 0xAC, 0xAD, 0, 0xCC, 0xCD},
	token.EQL: {0x41, 0x37, 0x37, 0x47, 0xD6, 0xD6},
	token.NEQ: {0x42, 0x38, 0x38, 0x48, 0xD7, 0xD7},
	token.LSS: {0x43, 0x39, 0x3A, 0x49, 0xD8, 0},
	token.GTR: {0x44, 0x3B, 0x3C, 0x4A, 0xD9, 0},
	token.LEQ: {0x45, 0x3D, 0x3E, 0x4B, 0xDA, 0},
	token.GEQ: {0x46, 0x3F, 0x40, 0x4C, 0xDB, 0},
}

// laneColumn returns where the instructions for elements of a type stand.
func laneColumn(t types.Type) int {
	unsigned := truth(!parts(t)[0].sign)
	switch kindOf(t) {
	case words:
		return 1 + unsigned
	case doubles:
		return 3
	case longs:
		return 4 + unsigned
	}
	return 0
}

// laneFunctions are the instructions that functions of a number are, of singles and of doubles. They are exact, but for the root; that of singles is what
// the root of doubles is rounded to.
var laneFunctions = map[string][2]uint32{
	"math.Sqrt": {0xE3, 0xEF}, "math.sqrt": {0xE3, 0xEF}, "math.Floor": {0x68, 0x75}, "math.Ceil": {0x67, 0x74}, "math.Trunc": {0x69, 0x7A},
	"math.RoundToEven": {0x6A, 0x94}, "math.Abs": {0xE0, 0xEC},
}

// add sets a new vector to what is pushed for each half.
func (l *lanes) add(k kind, push func(half int)) *vector {
	v := &vector{kind: k}
	for half := range 1 + truth(k.wide()) {
		push(half)
		v.local[half] = l.code.Local(wasmobj.V128)
		l.code.Set(v.local[half])
	}
	return v
}

// push pushes half a value of a type as a vector.
func (l *lanes) push(x value, t types.Type, half int) {
	switch x := x.(type) {
	case *vector:
		switch {
		case x.exact == nil:
			l.code.Get(x.local[half])
		case half == 0:
			l.code.Get(x.exact.local[0])
			l.code.SIMD(f64x2Promote)
		default:
			l.high(func() { l.code.Get(x.exact.local[0]) })
			l.code.SIMD(f64x2Promote)
		}
	case float64:
		if kindOf(t) == singles {
			l.constant(uint64(math.Float32bits(float32(x))) * (1<<32 + 1))
		} else {
			l.constant(math.Float64bits(x))
		}
	case int64:
		if kindOf(t) == words {
			l.constant(uint64(uint32(x)) * (1<<32 + 1))
		} else {
			l.constant(uint64(x))
		}
	case bool:
		l.constant(-uint64(truth(x)))
	default:
		fail("%T in lanes", x)
	}
}

func (l *lanes) constant(bits uint64) {
	l.code.SIMD(v128Const)
	l.code.Op(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, bits), bits)...)
}

// high pushes the upper half of what a function pushes, in the lower one.
func (l *lanes) high(push func()) {
	push()
	push()
	l.code.SIMD(shuffle)
	l.code.Op(8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15)
}

// joined pushes the lower halves of two vectors that are pushed, as one; even the even ones of their words.
func (l *lanes) joined() {
	l.code.SIMD(shuffle)
	l.code.Op(0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
}

func (l *lanes) even() {
	l.code.SIMD(shuffle)
	l.code.Op(0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27)
}

// mask pushes the mask for half a vector of a kind.
func (l *lanes) mask(c *vector, k kind, half int) {
	l.code.Get(c.local[0])
	if k.wide() {
		l.code.Get(c.local[0])
		l.code.SIMD(shuffle)
		for i := range byte(16) {
			l.code.Op(byte(8*half) + i/8*4 + i%4)
		}
	}
}

// selected returns what is x where a mask holds, and else y.
func (l *lanes) selected(c *vector, x, y value, t types.Type) value {
	if a, ok := x.(*aggregate); ok {
		b, s := y.(*aggregate), t.Underlying().(*types.Struct)
		out := &aggregate{}
		for i := range a.cells {
			out.cells = append(out.cells, &cell{l.selected(c, a.cells[i].v, b.cells[i].v, s.Field(i).Type())})
		}
		return out
	}
	if x == y {
		return x
	}
	k := kindOf(t)
	if a, ok := x.(*vector); ok && a.exact != nil {
		if b, ok := y.(*vector); ok && b.exact != nil {
			return &vector{kind: doubles, exact: l.selected(c, a.exact, b.exact, types.Typ[types.Float32]).(*vector)}
		}
	}
	return l.add(k, func(half int) {
		l.push(x, t, half)
		l.push(y, t, half)
		l.mask(c, k, half)
		l.code.SIMD(v128Select)
	})
}

// joins returns the block at which all ways from a block meet; nil for the end of the function.
func joins(b *ssa.BasicBlock) *ssa.BasicBlock {
	avoids := func(without *ssa.BasicBlock) bool { // whether a return is reached without that block
		seen := make(map[*ssa.BasicBlock]bool)
		var reach func(b *ssa.BasicBlock) bool
		reach = func(b *ssa.BasicBlock) bool {
			if b == without || seen[b] {
				return false
			}
			seen[b] = true
			return len(b.Succs) == 0 || slices.ContainsFunc(b.Succs, reach)
		}
		return slices.ContainsFunc(b.Succs, reach)
	}
	var after []*ssa.BasicBlock // in the order in which they are met first
	seen := map[*ssa.BasicBlock]bool{b: true}
	for list := b.Succs; len(list) > 0; list = list[1:] {
		if next := list[0]; !seen[next] {
			seen[next] = true
			after, list = append(after, next), append(slices.Clone(list), next.Succs...)
		}
	}
	var all []*ssa.BasicBlock
	for _, x := range after {
		if !avoids(x) {
			all = append(all, x)
		}
	}
	for _, x := range all { // the nearest is the one that none of the others lies in front of
		if !slices.ContainsFunc(all, func(y *ssa.BasicBlock) bool { return y != x && !reachable(x, y) }) {
			return x
		}
	}
	return nil
}

func reachable(from, to *ssa.BasicBlock) bool {
	seen := make(map[*ssa.BasicBlock]bool)
	var reach func(b *ssa.BasicBlock) bool
	reach = func(b *ssa.BasicBlock) bool {
		if seen[b] {
			return false
		}
		seen[b] = true
		return b == to || slices.ContainsFunc(b.Succs, reach)
	}
	return reach(from)
}

// call evaluates a call of a function, of which some operands are vectors.
func (l *lanes) call(f *ssa.Function, args, bound []value) value {
	if v, ok := l.known(f, args); ok {
		return v
	}
	if !slices.ContainsFunc(args, isVector) && !slices.ContainsFunc(bound, isVector) {
		return l.machine.call(f, args, bound, false)
	}
	bytes, relocs := l.code.Bytes, l.code.Relocs
	v, why := l.walked(f, args, bound)
	if why != nil {
		l.code.Bytes, l.code.Relocs = bytes, relocs
		v = l.singly(f, args, bound, *why)
	}
	return v
}

// isVector reports whether a value is a vector, or has one.
func isVector(v value) bool {
	switch x := v.(type) {
	case *vector, attributes:
		return true
	case *aggregate:
		return slices.ContainsFunc(x.cells, func(c *cell) bool { return isVector(c.v) })
	case *closure:
		return slices.ContainsFunc(x.bound, isVector)
	case *cell:
		return isVector(x.v)
	}
	return false
}

// walked evaluates a function, or says why that is not possible.
func (l *lanes) walked(f *ssa.Function, args, bound []value) (v value, why *unsupported) {
	depth := l.depth
	defer func() {
		switch x := recover().(type) {
		case nil:
		case unsupported:
			l.depth, why = depth, &x
		case stopped:
			u := unsupported(x)
			l.depth, why = depth, &u
		default:
			panic(x)
		}
	}()
	if len(f.Blocks) == 0 || !isOurs(packageOf(f)) {
		fail("%s is not compiled", f)
	}
	fr := &frame{f: f, values: make(map[ssa.Value]value), bound: bound}
	for i, p := range f.Params {
		fr.values[p] = args[i]
	}
	out := l.walk(fr, nil, f.Blocks[0], nil)
	if len(out) == 1 {
		return out[0], nil
	}
	return tuple(out), nil
}

// singly calls a function for each lane.
func (l *lanes) singly(f *ssa.Function, args, bound []value, why unsupported) value {
	results := f.Signature.Results()
	if len(bound) > 0 || results.Len() != 1 || len(f.Blocks) == 0 || slices.ContainsFunc(args, func(v value) bool {
		x, ok := v.(*vector)
		return !ok || x.kind == attribute || x.kind == masks
	}) {
		panic(why)
	}
	t := results.At(0).Type()
	k := kindOf(t)
	extract := map[kind]uint32{singles: 0x1F, words: 0x1B, doubles: 0x21, longs: 0x1D}
	if extract[k] == 0 {
		panic(why)
	}
	lane := func(v *vector, i byte, op func(b byte)) {
		per := byte(4)
		if v.kind.wide() {
			per = 2
		}
		l.push(v, nil, int(i/per))
		op(i % per)
	}
	return l.add(k, func(half int) {
		l.constant(0)
		per := byte(4)
		if k.wide() {
			per = 2
		}
		for i := range per {
			for _, a := range args {
				x := a.(*vector)
				lane(x, byte(half)*per+i, func(b byte) { l.code.SIMD(extract[x.kind]); l.code.Op(b) })
			}
			l.code.Ref(wasmobj.ToFunc, l.function(f, false), 0)
			l.code.SIMD(extract[k] + 1)
			l.code.Op(i)
		}
	})
}

// walk evaluates a function from a block on, which is entered from another one. It returns the results, or what the phis of a block are when it is reached.
func (l *lanes) walk(fr *frame, from, block, until *ssa.BasicBlock) []value {
	var given []value // what the phis are, if that is known
	for {
		var phis []*ssa.Phi
		for _, i := range block.Instrs {
			if p, ok := i.(*ssa.Phi); ok {
				phis = append(phis, p)
			}
		}
		if given == nil {
			for _, p := range phis {
				given = append(given, l.machine.get(fr, p.Edges[slices.Index(block.Preds, from)]))
			}
		}
		if block == until {
			return given
		}
		for k, p := range phis {
			fr.values[p] = given[k]
		}
		given = nil
		next := -1
		for _, i := range block.Instrs[len(phis):] {
			if l.steps++; l.steps > laneSteps {
				fail("too many steps")
			}
			switch i := i.(type) {
			case *ssa.Return:
				out := make([]value, len(i.Results))
				for k, r := range i.Results {
					out[k] = clone(l.machine.get(fr, r))
				}
				return out
			case *ssa.Jump:
				next = 0
			case *ssa.If:
				switch c := l.machine.get(fr, i.Cond).(type) {
				case bool:
					next = 1 - truth(c)
				case *vector:
					join := joins(block)
					given = l.both(fr, block, join, c)
					if join == until {
						return given
					}
					from, block, next = block, join, -2
				default:
					fail("a condition is not known")
				}
			case *ssa.Store:
				c, ok := l.machine.get(fr, i.Addr).(*cell)
				if depth, own := l.born[c]; !ok || l.depth > 0 && (!own || depth < l.depth) {
					fail("a variable changes")
				}
				c.set(l.machine.get(fr, i.Val))
			case *ssa.Panic:
				fail("a panic")
			case *ssa.DebugRef:
			case ssa.Value:
				fr.values[i] = l.value(fr, i)
			default:
				fail("%T", i)
			}
		}
		if next >= 0 {
			from, block = block, block.Succs[next]
		}
	}
}

// both evaluates the two ways from a block to where they meet, each only if a lane takes it, and selects.
func (l *lanes) both(fr *frame, block, join *ssa.BasicBlock, c *vector) []value {
	not := l.add(masks, func(int) { l.code.Get(c.local[0]); l.code.SIMD(v128Not) })
	var out [2][]value
	for k, mask := range []*vector{c, not} {
		bytes, relocs := l.code.Bytes, l.code.Relocs
		l.code.Bytes, l.code.Relocs = nil, nil
		l.depth++
		out[k] = l.walk(fr, block, block.Succs[k], join)
		l.depth--
		own, refs := l.code.Bytes, l.code.Relocs
		l.code.Bytes, l.code.Relocs = bytes, relocs
		long := len(own) > longWay
		if long {
			l.code.Get(mask.local[0])
			l.code.SIMD(v128AnyTrue)
			l.code.Op(opIf, noResult)
		}
		for _, r := range refs {
			r.At += len(l.code.Bytes)
			l.code.Relocs = append(l.code.Relocs, r)
		}
		l.code.Op(own...)
		if long {
			l.code.Op(opEnd)
		}
	}
	ts := resultTypes(block.Parent(), join)
	merged := make([]value, len(ts))
	for i, t := range ts {
		merged[i] = l.selected(c, out[0][i], out[1][i], t)
	}
	return merged
}

// longWay is from how many bytes of code on a way is skipped that no lane takes.
const longWay = 120

// resultTypes returns the types of the phis of a block, or of the results of the function.
func resultTypes(f *ssa.Function, b *ssa.BasicBlock) (list []types.Type) {
	if b == nil {
		for v := range f.Signature.Results().Variables() {
			list = append(list, v.Type())
		}
		return list
	}
	for _, i := range b.Instrs {
		if p, ok := i.(*ssa.Phi); ok {
			list = append(list, p.Type())
		}
	}
	return list
}

// value evaluates an instruction.
func (l *lanes) value(fr *frame, i ssa.Value) value {
	get := func(v ssa.Value) value { return l.machine.get(fr, v) }
	switch i := i.(type) {
	case *ssa.Alloc:
		c := l.machine.value(fr, i, false).(*cell)
		l.bear(c)
		return c
	case *ssa.Call:
		return l.invoke(fr, i)
	case *ssa.BinOp:
		if x, y := get(i.X), get(i.Y); isVector(x) || isVector(y) {
			return l.binary(i, x, y)
		}
	case *ssa.UnOp:
		if x := get(i.X); i.Op != token.MUL && isVector(x) {
			return l.unary(i, x.(*vector))
		}
	case *ssa.Convert:
		if x, ok := get(i.X).(*vector); ok {
			return l.convert(i, x)
		}
	}
	return l.machine.value(fr, i, false)
}

// bear notes a new variable and its parts.
func (l *lanes) bear(c *cell) {
	l.born[c] = l.depth
	if a, ok := c.v.(*aggregate); ok {
		for _, p := range a.cells {
			l.bear(p)
		}
	}
}

func (l *lanes) invoke(fr *frame, i *ssa.Call) value {
	if i.Call.IsInvoke() {
		fail("a call of a method of an interface")
	}
	var args []value
	for _, a := range i.Call.Args {
		args = append(args, clone(l.machine.get(fr, a)))
	}
	switch f := i.Call.Value.(type) {
	case *ssa.Builtin:
		if (f.Name() == "min" || f.Name() == "max") && slices.ContainsFunc(args, isVector) {
			return l.extreme(i, f.Name() == "max", args)
		}
		return built(f.Name(), i, args)
	case *ssa.Function:
		return l.call(f, args, nil)
	default:
		c, ok := l.machine.get(fr, f).(*closure)
		if !ok {
			fail("a call of %v", f)
		}
		return l.call(c.f, args, c.bound)
	}
}

func (l *lanes) extreme(i *ssa.Call, greatest bool, args []value) value {
	t := i.Type()
	column := laneColumn(t)
	op := map[int]uint32{0: 0xE8, 1: 0xB6, 2: 0xB7, 3: 0xF4}[column] + uint32(truth(greatest))
	switch column {
	case 1, 2:
		op += uint32(truth(greatest)) // the signed and the unsigned one stand side by side
	case 4, 5:
		fail("the extreme of longs")
	}
	x := args[0]
	for _, y := range args[1:] {
		a := x
		x = l.add(kindOf(t), func(half int) {
			l.push(a, t, half)
			l.push(y, t, half)
			l.code.SIMD(op)
		})
	}
	return x
}

func (l *lanes) binary(i *ssa.BinOp, x, y value) value {
	t := i.X.Type()
	if i.Op == token.SHL || i.Op == token.SHR {
		n, ok := y.(int64)
		if !ok || n >= int64(8*parts(t)[0].width) {
			fail("a shift by lanes")
		}
		return l.add(kindOf(t), func(half int) {
			l.push(x, t, half)
			l.code.I32(int32(n))
			l.code.SIMD(laneOps[i.Op][laneColumn(t)])
		})
	}
	if kindOf(t) == masks {
		if i.Op != token.EQL && i.Op != token.NEQ {
			fail("%v of truths", i.Op)
		}
		return l.add(masks, func(int) {
			l.push(x, t, 0)
			l.push(y, t, 0)
			l.code.SIMD(v128Xor)
			if i.Op == token.EQL {
				l.code.SIMD(v128Not)
			}
		})
	}
	op := laneOps[i.Op][laneColumn(t)]
	if op == 0 {
		fail("%v of %v in lanes", i.Op, t)
	}
	apply := func(half int) {
		l.push(x, t, half)
		l.push(y, t, half)
		l.code.SIMD(op)
	}
	switch k := kindOf(t); {
	case kindOf(i.Type()) != masks:
		return l.add(k, apply)
	case k.wide():
		return l.add(masks, func(int) { apply(0); apply(1); l.even() })
	default:
		return l.add(masks, apply)
	}
}

func (l *lanes) unary(i *ssa.UnOp, x *vector) value {
	t := i.Type()
	switch {
	case x.exact != nil && i.Op == token.SUB:
		return &vector{kind: doubles, exact: l.add(singles, func(int) { l.code.Get(x.exact.local[0]); l.code.SIMD(0xE1) })}
	case i.Op == token.SUB:
		op := map[kind]uint32{singles: 0xE1, words: 0xA1, doubles: 0xED, longs: 0xC1}[kindOf(t)]
		return l.add(x.kind, func(half int) { l.push(x, t, half); l.code.SIMD(op) })
	case i.Op == token.NOT || i.Op == token.XOR:
		return l.add(x.kind, func(half int) { l.push(x, t, half); l.code.SIMD(v128Not) })
	}
	fail("operator %v", i.Op)
	return nil
}

// convert converts between kinds.
func (l *lanes) convert(i *ssa.Convert, x *vector) value {
	from, to := kindOf(i.X.Type()), kindOf(i.Type())
	sign := parts(i.X.Type())[0].sign
	own := func() { l.code.Get(x.local[0]) }
	each := func(op uint32) func(int) {
		return func(half int) { l.push(x, i.X.Type(), half); l.code.SIMD(op) }
	}
	either := func(signed, unsigned uint32, sign bool) uint32 {
		if sign {
			return signed
		}
		return unsigned
	}
	switch {
	case x.kind == attribute && to == singles:
		return x.exact
	case x.kind == attribute:
		fail("an attribute of 64 bits")
	case from == to:
		return x
	case from == singles && to == doubles:
		return &vector{kind: doubles, exact: x}
	case from == doubles && to == singles && x.exact != nil:
		return x.exact
	case from == doubles && to == singles && x.near != nil:
		return x.near
	case from == doubles && to == singles:
		return l.add(singles, func(int) { each(f32x4Demote)(0); each(f32x4Demote)(1); l.joined() })
	case from == words && to == singles:
		return l.add(singles, each(either(f32x4ConvertS, f32x4Convert, sign)))
	case from == singles && to == words:
		return l.add(words, each(either(i32x4TruncS, i32x4TruncU, parts(i.Type())[0].sign)))
	case from == doubles && to == words:
		op := either(i32x4TruncDoubleS, i32x4TruncDoubleU, parts(i.Type())[0].sign)
		return l.add(words, func(int) { each(op)(0); each(op)(1); l.joined() })
	case from == words && to == doubles:
		return l.add(doubles, func(half int) {
			if half == 0 {
				own()
			} else {
				l.high(own)
			}
			l.code.SIMD(either(f64x2ConvertS, f64x2ConvertU, sign))
		})
	case from == words && to == longs:
		return l.add(longs, func(half int) { own(); l.code.SIMD(either(i64x2ExtendLowS, i64x2ExtendLowU, sign) + uint32(half)) })
	case from == longs && to == words:
		return l.add(words, func(int) { l.code.Get(x.local[0]); l.code.Get(x.local[1]); l.even() })
	}
	fail("a conversion of %v to %v in lanes", i.X.Type(), i.Type())
	return nil
}

// attributes stands for the attributes of a call.
type attributes struct{}

// known evaluates what is not compiled as it is written: instructions, fused multiply-adds, attributes, and what kernels apply to elements.
func (l *lanes) known(f *ssa.Function, args []value) (value, bool) {
	name := f.RelString(nil)
	if len(args) > 0 {
		if _, ok := args[0].(attributes); ok {
			return l.attribute(f.Name(), args), true
		}
		if x, ok := args[0].(*vector); ok {
			if op, ok := laneFunctions[name]; ok {
				var y *vector
				if x.exact != nil {
					y = l.add(singles, func(int) { l.code.Get(x.exact.local[0]); l.code.SIMD(op[0]) })
				}
				if y != nil && f.Name() != "Sqrt" && f.Name() != "sqrt" {
					return &vector{kind: doubles, exact: y}, true
				}
				z := l.add(doubles, func(half int) { l.push(x, nil, half); l.code.SIMD(op[1]) })
				z.near = y
				return z, true
			}
			switch name { // the bits stay
			case "math.Float32bits":
				return &vector{kind: words, local: x.local}, true
			case "math.Float32frombits":
				return &vector{kind: singles, local: x.local}, true
			case "math.Float64frombits":
				return &vector{kind: doubles, local: x.local}, true
			case "math.Float64bits":
				return l.add(longs, func(half int) { l.push(x, nil, half) }), true
			case "math.Signbit":
				if x.exact != nil {
					return l.add(masks, func(int) {
						l.code.Get(x.exact.local[0])
						l.code.I32(31)
						l.code.SIMD(0xAC)
					}), true
				}
			case "math.Copysign":
				return l.add(doubles, func(half int) {
					l.push(args[1], types.Typ[types.Float64], half)
					l.push(x, nil, half)
					l.constant(1 << 63)
					l.code.SIMD(v128Select)
				}), true
			}
		}
	}
	switch {
	case name == module+"internal/fmath.fmaSingle" && slices.ContainsFunc(args, isVector):
		return l.add(singles, func(int) {
			for _, a := range args {
				l.push(a, types.Typ[types.Float32], 0)
			}
			l.code.Ref(wasmobj.ToFunc, l.madd(), 0)
		}), true
	case l.took != nil && f.Origin() != nil && packageOf(f) == references && (f.Origin().Name() == "mapElements" || f.Origin().Name() == "mapPairs"):
		fn, ok := args[3].(*closure)
		if !ok {
			fail("a function that is not known")
		}
		took := l.took
		l.took = nil
		took(fn)
		return nil, true
	}
	return nil, false
}

// madd returns the function that stands for a multiply-add of vectors, which engine/wasm replaces.
func (g *generator) madd() int {
	e, ok := g.object.Names["madd"]
	if !ok {
		v := []wasmobj.ValType{wasmobj.V128, wasmobj.V128, wasmobj.V128}
		t := wasmobj.FuncType{Params: v, Results: v[:1]}
		code := wasmobj.NewCode(t)
		code.Op(opUnreachable)
		e = wasmobj.Entry{Func: g.object.AddFunc(t, code), Datum: -1}
		g.object.Names["madd"] = e
	}
	return e.Func
}

// attribute evaluates a call that asks for an attribute.
func (l *lanes) attribute(method string, args []value) value {
	name, ok := args[1].(string)
	switch {
	case ok && method == "Float":
		i := slices.Index(l.attrs, name)
		if i < 0 {
			i = len(l.attrs)
			l.attrs, l.params = append(l.attrs, name), append(l.params, &vector{kind: singles})
		}
		return &vector{kind: attribute, exact: l.params[i]}
	case ok && method == "String":
		if s, ok := l.chosen[name]; ok {
			return s
		}
		panic(wanting(name))
	}
	fail("an attribute by %s", method)
	return nil
}
