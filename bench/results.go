package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/concord-nn/concord/internal/measure"
)

// results is what was measured on one kind of processor.
type results struct {
	Machine measure.Machine `json:"machine"`
	Tier    string          `json:"tier"`  // the highest that Concord has there
	Peaks   []measure.Peaks `json:"peaks"` // by threads
	Rows    []*row          `json:"networks"`
	Starts  []*started      `json:"starts,omitempty"`
	Layers  []*layer        `json:"openvx,omitempty"`
}

// row is a network in both engines, in turns.
type row struct {
	Name       string         `json:"name"`
	Threads    int            `json:"threads"`
	Tier       string         `json:"tier"` // the highest of Concord
	Date       string         `json:"date"`
	Versions   []string       `json:"versions"`
	Ratio      measure.Spread `json:"ratio"`     // Concord ÷ ONNX Runtime: the median over rounds, and its quartiles
	CPU        measure.Spread `json:"cpu_ratio"` // the same of the time that processors gave to the engines, where that says something: on one thread
	Rounds     int            `json:"rounds"`
	Load       float64        `json:"load"` // the programs that wanted a processor before, in the mean of a minute; 0 where the system does not say
	Concord    times          `json:"concord"`
	Other      times          `json:"onnxruntime"`
	Share      float64        `json:"peak_share"`       // Concord's, of the median
	OtherShare float64        `json:"other_peak_share"` // ONNX Runtime's
	Difference float64        `json:"difference"`       // the greatest of an output, of its greatest magnitude
	SHA256     string         `json:"sha256"`           // of Concord's outputs
	Alike      []string       `json:"alike"`            // the tiers and threads that yield the same
}

// times are those of the runs of one engine.
type times struct {
	Median float64 `json:"median_ms"`
	P10    float64 `json:"p10_ms"`
	P99    float64 `json:"p99_ms"`
	Min    float64 `json:"min_ms"`
	Load   float64 `json:"load_ms"`
	RSS    float64 `json:"rss_mb"`
	Runs   int     `json:"runs"`
}

// started is a whole process, from its start to its end.
type started struct {
	Name string         `json:"name"` // in startTargets
	What string         `json:"what"`
	Date string         `json:"date"`
	Time measure.Spread `json:"ms"` // the median, and its quartiles
	Min  float64        `json:"min_ms"`
	CPU  measure.Spread `json:"cpu_ms"` // that processors gave to it
	Load float64        `json:"load"`   // as that of a row
	RSS  float64        `json:"rss_mb"`
}

// target returns the greatest ratio that is aimed at for a row, or 0 if none is: for what the processor is not, or where a tier was left out.
func (r *results) target(o *row) float64 {
	n := networkOf(o.Name)
	switch {
	case n == nil || o.Tier != r.Tier:
		return 0
	case r.wide():
		return n.avx512
	}
	return n.avx2
}

// disturbed reports whether other programs wanted more of the processors than was left, so that times on the clock say little.
func (r *results) disturbed(o *row) bool { return r.loaded(o.Load) }

func (r *results) loaded(load float64) bool { return load > float64(r.Machine.Processors)+0.5 }

// judged returns the ratio that is held to what is aimed at: that of times on the clock, and where the row is disturbed the worse of that and the
// one of processor time. It is 0 where that is not known.
func (r *results) judged(o *row) float64 {
	switch {
	case !r.disturbed(o):
		return o.Ratio.Value
	case o.CPU.Value == 0:
		return 0
	}
	return max(o.Ratio.Value, o.CPU.Value)
}

// networkOf returns the network of a name, or nil.
func networkOf(name string) *network {
	for i := range networks {
		if networks[i].name == name {
			return &networks[i]
		}
	}
	return nil
}

// wide reports whether the processor is held to the numbers for AVX-512.
func (r *results) wide() bool { return slices.Contains(r.Machine.Features, "avx512f") }

// fileOf returns the file in a folder that the results of a machine are kept in.
func fileOf(folder string, m *measure.Machine) string {
	return filepath.Join(folder, strings.Trim(notInNames.ReplaceAllString(strings.ToLower(m.Processor), "-"), "-")+".json")
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// readResults reads a file, and returns empty results if there is none.
func readResults(name string) (*results, error) {
	r := new(results)
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(text, r)
	}
	return r, err
}

// put replaces the row of the same network, threads and tier, and keeps the order of the table.
func (r *results) put(n *row) {
	r.Rows = slices.DeleteFunc(r.Rows, func(o *row) bool { return o.Name == n.Name && o.Threads == n.Threads && o.Tier == n.Tier })
	r.Rows = append(r.Rows, n)
	place := func(o *row) int { return slices.IndexFunc(networks, func(k network) bool { return k.name == o.Name }) }
	slices.SortStableFunc(r.Rows, func(a, b *row) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a.Threads, b.Threads), cmp.Compare(a.Tier, b.Tier))
	})
}

// putPeaks replaces the peaks of as many threads.
func (r *results) putPeaks(p measure.Peaks) {
	r.Peaks = slices.DeleteFunc(r.Peaks, func(o measure.Peaks) bool { return o.Threads == p.Threads })
	r.Peaks = append(r.Peaks, p)
	slices.SortFunc(r.Peaks, func(a, b measure.Peaks) int { return cmp.Compare(a.Threads, b.Threads) })
}

// putStart replaces the one of the same name.
func (r *results) putStart(s *started) {
	r.Starts = slices.DeleteFunc(r.Starts, func(o *started) bool { return o.Name == s.Name })
	r.Starts = append(r.Starts, s)
	slices.SortFunc(r.Starts, func(a, b *started) int { return cmp.Compare(b.Name, a.Name) })
}

func (r *results) write(name string) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o644)
}
