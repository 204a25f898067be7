package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/concord-nn/concord/internal/feed"
	"github.com/concord-nn/concord/internal/report"
	"github.com/concord-nn/concord/pipeline"
)

// job is one run of the model, or for a sound a sequence of runs.
type job struct {
	*feed.Job
	sound   bool // whether an input is a sound
	windows int  // runs that it takes, when it is prepared: one for each window of a sound
}

// jobs assigns files to inputs.
func (r *runner) jobs(args []string) ([]*job, error) {
	if r.flags.random {
		if len(args) > 0 {
			return nil, refused("--random takes no INPUT")
		}
		return []*job{{Job: &feed.Job{}}}, nil
	}
	list, err := r.feeder.Jobs(args)
	jobs := make([]*job, len(list))
	for i, j := range list {
		jobs[i] = &job{Job: j}
	}
	return jobs, err
}

// runAll runs the model on all inputs and shows the results.
func (r *runner) runAll(ctx context.Context, args []string) error {
	jobs, err := r.jobs(args)
	if err == nil {
		err = writable(r.outputs(jobs), inputs{r.path, r.reads(jobs)}, r.flags.force)
	}
	if err != nil {
		return err
	}
	if err := r.makeFolder(jobs); err != nil {
		return err
	}
	r.watchProgress(len(jobs))
	defer r.bar.clear()
	show := r.newPrinter(len(jobs))
	var broken failures
	var refused error // that bytes of a CVM model cannot be encoded, which keeps nothing else from being shown
	for done := 0; done < len(jobs); {
		group := slices.Clone(jobs[done:min(done+max(r.flags.samples, 1), len(jobs))])
		clear(jobs[done : done+len(group)]) // what they hold is needed no longer than they run
		reports, err := r.runGroup(ctx, group)
		if err != nil && (!r.flags.onwards || ctx.Err() != nil) {
			return err
		}
		if done += len(group); err != nil {
			broken = append(broken, err)
		}
		r.bar.update(done, len(jobs))
		for _, rep := range reports {
			if rep.Refusal != nil {
				refused = fmt.Errorf("%s: there are no encoded bytes: %w", r.path, rep.Refusal)
			}
			if r.encoded.printed() {
				continue
			}
			if err := show.show(rep); err != nil {
				return err
			}
		}
	}
	r.bar.clear()
	return errors.Join(show.end(), refused, broken.err())
}

// failures are the errors of runs behind which others went on.
type failures []error

// err is the error of all; nil if there is none.
func (f failures) err() error {
	if len(f) == 0 {
		return nil
	}
	lines := make([]string, len(f))
	for i, err := range f {
		lines[i] = errorText(err)
	}
	return &codedError{exitInput, errors.New(strings.Join(lines, "\n"))}
}

// runGroup runs the jobs of one run: several with --batch, else one.
func (r *runner) runGroup(ctx context.Context, group []*job) ([]*report.Report, error) {
	if r.batch != nil {
		return r.runTogether(ctx, group)
	}
	rep, err := r.run(ctx, group[0])
	if err != nil {
		return nil, group[0].Placed(err)
	}
	return []*report.Report{rep}, nil
}

// prepare sets the inputs of the session, of a sound the first window.
func (r *runner) prepare(ctx context.Context, j *job) (err error) {
	defer r.feeder.Release()
	var in pipeline.Inputs
	if j.Source == "" && r.flags.random {
		in, err = r.randomInputs(ctx)
	} else {
		in, err = r.feeder.Read(j.Job)
	}
	if err != nil {
		return err
	}
	j.sound = in.Sound != nil
	j.windows, err = r.answers.Set(in)
	return r.feeder.From(j.Job, err)
}
