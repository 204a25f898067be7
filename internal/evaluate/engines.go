// Package evaluate lists the ways to evaluate a graph, for what holds them against one another.
package evaluate

import (
	"context"
	"fmt"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Engine is a way to compute the values of a graph. All of them give the same bits.
type Engine struct {
	Name string
	Doc  string
	open func(g *graph.Graph, opts Options) (Evaluation, error)
}

// Options say how an engine computes. Engines that are about one thread, or about no optimisation, have their own.
type Options struct {
	engine.Options
	Nodes bool // whether results of nodes are asked for, or outputs alone
}

// Engines lists the ways. "nodes" and "reference" need memory only for the values that are still needed; the others, if nodes are asked for, for
// all of them at once.
var Engines = []Engine{
	{"nodes", "the engine, one operator at a time", func(g *graph.Graph, opts Options) (Evaluation, error) {
		p := op.NewInterpreter(g)
		p.Node = engineNode(opts.Options)
		return stepwise{p}, nil
	}},
	{"compiled", "the engine on the whole graph, optimised", newWhole},
	{"single", "the engine on one thread, without optimisation", func(g *graph.Graph, opts Options) (Evaluation, error) {
		opts.Threads, opts.NoOptimize = 1, true
		return newWhole(g, opts)
	}},
	{"reference", "every operator's reference evaluation, on one thread", func(g *graph.Graph, _ Options) (Evaluation, error) {
		return stepwise{op.NewInterpreter(g)}, nil
	}},
	{"wasm", "a WebAssembly module made of the whole graph", newModule},
}

// Find returns the engine of that name, and false if there is none.
func Find(name string) (*Engine, bool) {
	for i := range Engines {
		if Engines[i].Name == name {
			return &Engines[i], true
		}
	}
	return nil, false
}

// Open makes an evaluation of a graph whose shapes are known.
func (e *Engine) Open(g *graph.Graph, opts Options) (Evaluation, error) { return e.open(g, opts) }

// Evaluation computes a graph, once or several times; its states persist from one time to the next.
type Evaluation interface {
	// Begin starts a run on the inputs in the order of the graph.
	Begin(ctx context.Context, inputs []*tensor.Tensor) error
	// Node returns the results of a node. It is called for each node in their order.
	Node(ctx context.Context, n *graph.Node) ([]*tensor.Tensor, error)
	// Value returns an output after all nodes, until the next run.
	Value(v *graph.Value) *tensor.Tensor
	// End finishes a run: states take their new content.
	End()
	Close()
}

// Run runs an evaluation of a graph on inputs by their names, and returns copies of the outputs by theirs.
func Run(ctx context.Context, e Evaluation, g *graph.Graph, inputs map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	list := make([]*tensor.Tensor, len(g.Inputs))
	for i, v := range g.Inputs {
		if list[i] = inputs[v.Name]; list[i] == nil {
			return nil, fmt.Errorf("input %s is missing", v.Name)
		}
	}
	if err := e.Begin(ctx, list); err != nil {
		return nil, err
	}
	for _, n := range g.Nodes {
		if _, err := e.Node(ctx, n); err != nil {
			return nil, err
		}
	}
	outputs := make(map[string]*tensor.Tensor)
	for _, o := range g.Outputs {
		outputs[o.Name] = e.Value(o.Value).Clone()
	}
	e.End()
	return outputs, nil
}

// stepwise computes node by node and forgets values that no later node reads.
type stepwise struct{ *op.Interpreter }

func (s stepwise) Begin(_ context.Context, inputs []*tensor.Tensor) error {
	return s.Interpreter.Begin(inputs)
}

func (s stepwise) Node(ctx context.Context, n *graph.Node) ([]*tensor.Tensor, error) {
	return s.Step(ctx, n)
}

func (s stepwise) Close() {}

// whole runs the program of a graph and, if nodes are asked for, looks on.
type whole struct {
	program *engine.Program
	session *engine.Session
	at      map[*graph.Value]int // the positions of outputs
	results map[*graph.Node][]*tensor.Tensor
}

func newWhole(g *graph.Graph, opts Options) (Evaluation, error) {
	w := &whole{at: make(map[*graph.Value]int), results: make(map[*graph.Node][]*tensor.Tensor, len(g.Nodes))}
	for i, o := range g.Outputs {
		w.at[o.Value] = i
	}
	for _, n := range g.Nodes {
		w.results[n] = nil
	}
	var err error
	if w.program, err = engine.Compile(g, opts.Options); err != nil {
		return nil, err
	}
	if w.session, err = w.program.NewSession(); err != nil {
		w.program.Close()
		return nil, err
	}
	if opts.Nodes {
		w.session.Observe(&engine.Observer{Values: true, Node: func(o *engine.Observation) {
			if _, ok := w.results[o.Node]; ok { // not in a block
				w.results[o.Node] = o.Results
			}
		}})
	}
	return w, nil
}

func (w *whole) Begin(ctx context.Context, inputs []*tensor.Tensor) error {
	for i, t := range inputs {
		if err := w.session.SetInput(i, t); err != nil {
			return err
		}
	}
	return w.session.Run(ctx)
}

func (w *whole) Node(_ context.Context, n *graph.Node) ([]*tensor.Tensor, error) {
	return w.results[n], nil
}

func (w *whole) Value(v *graph.Value) *tensor.Tensor { return w.session.Output(w.at[v]) }

func (w *whole) End() {} // the session has updated its states

func (w *whole) Close() { w.program.Close() }
