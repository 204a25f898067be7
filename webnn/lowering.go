package webnn

import (
	"errors"
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// lowering is one call of a method while it is checked and turned into nodes. The first error sticks: later steps do
// nothing. Operators work on bare values; the checks of WebNN stand before them.
type lowering struct {
	owner  *GraphBuilder
	b      *graph.Builder
	name   string // of the method
	method *method
	label  string
	values map[string]any // arguments and options by name, converted to the types that their kinds have
	memory int64          // what the nodes take
	err    *Error
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

// floatAs returns a number that the standard casts to the element type of v first. The operators themselves cast to float32.
// Attributes are finite: where the cast gives an infinity, a number beyond float32 stands for it.
func (l *lowering) floatAs(name string, v *graph.Value) float64 {
	if v.Type.DType != tensor.Float16 {
		return l.float(name)
	}
	half := float64(tensor.RoundF16(l.float(name)).Float32())
	return max(min(half, math.MaxFloat64), -math.MaxFloat64)
}

// intsOf returns a list option, checked to have n items by the rule of the option's name, or the fallback if it is absent.
func (l *lowering) intsOf(name string, n int, fallback ...int) []int {
	v, ok := l.values[name].([]int)
	if !ok {
		return fallback
	}
	if len(v) != n {
		l.reject(name, "%s: %d values are given; there must be %d", name, len(v), n)
		return fallback
	}
	return v
}

// fail makes the call fail because an operator refuses what the checks have let pass.
func (l *lowering) fail(err error) {
	if l.err != nil {
		return
	}
	var e *op.Error
	if errors.As(err, &e) && e.TooLarge {
		l.reject("result.dimension", "the result is too large: %v", err)
		return
	}
	l.reject("operator", "%w", err)
}

// attrs is shorthand for the attributes of a node.
type attrs = graph.Attrs

// attr is shorthand for [graph.AttrsOf].
func attr(pairs ...any) attrs { return graph.AttrsOf(pairs...) }

// nodes adds an operator and returns its results, nil after an error.
func (l *lowering) nodes(operator string, a attrs, in ...*graph.Value) []*graph.Value {
	if l.err != nil {
		return nil
	}
	out, err := l.b.Node(operator, in, a, l.label)
	if err != nil {
		l.fail(err)
		return nil
	}
	l.memory += int64(operandBytes*len(out) + linkBytes*len(in))
	return out
}

// node adds an operator with one result. After an error it returns a value without a type.
func (l *lowering) node(operator string, a attrs, in ...*graph.Value) *graph.Value {
	out := l.nodes(operator, a, in...)
	if len(out) != 1 {
		if l.err == nil {
			l.reject("operator", "%s yields %d results", operator, len(out))
		}
		return &graph.Value{Type: graph.Type{Shape: tensor.Shape{}}}
	}
	return out[0]
}

// one makes a result list of one value.
func one(v *graph.Value) []*graph.Value { return []*graph.Value{v} }

// shape returns the extents of a value; every shape in WebNN is known.
func shape(v *graph.Value) tensor.Shape {
	return v.Type.Shape.Clone()
}

// unbuildable returns a value for a call that the standard accepts though it has no meaning: a graph that depends on it cannot
// be built.
func (l *lowering) unbuildable(d tensor.DType, s tensor.Shape, reason string, args ...any) *graph.Value {
	v := l.node("expand", attr("shape", []int(s)), l.unsqueezeTo(l.constant(tensor.New(d, tensor.Shape{})), len(s)))
	if l.err == nil {
		err := rejection(OperationError, "MLGraphBuilder."+l.name, l.label, "meaning", reason, args...)
		l.owner.unbuildable = append(l.owner.unbuildable, unbuildable{v, err})
	}
	return v
}

// number adds an MLNumber as a constant scalar of a data type.
func (l *lowering) number(name string, d tensor.DType) *graph.Value {
	t, f := castNumber(l.values[name], d)
	if f != nil {
		l.reject(name+"."+f.rule, "%s: %s", name, f.reason)
		return &graph.Value{Type: graph.Type{Shape: tensor.Shape{}}}
	}
	return l.constant(t, nil)
}

// constant adds a constant.
func (l *lowering) constant(t *tensor.Tensor, err error) *graph.Value {
	if err == nil && l.err == nil {
		var v *graph.Value
		if v, err = l.b.Constant("", "", t); err == nil {
			l.memory += operandBytes + int64(len(t.Bytes()))
			return v
		}
	}
	l.fail(err)
	return &graph.Value{Type: graph.Type{Shape: tensor.Shape{}}}
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

// unsqueezeTo puts dimensions of extent 1 in front of a value, scalars included, until it has the rank.
func (l *lowering) unsqueezeTo(v *graph.Value, rank int) *graph.Value {
	if n := rank - len(v.Type.Shape); n > 0 {
		return l.unsqueezeFront(v, n)
	}
	return v
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
