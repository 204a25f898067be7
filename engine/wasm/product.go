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
	rows    int     // of a left matrix; of all of them where the right one is the same
	batches int     // of matrices that are multiplied pair by pair
	packed  bool    // whether the right matrix is a constant, in panels
	wide    bool    // whether sums are those of float64
	least   float32 // the least magnitude of an element of the right matrix but 0, 0 if that is not known
}

const (
	panelColumns = 8 // columns that are summed up at once: two vectors,
	panelRows    = 5 // of as many rows
	panelBytes   = 4 * panelColumns
)

func multiplyColumns(r kernel.Region) *kernel.Plan {
	n := r.Root()
	if len(r.Nodes) > 1 || n.Out[0].Type.Shape.Len() == 0 {
		return nil
	}
	a, b, out := n.In[0].Type.Shape, n.In[1].Type.Shape, n.Out[0].Type
	if n.Op == "gemm" && (n.Attrs.Float("alpha") != 1 || n.Attrs.Float("beta") != 1) {
		return nil
	}
	p := &product{Product: geometry.NewProduct(n.Attrs, a, b, out.Shape), n: n, batches: out.Shape[:len(out.Shape)-2].Len()}
	p.rows = p.M
	if p.K == 0 {
		return nil
	}
	if transposed, _ := geometry.Transposed(n.Attrs); b[:len(b)-2].Len() == 1 && !transposed { // Without this each matrix of a batch would be multiplied by itself.
		p.rows, p.batches = p.M*p.batches, 1
	}
	p.packed = p.batches == 1 && n.In[1].Const != nil
	if len(n.In) > 2 && n.In[2] != nil { // a bias: floats have no zero points
		if p.bias = listOf(n.In[2], out, len(out.Shape)-1); p.bias == nil {
			return nil
		}
	}
	plan := &kernel.Plan{Pieces: p.batches * geometry.CeilDiv(p.panels(), p.together()), Code: makes(p.make)}
	if !p.packed {
		plan.Scratch = p.K * panelBytes
	}
	return plan
}

func (p *product) panels() int { return geometry.CeilDiv(p.N, panelColumns) }

// together returns how many panels are computed at once: several, where there are too few rows to keep the processor busy with one.
func (p *product) together() int {
	if !p.packed || p.rows > 2 {
		return 1
	}
	return 4 / p.rows
}

// exactly returns the function that computes one row of one panel by [function.madd].
func (p *product) exactly(m *maker) int {
	one := *p
	one.rows, one.wide = 1, false
	return one.some(m, 1)
}

// held returns where the matrix lies in the weights, by panel, row, column.
func (p *product) held(m *maker, key any, matrix []float32) int {
	return m.held.packed(key, p.panels()*p.K*panelBytes, func(out []byte) { p.pack(matrix, out) })
}

func (p *product) pack(b []float32, out []byte) {
	for j := range p.N {
		for k := range p.K {
			binary.LittleEndian.PutUint32(out[4*((j/panelColumns*p.K+k)*panelColumns+j%panelColumns):], math.Float32bits(b[k*p.BK+j*p.BCol]))
		}
	}
}

// make adds the function that computes panels of all rows. A piece is a panel, or some together, of a pair of matrices.
func (p *product) make(m *maker, c *op.Call) (int, error) {
	weights, list := 0, -1
	p.wide = m.level == Emulated
	if p.packed {
		matrix := tensor.Data[float32](p.n.In[1].Const)
		weights, p.least = p.held(m, p, matrix), leastOf(matrix)
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
		batch, panel := f.divided(piece, geometry.CeilDiv(p.panels(), p.together()))
		f.address(panel, func() { f.I32(0) }, term{panel, p.together()})
		w, x := f.i32(), f.sum(func() { m.push(f.Code, c.In[0]) })
		out := f.sum(func() { m.push(f.Code, c.Out[0]) }, term{batch, 4 * p.M * p.N}, term{panel, panelBytes})
		if p.packed {
			f.address(w, func() { f.Ref(wasmobj.ToData, m.weights, weights) }, term{panel, panelBytes * p.K})
		} else {
			f.address(w, func() { m.push(f.Code, c.In[1]) }, term{panel, panelBytes * p.BCol})
			p.choose(f, batch, x, w)
			p.bring(f, c, w, panel)
		}
		p.call(f, x, w, out, func() {
			if list < 0 {
				f.I32(0)
				return
			}
			f.Ref(wasmobj.ToData, list, 0)
			f.Get(panel)
			f.I32(panelBytes)
			f.Op(i32Mul, i32Add)
		}, panel)
	})
	return m.addFunc("", kernelType, f.Code), nil
}

// call calls the function of panels from one on: of as many as are computed together, or of those that are left.
func (p *product) call(f *function, x, w, out int, adding func(), panel int) {
	rest := p.panels() % p.together()
	f.parted(panel, p.panels()-rest, p.together(), rest, func(panels int) {
		f.Get(x)
		f.Get(w)
		f.Get(out)
		adding()
		f.Get(panel)
		f.Ref(wasmobj.ToFunc, p.some(f.m, panels), 0)
	})
}

// choose moves locals to the pair of matrices of that number.
func (p *product) choose(f *function, batch, x, w int) {
	if p.batches == 1 { // Without this it would move by nothing.
		return
	}
	shape := p.n.Out[0].Type.Shape
	rest := batch
	for d := len(shape) - 3; d >= 0; d-- {
		if shape[d] == 1 { // Without this it would move by nothing.
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
	rest := p.N % panelColumns
	if p.BCol == 1 { // columns behind the last one may be anything
		rest = 0
	}
	f.parted(panel, p.N/panelColumns, panelColumns, rest, func(columns int) {
		f.Get(w)
		f.m.pushScratch(f.Code, c.Scratch)
		f.Ref(wasmobj.ToFunc, p.packer(f.m, columns), 0)
	})
	f.m.pushScratch(f.Code, c.Scratch)
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
		f.shuffled(a, b, order)
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

// some returns the function that computes so many panels. It is given where the rows, the panels, the result and what is added begin, and the number of
// the first one.
func (p *product) some(m *maker, panels int) int {
	name := fmt.Sprintf("product %d×%d×%d, %d and %d apart, %t, %d panels %t %v", p.rows, p.K, p.N, p.ARow, p.AK, len(p.bias) > 0, panels, p.wide, p.least)
	return m.shared(name, words(5), func(f *function) {
		t := productTile{product: p, panels: panels, x: 0, w: 1, out: 2, adding: 3, first: 4}
		most := panelRows
		if p.wide { // Without this tiles would have more sums than there are registers.
			most = 2
		}
		f.runs(p.rows, most, func(n int) {
			t.rows = n
			t.compute(f)
			f.move(t.x, 4*n*p.ARow)
			f.move(t.out, n*p.N*4)
		})
	})
}

// all returns the function of all panels, which is given where the rows, the panels and the result begin.
func (p *product) all(m *maker) int {
	return m.shared(fmt.Sprintf("products %d×%d×%d %v", p.rows, p.K, p.N, p.least), words(3), func(f *function) {
		x, w, out, panel := 0, 1, 2, f.i32()
		f.loop(geometry.CeilDiv(p.panels(), p.together()), func() {
			p.call(f, x, w, out, func() { f.I32(0) }, panel)
			f.move(w, p.together()*panelBytes*p.K)
			f.move(out, p.together()*panelBytes)
			f.move(panel, p.together())
		})
	})
}

// productTile is some rows of some panels, whose sums fit into registers. Its other fields are locals.
type productTile struct {
	*product
	rows, panels, x, w, out, adding, first int
}

func (t *productTile) compute(f *function) {
	x, w := f.copied(t.x), f.copied(t.w)
	sums := f.newSums(2*t.rows*t.panels, t.wide, t.least) // by panel, row, vector
	sums.clear()
	b := [2]factor{sums.newFactor(), sums.newFactor()}
	elements := make([]factor, t.rows)
	for i := range elements {
		if i == 0 || t.panels > 1 {
			elements[i] = sums.newFactor()
		} else {
			elements[i] = elements[0] // one after the other
		}
	}
	f.runs(t.K, 4, func(unroll int) {
		for k := range unroll {
			one := make([]factor, t.rows)
			element := func(r int) { one[r] = sums.splat(elements[r], x, 4*(r*t.ARow+k*t.AK)) }
			for r := range t.rows {
				if t.panels > 1 {
					element(r)
				}
			}
			for panel := range t.panels {
				for i := range b {
					sums.load(b[i], w, panelBytes*(panel*t.K+k)+16*i, false)
				}
				for r := range t.rows {
					if t.panels == 1 {
						element(r)
					}
					for i := range b {
						sums.add(2*(panel*t.rows+r)+i, one[r], b[i])
					}
				}
			}
		}
		f.move(x, 4*unroll*t.AK)
		f.move(w, panelBytes*unroll)
	})
	if t.wide {
		t.again(f, sums)
	}
	made := sums.finish()
	for i, sum := range made {
		if len(t.bias) > 0 {
			f.Get(sum)
			f.load(t.adding, i/(2*t.rows)*panelBytes+i%2*16)
			f.SIMD(f32x4Add)
			f.Set(sum)
		}
		f.canonical(sum)
	}
	for panel := range t.panels {
		t.write(f, made[2*panel*t.rows:][:2*t.rows], panel)
	}
	if t.wide {
		f.Op(opEnd)
	}
}

// again computes the tile by other means if there are doubts about the sums, and begins what is done else.
func (t *productTile) again(f *function, sums *sums) {
	exact := t.exactly(f.m)
	sums.doubts()
	f.Op(opIf, noResult)
	for panel := range t.panels {
		for r := range t.rows {
			at := func(local, offset int) {
				f.Get(local)
				f.I32(int32(offset))
				f.Op(i32Add)
			}
			at(t.x, 4*r*t.ARow)
			at(t.w, panel*panelBytes*t.K)
			at(t.out, 4*r*t.N+panel*panelBytes)
			at(t.adding, panel*panelBytes)
			at(t.first, panel)
			f.Ref(wasmobj.ToFunc, exact, 0)
		}
	}
	f.Op(opElse)
}

// write writes the sums of a panel. The last one of all has fewer columns.
func (t *productTile) write(f *function, sums []int, panel int) {
	write := func(columns int) {
		for i, sum := range sums {
			at := panel*panelBytes + i/2*t.N*4 + i%2*16
			if left := columns - i%2*4; left >= 4 {
				f.store(t.out, at, sum)
			} else {
				for lane := range max(left, 0) {
					f.Get(t.out)
					f.Get(sum)
					f.SIMD(v128Store32Lane, vectorMemory, uint64(at+4*lane))
					f.Op(byte(lane))
				}
			}
		}
	}
	rest := t.N % panelColumns
	if panel < t.panels-1 {
		rest = 0
	}
	f.parted(t.first, t.product.panels()-t.panels, panelColumns, rest, write)
}
