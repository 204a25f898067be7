package onnx_test

import (
	"math"
	"slices"
	"strings"

	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/internal/testing/onnx/peer"
	"github.com/concord-nn/concord/internal/testing/onnx/random"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// dispute is where ONNX Runtime, version 1.30, is not followed: the models of an operator for which when holds.
type dispute struct {
	ops  string
	when func(f *facts) bool
	why  string
}

var disputes = []dispute{
	{"AffineGrid", func(f *facts) bool { return f.int("align_corners", 0) == 1 && slices.Contains(f.ints(1)[2:], 1) },
		"where the only element of a dimension lies whose corners are aligned the standard does not say: -1 here, 1 there"},
	{"Attention", func(f *facts) bool {
		return f.int("is_causal", 0) == 1 && f.has(4) && !slices.Equal(f.lengths(0), f.lengths(1))
	},
		"with a cache, and as many new keys as queries or not, query i sees the cache and keys up to i (reference evaluator)"},
	{"AveragePool LpPool MaxPool NhwcMaxPool QLinearAveragePool", func(f *facts) bool { return f.same() && (f.most("dilations") > 1 || f.strides()) },
		"ORT does not count dilations where auto_pad is SAME, and pads by less than nothing where strides are greater than the kernel"},
	{"BlackmanWindow HammingWindow HannWindow", func(f *facts) bool { return f.int("periodic", 1) == 0 && f.ints(0)[0] == 1 },
		"ORT divides 0 by 0 for a window of one element"},
	{"Cast CastLike", func(f *facts) bool {
		return f.casts(tensor.Int2) || f.casts(tensor.Uint2) || f.casts(tensor.Int4) || f.casts(tensor.Uint4)
	},
		"ORT rounds floats to integers of 4 and 2 bits, where the standard truncates, and misplaces some"},
	{"Clip", func(f *facts) bool { return (!f.has(1) || !f.has(2)) && f.finite(0) != nil },
		"ORT bounds by the greatest finite number where no bound is given"},
	{"Clip ReduceMax ReduceMin", func(f *facts) bool {
		return f.type0() == tensor.Int64 && slices.ContainsFunc(f.ints(0), func(x int64) bool { return x>>31 == 1 })
	},
		"ORT takes integers from 2³¹ to 2³² - 1 for negative ones"},
	{"ConvInteger DynamicQuantizeMatMul MatMulInteger MatMulIntegerToFloat QGemm QLinearConv QLinearMatMul", func(f *facts) bool { return f.saturates() },
		"with AVX2 and without VNNI, ORT adds two products of bytes in 16 bits, which saturate"},
	{"ConvTranspose", func(f *facts) bool { return f.same() && f.strides() },
		"ORT makes less than the product of extent and stride where auto_pad is SAME and strides are greater than the kernel"},
	{"DFT", func(f *facts) bool { return f.int("inverse", 0) == 1 && f.int("onesided", 0) == 1 && f.has(1) },
		"ORT does not cut or fill what half a spectrum needs (reference evaluator)"},
	{"Dropout", func(f *facts) bool { return f.Opset < 12 && len(f.node.Output) > 1 },
		"before opset 12 nothing says what the mask of an inference is: ones here, zeros there"},
	{"GroupQueryAttention", func(f *facts) bool { return f.has(9) && (!f.has(3) || f.shape(3)[2] == 0) },
		"without a cache ORT takes the first place alone from position_ids, and counts on from there"},
	{"Loop", func(f *facts) bool { return f.zero(0) || f.zero(1) }, "ORT does not know the shape of what a loop without a turn yields"},
	{"MeanVarianceNormalization", func(f *facts) bool { return f.yieldNaN() },
		"ORT computes E[x²] - E[x]², which can be below 0"},
	{"Mod", func(f *facts) bool {
		return f.int("fmod", 0) == 1 && f.type0() == tensor.Int64 || f.type0() == tensor.Uint64
	},
		"with fmod ORT computes with float64"},
	{"MultiHeadAttention", func(f *facts) bool {
		return f.int("unidirectional", 0) == 1 && !slices.Equal(f.lengths(0), f.lengths(1))
	},
		"with more or fewer new keys than queries nothing says which ones are previous: the last query sees all here; in ORT that, and the first one the first"},
	{"NonZero", func(f *facts) bool { return len(f.shape(0)) == 0 },
		"ORT takes a scalar for a list; the standard says that it has no indices"},
	{"QLinearSoftmax", func(f *facts) bool { return f.alone() }, "ORT's float overflows where a sum has a single term"},
	{"QLinearAveragePool", func(f *facts) bool { return f.int("ceil_mode", 0) == 1 && f.int("count_include_pad", 0) == 1 },
		"ORT counts elements beyond the padding"},
	{"FusedMatMul", func(f *facts) bool { return len(f.shape(1)) == 1 && f.int("transA", 0) == 1 },
		"ORT multiplies a vector as if the matrices were not transposed"},
	{"ReduceLogSumExp", func(f *facts) bool { return f.type0().IsInteger() },
		"ORT computes with integers, exponentials too"},
	{"ReduceMax ReduceMin", func(f *facts) bool { return f.finite(0) != nil && math.IsNaN(*f.finite(0)) },
		"ORT skips NaN in some of the places where it stands"},
	{"ReduceSum", func(f *facts) bool { return f.shape(0).Len() == 0 }, "ORT keeps the dimensions of a tensor without elements"},
	{"Resize Upsample", func(f *facts) bool { return f.str("coordinate_transformation_mode") == "tf_crop_and_resize" },
		"ORT does not count the region where scales are given, and leaves dimensions as they are whose extent stays the same"},
	{"Resize Upsample", func(f *facts) bool { return f.unchanged() },
		"ORT copies tensors whose shape stays the same, whatever the scales"},
	{"Resize", func(f *facts) bool { return f.str("mode") != "linear" && f.str("mode") != "cubic" && f.uneven() },
		"where rounding decides which element is nearest: places are binary32 there"},
	{"Softplus", func(f *facts) bool {
		return f.type0() == tensor.Float16 && slices.ContainsFunc(f.numbers(0), func(x float64) bool { return x > 88 })
	},
		"of great numbers in float16 ORT takes exponentials, which overflow"},
	{"Slice", func(f *facts) bool {
		return f.has(4) && slices.Contains(f.ints(2), math.MaxInt32) && slices.Min(f.ints(4)) < 0
	},
		"ORT takes the greatest end for all elements, backwards too; the standard has the least one for that"},
	{"Resize", func(f *facts) bool { return f.int("antialias", 0) == 1 && f.type0() == tensor.Int8 },
		"ORT bounds results of int8 by 0"},
	{"Resize", func(f *facts) bool {
		return f.str("coordinate_transformation_mode") == "align_corners" && f.fractional()
	},
		"ORT aligns with the last element of the result, the standard with the product of extent and scale (test_resize_downsample_scales_cubic_align_corners)"},
}

// disputed returns why ONNX Runtime is not followed for a model, if it is not.
func disputed(m *random.Model, theirs *peer.Answer) string {
	f := &facts{Model: m, node: m.Node, theirs: theirs}
	if f.node == nil {
		return ""
	}
	for _, d := range disputes {
		if slices.Contains(strings.Fields(d.ops), f.node.OpType) && d.when(f) {
			return d.why
		}
	}
	return ""
}

// facts are those of a model of one operator.
type facts struct {
	*random.Model
	node   *proto.Node
	theirs *peer.Answer
}

func (f *facts) attribute(name string) *proto.Attribute {
	for _, a := range f.node.Attribute {
		if a.Name == name {
			return a
		}
	}
	return nil
}

func (f *facts) int(name string, value int64) int64 {
	if a := f.attribute(name); a != nil {
		return a.I
	}
	return value
}

func (f *facts) str(name string) string {
	if a := f.attribute(name); a != nil {
		return a.S
	}
	return ""
}

// list returns the integers of an attribute.
func (f *facts) list(name string) []int64 {
	if a := f.attribute(name); a != nil {
		return a.Ints
	}
	return nil
}

// most returns the greatest integer of an attribute.
func (f *facts) most(name string) int64 { return slices.Max(append(f.list(name), 0)) }

func (f *facts) has(i int) bool { return i < len(f.node.Input) && f.node.Input[i] != "" }

// operand returns an operand, nil if it is left out.
func (f *facts) operand(i int) *tensor.Tensor {
	if !f.has(i) {
		return nil
	}
	return f.value(f.node.Input[i])
}

func (f *facts) value(name string) *tensor.Tensor {
	if x := f.Inputs[name]; x != nil {
		return x
	}
	for _, p := range f.Proto.Graph.Initializer {
		if p.Name == name {
			return must(p.Value(nil))
		}
	}
	for _, n := range f.Proto.Graph.Node {
		switch {
		case !slices.Contains(n.Output, name):
		case n.OpType == "Constant":
			return must(n.Attribute[0].T.Value(nil))
		case n.OpType == "Cast":
			made := facts{node: n}
			d, err := proto.DataType(made.int("to", 0)).DType()
			if err != nil {
				panic(err)
			}
			return must(tensor.Cast(f.value(n.Input[0]), d))
		}
	}
	return nil
}

func (f *facts) shape(i int) tensor.Shape { return f.operand(i).Shape() }
func (f *facts) type0() tensor.DType      { return f.operand(0).DType() }
func (f *facts) ints(i int) []int64 {
	return tensor.Data[int64](must(tensor.Cast(f.operand(i), tensor.Int64)))
}
func (f *facts) numbers(i int) []float64 {
	return tensor.Data[float64](must(tensor.Cast(f.operand(i), tensor.Float64)))
}
func (f *facts) same() bool { return strings.HasPrefix(f.str("auto_pad"), "SAME") }
func (f *facts) lengths(i int) tensor.Shape { // of sequences of an attention
	s := f.shape(i)
	if len(s) == 4 {
		return s[2:3]
	}
	return s[1:2]
}

// finite returns the first element of an operand that is not finite.
func (f *facts) finite(i int) *float64 {
	for _, x := range f.numbers(i) {
		if math.IsNaN(x) {
			return &x
		}
	}
	for _, x := range f.numbers(i) {
		if math.IsInf(x, 0) {
			return &x
		}
	}
	return nil
}

// saturates reports whether weights of int8 are so great that two of them, multiplied by codes of uint8, may be beyond 16 bits, and whether
// this processor adds them there.
func (f *facts) saturates() bool {
	codes, weights := 0, 1
	if strings.HasPrefix(f.node.OpType, "Q") { // scales and zero points stand between
		weights = 3
	}
	if f.type0() == tensor.Int8 {
		codes, weights = weights, codes
	}
	return simd.AVX2.Hardware() && !simd.VNNI.Hardware() && f.operand(codes).DType() != tensor.Int8 && f.operand(weights).DType() == tensor.Int8 &&
		slices.ContainsFunc(f.ints(weights), func(w int64) bool { return max(w, -w) > math.MaxInt16/math.MaxUint8/2 })
}

// zero reports whether an operand is there and 0.
func (f *facts) zero(i int) bool { return f.has(i) && f.numbers(i)[0] == 0 }

// yieldNaN reports whether there is NaN in what ONNX Runtime yields.
func (f *facts) yieldNaN() bool {
	for _, x := range f.theirs.Outputs {
		if slices.ContainsFunc(tensor.Data[float64](must(tensor.Cast(x, tensor.Float64))), math.IsNaN) {
			return true
		}
	}
	return false
}

// strides reports whether one is greater than what the kernel covers.
func (f *facts) strides() bool {
	kernel, dilations, extra := f.list("kernel_shape"), f.list("dilations"), f.list("output_padding")
	if kernel == nil {
		for _, n := range f.shape(1)[2:] {
			kernel = append(kernel, int64(n))
		}
	}
	for d, s := range f.list("strides") {
		n := kernel[d]
		if dilations != nil {
			n = (n-1)*dilations[d] + 1
		}
		if extra != nil {
			n += extra[d]
		}
		if s > n {
			return true
		}
	}
	return false
}

// casts reports whether values of a type are cast, or cast to it.
func (f *facts) casts(d tensor.DType) bool {
	to := f.int("to", 0)
	if f.has(1) {
		to = int64(proto.DataTypeOf(f.operand(1).DType()))
	}
	return f.type0() == d || to == int64(proto.DataTypeOf(d))
}

// scales returns those of a resizing, nil if there are none.
func (f *facts) scales() []float64 {
	var out []float64
	if a := f.attribute("scales"); a != nil {
		for _, x := range a.Floats {
			out = append(out, float64(x))
		}
	} else if i := 2; f.Opset >= 11 && f.has(i) {
		out = f.numbers(i)
	} else if f.Opset < 11 {
		out = f.numbers(1)
	}
	return out
}

// scaled returns the extents that scales make of those of operand 0, in the dimensions that they are for.
func (f *facts) scaled() (from []int, to []float64) {
	from = f.shape(0)
	if axes := f.list("axes"); axes != nil {
		var some []int
		for _, a := range axes {
			some = append(some, from[(int(a)+len(from))%len(from)])
		}
		from = some
	}
	for i, x := range f.scales() {
		to = append(to, float64(from[i])*x)
	}
	return from, to
}

// unchanged reports whether scales that are not 1 leave the shape as it is; with antialias, a dimension of it.
func (f *facts) unchanged() bool {
	from, to := f.scaled()
	changed, kept := 0, 0
	for i, x := range to {
		switch {
		case int(float32(x)) != from[i]:
			changed++
		case x != float64(from[i]):
			kept++
		}
	}
	return kept > 0 && (changed == 0 || f.int("antialias", 0) == 1)
}

// fractional reports whether scales make something else than whole extents, or a ratio that is kept.
func (f *facts) fractional() bool {
	from, to := f.scaled()
	if policy := f.str("keep_aspect_ratio_policy"); f.has(3) && strings.HasPrefix(policy, "not_") {
		var ratios []float64
		for i, n := range f.ints(3) {
			ratios = append(ratios, float64(n)/float64(from[i]))
		}
		kept := slices.Min(ratios)
		if policy == "not_smaller" {
			kept = slices.Max(ratios)
		}
		for _, n := range from {
			to = append(to, float64(n)*kept)
		}
	}
	return slices.ContainsFunc(to, func(x float64) bool { return x != math.Floor(x) })
}

// uneven reports whether there are scales that are no multiples of 1/8.
func (f *facts) uneven() bool {
	return slices.ContainsFunc(f.scales(), func(x float64) bool { return 8*x != math.Floor(8*x) })
}

// alone reports whether the groups of a softmax have one element.
func (f *facts) alone() bool {
	s, axis := f.shape(0), int(f.int("axis", -1))
	if f.int("opset", 0) < 13 {
		return s[axis:].Len() == 1
	}
	return s[(axis+len(s))%len(s)] == 1
}
