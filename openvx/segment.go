package openvx

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// segment is a run of nodes that are compiled and executed as one graph of package graph.
type segment struct {
	nodes     []*Node
	constants []constant
	volatile  bool // an application's kernel writes one of the constants
	loads     []port
	stores    []port
	program   *engine.Program // nil if nothing that the nodes compute is ever read
	session   *engine.Session
}

// port is an input or output of a session and the tensor from or to whose memory it is copied.
type port struct {
	tensor *Tensor
	memory *tensor.Tensor // of the tensor, as it is in this run
	of     *memory        // that it is a part of
	inside *tensor.Tensor // of the session
}

// constant is an operand whose elements have become a part of the compiled graph, as they were then.
type constant struct {
	node    *Node
	param   int
	value   []byte // of a scalar
	version uint64 // of a table or a tensor
}

// deposit is a region that a node of a segment has written.
type deposit struct {
	region
	value *graph.Value // nil as long as the graph is only planned
}

// assemble sorts parts that overlap a region, so that they are a row along an axis. It is ok if there are none, or if the region has exactly the elements
// that they have of it.
func assemble(r *region, parts []deposit) (axis int, ok bool) {
	if len(parts) == 0 {
		return 0, true
	}
	if len(parts) == 1 {
		return 0, parts[0].intersect(r) == *r
	}
	for axis = range r.rank {
		if c := parts[0].intersect(r); c.dims[axis] != r.dims[axis] {
			break
		}
	}
	slices.SortFunc(parts, func(a, b deposit) int { return a.start[axis] - b.start[axis] })
	row := *r
	row.dims[axis] = 0
	for i := range parts {
		c := parts[i].intersect(r)
		if c.start[axis] != r.start[axis]+row.dims[axis] {
			return 0, false
		}
		row.dims[axis] += c.dims[axis]
		c.start[axis], c.dims[axis] = r.start[axis], r.dims[axis]
		if c != *r {
			return 0, false
		}
	}
	return axis, row == *r
}

// weaver makes the graph of a segment. The context is locked.
type weaver struct {
	emit.Emitter
	*segment
	course  *course
	b       *graph.Builder
	written map[position]*graph.Value // with the extents of the region
	loaded  map[region]*graph.Value
}

// weave makes the graph of a segment, nil if it has no results.
func (p *course) weave(s *segment) *graph.Graph {
	b := graph.NewBuilder(op.Rules, "openvx")
	w := &weaver{emit.Emitter{Target: b}, s, p, b, make(map[position]*graph.Value), make(map[region]*graph.Value)}
	s.constants, s.volatile, s.loads, s.stores = nil, false, nil, nil
	for _, n := range s.nodes {
		n.within(func() { w.node(n) })
	}
	if len(s.stores) == 0 {
		return nil
	}
	return must(b.Build())
}

// node adds what a node computes.
func (w *weaver) node(n *Node) {
	c := n.checked
	if n.checked = nil; c == nil { // operands may have changed since the graph was verified
		c = n.inferred()
	}
	c.compatible = w.course.made.compatible
	values := make([]*graph.Value, len(n.params))
	for i, r := range n.params {
		if n.kernel.params[i].dir == Output {
			continue
		}
		switch r := r.(type) {
		case *Scalar:
			w.constants = append(w.constants, constant{node: n, param: i, value: c.operands[i].bytes})
			w.volatile = w.volatile || w.course.writes(&r.object)
		case *LUT:
			w.volatile = w.volatile || w.course.writes(&r.object)
			values[i] = w.static(n, i, r.table)
		case *Tensor:
			values[i] = w.tensor(n, i, r)
		}
	}
	stop(w.Err)
	results := must(n.kernel.lower(c, w.b, n.label(-1), values))
	for i, r := range n.params {
		if t, _ := r.(*Tensor); t != nil && n.kernel.params[i].dir == Output {
			if v := results[i]; v == nil || v.Type.String() != valueType(t.format).String() {
				refuse(Failure, "%s came out as %v in place of %v; this is a mistake of the library",
					n.kernel.params[i].name, v.Type, valueType(t.format))
			}
			at := t.region()
			w.written[position{n, i}] = w.Reshape(results[i], reversed(at.extents())...)
			if w.course.stored(t) {
				w.store(t, results[i])
			}
		}
	}
	stop(w.Err)
}

// tensor returns the elements that a node reads.
func (w *weaver) tensor(n *Node, i int, t *Tensor) *graph.Value {
	if n.kernel.params[i].static && !w.course.writes(&t.root.object) {
		return w.static(n, i, t)
	}
	at := t.region()
	parts := w.course.deposits(&at, w.written)
	axis, _ := assemble(&at, parts)
	if len(parts) == 0 {
		return w.load(t, at)
	}
	values := make([]*graph.Value, len(parts))
	for k := range parts {
		common := parts[k].intersect(&at)
		values[k] = w.slice(&parts[k], &common)
	}
	v := values[0]
	if len(values) > 1 {
		v = w.Node("concat", emit.Attr("axis", at.rank-1-axis), values...)
	}
	return w.Reshape(v, reversed(t.dims)...) // a view may have fewer dimensions than what it shows
}

// slice returns a part of a value.
func (w *weaver) slice(p *deposit, part *region) *graph.Value {
	var axes, begin, end []int
	for i, n := range part.extents() {
		if n != p.dims[i] {
			from := part.start[i] - p.start[i]
			axes, begin, end = append(axes, part.rank-1-i), append(begin, from), append(end, from+n)
		}
	}
	if axes == nil {
		return p.value
	}
	return w.Node("slice", emit.Attr("axes", axes, "begin", begin, "end", end), p.value)
}

// load returns a region as it is in memory when the segment begins.
func (w *weaver) load(t *Tensor, at region) *graph.Value {
	if v := w.loaded[at]; v != nil {
		return w.Reshape(v, reversed(t.dims)...) // another view of it may have other dimensions
	}
	v, err := w.b.Input(fmt.Sprintf("in%d", len(w.loads)), valueType(t.format))
	w.Fail(err)
	w.loads = append(w.loads, port{tensor: t})
	w.loaded[at] = v
	return v
}

// store makes the elements of a tensor a result.
func (w *weaver) store(t *Tensor, v *graph.Value) {
	w.Fail(w.b.Output(fmt.Sprintf("out%d", len(w.stores)), v))
	w.stores = append(w.stores, port{tensor: t})
}

// static makes the elements of a tensor a constant.
func (w *weaver) static(n *Node, i int, t *Tensor) *graph.Value {
	elements := t.elements()
	w.constants = append(w.constants, constant{node: n, param: i, version: t.version()})
	return w.Stored(n.label(i), "", elements.Clone())
}

// valueType returns the type of a tensor as a value: the slowest dimension first.
func valueType(f format) graph.Type {
	return graph.Type{DType: f.element(), Shape: reversed(f.dims)}
}

// changed reports whether a constant is not any more what was compiled. The context is locked.
func (s *segment) changed() bool {
	for i := range s.constants {
		c := &s.constants[i]
		switch r := c.node.params[c.param].(type) {
		case *Scalar:
			if !bytes.Equal(r.data, c.value) {
				return true
			}
		default:
			if contents(r).version() != c.version {
				return true
			}
		}
	}
	return false
}
