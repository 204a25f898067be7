package cvm

import (
	"fmt"
	"math"
	"testing"

	"github.com/concord-nn/concord/cvm/symbol"
	"github.com/concord-nn/concord/tensor"
)

// TestTextCounts holds the models of docs/deviations.md that no shared case shows: the deployed runtime computes something else than the
// formalisation, and Concord follows the latter in both modes. Values are worked out by hand.
func TestTextCounts(t *testing.T) {
	type operand struct {
		precision int
		shape     tensor.Shape
		data      []int32
	}
	tests := []struct {
		name, op string
		attrs    map[string]string
		in       []operand
		shape    tensor.Shape
		want     []int32
	}{
		{"maximum over all axes, which starts at 0 as deployed", "max", nil,
			[]operand{{8, tensor.Shape{2, 2}, []int32{-3, -9, -127, -4}}}, tensor.Shape{1}, []int32{-3}},
		{"the same with keepdims", "max", map[string]string{"keepdims": "1"},
			[]operand{{32, tensor.Shape{1, 3}, []int32{-7, -2147483647, -8}}}, tensor.Shape{1, 1}, []int32{-7}},
		{"axes of extent 1 that are kept, of which the CPU back end loses count", "max", map[string]string{"axis": "(1)"},
			[]operand{{8, tensor.Shape{2, 2, 2, 1}, []int32{1, 2, -3, -4, 5, -6, 7, 8}}}, tensor.Shape{2, 2, 1}, []int32{1, 2, 7, 8}},
		{"a shift by 32, of which the CPU back end keeps the sign", "cvm_right_shift", map[string]string{"precision": "8", "shift_bit": "32"},
			[]operand{{32, tensor.Shape{3}, []int32{-1, -2147483647, 2147483647}}}, tensor.Shape{3}, []int32{0, 0, 0}},
		{"rows of a 1-D condition, of which a quarter is copied as deployed", "where", nil,
			[]operand{
				{2, tensor.Shape{2}, []int32{0, -1}},
				{2, tensor.Shape{2, 3}, []int32{1, 1, 1, 1, 0, 1}},
				{2, tensor.Shape{2, 3}, []int32{-1, -1, 0, -1, -1, -1}},
			}, tensor.Shape{2, 3}, []int32{-1, -1, 0, 1, 0, 1}},
		{"a batch behind an empty one, which the CPU back end leaves out, and negative identifiers among others", "non_max_suppression", nil,
			[]operand{
				{8, tensor.Shape{2, 2, 6}, []int32{0, 9, 0, 0, 5, 5, 0, 8, 0, 0, 5, 5, -1, 9, 0, 0, 5, 5, 0, 8, 0, 0, 5, 5}},
				{8, tensor.Shape{2}, []int32{-1, 127}},
			}, tensor.Shape{2, 2, 6},
			[]int32{-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 8, 0, 0, 5, 5, -1, -1, -1, -1, -1, -1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := new(modelText)
			var in []int
			var input []byte
			for i, x := range test.in {
				name := fmt.Sprint("p", i)
				if i == 0 {
					name = DataName
					for _, v := range x.data {
						if input = append(input, byte(v)); x.precision > 8 {
							input = append(input, byte(v>>8), byte(v>>16), byte(v>>24))
						}
					}
				}
				in = append(in, m.variable(name, x.precision, x.shape, x.data))
			}
			m.Heads = append(m.Heads, symbol.Entry{Node: m.operator(test.op, test.attrs, in, test.shape)})
			for _, compat := range []bool{false, true} {
				if got := heads(t, m.files(t), compat, input)[0][0]; fmt.Sprint(got) != fmt.Sprint(test.want) {
					t.Errorf("compat %v: %v; want %v", compat, got, test.want)
				}
			}
		})
	}
}

// TestLeftShiftOfFiller shifts the filler of get_valid_counts, which a precision of 1 has no room for, by 31: the text's product is 2^31,
// and that of 32 bits as deployed is -2^31.
func TestLeftShiftOfFiller(t *testing.T) {
	m := new(modelText)
	data := m.variable(DataName, 1, tensor.Shape{1, 1, 2}, nil)
	rows := m.operator("get_valid_counts", nil, []int{data}, tensor.Shape{1}, tensor.Shape{1, 1, 2})
	one := m.operator("negative", nil, []int{rows}, tensor.Shape{1, 1, 2})
	m.Nodes[one].Inputs[0].Output = 1
	shifted := m.operator("cvm_left_shift", map[string]string{"precision": "32", "shift_bit": "31"}, []int{one}, tensor.Shape{1, 1, 2})
	m.Heads = []symbol.Entry{{Node: shifted}}
	for compat, want := range map[bool]int32{false: math.MaxInt32, true: -math.MaxInt32} {
		if got := heads(t, m.files(t), compat, make([]byte, 2))[0][0]; got[0] != want || got[1] != want {
			t.Errorf("compat %v: %v; want %d", compat, got, want)
		}
	}
}
