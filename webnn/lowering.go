package webnn

import (
	"errors"
	"math"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// lowering is one call of a method while it is checked and turned into nodes, which have the label of the call. Operators work on
// bare values; the checks of WebNN stand before them.
type lowering struct {
	emit.Emitter
	owner  *GraphBuilder
	name   string // of the method
	method *method
	values map[string]any // arguments and options by name, converted to the types that their kinds have
}

// counter adds to a graph and counts what that takes.
type counter struct {
	*graph.Builder
	memory int64
}

// Node is [graph.Builder.Node].
func (c *counter) Node(operator string, in []*graph.Value, attrs graph.Attrs, label string, names ...string) ([]*graph.Value, error) {
	out, err := c.Builder.Node(operator, in, attrs, label, names...)
	c.memory += int64(operandBytes*len(out) + linkBytes*len(in))
	return out, err
}

// Constant is [graph.Builder.Constant].
func (c *counter) Constant(name, label string, t *tensor.Tensor) (*graph.Value, error) {
	c.memory += operandBytes + int64(len(t.Bytes()))
	return c.Builder.Constant(name, label, t)
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

// failure returns the error of the call. What is no rejection is the error of an operator that refuses what the checks have let pass.
func (l *lowering) failure() error {
	err := l.Err
	if err == nil || errors.As(err, new(*Error)) {
		return err
	}
	l.Err = nil
	var e *op.Error
	if errors.As(err, &e) && e.TooLarge {
		l.reject("result.dimension", "the result is too large: %v", err)
	} else {
		l.reject("operator", "%w", err)
	}
	return l.Err
}

// one makes a result list of one value.
func one(v *graph.Value) []*graph.Value { return []*graph.Value{v} }

// unbuildable returns a value for a call that the standard accepts though it has no meaning: a graph that depends on it cannot
// be built.
func (l *lowering) unbuildable(d tensor.DType, s tensor.Shape, reason string, args ...any) *graph.Value {
	zero, err := tensor.New(d, tensor.Shape{})
	l.Fail(err)
	v := l.Node("expand", emit.Attr("shape", []int(s)), l.unsqueezeTo(l.Constant(zero), len(s)))
	if l.Err == nil {
		err := rejection(OperationError, "MLGraphBuilder."+l.name, l.Label, "meaning", reason, args...)
		l.owner.unbuildable = append(l.owner.unbuildable, unbuildable{v, err})
	}
	return v
}

// number adds an MLNumber as a constant scalar of a data type.
func (l *lowering) number(name string, d tensor.DType) *graph.Value {
	t, f := castNumber(l.values[name], d)
	if f != nil {
		l.reject(name+"."+f.rule, "%s: %s", name, f.reason)
	}
	return l.Constant(t)
}

// unsqueezeTo puts dimensions of extent 1 in front of a value, scalars included, until it has the rank.
func (l *lowering) unsqueezeTo(v *graph.Value, rank int) *graph.Value {
	return l.Unsqueeze(v, emit.Counting(0, rank-len(v.Type.Shape))...)
}
