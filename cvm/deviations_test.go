package cvm

import (
	"fmt"
	"math"
	"testing"

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
		attrs    string
		in       []operand
		shape    tensor.Shape
		want     []int32
	}{
		{"maximum over all axes, which starts at 0 as deployed", "max", "{}",
			[]operand{{8, tensor.Shape{2, 2}, []int32{-3, -9, -127, -4}}}, tensor.Shape{1}, []int32{-3}},
		{"the same with keepdims", "max", `{"keepdims":"1"}`,
			[]operand{{32, tensor.Shape{1, 3}, []int32{-7, -2147483647, -8}}}, tensor.Shape{1, 1}, []int32{-7}},
		{"axes of extent 1 that are kept, of which the CPU back end loses count", "max", `{"axis":"(1)"}`,
			[]operand{{8, tensor.Shape{2, 2, 2, 1}, []int32{1, 2, -3, -4, 5, -6, 7, 8}}}, tensor.Shape{2, 2, 1}, []int32{1, 2, 7, 8}},
		{"a shift by 32, of which the CPU back end keeps the sign", "cvm_right_shift", `{"precision":"8","shift_bit":"32"}`,
			[]operand{{32, tensor.Shape{3}, []int32{-1, -2147483647, 2147483647}}}, tensor.Shape{3}, []int32{0, 0, 0}},
		{"rows of a 1-D condition, of which a quarter is copied as deployed", "where", "{}",
			[]operand{
				{2, tensor.Shape{2}, []int32{0, -1}},
				{2, tensor.Shape{2, 3}, []int32{1, 1, 1, 1, 0, 1}},
				{2, tensor.Shape{2, 3}, []int32{-1, -1, 0, -1, -1, -1}},
			}, tensor.Shape{2, 3}, []int32{-1, -1, 0, 1, 0, 1}},
		{"a batch behind an empty one, which the CPU back end leaves out, and negative identifiers among others", "non_max_suppression", "{}",
			[]operand{
				{8, tensor.Shape{2, 2, 6}, []int32{0, 9, 0, 0, 5, 5, 0, 8, 0, 0, 5, 5, -1, 9, 0, 0, 5, 5, 0, 8, 0, 0, 5, 5}},
				{8, tensor.Shape{2}, []int32{-1, 127}},
			}, tensor.Shape{2, 2, 6},
			[]int32{-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 8, 0, 0, 5, 5, -1, -1, -1, -1, -1, -1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newSketch()
			var in []int
			for i, x := range test.in {
				in = append(in, s.operand(i, x.precision, x.shape, x.data))
			}
			input := encoded(test.in[0].precision, test.in[0].data)
			s.head(s.apply(test.op, test.attrs, test.shape, in...))
			for _, compat := range []bool{false, true} {
				if got := heads(t, s.files(t), compat, input)[0][0]; fmt.Sprint(got) != fmt.Sprint(test.want) {
					t.Errorf("compat %v: %v; want %v", compat, got, test.want)
				}
			}
		})
	}
}

// TestLeftShiftOfFiller shifts the filler of get_valid_counts, which a precision of 1 has no room for, by 31: the text's product is 2^31,
// and that of 32 bits as deployed is -2^31.
func TestLeftShiftOfFiller(t *testing.T) {
	s, shape := newSketch(), tensor.Shape{1, 1, 2}
	rows := s.operator("get_valid_counts", "{}", []int{s.variable(DataName, 1, shape...)}, tensor.Shape{1}, shape)
	one := s.apply("negative", "{}", shape, rows)
	s.Nodes[one].Inputs[0].Output = 1
	s.head(s.apply("cvm_left_shift", `{"precision":"32","shift_bit":"31"}`, shape, one))
	for compat, want := range map[bool]int32{false: math.MaxInt32, true: -math.MaxInt32} {
		if got := heads(t, s.files(t), compat, make([]byte, 2))[0][0]; got[0] != want || got[1] != want {
			t.Errorf("compat %v: %v; want %d", compat, got, want)
		}
	}
}
