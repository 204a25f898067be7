package conform_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/conform"
	"github.com/concord-nn/concord/internal/nnef/tensorfile"
	"github.com/concord-nn/concord/tensor"
)

// outcomes writes files into a folder, runs the cases there, and returns their details by name, "" for those that hold.
func outcomes(t *testing.T, files map[string]string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cases, err := conform.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	details := make(map[string]string)
	for _, r := range conform.Run(context.Background(), cases, conform.Options{}) {
		details[r.Name] = r.Detail
	}
	return details
}

// check compares details with parts of them, "" for cases that must hold.
func check(t *testing.T, got, want map[string]string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d outcomes; want %d", len(got), len(want))
	}
	for name, detail := range want {
		if (got[name] == "") != (detail == "") || !strings.Contains(got[name], detail) {
			t.Errorf("%s: %q; want %q", name, got[name], detail)
		}
	}
}

func datFile(t *testing.T, x *tensor.Tensor, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := tensorfile.Encode(&b, x); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTensorCases(t *testing.T) {
	x, err := tensor.FromSlice([]float32{0.5, 2}, 2)
	f32 := datFile(t, x, err)
	u, err := tensor.FromSlice([]uint64{1<<64 - 1}, 1)
	u64 := datFile(t, u, err)
	check(t, outcomes(t, map[string]string{"x.dat": f32, "u.dat": u64, "bad.dat": "x", "index.json": `[
		{"id": "holds", "file": "x.dat", "rule": "", "expect": {"verdict": "accept", "dtype": "float32", "shape": [2], "data": [0.5, 2]}},
		{"id": "large", "file": "u.dat", "expect": {"verdict": "accept", "dtype": "uint64", "shape": [1], "data": [18446744073709551615]}},
		{"id": "large differs", "file": "u.dat", "expect": {"verdict": "accept", "dtype": "uint64", "shape": [1], "data": [18446744073709551614]}},
		{"id": "differs", "file": "x.dat", "expect": {"verdict": "accept", "dtype": "float32", "shape": [2], "data": [0.5, 2.5]}},
		{"id": "fewer", "file": "x.dat", "expect": {"verdict": "accept", "dtype": "float32", "shape": [2], "data": [0.5]}},
		{"id": "type", "file": "x.dat", "expect": {"verdict": "accept", "dtype": "float64", "shape": [2], "data": [0.5, 2]}},
		{"id": "shape", "file": "x.dat", "expect": {"verdict": "accept", "dtype": "float32", "shape": [1, 2], "data": [0.5, 2]}},
		{"id": "header", "file": "x.dat", "dialect": "provisional", "expect": {"verdict": "accept", "dtype": "float32", "shape": [2], "data": [0.5, 2]}},
		{"id": "broken", "file": "bad.dat", "expect": {"verdict": "reject"}},
		{"id": "not broken", "file": "x.dat", "expect": {"verdict": "reject"}},
		{"id": "refused", "file": "bad.dat", "expect": {"verdict": "accept"}}]`}),
		map[string]string{"holds": "", "large": "", "broken": "", "large differs": "item 0 is 18446744073709551615", "differs": "item 1 is 2; want 2.5",
			"fewer": "there are 2 items; want 1", "type": "of type float32; want float64", "shape": "the shape is [2]; want [1 2]",
			"header": "the final standard", "not broken": "it is accepted", "refused": "ends within the header"})
}

const smallGraph = "version 1.0;\ngraph g( x ) -> ( y )\n{\n    x = external(shape = [2]);\n    s = variable(shape = [2], label = 's');\n" +
	"    y = add(s, x);\n    n = update(s, y);\n}\n"

func TestQuantizationCases(t *testing.T) {
	check(t, outcomes(t, map[string]string{"g.nnef": smallGraph, "index.json": `[
		{"id": "holds", "file": "a.quant", "graph": "g.nnef", "expect": {"verdict": "accept",
			"entries": {"y": {"op": "linear_quantize", "args": {"min": 0, "max": 1.0, "bits": 8}}}}},
		{"id": "differs", "file": "a.quant", "graph": "g.nnef", "expect": {"verdict": "accept",
			"entries": {"y": {"op": "linear_quantize", "args": {"min": 0, "max": [1.0], "bits": 8}}}}},
		{"id": "more", "file": "a.quant", "graph": "g.nnef", "expect": {"verdict": "accept", "entries": {}}},
		{"id": "mistake", "file": "b.quant", "graph": "g.nnef", "expect": {"verdict": "reject", "class": "name", "line": 2}},
		{"id": "class", "file": "b.quant", "graph": "g.nnef", "expect": {"verdict": "reject", "class": "type", "line": 2}},
		{"id": "line", "file": "b.quant", "graph": "g.nnef", "expect": {"verdict": "reject", "class": "name", "line": 1}},
		{"id": "any line", "file": "b.quant", "graph": "g.nnef", "expect": {"verdict": "reject", "class": "name", "line": 1}, "line_checked": false}]`,
		"a.quant": `"y": linear_quantize(min = 0.0, max = 1.0, bits = 8);`, "b.quant": "\n" + `"z": linear_quantize(min = 0.0, max = 1.0, bits = 8);`}),
		map[string]string{"holds": "", "differs": "the entry for y: got", "more": "there are 1 entries; want 0", "mistake": "",
			"class": "want a mistake of class type", "line": "in line 1", "any line": ""})
}

func TestModelCases(t *testing.T) {
	x, err := tensor.FromSlice([]float32{1, 2}, 2)
	step := func(y string) string {
		return `{"inputs": {"x": {"dtype": "scalar", "shape": [2], "data": [1, 1]}}, "outputs": {"y": {"dtype": "scalar", "shape": [2], "data": ` + y + `}}}`
	}
	check(t, outcomes(t, map[string]string{"m/graph.nnef": smallGraph, "m/s.dat": datFile(t, x, err), "n/graph.nnef": smallGraph, "index.json": `[
		{"id": "holds", "path": "m", "form": "folder", "rule": "", "expect": {"verdict": "accept", "steps": [` + step("[2, 3]") + "," + step("[3, 4]") + `]}},
		{"id": "differs", "path": "m", "expect": {"verdict": "accept", "steps": [` + step("[2, 3]") + "," + step("[2, 3]") + `]}},
		{"id": "no data", "path": "n", "expect": {"verdict": "reject"}},
		{"id": "data", "path": "m", "expect": {"verdict": "reject"}}]`}),
		map[string]string{"holds": "", "differs": "step 1: output y: element 0 is 3; want 2", "no data": "", "data": "it is accepted"})
}
