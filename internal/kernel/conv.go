package op

import (
	"math"

	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/tensor"
)

// convBlock is the number of input channels in a block, which is part of the definition of the result bits.
const convBlock = 16

// convTile is how many elements of a result plane are computed at a time, so that they stay in the nearest cache.
const convTile = 4096

// convolution is the geometry of one evaluation of conv or deconv.
type convolution struct {
	sliding
	rows, channels    int // rows of a result plane; output channels
	groupIn, groupOut int // channels of a group
	inPlane, outPlane int // elements of a channel
	volume            int // window positions
	up                bool
}

func newConvolution(c *Call, up bool) convolution {
	in, filter, out := c.In[0].Shape(), c.In[1].Shape(), c.Out[0].Shape()
	v := convolution{
		sliding:  newSliding(c.Attrs, in[2:], out[2:], filter[2:], up),
		channels: out[1],
		groupIn:  filter[1], groupOut: filter[0],
		inPlane: in[2:].Len(), outPlane: out[2:].Len(), volume: filter[2:].Len(),
		up: up,
	}
	v.rows = v.sliding.rows()
	if up {
		v.groupIn, v.groupOut = filter[0]*filter[1]/max(out[1], 1), filter[1]
	} else {
		v.groupOut = max(filter[0]*filter[1]/max(in[1], 1), 1)
	}
	return v
}

// weights returns the offset of the first filter element of output channel o, and the distance of input channels.
func (v *convolution) weights(o int) (at, step int) {
	if !v.up {
		return o * v.groupIn * v.volume, v.volume
	}
	return (o/v.groupOut*v.groupIn*v.groupOut + o%v.groupOut) * v.volume, v.groupOut * v.volume
}

// convPieces makes each row of the result a piece, or what convolveNarrow does.
func convPieces(up bool) func(c *Call) int {
	return func(c *Call) int {
		v := newConvolution(c, up)
		if size := octetSize(c); !up && size > 0 {
			positions, planes := v.octets(size)
			return c.Out[0].Shape()[0] * positions * planes
		}
		return c.Out[0].Shape()[0] * v.channels * v.rows
	}
}

func convKernels(up bool) Kernels {
	return merge(floatKernel(convolve(up, addFloatTaps)), integerKernels(
		convolveIntegers[int8](up), convolveIntegers[int16](up), convolveIntegers[int32](up), convolveIntegers[int64](up),
		convolveIntegers[uint8](up), convolveIntegers[uint16](up), convolveIntegers[uint32](up), convolveIntegers[uint64](up)))
}

// convolveIntegers returns the kernel for an integer input, which sums in the type of the result.
func convolveIntegers[X tensor.Integer](up bool) Kernel {
	narrow, wide := convolve(up, addTaps[X, int32]), convolve(up, addTaps[X, int64])
	return func(c *Call, lo, hi int) {
		switch {
		case !up && octetSize(c) > 0:
			convolveNarrow(c, lo, hi)
		case c.Out[0].DType() == tensor.Int64:
			wide(c, lo, hi)
		default:
			narrow(c, lo, hi)
		}
	}
}

// convolve returns the kernel for an input of X and a result of A. The function adds a run of taps of one filter element:
// acc[i·accStep] += x[i·xStep]·w for i < n.
func convolve[X, A tensor.Number](up bool, add func(acc []A, accStep int, x []X, xStep int, w A, n int)) Kernel {
	return func(c *Call, lo, hi int) {
		v := newConvolution(c, up)
		tile := max(1, convTile/max(v.last().out, 1))
		for lo < hi {
			plane, row := lo/v.rows, lo%v.rows
			n := min(hi-lo, tile, v.rows-row)
			convolveRows(c, &v, plane/v.channels, plane%v.channels, row, n, add)
			lo += n
		}
	}
}

// convolveRows computes n rows of the result plane of batch item b and output channel o.
func convolveRows[X, A tensor.Number](c *Call, v *convolution, b, o, row, n int, add func([]A, int, []X, int, A, int)) {
	width := v.last().out
	begin := (b*v.channels+o)*v.outPlane + row*width
	y := tensor.Data[A](c.Out[0])[begin : begin+n*width]
	group := o / v.groupOut * v.groupIn
	x := tensor.Data[X](c.In[0])[(b*c.In[0].Shape()[1]+group)*v.inPlane:][:v.groupIn*v.inPlane]
	filter, filterStep := v.weights(o)
	first := v.row(row)

	clear(y)
	watch := c.Watch()
	var w [convBlock]A
	for block := 0; block < v.groupIn; block += convBlock {
		channels := min(convBlock, v.groupIn-block)
		var k position
		for at, more := filter+block*filterStep, true; more; at, more = at+1, v.nextPosition(&k) {
			loadWeights(w[:channels], c.In[1], at, filterStep)
			if watch.Stops(channels * n * width) {
				return
			}
			index := first
			for r := range n {
				v.spans(&index, &k, func(s span) {
					if s.outside {
						return
					}
					for i := range channels {
						add(y[r*width+s.out:], s.outStep, x[(block+i)*v.inPlane+s.in:], s.inStep, w[i], s.n)
					}
				})
				v.nextRow(&index)
			}
		}
	}
	if c.Has(2) {
		addBias(y, tensor.Data[A](c.In[2]), o)
	}
}

// addBias adds the bias of channel o. Every NaN becomes the canonical one, as fma has made those before.
func addBias[A tensor.Number](y, bias []A, o int) {
	b := bias[0]
	if len(bias) > 1 {
		b = bias[o]
	}
	nan := fmath.NaN()
	for i := range y {
		if y[i] += b; y[i] != y[i] {
			y[i] = A(nan)
		}
	}
}

// loadWeights sets w to the elements of a filter at the offset and every step beyond it.
func loadWeights[A tensor.Number](w []A, filter *tensor.Tensor, at, step int) {
	switch filter.DType() {
	case tensor.Float32:
		loadFrom(w, tensor.Data[float32](filter), at, step)
	case tensor.Int8:
		loadFrom(w, tensor.Data[int8](filter), at, step)
	case tensor.Int16:
		loadFrom(w, tensor.Data[int16](filter), at, step)
	case tensor.Int32:
		loadFrom(w, tensor.Data[int32](filter), at, step)
	case tensor.Int64:
		loadFrom(w, tensor.Data[int64](filter), at, step)
	case tensor.Uint8:
		loadFrom(w, tensor.Data[uint8](filter), at, step)
	case tensor.Uint16:
		loadFrom(w, tensor.Data[uint16](filter), at, step)
	case tensor.Uint32:
		loadFrom(w, tensor.Data[uint32](filter), at, step)
	case tensor.Uint64:
		loadFrom(w, tensor.Data[uint64](filter), at, step)
	}
}

func loadFrom[A, W tensor.Number](w []A, filter []W, at, step int) {
	for i := range w {
		w[i] = A(filter[at+i*step])
	}
}

// addTaps adds products of integers, which wrap.
func addTaps[X, A tensor.Integer](acc []A, accStep int, x []X, xStep int, w A, n int) {
	if accStep == 1 && xStep == 1 {
		acc = acc[:n]
		for i, v := range x[:n] {
			acc[i] += A(v) * w
		}
		return
	}
	for i := range n {
		acc[i*accStep] += A(x[i*xStep]) * w
	}
}

// addFloatTaps adds products with one rounding each. It is fma, whose ordinary case is written out here because
// most of the time that a model takes without fast kernels goes into this loop.
func addFloatTaps(acc []float32, accStep int, x []float32, xStep int, w float32, n int) {
	wide := float64(w)
	if accStep == 1 && xStep == 1 {
		acc = acc[:n]
		for i, v := range x[:n] {
			if s := float64(float64(v)*wide) + float64(acc[i]); roundsOnce(s) {
				acc[i] = float32(s)
			} else {
				acc[i] = fma(v, w, acc[i])
			}
		}
		return
	}
	for i := range n {
		v, a := x[i*xStep], &acc[i*accStep]
		if s := float64(float64(v)*wide) + float64(*a); roundsOnce(s) {
			*a = float32(s)
		} else {
			*a = fma(v, w, *a)
		}
	}
}

// roundsOnce reports whether a sum that was rounded to float64 rounds to the float32 that the exact sum would: it is no
// midpoint of two float32, and neither zero, subnormal as a float32, infinite nor NaN. The product of two float32 is
// exact in float64.
func roundsOnce(s float64) bool {
	const least, infinity = 0x381 << 53, 0x7FF << 53 // 2^-126 and infinity without the sign bit
	b := math.Float64bits(s)
	return b&(1<<29-1) != 1<<28 && b<<1-least < infinity-least
}
