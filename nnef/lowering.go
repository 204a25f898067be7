package nnef

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/nnef/eval"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// sink is the graph that invocations add to.
type sink struct {
	b        *graph.Builder
	reserved map[string]bool // names that the document gives to values
	numbers  map[string]int  // the last number of automatic names, by prefix
	limits   eval.Limits
	added    int // nodes so far
}

// maxNodes bounds the nodes of a graph. The limits of the evaluation bound invocations, of which a few can make any
// number of nodes: add_n makes one for each operand.
const maxNodes = 1 << 18

func newSink(b *graph.Builder, limits eval.Limits) *sink {
	return &sink{b: b, reserved: make(map[string]bool), numbers: make(map[string]int), limits: limits}
}

// name returns a name that no value of the document has.
func (s *sink) name(prefix string) string {
	for {
		s.numbers[prefix]++
		if name := prefix + strconv.Itoa(s.numbers[prefix]); !s.reserved[name] {
			return name
		}
	}
}

// node adds an application of an operator.
func (s *sink) node(name string, in []*graph.Value, attrs graph.Attrs, names []string) ([]*graph.Value, error) {
	if s.added++; s.added > maxNodes {
		return nil, &eval.Error{Code: eval.CodeLimit, Msg: fmt.Sprintf("the graph has more than %d nodes", maxNodes)}
	}
	for len(in) > 0 && in[len(in)-1] == nil {
		in = in[:len(in)-1]
	}
	wishes := make([]string, max(len(names), 1))
	for i := range wishes {
		if i < len(names) && names[i] != "" {
			wishes[i] = names[i]
		} else {
			wishes[i] = s.name(name)
		}
	}
	out, err := s.b.Node(name, in, attrs, "", wishes...)
	return out, diagnosed(err)
}

// literal adds a constant that holds one literal.
func (s *sink) literal(v eval.Value, d tensor.DType, names []string) (*graph.Value, error) {
	t, err := elements([]eval.Value{v}, d, tensor.Shape{})
	if err != nil {
		return nil, &eval.Error{Code: eval.CodeType, Msg: err.Error()}
	}
	name := ""
	if len(names) > 0 {
		name = names[0]
	}
	if name == "" {
		name = s.name("const")
	}
	return s.b.Constant(name, "", t)
}

// diagnosed turns an error of the operator rules into one that names the argument.
func diagnosed(err error) error {
	var violated *op.Error
	if !errors.As(err, &violated) {
		return err
	}
	e := &eval.Error{Code: eval.CodeShape, Arg: violated.Operand, Msg: violated.Error()}
	if d, ok := op.Lookup(violated.Op); ok && slices.ContainsFunc(d.Attrs, func(a op.Attr) bool { return a.Name == violated.Operand }) {
		e.Code = eval.CodeAttribute
	}
	return e
}

// lowering is one invocation of a standard operation while it is turned into nodes. The first error sticks: later steps
// do nothing.
type lowering struct {
	*sink
	c   *eval.Invocation
	err error
}

func (l *lowering) fail(code syntax.Code, arg, format string, args ...any) {
	if l.err == nil {
		l.err = &eval.Error{Code: code, Arg: arg, Msg: fmt.Sprintf(format, args...)}
	}
}

// tensor returns an argument as a value of the graph.
func (l *lowering) tensor(name string) *graph.Value { return l.value(name, l.c.Arg(name)) }

func (l *lowering) value(arg string, v eval.Value) *graph.Value {
	switch v := v.(type) {
	case operand:
		return v.v
	case int, float64, bool:
		if l.err != nil {
			return nil
		}
		out, err := l.literal(v, literalType(v), nil)
		l.err = err
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
		out[i] = l.value(name, v)
	}
	return out
}

// unless returns an argument as a value, or nil if it is the literal that stands for its absence.
func (l *lowering) unless(name string, neutral eval.Value) *graph.Value {
	if v := l.c.Arg(name); v != neutral {
		return l.value(name, v)
	}
	return nil
}

func (l *lowering) int(name string) int       { v, _ := l.c.Arg(name).(int); return v }
func (l *lowering) float(name string) float64 { v, _ := l.c.Arg(name).(float64); return v }
func (l *lowering) bool(name string) bool     { v, _ := l.c.Arg(name).(bool); return v }
func (l *lowering) string(name string) string { v, _ := l.c.Arg(name).(string); return v }

// ints returns an argument of type integer[], or (integer,integer)[] as two numbers for each item.
func (l *lowering) ints(name string) []int {
	list, _ := l.c.Arg(name).(eval.Array)
	out := make([]int, 0, len(list))
	for _, v := range list {
		switch v := v.(type) {
		case int:
			out = append(out, v)
		case eval.Tuple:
			for _, x := range v {
				n, _ := x.(int)
				out = append(out, n)
			}
		case eval.Symbol:
			l.fail(eval.CodeUnknown, name, "the extent %s is not known here; only the shape of an external tensor may hold it", string(v))
		}
	}
	return out
}

// shape returns the extents of a value, which must be known.
func (l *lowering) shape(v *graph.Value) tensor.Shape {
	if v == nil || l.err != nil {
		return nil
	}
	shape, ok := v.Type.Shape.Extents()
	if !ok {
		l.fail(eval.CodeUnknown, "", "the shape of %s is not known before symbols have values; give the inputs fixed shapes", v.Name)
	}
	return shape
}

// attr is an attribute of a node.
func attr(name string, v any) graph.Attr { return graph.Attr{Name: name, Value: v} }

// step adds an application of an operator with one result that is not the last.
func (l *lowering) step(name string, in []*graph.Value, attrs ...graph.Attr) *graph.Value {
	out := l.nodes(name, in, attrs, nil)
	if len(out) == 0 {
		return nil
	}
	return out[0]
}

// result adds the application of an operator that yields the results of the invocation.
func (l *lowering) result(name string, in []*graph.Value, attrs ...graph.Attr) []*graph.Value {
	return l.nodes(name, in, attrs, l.c.Names)
}

func (l *lowering) nodes(name string, in []*graph.Value, attrs graph.Attrs, names []string) []*graph.Value {
	if l.err != nil {
		return nil
	}
	out, err := l.node(name, in, attrs, names)
	l.err = err
	return out
}

// named returns the wish for the name of result i.
func (l *lowering) named(i int) []string {
	if i < len(l.c.Names) {
		return l.c.Names[i : i+1]
	}
	return nil
}

// align gives tensors of different rank equal ranks by adding extents of 1 behind the others, as NNEF broadcasts. Scalars
// stay, and so do tensors whose shapes are not known.
func (l *lowering) align(in ...*graph.Value) []*graph.Value {
	rank := 0
	for _, v := range in {
		if v != nil {
			rank = max(rank, len(v.Type.Shape))
		}
	}
	for i, v := range in {
		if v != nil && len(v.Type.Shape) > 0 && len(v.Type.Shape) < rank {
			in[i] = l.step("unsqueeze", []*graph.Value{v}, attr("axes", axesFrom(len(v.Type.Shape), rank)))
		}
	}
	return in
}

// axesFrom lists the axes from … to-1.
func axesFrom(from, to int) []int {
	axes := make([]int, 0, to-from)
	for a := from; a < to; a++ {
		axes = append(axes, a)
	}
	return axes
}

// body expands the body that the standard gives for the operation.
func (l *lowering) body() []*graph.Value {
	if l.err != nil {
		return nil
	}
	out, err := eval.New(l.limits).Expand(l.c.Op, l.c.Args, l.c.Names)
	if err != nil {
		l.err = err
		return nil
	}
	values := make([]*graph.Value, len(out))
	for i, v := range out {
		values[i] = l.value("", v)
	}
	return values
}
