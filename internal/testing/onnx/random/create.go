package random

import (
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

var createRules = []rule{
	{op: "Constant", opsets: "7", types: all, make: func(m *maker) {
		m.attr("value", message(m.fill(m.t, m.maybeEmpty(0, 4), edges)))
		m.then("Identity") // as some runtimes have no constants as outputs
	}},
	{op: "Constant", opsets: "11", types: "f32", make: func(m *maker) {
		s := m.shape(1, 3)
		n := m.between(1, product(s))
		sparse := &proto.SparseTensor{Values: message(m.fill(tensor.Float32, []int{n}, some)), Indices: message(vector(tensor.Int64, ascending(m, product(s), n)...))}
		for _, k := range s {
			sparse.Dims = append(sparse.Dims, int64(k))
		}
		sparse.Values.Name = "values"
		m.node.Attribute = append(m.node.Attribute, &proto.Attribute{Name: "sparse_value", Type: proto.AttributeSparseTensor, SparseTensor: sparse})
		m.then("Identity")
	}},
	{op: "Constant", opsets: "12", types: "f32", make: func(m *maker) {
		switch m.IntN(4) {
		case 0:
			m.attr("value_float", m.Float32())
		case 1:
			m.attr("value_floats", []float32{1.5, m.Float32()})
		case 2:
			m.attr("value_int", m.IntN(100))
			m.returns = []tensor.DType{tensor.Int64}
		case 3:
			m.attr("value_ints", m.extents(m.between(1, 3), -9, 9))
			m.returns = []tensor.DType{tensor.Int64}
		}
		m.then("Identity")
	}},
	{op: "ConstantOfShape", opsets: "9", types: "f32 f16 f64 bool i8 i16 i32 i64 u8 u16 u32 u64", make: func(m *maker) {
		if m.chance(0.7) {
			m.attr("value", message(m.fill(m.t, []int{1}, edges)))
		}
		m.ints(m.maybeEmpty(0, 4)...)
	}},
	{op: "EyeLike", opsets: "9", types: "f32 f64 i32 i64 u64", make: func(m *maker) {
		if m.chance(0.5) {
			m.attr("dtype", m.t)
		}
		option(m, "k", 0, 1, -1, 2, -3, 6)
		m.in(m.t, m.extents(2, 1, 5), some)
	}},
	{op: "Range", opsets: "11", types: "f32 f64 i16 i32 i64", make: func(m *maker) {
		start, delta := m.between(-5, 5), one(m, 1, 2, 3, -1, -2)
		n := m.between(-1, 7)
		for _, x := range []int{start, start + n*delta + m.IntN(2), delta} {
			m.give(scalar(m.t, float64(x)), m.chance(0.8))
		}
	}},
}

func message(t *tensor.Tensor) *proto.Tensor {
	p, err := proto.NewTensor("", t)
	if err != nil {
		panic(err)
	}
	return p
}

// ascending returns n different numbers below a bound.
func ascending(m *maker, bound, n int) []int {
	chosen := make(map[int]bool)
	for _, i := range m.Perm(bound)[:n] {
		chosen[i] = true
	}
	var out []int
	for i := range bound {
		if chosen[i] {
			out = append(out, i)
		}
	}
	return out
}
