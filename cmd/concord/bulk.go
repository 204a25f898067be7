package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/bulk"
	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/pipeline"
)

// bulkFlags are the flags of the bulk command.
type bulkFlags struct {
	describedFlags
	options  bulk.Options
	output   string
	format   string
	shard    int
	onError  string
	cache    string
	cacheMax byteSize
	asJSON   bool
	force    bool
}

func newBulk() *cobra.Command {
	var f bulkFlags
	c := &cobra.Command{
		Use:   "bulk MODEL INPUT… -o DIR",
		Short: "Run a model over many inputs, and go on where it was interrupted",
		Long: `Run MODEL on every INPUT and write what it says into a file of the folder DIR: with --format jsonl an
object on a line for each input, as concord run --format ndjson prints it; with npz the outputs as
arrays with a row for each input; with parquet a table with a row for each.

INPUT is a file, a folder, a pattern such as 'x/*.jpg', or a list: a .jsonl with an object on each line
(names of inputs to arrays or to paths), a .csv of paths, a .tar, .tar.gz or .tgz of files. Paths in a
list begin in its folder. An .npz has all inputs of one run; with --rows each row of its arrays, or of
an .npy, is an input. A model with several inputs takes NAME=FILE for those that are always the same.

What is done is noted in DIR. A run that was interrupted, even by a power failure, goes on when it is
started again, and its result is the same, byte for byte. If the model, its manifest, an option or an
input has changed since, it is refused; --force begins anew.

--shards N --shard I computes the part I, from 0, of N equal parts of the list. Each has a file of
its own, and all of them one after another are the result of the whole list. In an Indexed Job of
Kubernetes, and in arrays of Slurm, I is known.

An input that cannot be computed ends the run, or with --on-error skip has a record that says why; such
inputs are listed in a file of their own, too, and the exit code is then 3.

--cache keeps answers in a folder, by the model and the contents of the input, and takes them from there.`,
		Example: `  concord bulk classifier.onnx photos/ -o out
  concord bulk detector.nnef.tgz 'more/*.jpg' photos.tar.gz -o out --on-error skip
  concord bulk model.onnx rows.jsonl -o out --format parquet
  concord bulk model.nnef samples.npz --rows -o out --format npz
  concord bulk model.onnx list.csv -o out --shards 16 --shard 3
  concord bulk model.onnx photos/ -o out --cache ~/.cache/concord`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return f.execute(c, args) },
	}
	fs := c.Flags()
	f.register(fs)
	fs.StringVarP(&f.output, "output", "o", "", "the `folder` for what is written; it is made if it is missing")
	fs.StringVar(&f.format, "format", "jsonl", "jsonl, npz or parquet")
	fs.BoolVar(&f.options.Rows, "rows", false, "make an input of each row of .npz and .npy files")
	fs.Var(bounded{&f.options.Shards, 1, limits.BulkShards}, "shards", "into how many parts the list is divided")
	fs.IntVar(&f.shard, "shard", 0, "which part is computed, from 0; else what JOB_COMPLETION_INDEX, SLURM_ARRAY_TASK_ID or AWS_BATCH_JOB_ARRAY_INDEX says")
	fs.StringVar(&f.onError, "on-error", "stop", "what an input does that cannot be computed: stop, or skip")
	fs.Var(bounded{&f.options.Workers, 0, limits.EngineThreads}, "workers", "how many inputs are computed at the same time, each by one thread; 0 for as many as there are processors")
	fs.Var(bounded{&f.options.Batch, 1, 0}, "batch", "how many inputs are computed in one run, where first extents of the model's inputs are open, or 1 and may be more. The results are the same")
	fs.StringVar(&f.cache, "cache", "", "a `folder` of answers that need not be computed again")
	fs.Var(&f.cacheMax, "cache-size", "what the cache may hold, such as 50GB; 10GB if it is not given. What was not used for longest goes")
	fs.BoolVar(&f.asJSON, "json", false, "print what was done as JSON")
	forceFlag(fs, &f.force)
	return c
}

// execute runs a shard.
func (f *bulkFlags) execute(c *cobra.Command, args []string) error {
	if err := f.check(c.Flags(), os.Getenv); err != nil {
		return err
	}
	args = f.override(args)
	f.options.Inputs = args[1:]
	m, j, err := f.open(args[0])
	if err != nil {
		return swapped(args, err)
	}
	defer func() { _ = m.Close() }() // it has only been read
	defer func() { _ = j.Close() }()
	bar := showProgress(c, "inputs")
	defer bar.clear()
	s, err := j.Run(c.Context(), f.output, f.shard, f.force, func(done, of int64) { bar.update(int(done), int(of)) })
	bar.clear()
	if err != nil {
		return bulkError(err)
	}
	if s.Unkept != "" {
		if err := note(printed(c.ErrOrStderr()), "--cache %s: not all answers are kept: %s\n", f.cache, s.Unkept); err != nil {
			return err
		}
	}
	if err := f.report(c.OutOrStdout(), &s); err != nil {
		return err
	}
	if s.Failed > 0 {
		return &codedError{exitInput, fmt.Errorf("%s could not be computed; %s says why", count(s.Failed, "input"), s.Errors)}
	}
	return nil
}

// indexVariables are what programs that start the same command several times say which of them it is by.
var indexVariables = []string{"JOB_COMPLETION_INDEX", "SLURM_ARRAY_TASK_ID", "AWS_BATCH_JOB_ARRAY_INDEX"}

// check completes the options, and finds what is wrong with them.
func (f *bulkFlags) check(fs *pflag.FlagSet, env func(string) string) error {
	if err := f.set.check(); err != nil {
		return err
	}
	o := &f.options
	o.Format = bulk.Format(f.format)
	if fs.Changed("shards") && !fs.Changed("shard") {
		for _, name := range indexVariables {
			if text := env(name); text != "" {
				n, err := strconv.Atoi(text)
				if err != nil || n < 0 || n >= o.Shards && o.Shards > 0 {
					return refused("%s=%s: the number of the shard must be from 0 to %d, one less than --shards; --shard says another", name, text, o.Shards-1)
				}
				f.shard = n
				break
			}
		}
		if o.Shards > 1 && !slices.ContainsFunc(indexVariables, func(name string) bool { return env(name) != "" }) {
			return refused("--shards %d needs --shard, or one of %s", o.Shards, strings.Join(indexVariables, ", "))
		}
	}
	switch {
	case f.output == "":
		return refused("-o DIR is missing: the folder for what is written")
	case f.output == stdinArg:
		return notWritten()
	case !slices.Contains(bulk.Formats, o.Format):
		return refused("--format: %q is not allowed; it must be one of %s", f.format, escape.Quoted(bulk.Formats))
	case f.shard < 0 || f.shard >= max(o.Shards, 1):
		return refused("--shard %d: it must be from 0 to %d, one less than --shards", f.shard, max(o.Shards, 1)-1)
	case f.onError != "skip" && f.onError != "stop":
		return refused("--on-error: %q is not allowed; it must be stop or skip", f.onError)
	}
	o.SkipErrors = f.onError == "skip"
	o.Cache, o.CacheBytes, o.Limits = f.cache, int64(f.cacheMax), f.limits()
	return nil
}

// open loads the model and makes the job.
func (f *bulkFlags) open(path string) (*concord.Model, *bulk.Job, error) {
	d, missing, finding := f.findManifest(path)
	m, opts, err := f.load(path)
	if err = allWrong(m, err, d, finding, opts.Shapes); err != nil {
		return nil, nil, err
	}
	f.options.Shapes = opts.Shapes
	if err = f.set.applyInputs(d, inputNames(m.Inputs())); err == nil {
		err = f.set.applyOutputs(d, outputNames(m, d, opts.Shapes))
	}
	if err != nil {
		return nil, nil, errors.Join(undescribed(err, missing), m.Close())
	}
	j, err := bulk.New(m, d, f.options)
	if err != nil {
		return nil, nil, errors.Join(f.placed(path, f.set.blamed(err)), m.Close())
	}
	return m, j, nil
}

// outputNames returns the names of a model's outputs, as far as they are known before an input is.
func outputNames(m *concord.Model, d *manifest.Manifest, shapes model.Shapes) []string {
	all := pipeline.Shapes(m.Inputs(), d)
	maps.Copy(all, shapes)
	g, err := m.Graph(all)
	if err != nil {
		return m.Outputs()
	}
	names := make([]string, len(g.Outputs))
	for i, o := range g.Outputs {
		names[i] = o.Name
	}
	return names
}

// bulkError says how a run that was interrupted goes on.
func bulkError(err error) error {
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("%w; the same command goes on from here", err)
	}
	return err
}

// report writes what was done.
func (f *bulkFlags) report(w io.Writer, s *bulk.Summary) error {
	if f.asJSON {
		return writeJSON(w, s)
	}
	if quiet {
		return nil
	}
	text := "written: " + escape.Text(s.File) + ", " + count(s.Inputs, "input")
	for _, n := range []struct {
		count int64
		what  string
	}{{s.Before, "done before"}, {s.Cached, "from the cache"}, {s.Failed, "failed"}} {
		if n.count > 0 {
			text += fmt.Sprintf(", %d %s", n.count, n.what)
		}
	}
	_, err := fmt.Fprintln(w, text)
	return err
}
