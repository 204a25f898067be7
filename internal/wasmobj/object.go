package wasmobj

import (
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"sort"
)

// Object has functions and data that refer to one another, and names for some of them.
type Object struct {
	Types []FuncType
	Funcs []Func
	Data  []Datum
	Names map[string]Entry
}

// Func is a function.
type Func struct {
	Type   int // among the types of the object
	Locals []ValType
	Bytes  []byte
	Relocs []Reloc
	// What is not marshalled: a name for those who look at a module, and instructions that stand in place of calls.
	Name   string
	Inline []byte
}

// Datum is a piece of memory. What lies behind its bytes up to its size is zero.
type Datum struct {
	Align, Size int
	Bytes       []byte
	Relocs      []Reloc
}

// Entry is a function that has a name, with the datum that it takes behind its other operands, or -1.
type Entry struct{ Func, Datum int }

// Clone returns an object to which can be added without changing this one.
func (o *Object) Clone() *Object {
	return &Object{slices.Clip(o.Types), slices.Clone(o.Funcs), slices.Clip(o.Data), maps.Clone(o.Names)}
}

// Type returns the index of a type, which it adds if it is new.
func (o *Object) Type(t FuncType) int {
	for i, have := range o.Types {
		if slices.Equal(have.Params, t.Params) && slices.Equal(have.Results, t.Results) {
			return i
		}
	}
	o.Types = append(o.Types, t)
	return len(o.Types) - 1
}

// AddFunc adds a function and returns its index.
func (o *Object) AddFunc(t FuncType, c *Code) int {
	o.Funcs = append(o.Funcs, Func{Type: o.Type(t), Locals: c.Locals, Bytes: c.Bytes, Relocs: c.Relocs})
	return len(o.Funcs) - 1
}

// AddData adds memory and returns its index.
func (o *Object) AddData(d Datum) int {
	o.Data = append(o.Data, d)
	return len(o.Data) - 1
}

// Marshal returns the object as bytes that [Unmarshal] reads.
func (o *Object) Marshal() []byte {
	var w writer
	w.list(len(o.Types), func(i int) {
		w.types(o.Types[i].Params)
		w.types(o.Types[i].Results)
	})
	w.list(len(o.Funcs), func(i int) {
		f := &o.Funcs[i]
		w.uint(f.Type)
		w.types(f.Locals)
		w.bytes(f.Bytes)
		w.relocs(f.Relocs)
	})
	w.list(len(o.Data), func(i int) {
		d := &o.Data[i]
		w.uint(d.Align)
		w.uint(d.Size)
		w.bytes(d.Bytes)
		w.relocs(d.Relocs)
	})
	names := make([]string, 0, len(o.Names))
	for name := range o.Names {
		names = append(names, name)
	}
	sort.Strings(names)
	w.list(len(names), func(i int) {
		w.bytes([]byte(names[i]))
		w.uint(o.Names[names[i]].Func)
		w.uint(o.Names[names[i]].Datum + 1)
	})
	return w.b
}

type writer struct{ b []byte }

func (w *writer) uint(x int) { w.b = binary.AppendUvarint(w.b, uint64(x)) }

func (w *writer) bytes(b []byte) {
	w.uint(len(b))
	w.b = append(w.b, b...)
}

func (w *writer) list(n int, item func(i int)) {
	w.uint(n)
	for i := range n {
		item(i)
	}
}

func (w *writer) types(list []ValType) {
	w.list(len(list), func(i int) { w.b = append(w.b, byte(list[i])) })
}

func (w *writer) relocs(list []Reloc) {
	last := 0
	w.list(len(list), func(i int) {
		r := list[i]
		w.uint(r.At - last)
		w.b = append(w.b, byte(r.Kind))
		w.uint(r.Sym)
		w.uint(r.Add)
		last = r.At
	})
}

// Unmarshal reads what [Object.Marshal] has written.
func Unmarshal(b []byte) (*Object, error) {
	r := reader{b: b}
	o := &Object{Names: make(map[string]Entry)}
	o.Types = make([]FuncType, r.uint())
	for i := range o.Types {
		o.Types[i] = FuncType{r.types(), r.types()}
	}
	o.Funcs = make([]Func, r.uint())
	for i := range o.Funcs {
		o.Funcs[i] = Func{Type: r.uint(), Locals: r.types(), Bytes: r.bytes(), Relocs: r.relocs()}
	}
	o.Data = make([]Datum, r.uint())
	for i := range o.Data {
		o.Data[i] = Datum{r.uint(), r.uint(), r.bytes(), r.relocs()}
	}
	for range r.uint() {
		name := string(r.bytes())
		o.Names[name] = Entry{r.uint(), r.uint() - 1}
	}
	if r.bad || len(r.b) > 0 {
		return nil, errors.New("the object is damaged")
	}
	return o, nil
}

type reader struct {
	b   []byte
	bad bool
}

func (r *reader) uint() int {
	x, n := binary.Uvarint(r.b)
	if n <= 0 || x > 1<<28 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return int(x)
}

func (r *reader) bytes() []byte {
	n := r.uint()
	if n > len(r.b) {
		r.bad, r.b = true, nil
		return nil
	}
	b := r.b[:n:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) types() []ValType {
	b := r.bytes()
	list := make([]ValType, len(b))
	for i, x := range b {
		list[i] = ValType(x)
	}
	return list
}

func (r *reader) relocs() []Reloc {
	n := r.uint()
	if n > len(r.b) {
		r.bad, r.b = true, nil
		return nil
	}
	list, last := make([]Reloc, n), 0
	for i := range list {
		last += r.uint()
		k := r.b
		if len(k) == 0 {
			r.bad = true
			return nil
		}
		r.b = k[1:]
		list[i] = Reloc{last, Kind(k[0]), r.uint(), r.uint()}
	}
	return list
}
