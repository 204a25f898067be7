package kernel

import (
	"math"

	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Quantization to integers of 8 and 16 bits: a block of equal scale at a time, without conversions to float64.
var quantizeKernels = []Kernel{
	{Name: "elements", Op: "quantize_linear", In: []op.Types{float32s, float32s, narrow}, Prepare: alone(func(a *application) *Plan {
		return integer(a.in[2].DType, quantizeTo[int8], quantizeTo[int16], nil, nil, quantizeTo[uint8], quantizeTo[uint16], nil, nil)(a)
	})},
	{Name: "elements", Op: "requantize", In: []op.Types{op.TypeSet(tensor.Int32, tensor.Int64), float32s, narrow}, Prepare: alone(func(a *application) *Plan {
		if a.in[0].DType == tensor.Int64 {
			return requantizing[int64](a)
		}
		return requantizing[int32](a)
	})},
}

// narrow are the types for which the sum of a rounded number and a zero point may be bounded before it is rounded.
var narrow = bits8 | bits16

// eachBlock prepares a kernel that computes the elements from…to-1, which share a scale and a zero point, by their positions.
func (a *application) eachBlock(compute func(c *op.Call, from, to, scale, zero int)) *Plan {
	b := geometry.NewBlocks(a.in[0].Shape, a.in[1].Shape, a.Ints("block"))
	zeros := a.in[2].Shape.Len()
	return evenly(a.out[0].Shape.Len(), func(c *op.Call, lo, hi int) {
		b := b
		for lo < hi {
			p, end := b.Next(lo, hi)
			compute(c, lo, end, p, p%zeros)
			lo = end
		}
	})
}

//go:noinline // tables of kernels would hold it more than once
func quantizeTo[T tensor.Integer](a *application) *Plan {
	return a.eachBlock(func(c *op.Call, from, to, scale, zero int) {
		x, y, s := tensor.Data[float32](c.In[0])[from:to], tensor.Data[T](c.Out[0])[from:to], tensor.Data[float32](c.In[1])[scale]
		r := newRounder(tensor.Data[T](c.In[2])[zero])
		for i, v := range x {
			y[i] = T(r.code(v / s))
		}
	})
}

func requantizing[S tensor.Integer](a *application) *Plan {
	return integer(a.in[2].DType, requantizeTo[S, int8], requantizeTo[S, int16], nil, nil, requantizeTo[S, uint8], requantizeTo[S, uint16], nil, nil)(a)
}

//go:noinline // tables of kernels would hold it more than once
func requantizeTo[S, T tensor.Integer](a *application) *Plan {
	return a.eachBlock(func(c *op.Call, from, to, scale, zero int) {
		x, y, m := tensor.Data[S](c.In[0])[from:to], tensor.Data[T](c.Out[0])[from:to], tensor.Data[float32](c.In[1])[scale]
		r := newRounder(tensor.Data[T](c.In[2])[zero])
		for i, v := range x {
			y[i] = T(r.code(float32(tensor.NearestFloat32(v) * m))) // not fused with what code adds
		}
	})
}

// rounder rounds floats to integers of 8 or 16 bits.
type rounder struct {
	least, most float32 // the range of the type without the zero point
	zero        int32
}

func newRounder[T tensor.Integer](zero T) rounder {
	least, most := tensor.TypeOf[T]().IntRange()
	return rounder{float32(least - int64(zero)), float32(int64(most) - int64(zero)), int32(zero)}
}

// code returns round_even(q) + zero, bounded; 0 for NaN. The sum with 1.5·2²³ has the integer nearest to q in its low bits.
func (r *rounder) code(q float32) int32 {
	if q != q {
		return 0
	}
	return int32(math.Float32bits(min(max(q, r.least), r.most)+0x1.8p23)) - 0x4B400000 + r.zero
}

// requantization is a requantize behind sums of products, as the kernel of these computes it.
type requantization struct {
	to               tensor.DType
	multiplier, zero int // the operands of the region
}

// requantizationOf returns the second node of a region as a requantisation of the first one's sums, to integers of 8 or 16 bits with one zero
// point, and with one multiplier or one for each index along an axis, counted from the last if it is negative; else nil.
func requantizationOf(r Region, axis int) *requantization {
	n, sums := r.Nodes[1], r.Root().Out[0]
	if n.Op != "requantize" || n.In[0] != sums || n.In[2].Type.Shape.Len() != 1 || !narrow.Has(n.In[2].Type.DType) {
		return nil
	}
	small := n.In[1].Type.Shape
	if axis < 0 {
		axis += len(sums.Type.Shape)
	}
	if small.Len() != 1 && (small[axis] != small.Len() || small[axis] != sums.Type.Shape[axis]) {
		return nil
	}
	return &requantization{n.In[2].Type.DType, len(r.Root().In), len(r.Root().In) + 1}
}

// store writes requantized sums to the elements of the result from at on. They are those of one channel, or of one each from it on. The sums are
// in working memory, as what is given to a function that is a value does not stay on the stack.
type store[A tensor.Integer] func(c *op.Call, sums []A, at, channel int, each bool)

// storing returns the function that requantizes sums, nil for those that are the result.
func storing[A tensor.Integer](q *requantization) store[A] {
	if q == nil {
		return nil
	}
	return integer(q.to, storingTo[A, int8], storingTo[A, int16], nil, nil, storingTo[A, uint8], storingTo[A, uint16], nil, nil)(q)
}

//go:noinline // tables of kernels would hold it more than once
func storingTo[A, T tensor.Integer](q *requantization) store[A] {
	return func(c *op.Call, sums []A, at, channel int, each bool) {
		y, m, r := tensor.Data[T](c.Out[0])[at:][:len(sums)], tensor.Data[float32](c.In[q.multiplier]), newRounder(tensor.Data[T](c.In[q.zero])[0])
		step := 0
		if len(m) == 1 {
			channel = 0
		} else if each {
			step = 1
		}
		for i, v := range sums {
			y[i] = T(r.code(float32(tensor.NearestFloat32(v) * m[channel+i*step])))
		}
	}
}
