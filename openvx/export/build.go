package export

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/concord-nn/concord/openvx"
	"github.com/concord-nn/concord/tensor"
)

// Built is a network that has been made in a context.
type Built struct {
	Graph           *openvx.Graph
	Inputs, Outputs []*openvx.Tensor // as those of the network
}

// Build makes the network in a context: it performs the calls that the generated C has. The graph is not verified yet.
func (n *Network) Build(ctx *openvx.Context) (*Built, error) {
	if ctx == nil {
		return nil, errors.New("there is no context")
	}
	g, err := ctx.CreateGraph()
	if err != nil {
		return nil, err
	}
	b := &building{ctx: ctx, graph: g, tensors: make(map[*Tensor]*openvx.Tensor), luts: make(map[*LUT]*openvx.LUT)}
	for _, t := range n.Tensors {
		if err := b.tensor(t); err != nil {
			return nil, fmt.Errorf("tensor %s: %w", t.Name, err)
		}
	}
	for _, t := range n.LUTs {
		if err := b.lut(t); err != nil {
			return nil, fmt.Errorf("table %s: %w", t.Name, err)
		}
	}
	for _, c := range n.Calls {
		for i := range c.Times {
			if err := b.call(c, i); err != nil {
				return nil, fmt.Errorf("%s: %w", c.Value, err)
			}
		}
	}
	made := &Built{Graph: g}
	for _, p := range n.Inputs {
		made.Inputs = append(made.Inputs, b.tensors[p.Tensor])
	}
	for _, p := range n.Outputs {
		made.Outputs = append(made.Outputs, b.tensors[p.Tensor])
	}
	return made, nil
}

// building is a network while it is made.
type building struct {
	ctx     *openvx.Context
	graph   *openvx.Graph
	tensors map[*Tensor]*openvx.Tensor
	luts    map[*LUT]*openvx.LUT
}

func (b *building) tensor(t *Tensor) (err error) {
	var made *openvx.Tensor
	switch t.Kind {
	case Virtual:
		made, err = b.graph.CreateVirtualTensor(t.Dims, t.Type, t.Fixed)
	case View:
		made, err = b.tensors[t.Of].CreateView(t.Start, t.End)
	default:
		made, err = b.ctx.CreateTensor(t.Dims, t.Type, t.Fixed)
	}
	if err != nil {
		return err
	}
	b.tensors[t] = made
	if t.Kind != Weights {
		return nil
	}
	elements, err := tensor.FromRaw(t.elements(), tensor.Shape(dimsOf(t.Dims)), t.Data)
	if err != nil {
		return err
	}
	return transfer(made, elements, openvx.WriteOnly)
}

func (b *building) lut(t *LUT) error {
	made, err := b.ctx.CreateLUT(t.Type, t.Count)
	if err != nil {
		return err
	}
	b.luts[t] = made
	d := tensor.Uint8
	if t.Type == openvx.TypeInt16 {
		d = tensor.Int16
	}
	entries, err := tensor.FromRaw(d, tensor.Shape{t.Count}, t.Data)
	if err != nil {
		return err
	}
	return made.Copy(entries.Bytes(), openvx.WriteOnly)
}

// part returns one of several equal parts of a tensor.
func (b *building) part(p Part, which, parts int) (*openvx.Tensor, error) {
	start, end := make([]int, len(p.Of.Dims)), append([]int{}, p.Of.Dims...)
	step := end[p.Axis] / parts
	start[p.Axis], end[p.Axis] = which*step, (which+1)*step
	return b.tensors[p.Of].CreateView(start, end)
}

// call performs a call for the i-th time. Its arguments are those of the method, with objects of a context in the place of those of the network.
func (b *building) call(c *Call, i int) error {
	in := []reflect.Value{reflect.ValueOf(b.graph)}
	for _, v := range c.Args {
		a, err := v, error(nil)
		switch v := v.(type) {
		case *Tensor:
			a = b.tensors[v]
		case Part:
			a, err = b.part(v, i, c.Times)
		case *LUT:
			a = b.luts[v]
		case Real:
			a, err = b.ctx.CreateScalar(openvx.TypeFloat32, float32(v))
		}
		if err != nil {
			return err
		}
		in = append(in, reflect.ValueOf(a))
	}
	err, _ := reflect.ValueOf(functions[c.Function]).Call(in)[1].Interface().(error)
	return err
}
