package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// split makes every node of a session a parallel one with chunks of one piece, or of a few if there are many pieces.
func split(s *Session) {
	for i := range s.frame.steps {
		st := &s.frame.steps[i]
		few := 1 + st.Pieces/100
		workers := s.program.pool.workers + 1
		if st.strips != nil { // whose windows belong to the workers that there are
			workers = len(st.calls)
		}
		st.work, st.wakes = work{few, few, workers}, true
		for len(st.calls) < st.workers {
			calls := slices.Clone(st.calls[0])
			for k := range calls {
				calls[k].Scratch = slices.Clone(calls[k].Scratch)
			}
			st.calls = append(st.calls, calls)
		}
	}
}

// substitute lets a function compute step i.
func substitute(s *Session, i int, f op.Kernel) {
	st := &s.frame.steps[i]
	u := *st.Unit
	u.parts = []part{{run: f, each: 1}}
	st.Unit = &u
}

// big is a graph with enough work in each node to be divided.
func big(tb testing.TB) *graph.Graph {
	n := newNet(tb)
	x := n.input("x", tensor.Float32, 100, 1000)
	y := n.op("mul", nil, x, n.constant([]float32{1.5}, 1, 1))
	for range 5 {
		y = n.op("add", nil, y, n.op("mul", nil, y, x))
	}
	n.output("y", y)
	g, err := n.Build()
	return ok(tb, g, err)
}

func ramp(n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(i%1009)/1009 - 0.4
	}
	return out
}

func TestThreadsGiveEqualBits(t *testing.T) {
	g := big(t)
	in := map[string]*tensor.Tensor{"x": floats(t, ramp(100000), 100, 1000)}
	var first []byte
	for _, threads := range []int{1, 2, 5} {
		p, err := Compile(g, Options{Threads: threads})
		ok(t, p, err)
		defer p.Close()
		if s := session(t, p); s.frame.steps[0].workers != threads {
			t.Errorf("%d threads: the first unit has %d workers", threads, s.frame.steps[0].workers)
		}
		for range 5 {
			out, err := p.Run(context.Background(), in)
			ok(t, out, err)
			if got := out["y"].Bytes(); first == nil {
				first = got
			} else if string(got) != string(first) {
				t.Fatalf("%d threads give other bits than one", threads)
			}
		}
	}
}

// TestManyGoroutines runs one program from many goroutines, through its pool of sessions, through sessions of their own,
// and while its workers end.
func TestManyGoroutines(t *testing.T) {
	n := newNet(t)
	x := n.input("x", tensor.Float32, 300)
	n.output("y", n.op("mul", nil, n.op("add", nil, x, x), n.constant([]float32{0.5}, 1)))
	p := n.compile(Options{Threads: 3})
	var wg sync.WaitGroup
	for k := range 8 {
		wg.Go(func() {
			values := ramp(300)
			for i := range values {
				values[i] += float32(k)
			}
			in := floats(t, values, 300)
			s, err := p.NewSession()
			if err != nil {
				t.Error(err)
				return
			}
			split(s)
			for range 50 {
				if err := errors.Join(s.SetInput(0, in), s.Run(context.Background())); err != nil {
					t.Error(err)
					return
				}
				out, err := p.Run(context.Background(), map[string]*tensor.Tensor{"x": in})
				if err != nil {
					t.Error(err)
					return
				}
				for i, v := range values {
					if a, b := tensor.Data[float32](s.Output(0))[i], tensor.Data[float32](out["y"])[i]; a != v || b != v {
						t.Errorf("element %d is %v and %v; want %v", i, a, b, v)
						return
					}
				}
			}
			if k == 5 {
				p.EndWorkers()
			}
		})
	}
	wg.Wait()
}

func TestBusySession(t *testing.T) {
	p, err := Compile(chain(t, 1, 1), Options{})
	ok(t, p, err)
	s := session(t, p)
	substitute(s, 0, func(*op.Call, int, int) {
		if err := s.Run(context.Background()); !errors.Is(err, ErrBusy) {
			t.Errorf("got %v; want %v", err, ErrBusy)
		}
	})
	run(t, s)
	run(t, s)
}

func TestCancel(t *testing.T) {
	for _, threads := range []int{1, 3} {
		p, err := Compile(chain(t, 2, 100), Options{Threads: threads, NoOptimize: true}) // a unit for each node
		ok(t, p, err)
		defer p.Close()
		s := session(t, p)
		split(s)
		ctx, cancel := context.WithCancel(context.Background())
		var calls atomic.Int32
		substitute(s, 0, func(*op.Call, int, int) {
			switch n := calls.Add(1); {
			case n == 10:
				cancel()
			case n > 10:
				<-ctx.Done() // so that nobody goes on before the cancellation is there
			}
		})
		err = s.Run(ctx)
		if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "node add add1") {
			t.Errorf("got %v; want the cancellation at the first node", err)
		}
		if n := int(calls.Load()); n > 10+threads {
			t.Errorf("%d chunks are computed after the cancellation", n-10)
		}
		run(t, s) // the session is still good
	}
}

// TestPanic holds a panic in a kernel to become an error that names the node, whichever goroutine it happens on.
func TestPanic(t *testing.T) {
	for _, threads := range []int{1, 3} {
		p, err := Compile(chain(t, 2, 100), Options{Threads: threads, NoOptimize: true}) // a unit for each node
		ok(t, p, err)
		defer p.Close()
		s := session(t, p)
		split(s)
		unit := s.frame.steps[1].Unit
		for range 20 {
			substitute(s, 1, func(c *op.Call, lo, hi int) {
				if lo >= 50 {
					_ = c.Attrs[lo] // out of range
				}
				unit.parts[0].run(c, lo, hi)
			})
			var e *NodeError
			if err := s.Run(context.Background()); !errors.As(err, &e) || e.Node != unit.first() || len(e.Stack) == 0 ||
				!strings.HasPrefix(err.Error(), "node add add2: the evaluation panics: ") {
				t.Errorf("got %v", err)
			}
			s.frame.steps[1].Unit = unit
			run(t, s)
		}
	}
}

// TestWorkersEnd checks that closing a program, or dropping it, ends its workers.
func TestWorkersEnd(t *testing.T) {
	use := func() *Program {
		p, err := Compile(big(t), Options{Threads: 4})
		ok(t, p, err)
		s := session(t, p)
		run(t, s)
		if !p.pool.started {
			t.Fatal("no worker has started")
		}
		return p
	}
	before := runtime.NumGoroutine()
	ended := func(collect bool) bool {
		for range 10_000 {
			if runtime.NumGoroutine() <= before {
				return true
			}
			if collect {
				runtime.GC()
			}
			time.Sleep(2 * time.Millisecond)
		}
		return false
	}
	for name, end := range map[string]func(*Program){"Close": (*Program).Close, "EndWorkers": (*Program).EndWorkers} {
		p := use()
		s := session(t, p)
		end(p)
		end(p)
		if !ended(false) {
			t.Errorf("workers are left after %s", name)
		}
		run(t, s)
	}
	use()
	if !ended(true) {
		t.Error("workers of an unreachable program are left")
	}
}

// TestPoolParks lets workers park between jobs and checks that each job is still complete.
func TestPoolParks(t *testing.T) {
	p := newPool(3)
	defer p.close()
	var done [200]atomic.Int32
	run := func(_ *op.Call, lo, _ int) { done[lo].Add(1); runtime.Gosched() }
	steps := []step{{Unit: &Unit{Pieces: len(done), parts: []part{{run: run, each: 1}}}, work: work{least: 1, most: 1, workers: 4}, wakes: true,
		calls: [][]op.Call{{{}}, {{}}, {{}}, {{}}}}}
	var tk task
	for i := range 50 {
		if i%5 == 0 {
			time.Sleep(200 * time.Microsecond)
		}
		tk.begin(context.Background(), time.Hour)
		if err := tk.run(p, steps); err != nil {
			t.Fatal(err)
		}
		for k := range done {
			if n := done[k].Swap(0); n != 1 {
				t.Fatalf("job %d computes chunk %d %d times", i, k, n)
			}
		}
	}
}

// TestPoolTaken begins a job while another one has the workers: its goroutine computes it alone.
func TestPoolTaken(t *testing.T) {
	p := newPool(3)
	defer p.close()
	p.owner.Store(true)
	var done atomic.Int32
	steps := []step{{Unit: &Unit{Pieces: 200, parts: []part{{run: func(_ *op.Call, lo, hi int) { done.Add(int32(hi - lo)) }, each: 1}}},
		work: work{least: 1, most: 1, workers: 4}, wakes: true, calls: [][]op.Call{{{}}, {{}}, {{}}, {{}}}}}
	var tk task
	tk.begin(context.Background(), time.Hour)
	if err := tk.run(p, steps); err != nil || done.Load() != 200 || p.epoch != 0 || !p.owner.Load() {
		t.Errorf("%v: %d pieces of 200, %d jobs of the workers", err, done.Load(), p.epoch)
	}
}

// TestShares lets the goroutines of a job begin one after the other and checks that each begins with its own share, and goes on with what is left of
// the others'.
func TestShares(t *testing.T) {
	var tk task
	var order []int
	run := func(_ *op.Call, lo, hi int) {
		for i := lo; i < hi; i++ {
			order = append(order, i)
		}
	}
	tk.step = &step{Unit: &Unit{Pieces: 10, parts: []part{{run: run, each: 1}}}, work: work{least: 1, most: 10, workers: 4}, calls: [][]op.Call{{{}}, {{}}, {{}}, {{}}}}
	tk.begin(context.Background(), time.Hour)
	for w, want := range []string{"0 1 2 3 4 5 6 7 8 9", "3 4 5 6 7 8 9 0 1 2", "6 7 8 9 0 1 2 3 4 5", "8 9 0 1 2 3 4 5 6 7"} {
		tk.pieces, order = 0, nil
		tk.share(10, 4)
		tk.drain(w)
		if got := strings.Trim(fmt.Sprint(order), "[]"); got != want {
			t.Errorf("goroutine %d computes the pieces %s; want %s", w, got, want)
		}
	}
}

// TestJudge lets a session be held up, by times that are made up.
func TestJudge(t *testing.T) {
	var tk task
	st := &step{}
	now := time.Now()
	together := func(took time.Duration) (alone bool) {
		now = now.Add(took)
		tk.judge(st, now.Add(-took), now)
		return now.Before(tk.alone)
	}
	for range 10 {
		if together(100*time.Microsecond) || together(200*time.Microsecond) {
			t.Fatal("a session computes alone that nothing holds up")
		}
	}
	if st.fastest != 100*time.Microsecond {
		t.Errorf("the fastest time is %v", st.fastest)
	}
	if !together(2 * time.Millisecond) {
		t.Error("a session that was held up does not look whether it gets on better alone")
	}
	if most := patience * lateTime; tk.alone.Sub(now) > most || !together(time.Hour) || tk.alone.Sub(now) > most {
		t.Errorf("a session computes alone for %v; at most %v", tk.alone.Sub(now), most)
	}
	tk.alone, tk.joint = time.Time{}, pace{}
	tk.apart.add(50*time.Millisecond, time.Millisecond)
	if together(2 * time.Millisecond) {
		t.Error("a session computes alone although that is slower")
	}
	tk.apart = pace{}
	tk.apart.add(time.Millisecond, time.Millisecond)
	if !together(2 * time.Millisecond) {
		t.Error("a session computes together although that is slower")
	}
	for range 20 {
		tk.apart.forget()
	}
	if tk.apart != (pace{}) {
		t.Errorf("what was measured long ago still counts: %+v", tk.apart)
	}
}

func TestDivide(t *testing.T) {
	for _, c := range []struct {
		pieces  int
		time    int64
		threads int
		want    work
		chunks  string // as one goroutine takes them of a share of all pieces
	}{
		{1, 1 << 40, 4, work{1, 1, 1}, "1"},
		{100, 0, 4, work{100, 100, 1}, "100"},
		{100, 2_500, 4, work{100, 100, 1}, "100"},
		{100, 5_000, 4, work{80, 100, 4}, "80 20"},
		{100, 20_000, 1, work{20, 100, 1}, "100"},
		{100, 20_000, 4, work{20, 100, 4}, "50 25 20 5"},
		{100, 200_000, 4, work{2, 100, 4}, "50 25 12 6 3 2 2"},
		{100, 5_000_000, 1, work{1, 10, 1}, "10 10 10 10 10 10 10 10 10 10"},
		{10, 1 << 40, 2, work{1, 1, 2}, "1 1 1 1 1 1 1 1 1 1"},
	} {
		got := divide(c.pieces, c.time, c.threads)
		if got != c.want {
			t.Errorf("%d pieces, %d ns, %d threads: got %+v; want %+v", c.pieces, c.time, c.threads, got, c.want)
		}
		var chunks []int
		for left := c.pieces; left > 0; left -= chunks[len(chunks)-1] {
			chunks = append(chunks, got.take(left))
		}
		if s := strings.Trim(fmt.Sprint(chunks), "[]"); s != c.chunks {
			t.Errorf("%d pieces, %d ns, %d threads: chunks of %s; want %s", c.pieces, c.time, c.threads, s, c.chunks)
		}
	}
}
