package onnx

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// Set makes inputs constants, as if the model stored them: what they decide about shapes or branches is known then when a graph is made. It comes
// before Network, Check and Explain. Numbers that the type of an input holds exactly are converted to it. They must have its shape
// or be as many as it has elements; one extent may be open. An input that the model stores a value for, which is no input of its network, gets the
// given one in the place of that.
func (f *File) Set(values model.Values) error {
	for _, name := range naming.Sorted(values) {
		if err := f.set(name, values[name]); err != nil {
			return err
		}
	}
	return nil
}

// Stored returns the names of inputs that the model stores values for, which are no inputs of its network: [File.Set] gives them others.
func (f *File) Stored() (names []string) {
	if f == nil || f.main == nil {
		return nil
	}
	for _, v := range f.Model.Graph.Input {
		if f.main.has(v.Name) {
			names = append(names, v.Name)
		}
	}
	return names
}

func (f *File) set(name string, x *tensor.Tensor) error {
	fail := func(format string, args ...any) error {
		return &Error{File: f.path, Operand: name, Msg: fmt.Sprintf(format, args...)}
	}
	in, err := f.settable(name)
	if err != nil {
		return fail("%v", err)
	}
	if in.Sequence {
		return fail("it is a sequence; only a tensor can be set")
	}
	y, err := tensor.Cast(x, in.DType)
	if err != nil {
		return fail("%v", err)
	}
	if back, err := tensor.Cast(y, x.DType()); err != nil || !bytes.Equal(back.Bytes(), x.Contiguous().Bytes()) {
		return fail("%v does not hold all of its elements", in.DType)
	}
	if y = fitted(y.Contiguous(), in); y == nil {
		return fail("it is %v; the input is %v", x.Describe(), in)
	}
	t, err := proto.NewTensor(name, y)
	if err != nil {
		return fail("%v", err)
	}
	f.inputs = slices.DeleteFunc(f.inputs, func(in model.Input) bool { return in.Name == name })
	f.main.stored[name] = t
	return nil
}

// settable returns the input of that name, whether or not the model stores a value for it.
func (f *File) settable(name string) (model.Input, error) {
	for _, in := range f.inputs {
		if in.Name == name {
			return in, nil
		}
	}
	for _, v := range f.Model.Graph.Input {
		if v.Name == name && f.main.has(name) {
			return declared(v)
		}
	}
	return model.Input{}, fmt.Errorf("the model has no such input; there are %v", f.inputs)
}

// fitted gives elements the shape that an input declares, of which one extent may be open; nil if they do not fit.
func fitted(x *tensor.Tensor, in model.Input) *tensor.Tensor {
	matches := len(x.Shape()) == len(in.Shape)
	shape, known, open := make(tensor.Shape, len(in.Shape)), 1, []int(nil)
	for d, e := range in.Shape {
		if shape[d] = e.Extent; e.Symbol != "" {
			open = append(open, d)
			continue
		}
		known *= e.Extent
		matches = matches && x.Shape()[d] == e.Extent
	}
	if matches || in.Unranked {
		return x
	}
	if len(open) == 1 && known > 0 {
		shape[open[0]] = x.Len() / known
	}
	y, err := x.Reshape(shape...)
	if err != nil {
		return nil
	}
	return y
}
