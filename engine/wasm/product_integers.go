package wasm

import (
	"encoding/binary"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/wasmobj"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// integerProduct is a product of a matrix of integers of 8 bits with a constant one.
type integerProduct struct {
	geometry.Product
	n       *graph.Node
	tail    *integerTail
	rows    int
	zeros   []int32 // of columns
	bias    []int32
	signed  bool
	zero    int32 // of the left matrix,
	dynamic bool  // or whether that is computed
}

func multiplyIntegers(r kernel.Region) *kernel.Plan {
	n := r.Root()
	a, b, out := n.In[0].Type.Shape, n.In[1].Type.Shape, n.Out[0].Type
	if out.Shape.Len() == 0 || out.DType != tensor.Int32 || n.In[1].Const == nil || b[:len(b)-2].Len() != 1 {
		return nil
	}
	transposed, _ := geometry.Transposed(n.Attrs)
	p := &integerProduct{Product: geometry.NewProduct(n.Attrs, a, b, out.Shape), n: n, zeros: []int32{0}, bias: []int32{0},
		signed: n.In[0].Type.DType == tensor.Int8}
	p.rows = p.M * out.Shape[:len(out.Shape)-2].Len()
	if p.K == 0 || transposed {
		return nil
	}
	for i, v := range n.In[2:] {
		switch {
		case v == nil:
		case n.Op == "matmul" && i == 0 && v.Type.Shape.Len() == 1: // Without this references would compute it.
			if p.dynamic = v.Const == nil; !p.dynamic {
				p.zero = integersOf(n.In, 2)[0]
			}
		case v.Const == nil || v.Type.Shape.Len() != 1 && (v.Type.Shape.Len() != p.N || v.Type.Shape[len(v.Type.Shape)-1] != p.N):
			return nil
		case n.Op == "linear": // Without this references would compute it.
			p.bias = integersOf(n.In, 2)
		case i == 1: // Without this references would compute it.
			p.zeros = integersOf(n.In, 3)
		default:
			return nil
		}
	}
	if p.tail = integerTailOf(r, p.N, len(out.Shape)-1); p.tail == nil {
		return nil
	}
	return &kernel.Plan{Pieces: p.panels(), Code: makes(p.make)}
}

func (p *integerProduct) panels() int  { return geometry.CeilDiv(p.N, octet) }
func (p *integerProduct) octets() int  { return geometry.CeilDiv(p.K, octet) }
func (p *integerProduct) rowStep() int { return p.N * p.tail.size() }

// pack writes the right matrix, less its zero points, by panel, pair of rows, column.
func (p *integerProduct) pack(out []byte) {
	w := make([]int32, p.n.In[1].Const.Len())
	geometry.Load(w, p.n.In[1].Const.Contiguous(), 0, 1)
	for j := range p.N {
		for k := range p.K {
			at := j/octet*p.octets()*octetBytes + k/2*4*octet + j%octet*4 + k%2*2
			binary.LittleEndian.PutUint16(out[at:], uint16(w[k*p.BK+j*p.BCol]-p.zeros[j%len(p.zeros)]))
		}
	}
}

// make adds the function that computes panels of all rows. A piece is a panel. What lies behind a row is multiplied by 0.
func (p *integerProduct) make(m *maker, c *op.Call) (int, error) {
	p.tail.bind(m, p.N, p.bias)
	weights, f := m.held.packed(p, p.panels()*p.octets()*octetBytes, p.pack), m.newFunction(kernelType)
	f.pieces(func(piece int) {
		x := f.sum(func() { m.push(f.Code, c.In[0]) })
		w := f.sum(func() { f.Ref(wasmobj.ToData, m.weights, weights) }, term{piece, p.octets() * octetBytes})
		out := f.sum(func() { m.push(f.Code, c.Out[0]) }, term{piece, octet * p.tail.size()})
		channel := f.sum(func() { f.I32(0) }, term{piece, 4 * octet})
		f.runs(p.rows, octetPixels, func(rows int) {
			p.tile(f, c, rows, [5]int{x, w, out, channel, piece})
			f.move(x, rows*p.K)
			f.move(out, rows*p.rowStep())
		})
	})
	return m.addFunc("", kernelType, f.Code), nil
}

// tile computes some rows of a panel, given locals with where they, the panel, the result and the column's lists begin, and the panel's number.
func (p *integerProduct) tile(f *function, c *op.Call, rows int, at [5]int) {
	d := newDots(f, rows, p.signed, p.zero)
	if p.dynamic {
		d.by = f.v128()
		f.m.push(f.Code, c.In[2])
		load := byte(i32Load8U)
		if p.signed {
			load = i32Load8S
		}
		f.Uint(load, 0, 0)
		f.SIMD(i16x8Splat)
		f.Set(d.by)
	}
	p.tail.begin(f, d.sums, at[3])
	x, w := f.copied(at[0]), f.copied(at[1])
	f.loop(p.octets(), func() {
		d.add(x, w, 0, 0, p.K)
		f.move(x, octet)
		f.move(w, octetBytes)
	})
	f.parted(at[4], p.N/octet, octet, p.N%octet, func(columns int) {
		for r := range rows {
			p.tail.write(f, d.sums[2*r:][:2], at[2], r*p.rowStep(), at[3], columns)
		}
	})
}
