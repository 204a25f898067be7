package main

import (
	"time"

	"github.com/concord-nn/concord/engine"
)

// watchProgress shows how far the runs of jobs have come: by jobs, by the windows of a single sound, and by the units of each run.
func (r *runner) watchProgress(jobs int) {
	what := "inputs"
	if jobs == 1 {
		what = "running"
	}
	r.bar = newProgress(r.progress, what)
	r.out = r.bar.over(r.out)
	r.bar.update(0, jobs)
	if r.bar.w == nil || r.session.InParts() {
		return
	}
	programs, observe := r.session.Ran(), r.session.Observe
	if r.batch != nil {
		programs, observe = []*engine.Program{r.batch.Program()}, r.batch.Observe
	}
	all, done := 0.0, 0.0
	for _, p := range programs {
		for _, u := range p.Units() {
			all += effort(u)
		}
	}
	observer := &engine.Observer{Unit: func(u *engine.Unit, began time.Time, took time.Duration) {
		if done += effort(u); done >= all { // a run has ended, or a loop does more than was counted
			done = 0
		} else {
			r.bar.part(r.windows(done / all))
		}
		if r.profile != nil {
			r.profile.add(u, began, took)
		}
	}}
	observe(observer)
}

// effort is about how much there is to do for a unit.
func effort(u *engine.Unit) float64 {
	return float64(u.Cost.MACs) + float64(u.Cost.Ops) + float64(u.Cost.Read+u.Cost.Written)/8 + 1
}

// windows is the share of a job that is done, of whose windows one is done to a share.
func (r *runner) windows(share float64) float64 {
	if r.count > 1 {
		return (float64(r.window) + share) / float64(r.count)
	}
	return share
}
