package onnx

import (
	"errors"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/model"
)

// Translation says what became of a node of a model.
type Translation struct {
	Node  string   // its name in quotation marks or else its number, with the functions and graphs that it stands in
	Op    string   // with the domain, unless that is the standard's own
	Opset int      // the version of the operators that it is written in; 0 if the model imports none
	In    []Traced // what it reads
	Out   []Traced // what it yields
	// Operators are what the node became; none if what it yields is known, or if the nodes of a function or of a graph in it, which follow, took
	// its place.
	Operators []*graph.Node
	// Waits says which elements must be known first, of which only a run knows; nil if the node was translated.
	Waits error
	// Err is the mistake in the node; nil if there is none.
	Err *Error
}

// Traced is a value that a node reads or yields.
type Traced struct {
	Name     string     // in the model; empty for what is left out
	Known    bool       // whether its type is known
	Sequence bool       // whether it is a sequence, which has no type
	Type     graph.Type // of a tensor that is known
	Constant bool       // whether its elements are stored in the model
}

// errWaits is why nodes wait that read results of others that wait.
var errWaits = errors.New("what it reads waits for what only a run knows")

// Explain translates the model for inputs of the given shapes and returns what becomes of its nodes, in the order of translation. It goes on
// after mistakes. Of a model in parts it is the first one; nodes behind it wait. The error is that the shapes do not fit the inputs.
func (f *File) Explain(given model.Shapes) (out []*Translation, err error) {
	if f == nil || f.Model == nil {
		return nil, errNoFile
	}
	defer guard(f.path, "the translation", mapfile.Watch(), &err)
	if f.closed.Load() {
		return nil, mapfile.ErrClosed
	}
	shapes, err := f.inputsOnly().Complete(given)
	if err != nil {
		return nil, err
	}
	w, s, _, err := f.start(shapes)
	if err != nil {
		return nil, err
	}
	w.collect, w.report = true, func(t *Translation) { out = append(out, t) }
	if err := w.begin(s); err != nil {
		return nil, w.place(step{scope: s}, err)
	}
	_ = w.walk() // the mistakes are in the list
	return out, nil
}

// inputsOnly returns a model that knows its inputs.
func (f *File) inputsOnly() *model.Model { return model.InParts(f.inputs, f.outputs, nil) }

// tell reports a node.
func (w *walker) tell(c *lowering, results []item, made []*graph.Node, problem error) {
	if w.report == nil || c.node == nil || c.step.sequel != nil && problem == nil && len(made) == 0 {
		return
	}
	at := w.place(c.step, errWaits)
	t := &Translation{Node: at.Node, Op: at.Op, Opset: at.Opset, Operators: made}
	if !errors.As(problem, &t.Err) {
		t.Waits = problem
	}
	for i, name := range c.node.Input {
		t.In = append(t.In, traced(name, c.item(i)))
	}
	for i, name := range c.node.Output {
		var x item
		if i < len(results) {
			x = results[i]
		}
		t.Out = append(t.Out, traced(name, x))
	}
	w.report(t)
}

func traced(name string, x item) Traced {
	t := Traced{Name: name, Known: x.kind == aTensor, Sequence: x.kind == sequence}
	if x.value != nil {
		t.Type, t.Constant = x.value.Type, x.value.Const != nil
	}
	return t
}
