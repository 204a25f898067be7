package export_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/internal/testdata/golden"
	"github.com/concord-nn/concord/internal/testdata/single"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/openvx/export"
	"github.com/concord-nn/concord/tensor"
)

// outcome counts how the cases of an operator went.
type outcome struct {
	cases, equal, near int
	worst              float64         // difference, relative to max(1, |result|)
	refused            map[string]bool // the reasons, those of types left aside
}

// TestOperators exports generated cases of every operator, builds the network and compares what both compute: in float32 as the table
// says, of integers bit by bit.
func TestOperators(t *testing.T) {
	cases := 100
	if testing.Short() {
		cases = 40
	}
	var b strings.Builder
	for _, r := range export.Table() {
		o := &outcome{refused: make(map[string]bool)}
		t.Run(r.Op, func(t *testing.T) {
			for seed := range cases {
				exportCase(t, r, uint64(seed), 1+seed/20, o)
			}
		})
		t.Logf("%s: %d of %d cases are exported, %d with equal bits, the others within %.2g", r.Op, o.equal+o.near, o.cases, o.equal, o.worst)
		fmt.Fprintf(&b, "%s %s\n", r.Op, r.Form)
		for _, why := range slices.Sorted(maps.Keys(o.refused)) {
			fmt.Fprintf(&b, "    refused: %s\n", why)
		}
	}
	if !testing.Short() && !t.Failed() {
		golden.Compare(t, "testdata/operators.txt", b.String())
	}
}

func exportCase(t *testing.T, r kit.Row, seed uint64, size int, o *outcome) {
	t.Helper()
	rnd := op.NewRand(seed, size)
	d, _ := op.Lookup(r.Op)
	c := d.Draw(rnd)
	constants := 0
	if rnd.IntN(4) > 0 {
		constants = 1<<len(c.In) - 1
	} else {
		constants = rnd.IntN(1 << len(c.In))
	}
	if len(c.In) > 1 && c.In[0] != nil && c.In[1] != nil && c.In[0].DType() == tensor.Float16 {
		return // in float32 halves are rounded less often
	}
	g, inputs := single.Graph(t, d, c, func(i int) bool { return i > 0 && constants>>i&1 == 1 })
	n, err := export.New(g, export.Options{Float: export.Float32})
	o.cases++
	if err != nil {
		var refused *export.Error
		if !errors.As(err, &refused) {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, f := range refused.Refusals {
			if why := numerals.ReplaceAllString(f.Reason, "#"); !strings.Contains(why, "layers do not compute with elements") &&
				!strings.Contains(why, "it has no exact expression for elements") && !strings.Contains(why, "no elements") {
				o.refused[why] = true
			}
		}
		return
	}
	want, got := run(t, g, inputs), runs(t, n, inputs)
	same, worst := true, 0.0
	for name, w := range want {
		if !equal(got[name], w) {
			same = false
			if single.Moderate(c, 1e9) {
				worst = max(worst, distance(got[name], w))
			}
		}
	}
	if same {
		o.equal++
	} else {
		o.near++
		o.worst = max(o.worst, worst)
	}
	if exact := !want["out0"].DType().IsFloat(); worst > r.Tolerance || exact && !same {
		t.Errorf("seed %d: the results differ by %v; %v is allowed: operands %v, attributes %v\ngot  %v\nwant %v", seed, worst, r.Tolerance, c.In, c.Attrs,
			single.Numbers(got["out0"]), single.Numbers(want["out0"]))
	}
}

var numerals = regexp.MustCompile(`(-?[0-9.]+(e[+-]?[0-9]+)?|\+?Inf|-Inf)([ ,]+-?[0-9]+)*`)

// equal reports whether two tensors have the same shape and numbers. Zeros may differ in their signs.
func equal(got, want *tensor.Tensor) bool {
	if got.DType() != want.DType() || !got.Shape().Equal(want.Shape()) {
		return false
	}
	if bytes.Equal(got.Contiguous().Bytes(), want.Contiguous().Bytes()) {
		return true
	}
	if !want.DType().IsFloat() {
		return false
	}
	a, _ := tensor.Cast(got, tensor.Float32)
	b, _ := tensor.Cast(want, tensor.Float32)
	for i, x := range tensor.Data[float32](a) {
		if y := tensor.Data[float32](b)[i]; x != y && (x == x || y == y) {
			return false
		}
	}
	return true
}

// distance leaves out what is infinite in want, and 16-bit floats within a hundredth.
func distance(got, want *tensor.Tensor) float64 {
	return single.Distance(got, want, func(_ int, x, y float64) bool {
		return math.IsInf(y, 0) || want.DType().IsHalf() && math.Abs(x-y) <= math.Abs(y)/100
	})
}
