package shards

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/concord-nn/concord/bulk"
)

// TestWorker calls DoFns as workers of other runners do: several instances at the same time, bundles that fail and come again, shards that two of
// them have. They share one model, which is closed behind the last of them.
func TestWorker(t *testing.T) {
	cfg, err := Config{
		Model: "../../examples/digits/model.nnef", Output: t.TempDir(),
		Options: bulk.Options{Inputs: []string{"../../examples/digits/drawings"}, Shards: 3},
	}.settle()
	if err != nil {
		t.Fatal(err)
	}
	j, err := open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	id, err := identify(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	alone := t.TempDir()
	want := make([]Part, cfg.Options.Shards)
	for i := range want {
		s, err := j.Run(t.Context(), alone, i, false, nil)
		if err != nil {
			t.Fatal(err)
		}
		want[i] = Part{i, filepath.Base(s.File), s.Inputs, 0, s.SHA256}
	}

	fns := make([]*computeFn, 4)
	for i := range fns {
		fns[i] = &computeFn{Config: cfg, Identity: id}
		if err := fns[i].Setup(t.Context()); err != nil {
			t.Fatal(err)
		}
		if fns[i].shared != fns[0].shared {
			t.Error("a model is open twice")
		}
	}
	// The first bundle fails, and its DoFn with it.
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := fns[0].ProcessElement(ended, 0); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	fns[0].Teardown()
	fns[0] = &computeFn{Config: cfg, Identity: id}
	if err := fns[0].Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i, f := range fns {
		all.Go(func() {
			for k := range want { // each shard by each, in other orders
				shard := (i + k) % len(want)
				if got, err := f.ProcessElement(t.Context(), shard); err != nil || got != want[shard] {
					t.Errorf("%+v, %v, want %+v", got, err, want[shard])
				}
			}
		})
	}
	all.Wait()
	for _, p := range want {
		got, err := os.ReadFile(filepath.Join(cfg.Output, p.File))
		if err != nil {
			t.Fatal(err)
		}
		if other, err := os.ReadFile(filepath.Join(alone, p.File)); err != nil || string(other) != string(got) {
			t.Errorf("%s differs (%v)", p.File, err)
		}
	}
	for _, f := range fns {
		f.Teardown()
	}
	if (&computeFn{Config: cfg}).Setup(t.Context()) == nil {
		t.Error("a model is taken for another")
	}
	if len(jobs.open) > 0 {
		t.Error("a model stays open")
	}
}

// TestTotal adds up parts that a runner has lost or doubled.
func TestTotal(t *testing.T) {
	f := &totalFn{Config{Output: t.TempDir(), Options: bulk.Options{Shards: 3}}}
	for _, c := range []struct {
		shards []int
		ok     bool
	}{{[]int{2, 0, 1}, true}, {[]int{0, 1}, false}, {[]int{0, 2}, false}, {[]int{0, 1, 1}, false}, {[]int{0, 1, 2, 3}, false}, {nil, false}} {
		rest := c.shards
		got, err := f.ProcessElement(t.Context(), 0, func(p *Part) bool {
			if len(rest) == 0 {
				return false
			}
			*p = Part{Shard: rest[0], Inputs: 2, Failed: 1}
			rest = rest[1:]
			return true
		})
		if (err == nil) != c.ok || c.ok && (got.Inputs != 6 || got.Failed != 3) {
			t.Errorf("%v: %+v, %v", c.shards, got, err)
		}
	}
}
