package export

import (
	"errors"
	"fmt"

	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/openvx"
	"github.com/concord-nn/concord/tensor"
)

// Run runs a network that n has built, on inputs of the types and shapes of the graph, by name, and returns the outputs in such types and
// shapes. Floats are brought into Q7.8 and back.
func (b *Built) Run(n *Network, inputs map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	if b == nil || b.Graph == nil || n == nil || len(b.Inputs) != len(n.Inputs) || len(b.Outputs) != len(n.Outputs) {
		return nil, errors.New("there is no graph that the network has built")
	}
	for i, p := range n.Inputs {
		x := inputs[p.Name]
		if x == nil {
			return nil, fmt.Errorf("input %s is missing", p.Name)
		}
		if x.DType() != p.DType || !x.Shape().Equal(p.Shape) {
			return nil, fmt.Errorf("input %s is %v%v; it must be %v%v", p.Name, x.DType(), x.Shape(), p.DType, p.Shape)
		}
		raw, err := p.Tensor.Encode(x)
		if err != nil {
			return nil, err
		}
		if err := transfer(b.Inputs[i], raw, openvx.WriteOnly); err != nil {
			return nil, fmt.Errorf("input %s: %w", p.Name, err)
		}
	}
	if err := b.Graph.Process(); err != nil {
		return nil, err
	}
	outputs := make(map[string]*tensor.Tensor)
	for i, p := range n.Outputs {
		raw, err := tensor.New(p.Tensor.elements(), p.Shape)
		if err == nil {
			err = transfer(b.Outputs[i], raw, openvx.ReadOnly)
		}
		if err == nil {
			outputs[p.Name], err = p.Tensor.Decode(raw, p.DType)
		}
		if err != nil {
			return nil, fmt.Errorf("output %s: %w", p.Name, err)
		}
	}
	return outputs, nil
}

// transfer copies the elements of a tensor of OpenVX, all of them, from or to one without gaps.
func transfer(t *openvx.Tensor, data *tensor.Tensor, u openvx.Usage) error {
	dims := t.Dims()
	strides := make([]int, len(dims))
	bytes := data.DType().Size()
	for i, n := range dims {
		strides[i] = bytes
		bytes *= n
	}
	return t.CopyPatch(make([]int, len(dims)), dims, strides, data.Contiguous().Bytes(), u)
}

// Encode returns a tensor of a graph in the format: floats in Q7.8 rounded to the nearest number and bounded.
func (f Format) Encode(t *tensor.Tensor) (out *tensor.Tensor, err error) {
	if t == nil {
		return nil, errors.New("there is no tensor")
	}
	err = evaluated(func() { out = f.converted(t) })
	return out, err
}

// Decode returns elements in the format as those of a type of the graph.
func (f Format) Decode(t *tensor.Tensor, d tensor.DType) (out *tensor.Tensor, err error) {
	if t == nil {
		return nil, errors.New("there is no tensor")
	}
	err = evaluated(func() {
		out = t
		if f == Q78 && d.IsFloat() {
			out = eval("mul", nil, eval("cast", attrs("dtype", tensor.Float32), t), tensor.Scalar(float32(1)/256))
		}
		if out.DType() != d {
			out = eval("cast", attrs("dtype", d), out)
		}
	})
	return out, err
}

// evaluated calls what evaluates operators.
func evaluated(f func()) error {
	if why := kit.Try(f); why != "" {
		return errors.New(why)
	}
	return nil
}
