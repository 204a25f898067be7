package kernel

import (
	"slices"

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
	in, out, size := n.In[0].Type.Shape, n.Out[0].Type.Shape, n.Attrs.Ints("size")
	if len(in) < 3 || out.Len() == 0 || !still(n.Attrs, 2) || in[1] < poolingChannels && r.Layouts[n.In[0]] != Blocked16 {
		return nil
	}
	h, w, ok := slides(innermost(n.Attrs, 2), in, out, size[2:])
	if !ok {
		return nil
	}
	border := geometry.BorderOf(n.Attrs)
	sums := n.Op != "max_pool" && border == geometry.BorderConstant // zeros count, but add nothing
	if (h.reaches() || w.reaches()) && border != geometry.BorderIgnore && !sums {
		return nil
	}
	return newPlanes(in, n.In[0].Type.DType.Size(), h, w, simd.WindowPixels, sums)
}

// still reports whether a window over all dimensions leaves the first ones as they are.
func still(a graph.Attrs, dims int) bool {
	one := func(list []int) bool {
		return !slices.ContainsFunc(list[:min(dims, len(list))], func(v int) bool { return v != 1 })
	}
	return one(a.Ints("size")) && one(a.Ints("stride")) && !slices.ContainsFunc(a.Ints("padding")[:2*dims], func(v int) bool { return v != 0 })
}

// innermost returns the attributes of a window over all dimensions without those of the first ones.
func innermost(a graph.Attrs, dims int) graph.Attrs {
	cut := func(name string, n int) []int { return a.Ints(name)[min(n, len(a.Ints(name))):] }
	return graph.AttrsOf("padding", cut("padding", 2*dims), "stride", cut("stride", dims), "dilation", cut("dilation", dims))
}

// reaches reports whether a window reaches beyond the operand.
func (s *slide) reaches() bool {
	return s.before > 0 || (s.out-1)*s.stride-s.before+(s.size-1)*s.dilation >= s.in
}
