package op_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// valueCase is an application and its results, known from a standard's cases or by hand, to about six digits.
type valueCase struct {
	op    string
	in    []*tensor.Tensor
	attrs graph.Attrs
	want  [][]float32
}

// checkValues evaluates cases.
func checkValues(t *testing.T, list []valueCase) {
	t.Helper()
	for _, c := range list {
		t.Run(fmt.Sprint(c.op, " ", c.attrs), func(t *testing.T) {
			out, err := op.Eval(def(c.op), c.in, c.attrs)
			if err != nil {
				t.Fatal(err)
			}
			for k, want := range c.want {
				got := floats(out[k])
				if len(got) != len(want) {
					t.Fatalf("result %d is %v; want %d elements", k, out[k], len(want))
				}
				for i, w := range want {
					if d := math.Abs(float64(got[i]) - float64(w)); !(d <= 5e-6*max(1, math.Abs(float64(w)))) && got[i] != w && (got[i] == got[i] || w == w) {
						t.Errorf("element %d of result %d is %v, want %v: %v", i, k, got[i], w, got)
						break
					}
				}
			}
		})
	}
}

// shaped returns a tensor of float32 values.
func shaped(shape tensor.Shape, values ...float32) *tensor.Tensor {
	return must(tensor.FromSlice(values, shape...))
}

// counted returns a tensor of the numbers from 1 on.
func counted(shape ...int) *tensor.Tensor {
	values := make([]float32, tensor.Shape(shape).Len())
	for i := range values {
		values[i] = float32(i + 1)
	}
	return must(tensor.FromSlice(values, shape...))
}
