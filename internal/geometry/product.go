package geometry

import "github.com/concord-nn/concord/tensor"

// Product is the geometry of products of matrices: element (i, k) of a left matrix lies ARow·i + AK·k behind its first one, element (k, j)
// of a right one BK·k + BCol·j. All sizes but those of the leading dimensions are at least 1 where there is a result, K apart.
type Product struct {
	M, N, K  int
	ARow, AK int
	BK, BCol int

	lead           int // dimensions over which matrices are multiplied pair by pair
	extent         [tensor.MaxRank]int
	aBatch, bBatch [tensor.MaxRank]int // distances of matrices; 0 where one is broadcast
}

// NewProduct returns the geometry for factors and a result of these shapes.
func NewProduct(a, b, out tensor.Shape, transposeA, transposeB bool) Product {
	lead := len(a) - 2
	p := Product{M: a[lead], K: a[lead+1], N: b[lead+1], ARow: a[lead+1], AK: 1, BK: b[lead+1], BCol: 1, lead: lead}
	if transposeA {
		p.M, p.K, p.ARow, p.AK = p.K, p.M, 1, p.ARow
	}
	if transposeB {
		p.N, p.BK, p.BCol = b[lead], 1, p.BK
	}
	copy(p.extent[:], out[:lead])
	distances := func(to *[tensor.MaxRank]int, shape tensor.Shape) {
		n := shape[lead] * shape[lead+1]
		for d := lead - 1; d >= 0; d-- {
			if shape[d] != 1 {
				to[d] = n
			}
			n *= shape[d]
		}
	}
	distances(&p.aBatch, a)
	distances(&p.bBatch, b)
	return p
}

// Factors returns the offsets of the row and of the column whose product is element i of the result.
func (p *Product) Factors(i int) (a, b int) {
	a, b = i/p.N%p.M*p.ARow, i%p.N*p.BCol
	for d, at := p.lead-1, i/(p.M*p.N); d >= 0; d-- {
		index := at % p.extent[d]
		a += index * p.aBatch[d]
		b += index * p.bBatch[d]
		at /= p.extent[d]
	}
	return a, b
}

// MatrixSteps returns the distances, in a tensor of rank 2 or less, of the elements that belong to neighbouring rows and columns of a matrix to
// which it broadcasts.
func MatrixSteps(shape tensor.Shape) (row, col int) {
	n := len(shape)
	if n > 0 && shape[n-1] != 1 {
		col = 1
	}
	if n == 2 && shape[0] != 1 {
		row = shape[1]
	}
	return row, col
}
