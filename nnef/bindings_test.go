package nnef

import (
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/nnef/std"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/op"
)

// operations are the 118 operations that the text of NNEF 1.0.5 defines.
const operations = `
external constant variable update
copy neg rcp exp log sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh abs sign not floor ceil round
add sub mul div pow lt gt le ge eq ne and or select sqr sqrt rsqr rsqrt log2 min max clamp
conv deconv box debox argmax_pool sample desample nearest_downsample area_downsample nearest_upsample
multilinear_upsample max_pool_with_index max_pool avg_pool rms_pool separable_conv separable_deconv
sum_reduce max_reduce min_reduce argmax_reduce argmin_reduce all_reduce any_reduce mean_reduce moments
reshape squeeze unsqueeze transpose split concat stack unstack slice pad tile gather cast copy_n add_n
avg_roi_pool max_roi_pool roi_resample avg_roi_align max_roi_align
matmul linear
sigmoid relu prelu leaky_relu elu selu gelu silu softplus softmax
local_response_normalization local_mean_normalization local_variance_normalization local_contrast_normalization
l1_normalization l2_normalization batch_normalization
min_max_linear_quantize linear_quantize zero_point_linear_quantize logarithmic_quantize
`

// TestBindings holds the table to the standard: every operation is bound to operators, or expanded by its body, or
// belongs to the document; and nothing else is in the table.
func TestBindings(t *testing.T) {
	names := strings.Fields(operations)
	if n := len(std.Of(syntax.Final).Fragments()); len(names) != 118 || n != 118 {
		t.Fatalf("%d names and %d declarations; NNEF 1.0.5 has 118 operations", len(names), n)
	}
	for _, name := range names {
		f, ok := std.Lookup(name)
		if !ok {
			t.Errorf("%s is not declared", name)
		} else if sources[name] == nil && loweringOf(syntax.Final, name) == nil && f.Body == nil {
			t.Errorf("%s is neither bound nor does the standard give a body", name)
		}
	}
	for name := range bindings {
		if !slices.Contains(names, name) || sources[name] != nil {
			t.Errorf("%s is bound and no operation of the standard, or belongs to the document", name)
		}
	}
	for name, lower := range provisional {
		if f, ok := std.Of(syntax.Provisional).Lookup(name); !ok || lower == nil && f.Body == nil {
			t.Errorf("%s is bound and no operation of the provisional dialect, or has no body", name)
		}
	}
}

// TestOperatorNames holds operators to naming an operation of the standard where they claim to.
func TestOperatorNames(t *testing.T) {
	for _, d := range op.All() {
		if d.Spec.NNEF == "" {
			continue
		}
		f, ok := std.Lookup(d.Spec.NNEF)
		if !ok {
			t.Errorf("operator %s: NNEF has no operation %s", d.Name, d.Spec.NNEF)
			continue
		}
		if d.Spec.NNEF != d.Name {
			continue
		}
		for i, in := range d.In[:min(len(d.In), tensors(f))] {
			if in.Name != f.Params[i].Name.Name {
				t.Errorf("operator %s: operand %d is %s; NNEF names it %s", d.Name, i, in.Name, f.Params[i].Name.Name)
			}
		}
	}
}

// tensors returns the number of tensor parameters, which come first.
func tensors(f *syntax.Fragment) int {
	n := 0
	for i := range f.Params {
		if _, ok := f.Params[i].Type.(*syntax.TensorType); ok {
			n++
		}
	}
	return n
}
