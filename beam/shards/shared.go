package shards

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/concord-nn/concord/bulk"
)

// shared is a job that all elements of a process use, however many DoFns the runner makes for them.
type shared struct {
	key   string
	job   *bulk.Job
	users int
}

// jobs are those of this process, by what they compute.
var jobs = struct {
	sync.Mutex
	open map[string]*shared
}{open: map[string]*shared{}}

// open opens the job of a pipeline.
func open(ctx context.Context, cfg Config) (*bulk.Job, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return bulk.Open(cfg.Model, cfg.Options)
}

// acquire returns the job of a pipeline if it is the one that the pipeline was started with.
func acquire(ctx context.Context, cfg Config, want identity) (*shared, error) {
	text, err := json.Marshal(struct {
		Config
		identity
	}{cfg, want})
	if err != nil {
		return nil, err
	}
	jobs.Lock()
	defer jobs.Unlock()
	s := jobs.open[string(text)]
	if s == nil {
		j, err := open(ctx, cfg)
		if err != nil {
			return nil, err
		}
		if err := check(ctx, j, cfg, want); err != nil {
			return nil, errors.Join(err, j.Close())
		}
		s = &shared{key: string(text), job: j}
		jobs.open[s.key] = s
	}
	s.users++
	return s, nil
}

// check compares what this machine has with what the pipeline was started with.
func check(ctx context.Context, j *bulk.Job, cfg Config, want identity) error {
	got, err := identify(ctx, j)
	if err != nil || got == want {
		return err
	}
	what := fmt.Sprintf("the model %s, with its manifest, has the digest %s here, and %s where the pipeline was started", cfg.Model, got.Job, want.Job)
	if got.Job == want.Job {
		what = fmt.Sprintf("the inputs %q are other files here than where the pipeline was started", cfg.Options.Inputs)
	}
	host, err := os.Hostname()
	if err != nil {
		host = "this machine"
	}
	return fmt.Errorf("%s: %s; all machines must have the same files, and the same version of this program", host, what)
}

// release closes the job if nobody else uses it.
func (s *shared) release() {
	if s == nil {
		return
	}
	jobs.Lock()
	defer jobs.Unlock()
	if s.users--; s.users == 0 {
		delete(jobs.open, s.key)
		_ = s.job.Close() // it has only been read
	}
}
