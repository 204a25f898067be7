package kernel

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// moveRows are operators that only move elements, by the routines of AVX2 or, if the tier is nil, in Go.
func moveRows(t *simd.Tier) []Kernel {
	if t != nil && !t.Interleave4.Exists() {
		return nil
	}
	row := func(name string, prepare func(t *simd.Tier, r Region) *Plan) Kernel {
		return Kernel{Name: "elements", Op: name, In: []op.Types{wholeBytes}, Prepare: func(r Region) *Plan {
			n := r.Root()
			if len(r.Nodes) > 1 || n.Out[0].Type.Shape.Len() == 0 || n.In[0].Type.DType.Size() == 0 {
				return nil
			}
			return prepare(t, r)
		}}
	}
	return []Kernel{row("transpose", choose), row("slice", choose), row("reverse", choose), row("expand", choose), row("concat", join), row("stack", join), row("tile", tile),
		row("split", part), row("unstack", part)}
}

// wholeBytes are the types of elements that have bytes of their own.
var wholeBytes = func() op.Types {
	var list []tensor.DType
	for _, d := range tensor.DTypes() {
		if slices.Contains([]int{1, 2, 4, 8}, d.Size()) {
			list = append(list, d)
		}
	}
	return op.TypeSet(list...)
}()

// choose prepares an operator that does nothing but choose elements. If the operand of a transpose is there in blocks of channels, and channels
// become the last dimension, it is read so.
func choose(t *simd.Tier, r Region) *Plan {
	n := r.Root()
	in, size := n.In[0].Type.Shape, n.In[0].Type.DType.Size()
	if n.Op == "transpose" && r.Layouts[n.In[0]] == Blocked16 && channelsLast(n.Attrs.Ints("axes"), len(in)) {
		p := movePlan(t, spreadBlocks(in), size)
		p.In = []Layout{Blocked16}
		return p
	}
	list, _ := selected(n)
	return movePlan(t, list, size)
}

// selected returns the boxes of the elements that a node chooses, and where the first one is.
func selected(n *graph.Node) (list []box, offset int) {
	out := n.Out[0].Type.Shape
	offset, stride, _ := op.Selection(n)
	loops, to := make([]loop, len(out)), geometry.Distances(out)
	for d := range loops {
		loops[d] = loop{out[d], stride[d], to[d]}
	}
	return addBox(nil, box{from: offset}, loops...), offset
}

// tile prepares the repetition of an operand along its dimensions.
func tile(t *simd.Tier, r Region) *Plan {
	n := r.Root()
	in, out := n.In[0].Type.Shape, n.Out[0].Type.Shape
	from, to := geometry.Distances(in), geometry.Distances(out)
	var loops []loop
	for d, extent := range in {
		loops = append(loops, loop{out[d] / extent, 0, extent * to[d]}, loop{extent, from[d], to[d]})
	}
	return movePlan(t, addBox(nil, box{}, loops...), n.In[0].Type.DType.Size())
}

// channelsLast reports whether axes bring dimension 1 of so many behind the others, which stay in their order.
func channelsLast(axes []int, rank int) bool {
	want := []int{0}
	for d := 2; d < rank; d++ {
		want = append(want, d)
	}
	return slices.Equal(axes, append(want, 1))
}

// spreadBlocks moves blocks of channels to their places in pixels of all channels.
func spreadBlocks(in tensor.Shape) []box {
	items, channels, inner := in[0], in[1], in[2:].Len()
	blocks := blocked(in)[1]
	items1 := loop{items, blocks * inner * block, inner * channels}
	whole := channels / block
	list := addBox(nil, box{}, items1, loop{inner, block, channels}, loop{whole, inner * block, block}, loop{block, 1, 1})
	return addBox(list, box{from: whole * inner * block, to: whole * block}, items1, loop{inner, block, channels}, loop{channels % block, 1, 1})
}

// join prepares the concatenation of operands, also along a new dimension: of their blocks of channels, if the first one is there in blocks, and no block
// is cut.
func join(t *simd.Tier, r Region) *Plan {
	n := r.Root()
	axis, out := n.Attrs.Int("axis"), n.Out[0].Type.Shape
	l := Plain
	if n.Op == "concat" && r.Layouts[n.In[0]] == Blocked16 && joinsBlocks(n.In, axis) {
		l = Blocked16
	}
	of := l.Shape(out)
	outer, row := of[:axis].Len(), of[axis:].Len()
	var boxes []box
	at := 0
	for i, v := range n.In {
		run := l.Shape(v.Type.Shape)[axis:].Len()
		boxes = addBox(boxes, box{operand: i, to: at}, loop{outer, run, row}, loop{run, 1, 1})
		at += run
	}
	p := movePlan(t, boxes, n.In[0].Type.DType.Size())
	if p != nil && l == Blocked16 {
		p.In, p.Out = slices.Repeat([]Layout{l}, len(n.In)), []Layout{l}
	}
	return p
}

// part prepares what takes an operand apart.
func part(t *simd.Tier, r Region) *Plan {
	n := r.Root()
	in, axis := n.In[0].Type.Shape, n.Attrs.Int("axis")
	outer, row := in[:axis].Len(), in[axis:].Len()
	var boxes []box
	at := 0
	for i, v := range n.Out {
		run := v.Type.Shape[axis:].Len()
		boxes = addBox(boxes, box{result: i, from: at}, loop{outer, row, run}, loop{run, 1, 1})
		at += run
	}
	return movePlan(t, boxes, n.In[0].Type.DType.Size())
}

// joinsBlocks reports whether operands may be joined block by block.
func joinsBlocks(in []*graph.Value, axis int) bool {
	for i, v := range in {
		if !Blockable(v.Type) || axis == 1 && i < len(in)-1 && v.Type.Shape[1]%block != 0 {
			return false
		}
	}
	return true
}
