package nnef

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/nnef/element"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/nnef/std"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// sink is the graph that invocations add to.
type sink struct {
	b        *graph.Builder
	limits   eval.Limits
	dialect  syntax.Dialect
	empty    bool                                                             // extents may be 0
	finite   bool                                                             // scalars must be finite, as the graph shall be executed
	open     int                                                              // the extent that stands for those which are not specified; 0 if there is none
	values   []*graph.Value                                                   // of the tensors of a flat graph, by index; nil where one is not known
	nodes    []*graph.Node                                                    // in the order of addition
	fragment func(name string, args []element.Argument) (*graph.Graph, error) // makes the graph of a fragment; nil where there are none
	added    *int                                                             // how many there are, in blocks and what the blocks are in, too
	most     int                                                              // how many there may be
}

// maxNodes bounds the nodes of a graph, and each statement of its document allows a few more. The limits of the evaluation
// bound invocations, of which a few can make any number of nodes: add_n makes one for each operand.
const (
	maxNodes      = limits.NNEFNodes
	statementMost = limits.NNEFStatement
)

func newSink(b *graph.Builder, limits eval.Limits) *sink {
	return &sink{b: b, limits: limits, added: new(int), most: maxNodes}
}

// Add adds a node, of which the results are given the names or, where there is none, are named after the operator.
func (s *sink) Add(n graph.Node, names []string) ([]*graph.Value, error) {
	if err := s.spend(); err != nil {
		return nil, err
	}
	for len(n.In) > 0 && n.In[len(n.In)-1] == nil {
		n.In = n.In[:len(n.In)-1]
	}
	out, err := s.b.Add(n, names...)
	if len(out) > 0 {
		s.nodes = append(s.nodes, out[0].Producer)
	}
	return out, diagnosed(err)
}

// Open returns the extent that stands for those which are not specified, 0 if there is none.
func (s *sink) Open() int { return s.open }

// Block returns the graph of a fragment for the given arguments.
func (s *sink) Block(fragment string, args []element.Argument) (*graph.Graph, error) {
	return s.fragment(fragment, args)
}

// Operators returns the library of the operators of package op, which add to the sink.
func (s *sink) Operators() eval.Library { return newCanonical(s) }

// spend counts a node, be it one of a block.
func (s *sink) spend() error {
	if *s.added++; *s.added > s.most {
		return &eval.Error{Code: eval.CodeLimit, Msg: fmt.Sprintf("the graph has more than %d nodes", s.most)}
	}
	return nil
}

// ValueOf returns the value of the graph that an argument is, and false if it is none.
func (s *sink) ValueOf(v eval.Value) (*graph.Value, bool) {
	switch v := v.(type) {
	case element.Operand:
		return v.V, true
	case *flat.Tensor:
		return s.values[v.Index], true
	}
	return nil, false
}

// literal adds a constant that holds one literal.
func (s *sink) literal(arg string, v eval.Value, d tensor.DType) (*graph.Value, error) {
	if err := s.representable(arg, v, d); err != nil {
		return nil, err
	}
	t, err := element.Tensor([]eval.Value{v}, d, tensor.Shape{})
	if err != nil {
		return nil, &eval.Error{Code: eval.CodeType, Arg: arg, Msg: err.Error()}
	}
	return s.b.Constant("", "", t)
}

// representable reports a scalar of a type that float32 cannot hold, where the graph shall be executed: it would be infinite. Where
// only shapes are asked for, the document is right as it is.
func (s *sink) representable(arg string, v eval.Value, d tensor.DType) error {
	if x, ok := v.(float64); ok && s.finite && d != tensor.Float64 && math.IsInf(float64(float32(x)), 0) {
		return &eval.Error{Code: CodeMagnitude, Arg: arg, Msg: fmt.Sprintf("the scalar %s is beyond the range of float32", eval.Text(x)),
			Hint: "scalars are computed in float32, which reaches to 3.4028235e+38"}
	}
	return nil
}

// diagnosed turns an error of the operator rules into one that names the argument.
func diagnosed(err error) error {
	var violated *op.Error
	if !errors.As(err, &violated) {
		return err
	}
	e := &eval.Error{Code: eval.CodeShape, Arg: violated.Operand, Msg: violated.Error()}
	if violated.Operand != "" {
		e.Arg = graph.Identifier(violated.Operand) // a block may be called else
	}
	if d, ok := op.Lookup(violated.Op); ok && !violated.Misfit && slices.ContainsFunc(d.Attrs, func(a op.Attr) bool { return a.Name == violated.Operand }) {
		e.Code = eval.CodeAttribute
	}
	return e
}

// lowering is one invocation of a standard operation while it is turned into nodes.
type lowering struct {
	emit.Emitter
	*sink
	c       *eval.Invocation
	aligned bool // an operand got extents of 1 behind its own
	expand  bool // the caller is to expand the body that the standard gives for the operation c
}

// begin makes l the lowering of an invocation.
func (l *lowering) begin(s *sink, c *eval.Invocation) *lowering {
	*l = lowering{sink: s, c: c}
	l.Target = target{l}
	return l
}

// target is the sink of a lowering, with errors in the words of the document.
type target struct{ l *lowering }

// Node implements [emit.Target].
func (t target) Node(name string, in []*graph.Value, attrs graph.Attrs, label string, names ...string) ([]*graph.Value, error) {
	out, err := t.l.Add(graph.Node{Op: name, In: in, Attrs: attrs, Label: label}, names)
	var at *eval.Error
	if errors.As(err, &at) && t.l.c.Arg(at.Arg) != nil { // the document knows the operation by its own name
		if text, ok := strings.CutPrefix(at.Msg, name+": "); ok {
			at.Msg = t.l.c.Op.Name + ": " + text
		}
	}
	if t.l.aligned && errors.As(err, &at) && at.Code == eval.CodeShape && at.Hint == "" {
		at.Hint = "dimensions are aligned on the left: one value for each channel has the shape (1, C)"
	}
	return out, err
}

// Constant implements [emit.Target].
func (t target) Constant(name, label string, data *tensor.Tensor) (*graph.Value, error) {
	return t.l.b.Constant(name, label, data)
}

func (l *lowering) fail(code syntax.Code, arg, format string, args ...any) {
	l.Fail(fault(code, arg, format, args...))
}

// fault returns an error at an argument of an invocation.
func fault(code syntax.Code, arg, format string, args ...any) error {
	return &eval.Error{Code: code, Arg: arg, Msg: fmt.Sprintf(format, args...)}
}

// tensor returns an argument as a value of the graph.
func (l *lowering) tensor(name string) *graph.Value { return l.Value(name, l.c.Arg(name)) }

// Value returns a value of the evaluation as one of the graph, for an argument; nil for an absent one.
func (l *lowering) Value(arg string, v eval.Value) *graph.Value {
	if x, ok := l.ValueOf(v); ok {
		return x
	}
	switch v := v.(type) {
	case int64, float64, bool:
		out, err := l.literal(arg, v, element.TypeOf(v))
		l.Fail(err)
		return out
	case eval.Absent:
		return nil
	}
	l.fail(eval.CodeType, arg, "%s is no tensor", eval.Text(v))
	return nil
}

// tensors returns an argument that is an array of tensors.
func (l *lowering) tensors(name string) []*graph.Value {
	list, _ := l.c.Arg(name).(eval.Array)
	out := make([]*graph.Value, len(list))
	for i, v := range list {
		out[i] = l.Value(name, v)
	}
	return out
}

// addend returns the argument bias as a value, or nil if it is the literal 0, which stands for its absence.
func (l *lowering) addend() *graph.Value {
	if v := l.c.Arg("bias"); v != 0.0 {
		return l.Value("bias", v)
	}
	return nil
}

func (l *lowering) float(name string) float64 { v, _ := l.c.Arg(name).(float64); return v }
func (l *lowering) bool(name string) bool     { v, _ := l.c.Arg(name).(bool); return v }

// int returns an argument of type integer, which the graph has as an int.
func (l *lowering) int(name string) int {
	n, _ := l.c.Arg(name).(int64)
	return l.Narrow(name, n)
}

// Narrow returns an integer of an argument as one of a graph.
func (l *lowering) Narrow(arg string, n int64) int {
	d, ok := op.Lookup(l.c.Op.Name)
	place := ok && slices.ContainsFunc(d.Attrs, func(a op.Attr) bool { return a.Name == arg && a.Place })
	out, err := narrow(n, place)
	if err != nil { // Without this it would be 0 on processors of 32 bits.
		l.fail(eval.CodeAttribute, arg, "%s: %s: %v", l.c.Op.Name, arg, err)
	}
	return out
}

// ints returns an argument of type integer[], or (integer,integer)[] as two numbers for each item.
func (l *lowering) ints(name string) []int {
	list, _ := l.c.Arg(name).(eval.Array)
	out := make([]int, 0, len(list))
	for _, v := range list {
		switch v := v.(type) {
		case int64:
			out = append(out, l.Narrow(name, v))
		case eval.Tuple:
			for _, x := range v {
				n, _ := x.(int64)
				out = append(out, l.Narrow(name, n))
			}
		case eval.Symbol:
			if l.open == 0 {
				l.fail(eval.CodeUnknown, name, "the extent %s is not given", string(v))
			}
			out = append(out, l.open)
		}
	}
	return out
}

// positive reports extents that are not; the text form has tensors without elements.
func (l *lowering) positive(arg string, extents []int) {
	for _, n := range extents {
		if n <= 0 && !l.empty {
			l.fail(eval.CodeAttribute, arg, "the extent %d is not allowed; extents are positive", n)
		}
	}
}

// attr is an attribute of a node.
func attr(name string, v any) graph.Attr { return graph.Attr{Name: name, Value: v} }

// result adds the application of an operator that yields the results of the invocation.
func (l *lowering) result(name string, in []*graph.Value, attrs ...graph.Attr) []*graph.Value {
	return l.Named(l.c.Names, name, attrs, in...)
}

// single is result for an operator that has one, nil after an error.
func (l *lowering) single(name string, in []*graph.Value, attrs ...graph.Attr) *graph.Value {
	if out := l.result(name, in, attrs...); len(out) == 1 {
		return out[0]
	}
	return nil
}

// named returns the wish for the name of result i.
func (l *lowering) named(i int) []string {
	if i < len(l.c.Names) {
		return l.c.Names[i : i+1]
	}
	return nil
}

// align gives tensors of different rank equal ranks by adding extents of 1 behind the others, as NNEF broadcasts. Scalars stay.
func (l *lowering) align(in ...*graph.Value) []*graph.Value {
	out := l.AlignLeft(in...)
	l.aligned = l.aligned || !slices.Equal(in, out)
	return out
}

// Standard adds the nodes of an operation of the standard and returns its results.
func (l *lowering) Standard() []*graph.Value {
	if lower := loweringOf(l.dialect, l.c.Op.Name); lower != nil {
		return lower(l)
	}
	// Without this an operation that no table knows would be a panic; tests say that there is none.
	if f, ok := std.Of(l.dialect).Lookup(l.c.Op.Name); !ok || f.Body == nil {
		l.fail(eval.CodeNoBody, "", "the operation %s is not known here", l.c.Op.Name)
	}
	return l.body()
}

// body leaves it to the caller to expand the body that the standard gives for the operation.
func (l *lowering) body() []*graph.Value {
	l.expand = l.Err == nil
	return nil
}
