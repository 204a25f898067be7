package kernel

import (
	"math"

	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Padding with a constant, row by row, in the layout in which the operand is there.
var padKernels = []Kernel{{Name: "elements", Op: "pad", In: []op.Types{wholeBytes}, Prepare: padding}}

// padded is where the rows of a padded tensor come from. In blocks of channels an element is a block.
type padded struct {
	in, out, before []int
	step            []int // of the operand, in words
	unit            int   // words of an element
	fill            uint64
	filled          bool // whether operand 1 has what is added
}

func padding(r Region) *Plan {
	n := r.Root()
	in, out, around := n.In[0].Type.Shape, n.Out[0].Type.Shape, n.Attrs.Ints("padding")
	if len(r.Nodes) > 1 || out.Len() == 0 || len(out) == 0 || geometry.BorderOf(n.Attrs) != geometry.BorderConstant || !wholeBytes.Has(n.In[0].Type.DType) {
		return nil
	}
	g := &padded{unit: 1, filled: len(n.In) > 1 && n.In[1] != nil}
	for d := range in {
		g.before = append(g.before, around[2*d])
	}
	if value := n.Attrs.Float("value"); !g.filled && (value != 0 || math.Signbit(value)) {
		if n.In[0].Type.DType != tensor.Float32 {
			return nil
		}
		g.fill = uint64(math.Float32bits(fmath.Canonical(float32(value))))
	}
	l := Plain
	if r.Layouts[n.In[0]] == Blocked16 && Blockable(n.Out[0].Type) && len(in) > 2 && around[2] == 0 && around[3] == 0 {
		l, g.unit = Blocked16, block
		in, out = blocked(in)[:len(in)], blocked(out)[:len(out)]
	}
	g.in, g.out, g.step = in, out, geometry.Distances(in)
	last := len(out) - 1
	p := evenly(out[:last].Len(), nil)
	p.In, p.Out = make([]Layout, len(n.In)), []Layout{l}
	p.In[0] = l
	switch n.In[0].Type.DType.Size() {
	case 1:
		p.Run = padWords[uint8](g)
	case 2:
		p.Run = padWords[uint16](g)
	case 4:
		p.Run = padWords[uint32](g)
	default:
		p.Run = padWords[uint64](g)
	}
	return p
}

// source returns the operand's row that a row of the result has; false if it lies outside.
func (g *padded) source(row int) (from int, inside bool) {
	for d := len(g.out) - 2; d >= 0; d-- {
		i := row%g.out[d] - g.before[d]
		if i < 0 || i >= g.in[d] {
			return 0, false
		}
		from += i * g.step[d]
		row /= g.out[d]
	}
	return from, true
}

//go:noinline // tables of kernels would hold it more than once
func padWords[W word](g *padded) op.Kernel {
	last := len(g.out) - 1
	width, n, before := g.out[last], g.in[last], g.before[last]
	first := min(max(before, 0), width)
	end := max(min(before+n, width), first)
	return func(c *op.Call, lo, hi int) {
		x, y, watch, fill := tensor.Words[W](c.In[0]), tensor.Words[W](c.Out[0]), c.Watch(), W(g.fill)
		if g.filled {
			fill = tensor.Words[W](c.In[1])[0]
		}
		for row := lo; row < hi; row++ {
			if watch.Stops(width * g.unit) {
				return
			}
			line := y[row*width*g.unit:][:width*g.unit]
			from, inside := g.source(row)
			if !inside || first == end {
				repeat(line, fill)
				continue
			}
			repeat(line[:first*g.unit], fill)
			copy(line[first*g.unit:end*g.unit], x[(from+first-before)*g.unit:])
			repeat(line[end*g.unit:], fill)
		}
	}
}

// repeat sets words to one.
func repeat[W word](list []W, w W) {
	for i := range list {
		list[i] = w
	}
}
