package nnef

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// tractBinding says what becomes of an operation of tract.
type tractBinding struct {
	name  string
	lower func(l *tractLowering) []*graph.Value
}

// tractBindings has a row for each operation of std/tract.nnef but tract_core_external, which belongs to the document,
// tract_core_shape_of and tract_core_scan, which are no tensors' operations, and a row for each operation of the standard
// that tract computes otherwise.
var tractBindings = []tractBinding{
	{"recip", same("rcp", "x")},
	{"square", same("sqr", "x")},
	{"tract_core_round_even", tractRoundEven},
	{"tract_core_erf", same("erf", "x")},
	{"tract_core_hard_swish", same("hard_swish", "x")},
	{"tract_core_silu", same("silu", "x")},
	{"tract_transformers_silu", same("silu", "x")},
	{"tract_core_gelu_approx", tractGelu},
	{"tract_transformers_gelu_approx", tractGelu},
	{"tract_core_pow_const", tractPowConst},
	{"tract_core_is_nan", same("is_nan", "x")},
	{"tract_onnx_is_nan", same("is_nan", "x")},
	{"tract_core_is_inf", tractIsInf},
	{"tract_onnx_isinf", tractIsInf},
	{"tract_core_xor", same("xor", "x", "y")},
	{"tract_core_bitand", tractBits("and")},
	{"tract_core_bitor", tractBits("or")},
	{"tract_core_bitxor", tractBits("xor")},
	{"tract_core_bitnot", tractBitNot},
	{"tract_shl", tractShift(-1)},
	{"tract_shr", tractShift(1)},
	{"tract_core_cast", tractCast},

	{"tract_core_product_reduce", tractReduce("product_reduce")},
	{"tract_core_argmax_reduce_last", tractLast("argmax_reduce")},
	{"tract_core_argmin_reduce_last", tractLast("argmin_reduce")},
	{"tract_core_softmax", tractSoftmax},
	{"tract_core_log_softmax", tractLogSoftmax},
	{"tract_core_rms_norm", tractRMSNorm},
	{"tract_transformers_rms_norm", tractRMSNorm},
	{"tract_onnx_lrn", tractLRN},

	{"tract_core_broadcast", tractBroadcast},
	{"tract_core_downsample", tractDownsample},
	{"tract_core_dyn_slice", tractDynSlice},
	{"tract_core_gather", tractGather},
	{"tract_core_gather_elements", tractGatherElements},
	{"tract_core_gather_nd", tractGatherND},
	{"tract_core_scatter_elements", tractScatter("scatter_elements")},
	{"tract_core_scatter_nd", tractScatter("scatter_nd")},
	{"tract_core_one_hot", tractOneHot},
	{"tract_core_range", tractRange},
	{"tract_core_trilu", tractTrilu},
	{"tract_core_topk", tractTopK},
	{"tract_core_resize", tractResize},
	{"tract_item", tractItem},

	{"tract_core_einsum", tractEinsum},
	{"tract_core_matmul", tractMatmul},
	{"tract_core_einsum_q", tractEinsumQ},
	{"tract_core_qmatmul", tractQMatmul},
	{"tract_core_qconv", tractQConv},

	{"tract_core_lstm_epilogue", tractLSTM},
	{"tract_core_gru_epilogue", tractGRU},
	{"tract_transformers_sdpa", tractAttention},
	{"tract_transformers_apply_rope", tractRope},
	{"tract_transformers_scaled_masked_softmax", tractMaskedSoftmax},

	{"round", tractRound},
	{"floor", whole("floor")},
	{"ceil", whole("ceil")},
	{"linear", tractLinear},
	{"matmul", tractStandardMatmul},
	{"conv", tractConv(lowerConv)},
	{"deconv", tractConv(lowerDeconv)},
	{"max_pool", ignoring(lowerWindow("max_pool"))},
	{"argmax_pool", ignoring(lowerWindow("argmax_pool"))},
	{"max_pool_with_index", ignoring(lowerMaxPoolWithIndex)},
	{"pad", tractPad},
}

// tractOverrides are the rows by name.
var tractOverrides = func() map[string]func(l *tractLowering) []*graph.Value {
	m := make(map[string]func(l *tractLowering) []*graph.Value, len(tractBindings))
	for _, b := range tractBindings {
		m[b.name] = b.lower
	}
	return m
}()

// same binds an operation to an operator of the same operands.
func same(name string, params ...string) func(l *tractLowering) []*graph.Value {
	return func(l *tractLowering) []*graph.Value {
		in := make([]*graph.Value, len(params))
		for i, p := range params {
			in[i] = l.tensor(p)
		}
		return l.result(name, l.align(l.fit(name, in)...))
	}
}

// fit converts integers to float32 where an operator takes floats only.
func (l *tractLowering) fit(name string, in []*graph.Value) []*graph.Value {
	d, ok := op.Lookup(name)
	for i, v := range in {
		if ok && v != nil && i < len(d.In) && !d.In[i].Types.Has(v.Type.DType) && d.In[i].Types.Has(tensor.Float32) {
			in[i] = l.Cast(v, tensor.Float32)
		}
	}
	return in
}

// op adds an operator without attributes in the middle of a lowering. Shapes are aligned.
func (l *tractLowering) op(name string, in ...*graph.Value) *graph.Value {
	return l.step(name, l.align(in...))
}

// like returns a number as a constant of the element type of v.
func (l *tractLowering) like(v *graph.Value, x float64) *graph.Value {
	if v == nil {
		return nil
	}
	return l.constant([]eval.Value{x}, v.Type.DType, tensor.Shape{})
}

// rank returns the rank of a value.
func rank(v *graph.Value) int {
	if v == nil {
		return 0
	}
	return len(v.Type.Shape)
}

// axis returns an argument that names a dimension of v, counted from the front.
func (l *tractLowering) axis(arg string, v *graph.Value, extra int) int {
	a := l.int(arg)
	if n := rank(v) + extra; v != nil && l.Err == nil && (a < 0 || a >= n) {
		l.fail(eval.CodeAttribute, arg, "the dimension %d is out of range; it must be from 0 to %d", a, n-1)
		return 0
	}
	return a
}

// whole binds a rounding, which leaves integers as they are.
func whole(name string) func(l *tractLowering) []*graph.Value {
	return func(l *tractLowering) []*graph.Value {
		x := l.tensor("x")
		if x != nil && !x.Type.DType.IsFloat() {
			return l.result("copy", []*graph.Value{x})
		}
		return l.result(name, []*graph.Value{x})
	}
}

func tractRoundEven(l *tractLowering) []*graph.Value { return whole("round_even")(l) }

// tractRound rounds halves away from zero.
func tractRound(l *tractLowering) []*graph.Value {
	x := l.tensor("x")
	if x != nil && !x.Type.DType.IsFloat() {
		return l.result("copy", []*graph.Value{x})
	}
	return l.result("mul", []*graph.Value{l.op("sign", x), l.op("round", l.op("abs", x))})
}

func tractGelu(l *tractLowering) []*graph.Value {
	x := l.fit("gelu", []*graph.Value{l.tensor("input")})[0]
	if !l.bool("fast_impl") {
		return l.result("gelu", []*graph.Value{x}, attr("approximate", "tanh"))
	}
	cubed := l.op("add", x, l.op("mul", l.op("sqr", x), l.like(x, 0.044715)))
	t := l.op("tanh", l.op("mul", cubed, l.like(x, math.Sqrt(2/math.Pi))))
	return l.result("mul", []*graph.Value{l.op("mul", x, l.like(x, 0.5)), l.op("add", t, l.like(x, 1))})
}

func tractPowConst(l *tractLowering) []*graph.Value {
	x := l.fit("pow", []*graph.Value{l.tensor("input")})[0]
	return l.result("pow", []*graph.Value{x, l.like(x, l.float("exponent"))})
}

func tractIsInf(l *tractLowering) []*graph.Value {
	x := l.fit("is_infinite", []*graph.Value{l.tensor("input")})[0]
	positive, negative := l.bool("detect_positive"), l.bool("detect_negative")
	switch {
	case positive && negative:
		return l.result("is_infinite", []*graph.Value{x})
	case positive:
		return l.result("eq", []*graph.Value{x, l.like(x, math.Inf(1))})
	case negative:
		return l.result("eq", []*graph.Value{x, l.like(x, math.Inf(-1))})
	}
	return l.result("lt", []*graph.Value{x, l.like(x, math.Inf(-1))})
}

// tractBits binds an operation on bits, of which there are operators for truth values only.
func tractBits(name string) func(l *tractLowering) []*graph.Value {
	return func(l *tractLowering) []*graph.Value {
		x, y := l.tensor("x"), l.tensor("y")
		if l.Err == nil && x.Type.DType != tensor.Bool {
			l.fail(eval.CodeType, "x", "%s of elements of type %v is not supported; only of bool", l.c.Op.Name, x.Type.DType)
		}
		return l.result(name, l.align(x, y))
	}
}

// tractBitNot inverts the bits of an integer by its distance from the number whose bits are all set.
func tractBitNot(l *tractLowering) []*graph.Value {
	x := l.tensor("x")
	switch {
	case l.Err != nil:
		return nil
	case x.Type.DType == tensor.Bool:
		return l.result("not", []*graph.Value{x})
	case !x.Type.DType.IsInteger():
		l.fail(eval.CodeType, "x", "the bits of elements of type %v cannot be inverted", x.Type.DType)
		return nil
	}
	zero := l.constant([]eval.Value{int64(0)}, x.Type.DType, tensor.Shape{})
	one := l.constant([]eval.Value{int64(1)}, x.Type.DType, tensor.Shape{})
	return l.result("sub", []*graph.Value{l.op("sub", zero, x), one})
}

func tractShift(sign int) func(l *tractLowering) []*graph.Value {
	return func(l *tractLowering) []*graph.Value {
		x := l.tensor("x")
		if l.Err != nil {
			return nil
		}
		n := sign * l.int("y")
		if n < -64 || n > 127 {
			l.fail(eval.CodeAttribute, "y", "a shift by %d bits is out of range; it must be from -64 to 127 to the right", n)
			return nil
		}
		shift := l.constant([]eval.Value{int64(n)}, tensor.Int64, tensor.Shape{})
		return l.result("rescale", []*graph.Value{x, shift}, attr("dtype", x.Type.DType))
	}
}

func tractCast(l *tractLowering) []*graph.Value {
	if l.string("to") == "" {
		l.fail(eval.CodeAttribute, "to", "a cast to the type that a quantization file says is not supported; name the type")
		return nil
	}
	return l.result("cast", []*graph.Value{l.tensor("input")}, attr("dtype", l.dtype("to")))
}

func tractReduce(name string) func(l *tractLowering) []*graph.Value {
	return func(l *tractLowering) []*graph.Value {
		return l.result(name, []*graph.Value{l.tensor("input")}, attr("axes", l.ints("axes")))
	}
}

// tractLast finds the last of equal elements: the first of the elements in reverse order.
func tractLast(name string) func(l *tractLowering) []*graph.Value {
	return func(l *tractLowering) []*graph.Value {
		x, axes := l.tensor("input"), l.ints("axes")
		n := 1
		shape := l.shape(x)
		for _, a := range axes {
			if a < 0 || a >= len(shape) {
				l.fail(eval.CodeAttribute, "axes", "the dimension %d is out of range", a)
				return nil
			}
			n *= shape[a]
		}
		back := l.step("reverse", []*graph.Value{x}, attr("axes", axes))
		index := l.step(name, []*graph.Value{back}, attr("axes", axes))
		last := l.constant([]eval.Value{int64(n - 1)}, tensor.Int64, tensor.Shape{})
		return l.result("sub", []*graph.Value{last, index})
	}
}

func tractSoftmax(l *tractLowering) []*graph.Value {
	x := l.fit("softmax", []*graph.Value{l.tensor("x")})
	return l.result("softmax", x, attr("axes", l.ints("axes")))
}

func tractLogSoftmax(l *tractLowering) []*graph.Value {
	x := l.fit("softmax", []*graph.Value{l.tensor("x")})[0]
	sum := l.step("log_sum_exp_reduce", []*graph.Value{x}, attr("axes", l.ints("axes")))
	return l.result("sub", []*graph.Value{x, sum})
}

// tractRMSNorm divides by the root of the mean of squares, in float32 as tract does.
func tractRMSNorm(l *tractLowering) []*graph.Value {
	in := l.tensor("input")
	if l.Err != nil {
		return nil
	}
	x := l.Cast(in, tensor.Float32)
	mean := l.step("mean_reduce", []*graph.Value{l.op("sqr", x)}, attr("axes", []int{l.axis("axis", x, 0)}))
	factor := l.op("rsqrt", l.op("add", mean, l.like(x, l.float("eps"))))
	if in == x {
		return l.result("mul", []*graph.Value{x, factor})
	}
	return l.result("cast", []*graph.Value{l.op("mul", x, factor)}, attr("dtype", in.Type.DType))
}

func tractLRN(l *tractLowering) []*graph.Value {
	x := l.tensor("input")
	size := slices.Repeat([]int{1}, max(rank(x), 2))
	size[1] = l.int("size")
	return l.result("local_response_normalization", []*graph.Value{x}, attr("size", size), attr("alpha", l.float("alpha")),
		attr("beta", l.float("beta")), attr("bias", l.float("bias")))
}

// tractLinear multiplies matrices in more than two dimensions, too.
func tractLinear(l *tractLowering) []*graph.Value {
	x, filter := l.tensor("input"), l.tensor("filter")
	in := []*graph.Value{l.unsqueezed(x, rank(filter)), l.unsqueezed(filter, rank(x))}
	if zero(l.c.Arg("bias")) {
		return l.result("matmul", in, attr("transposeB", true))
	}
	product := l.step("matmul", in, attr("transposeB", true))
	return l.result("add", l.align(product, l.tensor("bias")))
}

// integerSum returns the element type in which products of integers are added.
func integerSum(in ...*graph.Value) tensor.DType {
	for _, v := range in {
		if v != nil && v.Type.DType == tensor.Int64 {
			return tensor.Int64
		}
	}
	return tensor.Int32
}

func tractStandardMatmul(l *tractLowering) []*graph.Value {
	a, b := l.tensor("A"), l.tensor("B")
	in := []*graph.Value{l.unsqueezed(a, rank(b)), l.unsqueezed(b, rank(a))}
	return l.result("matmul", in, attr("transposeA", l.bool("transposeA")), attr("transposeB", l.bool("transposeB")),
		attr("dtype", integerSum(a, b)))
}

// tractConv gives the bias the shape that the operators take, whatever dimension its numbers lie in.
func tractConv(lower func(l *lowering) []*graph.Value) func(l *tractLowering) []*graph.Value {
	return func(l *tractLowering) []*graph.Value {
		i := l.index("bias")
		if v, ok := l.c.Args[i].(operand); ok {
			shape := l.shape(v.v)
			if n := shape.Len(); l.Err == nil && slices.Max(append([]int{1}, shape...)) == n {
				l.c.Args[i] = operand{l.Reshape(v.v, 1, n)}
			}
		}
		return lower(l.lowering)
	}
}

// ignoring leaves padding out of maxima, as tract does for border constant, too.
func ignoring(lower func(l *lowering) []*graph.Value) func(l *tractLowering) []*graph.Value {
	return func(l *tractLowering) []*graph.Value {
		if l.string("border") == "constant" {
			l.c.Args[l.index("border")] = "ignore"
		}
		return lower(l.lowering)
	}
}

func tractPad(l *tractLowering) []*graph.Value {
	border := l.string("border")
	if border == "replicated" {
		border = "replicate"
	}
	return l.result("pad", []*graph.Value{l.tensor("input")}, attr("padding", l.ints("padding")), attr("border", border),
		attr("value", l.float("value")))
}
