package op_test

import (
	"math"
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Helpers of the tests of element-wise operators and those like them.

var (
	inf     = float32(math.Inf(1))
	nan     = float32(math.NaN())
	negZero = float32(math.Copysign(0, -1))
)

// vec returns a tensor of rank 1.
func vec[T tensor.Element](values ...T) *tensor.Tensor {
	return must(tensor.FromSlice(values, len(values)))
}

// apply evaluates an operator and returns the elements of its first result.
func apply[R tensor.Element](t *testing.T, name string, attrs graph.Attrs, in ...*tensor.Tensor) []R {
	t.Helper()
	d, ok := op.Lookup(name)
	if !ok {
		t.Fatalf("there is no operator %s", name)
	}
	out, err := op.Eval(d, in, attrs)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := out[0].DType(), tensor.TypeOf[R](); got != want {
		t.Fatalf("%s: the result is %v; it must be %v", name, got, want)
	}
	return tensor.Data[R](out[0])
}

// equalFloats compares bits, so that signs of zeros count and NaN must be canonical.
func equalFloats(t *testing.T, what string, got, want []float32) {
	t.Helper()
	same := func(a, b float32) bool {
		if b != b {
			return math.Float32bits(a) == 0x7FC00000
		}
		return math.Float32bits(a) == math.Float32bits(b)
	}
	if !slices.EqualFunc(got, want, same) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

// closeTo compares with float64 results, relative to max(1, |want|).
func closeTo(t *testing.T, what string, x, got []float32, f func(x float64) float64, tol float64) {
	t.Helper()
	for i, v := range got {
		want := f(float64(x[i]))
		if diff := math.Abs(float64(v) - want); !(diff <= tol*max(1, math.Abs(want))) {
			t.Errorf("%s(%v) = %v, want %v", what, x[i], v, want)
		}
	}
}

// rejected reports an application that is not refused.
func rejected(t *testing.T, name string, attrs graph.Attrs, in ...*tensor.Tensor) {
	t.Helper()
	d, _ := op.Lookup(name)
	if _, err := op.Eval(d, in, attrs); err == nil {
		t.Errorf("%s: operands %v with %v are accepted", name, in, attrs)
	}
}

// everyInt returns the integers from lo to hi.
func everyInt[T tensor.Integer](lo, hi int) []T {
	var out []T
	for i := lo; i <= hi; i++ {
		out = append(out, T(i))
	}
	return out
}

// TestElementwiseWithoutElements evaluates empty tensors, broadcast and not.
func TestElementwiseWithoutElements(t *testing.T) {
	empty, one := must(tensor.New(tensor.Float32, tensor.Shape{0, 3})), must(tensor.New(tensor.Float32, tensor.Shape{1, 3}))
	for _, in := range [][]*tensor.Tensor{{empty, empty}, {empty, one}, {one, empty}} {
		for _, name := range []string{"add", "lt", "prelu", "clamp"} {
			d, _ := op.Lookup(name)
			out, err := op.Eval(d, in, nil)
			if err != nil || !out[0].Shape().Equal(tensor.Shape{0, 3}) {
				t.Errorf("%s of %v: %v, %v", name, in, out, err)
			}
		}
	}
	if got := apply[float32](t, "exp", nil, empty); len(got) != 0 {
		t.Errorf("exp of nothing is %v", got)
	}
}
