package evaluate

import (
	"context"
	"fmt"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// engineNode computes a node as a graph of its own.
func engineNode(opts engine.Options) func(context.Context, *graph.Node, []*tensor.Tensor) ([]*tensor.Tensor, error) {
	return func(ctx context.Context, n *graph.Node, in []*tensor.Tensor) ([]*tensor.Tensor, error) {
		g, inputs, err := alone(n, in)
		if err != nil {
			return nil, err
		}
		p, err := engine.Compile(g, opts)
		if err != nil {
			return nil, err
		}
		defer p.Close()
		s, err := p.NewSession()
		if err != nil {
			return nil, err
		}
		for i, t := range inputs {
			if err := s.SetInput(i, t); err != nil {
				return nil, err
			}
		}
		if err := s.Run(ctx); err != nil {
			return nil, err
		}
		out := make([]*tensor.Tensor, len(n.Out))
		for i := range out {
			out[i] = s.Output(i)
		}
		return out, nil
	}
}

// alone returns the graph of one node and the tensors of its inputs. Constants stay constants, which saves copies.
func alone(n *graph.Node, in []*tensor.Tensor) (*graph.Graph, []*tensor.Tensor, error) {
	b := graph.NewBuilder(op.Rules, n.Op)
	values := make(map[*graph.Value]*graph.Value)
	var operands []*graph.Value
	var inputs []*tensor.Tensor
	for i, v := range n.In {
		if v != nil && values[v] == nil {
			var err error
			if v.Const != nil {
				values[v], err = b.Constant(v.Name, "", v.Const)
			} else {
				values[v], err = b.Input(fmt.Sprintf("operand %d", i), graph.TypeOf(in[i]))
				inputs = append(inputs, in[i])
			}
			if err != nil {
				return nil, nil, err
			}
		}
		operands = append(operands, values[v])
	}
	out, err := b.Add(graph.Node{Op: n.Op, In: operands, Attrs: n.Attrs, Blocks: n.Blocks, Label: n.Label})
	if err != nil {
		return nil, nil, err
	}
	for i, v := range out {
		if err := b.Output(fmt.Sprintf("result %d", i), v); err != nil {
			return nil, nil, err
		}
	}
	g, err := b.Build()
	return g, inputs, err
}
