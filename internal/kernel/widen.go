package kernel

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Casts of integers to more bits, in Go: alone, or of the elements that a slice chooses.

// widenKernels has the row of casts to wider integers.
var widenKernels = func() []Kernel {
	narrow := op.TypeSet(tensor.Int8, tensor.Uint8, tensor.Int16, tensor.Uint16)
	return []Kernel{{Name: "integers", Op: "cast", In: []op.Types{narrow}, Sources: true, Prepare: func(r Region) *Plan {
		n := r.Root()
		count, l := n.Out[0].Type.Shape.Len(), r.Layouts[n.In[0]]
		switch {
		case len(r.Nodes) != r.Sources+1 || count == 0 || !widens(n):
			return nil
		case r.Sources == 1 && r.Nodes[0].Op == "slice":
			list, offset := selected(r.Nodes[0])
			if len(list) != 1 || len(list[0].loops) != 2 {
				return nil
			}
			a, b := list[0].loops[0], list[0].loops[1]
			if a.n < b.n {
				a, b = b, a // long loops are faster
			}
			return widening(n, offset, a, b)
		case r.Sources > 0:
			return nil
		}
		count = l.Shape(n.Out[0].Type.Shape).Len()
		p := widening(n, 0, loop{count, 1, 1}, loop{1, 0, 0})
		p.In, p.Out, p.Even = []Layout{l}, []Layout{l}, true
		return p
	}}}
}()

// widens reports whether a node is a cast to wider integers that there is a kernel for.
func widens(n *graph.Node) bool {
	if n.Op != "cast" {
		return false // and may have no operand
	}
	from, to := n.In[0].Type.DType, n.Out[0].Type.DType
	return from.IsInteger() && to.IsInteger() && from.Size() > 0 && from.Size() < to.Size() && to.Size() <= 4
}

// widening returns the plan of a cast of the elements which two loops go through, from one of the operand on: the pieces are of the first loop.
func widening(n *graph.Node, first int, outer, inner loop) *Plan {
	from, to := n.In[0].Type.DType, n.Out[0].Type.DType
	widen := widenOf[uint16, uint32]
	switch words := to.Size() == 2; {
	case from == tensor.Int8 && words:
		widen = widenOf[int8, uint16]
	case from == tensor.Uint8 && words:
		widen = widenOf[uint8, uint16]
	case from == tensor.Int8:
		widen = widenOf[int8, uint32]
	case from == tensor.Uint8:
		widen = widenOf[uint8, uint32]
	case from == tensor.Int16:
		widen = widenOf[int16, uint32]
	}
	return &Plan{Pieces: outer.n, Nanos: int64(outer.n*inner.n)/2 + 1, Run: widen(first, outer, inner)}
}

// widenAtOnce is how many elements are cast between two looks at the watch.
const widenAtOnce = 1 << 14

//go:noinline // tables of kernels would hold it more than once
func widenOf[F int8 | uint8 | int16 | uint16, T uint16 | uint32](first int, outer, inner loop) op.Kernel {
	together := max(1, widenAtOnce/inner.n)
	run := inner.n == 1 && outer.from == 1 && outer.to == 1
	return func(c *op.Call, lo, hi int) {
		x, y, watch := tensor.Data[F](c.In[0]), tensor.Words[T](c.Out[0]), c.Watch()
		for lo < hi {
			n := min(hi-lo, together)
			if watch.Stops(n * inner.n) {
				return
			}
			from, to := first+lo*outer.from, lo*outer.to
			lo += n
			if run {
				y := y[to:][:n]
				for i, v := range x[from:][:n] {
					y[i] = T(v)
				}
				continue
			}
			for i := range inner.n {
				moveApart(y, x, to+i*inner.to, from+i*inner.from, loop{n, outer.from, outer.to})
			}
		}
	}
}
