package onnx_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testing/onnx/random"
	"github.com/concord-nn/concord/onnx"
)

// uncompared is what random models do not reach, by operators, each with or without the attributes and operands that this is about, and why.
var uncompared = []struct{ ops, what, why string }{
	{"Bernoulli Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike", "", "everybody draws other numbers"},
	{"SwiGLU CausalConvWithState LinearAttention ai.onnx.preview.FlexAttention", "", "ORT 1.30 does not have it"},
	{"com.microsoft.LayerNormalization com.microsoft.SimplifiedLayerNormalization", "", "ORT has it in the standard's domain"},
	{"Constant", "value_string value_strings", "strings are refused"},
	{"TfIdfVectorizer", "pool_strings", "strings are refused"},
	{"com.microsoft.QLinearAdd com.microsoft.QLinearMul com.microsoft.QLinearSigmoid com.microsoft.QLinearLeakyRelu com.microsoft.QLinearSoftmax " +
		"com.microsoft.QLinearGlobalAveragePool com.microsoft.QLinearAveragePool com.microsoft.QGemm", "X_zero_point Y_zero_point A_zero_point B_zero_point " +
		"C_zero_point b_zero_point", "ORT does not load them without zero points, or ends"},
	{"com.microsoft.MatMulNBits", "g_idx", "it is refused"},
	{"com.microsoft.MatMulBnb4", "training_mode", "it is for training"},
	{"com.microsoft.Attention com.microsoft.QAttention", "do_rotary past_present_share_buffer past_sequence_length", "it is refused"},
	{"com.microsoft.Attention", "rotary_embedding_dim", "it is for do_rotary, which is refused"},
	{"com.microsoft.Attention", "bias", "ORT ends without it"},
	{"com.microsoft.GroupQueryAttention", "sliding_window_cache", "it is refused"},
	{"com.microsoft.GroupQueryAttention", "qk_norm_epsilon q_norm_weight k_norm_weight", "ORT does not have it on processors"},
	{"com.microsoft.MultiHeadAttention", "key value", "ORT does not have packed operands on processors"},
	{"com.microsoft.MultiHeadAttention", "past_sequence_length cache_indirection", "it is refused"},
	{"Attention", "left_window_size right_window_size", "ORT 1.30 does not have it"},
}

// excuse returns the row that names something of an operator, or all of it, among what random models do not reach; -1 if there is none.
func excuse(op, what string) int {
	for i, u := range uncompared {
		if slices.Contains(strings.Fields(u.ops), op) && (u.what == what || slices.Contains(strings.Fields(u.what), what)) {
			return i
		}
	}
	return -1
}

// TestRulesReachTables holds the rules of random models to the tables: for each operator there is one, in some model each attribute of every
// form is set, and each optional operand is given, and left out in another one.
func TestRulesReachTables(t *testing.T) {
	rules, used := random.Ops(), make(map[int]bool)
	excused := func(op, what string) bool {
		i := excuse(op, what)
		used[i] = true
		return i >= 0
	}
	for _, o := range onnx.Operators() {
		if !slices.Contains(rules, o.Name) {
			if !excused(o.Name, "") {
				t.Errorf("%s has no rule", o.Name)
			}
			continue
		}
		seen := make(map[string]bool)
		for seed := range uint64(400) {
			if seed%20 == 19 && reachedAll(o, seen) {
				break
			}
			m := random.Of(o.Name, seed)
			f := formAt(o, m.Opset)
			for _, n := range m.Proto.Graph.Node {
				if f < 0 || n.OpType != o.Name[strings.LastIndex(o.Name, ".")+1:] {
					continue
				}
				for _, a := range n.Attribute {
					seen[key(f, "attribute "+a.Name)] = true
				}
				for i, p := range o.Forms[f].Operands {
					state := " is never left out"
					if i < len(n.Input) && n.Input[i] != "" {
						state = " is never given"
					}
					seen[key(f, "operand "+p+state)] = true
				}
			}
		}
		for f, form := range o.Forms {
			if !reached(o, f) {
				continue
			}
			var missing []string
			for _, a := range form.Attributes {
				name := a[:strings.IndexAny(a, "=:")]
				if !seen[key(f, "attribute "+name)] && !excused(o.Name, name) {
					missing = append(missing, "attribute "+name+" is never set")
				}
			}
			for _, p := range form.Operands {
				for _, state := range []string{" is never given", " is never left out"} {
					if name, optional := strings.CutSuffix(p, "?"); optional && !seen[key(f, "operand "+p+state)] && !excused(o.Name, name) {
						missing = append(missing, "operand "+p+state)
					}
				}
			}
			if len(missing) > 0 {
				t.Errorf("%s since %v: %s", o.Name, form.Since, strings.Join(missing, "; "))
			}
		}
	}
	for i, u := range uncompared {
		if !used[i] {
			t.Errorf("%s %s: random models reach it", u.ops, u.what)
		}
	}
}

// reachedAll reports whether there is nothing more to see.
func reachedAll(o onnx.Operator, seen map[string]bool) bool {
	for f, form := range o.Forms {
		if !reached(o, f) {
			continue
		}
		for _, a := range form.Attributes {
			if !seen[key(f, "attribute "+a[:strings.IndexAny(a, "=:")])] {
				return false
			}
		}
		for _, p := range form.Operands {
			if strings.HasSuffix(p, "?") && (!seen[key(f, "operand "+p+" is never given")] || !seen[key(f, "operand "+p+" is never left out")]) {
				return false
			}
		}
	}
	return true
}

func key(form int, what string) string { return string(rune('0'+form)) + " " + what }

// formAt returns the number of the form that an opset has, -1 if there is none.
func formAt(o onnx.Operator, opset int) int {
	best, since := -1, 0
	if strings.Contains(o.Name, ".") {
		opset = 1
	}
	for i, f := range o.Forms {
		for _, v := range f.Since {
			if v <= opset && v > since {
				best, since = i, v
			}
		}
	}
	return best
}

// reached reports whether there is an opset of the models that has a form.
func reached(o onnx.Operator, form int) bool {
	for opset := random.LeastOpset; opset <= random.MostOpset; opset++ {
		if formAt(o, opset) == form {
			return true
		}
	}
	return false
}
