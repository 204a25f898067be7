package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/measure"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testdata/golden"
	"github.com/concord-nn/concord/tensor"
)

// TestPage holds docs/performance.md and its pictures to what the results say.
func TestPage(t *testing.T) {
	root := testdata.Root(t)
	files, err := makeFiles(filepath.Join(root, "bench", "results"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		golden.Compare(t, filepath.Join(root, "docs", name), string(text))
	}
}

// TestPicture draws the ratios of the table, also of rows that are judged by another one.
func TestPicture(t *testing.T) {
	r := &results{Machine: measure.Machine{Features: []string{"avx2"}, Processors: 1}, Tier: "avx2"}
	n := networks[0]
	r.Rows = []*row{{Name: n.name, Tier: "avx2", Threads: 1, Load: 9, Ratio: measure.Spread{Value: 0.125}, CPU: measure.Spread{Value: 0.375}}}
	if svg := string((&processor{results: r}).picture()); !strings.Contains(svg, ">0.12  ") || !strings.Contains(svg, "disturbed by others") {
		t.Error(svg)
	}
}

// TestNetworks: names are keys, and what is aimed at is aimed at for both kinds of processors.
func TestNetworks(t *testing.T) {
	seen := make(map[string]bool)
	for _, n := range networks {
		if seen[n.name] || n.title == "" || (n.avx2 > 0) != (n.avx512 > 0) {
			t.Errorf("%+v", n)
		}
		seen[n.name] = true
	}
}

func TestTarget(t *testing.T) {
	narrow := &results{Machine: measure.Machine{Features: []string{"avx2"}}, Tier: "avx2"}
	wide := &results{Machine: measure.Machine{Features: []string{"avx2", "avx512f"}}, Tier: "avx512"}
	for _, tt := range []struct {
		of         *results
		name, tier string
		want       float64
	}{
		{narrow, "resnet50", "avx2", 0.99},
		{wide, "resnet50", "avx512", 0.95},
		{wide, "resnet50", "avx2", 0}, // while the other engine uses what it likes
		{narrow, "op_dense", "avx2", 0},
		{narrow, "nothing", "avx2", 0},
	} {
		if got := tt.of.target(&row{Name: tt.name, Tier: tt.tier}); got != tt.want {
			t.Errorf("%s in tier %s: %v, want %v", tt.name, tt.tier, got, tt.want)
		}
	}
	for _, tt := range []struct {
		got, target float64
		want        string
	}{{0.9, 0, ""}, {0.9, 0.9, "reached"}, {0.901, 0.9, "missed by 1 %"}, {1.8, 0.9, "missed by 100 %"}, {0, 0.9, disturbed}} {
		if got := verdict(tt.got, tt.target); got != tt.want {
			t.Errorf("%v for %v: %q", tt.got, tt.target, got)
		}
	}
}

// TestJudged: on a machine that others use, processor time counts too where it is known, and nothing where it is not.
func TestJudged(t *testing.T) {
	r := &results{Machine: measure.Machine{Processors: 2}}
	clock, cpu := measure.Spread{Value: 3}, measure.Spread{Value: 1}
	for _, tt := range []struct {
		row  row
		want float64
	}{{row{Ratio: clock, CPU: cpu, Load: 2}, 3}, {row{Ratio: clock, CPU: cpu, Load: 9}, 3}, {row{Ratio: cpu, CPU: clock, Load: 9}, 3}, {row{Ratio: clock, Load: 9}, 0}} {
		if got := r.judged(&tt.row); got != tt.want {
			t.Errorf("%+v: %v", tt.row, got)
		}
	}
}

// TestKeep replaces what was measured again and keeps the rest, in the order of the networks.
func TestKeep(t *testing.T) {
	name := filepath.Join(t.TempDir(), "some.json")
	r, err := readResults(name)
	if err != nil {
		t.Fatal(err)
	}
	r.put(&row{Name: "resnet50", Threads: 2, Tier: "avx2"})
	r.put(&row{Name: "resnet50", Threads: 1, Tier: "avx2", Rounds: 1})
	r.put(&row{Name: "mobilenetv2", Threads: 1, Tier: "avx2"})
	r.put(&row{Name: "resnet50", Threads: 1, Tier: "avx2", Rounds: 7})
	r.putPeaks(measure.Peaks{Threads: 2, Float32: 1})
	r.putPeaks(measure.Peaks{Threads: 2, Float32: 2})
	r.putStart(&started{Name: "picture"})
	r.putStart(&started{Name: "start"})
	if err := r.write(name); err != nil {
		t.Fatal(err)
	}
	if r, err = readResults(name); err != nil || len(r.Rows) != 3 || r.Rows[0].Name != "mobilenetv2" || r.Rows[1].Rounds != 7 || r.Rows[2].Threads != 2 ||
		len(r.Peaks) != 1 || r.Peaks[0].Float32 != 2 || len(r.Starts) != 2 || r.Starts[0].Name != "start" {
		t.Errorf("%v: %+v", err, r)
	}
	if got := fileOf("x", &measure.Machine{Processor: "AMD EPYC (family 25)"}); got != filepath.Join("x", "amd-epyc-family-25.json") {
		t.Error(got)
	}
}

// TestProductOf4Bits holds the model with weights of 4 bits to being the same each time, and one that runs.
func TestProductOf4Bits(t *testing.T) {
	var models [2][]byte
	for i := range models {
		e, err := coded(2, 64).write(t.TempDir(), "bits")
		if err != nil {
			t.Fatal(err)
		}
		if models[i], err = os.ReadFile(e.File); err != nil {
			t.Fatal(err)
		}
		p := &concordPlayer{}
		for _, r := range []request{{Do: "load", Model: e.File, Threads: 1, Inputs: e.Inputs, Count: true}, {Do: "run", Least: 1}} {
			if _, err := p.perform(&r); err != nil {
				t.Errorf("%s: %v", r.Do, err)
			}
		}
	}
	if !bytes.Equal(models[0], models[1]) {
		t.Error("the model is another one each time")
	}
}

// TestPlayer asks Concord's player for what the suite asks, on a product.
func TestPlayer(t *testing.T) {
	folder := t.TempDir()
	e, err := product(16, false).write(folder, "product")
	if err != nil {
		t.Fatal(err)
	}
	in, requests := io.Pipe()
	answers, out := io.Pipe()
	go func() { _ = out.CloseWithError(serve(in, out, (&concordPlayer{}).perform)) }()
	write, read := json.NewEncoder(requests), json.NewDecoder(answers)
	ask := func(r request) (a answer) {
		t.Helper()
		if err := write.Encode(r); err != nil {
			t.Fatal(err)
		}
		if err := read.Decode(&a); err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := ask(request{Do: "run"}); a.Error == "" {
		t.Error("nothing is loaded, and runs")
	}
	if a := ask(request{Do: "load", Model: e.File, Threads: 1, Inputs: e.Inputs, Count: true}); a.Error != "" || a.MACs["float32"] != 16*16*16 || a.Tier == "" {
		t.Errorf("%+v", a)
	}
	if a := ask(request{Do: "dance"}); a.Error == "" {
		t.Error("it dances")
	}
	if a := ask(request{Do: "run", Least: 3}); a.Error != "" || len(a.Times) != 3 {
		t.Errorf("%+v", a)
	}
	a := ask(request{Do: "outputs", Folder: folder})
	if a.Error != "" || len(a.Outputs) != 1 || a.Outputs[0].Name != "y" || a.Outputs[0].DType != "float32" {
		t.Fatalf("%+v", a)
	}
	if d, err := difference(a.Outputs, a.Outputs); d != 0 || err != nil {
		t.Errorf("a product differs from itself by %v: %v", d, err)
	}
	if err := requests.Close(); err != nil {
		t.Fatal(err)
	}
	if err := read.Decode(&a); err != io.EOF {
		t.Errorf("the end: %v", err)
	}
}

// TestSweep: Concord takes every operator of the sweep.
func TestSweep(t *testing.T) {
	folder := t.TempDir()
	for _, n := range sweep() {
		e, err := n.node.write(folder, n.name)
		if err == nil {
			_, err = new(concordPlayer).load(&request{Model: e.File, Threads: 1, Inputs: e.Inputs})
		}
		if err != nil {
			t.Errorf("%s: %v", n.title, err)
		}
	}
}

// TestLayers reads what the program for OpenVX prints.
func TestLayers(t *testing.T) {
	list := readLayers("microseconds, best and median of 2 rounds\n"+
		"                                             A best    A median      B best    B median      B/A\n"+
		"convolution 3x3 56x56x64-64        U8       26729.7     66496.8   1398337.6   1437198.3    21.61\n"+
		"softmax 1000                       Q7.8           -           -         1.0         2.0\n", "today")
	if len(list) != 1 || *list[0] != (layer{"convolution 3x3 56x56x64-64", "U8", "today", 66496.8, 1437198.3, 21.61}) {
		t.Fatalf("%+v", list)
	}
	if narrow, wide := list[0].target(false), list[0].target(true); narrow != 150 || wide != 300 {
		t.Errorf("it is to be %v and %v times as fast", narrow, wide)
	}
	r := &results{Layers: []*layer{{Name: "softmax 1000", Format: "U8"}, {Name: list[0].Name, Format: "U8"}}}
	if r.putLayers(list); len(r.Layers) != 2 || r.Layers[1] != list[0] {
		t.Errorf("%+v", r.Layers)
	}
}

func TestDifference(t *testing.T) {
	folder := t.TempDir()
	nan := float32(0)
	nan /= nan
	store := func(name string, x ...float32) array {
		v, err := tensor.FromSlice(x, len(x))
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, tensor.AppendRaw(nil, v), 0o600); err != nil {
			t.Fatal(err)
		}
		return array{"y", "float32", v.Shape(), file}
	}
	one, near, far, none, short := store("one", 1, -4), store("near", 1.5, -4), store("far", nan, -4), store("none", nan, -4), store("short", 1)
	if d, err := difference([]array{one}, []array{near}); err != nil || d != 0.125 {
		t.Error(d, err)
	}
	if d, err := difference([]array{far}, []array{none}); err != nil || d != 0 {
		t.Error(d, err)
	}
	for _, other := range [][]array{{far}, {short}, nil, {one, near}} {
		if d, err := difference([]array{one}, other); err == nil {
			t.Errorf("%v: %v", other, d)
		}
	}
}
