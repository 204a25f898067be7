package kernel

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// poolingRows are pooling over planes of blocks of channels.
func poolingRows(t *simd.Tier) []Kernel {
	if !t.WindowMax.Exists() {
		return nil
	}
	row := func(name string, routine *simd.Routine[simd.WindowArgs], divide func(graph.Attrs) bool) Kernel {
		return Kernel{Name: "planes", Op: name, In: []op.Types{float32s}, Prepare: func(r Region) *Plan {
			return pooling(t, routine, r, divide(r.Root().Attrs))
		}}
	}
	always := func(yes bool) func(graph.Attrs) bool { return func(graph.Attrs) bool { return yes } }
	integers := func(d tensor.DType, routine *simd.Routine[simd.WindowArgs]) Kernel {
		return Kernel{Name: "planes of " + d.String(), Op: "max_pool", In: []op.Types{op.TypeSet(d)}, Prepare: func(r Region) *Plan { return poolingIntegers(routine, r) }}
	}
	rows := []Kernel{
		row("max_pool", &t.WindowMax, always(false)),
		row("box", &t.WindowSum, func(a graph.Attrs) bool { return a.Bool("normalize") }),
		row("l2_pool", &t.WindowSquares, always(false)),
		row("rms_pool", &t.WindowSquares, always(true)),
	}
	if t.WindowMaxInt8.Exists() {
		rows = append(rows, integers(tensor.Int8, &t.WindowMaxInt8), integers(tensor.Uint8, &t.WindowMaxUint8), integers(tensor.Int16, &t.WindowMaxInt16))
	}
	return rows
}

// poolingChannels is the least number of channels of a plain operand for which blocks are worth making.
const poolingChannels = 4

func pooling(t *simd.Tier, routine *simd.Routine[simd.WindowArgs], r Region, divide bool) *Plan {
	g := pooled(r)
	if g == nil {
		return nil
	}
	if divide {
		g.divide = 1
	}
	return g.plan(t, routine, r, len(r.Root().In))
}

// poolingIntegers prepares max_pool of integers, without a tail.
func poolingIntegers(routine *simd.Routine[simd.WindowArgs], r Region) *Plan {
	g := pooled(r)
	if g == nil || len(r.Nodes) > 1 {
		return nil
	}
	return g.by(&windows{planes: g, routine: routine, lanes: block}, r)
}

// pooled returns the geometry of pooling; nil if it is none over planes.
func pooled(r Region) *planes {
	n := r.Root()
	in, out := n.In[0].Type.Shape, n.Out[0].Type.Shape
	all, ok := geometry.Spatial(n.Attrs, in, out)
	if !ok || out.Len() == 0 || in[1] < poolingChannels && r.Layouts[n.In[0]] != Blocked16 {
		return nil
	}
	d, h, w, ok := slides(n.Attrs, 0, in, out, n.Attrs.Ints("size"))
	if !ok {
		return nil
	}
	border := all.Border
	sums := n.Op != "max_pool" && border == geometry.BorderConstant // zeros count, but add nothing
	if (d.Outside() || h.Outside() || w.Outside()) && border != geometry.BorderIgnore && !sums {
		return nil
	}
	return newPlanes(in, n.In[0].Type.DType.Size(), d, h, w, simd.WindowPixels, sums)
}
