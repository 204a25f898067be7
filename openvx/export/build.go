package export

import (
	"fmt"

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

// args are the arguments of a call, with objects of a context in the place of those of the network.
type args []any

// arg returns an argument. A type other than the function's would be a mistake of this package.
func arg[T any](a args, i int) T {
	v, _ := a[i].(T)
	return v
}

// tensor returns an argument that is a tensor, nil if it is absent.
func (a args) tensor(i int) *openvx.Tensor { return arg[*openvx.Tensor](a, i) }

// functions perform calls.
var functions = map[string]func(g *openvx.Graph, a args) (*openvx.Node, error){
	"vxConvolutionLayer": func(g *openvx.Graph, a args) (*openvx.Node, error) {
		return g.ConvolutionLayer(a.tensor(0), a.tensor(1), a.tensor(2), arg[openvx.ConvolutionParams](a, 3), a.tensor(4))
	},
	"vxDeconvolutionLayer": func(g *openvx.Graph, a args) (*openvx.Node, error) {
		return g.DeconvolutionLayer(a.tensor(0), a.tensor(1), a.tensor(2), arg[openvx.DeconvolutionParams](a, 3), a.tensor(4))
	},
	"vxFullyConnectedLayer": func(g *openvx.Graph, a args) (*openvx.Node, error) {
		return g.FullyConnectedLayer(a.tensor(0), a.tensor(1), a.tensor(2), arg[openvx.ConvertPolicy](a, 3), arg[openvx.RoundPolicy](a, 4), a.tensor(5))
	},
	"vxPoolingLayer": func(g *openvx.Graph, a args) (*openvx.Node, error) {
		return g.PoolingLayer(a.tensor(0), arg[openvx.Pooling](a, 1), arg[int](a, 2), arg[int](a, 3), arg[int](a, 4), arg[int](a, 5),
			arg[openvx.SizeRounding](a, 6), a.tensor(7))
	},
	"vxSoftmaxLayer": func(g *openvx.Graph, a args) (*openvx.Node, error) { return g.SoftmaxLayer(a.tensor(0), a.tensor(1)) },
	"vxLocalResponseNormalizationLayer": func(g *openvx.Graph, a args) (*openvx.Node, error) {
		return g.LocalResponseNormalizationLayer(a.tensor(0), arg[openvx.Normalization](a, 1), arg[int](a, 2), arg[float32](a, 3),
			arg[float32](a, 4), arg[float32](a, 5), a.tensor(6))
	},
	"vxActivationLayer": func(g *openvx.Graph, a args) (*openvx.Node, error) {
		return g.ActivationLayer(a.tensor(0), arg[openvx.Activation](a, 1), arg[float32](a, 2), arg[float32](a, 3), a.tensor(4))
	},
	"vxROIPoolingLayer": func(g *openvx.Graph, a args) (*openvx.Node, error) {
		return g.ROIPoolingLayer(a.tensor(0), a.tensor(1), arg[openvx.ROIPoolParams](a, 2), a.tensor(3))
	},
	"vxTensorMultiplyNode": func(g *openvx.Graph, a args) (*openvx.Node, error) {
		return g.TensorMultiplyNode(a.tensor(0), a.tensor(1), arg[*openvx.Scalar](a, 2), arg[openvx.ConvertPolicy](a, 3),
			arg[openvx.RoundPolicy](a, 4), a.tensor(5))
	},
	"vxTensorAddNode": func(g *openvx.Graph, a args) (*openvx.Node, error) {
		return g.TensorAddNode(a.tensor(0), a.tensor(1), arg[openvx.ConvertPolicy](a, 2), a.tensor(3))
	},
	"vxTensorSubtractNode": func(g *openvx.Graph, a args) (*openvx.Node, error) {
		return g.TensorSubtractNode(a.tensor(0), a.tensor(1), arg[openvx.ConvertPolicy](a, 2), a.tensor(3))
	},
	"vxTensorTableLookupNode": func(g *openvx.Graph, a args) (*openvx.Node, error) {
		return g.TensorTableLookupNode(a.tensor(0), arg[*openvx.LUT](a, 1), a.tensor(2))
	},
	"vxTensorTransposeNode": func(g *openvx.Graph, a args) (*openvx.Node, error) {
		return g.TensorTransposeNode(a.tensor(0), a.tensor(1), arg[int](a, 2), arg[int](a, 3))
	},
	"vxTensorConvertDepthNode": func(g *openvx.Graph, a args) (*openvx.Node, error) {
		return g.TensorConvertDepthNode(a.tensor(0), arg[openvx.ConvertPolicy](a, 1), arg[*openvx.Scalar](a, 2), arg[*openvx.Scalar](a, 3), a.tensor(4))
	},
	"vxTensorMatrixMultiplyNode": func(g *openvx.Graph, a args) (*openvx.Node, error) {
		return g.TensorMatrixMultiplyNode(a.tensor(0), a.tensor(1), a.tensor(2), arg[openvx.MatrixMultiplyParams](a, 3), a.tensor(4))
	},
}

// call performs a call for the i-th time.
func (b *building) call(c *Call, i int) error {
	a := make(args, len(c.Args))
	for k, v := range c.Args {
		var err error
		switch v := v.(type) {
		case *Tensor:
			a[k] = b.tensors[v]
		case Part:
			a[k], err = b.part(v, i, c.Times)
		case *LUT:
			a[k] = b.luts[v]
		case Real:
			a[k], err = b.ctx.CreateScalar(openvx.TypeFloat32, float32(v))
		default:
			a[k] = v
		}
		if err != nil {
			return err
		}
	}
	_, err := functions[c.Function](b.graph, a)
	return err
}
