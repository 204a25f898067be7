package kernel

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// moveRows are operators that only move elements, by the routines of AVX2 or, if the tier is nil, in Go.
func moveRows(t *simd.Tier) (rows []Kernel) {
	if t != nil && !t.Interleave4.Exists() {
		return nil
	}
	for _, name := range Movers {
		rows = append(rows, Kernel{Name: "elements", Op: name, In: []op.Types{wholeBytes}, Prepare: func(r Region) *Plan {
			boxes, in, out := Moves(r)
			if boxes == nil {
				return nil
			}
			p := movePlan(t, boxes, r.Root().In[0].Type.DType.Size())
			p.In, p.Out = in, out
			return p
		}})
	}
	return rows
}

// Movers are the operators that [Moves] knows.
var Movers = []string{"transpose", "slice", "reverse", "expand", "concat", "tile"}

// Moves returns the boxes of elements that go to the result of a node of [Movers], alone in its region, with the layouts in which its operands and the
// result lie, nil for plain ones; no boxes if there are no elements with bytes of their own.
func Moves(r Region) (boxes []Box, in, out []Layout) {
	n := r.Root()
	if len(r.Nodes) > 1 || n.Out[0].Type.Shape.Len() == 0 || !wholeBytes.Has(n.In[0].Type.DType) {
		return nil, nil, nil
	}
	switch n.Op {
	case "concat":
		return concat(r)
	case "tile":
		return tile(n), nil, nil
	}
	return choose(r)
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

// distances returns how far neighbours lie apart along each dimension of a shape.
func distances(shape tensor.Shape) []int {
	list, step := make([]int, len(shape)), 1
	for d := len(shape) - 1; d >= 0; d-- {
		list[d] = step
		step *= shape[d]
	}
	return list
}

// choose is an operator that does nothing but choose elements. If the operand of a transpose is there in blocks of channels, and channels
// become the last dimension, it is read so.
func choose(r Region) (boxes []Box, in, out []Layout) {
	n := r.Root()
	shape := n.In[0].Type.Shape
	if n.Op == "transpose" && r.Layouts[n.In[0]] == Blocked16 && channelsLast(n.Attrs.Ints("axes"), len(shape)) {
		return spreadBlocks(shape), []Layout{Blocked16}, nil
	}
	boxes, _ = selected(n)
	return boxes, nil, nil
}

// selected returns the boxes of the elements that a node chooses, and where the first one is.
func selected(n *graph.Node) (list []Box, offset int) {
	out := n.Out[0].Type.Shape
	offset, stride, _ := op.Selection(n)
	loops, to := make([]Loop, len(out)), distances(out)
	for d := range loops {
		loops[d] = Loop{out[d], stride[d], to[d]}
	}
	return addBox(nil, 0, offset, 0, loops...), offset
}

// tile repeats an operand along its dimensions.
func tile(n *graph.Node) []Box {
	in, out := n.In[0].Type.Shape, n.Out[0].Type.Shape
	from, to := distances(in), distances(out)
	var loops []Loop
	for d, extent := range in {
		loops = append(loops, Loop{out[d] / extent, 0, extent * to[d]}, Loop{extent, from[d], to[d]})
	}
	return addBox(nil, 0, 0, 0, loops...)
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
func spreadBlocks(in tensor.Shape) []Box {
	items, channels, inner := in[0], in[1], in[2:].Len()
	blocks := blocked(in)[1]
	items1 := Loop{items, blocks * inner * block, inner * channels}
	whole := channels / block
	list := addBox(nil, 0, 0, 0, items1, Loop{inner, block, channels}, Loop{whole, inner * block, block}, Loop{block, 1, 1})
	return addBox(list, 0, whole*inner*block, whole*block, items1, Loop{inner, block, channels}, Loop{channels % block, 1, 1})
}

// concat joins operands: of their blocks of channels, if the first one is there in blocks, and no block is cut.
func concat(r Region) (boxes []Box, in, out []Layout) {
	n := r.Root()
	axis := n.Attrs.Int("axis")
	l := Plain
	if r.Layouts[n.In[0]] == Blocked16 && joinsBlocks(n.In, axis) {
		l = Blocked16
	}
	of := l.Shape(n.Out[0].Type.Shape)
	outer, row := of[:axis].Len(), of[axis:].Len()
	at := 0
	for i, v := range n.In {
		run := l.Shape(v.Type.Shape)[axis:].Len()
		boxes = addBox(boxes, i, 0, at, Loop{outer, run, row}, Loop{run, 1, 1})
		at += run
	}
	if l == Blocked16 {
		return boxes, slices.Repeat([]Layout{l}, len(n.In)), []Layout{l}
	}
	return boxes, nil, nil
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
