package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"text/template"

	"github.com/concord-nn/concord/internal/measure"
)

//go:embed page.md.tmpl
var pageTemplate string

// processor is a section of the page.
type processor struct {
	*results
	Slug  string
	Notes string // by hand, of the file beside the results
}

// makePage writes docs/performance.md and its pictures.
func makePage(root string) error {
	files, err := makeFiles(filepath.Join(root, "bench", "results"))
	if err != nil {
		return err
	}
	for name, text := range files {
		name = filepath.Join(root, "docs", name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// makeFiles returns the page and its pictures, by their names in docs.
func makeFiles(folder string) (map[string][]byte, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	sort.Strings(names)
	files := make(map[string][]byte)
	var all []*processor
	for _, name := range names {
		r, err := readResults(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		p := &processor{results: r, Slug: strings.TrimSuffix(filepath.Base(name), ".json")}
		notes, err := os.ReadFile(strings.TrimSuffix(name, ".json") + ".md")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		p.Notes = strings.TrimSpace(string(notes))
		all = append(all, p)
		files["performance/"+p.Slug+".svg"] = p.picture()
	}
	t, err := template.New("page").Parse(pageTemplate)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, struct {
		Processors []*processor
		Unmeasured []string
	}{all, unmeasured(all)})
	files["performance.md"] = b.Bytes()
	return files, err
}

// unmeasured names the kinds of processors with targets that nothing was measured on.
func unmeasured(all []*processor) (kinds []string) {
	for _, k := range []struct {
		name string
		wide bool
	}{{"AVX2", false}, {"AVX-512", true}} {
		if !slices.ContainsFunc(all, func(p *processor) bool { return p.wide() == k.wide }) {
			kinds = append(kinds, k.name)
		}
	}
	return kinds
}

// Kind is what the processor is held to.
func (p *processor) Kind() string {
	if p.wide() {
		return "AVX-512"
	}
	return "AVX2"
}

// line is a row of a table of the page.
type line struct {
	*row
	Title, Target, Verdict string
}

// Networks, Products and Operators are the rows with the tier that the machine has: of each network those by threads.
func (p *processor) Networks() [][]line  { return p.lines(whole) }
func (p *processor) Products() [][]line  { return p.lines(fixedProduct, openProduct) }
func (p *processor) Operators() [][]line { return p.lines(single) }

func (p *processor) lines(of ...kind) (list [][]line) {
	for _, r := range p.Rows {
		n := networkOf(r.Name)
		if n == nil || !slices.Contains(of, n.kind) || r.Tier != p.Tier {
			continue
		}
		if len(list) == 0 || list[len(list)-1][0].Name != r.Name {
			list = append(list, nil)
		}
		t, last := p.target(r), &list[len(list)-1]
		*last = append(*last, line{r, n.title, number(t), verdict(p.judged(r), t)})
	}
	return list
}

// sweepSummary is what the page says of the operators that were measured one by one.
type sweepSummary struct {
	Count, Faster int
	Mean          float64 // the geometric one of the ratios
	Slower        []line  // those that take longer than ONNX Runtime, the slowest first
}

// Sweep sums up the operators; nil if none was measured.
func (p *processor) Sweep() *sweepSummary {
	var s sweepSummary
	var ratios []float64
	for _, l := range slices.Concat(p.lines(swept)...) {
		ratio := l.Ratio.Value
		ratios = append(ratios, ratio)
		if ratio > 1 {
			s.Slower = append(s.Slower, l)
		}
	}
	if ratios == nil {
		return nil
	}
	slices.SortFunc(s.Slower, func(a, b line) int { return cmp.Compare(b.Ratio.Value, a.Ratio.Value) })
	s.Count, s.Mean = len(ratios), measure.GeometricMean(ratios)
	s.Faster = s.Count - len(s.Slower)
	return &s
}

// Lowered lists rows in which a tier was left out.
func (p *processor) Lowered() (list []line) {
	for _, r := range p.Rows {
		if n := networkOf(r.Name); n != nil && r.Tier != p.Tier {
			list = append(list, line{row: r, Title: n.title})
		}
	}
	return list
}

// verdict says whether what was measured is at most what is aimed at.
func verdict(got, target float64) string {
	switch {
	case target == 0:
		return ""
	case got == 0:
		return disturbed
	case got <= target:
		return "reached"
	}
	return missed(got/target - 1)
}

// disturbed is the verdict on what other programs made worthless.
const disturbed = "disturbed"

func missed(by float64) string { return fmt.Sprintf("missed by %.0f %%", max(1, 100*by)) }

// number writes a target.
func number(x float64) string {
	if x == 0 {
		return ""
	}
	return fmt.Sprintf("≤ %.2f", x)
}

// mean is a geometric mean of ratios of products.
type mean struct {
	Threads int
	What    string
	Ratio   float64
	Target  string
	Verdict string
}

// Means returns the geometric means of the products' ratios.
func (p *processor) Means() (list []mean) {
	aim := productsAVX2
	if p.wide() {
		aim = productsAVX512
	}
	for _, threads := range []int{1, 2} {
		var all, constant, open []float64
		for _, l := range slices.Concat(p.Products()...) {
			if l.Threads != threads || p.judged(l.row) == 0 {
				continue
			}
			all = append(all, p.judged(l.row))
			if networkOf(l.Name).kind == fixedProduct {
				constant = append(constant, p.judged(l.row))
			} else {
				open = append(open, p.judged(l.row))
			}
		}
		if len(all) == 0 {
			continue
		}
		m := measure.GeometricMean(all)
		list = append(list, mean{threads, "all", m, number(aim), verdict(m, aim)},
			mean{Threads: threads, What: "constant right side", Ratio: measure.GeometricMean(constant)},
			mean{Threads: threads, What: "both sides given", Ratio: measure.GeometricMean(open)})
	}
	return list
}

// claim is a number other than a ratio that is aimed at.
type claim struct{ What, Measured, Target, Verdict string }

// Claims returns the speed-ups of two threads, shares of the peak, and the times of whole processes.
func (p *processor) Claims() (list []claim) {
	of := func(name string, threads int) *row {
		for _, r := range p.Rows {
			if r.Name == name && r.Threads == threads && r.Tier == p.Tier {
				return r
			}
		}
		return nil
	}
	least := func(what, format string, got, target float64, rows ...*row) {
		said := "reached"
		if got < target {
			said = missed(1 - got/target)
		}
		if slices.ContainsFunc(rows, p.disturbed) {
			said = disturbed
		}
		list = append(list, claim{what, fmt.Sprintf(format, got), "≥ " + fmt.Sprintf(format, target), said})
	}
	for i := range networks {
		n := &networks[i]
		one, two := of(n.name, 1), of(n.name, 2)
		if n.speedup > 0 && one != nil && two != nil {
			least(fmt.Sprintf("%s: two threads over one (ONNX Runtime: %.2f×)", n.title, one.Other.P10/two.Other.P10), "%.2f×", one.Concord.P10/two.Concord.P10, n.speedup, one, two)
		}
		if n.share > 0 && one != nil {
			best := one.Share * one.Concord.Median / one.Concord.P10
			least(fmt.Sprintf("%s: share of the peak, one thread (ONNX Runtime: %.0f %%)", n.title, 100*one.OtherShare*one.Other.Median/one.Other.P10), "%.0f %%", 100*best, 100*n.share, one)
		}
	}
	for _, s := range p.Starts {
		t := startTargets[s.Name]
		said := verdict(s.Time.Value, t.ms)
		if p.loaded(s.Load) {
			said = disturbed
		}
		list = append(list, claim{s.What + ", from start to end", fmt.Sprintf("%.0f ms (%.0f … %.0f, least %.0f); %.0f ms of processor time", s.Time.Value, s.Time.Low, s.Time.High, s.Min, s.CPU.Value),
			fmt.Sprintf("≤ %.0f ms", t.ms), said})
		if t.mb > 0 && s.RSS > 0 {
			list = append(list, claim{"the same, peak memory", fmt.Sprintf("%.0f MiB", s.RSS), fmt.Sprintf("≤ %.0f MiB", t.mb), verdict(s.RSS, t.mb)})
		}
	}
	return list
}

// Disturbed returns the greatest load that rows were measured under, if some are disturbed.
func (p *processor) Disturbed() (most float64) {
	for _, r := range p.Rows {
		if p.disturbed(r) {
			most = max(most, r.Load)
		}
	}
	return most
}

// Alike lists the tiers and threads in which every network yields the same bits.
func (p *processor) Alike() string {
	counts := make(map[string]int)
	var names []string
	for _, r := range p.Rows {
		for _, name := range r.Alike {
			if counts[name]++; counts[name] == 1 {
				names = append(names, name)
			}
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return counts[name] < len(p.Rows) })
	return strings.Join(names, ", ")
}

// Versions lists what was compared, and when.
func (p *processor) Versions() string {
	var dates, versions []string
	for _, r := range p.Rows {
		dates = append(dates, r.Date)
		versions = append(versions, r.Versions...)
	}
	if len(dates) == 0 {
		return "nothing yet"
	}
	sort.Strings(versions)
	days := slices.Min(dates)
	if last := slices.Max(dates); last != days {
		days += " … " + last
	}
	return days + ": " + strings.Join(slices.Compact(versions), ", ")
}

// machinePeaks are those of a number of threads, as the page writes them.
type machinePeaks struct{ measure.Peaks }

// Peaks returns what the machine does at most, by threads.
func (p *processor) Peaks() (list []machinePeaks) {
	for _, k := range p.results.Peaks {
		list = append(list, machinePeaks{k})
	}
	return list
}

// GFloat32, GInt16 and GInt8 are in milliards a second.
func (p machinePeaks) GFloat32() float64 { return p.Float32 / 1e9 }
func (p machinePeaks) GInt16() float64   { return p.Int16 / 1e9 }
func (p machinePeaks) GInt8() float64    { return p.Int8 / 1e9 }

// Reading says how fast memory of some sizes is read.
func (p machinePeaks) Reading() string {
	var list []string
	for _, l := range p.Read {
		unit, n := "KiB", l.Bytes>>10
		if n >= 1024 {
			unit, n = "MiB", n>>10
		}
		list = append(list, fmt.Sprintf("%.0f GB/s of %d %s", l.Rate/1e9, n, unit))
	}
	return strings.Join(list, ", ")
}

// Percent writes the share of the peak, if the network has multiply-adds.
func (l line) Percent() string { return percent(l.Share) }

func percent(x float64) string {
	if x == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f %%", 100*x)
}
