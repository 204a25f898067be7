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

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testdata/golden"
	"github.com/concord-nn/concord/internal/testdata/single"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/export"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
)

// outcome is what the cases of an operator have become, and why some have no function.
type outcome struct{ became, foreign map[string]bool }

// TestOperators exports generated cases of every operator, writes and reads the model, and compares the bits.
func TestOperators(t *testing.T) {
	cases := testdata.Cases(75, 1000) // the golden file is that of 75
	var mu sync.Mutex
	outcomes := make(map[string]outcome)
	t.Run("all", func(t *testing.T) {
		for _, r := range export.Table() {
			t.Run(r.Op, func(t *testing.T) {
				t.Parallel()
				d, _ := op.Lookup(r.Op)
				o := outcome{make(map[string]bool), make(map[string]bool)}
				for seed := range cases {
					exportCase(t, d, uint64(seed), 1+seed*6/cases, o)
				}
				mu.Lock()
				outcomes[r.Op] = o
				mu.Unlock()
			})
		}
	})
	if cases != 75 || t.Failed() {
		return
	}
	var b strings.Builder
	for _, r := range export.Table() {
		o, ok := outcomes[r.Op]
		if !ok {
			return // only some operators are tested
		}
		fmt.Fprintf(&b, "%s %s\n", r.Op, r.Form)
		for _, to := range slices.Sorted(maps.Keys(o.became)) {
			fmt.Fprintf(&b, "    %s\n", to)
		}
		for _, why := range slices.Sorted(maps.Keys(o.foreign)) {
			fmt.Fprintf(&b, "    without a function: %s\n", why)
		}
	}
	golden.Compare(t, "testdata/operators.txt", b.String())
}

// exportCase exports an application of an operator that a seed draws.
func exportCase(t *testing.T, d *op.Def, seed uint64, size int, o outcome) {
	t.Helper()
	rnd := op.NewRand(seed, size)
	c := d.Draw(rnd)
	constants := 0
	if rnd.Bool() {
		constants = rnd.IntN(1 << len(c.In))
	}
	g, inputs := single.Graph(t, d, c, func(i int) bool { return constants>>i&1 == 1 })
	want, err := op.NewInterpreter(g).RunNamed(t.Context(), inputs)
	if err != nil {
		return // there is no evaluation for these types, or a loop takes more turns than it may
	}
	m, err := export.New(g, export.Options{Foreign: func(f export.Refusal) {
		why := numerals.ReplaceAllString(f.Reason, "#")
		if f.Op != d.Name {
			why = f.Op + ": " + why // in a block
		}
		o.foreign[why] = true
	}})
	var refused *export.Error
	if errors.As(err, &refused) {
		t.Fatalf("seed %d: %v: operands %v, attributes %v", seed, err, c.In, c.Attrs)
	}
	m = again(t, m)
	got, err := runs(m, inputs)
	if err != nil {
		t.Fatalf("seed %d: %v: operands %v, attributes %v\n%s", seed, err, c.In, c.Attrs, nodes(m))
	}
	for name, w := range want {
		if !same(got[name], w) {
			t.Fatalf("seed %d: the bits of %s differ: operands %v, attributes %v\n%s", seed, name, c.In, c.Attrs, nodes(m))
		}
	}
	o.became[nodes(m)] = true
}

var numerals = regexp.MustCompile(`(-?[0-9.]+(e[+-]?[0-9]+)?)([ ,]+-?[0-9]+)*`)

// nodes names the operators of the nodes of a model, in their order and without repetitions, and says which are ours.
func nodes(m *proto.Model) string {
	var names []string
	for _, n := range m.Graph.Node {
		name := n.OpType
		if n.Domain == onnx.OwnDomain {
			name = "own"
		}
		names = append(names, name)
	}
	return strings.Join(slices.Compact(names), ", ")
}

// FuzzOperators exports an application of an operator that a seed draws, as TestOperators does.
func FuzzOperators(f *testing.F) {
	all := op.All()
	for i := range all {
		f.Add(uint8(i), uint64(i), uint8(3))
	}
	f.Fuzz(func(t *testing.T, which uint8, seed uint64, size uint8) {
		exportCase(t, all[int(which)%len(all)], seed, 1+int(size)%12, outcome{make(map[string]bool), make(map[string]bool)})
	})
}
