package engine

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/op"
)

// task is the evaluation of one unit under way, shared by the goroutines that compute its chunks. A session uses the
// same task for all its units, one after the other.
type task struct {
	ctx     context.Context
	started time.Time
	limit   time.Duration
	chunk   func(u *Unit, worker, lo, hi int, began time.Time, took time.Duration) // [Observer.Chunk]

	step   *step
	blind  int64   // about how many nanoseconds the session has computed alone since it looked at the context and the clock
	pieces int     // of the rounds that have begun
	shares []share // of the pieces of a round, one for each goroutine
	failed atomic.Pointer[failure]

	alone        time.Time // until when the session computes without workers
	joint, apart pace      // of steps with workers, and of the same without
}

type failure struct{ err error }

// share is pieces of a round, which lie together. A goroutine takes its own share first: what it has left in its caches of one unit is what it needs
// of the next one, whose pieces lie alike.
type share struct {
	next atomic.Int64 // the first piece that nobody has taken
	end  int
	_    [48]byte // so that no two lie on a line of the cache
}

// begin prepares the task for a run.
func (t *task) begin(ctx context.Context, limit time.Duration) {
	t.ctx, t.started, t.limit, t.blind = ctx, time.Now(), limit, 0
	if ctx.Err() != nil || limit < blindTime { // Without this the first unit would not find it out.
		t.blind = blindTime
	}
	if t.failed.Load() != nil {
		t.failed.Store(nil)
	}
}

// end drops what the task must not keep alive between runs.
func (t *task) end() { t.ctx = nil }

// run evaluates steps one after the other, with the help of the pool's workers where that pays. A panic of a kernel becomes the failure of the task,
// here and where a worker drains: to catch it for each chunk would cost as much as a small one.
func (t *task) run(p *pool, steps []step) (err error) {
	defer func() {
		t.caught(t.step, recover())
		if f := t.failed.Load(); f != nil {
			err = f.err
		}
	}()
	for i := range steps {
		st := &steps[i]
		t.step = st
		if st.blocks != nil {
			t.control(st)
		} else if st.workers == 1 {
			t.inOrder(st)
		} else if started := time.Now(); started.Before(t.alone) { // Without this it takes longer on a busy machine.
			t.inOrder(st)
			t.apart.add(time.Since(started), st.fastest)
		} else {
			t.rounds(p, st)
			t.judge(st, started, time.Now())
		}
		if t.failed.Load() != nil {
			break
		}
	}
	return nil
}

// blindTime is about how much work of a session alone, in nanoseconds, may pass between two looks at the context and the clock: a look takes as long as
// a small unit.
const blindTime = 20_000

// inOrder computes the pieces of a step on this goroutine, in which order rounds need nothing.
func (t *task) inOrder(st *step) {
	for lo := 0; lo < st.Pieces; {
		n := min(st.most, st.Pieces-lo)
		if t.blind += st.time; t.blind >= blindTime || lo > 0 {
			if t.blind = 0; t.ended() {
				return
			}
		}
		t.compute(st, 0, lo, lo+n)
		lo += n
	}
}

// rounds computes the pieces of a step, of which those of one round are independent, with the workers of a pool.
func (t *task) rounds(p *pool, st *step) {
	t.pieces = 0
	if st.rounds == nil {
		t.round(p, st.Pieces)
		return
	}
	for _, n := range st.rounds {
		t.round(p, n)
	}
}

// share divides the next n pieces into as many shares as there are goroutines.
func (t *task) share(n, goroutines int) {
	if t.shares == nil {
		t.shares = make([]share, goroutines)
	}
	each, more := n/goroutines, n%goroutines
	for i := range t.shares {
		s := &t.shares[i]
		s.next.Store(int64(t.pieces))
		if t.pieces += each; i < more {
			t.pieces++
		}
		s.end = t.pieces
	}
}

// round computes the next n pieces.
func (t *task) round(p *pool, n int) {
	t.share(n, p.workers+1)
	if n > 1 {
		p.run(t, n)
	} else {
		t.drain(0)
	}
}

// A session that was held up by other processes looks for patience times as long whether it gets on better without workers. What holds it up
// for longer than lateTime is something else.
const (
	patience = 8
	lateTime = 2 * time.Millisecond
)

// pace is how long steps took, and how long they take at best.
type pace struct{ took, best time.Duration }

func (p *pace) add(took, best time.Duration) { p.took, p.best = p.took+took, p.best+best }

// forget makes what comes count as much as all that was.
func (p *pace) forget() {
	if p.took, p.best = p.took/2, p.best/2; p.best < spinTime { // Without this what is too little to judge by would count.
		*p = pace{}
	}
}

// judge looks at how long workers and session took for a step. If that is far longer than it can be, other processes have the processors, and
// workers and session wait for one another's time slices. What is faster then, with or without workers, is measured.
func (t *task) judge(st *step, started, ended time.Time) {
	took := ended.Sub(started)
	if st.fastest == 0 || took < st.fastest {
		st.fastest = took
	}
	t.joint.add(took, st.fastest)
	late := min(took-2*st.fastest-spinTime, lateTime)
	if late <= 0 { // Without this what is in time would be judged, too.
		return
	}
	if t.apart.best == 0 || float64(t.joint.took)*float64(t.apart.best) > float64(t.apart.took)*float64(t.joint.best) {
		t.alone = ended.Add(patience * late)
	}
	t.joint.forget()
	t.apart.forget()
}

// control evaluates a step whose node owns graphs: on this goroutine, while workers help with the units of the graphs.
func (t *task) control(st *step) {
	if t.ended() { // Without this the first step in the graphs would find it out.
		return
	}
	defer func() { t.caught(st, recover()) }() // and not the step of a graph that was the last one
	if err := st.blocks.control(&st.calls[0][0], st.blocks); err != nil {
		t.fail(controlError(st.blocks.node, err))
	}
}

// drain computes chunks on worker w until none is left: of its own share, then of the others.
func (t *task) drain(w int) {
	defer func() { t.caught(t.step, recover()) }()
	for i := range t.shares {
		s := &t.shares[(w+i)%len(t.shares)]
		for {
			lo, hi := s.take(&t.step.work)
			if lo == hi {
				break
			}
			if t.ended() {
				return
			}
			t.compute(t.step, w, lo, hi)
		}
	}
}

// take takes a chunk of the pieces of a share that nobody has taken; an empty one when there are none left.
func (s *share) take(w *work) (lo, hi int) {
	for {
		at := s.next.Load()
		lo = int(at)
		hi = lo + w.take(s.end-lo)
		if lo == hi || s.next.CompareAndSwap(at, int64(hi)) {
			return lo, hi
		}
	}
}

// compute evaluates the pieces lo…hi-1 of a step on worker w, part after part.
func (t *task) compute(st *step, w, lo, hi int) {
	var began time.Time
	if t.chunk != nil {
		began = time.Now()
	}
	calls := st.calls[w]
	if st.strips != nil {
		st.strips.Run(calls, lo, hi)
	} else {
		st.compute(calls, lo, hi)
	}
	if t.chunk != nil {
		t.chunk(st.Unit, w, lo, hi, began, time.Since(began))
	}
}

// compute evaluates the pieces lo…hi-1, part after part: those of rounds in which parts work alone, and those of the last one.
func (u *Unit) compute(calls []op.Call, lo, hi int) {
	before := 0
	for i := range u.parts {
		p := &u.parts[i]
		if from, end := max(lo, p.first), min(hi, p.first+p.before); from < end {
			p.run(&calls[i], from-p.first, end-p.first)
		}
		before += p.before
	}
	if lo, hi = max(lo-before, 0), hi-before; lo < hi {
		for i := range u.parts {
			p := &u.parts[i]
			p.run(&calls[i], p.before+lo*p.each, p.before+hi*p.each)
		}
	}
}

// caught makes what the evaluation of a step panicked with, if it did, the failure of the task.
func (t *task) caught(st *step, panicked any) {
	if panicked == nil {
		return
	}
	if lost := mapfile.Fault(panicked); lost != nil {
		t.fail(&NodeError{Node: st.first(), Err: lost})
		return
	}
	t.fail(&NodeError{Node: st.first(), Err: fmt.Errorf("the evaluation panics: %v", panicked), Stack: debug.Stack()})
}

// ended reports whether what is still to be computed is not needed.
func (t *task) ended() bool { return t.failed.Load() != nil || t.stopped() }

// stopped reports whether the context is done or the time is over, and makes the task fail if so.
func (t *task) stopped() bool {
	if err := t.ctx.Err(); err != nil {
		t.fail(fmt.Errorf("the run is stopped at %s: %w", nameOf(t.step.first()), err))
		return true
	}
	if passed := time.Since(t.started); passed > t.limit {
		t.fail(&LimitError{What: "time", Need: int64(passed), Allowed: int64(t.limit), Node: nameOf(t.step.first())})
		return true
	}
	return false
}

// fail notes the first failure.
func (t *task) fail(err error) { t.failed.CompareAndSwap(nil, &failure{err}) }
