package engine

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/concord-nn/concord/internal/mapfile"
)

// task is the evaluation of one unit under way, shared by the goroutines that compute its chunks. A session uses the
// same task for all its units, one after the other.
type task struct {
	ctx     context.Context
	started time.Time
	limit   time.Duration
	chunk   func(u *Unit, worker, lo, hi int, began time.Time, took time.Duration) // [Observer.Chunk]

	step   *step
	blind  int64        // about how many nanoseconds the session has computed alone since it looked at the context and the clock
	last   int          // the end of the pieces that may be taken
	next   atomic.Int64 // the first piece that nobody has taken
	failed atomic.Pointer[failure]

	alone        time.Time // until when the session computes without workers
	joint, apart pace      // of steps with workers, and of the same without
}

type failure struct{ err error }

// begin prepares the task for a run.
func (t *task) begin(ctx context.Context, limit time.Duration) {
	t.ctx, t.started, t.limit, t.blind = ctx, time.Now(), limit, blindTime
	t.failed.Store(nil)
}

// end drops what the task must not keep alive between runs.
func (t *task) end() { t.ctx = nil }

// run evaluates a step, with the help of the pool's workers where that pays.
func (t *task) run(p *pool, st *step) error {
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
	if f := t.failed.Load(); f != nil {
		return f.err
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
		t.compute(lo, lo+n, 0)
		lo += n
	}
}

// rounds computes the pieces of a step, of which those of one round are independent, with the workers of a pool.
func (t *task) rounds(p *pool, st *step) {
	t.last = 0
	if st.rounds == nil {
		t.round(p, st.Pieces)
		return
	}
	for _, n := range st.rounds {
		t.round(p, n)
	}
}

// round computes the next n pieces.
func (t *task) round(p *pool, n int) {
	t.next.Store(int64(t.last))
	t.last += n
	if n > 1 {
		p.run(t)
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
	defer t.recover(st)
	if err := st.blocks.control(&st.calls[0][0], st.blocks); err != nil {
		t.fail(controlError(st.blocks.node, err))
	}
}

// drain computes chunks on worker w until none is left.
func (t *task) drain(w int) {
	for {
		lo, hi := t.take()
		if lo == hi || t.ended() {
			return
		}
		t.compute(lo, hi, w)
	}
}

// take takes a chunk of the pieces that nobody has taken; an empty one when there are none left.
func (t *task) take() (lo, hi int) {
	for {
		at := t.next.Load()
		lo = int(at)
		hi = lo + t.step.take(t.last-lo)
		if lo == hi || t.next.CompareAndSwap(at, int64(hi)) {
			return lo, hi
		}
	}
}

// compute evaluates a chunk on worker w. A panic of a kernel becomes the failure of the task.
func (t *task) compute(lo, hi, w int) {
	st := t.step
	defer t.recover(st)
	if t.chunk == nil {
		st.evaluate(w, lo, hi)
		return
	}
	began := time.Now()
	st.evaluate(w, lo, hi)
	t.chunk(st.Unit, w, lo, hi, began, time.Since(began))
}

// evaluate computes the pieces lo…hi-1 on worker w, part after part.
func (st *step) evaluate(w, lo, hi int) {
	calls := st.calls[w]
	if st.strips != nil {
		st.strips.Run(calls, lo, hi)
		return
	}
	for i := range st.parts {
		p := &st.parts[i]
		p.run(&calls[i], lo*p.each, hi*p.each)
	}
}

func (t *task) recover(st *step) {
	if r := recover(); r != nil {
		if lost := mapfile.Fault(r); lost != nil {
			t.fail(&NodeError{Node: st.first(), Err: lost})
			return
		}
		t.fail(&NodeError{Node: st.first(), Err: fmt.Errorf("the evaluation panics: %v", r), Stack: debug.Stack()})
	}
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
