// Package exported tests exporters: what they make of an operator or a graph computes what the engine does, or they refuse it and say why.
package exported

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testdata/golden"
	"github.com/concord-nn/concord/internal/testdata/single"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Exporter is what a test has to know of an exporter.
type Exporter struct {
	Rows   []kit.Row
	Export func(t testing.TB, g *graph.Graph) (Model, error) // a *kit.Error refuses the graph

	// Constants draws which operands of a case are constants; nil leaves the case aside.
	Constants func(r *op.Rand, operator string, c op.Case) func(i int) bool
	// Aside are reasons of refusals that are not noted, as they are of types.
	Aside *regexp.Regexp
	// Rare reports whether perhaps no case of a row can be expressed, although it is not refused; nil: of none.
	Rare func(r kit.Row) bool
	// Moderate bounds the operands of cases whose results may differ by what the row says.
	Moderate float64

	Equal    func(got, want *tensor.Tensor) bool
	Distance func(got, want *tensor.Tensor) float64
}

// Model is what a graph becomes.
type Model struct {
	Run       func(inputs map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error)
	Tolerance float64  // that is announced
	Notes     []string // what it is
}

// Announced returns the greatest tolerance of approximations.
func Announced(list []kit.Approximation) float64 {
	tolerance := 0.0
	for _, a := range list {
		tolerance = max(tolerance, a.Tolerance)
	}
	return tolerance
}

// Mask draws constants for each second case.
func Mask(r *op.Rand, _ string, c op.Case) func(i int) bool {
	constants := 0
	if r.Bool() {
		constants = r.IntN(1 << len(c.In))
	}
	return func(i int) bool { return constants>>i&1 == 1 }
}

// outcome counts how the cases of an operator went.
type outcome struct {
	exported int
	notes    map[string]bool
	forms    map[string]int // how many cases have become models with the same notes
	enough   int            // how many of these are computed
}

func newOutcome(enough int) *outcome {
	return &outcome{notes: make(map[string]bool), forms: make(map[string]int), enough: enough}
}

// enough is how many of the models of one form are all computed, if there is no time for all of them; of further ones, whose cases are greater, it is
// each second one.
const enough = 8

// Operators exports generated cases of every operator and compares what some compute of each form that they take: bit by bit where the table says so, and else within its tolerance.
// What becomes of them is held to testdata/operators.txt, which some cases have written.
func (e *Exporter) Operators(t *testing.T, some, many int) {
	cases := testdata.Cases(some, many)
	var mu sync.Mutex
	outcomes := make(map[string]*outcome)
	t.Run("all", func(t *testing.T) {
		for _, r := range e.Rows {
			t.Run(r.Op, func(t *testing.T) {
				t.Parallel()
				o := newOutcome(testdata.Cases(enough, many))
				for seed := range cases {
					e.try(t, r, uint64(seed), 1+seed*6/cases, o)
				}
				if cases >= some && o.exported == 0 && r.Form != kit.Refused && (e.Rare == nil || !e.Rare(r)) {
					t.Error("no case could be exported")
				}
				mu.Lock()
				outcomes[r.Op] = o
				mu.Unlock()
			})
		}
	})
	if cases != some || t.Failed() || len(outcomes) < len(e.Rows) {
		return // the file is of as many cases of all operators
	}
	var b strings.Builder
	for _, r := range e.Rows {
		fmt.Fprintf(&b, "%s %s\n", r.Op, r.Form)
		for _, note := range naming.Sorted(outcomes[r.Op].notes) {
			fmt.Fprintf(&b, "    %s\n", note)
		}
	}
	golden.Compare(t, "testdata/operators.txt", b.String())
}

// Fuzz exports applications of operators that seeds draw, as [Exporter.Operators] does.
func (e *Exporter) Fuzz(f *testing.F) {
	f.Helper()
	for i := range e.Rows {
		f.Add(uint8(i), uint64(i), uint8(3))
	}
	f.Fuzz(func(t *testing.T, which uint8, seed uint64, size uint8) {
		e.try(t, e.Rows[int(which)%len(e.Rows)], seed, 1+int(size)%12, newOutcome(1))
	})
}

func (e *Exporter) try(t *testing.T, r kit.Row, seed uint64, size int, o *outcome) {
	t.Helper()
	rnd := op.NewRand(seed, size)
	d, _ := op.Lookup(r.Op)
	c := d.Draw(rnd)
	constant := e.Constants(rnd, r.Op, c)
	if constant == nil {
		return
	}
	g, inputs := single.Graph(t, d, c, constant)
	m, err := e.Export(t, g)
	if refused, ok := errors.AsType[*kit.Error](err); ok {
		for _, f := range refused.Refusals {
			if e.Aside == nil || !e.Aside.MatchString(f.Reason) {
				o.notes["refused: "+Plain(f.Reason)] = true
			}
		}
		return
	}
	form := strings.Join(m.Notes, "; ")
	if o.forms[form]++; err == nil && o.forms[form] > o.enough && o.forms[form]%2 > 0 {
		return
	}
	want, failed := op.NewInterpreter(g).RunNamed(t.Context(), inputs)
	if failed != nil {
		return // there is no evaluation for these types, or a loop takes more turns than it may
	}
	var got map[string]*tensor.Tensor
	if err == nil {
		got, err = m.Run(inputs)
	}
	if err != nil {
		t.Fatalf("seed %d: %v: operands %v, attributes %v\n%s", seed, err, c.In, c.Attrs, m.Notes)
	}
	o.exported++
	for _, note := range m.Notes {
		o.notes[note] = true
	}
	same, worst := e.compare(got, want, single.Moderate(c, e.Moderate))
	if m.Tolerance > r.Tolerance {
		t.Errorf("seed %d: %v is announced, the table allows %v", seed, m.Tolerance, r.Tolerance)
	}
	if !same && m.Tolerance == 0 || worst > r.Tolerance {
		t.Errorf("seed %d: the results differ by %v; %v is allowed: operands %v, attributes %v\n%s\ngot  %v\nwant %v", seed, worst, r.Tolerance, c.In, c.Attrs, m.Notes, got, want)
	}
}

// compare reports whether results are equal, and how far they are from each other if they are moderate.
func (e *Exporter) compare(got, want map[string]*tensor.Tensor, moderate bool) (same bool, worst float64) {
	same = true
	for name, w := range want {
		if e.Equal(got[name], w) {
			continue
		}
		if same = false; moderate {
			worst = max(worst, e.Distance(got[name], w))
		}
	}
	return same, worst
}

var numerals = regexp.MustCompile(`(-?[0-9.]+(e[+-]?[0-9]+)?|\+?Inf|-Inf)([ ,]+-?[0-9]+)*`)

// Plain replaces the numbers of a reason.
func Plain(reason string) string { return numerals.ReplaceAllString(reason, "#") }

// Documents exports NNEF documents of the conformance cases, of which at least a part can be expressed.
func (e *Exporter) Documents(t *testing.T, least float64) {
	t.Helper()
	loaded, exported := 0, 0
	Documents(t, func(path string, g *graph.Graph) {
		loaded++
		if e.Graph(t, path, g) {
			exported++
		}
	})
	t.Logf("%d documents are loaded, %d exported", loaded, exported)
	if exported == 0 || float64(exported) < float64(loaded)*least {
		t.Errorf("only %d of %d documents are exported", exported, loaded)
	}
}

// Graph exports a graph and runs what it becomes: the bits must be the same, or the results within the tolerance that is announced. It reports whether
// the graph can be expressed and run.
func (e *Exporter) Graph(t *testing.T, name string, g *graph.Graph) bool {
	t.Helper()
	m, err := e.Export(t, g)
	if _, ok := errors.AsType[*kit.Error](err); ok {
		t.Logf("%s: %v", name, err)
		return false
	}
	inputs := Inputs(g, 1)
	want, failed := try(t, g, inputs)
	if failed != nil {
		return false
	}
	var got map[string]*tensor.Tensor
	if err == nil {
		got, err = m.Run(inputs)
	}
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return true
	}
	if same, far := e.compare(got, want, true); far > m.Tolerance || !same && m.Tolerance == 0 {
		t.Errorf("%s: an output differs by %v; %v is announced", name, far, m.Tolerance)
	}
	return true
}

// Documents visits the graphs of NNEF documents of the conformance cases, but for those of mistakes, of limits, and of shapes that are left open.
func Documents(t *testing.T, visit func(path string, g *graph.Graph)) {
	t.Helper()
	for _, path := range testdata.Documents(t) {
		n, err := nnef.Load(path, nnef.Options{})
		if err != nil {
			continue
		}
		if p, err := engine.Compile(n.Graph, engine.Options{Threads: 1}); err == nil {
			p.Close()
			visit(path, n.Graph)
		}
		n.Close()
	}
}
