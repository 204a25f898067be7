package conform

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"os"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/evaluate"
	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/internal/pattern"
	"github.com/concord-nn/concord/internal/stage"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Engine evaluates the graphs of cases. All engines but "bodies" must give the same bits.
type Engine struct {
	Name   string
	Doc    string
	way    string                                     // how graphs are evaluated: the name of one of evaluate.Engines
	change func(g *graph.Graph) (*graph.Graph, error) // what becomes of them before; nil for nothing
}

// Engines lists what cases can be run on.
var Engines = []Engine{
	{"compiled", "the engine: optimised, all processors", "compiled", nil},
	{"single", "the engine on one thread, without optimisation", "single", nil},
	{"reference", "every operator's reference evaluation, node by node", "reference", nil},
	{"wasm", "a WebAssembly module made of the whole graph", "wasm", nil},
	{"saved", "the reference evaluation of the graph after it was saved as NNEF and loaded again", "reference", saved},
	{"bodies", "operators replaced by their bodies; within the cases' tolerance, not to the bit", "reference", bodies},
}

// evaluator evaluates the graphs of a case on an engine, and hashes what they yield.
type evaluator struct {
	engine  *Engine
	threads int
	outputs hash.Hash // of all evaluations; nil before the first one
}

// session evaluates one graph any number of times, and keeps its states from one time to the next.
type session struct {
	evaluator  *evaluator
	evaluation evaluate.Evaluation
	graph      *graph.Graph
}

func (e *evaluator) open(g *graph.Graph) (_ *session, err error) {
	if e.engine.change != nil {
		if g, err = e.engine.change(g); err != nil {
			return nil, err
		}
	}
	way, _ := evaluate.Find(e.engine.way)
	s, err := way.Open(g, evaluate.Options{Options: engine.Options{Threads: e.threads}})
	return &session{e, s, g}, err
}

func (s *session) run(ctx context.Context, inputs map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	outputs, err := evaluate.Run(ctx, s.evaluation, s.graph, inputs)
	if err == nil {
		s.evaluator.hash(outputs)
	}
	return outputs, err
}

func (s *session) close() { s.evaluation.Close() }

// eval evaluates a graph once.
func (e *evaluator) eval(ctx context.Context, g *graph.Graph, inputs map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	s, err := e.open(g)
	if err != nil {
		return nil, err
	}
	defer s.close()
	return s.run(ctx, inputs)
}

// hash adds outputs, in the order of their names.
func (e *evaluator) hash(outputs map[string]*tensor.Tensor) {
	if e.outputs == nil {
		e.outputs = sha256.New()
	}
	for _, name := range naming.Sorted(outputs) {
		t := outputs[name]
		fmt.Fprintf(e.outputs, "%q %v%v\n", name, t.DType(), t.Shape())
		e.outputs.Write(tensor.Raw(t))
	}
}

// sum returns the sum of what has been hashed; "" if that is nothing.
func (e *evaluator) sum() string {
	if e.outputs == nil {
		return ""
	}
	return hex.EncodeToString(e.outputs.Sum(nil))
}

// saved returns what a graph is after it was saved and loaded, which must be an equal graph.
func saved(g *graph.Graph) (*graph.Graph, error) {
	files, err := stage.New(os.TempDir())
	if err != nil {
		return nil, err
	}
	defer files.Close() // a temporary folder may stay
	name := files.Path("model.nnef.tar")
	if err := nnef.Save(name, g); err != nil {
		return nil, err
	}
	m, err := nnef.Load(name, nnef.Options{})
	if err != nil {
		return nil, err
	}
	defer m.Close() // the graph keeps what it reads
	if got, want := unlabelled(m.Graph), unlabelled(g); got != want {
		return nil, fmt.Errorf("after saving and loading, the graph is\n%s\nit was\n%s", got, want)
	}
	return m.Graph, nil
}

var labels = pattern.Of(`(?m)^extension concord_label .*\n`)

// unlabelled is the text of a graph without the labels of nodes, which stand in comments alone where the text is standard NNEF.
func unlabelled(g *graph.Graph) string {
	return labels.Get().ReplaceAllString(graph.Text(g, op.Rules), "")
}

// bodies returns a graph in which every operator that has a body is replaced by it.
func bodies(g *graph.Graph) (*graph.Graph, error) {
	return nnef.ExpandGraph(g, func(*op.Def) bool { return true })
}
