package tract

import (
	"math"
	"slices"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/nnef/element"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/std"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/tensor"
)

// rows are the operations that are lowered here; the others have bodies in std/tract.nnef, or are the standard's.
var rows = map[string]func(l *Lowering) []*graph.Value{
	"tract_core_dyn_slice": dynSlice,
	"tract_core_range":     counting,
	"tract_core_scan":      (*Lowering).scan,
	"conv":                 biased,
	"deconv":               biased,
	"max_pool":             ignoring,
	"argmax_pool":          ignoring,
	"max_pool_with_index":  ignoring,
}

// lower adds the nodes of an operation by its row, its body or as the standard has it.
func (l *Lowering) lower() []*graph.Value {
	name := l.c.Op.Name
	f, declared := std.Tract().Lookup(name)
	switch {
	case l.Err != nil: // Without this results would be made in vain.
		return nil
	case rows[name] != nil:
		return rows[name](l)
	case declared && f.Body != nil:
		return l.expanded(f)
	}
	return l.Standard()
}

// expanded adds the nodes of the body that std/tract.nnef gives for the operation.
func (l *Lowering) expanded(f *syntax.Fragment) []*graph.Value {
	o := eval.FromFragment(f, scope{l, l.Operators(), make(map[string]*eval.Operation)})
	o.Source = nil // errors concern the invocation
	out, err := eval.New(l.limits).For(&syntax.Document{Tract: true}).Expand(o, l.c.Args, l.c.Names)
	if err != nil {
		l.Fail(eval.First(err))
		return nil
	}
	var values []*graph.Value
	for _, v := range eval.Singles(out) {
		values = append(values, l.Value("", v))
	}
	return values
}

// scope is the library of the bodies in std/tract.nnef.
type scope struct {
	l         *Lowering
	operators eval.Library
	known     map[string]*eval.Operation
}

// Operation implements [eval.Library].
func (s scope) Operation(name string) *eval.Operation {
	if o, ok := s.known[name]; ok { // Without this it would be made again.
		return o
	}
	o := s.function(name)
	if o == nil {
		o = s.operators.Operation(name)
	}
	if o == nil {
		if f, ok := std.Tract().Lookup(name); ok {
			o = eval.FromFragment(f, s)
			o.Source = nil
		}
	} else {
		apply := o.Apply
		o.Apply = func(c *eval.Invocation) ([]eval.Value, error) {
			out, err := apply(c)
			if err != nil { // it is better told than by the evaluator, which does not know the arguments of the operation
				s.l.Fail(s.l.c.Blame(c.Op, c.Site, err))
			}
			return out, err
		}
	}
	s.known[name] = o
	return o
}

// function returns one of the functions that only bodies have.
func (s scope) function(name string) *eval.Operation {
	f, ok := functions[name]
	if !ok {
		return nil
	}
	o := &eval.Operation{Name: name, Results: []eval.Result{{Name: "y"}}}
	for _, p := range strings.Fields(f.params) {
		o.Params = append(o.Params, eval.Param{Name: p, Default: eval.Absent{}})
	}
	o.Apply = func(c *eval.Invocation) ([]eval.Value, error) {
		v := f.apply(s.l, c.Args)
		return []eval.Value{v}, s.l.Err
	}
	return o
}

// functions are what std/tract.nnef says at its head.
var functions = map[string]struct {
	params string
	apply  func(l *Lowering, args []eval.Value) eval.Value
}{
	"dtype_of": {"x", func(l *Lowering, args []eval.Value) eval.Value {
		if v, ok := l.ValueOf(args[0]); ok {
			return v.Type.DType.String()
		}
		return ""
	}},
	"given": {"x", func(_ *Lowering, args []eval.Value) eval.Value { return args[0] != eval.Value(eval.Absent{}) }},
	"zero":  {"x", func(_ *Lowering, args []eval.Value) eval.Value { return zero(args[0]) }},
	"element": {"name", func(l *Lowering, args []eval.Value) eval.Value {
		name, _ := args[0].(string)
		arg := ""
		if i := slices.Index(l.c.Args, args[0]); i >= 0 { // the body hands it on
			arg = l.c.Op.Params[i].Name
		}
		return l.element(arg, name).String()
	}},
	"iota": {"n", func(l *Lowering, args []eval.Value) eval.Value {
		n, _ := args[0].(int64)
		return element.Of(l.iota(l.Narrow("n", n), tensor.Int64))
	}},
	"infinity": {"x", func(l *Lowering, args []eval.Value) eval.Value {
		d := tensor.Float32
		if v, ok := l.ValueOf(args[0]); ok {
			d = v.Type.DType
		}
		return element.Of(l.constant([]eval.Value{math.Inf(1)}, d, tensor.Shape{}))
	}},
	"einsum": {"inputs expr acc", (*Lowering).einsum},
	"axes_text": {"shape axes", func(l *Lowering, args []eval.Value) eval.Value {
		shape, _ := args[0].(eval.Array)
		axes, _ := args[1].(eval.Array)
		return l.axesText(len(shape), axes)
	}},
}

// einsum multiplies tensors by letters for their dimensions, "ij,jk->ik".
func (l *Lowering) einsum(args []eval.Value) eval.Value {
	list, _ := args[0].(eval.Array)
	expr, _ := args[1].(string)
	acc, _ := args[2].(string)
	in := make([]*graph.Value, len(list))
	for i, v := range list {
		in[i] = l.Value("inputs", v)
	}
	in = l.alike(in)
	for i := range in {
		if acc != "" && l.Err == nil {
			in[i] = l.Cast(in[i], l.element("acc", acc))
		}
		if l.Err == nil && in[i].Type.DType.IsInteger() && in[i].Type.DType.Size() < 4 {
			in[i] = l.Cast(in[i], tensor.Int32)
		}
	}
	left, right, arrow := strings.Cut(strings.ReplaceAll(expr, " ", ""), "->")
	terms, out := strings.Split(left, ","), strings.Split(right, "")
	ok := arrow && len(terms) == len(in) && len(in) > 0 && !strings.Contains(expr, ".") && !repeats(out)
	for _, c := range out {
		ok = ok && strings.Contains(left, c)
	}
	if !ok {
		l.fail(eval.CodeAttribute, "expr", "the expression %q of %s is not supported", expr, l.c.Op.Name)
	}
	operands := make([]emit.Labelled, len(in))
	for i := 0; i < len(in) && l.Err == nil; i++ {
		operands[i] = emit.Labelled{Value: in[i], Labels: strings.Split(terms[i], "")}
		if n := len(operands[i].Labels); n != len(in[i].Type.Shape) {
			l.fail(eval.CodeAttribute, "expr", "the expression %q gives operand %d the rank %d; it has %d", expr, i, n, len(in[i].Type.Shape))
		} else if repeats(operands[i].Labels) {
			l.fail(eval.CodeAttribute, "expr", "the expression %q of %s is not supported", expr, l.c.Op.Name)
		}
	}
	return element.Of(l.Einsum(operands, out))
}

func repeats(letters []string) bool {
	return len(slices.Compact(slices.Sorted(slices.Values(letters)))) < len(letters)
}

// axesText returns the expression of tract's older form of matrix products, which names the dimensions of rows, columns and inner products.
func (l *Lowering) axesText(n int, axes eval.Array) eval.Value {
	if len(axes) != 6 || slices.ContainsFunc(axes, func(a eval.Value) bool { i, ok := a.(int64); return !ok || i < 0 || i >= int64(n) }) {
		l.fail(eval.CodeAttribute, "axes", "the axes are %s; they must be six dimensions of a tensor of rank %d", eval.Text(axes), n)
		return ""
	}
	letters := func(first, second int, names string) string {
		list := []byte("ABCDEFGHIJKLMNOP")[:n]
		list[axes[first].(int64)], list[axes[second].(int64)] = names[0], names[1]
		return string(list)
	}
	return letters(0, 1, "mk") + "," + letters(2, 3, "kn") + "->" + letters(4, 5, "mn")
}

// Constants of more numbers in a row than iotaInline are computed when the model runs.
const iotaInline = limits.TractRange

// iota returns the numbers 0 … n-1.
func (l *Lowering) iota(n int, d tensor.DType) *graph.Value {
	if n < 0 || n > limits.TractCount {
		l.fail(eval.CodeAttribute, "n", "%d elements cannot be counted", n)
		return nil
	}
	if n <= iotaInline {
		values := make([]eval.Value, n)
		for i := range values {
			values[i] = int64(i)
		}
		return l.constant(values, d, tensor.Shape{n})
	}
	one := l.constant([]eval.Value{int64(1)}, tensor.Int64, tensor.Shape{1})
	ones := l.Node("expand", emit.Attr("shape", []int{n}), one)
	return l.Cast(l.Node("cumulative_sum", emit.Attr("axis", 0, "exclusive", true), ones), d)
}

func dynSlice(l *Lowering) []*graph.Value {
	x, axis, begin, end := l.tensor("input"), l.int("axis"), l.int("start"), l.int("end")
	shape := l.Shape(x)
	switch {
	case axis < 0 || axis >= len(shape):
		l.fail(eval.CodeAttribute, "axis", "the dimension %d is out of range; it must be from 0 to %d", axis, len(shape)-1)
	case begin < 0 || end < begin || end > shape[axis]:
		l.fail(eval.CodeAttribute, "end", "the range %d … %d is not within the extent %d", begin, end, shape[axis])
	case begin == end:
		begin, end = shape[axis], shape[axis]
	}
	return l.Named(l.c.Names, "slice", emit.Attr("axes", []int{axis}, "begin", []int{begin}, "end", []int{end}), x)
}

// counting makes start, start+step, … before end, which must be known.
func counting(l *Lowering) []*graph.Value {
	var p [3]*graph.Value
	var v [3]float64
	for i, arg := range []string{"start", "end", "step"} {
		p[i] = l.tensor(arg)
		if list := l.elements(arg, p[i]); len(list) == 1 {
			v[i], _ = primitiveAs(list[0], syntax.Scalar).(float64)
		} else {
			l.fail(eval.CodeType, arg, "the argument %s has %d elements; it must be one number", arg, len(list))
		}
	}
	n := math.Ceil((v[1] - v[0]) / v[2])
	if l.Err == nil && (v[2] == 0 || math.IsNaN(n) || n > limits.TractCount) {
		l.fail(eval.CodeAttribute, "step", "from %v to %v by %v is no range", v[0], v[1], v[2])
	}
	if l.Err != nil {
		return nil
	}
	l.alike(p[:])
	steps := l.Node("mul", nil, l.AlignLeft(l.iota(int(max(n, 0)), p[0].Type.DType), p[2])...)
	return l.Named(l.c.Names, "add", nil, l.AlignLeft(steps, p[0])...)
}

// biased gives the bias the shape that the operators take, whatever dimension its numbers lie in.
func biased(l *Lowering) []*graph.Value {
	i := l.c.Op.Index("bias")
	if v, ok := l.c.Args[i].(element.Operand); ok {
		shape := l.Shape(v.V)
		if n := shape.Len(); l.Err == nil && slices.Max(append([]int{1}, shape...)) == n {
			l.c.Args[i] = element.Of(l.Reshape(v.V, 1, n))
		}
	}
	return l.Standard()
}

// ignoring leaves padding out of maxima, as tract does for border constant, too.
func ignoring(l *Lowering) []*graph.Value {
	if l.c.Text("border") == "constant" {
		l.c.Args[l.c.Op.Index("border")] = "ignore"
	}
	return l.Standard()
}
