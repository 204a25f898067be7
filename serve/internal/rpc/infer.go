package rpc

import (
	"fmt"
	"math"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/serve/internal/budget"
	"github.com/concord-nn/concord/serve/internal/oip"
	"github.com/concord-nn/concord/tensor"
)

func invalid(format string, args ...any) error {
	return oip.Errorf(oip.InvalidArgument, format, args...)
}

// requestOf returns what a message asks. Tensors share memory with it.
func requestOf(m *inferRequest) (*oip.Request, error) {
	switch {
	case len(m.inputs) > limits.ServeTensors || len(m.outputs) > limits.ServeTensors:
		return nil, invalid("the request has %d inputs and asks for %d outputs; it may have %d of each", len(m.inputs), len(m.outputs), limits.ServeTensors)
	case len(m.raw) > 0 && len(m.raw) != len(m.inputs):
		return nil, invalid("there are %d raw_input_contents for %d inputs; all inputs have them, in the same order, or none", len(m.raw), len(m.inputs))
	}
	r := &oip.Request{Model: m.model, Version: m.version, ID: m.id, Inputs: make([]oip.Tensor, len(m.inputs))}
	var err error
	if r.Parameters, err = parametersOf(m.parameters, "the request"); err != nil {
		return nil, err
	}
	seen := make(map[string]bool, len(m.inputs))
	for i, in := range m.inputs {
		what := "the input " + oip.Quote(in.name)
		if seen[in.name] {
			return nil, invalid("%s is there twice", what)
		}
		seen[in.name] = true
		t := oip.Tensor{Name: in.name}
		if t.Parameters, err = parametersOf(in.parameters, what); err != nil {
			return nil, err
		}
		var raw *[]byte
		if len(m.raw) > 0 {
			raw = &m.raw[i]
		}
		if t.Data, err = tensorOf(in, raw); err != nil {
			return nil, invalid("%s: %v", what, err)
		}
		r.Inputs[i] = t
	}
	clear(seen)
	for _, out := range m.outputs {
		what := "the output " + oip.Quote(out.name)
		if seen[out.name] {
			return nil, invalid("%s is there twice", what)
		}
		seen[out.name] = true
		p, err := parametersOf(out.parameters, what)
		if err != nil {
			return nil, err
		}
		r.Outputs = append(r.Outputs, oip.Requested{Name: out.name, Parameters: p})
	}
	return r, nil
}

// parametersOf returns the entries of a map: of those with the same key the last one.
func parametersOf(entries []*entry, of string) (oip.Parameters, error) {
	if len(entries) == 0 {
		return nil, nil
	}
	if len(entries) > limits.ServeParameters {
		return nil, invalid("%s has %d parameters; it may have %d", of, len(entries), limits.ServeParameters)
	}
	p := make(oip.Parameters, len(entries))
	for _, e := range entries {
		if e.value == nil || e.value.value == nil {
			return nil, invalid("the parameter %s of %s has no value", oip.Quote(e.key), of)
		}
		p[e.key] = e.value.value
	}
	return p, p.Check(of)
}

// tensorOf returns an input, of its raw contents if there are some.
func tensorOf(m *inferTensor, raw *[]byte) (*tensor.Tensor, error) {
	d, ok := oip.ParseDatatype(m.datatype)
	if !ok {
		return nil, fmt.Errorf("the datatype %s is not one that models take here", oip.Quote(m.datatype))
	}
	if len(m.shape) > tensor.MaxRank {
		return nil, fmt.Errorf("the shape has %d extents; it may have %d", len(m.shape), tensor.MaxRank)
	}
	shape := make(tensor.Shape, len(m.shape))
	for i, n := range m.shape {
		if n < 0 || n > math.MaxInt {
			return nil, fmt.Errorf("the extent %d is not from 0 to %d: the shape of a request has no open extents", n, math.MaxInt)
		}
		shape[i] = int(n)
	}
	if err := shape.Check(); err != nil {
		return nil, err
	}
	if raw != nil {
		if m.contents != nil && m.contents.count() > 0 {
			return nil, fmt.Errorf("there are both contents and raw_input_contents")
		}
		return tensor.FromRaw(d, shape, *raw)
	}
	k := kinds[d]
	if k.field == "" {
		return nil, fmt.Errorf("elements of %s stand in raw_input_contents alone", m.datatype)
	}
	c := m.contents
	if c == nil {
		c = new(contents)
	}
	t, n, err := k.take(c, shape)
	if n != c.count() {
		err = fmt.Errorf("elements of %s stand in %s; there are others", m.datatype, k.field)
	}
	return t, err
}

// count returns the number of all elements.
func (c *contents) count() int {
	return len(c.bools) + len(c.ints) + len(c.int64s) + len(c.uints) + len(c.uint64s) + len(c.floats) + len(c.doubles) + len(c.bytes)
}

// kind says where the elements of a type stand in contents.
type kind struct {
	field string                                                                     // "" if they stand nowhere
	take  func(c *contents, shape tensor.Shape) (t *tensor.Tensor, n int, err error) // of n elements
	put   func(c *contents, t *tensor.Tensor)
}

var kinds = [tensor.NumDTypes]kind{
	tensor.Bool:    same("bool_contents", func(c *contents) *[]bool { return &c.bools }),
	tensor.Int8:    narrowed[int8]("int_contents", func(c *contents) *[]int32 { return &c.ints }),
	tensor.Int16:   narrowed[int16]("int_contents", func(c *contents) *[]int32 { return &c.ints }),
	tensor.Int32:   same("int_contents", func(c *contents) *[]int32 { return &c.ints }),
	tensor.Int64:   same("int64_contents", func(c *contents) *[]int64 { return &c.int64s }),
	tensor.Uint8:   narrowed[uint8]("uint_contents", func(c *contents) *[]uint32 { return &c.uints }),
	tensor.Uint16:  narrowed[uint16]("uint_contents", func(c *contents) *[]uint32 { return &c.uints }),
	tensor.Uint32:  same("uint_contents", func(c *contents) *[]uint32 { return &c.uints }),
	tensor.Uint64:  same("uint64_contents", func(c *contents) *[]uint64 { return &c.uint64s }),
	tensor.Float32: same("fp32_contents", func(c *contents) *[]float32 { return &c.floats }),
	tensor.Float64: same("fp64_contents", func(c *contents) *[]float64 { return &c.doubles }),
}

// same is the kind of elements that stand as they are.
func same[T tensor.Element](field string, list func(*contents) *[]T) kind {
	return kind{field, func(c *contents, shape tensor.Shape) (*tensor.Tensor, int, error) {
		data := *list(c)
		t, err := tensor.FromSlice(data, shape...)
		return t, len(data), err
	}, func(c *contents, t *tensor.Tensor) { *list(c) = tensor.Data[T](t) }}
}

// narrowed is the kind of elements that stand as wider ones.
func narrowed[T int8 | int16 | uint8 | uint16, W int32 | uint32](field string, list func(*contents) *[]W) kind {
	return kind{field, func(c *contents, shape tensor.Shape) (*tensor.Tensor, int, error) {
		wide := *list(c)
		data := make([]T, len(wide))
		for i, w := range wide {
			data[i] = T(w)
			if W(data[i]) != w {
				return nil, len(wide), fmt.Errorf("element %d is %d, which is none of %s", i, w, oip.Datatype(tensor.TypeOf[T]()))
			}
		}
		t, err := tensor.FromSlice(data, shape...)
		return t, len(data), err
	}, func(c *contents, t *tensor.Tensor) {
		data := tensor.Data[T](t)
		wide := make([]W, len(data))
		for i, v := range data {
			wide[i] = W(v)
		}
		*list(c) = wide
	}}
}

// messageOf returns the message for an answer. Its elements are raw, unless the client's were not: then it may not expect that.
func messageOf(r *oip.Response, typed bool, l *budget.Lease) (*inferResponse, error) {
	m := &inferResponse{model: r.Model, version: r.Version, id: r.ID, parameters: entriesOf(r.Parameters)}
	for _, out := range r.Outputs {
		if typed && kinds[out.Data.DType()].field == "" {
			typed = false
		}
	}
	for _, out := range r.Outputs {
		datatype := oip.Datatype(out.Data.DType())
		if datatype == "" {
			return nil, oip.Errorf(oip.Internal, "the output %s is of the type %v, which the protocol does not have", oip.Quote(out.Name), out.Data.DType())
		}
		t := &inferTensor{name: out.Name, datatype: datatype, shape: extents(out.Data.Shape()), parameters: entriesOf(out.Parameters)}
		if typed {
			if widest := int64(4 * out.Data.Len()); out.Data.DType().Bytes(1) < 4 { // small integers become larger ones
				if err := l.Take(widest); err != nil {
					return nil, err
				}
			}
			t.contents = new(contents)
			kinds[out.Data.DType()].put(t.contents, out.Data.Contiguous())
		} else {
			m.raw = append(m.raw, tensor.Raw(out.Data))
		}
		m.outputs = append(m.outputs, t)
	}
	return m, nil
}

func extents(shape tensor.Shape) []int64 {
	list := make([]int64, len(shape))
	for i, n := range shape {
		list[i] = int64(n)
	}
	return list
}

// entriesOf returns parameters in the order of their names.
func entriesOf(p oip.Parameters) []*entry {
	var list []*entry
	for _, key := range naming.Sorted(p) {
		list = append(list, &entry{key, &parameter{p[key]}})
	}
	return list
}
