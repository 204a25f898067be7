package engine

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/concord-nn/concord/op"
)

// BenchmarkThreads runs a graph of divided nodes on one and more goroutines.
func BenchmarkThreads(b *testing.B) {
	g := big(b)
	for _, threads := range []int{1, 2, 4} {
		b.Run(strconv.Itoa(threads), func(b *testing.B) {
			p, err := Compile(g, Options{Threads: threads})
			ok(b, p, err)
			defer p.Close()
			s := session(b, p)
			for b.Loop() {
				if err := s.Run(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSmallNodes measures what the engine adds to each node: 100 additions of one element.
func BenchmarkSmallNodes(b *testing.B) {
	p, err := Compile(chain(b, 100, 1), Options{})
	ok(b, p, err)
	s := session(b, p)
	for b.Loop() {
		if err := s.Run(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHandOver measures what it takes to divide a unit among two goroutines, one of which may sleep: units of about so many microseconds,
// one right behind the other or with pauses.
func BenchmarkHandOver(b *testing.B) {
	const pieces, turns = 100, 450 // additions in a microsecond, about
	for _, micros := range []int{2, 5, 10, 40, 100, 400} {
		run := func(_ *op.Call, lo, hi int) {
			x := float32(lo)
			for range (hi - lo) * micros * turns / pieces {
				x = x*0.5 + 1
			}
			if x < 0 {
				panic("a sum of positive numbers is negative")
			}
		}
		for _, pause := range []time.Duration{0, 200 * time.Microsecond} {
			for workers := 1; workers <= 2; workers++ {
				b.Run(fmt.Sprintf("%d µs/pause %v/%d", micros, pause, workers), func(b *testing.B) {
					p := newPool(workers - 1)
					defer p.close()
					steps := []step{{Unit: &Unit{Pieces: pieces, parts: []part{{run: run, each: 1}}}, work: divide(pieces, int64(micros)*1000, 2),
						wakes: true, calls: [][]op.Call{{{}}, {{}}}}}
					steps[0].workers = workers
					var t task
					t.begin(context.Background(), time.Hour)
					var sum time.Duration
					for b.Loop() {
						for begun := time.Now(); time.Since(begun) < pause; {
						}
						begun := time.Now()
						if err := t.run(p, steps); err != nil {
							b.Fatal(err)
						}
						sum += time.Since(begun)
					}
					b.ReportMetric(float64(sum.Nanoseconds())/float64(b.N), "ns/unit")
				})
			}
		}
	}
}

// BenchmarkSideBySide runs sessions of one program at the same time: how many runs there are of all, and of the one with the fewest.
func BenchmarkSideBySide(b *testing.B) {
	g := big(b)
	for _, threads := range []int{1, 2} {
		for _, sessions := range []int{1, 2, 3} {
			b.Run(fmt.Sprintf("%d threads/%d sessions", threads, sessions), func(b *testing.B) {
				p, err := Compile(g, Options{Threads: threads})
				ok(b, p, err)
				defer p.Close()
				var left atomic.Int64
				left.Store(int64(b.N))
				counts := make([]int64, sessions)
				var all sync.WaitGroup
				for i := range sessions {
					s := session(b, p)
					all.Go(func() {
						for left.Add(-1) >= 0 {
							if err := s.Run(context.Background()); err != nil {
								b.Error(err)
							}
							counts[i]++
						}
					})
				}
				all.Wait()
				b.ReportMetric(float64(slices.Min(counts))/float64(b.N), "least-share")
			})
		}
	}
}
