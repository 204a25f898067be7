package operators_test

import (
	"slices"
	"testing"

	"github.com/concord-nn/concord/internal/cvm/operators"
)

func TestLookup(t *testing.T) {
	for name, want := range map[string]struct {
		operator string
		alias    bool
	}{
		"conv2d": {"conv2d", false}, "conv2d_12": {"conv2d", false}, "conv2d_": {"conv2d", false}, "relu_": {"relu", false},
		"max_pool2d_0000000000000000000000000001": {"max_pool2d", false},
		"nn.relu": {"relu", true}, "nn.relu_3": {"relu", true}, "add": {"broadcast_add", true}, "subtract": {"broadcast_sub", true},
		"multiply": {"broadcast_mul", true}, "vision.non_max_suppression": {"non_max_suppression", true},
		// These lose one underscore, so that it takes a further one to find them.
		"__add_symbol__": {}, "__add_symbol___": {"broadcast_add", true}, "__greater_symbol___7": {"broadcast_greater", true},
		"relu0": {}, "relu_1_2": {}, "relu__": {}, "_": {}, "_1": {}, "": {}, "1": {}, "Relu": {}, " relu": {}, "relu ": {}, "conv2d_1a": {},
		"slice": {}, "get_valid_count": {}, "cvm_op": {}, "relu_١": {},
	} {
		o, alias := operators.Lookup(name)
		got := ""
		if o != nil {
			got = o.Name
		}
		if got != want.operator || alias != want.alias {
			t.Errorf("%q is %q, alias %v; want %q, %v", name, got, alias, want.operator, want.alias)
		}
	}
}

// TestTable holds that every row is complete.
func TestTable(t *testing.T) {
	all := operators.All()
	if len(all) != 37 {
		t.Errorf("there are %d operators", len(all))
	}
	if !slices.IsSortedFunc(all, func(a, b *operators.Operator) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	}) {
		t.Error("the operators are not in the order of their names")
	}
	for _, o := range all {
		if o.Doc == "" || o.Operands == "" || o.Outputs == 0 || o.Shape == nil || o.Precision.Text == "" || o.Lower == nil {
			t.Errorf("%s is not complete", o.Name)
		}
		for _, a := range o.Attrs {
			if a.Name == "" || a.Doc == "" || a.Kind == nil || (a.Kind == operators.Enum) != (len(a.Enum) > 0) {
				t.Errorf("%s: attribute %s is not complete", o.Name, a.Name)
			}
		}
		if got, alias := operators.Lookup(o.Name); got != o || alias {
			t.Errorf("%s is not found by its name", o.Name)
		}
	}
}

func TestInPlace(t *testing.T) {
	var names []string
	for _, o := range operators.All() {
		if o.InPlace {
			names = append(names, o.Name)
		}
	}
	want := []string{"abs", "clip", "cvm_clip", "cvm_left_shift", "cvm_precision", "cvm_right_shift", "elemwise_add", "elemwise_sub",
		"expand_dims", "flatten", "relu", "reshape", "squeeze"}
	if !slices.Equal(names, want) {
		t.Errorf("in place work %v; want %v", names, want)
	}
}
