package conform

import (
	"context"
	"fmt"
	"os"
	"regexp"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/stage"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Engine evaluates the graphs of cases. All engines but "bodies" must give the same bits.
type Engine struct {
	Name string
	Doc  string
	open func(g *graph.Graph) (session, error)
}

// session evaluates one graph any number of times, and keeps its states from one time to the next.
type session interface {
	run(ctx context.Context, inputs map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error)
	close()
}

// Engines lists what cases can be run on.
var Engines = []Engine{
	{"compiled", "the engine: optimised, all processors", compiled(engine.Options{})},
	{"single", "the engine on one thread, without optimisation", compiled(engine.Options{Threads: 1, NoOptimize: true})},
	{"reference", "every operator's reference evaluation, node by node", newReference},
	{"saved", "the reference evaluation of the graph after it was saved as NNEF and loaded again", saved},
	{"bodies", "operators replaced by their bodies; within the cases' tolerance, not to the bit", bodies},
}

// eval evaluates a graph once.
func (e *Engine) eval(ctx context.Context, g *graph.Graph, inputs map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	s, err := e.open(g)
	if err != nil {
		return nil, err
	}
	defer s.close()
	return s.run(ctx, inputs)
}

// compiledSession runs a compiled program.
type compiledSession struct {
	p *engine.Program
	s *engine.Session
}

func compiled(opts engine.Options) func(g *graph.Graph) (session, error) {
	return func(g *graph.Graph) (session, error) {
		p, err := engine.Compile(g, opts)
		if err != nil {
			return nil, err
		}
		s, err := p.NewSession()
		if err != nil {
			p.Close()
			return nil, err
		}
		return &compiledSession{p, s}, nil
	}
}

func (c *compiledSession) run(ctx context.Context, inputs map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	for i, port := range c.p.Inputs() {
		t := inputs[port.Name]
		if t == nil {
			return nil, fmt.Errorf("input %s is missing", port.Name)
		}
		if err := c.s.SetInput(i, t); err != nil {
			return nil, err
		}
	}
	if err := c.s.Run(ctx); err != nil {
		return nil, err
	}
	outputs := make(map[string]*tensor.Tensor)
	for i, port := range c.p.Outputs() {
		outputs[port.Name] = c.s.Output(i).Clone()
	}
	return outputs, nil
}

func (c *compiledSession) close() { c.p.Close() }

// savedSession is a session of a model in a temporary folder.
type savedSession struct {
	session
	stage *stage.Stage
	model *nnef.Model
}

// saved evaluates what a graph is after it was saved and loaded, which must be an equal graph.
func saved(g *graph.Graph) (_ session, err error) {
	s := &savedSession{}
	if s.stage, err = stage.New(os.TempDir()); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	name := s.stage.Path("model.nnef.tar")
	if err := nnef.Save(name, g); err != nil {
		return nil, err
	}
	if s.model, err = nnef.Load(name, nnef.Options{}); err != nil {
		return nil, err
	}
	if got, want := unlabelled(s.model.Graph), unlabelled(g); got != want {
		return nil, fmt.Errorf("after saving and loading, the graph is\n%s\nit was\n%s", got, want)
	}
	s.session, err = newReference(s.model.Graph)
	return s, err
}

var labels = regexp.MustCompile(`(?m)^extension concord_label .*\n`)

// unlabelled is the text of a graph without the labels of nodes, which stand in comments alone where the text is standard NNEF.
func unlabelled(g *graph.Graph) string { return labels.ReplaceAllString(graph.Text(g, op.Rules), "") }

func (s *savedSession) close() {
	if s.model != nil {
		_ = s.model.Close() // it has only been read
	}
	_ = s.stage.Close() // a temporary folder may stay
}

// bodies evaluates a graph after every operator that has a body is replaced by it.
func bodies(g *graph.Graph) (session, error) {
	g, err := nnef.ExpandGraph(g, func(*op.Def) bool { return true })
	if err != nil {
		return nil, err
	}
	return newReference(g)
}

// reference evaluates a graph by the references of the operators.
type reference struct{ *op.Interpreter }

func newReference(g *graph.Graph) (session, error) { return reference{op.NewInterpreter(g)}, nil }

func (reference) close() {}

func (r reference) run(ctx context.Context, inputs map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	return r.RunNamed(ctx, inputs)
}
