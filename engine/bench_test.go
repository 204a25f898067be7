package engine

import (
	"context"
	"strconv"
	"testing"
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
