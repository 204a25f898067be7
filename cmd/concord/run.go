package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/feed"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/samples"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/media"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/pipeline"
	"github.com/concord-nn/concord/tensor"
)

// runFlags are the flags of the run command.
type runFlags struct {
	inputFlags
	output  string
	raw     bool
	asJSON  bool
	profile bool
	hash    bool
	encoded string
	hex     bool
	format  string // one of formats
	save    []string
	samples int // of one run, by --batch; 0 for one without looking for the extent that counts them
	force   bool
	onwards bool // behind inputs that cannot be run
}

// describedFlags are the flags that say what a model is and how its inputs and outputs are described.
type describedFlags struct {
	modelFlags
	limitFlags
	manifest string
	set      overrides
}

func (f *describedFlags) register(fs *pflag.FlagSet) {
	fs.StringVar(&f.manifest, "manifest", "", "the `file` that describes inputs and outputs, instead of the one beside the model")
	f.set.register(fs)
	f.modelFlags.register(fs)
	f.limitFlags.register(fs)
	f.registerCompat(fs)
}

// inputFlags are the flags of the commands that run a model: what its inputs are, and how many threads compute.
type inputFlags struct {
	describedFlags
	random bool
	seed   uint64
	batch  int // of commands that measure: the number of the symbol that counts the samples; 0 if it is not asked for
}

func (f *inputFlags) register(fs *pflag.FlagSet) {
	f.describedFlags.register(fs)
	fs.BoolVar(&f.random, "random", false, "run on random inputs; those of which the manifest says the value have it")
	fs.Uint64Var(&f.seed, "seed", 1, "what random inputs are drawn from")
	fs.Var(bounded{&f.threads, 0, limits.EngineThreads}, "threads", "threads to compute with; 0 for all processors. The result is the same")
}

func newRun() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run MODEL [INPUT…]",
		Short: "Run a model on pictures, sound or arrays and show what it says",
		Long: `Run MODEL on each INPUT: a picture (PNG, JPEG, GIF), a sound (WAV), arrays (.npy, .npz), or raw
bytes (.bin): the elements row-major, little-endian and of the input's type. A model with
several inputs takes NAME=FILE for each, one .npz with all, or files in order. A folder stands for
the files in it that the input takes, a pattern such as 'x/*.jpg' for those that it matches, in
the order of their names. "-" is standard input: any of these files, known by its first bytes, and
else raw bytes.

The manifest beside the model says how inputs are prepared and what outputs mean; flags
override it. Classes are printed as a table with bars, a track as a curve. Boxes are
printed and drawn into a picture beside the input: photo.jpg gives photo-boxes.png. Outputs
without a meaning are summed up and written as photo-outputs.npz, results that --save names as
photo-saved.npz. --output names another folder for these files, which is made if it is missing.
All are named before anything runs: one that exists is replaced only with --force, and no input is.

A CVM model also yields bytes, its outputs post-processed and encoded. They are shown in
hexadecimal, the first 32 of them; --encoded writes all. A .bin is the bytes of its input. If the
outputs cannot be encoded, they are shown all the same; the exit code is then 3.

--format ndjson prints an object on a line for each input as soon as it has run, the same as in "runs"
of --json; --format csv a row, with the best class or box of each output.

--hash prints instead a line for each output, HEX  NAME TYPE[SHAPE]: the SHA-256 of its elements,
row-major and little-endian, a bool as one byte 0 or 1. For a CVM model the line of its encoded
bytes follows, with the name "encoded". If there is more than one output, the last line, with
the name "all", is the SHA-256 of the lines above it. No other file is written. The lines depend
on the model and the input alone, not on the machine or the number of threads.`,
		Example: `  concord run examples/digits/model.nnef examples/digits/drawings/seven.png
  concord run detector.nnef.tgz photo.jpg --score 0.6 --output /tmp
  concord run detector.nnef.tgz photos/ 'more/*.jpg' --output found
  concord run detector.nnef.tgz photos/ --output found --format csv > found.csv
  curl -s https://example.org/photo.jpg | concord run detector.nnef.tgz -
  concord run model.nnef x=input.npy y=other.npy --output .
  concord run classifier.onnx photos/ --batch 16 --format ndjson
  concord run model.nnef x=input.npy --save conv1,relu1
  concord run model.nnef --random --threads 1
  concord run model.nnef x=input.npy --hash
  concord run cvm/graph.json data=input.bin --hex
  concord run cvm/graph.json data=- --encoded=- < input.bin > output.bin`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			args = f.override(args)
			r, err := newRunner(&f, args, c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
			if err != nil {
				return err
			}
			defer r.close()
			if err := r.runAll(c.Context(), args[1:]); err != nil {
				return err
			}
			return r.encoded.commit()
		},
	}
	fs := c.Flags()
	f.register(fs)
	fs.StringVarP(&f.output, "output", "o", "", "the `folder` for pictures and arrays, instead of the input's")
	fs.BoolVar(&f.raw, "raw", false, "write every output of the model as .npz, whatever it means")
	fs.Var(bounded{&f.samples, 1, 0}, "batch", "how many inputs are computed in one run, where first extents of the model's inputs are open, or 1 and may be more. The results are the same")
	fs.Var((*texts)(&f.save), "save", "keep the result of a `NODE[,...]`, by the name that inspect prints; may be repeated")
	fs.BoolVar(&f.asJSON, "json", false, "print JSON")
	fs.StringVar(&f.format, "format", "", "text, json, ndjson (an object on a line for each input) or csv (a row for each input)")
	fs.BoolVar(&f.profile, "profile", false, "print where the time goes, operator by operator")
	fs.BoolVar(&f.hash, "hash", false, "print the SHA-256 of every output instead of what it says")
	fs.StringVar(&f.encoded, "encoded", "", "CVM: write the bytes of the encoded outputs, input by input, into this `file`; - prints nothing else")
	fs.BoolVar(&f.hex, "hex", false, "CVM: write these bytes in hexadecimal, a line for each input; without --encoded to standard output")
	fs.BoolVar(&f.onwards, "keep-going", false, "go on behind an input that cannot be run. What is wrong with it is told in the end, with exit code 3")
	forceFlag(fs, &f.force)
	return c
}

// check finds flags that do not go together.
func (f *runFlags) check() error {
	if err := f.settleFormat(); err != nil {
		return err
	}
	switch printed := f.hex && f.encoded == "" || f.encoded == "-"; {
	case f.samples > 0 && len(f.save) > 0:
		return errors.New("--batch and --save exclude each other")
	case f.onwards && (f.encoded != "" || f.hex):
		return errors.New("--keep-going would leave out what --encoded and --hex write for an input")
	case len(f.save) > 0 && (f.hash || printed):
		return errors.New("--save writes a file; --hash, --encoded=- and --hex write none")
	case f.hash && f.profile && !f.asJSON:
		return errors.New("--hash prints nothing but hashes; --profile needs --json beside it")
	case printed && (f.hash || f.asJSON || f.profile):
		return errors.New("--encoded=- and --hex print nothing else: --encoded FILE goes with --hash, --json and --profile")
	}
	return nil
}

// runner runs one model.
type runner struct {
	flags    *runFlags
	path     string
	model    *concord.Model
	programs *model.Programs
	shapes   model.Shapes // of one run
	saved    *saving      // nil without --save
	manifest *manifest.Manifest
	missing  error // that there is no manifest, and where it was looked for; nil if there is one
	session  *model.Session
	answers  *pipeline.Session   // which runs the session
	batch    *samples.Session    // nil without --batch
	views    []*pipeline.Session // with --batch, what each sample's answer is read by: where its picture was
	stdin    *feed.Stream
	feeder   *feed.Feeder
	out      io.Writer
	progress io.Writer
	style    media.Style
	profile  *profiler      // nil unless it is asked for
	encoded  *encodedOutput // nil unless --encoded asks for it
	bar      *progress      // of runAll
	window   int            // of a sound, that is being run
	count    int            // of its windows
}

// newRunner prepares the runs of the model that is the first argument; the others are inputs.
func newRunner(f *runFlags, args []string, in io.Reader, out, progress io.Writer) (*runner, error) {
	path := args[0]
	r := &runner{flags: f, path: path, stdin: feed.NewStream(in), out: out, progress: progress}
	if err := f.check(); err != nil {
		return nil, &codedError{exitUsage, err}
	}
	if err := f.set.check(); err != nil {
		return nil, err
	}
	var opts concord.Options
	var err error
	found := make(chan error, 1)
	go func() { found <- r.findManifest() }() // which reads all of the model to know it again
	r.model, opts, err = f.load(path)
	finding := <-found
	if err = allWrong(r.model, err, r.manifest, finding, opts.Shapes); err != nil {
		return nil, swapped(args, err)
	}
	if err = f.set.applyInputs(r.manifest, inputNames(r.model.Inputs())); err != nil {
		return nil, errors.Join(undescribed(err, r.missing), r.model.Close())
	}
	if len(opts.Shapes) == 0 {
		opts.Shapes = feed.Shapes(r.model.Inputs(), r.manifest, args[1:], r.stdin)
	}
	if n := max(f.batch, min(f.samples, 1)); n > 0 {
		if opts.Shapes, err = samples.Shapes(r.model.Inputs(), opts.Shapes, n); err != nil {
			return nil, errors.Join(f.placed(path, fmt.Errorf("--batch: %w", err)), r.model.Close())
		}
	}
	r.shapes = opts.Shapes
	opts.Threads, opts.Limits = f.threads, f.limits()
	if len(f.save) == 0 {
		r.programs = r.model.Programs(opts)
	} else if r.programs, err = r.save(opts); err != nil {
		return nil, errors.Join(f.placed(path, err), r.model.Close())
	}
	if r.session, err = r.programs.Session(opts.Shapes); err != nil {
		open := (*model.OpenError)(nil)
		err = samples.Fixed(r.model.Inputs(), f.batch, err)
		if err = f.placed(path, err); errors.As(err, &open) && !f.random {
			err = fmt.Errorf("%w, or %s=FILE", err, open.Input.Name)
		}
	} else if err = r.describe(); err == nil {
		r.encoded, err = f.openEncoded(r.model, out)
	}
	if err == nil && f.samples > 0 {
		if r.batch, err = r.together(); err != nil {
			err = f.placed(path, fmt.Errorf("--batch: %w", err))
		}
	}
	if err != nil {
		r.close()
		return nil, err
	}
	if f.profile {
		r.profile = newProfiler()
		observer := &engine.Observer{Unit: r.profile.add}
		if r.session.Observe(observer); r.batch != nil {
			r.batch.Observe(observer)
		}
	}
	r.style = media.Style{Colour: coloured(out), Width: terminalWidth(out)}
	return r, nil
}

func (r *runner) close() {
	r.encoded.close()
	r.programs.Close()
	_ = r.model.Close() // the model has only been read
}

// findManifest finds the manifest of the runner's model.
func (r *runner) findManifest() (err error) {
	r.manifest, r.missing, err = r.flags.findManifest(r.path)
	return err
}

// findManifest finds the manifest of a model, or else an empty one and the error that says where it was looked for.
func (f *describedFlags) findManifest(path string) (d *manifest.Manifest, missing, err error) {
	d, err = f.manifestOf(path, f.manifest)
	if none := (*manifest.NotFoundError)(nil); errors.As(err, &none) {
		d, missing, err = &manifest.Manifest{Source: "flags"}, none, nil
	}
	return d, missing, err
}

// swapped adds to an error of the model, which is the first argument, which other one it may be.
func swapped(args []string, err error) error {
	is := func(arg string) bool { return formatOf(arg) != "" }
	if i := slices.IndexFunc(args, is); i > 0 && there(args[0]) {
		return fmt.Errorf("%w; the model comes first, and %s is one", err, args[i])
	}
	if isFolder(args[0]) && !is(args[0]) {
		for _, name := range firstIn(args[0]) {
			if path := filepath.Join(args[0], name); is(path) {
				return fmt.Errorf("%w; %s in it is one", err, path)
			}
		}
	}
	return err
}

// firstIn returns the names of some files of a folder, of which there may be millions; none of one that cannot be read.
func firstIn(folder string) []string {
	f, err := os.Open(folder)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(100)
	slices.Sort(names)
	return names
}

// allWrong returns all that is wrong with a model, of which reading has failed or not, and with the manifest that was found for it. The model is closed then.
func allWrong(m *concord.Model, reading error, d *manifest.Manifest, finding error, given model.Shapes) error {
	wrong := errors.As(finding, new(manifest.Errors))
	switch {
	case reading != nil && wrong:
		return errors.Join(finding, reading)
	case reading != nil:
		return reading
	case wrong:
		finding = pipeline.Check(m, d, given) // which tells more
	}
	if finding != nil {
		return errors.Join(finding, m.Close())
	}
	return nil
}

// describe applies the flags that override the manifest, and holds it against the model.
func (r *runner) describe() (err error) {
	names := make([]string, len(r.results()))
	for i, p := range r.results() {
		names[i] = p.Name
	}
	if err := r.flags.set.applyOutputs(r.manifest, names); err != nil {
		return undescribed(err, r.missing)
	}
	r.feeder = &feed.Feeder{Inputs: r.session.Inputs(), Manifest: r.manifest, Missing: r.missing, Stdin: r.stdin, Memory: int64(r.flags.memory)}
	r.answers, err = pipeline.NewSession(r.session, r.manifest)
	return r.flags.set.blamed(err)
}

// undescribed is the error of flags that change what is not described, and why it is not.
func undescribed(err, missing error) error {
	if missing != nil {
		err = fmt.Errorf("%w; %w", err, missing)
	}
	return &codedError{exitUsage, err}
}

func inputNames(inputs []model.Input) []string {
	names := make([]string, len(inputs))
	for i, in := range inputs {
		names[i] = in.Name
	}
	return names
}

// randomInputs draws every input of the session, where the session has it, but those of which the manifest says the value. That of a CVM model gets values of
// its precision.
func (r *runner) randomInputs(ctx context.Context) (pipeline.Inputs, error) {
	rng, in := op.NewRand(r.flags.seed, 1), pipeline.Inputs{Tensors: make(map[string]*tensor.Tensor)}
	for i, p := range r.session.Inputs() {
		if err := drawInput(ctx, rng, r.model.CVM(), r.session.Input(i)); err != nil {
			return in, err
		}
		if k, ok := r.manifest.Input(p.Name).(*manifest.Tensor); !ok || k.Value == nil {
			in.Tensors[p.Name] = r.session.Input(i)
		}
	}
	return in, nil
}

// drawn is how many elements of a random input are drawn between looks whether they are still wanted.
const drawn = 1 << 16

// drawInput draws the elements of an input, that of a CVM model from all numbers of its precision. m is nil for others.
func drawInput(ctx context.Context, rng *op.Rand, m *cvm.Model, t *tensor.Tensor) error {
	d, all := t.DType(), t.Len()
	for at := 0; at < all; at += drawn {
		if err := ctx.Err(); err != nil {
			return err
		}
		piece := tensor.Shape{min(drawn, all-at)}
		var part *tensor.Tensor
		if m == nil {
			part = rng.Uniform(d, piece, -1, 1)
		} else {
			most := 1<<(min(m.InputPrecision(), 31)-1) - 1 // so that an int holds how many there are
			part = rng.Integers(d, piece, -most, most)
		}
		copy(t.Bytes()[d.Bytes(at):], part.Bytes())
	}
	return nil
}
