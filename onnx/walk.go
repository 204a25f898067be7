package onnx

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// item is what a name stands for.
type item struct {
	kind  itemKind
	value *graph.Value   // of a tensor
	list  []*graph.Value // of a sequence
	elem  tensor.DType   // of a sequence that may be empty: what its tensors have
}

type itemKind uint8

const (
	absent   itemKind = iota // an operand that is left out, or an optional without a value
	aTensor                  //
	sequence                 //
	pending                  // not known before elements are that only a run knows: what a network yields and its scope does not have
	broken                   // the result of a node with a mistake
)

// String names the kind as errors do.
func (k itemKind) String() string {
	return [...]string{"absent", "a tensor", "a sequence", "pending", "broken"}[k]
}

// scope has the names of a graph, or of a call of a function.
type scope struct {
	parent *scope // of a graph in an attribute: the scope of the node
	net    *network
	items  map[string]item
	opsets imports
	attrs  map[string]*proto.Attribute // what the function was called with; nil outside of functions
	site   *site
}

// inner returns a scope for a graph in an attribute of the node.
func (c *lowering) inner(net *network, text string) *scope {
	c.charge(opening)
	at, err := c.scope.in(text, c.outputs())
	c.Fail(err)
	return &scope{parent: c.scope, net: net, items: make(map[string]item), opsets: c.scope.opsets, attrs: c.scope.attrs, site: at}
}

// repeated is inner for one of several turns.
func (c *lowering) repeated(net *network, text string, turn int64) *scope {
	s := c.inner(net, text)
	s.site.repeats, s.site.turn = true, turn
	return s
}

// step is what a walker does next: a node, or what is done after or instead of one. It is small, as there may be very many that wait, in
// each part of a model.
type step struct {
	scope  *scope
	node   *proto.Node
	number int     // of the node in its network
	sequel *sequel // nil for what the node's row says
}

// sequel is what there is to do of a node after something else. It does not change.
type sequel struct {
	from     *scope   // of the names that it reads
	reads    []string // what stands for these names is given to run, and then the operands
	operands []item
	run      func(c *lowering) []item
	into     *scope // where the results get their names
	outputs  []string
}

// results returns the names of a step's results, and their scope.
func (s step) results() ([]string, *scope) {
	if s.sequel != nil {
		return s.sequel.outputs, s.sequel.into
	}
	return s.node.Output, s.scope
}

// walker translates nodes into one graph.
type walker struct {
	file   *File
	b      *graph.Builder
	folder *op.Folder
	todo   []step // the next one at the end
	work   *work

	waiting []step // those that cannot be done before something is known
	asked   []ask

	exact map[*graph.Node]*graph.Node // products of floats by what is computed with integers instead

	collect bool // go on after mistakes
	errs    Errors
	report  func(t *Translation) // told of each node; may be nil
}

// ask is a value whose elements must be known.
type ask struct {
	value *graph.Value
	step  step
	why   error
}

// target takes what rows emit. An error ends the row.
type target struct {
	b    *graph.Builder
	work *work
}

// bailout ends the lowering of a node.
type bailout struct{ err error }

func (t target) Node(op string, in []*graph.Value, attrs graph.Attrs, label string, names ...string) ([]*graph.Value, error) {
	err := t.work.charge(1)
	var out []*graph.Value
	if err == nil {
		out, err = t.b.Node(op, in, attrs, label, names...)
	}
	if err != nil {
		panic(bailout{err})
	}
	return out, nil
}

func (t target) Constant(name, label string, x *tensor.Tensor) (*graph.Value, error) {
	err := t.work.charge(1)
	var v *graph.Value
	if err == nil {
		v, err = t.b.Constant(name, label, x)
	}
	if err != nil {
		panic(bailout{err})
	}
	return v, nil
}

// steps returns those for the nodes of a scope's network, in the order of a stack.
func (w *walker) steps(s *scope) ([]step, error) {
	if err := w.work.charge(s.net.weight); err != nil {
		return nil, err
	}
	out := make([]step, 0, len(s.net.nodes))
	for i, n := range slices.Backward(s.net.nodes) {
		out = append(out, step{scope: s, node: n, number: i})
	}
	return out, nil
}

// begin makes the nodes of a scope's network the next steps.
func (w *walker) begin(s *scope) (err error) {
	w.todo, err = w.steps(s)
	return err
}

// walk takes steps until there are none. It returns the first mistake, unless it collects them.
func (w *walker) walk() error {
	for len(w.todo) > 0 {
		s := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		if err := w.step(s); err != nil {
			w.tell(&lowering{step: s, scope: s.scope, node: s.node}, nil, nil, err)
			if !w.collect || errors.Is(err, ErrLimit) {
				return err
			}
			w.errs = append(w.errs, err)
			s.fail()
		}
	}
	if len(w.errs) > 0 {
		return w.errs
	}
	return nil
}

// fail makes all results of a step broken.
func (s step) fail() {
	outputs, into := s.results()
	for _, name := range outputs {
		if name != "" {
			into.items[name] = item{kind: broken}
		}
	}
}

// step takes a step, or puts it off.
func (w *walker) step(s step) *Error {
	operands, state, err := w.operands(s)
	switch {
	case err != nil:
		return w.place(s, err)
	case state == broken:
		s.fail()
		return nil
	case state == pending:
		w.waiting = append(w.waiting, s)
		if w.report != nil { // a call is too much for what only goes on waiting
			w.tell(&lowering{w: w, step: s, scope: s.scope, node: s.node, in: operands}, nil, nil, errWaits)
		}
		return nil
	}
	c := &lowering{w: w, step: s, scope: s.scope, node: s.node, in: operands}
	var results []item
	before := w.b.Nodes()
	failed := w.b.Try(func() (err error) {
		defer func() { err = recovered(recover(), err) }()
		c.Emitter = &emit.Emitter{Target: target{w.b, w.work}, Label: label(s.node)}
		results, err = c.lower()
		return err
	})
	var asked *askError
	switch {
	case errors.As(failed, &asked):
		w.asked = append(w.asked, ask{asked.value, s, asked})
		w.waiting = append(w.waiting, s)
		w.tell(c, nil, nil, asked)
		return nil
	case failed != nil:
		wrong := w.place(s, failed)
		wrong.Msg = c.AsGiven(wrong.Msg)
		return wrong
	case c.later != nil:
		w.todo = append(w.todo, c.later...)
		w.tell(c, nil, w.b.Since(before), nil)
		return nil
	}
	outputs, into := s.results()
	results = results[:min(len(results), len(outputs))]
	for i, name := range outputs {
		if name == "" {
			continue
		}
		if i >= len(results) {
			return w.place(s, &Error{Msg: fmt.Sprintf("result %d, %q, is not supported", i, name)})
		}
		into.items[name] = results[i]
		if v := results[i].value; v != nil && v.Producer != nil && (s.scope.site == nil || len(name) < longName) {
			w.b.Rename(v, name)
		}
	}
	w.tell(c, results, w.b.Since(before), nil)
	return nil
}

// longName is how long a name is that results of nodes which are translated again and again do not get.
const longName = 200

// recovered returns the error of a lowering that was ended by a panic.
func recovered(x any, err error) error {
	switch x := x.(type) {
	case nil:
		return err
	case bailout:
		return x.err
	default: // what hostile models get past the rows' checks must not end the process
		if lost := mapfile.Fault(x); lost != nil {
			return lost
		}
		return &engine.InternalError{During: "the translation", Cause: x, Stack: debug.Stack()}
	}
}

// operands looks up what a step reads. The state is that of all together: pending or broken if one is, and else aTensor.
func (w *walker) operands(s step) (in []item, state itemKind, err error) {
	state = aTensor
	look := func(from *scope, name string) (item, error) {
		if name == "" {
			return item{}, nil
		}
		x, ok, err := w.lookup(from, name)
		if err == nil && !ok {
			err = &Error{Msg: fmt.Sprintf("the value %q is read, but nothing yields it", name)}
		}
		if x.kind == broken || x.kind == pending && state != broken {
			state = x.kind
		}
		return x, err
	}
	names, from, r := s.node.Input, s.scope, s.sequel
	if r != nil {
		names, from = r.reads, r.from
	}
	for _, name := range names {
		x, err := look(from, name)
		if err != nil {
			return nil, state, err
		}
		in = append(in, x)
	}
	if r != nil {
		return append(in, r.operands...), state, nil
	}
	w.file.networks.around(s.node, func(name string) {
		if _, e := look(s.scope, name); e != nil && err == nil {
			err = e
		}
	})
	return in, state, err
}

// lookup returns what a name stands for, and adds what is stored to the graph.
func (w *walker) lookup(s *scope, name string) (item, bool, error) {
	for ; s != nil; s = s.parent {
		if x, ok := s.items[name]; ok {
			return x, true, nil
		}
		if !s.net.has(name) {
			if s.net.names[name] {
				return item{kind: pending}, true, nil
			}
			continue
		}
		t, err := w.file.stored(s.net, name)
		if err != nil {
			return item{}, false, &Error{Operand: name, Msg: err.Error(), Err: err}
		}
		if err := w.work.charge(1); err != nil {
			return item{}, false, err
		}
		v, err := w.b.Constant(name, name, t)
		if err != nil {
			return item{}, false, err
		}
		s.items[name] = item{kind: aTensor, value: v}
		return s.items[name], true, nil
	}
	return item{}, false, nil
}

// place says at which node an error is.
func (w *walker) place(s step, err error) *Error {
	var e *Error
	if !errors.As(err, &e) {
		e = &Error{Msg: err.Error(), Err: err}
	}
	out := *e
	out.File = w.file.path
	if out.Node == "" && s.node != nil {
		out.Node = s.scope.site.String() + nodeName(s.node, s.number)
		out.Op = fullName(s.node.Domain, s.node.OpType)
		out.Opset, _ = s.scope.opsets.version(s.node.Domain)
	}
	return &out
}

// domain returns the name by which opsets list a domain.
func domain(d string) string {
	if d == "ai.onnx" {
		return ""
	}
	return d
}

// label is what diagnostics of operators call a node.
func label(n *proto.Node) string {
	if n == nil || n.Name == "" {
		return ""
	}
	return n.Name
}
