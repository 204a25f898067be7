package kernel

import (
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Sums of integers, of equal shapes or of runs, without a call for each element.
var elementKernels = []Kernel{
	{Name: "elements", Op: "add", In: []op.Types{op.Integers, op.Integers}, Prepare: alone(addElements(1))},
	{Name: "elements", Op: "sub", In: []op.Types{op.Integers, op.Integers}, Prepare: alone(addElements(-1))},
	{Name: "runs", Op: "sum_reduce", In: []op.Types{op.Integers}, Prepare: alone(sumRuns)},
}

// addElements returns the function that prepares x + sign·y.
func addElements(sign int64) func(a *application) *Plan {
	return func(a *application) *Plan {
		if n := a.out[0].Shape.Len(); a.in[0].Shape.Len() != n || a.in[1].Shape.Len() != n {
			return nil
		}
		prepare := integer(a.in[0].DType, addOf[int8], addOf[int16], addOf[int32], addOf[int64], addOf[uint8], addOf[uint16], addOf[uint32], addOf[uint64])
		return prepare(a, sign)
	}
}

// addOf is addElements for T. Saturating sums of 64 bits, which need more than that, are left to the reference.
func addOf[T tensor.Integer](a *application, sign int64) *Plan {
	n, add := a.out[0].Shape.Len(), addWrapping[T]
	switch saturate := a.String("overflow") == "saturate"; {
	case saturate && a.in[0].DType.Size() == 8:
		return nil
	case saturate:
		add = addSaturating[T]
	}
	return evenly(n, func(c *op.Call, lo, hi int) {
		add(tensor.Data[T](c.In[0])[lo:hi], tensor.Data[T](c.In[1])[lo:hi], tensor.Data[T](c.Out[0])[lo:hi], sign)
	})
}

func addWrapping[T tensor.Integer](x, y, z []T, sign int64) {
	y, z = y[:len(x)], z[:len(x)]
	if sign < 0 {
		for i, v := range x {
			z[i] = v - y[i]
		}
		return
	}
	for i, v := range x {
		z[i] = v + y[i]
	}
}

func addSaturating[T tensor.Integer](x, y, z []T, sign int64) {
	least, most := tensor.TypeOf[T]().IntRange()
	lo, hi := least, int64(most)
	y, z = y[:len(x)], z[:len(x)]
	for i, v := range x {
		z[i] = T(min(max(int64(v)+sign*int64(y[i]), lo), hi))
	}
}

// sumRuns prepares sums, which wrap, of elements that lie in a run.
func sumRuns(a *application) *Plan {
	g := a.reducing()
	if g == nil || g.across || len(g.rows) > 0 || a.Bool("normalize") {
		return nil
	}
	run := integer(a.in[0].DType, sumRunsOf[int8], sumRunsOf[int16], sumRunsOf[int32], sumRunsOf[int64],
		sumRunsOf[uint8], sumRunsOf[uint16], sumRunsOf[uint32], sumRunsOf[uint64])
	p := evenly(g.all, func(c *op.Call, lo, hi int) { run(c, g.run, lo, hi) })
	p.Nanos = int64(g.all)*int64(g.run)/2 + 1
	return p
}

func sumRunsOf[T tensor.Integer](c *op.Call, n, lo, hi int) {
	x, y, watch := tensor.Data[T](c.In[0]), tensor.Data[T](c.Out[0]), c.Watch()
	for i := lo; i < hi; i++ {
		var sums [4]T // none of which waits for another
		for rest := x[i*n : (i+1)*n]; len(rest) > 0; {
			part := rest[:min(len(rest), portion)]
			rest = rest[len(part):]
			if watch.Stops(len(part)) {
				return
			}
			for ; len(part) >= 4; part = part[4:] {
				sums[0] += part[0]
				sums[1] += part[1]
				sums[2] += part[2]
				sums[3] += part[3]
			}
			for _, v := range part {
				sums[0] += v
			}
		}
		y[i] = sums[0] + sums[1] + sums[2] + sums[3]
	}
}
