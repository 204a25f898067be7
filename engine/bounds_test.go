package engine

import (
	"testing"
	"time"

	"github.com/concord-nn/concord/internal/limits"
)

func TestThreadLimit(t *testing.T) {
	for n, ok := range map[int]bool{-1: false, 0: true, limits.EngineThreads: true, limits.EngineThreads + 1: false} {
		p, err := Compile(chain(t, 1, 1), Options{Threads: n})
		if (err == nil) != ok {
			t.Errorf("%d threads: %v", n, err)
		}
		if p != nil {
			p.Close()
		}
	}
}

func TestDefaultLimits(t *testing.T) {
	want := Limits{limits.EngineNodes, limits.EngineMemory, limits.EngineOperations, limits.EngineSeconds * time.Second}
	if DefaultLimits != want {
		t.Errorf("the defaults are %+v; want %+v", DefaultLimits, want)
	}
}
