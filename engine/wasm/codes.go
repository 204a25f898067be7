package wasm

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/wasmobj"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// codes is element-wise operators between quantized numbers of 8 bits and floats: sixteen elements go through all of them in registers.
type codes struct {
	nodes  []*graph.Node
	result *graph.Value
	in     map[*graph.Value]int // tensors that the call has as operands
	n      int                  // elements, with those that a layout adds
}

// codesChunk is how many elements a piece has at most.
const codesChunk = 1 << 12

func computeCodes(r kernel.Region) *kernel.Plan {
	last := r.Nodes[len(r.Nodes)-1].Out[0]
	e := &codes{nodes: r.Nodes, result: last, in: make(map[*graph.Value]int)}
	shape, inside, narrow := last.Type.Shape, make(map[*graph.Value]bool), last.Type.DType != tensor.Float32
	if shape.Len() == 0 { // Without this a function would be made that nothing calls.
		return nil
	}
	in, blocked := 0, 0
	var places []int
	for _, n := range r.Nodes {
		for i, v := range n.In {
			switch {
			case v == nil:
				return nil
			case inside[v]:
				continue
			case e.takes(n, i, shape): // Without this references would compute it.
				e.in[v], places = in, append(places, in)
				narrow = narrow || n.Op == "dequantize_linear"
				if r.Layouts[v] == kernel.Blocked16 { // Without this what is in blocks would be brought into rows.
					blocked++
				}
			case v.Const == nil || v.Type.Shape.Len() != 1 || i == 0 && n.Op == "dequantize_linear":
				return nil
			}
			in++
		}
		if _, known := vectorOps[n.Op]; !known && n.Op != "quantize_linear" && n.Op != "dequantize_linear" || !n.Out[0].Type.Shape.Equal(shape) ||
			n.Out[0].Type.DType != tensor.Float32 && (n.Out[0] != last || !bits8.Has(last.Type.DType)) {
			return nil
		}
		inside[n.Out[0]] = true
	}
	if !narrow || len(e.in) == 0 { // Without this it would compute what other kernels compute faster.
		return nil
	}
	p := &kernel.Plan{In: make([]kernel.Layout, len(r.Operands())), Out: []kernel.Layout{kernel.Plain}}
	if e.n = shape.Len(); blocked == len(places) { // Without this what is in blocks would be brought into rows.
		p.Out[0] = kernel.Blocked16
		e.n = kernel.Blocked16.Shape(shape).Len()
		for _, i := range places {
			p.In[i] = kernel.Blocked16
		}
	}
	p.Pieces = geometry.CeilDiv(e.n, codesChunk)
	p.Code = makes(e.make)
	return p
}

// takes reports whether operand i of a node is a tensor that has an element for each of the result.
func (e *codes) takes(n *graph.Node, i int, shape tensor.Shape) bool {
	v := n.In[i]
	if v.Const != nil || !v.Type.Shape.Equal(shape) {
		return false
	}
	if n.Op == "dequantize_linear" { // Without this references would compute it.
		return i == 0 && bits8.Has(v.Type.DType)
	}
	return v.Type.DType == tensor.Float32 && (i == 0 || n.Op != "quantize_linear")
}

// make adds the function. A piece is [codesChunk] elements.
func (e *codes) make(m *maker, c *op.Call) (int, error) {
	f := m.newFunction(kernelType)
	size := e.result.Type.DType.Size()
	f.pieces(func(piece int) {
		at := make(map[*graph.Value]int)
		var all []*graph.Value
		for v := range e.in {
			all = append(all, v)
		}
		slices.SortFunc(all, func(a, b *graph.Value) int { return e.in[a] - e.in[b] })
		for _, v := range all {
			at[v] = f.sum(func() { m.push(f.Code, c.In[e.in[v]]) }, term{piece, codesChunk * v.Type.DType.Size()})
		}
		out := f.sum(func() { m.push(f.Code, c.Out[0]) }, term{piece, codesChunk * size})
		f.parted(piece, e.n/codesChunk, codesChunk, e.n%codesChunk, func(n int) {
			f.runs(n, block, func(n int) {
				e.write(f, e.compute(f, at), out, n)
				for _, v := range all {
					f.move(at[v], n*v.Type.DType.Size())
				}
				f.move(out, n*size)
			})
		})
	})
	return m.addFunc("", kernelType, f.Code), nil
}

// compute returns locals with sixteen elements of the result, of which those of 8 bits are in the first one.
func (e *codes) compute(f *function, at map[*graph.Value]int) [4]int {
	made := make(map[*graph.Value][4]int)
	scalar := func(v *graph.Value) float32 { return tensor.Data[float32](v.Const.Contiguous())[0] }
	for _, n := range e.nodes {
		out := [4]int{f.v128(), f.v128(), f.v128(), f.v128()}
		switch n.Op {
		case "dequantize_linear":
			f.widen(out, at[n.In[0]], n.In[0].Type.DType == tensor.Int8, integersOf(n.In, 2)[0])
			for _, v := range out {
				f.Get(v)
				f.SIMD(f32x4ConvertS)
				f.vector(scalar(n.In[1]))
				f.SIMD(f32x4Mul)
				f.Set(v)
			}
		case "quantize_linear":
			zero := integersOf(n.In, 2)[0]
			for i, v := range out {
				e.operand(f, made, at, n.In[0], i)
				f.vector(scalar(n.In[1]))
				f.SIMD(f32x4Div)
				f.Tee(v)
				f.round(zero)
				f.Get(v)
				f.Get(v)
				f.SIMD(f32x4Eq)
				f.SIMD(v128And)
				f.Set(v)
			}
			f.narrow(out[0], out[0], out[1], n.Out[0].Type.DType)
			f.narrow(out[2], out[2], out[3], n.Out[0].Type.DType)
			f.Get(out[0])
			f.Get(out[2])
			f.SIMD(i8x16Shuffle)
			f.Op(0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
			f.Set(out[0])
		default:
			for i, v := range out {
				var pushes [2]func()
				for k, x := range n.In {
					pushes[k] = func() { e.operand(f, made, at, x, i) }
				}
				vectorOps[n.Op].emit(f, pushes[0], pushes[1])
				f.Set(v)
			}
		}
		made[n.Out[0]] = out
	}
	return made[e.result]
}

// operand pushes four floats of a value.
func (e *codes) operand(f *function, made map[*graph.Value][4]int, at map[*graph.Value]int, v *graph.Value, i int) {
	if list, ok := made[v]; ok {
		f.Get(list[i])
	} else if v.Const != nil {
		f.vector(tensor.Data[float32](v.Const.Contiguous())[0])
	} else {
		f.load(at[v], 16*i)
	}
}

// widen sets locals to the integers of 8 bits at an address, less a zero point, as 32 bits.
func (f *function) widen(to [4]int, at int, signed bool, zero int32) {
	load := uint32(v128Load8x8U)
	if signed {
		load = v128Load8x8S
	}
	for half := range 2 {
		v := to[2*half]
		f.Get(at)
		f.SIMD(load, 0, uint64(8*half))
		f.wideWords(uint32(uint16(zero)) * 0x10001)
		f.SIMD(i16x8Sub)
		f.Set(v)
		f.Get(v)
		f.SIMD(i32x4ExtendHighS)
		f.Set(to[2*half+1])
		f.Get(v)
		f.SIMD(i32x4ExtendLowS)
		f.Set(v)
	}
}

// write writes n of sixteen elements.
func (e *codes) write(f *function, v [4]int, out, n int) {
	if e.result.Type.DType != tensor.Float32 {
		if n == block { // Without this each of them would be stored by itself.
			f.store(out, 0, v[0])
			return
		}
		f.storeLanes(v128Store8Lane, out, 0, v[0], n, 1)
		return
	}
	for i := range geometry.CeilDiv(n, 4) {
		f.canonical(v[i])
		if n >= 4*i+4 {
			f.store(out, 16*i, v[i])
		} else {
			f.storeLanes(v128Store32Lane, out, 16*i, v[i], n%4, 4)
		}
	}
}

// lookUp takes lookup of integers of 8 bits in a constant table of such.
func lookUp(r kernel.Region) *kernel.Plan {
	n := r.Root()
	x, table, shape := n.In[0], n.In[1], n.Out[0].Type.Shape
	if len(r.Nodes) > 1 || shape.Len() == 0 || table.Const == nil {
		return nil
	}
	elements := shape.Len()
	p := &kernel.Plan{In: make([]kernel.Layout, 2), Out: []kernel.Layout{kernel.Plain}}
	if r.Layouts[x] == kernel.Blocked16 { // Without this what is in blocks would be brought into rows.
		p.In[0], p.Out[0], elements = kernel.Blocked16, kernel.Blocked16, kernel.Blocked16.Shape(shape).Len()
	}
	p.Pieces = geometry.CeilDiv(elements, codesChunk)
	p.Code = makes(func(m *maker, c *op.Call) (int, error) {
		f, list := m.newFunction(kernelType), m.add(tableOf(n))
		f.pieces(func(piece int) {
			x := f.sum(func() { m.push(f.Code, c.In[0]) }, term{piece, codesChunk})
			y := f.sum(func() { m.push(f.Code, c.Out[0]) }, term{piece, codesChunk})
			by := f.sum(func() { f.Ref(wasmobj.ToData, list, 0) })
			look := func(n int) {
				for i := range n {
					f.Get(y)
					f.Get(x)
					f.Uint(i32Load8U, 0, uint64(i))
					f.Get(by)
					f.Op(i32Add)
					f.Uint(i32Load8U, 0, 0)
					f.Uint(i32Store8, 0, uint64(i))
				}
				f.move(x, n)
				f.move(y, n)
			}
			f.parted(piece, elements/codesChunk, codesChunk, elements%codesChunk, func(n int) { f.runs(n, block, look) })
		})
		return m.addFunc("", kernelType, f.Code), nil
	})
	return p
}

// tableOf returns the datum of a table, by the bits of indices.
func tableOf(n *graph.Node) *memory {
	d, list := newMemory(256), tensor.Words[uint8](n.In[1].Const.Contiguous())
	for bits := range d.Bytes {
		at := bits
		if n.In[0].Type.DType == tensor.Int8 {
			at = int(int8(bits))
		}
		d.Bytes[bits] = list[min(max(at+n.Attrs.Int("offset"), 0), len(list)-1)]
	}
	return d
}
