package kernel

import (
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Sums of integers of equal shapes, without a call for each element.
var elementKernels = []Kernel{
	{Name: "elements", Op: "add", In: []op.Types{op.Integers, op.Integers}, Prepare: alone(addElements(1))},
	{Name: "elements", Op: "sub", In: []op.Types{op.Integers, op.Integers}, Prepare: alone(addElements(-1))},
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
