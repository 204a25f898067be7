package batch

import (
	"errors"
	"slices"
	"time"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/internal/samples"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/serve/internal/oip"
	"github.com/concord-nn/concord/tensor"
)

// kind has the programs of requests whose inputs have equal shapes, apart from the number of samples if they run together.
type kind struct {
	shapes   model.Shapes
	programs *model.Programs
	line     *line         // of requests that depend on no others
	ready    chan struct{} // closed when the fields below are set
	err      error         // why the model cannot be run so
	batch    *samples.Batch
	why      error // why requests do not run together; nil if they do
	stateful bool  // the graph has states
	answer   int64 // bytes of the outputs of a sample, or of a request that runs alone; 0 if only a run shows them

	// Under the scheduler's lock:
	sizes   []*size
	growing bool          // a size is being compiled
	users   int           // requests and sequences that have it
	used    time.Time     // when it was asked for
	took    time.Duration // about what a run takes
	state   int64         // bytes of what a sequence keeps
}

// size is what runs one number of samples.
type size struct {
	samples int
	ready   bool

	// Under the scheduler's lock:
	free     []*session
	busy     int               // sessions that run
	programs []*engine.Program // that sessions run, and
	each     int64             // bytes of a session
}

// note notes what a session takes. The caller has the scheduler's lock, or nobody else knows the size.
func (z *size) note(own *session) {
	z.programs, z.each = own.programs(), 0
	for _, p := range z.programs {
		plan := p.Plan()
		z.each += plan.Session()
	}
}

// session is memory for a run: of samples that are put together, or else of a request as it is.
type session struct {
	together *samples.Session
	single   *model.Session
}

// programs returns those that the session has run, or will.
func (own *session) programs() []*engine.Program {
	if own.together != nil {
		return []*engine.Program{own.together.Program()}
	}
	return own.single.Ran()
}

// answer returns how many bytes the outputs of a run take, as far as they are known.
func (own *session) answer() (bytes int64) {
	var ports []engine.Port
	if own.together != nil {
		ports = own.together.Program().Outputs()
	} else {
		ports = own.single.Outputs()
	}
	for _, p := range ports {
		if p.Type.DType != tensor.Invalid { // which those of a model in parts have before it has run
			bytes = limits.Add(bytes, p.Type.Bytes())
		}
	}
	return bytes
}

// prepare compiles what runs one sample, and all other numbers of samples if asked so.
func (s *Scheduler) prepare(k *kind, all bool) {
	s.compiling <- struct{}{}
	defer func() { <-s.compiling }()
	k.programs = s.model.Programs(s.opts.Compile)
	numbers := []int{1}
	if k.why == nil && s.opts.Largest > 1 {
		if k.why = k.join(s.model); k.why == nil {
			numbers = s.opts.sizes()
		}
	} else if k.why == nil {
		k.why = errSingle
	}
	for i, n := range numbers {
		z := &size{samples: n}
		if i == 0 || all {
			var own *session
			if own, k.err = k.session(z); k.err != nil {
				break
			}
			z.ready, z.free = true, []*session{own}
			z.note(own)
		}
		k.sizes = append(k.sizes, z)
	}
	if k.err != nil && !all && !errors.Is(k.err, mapfile.ErrLost) && !errors.As(k.err, new(*engine.InternalError)) {
		k.err = oip.Errorf(oip.InvalidArgument, "the model cannot be run on inputs of these shapes: %v", k.err)
	}
	if k.err == nil {
		k.look(k.sizes[0].free[0])
		for name := range s.states {
			k.state += k.bytesOf(s.model, name)
		}
	}
	s.mu.Lock()
	if own := k.bytes(); k.err == nil && !s.fit(own) && len(s.kinds) > 1 {
		k.err = oip.Errorf(oip.Exhausted, "programs for requests of other shapes take the memory that there is; try again later")
	}
	close(k.ready)
	s.release(k)
	if k.err != nil { // another time it may not fail
		s.forget(k)
		for _, r := range slices.Clone(k.line.waiting) {
			s.drop(r)
			s.answer(r, k.err)
		}
	}
	s.background--
	s.dispatch(nil)
	s.mu.Unlock()
}

// bytes returns what the sessions take that were made with the programs.
func (k *kind) bytes() (bytes int64) {
	for _, z := range k.sizes {
		bytes += z.each * int64(len(z.free))
	}
	return bytes
}

// join finds out whether requests may run together.
func (k *kind) join(m *concord.Model) (err error) {
	defer guard("the proof that samples run together", &err)
	k.batch, err = samples.New(m.Model, k.programs, k.shapes)
	return err
}

// look finds out what a session says about the model.
func (k *kind) look(one *session) {
	k.answer = one.answer()
	for _, p := range one.programs() {
		if len(p.Graph().States) > 0 {
			k.stateful = true
			plan := p.Plan()
			k.state += plan.Session()
		}
	}
}

// bytesOf returns the size of an input.
func (k *kind) bytesOf(m *concord.Model, name string) int64 {
	for _, in := range m.Inputs() {
		if in.Name == name {
			return graph.Type{DType: in.DType, Shape: k.shapes[name]}.Bytes()
		}
	}
	return 0
}

// grow compiles the program of another number of samples.
func (s *Scheduler) grow(k *kind, z *size) {
	s.compiling <- struct{}{}
	own, err := k.session(z)
	<-s.compiling
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		z.note(own)
	}
	if err == nil && s.fit(z.each) {
		z.ready, z.free = true, append(z.free, own)
	} else { // as the memory does not suffice
		k.sizes = slices.DeleteFunc(k.sizes, func(x *size) bool { return x == z })
	}
	k.growing = false
	k.users--
	s.background--
	s.dispatch(nil)
}

// session makes a session.
func (k *kind) session(z *size) (own *session, err error) {
	defer guard("the compilation of a model", &err)
	if k.batch != nil {
		together, err := k.batch.Session(z.samples)
		return &session{together: together}, err
	}
	single, err := k.programs.Session(k.shapes)
	return &session{single: single}, err
}

// choose returns the largest program for at most so many samples, and the one that there would be if it were compiled.
func (k *kind) choose(n int) (now, wanted *size) {
	for _, z := range k.sizes {
		if z.samples > n && z.samples > 1 {
			break
		}
		if wanted = z; z.ready {
			now = z
		}
	}
	return now, wanted
}
