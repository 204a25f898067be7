package random

import (
	"slices"

	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// Steps with graphs of their own: choices, iterations and calls of functions.

const deepest = 2 // graphs in one another

// room reports whether there may be one more graph in this one.
func (g *grower) room() bool {
	return g.depth < deepest && (g.depth > 0 || g.made.nodes+6 <= g.made.most)
}

// sub begins a graph in an attribute, or the body of a function.
func (g *grower) sub(kind scope) *grower {
	m := *g.maker
	m.graph = &proto.Graph{Name: g.name()}
	s := &grower{maker: &m, kind: kind, depth: g.depth + 1, tape: new([]func()), made: g.made}
	if kind == block {
		s.wires = slices.Clone(g.wires)
		s.wires = slices.DeleteFunc(s.wires, func(w *wire) bool { return !w.known() })
	}
	s.own = len(s.wires)
	return s
}

// parameter adds an input to a graph that is a body.
func (g *grower) parameter(like *wire) *wire {
	w := *like
	w.name = g.name()
	g.graph.Input = append(g.graph.Input, w.info(w.rank() == 0 || g.chance(0.5)))
	g.wires = append(g.wires, &w)
	return &w
}

// info declares a value, with its shape or without.
func (w *wire) info(shape bool) *proto.ValueInfo {
	var s *proto.Shape
	if shape {
		s = proto.NewShape(w.shape)
	}
	return proto.NewValueInfo(w.name, proto.DataTypeOf(w.d), s)
}

// steps adds some.
func (g *grower) steps(n int) {
	for until := g.made.nodes + n; g.made.nodes < until && n > 0; n-- {
		g.grow()
	}
}

// result returns a value of this graph that is like another one in type and shape.
func (g *grower) result(like *wire) *wire {
	var list []*wire
	for _, w := range g.wires[g.own:] {
		if w.d == like.d && slices.Equal(w.shape, like.shape) && !g.isStored(w.name) {
			list = append(list, w)
		}
	}
	if len(list) > 0 && g.chance(0.9) {
		return list[len(list)-1-g.IntN(min(2, len(list)))]
	}
	if last := g.wires[len(g.wires)-1]; len(g.wires) > g.own && last.d == like.d && isNumber(like) && last.known() && (isFloat(like) || g.opset >= 12) {
		if w := g.mixed(like, last); w != nil {
			return w
		}
	}
	return g.move(like.shape, []*wire{like}, "Identity", namesOf(like))
}

// mixed combines a value with the extreme of another one.
func (g *grower) mixed(like, other *wire) *wire {
	if other.rank() > 0 {
		if other = g.move([]int{}, []*wire{other}, "ReduceMax", namesOf(other), "keepdims", 0); other == nil {
			return nil
		}
	}
	return g.move(like.shape, []*wire{like, other}, "Max", namesOf(like, other))
}

// returns adds an output, which has a shape if that is asked for.
func (g *grower) returns(w *wire, shape bool) {
	v := *w
	if slices.ContainsFunc(g.graph.Output, func(o *proto.ValueInfo) bool { return o.Name == w.name }) {
		v.name = g.node("Identity", namesOf(w), 1, nil)[0]
	}
	g.graph.Output = append(g.graph.Output, v.info(shape || g.chance(0.3)))
}

// condition adds a scalar that says yes or no: constant, of an input, or computed.
func (g *grower) condition() string {
	truth := scalar(tensor.Bool, float64(g.IntN(2)))
	switch x := g.number(1, 3, isSame); {
	case x == nil || g.chance(0.25):
		return g.hold(truth, true)
	case g.kind == whole && g.chance(0.3):
		return g.hold(truth, false)
	case g.chance(0.5):
		return g.node("Less", []string{g.extentOf(x, 0, false), g.scalarOf(tensor.Int64, float64(g.between(1, 4)))}, 1, nil)[0]
	default:
		top := g.node("ReduceMax", namesOf(x), 1, attrs{"keepdims", 0})[0]
		return g.node("Less", []string{top, g.scalarOf(x.d, float64(g.between(1, 4)))}, 1, nil)[0]
	}
}

// isPlain is what blocks may be given.
func isPlain(w *wire) bool { return (isNumber(w) || w.d == tensor.Bool) && w.known() }

func choice(g *grower) {
	if !g.room() {
		return
	}
	c := g.condition()
	var like []*wire
	for range g.between(1, 2) {
		if w := g.pick(isPlain); w != nil {
			like = append(like, w)
		}
	}
	branches := []*grower{g.sub(block), g.sub(block)}
	results := make([][]*wire, len(like))
	for _, b := range branches {
		b.steps(g.between(0, 4))
		for i, l := range like {
			w := b.result(l)
			if w == nil {
				return
			}
			results[i] = append(results[i], w)
			b.returns(w, false)
		}
	}
	out := g.node("If", []string{c}, len(like), attrs{"then_branch", branches[0].graph, "else_branch", branches[1].graph})
	for _, b := range branches {
		*g.tape = append(*g.tape, *b.tape...)
	}
	for i := range like {
		g.emerge(out[i], like[i].shape, func() {}, results[i]...)
	}
}

// emerge adds a value that has the elements of one of those of a block.
func (g *grower) emerge(name string, shape []int, before func(), from ...*wire) {
	w := gathered(from...)
	w.name, w.shape = name, shape
	step := func() { before(); w.err = worst(from...)() }
	step()
	*g.tape = append(*g.tape, step)
	if w.err <= mostError {
		g.wires = append(g.wires, &w)
	}
}

// state adds the parameter of a body for what it hands from turn to turn. Its elements stay within bounds.
func (g *grower) state(first *wire) *wire {
	like := *first
	if like.most = 8; first.d == tensor.Bool {
		like.most = 1
	}
	if like.step > 1 {
		like.step = 1
	}
	return g.parameter(&like)
}

// bounded returns the next value of a state.
func (g *grower) bounded(state *wire) *wire {
	w := g.result(state)
	switch {
	case w == nil || w.d == tensor.Bool:
		return w
	case w.step < state.step || state.same && !w.same:
		return g.move(state.shape, []*wire{state}, "Neg", namesOf(state))
	case w.most <= state.most:
		return w
	case !isSingle(w) && g.opset < 12:
		return g.move(state.shape, []*wire{state}, "Neg", namesOf(state))
	default:
		n := *w
		n.most = state.most
		return g.put(n, 0, worst(w), "Clip", []string{w.name, g.scalarOf(w.d, -state.most), g.scalarOf(w.d, state.most)})
	}
}

const mostTurns = 4

func loop(g *grower) {
	if !g.room() {
		return
	}
	var first []*wire
	for range g.between(1, 2) {
		if w := g.pick(func(w *wire) bool { return isPlain(w) && w.most <= 8 }); w != nil {
			first = append(first, w)
		}
	}
	if len(first) == 0 {
		return
	}
	turns := g.between(1, mostTurns)
	trips, sure := g.tripCount(turns), true
	going := ""
	if trips == "" || g.chance(0.4) {
		going = g.hold(scalar(tensor.Bool, 1), g.kind != whole || g.chance(0.5))
	}
	b := g.sub(block)
	turn := b.parameter(&wire{d: tensor.Int64, shape: []int{}, most: mostTurns, step: 1, same: true})
	c := b.parameter(&wire{d: tensor.Bool, shape: []int{}, most: 1, step: 1, same: true})
	var states []*wire
	for _, w := range first {
		states = append(states, b.state(w))
	}
	b.own = len(b.wires)
	b.steps(g.between(1, 5))
	var next []*wire
	for _, s := range states {
		w := b.bounded(s)
		if w == nil {
			return
		}
		next = append(next, w)
	}
	again := c.name
	switch {
	case trips == "" || g.chance(0.25):
		again = b.node("Less", []string{turn.name, b.scalarOf(tensor.Int64, float64(turns-1))}, 1, nil)[0]
	case g.chance(0.4):
		again = b.node("Identity", []string{c.name}, 1, nil)[0]
	case g.chance(0.5) && next[0].same && isNumber(next[0]):
		again, sure = b.stops(next[0]), false
	}
	b.output(again)
	for _, w := range next {
		b.returns(w, false)
	}
	var stacked []*wire
	if w := b.result(states[0]); w != nil && w.known() && g.chance(0.7) {
		stacked = append(stacked, w)
		b.returns(w, false)
	}
	out := g.node("Loop", append([]string{trips, going}, namesOf(first...)...), len(first)+len(stacked), attrs{"body", b.graph})
	run := g.turns(b, first, states, next, mostTurns)
	for i := range first {
		g.emerge(out[i], first[i].shape, run, states[i])
	}
	for i, w := range stacked {
		n := -1
		if sure {
			n = turns
		}
		g.emerge(out[len(first)+i], join([]int{n}, w.shape), run, w)
	}
}

// stops adds a condition that ends a loop when elements become great.
func (g *grower) stops(w *wire) string {
	top := w.name
	if w.rank() > 0 {
		top = g.node("ReduceMax", namesOf(w), 1, attrs{"keepdims", 0})[0]
	}
	return g.node("Less", []string{top, g.scalarOf(w.d, float64(g.between(1, 6)))}, 1, nil)[0]
}

// turns works out the errors of a body that runs several times.
func (g *grower) turns(b *grower, first, states, next []*wire, most int) func() {
	return func() {
		for i, s := range states {
			s.err = first[i].err
		}
		for range most {
			for _, f := range *b.tape {
				f()
			}
			for i, s := range states {
				s.err = max(s.err, next[i].err)
			}
		}
	}
}

// tripCount adds the operand of a loop that says how many turns it has: constant, of an input, computed from an extent, or none.
func (g *grower) tripCount(turns int) string {
	switch g.IntN(4) {
	case 0:
		return ""
	case 1:
		x := g.number(1, 4)
		return g.node("Sub", []string{g.extentOf(x, 0, false), g.scalarOf(tensor.Int64, float64(x.shape[0]-turns))}, 1, nil)[0]
	case 2:
		return g.hold(scalar(tensor.Int64, float64(turns)), g.kind != whole)
	default:
		return g.hold(scalar(tensor.Int64, float64(turns)), true)
	}
}

func scan(g *grower) {
	if !g.room() {
		return
	}
	over := g.number(1, 4, func(w *wire) bool { return slices.Max(w.shape) <= 6 })
	if over == nil {
		return
	}
	axis := g.IntN(over.rank())
	n := over.shape[axis]
	var first []*wire
	for range g.between(0, 2) {
		if w := g.pick(func(w *wire) bool { return isPlain(w) && w.most <= 8 }); w != nil {
			first = append(first, w)
		}
	}
	b := g.sub(block)
	var states []*wire
	for _, w := range first {
		states = append(states, b.state(w))
	}
	part := *over
	part.shape = join(over.shape[:axis], over.shape[axis+1:])
	item := b.parameter(&part)
	b.own = len(b.wires)
	b.steps(g.between(1, 5))
	var next []*wire
	for _, s := range states {
		w := b.bounded(s)
		if w == nil {
			return
		}
		next = append(next, w)
		b.returns(w, true)
	}
	stacked := b.result(item)
	if stacked == nil || !stacked.known() {
		return
	}
	b.returns(stacked, true)
	to := g.IntN(stacked.rank() + 1)
	a := attrs{"num_scan_inputs", 1, "body", b.graph, "scan_input_axes", []int{axis}, "scan_output_axes", []int{to}}
	if g.chance(0.4) {
		a = append(a, "scan_input_directions", []int{g.IntN(2)})
	}
	if g.chance(0.4) {
		a = append(a, "scan_output_directions", []int{g.IntN(2)})
	}
	out := g.node("Scan", append(namesOf(first...), over.name), len(first)+1, a)
	iterate := g.turns(b, first, states, next, n)
	run := func() { item.err = over.err; iterate() }
	for i := range first {
		g.emerge(out[i], first[i].shape, run, states[i])
	}
	g.emerge(out[len(first)], slices.Insert(slices.Clone(stacked.shape), to, n), run, stacked)
}

// call applies a function of the model: one that there is, or a new one.
func call(g *grower) {
	if g.kind == function {
		return
	}
	for _, f := range g.made.functions {
		if in := g.fitting(f); in != nil && g.chance(0.7) {
			g.apply(f, in)
			return
		}
	}
	if !g.room() {
		return
	}
	var in []*wire
	for range g.between(1, 3) {
		if w := g.pick(isPlain); w != nil && !slices.Contains(in, w) {
			in = append(in, w)
		}
	}
	if len(in) == 0 {
		return
	}
	b := g.sub(function)
	f := &routine{name: "F" + g.name()}
	for _, w := range in {
		f.in = append(f.in, b.parameter(w))
	}
	b.own = len(b.wires)
	b.steps(g.between(2, 5))
	for _, like := range f.in[:g.between(1, min(2, len(f.in)))] {
		w := b.result(like)
		if w == nil {
			return
		}
		f.out = append(f.out, w)
		b.returns(w, false)
	}
	for _, o := range b.graph.Output {
		f.results = append(f.results, o.Name)
	}
	f.nodes, f.tape = b.graph.Node, *b.tape
	g.made.functions = append(g.made.functions, f)
	g.apply(f, in)
}

// fitting returns operands for a function, nil if there are none.
func (g *grower) fitting(f *routine) []*wire {
	var in []*wire
	for _, p := range f.in {
		w := g.pick(func(w *wire) bool {
			return w.d == p.d && slices.Equal(w.shape, p.shape) && w.most <= p.most && w.step >= p.step && (w.same || !p.same)
		})
		if w == nil {
			return nil
		}
		in = append(in, w)
	}
	return in
}

func (g *grower) apply(f *routine, in []*wire) {
	out := g.node(f.name, namesOf(in...), len(f.out), nil)
	g.graph.Node[len(g.graph.Node)-1].Domain = ownDomain
	run := func() {
		for i, p := range f.in {
			p.err = in[i].err
		}
		for _, step := range f.tape {
			step()
		}
	}
	for i, w := range f.out {
		g.emerge(out[i], w.shape, run, w)
	}
}
