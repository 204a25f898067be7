package op

import "github.com/concord-nn/concord/tensor"

// product is the geometry of one evaluation of a matrix product: element (i, k) of the left matrix lies at i·aRow + k·aK,
// element (k, j) of the right one at k·bK + j·bCol.
type product struct {
	m, n, k  int
	aRow, aK int
	bK, bCol int
	batch    cursor // over the leading dimensions; operands 0 and 1 are the first elements of the matrices

	at, stop int // the elements of the result that are left
	row, col int // where they begin in their matrix

	first, width int // the part of a row to compute: its first element in the result, and how many
	a, b         int // where the row and the first column lie in the factors
}

// start describes the product of operands 0 and 1, of which the elements lo…hi-1 are wanted; there must be some.
func (p *product) start(c *Call, transposeA, transposeB bool, lo, hi int) {
	a, b := c.In[0].Shape(), c.In[1].Shape()
	lead := len(a) - 2
	*p = product{m: a[lead], k: a[lead+1], n: b[lead+1], aRow: a[lead+1], aK: 1, bK: b[lead+1], bCol: 1}
	if transposeA {
		p.m, p.k, p.aRow, p.aK = p.k, p.m, 1, p.aRow
	}
	if transposeB {
		p.n, p.bK, p.bCol = b[lead], 1, p.bK
	}
	p.batch = newCursor(c.Out[0].Shape()[:lead])
	p.batch.operands(a[:lead], b[:lead])
	for d := range lead {
		p.batch.stride[0][d] *= a[lead] * a[lead+1]
		p.batch.stride[1][d] *= b[lead] * b[lead+1]
	}
	p.batch.seek(lo / (p.m * p.n))
	p.at, p.stop, p.row, p.col = lo, hi, lo/p.n%p.m, lo%p.n
}

// next moves to the next part of a row, of the given width at most, and reports whether there is one.
func (p *product) next(width int) bool {
	if p.at == p.stop {
		return false
	}
	if p.col == p.n {
		p.col = 0
		if p.row++; p.row == p.m {
			p.row = 0
			p.batch.next()
		}
	}
	p.first, p.width = p.at, min(p.n-p.col, p.stop-p.at, width)
	p.a = p.batch.pos[0] + p.row*p.aRow
	p.b = p.batch.pos[1] + p.col*p.bCol
	p.at += p.width
	p.col += p.width
	return true
}

// columnTile is how many columns that lie apart are computed at a time, so that they stay in the nearest cache even
// where they share its sets.
const columnTile = 8

// rowProduct sets y[j] to ∑ a[i·aK]·b[i·bK+j·bCol] over i < k, by one fused multiply-add for each i from +0 on.
func rowProduct(y []float32, k int, a []float32, aK int, b []float32, bK, bCol int) {
	clear(y)
	tile := len(y)
	if bCol != 1 {
		tile = columnTile
	}
	for j := 0; j < len(y); j += tile {
		part := y[j:min(j+tile, len(y))]
		for i := range k {
			addFloatTaps(part, 1, b[i*bK+j*bCol:], bCol, a[i*aK], len(part))
		}
	}
}

// integerTile is how many columns of a row of integers are computed at a time, and of how many elements of a row of the left matrix.
const integerTile = 128

// integers computes the current part of a row, at most integerTile wide, into sums. They are exact modulo 2^64, hence
// right in any integer type to which they are cut.
func (p *product) integers(sums []int64, a, b *tensor.Tensor) {
	clear(sums)
	var tile [integerTile]int64
	for k := 0; k < p.k; k += integerTile {
		left := tile[:min(integerTile, p.k-k)]
		loadWeights(left, a, p.a+k*p.aK, p.aK)
		at := p.b + k*p.bK
		switch b.DType() {
		case tensor.Int8:
			addProducts(p, sums, left, tensor.Data[int8](b)[at:])
		case tensor.Int16:
			addProducts(p, sums, left, tensor.Data[int16](b)[at:])
		case tensor.Int32:
			addProducts(p, sums, left, tensor.Data[int32](b)[at:])
		case tensor.Int64:
			addProducts(p, sums, left, tensor.Data[int64](b)[at:])
		case tensor.Uint8:
			addProducts(p, sums, left, tensor.Data[uint8](b)[at:])
		case tensor.Uint16:
			addProducts(p, sums, left, tensor.Data[uint16](b)[at:])
		case tensor.Uint32:
			addProducts(p, sums, left, tensor.Data[uint32](b)[at:])
		case tensor.Uint64:
			addProducts(p, sums, left, tensor.Data[uint64](b)[at:])
		}
	}
}

// addProducts adds the products of some elements of a row of the left matrix with the right one, which begins at their first partner. It goes
// along what is contiguous there, four rows or columns at a time: of a row four products share a sum, of a column the element on the left.
func addProducts[B tensor.Integer](p *product, sums, left []int64, b []B) {
	const together = 4
	i, n := 0, len(left)
	if p.bK == 1 {
		for ; i+together <= len(sums); i += together {
			b := b[i*p.bCol:]
			b0, b1, b2, b3 := b[:n], b[p.bCol:][:n], b[2*p.bCol:][:n], b[3*p.bCol:][:n]
			var s0, s1, s2, s3 int64
			for k, v := range left {
				s0 += v * int64(b0[k])
				s1 += v * int64(b1[k])
				s2 += v * int64(b2[k])
				s3 += v * int64(b3[k])
			}
			sums[i] += s0
			sums[i+1] += s1
			sums[i+2] += s2
			sums[i+3] += s3
		}
		for ; i < len(sums); i++ {
			for k, v := range b[i*p.bCol:][:n] {
				sums[i] += left[k] * int64(v)
			}
		}
		return
	}
	for m := len(sums); i+together <= n; i += together {
		b, v0, v1, v2, v3 := b[i*p.bK:], left[i], left[i+1], left[i+2], left[i+3]
		b0, b1, b2, b3 := b[:m], b[p.bK:][:m], b[2*p.bK:][:m], b[3*p.bK:][:m]
		for j := range sums {
			sums[j] += v0*int64(b0[j]) + v1*int64(b1[j]) + v2*int64(b2[j]) + v3*int64(b3[j])
		}
	}
	for ; i < n; i++ {
		addTaps(sums, 1, b[i*p.bK:], 1, left[i], len(sums))
	}
}

func matmulFloats(c *Call, lo, hi int) {
	floatProduct(c, lo, hi, c.Bool("transposeA"), c.Bool("transposeB"))
}

// floatProduct computes the elements lo…hi-1 of the product.
func floatProduct(c *Call, lo, hi int, transposeA, transposeB bool) {
	if lo >= hi {
		return
	}
	a, b, y := tensor.Data[float32](c.In[0]), tensor.Data[float32](c.In[1]), tensor.Data[float32](c.Out[0])
	var p product
	p.start(c, transposeA, transposeB, lo, hi)
	for p.next(hi - lo) {
		if p.k == 0 {
			clear(y[p.first:][:p.width])
			continue
		}
		rowProduct(y[p.first:][:p.width], p.k, a[p.a:], p.aK, b[p.b:], p.bK, p.bCol)
	}
}

func linearFloats(c *Call, lo, hi int) {
	floatProduct(c, lo, hi, false, true)
	if !c.Has(2) {
		return
	}
	y, bias, n := tensor.Data[float32](c.Out[0]), tensor.Data[float32](c.In[2]), c.Out[0].Shape()[1]
	for i := lo; i < hi; i++ {
		y[i] = canonical(y[i] + bias[i%n%len(bias)])
	}
}

func gemmFloats(c *Call, lo, hi int) {
	floatProduct(c, lo, hi, c.Bool("transposeA"), c.Bool("transposeB"))
	y, alpha, beta := tensor.Data[float32](c.Out[0]), float32(c.Float("alpha")), float32(c.Float("beta"))
	if alpha != 1 {
		for i := lo; i < hi; i++ {
			y[i] = canonical(y[i] * alpha)
		}
	}
	if !c.Has(2) || lo >= hi {
		return
	}
	addend, n, row, col := tensor.Data[float32](c.In[2]), c.Out[0].Shape()[1], 0, 0
	if s := c.In[2].Shape(); len(s) > 0 && s[len(s)-1] != 1 {
		col = 1
	}
	if s := c.In[2].Shape(); len(s) == 2 && s[0] != 1 {
		row = s[1]
	}
	for i := lo; i < hi; i++ {
		v := addend[i/n*row+i%n*col]
		if beta != 1 {
			v = float32(v * beta)
		}
		y[i] = canonical(y[i] + v)
	}
}

func matmulIntegers(c *Call, lo, hi int) {
	integerProduct(c, lo, hi, c.Bool("transposeA"), c.Bool("transposeB"))
}

func linearIntegers(c *Call, lo, hi int) { integerProduct(c, lo, hi, false, true) }

// integerProduct computes the elements lo…hi-1 of the product, plus operand 2 if there is one.
func integerProduct(c *Call, lo, hi int, transposeA, transposeB bool) {
	if lo >= hi {
		return
	}
	var tile [integerTile]int64
	y32, y64 := tensor.Data[int32](c.Out[0]), tensor.Data[int64](c.Out[0])
	var p product
	p.start(c, transposeA, transposeB, lo, hi)
	for p.next(integerTile) {
		sums := tile[:p.width]
		p.integers(sums, c.In[0], c.In[1])
		if c.Has(2) {
			addIntegerBias(sums, c.In[2], p.first%p.n)
		}
		for j, v := range sums {
			if y32 != nil {
				y32[p.first+j] = int32(v)
			} else {
				y64[p.first+j] = v
			}
		}
	}
}

// addIntegerBias adds a bias of one element, or of one for each column from the given one on.
func addIntegerBias(sums []int64, bias *tensor.Tensor, column int) {
	var b [integerTile]int64
	if bias.Len() == 1 {
		loadWeights(b[:len(sums)], bias, 0, 0)
	} else {
		loadWeights(b[:len(sums)], bias, column, 1)
	}
	for j := range sums {
		sums[j] += b[j]
	}
}
