package diff

import (
	"context"
	"fmt"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Engine is a way to compute every value of a network. All of them give the same bits; [Run] can show that they do.
type Engine struct {
	Name  string
	Doc   string
	start func(g *graph.Graph, opts engine.Options) (execution, error)
}

// Engines lists the ways to compute. The first one needs memory only for the values that are still needed; "compiled"
// and "single" hold all of them at once.
var Engines = []Engine{
	{"nodes", "the engine, one operator at a time", func(g *graph.Graph, opts engine.Options) (execution, error) {
		p := op.NewInterpreter(g)
		p.Node = engineNode(opts)
		return stepwise{p}, nil
	}},
	{"compiled", "the engine on the whole graph, optimised", func(g *graph.Graph, opts engine.Options) (execution, error) {
		return newWhole(g, opts)
	}},
	{"single", "the engine on one thread, without optimisation", func(g *graph.Graph, opts engine.Options) (execution, error) {
		return newWhole(g, engine.Options{Threads: 1, NoOptimize: true, Limits: opts.Limits})
	}},
	{"reference", "every operator's reference evaluation, on one thread", func(g *graph.Graph, _ engine.Options) (execution, error) {
		return stepwise{op.NewInterpreter(g)}, nil
	}},
}

// FindEngine returns the engine of that name, and false if there is none.
func FindEngine(name string) (*Engine, bool) {
	for i := range Engines {
		if Engines[i].Name == name {
			return &Engines[i], true
		}
	}
	return nil, false
}

// execution computes a graph whose shapes are known, once or several times.
type execution interface {
	// begin starts a run on the inputs in the order of the graph.
	begin(ctx context.Context, inputs []*tensor.Tensor) error
	// node returns the results of a node. It is called for each node in their order.
	node(ctx context.Context, n *graph.Node) ([]*tensor.Tensor, error)
	// value returns an output after all nodes.
	value(v *graph.Value) *tensor.Tensor
	// end finishes a run: states take their new content.
	end()
	close()
}

// stepwise computes node by node and forgets values that no later node reads.
type stepwise struct{ *op.Interpreter }

func (s stepwise) begin(_ context.Context, inputs []*tensor.Tensor) error { return s.Begin(inputs) }

func (s stepwise) node(ctx context.Context, n *graph.Node) ([]*tensor.Tensor, error) {
	return s.Step(ctx, n)
}

func (s stepwise) value(v *graph.Value) *tensor.Tensor { return s.Value(v) }

func (s stepwise) end() { s.End() }

func (s stepwise) close() {}

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

// whole runs the program of a graph and looks on.
type whole struct {
	program *engine.Program
	session *engine.Session
	at      map[*graph.Value]int // the positions of outputs
	results map[*graph.Node][]*tensor.Tensor
}

func newWhole(g *graph.Graph, opts engine.Options) (*whole, error) {
	w := &whole{at: make(map[*graph.Value]int), results: make(map[*graph.Node][]*tensor.Tensor, len(g.Nodes))}
	for i, o := range g.Outputs {
		w.at[o.Value] = i
	}
	for _, n := range g.Nodes {
		w.results[n] = nil
	}
	var err error
	if w.program, err = engine.Compile(g, opts); err != nil {
		return nil, err
	}
	if w.session, err = w.program.NewSession(); err != nil {
		w.program.Close()
		return nil, err
	}
	w.session.Observe(&engine.Observer{Values: true, Node: func(o *engine.Observation) {
		if _, ok := w.results[o.Node]; ok { // not in a block
			w.results[o.Node] = o.Results
		}
	}})
	return w, nil
}

func (w *whole) begin(ctx context.Context, inputs []*tensor.Tensor) error {
	for i, t := range inputs {
		if err := w.session.SetInput(i, t); err != nil {
			return err
		}
	}
	return w.session.Run(ctx)
}

func (w *whole) node(_ context.Context, n *graph.Node) ([]*tensor.Tensor, error) {
	return w.results[n], nil
}

func (w *whole) value(v *graph.Value) *tensor.Tensor { return w.session.Output(w.at[v]) }

func (w *whole) end() {} // the session has updated its states

func (w *whole) close() { w.program.Close() }
