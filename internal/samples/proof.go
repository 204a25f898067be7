package samples

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// MixedError says that samples in one run might not have the bits that they have alone.
type MixedError struct {
	Node *graph.Node // the first one of which it is not known that it keeps samples apart; nil if it is an output
	Name string      // of what it yields
}

// Error names the operator and the value.
func (e *MixedError) Error() string {
	e = cmp.Or(e, new(MixedError))
	if e.Node == nil {
		return fmt.Sprintf("the samples of %s may not be as they are alone", e.Name)
	}
	return fmt.Sprintf("samples may not be as they are alone behind the operator %s, which yields %s", e.Node.Op, e.Name)
}

// place says where in a value the samples lie: all elements are before·n·(as many as are left) in row-major order, the middle one being the sample.
// A view that only changes the shape leaves it as it is.
type place struct {
	same   bool // all samples have the same elements, in a value of the same type
	before int
}

// prove shows that each sample of outputs of all, the graph for n samples, has the bits of one, the graph for a single one: the nodes of both
// correspond, and each result of a node consists of what the node yields for single samples, as [op.LaneOf] says.
func prove(one, all *graph.Graph, n int) error {
	p := &proof{n: n, places: make(map[[2]*graph.Value]*place)}
	for i, in := range all.Inputs {
		at := place{same: true}
		if !in.Type.Equal(one.Inputs[i].Type) {
			at = place{before: 1}
		}
		p.places[[2]*graph.Value{one.Inputs[i], in}] = &at
	}
	for i, o := range all.Outputs {
		at := p.find(one.Outputs[i].Value, o.Value)
		if p.failed != nil {
			return p.failed
		}
		if at == nil || at.same || at.before != 1 {
			return &MixedError{Name: o.Name}
		}
	}
	return nil
}

type proof struct {
	n      int
	places map[[2]*graph.Value]*place // of what was looked at; nil for what cannot be shown
	failed *MixedError                // the first one
}

// find returns where samples lie in a value, given what it is for one sample.
func (p *proof) find(one, all *graph.Value) *place {
	key := [2]*graph.Value{one, all}
	if at, ok := p.places[key]; ok {
		return at
	}
	at := p.follow(one, all)
	switch {
	case at == nil:
	case at.same && !all.Type.Equal(one.Type), one.Type.DType != all.Type.DType, !at.same && all.Type.Shape.Len() != p.n*one.Type.Shape.Len():
		at = nil // of other elements
	}
	p.places[key] = at
	if at == nil && p.failed == nil {
		p.failed = &MixedError{all.Producer, all.Name}
	}
	return at
}

func (p *proof) follow(one, all *graph.Value) *place {
	a, b := one.Producer, all.Producer
	alike := a != nil && b != nil && a.Op == b.Op && len(a.In) == len(b.In) && len(a.Out) == len(b.Out)
	switch {
	case one.Const != nil && all.Const != nil:
		return p.constant(one.Const, all.Const)
	case !alike && b != nil && op.Reshapes(b): // which is not needed for one sample
		return p.find(one, b.In[0])
	case !alike && a != nil && op.Reshapes(a):
		return p.find(a.In[0], all)
	case !alike:
		return nil
	case op.Reshapes(a) && op.Reshapes(b):
		return p.find(a.In[0], b.In[0])
	default:
		return p.node(a, b, slices.Index(b.Out, all))
	}
}

// constant returns the place in a constant, which may be repeated for each sample.
func (p *proof) constant(one, all *tensor.Tensor) *place {
	a, b := one.Contiguous().Bytes(), all.Contiguous().Bytes()
	if graph.TypeOf(one).Equal(graph.TypeOf(all)) {
		if len(a) == 0 || &a[0] == &b[0] || bytes.Equal(a, b) {
			return &place{same: true}
		}
		return nil
	}
	axis := p.longer(graph.TypeOf(one), graph.TypeOf(all))
	if axis < 0 || one.DType().IsPacked() {
		return nil
	}
	before := one.Shape()[:axis].Len()
	size := len(a) / max(before, 1)
	for i := range before {
		for k := range p.n {
			if !bytes.Equal(a[i*size:][:size], b[(i*p.n+k)*size:][:size]) {
				return nil
			}
		}
	}
	return &place{before: before}
}

// longer returns the only dimension in which two types differ, all having the extent of one times the number of samples there; -1 if they do not
// differ so.
func (p *proof) longer(one, all graph.Type) int {
	axis := -1
	if one.DType != all.DType || one.Shape.Rank() != all.Shape.Rank() {
		return -1
	}
	for k, e := range one.Shape {
		switch {
		case e == all.Shape[k]:
		case axis >= 0 || e*p.n != all.Shape[k]:
			return -1
		default:
			axis = k
		}
	}
	return axis
}

// node returns the place in result i of a node.
func (p *proof) node(one, all *graph.Node, i int) *place {
	in := make([]*place, len(all.In))
	same := len(one.Blocks) == 0 && len(all.Blocks) == 0
	for k, v := range all.In {
		if (v == nil) != (one.In[k] == nil) {
			return nil
		}
		if v != nil {
			if in[k] = p.find(one.In[k], v); in[k] == nil {
				return nil
			}
			same = same && in[k].same
		}
	}
	if same && equalAttrs(one.Attrs, all.Attrs) {
		return &place{same: true}
	}
	for axis := range all.Out[0].Type.Shape {
		a, b := op.LaneOf(one, axis), op.LaneOf(all, axis)
		if a == nil || b == nil || !equalAttrs(a.Attrs, b.Attrs) {
			continue
		}
		if at := p.lane(one, all, a, b, in, i); at != nil {
			return at
		}
	}
	return nil
}

// lane returns the place in result i of a node whose samples are positions of a lane, or nil if they are not. The lane's dimension has
// outer·n·inner positions, outer·inner of them for each sample.
func (p *proof) lane(one, all *graph.Node, a, b *op.Lane, in []*place, i int) *place {
	outer := 0 // as long as no operand has decided it
	for k, v := range all.In {
		if v == nil {
			continue
		}
		from, axis := one.In[k].Type.Shape, b.In[k]
		if a.In[k] != axis && (a.In[k] >= 0 && from[a.In[k]] != 1 || axis >= 0 && from[axis] != 1) {
			return nil
		}
		if in[k].same {
			if axis >= 0 {
				return nil
			}
			continue
		}
		if axis < 0 {
			return nil
		}
		before := v.Type.Shape[:axis].Len()
		if before == 0 || in[k].before%before != 0 {
			return nil
		}
		its := in[k].before / before
		if outer > 0 && its != outer || v.Type.Shape[axis]%(its*p.n) != 0 || !stretched(from, v.Type.Shape, axis, p.n) {
			return nil
		}
		outer = its
	}
	outer = max(outer, 1)
	for k, v := range all.Out {
		if !stretched(one.Out[k].Type.Shape, v.Type.Shape, b.Out[k], p.n) || a.Out[k] != b.Out[k] {
			return nil
		}
	}
	return &place{before: outer * all.Out[i].Type.Shape[:b.Out[i]].Len()}
}

// stretched reports whether a shape is another one with n times the extent in one dimension.
func stretched(one, all tensor.Shape, axis, n int) bool {
	return one.Rank() == all.Rank() && axis < one.Rank() && one[axis]*n == all[axis] && one[:axis].Equal(all[:axis]) && one[axis+1:].Equal(all[axis+1:])
}

func equalAttrs(a, b graph.Attrs) bool {
	return slices.EqualFunc(a, b, func(x, y graph.Attr) bool { return x.Name == y.Name && reflect.DeepEqual(x.Value, y.Value) })
}
