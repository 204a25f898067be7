package wasm

import (
	"fmt"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/wasmobj"
	"github.com/concord-nn/concord/op"
	"slices"
)

// shared returns a function that several units may have, which is made when it is asked for first.
func (m *maker) shared(name string, t wasmobj.FuncType, build func(f *function)) int {
	fn, ok := m.functions[name]
	if !ok {
		f := m.newFunction(t)
		build(f)
		fn = m.o.AddFunc(t, f.Code)
		if m.names {
			m.o.Funcs[fn].Name = name
		}
		m.functions[name] = fn
	}
	return fn
}

// apply calls a loop of an operator, of which operands are given as addresses and masks by functions.
func (f *function) apply(name string, z, n func(), operands ...func()) {
	z()
	n()
	for _, push := range operands {
		push()
	}
	f.call("loop " + name)
}

// all and once push an operand of as many elements as the result, and one that is a vector for all.
func (f *function) all(at int) func()  { return func() { f.Get(at); f.I32(-1) } }
func (f *function) once(at int) func() { return func() { f.Get(at); f.I32(0) } }

// reference computes groups from a local on by the reference of a node.
func (f *function) reference(n *graph.Node, c *op.Call, first int, count func()) {
	e := f.m.o.Names[fmt.Sprintf("%s %v", n.Op, c.In[0].DType())]
	f.m.pushCall(f.Code, c)
	f.Get(first)
	f.Get(first)
	count()
	f.Op(i32Add)
	f.m.callEntry(f.Code, e)
}

// words returns the type of functions of so many words.
func words(n int, results ...wasmobj.ValType) wasmobj.FuncType {
	return wasmobj.FuncType{Params: slices.Repeat([]wasmobj.ValType{wasmobj.I32}, n), Results: results}
}
