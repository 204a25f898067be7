package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/diff"
	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/internal/evaluate"
	"github.com/concord-nn/concord/internal/feed"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// diffFlags are the flags of the diff command.
type diffFlags struct {
	modelFlags
	flags    *pflag.FlagSet
	lowered  bool
	asJSON   bool
	all      bool
	run      bool
	random   bool
	seed     uint64
	steps    int
	tol      diff.Tolerance
	engines  []string
	manifest string
	bounds   limitFlags
}

// shownDifferences is how many differences, or rows of a table, are shown without --all.
const shownDifferences = 50

func newDiff() *cobra.Command {
	var f diffFlags
	c := &cobra.Command{
		Use:   "diff A B [INPUT…]",
		Short: "Compare two models: their structure, or operator by operator what they compute",
		Long: `Compare the models A and B. Operators are matched by what they do and how they are connected;
names of intermediate values, the order of independent operators, and copies carry no meaning,
so that an operator that is inserted is one difference. Printed are operators added, removed,
replaced and changed, constants whose elements differ, and inputs and outputs. Two NNEF models
of one dialect are compared as their documents say, fragments expanded, others as graphs of
Concord's operators, as with --lowered.

With inputs, given as for "concord run", or --random, both models are run on the same inputs,
operator by operator, and the results of operators that correspond are compared. Shown are how
many elements differ, the greatest absolute and relative difference and the greatest number of
representable numbers between two elements (ULP), and where the two part first. By default
every bit must be equal; --atol and --rtol allow |a-b| ≤ atol + rtol·|b|.

With --steps, random inputs are drawn anew for each step, a sound gives one window to each, and
other inputs stay as they are.

--engines runs one model on two engines instead, which must give the same bits:
` + engineLines() + `
The exit code is 1 if the graphs differ or, where models are run, if their outputs do.`,
		Example: `  concord diff old.nnef new.nnef
  concord diff old.nnef new.nnef photo.jpg --rtol 1e-5
  concord diff old.nnef new.nnef --random --seed 7 --steps 10
  concord diff model.nnef --engines compiled,reference --random`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.execute(c.Context(), args, c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	fl := c.Flags()
	f.flags = fl
	f.register(fl)
	f.registerCompat(fl)
	fl.BoolVar(&f.lowered, "lowered", false, "compare the graphs of Concord's operators that NNEF documents become")
	fl.BoolVar(&f.asJSON, "json", false, "print JSON")
	fl.BoolVar(&f.all, "all", false, fmt.Sprintf("print all differences and all rows, not the first %d", shownDifferences))
	fl.BoolVar(&f.run, "run", false, "run the models; follows from inputs or --random")
	fl.BoolVar(&f.random, "random", false, "run the models on random inputs")
	fl.Uint64Var(&f.seed, "seed", 1, "what random inputs are drawn from")
	f.steps = 1
	fl.Var(bounded{&f.steps, 1, 0}, "steps", "runs one after another, between which states are kept")
	fl.Float64Var(&f.tol.Abs, "atol", 0, "the absolute difference that is allowed")
	fl.Float64Var(&f.tol.Rel, "rtol", 0, "the difference that is allowed, relative to B")
	fl.StringSliceVar(&f.engines, "engines", nil, "the two `engines` to run one model on")
	fl.Var(bounded{&f.threads, 0, limits.EngineThreads}, "threads", "threads to compute with; 0 for all processors. The result is the same")
	fl.StringVar(&f.manifest, "manifest", "", "the `file` that says how pictures become inputs, instead of the one beside A")
	f.bounds.register(fl)
	return c
}

// engineLines describes the engines, one on each line.
func engineLines() string {
	var b strings.Builder
	for _, e := range evaluate.Engines {
		fmt.Fprintf(&b, "  %-10s %s\n", e.Name, e.Doc)
	}
	return b.String()
}

func engineNames() string {
	var names []string
	for _, e := range evaluate.Engines {
		names = append(names, e.Name)
	}
	return strings.Join(names, ", ")
}

// check finds what is wrong with the flags and separates models from inputs.
func (f *diffFlags) check(args []string) (models, inputs []string, engines [2]*evaluate.Engine, err error) {
	wrong := func(format string, args ...any) ([]string, []string, [2]*evaluate.Engine, error) {
		return nil, nil, engines, refused(format, args...)
	}
	models, inputs = args[:min(2, len(args))], args[min(2, len(args)):]
	if len(f.engines) > 0 {
		if len(f.engines) != 2 {
			return wrong("--engines: there must be two, such as compiled,reference")
		}
		for i, name := range f.engines {
			var ok bool
			if engines[i], ok = evaluate.Find(name); !ok {
				return wrong("--engines: there is no engine %q; there are %s", name, engineNames())
			}
		}
		models, inputs, f.run = []string{args[0], args[0]}, args[1:], true
	}
	switch {
	case len(models) < 2:
		return wrong("diff takes two models; it compares one with itself on two --engines only")
	case f.random && len(inputs) > 0:
		return wrong("--random takes no INPUT; --seed chooses other random inputs")
	case !(f.tol.Abs >= 0) || !(f.tol.Rel >= 0):
		return wrong("--atol, --rtol: they must be 0 or more")
	}
	f.run = f.run || f.random || len(inputs) > 0
	for _, flag := range []string{"steps", "atol", "rtol", "threads", "memory", "time", "manifest"} {
		if !f.run && f.flags.Changed(flag) {
			return wrong("--%s is of runs: give inputs, --random or --run", flag)
		}
	}
	return models, inputs, engines, nil
}

func (f *diffFlags) execute(ctx context.Context, args []string, in io.Reader, out, progress io.Writer) error {
	models, inputs, engines, err := f.check(args)
	if err != nil {
		return err
	}
	opts, err := f.options()
	if err != nil {
		return err
	}
	var sides [2]*diffSide
	for i, path := range models {
		if sides[i], err = f.openSide(path, opts); err != nil {
			return err
		}
		defer sides[i].files.Close()
	}
	if f.compat && sides[0].cvm == nil && sides[1].cvm == nil {
		return errCompat
	}
	d := comparison{flags: f, sides: sides, in: in, out: out, progress: progress}
	if err := d.structure(); err != nil {
		return err
	}
	if f.run {
		if err := d.run(ctx, inputs, engines); err != nil {
			return err
		}
	}
	if err := d.write(); err != nil {
		return err
	}
	if d.divergence == nil && !d.report.Equal() || d.divergence != nil && !d.divergence.Agrees() {
		return errNegative
	}
	return nil
}

// comparison is one comparison of two models.
type comparison struct {
	flags         *diffFlags
	sides         [2]*diffSide
	report        *diff.Report
	divergence    *diff.Divergence
	notes         []string
	in            io.Reader
	out, progress io.Writer
}

// structure compares the graphs: as NNEF documents if both are of one dialect, and else as graphs of operators.
func (d *comparison) structure() error {
	a, b := d.sides[0], d.sides[1]
	if a.flat != nil && b.flat != nil && a.flat.Dialect == b.flat.Dialect && !d.flags.lowered {
		for i, s := range d.sides {
			if s.why != nil && s.hasVariables() {
				d.notes = append(d.notes, fmt.Sprintf("constants are compared by their labels only, for want of those of %s: %s", sideNames[i], firstLine(s.why)))
			}
		}
		stored := a.graph != nil && b.graph != nil // else constants could only be compared with nothing
		d.report = diff.Compare(a.document(stored), b.document(stored))
		return nil
	}
	for _, s := range d.sides {
		if s.graph == nil {
			return s.why
		}
	}
	if !d.flags.lowered && a.flat != nil && b.flat != nil {
		d.notes = append(d.notes, "the documents are of different dialects; compared are the graphs of operators that they become")
	}
	d.report = diff.Compare(diff.FromGraph(a.graph, a.place), diff.FromGraph(b.graph, b.place))
	return nil
}

var sideNames = [2]string{"A", "B"}

func firstLine(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return text
}

// run runs both models.
func (d *comparison) run(ctx context.Context, inputs []string, engines [2]*evaluate.Engine) error {
	var subjects [2]diff.Subject
	for i, s := range d.sides {
		if s.graph == nil {
			return s.why
		}
		subjects[i] = diff.Subject{Graph: s.graph, Engine: engines[i], Place: s.place}
	}
	opts := diff.RunOptions{Steps: d.flags.steps, Tolerance: d.flags.tol, Threads: d.flags.threads, Limits: d.flags.bounds.limits()}
	if err := d.inputs(ctx, &opts, subjects[0].Graph, inputs); err != nil {
		return err
	}
	bar := newProgress(d.progress, "operators")
	opts.Progress = bar.update
	var err error
	d.divergence, err = diff.Run(ctx, subjects[0], subjects[1], opts)
	bar.clear()
	return err
}

// inputs prepares the inputs of A as the run command does.
func (d *comparison) inputs(ctx context.Context, opts *diff.RunOptions, g *graph.Graph, args []string) error {
	if d.flags.random {
		rng, m := op.NewRand(d.flags.seed, 1), cmp.Or(d.sides[0].cvm, d.sides[1].cvm)
		opts.Inputs = func(int) ([]*tensor.Tensor, error) {
			in := make([]*tensor.Tensor, len(g.Inputs))
			for i, v := range g.Inputs {
				var err error
				if in[i], err = tensor.New(v.Type.DType, v.Type.Shape); err != nil {
					return nil, err
				}
				if err = drawInput(ctx, rng, m, in[i]); err != nil {
					return nil, err
				}
			}
			return in, nil
		}
		return nil
	}
	programs := model.NewPrograms(model.Of(g), engine.Options{Threads: d.flags.threads, Limits: d.flags.bounds.limits()}, 0)
	defer programs.Close()
	session, err := programs.Session(nil)
	if err != nil {
		return fmt.Errorf("%s: %w", d.sides[0].path, err)
	}
	f := &runFlags{inputFlags: inputFlags{describedFlags: describedFlags{manifest: d.flags.manifest}}}
	f.set.register(pflag.NewFlagSet("", pflag.ContinueOnError)) // none of them is given
	r := &runner{flags: f, path: d.sides[0].path, session: session, stdin: feed.NewStream(d.in), out: d.out, progress: d.progress}
	if err := r.findManifest(); err != nil && !errors.As(err, new(manifest.Errors)) { // which describe tells, and more
		return err
	}
	if err := r.describe(); err != nil {
		return err
	}
	jobs, err := r.jobs(args)
	switch {
	case err != nil:
		return err
	case len(jobs) != 1:
		return refused("%d inputs are given; the models are run on one", len(jobs))
	}
	if err := r.prepare(ctx, jobs[0]); err != nil {
		return err
	}
	opts.Feedback = r.feedback()
	opts.Inputs = func(step int) ([]*tensor.Tensor, error) { return r.inputsAt(jobs[0], step) }
	return nil
}

// feedback says which inputs take which outputs of the run before.
func (r *runner) feedback() map[int]int {
	feedback := make(map[int]int)
	for i, p := range r.session.Inputs() {
		if spec, ok := r.manifest.Input(p.Name).(*manifest.State); ok {
			feedback[i] = slices.IndexFunc(r.session.Outputs(), func(o engine.Port) bool { return o.Name == spec.From })
		}
	}
	return feedback
}

// inputsAt returns copies of the inputs of a run of a job.
func (r *runner) inputsAt(j *job, step int) ([]*tensor.Tensor, error) {
	if j.sound && step >= j.windows {
		return nil, fmt.Errorf("%s: it has %d windows; --steps asks for more", j.Source, j.windows)
	}
	if err := r.answers.Window(step); err != nil {
		return nil, err
	}
	in := make([]*tensor.Tensor, len(r.session.Inputs()))
	for i := range in {
		var err error
		if in[i], err = r.session.Input(i).Copy(); err != nil {
			return nil, err
		}
	}
	return in, nil
}

// diffReport is what diff prints as JSON.
type diffReport struct {
	A         string           `json:"a"`
	B         string           `json:"b"`
	Notes     []string         `json:"notes,omitempty"`
	Equal     bool             `json:"equal"`
	Structure *diff.Report     `json:"structure"`
	Run       *diff.Divergence `json:"run,omitempty"`
}

func (d *comparison) write() error {
	if d.flags.asJSON {
		return writeJSON(d.out, diffReport{
			d.sides[0].path, d.sides[1].path, d.notes, d.report.Equal(), d.report, d.divergence,
		})
	}
	shown := d.out
	text := &held{to: shown}
	d.out = text
	err := d.writeText()
	_, errShown := io.WriteString(shown, escape.Lines(text.String()))
	return errors.Join(err, errShown)
}

// writeText prints the comparison for people. Names in it stand as they are.
func (d *comparison) writeText() error {
	for _, note := range d.notes {
		fmt.Fprintf(d.out, "note: %s\n", note)
	}
	most := shownDifferences
	if d.flags.all {
		most = 0
	}
	if d.divergence == nil {
		return d.report.Write(d.out, most)
	}
	if !d.report.Equal() {
		fmt.Fprintf(d.out, "structure: %s\n\n", d.report.Summary())
	}
	return d.writeRun(most)
}
