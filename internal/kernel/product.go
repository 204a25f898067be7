package kernel

import (
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Matrix products: a part of a row of the result at a time.
var productKernels = []Kernel{
	{Name: "rows", Op: "matmul", In: []op.Types{floats, floats}, Prepare: ofFloats(multiplyFloats[float32], multiplyFloats[float64])},
	{Name: "rows of integers", Op: "matmul", In: []op.Types{op.Integers, op.Integers}, Prepare: summed(-1, multiplyIntegers(false))},
	{Name: "rows", Op: "linear", In: []op.Types{floats, floats}, Prepare: ofFloats(multiplyFloats[float32], multiplyFloats[float64])},
	{Name: "rows of integers", Op: "linear", In: []op.Types{op.Integers, op.Integers}, Prepare: summed(-1, multiplyIntegers(true))},
	{Name: "rows", Op: "gemm", In: []op.Types{floats, floats}, Prepare: ofFloats(multiplyFloats[float32], multiplyFloats[float64])},
}

// product returns the geometry of an operator on matrices.
func (a *application) product() *geometry.Product {
	p := geometry.NewProduct(a.Attrs, a.in[0].Shape, a.in[1].Shape, a.out[0].Shape)
	return &p
}

// eachPart calls f for the parts of rows that the elements lo…hi-1 of a result consist of, of the given width at most: with the first
// element of a part, its width, and where its row and its first column lie in the factors. It ends early if the evaluation should.
func eachPart(c *op.Call, p *geometry.Product, lo, hi, most int, f func(at, width, a, b int)) {
	for watch := c.Watch(); lo < hi; {
		width := min(p.N-lo%p.N, hi-lo, most)
		if watch.Stops(width * p.K) {
			return
		}
		a, b := p.Factors(lo)
		f(lo, width, a, b)
		lo += width
	}
}

// multiplyFloats prepares matmul, linear and gemm.
func multiplyFloats[T fmath.Float](a *application) *Plan {
	p, s := a.product(), scalingOf[T](a)
	var row, column int
	if a.has(2) {
		row, column = geometry.MatrixSteps(a.in[2].Shape)
	}
	return evenly(a.out[0].Shape.Len(), func(c *op.Call, lo, hi int) {
		x, w, y := tensor.Data[T](c.In[0]), tensor.Data[T](c.In[1]), tensor.Data[T](c.Out[0])
		eachPart(c, p, lo, hi, hi-lo, func(at, width, a, b int) {
			part, addend := y[at:][:width], []T(nil)
			if p.K == 0 {
				clear(part)
			} else {
				fmath.RowProduct(part, p.K, x[a:], p.AK, w[b:], p.BK, p.BCol)
			}
			if c.Has(2) {
				addend = tensor.Data[T](c.In[2])[at/p.N*row+at%p.N*column:]
			}
			s.finish(part, addend, column)
		})
	})
}

// scaling is what is done with products in the end: gemm multiplies them by alpha and adds beta times its addend, others add a bias.
type scaling[T fmath.Float] struct{ alpha, beta T }

// scalingOf returns that of an operator.
func scalingOf[T fmath.Float](a *application) scaling[T] {
	if alpha, ok := a.Get("alpha").(float64); ok {
		return scaling[T]{T(alpha), T(a.Float("beta"))}
	}
	return scaling[T]{1, 1}
}

// finish does it with some elements of a row, to which elements of an addend belong that lie so far apart, unless it is nil.
func (s scaling[T]) finish(y, addend []T, apart int) {
	if s.alpha != 1 {
		for i, v := range y {
			y[i] = fmath.Canonical(v * s.alpha)
		}
	}
	if addend == nil {
		return
	}
	for i, v := range y {
		more := addend[i*apart]
		if s.beta != 1 {
			more = T(more * s.beta)
		}
		y[i] = fmath.Canonical(v + more)
	}
}

// integerTile is how many columns of a row of integers are computed at a time, and of how many elements of a row of the left matrix.
const integerTile = 128

// multiplyIntegers returns the function that prepares products of integers. Operand 2 is a bias, or operands 2 and 3 are zero points. Sums are
// exact modulo 2^64, hence right in any integer type to which they are cut.
func multiplyIntegers(biased bool) func(a *application, q *requantization) *Plan {
	return func(a *application, q *requantization) *Plan {
		if !biased && (!a.zerosAlong(2, 2) || !a.zerosAlong(3, 1)) {
			return nil
		}
		p := &integerFactors{Product: a.product(), bias: a.has(2) && biased, rowZeros: a.has(2) && !biased, columnZeros: a.has(3) && !biased, wide: a.wide()}
		p.narrowStore, p.wideStore = storing[int32](q), storing[int64](q)
		multiply := integer(a.in[1].DType, integerProduct[int8], integerProduct[int16], integerProduct[int32], integerProduct[int64],
			integerProduct[uint8], integerProduct[uint16], integerProduct[uint32], integerProduct[uint64])
		plan := evenly(a.out[0].Shape.Len(), func(c *op.Call, lo, hi int) { multiply(c, p, lo, hi) })
		if q != nil {
			plan.Scratch = integerTile * a.out[0].DType.Size()
		}
		return plan
	}
}

// zerosAlong reports whether an operand is absent, has one element, or has several in one dimension alone, counted from the last.
func (a *application) zerosAlong(operand, last int) bool {
	if !a.has(operand) {
		return true
	}
	shape := a.in[operand].Shape
	return shape.Len() == 1 || shape[len(shape)-last] == shape.Len()
}

// integerFactors are the matrices of a product of integers, what there is besides, a bias or zero points, and where sums of 64 or of 32 bits go.
type integerFactors struct {
	*geometry.Product
	bias, rowZeros, columnZeros, wide bool

	narrowStore store[int32]
	wideStore   store[int64]
}

// integerProduct computes the elements lo…hi-1 of the product with a right matrix of B. The zero point of a column is multiplied by the sum of the
// row's elements.
func integerProduct[B tensor.Integer](c *op.Call, p *integerFactors, lo, hi int) {
	w := tensor.Data[B](c.In[1])
	var tile, row [integerTile]int64
	eachPart(c, p.Product, lo, hi, integerTile, func(at, width, a, b int) {
		sums, column, zero, total := tile[:width], at%p.N, int64(0), int64(0)
		if p.rowZeros {
			zero = integerAt(c.In[2], at/p.N%p.M%c.In[2].Len())
		}
		clear(sums)
		for k := 0; k < p.K; k += integerTile {
			left := row[:min(integerTile, p.K-k)]
			geometry.Load(left, c.In[0], a+k*p.AK, p.AK)
			if p.rowZeros || p.columnZeros {
				for i := range left {
					left[i] -= zero
					total += left[i]
				}
			}
			addColumns(p.Product, sums, left, w[b+k*p.BK:])
		}
		if p.bias {
			addOfColumns(sums, c.In[2], column, 1)
		}
		if p.columnZeros {
			addOfColumns(sums, c.In[3], column, -total)
		}
		if p.wide {
			putSums(c, sums, p.wideStore, at, column)
		} else {
			putSums(c, sums, p.narrowStore, at, column)
		}
	})
}

// putSums puts sums of A in the result from an element on, or where a function requantizes them.
func putSums[A tensor.Integer](c *op.Call, sums []int64, write store[A], at, column int) {
	var y []A
	if write == nil {
		y = tensor.Data[A](c.Out[0])[at:][:len(sums)]
	} else {
		y = scratch[A](c)[:len(sums)]
	}
	for j, v := range sums {
		y[j] = A(v)
	}
	if write != nil {
		write(c, y, at, column, true)
	}
}

// integerAt returns an element of a tensor of integers, modulo 2^64.
func integerAt(t *tensor.Tensor, i int) int64 {
	var v [1]int64
	geometry.Load(v[:], t, i, 0)
	return v[0]
}

// addColumns adds the products of some elements of a row of the left matrix with the right one, which begins at their first partner. It goes
// along what is contiguous there, four rows or columns at a time: of a row four products share a sum, of a column the element on the left.
func addColumns[B tensor.Integer](p *geometry.Product, sums, left []int64, b []B) {
	const together = 4
	i, n := 0, len(left)
	if p.BK == 1 {
		for ; i+together <= len(sums); i += together {
			b := b[i*p.BCol:]
			b0, b1, b2, b3 := b[:n], b[p.BCol:][:n], b[2*p.BCol:][:n], b[3*p.BCol:][:n]
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
			for k, v := range b[i*p.BCol:][:n] {
				sums[i] += left[k] * int64(v)
			}
		}
		return
	}
	for m := len(sums); i+together <= n; i += together {
		b, v0, v1, v2, v3 := b[i*p.BK:], left[i], left[i+1], left[i+2], left[i+3]
		b0, b1, b2, b3 := b[:m], b[p.BK:][:m], b[2*p.BK:][:m], b[3*p.BK:][:m]
		for j := range sums {
			sums[j] += v0*int64(b0[j]) + v1*int64(b1[j]) + v2*int64(b2[j]) + v3*int64(b3[j])
		}
	}
	for ; i < n; i++ {
		addProducts(sums, 1, b[i*p.BK:], 1, left[i], len(sums))
	}
}

// addOfColumns adds what there is for each column, from the given one on, or for all of them, multiplied by a factor.
func addOfColumns(sums []int64, each *tensor.Tensor, column int, factor int64) {
	var v [integerTile]int64
	if each.Len() == 1 {
		geometry.Load(v[:len(sums)], each, 0, 0)
	} else {
		geometry.Load(v[:len(sums)], each, column, 1)
	}
	for j := range sums {
		sums[j] += v[j] * factor
	}
}
