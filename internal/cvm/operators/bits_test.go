package operators_test

import (
	"slices"
	"testing"

	"github.com/concord-nn/concord/internal/cvm/operators"
)

// TestBits has what is beyond the rules of precisions: fillers, operands and results of more than 32 bits, and results that are clipped.
func TestBits(t *testing.T) {
	const all = operators.Unbounded
	for _, c := range []struct {
		op    string
		attrs dict
		in    []operators.Tensor
		want  []int
	}{
		{"broadcast_greater", nil, []operators.Tensor{{s{2}, 1}, {s{2}, 5}}, []int{2}},
		{"broadcast_greater", nil, []operators.Tensor{{s{2}, 5}, {s{2}, 1}}, []int{5}},
		{"get_valid_counts", nil, []operators.Tensor{{s{1, 4, 3}, 1}}, []int{5, 2}},
		{"non_max_suppression", nil, []operators.Tensor{{s{1, 4, 6}, 1}, {s{1}, 8}}, []int{2}},
		{"relu", nil, []operators.Tensor{{s{2}, all}}, []int{all}},
		{"broadcast_mul", nil, []operators.Tensor{{s{2}, 20}, {s{2}, 20}}, []int{all}},
		{"where", nil, []operators.Tensor{{s{2}, all}, {s{2}, 9}, {s{2}, 7}}, []int{9}},
		{"dense", dict{"units": "2", "use_bias": "0"}, []operators.Tensor{{s{2, 3}, 9}, {s{2, 3}, 8}}, []int{all}},
		{"clip", dict{"a_min": "-126", "a_max": "5"}, []operators.Tensor{{s{2}, all}}, []int{8}},
		{"cvm_clip", dict{"precision": "7"}, []operators.Tensor{{s{2}, all}}, []int{7}},
		{"cvm_right_shift", dict{"precision": "7", "shift_bit": "1"}, []operators.Tensor{{s{2}, all}}, []int{7}},
		{"cvm_left_shift", dict{"precision": "7", "shift_bit": "24"}, []operators.Tensor{{s{2}, all}}, []int{7}},
	} {
		o, _ := operators.Lookup(c.op)
		attrs, err := o.ParseAttrs(c.attrs)
		if err != nil {
			t.Fatal(err)
		}
		call := &operators.Call{Operator: o, Attrs: attrs, In: c.in, Compat: true}
		if call.Out, err = o.Shapes(call); err != nil {
			t.Fatal(err)
		}
		if got := call.Bits(); !slices.Equal(got, c.want) {
			t.Errorf("%s %v of %v has %v bits; want %v", c.op, c.attrs, c.in, got, c.want)
		}
	}
}
