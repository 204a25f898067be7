package wasm

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/wasmobj"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// product is a product of matrices of float32, plus a list by column.
type product struct {
	geometry.Product
	n       *graph.Node
	bias    []float32
	rows    int  // of a left matrix; of all of them where the right one is the same
	batches int  // of matrices that are multiplied pair by pair
	packed  bool // whether the right matrix is a constant, in panels
}

const (
	panelColumns = 8 // columns that are summed up at once: two vectors,
	panelRows    = 5 // of as many rows
	panelBytes   = 4 * panelColumns
)

func multiplyColumns(r kernel.Region) *kernel.Plan {
	n := r.Root()
	if len(r.Nodes) > 1 || r.Sources > 0 || n.Out[0].Type.Shape.Len() == 0 {
		return nil
	}
	a, b, out := n.In[0].Type.Shape, n.In[1].Type.Shape, n.Out[0].Type
	transposeA, transposeB := false, n.Op == "linear"
	if n.Op != "linear" {
		transposeA, transposeB = n.Attrs.Bool("transposeA"), n.Attrs.Bool("transposeB")
	}
	if n.Op == "gemm" && (n.Attrs.Float("alpha") != 1 || n.Attrs.Float("beta") != 1) {
		return nil
	}
	p := &product{Product: geometry.NewProduct(a, b, out.Shape, transposeA, transposeB), n: n, batches: out.Shape[:len(out.Shape)-2].Len()}
	p.rows = p.M
	if p.K == 0 {
		return nil
	}
	if b[:len(b)-2].Len() == 1 && !transposeA {
		p.rows, p.batches = p.M*p.batches, 1
	}
	p.packed = p.batches == 1 && n.In[1].Const != nil
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
	plan := &kernel.Plan{Pieces: p.batches * p.panels(), Code: makes(p.make)}
	if !p.packed {
		plan.Scratch = p.K * panelBytes
	}
	return plan
}

func (p *product) panels() int { return geometry.CeilDiv(p.N, panelColumns) }

// pack returns the matrix by panel, row, column.
func (p *product) pack() []byte {
	b := tensor.Data[float32](p.n.In[1].Const)
	out := make([]byte, p.panels()*p.K*panelBytes)
	for j := range p.N {
		for k := range p.K {
			binary.LittleEndian.PutUint32(out[4*((j/panelColumns*p.K+k)*panelColumns+j%panelColumns):], math.Float32bits(b[k*p.BK+j*p.BCol]))
		}
	}
	return out
}

// make adds the function that computes panels of all rows. A piece is a panel of a pair of matrices.
func (p *product) make(m *maker, c *op.Call) (int, error) {
	weights, list := 0, -1
	if p.packed {
		weights = m.constant(p.pack())
	}
	if len(p.bias) > 0 {
		bias := newMemory(panelBytes * p.panels())
		for j := range len(bias.Bytes) / 4 {
			binary.LittleEndian.PutUint32(bias.Bytes[4*j:], math.Float32bits(p.bias[min(j, len(p.bias)-1)]))
		}
		list = m.add(bias)
	}
	f := m.newFunction(kernelType)
	f.pieces(func(piece int) {
		batch, panel := f.divided(piece, p.panels())
		x, w, out := f.i32(), f.i32(), f.i32()
		f.address(x, func() { m.push(f.Code, c.In[0].Bytes()) })
		f.address(out, func() { m.push(f.Code, c.Out[0].Bytes()) }, term{batch, 4 * p.M * p.N}, term{panel, panelBytes})
		if p.packed {
			f.address(w, func() { f.Ref(wasmobj.ToData, m.weights, weights) }, term{panel, panelBytes * p.K})
		} else {
			f.address(w, func() { m.push(f.Code, c.In[1].Bytes()) }, term{panel, panelBytes * p.BCol})
			p.choose(f, batch, x, w)
			p.bring(f, c, w, panel)
		}
		f.Get(x)
		f.Get(w)
		f.Get(out)
		if list >= 0 {
			f.Ref(wasmobj.ToData, list, 0)
			f.Get(panel)
			f.I32(panelBytes)
			f.Op(i32Mul, i32Add)
		} else {
			f.I32(0)
		}
		f.Get(panel)
		f.Ref(wasmobj.ToFunc, p.panel(m), 0)
	})
	return m.addFunc("", kernelType, f.Code), nil
}

// choose moves locals to the pair of matrices of that number.
func (p *product) choose(f *function, batch, x, w int) {
	if p.batches == 1 {
		return
	}
	shape := p.n.Out[0].Type.Shape
	rest := batch
	for d := len(shape) - 3; d >= 0; d-- {
		if shape[d] == 1 {
			continue
		}
		index := 0
		rest, index = f.divided(rest, shape[d])
		for i, at := range []int{x, w} {
			if s := p.n.In[i].Type.Shape; s[d] > 1 {
				f.address(at, func() { f.Get(at) }, term{index, 4 * s[d+1:].Len()})
			}
		}
	}
}

// bring brings a panel of a computed matrix into working memory, and sets the local to where it is.
func (p *product) bring(f *function, c *op.Call, w, panel int) {
	whole := p.N % panelColumns
	if whole == 0 || p.BCol == 1 { // columns behind the last one may be anything
		whole = panelColumns
	}
	bring := func(columns int) {
		f.Get(w)
		f.m.push(f.Code, c.Scratch)
		f.Ref(wasmobj.ToFunc, p.packer(f.m, columns), 0)
	}
	if whole == panelColumns {
		bring(panelColumns)
	} else {
		f.Get(panel)
		f.I32(int32(p.panels() - 1))
		f.Op(i32Ne, opIf, noResult)
		bring(panelColumns)
		f.Op(opElse)
		bring(whole)
		f.Op(opEnd)
	}
	f.m.push(f.Code, c.Scratch)
	f.Set(w)
}

// packer returns the function that copies a panel of so many columns from one address to another.
func (p *product) packer(m *maker, columns int) int {
	return m.shared(fmt.Sprintf("panel of %d×%d, %d and %d apart", p.K, columns, p.BK, p.BCol), words(2), func(f *function) {
		from, to := 0, 1
		if p.BCol == 1 {
			v := f.v128()
			f.loop(p.K, func() {
				for i := range 2 {
					f.load(from, 16*i)
					f.Set(v)
					f.store(to, 16*i, v)
				}
				f.move(from, 4*p.BK)
				f.move(to, panelBytes)
			})
			return
		}
		// Columns lie together: four by four elements are transposed.
		at := func(j int) int { return 4 * min(j, columns-1) * p.BCol }
		if p.K >= 4 {
			v := [4]int{f.v128(), f.v128(), f.v128(), f.v128()}
			f.loop(p.K/4, func() {
				for half := range 2 {
					for i := range v {
						f.load(from, at(4*half+i))
						f.Set(v[i])
					}
					f.transpose(v)
					for i := range v {
						f.store(to, panelBytes*i+16*half, v[i])
					}
				}
				f.move(from, 16)
				f.move(to, 4*panelBytes)
			})
		}
		for k := range p.K % 4 {
			for j := range panelColumns {
				f.Get(to)
				f.Get(from)
				f.Uint(i32Load, 0, uint64(4*k+at(j)))
				f.Uint(i32Store, 0, uint64(panelBytes*k+4*j))
			}
		}
	})
}

// transpose exchanges rows and columns of four vectors.
func (f *function) transpose(v [4]int) {
	shuffled := func(a, b int, order ...byte) int {
		t := f.v128()
		f.Get(a)
		f.Get(b)
		f.SIMD(i8x16Shuffle)
		for _, lane := range order {
			f.Op(4*lane, 4*lane+1, 4*lane+2, 4*lane+3)
		}
		f.Set(t)
		return t
	}
	low, high := shuffled(v[0], v[1], 0, 4, 1, 5), shuffled(v[0], v[1], 2, 6, 3, 7)
	low2, high2 := shuffled(v[2], v[3], 0, 4, 1, 5), shuffled(v[2], v[3], 2, 6, 3, 7)
	for i, pair := range [][2]int{{low, low2}, {high, high2}} {
		for k, order := range [][]byte{{0, 1, 4, 5}, {2, 3, 6, 7}} {
			f.Get(shuffled(pair[0], pair[1], order...))
			f.Set(v[2*i+k])
		}
	}
}

// panel returns the function that computes a panel. It is given where the rows, the panel, the result and what is added begin, and its number.
func (p *product) panel(m *maker) int {
	name := fmt.Sprintf("product %d×%d×%d, %d and %d apart, %t", p.rows, p.K, p.N, p.ARow, p.AK, len(p.bias) > 0)
	return m.shared(name, words(5), func(f *function) {
		x, w, out, adding, panel := 0, 1, 2, 3, 4
		if len(p.bias) == 0 {
			adding = -1
		}
		rows := func(n, times int) {
			f.loop(times, func() {
				p.tile(f, n, x, w, out, adding, panel)
				f.move(x, 4*n*p.ARow)
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
}

// tile computes a panel of n rows.
func (p *product) tile(f *function, n, rows, panelAt, out, adding, panel int) {
	x, w := f.i32(), f.i32()
	f.Get(rows)
	f.Set(x)
	f.Get(panelAt)
	f.Set(w)
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
				f.load(w, panelBytes*k+16*i)
				f.Set(b[i])
			}
			for r := range n {
				f.splat(x, 4*(r*p.ARow+k*p.AK))
				f.Set(element)
				for i := range b {
					f.madd(sums[2*r+i], func() { f.Get(element) }, func() { f.Get(b[i]) })
				}
			}
		}
		f.move(x, 4*unroll*p.AK)
		f.move(w, panelBytes*unroll)
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
