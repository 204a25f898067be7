package main

import (
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/internal/report"
	"github.com/concord-nn/concord/tensor"
)

// formats are what --format takes.
var formats = []string{"text", "json", "ndjson", "csv"}

// settleFormat brings --json and --format together.
func (f *runFlags) settleFormat() error {
	switch {
	case f.format == "":
		if f.format = "text"; f.asJSON {
			f.format = "json"
		}
	case !slices.Contains(formats, f.format):
		return fmt.Errorf("--format: %q is not allowed; it must be one of %s", f.format, strings.Join(formats, ", "))
	case f.asJSON && f.format != "json":
		return fmt.Errorf("--json and --format %s exclude each other", f.format)
	case f.profile && (f.format == "ndjson" || f.format == "csv"):
		return fmt.Errorf("--profile goes with text or --json, not with --format %s", f.format)
	}
	f.asJSON = f.format == "json" || f.format == "ndjson"
	return nil
}

// printer shows the reports of runs.
type printer interface {
	show(*report.Report) error // as soon as it is there
	end() error                // after the last one
}

// newPrinter returns what shows the reports of so many runs.
func (r *runner) newPrinter(runs int) printer {
	switch r.flags.format {
	case "json":
		return &jsonPrinter{runner: r, reports: []*report.Report{}}
	case "ndjson":
		return linePrinter{r.out}
	case "csv":
		return &csvPrinter{w: csv.NewWriter(r.out)}
	}
	return &textPrinter{runner: r, several: runs > 1}
}

// textPrinter writes for people.
type textPrinter struct {
	*runner
	several bool
}

func (p *textPrinter) show(rep *report.Report) error {
	return writeReport(p.out, rep, p.style, p.several)
}

func (p *textPrinter) end() error {
	if p.profile == nil {
		return nil
	}
	return p.profile.writeOperators(p.out)
}

// jsonPrinter writes one object with everything in the end.
type jsonPrinter struct {
	*runner
	reports []*report.Report
}

func (p *jsonPrinter) show(rep *report.Report) error {
	p.reports = append(p.reports, rep)
	return nil
}

func (p *jsonPrinter) end() error {
	all := map[string]any{"model": p.path, "runs": p.reports}
	if p.profile != nil {
		all["profile"] = p.profile.operators()
	}
	return writeJSON(p.out, all)
}

// linePrinter writes an object on a line for each input.
type linePrinter struct{ w io.Writer }

func (p linePrinter) show(rep *report.Report) error {
	line, err := rep.Line()
	if err == nil {
		_, err = p.w.Write(line)
	}
	return err
}

func (linePrinter) end() error { return nil }

// csvPrinter writes a row for each input. The first report decides about the columns.
type csvPrinter struct {
	w       *csv.Writer
	columns []string
}

func (p *csvPrinter) show(rep *report.Report) error {
	cells := reportCells(rep)
	if p.columns == nil {
		for _, c := range cells {
			p.columns = append(p.columns, c.column)
		}
		if err := p.w.Write(p.columns); err != nil {
			return err
		}
	}
	row := make([]string, len(p.columns))
	for _, c := range cells {
		if i := slices.Index(p.columns, c.column); i >= 0 {
			row[i] = c.value
		}
	}
	err := p.w.Write(row)
	p.w.Flush()
	return errors.Join(err, p.w.Error())
}

func (p *csvPrinter) end() error { return nil }

// tableCell is a value in a row of a table.
type tableCell struct{ column, value string }

// reportCells sums the report up: of each output its best class or box, the course of a track, or what its elements are like.
func reportCells(rep *report.Report) []tableCell {
	list := []tableCell{{"input", escape.Text(rep.Input)}}
	for _, h := range rep.Hashes {
		list = append(list, tableCell{escape.Text(h.Name) + ".sha256", h.SHA256})
	}
	for _, o := range rep.Outputs {
		name := escape.Text(o.Name) + "."
		for _, c := range outputCells(o) {
			list = append(list, tableCell{name + c.column, c.value})
		}
	}
	if rep.Encoded != nil {
		list = append(list, tableCell{"encoded", hex.EncodeToString(*rep.Encoded)})
	}
	return list
}

func outputCells(o *report.Output) []tableCell {
	switch o.Kind {
	case "classes":
		list := []tableCell{{"class", ""}, {"label", ""}, {"probability", ""}}
		if o.Scores != nil {
			list[2].column = "score"
		}
		if len(o.Classes) > 0 {
			best := o.Classes[0]
			list[0].value, list[1].value, list[2].value = strconv.Itoa(best.Index), escape.Text(best.Label), number(float64(best.Probability), 32)
			if o.Scores != nil {
				list[2].value = strconv.FormatInt(tensor.Data[int64](o.Scores)[best.Index], 10)
			}
		}
		return list
	case "boxes":
		list := []tableCell{{"count", strconv.Itoa(len(o.Boxes))}, {"label", ""}, {"score", ""}, {"left", ""}, {"top", ""}, {"right", ""}, {"bottom", ""}}
		if len(o.Boxes) > 0 {
			best := o.Boxes[0]
			list[1].value, list[2].value = escape.Text(best.Label), number(float64(best.Score), 32)
			for i, x := range []float64{best.Left, best.Top, best.Right, best.Bottom} {
				list[3+i].value = number(x, 64)
			}
		}
		return list
	case "track":
		above, greatest := 0, math.Inf(-1)
		for _, v := range o.Track.Values {
			if greatest = max(greatest, float64(v)); float64(v) >= o.Track.Threshold {
				above++
			}
		}
		return []tableCell{{"windows", strconv.Itoa(len(o.Track.Values))}, {"segments", strconv.Itoa(len(o.Track.Segments()))},
			{"seconds", number(float64(float64(above)*o.Track.Step), 64)}, {"max", number(greatest, 32)}}
	}
	return []tableCell{{"min", number(o.Stats.Min, 64)}, {"mean", number(o.Stats.Mean, 64)}, {"max", number(o.Stats.Max, 64)}, {"nonFinite", strconv.Itoa(o.Stats.NonFinite)}}
}

// number writes the shortest decimal that is read as x again, as a number of so many bits.
func number(x float64, bits int) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 0):
		return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(x, 'g', -1, 64), "+"))
	}
	return strconv.FormatFloat(x, 'g', -1, bits)
}
