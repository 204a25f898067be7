package main

import (
	"cmp"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// The initial values of package variables are what Go's initialisation leaves there: this evaluates it, as far as kernels need it. A value is one of bool,
// int64 (integers of all types, wrapped), float64, string, *cell (a pointer), []*cell (a slice), *aggregate, *closure, *boxed, *table, tuple, nil, or unknown.
type value any

// cell is a variable, also a field or an item of an aggregate.
type cell struct{ v value }

// aggregate is a struct or an array.
type aggregate struct{ cells []*cell }

type closure struct {
	f     *ssa.Function
	bound []value
}

// boxed is what an interface holds.
type boxed struct {
	t types.Type
	v value
}

type table struct{ entries map[value]value }

type tuple []value

// unknown is what the initialisation of other packages would yield.
type unknown struct{}

// machine evaluates functions.
type machine struct {
	globals map[*ssa.Global]*cell
	done    map[*ssa.Package]bool
	steps   int
}

// mostSteps ends an evaluation that would not end.
const mostSteps = 1e8

func newMachine() *machine {
	return &machine{globals: make(map[*ssa.Global]*cell), done: make(map[*ssa.Package]bool)}
}

func zero(t types.Type) value {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return false
		case u.Info()&types.IsInteger != 0:
			return int64(0)
		case u.Info()&types.IsFloat != 0:
			return float64(0)
		case u.Info()&types.IsString != 0:
			return ""
		}
		return nil
	case *types.Struct:
		a := &aggregate{}
		for f := range u.Fields() {
			a.cells = append(a.cells, &cell{zero(f.Type())})
		}
		return a
	case *types.Array:
		a := &aggregate{}
		for range u.Len() {
			a.cells = append(a.cells, &cell{zero(u.Elem())})
		}
		return a
	}
	return nil
}

// clone returns a copy of a value as an assignment makes it.
func clone(v value) value {
	if a, ok := v.(*aggregate); ok {
		b := &aggregate{cells: make([]*cell, len(a.cells))}
		for i, c := range a.cells {
			b.cells[i] = &cell{clone(c.v)}
		}
		return b
	}
	return v
}

func (c *cell) set(v value) {
	if a, ok := c.v.(*aggregate); ok {
		if b, ok := v.(*aggregate); ok {
			for i := range a.cells {
				a.cells[i].set(b.cells[i].v)
			}
			return
		}
	}
	c.v = clone(v)
}

func (m *machine) global(g *ssa.Global) *cell {
	if c, ok := m.globals[g]; ok {
		return c
	}
	c := &cell{zero(g.Type().Underlying().(*types.Pointer).Elem())}
	m.globals[g] = c
	m.initialise(g.Pkg)
	return c
}

func (m *machine) initialise(p *ssa.Package) {
	if m.done[p] {
		return
	}
	m.done[p] = true
	m.call(p.Func("init"), nil, nil, true)
}

type frame struct {
	f      *ssa.Function
	values map[ssa.Value]value
	bound  []value
}

func (m *machine) get(fr *frame, v ssa.Value) value {
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value == nil {
			return zero(v.Type())
		}
		switch v.Value.Kind() {
		case constant.Bool:
			return constant.BoolVal(v.Value)
		case constant.String:
			return constant.StringVal(v.Value)
		}
		if b, ok := v.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsFloat != 0 {
			x, _ := constant.Float64Val(v.Value)
			return round(v.Type(), x)
		}
		return wrap(v.Type(), integer(v.Value))
	case *ssa.Global:
		return m.global(v)
	case *ssa.Function:
		return &closure{f: v}
	case *ssa.FreeVar:
		return fr.bound[slices.Index(fr.f.FreeVars, v)]
	}
	return fr.values[v]
}

func wrap(t types.Type, x int64) int64 {
	p := parts(t)[0]
	switch {
	case p.width == 1 && p.sign:
		return int64(int8(x))
	case p.width == 1:
		return int64(uint8(x))
	case p.width == 2 && p.sign:
		return int64(int16(x))
	case p.width == 2:
		return int64(uint16(x))
	case p.width == 4 && p.sign:
		return int64(int32(x))
	case p.width == 4:
		return int64(uint32(x))
	}
	return x
}

func round(t types.Type, x float64) float64 {
	if parts(t)[0].width == 4 {
		return float64(float32(x))
	}
	return x
}

// stopped is what evaluation ends with where it meets what it cannot evaluate.
type stopped string

func stop(format string, args ...any) { panic(stopped(fmt.Sprintf(format, args...))) }

// attempt is call, with unknown where that stops.
func (m *machine) attempt(f *ssa.Function, args, bound []value) (v value) {
	defer func() {
		if recover() != nil {
			v = unknown{}
		}
	}()
	return m.call(f, args, bound, false)
}

// call evaluates a function. In the initialisation of a package, what cannot be evaluated is unknown.
func (m *machine) call(f *ssa.Function, args, bound []value, initial bool) value {
	if v, ok := native(f, args); ok {
		return v
	}
	if len(f.Blocks) == 0 || !isOurs(packageOf(f)) && !initial {
		return unknown{}
	}
	fr := &frame{f: f, values: make(map[ssa.Value]value), bound: bound}
	for i, p := range f.Params {
		fr.values[p] = args[i]
	}
	block, from := f.Blocks[0], (*ssa.BasicBlock)(nil)
	for {
		var phis []value
		for _, i := range block.Instrs {
			if p, ok := i.(*ssa.Phi); ok {
				phis = append(phis, m.get(fr, p.Edges[slices.Index(block.Preds, from)]))
			}
		}
		for k, v := range phis {
			fr.values[block.Instrs[k].(*ssa.Phi)] = v
		}
		next := -1
		for _, i := range block.Instrs[len(phis):] {
			if m.steps++; m.steps > mostSteps {
				stop("too many steps")
			}
			switch i := i.(type) {
			case *ssa.Return:
				out := make(tuple, len(i.Results))
				for k, r := range i.Results {
					out[k] = clone(m.get(fr, r))
				}
				if len(out) == 1 {
					return out[0]
				}
				return out
			case *ssa.Jump:
				next = 0
			case *ssa.If:
				b, ok := m.get(fr, i.Cond).(bool)
				if !ok {
					stop("a condition is not known")
				}
				next = 1 - truth(b)
			case *ssa.Store:
				if c, ok := m.get(fr, i.Addr).(*cell); ok {
					c.set(m.get(fr, i.Val))
				}
			case *ssa.MapUpdate:
				if t, ok := m.get(fr, i.Map).(*table); ok {
					t.entries[key(m.get(fr, i.Key))] = m.get(fr, i.Value)
				}
			case *ssa.Panic:
				stop("a panic")
			case ssa.Value:
				fr.values[i] = m.value(fr, i, initial)
			}
		}
		from, block = block, block.Succs[next]
	}
}

func key(v value) value {
	if b, ok := v.(*boxed); ok {
		return *b
	}
	return v
}

func isUnknown(list ...value) bool {
	for _, v := range list {
		if _, ok := v.(unknown); ok {
			return true
		}
	}
	return false
}

func (m *machine) value(fr *frame, i ssa.Value, initial bool) value {
	var operands []*ssa.Value
	if in, ok := i.(ssa.Instruction); ok {
		for _, o := range in.Operands(operands) {
			if _, call := i.(*ssa.Call); *o != nil && !call && isUnknown(m.get(fr, *o)) {
				if _, closed := i.(*ssa.MakeClosure); !closed {
					return unknown{}
				}
			}
		}
	}
	get := func(v ssa.Value) value { return m.get(fr, v) }
	switch i := i.(type) {
	case *ssa.Alloc:
		return &cell{zero(i.Type().Underlying().(*types.Pointer).Elem())}
	case *ssa.BinOp:
		return evaluated(i, get(i.X), get(i.Y))
	case *ssa.UnOp:
		x := get(i.X)
		switch i.Op {
		case token.MUL:
			c, ok := x.(*cell)
			if !ok {
				stop("a nil pointer")
			}
			return clone(c.v)
		case token.NOT:
			return !x.(bool)
		case token.SUB:
			if f, ok := x.(float64); ok {
				return -f
			}
			return wrap(i.Type(), -x.(int64))
		case token.XOR:
			return wrap(i.Type(), ^x.(int64))
		}
	case *ssa.Call:
		return m.invoke(fr, i, initial)
	case *ssa.ChangeType:
		return get(i.X)
	case *ssa.ChangeInterface:
		return get(i.X)
	case *ssa.MakeInterface:
		return &boxed{i.X.Type(), clone(get(i.X))}
	case *ssa.Convert:
		return converted(i.X.Type(), i.Type(), get(i.X))
	case *ssa.Extract:
		return get(i.Tuple).(tuple)[i.Index]
	case *ssa.Field:
		return clone(get(i.X).(*aggregate).cells[i.Field].v)
	case *ssa.FieldAddr:
		c, ok := get(i.X).(*cell)
		if !ok {
			stop("a nil pointer")
		}
		return c.v.(*aggregate).cells[i.Field]
	case *ssa.Index:
		n := get(i.Index).(int64)
		if s, ok := get(i.X).(string); ok {
			return int64(s[n])
		}
		return clone(get(i.X).(*aggregate).cells[n].v)
	case *ssa.IndexAddr:
		n := get(i.Index).(int64)
		switch x := get(i.X).(type) {
		case []*cell:
			return x[n]
		case *cell:
			return x.v.(*aggregate).cells[n]
		}
		stop("an index of nil")
	case *ssa.Slice:
		return sliced(get, i)
	case *ssa.MakeClosure:
		c := &closure{f: i.Fn.(*ssa.Function)}
		for _, b := range i.Bindings {
			c.bound = append(c.bound, get(b))
		}
		return c
	case *ssa.MakeSlice:
		list := make([]*cell, get(i.Cap).(int64))
		for k := range list {
			list[k] = &cell{zero(i.Type().Underlying().(*types.Slice).Elem())}
		}
		return list[:get(i.Len).(int64)]
	case *ssa.MakeMap:
		return &table{make(map[value]value)}
	case *ssa.Lookup:
		t := i.X.Type().Underlying().(*types.Map)
		v, ok := value(nil), false
		if x, isTable := get(i.X).(*table); isTable {
			v, ok = x.entries[key(get(i.Index))]
		}
		if !ok {
			v = zero(t.Elem())
		}
		if i.CommaOk {
			return tuple{v, ok}
		}
		return v
	case *ssa.TypeAssert:
		b, _ := get(i.X).(*boxed)
		ok := b != nil && (types.IsInterface(i.AssertedType) || types.Identical(b.t, i.AssertedType))
		v := zero(i.AssertedType)
		switch {
		case ok && types.IsInterface(i.AssertedType):
			v = b
		case ok:
			v = b.v
		}
		if i.CommaOk {
			return tuple{v, ok}
		}
		if !ok {
			stop("an assertion fails")
		}
		return v
	}
	stop("%T", i)
	return nil
}

func sliced(get func(ssa.Value) value, i *ssa.Slice) value {
	lo, hi, most := int64(0), int64(-1), int64(-1)
	if i.Low != nil {
		lo = get(i.Low).(int64)
	}
	if i.High != nil {
		hi = get(i.High).(int64)
	}
	if i.Max != nil {
		most = get(i.Max).(int64)
	}
	var list []*cell
	switch x := get(i.X).(type) {
	case string:
		if hi < 0 {
			hi = int64(len(x))
		}
		return x[lo:hi]
	case []*cell:
		list = x
	case *cell:
		list = x.v.(*aggregate).cells
	case nil:
		return []*cell(nil)
	}
	if hi < 0 {
		hi = int64(len(list))
	}
	if most < 0 {
		most = int64(cap(list))
	}
	return list[lo:hi:most]
}

func (m *machine) invoke(fr *frame, i *ssa.Call, initial bool) value {
	var args []value
	for _, a := range i.Call.Args {
		args = append(args, clone(m.get(fr, a)))
	}
	if i.Call.IsInvoke() {
		return unknown{}
	}
	run := func(f *ssa.Function, bound []value) value {
		if initial {
			return m.attempt(f, args, bound)
		}
		return m.call(f, args, bound, false)
	}
	switch f := i.Call.Value.(type) {
	case *ssa.Builtin:
		return built(f.Name(), i, args)
	case *ssa.Function:
		if f.Name() == "init" && f.Signature.Recv() == nil && f.Parent() == nil && f.Synthetic == "package initializer" {
			return nil // others are initialised when they are needed
		}
		return run(f, nil)
	default:
		switch c := m.get(fr, f).(type) {
		case *closure:
			return run(c.f, c.bound)
		case unknown:
			return unknown{}
		}
		stop("a call of nil")
		return nil
	}
}

func built(name string, i *ssa.Call, args []value) value {
	if isUnknown(args...) {
		return unknown{}
	}
	switch name {
	case "len", "cap":
		switch x := args[0].(type) {
		case string:
			return int64(len(x))
		case []*cell:
			if name == "cap" {
				return int64(cap(x))
			}
			return int64(len(x))
		case *aggregate:
			return int64(len(x.cells))
		case *table:
			return int64(len(x.entries))
		case nil:
			return int64(0)
		}
	case "append":
		a, _ := args[0].([]*cell)
		var b []*cell
		switch x := args[1].(type) {
		case []*cell:
			b = x
		case string:
			for _, c := range []byte(x) {
				b = append(b, &cell{int64(c)})
			}
		}
		for _, c := range b {
			a = append(a, &cell{clone(c.v)})
		}
		return a
	case "copy":
		a, _ := args[0].([]*cell)
		b, _ := args[1].([]*cell)
		n := min(len(a), len(b))
		values := make([]value, n)
		for k := range n {
			values[k] = clone(b[k].v)
		}
		for k := range n {
			a[k].v = values[k]
		}
		return int64(n)
	case "min", "max":
		best := args[0]
		for _, a := range args[1:] {
			less := false
			switch x := a.(type) {
			case int64:
				less = x < best.(int64)
			case float64:
				less = x < best.(float64)
			}
			if less == (name == "min") {
				best = a
			}
		}
		return best
	case "Sizeof":
		return int64(sizeof(i.Call.Args[0].Type()))
	case "ssa:wrapnilchk":
		return args[0]
	case "clear":
		for _, c := range args[0].([]*cell) {
			c.v = zero(i.Call.Args[0].Type().Underlying().(*types.Slice).Elem())
		}
		return nil
	}
	stop("builtin %s", name)
	return nil
}

// native evaluates functions that reinterpret bits or are instructions.
func native(f *ssa.Function, args []value) (value, bool) {
	if isUnknown(args...) {
		return nil, false
	}
	one := map[string]func(float64) float64{"math.Sqrt": math.Sqrt, "math.Floor": math.Floor, "math.Ceil": math.Ceil, "math.Trunc": math.Trunc, "math.Abs": math.Abs}
	name := f.RelString(nil)
	if g, ok := one[name]; ok {
		return g(args[0].(float64)), true
	}
	switch name {
	case "math.Float64bits":
		return int64(math.Float64bits(args[0].(float64))), true
	case "math.Float64frombits":
		return math.Float64frombits(uint64(args[0].(int64))), true
	case "math.Float32bits":
		return int64(math.Float32bits(float32(args[0].(float64)))), true
	case "math.Float32frombits":
		return float64(math.Float32frombits(uint32(args[0].(int64)))), true
	case "math.Inf":
		return math.Inf(int(args[0].(int64))), true
	case "math.NaN":
		return math.NaN(), true
	}
	return nil, false
}

func converted(from, to types.Type, v value) value {
	b, ok := to.Underlying().(*types.Basic)
	if !ok {
		return v
	}
	switch x := v.(type) {
	case int64:
		switch {
		case b.Info()&types.IsInteger != 0:
			return wrap(to, x)
		case b.Info()&types.IsFloat != 0:
			if p := parts(from)[0]; p.width == 8 && !p.sign {
				return round(to, float64(uint64(x)))
			}
			return round(to, float64(x))
		case b.Info()&types.IsString != 0:
			return string(rune(x))
		}
	case float64:
		if b.Info()&types.IsFloat != 0 {
			return round(to, x)
		}
		return wrap(to, int64(x))
	}
	return v
}

// evaluated applies a binary operator.
func evaluated(i *ssa.BinOp, x, y value) value {
	switch a := x.(type) {
	case int64:
		return ofIntegers(i, a, y.(int64))
	case float64:
		b := y.(float64)
		if v := compared(i.Op, a, b); v != nil {
			return v
		}
		if r, ok := calculated(i.Op, a, b); ok {
			return round(i.Type(), r)
		}
	case string:
		b := y.(string)
		if i.Op == token.ADD {
			return a + b
		}
		if v := compared(i.Op, a, b); v != nil {
			return v
		}
	case bool:
		return (a == y.(bool)) == (i.Op == token.EQL)
	case *aggregate:
		return same(a, y.(*aggregate)) == (i.Op == token.EQL)
	default:
		if i.Op == token.EQL || i.Op == token.NEQ { // with nil
			return (isNull(x) && isNull(y)) == (i.Op == token.EQL)
		}
	}
	stop("%v of %T", i.Op, x)
	return nil
}

// compared returns the result of a comparison, nil for another operator.
func compared[T cmp.Ordered](op token.Token, a, b T) value {
	switch op {
	case token.EQL:
		return a == b
	case token.NEQ:
		return a != b
	case token.LSS:
		return a < b
	case token.LEQ:
		return a <= b
	case token.GTR:
		return a > b
	case token.GEQ:
		return a >= b
	}
	return nil
}

// calculated returns a sum, a difference, a product or a quotient, and false for another operator.
func calculated[T int64 | uint64 | float64](op token.Token, a, b T) (T, bool) {
	switch op {
	case token.ADD:
		return a + b, true
	case token.SUB:
		return a - b, true
	case token.MUL:
		return a * b, true
	case token.QUO:
		return a / b, true
	}
	return 0, false
}

func ofIntegers(i *ssa.BinOp, a, b int64) value {
	if (i.Op == token.QUO || i.Op == token.REM) && b == 0 {
		stop("a division by zero")
	}
	if !parts(i.X.Type())[0].sign {
		return ofUnsigned(i, uint64(a), uint64(b))
	}
	if v := compared(i.Op, a, b); v != nil {
		return v
	}
	r, ok := calculated(i.Op, a, b)
	switch {
	case ok:
	case i.Op == token.REM:
		r = a % b
	case i.Op == token.SHR:
		r = a >> uint64(b)
	default:
		return ofUnsigned(i, uint64(a), uint64(b))
	}
	return wrap(i.Type(), r)
}

// ofUnsigned has what differs for unsigned integers, and what is the same bits for both.
func ofUnsigned(i *ssa.BinOp, a, b uint64) value {
	if v := compared(i.Op, a, b); v != nil {
		return v
	}
	r, ok := calculated(i.Op, a, b)
	if !ok {
		switch i.Op {
		case token.REM:
			r = a % b
		case token.AND:
			r = a & b
		case token.OR:
			r = a | b
		case token.XOR:
			r = a ^ b
		case token.AND_NOT:
			r = a &^ b
		case token.SHL:
			r = a << b
		case token.SHR:
			r = a >> b
		}
	}
	return wrap(i.Type(), int64(r))
}

func same(a, b *aggregate) bool {
	return slices.EqualFunc(a.cells, b.cells, func(x, y *cell) bool {
		if p, ok := x.v.(*aggregate); ok {
			return same(p, y.v.(*aggregate))
		}
		return x.v == y.v
	})
}

func isNull(v value) bool {
	switch x := v.(type) {
	case nil:
		return true
	case []*cell:
		return x == nil
	}
	return false
}
