package cvm

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/testdata"
)

// BenchmarkRun infers with networks, in one thread and two, and with a residual network of twenty layers on 32×32 pictures in the formal
// form too.
func BenchmarkRun(b *testing.B) {
	folder := testdata.Shared(b, "conformance", "cvm", "models")
	for _, name := range []string{"resnet20-cifar", "mobilenet-mini", "lenet", "resnet-mini", "detection-multi"} {
		dir := filepath.Join(folder, name)
		input, err := os.ReadFile(filepath.Join(dir, "input-0.bin"))
		if err != nil {
			b.Fatal(err)
		}
		for _, threads := range []int{1, 2} {
			b.Run(name+[]string{1: "/one thread", 2: "/two threads"}[threads], func(b *testing.B) {
				m, err := Open(dir, Options{Engine: engine.Options{Threads: threads}})
				if err != nil {
					b.Fatal(err)
				}
				defer m.Close()
				b.ReportAllocs()
				for b.Loop() {
					if _, err := m.Run(context.Background(), input); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
	dir := filepath.Join(folder, "resnet20-cifar")
	input, err := os.ReadFile(filepath.Join(dir, "input-0.bin"))
	if err != nil {
		b.Fatal(err)
	}
	b.Run("resnet20-cifar/formal", func(b *testing.B) {
		f, err := Read(dir)
		if err != nil {
			b.Fatal(err)
		}
		g, err := Formal(f)
		if err != nil {
			b.Fatal(err)
		}
		p, err := engine.Compile(g, engine.Options{Threads: 1})
		if err != nil {
			b.Fatal(err)
		}
		s, err := p.NewSession()
		if err != nil {
			b.Fatal(err)
		}
		if err := decodeInput(s.Input(0), input); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if err := s.Run(context.Background()); err != nil {
				b.Fatal(err)
			}
		}
	})
}
