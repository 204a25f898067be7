package batch

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/serve/internal/oip"
	"github.com/concord-nn/concord/tensor"
)

// times are those of a run.
type times struct{ input, infer, output time.Duration }

// execute runs samples and answers the requests of which they are the last. If the run fails, the parts of it run one by one, so that one bad
// request fails alone.
func (s *Scheduler) execute(ctx context.Context, u *run) {
	var took times
	failed := make([]error, len(u.parts))
	err := s.compute(ctx, u, u.size, u.parts, &took)
	if err != nil && ctx.Err() != nil {
		err = failure(ctx, context.Cause(ctx))
	}
	for i := range failed {
		failed[i] = err
		if err != nil && len(u.parts) > 1 && ctx.Err() == nil {
			failed[i] = s.apartFrom(ctx, u, u.parts[i], &took)
		}
	}
	s.closeRead(u)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
	s.statistics.ran(u, took)
	u.line.kind.took = took.infer
	for i, p := range u.parts {
		s.finish(u, p, failed[i], took)
	}
	if u.line.sequence != nil {
		s.step(u, u.parts[0].r, failed[0])
	}
	s.dispatch(nil)
}

func (s *Scheduler) closeRead(u *run) {
	select {
	case <-u.read:
	default:
		close(u.read)
	}
}

// finish notes what became of some samples of a request.
func (s *Scheduler) finish(u *run, p part, err error, took times) {
	r := p.r
	if r.left -= p.n; r.answered {
		return
	}
	r.runs = slices.DeleteFunc(r.runs, func(x *run) bool { return x == u })
	r.result.Batch, r.result.Cut = u.size.samples, u.cut
	r.result.Input += took.input
	r.result.Infer += took.infer
	r.result.Output += took.output
	if r.failed == nil {
		r.failed = err
	}
	if r.failed != nil {
		s.drop(r)
	}
	if r.left > 0 && (r.failed == nil || len(r.runs) > 0) {
		return
	}
	r.result.Queued = r.first.Sub(r.came)
	if r.failed == nil {
		r.result.Outputs = make(model.Values, len(r.outputs))
		for i, name := range r.names {
			r.result.Outputs[name] = r.outputs[i]
		}
	}
	s.answer(r, r.failed)
}

// apartFrom runs a part of a run by itself, in programs for as many samples as it has or fewer.
func (s *Scheduler) apartFrom(ctx context.Context, u *run, p part, took *times) error {
	for p.n > 0 {
		s.mu.Lock()
		z, _ := u.line.kind.choose(p.n)
		s.mu.Unlock()
		one := part{r: p.r, from: p.from, n: z.samples}
		if err := s.compute(ctx, u, z, []part{one}, took); err != nil {
			return err
		}
		p.from, p.n = p.from+z.samples, p.n-z.samples
	}
	return nil
}

// guard makes a panic an error, as a mistake in one model must not end the server.
func guard(during string, err *error) {
	if p := recover(); p != nil {
		*err = &engine.InternalError{During: during, Cause: p, Stack: debug.Stack()}
	}
}

// compute puts the inputs of parts together, runs them, and takes the outputs apart.
func (s *Scheduler) compute(ctx context.Context, u *run, z *size, parts []part, took *times) (err error) {
	began := time.Now()
	own, err := s.take(u, z)
	if err != nil {
		return err
	}
	whole := false
	defer func() { s.give(u, z, own, whole) }()
	defer guard("a run of requests", &err)
	var states model.Values
	if q := u.line.sequence; q != nil && !u.fresh {
		states = q.states
	}
	for _, p := range parts {
		if err := own.put(p, states); err != nil {
			return err
		}
	}
	if len(u.parts) == 1 {
		s.closeRead(u)
	}
	input := time.Now()
	took.input += input.Sub(began)
	if err := ctx.Err(); err != nil {
		return err
	}
	err = own.run(ctx)
	whole = err == nil || ctx.Err() != nil
	infer := time.Now()
	took.infer += infer.Sub(input)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if err := s.out(own, p); err != nil {
			return err
		}
	}
	took.output += time.Since(infer)
	return nil
}

// take returns a session for a run: that of its sequence, one that nobody uses, or a new one.
func (s *Scheduler) take(u *run, z *size) (*session, error) {
	if q := u.line.sequence; q != nil && u.line.kind.stateful {
		return q.session(u)
	}
	s.mu.Lock()
	z.busy++
	if n := len(z.free); n > 0 {
		own := z.free[n-1]
		z.free = z.free[:n-1]
		s.mu.Unlock()
		if u.line.kind.stateful {
			own.single.Reset()
		}
		return own, nil
	}
	s.mu.Unlock()
	own, err := u.line.kind.session(z)
	if err != nil {
		s.mu.Lock()
		z.busy--
		s.mu.Unlock()
	}
	return own, err
}

// give returns a session for others to use, unless a run has failed in it, which may be in any state.
func (s *Scheduler) give(u *run, z *size, own *session, whole bool) {
	if u.line.sequence != nil && u.line.kind.stateful {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if z.busy--; !whole {
		return
	}
	if own.together == nil { // parts of the model may be new
		z.note(own)
	}
	if len(z.free) < s.opts.Workers && s.fit(z.each) {
		z.free = append(z.free, own)
	}
}

// put sets the inputs of a part. States of its sequence take the places of inputs.
func (own *session) put(p part, states model.Values) error {
	if own.together != nil {
		for i, port := range own.together.Program().Inputs() {
			x := p.r.Inputs[port.Name]
			if p.r.samples > 1 && own.together.Stacks(i) {
				var err error
				if x, err = x.Slice(0, p.from, p.from+p.n, 1); err != nil {
					return err
				}
			}
			if err := own.together.Put(i, p.at, x); err != nil {
				return err
			}
		}
		return nil
	}
	for i, port := range own.single.Inputs() {
		x := p.r.Inputs[port.Name]
		if states[port.Name] != nil {
			x = states[port.Name]
		}
		if err := own.single.SetInput(i, x); err != nil {
			return err
		}
	}
	return nil
}

func (own *session) run(ctx context.Context) error {
	if own.together != nil {
		return own.together.Run(ctx)
	}
	return own.single.Run(ctx)
}

// hold holds what the outputs of a run take that only it has shown, before they are made for the client. A client that is gone holds nothing.
func (s *Scheduler) hold(r *request, bytes int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.answered {
		return r.err
	}
	return r.hold(bytes)
}

// out takes the outputs of a part.
func (s *Scheduler) out(own *session, p part) error {
	r := p.r
	if own.together == nil {
		if err := s.hold(r, own.answer()); err != nil {
			return err
		}
		for i, port := range own.single.Outputs() {
			t, err := own.single.Output(i).Copy()
			if err != nil {
				return err
			}
			r.names, r.outputs = append(r.names, port.Name), append(r.outputs, t)
		}
		return nil
	}
	ports := own.together.Program().Outputs()
	r.once.Do(func() {
		for _, port := range ports {
			shape := slices.Clone(port.Type.Shape)
			shape[0] = r.samples
			t, err := tensor.New(port.Type.DType, shape)
			if err != nil {
				r.badOutputs = err
				return
			}
			r.names = append(r.names, port.Name)
			r.outputs = append(r.outputs, t)
		}
	})
	if r.badOutputs != nil {
		return r.badOutputs
	}
	for i := range ports {
		to, err := r.outputs[i].Slice(0, p.from, p.from+p.n, 1)
		if err != nil {
			return err
		}
		if err := own.together.Take(i, p.at, to); err != nil {
			return err
		}
	}
	return nil
}

// failure makes an error one of the protocol.
func failure(ctx context.Context, err error) *oip.Error {
	var own *oip.Error
	var input *engine.InputError
	var limit *engine.LimitError
	var node *engine.NodeError
	var open *model.OpenError
	var rest *model.RestError
	broken := errors.Is(err, mapfile.ErrLost) || errors.As(err, new(*engine.InternalError)) || errors.As(err, &node) && node.Stack != nil
	switch {
	case errors.As(err, &own):
		return own
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(ctx.Err(), context.DeadlineExceeded):
		return oip.Errorf(oip.DeadlineExceeded, "the deadline of the request has passed")
	case errors.Is(err, context.Canceled) || ctx.Err() != nil:
		return oip.Errorf(oip.Canceled, "the request was cancelled")
	case errors.As(err, &limit) && limit.What == "time":
		return oip.Errorf(oip.DeadlineExceeded, "%v", err)
	case !broken && (errors.As(err, &node) || errors.As(err, &input) || errors.As(err, &limit) || errors.As(err, &open) || errors.As(err, &rest)):
		return oip.Errorf(oip.InvalidArgument, "%v", err)
	}
	return oip.Errorf(oip.Internal, "%v", fmt.Errorf("the model could not be run: %w", err))
}
