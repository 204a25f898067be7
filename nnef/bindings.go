package nnef

import (
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// binding says what becomes of an operation of the standard.
type binding struct {
	name  string
	lower func(l *lowering) []*graph.Value // nil for operations that are expanded by the body that the standard gives
}

// bindings has a row for each of the 118 operations of NNEF 1.0.5 but external, constant, variable and update, which
// belong to the document; see sources.
var bindings = []binding{
	{"copy", direct("copy", "x")},
	{"neg", direct("neg", "x")},
	{"rcp", direct("rcp", "x")},
	{"exp", direct("exp", "x")},
	{"log", direct("log", "x")},
	{"sin", direct("sin", "x")},
	{"cos", direct("cos", "x")},
	{"tan", direct("tan", "x")},
	{"asin", direct("asin", "x")},
	{"acos", direct("acos", "x")},
	{"atan", direct("atan", "x")},
	{"sinh", direct("sinh", "x")},
	{"cosh", direct("cosh", "x")},
	{"tanh", direct("tanh", "x")},
	{"asinh", direct("asinh", "x")},
	{"acosh", direct("acosh", "x")},
	{"atanh", direct("atanh", "x")},
	{"abs", direct("abs", "x")},
	{"sign", direct("sign", "x")},
	{"not", direct("not", "x")},
	{"floor", direct("floor", "x")},
	{"ceil", direct("ceil", "x")},
	{"round", direct("round", "x")},
	{"sqr", direct("sqr", "x")},
	{"sqrt", direct("sqrt", "x")},
	{"rsqr", direct("rsqr", "x")},
	{"rsqrt", direct("rsqrt", "x")},
	{"log2", direct("log2", "x")},

	{"add", direct("add", "x", "y")},
	{"sub", direct("sub", "x", "y")},
	{"mul", direct("mul", "x", "y")},
	{"div", direct("div", "x", "y")},
	{"pow", direct("pow", "x", "y")},
	{"lt", direct("lt", "x", "y")},
	{"gt", direct("gt", "x", "y")},
	{"le", direct("le", "x", "y")},
	{"ge", direct("ge", "x", "y")},
	{"eq", direct("eq", "x", "y")},
	{"ne", direct("ne", "x", "y")},
	{"and", direct("and", "x", "y")},
	{"or", direct("or", "x", "y")},
	{"min", direct("min", "x", "y")},
	{"max", direct("max", "x", "y")},
	{"select", direct("select", "condition", "true_value", "false_value")},
	{"clamp", direct("clamp", "x", "a", "b")},

	{"conv", lowerConv},
	{"deconv", lowerDeconv},
	{"separable_conv", after(pointwise, (*lowering).body)},
	{"separable_deconv", after(pointwise, (*lowering).body)},
	{"box", lowerBox},
	{"debox", lowerDebox},
	{"argmax_pool", lowerWindow("argmax_pool")},
	{"sample", lowerSample},
	{"desample", lowerDesample},
	{"max_pool_with_index", lowerMaxPoolWithIndex},
	{"max_pool", lowerWindow("max_pool")},
	{"avg_pool", lowerAveragePool},
	{"rms_pool", lowerWindow("rms_pool")},
	{"nearest_downsample", after(divided, (*lowering).body)},
	{"area_downsample", after(divided, (*lowering).body)},
	{"nearest_upsample", nil},
	{"multilinear_upsample", direct("multilinear_upsample", "input", "factor", "method", "border")},

	{"sum_reduce", direct("sum_reduce", "input", "axes", "normalize")},
	{"max_reduce", direct("max_reduce", "input", "axes")},
	{"min_reduce", direct("min_reduce", "input", "axes")},
	{"argmax_reduce", direct("argmax_reduce", "input", "axes")},
	{"argmin_reduce", direct("argmin_reduce", "input", "axes")},
	{"all_reduce", direct("all_reduce", "input", "axes")},
	{"any_reduce", direct("any_reduce", "input", "axes")},
	{"mean_reduce", direct("mean_reduce", "input", "axes")},
	{"moments", nil},

	{"reshape", direct("reshape", "input", "shape", "axis_start", "axis_count")},
	{"squeeze", direct("squeeze", "input", "axes")},
	{"unsqueeze", direct("unsqueeze", "input", "axes")},
	{"transpose", direct("transpose", "input", "axes")},
	{"split", direct("split", "value", "axis", "ratios")},
	{"concat", lowerJoin("concat")},
	{"stack", lowerJoin("stack")},
	{"unstack", direct("unstack", "value", "axis")},
	{"slice", direct("slice", "input", "axes", "begin", "end", "stride")},
	{"pad", direct("pad", "input", "padding", "border", "value")},
	{"tile", direct("tile", "input", "repeats")},
	{"gather", lowerGather},
	{"cast", lowerCast},
	{"copy_n", nil},
	{"add_n", lowerAddN},

	{"avg_roi_pool", lowerRegions("avg_roi_pool")},
	{"max_roi_pool", lowerRegions("max_roi_pool")},
	{"roi_resample", lowerRegions("roi_resample", "method")},
	{"avg_roi_align", after(sampled, (*lowering).body)},
	{"max_roi_align", after(sampled, (*lowering).body)},

	{"matmul", lowerMatmul},
	{"linear", lowerLinear},

	{"sigmoid", direct("sigmoid", "x")},
	{"relu", direct("relu", "x")},
	{"prelu", direct("prelu", "x", "alpha")},
	{"leaky_relu", direct("leaky_relu", "x", "alpha")},
	{"elu", direct("elu", "x", "alpha")},
	{"selu", direct("selu", "x", "alpha", "lambda")},
	{"gelu", lowerGelu},
	{"silu", direct("silu", "x")},
	{"softplus", direct("softplus", "x")},
	{"softmax", direct("softmax", "x", "axes")},

	{"local_response_normalization", direct("local_response_normalization", "input", "size", "alpha", "beta", "bias")},
	{"local_mean_normalization", nil},
	{"local_variance_normalization", nil},
	{"local_contrast_normalization", nil},
	{"l1_normalization", nil},
	{"l2_normalization", nil},
	{"batch_normalization", lowerBatchNormalization},

	{"min_max_linear_quantize", direct("min_max_linear_quantize", "x", "min", "max", "bits", "signed", "symmetric")},
	{"linear_quantize", direct("linear_quantize", "x", "min", "max", "bits")},
	{"zero_point_linear_quantize", direct("zero_point_linear_quantize", "x", "zero_point", "scale", "bits", "signed", "symmetric")},
	{"logarithmic_quantize", direct("logarithmic_quantize", "x", "max", "bits")},
}

// direct binds an operation to the operator of the same meaning whose operands and attributes have the same names; a
// parameter of another name is written "parameter:attribute". The operands are aligned.
func direct(name string, params ...string) func(l *lowering) []*graph.Value {
	return func(l *lowering) []*graph.Value {
		var in []*graph.Value
		var attrs graph.Attrs
		rank := l.reach(params)
		for _, p := range params {
			p, a, renamed := strings.Cut(p, ":")
			if !renamed {
				a = p
			}
			if l.c.Op.Params[l.index(p)].IsTensor() {
				in = append(in, l.extended(l.tensor(p), rank))
			} else {
				value := l.attribute(p)
				if p == "size" && len(in) > 0 && l.dialect == syntax.Provisional {
					value = l.each(p, l.rank(in[0]), 1)
				}
				attrs = append(attrs, attr(a, value))
			}
		}
		return l.result(name, l.align(in...), attrs...)
	}
}

// after binds an operation that obeys a rule which neither operators nor the body that the standard gives know.
func after(rule func(l *lowering), lower func(l *lowering) []*graph.Value) func(l *lowering) []*graph.Value {
	return func(l *lowering) []*graph.Value {
		if rule(l); l.Err != nil {
			return nil
		}
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
			l.fail(eval.CodeShape, "point_filter", "the filter has the shape %v; its spatial extents must be 1", l.shape(filter))
		}
	}
}

// sampled is the rule that there is a sampling rate for each dimension of a region.
func sampled(l *lowering) {
	if size, rate := l.ints("output_size"), l.ints("sampling_rate"); len(size) != len(rate) {
		l.fail(eval.CodeAttribute, "sampling_rate", "%d rates are given; there must be %d, one for each item of output_size", len(rate), len(size))
	}
}

// index returns the position of a parameter, which the standard declares.
func (l *lowering) index(name string) int {
	return max(l.c.Op.Index(name), 0)
}

// attribute returns an argument in the form that attributes of operators have.
func (l *lowering) attribute(name string) any {
	switch v := l.c.Arg(name).(type) {
	case float64:
		if err := l.representable(v, tensor.Float32); err != nil && l.Err == nil {
			l.Fail(err)
			l.at(name)
		}
		return v
	case int64:
		return l.narrow(name, v)
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

func lowerGather(l *lowering) []*graph.Value {
	return l.result("gather", []*graph.Value{l.tensor("input"), l.tensor("indices")}, attr("axis", l.int("axis")))
}

// integral reports whether the results of the operator of that name are whole numbers, which a cast need not round.
func integral(name string) bool {
	d, ok := op.Lookup(name)
	return ok && d.Traits.Has(op.Integral)
}

// lowerCast rounds scalars to the integer below, where the operator cast truncates.
func lowerCast(l *lowering) []*graph.Value {
	x, d := l.tensor("input"), natural(l.c.Type)
	if d == tensor.Invalid {
		l.fail(eval.CodeGeneric, "", "a tensor cannot be cast to %v", l.c.Type)
		return nil
	}
	if x != nil && d.IsInteger() && x.Type.DType.IsFloat() && (x.Producer == nil || !integral(x.Producer.Op)) {
		x = l.step("floor", []*graph.Value{x})
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
		sum = l.step("add", l.align(list[i], sum))
	}
	if len(list) == 1 {
		return list
	}
	return l.result("add", l.align(list[0], sum))
}

func lowerRegions(name string, params ...string) func(l *lowering) []*graph.Value {
	return func(l *lowering) []*graph.Value {
		attrs := graph.Attrs{attr("output_size", l.ints("output_size"))}
		for _, p := range params {
			attrs = append(attrs, attr(p, l.attribute(p)))
		}
		return l.result(name, []*graph.Value{l.tensor("input"), l.tensor("rois"), l.tensor("batch_index")}, attrs...)
	}
}

func lowerMatmul(l *lowering) []*graph.Value {
	return l.result("matmul", []*graph.Value{l.tensor("A"), l.tensor("B")},
		attr("transposeA", l.bool("transposeA")), attr("transposeB", l.bool("transposeB")))
}

// lowerLinear takes the operator where the bias is one number for each column, and else the body.
func lowerLinear(l *lowering) []*graph.Value {
	input, filter, bias := l.matrix("input"), l.matrix("filter"), l.unless("bias", 0.0)
	if bias != nil {
		if shape := l.shape(bias); len(shape) > 2 || len(shape) == 2 && shape[0] != 1 || len(shape) == 1 && shape[0] != 1 {
			return l.body()
		}
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
		if i == 0 || in[i] == nil {
			continue
		}
		for d, n := range l.shape(in[i]) {
			if n != 1 && d != 1 {
				return l.body()
			}
		}
	}
	if shape := l.shape(in[0]); len(shape) < 2 {
		return l.body()
	}
	return l.result("batch_normalization", in, attr("epsilon", l.float("epsilon")))
}

var (
	bindingByName     = byName(bindings)
	provisionalByName = byName(provisional)
)

func byName(list []binding) map[string]*binding {
	m := make(map[string]*binding, len(list))
	for i := range list {
		m[list[i].name] = &list[i]
	}
	return m
}

// bindingOf returns the row of an operation of a dialect, or nil.
func bindingOf(d syntax.Dialect, name string) *binding {
	if d == syntax.Provisional {
		if b := provisionalByName[name]; b != nil {
			return b
		}
	}
	return bindingByName[name]
}

// results gives each result of an operation its tensors; an array result takes all that remain.
func results(op *eval.Operation, values []*graph.Value) []eval.Value {
	out := make([]eval.Value, len(op.Results))
	for i := range out {
		if _, list := op.Results[i].Type.(*syntax.ArrayType); list {
			array := make(eval.Array, 0, len(values))
			for _, v := range values[min(i, len(values)):] {
				array = append(array, operand{v})
			}
			out[i] = array
		} else if i < len(values) {
			out[i] = operand{values[i]}
		}
	}
	return out
}
