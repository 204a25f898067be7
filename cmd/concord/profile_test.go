package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata/golden"
	"github.com/concord-nn/concord/op"
)

// someProfile is that of a fictitious model.
func someProfile() *profileReport {
	return &profileReport{modelTimes: someTimes(), Together: 2.4, Units: []*unitProfile{
		{Index: 0, Nodes: []string{"conv a", "add b", "relu c"}, Result: "c", Kernel: "direct convolution", Tier: "avx2", Evaluations: 1, Time: 1.5, Share: 0.625,
			MACs: 60_000_000, Rate: 40e9, OfPeak: 0.8, Read: 1 << 20, Written: 1 << 18, Moved: 8.7e8, Bound: "compute", Least: 1.2, OfBound: 0.8},
		{Index: 1, Nodes: []string{"transpose <d>"}, Result: "<d>", Kernel: "reference", Tier: "reference", Evaluations: 1, Time: 0.1, Share: 0.0417,
			Read: 1 << 18, Written: 1 << 18, Moved: 5e9, Bound: "memory", Least: 0.05, OfBound: 0.5},
		{Index: 2, Nodes: []string{"loop e"}, Result: "e", Kernel: "reference", Tier: "reference", Evaluations: 1, Time: 0.8, Share: 0.3333},
	}}
}

// TestProfileText holds what profile prints and draws of given times.
func TestProfileText(t *testing.T) {
	r := someProfile()
	var table, longest, picture bytes.Buffer
	for _, err := range []error{r.write(&table, 0), r.write(&longest, 1), r.draw(&picture)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	golden.Compare(t, filepath.Join("testdata", "golden", "profile.txt"), table.String())
	golden.Compare(t, filepath.Join("testdata", "golden", "profile-longest.txt"), longest.String())
	golden.Compare(t, filepath.Join("testdata", "golden", "profile.svg"), picture.String())

	for i := range drawnUnits {
		r.Units = append(r.Units, &unitProfile{Index: len(r.Units), Nodes: []string{fmt.Sprintf("neg n%d", i)}, Time: 0.01, Bound: "memory"})
	}
	picture.Reset()
	if err := r.draw(&picture); err != nil || !bytes.Contains(picture.Bytes(), []byte("3 shorter units")) {
		t.Errorf("%v: %s", err, picture.String())
	}
}

// TestProfiler takes the time of the units of blocks from that of the unit around them.
func TestProfiler(t *testing.T) {
	p, began := newProfiler(), time.Now()
	at := func(n int) time.Time { return began.Add(time.Duration(n)) }
	first, inner, loop := &engine.Unit{}, &engine.Unit{}, &engine.Unit{}
	for range 2 {
		p.add(first, at(0), 10)
		p.add(inner, at(12), 5)
		p.add(inner, at(18), 7)
		p.add(loop, at(11), 20)
		p.next()
	}
	for i, want := range []struct {
		took  time.Duration
		count int
	}{{10, 2}, {12, 4}, {8, 2}} {
		if u := p.units[i]; u.runs.Quantile(0.5) != want.took || u.count != want.count {
			t.Errorf("unit %d: %d in %d evaluations, want %d in %d", i, u.runs.Quantile(0.5), u.count, want.took, want.count)
		}
	}
}

// TestProfile profiles a model with all that it writes.
func TestProfile(t *testing.T) {
	dir := t.TempDir()
	picture, trace := filepath.Join(dir, "p.svg"), filepath.Join(dir, "p.json")
	out, code := execute(t, "profile", digits(t, "model.nnef"), "--runs", "3", "--warm-up", "0", "--threads", "2", "--json", "--svg", picture, "--trace", trace)
	var r profileReport
	if err := json.Unmarshal([]byte(out), &r); code != 0 || err != nil {
		t.Fatalf("code %d, %v: %s", code, err, out)
	}
	macs, share := int64(0), 0.0
	for _, u := range r.Units {
		macs, share = macs+u.MACs, share+u.Share
		if u.Evaluations != 1 || u.Time <= 0 || u.Bound == "" || u.Read <= 0 || u.Written <= 0 {
			t.Errorf("%+v", u)
		}
	}
	if macs != 999_552 || r.MACs != macs || share < 0.99 || share > 1.01 {
		t.Errorf("%d multiply-adds, shares of %v", macs, share)
	}
	if text, err := os.ReadFile(picture); err != nil || !bytes.HasSuffix(text, []byte("</svg>\n")) {
		t.Errorf("%v: %s", err, text)
	}
	text, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	checkTrace(t, text, len(r.Units), 2)
}

// checkTrace holds a trace to what the trace event format demands, and Perfetto: its fields, names of process and threads, and durations that lie
// beside or within each other on each thread. The first has as many units as are given, and there are threads of so many workers.
func checkTrace(t *testing.T, text []byte, units, workers int) {
	t.Helper()
	var file struct {
		Events []map[string]any `json:"traceEvents"`
		Unit   string           `json:"displayTimeUnit"`
	}
	if err := json.Unmarshal(text, &file); err != nil || file.Unit != "ms" {
		t.Fatalf("%v: %s", err, text)
	}
	type slice struct{ from, to float64 }
	names, open, count := make(map[float64]string), make(map[float64][]slice), make(map[float64]int)
	process := ""
	for _, e := range file.Events {
		name, _ := e["name"].(string)
		track, _ := e["tid"].(float64)
		args, _ := e["args"].(map[string]any)
		if id, _ := e["pid"].(float64); name == "" || id != 1 || track < 1 || args == nil {
			t.Fatalf("an event lacks its name, process, thread or arguments: %v", e)
		}
		switch {
		case e["ph"] == "M" && name == "process_name":
			process, _ = args["name"].(string)
		case e["ph"] == "M" && name == "thread_name":
			names[track], _ = args["name"].(string)
		case e["ph"] == "M" && name == "thread_sort_index":
		case e["ph"] == "X":
			from, ok := e["ts"].(float64)
			took, ok2 := e["dur"].(float64)
			if s := open[track]; !ok || !ok2 || from < 0 || took < 0 || names[track] == "" || len(s) > 0 && from < s[len(s)-1].from {
				t.Fatalf("an event of thread %q has no time, or comes before the one in front of it: %v", names[track], e)
			}
			const rounding = 1e-6
			for s := open[track]; len(s) > 0 && s[len(s)-1].to <= from+rounding; s = open[track] {
				open[track] = s[:len(s)-1]
			}
			s := open[track]
			if len(s) > 0 && s[len(s)-1].to < from+took-rounding {
				t.Errorf("an event ends behind the one that it lies in: %v", e)
			}
			open[track] = append(s, slice{from, from + took})
			count[track]++
		default:
			t.Errorf("an event of an unknown phase: %v", e)
		}
	}
	if process == "" || len(names) != 1+workers || count[1] != units || count[2] < 1 {
		t.Errorf("process %q, threads %v, events %v; want %d units", process, names, count, units)
	}
}

// TestTraceText holds what a trace has of given times.
func TestTraceText(t *testing.T) {
	unit := func(name, result, kernel string, macs int64) *engine.Unit {
		return &engine.Unit{Nodes: []*graph.Node{{Op: name, Out: []*graph.Value{{Name: result}}}}, Kernel: kernel, Pieces: 5, Cost: op.Cost{Work: op.Work{MACs: macs}}}
	}
	outer, inner := unit("loop", "e", "reference", 0), unit("conv", "a", "avx2 tiles", 1234)
	began := time.Unix(0, 0)
	at := func(us float64) time.Time { return began.Add(time.Duration(us * 1e3)) }
	trace := traceOf("net.onnx", began, [][]span{
		{{unit: inner, began: at(3), took: 2500}, {unit: outer, began: at(1.5), took: 10_000}},
		{{inner, 0, 2, at(3.25), 1000}, {inner, 2, inner.Pieces, at(4.5), 250}},
	})
	text, err := json.MarshalIndent(trace, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	checkTrace(t, text, 2, 1)
	golden.Compare(t, filepath.Join("testdata", "golden", "trace.json"), string(text)+"\n")
}
