package op

import (
	"math"
	"unsafe"

	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/tensor"
)

// Sums that overflow on the way to a result that does not: there is a second path for them, of elements times a power of two.

// tiny and huge are powers of two: of float32, 2^-80 and 2^80, and of float64, 2^-600 and 2^600. Squares of elements times tiny do not
// overflow, nor do their sums; what is lost of small elements does not count beside those that make a sum overflow otherwise.
func tiny[T fmath.Float]() T { return 1 / huge[T]() }

func huge[T fmath.Float]() T { return ofSize[T](0x1p80, 0x1p600) }

// ofSize returns the number for the type of T.
func ofSize[T fmath.Float](single, double float64) T {
	if unsafe.Sizeof(T(0)) == 8 {
		return T(double)
	}
	return T(single)
}

// finite reports whether x is neither infinite nor NaN.
func finite[T fmath.Float](x T) bool { return x-x == 0 }

// rescuer makes a kernel of a fold from 0 on whose result, unlike its sum, need not overflow. Where the sum is no finite number, elements times tiny
// are summed instead, and restore makes the result of what finish makes of their sum.
//
//go:noinline // tables of kernels would hold it three times
func rescuer[T fmath.Float](step func(acc, v T) T, finish func(c *Call, acc T, n int) T, restore func(y T) T) Kernel {
	return func(c *Call, lo, hi int) {
		x, y, scale := tensor.Data[T](c.In[0]), tensor.Data[T](c.Out[0]), tiny[T]()
		var r reduction
		r.start(c.In[0].Shape(), c.Ints("axes"), lo)
		r.watch = c.Watch()
		for i := lo; i < hi; i++ {
			sum := fold(&r, x, 0, step, floatAdd)
			y[i] = finish(c, sum, r.count)
			if !finite(sum) {
				sum = fold(&r, x, 0, func(acc, v T) T { return step(acc, T(v*scale)) }, floatAdd)
				y[i] = canonical(restore(finish(c, sum, r.count)))
			}
			r.groups.next()
		}
	}
}

// timesHuge restores a result that is proportional to the elements.
func timesHuge[T fmath.Float](y T) T { return y * huge[T]() }

// tinyEpsilon returns epsilon for elements times tiny: at least a little, so that equal elements, of which the sum overflowed, give bias.
func tinyEpsilon[T fmath.Float](epsilon T) T {
	small := epsilon * tiny[T]() * tiny[T]()
	if small == 0 && epsilon > 0 {
		return ofSize[T](math.SmallestNonzeroFloat32, math.SmallestNonzeroFloat64)
	}
	return small
}

// standardize returns the mean of the current group of x and 1/√(variance + epsilon). Where the variance is no finite number, they are those of the
// group times tiny, which is made in y and returned in place of x.
func standardize[T fmath.Float](r *reduction, x, y []T, epsilon T) (mean, inv T, from []T) {
	mean, variance := moments(r, x)
	if !finite(variance) {
		shrink(r, y, x)
		mean, variance = moments(r, y)
		return mean, rsqrtOf(variance, tinyEpsilon(epsilon)), y
	}
	return mean, rsqrtOf(variance, epsilon), x
}

// shrink sets the current group of y to that of x times tiny.
func shrink[T fmath.Float](r *reduction, y, x []T) {
	scale := tiny[T]()
	r.each(func(p, _ int) { y[p] = x[p] * scale })
}
