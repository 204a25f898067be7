package proto

import (
	"errors"
	"fmt"

	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/tensor"
)

// NewTensor returns the message for a tensor, whose raw data shares its memory as [tensor.Raw] says. It fails if ONNX has no such elements.
func NewTensor(name string, t *tensor.Tensor) (*Tensor, error) {
	if t == nil {
		return nil, errors.New("the tensor is nil")
	}
	d, err := elementsOf(t.DType())
	if err != nil {
		return nil, err
	}
	m := &Tensor{Name: name, DataType: d, Dims: make([]int64, t.Rank()), RawData: tensor.Raw(t)}
	m.mapping = mapfile.Of(m.RawData)
	for i, n := range t.Shape() {
		m.Dims[i] = int64(n)
	}
	return m, nil
}

func elementsOf(d tensor.DType) (DataType, error) {
	if of := DataTypeOf(d); of != Undefined {
		return of, nil
	}
	return Undefined, fmt.Errorf("ONNX has no elements of type %v", d)
}

// NewShape returns the shape of known extents.
func NewShape(extents []int) *Shape {
	s := &Shape{}
	for _, n := range extents {
		s.Dim = append(s.Dim, &Dim{Known: true, Value: int64(n)})
	}
	return s
}

// NewValueInfo declares a value that is a tensor; nil stands for a shape that is not known.
func NewValueInfo(name string, d DataType, s *Shape) *ValueInfo {
	return &ValueInfo{Name: name, Type: &Type{Tensor: &TensorType{ElemType: d, Shape: s}}}
}

// NewAttribute returns the attribute of a value: a bool, which becomes 0 or 1, an int or int64, a [tensor.DType], a float64 or float32, a string, a
// list of such ints, floats or strings, a *Tensor, a *Graph or a *Type. Lists that the attribute holds as they are, those of int64, float32 and
// strings, are shared. It fails for others, and for an element type that ONNX does not have.
func NewAttribute(name string, value any) (*Attribute, error) {
	a := &Attribute{Name: name}
	switch v := value.(type) {
	case bool:
		if a.Type = AttributeInt; v {
			a.I = 1
		}
	case int:
		a.Type, a.I = AttributeInt, int64(v)
	case int64:
		a.Type, a.I = AttributeInt, v
	case tensor.DType:
		d, err := elementsOf(v)
		if err != nil {
			return nil, err
		}
		a.Type, a.I = AttributeInt, int64(d)
	case float32:
		a.Type, a.F = AttributeFloat, v
	case float64:
		a.Type, a.F = AttributeFloat, float32(v)
	case string:
		a.Type, a.S = AttributeString, v
	case []int:
		a.Type = AttributeInts
		for _, n := range v {
			a.Ints = append(a.Ints, int64(n))
		}
	case []int64:
		a.Type, a.Ints = AttributeInts, v
	case []float32:
		a.Type, a.Floats = AttributeFloats, v
	case []float64:
		a.Type = AttributeFloats
		for _, x := range v {
			a.Floats = append(a.Floats, float32(x))
		}
	case []string:
		a.Type, a.Strings = AttributeStrings, v
	case *Tensor:
		a.Type, a.T = AttributeTensor, v
	case *Graph:
		a.Type, a.G = AttributeGraph, v
	case *Type:
		a.Type, a.TP = AttributeTypeProto, v
	default:
		return nil, fmt.Errorf("attribute %q: a %T; it must be a bool, an int or int64, a float, a string, a list of these but of bools, a tensor, an element type, "+
			"a graph or a type", name, value)
	}
	return a, nil
}
