package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/internal/measure"
)

func newBench() *cobra.Command {
	var f measuringFlags
	var compare string
	tolerance := -1.0
	c := &cobra.Command{
		Use:   "bench MODEL [INPUT…]",
		Short: "Measure how fast a model runs, and compare that with what was measured before",
		Long: `Run MODEL again and again on INPUT, or on random inputs, and print the median, the tenth and
the ninety-ninth percentile of the times, multiply-adds a second, their share of what this machine does
at most, and the memory that it took. INPUT is as for concord run; of a sound the first window counts.

The peak is that of all threads together, measured at the same time with the fastest instructions
that the processor has, whatever --tier says. A model with several element types is held to the time that
each of its multiply-adds takes at the peak of its type.

--compare holds the times against a file that --json has printed: the ratio of the medians with
the interval that holds 95 of 100 such ratios. What differs in model, results or machine is
said. Noise that lasts longer than a run is in no interval: compare on a quiet machine. With
--tolerance PERCENT the exit code is 1 if the model is slower by more than that, beyond doubt,
or if its results differ.`,
		Example: `  concord bench model.onnx --threads 1
  concord bench model.onnx --batch 8 --seconds 10
  concord bench model.onnx x=input.npy --json > before.json
  concord bench model.onnx x=input.npy --compare before.json --tolerance 3`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("tolerance") && (compare == "" || !(tolerance >= 0)) {
				return refused("--tolerance: it must be 0 or more percent, and needs --compare")
			}
			var baseline *benchReport
			if compare != "" {
				var err error
				if baseline, err = readBaseline(compare); err != nil {
					return err
				}
			}
			r, err := f.bench(c, args)
			if err != nil {
				return err
			}
			if baseline != nil {
				r.Comparison = r.against(compare, baseline)
			}
			if f.asJSON {
				err = writeJSON(c.OutOrStdout(), r)
			} else {
				err = r.write(printed(c.OutOrStdout()))
			}
			if err == nil && tolerance >= 0 && r.Comparison.worse(tolerance/100) {
				err = errNegative
			}
			return err
		},
	}
	fs := c.Flags()
	f.register(fs)
	fs.StringVar(&compare, "compare", "", "hold the times against this `file`, which --json has printed before")
	fs.Float64Var(&tolerance, "tolerance", -1, "by how many `percent` the model may be slower than --compare")
	fs.Lookup("tolerance").DefValue = "0" // which help does not mention
	return c
}

// benchReport is what bench prints.
type benchReport struct {
	modelTimes
	RSS        float64        `json:"rss_mb,omitempty"`  // the most that the process had in memory; absent where the system does not say. MB are MiB
	Base       float64        `json:"base_mb,omitempty"` // of that before the model was loaded
	Bound      float64        `json:"bound_mb"`          // what the model may add to it: weights, packed weights and 1.2 times the arena
	Arena      float64        `json:"arena_mb"`          // of a session
	Scratch    float64        `json:"scratch_mb"`        // working memory of all workers
	Packed     float64        `json:"packed_mb"`         // constants in the forms that kernels read
	Weights    float64        `json:"weights_mb"`        // constants of the compiled graph
	Samples    []float64      `json:"samples_ms"`        // in order of size; at most 200, evenly chosen
	Comparison *timesCompared `json:"comparison,omitempty"`
}

// keptTimes is how many times are kept in a report.
const keptTimes = 200

func (f *measuringFlags) bench(c *cobra.Command, args []string) (*benchReport, error) {
	m, err := f.measuring(c, args)
	if err != nil {
		return nil, err
	}
	defer m.close()
	times, err := m.loop.Run(c.Context(), func() error { return m.session.Run(c.Context()) })
	if err != nil {
		return nil, err
	}
	r := &benchReport{modelTimes: m.Report, RSS: mebibytes(measure.PeakMemory()), Base: mebibytes(m.base)} // before the peaks are measured
	r.times(times)
	for _, t := range times.Sample(keptTimes) {
		r.Samples = append(r.Samples, measure.Milliseconds(t))
	}
	r.memory(m.session.Ran())
	peaks := measure.Arithmetic(r.Threads)
	var w work
	m.session.Observe(&engine.Observer{Unit: func(u *engine.Unit, _ time.Time, _ time.Duration) { w.add(u, &peaks, 1) }})
	if err := m.session.Run(c.Context()); err != nil {
		return nil, err
	}
	r.speed(w, peaks)
	return r, nil
}

// memory notes what programs take.
func (r *benchReport) memory(programs []*engine.Program) {
	var arena, scratch, packed, weights int64
	for _, p := range programs {
		plan := p.Plan()
		arena, packed = arena+plan.Arena, packed+plan.Packed
		scratch += plan.Scratch * int64(plan.Workers)
		for g := range p.Graph().Graphs() {
			for v := range g.Constants() {
				weights += v.Type.Bytes()
			}
		}
	}
	r.Arena, r.Scratch, r.Packed, r.Weights = mebibytes(arena), mebibytes(scratch), mebibytes(packed), mebibytes(weights)
	r.Bound = mebibytes(weights + packed + arena*6/5)
}

func mebibytes(n int64) float64 { return measure.Round(float64(n)/(1<<20), 6) }

func (r *benchReport) write(w io.Writer) error {
	t := newTable(w, 0)
	if err := r.modelTimes.write(t); err != nil {
		return err
	}
	if err := writePeaks(t, &r.Peaks); err != nil {
		return err
	}
	fmt.Fprintf(t, "memory\tweights %s, packed %s, arena %s, working memory %s MiB\n", short(r.Weights), short(r.Packed), short(r.Arena), short(r.Scratch))
	if r.RSS > 0 {
		fmt.Fprintf(t, "its peak\t%s MiB, of which %s before the model was loaded; %s more may be\n", short(r.RSS), short(r.Base), short(r.Bound))
	}
	if r.Comparison != nil {
		r.Comparison.write(t)
	}
	return t.Flush()
}

// timesCompared holds one report against another.
type timesCompared struct {
	Baseline string         `json:"baseline"`
	Median   float64        `json:"median_ms"` // of the baseline
	Ratio    measure.Spread `json:"ratio"`     // of the medians, this one divided by the baseline's
	Verdict  string         `json:"verdict"`   // "faster", "slower" or "no difference"
	Equal    bool           `json:"equal_results"`
	Differ   []string       `json:"differ,omitempty"` // what else is not the same
}

func readBaseline(name string) (*benchReport, error) {
	text, err := mapfile.ReadFile(name, limits.MediaFile)
	if err != nil {
		return nil, err
	}
	r := new(benchReport)
	if err = json.Unmarshal(mapfile.Text(text), r); err == nil {
		usable := func(x float64) bool { return x > 0 }
		if len(r.Samples) == 0 || !usable(r.Median) || slices.ContainsFunc(r.Samples, func(x float64) bool { return !usable(x) }) {
			err = errors.New("it has no samples_ms above 0")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: this is nothing that concord bench --json prints: %w", name, err)
	}
	return r, nil
}

// against compares the report with one that was made before.
func (r *benchReport) against(name string, before *benchReport) *timesCompared {
	c := &timesCompared{Baseline: name, Median: before.Median, Ratio: measure.Ratio(r.Samples, before.Samples).Rounded(), Verdict: "no difference", Equal: r.SHA256 == before.SHA256}
	switch {
	case c.Ratio.High < 1:
		c.Verdict = "faster"
	case c.Ratio.Low > 1:
		c.Verdict = "slower"
	}
	for _, d := range []struct{ what, now, before string }{
		{"model", r.Model, before.Model},
		{"inputs", fmt.Sprint(r.Inputs), fmt.Sprint(before.Inputs)},
		{"processor", r.Machine.Processor, before.Machine.Processor},
		{"threads", strconv.Itoa(r.Threads), strconv.Itoa(before.Threads)},
		{"tier", r.Tier, before.Tier},
	} {
		if d.now != d.before {
			c.Differ = append(c.Differ, fmt.Sprintf("%s: %s, before %s", d.what, d.now, d.before))
		}
	}
	return c
}

// worse reports whether the model is slower than before by more than a share of the time, beyond doubt, or yields something else.
func (c *timesCompared) worse(tolerance float64) bool { return !c.Equal || c.Ratio.Low > 1+tolerance }

func (c *timesCompared) write(w io.Writer) {
	fmt.Fprintf(w, "before\t%s\n", ms(c.Median))
	fmt.Fprintf(w, "ratio\t%s (%s … %s): %s\n", short(c.Ratio.Value), short(c.Ratio.Low), short(c.Ratio.High), c.Verdict)
	if !c.Equal {
		fmt.Fprintf(w, "differs\tthe results\n")
	}
	for _, d := range c.Differ {
		fmt.Fprintf(w, "differs\t%s\n", d)
	}
}
