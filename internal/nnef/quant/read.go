package quant

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/nnef/std"
	"github.com/concord-nn/concord/nnef/syntax"
)

// reader turns entries of a file into checked ones.
type reader struct {
	src      *syntax.Source
	dialect  syntax.Dialect
	found    syntax.Diagnostics
	mistakes int // also those beyond maxFound
}

// maxFound is how many mistakes are reported.
const maxFound = limits.NNEFErrors

// Read returns the entries of a quantization file whose operations, arguments and values are right, and what is wrong
// with the others.
func Read(q *syntax.Quantization, d syntax.Dialect) ([]Entry, syntax.Diagnostics) {
	r := &reader{src: q.Source, dialect: d}
	first := make(map[string]*syntax.StringLit)
	var list []Entry
	for i := range q.Entries {
		name := q.Entries[i].Tensor
		if other := first[name.Value]; other != nil {
			r.report(eval.CodeRedefined, name.Span, "keep one of the entries", "there are two entries for %s", name.Value)
			if r.mistakes <= maxFound {
				r.found[len(r.found)-1].Related = []syntax.Related{{Span: other.Span, Message: "the other one is here"}}
			}
			continue
		}
		first[name.Value] = name
		if e, ok := r.entry(&q.Entries[i]); ok {
			list = append(list, e)
		}
	}
	return list, r.found
}

// ReadString reads the algorithm that a tensor file of the provisional standard holds, such as
// linear_quantize(min = 0.0, max = 1.0, bits = 8). place names the file in errors.
func ReadString(place, text string) (Entry, error) {
	q, err := syntax.ParseQuant(place, []byte("'':"+text), syntax.Provisional, syntax.Options{})
	if err != nil {
		return Entry{}, err
	}
	list, found := Read(q, syntax.Provisional)
	if err := found.Err(); err != nil {
		return Entry{}, err
	}
	if len(list) != 1 {
		return Entry{}, fmt.Errorf("%s: %q is not one quantization", place, text)
	}
	return list[0], nil
}

// Range returns the entry that the deprecated parameters of a tensor file stand for: the numbers of the least and of the
// greatest code.
func Range(lo, hi float32, bits int, signed bool) Entry {
	return Entry{Operation: MinMax, Args: []Arg{{Name: "min", Value: float64(lo)}, {Name: "max", Value: float64(hi)},
		{Name: "bits", Value: int64(bits)}, {Name: "signed", Value: signed}, {Name: "symmetric", Value: false}}}
}

// Check returns what is wrong with the quantization file of a graph: what [Read] finds, entries for tensors that the graph does not
// have or that are not of scalars, and arguments that do not broadcast to their tensors.
func Check(q *syntax.Quantization, g *flat.Graph) syntax.Diagnostics {
	list, found := Read(q, g.Dialect)
	r := &reader{src: q.Source, dialect: g.Dialect, found: found, mistakes: len(found)}
	tensors := make(map[string]*flat.Tensor)
	for _, t := range g.Inputs {
		tensors[t.Name] = t
	}
	for _, op := range g.Ops {
		for _, t := range op.Outputs() {
			tensors[t.Name] = t
		}
	}
	names := naming.Sorted(tensors)
	for i := range q.Entries {
		name := q.Entries[i].Tensor
		if tensors[name.Value] == nil && r.mistakes < maxFound {
			hint := cmp.Or(eval.DoYouMean(name.Value, names), "entries name identifiers of the graph, not labels")
			r.report(eval.CodeUndefined, name.Span, hint, "the graph has no tensor %s", name.Value)
		}
	}
	for i := range list {
		if t := tensors[list[i].Tensor]; t != nil {
			r.tensor(&list[i], t)
		}
	}
	r.found.Sort()
	return r.found
}

func (r *reader) report(code syntax.Code, span syntax.Span, hint, format string, args ...any) {
	if r.mistakes++; r.mistakes > maxFound {
		return
	}
	r.found = append(r.found, syntax.Diagnostic{Code: code, Source: r.src, Span: span, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// operation returns a quantization, whose first parameter is the quantized tensor, nil if it is none.
func (r *reader) operation(id *syntax.Ident) *eval.Operation {
	var names []string
	for _, f := range std.Of(r.dialect).Fragments() {
		switch name := f.Name.Name; {
		case !strings.HasSuffix(name, "_quantize"):
		case name == id.Name:
			return eval.FromFragment(f, nil)
		default:
			names = append(names, name)
		}
	}
	hint := cmp.Or(eval.DoYouMean(id.Name, names), "write one of "+strings.Join(names, ", "))
	r.report(eval.CodeUndeclared, id.Span, hint, "%s is no operation that quantizes", id.Name)
	return nil
}

// entry checks one entry by itself.
func (r *reader) entry(x *syntax.QuantEntry) (Entry, bool) {
	before := r.mistakes
	e := Entry{Tensor: x.Tensor.Value, Operation: x.Call.Name.Name, call: x.Call}
	op := r.operation(x.Call.Name)
	if op == nil {
		return e, false
	}
	quantized := op.Params[0].Name
	op.Params = op.Params[1:]
	given := make([]*syntax.Arg, len(op.Params))
	for i := range x.Call.Args {
		r.argument(op, &x.Call.Args[i], i, quantized, given)
	}
	for i, p := range op.Params {
		value := p.Default
		span := x.Call.Name.Span
		switch a := given[i]; {
		case a != nil:
			value, span = r.value(&p, a), syntax.SpanOf(a.Value)
		case value == nil && r.mistakes == before:
			r.report(eval.CodeMissing, span, "", "the argument %s of %s is missing", p.Name, e.Operation)
		}
		e.Args = append(e.Args, Arg{p.Name, value, span})
	}
	if r.mistakes == before {
		r.values(&e)
	}
	return e, r.mistakes == before
}

// argument finds the parameter that an argument is for.
func (r *reader) argument(op *eval.Operation, a *syntax.Arg, i int, quantized string, given []*syntax.Arg) {
	if a.Name == nil {
		if r.dialect == syntax.Provisional && i < len(given) && given[i] == nil {
			given[i] = a
			return
		}
		r.report(eval.CodePositional, syntax.SpanOf(a.Value), "write NAME = before it", "arguments of a quantization have names")
		return
	}
	switch k := op.Index(a.Name.Name); {
	case a.Name.Name == quantized:
		r.report(eval.CodeParameter, a.Name.Span, "leave it out", "%s is the quantized tensor itself, which the entry names in front", quantized)
	case k < 0:
		r.report(eval.CodeParameter, a.Name.Span, op.ParamHint(a.Name.Name), "%s has no parameter %s", op.Name, a.Name.Name)
	case given[k] != nil:
		r.report(eval.CodeDuplicate, a.Name.Span, "keep one of them", "the argument %s is given twice", a.Name.Name)
	default:
		given[k] = a
	}
}

// value checks the type of an argument and returns it.
func (r *reader) value(p *eval.Param, a *syntax.Arg) eval.Value {
	if id, ok := a.Value.(*syntax.Ident); ok {
		r.report(eval.CodeUndefined, id.Span, "write its value", "the arguments of a quantization are literals; %s is an identifier", id.Name)
		return nil
	}
	v := eval.Literal(a.Value)
	t, isTensor := p.Type.(*syntax.TensorType)
	if !isTensor {
		r.items(p, a, v, p.Type.(*syntax.PrimitiveType).Kind)
	} else if list, _, ok := flatten(v); r.items(p, a, v, t.Item) && (!ok || len(list) == 0) {
		r.report(eval.CodeShape, syntax.SpanOf(a.Value), "all arrays on one level have as many items", "the nested arrays of %s are not regular, or empty", p.Name)
	}
	return v
}

// items reports a literal, or an item of nested arrays, that is not of a type.
func (r *reader) items(p *eval.Param, a *syntax.Arg, v eval.Value, item syntax.Primitive) bool {
	kind := syntax.NoPrimitive
	switch v := v.(type) {
	case int64:
		kind = syntax.Integer
	case float64:
		kind = syntax.Scalar
	case bool:
		kind = syntax.Logical
	case eval.Array:
		if p.IsTensor() {
			return !slices.ContainsFunc(v, func(x eval.Value) bool { return !r.items(p, a, x, item) })
		}
	}
	ok := kind == item
	if !ok {
		hint := ""
		if n, isInt := v.(int64); isInt && item == syntax.Scalar {
			hint = fmt.Sprintf("write %d.0", n)
		}
		r.report(eval.CodeType, syntax.SpanOf(a.Value), hint, "the argument %s is %s; it must be %v", p.Name, eval.Text(v), item)
	}
	return ok
}

// values reports numbers that the operation cannot work with.
func (r *reader) values(e *Entry) {
	for i := range e.Args {
		a := &e.Args[i]
		list, _, ok := flatten(a.Value)
		rule := ranges[a.Name]
		if e.Operation == Logarithmic && a.Name == "max" {
			rule = positive
		}
		if !ok || rule.text == "" {
			continue
		}
		if k := slices.IndexFunc(list, func(x float64) bool { return !rule.holds(x) }); k >= 0 {
			r.report(eval.CodeAttribute, a.span, "", "%s is %v; it must be %s", a.Name, list[k], rule.text)
			return
		}
	}
	if _, steps := e.Codes(false); steps == 0 {
		r.report(eval.CodeAttribute, e.call.Name.Span, "at least 2 bits are needed", "one bit has only one symmetric code")
	}
	lo, loShape, okLo := flatten(e.Arg("min"))
	hi, hiShape, okHi := flatten(e.Arg("max"))
	if !okLo || !okHi || len(lo) > 1 && len(hi) > 1 && !loShape.Equal(hiShape) {
		return
	}
	for i := range max(len(lo), len(hi)) {
		if a, b := lo[min(i, len(lo)-1)], hi[min(i, len(hi)-1)]; !(a < b) {
			r.report(eval.CodeAttribute, e.call.Name.Span, "", "min is %v and max is %v; min must be less than max", a, b)
			return
		}
	}
}

// valueRange is a condition on numbers.
type valueRange struct {
	text  string
	holds func(x float64) bool
}

var (
	positive = valueRange{"positive and in the range of float32", func(x float64) bool { return x > 0 && x <= math.MaxFloat32 }}
	real32   = valueRange{"in the range of float32", func(x float64) bool { return math.Abs(x) <= math.MaxFloat32 }}
)

// ranges are the conditions on arguments, by their names.
var ranges = map[string]valueRange{
	"bits":  {"1 to 64", func(x float64) bool { return x >= 1 && x <= 64 }},
	"scale": positive, "min": real32, "max": real32,
}

// extents returns the shape of a tensor as far as it is known. Those of variables are without inference.
func extents(t *flat.Tensor) (shape []int, known bool) {
	if t.Producer == nil || t.Producer.Name() != "variable" {
		return t.Extents()
	}
	list, _ := t.Producer.Arg("shape").(eval.Array)
	for _, n := range list {
		extent, _ := n.(int64)
		shape = append(shape, int(extent))
	}
	return shape, true
}

// tensor reports an entry that does not suit its tensor.
func (r *reader) tensor(e *Entry, t *flat.Tensor) {
	if item := t.Item(); item != syntax.Scalar && item != syntax.NoPrimitive {
		r.report(eval.CodeType, e.call.Name.Span, "", "%s is a tensor of type %v; only tensors of type scalar are quantized", e.Tensor, item)
		return
	}
	full, known := extents(t)
	for i := 0; i < len(e.Args) && known; i++ {
		a := &e.Args[i]
		_, shape, _ := flatten(a.Value)
		for d, n := range shape {
			if d >= len(full) || n != 1 && n != full[d] {
				r.report(eval.CodeShape, a.span, "extents align from the left; each is 1 or that of the tensor",
					"%s has shape %v, which does not broadcast to that of %s, %v", a.Name, shape, e.Tensor, full)
				break
			}
		}
	}
}
