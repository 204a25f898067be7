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
	{Name: "elements", Op: "requantize", In: []op.Types{op.TypeSet(tensor.Int32), float32s, narrow}, Prepare: alone(func(a *application) *Plan {
		return integer(a.in[2].DType, requantizeTo[int8], requantizeTo[int16], nil, nil, requantizeTo[uint8], requantizeTo[uint16], nil, nil)(a)
	})},
}

// narrow are the types for which the sum of a rounded number and a zero point may be bounded before it is rounded.
var narrow = bits8 | bits16

// eachBlock prepares a kernel that computes the elements from…to-1, which share a scale and a zero point, by their positions.
func (a *application) eachBlock(compute func(c *op.Call, from, to, scale, zero int)) *Plan {
	b := geometry.NewBlocks(a.in[0].Shape, a.in[1].Shape, a.Ints("block"))
	zeros := a.in[2].Shape.Len()
	return evenly(a.out[0].Shape.Len(), func(c *op.Call, lo, hi int) {
		for lo < hi {
			p, end := b.Next(lo, hi)
			compute(c, lo, end, p, p%zeros)
			lo = end
		}
	})
}

func quantizeTo[T tensor.Integer](a *application) *Plan {
	return a.eachBlock(func(c *op.Call, from, to, scale, zero int) {
		x, y, s := tensor.Data[float32](c.In[0])[from:to], tensor.Data[T](c.Out[0])[from:to], tensor.Data[float32](c.In[1])[scale]
		r := newRounder(tensor.Data[T](c.In[2])[zero])
		for i, v := range x {
			y[i] = T(r.code(v / s))
		}
	})
}

func requantizeTo[T tensor.Integer](a *application) *Plan {
	return a.eachBlock(func(c *op.Call, from, to, scale, zero int) {
		x, y, m := tensor.Data[int32](c.In[0])[from:to], tensor.Data[T](c.Out[0])[from:to], tensor.Data[float32](c.In[1])[scale]
		r := newRounder(tensor.Data[T](c.In[2])[zero])
		for i, v := range x {
			y[i] = T(r.code(float32(float32(v) * m))) // not fused with what code adds
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
	const magic = 0x1.8p23
	switch {
	case q <= r.least:
		q = r.least
	case q >= r.most:
		q = r.most
	case q != q:
		return 0
	}
	return int32(math.Float32bits(q+magic)) - 0x4B400000 + r.zero
}
