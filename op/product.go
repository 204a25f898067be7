package op

import (
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/tensor"
)

// productBlock is how many factors are read at a time, of whatever type.
const productBlock = 16

// productKernels returns the kernels of matmul and linear, whose geometry the function says. Each element of the result is a piece. Integers
// are summed in the type of the result.
func productKernels(g func(c *Call) geometry.Product) Kernels {
	return merge(floatKernel(matrixProduct(g, fma)), allIntegers(sumsKernel(matrixProduct(g, mulAdd[int32]), matrixProduct(g, mulAdd[int64]))))
}

func matrixProduct[A tensor.Number](g func(c *Call) geometry.Product, add func(x, w, sum A) A) Kernel {
	return func(c *Call, lo, hi int) {
		p := g(c)
		y := tensor.Data[A](c.Out[0])
		multiply(c, &p, y, lo, hi, add)
		addBias(c, y, 1, lo, hi)
	}
}

// multiply sets the elements lo…hi-1 of a product of operands 0 and 1.
func multiply[A tensor.Number](c *Call, p *geometry.Product, y []A, lo, hi int, add func(x, w, sum A) A) {
	var x, w [productBlock]A
	watch := c.Watch()
	for i := lo; i < hi; i++ {
		a, b := p.Factors(i)
		sum := A(0)
		for k := 0; k < p.K; k += productBlock {
			n := min(productBlock, p.K-k)
			if watch.Stops(n) {
				return
			}
			geometry.Load(x[:n], c.In[0], a+k*p.AK, p.AK)
			geometry.Load(w[:n], c.In[1], b+k*p.BK, p.BK)
			for j := range n {
				sum = add(x[j], w[j], sum)
			}
		}
		y[i] = sum
	}
}

// matrices returns the geometry of matmul and gemm, and byRows that of linear.
func matrices(c *Call) geometry.Product {
	return geometry.NewProduct(c.In[0].Shape(), c.In[1].Shape(), c.Out[0].Shape(), c.Bool("transposeA"), c.Bool("transposeB"))
}

func byRows(c *Call) geometry.Product {
	return geometry.NewProduct(c.In[0].Shape(), c.In[1].Shape(), c.Out[0].Shape(), false, true)
}

func gemmFloats(c *Call, lo, hi int) {
	p := matrices(c)
	y, alpha, beta := tensor.Data[float32](c.Out[0]), float32(c.Float("alpha")), float32(c.Float("beta"))
	multiply(c, &p, y, lo, hi, fma)
	if alpha != 1 {
		for i := lo; i < hi; i++ {
			y[i] = canonical(y[i] * alpha)
		}
	}
	if !c.Has(2) {
		return
	}
	addend := tensor.Data[float32](c.In[2])
	row, col := geometry.MatrixSteps(c.In[2].Shape())
	for i := lo; i < hi; i++ {
		v := addend[i/p.N*row+i%p.N*col]
		if beta != 1 {
			v = float32(v * beta)
		}
		y[i] = canonical(y[i] + v)
	}
}
