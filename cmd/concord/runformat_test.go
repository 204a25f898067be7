package main

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/report"
	"github.com/concord-nn/concord/media"
)

// TestRunLines compares the objects of --format ndjson with those of --json, and the rows of --format csv with both.
func TestRunLines(t *testing.T) {
	dir := t.TempDir()
	var whole struct{ Runs []json.RawMessage }
	for _, c := range []struct{ model, inputs, header, row string }{
		{digits(t, "model.nnef"), digits(t, "drawings"), "input,y.class,y.label,y.probability", ",8,8,1"},
		{filepath.Join("testdata", "cvm", "strokes"), filepath.Join("testdata", "cvm", "strokes", "rising.bin"), "input,scores.class,scores.label,scores.probability,encoded",
			",2,rising,1,02000000"},
		{filepath.Join("testdata", "cvm", "strokes"), "--random", "input,scores.class,scores.label,scores.probability,encoded", ","},
	} {
		args := []string{"run", c.model, c.inputs, "-o", dir}
		out, code := execute(t, append(args, "--json")...)
		if err := json.Unmarshal([]byte(out), &whole); err != nil || code != 0 {
			t.Fatalf("%d, %v: %s", code, err, out)
		}
		out, code = execute(t, append(args, "--format", "ndjson")...)
		lines := bufio.NewScanner(strings.NewReader(out))
		for i := 0; lines.Scan(); i++ {
			var a, b any
			if json.Unmarshal(lines.Bytes(), &a) != nil || json.Unmarshal(whole.Runs[i], &b) != nil {
				t.Fatalf("code %d: %s", code, lines.Text())
			}
			x, _ := json.Marshal(a)
			if y, _ := json.Marshal(b); string(x) != string(y) {
				t.Errorf("line %d: %s\nwant %s", i, x, y)
			}
		}
		out, code = execute(t, append(args, "--format", "csv")...)
		rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if err != nil || code != 0 || len(rows) != 1+len(whole.Runs) || strings.Join(rows[0], ",") != c.header || !strings.Contains(strings.Join(rows[1], ","), c.row) {
			t.Errorf("code %d, %v: %s", code, err, out)
		}
	}
	for _, args := range [][]string{{"--format", "xml"}, {"--format", "csv", "--json"}, {"--format", "ndjson", "--profile"}, {"--format", "csv", "--hex"}} {
		if out, code := execute(t, append([]string{"run", digits(t, "model.nnef"), "--random"}, args...)...); code != exitUsage {
			t.Errorf("%q: code %d, %s", args, code, out)
		}
	}
}

// TestCells has outputs that say nothing, and numbers that are none.
func TestCells(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		out  report.Output
		want string
	}{
		{report.Output{Kind: "classes", Classes: []media.Class{{Index: 3, Label: "a\x1b", Probability: nan}}}, `class=3 label=a\x1b probability=NaN`},
		{report.Output{Kind: "classes"}, "class= label= probability="},
		{report.Output{Kind: "boxes", Boxes: []media.Box{{Label: "face", Score: 0.75, Left: 1.5, Top: 2, Right: 3, Bottom: 4.25}, {}}}, "count=2 label=face score=0.75 left=1.5 top=2 right=3 bottom=4.25"},
		{report.Output{Kind: "boxes"}, "count=0 label= score= left= top= right= bottom="},
		{report.Output{Kind: "track", Track: &media.Track{Threshold: 0.5, Step: 0.032, Values: []float32{0.5, 1, nan, 0.25}}}, "windows=4 segments=1 seconds=0.064 max=NaN"},
		{report.Output{Kind: "tensor", Stats: &report.Stats{Min: math.Inf(-1), Max: math.Inf(1), Mean: 0.5, NonFinite: 2}}, "min=-inf mean=0.5 max=inf nonFinite=2"},
	} {
		var list []string
		for _, cell := range outputCells(&c.out) {
			list = append(list, cell.column+"="+cell.value)
		}
		if got := strings.Join(list, " "); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
