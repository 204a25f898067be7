package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/report"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/tensor"
)

// together computes several samples in one run. The runner's session has the shapes of one sample, in which inputs are made and outputs read; it
// does not run.
type together struct {
	*model.Session
	samples int
}

// together makes the session that computes as many samples as --batch says, beside that of one.
func (r *runner) together(shapes model.Shapes) (*together, error) {
	n := r.flags.samples
	for _, in := range r.manifest.Inputs {
		switch in.Kind.(type) {
		case *manifest.Audio, *manifest.State:
			return nil, fmt.Errorf("--batch: the model runs window by window or keeps a state (input %q); each of its runs needs the one before", in.Name)
		}
	}
	if r.session.InParts() {
		return nil, errors.New("--batch: the model runs in parts, which depend on the elements of its inputs")
	}
	if states := r.session.Ran()[0].Graph().States; len(states) > 0 {
		return nil, fmt.Errorf("--batch: the model keeps a state (%s); each of its runs needs the one before", states[0].Value.Name)
	}
	wide := maps.Clone(shapes)
	if err := addBatch(r.model.Inputs(), wide, n); err != nil {
		return nil, err
	}
	s, err := r.programs.Session(wide)
	if err != nil {
		return nil, err
	}
	for i, p := range s.Outputs() {
		if one := r.session.Outputs()[i]; !stacks(one.Type, p.Type, n) {
			return nil, fmt.Errorf("--batch: the output is %v for one sample and %v for %d; samples cannot be told apart in it", one, p, n)
		}
	}
	return &together{s, n}, nil
}

// stacks reports whether a tensor has n samples of another one's type.
func stacks(one, all graph.Type, n int) bool {
	return len(one.Shape) > 0 && len(all.Shape) > 0 && one.DType == all.DType && one.Shape[0] == 1 && all.Shape[0] == n && one.Shape[1:].Equal(all.Shape[1:]) &&
		all.Bytes() == int64(n)*one.Bytes()
}

// runTogether runs jobs at once, at most as many as there are samples, and makes their reports. With --keep-going it leaves out those that cannot
// be run, and returns their errors beside the reports of the others.
func (r *runner) runTogether(ctx context.Context, jobs []*job) (reports []*report.Report, err error) {
	var broken failures
	var ready []*job
	for _, j := range jobs {
		if err := r.join(j, len(ready)); err == nil {
			ready = append(ready, j)
		} else if broken = append(broken, j.Placed(err)); !r.flags.onwards {
			return nil, broken[0]
		}
	}
	if len(ready) == 0 {
		return nil, broken.err()
	}
	if err := r.batch.Run(ctx); err != nil {
		return nil, err
	}
	for k, j := range ready {
		for i := range r.session.Outputs() {
			copy(r.session.Output(i).Bytes(), row(r.batch.Output(i), k, r.batch.samples))
		}
		rep := &report.Report{Input: j.Source}
		if err := r.report(j, rep); err == nil {
			reports = append(reports, rep)
		} else if broken = append(broken, j.Placed(err)); !r.flags.onwards {
			return nil, broken[0]
		}
	}
	return reports, broken.err()
}

// join makes a job sample k of those that run together.
func (r *runner) join(j *job, k int) error {
	if err := r.prepare(j); err != nil {
		return err
	}
	for i, p := range r.session.Inputs() {
		if err := r.batch.give(i, k, p, r.session.Input(i)); err != nil {
			return err
		}
	}
	return nil
}

// give sets sample k of an input. One that has no samples must be the same for all.
func (t *together) give(i, k int, p engine.Port, x *tensor.Tensor) error {
	to := t.Input(i)
	if stacks(p.Type, t.Inputs()[i].Type, t.samples) {
		copy(row(to, k, t.samples), x.Bytes())
		return nil
	}
	if k > 0 && !bytes.Equal(to.Bytes(), x.Bytes()) {
		return fmt.Errorf("--batch: the input %v has no extent for samples, and would be another one for each", p)
	}
	return t.SetInput(i, x)
}

// row returns the bytes of sample k of n.
func row(t *tensor.Tensor, k, n int) []byte {
	size := len(t.Bytes()) / n
	return t.Bytes()[k*size : (k+1)*size]
}
