package proto_test

import (
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/testdata"
	. "github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

func int64s(dims []int64, elements ...int64) *Tensor {
	return &Tensor{DataType: Int64, Dims: dims, Int64Data: elements}
}

func TestSparseTensor(t *testing.T) {
	testdata.Wide(t)
	values := &Tensor{DataType: Float, Dims: []int64{3}, FloatData: []float32{1, 2, 3}}
	want := []float32{0, 1, 0, 2, 0, 3}
	for name, indices := range map[string]*Tensor{
		"linear":      int64s([]int64{3}, 1, 3, 5),
		"coordinates": int64s([]int64{3, 2}, 0, 1, 1, 0, 1, 2),
	} {
		got, err := (&SparseTensor{Values: values, Indices: indices, Dims: []int64{2, 3}}).Value(nil)
		if err != nil {
			t.Fatal(name, err)
		}
		for i, x := range tensor.Data[float32](got) {
			if x != want[i] || !got.Shape().Equal(tensor.Shape{2, 3}) {
				t.Errorf("%s: %v", name, got)
			}
		}
	}
	for _, c := range []struct {
		sparse *SparseTensor
		err    string
	}{
		{&SparseTensor{}, "needs values and indices"},
		{&SparseTensor{Values: values, Indices: int64s([]int64{3}, 1, 3, 6), Dims: []int64{2, 3}}, "index 6 of a sparse tensor is out of range"},
		{&SparseTensor{Values: values, Indices: int64s([]int64{3}, -1, 3, 5), Dims: []int64{2, 3}}, "index -1 of a sparse tensor is out of range"},
		{&SparseTensor{Values: values, Indices: int64s([]int64{3}, 1, 5, 3), Dims: []int64{2, 3}}, "do not ascend"},
		{&SparseTensor{Values: values, Indices: int64s([]int64{2}, 1, 5), Dims: []int64{2, 3}}, "must be [3] or [3,2]"},
		{&SparseTensor{Values: values, Indices: int64s([]int64{3, 3}, 0, 0, 0, 0, 0, 1, 0, 0, 2), Dims: []int64{2, 3}}, "must be [3] or [3,2]"},
		{&SparseTensor{Values: values, Indices: values, Dims: []int64{2, 3}}, "must be int64"},
		{&SparseTensor{Values: values, Indices: int64s([]int64{3}, 1, 3, 5), Dims: []int64{-1}}, "no extent"},
		{&SparseTensor{Values: &Tensor{DataType: Int4, Dims: []int64{0}}, Indices: int64s([]int64{0}), Dims: []int64{1}}, "are not supported"},
	} {
		if _, err := c.sparse.Value(nil); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%v: %v; want %s", c.sparse, err, c.err)
		}
	}
	for n, ok := range map[int64]bool{limits.ONNXDense: true, limits.ONNXDense + 1: false} {
		s := &SparseTensor{Values: &Tensor{DataType: Int8, Dims: []int64{1}, Int32Data: []int32{1}}, Indices: int64s([]int64{1}, n-1), Dims: []int64{n}}
		if _, err := s.Value(nil); (err == nil) != ok {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}
