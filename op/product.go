package op

import (
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/tensor"
)

// productBlock is how many factors are read at a time, of whatever type.
const productBlock = 16

// productKernels returns the table of an operator whose results are sums of products: of floats, and of integers in the type of the result.
func productKernels(single, double, narrow, wide Kernel) Kernels {
	return merge(floatKernels(single, double), allIntegers(func(c *Call, lo, hi int) {
		if c.Out[0].DType() == tensor.Int64 {
			wide(c, lo, hi)
		} else {
			narrow(c, lo, hi)
		}
	}))
}

// matmulOf returns the kernel of matmul for a result of A, linearOf that of linear. Each element of the result is a piece.
//
//go:noinline // tables of kernels would hold it three times
func matmulOf[A tensor.Number](add func(x, w, sum A) A) Kernel {
	return func(c *Call, lo, hi int) {
		p, zeros := matrices(c), newCursor(c.Out[0].Shape())
		for i := 2; i < 4; i++ {
			if c.Has(i) {
				zeros.operands(c.In[i].Shape())
			} else {
				zeros.operands(nil)
			}
		}
		zeros.seek(lo)
		multiply(c, &p, &zeros, tensor.Data[A](c.Out[0]), lo, hi, add)
	}
}

//
//go:noinline // tables of kernels would hold it three times
func linearOf[A tensor.Number](add func(x, w, sum A) A) Kernel {
	return func(c *Call, lo, hi int) {
		p, y := matrices(c), tensor.Data[A](c.Out[0])
		multiply(c, &p, nil, y, lo, hi, add)
		addBias(c, y, 1, lo, hi)
	}
}

// mulAdd returns x·w + sum, which wraps.
func mulAdd[A tensor.Integer](x, w, sum A) A { return sum + x*w }

// multiply sets the elements lo…hi-1 of a product of operands 0 and 1. zeros, unless it is nil, is where the zero points lie, operands 2 and 3.
func multiply[A tensor.Number](c *Call, p *geometry.Product, zeros *cursor, y []A, lo, hi int, add func(x, w, sum A) A) {
	var x, w [productBlock]A
	watch := c.Watch()
	for i := lo; i < hi; i++ {
		a, b := p.Factors(i)
		var aZero, bZero A
		if zeros != nil {
			aZero, bZero = zeroPoint[A](c, 2, zeros.pos[0]), zeroPoint[A](c, 3, zeros.pos[1])
			zeros.next()
		}
		sum := A(0)
		for k := 0; k < p.K; k += productBlock {
			n := min(productBlock, p.K-k)
			if watch.Stops(n) {
				return
			}
			geometry.Load(x[:n], c.In[0], a+k*p.AK, p.AK)
			geometry.Load(w[:n], c.In[1], b+k*p.BK, p.BK)
			subtract(x[:n], aZero)
			subtract(w[:n], bZero)
			for j := range n {
				sum = add(x[j], w[j], sum)
			}
		}
		y[i] = sum
	}
}

// zeroPoint returns element i of the operand that holds zero points, of which there may be one for all, as A; 0 if there is none.
func zeroPoint[A tensor.Number](c *Call, operand, i int) A {
	var zero [1]A
	if c.Has(operand) {
		geometry.Load(zero[:], c.In[operand], i%c.In[operand].Len(), 0)
	}
	return zero[0]
}

// subtract takes a zero point from integers, which wrap.
func subtract[A tensor.Number](from []A, zero A) {
	if zero == 0 { // Without this zeros would be taken away, above all from floats, which have none.
		return
	}
	for i := range from {
		from[i] -= zero
	}
}

// matrices returns the geometry of a product of operands 0 and 1.
func matrices(c *Call) geometry.Product {
	return geometry.NewProduct(c.Attrs, c.In[0].Shape(), c.In[1].Shape(), c.Out[0].Shape())
}

func gemmFloats[T fmath.Float](c *Call, lo, hi int) {
	p := matrices(c)
	y, alpha, beta := tensor.Data[T](c.Out[0]), T(c.Float("alpha")), T(c.Float("beta"))
	multiply(c, &p, nil, y, lo, hi, fma)
	if alpha != 1 {
		for i := lo; i < hi; i++ {
			y[i] = canonical(y[i] * alpha)
		}
	}
	if !c.Has(2) {
		return
	}
	addend := tensor.Data[T](c.In[2])
	row, col := geometry.MatrixSteps(c.In[2].Shape())
	for i := lo; i < hi; i++ {
		v := addend[i/p.N*row+i%p.N*col]
		if beta != 1 {
			v = T(v * beta)
		}
		y[i] = canonical(y[i] + v)
	}
}
