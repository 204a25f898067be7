package media

import (
	"fmt"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// eval evaluates operators one after the other, and writes down what it does if it has a builder. After the first error, all its methods return nil.
type eval struct {
	err    error
	graph  *graph.Builder
	values map[*tensor.Tensor]*graph.Value // of the graph
}

// attrs returns one attribute.
func attrs(name string, value any) graph.Attrs { return graph.Attrs{{Name: name, Value: value}} }

// op evaluates an operator that has one result.
func (e *eval) op(name string, attrs graph.Attrs, in ...*tensor.Tensor) *tensor.Tensor {
	if e.err != nil {
		return nil
	}
	d, ok := op.Lookup(name)
	if !ok {
		e.err = fmt.Errorf("there is no operator %q", name)
		return nil
	}
	out, err := op.Eval(d, in, attrs)
	if err != nil {
		e.err = err
		return nil
	}
	return e.note(out[0], name, attrs, in...)
}

// note writes down, if there is a builder, how a tensor comes about, and returns it.
func (e *eval) note(t *tensor.Tensor, name string, attrs graph.Attrs, in ...*tensor.Tensor) *tensor.Tensor {
	if e.graph == nil || e.err != nil {
		return t
	}
	operands := make([]*graph.Value, len(in))
	for i, x := range in {
		v, ok := e.values[x]
		if !ok {
			v, e.err = e.graph.Constant("", "", x)
			e.values[x] = v
		}
		if operands[i] = v; e.err != nil {
			return nil
		}
	}
	v, err := e.graph.One(name, operands, attrs, "")
	if e.values[t] = v; err != nil {
		return e.keep(nil, err)
	}
	return t
}

// constant returns float32 numbers as a tensor.
func (e *eval) constant(values []float64, shape ...int) *tensor.Tensor {
	data := make([]float32, len(values))
	for i, v := range values {
		data[i] = float32(v)
	}
	return e.keep(tensor.FromSlice(data, shape...))
}

func (e *eval) cast(t *tensor.Tensor, d tensor.DType) *tensor.Tensor {
	if e.err != nil || t.DType() == d {
		return t
	}
	return e.note(e.keep(tensor.Cast(t, d)), "cast", attrs("dtype", d), t)
}

func (e *eval) reshape(t *tensor.Tensor, shape ...int) *tensor.Tensor {
	if e.err != nil {
		return nil
	}
	return e.note(e.keep(t.Reshape(shape...)), "reshape", attrs("shape", shape), t)
}

// columns returns columns from … to-1 of a tensor of rank 3.
func (e *eval) columns(t *tensor.Tensor, from, to int) *tensor.Tensor {
	if e.err != nil {
		return nil
	}
	slice := graph.AttrsOf("axes", []int{2}, "begin", []int{from}, "end", []int{to})
	return e.note(e.keep(t.Slice(2, from, to, 1)), "slice", slice, t)
}

func (e *eval) keep(t *tensor.Tensor, err error) *tensor.Tensor {
	if e.err == nil {
		e.err = err
	}
	if e.err != nil {
		return nil
	}
	return t
}
