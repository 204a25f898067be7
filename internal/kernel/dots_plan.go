package kernel

import (
	"fmt"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/tensor"
)

// convolveDots returns the plan of a convolution or deconvolution, nil if it is not one for dot products.
func convolveDots(t *simd.Tier, r Region, form *dotForm) *Plan {
	n := r.Root()
	a := application{n.Attrs, graph.TypesOf(n.In), graph.TypesOf(n.Out)}
	f := newDotFilter(n, 4)
	if a.out[0].Shape.Len() == 0 || f == nil {
		return nil
	}
	v := a.convolution()
	d := newDots(t, n, form, codesOf(r, 1), len(r.Nodes), 3)
	if d == nil || v.Rank > 2 || v.GroupIn == 0 || v.Taps == 0 {
		return nil
	}
	if d.border = v.Border; a.has(2) {
		d.bias = 2
	}
	d.X, d.Y = *v.Last(), geometry.Unmoved
	if v.Rank == 2 {
		d.Y = v.Dim[0]
	}
	if v.Rank == 2 && d.X.Still() && d.Y.Still() { // rows follow one another
		n := d.X.In * d.Y.In
		d.X, d.Y = geometry.Unmoved, geometry.Unmoved
		d.X.In, d.X.Out = n, n
	}
	d.Channels, d.GroupOut, d.In, d.GroupIn = v.Channels, v.GroupOut, a.in[0].Shape[1], v.GroupIn
	d.Plane, d.Apart = [2]int{d.Y.Out, d.X.Out}, [2]int{1, 1}
	f.channel, f.step = n.In[1].Type.Shape[1:].Len(), 1
	list, filters := dots{d}, []*dotFilter{f}
	if v.Up {
		list, filters = d.phases(f)
	}
	p := list.plan(filters, a.in[0].Shape[0], r.Layouts[n.In[0]] == Blocked16)
	if p == nil {
		return nil
	}
	p.In, p.Out = make([]Layout, len(n.In)), []Layout{Blocked16}
	if !list[0].Plain && (v.InPlane > 1 || d.In%block > 0) {
		p.In[0] = Blocked16
	}
	if v.OutPlane == 1 && d.Channels%block == 0 {
		p.Out[0] = Plain
	}
	return p
}

// newDots returns what a convolution or product by dot products of a form begins with: the way of its elements and sums, with what so many nodes from that of
// the sums on make of these and an operand for the zero point of the input. It returns nil if that cannot be.
func newDots(t *simd.Tier, n *graph.Node, form *dotForm, codes *codes, nodes, zero int) *dotConv {
	in := n.In[0].Type.DType
	d := &dotConv{tier: t, form: form, tiles: form.tiles, border: geometry.BorderIgnore, codes: codes, signed: in.IsSigned()}
	if len(n.In) > zero && n.In[zero] != nil && !isZero(n.In[zero]) {
		d.zero = zero
	}
	d.Size, d.Pairs, d.Parts, d.Words, d.Wide, d.Matrices = form.size, form.pairs, 1, in.Size() == 2, n.Out[0].Type.DType == tensor.Int64, 1
	if d.Wide && d.Size == 1 || d.Words && d.zero > 0 || nodes > 1 && codes == nil {
		return nil
	}
	return d
}

// linearRows is the least number of rows of the input of a linear layer with known weights that make one a product; fewer are dot products of rows.
const linearRows = 4

// pairLeast is the least number of multiplications of a pair of matrices that is worth packing the right one.
const pairLeast = 1 << 12

// multiplyDots returns the plan of a product of matrices, nil if it is not one for dot products: a convolution of rows as pixels, whose channels are columns. Of
// a transposed matrix on the left the rows lie as planes. All rows are those of one matrix where there is one on the right; else pairs of matrices are a batch.
func multiplyDots(t *simd.Tier, r Region, form *dotForm) *Plan {
	n := r.Root()
	a, zero, linear := application{n.Attrs, graph.TypesOf(n.In), graph.TypesOf(n.Out)}, 2, n.Op == "linear"
	if linear {
		zero = len(n.In)
	}
	g, f, right := a.product(), newDotFilter(n, 3), a.in[1].Shape
	if a.out[0].Shape.Len() == 0 || g.K == 0 || f == nil {
		return nil
	}
	batch, rows := 1, a.out[0].Shape.Len()/g.N
	if right.Len() != g.K*g.N {
		batch, rows = rows/g.M, g.M
	}
	if g.AK != 1 && rows != g.M || batch > 1 && g.M*g.K*g.N < pairLeast ||
		!linear && (!a.zerosAlong(3, 1) || a.has(2) && a.in[2].Shape.Len() != 1) || len(f.zeros) > 1 && len(f.zeros) != g.N ||
		linear && (g.M < linearRows || f.elements == nil) {
		return nil
	}
	if l := (rowDots{Product: g}); !linear && (form.pairs || form.size == 2) && t.RowDots.Exists() && l.single(&a, f) {
		return nil // whose matrix is read as bytes
	}
	tail, bias := addedTo(r, g.N)
	d := newDots(t, n, form, codesOf(tail, -1), len(tail.Nodes), zero)
	if d == nil {
		return nil
	}
	if linear && a.has(2) {
		if bias > 0 {
			return nil
		}
		bias = 2
	}
	f.channel, f.step = g.BCol, g.BK
	d.product, d.planar, d.bias, d.factors, d.Matrices = true, g.AK != 1, bias, g, right.Len()/(g.K*g.N)
	d.X, d.Y = geometry.Unmoved, geometry.Unmoved
	d.X.In, d.X.Out = rows, rows
	d.Channels, d.GroupOut, d.In, d.GroupIn = g.N, g.N, g.K, g.K
	return dots{d}.plan([]*dotFilter{f}, batch, true)
}

// addedTo returns the nodes from that on which adds to the sums of a product an integer for each of the columns, or for all, and which operand that is; all
// nodes and 0 if none does.
func addedTo(r Region, columns int) (Region, int) {
	if len(r.Nodes) == 1 {
		return r, 0
	}
	n, sums := r.Nodes[1], r.Root().Out[0]
	v := other(n, sums)
	if v == nil || v == sums || n.Attrs.String("overflow") == "saturate" {
		return r, 0
	}
	if shape := v.Type.Shape; shape.Len() != 1 && (shape.Len() != columns || shape[len(shape)-1] != columns) {
		return r, 0
	}
	return Region{Nodes: r.Nodes[1:]}, len(r.Root().In)
}

// phases returns the convolutions that a deconvolution consists of, and their filters; none if they are not such or too many.
func (d *dotConv) phases(f *dotFilter) (list dots, filters []*dotFilter) {
	const most = 16
	x, y := d.X, d.Y
	if x.Dilation != 1 || y.Dilation != 1 || x.Stride > most/y.Stride || d.codes != nil && d.codes.args.Form == 1 {
		return nil, nil
	}
	d.Apart = [2]int{y.Stride, x.Stride}
	f.outs = d.GroupOut
	for i := range y.Stride {
		for j := range x.Stride {
			d, f := *d, *f
			d.Phase = [2]int{i, j}
			d.Y, f.y = phase(y, i)
			d.X, f.x = phase(x, j)
			if d.Y.Out > 0 && d.X.Out > 0 {
				list, filters = append(list, &d), append(filters, &f)
			}
		}
	}
	return list, filters
}

// phase returns how a window slides over the operand of a deconvolution for the results p, p + stride, and so on, and which of its positions the
// elements of that window are.
func phase(s geometry.Slide, p int) (geometry.Slide, upTaps) {
	before := geometry.FloorDiv(p+s.Before, s.Stride)
	k := p + s.Before - before*s.Stride // the first position that meets an element; the others lie strides apart
	n := max(geometry.CeilDiv(s.Size-k, s.Stride), 1)
	taps := upTaps{n: n, last: k, step: s.Stride, size: s.Size}
	return geometry.Slide{In: s.In, Out: geometry.CeilDiv(s.Out-p, s.Stride), Size: n, Stride: 1, Dilation: 1, Before: n - 1 - before}, taps
}

// plan returns the plan of convolutions of the items of a batch, without layouts, or nil if one of them cannot be.
func (l dots) plan(filters []*dotFilter, batch int, blocked bool) *Plan {
	p, packs, pieces := &Plan{Run: l.run}, 0, 0
	for i, d := range l {
		f := filters[i]
		if d.Words && !f.within(wordsTogether) {
			d.Parts = 2
		}
		if !f.within(8*d.Size) || f.zero > 0 && (d.Size == 1 || f.dtype.Size() > 1) || !d.divide(blocked) || d.steps > stepsMost && !d.Wide || d.Pairs && !d.pairsWell(f) {
			return nil
		}
		d.pieces = batch * d.across * d.down * d.chunks
		p.Scratch = max(p.Scratch, d.scratch())
		size := d.weightsAt + d.chunks*d.chunkBytes
		if d.packedApart = (size + 63) &^ 63; d.Matrices > 1 && d.packedApart > packedMost/d.Matrices {
			return nil
		}
		if f.elements != nil {
			d.packedAt = len(p.Pack)
			p.Pack = append(p.Pack, Pack{From: f.elements, Form: fmt.Sprintf("dots %+v by %+v", d.dotGeometry, f.dotOrder), Size: (d.Matrices-1)*d.packedApart + size,
				Fill: func(dst []byte, i, n int) { d.fill(dst, f, i, n) }})
		} else {
			d.filter, d.packs, d.packedAt = f, d.Matrices*d.chunks, p.Shared
			p.Shared += d.Matrices * d.packedApart
			p.Scratch = max(p.Scratch, stripAt+2*d.bufferLen())
		}
		packs, pieces = packs+d.packs, pieces+d.pieces
		p.Nanos += int64(batch) * int64(d.Y.Out) * int64(d.X.Out) * int64(d.Channels) * int64(d.steps) * dotBytes / int64(d.Size) / 100
	}
	if p.Pieces = packs + pieces; pieces == 0 {
		return nil
	}
	if packs > 0 {
		p.Rounds = []int{packs, pieces}
	}
	return p
}
