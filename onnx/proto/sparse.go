package proto

import (
	"errors"
	"fmt"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

// Value returns the tensor with its zeros, which may take no more than 256 MiB. Files are as for [Tensor.Value].
func (s *SparseTensor) Value(files Files) (*tensor.Tensor, error) {
	if s == nil || s.Values == nil || s.Indices == nil {
		return nil, errors.New("a sparse tensor needs values and indices")
	}
	shape, err := shapeOf(s.Dims)
	if err != nil {
		return nil, err
	}
	values, err := s.Values.Value(files)
	if err != nil {
		return nil, err
	}
	d := values.DType()
	switch n := d.Bytes(shape.Len()); {
	case n > limits.ONNXDense:
		return nil, fmt.Errorf("the sparse tensor takes %d bytes with its zeros; at most %d are read", n, limits.ONNXDense)
	case d.PerByte() > 1:
		return nil, fmt.Errorf("sparse tensors of %v are not supported", d)
	}
	indices, err := s.Indices.Value(files)
	if err != nil {
		return nil, err
	}
	places, err := linear(indices, shape, values.Len())
	if err != nil {
		return nil, err
	}
	out, err := tensor.New(d, shape)
	if err != nil {
		return nil, err
	}
	size := d.Size()
	for i, at := range places {
		copy(out.Bytes()[at*size:(at+1)*size], values.Bytes()[i*size:])
	}
	return out, nil
}

// linear returns the places of n elements among all of a shape, which must ascend.
func linear(indices *tensor.Tensor, shape tensor.Shape, n int) ([]int, error) {
	if indices.DType() != tensor.Int64 {
		return nil, fmt.Errorf("the indices of a sparse tensor are %v; they must be int64", indices.DType())
	}
	extents := []int{shape.Len()}
	if len(indices.Shape()) == 2 {
		extents = shape
	}
	if got := indices.Shape(); len(got) == 0 || len(got) > 2 || got[0] != n || got.Len() != n*len(extents) {
		return nil, fmt.Errorf("the indices of a sparse tensor are %v; they must be [%d] or [%d,%d], as there are %d values", got, n, n, len(shape), n)
	}
	list := tensor.Data[int64](indices)
	places := make([]int, n)
	for i := range places {
		for k, extent := range extents {
			x := list[i*len(extents)+k]
			if x < 0 || x >= int64(extent) {
				return nil, fmt.Errorf("index %d of a sparse tensor is out of range: it must be from 0 to %d", x, extent-1)
			}
			places[i] = places[i]*extent + int(x)
		}
		if i > 0 && places[i] <= places[i-1] {
			return nil, errors.New("the indices of a sparse tensor do not ascend")
		}
	}
	return places, nil
}
