package shards

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"github.com/concord-nn/concord/bulk"
)

// Config says what a pipeline computes.
type Config struct {
	// Model is the path of the model. The manifest is the one that is found for it. The machine that starts the pipeline and all of its workers
	// have the same files under the same paths.
	Model string
	// Output is the folder for what is written: one that all machines share, or the address of one in a file system that the program has
	// registered with Beam, such as gs://bucket/folder.
	Output string
	// Options are those of the job. Without Workers, one thread computes a shard, as runners run several shards on a machine at the same time.
	Options bulk.Options
	// Force begins shards anew that were begun with another model, other options or other inputs.
	Force bool
}

// Part is what has become of a shard.
type Part struct {
	Shard  int
	File   string // its name in the folder
	Inputs int64
	Failed int64
	SHA256 string // of the file, in hexadecimal
}

// Total is what a pipeline has done.
type Total struct {
	Shards int    `json:"shards"`
	Inputs int64  `json:"inputs"`
	Failed int64  `json:"failed"` // that could not be computed
	SHA256 string `json:"sha256"` // of a line for each part, in their order, as the program sha256sum prints it, in hexadecimal
}

func init() {
	// Package register has faster calls, which shards do not need, and takes ten seconds of a processor to compile each time.
	beam.RegisterDoFn(reflect.TypeFor[*computeFn]())
	beam.RegisterDoFn(reflect.TypeFor[*totalFn]())
}

// Compute adds the computation of a job to a pipeline and returns a collection with its [Total]. The files in the folder have the bytes that
// [bulk.Job.Run] writes for the same shards, however often, and on how many machines at the same time, the runner has them computed; beside them
// stands the total, which [ReadTotal] reads. The model and the list of inputs are read here once: workers that find others refuse them.
func Compute(ctx context.Context, s beam.Scope, cfg Config) (beam.PCollection, error) {
	var none beam.PCollection
	cfg, err := cfg.settle()
	if err != nil {
		return none, err
	}
	j, err := open(ctx, cfg)
	if err != nil {
		return none, err
	}
	defer func() { _ = j.Close() }() // it has only been read
	id, err := identify(ctx, j)
	if err != nil {
		return none, err
	}
	s = s.Scope("concord")
	all := make([]int, cfg.Options.Shards)
	for i := range all {
		all[i] = i
	}
	parts := beam.ParDo(s, &computeFn{Config: cfg, Identity: id}, beam.Reshuffle(s, beam.CreateList(s, all)))
	return beam.ParDo(s, &totalFn{Config: cfg}, beam.GroupByKey(s, beam.AddFixedKey(s, parts))), nil
}

// settle completes what is not given, and makes paths last that workers in other folders would take for others.
func (c Config) settle() (_ Config, err error) {
	if c.Model == "" || c.Output == "" {
		return c, errors.New("the model or the folder for what is written is not given")
	}
	o := &c.Options
	if o.Shards == 0 {
		o.Shards = 1
	}
	if o.Workers == 0 {
		o.Workers = 1
	}
	if c.Model, err = filepath.Abs(c.Model); err == nil && !remote(c.Output) {
		c.Output, err = filepath.Abs(c.Output)
	}
	return c, err
}

// identity is what all machines must agree on.
type identity struct {
	Job  string // [bulk.Job.Digest]
	List string // the digest of [bulk.Job.List]
}

func identify(ctx context.Context, j *bulk.Job) (id identity, err error) {
	id.Job = j.Digest()
	_, id.List, err = j.List(ctx)
	return id, err
}

// computeFn computes shards.
type computeFn struct {
	Config   Config
	Identity identity

	shared *shared
}

// Setup opens the model, unless the process has it open.
func (f *computeFn) Setup(ctx context.Context) (err error) {
	f.shared, err = acquire(ctx, f.Config, f.Identity)
	return err
}

// Teardown lets go of the model.
func (f *computeFn) Teardown() {
	f.shared.release()
	f.shared = nil
}

// ProcessElement computes a shard.
func (f *computeFn) ProcessElement(ctx context.Context, shard int) (Part, error) {
	dir, deliver, err := place(f.Config.Output)
	if err != nil {
		return Part{}, err
	}
	defer deliver.close()
	s, err := f.run(ctx, dir, shard)
	if err != nil {
		return Part{}, fmt.Errorf("shard %d: %w", shard, err)
	}
	for _, name := range []string{s.Errors, s.File} {
		if err := deliver.file(ctx, name); err != nil {
			return Part{}, fmt.Errorf("shard %d: %w", shard, err)
		}
	}
	return Part{shard, filepath.Base(s.File), s.Inputs, s.Failed, s.SHA256}, nil
}

// busyPause is how long a worker waits before it looks again whether another one is still at work on its shard.
const busyPause = 200 * time.Millisecond

// run computes a shard in a folder. Runners may give a shard to a second worker while the first one still has it: whoever comes second waits, and finds
// the result, or goes on where the first one died.
func (f *computeFn) run(ctx context.Context, dir string, shard int) (bulk.Summary, error) {
	done := beam.NewCounter("concord", "inputs")
	for turn := 0; ; turn++ {
		last := int64(-1)
		s, err := f.shared.job.Run(ctx, dir, shard, f.Config.Force, func(n, _ int64) {
			if last >= 0 {
				done.Inc(ctx, n-last)
			}
			last = n
		})
		busy := (*bulk.BusyError)(nil)
		if !errors.As(err, &busy) {
			return s, err
		}
		if turn == 0 {
			log.Infof(ctx, "shard %d: %v; waiting for it", shard, err)
		}
		select {
		case <-ctx.Done():
			return s, ctx.Err()
		case <-time.After(busyPause):
		}
	}
}

// totalFn adds the parts up.
type totalFn struct{ Config Config }

// ProcessElement adds up the parts of all shards, and writes the total beside them.
func (f *totalFn) ProcessElement(ctx context.Context, _ int, next func(*Part) bool) (Total, error) {
	t := Total{Shards: f.Config.Options.Shards}
	var parts []Part
	for p := (Part{}); next(&p); {
		parts = append(parts, p)
	}
	slices.SortFunc(parts, func(a, b Part) int { return a.Shard - b.Shard })
	h := sha256.New()
	for i, p := range parts {
		if p.Shard != i {
			return t, fmt.Errorf("the runner has lost shard %d, or has it twice", min(i, p.Shard))
		}
		t.Inputs += p.Inputs
		t.Failed += p.Failed
		fmt.Fprintf(h, "%s  %s\n", p.SHA256, p.File)
	}
	if len(parts) != t.Shards {
		return t, fmt.Errorf("the runner has returned %d of %d shards", len(parts), t.Shards)
	}
	t.SHA256 = hex.EncodeToString(h.Sum(nil))
	text, err := json.Marshal(t)
	if err != nil {
		return t, err
	}
	return t, write(ctx, totalName(f.Config.Output, t.Shards), append(text, '\n'))
}

// ReadTotal reads what a pipeline of so many shards has done, from the folder it has written.
func ReadTotal(ctx context.Context, output string, shards int) (t Total, err error) {
	name := totalName(output, max(shards, 1))
	data, err := read(ctx, name)
	if err != nil {
		return t, err
	}
	if err := json.Unmarshal(data, &t); err != nil {
		return t, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// totalName begins with _, as names of what is no data.
func totalName(output string, shards int) string {
	return join(output, fmt.Sprintf("_total-of-%05d.json", shards))
}
