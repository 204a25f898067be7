package op_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testdata/single"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestExpansions holds what operators mean in simpler ones to their references, on generated cases with and without constants: bit by bit
// where that is promised, and else within the tolerance.
func TestExpansions(t *testing.T) {
	cases := testdata.Cases(60, 2000)
	for _, d := range op.All() {
		if d.Expand == nil {
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			said := 0
			for seed := range cases {
				said += expandCase(t, d, uint64(seed), 1+seed*8/cases)
			}
			if said == 0 {
				t.Error("no case has an expansion")
			}
		})
	}
}

// expandCase compares one case, and returns how many there were.
func expandCase(t *testing.T, d *op.Def, seed uint64, size int) int {
	t.Helper()
	r := op.NewRand(seed, size)
	c := d.Draw(r)
	want, err := op.Eval(d, c.In, c.Attrs)
	if err != nil {
		t.Fatal(err)
	}
	for _, y := range want {
		if y.Len() == 0 {
			return 0
		}
	}
	constants := r.IntN(1 << len(c.In))
	if r.Bool() {
		constants = 1<<len(c.In) - 2
	}
	g, _ := single.Graph(t, d, c, func(i int) bool { return constants>>i&1 == 1 })
	x, err := d.Expanded(g.Nodes[0].In, c.Attrs)
	if err != nil {
		if misfit := new(op.Error); errors.As(err, &misfit) || strings.Contains(err.Error(), "yields") {
			t.Errorf("seed %d: %v: operands %v, attributes %v", seed, err, c.In, c.Attrs)
		}
		return 0
	}
	named := make(map[string]*tensor.Tensor)
	for i, v := range x.Args {
		if v != nil && v.Const == nil {
			named[v.Name] = c.In[i]
		}
	}
	got, err := op.NewInterpreter(x.Graph).RunNamed(t.Context(), named)
	if err != nil {
		t.Fatalf("seed %d: %v: operands %v, attributes %v", seed, err, c.In, c.Attrs)
	}
	for i, o := range x.Outputs {
		if far := far(got[o.Name], want[i]); far > x.Tolerance && moderate(c) || x.Tolerance == 0 && string(got[o.Name].Bytes()) != string(want[i].Bytes()) {
			t.Errorf("seed %d: result %d differs by %v, %v is promised: operands %v, attributes %v\ngot  %v\nwant %v", seed, i, far, x.Tolerance, c.In, c.Attrs, got[o.Name], want[i])
		}
	}
	return 1
}

func moderate(c op.Case) bool {
	for _, x := range c.In {
		if x == nil || !x.DType().IsFloat() {
			continue
		}
		wide, _ := tensor.Cast(x, tensor.Float64)
		for _, v := range tensor.Data[float64](wide.Contiguous()) {
			if !(math.Abs(v) <= 1e18) {
				return false
			}
		}
	}
	return true
}

// far returns the greatest difference, relative to max(1, |want|); neighbouring 16-bit floats are as good as equal.
func far(got, want *tensor.Tensor) float64 {
	worst := 0.0
	a, _ := tensor.Cast(got, tensor.Float64)
	b, _ := tensor.Cast(want, tensor.Float64)
	for i, w := range tensor.Data[float64](b.Contiguous()) {
		g := tensor.Data[float64](a.Contiguous())[i]
		if g == w || g != g && w != w || math.IsInf(w, 0) {
			continue
		}
		if want.DType().IsHalf() {
			if n := int(tensor.Words[uint16](got)[i]) - int(tensor.Words[uint16](want)[i]); -1 <= n && n <= 1 {
				continue
			}
		}
		if d := math.Abs(g-w) / max(1, math.Abs(w)); d > worst || d != d {
			worst = d
		}
	}
	return worst
}
