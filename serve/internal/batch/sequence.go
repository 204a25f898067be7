package batch

import (
	"time"

	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/serve/internal/oip"
)

// sequence is a state that requests pass on, one after the other.
type sequence struct {
	id     string
	line   *line
	open   bool         // whether a request that is not the first may come
	reset  bool         // the next run begins with the initial state
	own    *session     // of a graph with states
	states model.Values // of inputs that are fed from outputs; nil for the initial ones
	bytes  int64
	used   time.Time
	timer  *time.Timer
}

// follow puts a request into the line of its sequence.
func (s *Scheduler) follow(r *request, k *kind) error {
	for name := range s.states {
		if r.given(name) {
			return oip.Errorf(oip.InvalidArgument, "input %q is a state, which is kept for the sequence %q; a request without a sequence may give it", name, r.Sequence)
		}
	}
	q := s.sequences[r.Sequence]
	switch {
	case (q == nil || !q.open) && !r.Start:
		return oip.Errorf(oip.InvalidArgument, "there is no sequence %q, which may have been idle for longer than %v; its first request must say %s",
			r.Sequence, s.opts.Sequences.Idle, oip.SequenceStart)
	case q != nil && q.line.kind != k:
		return oip.Errorf(oip.InvalidArgument, "the inputs have other shapes than those before them in the sequence %q", r.Sequence)
	case q == nil && len(s.sequences) >= s.opts.Sequences.Count:
		return oip.Errorf(oip.Exhausted, "there are %d sequences, as many as may be; try again later", len(s.sequences))
	case q == nil && k.state > s.opts.Sequences.Bytes-s.kept:
		return oip.Errorf(oip.Exhausted, "the states of sequences take %d bytes, of %d that they may; try again later", s.kept, s.opts.Sequences.Bytes)
	case q == nil:
		q = &sequence{id: r.Sequence, bytes: k.state, reset: true}
		q.line = &line{kind: k, sequence: q}
		k.users++
		s.kept += q.bytes
		s.sequences[q.id] = q
		q.used = r.came
		q.timer = time.AfterFunc(s.opts.Sequences.Idle, func() { s.expire(q) })
	}
	q.open = !r.End
	r.line = q.line
	return nil
}

// session returns the session that holds the states of a graph, in their initial state if the run begins with that.
func (q *sequence) session(u *run) (*session, error) {
	if q.own == nil {
		var err error
		if q.own, err = u.line.kind.session(u.size); err != nil {
			q.own = nil
			return nil, err
		}
	} else if u.fresh {
		q.own.single.Reset()
	}
	return q.own, nil
}

// step makes what a run has left the state of its sequence. One that has failed has changed nothing.
func (s *Scheduler) step(u *run, r *request, err error) {
	q := u.line.sequence
	q.line.busy = false
	if err == nil {
		q.states = make(model.Values)
		for in, from := range s.states {
			for i, name := range r.names {
				if name == from {
					q.states[in] = r.outputs[i].Clone() // the others belong to the caller
				}
			}
		}
	} else if u.fresh {
		q.reset = true
	}
	q.used = time.Now()
	q.timer.Reset(s.opts.Sequences.Idle)
	s.settle(q)
}

// settle ends a sequence that has had its last request.
func (s *Scheduler) settle(q *sequence) {
	if !q.open && !q.line.busy && len(q.line.waiting) == 0 && s.sequences[q.id] == q {
		s.end(q)
	}
}

// skip notes that a request was dropped before its run: if it was the first of the sequence, the state before it must not live on. A sequence
// that nothing has begun, or nothing more may come to, is over.
func (s *Scheduler) skip(q *sequence, r *request) {
	q.reset = q.reset || r.Start
	if (q.reset || !q.open) && !q.line.busy && len(q.line.waiting) == 0 {
		s.end(q)
	}
}

// expire ends a sequence that was idle for too long.
func (s *Scheduler) expire(q *sequence) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sequences[q.id] != q {
		return
	}
	if q.line.busy || len(q.line.waiting) > 0 || time.Since(q.used) < s.opts.Sequences.Idle {
		q.timer.Reset(s.opts.Sequences.Idle)
		return
	}
	s.end(q)
}

// end forgets a sequence.
func (s *Scheduler) end(q *sequence) {
	q.timer.Stop()
	delete(s.sequences, q.id)
	s.kept -= q.bytes
	s.release(q.line.kind)
}
