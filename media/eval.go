package media

import (
	"fmt"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// eval evaluates operators one after the other. After the first error, all its methods return nil.
type eval struct{ err error }

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
	return out[0]
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
	if e.err != nil {
		return nil
	}
	if t.DType() == d {
		return t
	}
	return e.keep(tensor.Cast(t, d))
}

func (e *eval) reshape(t *tensor.Tensor, shape ...int) *tensor.Tensor {
	if e.err != nil {
		return nil
	}
	return e.keep(t.Reshape(shape...))
}

// columns returns columns from … to-1 of a tensor of rank 3.
func (e *eval) columns(t *tensor.Tensor, from, to int) *tensor.Tensor {
	if e.err != nil {
		return nil
	}
	return e.keep(t.Slice(2, from, to, 1))
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
