package engine

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// task is the evaluation of one node under way, shared by the goroutines that compute its chunks. A session uses the
// same task for all its nodes, one after the other.
type task struct {
	ctx     context.Context
	started time.Time
	limit   time.Duration

	step   *step
	next   atomic.Int64 // the next chunk that nobody has taken
	failed atomic.Pointer[failure]
}

type failure struct{ err error }

// begin prepares the task for a run.
func (t *task) begin(ctx context.Context, limit time.Duration) {
	t.ctx, t.started, t.limit = ctx, time.Now(), limit
	t.failed.Store(nil)
}

// end drops what the task must not keep alive between runs.
func (t *task) end() { t.ctx = nil }

// run evaluates a step, with the help of the pool's workers where that pays.
func (t *task) run(p *pool, st *step) error {
	t.step = st
	t.next.Store(0)
	if st.parallel {
		p.run(t, st.chunks)
	} else {
		t.drain()
	}
	if f := t.failed.Load(); f != nil {
		return f.err
	}
	return nil
}

// drain computes chunks until none is left.
func (t *task) drain() {
	for {
		i := int(t.next.Add(1)) - 1
		if i >= t.step.chunks || t.ended() {
			return
		}
		t.compute(i)
	}
}

// compute evaluates chunk i. A panic of the kernel becomes the failure of the task.
func (t *task) compute(i int) {
	defer t.recover()
	st := t.step
	lo := i * st.chunk
	st.kernel(&st.call, lo, min(lo+st.chunk, st.pieces))
}

func (t *task) recover() {
	if r := recover(); r != nil {
		t.fail(&NodeError{Node: t.step.node, Err: fmt.Errorf("the evaluation panics: %v", r), Stack: debug.Stack()})
	}
}

// ended reports whether what is still to be computed is not needed.
func (t *task) ended() bool { return t.failed.Load() != nil || t.stopped() }

// stopped reports whether the context is done or the time is over, and makes the task fail if so.
func (t *task) stopped() bool {
	if err := t.ctx.Err(); err != nil {
		t.fail(fmt.Errorf("the run is stopped at %s: %w", place(t.step.node), err))
		return true
	}
	if passed := time.Since(t.started); passed > t.limit {
		t.fail(&LimitError{What: "time", Need: int64(passed), Allowed: int64(t.limit), Node: place(t.step.node)})
		return true
	}
	return false
}

// fail notes the first failure.
func (t *task) fail(err error) { t.failed.CompareAndSwap(nil, &failure{err}) }
