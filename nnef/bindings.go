package nnef

import (
	"cmp"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/nnef/element"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/std"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// bindings are the operations of NNEF 1.0.5 that do not become the operator of their name, if there is one, or else what the body that the standard
// gives says: the operator has other parameters, takes fewer shapes, or leaves something to be computed here.
var bindings = map[string]func(l *lowering) []*graph.Value{
	"conv":                kernelled("conv"),
	"deconv":              kernelled("deconv"),
	"separable_conv":      after(pointwise, (*lowering).body),
	"separable_deconv":    after(pointwise, (*lowering).body),
	"box":                 windowed("box"),
	"debox":               windowed("debox"),
	"argmax_pool":         windowed("argmax_pool"),
	"sample":              windowed("sample"),
	"desample":            windowed("desample"),
	"max_pool_with_index": lowerMaxPoolWithIndex,
	"max_pool":            windowed("max_pool"),
	"avg_pool":            windowed("box", attr("normalize", true)),
	"rms_pool":            windowed("rms_pool"),
	"nearest_downsample":  after(divided, (*lowering).body),
	"area_downsample":     after(divided, (*lowering).body),
	"concat":              lowerJoin("concat"),
	"stack":               lowerJoin("stack"),
	"cast":                lowerCast,
	"add_n":               lowerAddN,
	"avg_roi_align":       after(sampled, (*lowering).body),
	"max_roi_align":       after(sampled, (*lowering).body),
	"linear":              lowerLinear,
	"gelu":                lowerGelu,
	"batch_normalization": lowerBatchNormalization,
}

// loweringOf returns what an operation of a dialect becomes: what its row says, the operator of its name, or nil where the body stands for it.
func loweringOf(d syntax.Dialect, name string) func(l *lowering) []*graph.Value {
	if d == syntax.Provisional {
		if lower, ok := provisional[name]; ok {
			return lower
		}
	}
	if lower := bindings[name]; lower != nil {
		return lower
	}
	if def, ok := op.Lookup(name); ok && def.Spec.NNEF == name {
		return applied(name)
	}
	return nil
}

// applied binds an operation to the operator of the same meaning whose operands and attributes have the same names, or of a provisional one those that
// parameters have in the final dialect. The operands of an operator on elements are aligned.
func applied(name string) func(l *lowering) []*graph.Value {
	def, _ := op.Lookup(name)
	return func(l *lowering) []*graph.Value {
		in, attrs := l.arguments()
		if def.Traits.Has(op.Elementwise) {
			in = l.align(in...)
		}
		return l.result(name, in, attrs...)
	}
}

// arguments returns the operands and attributes that the arguments of an operation are.
func (l *lowering) arguments() (in []*graph.Value, attrs graph.Attrs) {
	rank := l.reach()
	for i := range l.c.Op.Params {
		p := &l.c.Op.Params[i]
		if p.IsTensor() {
			in = append(in, l.extended(l.tensor(p.Name), rank))
			continue
		}
		a := attr(p.Name, l.attribute(p.Name))
		if l.dialect == syntax.Provisional {
			a.Name = cmp.Or(std.Successors[l.c.Op.Name].Params[p.Name], p.Name)
		}
		if p.Name == "size" && len(in) > 0 && l.dialect == syntax.Provisional {
			a.Value = l.each(p.Name, l.rank(in[0]), 1)
		}
		attrs = append(attrs, a)
	}
	return in, attrs
}

// after binds an operation that obeys a rule which neither operators nor the body that the standard gives know.
func after(rule func(l *lowering), lower func(l *lowering) []*graph.Value) func(l *lowering) []*graph.Value {
	return func(l *lowering) []*graph.Value {
		rule(l)
		return lower(l)
	}
}

// divided is the rule that the factors divide the spatial extents.
func divided(l *lowering) {
	in, factor := l.spatial(l.tensor("input"), "input"), l.ints("factor")
	if l.Err == nil && len(factor) != len(in) {
		l.fail(eval.CodeAttribute, "factor", "%d factors are given; there must be %d, one for each spatial dimension", len(factor), len(in))
	}
	for i, f := range factor {
		if l.Err == nil && f > 0 && in[i]%f != 0 {
			l.fail(eval.CodeShape, "factor", "the factor %d does not divide the extent %d", f, in[i])
		}
	}
}

// pointwise is the rule that the point filter covers one position.
func pointwise(l *lowering) {
	filter := l.tensor("point_filter")
	for _, n := range l.spatial(filter, "point_filter") {
		if n != 1 {
			l.fail(eval.CodeShape, "point_filter", "the filter has the shape %v; its spatial extents must be 1", l.Shape(filter))
		}
	}
}

// sampled is the rule that there is a sampling rate for each dimension of a region.
func sampled(l *lowering) {
	if size, rate := l.ints("output_size"), l.ints("sampling_rate"); len(size) != len(rate) {
		l.fail(eval.CodeAttribute, "sampling_rate", "%d rates are given; there must be %d, one for each item of output_size", len(rate), len(size))
	}
}

// attribute returns an argument in the form that attributes of operators have.
func (l *lowering) attribute(name string) any {
	switch v := l.c.Arg(name).(type) {
	case float64:
		l.Fail(l.representable(name, v, tensor.Float32))
		return v
	case int64:
		return l.Narrow(name, v)
	case bool, string:
		return v
	}
	return l.ints(name)
}

func lowerJoin(name string) func(l *lowering) []*graph.Value {
	return func(l *lowering) []*graph.Value {
		values := l.tensors("values")
		if l.dialect == syntax.Provisional {
			rank := l.int("axis") + 1
			for _, v := range values {
				rank = max(rank, l.rank(v))
			}
			for i, v := range values {
				values[i] = l.extended(v, rank)
			}
		}
		return l.result(name, values, attr("axis", l.int("axis")))
	}
}

// integral reports whether the results of the operator of that name are whole numbers, which a cast need not round.
func integral(name string) bool {
	d, ok := op.Lookup(name)
	return ok && d.Traits.Has(op.Integral)
}

// lowerCast rounds scalars to the integer below, where the operator cast truncates.
func lowerCast(l *lowering) []*graph.Value {
	x, d := l.tensor("input"), element.Natural(l.c.Type)
	if d == tensor.Invalid {
		l.fail(eval.CodeGeneric, "", "a tensor cannot be cast to %v", l.c.Type)
		return nil
	}
	if x != nil && d.IsInteger() && x.Type.DType.IsFloat() && (x.Producer == nil || !integral(x.Producer.Op)) {
		x = l.Node("floor", nil, x)
	}
	return l.result("cast", []*graph.Value{x}, attr("dtype", d))
}

// lowerAddN adds from the right, as the standard's body does.
func lowerAddN(l *lowering) []*graph.Value {
	list := l.tensors("x")
	if len(list) == 0 {
		return l.body()
	}
	sum := list[len(list)-1]
	for i := len(list) - 2; i > 0; i-- {
		sum = l.Node("add", nil, l.align(list[i], sum)...)
	}
	if len(list) == 1 {
		return list
	}
	return l.result("add", l.align(list[0], sum))
}

// lowerLinear takes the operator where the bias is one number for each column, and else the body.
func lowerLinear(l *lowering) []*graph.Value {
	input, filter, bias := l.matrix("input"), l.matrix("filter"), l.addend()
	if shape := l.Shape(bias); len(shape) > 2 || len(shape) > 0 && shape[0] != 1 {
		return l.body()
	}
	return l.result("linear", []*graph.Value{input, filter, bias})
}

func lowerGelu(l *lowering) []*graph.Value {
	return l.result("gelu", []*graph.Value{l.tensor("x")}, attr("approximate", "sigmoid"))
}

// lowerBatchNormalization takes the operator where every parameter is one number, or one for each channel, and else the
// body.
func lowerBatchNormalization(l *lowering) []*graph.Value {
	in := make([]*graph.Value, 5)
	for i, name := range []string{"input", "mean", "variance", "offset", "scale"} {
		in[i] = l.tensor(name)
	}
	if l.Err == nil && !byChannel(in) {
		return l.body()
	}
	return l.result("batch_normalization", in, attr("epsilon", l.float("epsilon")))
}

// results gives each result of an operation its tensors; an array result takes all that remain.
func results(op *eval.Operation, values []*graph.Value) []eval.Value {
	out := make([]eval.Value, len(op.Results))
	for i := range out {
		if _, list := op.Results[i].Type.(*syntax.ArrayType); list {
			array := make(eval.Array, 0, len(values))
			for _, v := range values[min(i, len(values)):] {
				array = append(array, element.Of(v))
			}
			out[i] = array
		} else if i < len(values) {
			out[i] = element.Of(values[i])
		}
	}
	return out
}
