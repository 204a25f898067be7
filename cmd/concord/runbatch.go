package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/concord-nn/concord/internal/report"
	"github.com/concord-nn/concord/internal/samples"
	"github.com/concord-nn/concord/pipeline"
)

// together makes the session that computes as many samples as --batch says. Beside it, the runner's session has the shapes of one sample; in it
// inputs are made and outputs read, and it does not run.
func (r *runner) together() (*samples.Session, error) {
	if name := r.manifest.Consecutive(); name != "" {
		return nil, fmt.Errorf("the model runs window by window or keeps a state (input %q); each of its runs needs the one before", name)
	}
	b, err := samples.New(r.model.Model, r.programs, r.shapes)
	if err != nil {
		return nil, err
	}
	all, err := b.Session(r.flags.samples)
	if err != nil {
		return nil, err
	}
	r.views = make([]*pipeline.Session, r.flags.samples)
	for k := range r.views {
		if r.views[k], err = pipeline.NewSession(r.session, r.manifest); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// runTogether runs jobs at once, at most as many as there are samples, and makes their reports. With --keep-going it leaves out those that cannot
// be run, and returns their errors beside the reports of the others.
func (r *runner) runTogether(ctx context.Context, jobs []*job) (reports []*report.Report, err error) {
	var broken failures
	var ready []*job
	for _, j := range jobs {
		r.answers = r.views[len(ready)]
		if err := r.join(ctx, j, len(ready)); err == nil {
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
		r.answers = r.views[k]
		for i := range r.session.Outputs() {
			if err := r.batch.Take(i, k, r.session.Output(i)); err != nil {
				return nil, err
			}
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
func (r *runner) join(ctx context.Context, j *job, k int) error {
	if err := r.prepare(ctx, j); err != nil {
		return err
	}
	for i := range r.session.Inputs() {
		err := r.batch.Put(i, k, r.session.Input(i))
		if shared := (*samples.SharedError)(nil); errors.As(err, &shared) {
			return fmt.Errorf("--batch: %w", err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
