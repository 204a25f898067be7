package export_test

import (
	"regexp"
	"slices"
	"strings"

	"github.com/concord-nn/concord/internal/testdata/single"
	"github.com/concord-nn/concord/internal/testing/onnx/peer"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// refusals are what ONNX Runtime, version 1.30, does not run: of all operators, or some, what its error says.
var refusals = []struct {
	ops  string
	says *regexp.Regexp
	why  string
}{
	{"", regexp.MustCompile("Could not find an implementation|Failed to find kernel"), "no kernel for the type"},
	{"scatter_elements_reduce scatter_nd_reduce", regexp.MustCompile("data type is not supported"), "no kernel for the type"},
	{"gru lstm", regexp.MustCompile("does not support double"), "no kernel for the type"},
	{"gather gather_elements gather_nd scatter_elements scatter_elements_reduce scatter_nd scatter_nd_reduce if loop scan",
		regexp.MustCompile("out of data bounds|invalid ind|gather_elements.cc"), "an index out of range"},
	{"roi_align", regexp.MustCompile("batch_indices value"), "an index out of range"},
	{"reverse_sequence", regexp.MustCompile("Invalid sequence length"), "a length out of range"},
	{"div mod", regexp.MustCompile("element_wise_ops"), "an integer divided by 0"},
	{"deconv", regexp.MustCompile("Computed output dimension is <= 0"), "a result without elements"},
	{"deform_conv", regexp.MustCompile("must be 4D"), "only two spatial dimensions"},
	{"grid_sample", regexp.MustCompile("grid_sample.cc"), "only two or three spatial dimensions, and only some modes for three"},
	{"box l2_pool local_response_normalization max_pool rms_pool", regexp.MustCompile("Unsupported pooling size|lrn.cc"),
		"at most three spatial dimensions, for LRN two"},
	{"max_pool", regexp.MustCompile("Pad should be smaller than kernel"), "it joins a Pad with the pool behind it, which may not have such a padding"},
	{"dequantize_linear", regexp.MustCompile("float8 should have no zero point"), "no zero points of float8"},
	{"multilinear_upsample resample resize", regexp.MustCompile("ScalesValidation|upsamplebase.h|framework/tensor.h"),
		"only some ranks, modes and dimensions that are resized"},
	{"conv matmul", regexp.MustCompile("conv_integer.cc|matmul_integer.cc"), "zero points of channels only of some operands"},
	{"dequantize_linear", regexp.MustCompile("quantize_linear.cc.*Float8"), "a zero point of float8 that is not 0"},
	{"n_gram_count", regexp.MustCompile("tfidfvectorizer.cc"), "n-grams that stand in the pool twice, or whose length has none"},
}

// refused returns why ONNX Runtime does not run an operator, or any if the name is empty; "" if it should.
func refused(name, says string) string {
	for _, r := range refusals {
		if (r.ops == "" || name == "" || slices.Contains(strings.Fields(r.ops), name)) && r.says.MatchString(says) {
			return r.why
		}
	}
	return ""
}

// disputes are where ONNX Runtime, version 1.30, computes otherwise: the applications of some operators for which when holds.
var disputes = []struct {
	ops  string
	when func(c op.Case) bool
	why  string
}{
	{"pow product_reduce", func(c op.Case) bool { return c.In[0].DType().IsInteger() }, "it computes integers as floats, which do not wrap"},
	{"cast", func(c op.Case) bool { return c.In[0].DType().IsFloat() && op.Unsigned.Has(c.Attrs.DType("dtype")) },
		"it wraps negative float16 that become unsigned integers; the standard leaves that open"},
	{"gru lstm rnn", func(c op.Case) bool { return slices.Contains(single.Numbers(c.In[len(c.In)-1]), 0) },
		"it yields zeros for sequences without a step, not the state that is given"},
	{"n_gram_count", func(c op.Case) bool { return repeats(c.Attrs.Ints("columns")) }, "it counts only some of the n-grams that share a column"},
	{"top_k", func(c op.Case) bool { return !c.Attrs.Bool("sorted") }, "the standard leaves the order open"},
	{"col_to_im", func(c op.Case) bool { return c.In[0].DType() == tensor.Float16 }, "it does not add up float16"},
	{"instance_normalization", func(c op.Case) bool { return c.In[0].Shape()[2:].Len() == 1 },
		"it adds the bias less the scaled mean to scaled elements, which rounds where their difference is 0"},
	{"resize resample", unchanged, "it copies dimensions whose extent stays the same, whatever scales and regions say"},
	{"resize", func(c op.Case) bool { return c.In[0].DType() == tensor.Int8 && c.Attrs.Bool("antialias") }, "it bounds results of int8 by 0"},
}

// disputed returns why ONNX Runtime need not agree, "" if it must.
func disputed(a *application) string {
	for _, d := range disputes {
		if slices.Contains(strings.Fields(d.ops), a.op) && d.when(a.drawn) {
			return d.why
		}
	}
	return ""
}

// repeats reports whether a number stands in a list twice.
func repeats(list []int) bool {
	sorted := slices.Sorted(slices.Values(list))
	return len(slices.Compact(sorted)) < len(list)
}

// unchanged reports whether the extent of a dimension stays the same although scales or a region resize it.
func unchanged(c op.Case) bool {
	scales, sizes := c.Attrs.Floats("scales"), c.Attrs.Ints("sizes")
	region := len(c.Attrs.Floats("roi")) > 0 && c.Attrs.String("coordinates") == "tf_crop_and_resize"
	for d, n := range c.In[0].Shape() {
		if sizes[d] == n && (region || len(scales) > 0 && scales[d] != 1) {
			return true
		}
	}
	return false
}

// tolerance returns by how much results may differ: functions round in other places, and integers that are interpolated by one.
func (a *application) tolerance() peer.Tolerance {
	far := peer.Tolerance{Loose: 10}
	switch a.op {
	case "multilinear_upsample", "resample", "resize":
		far.Quanta = 1
	}
	return far
}
