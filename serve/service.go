package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/serve/internal/batch"
	"github.com/concord-nn/concord/serve/internal/oip"
	"github.com/concord-nn/concord/tensor"
)

// service is the server as its transports see it.
type service Server

// extensions are those of the protocol that there are.
var extensions = []string{"binary_tensor_data", "model_configuration", "model_repository", "model_repository(unload_dependents)", "parameters",
	"schedule_policy", "sequence", "sequence(string_id)", "statistics"}

// Live implements [oip.Service]: whoever can ask knows.
func (s *service) Live() bool { return true }

// Ready implements [oip.Service]. A server that goes down is not ready.
func (s *service) Ready() bool { return s.down.Err() == nil && s.models.Ready() }

// Server implements [oip.Service].
func (s *service) Server() oip.ServerMetadata {
	return oip.ServerMetadata{Name: "concord", Version: s.opts.Version, Extensions: extensions}
}

// ModelReady implements [oip.Service].
func (s *service) ModelReady(name, version string) (bool, error) {
	able, err := s.models.Able(name, version)
	return able && s.down.Err() == nil, err
}

// use calls f with a version that is loaded. One that has to be loaded first is waited for a little.
func (s *service) use(name, number string, f func(v *version, number string) error) error {
	ctx, cancel := context.WithTimeout(s.stop, s.opts.ReadTimeout)
	defer cancel()
	v, of, release, err := acquire(ctx, s.models, name, number)
	if err != nil {
		return failure(err)
	}
	defer release()
	return f(v, of.Version)
}

// Model implements [oip.Service].
func (s *service) Model(name, number string) (m *oip.ModelMetadata, err error) {
	err = s.use(name, number, func(v *version, _ string) error {
		m = v.metadata(name, s.models.Versions(name))
		return nil
	})
	return m, err
}

// Config implements [oip.Service].
func (s *service) Config(name, number string) (c *oip.ModelConfig, err error) {
	err = s.use(name, number, func(v *version, _ string) error {
		c = &oip.ModelConfig{Name: name, Platform: v.platform(), Inputs: metadataOf(v.inputs), Outputs: metadataOf(v.outputs),
			MaxQueueDelay: s.opts.BatchDelay, PriorityLevels: cmp.Or(s.opts.Priorities, 1), DefaultPriority: (cmp.Or(s.opts.Priorities, 1) + 1) / 2,
			Sequences: v.stateful}
		if v.scheduler.Together() == nil && v.scheduler.Largest() > 1 {
			for _, list := range [][]oip.TensorMetadata{c.Inputs, c.Outputs} {
				for i := range list {
					if shape := list[i].Shape; len(shape) > 0 && shape[0] == -1 { // of a model without, requests have one sample
						list[i].Shape, c.MaxBatchSize = shape[1:], int64(v.scheduler.Largest())
					}
				}
			}
		}
		return nil
	})
	return c, err
}

// Statistics implements [oip.Service].
func (s *service) Statistics(name, number string) ([]oip.ModelStatistics, error) {
	if name == "" {
		return (*Server)(s).statistics(), nil
	}
	if _, err := s.models.Able(name, number); err != nil {
		return nil, err
	}
	return slices.DeleteFunc((*Server)(s).statistics(), func(st oip.ModelStatistics) bool {
		return st.Name != name || number != "" && st.Version != number
	}), nil
}

// Index implements [oip.Service].
func (s *service) Index(ready bool) ([]oip.IndexEntry, error) { return s.models.Index(ready), nil }

// Load implements [oip.Service].
func (s *service) Load(ctx context.Context, name string) error {
	return failure(s.models.Load(ctx, name))
}

// Unload implements [oip.Service].
func (s *service) Unload(ctx context.Context, name string) error {
	return failure(s.models.Unload(ctx, name))
}

// Infer implements [oip.Service].
func (s *service) Infer(ctx context.Context, r *oip.Request) (*oip.Response, error) {
	answer, err := s.infer(ctx, r)
	number := r.Version
	if answer != nil {
		number = answer.Version
	}
	asked(ctx, r.Model, number, err)
	return answer, err
}

func (s *service) infer(ctx context.Context, r *oip.Request) (*oip.Response, error) {
	given, err := parametersOf(r.Parameters)
	if err != nil {
		return nil, err
	}
	v, of, release, err := acquire(ctx, s.models, r.Model, r.Version)
	if err != nil {
		return nil, failure(err)
	}
	defer release()
	if given.Inputs, err = v.take(r.Inputs); err != nil {
		return nil, err
	}
	if err := v.checkOutputs(r.Outputs); err != nil {
		return nil, err
	}
	result, err := v.scheduler.Run(ctx, given)
	if err != nil {
		return nil, failure(err)
	}
	answer := &oip.Response{Model: r.Model, Version: of.Version, ID: r.ID}
	for _, name := range v.wanted(r.Outputs, result.Outputs) {
		t := result.Outputs[name]
		if oip.Datatype(t.DType()) == "" {
			return nil, oip.Errorf(oip.Unimplemented, "the output %q is of type %v, for which the protocol has no name", name, t.DType())
		}
		answer.Outputs = append(answer.Outputs, oip.Tensor{Name: name, Data: t})
	}
	return answer, nil
}

// take returns the inputs of a request by their names, which the transports find to be different ones. What they must look like, the scheduler knows.
func (v *version) take(list []oip.Tensor) (model.Values, error) {
	in := make(model.Values, len(list))
	for _, t := range list {
		if !slices.ContainsFunc(v.inputs, func(p port) bool { return p.name == t.Name }) {
			return nil, v.noInput(t.Name)
		}
		in[t.Name] = t.Data
	}
	return in, nil
}

func (v *version) noInput(name string) error {
	return oip.Errorf(oip.InvalidArgument, "the model has no input %q; its inputs are %s", name, names(v.inputs))
}

func (v *version) checkOutputs(list []oip.Requested) error {
	for _, o := range list {
		if len(v.outputs) > 0 && !slices.ContainsFunc(v.outputs, func(p port) bool { return p.name == o.Name }) {
			return oip.Errorf(oip.InvalidArgument, "the model has no output %q; its outputs are %s", o.Name, names(v.outputs))
		}
	}
	return nil
}

// wanted returns the names of the outputs that a request asks for, all in the order of the model if it names none.
func (v *version) wanted(list []oip.Requested, out model.Values) []string {
	var all []string
	for _, o := range list {
		all = append(all, o.Name)
	}
	if len(all) == 0 {
		for _, p := range v.outputs {
			all = append(all, p.name)
		}
	}
	if len(all) == 0 { // only the run has shown them
		for name := range out {
			all = append(all, name)
		}
		sort.Strings(all)
	}
	return slices.DeleteFunc(all, func(name string) bool { return out[name] == nil })
}

// names writes the names and types of inputs or outputs.
func names(ports []port) string {
	list := make([]string, len(ports))
	for i, p := range ports {
		if list[i] = fmt.Sprintf("%q", p.name); p.dtype != tensor.Invalid {
			list[i] += fmt.Sprintf(" (%s %v)", oip.Datatype(p.dtype), p.shape)
		}
	}
	return strings.Join(list, ", ")
}

// parametersOf returns what the parameters of a request say of its run. Others are none of ours.
func parametersOf(p oip.Parameters) (r batch.Request, err error) {
	bad := func(name, want string) (batch.Request, error) {
		return r, oip.Errorf(oip.InvalidArgument, "the parameter %s is %v; it must be %s", name, p[name], want)
	}
	for name, to := range map[string]*bool{oip.SequenceStart: &r.Start, oip.SequenceEnd: &r.End} {
		if x, given := p[name]; given {
			var ok bool
			if *to, ok = x.(bool); !ok {
				return bad(name, "true or false")
			}
		}
	}
	if x, given := p[oip.SequenceID]; given {
		if text, ok := x.(string); ok {
			r.Sequence = text
		} else if n, ok := whole(x); !ok {
			return bad(oip.SequenceID, "a text or a whole number")
		} else if n != 0 {
			r.Sequence = strconv.FormatUint(n, 10)
		}
	}
	if x, given := p[oip.Priority]; given {
		n, ok := whole(x)
		if !ok || n > math.MaxInt32 {
			return bad(oip.Priority, "a whole number")
		}
		r.Priority = int(n)
	}
	if x, given := p[oip.Timeout]; given {
		n, ok := whole(x)
		if !ok {
			return bad(oip.Timeout, "a number of microseconds")
		}
		r.Timeout = time.Duration(min(n, math.MaxInt64/1000)) * time.Microsecond
	}
	return r, nil
}

// whole returns a number that is not below 0.
func whole(x any) (uint64, bool) {
	switch n := x.(type) {
	case int64:
		return uint64(n), n >= 0
	case uint64:
		return n, true
	case float64:
		return uint64(n), n >= 0 && n < 1<<53 && n == math.Trunc(n)
	}
	return 0, false
}

// failure makes an error one that clients can be told.
func failure(err error) error {
	switch {
	case err == nil, errors.As(err, new(*oip.Error)):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return oip.Errorf(oip.DeadlineExceeded, "there was not enough time")
	case errors.Is(err, context.Canceled):
		return oip.Errorf(oip.Canceled, "the request was given up")
	}
	return err
}
