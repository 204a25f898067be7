package wasm

import (
	"encoding/binary"
	"math"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/wasmobj"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// product is a product of rows of float32 and a constant matrix, plus a list by column.
type product struct {
	geometry.Product
	n    *graph.Node
	bias []float32
	rows int // of all matrices
}

const (
	panelColumns = 8 // columns that are summed up at once: two vectors,
	panelRows    = 5 // of as many rows
)

func multiplyColumns(r kernel.Region) *kernel.Plan {
	n := r.Root()
	if len(r.Nodes) > 1 || n.In[1].Const == nil || n.Out[0].Type.Shape.Len() == 0 {
		return nil
	}
	a, b, out := n.In[0].Type.Shape, n.In[1].Type.Shape, n.Out[0].Type
	transposeA, transposeB := false, n.Op == "linear"
	if n.Op != "linear" {
		transposeA, transposeB = n.Attrs.Bool("transposeA"), n.Attrs.Bool("transposeB")
	}
	if n.Op == "gemm" && (n.Attrs.Float("alpha") != 1 || n.Attrs.Float("beta") != 1) || transposeA || b[:len(b)-2].Len() != 1 {
		return nil
	}
	p := &product{Product: geometry.NewProduct(a, b, out.Shape, transposeA, transposeB), n: n, rows: out.Shape[:len(out.Shape)-1].Len()}
	if p.K == 0 {
		return nil
	}
	for i, v := range n.In[2:] {
		switch {
		case v == nil:
		case n.Op == "matmul" || i > 0:
			return nil // zero points
		default:
			if p.bias = listOf(v, out, len(out.Shape)-1); p.bias == nil {
				return nil
			}
		}
	}
	return &kernel.Plan{Pieces: geometry.CeilDiv(p.N, panelColumns), Code: makes(p.make)}
}

// pack returns the matrix by panel, row, column.
func (p *product) pack() []byte {
	b := tensor.Data[float32](p.n.In[1].Const)
	out := make([]byte, geometry.CeilDiv(p.N, panelColumns)*p.K*panelColumns*4)
	for j := range p.N {
		for k := range p.K {
			binary.LittleEndian.PutUint32(out[4*((j/panelColumns*p.K+k)*panelColumns+j%panelColumns):], math.Float32bits(b[k*p.BK+j*p.BCol]))
		}
	}
	return out
}

// make adds the function that computes the panels lo…hi-1 of all rows.
func (p *product) make(m *maker, c *op.Call) (int, error) {
	weights := m.constant(p.pack())
	bias := newMemory(4 * panelColumns * geometry.CeilDiv(p.N, panelColumns))
	for j := range len(bias.Bytes) / 4 {
		if len(p.bias) > 0 {
			binary.LittleEndian.PutUint32(bias.Bytes[4*j:], math.Float32bits(p.bias[min(j, len(p.bias)-1)]))
		}
	}
	list := m.add(bias)
	f := m.newFunction(kernelType)
	f.pieces(func(panel int) {
		x, w, out, adding := f.i32(), f.i32(), f.i32(), -1
		f.address(x, func() { m.push(f.Code, c.In[0].Bytes()) })
		f.address(out, func() { m.push(f.Code, c.Out[0].Bytes()) }, term{panel, 4 * panelColumns})
		if len(p.bias) > 0 {
			adding = f.i32()
			f.address(adding, func() { f.Ref(wasmobj.ToData, list, 0) }, term{panel, 4 * panelColumns})
		}
		rows := func(n, times int) {
			f.loop(times, func() {
				f.address(w, func() { f.Ref(wasmobj.ToData, m.weights, weights) }, term{panel, 4 * panelColumns * p.K})
				p.tile(f, n, x, w, out, adding, panel)
				f.move(x, (n-1)*p.K*4)
				f.move(out, n*p.N*4)
			})
		}
		if full := p.rows / panelRows; full > 0 {
			rows(panelRows, full)
		}
		if rest := p.rows % panelRows; rest > 0 {
			rows(rest, 1)
		}
	})
	return m.addFunc("", kernelType, f.Code), nil
}

// tile computes a panel of n rows, and moves x and w on by the length of a row and of a panel.
func (p *product) tile(f *function, n, x, w, out, adding, panel int) {
	sums := make([]int, 2*n)
	for i := range sums {
		sums[i] = f.v128()
		f.vector(0)
		f.Set(sums[i])
	}
	b := [2]int{f.v128(), f.v128()}
	element := f.v128()
	steps := func(unroll int) {
		for k := range unroll {
			for i := range b {
				f.load(w, 32*k+16*i)
				f.Set(b[i])
			}
			for r := range n {
				f.splat(x, 4*(r*p.K+k))
				f.Set(element)
				for i := range b {
					f.madd(sums[2*r+i], func() { f.Get(element) }, func() { f.Get(b[i]) })
				}
			}
		}
		f.move(x, 4*unroll)
		f.move(w, 32*unroll)
	}
	if p.K >= 4 {
		f.loop(p.K/4, func() { steps(4) })
	}
	if rest := p.K % 4; rest > 0 {
		steps(rest)
	}
	for i, sum := range sums {
		if adding >= 0 {
			f.Get(sum)
			f.load(adding, i%2*16)
			f.SIMD(f32x4Add)
			f.Set(sum)
		}
		f.canonical(sum)
	}
	write := func(columns int) {
		for i, sum := range sums {
			at := i/2*p.N*4 + i%2*16
			for lane := range byte(4) {
				switch {
				case i%2*4+4 <= columns:
					if lane == 0 {
						f.store(out, at, sum)
					}
				case i%2*4+int(lane) < columns:
					f.Get(out)
					f.Get(sum)
					f.SIMD(f32x4Extract)
					f.Op(lane)
					f.Uint(f32Store, 0, uint64(at+4*int(lane)))
				}
			}
		}
	}
	rest := p.N % panelColumns
	if rest == 0 {
		write(panelColumns)
		return
	}
	// The last panel has fewer columns.
	f.Get(panel)
	f.I32(int32(p.N / panelColumns))
	f.Op(i32Ne, opIf, noResult)
	write(panelColumns)
	f.Op(opElse)
	write(rest)
	f.Op(opEnd)
}
