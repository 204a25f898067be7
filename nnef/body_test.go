package nnef_test

import (
	"math"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestBodies holds the body of every operator to its reference, on generated cases and within the tolerance that the
// definition states.
func TestBodies(t *testing.T) {
	cases := testdata.Cases(32, 100)
	for _, d := range op.All() {
		if d.Body == "" {
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			worst := 0.0
			for seed := range cases {
				c := d.Draw(op.NewRand(uint64(seed), 1+seed*9/cases))
				far := compareBody(t, d, c, uint64(seed))
				worst = max(worst, far)
			}
			if worst > d.BodyTol {
				t.Errorf("body and reference differ by %.3g; the definition allows %v", worst, d.BodyTol)
			}
		})
	}
}

// compareBody returns the greatest difference between body and reference, relative to max(1, |reference|). Where the
// reference is not finite, or the operands are not, bodies may differ: intermediate results overflow.
func compareBody(t *testing.T, d *op.Def, c op.Case, seed uint64) float64 {
	t.Helper()
	want, err := op.Eval(d, c.In, c.Attrs)
	if err != nil {
		t.Fatal(err)
	}
	types := make([]op.Type, len(c.In))
	inputs := make(map[string]*tensor.Tensor)
	for i, x := range c.In {
		if x != nil {
			types[i] = op.Type{DType: x.DType(), Shape: x.Shape()}
			if !finite(x) {
				return 0
			}
		}
	}
	g, err := nnef.ExpandBody(d, types, c.Attrs)
	if err != nil {
		t.Fatalf("seed %d: %v: operands %v, attributes %v", seed, err, c.In, c.Attrs)
	}
	if err := graph.Verify(g, op.Rules); err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, graph.Text(g, op.Rules))
	}
	k := 0
	for _, x := range c.In {
		if x != nil {
			inputs[g.Inputs[k].Name] = x
			k++
		}
	}
	got := evaluate(t, g, inputs)
	worst := 0.0
	for i, o := range g.Outputs {
		far := distance(t, got[o.Name], want[i])
		if far > d.BodyTol && far > worst {
			t.Logf("seed %d: differs by %v: operands %v, attributes %v", seed, far, c.In, c.Attrs)
		}
		worst = max(worst, far)
	}
	return worst
}

func wide(t *testing.T, x *tensor.Tensor) []float64 {
	t.Helper()
	d := tensor.Float32
	if !x.DType().IsFloat() {
		d = tensor.Int64
	}
	y, err := tensor.Cast(x, d)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]float64, y.Len())
	for i, v := range tensor.Data[float32](y) {
		out[i] = float64(v)
	}
	for i, v := range tensor.Data[int64](y) {
		out[i] = float64(v)
	}
	return out
}

func finite(x *tensor.Tensor) bool {
	if !x.DType().IsFloat() {
		return true
	}
	y, err := tensor.Cast(x, tensor.Float32)
	if err != nil {
		return false
	}
	for _, v := range tensor.Data[float32](y) {
		if f := math.Abs(float64(v)); !(f <= 1e18) {
			return false
		}
	}
	return true
}

func distance(t *testing.T, got, want *tensor.Tensor) float64 {
	t.Helper()
	if got == nil || got.Describe() != want.Describe() {
		t.Fatalf("the body yields %v; want %v", got, want)
	}
	a, b := wide(t, got), wide(t, want)
	worst := 0.0
	for i := range a {
		if want.DType().IsHalf() && neighbours(got, want, i) {
			continue // results near to each other may round to different 16-bit floats
		}
		if a[i] == b[i] || math.IsNaN(a[i]) && math.IsNaN(b[i]) || math.IsInf(b[i], 0) {
			continue
		}
		far := math.Abs(a[i]-b[i]) / max(1, math.Abs(b[i]))
		if math.IsNaN(far) {
			far = math.Inf(1)
		}
		worst = max(worst, far)
	}
	return worst
}

// neighbours reports whether element i of two tensors of 16-bit floats is the same or next to it.
func neighbours(x, y *tensor.Tensor, i int) bool {
	d := int(tensor.Words[uint16](x)[i]) - int(tensor.Words[uint16](y)[i])
	return -1 <= d && d <= 1
}

func TestBodyErrors(t *testing.T) {
	def := func(name, body string) *op.Def {
		d, _ := op.Lookup(name)
		own := *d
		if body != "" {
			own.Body = body
		}
		return &own
	}
	first := graph.AttrsOf("axes", []int{0})
	for _, c := range []struct {
		d     *op.Def
		attrs graph.Attrs
		want  string
	}{
		{nil, nil, "there is no operator: the definition is nil"},
		{def("neg", ""), nil, "the operator neg has no body: it is primitive"},
		{def("softmax", ""), graph.AttrsOf("axes", []int{3}), "axis 3"},
		{def("softmax", "y = exp(x"), nil, "softmax:1:10: syntax error"},
		{def("softmax", "y = 1.0;"), first, "the body of softmax yields 1.0"},
		{def("softmax", "y = sum_reduce(x, axes = [0]);"), first, "the body of softmax yields float32[1]; the operator yields float32[2]"},
		{def("split", "values = [value];"), graph.AttrsOf("axis", 0, "ratios", []int{1, 1}), "the body of split yields 1 results; there must be 2"},
	} {
		if _, err := nnef.ExpandBody(c.d, []op.Type{{DType: tensor.Float32, Shape: tensor.Shape{2}}}, c.attrs); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v; want …%s…", err, c.want)
		}
	}
}
