package op

import (
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/tensor"
)

// convBlock is the number of input channels in a block, which is part of the definition of the result bits.
const convBlock = 16

// convKernels returns the kernels of conv or deconv. Each element of the result is a piece.
func convKernels(up bool) Kernels {
	return productKernels(convolve(up, fma[float32]), convolve(up, fma[float64]), convolve(up, mulAdd[int32]), convolve(up, mulAdd[int64]))
}

// convolve returns the kernel for a result of A, whose elements take one tap after the other by the function add.
//
//go:noinline // tables of kernels would hold it three times
func convolve[A tensor.Number](up bool, add func(x, w, sum A) A) Kernel {
	return func(c *Call, lo, hi int) {
		v := geometry.NewConvolution(c.Attrs, c.In[0].Shape(), c.In[1].Shape(), c.Out[0].Shape(), up)
		taps, watch, y, inputZero := v.WithoutZeros(), c.Watch(), tensor.Data[A](c.Out[0]), zeroPoint[A](c, 3, 0)
		var x, w [convBlock]A
		for i := lo; i < hi; i++ {
			plane := i / v.OutPlane
			o, at := plane%v.Channels, v.Result(i%v.OutPlane)
			input := v.Input(plane/v.Channels, o)
			filter, step := v.Weights(o)
			filterZero := zeroPoint[A](c, 4, o)
			sum := A(0)
			for block := 0; block < v.GroupIn; block += convBlock {
				n := min(convBlock, v.GroupIn-block)
				for k, more := taps.FirstMet(&at, taps.Rank, 1); more; more = taps.NextMet(&k, &at, taps.Rank, 1) {
					if watch.Stops(n) {
						return
					}
					from := taps.Source(&at, &k)
					if from < 0 {
						continue
					}
					geometry.Load(x[:n], c.In[0], input+block*v.InPlane+from, v.InPlane)
					geometry.Load(w[:n], c.In[1], filter+block*step+taps.Number(&k), step)
					subtract(x[:n], inputZero)
					subtract(w[:n], filterZero)
					for j := range n {
						sum = add(x[j], w[j], sum)
					}
				}
			}
			y[i] = sum
		}
		addBias(c, y, v.OutPlane, lo, hi)
	}
}

// addBias adds operand 2, if it is given, to the elements lo…hi-1 of a result in which so many neighbours have one element of the bias.
// Every NaN becomes the canonical one, as fma has made those before.
func addBias[A tensor.Number](c *Call, y []A, run, lo, hi int) {
	if !c.Has(2) {
		return
	}
	bias, channels, nan := tensor.Data[A](c.In[2]), c.Out[0].Shape()[1], fmath.NaN()
	for i := lo; i < hi; i++ {
		if y[i] += bias[i/run%channels%len(bias)]; y[i] != y[i] {
			y[i] = A(nan)
		}
	}
}
