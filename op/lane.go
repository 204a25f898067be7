package op

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
)

// Lane says that an application is as many applications as a dimension of its results has positions: the results at a position have the bits that
// the operator yields for the operands at that position alone. Lanes of all nodes from inputs to outputs prove that samples do not mix.
type Lane struct {
	In  []int // the dimension of each operand along which the position counts; -1 for one that is the same for all positions
	Out []int // that of each result
	// Attrs are the attributes of the application at a single position, where every such extent is 1.
	Attrs graph.Attrs
}

// LaneOf returns what the positions of a dimension of the first result of n are: see [Def.Lane]. It is nil if they depend on one another, or nothing
// is known.
func LaneOf(n *graph.Node, axis int) *Lane {
	d, ok := operator(n)
	if !ok || len(n.Blocks) > 0 || axis < 0 || len(n.Out) == 0 || axis >= n.Out[0].Type.Shape.Rank() {
		return nil
	}
	rule := d.Lane
	if rule == nil && d.Traits.Has(Elementwise) {
		rule = elementLane
	}
	if rule == nil {
		return nil
	}
	l := rule(&Sig{Def: d, In: graph.TypesOf(n.In), Attrs: n.Attrs}, graph.TypesOf(n.Out), axis)
	if l != nil && l.Attrs == nil {
		l.Attrs = n.Attrs
	}
	return l
}

// Rules for the field Lane of definitions.

type laneRule = func(s *Sig, out []Type, axis int) *Lane

// elementLane is for element-wise operators: operands broadcast, or are the same for all elements.
func elementLane(s *Sig, out []Type, axis int) *Lane {
	l := newLane(s, out, axis)
	for i, t := range s.In {
		switch {
		case s.Def.operand(i).Whole || t.Shape.Rank() != out[0].Shape.Rank(): // else it is one element
		case t.Shape[axis] == out[0].Shape[axis]:
			l.In[i] = axis
		case t.Shape[axis] != 1:
			return nil
		}
	}
	return l
}

// channelLane is for element-wise operators with parameters along the dimension axis.
var channelLane = firstLane(func(s *Sig, axis int) bool { return axis != s.Int("axis") })

// newLane returns a lane along one dimension of all results, and of no operand.
func newLane(s *Sig, out []Type, axis int) *Lane {
	l := &Lane{In: make([]int, len(s.In)), Out: make([]int, len(out))}
	for i := range l.In {
		l.In[i] = -1
	}
	for i := range l.Out {
		l.Out[i] = axis
	}
	return l
}

// firstLane is for operators whose first operand and results have dimensions in common, those that are free; other operands are parameters.
func firstLane(free func(s *Sig, axis int) bool) laneRule {
	return func(s *Sig, out []Type, axis int) *Lane {
		if !free(s, axis) {
			return nil
		}
		l := newLane(s, out, axis)
		l.In[0] = axis
		return l
	}
}

// allLane is firstLane where all operands have these dimensions.
func allLane(free func(s *Sig, axis int) bool) laneRule {
	return func(s *Sig, out []Type, axis int) *Lane {
		if !free(s, axis) {
			return nil
		}
		l := newLane(s, out, axis)
		for i := range s.In {
			if s.Has(i) {
				l.In[i] = axis
			}
		}
		return l
	}
}

// itemLane is for operators on items of a batch, the first dimension of the results and of the operands of these names.
func itemLane(names ...string) laneRule { return batchLane(0, names...) }

// batchLane is itemLane for another dimension.
func batchLane(batch int, names ...string) laneRule {
	return func(s *Sig, out []Type, axis int) *Lane {
		if axis != batch {
			return nil
		}
		l := newLane(s, out, axis)
		for i := range s.In {
			if s.Has(i) && slices.Contains(names, s.Def.operand(i).Name) {
				l.In[i] = axis
			}
		}
		return l
	}
}

// besideAxis, besideAxes and leading say which dimensions are free.
func besideAxis(s *Sig, axis int) bool { return axis != s.Int("axis") }
func besideAxes(s *Sig, axis int) bool { return !slices.Contains(s.Ints("axes"), axis) }
func leading(s *Sig, axis int) bool    { return axis < s.In[0].Shape.Rank()-2 }

// unslid says whether a window over all dimensions stays at each element of one.
func unslid(s *Sig, axis int) bool {
	steps := s.Ints("steps")
	return geometry.WindowOf(s.Attrs, s.Ints("size")).Idle(axis) && (len(steps) == 0 || steps[axis] == 0)
}

// single adds to a lane that an attribute has an extent for each dimension.
func single(attr string, rule laneRule) laneRule {
	return func(s *Sig, out []Type, axis int) *Lane {
		l := rule(s, out, axis)
		if list := s.Ints(attr); l != nil && axis < len(list) {
			l.Attrs = s.With(attr, with(list, axis, 1))
		}
		return l
	}
}

// with returns a list with another number at an index.
func with(list []int, i, n int) []int {
	list = slices.Clone(list)
	list[i] = n
	return list
}

// expandLane: an operand that is repeated along a dimension is the same for all of its positions.
func expandLane(s *Sig, out []Type, axis int) *Lane {
	l := newLane(s, out, axis)
	if s.In[0].Shape[axis] == out[0].Shape[axis] {
		l.In[0] = axis
	}
	return l
}

func tileLane(s *Sig, out []Type, axis int) *Lane {
	if s.Ints("repeats")[axis] != 1 && s.In[0].Shape[axis] != 1 {
		return nil
	}
	return expandLane(s, out, axis)
}

func transposeLane(s *Sig, out []Type, axis int) *Lane {
	l := newLane(s, out, axis)
	if l.In[0] = axis; axis < len(s.Ints("axes")) {
		l.In[0] = s.Ints("axes")[axis]
	}
	return l
}

// stackLane and unstackLane: behind the new dimension the others are one further.
func stackLane(s *Sig, out []Type, axis int) *Lane {
	l := allLane(besideAxis)(s, out, axis)
	for i := range s.In {
		if l != nil && axis > s.Int("axis") {
			l.In[i]--
		}
	}
	return l
}

func unstackLane(s *Sig, out []Type, axis int) *Lane {
	l := newLane(s, out, axis)
	if l.In[0] = axis; axis >= s.Int("axis") {
		l.In[0]++
	}
	return l
}

// sliceLane: a dimension that is listed, but of which all is taken, is as one that is not listed.
func sliceLane(s *Sig, out []Type, axis int) *Lane {
	l := newLane(s, out, axis)
	l.In[0] = axis
	i := slices.Index(s.Ints("axes"), axis)
	if i < 0 {
		return l
	}
	stride := s.Ints("stride")
	if s.In[0].Shape[axis] != out[0].Shape[axis] || len(stride) > 0 && stride[i] < 0 {
		return nil
	}
	l.Attrs = s.Attrs
	for _, name := range []string{"axes", "begin", "end", "stride"} {
		if list := s.Ints(name); len(list) > 0 {
			l.Attrs = l.Attrs.With(name, slices.Delete(slices.Clone(list), i, i+1))
		}
	}
	return l
}

func resizeFree(s *Sig, axis int) bool {
	in, scales, roi := s.In[0].Shape, s.Floats("scales"), s.Floats("roi")
	return s.Ints("sizes")[axis] == in[axis] && (len(scales) == 0 || scales[axis] == 1) && (len(roi) == 0 || roi[axis] == 0 && roi[len(in)+axis] == 1)
}

// gatherLane: the dimensions of indices stand in the place of the axis.
func gatherLane(s *Sig, out []Type, axis int) *Lane {
	l := newLane(s, out, axis)
	switch at, n := s.Int("axis"), s.In[1].Shape.Rank(); {
	case axis < at:
		l.In[0] = axis
	case axis < at+n:
		l.In[1] = axis - at
	default:
		l.In[0] = axis - n + 1
	}
	return l
}

func gatherElementsLane(s *Sig, out []Type, axis int) *Lane {
	l := newLane(s, out, axis)
	if l.In[1] = axis; axis != s.Int("axis") {
		l.In[0] = axis
	}
	return l
}

func gatherNDLane(s *Sig, out []Type, axis int) *Lane {
	l := newLane(s, out, axis)
	last := s.In[1].Shape.Rank() - 1
	if axis < last {
		l.In[1] = axis
	} else {
		l.In[0] = axis - last + s.In[1].Shape[last]
	}
	return l
}

func reverseSequenceLane(s *Sig, out []Type, axis int) *Lane {
	if axis == s.Int("time_axis") {
		return nil
	}
	l := newLane(s, out, axis)
	if l.In[0] = axis; axis == s.Int("batch_axis") {
		l.In[1] = 0
	}
	return l
}

// matmulLane: matrices of a batch, and rows of the left ones.
func matmulLane(s *Sig, out []Type, axis int) *Lane {
	rank := out[0].Shape.Rank()
	if axis == rank-1 {
		return nil
	}
	l := newLane(s, out, axis)
	for i, t := range s.In {
		switch {
		case t.Shape.Rank() != rank: // a zero point for all
		case axis < rank-2 && t.Shape[axis] == out[0].Shape[axis]:
			l.In[i] = axis
		case axis == rank-2 && i == 0:
			if l.In[0] = axis; s.Bool("transposeA") {
				l.In[0] = rank - 1
			}
		case axis == rank-2 && i == 2 && t.Shape[axis] == out[0].Shape[axis]:
			l.In[2] = axis
		}
	}
	return l
}

// gemmLane: rows of the left matrix, and of the addend if it has as many.
func gemmLane(s *Sig, out []Type, axis int) *Lane {
	l := matmulLane(&Sig{Def: s.Def, In: s.In[:2], Attrs: s.Attrs}, out, axis)
	for i := 2; l != nil && i < len(s.In); i++ {
		if l.In = append(l.In, -1); s.Has(i) && s.In[i].Shape.Rank() == 2 && s.In[i].Shape[0] == out[0].Shape[0] {
			l.In[i] = 0
		}
	}
	return l
}

// recurrentLane: items of a batch. The dimension of directions stands in front of it in states, and that of steps, too, in sequences; a cell has
// neither.
func recurrentLane(s *Sig, out []Type, axis int) *Lane {
	l := batchLane(s.In[0].Shape.Rank()-2, "input", "initial_hidden_state", "initial_cell_state", "hidden_state", "cell_state")(s, out, axis)
	if l == nil {
		return nil
	}
	for i := range s.In {
		if s.Def.operand(i).Name == "lengths" && s.Has(i) {
			l.In[i] = 0
		}
	}
	for i, t := range out {
		if t.Shape.Rank() == 4 {
			l.Out[i] = 2
		}
	}
	return l
}
