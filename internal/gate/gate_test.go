package gate_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/concord-nn/concord/internal/gate"
)

// TestGate closes a gate from several goroutines, some of them inside: the end comes once, and when nobody is inside any more.
func TestGate(t *testing.T) {
	for range 200 {
		var g gate.Gate
		var inside, ends atomic.Int32
		end := func() error {
			if ends.Add(1); inside.Load() != 0 {
				t.Error("it ends while somebody is inside")
			}
			return nil
		}
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				if !g.Enter() {
					return
				}
				inside.Add(1)
				if i%4 == 0 {
					_ = g.Close(end)
				}
				inside.Add(-1)
				g.Leave()
			})
		}
		all.Wait()
		if _ = g.Close(end); ends.Load() != 1 || g.Enter() {
			t.Fatalf("it has ended %d times, or is open", ends.Load())
		}
	}
	var g gate.Gate
	broken := errors.New("broken")
	if err := g.Close(func() error { return broken }); err != broken { //nolint:errorlint // the same one
		t.Error(err)
	}
}
