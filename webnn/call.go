package webnn

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// Options is an options dictionary. Values are *Operand, []*Operand, bool, string, tensor.DType, int, float64, *big.Int,
// []int, []float64 or []string, as the member asks; numbers of one kind serve for another where they are exact.
type Options map[string]any

// kind is what an argument or option takes.
type kind uint8

const (
	kindOperand kind = iota
	kindOperands
	kindInt
	kindInts
	kindIntOrInts
	kindFloat
	kindFloats
	kindNumber // MLNumber: a float64 or an integer of any size
	kindBool
	kindString
	kindStrings
	kindType // MLOperandDataType
)

// param is an argument or option of a method.
type param struct {
	name     string
	kind     kind
	fallback any // the default; nil for a required argument or for an option without one
}

// method binds a method of MLGraphBuilder to operators.
type method struct {
	name    string
	args    []param
	options []param
	lower   func(l *lowering) []*graph.Value
}

// Methods lists the names of the MLGraphBuilder methods that make operands from operands.
func Methods() []string {
	names := make([]string, len(methods))
	for i, m := range methods {
		names[i] = m.name
	}
	return names
}

var methodByName = func() map[string]*method {
	m := make(map[string]*method, len(methods))
	for i := range methods {
		m[methods[i].name] = &methods[i]
	}
	return m
}()

// Call applies the method of that name to positional arguments and options, and returns the resulting operands. The
// option "label" names the operator in errors. Nothing is added to the graph if it returns an error.
func (b *GraphBuilder) Call(name string, args []any, options Options) ([]*Operand, error) {
	if b.built {
		return nil, errBuilt
	}
	m := methodByName[name]
	if m == nil {
		return nil, fmt.Errorf("MLGraphBuilder has no method %q", name)
	}
	l := &lowering{owner: b, b: b.b, values: make(map[string]any)}
	l.label, _ = options["label"].(string)
	if err := l.bind(m, args, options); err != nil {
		return nil, l.wrap(name, err)
	}
	var values []*graph.Value
	err := b.b.Try(func() error {
		values = m.lower(l)
		return l.err
	})
	if err != nil {
		return nil, l.wrap(name, err)
	}
	out := make([]*Operand, len(values))
	for i, v := range values {
		out[i] = &Operand{b, v}
	}
	return out, nil
}

// lowering is one call of a method while it is turned into nodes. The first error sticks: later steps do nothing.
type lowering struct {
	owner  *GraphBuilder
	b      *graph.Builder
	label  string
	values map[string]any // arguments and options by name, converted to the types that their kinds have
	err    error
}

func (l *lowering) wrap(method string, err error) error {
	if l.label != "" {
		return fmt.Errorf("[%s] %s: %w", l.label, method, err)
	}
	return fmt.Errorf("%s: %w", method, err)
}

func (l *lowering) bind(m *method, args []any, options Options) error {
	if len(args) != len(m.args) {
		return fmt.Errorf("%d arguments are given; there are %d", len(args), len(m.args))
	}
	for i, p := range m.args {
		v, err := l.convert(p, args[i])
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		l.values[p.name] = v
	}
	for name := range options {
		if name != "label" && !slices.ContainsFunc(m.options, func(p param) bool { return p.name == name }) {
			return fmt.Errorf("there is no option %q", name)
		}
	}
	for _, p := range m.options {
		v, ok := options[p.name]
		if !ok {
			if p.fallback != nil {
				l.values[p.name] = p.fallback
			}
			continue
		}
		v, err := l.convert(p, v)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		l.values[p.name] = v
	}
	return nil
}

var errKind = errors.New("the value is of another kind than the parameter")

// convert returns v as the type of the parameter's kind.
func (l *lowering) convert(p param, v any) (any, error) {
	switch p.kind {
	case kindOperand:
		return l.owned(v)
	case kindOperands:
		list, ok := v.([]*Operand)
		if !ok {
			return nil, errKind
		}
		out := make([]*graph.Value, len(list))
		for i, o := range list {
			v, err := l.owned(o)
			if err != nil {
				return nil, fmt.Errorf("item %d: %w", i, err)
			}
			out[i] = v
		}
		return out, nil
	case kindFloat:
		if n, ok := v.(int); ok {
			return float64(n), nil
		}
	case kindFloats:
		if list, ok := v.([]int); ok {
			out := make([]float64, len(list))
			for i, n := range list {
				out[i] = float64(n)
			}
			return out, nil
		}
	case kindNumber:
		switch n := v.(type) {
		case int:
			return big.NewInt(int64(n)), nil
		case float64, *big.Int:
			return n, nil
		}
	case kindIntOrInts:
		switch v.(type) {
		case int, []int:
			return v, nil
		}
	case kindInts:
		if list, ok := v.([]float64); ok && len(list) == 0 {
			return []int{}, nil
		}
	case kindStrings:
		if list, ok := v.([]float64); ok && len(list) == 0 {
			return []string{}, nil
		}
	}
	if !kindMatches(p.kind, v) {
		return nil, errKind
	}
	return v, nil
}

func kindMatches(k kind, v any) bool {
	ok := false
	switch k {
	case kindInt:
		_, ok = v.(int)
	case kindInts:
		_, ok = v.([]int)
	case kindFloat:
		_, ok = v.(float64)
	case kindFloats:
		_, ok = v.([]float64)
	case kindBool:
		_, ok = v.(bool)
	case kindString:
		_, ok = v.(string)
	case kindStrings:
		_, ok = v.([]string)
	case kindType:
		_, ok = v.(tensor.DType)
	}
	return ok
}

func (l *lowering) owned(v any) (*graph.Value, error) {
	o, ok := v.(*Operand)
	if !ok || o == nil {
		return nil, errKind
	}
	if o.owner != l.owner {
		return nil, fmt.Errorf("the operand belongs to another builder")
	}
	return o.value, nil
}

// Accessors of arguments and options. An absent one gives the zero value.

func (l *lowering) operand(name string) *graph.Value { v, _ := l.values[name].(*graph.Value); return v }
func (l *lowering) operands(name string) []*graph.Value {
	v, _ := l.values[name].([]*graph.Value)
	return v
}
func (l *lowering) int(name string) int            { v, _ := l.values[name].(int); return v }
func (l *lowering) ints(name string) []int         { v, _ := l.values[name].([]int); return v }
func (l *lowering) float(name string) float64      { v, _ := l.values[name].(float64); return v }
func (l *lowering) floats(name string) []float64   { v, _ := l.values[name].([]float64); return v }
func (l *lowering) bool(name string) bool          { v, _ := l.values[name].(bool); return v }
func (l *lowering) string(name string) string      { v, _ := l.values[name].(string); return v }
func (l *lowering) strings(name string) []string   { v, _ := l.values[name].([]string); return v }
func (l *lowering) dtype(name string) tensor.DType { v, _ := l.values[name].(tensor.DType); return v }
func (l *lowering) has(name string) bool           { _, ok := l.values[name]; return ok }

// floatAs returns a number that the specification casts to the element type of v first. The operators themselves cast to
// float32.
func (l *lowering) floatAs(name string, v *graph.Value) float64 {
	if v.Type.DType != tensor.Float16 {
		return l.float(name)
	}
	t, err := castNumber(l.float(name), v.Type.DType)
	if err == nil {
		t, err = tensor.Cast(t, tensor.Float32)
	}
	if err != nil {
		l.fail(err)
		return 0
	}
	return float64(tensor.Data[float32](t)[0])
}

// intsOf returns a list option, checked to have n items, or the fallback if it is absent.
func (l *lowering) intsOf(name string, n int, fallback ...int) []int {
	v, ok := l.values[name].([]int)
	if !ok {
		return fallback
	}
	if len(v) != n {
		l.failf("%s: %d values are given; there must be %d", name, len(v), n)
		return fallback
	}
	return v
}

// fail notes the first error.
func (l *lowering) fail(err error) {
	if l.err == nil {
		l.err = err
	}
}

func (l *lowering) failf(format string, args ...any) { l.fail(fmt.Errorf(format, args...)) }

// attrs is shorthand for the attributes of a node.
type attrs = graph.Attrs

// attr makes a list of attributes from names and values in turn.
func attr(pairs ...any) attrs {
	out := make(attrs, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		out = append(out, graph.Attr{Name: pairs[i].(string), Value: pairs[i+1]})
	}
	return out
}

// nodes adds an operator and returns its results, nil after an error.
func (l *lowering) nodes(op string, a attrs, in ...*graph.Value) []*graph.Value {
	if l.err != nil {
		return nil
	}
	out, err := l.b.Node(op, in, a, l.label)
	if err != nil {
		l.fail(err)
		return nil
	}
	return out
}

// node adds an operator with one result. After an error it returns a value without a type.
func (l *lowering) node(op string, a attrs, in ...*graph.Value) *graph.Value {
	out := l.nodes(op, a, in...)
	if len(out) != 1 {
		if l.err == nil {
			l.failf("%s yields %d results", op, len(out))
		}
		return &graph.Value{Type: graph.Type{Shape: graph.Shape{}}}
	}
	return out[0]
}

// one makes a result list of one value.
func one(v *graph.Value) []*graph.Value { return []*graph.Value{v} }

// shape returns the extents of a value; every shape in WebNN is known.
func shape(v *graph.Value) tensor.Shape {
	s, _ := v.Type.Shape.Extents()
	return s
}

// constant adds a constant.
func (l *lowering) constant(t *tensor.Tensor, err error) *graph.Value {
	if err == nil && l.err == nil {
		var v *graph.Value
		if v, err = l.b.Constant("", "", t); err == nil {
			return v
		}
	}
	l.fail(err)
	return &graph.Value{Type: graph.Type{Shape: graph.Shape{}}}
}

// cast converts a value to another element type, if it has not that type already.
func (l *lowering) cast(v *graph.Value, d tensor.DType) *graph.Value {
	if v == nil || v.Type.DType == d {
		return v
	}
	return l.node("cast", attr("dtype", d), v)
}

// toRank puts dimensions of extent 1 in front of a value until it has the rank, as broadcasting in WebNN does. Scalars,
// which broadcast anyway, stay as they are.
func (l *lowering) toRank(v *graph.Value, rank int) *graph.Value {
	n := rank - len(v.Type.Shape)
	if n <= 0 || len(v.Type.Shape) == 0 {
		return v
	}
	return l.unsqueezeFront(v, n)
}

func (l *lowering) unsqueezeFront(v *graph.Value, n int) *graph.Value {
	axes := make([]int, n)
	for i := range axes {
		axes[i] = i
	}
	return l.node("unsqueeze", attr("axes", axes), v)
}

// align brings all values to the greatest rank among them.
func (l *lowering) align(values ...*graph.Value) []*graph.Value {
	rank := 0
	for _, v := range values {
		rank = max(rank, len(v.Type.Shape))
	}
	out := make([]*graph.Value, len(values))
	for i, v := range values {
		out[i] = l.toRank(v, rank)
	}
	return out
}

// transpose permutes dimensions: dimension i of the result is dimension perm[i] of v.
func (l *lowering) transpose(v *graph.Value, perm ...int) *graph.Value {
	if slices.IsSorted(perm) {
		return v
	}
	return l.node("transpose", attr("axes", perm), v)
}

// reshape gives a value another shape.
func (l *lowering) reshape(v *graph.Value, s ...int) *graph.Value {
	return l.node("reshape", attr("shape", s), v)
}
