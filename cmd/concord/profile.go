package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/internal/measure"
	"github.com/concord-nn/concord/internal/stage"
)

func newProfile() *cobra.Command {
	var f measuringFlags
	var picture, trace string
	var force bool
	top := 20
	c := &cobra.Command{
		Use:   "profile MODEL [INPUT…]",
		Short: "Measure where the time of a run goes, unit by unit",
		Long: `Run MODEL again and again on INPUT, or on random inputs, and print for each unit, which is what
the engine evaluates at once: its time, the median over runs; multiply-adds a second and their share of what this
machine does at most; the bytes that it takes from other units and leaves for them; what bounds
it, and how near it is to that; its kernel with the tier, and the operators that it computes together.

What bounds a unit is the longer of two times: that of its multiply-adds at the peak of their type, and
that of its bytes at the rate at which memory of that size is read. OF BOUND is that time's share
of the time that it took. Measuring costs two looks at the clock for a unit.

--svg draws this as a bar for each unit, --trace writes what the workers did in one further run, for
https://ui.perfetto.dev or chrome://tracing. Files that exist are replaced only with --force.`,
		Example: `  concord profile model.onnx --threads 1
  concord profile model.onnx --units 0 --svg profile.svg --trace profile.json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := writable(files(picture, trace), arguments(args), force); err != nil {
				return err
			}
			m, err := f.measuring(c, args)
			if err != nil {
				return err
			}
			defer m.close()
			r, err := m.profileRuns(c.Context())
			if err != nil {
				return err
			}
			if picture != "" {
				if err := stage.Write(picture, r.draw); err != nil {
					return err
				}
			}
			if trace != "" {
				t, err := m.trace(c.Context())
				if err != nil {
					return err
				}
				if err := stage.Write(trace, func(w io.Writer) error { return writeJSON(w, t) }); err != nil {
					return err
				}
			}
			if f.asJSON {
				return writeJSON(c.OutOrStdout(), r)
			}
			return r.write(printed(c.OutOrStdout()), top)
		},
	}
	fs := c.Flags()
	f.register(fs)
	fs.Var(bounded{&top, 0, 0}, "units", "how many units are printed, the longest ones; 0 for all, in their order")
	fs.StringVar(&picture, "svg", "", "draw the units into this `file`")
	fs.StringVar(&trace, "trace", "", "write what workers do in one run into this `file`")
	forceFlag(fs, &force)
	return c
}

// profileReport is what profile prints.
type profileReport struct {
	modelTimes
	Together float64        `json:"units_ms"` // the sum of the units' medians
	Units    []*unitProfile `json:"units"`    // in the order in which they were first evaluated
}

// unitProfile is what was measured of a unit. Rates, shares and bounds are those of all its evaluations in a run.
type unitProfile struct {
	Index       int      `json:"index"`
	Nodes       []string `json:"nodes"` // by their first results in the compiled graph
	Result      string   `json:"result"`
	Kernel      string   `json:"kernel"` // what evaluates it
	Tier        string   `json:"tier"`
	Evaluations float64  `json:"evaluations"` // in a run
	Time        float64  `json:"time_ms"`     // in a run, the median over runs
	Share       float64  `json:"share"`       // of the times of all units
	MACs        int64    `json:"macs"`
	Rate        float64  `json:"macs_per_second"`
	OfPeak      float64  `json:"peak_share"`
	Read        int64    `json:"read_bytes"`
	Written     int64    `json:"written_bytes"`
	Moved       float64  `json:"bytes_per_second"`
	Bound       string   `json:"bound"`    // "compute" or "memory"
	Least       float64  `json:"bound_ms"` // the time that the bound allows
	OfBound     float64  `json:"bound_share"`
	Pieces      int      `json:"pieces"`
	Packed      int64    `json:"packed_bytes,omitempty"`
}

// profileRuns measures runs unit by unit.
func (m *measured) profileRuns(ctx context.Context) (*profileReport, error) {
	p := newProfiler()
	m.session.Observe(&engine.Observer{Unit: p.add})
	warm := m.loop
	warm.Least, warm.Most, warm.Time = 0, 0, 0
	once := func() error {
		err := m.session.Run(ctx)
		p.next()
		return err
	}
	if _, err := warm.Run(ctx, once); err != nil {
		return nil, err
	}
	p.clear()
	m.loop.WarmUp = 0
	times, err := m.loop.Run(ctx, once)
	m.session.Observe(nil)
	if err != nil {
		return nil, err
	}
	r := &profileReport{modelTimes: m.Report}
	r.times(times)
	peaks := measure.Arithmetic(r.Threads)
	peaks.Memory()
	var w work
	for i, t := range p.units {
		u := newUnitReport(i, t, &peaks)
		r.Units = append(r.Units, u)
		r.Together += u.Time
		w.add(t.unit, &peaks, t.count/len(t.runs))
	}
	for _, u := range r.Units {
		u.Share = measure.Round(u.Time/max(r.Together, 1e-9), 4)
	}
	r.speed(w, peaks)
	return r, nil
}

// newUnitReport says what the times of a unit mean.
func newUnitReport(i int, t *unitTimes, peaks *measure.Peaks) *unitProfile {
	u := t.unit
	named := unitReports([]*engine.Unit{u})[0]
	tier, rest, found := strings.Cut(u.Kernel, " ")
	if !found {
		rest = tier
	}
	p := &unitProfile{Index: i, Nodes: named.Nodes, Kernel: rest, Tier: tier, Pieces: u.Pieces, Packed: u.Packed,
		Evaluations: measure.Round(float64(t.count)/float64(len(t.runs)), 4), Time: measure.Milliseconds(t.runs.Quantile(0.5))}
	if last := u.Nodes[len(u.Nodes)-1]; len(last.Out) > 0 && last.Out[0] != nil {
		p.Result = last.Out[0].Name
	}
	if u.Blocks != nil {
		return p // its units say what it does
	}
	var w work
	w.add(u, peaks, 1)
	read, written := u.Traffic()
	compute := w.least * p.Evaluations
	memory := float64(read+written) / peaks.Rate(read+written) * p.Evaluations
	p.MACs, p.Read, p.Written = w.macs, read, written
	if p.Bound = "memory"; compute > memory {
		p.Bound = "compute"
	}
	p.Least = measure.Round(max(compute, memory)*1e3, 4)
	if p.Time > 0 {
		seconds := p.Time / 1e3
		p.Rate = measure.Round(float64(w.macs)*p.Evaluations/seconds, 4)
		p.OfPeak = measure.Round(compute/seconds, 4)
		p.Moved = measure.Round(float64(read+written)*p.Evaluations/seconds, 4)
		p.OfBound = measure.Round(p.Least/p.Time, 4)
	}
	return p
}

// operators writes what a unit computes, as conv+add+relu, without the names of results.
func (u *unitProfile) operators() string {
	names := make([]string, len(u.Nodes))
	for i, n := range u.Nodes {
		names[i], _, _ = strings.Cut(n, " ")
	}
	return strings.Join(names, "+")
}

// evaluator returns the tier and the kernel, as [engine.Unit] has them together.
func (u *unitProfile) evaluator() string {
	if u.Tier == u.Kernel {
		return u.Kernel
	}
	return u.Tier + " " + u.Kernel
}

// write prints a table of the longest units, and what kernels take together.
func (r *profileReport) write(w io.Writer, top int) error {
	t := newTable(w, 0)
	if err := r.modelTimes.write(t); err != nil {
		return err
	}
	if err := writePeaks(t, &r.Peaks); err != nil {
		return err
	}
	for _, l := range r.Peaks.Read {
		fmt.Fprintf(t, "reading\t%s GB/s of %s for each thread\n", short(l.Rate/1e9), size(l.Bytes))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	units := r.Units
	title := "UNITS in their order"
	if top > 0 && len(units) > top {
		units = slices.SortedStableFunc(slices.Values(units), func(a, b *unitProfile) int { return cmp.Compare(b.Time, a.Time) })[:top]
		title = fmt.Sprintf("UNITS, the longest %d of %d", top, len(r.Units))
	}
	fmt.Fprintf(w, "\n%s\n", title)
	right := newTable(w, tabwriter.AlignRight)
	right.spare = []int{5, 5} // bytes, and their rate: what bounds a unit follows
	fmt.Fprintf(right, "#\tTIME\tSHARE\tGMAC/S\tOF PEAK\tMOVED\tGB/S\tBOUND\tOF BOUND\t  UNIT\n")
	for _, u := range units {
		fmt.Fprintf(right, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t  %s %s (%s)\n", u.Index, ms(u.Time), percent(u.Share), some(u.Rate/1e9, short), some(u.OfPeak, percent),
			size(u.Read+u.Written), some(u.Moved/1e9, short), cmp.Or(u.Bound, "-"), some(u.OfBound, percent), u.operators(), escape.Text(u.Result), u.evaluator())
	}
	right.Flush()
	right.spare = nil
	fmt.Fprintf(w, "\nKERNELS\n")
	for _, k := range r.kernels() {
		fmt.Fprintf(right, "%s\t%s\t%s\t  %s\n", ms(k.time), percent(k.time/max(r.Together, 1e-9)), count(int64(k.units), "unit"), k.name)
	}
	fmt.Fprintf(right, "%s\t%s\t\t  all, of a median of %s\n", ms(r.Together), percent(1), ms(r.Median))
	return right.Flush()
}

// some writes a number, and - for none.
func some(x float64, write func(float64) string) string {
	if x == 0 {
		return "-"
	}
	return write(x)
}

// kernelTime is what the units of a kernel take.
type kernelTime struct {
	name  string
	time  float64
	units int
}

// kernels returns the kernels, the longest first.
func (r *profileReport) kernels() []*kernelTime {
	var list []*kernelTime
	for _, u := range r.Units {
		name := u.evaluator()
		if u.Tier == u.Kernel {
			name += " of " + u.operators()
		}
		i := slices.IndexFunc(list, func(k *kernelTime) bool { return k.name == name })
		if i < 0 {
			i, list = len(list), append(list, &kernelTime{name: name})
		}
		list[i].time += u.Time
		list[i].units++
	}
	slices.SortStableFunc(list, func(a, b *kernelTime) int { return cmp.Compare(b.time, a.time) })
	return list
}
