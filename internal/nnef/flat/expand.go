package flat

import (
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/std"
	"github.com/concord-nn/concord/nnef/syntax"
)

// Expander expands invocations of operations that the standard defines by others, one at a time.
type Expander struct {
	recorder
	limits eval.Limits
}

// NewExpander returns the expander for operations of a dialect.
func NewExpander(d syntax.Dialect, limits eval.Limits) *Expander {
	x := &Expander{limits: limits}
	x.recorder = *newRecorder(&syntax.Document{Dialect: d}, Options{})
	x.unnamed = true
	return x
}

// Expand returns the operations of the standard that the body of op invokes, of which none is expanded further, and what the body yields:
// one value for each result of op. The operations know of no shapes. Their tensors have indices from the given one on; those that are
// results have the given names, as far as there are some, and the others none. An error is a [syntax.Diagnostics].
func (x *Expander) Expand(op *eval.Operation, args []eval.Value, names []string, from int) ([]*Op, []eval.Value, error) {
	x.graph = &Graph{Dialect: x.doc.Dialect, Tensors: from}
	x.most = maxTensors + from
	f, _ := std.Of(x.doc.Dialect).Lookup(op.Name) // which has a body
	compound := eval.FromFragment(f, &x.recorder)
	compound.Source = nil // errors concern the invocation
	out, err := eval.New(x.limits).Expand(compound, args, names)
	return x.graph.Ops, out, err
}
