package wasmobj

import (
	"encoding/binary"
)

// Linker makes a module of what is reached from some functions and data of an object. Addresses of data are known as soon as they are asked for, so
// that code which is added later may use them.
type Linker struct {
	o      *Object
	funcs  map[int]int // the index in the module by the function of the object
	order  []int
	table  map[int]int // the index in the table
	slots  []int       // the functions in the table; place 0 is nobody's
	data   map[int]int // addresses
	placed []int
	next   int // where the next data lie

	Exports []Export
	Globals []Global
	Pages   int  // of 64 KiB, of the memory, which is exported as "memory"
	Shared  bool // whether the memory is imported from "env" as "memory", shared by several instances
}

// Export gives a function of the object a name.
type Export struct {
	Name string
	Func int
}

// Global is a global variable that is an i32.
type Global struct {
	Mutable bool
	Value   int32
}

// NewLinker returns a linker that places data from an address on.
func NewLinker(o *Object, from int) *Linker {
	return &Linker{o: o, funcs: make(map[int]int), table: make(map[int]int), data: make(map[int]int), next: from}
}

// End returns the address behind all data that have been placed.
func (l *Linker) End() int { return l.next }

// Address returns where a datum lies, and places it, and what it refers to, if that is not known yet.
func (l *Linker) Address(d int) int {
	if at, ok := l.data[d]; ok {
		return at
	}
	datum := &l.o.Data[d]
	align := max(datum.Align, 1)
	at := (l.next + align - 1) / align * align
	l.next = at + datum.Size
	l.data[d] = at
	l.placed = append(l.placed, d)
	l.follow(datum.Relocs)
	return at
}

// Func returns the index in the module of a function of the object.
func (l *Linker) Func(f int) int {
	if i, ok := l.funcs[f]; ok {
		return i
	}
	i := len(l.order)
	l.funcs[f] = i
	l.order = append(l.order, f)
	l.follow(l.o.Funcs[f].Relocs)
	return i
}

// Slot returns the index in the table of a function of the object.
func (l *Linker) Slot(f int) int {
	if i, ok := l.table[f]; ok {
		return i
	}
	l.slots = append(l.slots, f)
	l.table[f] = len(l.slots)
	l.Func(f)
	return len(l.slots)
}

func (l *Linker) follow(relocs []Reloc) {
	for _, r := range relocs {
		if !l.isInline(r) {
			l.value(r)
		}
	}
}

// isInline reports whether a reference is a call in place of which instructions stand.
func (l *Linker) isInline(r Reloc) bool { return r.Kind == ToFunc && l.o.Funcs[r.Sym].Inline != nil }

// value returns the number that stands for a reference.
func (l *Linker) value(r Reloc) int {
	switch r.Kind {
	case ToFunc:
		return l.Func(r.Sym)
	case ToTable:
		return l.Slot(r.Sym)
	case ToData:
		return l.Address(r.Sym) + r.Add
	}
	return r.Sym
}

// Module returns the module (Core, 5.5).
func (l *Linker) Module() []byte {
	for _, e := range l.Exports {
		l.Func(e.Func)
	}
	b := []byte("\x00asm\x01\x00\x00\x00")
	section := func(id byte, n int, write func(w *writer)) {
		if n == 0 {
			return
		}
		var w writer
		w.uint(n)
		write(&w)
		b = append(b, id)
		b = binary.AppendUvarint(b, uint64(len(w.b)))
		b = append(b, w.b...)
	}
	section(1, len(l.o.Types), func(w *writer) {
		for _, t := range l.o.Types {
			w.b = append(w.b, 0x60)
			w.types(t.Params)
			w.types(t.Results)
		}
	})
	section(2, count(l.Shared), func(w *writer) {
		w.bytes([]byte("env"))
		w.bytes([]byte("memory"))
		w.b = append(w.b, 2, 3) // a memory, with a bound and shared
		w.uint(l.Pages)
		w.uint(l.Pages)
	})
	section(3, len(l.order), func(w *writer) {
		for _, f := range l.order {
			w.uint(l.o.Funcs[f].Type)
		}
	})
	section(4, 1, func(w *writer) {
		w.b = append(w.b, 0x70, 0)
		w.uint(len(l.slots) + 1)
	})
	section(5, count(!l.Shared), func(w *writer) {
		w.uint(0) // without a bound
		w.uint(l.Pages)
	})
	section(6, len(l.Globals), func(w *writer) {
		for _, g := range l.Globals {
			mutable := byte(0)
			if g.Mutable {
				mutable = 1
			}
			w.b = append(appendInt(append(w.b, byte(I32), mutable, 0x41), int64(g.Value)), 0x0B)
		}
	})
	section(7, len(l.Exports)+1, func(w *writer) {
		for _, e := range l.Exports {
			w.bytes([]byte(e.Name))
			w.b = append(w.b, 0)
			w.uint(l.Func(e.Func))
		}
		w.bytes([]byte("memory"))
		w.b = append(w.b, 2, 0)
	})
	section(9, min(1, len(l.slots)), func(w *writer) {
		w.b = append(w.b, 0, 0x41, 1, 0x0B)
		w.list(len(l.slots), func(i int) { w.uint(l.Func(l.slots[i])) })
	})
	section(10, len(l.order), func(w *writer) {
		for _, f := range l.order {
			w.bytes(l.body(&l.o.Funcs[f]))
		}
	})
	var segments []int
	for _, d := range l.placed {
		if len(l.o.Data[d].Bytes) > 0 {
			segments = append(segments, d)
		}
	}
	section(11, len(segments), func(w *writer) {
		for _, d := range segments {
			datum := &l.o.Data[d]
			bytes := append([]byte(nil), datum.Bytes...)
			for _, r := range datum.Relocs {
				binary.LittleEndian.PutUint32(bytes[r.At:], uint32(l.value(r)))
			}
			w.b = append(appendInt(append(w.b, 0, 0x41), int64(l.data[d])), 0x0B)
			w.bytes(bytes)
		}
	})
	var named []int
	for i, f := range l.order {
		if l.o.Funcs[f].Name != "" {
			named = append(named, i)
		}
	}
	section(0, min(len(named), 1), func(w *writer) { // which begins with the length of its name, 4, in place of a count (Core, 7.4.1)
		var names writer
		names.list(len(named), func(i int) {
			names.uint(named[i])
			names.bytes([]byte(l.o.Funcs[l.order[named[i]]].Name))
		})
		w.b = append(w.b[:0], "\x04name\x01"...)
		w.bytes(names.b)
	})
	return b
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// body returns a function's locals and code, with all references.
func (l *Linker) body(f *Func) []byte {
	var w writer
	var runs [][2]int
	for _, t := range f.Locals {
		if n := len(runs); n > 0 && runs[n-1][1] == int(t) {
			runs[n-1][0]++
		} else {
			runs = append(runs, [2]int{1, int(t)})
		}
	}
	w.list(len(runs), func(i int) {
		w.uint(runs[i][0])
		w.b = append(w.b, byte(runs[i][1]))
	})
	at := 0
	for _, r := range f.Relocs {
		w.b = append(w.b, f.Bytes[at:r.At]...)
		at = r.At
		if l.isInline(r) {
			w.b = append(w.b[:len(w.b)-1], l.o.Funcs[r.Sym].Inline...) // without the call's opcode
		} else if x := l.value(r); r.Kind == ToTable || r.Kind == ToData {
			w.b = appendInt(w.b, int64(int32(x)))
		} else {
			w.uint(x)
		}
	}
	w.b = append(w.b, f.Bytes[at:]...)
	w.b = append(w.b, 0x0B)
	return w.b
}
