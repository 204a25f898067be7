package flat

import (
	"errors"
	"slices"

	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/nnef/syntax"
)

// Graph is a flattened document: invocations of operations that are not expanded further, in the order of the text.
type Graph struct {
	Name        string
	Dialect     syntax.Dialect
	Tract       bool               // the document is one of the engine tract
	Extensions  []syntax.Extension // the statements of the document but those that enable fragments and expressions
	Inputs      []*Tensor          // results of external, in the order of the graph's parameters
	Outputs     []*Tensor          // in the order of the graph's results; a tensor may occur twice
	OutputNames []string           // the identifiers of the results, one for each output
	Ops         []*Op
	Fragments   []*syntax.Fragment // of the document, if an operation evaluates some itself; else nil
	Tensors     int                // how many tensors there are; their indices are smaller
	Used        eval.Limits        // what the evaluation has counted of what these bound
	Invocations []Invocation       // of the fragments of a provisional document, whose text does not say what its tensors are
}

// Invocation is one of a fragment, with a value for each parameter and result.
type Invocation struct {
	Fragment      string
	Args, Results []eval.Value
}

// Tensor is one tensor of a flat graph.
type Tensor struct {
	Name     string           // an identifier, unique in the graph
	Shape    []int            // the extents; nil if nothing is known, 0 where one is not specified
	Known    bool             // whether all extents are known
	Type     syntax.Primitive // of the elements; NoPrimitive if the declaration leaves it open and nothing was inferred
	Producer *Op
	Index    int // from 0 in the order of the operations, unique in the graph

	pending *recorder // infers shapes on demand
}

// Item implements [eval.Tensor].
func (t *Tensor) Item() syntax.Primitive {
	if t.Type == syntax.NoPrimitive && t.pending != nil {
		t.pending.catchUp()
	}
	return t.Type
}

// Extents implements [eval.Tensor]: it returns the shape, and false if it is not known. In the provisional dialect a
// shape has two extents at least, and those that are not specified are -1.
func (t *Tensor) Extents() ([]int, bool) {
	if !t.Known && t.pending != nil {
		t.pending.catchUp()
	}
	if t.Shape == nil && !t.Known || t.pending == nil || t.pending.graph.Dialect != syntax.Provisional {
		return t.Shape, t.Known
	}
	shape := slices.Clone(t.Shape)
	for len(shape) < 2 {
		shape = append(shape, 1)
	}
	for i, n := range shape {
		if n == 0 {
			shape[i] = -1
			t.pending.open = true
		}
	}
	return shape, true
}

// SameTensor implements [eval.Tensor].
func (t *Tensor) SameTensor(u eval.Tensor) bool { v, ok := u.(*Tensor); return ok && v == t }

// Op is one invocation of an operation. Tensors among its arguments are *Tensor, and its names are those of what it yields. It has no site if it
// is a copy that gives a tensor a second name.
type Op struct {
	*eval.Invocation
	Results []eval.Value // one for each result: a *Tensor, or an eval.Array of them
	Custom  bool         // a fragment of the document that has no body
}

// Name returns the name of the operation.
func (op *Op) Name() string { return op.Op.Name }

// Diagnostics returns the findings for an error about the operation, which must have a site.
func (op *Op) Diagnostics(err error) syntax.Diagnostics {
	var list syntax.Diagnostics
	if errors.As(err, &list) { // those in a block
		return list
	}
	return syntax.Diagnostics{op.Site.Diagnostic(err)}
}

// IsCopy reports whether the operation only gives its argument another name: copy, idn in the provisional dialect.
func (op *Op) IsCopy() bool {
	return !op.Custom && (op.Name() == "copy" || op.Name() == "idn") && len(op.Args) == 1 && len(op.Results) == 1
}

func (op *Op) isExternal() bool { return op.Name() == "external" && !op.Custom }

// Outputs returns the tensors that the operation yields, those of arrays one by one.
func (op *Op) Outputs() []*Tensor { return tensorsOf(op.Results) }

// Inputs returns the tensors among the arguments, in the order of the parameters; one may occur several times.
func (op *Op) Inputs() []*Tensor { return tensorsOf(op.Args) }

func tensorsOf(values []eval.Value) (list []*Tensor) {
	for _, v := range values {
		list = appendTensors(list, v)
	}
	return list
}

// Tensors returns the tensors in a value, which may be an array or a tuple.
func Tensors(v eval.Value) []*Tensor { return appendTensors(nil, v) }

func appendTensors(list []*Tensor, v eval.Value) []*Tensor {
	switch v := v.(type) {
	case *Tensor:
		return append(list, v)
	case eval.Array:
		for _, x := range v {
			list = appendTensors(list, x)
		}
	case eval.Tuple:
		for _, x := range v {
			list = appendTensors(list, x)
		}
	}
	return list
}

// Level says what is expanded.
type Level uint8

const (
	// User expands the fragments of the document; operations of the standard stay whole.
	User Level = iota
	// All also expands every operation that the standard defines by others.
	All
)

// Inferrer infers shapes.
type Inferrer interface {
	// Infer sets Shape and Known of the results of an operation, and Type where it is open. It is called once for each
	// operation, in order. An *[eval.Error] names the argument at fault; what depends on the results is then unknown,
	// which is no further error.
	Infer(op *Op) error
}

// Options say what is known beside the document, and how to flatten. The zero value is the standard alone.
type Options struct {
	Level    Level
	Limits   eval.Limits
	Shapes   Inferrer         // nil leaves shapes unknown; the builtin shape_of then fails
	Deferred bool             // shapes are inferred only as far as the evaluation asks for them
	Extents  map[string][]int // shapes of inputs that replace those in the document
	Library  eval.Library     // operations besides the standard's, which they may replace; nil if there are none. Of use to Check are the declarations

	// Extensions are names of extensions that the caller reads, beside those of the standard, that of Concord's text form and those of tract.
	Extensions []string

	// Lenient turns unknown extensions, fragments that are used before their declaration, and variables and updates in fragments into warnings.
	Lenient bool

	// Symbols are identifiers that are defined from the beginning, with their values: extents, which may be unknown.
	Symbols map[string]eval.Value
}
