package random

import (
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

var fusedRules = []rule{}

var controlRules = []rule{
	{op: "If", opsets: "7", types: "f32 i64", make: func(m *maker) {
		s := m.shape(0, 3)
		x, y := m.place(m.fill(m.t, s, some), m.chance(0.2)), m.place(m.fill(m.t, m.broadcast(s), some), m.chance(0.2))
		m.give(scalar(tensor.Bool, float64(m.IntN(2))), m.chance(0.2))
		branch := func() *proto.Graph {
			b := m.body()
			if m.chance(0.2) {
				b.returns(b.node("Identity", x)) // another shape in each branch is possible
			} else {
				b.returns(b.chain(x, y))
			}
			return b.graph
		}
		m.attr("then_branch", branch())
		m.attr("else_branch", branch())
	}},
	{op: "Loop", opsets: "7", types: "f32 i64", make: func(m *maker) {
		s := m.shape(0, 3)
		outer := m.place(m.fill(m.t, s, few), m.chance(0.3))
		n := m.IntN(5)
		switch m.IntN(3) {
		case 0:
			m.skip()
		default:
			m.give(scalar(tensor.Int64, float64(n)), m.chance(0.5))
		}
		if m.node.Input[0] != "" && m.chance(0.4) {
			m.skip()
		} else {
			m.give(scalar(tensor.Bool, float64(min(1, m.IntN(4)))), m.chance(0.3))
		}
		m.give(m.fill(m.t, s, few), m.chance(0.2))
		b := m.body()
		i, cond, state := b.input(tensor.Int64, nil), b.input(tensor.Bool, nil), b.input(m.t, s)
		scan := m.chance(0.6)
		limit := b.stored(scalar(tensor.Int64, float64(m.between(0, 4))))
		going := b.node("Less", i, limit)
		if m.node.Input[0] != "" && m.chance(0.4) {
			going = b.node("Identity", cond)
		}
		next := b.bounded(b.chain(state, outer), m.t)
		b.returns(going, next)
		m.exactly(1)
		if scan {
			b.returns(b.chain(next, outer))
			m.exactly(1)
		}
		m.attr("body", b.graph)
	}},
	{op: "Scan", opsets: "8-8", types: "f32 i64", make: func(m *maker) {
		batch, steps, s := m.between(1, 2), m.between(1, 4), m.shape(0, 2)
		outer := m.place(m.fill(m.t, s, few), m.chance(0.3))
		if m.chance(0.4) {
			m.ints(m.extents(batch, 1, steps)...) // the lengths of sequences
		} else {
			m.skip()
		}
		m.give(m.fill(m.t, join([]int{batch}, s), few), m.chance(0.2))
		scanned := m.between(1, 2)
		b := m.body()
		state := b.input(m.t, s)
		sum := b.chain(state, outer)
		for range scanned {
			m.give(m.fill(m.t, join([]int{batch, steps}, s), few), m.chance(0.2))
			sum = b.chain(sum, b.input(m.t, s))
		}
		m.attr("num_scan_inputs", scanned)
		if m.chance(0.5) {
			m.attr("directions", m.extents(scanned, 0, 1))
		}
		sum = b.bounded(sum, m.t)
		b.returns(sum, b.chain(sum, outer))
		m.exactly(2)
		m.attr("body", b.graph)
	}},
	{op: "Scan", opsets: "9", types: "f32 i64", make: func(m *maker) {
		steps := m.between(1, 4)
		state := m.shape(0, 2)
		outer := m.place(m.fill(m.t, state, few), m.chance(0.3))
		states, scanned := m.between(0, 2), m.between(1, 2)
		b := m.body()
		var all []string
		for range states {
			m.give(m.fill(m.t, state, few), m.chance(0.2))
			all = append(all, b.input(m.t, state))
		}
		var axes, directions []int
		for range scanned {
			axis := m.IntN(len(state) + 1)
			s := join(state[:axis], []int{steps}, state[axis:])
			if m.opset >= 11 && m.chance(0.3) {
				axis -= len(s)
			}
			axes, directions = append(axes, axis), append(directions, m.IntN(2))
			m.give(m.fill(m.t, s, few), m.chance(0.2))
			all = append(all, b.input(m.t, state))
		}
		m.attr("num_scan_inputs", scanned)
		m.attr("scan_input_axes", axes)
		m.maybe("scan_input_directions", directions)
		sum := outer
		for _, x := range all {
			sum = b.chain(sum, x)
		}
		sum = b.bounded(sum, m.t)
		for range states {
			b.returns(b.node("Identity", sum))
		}
		outs := m.IntN(3)
		if states == 0 {
			outs = max(outs, 1)
		}
		var outAxes, outDirections []int
		for range outs {
			b.returns(b.chain(sum, one(m, all...)))
			axis := m.IntN(len(state) + 1)
			if m.opset >= 11 && m.chance(0.3) {
				axis -= len(state) + 1
			}
			outAxes, outDirections = append(outAxes, axis), append(outDirections, m.IntN(2))
		}
		if outs > 0 && m.chance(0.6) {
			m.attr("scan_output_axes", outAxes)
		}
		if outs > 0 && m.chance(0.6) {
			m.attr("scan_output_directions", outDirections)
		}
		m.exactly(states + outs)
		m.attr("body", b.graph)
	}},
}

// body is a graph in an attribute.
type body struct {
	m     *maker
	graph *proto.Graph
}

func (m *maker) body() *body { return &body{m, &proto.Graph{Name: m.name()}} }

// input adds an input.
func (b *body) input(d tensor.DType, shape []int) string {
	name := b.m.name()
	var s *proto.Shape
	if len(shape) == 0 || b.m.chance(0.5) {
		s = proto.NewShape(shape)
	}
	b.graph.Input = append(b.graph.Input, proto.NewValueInfo(name, proto.DataTypeOf(d), s))
	return name
}

// stored adds an initializer.
func (b *body) stored(x *tensor.Tensor) string {
	p := message(x)
	p.Name = b.m.name()
	b.graph.Initializer = append(b.graph.Initializer, p)
	return p.Name
}

// node adds a node and returns its result.
func (b *body) node(op string, in ...string) string {
	out := b.m.name()
	b.graph.Node = append(b.graph.Node, &proto.Node{OpType: op, Input: in, Output: []string{out}})
	return out
}

// chain applies some operators to two values that broadcast.
func (b *body) chain(x, y string) string {
	for range b.m.between(1, 3) {
		x = b.node(one(b.m, "Add", "Sub", "Mul"), x, y)
		if b.m.chance(0.3) {
			x = b.node(one(b.m, "Abs", "Neg"), x)
		}
	}
	return x
}

// bounded returns a value without great elements.
func (b *body) bounded(x string, d tensor.DType) string {
	if d.IsFloat() {
		return b.node("Tanh", x)
	}
	return b.node("Sub", x, b.node("Mul", b.node("Div", x, b.stored(scalar(d, 7))), b.stored(scalar(d, 7))))
}

// returns adds outputs.
func (b *body) returns(names ...string) {
	for _, n := range names {
		b.graph.Output = append(b.graph.Output, &proto.ValueInfo{Name: n})
	}
}
