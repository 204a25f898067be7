package openvx_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/concord-nn/concord/openvx"
)

type entry struct {
	on      openvx.Reference
	status  openvx.Status
	message string
}

// logged makes a context that collects its log.
func logged(t *testing.T) (*openvx.Context, *[]entry) {
	c := context(t)
	var log []entry
	c.RegisterLogCallback(func(_ *openvx.Context, on openvx.Reference, s openvx.Status, message string) {
		log = append(log, entry{on, s, message})
	}, false)
	return c, &log
}

func TestLogEntries(t *testing.T) {
	c, log := logged(t)
	s := must(c.CreateScalar(openvx.TypeInt32, 1))
	defer s.Release()
	c.AddLogEntry(s, openvx.Failure, "hello")
	c.AddLogEntry(nil, openvx.ErrorNoMemory, "there")
	c.AddLogEntry(s, openvx.Success, "not this")
	if len(*log) != 2 || (*log)[0] != (entry{s, openvx.Failure, "hello"}) || (*log)[1] != (entry{nil, openvx.ErrorNoMemory, "there"}) {
		t.Fatal(*log)
	}
	err := s.Set("text")
	if len(*log) != 3 || (*log)[2].message != err.Error() || (*log)[2].on != s || (*log)[2].status != openvx.ErrorInvalidValue {
		t.Errorf("a call failed with %v, the log has %v", err, (*log)[2:])
	}
}

func TestLogIsQuiet(t *testing.T) {
	c, log := logged(t)
	s := must(c.CreateScalar(openvx.TypeInt32, 1))
	other := must(c.CreateScalar(openvx.TypeInt32, 1))
	defer other.Release()
	say := func(want int) {
		t.Helper()
		*log = nil
		c.AddLogEntry(s, openvx.Failure, "x")
		c.AddLogEntry(other, openvx.Failure, "x")
		if len(*log) != want {
			t.Errorf("%d entries, want %d", len(*log), want)
		}
	}
	for _, step := range []struct {
		on   openvx.Reference
		d    openvx.Directive
		want int
	}{
		{s, openvx.DirectiveDisableLogging, 1},
		{c, openvx.DirectiveDisableLogging, 0},
		{s, openvx.DirectiveEnableLogging, 0},
		{c, openvx.DirectiveEnableLogging, 2},
	} {
		status(t, c.Directive(step.on, step.d), openvx.Success)
		say(step.want)
	}
	s.Release()
	*log = nil
	status(t, s.Release(), openvx.ErrorInvalidReference)
	if len(*log) != 1 || (*log)[0].on != nil {
		t.Errorf("about an object that is gone: %v", *log)
	}
	c.RegisterLogCallback(nil, false)
	say(0)
}

func TestLogTruncates(t *testing.T) {
	c, log := logged(t)
	for message, want := range map[string]int{
		strings.Repeat("x", 1023): 1023, strings.Repeat("x", 5000): 1023, strings.Repeat("ü", 1000): 1022, "": 0,
	} {
		*log = nil
		c.AddLogEntry(c, openvx.Failure, message)
		if got := (*log)[0].message; len(got) != want || !strings.HasPrefix(message, got) {
			t.Errorf("%d bytes became %d, want %d", len(message), len(got), want)
		}
	}
}

// TestLogOneAtATime fails calls in many goroutines and inside the callback, which must never be entered twice.
func TestLogOneAtATime(t *testing.T) {
	c := context(t)
	var inside, entries atomic.Int32
	c.RegisterLogCallback(func(c *openvx.Context, _ openvx.Reference, _ openvx.Status, message string) {
		if inside.Add(1) != 1 {
			t.Error("the callback is entered twice")
		}
		if entries.Add(1); !strings.Contains(message, "nested") {
			c.AddLogEntry(c, openvx.Failure, "nested")
		}
		inside.Add(-1)
	}, false)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				_, _ = c.KernelByName("none")
			}
		})
	}
	wg.Wait()
	if got := entries.Load(); got != 8*50*2 {
		t.Errorf("%d entries, want %d", got, 8*50*2)
	}
}

func TestLogReentrant(t *testing.T) {
	c := context(t)
	depth := 0
	c.RegisterLogCallback(func(c *openvx.Context, _ openvx.Reference, _ openvx.Status, _ string) {
		if depth++; depth < 3 {
			c.AddLogEntry(c, openvx.Failure, "deeper")
		}
	}, true)
	c.AddLogEntry(c, openvx.Failure, "first")
	if depth != 3 {
		t.Errorf("the callback was entered %d times", depth)
	}
}

// TestLogSurvivesPanic lets a callback panic: the panic reaches the caller, and the log works afterwards.
func TestLogSurvivesPanic(t *testing.T) {
	c := context(t)
	calls := 0
	c.RegisterLogCallback(func(*openvx.Context, openvx.Reference, openvx.Status, string) {
		if calls++; calls == 1 {
			panic("callback")
		}
	}, false)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		c.AddLogEntry(c, openvx.Failure, "x")
	}()
	c.AddLogEntry(c, openvx.Failure, "y")
	if calls != 2 {
		t.Errorf("%d calls", calls)
	}
}
