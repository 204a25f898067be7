package engine

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/concord-nn/concord/tensor"
)

// TestObserveUnits sees each evaluation of a unit once, those of a block's units before that of its node, and within its time.
func TestObserveUnits(t *testing.T) {
	p, err := Compile(counting(t, 100, 3), Options{})
	ok(t, p, err)
	s := session(t, p)
	type span struct{ began, ended time.Time }
	var seen []string
	var spans []span
	s.Observe(&Observer{Unit: func(u *Unit, began time.Time, took time.Duration) {
		seen, spans = append(seen, u.Nodes[0].Op), append(spans, span{began, began.Add(took)})
	}})
	run(t, s)
	if want := []string{"add", "lt", "add", "lt", "add", "lt", "loop", "neg"}; !slices.Equal(seen, want) {
		t.Fatalf("observed %q; want %q", seen, want)
	}
	loop := spans[6]
	for i, inner := range spans[:6] {
		if inner.began.Before(loop.began) || inner.ended.After(loop.ended) {
			t.Errorf("unit %d is not within the loop", i)
		}
	}
	s.Observe(nil)
	seen = nil
	if run(t, s); seen != nil {
		t.Error("observed after the end")
	}
}

// TestObserveChunks sees all pieces of divided units, on workers that there are.
func TestObserveChunks(t *testing.T) {
	for _, threads := range []int{1, 2} {
		p, err := Compile(big(t), Options{Threads: threads})
		ok(t, p, err)
		s := session(t, p)
		var lock sync.Mutex
		pieces := make(map[*Unit]int)
		s.Observe(&Observer{Chunk: func(u *Unit, worker, lo, hi int, _ time.Time, took time.Duration) {
			lock.Lock()
			defer lock.Unlock()
			if pieces[u] += hi - lo; worker < 0 || worker >= threads || took < 0 {
				t.Errorf("worker %d of %d", worker, threads)
			}
		}})
		run(t, s)
		for _, u := range p.Units() {
			if pieces[u] != u.Pieces {
				t.Errorf("%d pieces of %s, want %d", pieces[u], u.Nodes[0].Op, u.Pieces)
			}
		}
		p.Close()
	}
}

// TestTraffic counts what goes into units and out of them: a unit of two nodes does not count what is between them.
func TestTraffic(t *testing.T) {
	n := newNet(t)
	x := n.input("x", tensor.Float32, 10)
	n.output("y", n.op("add", nil, n.op("exp", nil, n.op("neg", nil, x)), n.constant([]float32{1}, 1)))
	g, err := n.Build()
	ok(t, g, err)
	p, err := Compile(g, Options{})
	ok(t, p, err)
	var got []string
	for _, u := range p.Units() {
		read, written := u.Traffic()
		got = append(got, fmt.Sprintf("%d nodes, %d in, %d out", len(u.Nodes), read, written))
	}
	if want := []string{"3 nodes, 44 in, 40 out"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
