// Package alone stands in for package batch.
package alone

import (
	"context"
	"time"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/serve/internal/oip"
)

type Options struct {
	Largest              int
	Delay                time.Duration
	Queue                int
	Workers              int
	Priorities, Priority int
	Step                 time.Duration
	Compile              concord.Options
	Manifest             *manifest.Manifest
}

type Request struct {
	Inputs     model.Values
	Priority   int
	Timeout    time.Duration
	Sequence   string
	Start, End bool
}

type Result struct {
	Outputs model.Values
	Batch   int
	Queued  time.Duration
}

type Scheduler struct{ p *model.Programs }

func New(m *concord.Model, opts Options) (*Scheduler, error) {
	return &Scheduler{m.Programs(opts.Compile)}, nil
}
func (s *Scheduler) Run(ctx context.Context, r Request) (*Result, error) {
	out, err := s.p.Run(ctx, r.Inputs)
	return &Result{Outputs: out}, err
}
func (s *Scheduler) Close()                          { s.p.Close() }
func (s *Scheduler) Statistics() oip.ModelStatistics { return oip.ModelStatistics{} }
func (s *Scheduler) Together() error                 { return nil }
func (s *Scheduler) Largest() int                    { return 1 }
