package webnn

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

// Options is an options dictionary. Values are *Operand, []*Operand, bool, string, tensor.DType, int, float64, *big.Int,
// a [Number], []int, []float64, []string or []any with such items, as the member asks; numbers of one kind serve for another where
// they are exact. A tensor.Shape serves for []int, float32 for float64 and []float32 for []float64.
type Options map[string]any

// dictionary returns the members that a struct of options sets: the fields that are neither nil nor Go's zero value, which -0 is not. It is nil
// if the pointer to the struct is, or if it sets none.
func dictionary(options any) Options {
	fields := reflect.ValueOf(options).Elem()
	if !fields.IsValid() {
		return nil
	}
	var d Options
	for f, v := range fields.Fields() {
		if v.IsZero() {
			continue
		}
		if v.Kind() == reflect.Pointer && v.Type() != reflect.TypeFor[*Operand]() { // as the default is not the zero value
			v = v.Elem()
		}
		member := v.Interface()
		switch { // the words of an enumeration
		case v.Kind() == reflect.String:
			member = v.String()
		case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.String:
			list := make([]string, v.Len())
			for i := range list {
				list[i] = v.Index(i).String()
			}
			member = list
		}
		if d == nil {
			d = make(Options)
		}
		d[strings.ToLower(f.Name[:1])+f.Name[1:]] = member
	}
	return d
}

// method is a method of MLGraphBuilder that makes operands from operands.
type method struct {
	name    string
	args    []param
	options []param // beside "label", which every method has
	limits  []operandLimits
	list    bool // it returns a list of operands, perhaps of one
}

// methodOf returns the method of that name, nil if there is none.
func methodOf(name string) *method {
	i := slices.IndexFunc(methods, func(m method) bool { return m.name == name })
	if i < 0 {
		return nil
	}
	return &methods[i]
}

// param returns the argument or option of that name, nil if there is none.
func (m *method) param(name string) *param {
	for _, list := range [][]param{m.args, m.options} {
		if i := slices.IndexFunc(list, func(p param) bool { return p.name == name }); i >= 0 {
			return &list[i]
		}
	}
	return nil
}

// Methods lists the names of the MLGraphBuilder methods that make operands from operands.
func Methods() []string {
	names := make([]string, len(methods))
	for i, m := range methods {
		names[i] = m.name
	}
	return names
}

// ReturnsList reports whether a method that makes operands from operands returns a list of them, perhaps of one.
func ReturnsList(method string) bool {
	m := methodOf(method)
	return m != nil && m.list
}

// The typed methods, in operators.go, only name their arguments. What their documentation does not repeat:
//
//   - Operands of one call must come from the same builder. Element types and ranks must be those of the table "Tensor
//     limits" of the method, which docs/webnn-coverage.md lists.
//   - Dimensions, sizes and other counts are from 0 to 4294967295.
//   - Shapes broadcast as in NumPy: aligned at the last dimension, and an extent of 1 repeats.
//   - Every error is an [*Error]: InvalidStateError after [GraphBuilder.Build] or when the context is lost, and otherwise
//     TypeError, with the rule that was broken. Nothing is added to the graph then.

// several calls a method that has several results.
func (b *GraphBuilder) several(name string, options any, args ...any) ([]*Operand, error) {
	return b.Call(name, args, dictionary(options))
}

// single calls a method that has one result.
func (b *GraphBuilder) single(name string, options any, args ...any) (*Operand, error) {
	out, err := b.several(name, options, args...)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// Call applies the method of that name to positional arguments and options, and returns the resulting operands. The
// option "label" names the operator in errors. An option that the method does not have is an error. Every error is an [*Error];
// nothing is added to the graph then.
func (b *GraphBuilder) Call(name string, args []any, options Options) ([]*Operand, error) {
	b = orZero(b)
	if len(args) == 1 {
		input, _ := args[0].(*Operand)
		if second, ok := omissible[name][len(input.Shape())]; ok {
			args = []any{input, second}
		}
	}
	for i, v := range args {
		if p, ok := plain(v); ok {
			args = slices.Clone(args)
			args[i] = p
		}
	}
	for key, v := range options {
		if p, ok := plain(v); ok {
			options = maps.Clone(options)
			options[key] = p
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	out, err := b.call(name, args, options)
	if err == nil && b.record != nil {
		b.record(Call{Method: name, Args: args, Options: options, Results: out})
	}
	return out, err
}

// call is [GraphBuilder.Call] for a caller that has locked the builder.
func (b *GraphBuilder) call(name string, args []any, options Options) ([]*Operand, error) {
	l := &lowering{Emitter: emit.Emitter{Target: b.b}, owner: b, name: name, values: make(map[string]any)}
	l.Label, _ = options["label"].(string)
	if !b.canBuild() {
		return nil, b.errState("MLGraphBuilder."+name, l.Label)
	}
	l.method = methodOf(name)
	if l.method == nil {
		l.reject("method", "there is no such method")
		return nil, l.Err
	}
	l.bind(args, options)
	l.checkOperands()
	if l.Err != nil {
		return nil, l.Err
	}
	var values []*graph.Value
	before := b.b.Nodes()
	err := b.b.Try(func() error {
		values = l.lower()
		l.checkResults(values)
		if err := l.failure(); err != nil {
			return err
		}
		bytes := len(l.Label)
		for _, n := range b.b.Since(before) { // their constants are few and small
			bytes += operandBytes*len(n.Out) + linkBytes*len(n.In)
		}
		return b.reserve("MLGraphBuilder."+name, int64(bytes))
	})
	if err != nil {
		return nil, err
	}
	out := make([]*Operand, len(values))
	for i, v := range values {
		out[i] = b.operand(v, false)
	}
	return out, nil
}

// reject makes the call fail with a TypeError, unless it has failed already. Rules are named after the method and the step of
// its algorithm; the reason says what is wrong and what would be right.
func (l *lowering) reject(rule, format string, args ...any) {
	if l.Err == nil {
		l.Err = rejection(TypeError, "MLGraphBuilder."+l.name, l.Label, rule, format, args...)
	}
}

// bind converts arguments and options to the values of the parameters.
func (l *lowering) bind(args []any, options Options) {
	if label, ok := options["label"]; ok {
		if _, ok := label.(string); !ok {
			l.reject("label.kind", "label: the value is %T; it must be a string", label)
		}
	}
	if want := l.method.args; len(args) != len(want) {
		l.reject("arguments", "arguments given: %d; there must be %d: %s", len(args), len(want), names(want))
		return
	}
	for i, p := range l.method.args {
		l.set(p, args[i])
	}
	for name := range options {
		if name != "label" && !slices.ContainsFunc(l.method.options, func(p param) bool { return p.name == name }) {
			l.reject(name+".kind", "there is no option %q; the options are: %s", name, names(append(slices.Clone(l.method.options), param{name: "label"})))
		}
	}
	for _, p := range l.method.options {
		if v, ok := options[p.name]; ok {
			l.set(p, v)
		} else if p.fallback != nil {
			l.values[p.name] = p.fallback
		}
	}
}

// names writes the names of parameters.
func names(params []param) string {
	list := make([]string, len(params))
	for i, p := range params {
		list[i] = p.name
	}
	return strings.Join(list, ", ")
}

// set converts one argument or option.
func (l *lowering) set(p param, v any) {
	converted, fault := p.convert(v, l.owner)
	if fault != nil {
		l.reject(p.name+"."+fault.rule, "%s: %s", p.name, fault.reason)
		return
	}
	l.values[p.name] = converted
}

// checkOperands holds the operands against the rows of the method's table of tensor limits.
func (l *lowering) checkOperands() {
	if l.Err != nil {
		return
	}
	for _, row := range l.method.limits {
		given := value[[]*graph.Value](l, row.name)
		if v := l.operand(row.name); v != nil {
			given = []*graph.Value{v}
		}
		for _, v := range given {
			l.checkType(row, v)
			l.checkRank(row, v)
		}
	}
}

func (l *lowering) checkType(row operandLimits, v *graph.Value) {
	got := v.Type.DType
	if row.sameType != "" {
		if want := l.operand(row.sameType).Type.DType; got != want {
			l.reject(row.name+".dataType", "the data type of %s is %v; it must be %v, that of %s", row.name, got, want, row.sameType)
		}
	} else if !slices.Contains(row.types, got) {
		l.reject(row.name+".dataType", "the data type of %s is %v; it must be one of %v", row.name, got, row.types)
	}
}

func (l *lowering) checkRank(row operandLimits, v *graph.Value) {
	got := len(v.Type.Shape)
	if row.sameRank != "" {
		want := len(l.operand(row.sameRank).Type.Shape)
		if got != want && (got > want || !fewerDimensions[l.name]) {
			l.reject(row.name+".rank", "the rank of %s is %d; it must be %d, that of %s", row.name, got, want, row.sameRank)
		}
	} else if got < row.minRank || got > row.maxRank {
		want := fmt.Sprintf("from %d to %d", row.minRank, row.maxRank)
		if row.minRank == row.maxRank {
			want = strconv.Itoa(row.minRank)
		}
		l.reject(row.name+".rank", "the rank of %s, which has shape %v, is %d; it must be %s", row.name, v.Type.Shape, got, want)
	}
}

// checkResults applies to the results what holds for every operand.
func (l *lowering) checkResults(values []*graph.Value) {
	for _, v := range values {
		l.checkResult(v.Type.DType, v.Type.Shape)
	}
}

// checkResult rejects a result that no operand may be. A lowering calls it early where an operator could not count the
// elements of what its arguments ask for.
func (l *lowering) checkResult(d tensor.DType, s tensor.Shape) {
	if f := (OperandDescriptor{d, s}).checkShape(l.owner.maxTensorByteLength()); f != nil {
		l.reject("result."+f.rule, "the result: %s", f.reason)
	}
}
