package main

import (
	"encoding/binary"
	"fmt"
	"go/types"
	"math"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/concord-nn/concord/internal/wasmobj"
)

// generator compiles functions and data as they are asked for.
type generator struct {
	object  *wasmobj.Object
	program *ssa.Program
	machine *machine

	functions map[called]int
	pending   []called
	failed    map[string]error // functions that cannot be compiled

	values  map[*ssa.Function]int // data that stand for functions as values,
	globals map[*ssa.Global]int   // for variables
	strings map[string]int        // and for text
	ids     []types.Type          // types in interfaces, and the data of which the addresses stand for them
	idData  []int
	zero    int // a datum of zeros
}

// called is a function as it is called: by its name, or by its value, with a closure.
type called struct {
	f       *ssa.Function
	closure bool
}

func newGenerator(program *ssa.Program) *generator {
	g := &generator{object: &wasmobj.Object{Names: make(map[string]wasmobj.Entry)}, program: program, machine: newMachine(),
		functions: make(map[called]int), failed: make(map[string]error), values: make(map[*ssa.Function]int), globals: make(map[*ssa.Global]int),
		strings: make(map[string]int)}
	g.zero = g.object.AddData(wasmobj.Datum{Align: 8})
	return g
}

// function returns the number of a function, which is compiled later.
func (g *generator) function(f *ssa.Function, closure bool) int {
	k := called{f, closure}
	if n, ok := g.functions[k]; ok {
		return n
	}
	n := g.object.AddFunc(signature(f.Signature, closure), wasmobj.NewCode(wasmobj.FuncType{}))
	g.functions[k] = n
	g.pending = append(g.pending, k)
	return n
}

// finish compiles what is pending, and what that calls. What cannot be compiled ends in a trap.
func (g *generator) finish() {
	for len(g.pending) > 0 {
		k := g.pending[0]
		g.pending = g.pending[1:]
		code, err := g.compiled(k)
		if err != nil {
			g.failed[k.f.String()] = err
			code = wasmobj.NewCode(wasmobj.FuncType{})
			code.Op(opUnreachable)
		}
		f := &g.object.Funcs[g.functions[k]]
		f.Bytes, f.Relocs, f.Locals = code.Bytes, code.Relocs, code.Locals
	}
}

func (g *generator) compiled(k called) (*wasmobj.Code, error) {
	switch {
	case len(k.f.Blocks) == 0:
		return nil, fmt.Errorf("%s has no body in Go", k.f)
	case !isOurs(packageOf(k.f)):
		return nil, fmt.Errorf("%s is of a package that is not compiled", k.f)
	}
	return g.body(k.f, k.closure)
}

// entry returns what calls a closure.
func (g *generator) entry(c *closure) wasmobj.Entry {
	e := wasmobj.Entry{Func: g.function(c.f, true), Datum: -1}
	if len(c.bound) > 0 {
		e.Datum = g.closureDatum(c)
	}
	return e
}

// implementation returns the method of the one type that implements an interface of package op, nil for another interface.
func (g *generator) implementation(t types.Type, m *types.Func) *ssa.Function {
	if named, ok := t.(*types.Named); !ok || named.Obj().Name() != "BlockRunner" {
		return nil
	}
	runner := g.program.ImportedPackage(support).Type("Runner").Type()
	return g.program.LookupMethod(types.NewPointer(runner), m.Pkg(), m.Name())
}

// text returns the datum with the bytes of a string.
func (g *generator) text(s string) int {
	if n, ok := g.strings[s]; ok {
		return n
	}
	g.strings[s] = g.object.AddData(wasmobj.Datum{Align: 1, Size: len(s), Bytes: []byte(s)})
	return g.strings[s]
}

// zeros returns a datum of at least n zero bytes.
func (g *generator) zeros(n int) int {
	d := &g.object.Data[g.zero]
	d.Size = max(d.Size, n)
	return g.zero
}

// functionValue returns the datum that is the value of a function: its number in the table, as a closure that has captured nothing.
func (g *generator) functionValue(f *ssa.Function) int {
	if n, ok := g.values[f]; ok {
		return n
	}
	g.values[f] = g.object.AddData(wasmobj.Datum{Align: 4, Size: 4, Bytes: make([]byte, 4), Relocs: []wasmobj.Reloc{{Kind: wasmobj.ToTable, Sym: g.function(f, true)}}})
	return g.values[f]
}

// closureType is a closure in memory: the number of its function in the table, and what it has captured.
func closureType(f *ssa.Function) *types.Struct {
	fields := []*types.Var{types.NewField(0, nil, "code", types.Typ[types.Uintptr], false)}
	for i, v := range f.FreeVars {
		fields = append(fields, types.NewField(0, nil, fmt.Sprint("captured", i), v.Type(), false))
	}
	return types.NewStruct(fields, nil)
}

func (g *generator) closureDatum(c *closure) int {
	if len(c.bound) == 0 {
		return g.functionValue(c.f)
	}
	a := &aggregate{cells: []*cell{{int64(0)}}}
	for _, b := range c.bound {
		a.cells = append(a.cells, &cell{b})
	}
	d := g.datum(closureType(c.f), a)
	d.Relocs = append([]wasmobj.Reloc{{Kind: wasmobj.ToTable, Sym: g.function(c.f, true)}}, d.Relocs...)
	return g.object.AddData(d)
}

// typeID returns a datum of which the address stands for a type in interfaces.
func (g *generator) typeID(t types.Type) int {
	for i, u := range g.ids {
		if types.Identical(t, u) {
			return g.idData[i]
		}
	}
	n := g.object.AddData(wasmobj.Datum{Align: 1, Size: 1})
	g.ids, g.idData = append(g.ids, t), append(g.idData, n)
	g.object.Names["type "+types.TypeString(t, (*types.Package).Name)] = wasmobj.Entry{Datum: n}
	return n
}

// global returns the datum of a variable.
func (g *generator) global(v *ssa.Global) int {
	if n, ok := g.globals[v]; ok {
		return n
	}
	n := g.object.AddData(wasmobj.Datum{})
	g.globals[v] = n // before its value, which may refer to it
	d := g.datum(v.Type().Underlying().(*types.Pointer).Elem(), g.machine.global(v).v)
	g.object.Data[n] = d
	return n
}

// datum returns memory with a value.
func (g *generator) datum(t types.Type, v value) wasmobj.Datum {
	d := wasmobj.Datum{Align: alignof(t), Size: sizeof(t), Bytes: make([]byte, sizeof(t))}
	g.write(&d, 0, t, v)
	slices.SortFunc(d.Relocs, func(a, b wasmobj.Reloc) int { return a.At - b.At })
	return d
}

// write writes a value into memory. What initialisation would take from other packages is left out: references do not read it.
func (g *generator) write(d *wasmobj.Datum, at int, t types.Type, v value) {
	refer := func(at, sym int) { d.Relocs = append(d.Relocs, wasmobj.Reloc{At: at, Kind: wasmobj.ToData, Sym: sym}) }
	word := func(at, x int) { binary.LittleEndian.PutUint32(d.Bytes[at:], uint32(x)) }
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i, c := range v.(*aggregate).cells {
			g.write(d, at+fieldAt(u, i), u.Field(i).Type(), c.v)
		}
	case *types.Array:
		for i, c := range v.(*aggregate).cells {
			g.write(d, at+i*sizeof(u.Elem()), u.Elem(), c.v)
		}
	default:
		switch x := v.(type) {
		case bool:
			d.Bytes[at] = byte(truth(x))
		case int64:
			copy(d.Bytes[at:at+sizeof(t)], binary.LittleEndian.AppendUint64(nil, uint64(x)))
		case float64:
			if sizeof(t) == 4 {
				binary.LittleEndian.PutUint32(d.Bytes[at:], math.Float32bits(float32(x)))
			} else {
				binary.LittleEndian.PutUint64(d.Bytes[at:], math.Float64bits(x))
			}
		case string:
			refer(at, g.text(x))
			word(at+4, len(x))
		case *cell:
			refer(at, g.object.AddData(g.datum(u.(*types.Pointer).Elem(), x.v)))
		case []*cell:
			array := types.NewArray(u.(*types.Slice).Elem(), int64(len(x)))
			refer(at, g.object.AddData(g.datum(array, &aggregate{cells: x})))
			word(at+4, len(x))
			word(at+8, len(x))
		case *closure:
			refer(at, g.closureDatum(x))
		case *boxed:
			refer(at, g.typeID(x.t))
			refer(at+4, g.object.AddData(g.datum(x.t, x.v)))
		}
	}
}
