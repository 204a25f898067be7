package random

import (
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// Sequences and optionals are made and read in the model: it is not fed with them and does not yield them.
var sequenceRules = []rule{
	{op: "ConcatFromSequence", opsets: "11", types: all, make: func(m *maker) {
		s := m.shape(1, 3)
		fresh := m.flag("new_axis", false)
		axis := m.axis(len(s))
		m.attr("axis", axis)
		m.uses(m.sequence(m.between(1, 3), func() []int {
			if fresh {
				return s
			}
			return with(s, count(axis, len(s)), m.between(1, 3))
		}))
	}},
	{op: "SequenceAt", opsets: "11", types: all, make: func(m *maker) {
		n := m.between(1, 3)
		m.uses(m.sequence(n, func() []int { return m.extents(2, 1, 3) }))
		m.give(scalar(one(m, tensor.Int32, tensor.Int64), float64(m.between(-n, n-1))), m.chance(0.6))
	}},
	{op: "SequenceConstruct", opsets: "11", types: all, make: func(m *maker) {
		n := m.between(1, 3)
		for range n {
			m.give(m.fill(m.t, m.shape(0, 2), some), m.chance(0.4))
		}
		m.element(n)
	}},
	{op: "SequenceEmpty", opsets: "11", types: "f32 i64", make: func(m *maker) {
		m.maybe("dtype", tensor.Float32)
		m.length()
	}},
	{op: "SequenceErase", opsets: "11", types: all, make: func(m *maker) {
		n := m.between(2, 4)
		m.uses(m.sequence(n, func() []int { return m.extents(2, 1, 3) }))
		if m.chance(0.7) {
			m.give(scalar(tensor.Int64, float64(m.between(-n, n-1))), m.chance(0.6))
		}
		m.element(n - 1)
	}},
	{op: "SequenceInsert", opsets: "11", types: all, make: func(m *maker) {
		n := m.between(1, 3)
		m.uses(m.sequence(n, func() []int { return m.extents(2, 1, 3) }))
		m.give(m.fill(m.t, m.shape(1, 2), some), m.chance(0.4))
		if m.chance(0.7) {
			m.give(scalar(tensor.Int64, float64(m.between(-n, n))), m.chance(0.6))
		}
		m.element(n + 1)
	}},
	{op: "SequenceLength", opsets: "11", types: all, make: func(m *maker) {
		m.uses(m.sequence(m.between(1, 4), func() []int { return m.extents(2, 1, 3) }))
		m.returns = []tensor.DType{tensor.Int64}
	}},
	{op: "SequenceMap", opsets: "17", types: "f32 i64", make: func(m *maker) {
		n := m.between(1, 3)
		m.uses(m.sequence(n, func() []int { return []int{2} }))
		b := m.body()
		x := b.input(m.t, []int{2})
		y := m.place(m.fill(m.t, []int{2}, some), m.chance(0.5))
		if m.chance(0.5) {
			m.give(m.fill(m.t, []int{2}, some), m.chance(0.3))
			y = b.input(m.t, []int{2})
		}
		b.returns(b.chain(x, y))
		b.graph.Output[0].Type = &proto.Type{Tensor: &proto.TensorType{ElemType: proto.DataTypeOf(m.t)}}
		for _, v := range b.graph.Input {
			v.Type.Tensor.Shape = nil
		}
		m.attr("body", b.graph)
		m.element(n)
	}},
	{op: "SplitToSequence", opsets: "11", types: "f32 f64 i32 i64 bool", make: func(m *maker) {
		s := m.shape(1, 3)
		axis := m.along(s)
		n := s[axis]
		m.in(m.t, s, some)
		switch m.IntN(3) {
		case 0:
			m.flag("keepdims", true)
		case 1:
			k := m.between(1, s[axis])
			m.give(scalar(one(m, tensor.Int32, tensor.Int64), float64(k)), m.chance(0.8))
			n = (n + k - 1) / k
		case 2:
			k := m.between(1, s[axis])
			m.give(vector(tensor.Int64, k, s[axis]-k), m.chance(0.8))
			n = 2
		}
		m.element(n)
	}},
	{op: "Optional", opsets: "15", types: "f32 i64", make: func(m *maker) {
		if m.chance(0.3) {
			m.attr("type", &proto.Type{Tensor: &proto.TensorType{ElemType: proto.DataTypeOf(m.t)}})
			m.then("OptionalHasElement")
			m.returns = []tensor.DType{tensor.Bool}
			return
		}
		m.give(m.fill(m.t, m.shape(0, 2), some), m.chance(0.3))
		m.then("OptionalGetElement")
	}},
	{op: "OptionalHasElement", opsets: "18", types: "f32 i64", make: func(m *maker) {
		if m.returns = []tensor.DType{tensor.Bool}; m.chance(0.2) {
			return
		}
		m.give(m.fill(m.t, m.shape(0, 2), some), m.chance(0.3))
		m.returns = []tensor.DType{tensor.Bool}
	}},
	{op: "OptionalGetElement", opsets: "18", types: "f32 i64", make: func(m *maker) { m.give(m.fill(m.t, m.shape(0, 2), some), m.chance(0.3)) }},
}

// uses adds a value of the graph as an operand.
func (m *maker) uses(name string) { m.node.Input = append(m.node.Input, name) }

// sequence adds a sequence of n tensors and returns its name.
func (m *maker) sequence(n int, shape func() []int) string {
	out := m.name()
	node := &proto.Node{OpType: "SequenceConstruct", Output: []string{out}}
	for range n {
		node.Input = append(node.Input, m.place(m.fill(m.t, shape(), some), m.chance(0.4)))
	}
	m.graph.Node = append(m.graph.Node, node)
	return out
}

// then makes the result of the node that of another one which reads it.
func (m *maker) then(op string, more ...string) {
	out := m.name()
	m.after = append(m.after, &proto.Node{OpType: op, Input: append([]string{m.name()}, more...), Output: []string{out}})
	m.node.Output = []string{m.after[len(m.after)-1].Input[0]}
}

// element makes the result of a node, which is a sequence of n tensors, one of them, or their number.
func (m *maker) element(n int) {
	if n == 0 || m.chance(0.2) {
		m.length()
		return
	}
	m.then("SequenceAt", m.place(scalar(tensor.Int64, float64(m.IntN(n))), m.chance(0.6)))
}

func (m *maker) length() {
	m.then("SequenceLength")
	m.returns = []tensor.DType{tensor.Int64}
}
