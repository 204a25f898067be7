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
			if len(list) != 1 || len(list[0].Loops) > 2 {
				return nil
			}
			loops := append(list[0].Loops, Loop{1, 0, 0})
			a, b := loops[0], loops[1]
			if a.N < b.N {
				a, b = b, a // long loops are faster
			}
			return widening(n, offset, a, b)
		case r.Sources > 0:
			return nil
		}
		count = l.Shape(n.Out[0].Type.Shape).Len()
		p := widening(n, 0, Loop{count, 1, 1}, Loop{1, 0, 0})
		p.In, p.Out, p.Even = []Layout{l}, []Layout{l}, true
		return p
	}}}
}()

// widens reports whether a node is a cast to wider integers that there is a kernel for.
func widens(n *graph.Node) bool {
	from, to := n.In[0].Type.DType, n.Out[0].Type.DType
	return n.Op == "cast" && from.IsInteger() && to.IsInteger() && from.Size() > 0 && from.Size() < to.Size() && to.Size() <= 4
}

// widening returns the plan of a cast of the elements which two loops go through, from one of the operand on: the pieces are of the first loop.
func widening(n *graph.Node, first int, outer, inner Loop) *Plan {
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
	return &Plan{Pieces: outer.N, Nanos: int64(outer.N*inner.N)/2 + 1, Run: widen(first, outer, inner)}
}

// widenAtOnce is how many elements are cast between two looks at the watch.
const widenAtOnce = 1 << 14

func widenOf[F int8 | uint8 | int16 | uint16, T uint16 | uint32](first int, outer, inner Loop) op.Kernel {
	together := max(1, widenAtOnce/inner.N)
	run := inner.N == 1 && outer.From == 1 && outer.To == 1
	return func(c *op.Call, lo, hi int) {
		x, y, watch := tensor.Data[F](c.In[0]), tensor.Words[T](c.Out[0]), c.Watch()
		for lo < hi {
			n := min(hi-lo, together)
			if watch.Stops(n * inner.N) {
				return
			}
			from, to := first+lo*outer.From, lo*outer.To
			lo += n
			if run {
				y := y[to:][:n]
				for i, v := range x[from:][:n] {
					y[i] = T(v)
				}
				continue
			}
			for i := range inner.N {
				from, to := from+i*inner.From, to+i*inner.To
				for range n {
					y[to] = T(x[from])
					from += outer.From
					to += outer.To
				}
			}
		}
	}
}
