package bulk

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/internal/feed"
	"github.com/concord-nn/concord/internal/gate"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/internal/samples"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/pipeline"
)

// Format is the form of the files that a job writes.
type Format string

// The formats.
const (
	JSONLines Format = "jsonl"   // an object on a line for each input, as concord run --format ndjson writes it
	NPZ       Format = "npz"     // the outputs of all inputs as arrays, a row for each input
	Parquet   Format = "parquet" // a row for each input
)

// Formats lists the formats, the usual one first.
var Formats = []Format{JSONLines, NPZ, Parquet}

// Options say what a job computes. What is not given has a default.
type Options struct {
	// Inputs are files, folders, patterns such as 'x/*.jpg', and lists: .jsonl, .csv, .tar and .tar.gz; NAME=FILE is for one input of the model.
	// See docs/bulk.md.
	Inputs []string
	// Rows makes an input of each row of .npy and .npz files.
	Rows bool
	// Format is [JSONLines] if it is empty.
	Format Format
	// Shards is how many parts the list of inputs is divided into; 1 if it is 0.
	Shards int
	// Shapes are those of inputs that the model leaves open and that are the same for all inputs.
	Shapes model.Shapes
	// Limits bound what a run may take.
	Limits engine.Limits
	// SkipErrors notes an input that cannot be computed in its record and goes on; else the first one ends the run.
	SkipErrors bool
	// Workers is how many inputs are computed at the same time, each by one thread; as many as there are processors if it is 0.
	Workers int
	// Batch is how many inputs are computed in one run, where the model allows it; 1 if it is 0. Results do not depend on it.
	Batch int
	// Cache is a folder of answers that are taken instead of computing them again; "" for none. CacheBytes bounds it; 10 GB if it is 0.
	Cache      string
	CacheBytes int64
}

// Job is a model that is to answer for a list of inputs. Its methods may be called by several goroutines. [Open] and [New] make jobs.
type Job struct {
	opts     Options
	model    *concord.Model
	manifest *manifest.Manifest
	missing  error // that there is no manifest
	programs *model.Programs
	shapes   model.Shapes // of inputs that are settled before anything is read
	inputs   []engine.Port
	open     []bool // of each input, whether what is read decides about its shape
	batch    *samples.Batch
	list     *list
	digest   string // of model, manifest and options: of all that decides about an answer besides the input
	cache    *cache // nil without one
	owned    bool
	gate     gate.Gate

	counting sync.Mutex
	counts   *counts // nil before the list was walked through

	idle        chan *worker // that wait for work
	chunkInputs int64        // of a chunk at most
}

// Open reads the model at a path and the manifest that [manifest.Find] finds for it, if there is one, for a job. The caller closes the job.
func Open(path string, opts Options) (*Job, error) {
	m, err := concord.Open(path)
	if err != nil {
		return nil, err
	}
	d, err := manifest.Find(path)
	if none := (*manifest.NotFoundError)(nil); errors.As(err, &none) {
		d, err = nil, nil
	} else if errors.As(err, new(manifest.Errors)) {
		err = pipeline.Check(m, d, opts.Shapes) // which tells more
	}
	var j *Job
	if err == nil {
		j, err = New(m, d, opts)
	}
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	j.owned = true
	return j, nil
}

// New makes a job of a model, which must not be closed before it, and a manifest, which must not change any more; nil says nothing. The caller
// closes the job.
func New(m *concord.Model, d *manifest.Manifest, opts Options) (*Job, error) {
	if m == nil {
		return nil, errors.New("the model is nil")
	}
	j := &Job{opts: opts, model: m, manifest: d, chunkInputs: chunkInputs}
	if j.manifest == nil {
		j.manifest = &manifest.Manifest{Source: "flags"}
	}
	if len(j.manifest.Inputs) == 0 && len(j.manifest.Outputs) == 0 {
		j.missing = errors.New("there is no manifest")
	}
	if err := j.settle(); err != nil {
		return nil, err
	}
	if err := j.prepare(); err != nil {
		if j.programs != nil {
			j.programs.Close()
		}
		return nil, err
	}
	return j, nil
}

// settle checks the options and completes them.
func (j *Job) settle() error {
	o := &j.opts
	if o.Format == "" {
		o.Format = JSONLines
	}
	if !slices.Contains(Formats, o.Format) {
		return usage("the format %q is not known; it must be one of %s", o.Format, escape.Quoted(Formats))
	}
	for _, n := range []struct {
		name  string
		value *int
		none  int
	}{{"Shards", &o.Shards, 1}, {"Workers", &o.Workers, runtime.GOMAXPROCS(0)}, {"Batch", &o.Batch, 1}} {
		if *n.value < 0 {
			return usage("Options.%s is %d; it must be 1 or more, or 0 for the default", n.name, *n.value)
		}
		if *n.value == 0 {
			*n.value = n.none
		}
	}
	if o.Workers > limits.EngineThreads {
		return usage("%d workers are too many; %d are allowed", o.Workers, limits.EngineThreads)
	}
	if o.Shards > limits.BulkShards {
		return usage("%d shards are too many; %d are allowed", o.Shards, limits.BulkShards)
	}
	j.idle = make(chan *worker, o.Workers)
	return nil
}

// prepare compiles the model, as far as shapes are known, and reads the arguments.
func (j *Job) prepare() (err error) {
	j.shapes = pipeline.Shapes(j.model.Inputs(), j.manifest)
	maps.Copy(j.shapes, j.opts.Shapes)
	if j.digest, err = j.identity(); err != nil {
		return err
	}
	opts := concord.Options{Threads: 1, Limits: j.opts.Limits}
	j.programs = j.model.Programs(opts)
	if j.opts.Batch > 1 {
		if name := j.manifest.Consecutive(); name != "" {
			return usage("batch: the model runs window by window or keeps a state (input %q); each of its runs needs the one before", name)
		}
		if j.batch, err = samples.New(j.model.Model, j.programs, j.shapes); err != nil {
			return usage("batch: %w", err)
		}
		if _, err = j.batch.Session(j.opts.Batch); err != nil {
			return usage("batch: %w", err)
		}
	}
	if err := j.ports(); err != nil {
		return err
	}
	ranks := make([]int, len(j.inputs))
	for i, in := range j.model.Inputs() {
		if ranks[i] = len(in.Shape); in.Unranked {
			ranks[i] = -1
		}
	}
	if j.opts.Cache != "" {
		if j.cache, err = openCache(j.opts.Cache, j.opts.CacheBytes); err != nil {
			return fmt.Errorf("the cache: %w", err)
		}
	}
	j.list, err = newList(j.feeder(), ranks, j.opts.Inputs, j.opts.Rows)
	return err
}

// ports finds out which tensors the model takes, and of which of them a run's inputs decide about the shapes.
func (j *Job) ports() error {
	s, err := j.session(j.shapes)
	if err == nil {
		j.inputs, j.open = s.Inputs(), make([]bool, len(s.Inputs()))
		return nil
	}
	if open := (*model.OpenError)(nil); !errors.As(err, &open) {
		return err
	}
	for _, in := range j.model.Inputs() {
		if in.Sequence || in.Optional {
			return usage("the input %v may be any number of tensors; give their shapes", in)
		}
		shape := j.shapes[in.Name]
		fixed := shape != nil
		if !fixed {
			shape, fixed = in.Shape.Extents()
		}
		j.inputs = append(j.inputs, engine.Port{Name: in.Name, Type: graph.Type{DType: in.DType, Shape: shape}})
		j.open = append(j.open, !fixed || in.Unranked)
	}
	return nil
}

// session is a session of the model with its answers.
type session struct {
	*model.Session
	answers *pipeline.Session
}

func (j *Job) session(shapes model.Shapes) (*session, error) {
	s, err := j.programs.Session(shapes)
	if err != nil {
		return nil, err
	}
	answers, err := pipeline.NewSession(s, j.manifest)
	if err != nil {
		return nil, err
	}
	return &session{s, answers}, nil
}

func (j *Job) feeder() *feed.Feeder {
	return &feed.Feeder{Inputs: j.inputs, Open: j.open, Manifest: j.manifest, Missing: j.missing, Memory: j.opts.Limits.Memory}
}

// identity is the digest of all that decides about an answer besides the input: the model with the files it reads, how they are read, the manifest,
// shapes, and the form of an answer.
func (j *Job) identity() (string, error) {
	own, err := j.model.Digest()
	if err != nil {
		return "", err
	}
	description, err := j.manifest.Encode()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "concord bulk %d\n%s\n%d\n%s\n%s\n", answersVersion, own, len(description), description, j.opts.Format)
	for _, name := range naming.Sorted(j.shapes) {
		fmt.Fprintf(h, "%q=%v\n", name, j.shapes[name])
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// answersVersion counts the changes of what answers are made of, other than the model and the manifest.
const answersVersion = 1

// enter begins work of a job, which ends with j.gate.Leave. It fails for a Job that nobody has made, or that was closed.
func (j *Job) enter() error {
	if j == nil || j.model == nil {
		return errors.New("there is no job: it is nil or the zero Job; Open and New make one")
	}
	if !j.gate.Enter() {
		return mapfile.Closed("the job")
	}
	return nil
}

// Digest returns the SHA-256, in hexadecimal, of all that decides about an answer besides the input.
func (j *Job) Digest() string { return cmp.Or(j, new(Job)).digest }

// Shards returns how many parts the list of inputs is divided into.
func (j *Job) Shards() int { return cmp.Or(j, new(Job)).opts.Shards }

// Close ends the job for new work: everything that is asked afterwards is an error, fs.ErrClosed. What runs ends as it would have; then what the job
// has is released. It may be called at any time, by any goroutine, and more than once.
func (j *Job) Close() error {
	if j == nil || j.model == nil { // nobody has made it
		return nil
	}
	return j.gate.Close(func() error {
		j.programs.Close()
		if j.cache != nil {
			j.cache.close()
		}
		if j.owned {
			return j.model.Close()
		}
		return nil
	})
}

// counts are what a walk through the whole list yields.
type counts struct {
	items  int64
	digest string // of all sources
}

// count walks through the list for the first time.
func (j *Job) count(ctx context.Context) (*counts, error) {
	j.counting.Lock()
	defer j.counting.Unlock()
	if j.counts != nil {
		return j.counts, nil
	}
	c, h := &counts{}, sha256.New()
	err := j.list.walk(ctx, everything, everything, func(it *Item) error {
		c.items++
		_, _ = fmt.Fprintf(h, "%q\n", it.Source) // which cannot fail
		return nil
	})
	if err != nil {
		return nil, err
	}
	if c.digest = hex.EncodeToString(h.Sum(nil)); c.items == 0 {
		return nil, fmt.Errorf("%s: there are no inputs in it", strings.Join(j.opts.Inputs, ", "))
	}
	j.counts = c
	return c, nil
}

// List returns how many inputs the list has, and the SHA-256, in hexadecimal, of what they are called, in their order.
func (j *Job) List(ctx context.Context) (inputs int64, digest string, err error) {
	if err := j.enter(); err != nil {
		return 0, "", err
	}
	defer j.gate.Leave()
	c, err := j.count(ctx)
	if err != nil {
		return 0, "", err
	}
	return c.items, c.digest, nil
}

// Range returns the first input of a shard, and the one behind its last.
func (j *Job) Range(ctx context.Context, shard int) (from, to int64, err error) {
	if err := j.enter(); err != nil {
		return 0, 0, err
	}
	defer j.gate.Leave()
	return j.bounds(ctx, shard)
}

func (j *Job) bounds(ctx context.Context, shard int) (from, to int64, err error) {
	if shard < 0 || shard >= j.opts.Shards {
		return 0, 0, usage("there is no shard %d; there are 0 to %d", shard, j.opts.Shards-1)
	}
	c, err := j.count(ctx)
	if err != nil {
		return 0, 0, err
	}
	n := int64(j.opts.Shards)
	q, r := c.items/n, c.items%n
	start := func(i int64) int64 { return i*q + i*r/n }
	return start(int64(shard)), start(int64(shard) + 1), nil
}

// Items calls a function for the items of a shard, in their order.
func (j *Job) Items(ctx context.Context, shard int, visit func(*Item) error) error {
	if err := j.enter(); err != nil {
		return err
	}
	defer j.gate.Leave()
	from, to, err := j.bounds(ctx, shard)
	if err != nil {
		return err
	}
	if visit == nil {
		return errors.New("there is no function to call for items: it is nil")
	}
	return j.list.walk(ctx, from, to, func(it *Item) error {
		if it.Index < from {
			return nil
		}
		return visit(it)
	})
}
