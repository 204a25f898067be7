package conform

import (
	"context"
	"fmt"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Engine evaluates the graphs of cases. All engines but "bodies" must give the same bits.
type Engine struct {
	Name string
	Doc  string
	eval func(ctx context.Context, g *graph.Graph, inputs map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error)
}

// Engines lists what cases can be run on.
var Engines = []Engine{
	{"compiled", "the engine: optimised, all processors", compiled(engine.Options{})},
	{"single", "the engine on one thread, without optimisation", compiled(engine.Options{Threads: 1, NoOptimize: true})},
	{"reference", "every operator's reference evaluation, node by node", reference},
	{"bodies", "operators replaced by their bodies; within the cases' tolerance, not to the bit", bodies},
}

func compiled(opts engine.Options) func(context.Context, *graph.Graph, map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	return func(ctx context.Context, g *graph.Graph, inputs map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
		p, err := engine.Compile(g, opts)
		if err != nil {
			return nil, err
		}
		defer p.Close()
		return p.Run(ctx, inputs)
	}
}

// bodies evaluates a graph after every operator that has a body is replaced by it.
func bodies(ctx context.Context, g *graph.Graph, inputs map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	g, err := nnef.ExpandGraph(g, func(*op.Def) bool { return true })
	if err != nil {
		return nil, err
	}
	return reference(ctx, g, inputs)
}

// reference evaluates a graph without states by op.Eval.
func reference(ctx context.Context, g *graph.Graph, inputs map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	values := make(map[*graph.Value]*tensor.Tensor)
	for _, v := range g.Inputs {
		t := inputs[v.Name]
		if t == nil {
			return nil, fmt.Errorf("input %s is missing", v.Name)
		}
		values[v] = t
	}
	for v := range g.Constants() {
		values[v] = v.Const
	}
	for _, n := range g.Nodes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		d, ok := op.Lookup(n.Op)
		if !ok {
			return nil, fmt.Errorf("there is no operator %q", n.Op)
		}
		in := make([]*tensor.Tensor, len(n.In))
		for i, v := range n.In {
			if v != nil {
				in[i] = values[v]
			}
		}
		out, err := op.Eval(d, in, n.Attrs)
		if err != nil {
			return nil, err
		}
		for i, v := range n.Out {
			values[v] = out[i]
		}
	}
	outputs := make(map[string]*tensor.Tensor)
	for _, o := range g.Outputs {
		outputs[o.Name] = values[o.Value]
	}
	return outputs, nil
}
