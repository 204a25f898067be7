package engine

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/concord-nn/concord/internal/mapfile"
)

// spinTime is how long a goroutine looks for work, or for the end of the others' work, before it parks. Waking a parked
// one takes longer than many nodes.
const spinTime = 50 * time.Microsecond

// missTime is after how many nanoseconds of work for which workers were not woken they are woken all the same: a hundred times as much as waking
// takes.
const missTime = 1_000_000

// pool is the workers that help the sessions of one program. They help one session at a time; a session that finds them
// occupied computes alone, so that a machine with more sessions than processors is not burdened with more goroutines.
//
// The session and the workers meet in state: the session opens a job, workers join and leave while it is open, and the
// session closes it and waits until the last one has left, after which the task is its own again.
type pool struct {
	workers int
	owner   atomic.Bool // a session has the workers
	started bool        // the workers exist; the owner's
	epoch   uint64      // the number of jobs so far; the owner's
	asleep  int64       // how much work, in nanoseconds, was not worth waking workers for; the owner's
	task    *task       // of the open job; nil in between, so that idle workers keep nothing alive

	state  atomic.Uint64 // epoch, then the bits below, then the number of workers in the job
	parked atomic.Int32  // workers that wait or are about to wait for wake
	wake   chan struct{} // one token for each worker to be woken
	done   chan struct{} // from the last worker to a session that waits

	closed atomic.Bool
	quit   chan struct{}
	once   sync.Once
}

const (
	jobOpen    = 1 << 16 // workers may join
	jobAwaited = 1 << 17 // the session waits for done
	epochShift = 18
	joinedMask = jobOpen - 1
)

// newPool returns a pool of the given number of workers, which start when they are first needed.
func newPool(workers int) *pool {
	return &pool{workers: workers, wake: make(chan struct{}, max(workers, 1)), done: make(chan struct{}, 1), quit: make(chan struct{})}
}

// close ends the workers, after the chunks that they are computing.
func (p *pool) close() {
	p.once.Do(func() {
		p.closed.Store(true)
		close(p.quit)
	})
}

// run drains t, of which n pieces are left, on the calling goroutine and on workers that are free.
func (p *pool) run(t *task, n int) {
	if p.workers == 0 || p.closed.Load() || !p.owner.CompareAndSwap(false, true) {
		t.drain(0)
		return
	}
	if !p.started {
		p.started = true
		for w := range p.workers {
			go p.work(w + 1)
		}
	}
	p.open(t, n)
	t.drain(0)
	p.finish()
	p.task = nil
	p.owner.Store(false)
}

// open lets workers join a job. Those that sleep are woken where there is enough to do for them.
func (p *pool) open(t *task, n int) {
	p.epoch++
	p.task = t
	p.state.Store(p.epoch<<epochShift | jobOpen)
	if p.parked.Load() == 0 || !t.step.wakes && !p.missed(t.step.time) { // Without this workers would be woken for too little.
		return
	}
	for range min(int(p.parked.Load()), n-1) {
		select {
		case p.wake <- struct{}{}:
		default: // there are tokens for all
		}
	}
}

// missed counts work for which workers were not woken, and reports whether it has become missTime: then they are woken to see whether more comes at
// once, in which case they stay awake.
func (p *pool) missed(time int64) bool {
	if p.asleep += time; p.asleep < missTime { // Without this workers would be woken for too little.
		return false
	}
	p.asleep = 0
	return true
}

// finish closes the job and waits for the workers in it.
func (p *pool) finish() {
	if p.state.And(^uint64(jobOpen))&joinedMask == 0 { // Without this it would be asked twice.
		return
	}
	if spin(func() bool { return p.state.Load()&joinedMask == 0 }) { // Without this it would sleep at once.
		return
	}
	if p.state.Or(jobAwaited)&joinedMask != 0 {
		<-p.done
	}
}

// work is the life of worker w; the session that owns the pool computes as worker 0.
func (p *pool) work(w int) {
	mapfile.Watch()
	var last uint64 // the job that it took part in
	for p.join(&last) {
		p.task.drain(w)
		if s := p.state.Add(^uint64(0)); s&jobAwaited != 0 && s&joinedMask == 0 {
			p.done <- struct{}{}
		}
	}
}

// join waits for an open job other than the last one and joins it. It returns false when the pool is closed.
func (p *pool) join(last *uint64) bool {
	joined := false
	try := func() bool {
		s := p.state.Load()
		for s&jobOpen != 0 && s>>epochShift != *last && !joined {
			if joined = p.state.CompareAndSwap(s, s+1); joined { // Without this a worker would join again where nothing is left.
				*last = s >> epochShift
			}
			s = p.state.Load()
		}
		return joined || p.closed.Load()
	}
	for !spin(try) {
		p.parked.Add(1)
		// A job opened before parked was raised has not sent a token.
		// Without this workers would never sleep.
		if !try() {
			select {
			case <-p.wake:
			case <-p.quit:
			}
		}
		p.parked.Add(-1)
	}
	return joined
}

// spin calls f until it returns true or spinTime has passed, and reports whether it did. It lets other goroutines run in
// between.
func spin(f func() bool) bool {
	for start := time.Now(); ; runtime.Gosched() {
		for range 16 {
			if f() {
				return true
			}
		}
		if time.Since(start) > spinTime { // Without this nothing would ever sleep.
			return false
		}
	}
}
