package batch

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/samples"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/serve/internal/budget"
	"github.com/concord-nn/concord/serve/internal/oip"
)

// Scheduler runs requests to a model. Any number of goroutines may use it.
type Scheduler struct {
	model  *concord.Model
	opts   Options
	count  samples.Count     // what counts samples, if apart is nil
	apart  error             // why requests are never put together; nil if they may be
	states map[string]string // inputs that the manifest makes states, with the outputs that they come from

	compiling chan struct{} // has an element while something is compiled

	mu         sync.Mutex
	kinds      map[string]*kind
	lines      []*line // in which requests wait
	sequences  map[string]*sequence
	kept       int64 // bytes of states of sequences
	waiting    int   // requests of which samples wait
	entering   int   // requests that wait for the programs which say how they can be run
	running    int   // runs
	background int   // compilations
	closed     bool
	quiet      *sync.Cond // that there is nothing to do any more
	timer      *time.Timer
	statistics statistics
}

// The reasons why requests do not run together that are not the model's.
var (
	errSingle = errors.New("one sample is the largest number for a run")
	errFixed  = errors.New("the model fixes the number of samples at 1, and no other number of them for a run is asked for")
	errStates = errors.New("the model keeps a state, by its manifest")
)

// New returns the scheduler of a model, which must not be closed before it. What can be compiled is compiled then: see [Options.Compile].
func New(m *concord.Model, opts Options) (*Scheduler, error) {
	asked := opts.Largest > 0
	opts, err := opts.resolved()
	if err != nil {
		return nil, err
	}
	if opts.Manifest == nil {
		opts.Manifest = &manifest.Manifest{}
	}
	s := &Scheduler{model: m, opts: opts, kinds: make(map[string]*kind), sequences: make(map[string]*sequence), compiling: make(chan struct{}, 1)}
	s.quiet = sync.NewCond(&s.mu)
	s.states = make(map[string]string)
	for _, in := range opts.Manifest.Inputs {
		if k, ok := in.Kind.(*manifest.State); ok {
			s.states[in.Name] = k.From
		}
	}
	if s.count, s.apart = samples.CountOf(m.Inputs()); s.apart == nil && s.count.Symbol == "" && !asked {
		s.apart = errFixed
	}
	if len(s.states) > 0 {
		s.apart = errStates
	}
	given := maps.Clone(opts.Compile.Shapes)
	if given == nil {
		given = make(model.Shapes)
	}
	if s.apart == nil {
		if given, err = samples.Shapes(m.Inputs(), given, 1); err != nil {
			return nil, err
		}
	}
	shapes, err := s.complete(given)
	if open := (*model.OpenError)(nil); errors.As(err, &open) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	k := s.made(shapes, s.apart)
	s.mu.Unlock()
	if s.prepare(k, true); k.err != nil {
		return nil, k.err
	}
	return s, nil
}

// kindOf returns the programs for shapes, those of a sample or of a whole request that does not run together with others for a reason.
// The caller has the lock, and uses them until it says [Scheduler.release].
func (s *Scheduler) kindOf(shapes model.Shapes, apart error) (*kind, error) {
	k := s.kinds[s.key(shapes, apart)]
	if k == nil {
		if len(s.kinds) >= limits.ServeShapes && !s.evict() {
			return nil, oip.Errorf(oip.Exhausted, "requests of %d other shapes are waiting; try again later", limits.ServeShapes)
		}
		k = s.made(shapes, apart)
		go s.prepare(k, false)
	}
	k.users++
	k.used = time.Now()
	return k, nil
}

func (s *Scheduler) key(shapes model.Shapes, apart error) string {
	if apart == nil {
		return "together " + s.model.Key(shapes)
	}
	return s.model.Key(shapes)
}

// made returns a kind, which is to be prepared.
func (s *Scheduler) made(shapes model.Shapes, apart error) *kind {
	k := &kind{shapes: shapes, why: apart, ready: make(chan struct{})}
	k.line = &line{kind: k}
	s.kinds[s.key(shapes, apart)] = k
	k.users++ // the preparation
	s.background++
	return k
}

func (s *Scheduler) release(k *kind) { k.users-- }

// evict forgets the programs that were not used for the longest time, and reports whether there are any that nobody uses.
func (s *Scheduler) evict() bool {
	var oldest *kind
	for _, k := range s.kinds {
		if k.users == 0 && (oldest == nil || k.used.Before(oldest.used)) {
			oldest = k
		}
	}
	if oldest != nil {
		s.forget(oldest)
	}
	return oldest != nil
}

// fit forgets programs that nobody uses until there is room for so many bytes more, and reports whether there is.
func (s *Scheduler) fit(more int64) bool {
	for s.opts.Memory > 0 && more > s.opts.Memory-s.memory() {
		if !s.evict() {
			return false
		}
	}
	return true
}

// Trim forgets programs that nobody uses until the scheduler takes at most so many bytes, and returns how many it gave up.
func (s *Scheduler) Trim(most int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.memory()
	for s.memory() > most && s.evict() {
	}
	return before - s.memory()
}

// forget gives programs up.
func (s *Scheduler) forget(k *kind) {
	maps.DeleteFunc(s.kinds, func(_ string, x *kind) bool { return x == k })
	go k.programs.Close()
}

// Together reports whether samples of requests with the shapes of [Options.Compile] run together, and else why not. It is nil, too, if that depends
// on the shapes of requests.
func (s *Scheduler) Together() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.kinds {
		select {
		case <-k.ready:
			return k.why
		default:
		}
	}
	return s.apart
}

// Largest returns how many samples a run has at most.
func (s *Scheduler) Largest() int {
	if s.Together() != nil {
		return 1
	}
	return s.opts.Largest
}

// Run answers a request. All errors are an [*oip.Error].
func (s *Scheduler) Run(ctx context.Context, given Request) (*Result, error) {
	began := time.Now()
	r, own, err := s.queue(ctx, given, began)
	if err != nil {
		err := failure(ctx, err)
		s.mu.Lock()
		s.statistics.failed(err, time.Since(began))
		s.mu.Unlock()
		return nil, err
	}
	if own != nil {
		s.execute(ctx, own)
	}
	var late <-chan time.Time
	if given.Timeout > 0 {
		timer := time.NewTimer(time.Until(began.Add(given.Timeout)))
		defer timer.Stop()
		late = timer.C
	}
	for {
		select {
		case <-r.done:
			if r.err != nil {
				return nil, r.err
			}
			return &r.result, nil
		case <-ctx.Done():
			s.leave(r, failure(ctx, context.Cause(ctx)))
		case <-late:
			if late = nil; s.begun(r) {
				continue
			}
			s.leave(r, oip.Errorf(oip.DeadlineExceeded, "the request has waited for %v, its timeout", given.Timeout))
		}
	}
}

// begun reports whether samples of a request have left the queue.
func (s *Scheduler) begun(r *request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return r.taken > 0
}

// queue puts a request into its line. It returns the run of it, if that is for the caller to execute: see [Scheduler.dispatch].
func (s *Scheduler) queue(ctx context.Context, given Request, now time.Time) (r *request, own *run, err error) {
	r = &request{Request: given, came: now, lease: budget.Of(ctx), done: make(chan struct{})}
	if r.Priority == 0 {
		r.Priority = s.opts.Priority
	}
	if r.Priority < 1 || r.Priority > s.opts.Priorities {
		return nil, nil, oip.Errorf(oip.InvalidArgument, "the priority is %d; the levels are 1, the most urgent, to %d", r.Priority, s.opts.Priorities)
	}
	r.rank = now.Add(time.Duration(r.Priority-1) * s.opts.Step)
	if deadline, ok := ctx.Deadline(); ok {
		r.latest = deadline
	}
	if limit := now.Add(r.Timeout); r.Timeout > 0 && (r.latest.IsZero() || limit.Before(r.latest)) {
		r.latest = limit
	}
	shapes, err := s.admit(r)
	if err != nil {
		return nil, nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, context.Cause(ctx)
	}
	k, err := s.enter(ctx, r, shapes)
	if err != nil {
		return nil, nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.join(r, k); err != nil {
		s.release(k)
		return nil, nil, err
	}
	r.left = r.samples
	if len(r.line.waiting) == 0 {
		s.lines = append(s.lines, r.line)
	}
	r.line.insert(r)
	s.waiting++
	return r, s.dispatch(r), nil
}

// enter finds the programs for a request. It waits for them where they must be known to say which they are.
func (s *Scheduler) enter(ctx context.Context, r *request, shapes model.Shapes) (*kind, error) {
	apart := s.apart
	for {
		s.mu.Lock()
		if err := s.room(); err != nil {
			s.mu.Unlock()
			return nil, err
		}
		k, err := s.kindOf(shapes, apart)
		if err != nil || r.samples == 1 && r.Sequence == "" {
			s.mu.Unlock()
			return k, err
		}
		s.entering++
		s.mu.Unlock()
		select {
		case <-k.ready:
			err = k.err
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		s.mu.Lock()
		s.entering--
		s.mu.Unlock()
		if err == nil && (k.batch != nil || apart != nil || r.samples == 1) {
			if err = s.fits(r, k); err == nil {
				return k, nil
			}
		}
		s.mu.Lock()
		s.release(k)
		s.mu.Unlock()
		if err != nil {
			return nil, err
		}
		apart = k.why
		if shapes, err = samples.Shapes(s.model.Inputs(), shapes, r.samples); err != nil {
			return nil, err
		}
		r.samples = 1 // which the model takes as one
	}
}

// fits refuses a request whose outputs would take more memory than a run may.
func (s *Scheduler) fits(r *request, k *kind) error {
	if k.batch == nil {
		return nil
	}
	if most, bytes := s.opts.Compile.Limits.Resolved().Memory, k.answer; bytes > most/int64(r.samples) {
		return oip.Errorf(oip.TooLarge, "the outputs of %d samples, %d bytes each, take more than %d bytes", r.samples, bytes, most)
	}
	return nil
}

// room refuses a request if it cannot wait.
func (s *Scheduler) room() error {
	switch {
	case s.closed:
		return oip.Errorf(oip.NotReady, "the model is being unloaded")
	case s.waiting+s.entering >= s.opts.Queue:
		return oip.Errorf(oip.Exhausted, "%d requests are waiting, as many as may; try again later", s.waiting+s.entering)
	}
	return nil
}

// join makes a line the request's.
func (s *Scheduler) join(r *request, k *kind) error {
	if err := s.room(); err != nil {
		return err
	}
	select {
	case <-k.ready:
		if k.err != nil {
			return k.err
		}
	default:
	}
	r.line = k.line
	if r.Sequence == "" || !k.stateful && len(s.states) == 0 {
		r.Sequence = ""
		return nil
	}
	return s.follow(r, k)
}

// dispatch begins runs as long as there are workers and something to run. The caller has the lock. A run of nothing but the request that the caller
// brings, if it brings one, is returned: on a machine that has nothing else to do, waking another goroutine would take longer than a small model.
func (s *Scheduler) dispatch(brought *request) (own *run) {
	now := time.Now()
	for s.running < s.opts.Workers {
		l, cut, when := s.next(now)
		if l == nil {
			s.wake(when)
			break
		}
		u := s.begin(l, cut, now)
		switch {
		case u == nil:
		case len(u.parts) == 1 && u.parts[0].r == brought && u.parts[0].n == brought.samples:
			own = u
		default:
			var ctx context.Context
			ctx, u.cancel = context.WithCancel(context.Background())
			go func() {
				s.execute(ctx, u)
				u.cancel()
			}()
		}
	}
	if s.waiting == 0 && s.running == 0 && s.background == 0 {
		s.quiet.Broadcast()
	}
	return own
}

// next returns the line whose run is to begin, or else when one might be; zero if never.
func (s *Scheduler) next(now time.Time) (best *line, why Cut, when time.Time) {
	for _, l := range s.lines {
		cut, at, ok := s.due(l)
		switch {
		case !ok:
		case at.After(now):
			if when.IsZero() || at.Before(when) {
				when = at
			}
		case best == nil || l.waiting[0].rank.Before(best.waiting[0].rank):
			best, why = l, cut
		}
	}
	return best, why, when
}

// due says when the next run of a line is to begin, and why it will have no more samples; it is false if that does not depend on time.
func (s *Scheduler) due(l *line) (Cut, time.Time, bool) {
	k := l.kind
	select {
	case <-k.ready:
	default:
		return 0, time.Time{}, false
	}
	switch {
	case l.busy || k.err != nil:
		return 0, time.Time{}, false
	case k.batch == nil || l.sequence != nil:
		return Alone, time.Time{}, true
	case l.count() >= s.opts.Largest:
		return Full, time.Time{}, true
	case s.closed:
		return Drained, time.Time{}, true
	case s.opts.Delay == 0:
		return Idle, time.Time{}, true
	}
	cut, when := Delay, l.waiting[0].came.Add(s.opts.Delay)
	for _, r := range l.waiting {
		if r.Priority < s.opts.Priority {
			return Priority, time.Time{}, true
		}
		if at := r.came.Add(s.opts.Delay); at.Before(when) {
			cut, when = Delay, at
		}
		if at := r.latest.Add(-2*k.took - time.Millisecond); !r.latest.IsZero() && at.Before(when) {
			cut, when = Deadline, at
		}
	}
	return cut, when, true
}

// wake looks again at a time.
func (s *Scheduler) wake(when time.Time) {
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
	if !when.IsZero() {
		s.timer = time.AfterFunc(time.Until(when), func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.dispatch(nil)
		})
	}
}

// begin takes samples out of a line for a run, which the caller executes. It is nil if nobody waits for any.
func (s *Scheduler) begin(l *line, cut Cut, now time.Time) *run {
	late := func(r *request) bool { return r.taken == 0 && !r.latest.IsZero() && !r.latest.After(now) }
	for i := slices.IndexFunc(l.waiting, late); i >= 0; i = slices.IndexFunc(l.waiting, late) {
		r := l.waiting[i]
		s.drop(r)
		s.answer(r, oip.Errorf(oip.DeadlineExceeded, "the request has waited for its run until its deadline"))
	}
	k, most := l.kind, s.opts.Largest
	if cut == Alone {
		most = 1
	}
	for i, samples := 0, 0; i < len(l.waiting) && samples < most; {
		r := l.waiting[i]
		if err := r.hold(limits.Times(k.answer, int64(r.samples))); err != nil {
			s.drop(r)
			s.answer(r, err)
			continue
		}
		samples += r.samples - r.taken
		i++
	}
	if len(l.waiting) == 0 {
		return nil
	}
	n := 1
	if cut != Alone {
		if n = l.like(k.batch.Shared(), s.opts.Largest); n < l.count() && n < s.opts.Largest {
			cut = Shape
		}
	}
	z, wanted := k.choose(n)
	if wanted != z && !k.growing {
		k.growing = true
		k.users++
		s.background++
		go s.grow(k, wanted)
	}
	u := &run{line: l, size: z, cut: cut, read: make(chan struct{})}
	for at := 0; at < z.samples; {
		r := l.waiting[0]
		p := part{r: r, from: r.taken, n: min(r.samples-r.taken, z.samples-at), at: at}
		if p.from == 0 {
			r.first = now
		}
		if r.taken += p.n; r.taken == r.samples {
			s.drop(r)
		}
		r.runs = append(r.runs, u)
		u.parts = append(u.parts, p)
		at += p.n
	}
	switch {
	case cut == Alone || cut == Full || cut == Shape:
	case len(l.waiting) > 0:
		u.cut = Size
	case cut == Idle && s.waiting > 0:
		u.cut = Shape
	}
	if q := l.sequence; q != nil {
		l.busy, u.fresh, q.reset = true, q.reset || u.parts[0].r.Start, false
	}
	u.live = len(u.parts)
	s.running++
	return u
}

// drop takes a request out of its line, if it is there.
func (s *Scheduler) drop(r *request) {
	if !r.line.remove(r) {
		return
	}
	if s.waiting--; len(r.line.waiting) == 0 {
		s.lines = slices.DeleteFunc(s.lines, func(l *line) bool { return l == r.line })
	}
	if q := r.line.sequence; q != nil && r.taken == 0 {
		s.skip(q, r)
	}
}

// leave forgets a request for which nobody waits any more, and answers it.
func (s *Scheduler) leave(r *request, err *oip.Error) {
	s.mu.Lock()
	if r.answered {
		s.mu.Unlock()
		return
	}
	s.drop(r)
	runs := slices.Clone(r.runs)
	for _, u := range runs {
		if u.live--; u.live == 0 {
			u.cancel()
		}
	}
	s.mu.Unlock()
	for _, u := range runs {
		<-u.read
	}
	s.mu.Lock()
	s.answer(r, err)
	if q := r.line.sequence; q != nil {
		s.settle(q)
	}
	s.dispatch(nil)
	s.mu.Unlock()
}

// answer ends a request.
func (s *Scheduler) answer(r *request, err error) {
	if r.answered {
		return
	}
	r.answered = true
	took := time.Since(r.came)
	if err != nil {
		own := failure(context.Background(), err)
		s.statistics.failed(own, took)
		r.err = own
	} else {
		s.statistics.succeeded(r, took)
	}
	s.release(r.line.kind)
	close(r.done)
}

// Close waits until all requests are answered that have been made, and refuses others. Delays are over for them.
func (s *Scheduler) Close() {
	s.mu.Lock()
	s.closed = true
	s.dispatch(nil)
	for s.waiting > 0 || s.running > 0 || s.background > 0 {
		s.quiet.Wait()
	}
	for _, q := range s.sequences {
		s.end(q)
	}
	for _, k := range s.kinds {
		k.programs.Close()
	}
	clear(s.kinds)
	s.wake(time.Time{})
	s.mu.Unlock()
}
