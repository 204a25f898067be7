package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/concord-nn/concord/engine"
)

// traceFile is a run in the trace event format of Chrome, which Perfetto reads.
type traceFile struct {
	Events []traceEvent `json:"traceEvents"`
	Unit   string       `json:"displayTimeUnit"`
}

// traceEvent is an event on a track. Those of one track lie beside or within each other, as the format demands.
type traceEvent struct {
	Name    string         `json:"name"`
	Kind    string         `json:"cat"` // by which viewers choose what to show
	Phase   string         `json:"ph"`  // "X" for what has a duration, "M" for the names of tracks
	Process int            `json:"pid"`
	Track   int            `json:"tid"` // from 1, as 0 is the thread of an idle processor
	Began   float64        `json:"ts"`  // microseconds, as the duration
	Took    float64        `json:"dur"`
	Args    map[string]any `json:"args"`
}

// about returns an event that says something of a track.
func about(track int, what, key string, value any) traceEvent {
	return traceEvent{Name: what, Kind: "__metadata", Phase: "M", Process: 1, Track: track, Args: map[string]any{key: value}}
}

// trace runs the model once more and notes what was done when: units on the first track, what each worker computed of them on its own.
func (m *measured) trace(ctx context.Context) (*traceFile, error) {
	tracks := make([][]span, 1+m.Report.Threads) // each is written by one goroutine
	for i := range tracks {
		tracks[i] = make([]span, 0, 4096)
	}
	m.session.Observe(&engine.Observer{
		Unit: func(u *engine.Unit, began time.Time, took time.Duration) {
			tracks[0] = append(tracks[0], span{unit: u, began: began, took: took})
		},
		Chunk: func(u *engine.Unit, worker, lo, hi int, began time.Time, took time.Duration) {
			tracks[worker+1] = append(tracks[worker+1], span{u, lo, hi, began, took})
		},
	})
	began := time.Now()
	err := m.session.Run(ctx)
	m.session.Observe(nil)
	if err != nil {
		return nil, err
	}
	return traceOf(m.Report.Model, began, tracks), nil
}

// traceOf makes the file of what was done on tracks, of which the first has whole units, in a run of a model.
func traceOf(model string, run time.Time, tracks [][]span) *traceFile {
	t := &traceFile{Unit: "ms", Events: []traceEvent{about(1, "process_name", "name", "concord "+model)}}
	for i, spans := range tracks {
		name := "units"
		if i > 0 {
			name = fmt.Sprintf("worker %d", i-1)
		}
		t.Events = append(t.Events, about(i+1, "thread_name", "name", name), about(i+1, "thread_sort_index", "sort_index", i))
		slices.SortStableFunc(spans, func(a, b span) int { return cmp.Or(a.began.Compare(b.began), cmp.Compare(b.took, a.took)) }) // outer ones first
		for _, s := range spans {
			t.Events = append(t.Events, s.event(i, run))
		}
	}
	return t
}

// span is a unit, or some of its pieces, under way.
type span struct {
	unit   *engine.Unit
	lo, hi int // pieces; none for all
	began  time.Time
	took   time.Duration
}

func (s *span) event(track int, run time.Time) traceEvent {
	nodes := unitReports([]*engine.Unit{s.unit})[0].Nodes
	microseconds := func(d time.Duration) float64 { return float64(d) / 1e3 }
	e := traceEvent{Name: nodes[0], Kind: "unit", Phase: "X", Process: 1, Track: track + 1, Began: microseconds(s.began.Sub(run)), Took: microseconds(s.took),
		Args: map[string]any{"kernel": s.unit.Kernel, "nodes": strings.Join(nodes, ", ")}}
	if track == 0 {
		e.Args["multiply-adds"] = s.unit.Cost.MACs
	} else {
		e.Kind, e.Args["pieces"] = "chunk", fmt.Sprintf("%d…%d of %d", s.lo, s.hi-1, s.unit.Pieces)
	}
	return e
}
