package geometry

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

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

// Transposed reports which factors attributes say are. Without attributes for it, as those of linear, it is the right one.
func Transposed(attrs graph.Attrs) (left, right bool) {
	left, ok := attrs.Get("transposeA").(bool)
	return left, !ok || attrs.Bool("transposeB")
}

// NewProduct returns the geometry that the attributes give for factors and a result of these shapes.
func NewProduct(attrs graph.Attrs, a, b, out tensor.Shape) Product {
	transposeA, transposeB := Transposed(attrs)
	lead := len(a) - 2
	p := Product{M: a[lead], K: a[lead+1], N: b[lead+1], lead: lead}
	if transposeA {
		p.M, p.K = p.K, p.M
	}
	if transposeB {
		p.N = b[lead]
	}
	copy(p.extent[:], out[:lead])
	left, right := distances(a), distances(b)
	p.LeftAt(a, left[:len(a)], transposeA)
	p.RightAt(b, right[:len(b)], transposeB)
	return p
}

// LeftAt says how far apart neighbours lie along each dimension of the left factor, which has that shape, and RightAt of the right one, where they
// are not as [Distances] has it.
func (p *Product) LeftAt(shape tensor.Shape, distances []int, transposed bool) {
	p.ARow, p.AK = lastTwo(distances, transposed)
	batches(&p.aBatch, shape, distances)
}

// RightAt is LeftAt for the right factor.
func (p *Product) RightAt(shape tensor.Shape, distances []int, transposed bool) {
	p.BK, p.BCol = lastTwo(distances, transposed)
	batches(&p.bBatch, shape, distances)
}

func lastTwo(distances []int, transposed bool) (row, col int) {
	row, col = distances[len(distances)-2], distances[len(distances)-1]
	if transposed {
		return col, row
	}
	return row, col
}

func batches(to *[tensor.MaxRank]int, shape tensor.Shape, distances []int) {
	for d, n := range shape[:len(shape)-2] {
		if to[d] = distances[d]; n == 1 {
			to[d] = 0
		}
	}
}

// Distances returns how far neighbours lie apart along each dimension of a tensor.
func Distances(shape tensor.Shape) []int {
	list := distances(shape)
	return slices.Clone(list[:len(shape)])
}

// Steps returns how far neighbours lie apart along each dimension where elements are counted in row-major order or, within each channel, the first spatial
// dimension counts fastest. Extents of 0 count as 1.
func Steps(shape tensor.Shape, columns bool) []int64 {
	out, step := make([]int64, len(shape)), int64(1)
	for i := range shape {
		d := len(shape) - 1 - i
		if columns && d >= 2 {
			d = 2 + i
		}
		out[d] = step
		step *= int64(max(shape[d], 1))
	}
	return out
}

func distances(shape tensor.Shape) (list [tensor.MaxRank]int) {
	step := 1
	for d := len(shape) - 1; d >= 0; d-- {
		list[d] = step
		step *= shape[d]
	}
	return list
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

// Swapped returns the geometry of the product of the factors' transposes, the right one by the left one, whose result is the transpose of that of p.
func (p *Product) Swapped() Product {
	s := *p
	s.M, s.N, s.ARow, s.AK, s.BK, s.BCol = p.N, p.M, p.BCol, p.BK, p.AK, p.ARow
	s.aBatch, s.bBatch = p.bBatch, p.aBatch
	return s
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
