package kernel

import (
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Convolutions: some rows of a plane of the result at a time, to which one filter element after the other adds its products along runs.
// Integers of 8 and 16 bits have kernels of their own, in conv_narrow.go.
var convKernels = []Kernel{
	{Name: "pairs of bytes", Op: "conv", In: []op.Types{bits8, bits8}, Prepare: summed(1, convolveNarrow(1))},
	{Name: "words of 16 bits", Op: "conv", In: []op.Types{bits16, bits16}, Prepare: summed(1, convolveNarrow(2))},
	{Name: "runs", Op: "conv", In: []op.Types{floats, floats}, Prepare: ofFloats(convolveFloats[float32], convolveFloats[float64])},
	{Name: "runs of integers", Op: "conv", In: []op.Types{op.Integers, op.Integers}, Prepare: alone(convolveIntegers)},
	{Name: "runs", Op: "deconv", In: []op.Types{floats, floats}, Prepare: ofFloats(convolveFloats[float32], convolveFloats[float64])},
	{Name: "runs of integers", Op: "deconv", In: []op.Types{op.Integers, op.Integers}, Prepare: alone(convolveIntegers)},
}

// convBlock is the number of input channels in a block of the order of accumulation.
const convBlock = 16

// convTile is how many elements of a result plane are computed at a time, so that they stay in the nearest cache.
const convTile = 4096

func (a *application) convolution() *geometry.Convolution {
	v := geometry.NewConvolution(a.Attrs, a.in[0].Shape, a.in[1].Shape, a.out[0].Shape)
	v.Sliding = v.WithoutZeros()
	return &v
}

func convolveFloats[T fmath.Float](a *application) *Plan {
	return convolveRuns(a, func(acc []T, accStep int, x []byte, at, plane, xStep int, w [convBlock]T, channels, n int) {
		for i, x := 0, elementsOfType[T](x); i < channels; i++ {
			fmath.AddProducts(acc, accStep, x[at+i*plane:], xStep, w[i], n)
		}
	})
}

func convolveIntegers(a *application) *Plan {
	prepare := integer(a.in[0].DType, convolveFrom[int8], convolveFrom[int16], convolveFrom[int32], convolveFrom[int64],
		convolveFrom[uint8], convolveFrom[uint16], convolveFrom[uint32], convolveFrom[uint64])
	return prepare(a)
}

func convolveFrom[X tensor.Integer](a *application) *Plan {
	if a.wide() {
		return convolveRuns(a, addRuns[X, int64])
	}
	return convolveRuns(a, addRuns[X, int32])
}

// runAdder adds a run of taps of a filter element for some channels, whose planes are so far apart: acc[i·accStep] += x[at+c·plane+i·xStep]·w[c] for
// i < n. It is given the bytes of the input and knows of what type they are.
type runAdder[A tensor.Number] func(acc []A, accStep int, x []byte, at, plane, xStep int, w [convBlock]A, channels, n int)

// convolveRuns returns the plan for a result of A, of which each row is a piece.
func convolveRuns[A tensor.Number](a *application, add runAdder[A]) *Plan {
	v := a.convolution()
	rows, tile := v.Rows(), max(1, convTile/max(v.Last().Out, 1))
	return evenly(a.out[0].Shape[0]*v.Channels*rows, func(c *op.Call, lo, hi int) {
		for watch := c.Watch(); lo < hi && !watch.Stops(0); {
			plane, row := lo/rows, lo%rows
			n := min(hi-lo, tile, rows-row)
			convolveRows(c, v, &watch, plane, row, n, add)
			lo += n
		}
	})
}

// convolveRows computes n rows of a plane of the result.
func convolveRows[A tensor.Number](c *op.Call, v *geometry.Convolution, watch *op.Watch, plane, row, n int, add runAdder[A]) {
	width, b, o := v.Last().Out, plane/v.Channels, plane%v.Channels
	y := tensor.Data[A](c.Out[0])[plane*v.OutPlane+row*width:][:n*width]
	x, input := c.In[0].Bytes(), v.Input(b, o)
	filter, filterStep := v.Weights(o)
	first := v.Row(row)

	clear(y)
	inputZero, filterZero := zeroPoint[A](c, 3, 0), zeroPoint[A](c, 4, o)
	var w [convBlock]A
	for block := 0; block < v.GroupIn; block += convBlock {
		channels := min(convBlock, v.GroupIn-block)
		var k geometry.Position
		for at, more := filter+block*filterStep, true; more; at, more = at+1, v.NextPosition(&k) {
			geometry.Load(w[:channels], c.In[1], at, filterStep)
			excess := A(0) // of products with the input over those with what it is above its zero point
			if inputZero != 0 || filterZero != 0 {
				for i := range channels {
					w[i] -= filterZero
					excess += A(inputZero * w[i])
				}
			}
			if watch.Stops(channels * n * width) {
				return
			}
			index := first
			for r := range n {
				spans(&v.Sliding, &index, &k, func(s span) {
					add(y[r*width+s.out:], s.outStep, x, input+block*v.InPlane+s.in, v.InPlane, s.inStep, w, channels, s.n)
					if excess != 0 {
						for i := range s.n {
							y[r*width+s.out+i*s.outStep] -= excess
						}
					}
				})
				v.NextRow(&index)
			}
		}
	}
	if c.Has(2) {
		addBias(y, tensor.Data[A](c.In[2]), o)
	}
}

// zeroPoint returns element i of an operand that holds zero points, of which there may be one for all, and 0 if it is absent.
func zeroPoint[A tensor.Number](c *op.Call, operand, i int) A {
	if !c.Has(operand) {
		return 0
	}
	return A(integerAt(c.In[operand], i%c.In[operand].Len()))
}

// addBias adds the bias of channel o. Every NaN becomes the canonical one, as multiplying and adding has made those before.
func addBias[A tensor.Number](y, bias []A, o int) {
	b, nan := bias[o%len(bias)], fmath.NaN()
	for i := range y {
		if y[i] += b; y[i] != y[i] {
			y[i] = A(nan)
		}
	}
}

// addRuns is a [runAdder] for integers.
func addRuns[X, A tensor.Integer](acc []A, accStep int, x []byte, at, plane, xStep int, w [convBlock]A, channels, n int) {
	for i, x := 0, elementsOfType[X](x); i < channels; i++ {
		addProducts(acc, accStep, x[at+i*plane:], xStep, w[i], n)
	}
}

// addProducts adds products of integers, which wrap.
func addProducts[X, A tensor.Integer](acc []A, accStep int, x []X, xStep int, w A, n int) {
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
