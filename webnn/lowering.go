package webnn

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// lowering is one call of a method while it is checked and turned into nodes, which have the label of the call.
type lowering struct {
	emit.Emitter
	owner  *GraphBuilder
	name   string // of the method
	method *method
	values map[string]any // arguments and options by name, converted to the types that their kinds have; then operands and attributes

	seen    []string     // the operands that have layouts, for messages
	instead *graph.Value // the result, in place of that of the operator; nil in most cases
}

// value returns an argument or option, or the zero value if it is absent.
func value[T any](l *lowering, name string) T { v, _ := l.values[name].(T); return v }

func (l *lowering) operand(name string) *graph.Value { return value[*graph.Value](l, name) }
func (l *lowering) shape(name string) tensor.Shape   { return l.operand(name).Type.Shape }
func (l *lowering) int(name string) int              { return value[int](l, name) }
func (l *lowering) ints(name string) []int           { return value[[]int](l, name) }
func (l *lowering) string(name string) string        { return value[string](l, name) }
func (l *lowering) has(name string) bool             { _, ok := l.values[name]; return ok }

// definition returns the operator of a method.
func definition(method string) *op.Def { return definitions()[method] }

var definitions = sync.OnceValue(func() map[string]*op.Def {
	all := make(map[string]*op.Def)
	for _, d := range op.All() {
		all[d.Spec.WebNN] = d
	}
	return all
})

// lower adds the operator of the method and returns its results.
func (l *lowering) lower() []*graph.Value {
	def := definition(l.name)
	back := l.channelsFirst()
	if prepare := preparations[l.name]; prepare != nil {
		prepare(l)
	} else if def.Traits.Has(op.Elementwise) && !slices.ContainsFunc(l.method.args, func(p param) bool { return p.kind != kindOperand }) {
		aligned(l)
	}
	in := l.operands(def)
	attrs := l.attributes(def, in)
	var out []*graph.Value
	if l.instead != nil {
		out = []*graph.Value{l.instead}
	} else {
		out = slices.Clone(l.Nodes(def.Name, attrs, in...)) // which is the node's
	}
	for i, v := range out {
		if v.Type.DType == tensor.Bool { // logical values are uint8 in WebNN
			v = l.Cast(v, tensor.Uint8)
		}
		if l.method.param("keepDimensions") != nil && !value[bool](l, "keepDimensions") {
			axes, _ := attrs.Get("axes").([]int)
			v = l.Squeeze(v, axes...)
		}
		out[i] = l.Transpose(v, back...)
	}
	return out
}

// parameter returns the name of the parameter that operand i, or an attribute, of the operator is; "" if none is.
func (l *lowering) parameter(name string, i int) string {
	if other := differences[l.name][name]; other != "" {
		return other
	}
	words := strings.Split(name, "_")
	for k, w := range words[1:] {
		words[k+1] = strings.ToUpper(w[:1]) + w[1:]
	}
	if same := strings.Join(words, ""); l.method.param(same) != nil {
		return same
	}
	if args := l.method.args; i >= 0 && i < len(args) && (args[i].kind == kindOperand || args[i].kind == kindOperands) {
		return args[i].name
	}
	return ""
}

// given returns what is set for an operand or attribute, or else the value of its parameter.
func (l *lowering) given(name string, i int) any {
	if v, ok := l.values[name]; ok {
		return v
	}
	return l.values[l.parameter(name, i)]
}

// operands returns the operands of the operator, up to the first that the method cannot have.
func (l *lowering) operands(def *op.Def) []*graph.Value {
	var in []*graph.Value
	for i, o := range def.In {
		v := l.given(o.Name, i)
		if v == nil && l.parameter(o.Name, i) == "" {
			break
		}
		if list, ok := v.([]*graph.Value); ok {
			in = append(in, list...)
			continue
		}
		x, _ := v.(*graph.Value)
		if o.Types == op.TypeSet(tensor.Bool) {
			x = l.Cast(x, tensor.Bool)
		}
		in = append(in, x)
	}
	return in
}

// attributes returns the attributes of the operator that do not have its defaults, for its operands.
func (l *lowering) attributes(def *op.Def, in []*graph.Value) graph.Attrs {
	var attrs graph.Attrs
	for _, a := range def.Attrs {
		v := l.given(a.Name, -1)
		if v == nil && a.Name == "axes" && a.Default == nil {
			l.allAxes(0)
			v = l.values[a.Name]
		}
		switch x := v.(type) {
		case int:
			if a.Kind == graph.KindInts {
				v = []int{x}
			}
		case float64:
			v = cast64(x, in[0].Type.DType)
		case tensor.DType:
			l.checkOutputType(l.parameter(a.Name, -1), x)
		case nil:
			if differences[l.name][a.Name] != "true" {
				continue
			}
			v = true
		}
		attrs = append(attrs, graph.Attr{Name: a.Name, Value: v})
	}
	return attrs
}

// cast64 returns a number that the standard casts to an element type first. The operators themselves cast to float32. Attributes
// are finite: where the cast gives an infinity, a number beyond float32 stands for it.
func cast64(f float64, d tensor.DType) float64 {
	if d != tensor.Float16 {
		return f
	}
	half := float64(tensor.RoundF16(f).Float32())
	return max(min(half, math.MaxFloat64), -math.MaxFloat64)
}

// checkOutputType checks that a parameter is a data type that the method's output may have.
func (l *lowering) checkOutputType(param string, d tensor.DType) {
	for _, row := range l.method.limits {
		if row.name == "output" && !slices.Contains(row.types, d) {
			l.reject(param, "%s is %v; the output must be one of %v", param, d, row.types)
		}
	}
}

// allAxes sets the attribute axes to all dimensions of the input from first on, unless the option is given.
func (l *lowering) allAxes(first int) {
	if !l.has("axes") {
		l.values["axes"] = emit.Counting(first, len(l.shape("input"))-first)
	}
}

// channelsFirst brings operands from the layouts that options name into those of the operators, which work channels first, and
// returns how to bring the result back. The name of a layout has a letter for each dimension; that of the operators is the
// first of the enumeration.
func (l *lowering) channelsFirst() (back []int) {
	for _, p := range l.method.options {
		operand := "input"
		switch {
		case p.name == "filterLayout":
			operand = "filter"
		case p.enum != enumInputOperandLayout:
			continue
		}
		given, own := l.string(p.name), p.enum.words[0]
		l.seen = append(l.seen, fmt.Sprintf("%s %v as %s", operand, l.shape(operand), given))
		if given != own {
			l.seen = append(l.seen, "which is seen as "+own)
		}
		l.values[operand] = l.Transpose(l.operand(operand), permutation(given, own)...)
		if operand == "input" {
			back = permutation(own, given)
		}
	}
	return back
}

// permutation returns, for each dimension of a layout, where another layout has it.
func permutation(from, to string) []int {
	perm := make([]int, len(to))
	for i := range perm {
		perm[i] = strings.IndexByte(from, to[i])
	}
	return perm
}

// failure returns the error of the call. That of an operator is told by the name of the parameter at fault; operands have the
// types and ranks of the table already, so that it is their shapes.
func (l *lowering) failure() error {
	err := l.Err
	if err == nil || errors.As(err, new(*Error)) {
		return err
	}
	l.Err = nil
	e, def := new(op.Error), definition(l.name)
	switch ok := errors.As(err, &e); {
	case ok && e.TooLarge:
		l.reject("result.dimension", "the result is too large: %v", err)
	case ok && e.Op == def.Name:
		name, rule := l.parameter(e.Operand, -1), ""
		if i := slices.IndexFunc(def.In, func(o op.Operand) bool { return o.Name == e.Operand }); i >= 0 {
			name, rule = l.parameter(e.Operand, i), ".shape"
		}
		msg := l.AsGiven(e.Msg)
		for _, a := range def.Attrs {
			if strings.Contains(a.Name, "_") {
				msg = strings.ReplaceAll(msg, a.Name, cmp.Or(l.parameter(a.Name, -1), a.Name))
			}
		}
		if len(l.seen) > 0 {
			msg += " (" + strings.Join(l.seen, ", ") + ")"
		}
		l.reject(cmp.Or(name, e.Operand)+rule, "%s: %s", cmp.Or(name, e.Operand), msg)
	default:
		l.reject("operator", "%w", err)
	}
	return l.Err
}

// unbuildable makes the result a value for a call that the standard accepts though it has no meaning: a graph that depends on it
// cannot be built.
func (l *lowering) unbuildable(d tensor.DType, s tensor.Shape, reason string, args ...any) {
	zero, err := tensor.New(d, tensor.Shape{})
	l.Fail(err)
	l.instead = l.Node("expand", emit.Attr("shape", []int(s)), l.unsqueezeTo(l.Constant(zero), len(s)))
	if l.Err == nil {
		err := rejection(OperationError, "MLGraphBuilder."+l.name, l.Label, "meaning", reason, args...)
		l.owner.unbuildable = append(l.owner.unbuildable, unbuildable{l.instead, err})
	}
}

// cast returns an MLNumber as a scalar of a data type.
func (l *lowering) cast(name string, d tensor.DType) *tensor.Tensor {
	t, f := castNumber(l.values[name], d)
	if f != nil {
		l.reject(name+"."+f.rule, "%s: %s", name, f.reason)
	}
	return t
}

// channels rejects operands that are given and have not one element for each of n channels, which the operators would repeat.
func (l *lowering) channels(n int, what string, names ...string) {
	for _, name := range names {
		if v := l.operand(name); v != nil && !v.Type.Shape.Equal(tensor.Shape{n}) {
			l.reject(name+".shape", "the shape of %s is %v; it must be [%d], %s", name, v.Type.Shape, n, what)
		}
	}
}

// unsqueezeTo puts dimensions of extent 1 in front of a value, scalars included, until it has the rank.
func (l *lowering) unsqueezeTo(v *graph.Value, rank int) *graph.Value {
	return l.Unsqueeze(v, emit.Counting(0, rank-len(v.Type.Shape))...)
}
