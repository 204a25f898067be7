package wasm

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/concord-nn/concord/internal/wasmobj"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// The layout of what references read, as a machine with addresses of 32 bits has it.
const (
	tensorBytes, tensorShape, tensorStrides, tensorDense, tensorMem, tensorWhole = 64, 4, 16, 32, 36, 48
	callBytes, callIn, callOut, callAttrs, callScratch                           = 76, 0, 12, 24, 36
	blockBytes, blockInputs, blockOutputs, blockCompute                          = 28, 0, 12, 24
)

// memory is a datum under construction.
type memory struct {
	wasmobj.Datum
}

func newMemory(n int) *memory {
	return &memory{wasmobj.Datum{Align: 8, Size: n, Bytes: make([]byte, n)}}
}

func (d *memory) word(at, x int) { binary.LittleEndian.PutUint32(d.Bytes[at:], uint32(x)) }

func (d *memory) refer(at, sym, add int) {
	d.Relocs = append(d.Relocs, wasmobj.Reloc{At: at, Kind: wasmobj.ToData, Sym: sym, Add: add})
}

// slice writes a slice of n elements.
func (d *memory) slice(at, sym, add, n int) {
	d.refer(at, sym, add)
	d.word(at+4, n)
	d.word(at+8, n)
}

func (m *maker) add(d *memory) int { return m.o.AddData(d.Datum) }

func (m *maker) ints(list []int) int {
	d := newMemory(4 * len(list))
	for i, x := range list {
		d.word(4*i, min(max(x, math.MinInt32), math.MaxInt32)) // as positions, of which one beyond means the same as the nearest
	}
	return m.add(d)
}

func (m *maker) text(s string) int {
	return m.o.AddData(wasmobj.Datum{Align: 1, Size: len(s), Bytes: []byte(s)})
}

// call returns the datum of a call; of one with working memory of as many calls as there are threads, one behind the other.
func (m *maker) call(c *op.Call) int {
	times := 1
	if len(c.Scratch) > 0 {
		times = m.threads
	}
	attrs := newMemory(16 * len(c.Attrs))
	for i, a := range c.Attrs {
		attrs.refer(16*i, m.text(a.Name), 0)
		attrs.word(16*i+4, len(a.Name))
		if a.Value != nil {
			id, at := m.value(a.Value)
			attrs.refer(16*i+8, id, 0)
			attrs.refer(16*i+12, at, 0)
		}
	}
	in, out, list := m.list(c.In), m.list(c.Out), m.add(attrs)
	d := newMemory(times * callBytes)
	for t := range times {
		base := t * callBytes
		d.slice(base+callIn, in, 0, len(c.In))
		d.slice(base+callOut, out, 0, len(c.Out))
		d.slice(base+callAttrs, list, 0, len(c.Attrs))
		if len(c.Scratch) > 0 {
			at, _ := within(m.image.Scratch, c.Scratch)
			d.slice(base+callScratch, m.scratch, at+t*len(m.image.Scratch), len(c.Scratch))
		}
	}
	return m.add(d)
}

// list returns the datum with the addresses of tensors.
func (m *maker) list(tensors []*tensor.Tensor) int {
	d := newMemory(4 * len(tensors))
	for i, t := range tensors {
		if t != nil {
			d.refer(4*i, m.tensor(t), 0)
		}
	}
	return m.add(d)
}

func (m *maker) tensor(t *tensor.Tensor) int {
	if sym, ok := m.tensors[t]; ok { // Without this the module would be larger.
		return sym
	}
	d := newMemory(tensorBytes)
	d.Bytes[0] = byte(t.DType())
	d.slice(tensorShape, m.ints(t.Shape()), 0, t.Rank())
	d.slice(tensorStrides, m.ints(t.Strides()), 0, t.Rank())
	d.Bytes[tensorDense] = 1
	sym, at := m.place(t, 0)
	d.slice(tensorMem, sym, at, len(t.Bytes()))
	d.slice(tensorWhole, sym, at, len(t.Bytes()))
	m.tensors[t] = m.add(d)
	return m.tensors[t]
}

// value returns the data of an attribute's type and of its value.
func (m *maker) value(v any) (id, at int) {
	var d *memory
	switch x := v.(type) {
	case bool:
		d = newMemory(1)
		if x {
			d.Bytes[0] = 1
		}
	case int:
		return m.typeID(v), m.ints([]int{x})
	case float64:
		d = newMemory(8)
		binary.LittleEndian.PutUint64(d.Bytes, math.Float64bits(x))
	case string:
		d = newMemory(8)
		d.refer(0, m.text(x), 0)
		d.word(4, len(x))
	case tensor.DType:
		d = newMemory(1)
		d.Bytes[0] = byte(x)
	case []int:
		d = newMemory(12)
		d.slice(0, m.ints(x), 0, len(x))
	case []string:
		list := newMemory(8 * len(x))
		for i, s := range x {
			list.refer(8*i, m.text(s), 0)
			list.word(8*i+4, len(s))
		}
		d = newMemory(12)
		d.slice(0, m.add(list), 0, len(x))
	case []float64:
		list := newMemory(8 * len(x))
		for i, f := range x {
			binary.LittleEndian.PutUint64(list.Bytes[8*i:], math.Float64bits(f))
		}
		d = newMemory(12)
		d.slice(0, m.add(list), 0, len(x))
	default: // no kernel reads others
		d = newMemory(1)
	}
	return m.typeID(v), m.add(d)
}

// typeID returns the datum that stands for the type of a value in interfaces.
func (m *maker) typeID(v any) int {
	name := fmt.Sprintf("type %T", v)
	e, ok := m.o.Names[name]
	if !ok { // Without this a type that no reference asks for would be one that they do.
		e.Datum = m.o.AddData(wasmobj.Datum{Align: 1, Size: 1})
		m.o.Names[name] = e
	}
	return e.Datum
}
