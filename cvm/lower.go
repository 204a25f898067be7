package cvm

import (
	"fmt"
	"slices"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/cvm/operators"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// form says how a network is lowered.
type form struct {
	formal bool // every tensor int32, without narrowing: the reference beside what is faster
	encode bool // one output, "output", post-processed and of the type and layout of the encoded bytes; else the heads
}

// Formal returns the network of a model with every tensor an int32: the reference beside the faster form that [Model.Graph] has. Its
// outputs are the heads, as int32. Nodes are labelled with the names that they have in the model. Without parameters every variable is an
// input of the graph. The model must be one that strict admission accepts. Errors are *Error.
func Formal(f Files) (*graph.Graph, error) {
	return lowered(f, Options{}, form{formal: true})
}

// Network returns the network of a model as [Model.Graph] has it. It needs no parameters: without them every variable is an input of the
// graph. Errors are *Error.
func Network(f Files, opts Options) (*graph.Graph, error) {
	return lowered(f, opts, form{})
}

func lowered(f Files, opts Options, how form) (*graph.Graph, error) {
	a, err := admit(f, opts)
	if err != nil {
		return nil, err
	}
	return a.lower(how)
}

// lower makes a graph of a network. Variables without a tensor in consts become inputs of the graph; data always is one.
func (n *network) lower(consts []*tensor.Tensor, f form) (*graph.Graph, error) {
	l := n.lowering(f)
	l.storages = l.shared(consts)
	l.variables(consts)
	for _, nd := range n.applications {
		l.apply(nd)
	}
	heads := make([]*graph.Value, len(n.heads))
	for i, e := range n.heads {
		heads[i] = l.read(e)
	}
	l.storages.end(l)
	if f.encode {
		l.encode(heads)
	} else {
		l.outputs(heads)
	}
	if l.Err != nil {
		return nil, l.Err
	}
	return l.b.Build()
}

func (n *network) lowering(f form) *lowering {
	b := graph.NewBuilder(op.Rules, "cvm")
	return &lowering{Emitter: emit.Emitter{Target: namer{b}}, b: b, n: n, form: f, values: make([]*graph.Value, len(n.entries)), inputs: make(naming.Set)}
}

// encoder makes the graph that does with the heads, its inputs, what a network does that is lowered to encode them.
func (n *network) encoder() (*graph.Graph, error) {
	l := n.lowering(form{})
	heads := make([]*graph.Value, len(n.heads))
	for i, e := range n.heads {
		heads[i] = l.input(n.tensorName(e), tensor.Int32, n.entries[e].Shape)
	}
	if l.encode(heads); l.Err != nil {
		return nil, l.Err
	}
	return l.b.Build()
}

// lowering is a network while it is turned into a graph. The label is the name of the node at work. Rules of the network have been
// checked before, so that an error is a mistake of ours or a tensor beyond what the machine can address.
type lowering struct {
	emit.Emitter
	b *graph.Builder
	n *network
	form
	values   []*graph.Value // by entry; nil for those in shared storages
	inputs   naming.Set
	storages storages
}

// namer names the first result of a node after its label.
type namer struct{ *graph.Builder }

// Node is [graph.Builder.Node].
func (b namer) Node(operator string, in []*graph.Value, attrs graph.Attrs, label string, _ ...string) ([]*graph.Value, error) {
	return b.Builder.Node(operator, in, attrs, label, label)
}

// dtype returns the element type in which an entry is stored.
func (l *lowering) dtype(entry int) tensor.DType {
	if l.formal {
		return tensor.Int32
	}
	return l.n.entries[entry].dtype()
}

// variables adds inputs and constants.
func (l *lowering) variables(consts []*tensor.Tensor) {
	if l.n.data >= 0 {
		l.data()
	}
	for i := range l.n.nodes {
		nd := &l.n.nodes[i]
		if nd.call != nil || i == l.n.data {
			continue
		}
		l.Label = nd.name
		if consts == nil || consts[i] == nil {
			l.write(nd.out, l.input(nd.name, l.dtype(nd.out), l.n.entries[nd.out].Shape))
		} else if !l.storages.has(l.n.entries[nd.out].storage) {
			l.values[nd.out] = l.constant(nd.name, consts[i], l.dtype(nd.out))
		}
	}
}

// data adds the input of a run. Its values are clamped to its precision.
func (l *lowering) data() {
	nd := &l.n.nodes[l.n.data]
	e := &l.n.entries[nd.out]
	l.Label = nd.name
	v := l.input(nd.name, inputType(e.Precision), e.Shape)
	v = l.Node("clamp_precision", emit.Attr("precision", e.Precision), v)
	l.write(nd.out, l.Cast(v, l.dtype(nd.out)))
}

// inputType returns the element type of inputs and outputs of a precision, as they are encoded.
func inputType(precision int) tensor.DType {
	if precision <= 8 {
		return tensor.Int8
	}
	return tensor.Int32
}

// outputs names the heads.
func (l *lowering) outputs(heads []*graph.Value) {
	taken := make(naming.Set)
	for i, v := range heads {
		l.output(taken.Take(l.n.tensorName(l.n.heads[i])), l.Cast(v, tensor.Int32))
	}
}

// tensorName returns the name of an entry: that of its node, and :k for output k > 0.
func (n *network) tensorName(entry int) string {
	e := &n.entries[entry]
	if e.output == 0 {
		return n.nodes[e.node].name
	}
	return fmt.Sprintf("%s:%d", n.nodes[e.node].name, e.output)
}

// apply adds the nodes of an operator.
func (l *lowering) apply(nd *node) {
	l.Label = nd.name
	a := &operators.Application{Emitter: &l.Emitter, Call: nd.call}
	for _, e := range nd.in {
		a.Args = append(a.Args, l.read(e))
		a.ArgBits = append(a.ArgBits, l.n.entries[e].bits)
	}
	for k := range nd.call.Out {
		a.Want = append(a.Want, l.dtype(nd.out+k))
	}
	first, last := &l.n.entries[nd.out], &l.n.entries[nd.out+nd.outputs()-1]
	a.Together = first != last && first.storage == last.storage && l.storages.has(first.storage)
	if l.Err != nil {
		return
	}
	for k, v := range slices.Backward(nd.call.Operator.Lower(a)) { // counts after their rows, where a storage plan lets anybody see the difference
		l.write(nd.out+k, l.Cast(v, a.Want[k]))
	}
}

// read returns an entry as a node that is lowered now would find it.
func (l *lowering) read(entry int) *graph.Value {
	if e := &l.n.entries[entry]; l.storages.has(e.storage) {
		return l.storages.read(l, e)
	}
	return l.values[entry]
}

// write sets an entry.
func (l *lowering) write(entry int, v *graph.Value) {
	if e := &l.n.entries[entry]; l.storages.has(e.storage) {
		l.storages.write(l, e, v)
		return
	}
	l.values[entry] = v
}

// input adds an input, of another name where the graph has its name already.
func (l *lowering) input(name string, d tensor.DType, shape tensor.Shape) *graph.Value {
	if l.Err != nil {
		return nil
	}
	// There may be two variables of one name, of which no parameter file can set the second.
	v, err := l.b.Input(l.inputs.Take(name), graph.Type{DType: d, Shape: shape})
	l.Fail(err)
	return v
}

// constant adds a tensor, converted to a type that holds its elements.
func (l *lowering) constant(name string, t *tensor.Tensor, d tensor.DType) *graph.Value {
	if l.Err == nil && t.DType() != d {
		t, l.Err = tensor.Cast(t, d)
	}
	return l.Stored(name, name, t)
}

func (l *lowering) output(name string, v *graph.Value) {
	if l.Err == nil {
		l.Fail(l.b.Output(name, v))
	}
}

// The ways in which outputs are post-processed. Any other name means none.
const (
	argmax    = "argmax"
	detection = "detection"
)

// encodedType returns the element type of the encoded output, by the precisions that the deployed runtime infers.
func (n *network) encodedType() tensor.DType {
	precision := 0
	for _, e := range n.heads {
		precision = max(precision, n.entries[e].Precision)
	}
	if p := n.symbol.Postprocess; p == argmax || p == detection {
		return tensor.Int32
	}
	return inputType(precision)
}

// joined reports whether outputs are joined row by row.
func (n *network) joined() bool {
	p := n.symbol.Postprocess
	return p != argmax && (p == detection || len(n.heads) > 1)
}

// joinable returns why the outputs cannot be joined though they must, or nil. Such a model loads, but does not run.
func (n *network) joinable() error {
	if !n.joined() {
		return nil
	}
	if len(n.heads) == 1 {
		return fault.Logicf(fault.Run, "a detection has one output; there must be two or more to join")
	}
	first, _ := rows(n.entries[n.heads[0]].Shape)
	for _, e := range n.heads[1:] {
		if m, _ := rows(n.entries[e].Shape); m != first {
			return fault.Logicf(fault.Run, "the outputs %q and %q have %d and %d rows; to be joined they need equally many",
				n.tensorName(n.heads[0]), n.tensorName(e), first, m)
		}
	}
	return nil
}

// rows returns the number of rows, which lie along the last dimension, and their length.
func rows(s tensor.Shape) (count, length int) {
	length = s[len(s)-1]
	return s.Len() / length, length
}

// encode adds the output of an inference: the heads post-processed.
func (l *lowering) encode(heads []*graph.Value) {
	l.Label = "output"
	if err := l.n.joinable(); err != nil {
		l.Fail(err)
	}
	if l.Err != nil {
		return
	}
	d := l.n.encodedType()
	if l.n.joined() {
		l.output("output", l.join(heads, d))
		return
	}
	parts := make([]*graph.Value, len(heads))
	for i, v := range heads {
		if parts[i] = v; l.n.symbol.Postprocess == argmax {
			// Of each element the low 8 bits count, as a signed number; of several greatest ones the first.
			count, length := rows(v.Type.Shape)
			bytes := l.Cast(l.Reshape(v, count, length), tensor.Int8)
			parts[i] = l.Reshape(l.Node("argmax_reduce", emit.Attr("axes", []int{1}, "dtype", tensor.Int32), bytes), count)
		}
		parts[i] = l.Cast(parts[i], d)
	}
	v := parts[0]
	if len(parts) > 1 {
		v = l.Node("concat", emit.Attr("axis", 0), parts...)
	}
	l.output("output", v)
}

// join joins heads row by row, of a type. Where all are of one type and differ in the lengths of rows only, they are joined as they are: slices of one
// value, such as those of boxes, become that value again.
func (l *lowering) join(heads []*graph.Value, d tensor.DType) *graph.Value {
	first, sum := heads[0].Type, 0
	axis := len(first.Shape) - 1
	alike := !slices.ContainsFunc(heads, func(v *graph.Value) bool {
		return v.Type.DType != first.DType || len(v.Type.Shape) != axis+1 || !v.Type.Shape[:axis].Equal(first.Shape[:axis])
	})
	parts := slices.Clone(heads)
	for i, v := range heads {
		count, length := rows(v.Type.Shape)
		if sum += length; !alike {
			parts[i], axis = l.Cast(l.Reshape(v, count, length), d), 1
		}
	}
	count, _ := rows(first.Shape)
	return l.Cast(l.Reshape(l.Node("concat", emit.Attr("axis", axis), parts...), count, sum), d)
}

// decodeInput sets the elements of an input from its bytes.
func decodeInput(t *tensor.Tensor, b []byte) error {
	if to := t.Bytes(); t.DType() == tensor.Int8 && len(to) == len(b) {
		copy(to, b) // as they are, without a tensor of them
		return nil
	}
	x, err := tensor.FromRaw(t.DType(), t.Shape(), b)
	if err != nil {
		return err
	}
	return t.CopyFrom(x)
}
