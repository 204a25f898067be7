package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/measure"
	"github.com/concord-nn/concord/op"
)

// profiler gathers the times of units, run by run.
type profiler struct {
	units []*unitTimes // in the order in which they were first evaluated
	of    map[*engine.Unit]*unitTimes
	inner []evaluation // that no unit around them is known of
}

// unitTimes are those of one unit, without those of its blocks.
type unitTimes struct {
	unit  *engine.Unit
	runs  measure.Times // by run, of all evaluations in it
	took  time.Duration // in the run under way
	count int           // evaluations in all runs
}

type evaluation struct {
	began time.Time
	took  time.Duration
}

func newProfiler() *profiler { return &profiler{of: make(map[*engine.Unit]*unitTimes)} }

// add is an [engine.Observer.Unit].
func (p *profiler) add(u *engine.Unit, began time.Time, took time.Duration) {
	t := p.of[u]
	if t == nil {
		t = &unitTimes{unit: u}
		p.of[u], p.units = t, append(p.units, t)
	}
	own := took
	for n := len(p.inner) - 1; n >= 0 && !p.inner[n].began.Before(began); n-- {
		own -= p.inner[n].took
		p.inner = p.inner[:n]
	}
	p.inner = append(p.inner, evaluation{began, took})
	t.took += own
	t.count++
}

// next ends a run.
func (p *profiler) next() {
	for _, t := range p.units {
		t.runs = append(t.runs, t.took)
		t.took = 0
	}
	p.inner = p.inner[:0]
}

// clear forgets the runs so far, and keeps the units.
func (p *profiler) clear() {
	for _, t := range p.units {
		t.runs, t.count, t.took = nil, 0, 0
	}
}

// operatorTime is the time of evaluations by operator.
type operatorTime struct {
	Name  string        `json:"operator"`
	Count int           `json:"runs"`
	Took  time.Duration `json:"nanoseconds"`
	Tail  int           `json:"behindOthers,omitempty"` // runs whose time counts to the operator that it is evaluated behind
	MACs  int64         `json:"macs"`
}

// operators returns the operators, the longest first, of what runs have taken that next has not ended.
func (p *profiler) operators() []*operatorTime {
	by := make(map[string]*operatorTime)
	of := func(name string) *operatorTime {
		if by[name] == nil {
			by[name] = &operatorTime{Name: name}
		}
		return by[name]
	}
	for _, t := range p.units {
		if t.unit.Converts() {
			o := of("(change of layout)")
			o.Count, o.Took = o.Count+t.count, o.Took+t.took
			continue
		}
		for i, n := range t.unit.Nodes {
			o := of(n.Op)
			o.Count += t.count
			if i == 0 {
				o.Took += t.took
			} else if n.Op != t.unit.Nodes[0].Op {
				o.Tail += t.count
			}
			if cost, err := op.NodeCost(n); err == nil {
				o.MACs += cost.MACs * int64(t.count)
			}
		}
	}
	return slices.SortedFunc(maps.Values(by), func(a, b *operatorTime) int {
		return cmp.Or(cmp.Compare(b.Took, a.Took), strings.Compare(a.Name, b.Name))
	})
}

// writeOperators prints a line for each operator, the longest first.
func (p *profiler) writeOperators(w io.Writer) error {
	rows := p.operators()
	var total time.Duration
	for _, o := range rows {
		total += o.Took
	}
	t := newTable(w, tabwriter.AlignRight)
	fmt.Fprintf(t, "OPERATOR\tRUNS\tTIME\tSHARE\tMULTIPLY-ADDS\t\n")
	tails := false
	for _, o := range rows {
		name := o.Name
		if o.Tail > 0 {
			name, tails = name+" *", true
		}
		fmt.Fprintf(t, "%s\t%d\t%v\t%.1f %%\t%s\t\n", name, o.Count, o.Took.Round(time.Microsecond),
			100*float64(o.Took)/float64(max(total, 1)), group(o.MACs))
	}
	if err := t.Flush(); err != nil || !tails {
		return err
	}
	_, err := fmt.Fprintln(w, "* evaluated together with the operator in front of it, to which the time counts")
	return err
}
