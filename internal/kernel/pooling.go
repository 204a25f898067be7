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
	n := r.Root()
	d, h, w, sums, ok := pooled(n)
	if !ok {
		return nil
	}
	if n.In[0].Type.Shape[1] < poolingChannels && r.Layouts[n.In[0]] == Plain {
		if d != geometry.Unmoved || divide && !sums && (h.Outside() || w.Outside()) {
			return nil
		}
		return poolLines(routine, r, h, w, divide)
	}
	g := newPlanes(n.In[0].Type.Shape, 4, d, h, w, simd.WindowPixels, sums)
	if g != nil && divide {
		g.divide = 1
	}
	return g.plan(t, routine, r, len(n.In))
}

// poolingIntegers prepares max_pool of integers, without a tail.
func poolingIntegers(routine *simd.Routine[simd.WindowArgs], r Region) *Plan {
	n := r.Root()
	d, h, w, _, ok := pooled(n)
	in := n.In[0].Type
	if !ok || len(r.Nodes) > 1 || in.Shape[1] < poolingChannels && r.Layouts[n.In[0]] == Plain {
		return nil
	}
	g := newPlanes(in.Shape, in.DType.Size(), d, h, w, simd.WindowPixels, false)
	if g == nil {
		return nil
	}
	return g.by(&windows{planes: g, routine: routine, lanes: block}, r)
}

// pooled returns the windows of pooling, and whether what lies outside of the operand counts, but as nothing; false if it is none over planes.
func pooled(n *graph.Node) (d, h, w geometry.Slide, sums, ok bool) {
	in, out := n.In[0].Type.Shape, n.Out[0].Type.Shape
	all, ok := geometry.Spatial(n.Attrs, in, out)
	if !ok || out.Len() == 0 {
		return d, h, w, false, false
	}
	d, h, w, ok = slides(n.Attrs, 0, in, out, n.Attrs.Ints("size"))
	sums = n.Op != "max_pool" && all.Border == geometry.BorderConstant // zeros count, but add nothing
	outside := d.Outside() || h.Outside() || w.Outside()
	return d, h, w, sums, ok && (!outside || all.Border == geometry.BorderIgnore || sums)
}
