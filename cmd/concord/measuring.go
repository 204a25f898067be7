package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/measure"
	"github.com/concord-nn/concord/internal/report"
	"github.com/concord-nn/concord/internal/simd"
)

// measuringFlags are the flags of the commands that measure runs.
type measuringFlags struct {
	runFlags
	tier   string
	warmUp float64 // seconds
	length float64 // seconds
	runs   int
}

func (f *measuringFlags) register(fs *pflag.FlagSet) {
	f.inputFlags.register(fs)
	fs.Var(bounded{&f.batch, 1, 0}, "batch", "the number of samples, where first extents of the model's inputs are open, or 1 and may be more")
	fs.StringVar(&f.tier, "tier", "", "the highest `tier` of kernels: "+strings.Join(simd.Names, ", ")+". The result is the same")
	fs.Float64Var(&f.warmUp, "warm-up", 0.5, "`seconds` of runs that do not count")
	fs.Float64Var(&f.length, "seconds", 3, "`seconds` of runs that count; three runs at least")
	fs.Var(bounded{&f.runs, 1, 0}, "runs", "how many runs count, in place of --seconds")
	fs.BoolVar(&f.asJSON, "json", false, "print JSON")
}

// loop returns how often the model is run.
func (f *measuringFlags) loop() (measure.Loop, error) {
	switch most := float64(1e6); {
	case !(f.warmUp >= 0 && f.warmUp <= most):
		return measure.Loop{}, refused("--warm-up: it must be 0 … 1000000 seconds")
	case !(f.length >= 0 && f.length <= most):
		return measure.Loop{}, refused("--seconds: it must be 0 … 1000000")
	}
	l := measure.Loop{WarmUp: seconds(f.warmUp), Time: seconds(f.length), Least: 3}
	if f.runs > 0 {
		l.Time, l.Least, l.Most = 0, f.runs, f.runs
	}
	return l, nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// measured is a model that is ready to be measured, and what is known of it before.
type measured struct {
	*runner
	loop   measure.Loop
	base   int64 // bytes of memory that the process had before the model was loaded
	Report modelTimes
}

// modelTimes is what was measured of a model, and of what.
type modelTimes struct {
	Model   string          `json:"model"`
	Format  string          `json:"format"`
	Version string          `json:"version"`
	Machine measure.Machine `json:"machine"`
	Threads int             `json:"threads"`
	Tier    string          `json:"tier"`
	Inputs  []portReport    `json:"inputs"`
	Load    float64         `json:"load_ms"`  // from the file to a session
	First   float64         `json:"first_ms"` // the first run
	Runs    int             `json:"runs"`     // that counted
	Median  float64         `json:"median_ms"`
	P10     float64         `json:"p10_ms"`
	P99     float64         `json:"p99_ms"`
	Min     float64         `json:"min_ms"`
	MACs    int64           `json:"macs"` // multiply-adds of a run
	Rate    float64         `json:"macs_per_second"`
	Share   float64         `json:"peak_share"` // of what the machine would need at its peaks in the median time
	Peaks   measure.Peaks   `json:"peaks"`
	SHA256  string          `json:"sha256"` // of the first run's outputs: the last line of concord run --hash
}

// measuring loads a model, sets its inputs and runs it once.
func (f *measuringFlags) measuring(c *cobra.Command, args []string) (*measured, error) {
	loop, err := f.loop()
	if err != nil {
		return nil, err
	}
	if err := useTier(f.tier); err != nil {
		return nil, err
	}
	args = f.override(args)
	if f.random = f.random || len(args) == 1; !f.random && c.Flags().Changed("seed") {
		return nil, refused("--seed is of random inputs, which are those without an INPUT")
	}
	base, began := measure.PeakMemory(), time.Now()
	r, err := newRunner(&f.runFlags, args, c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
	if err != nil {
		return nil, err
	}
	m := &measured{runner: r, loop: loop, base: base, Report: modelTimes{Model: args[0], Format: r.model.Format(), Version: version, Machine: measure.ThisMachine(),
		Threads: cmp.Or(f.threads, measure.ThisMachine().Processors), Tier: kernel.TiersInUse()[0], Load: measure.Milliseconds(time.Since(began))}}
	if err := m.first(c.Context(), args[1:]); err != nil {
		r.close()
		return nil, err
	}
	return m, nil
}

// first sets the inputs and runs the model for the first time.
func (m *measured) first(ctx context.Context, args []string) error {
	jobs, err := m.jobs(args)
	if err != nil {
		return err
	}
	if len(jobs) != 1 {
		return refused("%d inputs are given; the model is measured on one", len(jobs))
	}
	j := jobs[0]
	if err := m.prepare(ctx, j); err != nil {
		return err
	}
	for _, p := range m.session.Inputs() {
		m.Report.Inputs = append(m.Report.Inputs, portReport{p.Name, p.Type.String()})
	}
	began := time.Now()
	if err := m.session.Run(ctx); err != nil {
		return err
	}
	m.Report.First = measure.Milliseconds(time.Since(began))
	lines := report.Hashes(m.session, m.results(), nil)
	if len(lines) > 0 { // a model in parts may yield nothing
		m.Report.SHA256 = lines[len(lines)-1].SHA256
	}
	return nil
}

// times notes the times of runs.
func (r *modelTimes) times(t measure.Times) {
	r.Runs = len(t)
	r.Median, r.P10 = measure.Milliseconds(t.Quantile(0.5)), measure.Milliseconds(t.Quantile(0.1))
	r.P99, r.Min = measure.Milliseconds(t.Quantile(0.99)), measure.Milliseconds(t.Quantile(0))
}

// work is what one run computes: multiply-adds, and the seconds that they take at the machine's peaks.
type work struct {
	macs  int64
	least float64
}

func (w *work) add(u *engine.Unit, p *measure.Peaks, times int) {
	if u.Blocks == nil { // whose units count themselves
		w.macs += u.Cost.MACs * int64(times)
		w.least += float64(u.Cost.MACs) * float64(times) / p.Of(u.DType())
	}
}

// speed notes how fast the median run is.
func (r *modelTimes) speed(w work, p measure.Peaks) {
	r.Peaks, r.MACs = p, w.macs
	if r.Median > 0 {
		r.Rate = measure.Round(float64(w.macs)/r.Median*1e3, 4)
		r.Share = measure.Round(w.least/r.Median*1e3, 4)
	}
}

// write prints what is known, a fact a line.
func (r *modelTimes) write(w io.Writer) error {
	fmt.Fprintf(w, "model\t%s (%s)\n", escape.Text(r.Model), r.Format)
	for _, in := range r.Inputs {
		fmt.Fprintf(w, "input\t%s\n", in.text())
	}
	fmt.Fprintf(w, "machine\t%s, %s, %s\n", escape.Text(r.Machine.Processor), count(int64(r.Machine.Processors), "processor"), r.Machine.Platform)
	fmt.Fprintf(w, "engine\t%s, tier %s\n", count(int64(r.Threads), "thread"), r.Tier)
	fmt.Fprintf(w, "result\t%s\n", r.SHA256)
	fmt.Fprintf(w, "loading\t%s, then %s for the first run\n", ms(r.Load), ms(r.First))
	fmt.Fprintf(w, "median\t%s of %s\n", ms(r.Median), count(int64(r.Runs), "run"))
	fmt.Fprintf(w, "p10 … p99\t%s … %s, least %s\n", ms(r.P10), ms(r.P99), ms(r.Min))
	if r.MACs == 0 {
		_, err := fmt.Fprintf(w, "speed\tthe model has no multiply-adds\n")
		return err
	}
	_, err := fmt.Fprintf(w, "speed\t%s G multiply-adds/s of %s, %s of the machine's peak\n", short(r.Rate/1e9), group(r.MACs), percent(r.Share))
	return err
}

// writePeaks prints what the machine does at most.
func writePeaks(w io.Writer, p *measure.Peaks) error {
	_, err := fmt.Fprintf(w, "peak\t%s (float32), %s (int16), %s (int8) G multiply-adds/s on %s\n",
		short(p.Float32/1e9), short(p.Int16/1e9), short(p.Int8/1e9), count(int64(p.Threads), "thread"))
	return err
}

// ms writes a time in milliseconds.
func ms(x float64) string { return short(x) + " ms" }

// short writes a number with three significant digits, or with all that stand before the point.
func short(x float64) string {
	digits := max(3, len(strconv.FormatFloat(max(x, -x), 'f', 0, 64)))
	return strconv.FormatFloat(measure.Round(x, digits), 'f', -1, 64)
}

func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) + " %" }
