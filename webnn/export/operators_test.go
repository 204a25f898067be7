package export_test

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testdata/golden"
	"github.com/concord-nn/concord/internal/testdata/single"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/webnn/export"
)

// outcome counts how the cases of an operator went.
type outcome struct {
	exported int
	refused  map[string]bool // the reasons, those of types left aside
}

// TestOperators exports generated cases of every operator, builds the graph again from the calls, and compares what both
// compute: bit by bit where the table says so, and else within its tolerance.
func TestOperators(t *testing.T) {
	cases := testdata.Cases(48, 600)
	var mu sync.Mutex
	outcomes := make(map[string]*outcome)
	t.Run("all", func(t *testing.T) {
		for _, r := range export.Table() {
			t.Run(r.Op, func(t *testing.T) {
				t.Parallel()
				o := &outcome{refused: make(map[string]bool)}
				for seed := range cases {
					exportCase(t, r, uint64(seed), 1+seed*6/cases, o)
				}
				mu.Lock()
				outcomes[r.Op] = o
				mu.Unlock()
			})
		}
	})
	var b strings.Builder
	for _, r := range export.Table() {
		o := outcomes[r.Op]
		if o == nil {
			return // only some operators are tested
		}
		fmt.Fprintf(&b, "%s %s\n", r.Op, r.Form)
		for _, why := range slices.Sorted(maps.Keys(o.refused)) {
			fmt.Fprintf(&b, "    refused: %s\n", why)
		}
		if r.Form != kit.Refused && o.exported == 0 {
			t.Errorf("%s: no case could be exported", r.Op)
		}
	}
	if cases == 48 {
		golden.Compare(t, "testdata/operators.txt", b.String())
	}
}

func exportCase(t *testing.T, r kit.Row, seed uint64, size int, o *outcome) {
	t.Helper()
	rnd := op.NewRand(seed, size)
	d, _ := op.Lookup(r.Op)
	c := d.Draw(rnd)
	constants := 0
	if rnd.Bool() {
		constants = rnd.IntN(1 << len(c.In))
	}
	if r.Op == "rescale" && rnd.IntN(4) > 0 {
		constants = -1 // otherwise it is refused
	}
	g, inputs := single.Graph(t, d, c, func(i int) bool { return i > 0 && constants>>i&1 == 1 })
	b := builder(t)
	tolerance := 0.0
	outputs, err := export.Build(b, g, export.Options{Approximate: func(a export.Approximation) { tolerance = a.Tolerance }})
	if err != nil {
		var refused *export.Error
		if !errors.As(err, &refused) {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, f := range refused.Refusals {
			if why := numerals.ReplaceAllString(f.Reason, "#"); !strings.Contains(why, "does not exist in WebNN") {
				o.refused[why] = true
			}
		}
		return
	}
	again, err := b.Network(outputs)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	want, got := run(t, g, inputs), run(t, again, inputs)
	same, worst := true, 0.0
	for name, w := range want {
		if !equal(got[name], w) {
			same = false
			if single.Moderate(c, 1e18) {
				worst = max(worst, distance(got[name], w))
			}
		}
	}
	o.exported++
	if tolerance > r.Tolerance {
		t.Errorf("seed %d: %v is announced, the table allows %v", seed, tolerance, r.Tolerance)
	}
	if !same && tolerance == 0 {
		t.Errorf("seed %d: the bits differ, by %v: operands %v, attributes %v\ngot  %v\nwant %v", seed, worst, c.In, c.Attrs, single.Numbers(got["out0"]), single.Numbers(want["out0"]))
	}
	if worst > r.Tolerance {
		t.Errorf("seed %d: the results differ by %v; %v is allowed: operands %v, attributes %v", seed, worst, r.Tolerance, c.In, c.Attrs)
	}
}

var numerals = regexp.MustCompile(`(-?[0-9]+)([ ,]+-?[0-9]+)*`)

// FuzzOperators exports an application of an operator that a seed draws, as TestOperators does.
func FuzzOperators(f *testing.F) {
	rows := export.Table()
	for i := range rows {
		f.Add(uint8(i), uint64(i), uint8(3))
	}
	f.Fuzz(func(t *testing.T, which uint8, seed uint64, size uint8) {
		exportCase(t, rows[int(which)%len(rows)], seed, 1+int(size)%12, &outcome{refused: make(map[string]bool)})
	})
}
