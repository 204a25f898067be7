package operators_test

import (
	"testing"

	"github.com/concord-nn/concord/internal/cvm/operators"
	"github.com/concord-nn/concord/tensor"
)

// TestIncompleteCalls applies operators to calls that lack what ParseAttrs gives, or have it in other types.
func TestIncompleteCalls(t *testing.T) {
	for _, o := range operators.All() {
		in := []operators.Tensor{{Shape: tensor.Shape{1}, Precision: 8}}
		calls := []*operators.Call{{}, {Operator: o}}
		for _, a := range o.Attrs {
			calls = append(calls, &operators.Call{Operator: o, In: in, Attrs: operators.Values{a.Name: struct{}{}}})
		}
		for i, c := range calls {
			_, err := o.Shapes(c)
			if err == nil && (i == 0 || len(o.Attrs) > 0) {
				t.Errorf("%s: %+v is legal", o.Name, c)
			}
		}
	}
}
