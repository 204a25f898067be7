package batch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/serve/internal/batch"
	"github.com/concord-nn/concord/serve/internal/oip"
	"github.com/concord-nn/concord/tensor"
)

// load reads a model from the text of a document.
func load(t testing.TB, text string) *concord.Model {
	t.Helper()
	m, err := concord.OpenFS(fstest.MapFS{"net.nnef": {Data: []byte("version 1.0;\nextension KHR_enable_operator_expressions;\n" + text)}}, "net.nnef")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// Documents of models.
const (
	apart = `graph net( x ) -> ( y, z )
{
    x = external(shape = [0, 3, 8, 8]);
    b = avg_pool(x, size = [1, 1, 3, 3], stride = [1, 1, 2, 2]);
    y = softmax(b);
    z = max_reduce(x, axes = [1, 2, 3]);
}`
	scaled = `graph net( x, scale ) -> ( y )
{
    x = external(shape = [0, 4]);
    scale = external(shape = [1, 4]);
    y = x * scale;
}`
	mixed = `graph net( x ) -> ( y )
{
    x = external(shape = [0, 4]);
    y = x / max_reduce(abs(x), axes = [0, 1]);
}`
	wide = `graph net( x ) -> ( y )
{
    x = external(shape = [0, 0]);
    y = softmax(x);
}`
	fixed = `graph net( x ) -> ( y )
{
    x = external(shape = [1, 4]);
    y = softmax(x);
}`
)

func random(seed uint64, shape ...int) *tensor.Tensor {
	return op.NewRand(seed, 1).Uniform(tensor.Float32, shape, -1, 1)
}

func start(t testing.TB, m *concord.Model, opts batch.Options) *batch.Scheduler {
	t.Helper()
	opts.Compile.Threads = 1
	s, err := batch.New(m, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// alone computes what a request is to be answered.
func alone(t testing.TB, m *concord.Model, in model.Values) model.Values {
	t.Helper()
	programs := m.Programs(concord.Options{Threads: 1})
	defer programs.Close()
	out, err := programs.Run(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// expect compares outputs, bit for bit.
func expect(t testing.TB, what string, got, want model.Values) {
	t.Helper()
	for name, w := range want {
		if g := got[name]; g == nil || !g.Shape().Equal(w.Shape()) || !bytes.Equal(g.Bytes(), w.Bytes()) {
			t.Errorf("%s: output %s is %v; alone it is %v", what, name, got[name], w)
		}
	}
}

// asked is a request on its way.
type asked struct {
	result *batch.Result
	err    error
	done   atomic.Bool
}

// ask makes a request, in a bubble: it has been put into its line when ask returns.
func ask(ctx context.Context, s *batch.Scheduler, r batch.Request) *asked {
	a := &asked{}
	go func() {
		a.result, a.err = s.Run(ctx, r)
		a.done.Store(true)
	}()
	synctest.Wait()
	return a
}

// code returns the code of an error, for tables; "" for none.
func code(err error) string {
	var own *oip.Error
	switch {
	case err == nil:
		return ""
	case !errors.As(err, &own):
		return err.Error()
	}
	return fmt.Sprint(own.Code) + " " + own.Message
}

// TestTogether makes requests of one to three samples, alone and with others at each place of runs of all sizes, in several orders.
func TestTogether(t *testing.T) {
	m := load(t, apart)
	var in, want []model.Values
	for k := range 8 {
		in = append(in, model.Values{"x": random(uint64(k), 1+k%3, 3, 8, 8)})
		want = append(want, alone(t, m, in[k]))
	}
	synctest.Test(t, func(t *testing.T) {
		s := start(t, m, batch.Options{Delay: time.Second})
		defer s.Close()
		sizes := make(map[int]bool)
		for n := 1; n <= len(in); n++ {
			for first := range n { // the orders: rotations, forwards and back
				for _, step := range []int{1, n - 1} {
					var group []*asked
					for k := range n {
						group = append(group, ask(t.Context(), s, batch.Request{Inputs: in[(first+step*k)%n]}))
					}
					time.Sleep(2 * time.Second)
					synctest.Wait()
					for k, a := range group {
						if a.err != nil {
							t.Fatal(a.err)
						}
						expect(t, fmt.Sprintf("request %d of %d", k, n), a.result.Outputs, want[(first+step*k)%n])
						sizes[a.result.Batch] = true
					}
				}
			}
		}
		if len(sizes) != 4 {
			t.Errorf("the runs had sizes %v; want 1, 2, 4 and 8", sizes)
		}
		st := s.Statistics()
		if st.Success.Count == 0 || st.InferenceCount <= st.Success.Count || st.ExecutionCount >= st.InferenceCount || st.Fail.Count+st.Cancel.Count > 0 {
			t.Errorf("the statistics are %+v", st)
		}
	})
}

// TestCuts holds why runs have no more samples, and who is in them.
func TestCuts(t *testing.T) {
	m, shared, open := load(t, apart), load(t, scaled), load(t, wide)
	one := func(k int) batch.Request {
		return batch.Request{Inputs: model.Values{"x": random(uint64(k), 1, 3, 8, 8)}}
	}
	run := func(name string, m *concord.Model, opts batch.Options, test func(t *testing.T, s *batch.Scheduler)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := start(t, m, opts)
				defer s.Close()
				test(t, s)
			})
		})
	}
	want := func(t *testing.T, a *asked, cut string, n int) {
		t.Helper()
		synctest.Wait()
		if !a.done.Load() || a.err != nil || a.result.Cut.String() != cut || a.result.Batch != n {
			t.Errorf("got %+v, %v, done: %t; want %s, %d", a.result, a.err, a.done.Load(), cut, n)
		}
	}
	run("idle", m, batch.Options{}, func(t *testing.T, s *batch.Scheduler) { want(t, ask(t.Context(), s, one(1)), "idle", 1) })
	run("full", m, batch.Options{Largest: 3, Delay: time.Hour}, func(t *testing.T, s *batch.Scheduler) {
		a, b, c := ask(t.Context(), s, one(1)), ask(t.Context(), s, one(2)), ask(t.Context(), s, one(3))
		for _, a := range []*asked{a, b, c} {
			want(t, a, "full", 3)
		}
	})
	run("delay", m, batch.Options{Delay: time.Minute}, func(t *testing.T, s *batch.Scheduler) {
		a := ask(t.Context(), s, one(1))
		time.Sleep(59 * time.Second)
		b := ask(t.Context(), s, one(2))
		if a.done.Load() {
			t.Error("it did not wait")
		}
		time.Sleep(time.Second)
		want(t, a, "delay", 2)
		want(t, b, "delay", 2)
		if b.result.Queued != time.Second || a.result.Queued != time.Minute {
			t.Errorf("they have waited for %v and %v", a.result.Queued, b.result.Queued)
		}
	})
	run("size", m, batch.Options{Delay: time.Minute}, func(t *testing.T, s *batch.Scheduler) {
		var all []*asked
		for k := range 7 {
			all = append(all, ask(t.Context(), s, one(k)))
		}
		time.Sleep(time.Minute)
		for k, n := range []int{4, 4, 4, 4, 2, 2, 1} {
			want(t, all[k], map[int]string{4: "size", 2: "size", 1: "delay"}[n], n)
		}
	})
	run("shared input", shared, batch.Options{Delay: time.Minute}, func(t *testing.T, s *batch.Scheduler) {
		r := func(seed uint64) batch.Request {
			return batch.Request{Inputs: model.Values{"x": random(9, 1, 4), "scale": random(seed, 1, 4)}}
		}
		a, b, c := ask(t.Context(), s, r(1)), ask(t.Context(), s, r(1)), ask(t.Context(), s, r(2))
		time.Sleep(time.Minute)
		want(t, a, "shape", 2)
		want(t, b, "shape", 2)
		want(t, c, "delay", 1)
	})
	run("shape", open, batch.Options{Delay: time.Minute}, func(t *testing.T, s *batch.Scheduler) {
		r := func(n, m int) batch.Request { return batch.Request{Inputs: model.Values{"x": random(9, n, m)}} }
		a, b, c := ask(t.Context(), s, r(1, 4)), ask(t.Context(), s, r(1, 5)), ask(t.Context(), s, r(1, 4))
		time.Sleep(time.Minute)
		for _, a := range []*asked{a, b, c} {
			synctest.Wait()
			if a.err != nil || !a.done.Load() {
				t.Errorf("%+v", a)
			}
		}
		a, c = ask(t.Context(), s, r(1, 4)), ask(t.Context(), s, r(1, 4)) // the program for two is compiled by now
		time.Sleep(time.Minute)
		want(t, a, "delay", 2)
		want(t, c, "delay", 2)
	})
	run("priority", m, batch.Options{Delay: time.Hour, Priorities: 3}, func(t *testing.T, s *batch.Scheduler) {
		a := ask(t.Context(), s, one(1))
		urgent := one(2)
		urgent.Priority = 1
		b := ask(t.Context(), s, urgent)
		want(t, a, "priority", 2)
		want(t, b, "priority", 2)
	})
	run("deadline", m, batch.Options{Delay: time.Hour}, func(t *testing.T, s *batch.Scheduler) {
		late := one(1)
		late.Timeout = time.Minute
		a, b := ask(t.Context(), s, late), ask(t.Context(), s, one(2))
		time.Sleep(time.Minute)
		want(t, a, "deadline", 2)
		want(t, b, "deadline", 2)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		a = ask(ctx, s, one(1))
		time.Sleep(time.Minute)
		want(t, a, "deadline", 1)
	})
	t.Run("drained", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := start(t, m, batch.Options{Delay: time.Hour})
			a, b, c := ask(t.Context(), s, one(1)), ask(t.Context(), s, one(2)), ask(t.Context(), s, one(3))
			s.Close()
			want(t, a, "size", 2)
			want(t, b, "size", 2)
			want(t, c, "drained", 1)
			if _, err := s.Run(t.Context(), one(4)); !strings.HasPrefix(code(err), fmt.Sprint(oip.NotReady)) {
				t.Errorf("behind the end: got %v", err)
			}
			if cuts := s.Statistics().Cuts; cuts["size"] != 1 || cuts["drained"] != 1 || len(cuts) != 2 {
				t.Errorf("the cuts are %v", cuts)
			}
		})
	})
	run("alone", load(t, mixed), batch.Options{Delay: time.Hour}, func(t *testing.T, s *batch.Scheduler) {
		want(t, ask(t.Context(), s, batch.Request{Inputs: model.Values{"x": random(9, 1, 4)}}), "alone", 1)
	})
}

// TestApart gives requests of several samples to a model that mixes them, and to one that fixes their number.
func TestApart(t *testing.T) {
	m := load(t, mixed)
	synctest.Test(t, func(t *testing.T) {
		s := start(t, m, batch.Options{})
		defer s.Close()
		for n := 1; n <= 20; n++ { // more shapes than are kept
			in := model.Values{"x": random(uint64(n), n, 4)}
			got, err := s.Run(t.Context(), batch.Request{Inputs: in})
			if err != nil {
				t.Fatal(err)
			}
			expect(t, fmt.Sprint(n, " samples"), got.Outputs, alone(t, m, in))
		}
		if s.Together() == nil || s.Largest() != 1 {
			t.Error("samples that are mixed run together")
		}
	})
	m = load(t, fixed)
	for largest, ok := range map[int]bool{0: false, 4: true} {
		s := start(t, m, batch.Options{Largest: largest})
		got, err := s.Run(t.Context(), batch.Request{Inputs: model.Values{"x": random(1, 3, 4)}})
		if (err == nil) != ok || ok && got.Outputs["y"].Shape()[0] != 3 || (s.Together() == nil) != ok {
			t.Errorf("three samples for a model of one, largest %d: got %v", largest, err)
		}
		s.Close()
	}
}

// TestQueue fills the queue, and takes requests out of it again.
func TestQueue(t *testing.T) {
	m := load(t, apart)
	in := model.Values{"x": random(1, 1, 3, 8, 8)}
	synctest.Test(t, func(t *testing.T) {
		s := start(t, m, batch.Options{Delay: time.Hour, Queue: 3})
		defer s.Close()
		ctx, cancel := context.WithCancel(t.Context())
		a, b, c := ask(ctx, s, batch.Request{Inputs: in}), ask(t.Context(), s, batch.Request{Inputs: in}), ask(t.Context(), s, batch.Request{Inputs: in})
		if d := ask(t.Context(), s, batch.Request{Inputs: in}); !strings.HasPrefix(code(d.err), fmt.Sprint(oip.Exhausted)) {
			t.Errorf("one too many: got %v", d.err)
		}
		cancel()
		synctest.Wait()
		if !strings.HasPrefix(code(a.err), fmt.Sprint(oip.Canceled)) {
			t.Errorf("a cancelled one: got %v", a.err)
		}
		if n, _ := s.Waiting(); n != 2 {
			t.Errorf("%d are waiting", n)
		}
		d := ask(t.Context(), s, batch.Request{Inputs: in})
		if d.done.Load() {
			t.Error("there is room, but it is not used")
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		for _, a := range []*asked{b, c, d} {
			if a.err != nil || !a.done.Load() {
				t.Errorf("got %+v", a)
			}
		}
		if st := s.Statistics(); st.Cancel.Count != 1 || st.Fail.Count != 1 || st.Success.Count != 3 {
			t.Errorf("the statistics are %+v", st)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.Run(gone, batch.Request{Inputs: in}); !strings.HasPrefix(code(err), fmt.Sprint(oip.Canceled)) {
			t.Errorf("cancelled before: got %v", err)
		}
	})
}

// TestPriorities holds the order of requests, in which those of a low priority come in the end.
func TestPriorities(t *testing.T) {
	m := load(t, apart)
	synctest.Test(t, func(t *testing.T) {
		s := start(t, m, batch.Options{Largest: 2, Delay: time.Hour, Queue: 10, Priorities: 5, Priority: 1, Step: time.Minute})
		defer s.Close()
		request := func(priority int) batch.Request {
			return batch.Request{Inputs: model.Values{"x": random(1, 1, 3, 8, 8)}, Priority: priority}
		}
		two := request(1)
		two.Inputs = model.Values{"x": random(1, 2, 3, 8, 8)} // as many as run
		low := ask(t.Context(), s, request(3))
		time.Sleep(time.Second)
		if high := ask(t.Context(), s, two); low.done.Load() || !high.done.Load() {
			t.Error("one of a low priority comes first")
		}
		time.Sleep(3 * time.Minute) // in which it becomes as urgent as others
		if high := ask(t.Context(), s, two); !low.done.Load() || high.done.Load() {
			t.Error("one of a low priority does not come first when it has waited")
		}
	})
}

// forever is a model whose runs do not end within a test.
func forever(t testing.TB) *concord.Model {
	var products strings.Builder
	for k := range 500 {
		fmt.Fprintf(&products, "a%d = matmul(a%d, x);", k+1, k)
	}
	return load(t, `graph net( x ) -> ( y )
{
    x = external(shape = [0, 600, 600]);
    a0 = matmul(x, x);`+products.String()+`
    y = copy(a500);
}`)
}

// TestCancel ends a run for which nobody waits any more, and does not run what has waited for too long.
func TestCancel(t *testing.T) {
	s := start(t, forever(t), batch.Options{Largest: 1})
	in := model.Values{"x": random(1, 1, 600, 600)}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := s.Run(ctx, batch.Request{Inputs: in})
		done <- err
	}()
	for running := 0; running == 0; _, running = s.Waiting() {
		time.Sleep(time.Millisecond)
	}
	if _, err := s.Run(t.Context(), batch.Request{Inputs: in, Timeout: time.Millisecond}); !strings.HasPrefix(code(err), fmt.Sprint(oip.DeadlineExceeded)) {
		t.Errorf("too late: got %v", err)
	}
	short, end := context.WithTimeout(t.Context(), time.Millisecond)
	defer end()
	if _, err := s.Run(short, batch.Request{Inputs: in}); !strings.HasPrefix(code(err), fmt.Sprint(oip.DeadlineExceeded)) {
		t.Errorf("too late by its context: got %v", err)
	}
	cancel()
	if err := <-done; !strings.HasPrefix(code(err), fmt.Sprint(oip.Canceled)) {
		t.Errorf("cancelled: got %v", err)
	}
	s.Close()
	if st := s.Statistics(); st.ExecutionCount != 1 || st.Cancel.Count != 1 || st.Fail.Count != 2 {
		t.Errorf("the statistics are %+v", st)
	}
}

// TestQueueLimit has as many requests waiting as may.
func TestQueueLimit(t *testing.T) {
	s := start(t, forever(t), batch.Options{Largest: 1})
	r := batch.Request{Inputs: model.Values{"x": random(1, 1, 600, 600)}}
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	for range limits.ServeQueue + 1 { // one of them runs
		group.Go(func() {
			if _, err := s.Run(ctx, r); !strings.HasPrefix(code(err), fmt.Sprint(oip.Canceled)) {
				t.Error(err)
			}
		})
		for n, running := s.Waiting(); n+running == 0; n, running = s.Waiting() {
			time.Sleep(time.Millisecond)
		}
	}
	for n, _ := s.Waiting(); n < limits.ServeQueue; n, _ = s.Waiting() {
		time.Sleep(time.Millisecond)
	}
	if _, err := s.Run(ctx, r); !strings.HasPrefix(code(err), fmt.Sprint(oip.Exhausted)) {
		t.Errorf("one more: got %v", err)
	}
	cancel()
	group.Wait()
	s.Close()
}

// TestShapesLimit has requests of as many shapes waiting as may.
func TestShapesLimit(t *testing.T) {
	m := load(t, wide)
	synctest.Test(t, func(t *testing.T) {
		s := start(t, m, batch.Options{Delay: time.Hour})
		defer s.Close()
		var all []*asked
		for n := range limits.ServeShapes {
			all = append(all, ask(t.Context(), s, batch.Request{Inputs: model.Values{"x": random(1, 1, n+1)}}))
		}
		more := batch.Request{Inputs: model.Values{"x": random(1, 1, limits.ServeShapes+1)}}
		if _, err := s.Run(t.Context(), more); !strings.HasPrefix(code(err), fmt.Sprint(oip.Exhausted)) {
			t.Errorf("one more: got %v", err)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		for _, a := range all {
			if !a.done.Load() || a.err != nil {
				t.Errorf("got %v", a.err)
			}
		}
		if a := ask(t.Context(), s, more); a.err != nil {
			t.Errorf("when the others have been answered: got %v", a.err)
		}
	})
}

// TestLargeOutputs asks for more samples at once than there may be outputs of.
func TestLargeOutputs(t *testing.T) {
	m := load(t, "graph net( x ) -> ( y )\n{\n    x = external(shape = [0, 1]);\n    y = tile(x, repeats = [1, 1000]);\n}")
	s := start(t, m, batch.Options{Compile: concord.Options{Limits: engine.Limits{Memory: 400_000}}})
	defer s.Close()
	for n, want := range map[int]string{100: "", 101: fmt.Sprint(oip.TooLarge)} {
		if _, err := s.Run(t.Context(), batch.Request{Inputs: model.Values{"x": random(1, n, 1)}}); !strings.HasPrefix(code(err), want) || (err == nil) != (want == "") {
			t.Errorf("%d samples: got %v", n, err)
		}
	}
}

// TestFailure answers all requests of a run that fails, each after a run of its own.
func TestFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, load(t, apart), batch.Options{Delay: time.Minute, Compile: concord.Options{Limits: engine.Limits{Time: 1}}})
		defer s.Close()
		var all []*asked
		before := s.Memory()
		for k := range 3 {
			all = append(all, ask(t.Context(), s, batch.Request{Inputs: model.Values{"x": random(uint64(k), 1+k, 3, 8, 8)}}))
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if after := s.Memory(); after > before {
			t.Errorf("the scheduler takes %d bytes, and took %d before runs failed", after, before)
		}
		for _, a := range all {
			if !a.done.Load() || a.err != nil && !strings.HasPrefix(code(a.err), fmt.Sprint(oip.DeadlineExceeded)) {
				t.Errorf("got %+v", a)
			}
		}
		if n, running := s.Waiting(); n+running != 0 {
			t.Errorf("%d requests wait, and there are %d runs", n, running)
		}
	})
}

// TestRefused holds what is said of requests that are none.
func TestRefused(t *testing.T) {
	s := start(t, load(t, apart), batch.Options{})
	defer s.Close()
	for _, c := range []struct {
		r    batch.Request
		want string
	}{
		{batch.Request{}, `the input "x" (FP32[x.0,3,8,8]) is missing`},
		{batch.Request{Inputs: model.Values{"x": nil}}, `input "x" has no tensor`},
		{batch.Request{Inputs: model.Values{"x": random(1, 1, 3, 8, 9)}}, "is given as FP32[1,3,8,9]"},
		{batch.Request{Inputs: model.Values{"x": random(1, 3, 8, 8)}}, "is given as FP32[3,8,8]"},
		{batch.Request{Inputs: model.Values{"x": random(1, 0, 3, 8, 8)}}, "no samples"},
		{batch.Request{Inputs: model.Values{"x": random(1, 1, 3, 8, 8), "y": random(1, 1)}}, `"y"; the inputs are x`},
		{batch.Request{Inputs: model.Values{"x": random(1, 1, 3, 8, 8)}, Priority: 2}, "the priority is 2"},
		{batch.Request{Inputs: model.Values{"x": random(1, 1, 3, 8, 8)}, Priority: -1}, "the priority is -1"},
	} {
		if _, err := s.Run(t.Context(), c.r); !strings.HasPrefix(code(err), fmt.Sprint(oip.InvalidArgument)) || !strings.Contains(code(err), c.want) {
			t.Errorf("got %v; want %s", err, c.want)
		}
	}
	for _, o := range []batch.Options{{Largest: -1}, {Largest: 129}, {Delay: -1}, {Queue: -1}, {Workers: -1}, {Priority: 2}, {Sequences: batch.Sequences{Count: -1}}} {
		if _, err := batch.New(load(t, apart), o); err == nil {
			t.Errorf("%+v: there is no error", o)
		}
	}
}

// TestUnfit gives a model shapes that it cannot have.
func TestUnfit(t *testing.T) {
	s := start(t, load(t, "graph net( x, y ) -> ( z )\n{\n    x = external(shape = [0, 0]);\n    y = external(shape = [1, 0]);\n    z = x + y;\n}"), batch.Options{})
	defer s.Close()
	for _, n := range []int{1, 2} {
		_, err := s.Run(t.Context(), batch.Request{Inputs: model.Values{"x": random(1, n, 3), "y": random(1, 1, 4)}})
		if !strings.HasPrefix(code(err), fmt.Sprint(oip.InvalidArgument)) || !strings.Contains(code(err), "broadcast") {
			t.Errorf("%d samples: got %v", n, err)
		}
	}
	if _, err := s.Run(t.Context(), batch.Request{Inputs: model.Values{"x": random(1, 3, 4), "y": random(1, 1, 4)}}); err != nil {
		t.Error(err)
	}
}

// TestMany asks from many goroutines, some of which go, with all sizes and priorities, on several workers.
func TestMany(t *testing.T) {
	m := load(t, wide)
	s := start(t, m, batch.Options{Workers: 3, Delay: 50 * time.Microsecond, Queue: 1000, Priorities: 3})
	var in, want []model.Values
	for k := range 12 {
		in = append(in, model.Values{"x": random(uint64(k), 1+k%5, 4+k%2)})
		want = append(want, alone(t, m, in[k]))
	}
	var group sync.WaitGroup
	for g := range 8 {
		group.Go(func() {
			for i := range 60 {
				k := (g*7 + i*5) % len(in)
				ctx, cancel := t.Context(), context.CancelFunc(func() {})
				if (g+i)%7 == 0 {
					ctx, cancel = context.WithTimeout(ctx, time.Duration(i)*time.Microsecond)
				}
				got, err := s.Run(ctx, batch.Request{Inputs: in[k], Priority: 1 + i%3})
				cancel()
				switch {
				case err == nil:
					expect(t, "one of many", got.Outputs, want[k])
				case (g+i)%7 != 0:
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	s.Close()
	if n, running := s.Waiting(); n+running != 0 {
		t.Errorf("%d requests wait, and there are %d runs", n, running)
	}
}

// The page on metrics says of each reason what it is.
func TestPage(t *testing.T) {
	const page = "../../../docs/metrics.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range batch.Cut(batch.NumCuts) {
		if !strings.Contains(string(text), cut.String()+" (") {
			t.Errorf("%s does not say what the cut %s is", page, cut)
		}
	}
}
