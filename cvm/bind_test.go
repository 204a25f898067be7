package cvm

import (
	"slices"
	"testing"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/cvm/params"
	"github.com/concord-nn/concord/tensor"
)

func vector[T int8 | int32](t *testing.T, name string, x ...T) params.Param {
	t.Helper()
	v, err := tensor.FromSlice(x, len(x))
	if err != nil {
		t.Fatal(err)
	}
	return params.Param{Name: name, Tensor: v, Offset: 40}
}

// TestBind holds parameters against a vector w of four elements.
func TestBind(t *testing.T) {
	const logic, runtime = fault.Logic, fault.Runtime
	data := vector(t, "data", []int32{1 << 20, -1 << 31, 0, 0}...)
	tests := []struct {
		name      string
		precision int
		list      []params.Param
		want      refusal // the zero refusal for none
	}{
		{"int8", 8, []params.Param{vector(t, "w", []int8{-127, 127, 0, 1}...)}, refusal{}},
		{"int32", 32, []params.Param{vector(t, "w", []int32{-1<<31 + 1, 1<<31 - 1, 0, 0}...)}, refusal{}},
		{"data, whose values are not looked at", 8, []params.Param{data, vector(t, "w", make([]int8, 4)...)}, refusal{}},
		{"twice", 2, []params.Param{vector(t, "w", make([]int8, 4)...), vector(t, "w", make([]int32, 4)...)}, refusal{}},
		{"-128 in 8 bits", 8, []params.Param{vector(t, "w", []int8{0, -128, 0, 0}...)}, refusal{logic, fault.Params, 1, "w"}},
		{"-2^31 in 32 bits", 32, []params.Param{vector(t, "w", []int32{0, 0, 0, -1 << 31}...)}, refusal{logic, fault.Params, 1, "w"}},
		{"1 in 1 bit", 1, []params.Param{vector(t, "w", []int32{0, 0, 0, 1}...)}, refusal{logic, fault.Params, 1, "w"}},
		{"an unknown name", 8, []params.Param{vector(t, "v", []int8{0, 0, 0, 0}...)}, refusal{runtime, fault.Params, -1, "v"}},
		{"the name of an operator", 8, []params.Param{vector(t, "relu_node", []int8{0, 0, 0, 0}...)},
			refusal{runtime, fault.Params, -1, "relu_node"}},
		{"too short", 8, []params.Param{vector(t, "w", []int8{0, 0, 0}...)}, refusal{logic, fault.Params, 1, "w"}},
		{"data of another shape", 8, []params.Param{vector(t, "data", []int8{0}...)}, refusal{logic, fault.Params, 0, "data"}},
		{"missing", 8, []params.Param{data}, refusal{logic, fault.Params, 1, ""}},
		{"the first mistake counts", 8, []params.Param{vector(t, "w", []int8{0, 0, 0}...), vector(t, "v", []int8{0}...)},
			refusal{logic, fault.Params, 1, "w"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := row(t, "dpr1", []int{0, 1, 2}, 2)
			s.Precision[1], s.Nodes[1].Name = test.precision, "w"
			bound, err := resolved(t, s, false).bind(test.list)
			if test.want != (refusal{}) {
				test.want.check(t, err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if bound[0] != nil || bound[1] != test.list[len(test.list)-1].Tensor || bound[2] != nil {
				t.Errorf("got %v", bound)
			}
		})
	}
}

// TestBindOverlay loads two parameters onto one storage, which holds the one that is loaded last.
func TestBindOverlay(t *testing.T) {
	s := row(t, "dpps12s03", []int{0, 1, 1, 2, 3}, 4)
	n := resolved(t, s, true)
	a, b := vector(t, "p1", []int8{1, 2, 3, 4}...), vector(t, "p2", []int32{5, 6, 7, 7}...)
	for _, list := range [][]params.Param{{a, b}, {b, a}} {
		bound, err := n.bind(list)
		if err != nil {
			t.Fatal(err)
		}
		g, err := n.lower(bound, form{})
		if err != nil {
			t.Fatal(err)
		}
		last, err := tensor.Cast(list[1].Tensor, tensor.Int32)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := tensor.Data[int32](g.States[0].Init), tensor.Data[int32](last); !slices.Equal(got, want) {
			t.Errorf("the storage holds %v, want %v", got, want)
		}
	}
}
