package conform_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/concord-nn/concord/internal/conform"
)

// smallSuites are suites of a kind each, with all their files, beside those of the folder testdata.
var smallSuites = []string{
	`-- index.json --
[{"id": "a", "dialect": "final", "file": "a.nnef", "lower": "all", "expect": {"verdict": "accept", "graph": "a.json"}},
 {"id": "b", "dialect": "provisional", "file": "a.nnef", "expect": {"verdict": "reject", "class": "parse", "line": 1, "line_checked": true}}]
-- a.nnef --
version 1.0;
graph g( x ) -> ( y ) { x = external<scalar>(shape = [1]); y = relu(x); }
-- a.json --
{"inputs":["x"],"outputs":["y"],"ops":[{"op":"external","dtype":"scalar","args":{"shape":[1]},"results":{"output":{"t":"x"}}},
{"op":"relu","args":{"x":{"t":"x"}},"results":{"y":{"t":"y"}}}],"tensors":{"x":{"dtype":"scalar","shape":[1]},"y":{"dtype":"scalar","shape":[1]}}}
`,
	`-- index.json --
[{"id": "a", "file": "x.dat", "expect": {"dtype": "float32", "shape": [1], "data": [1]}}, {"id": "b", "file": "../x.dat"}]
-- x.dat --
` + "N\xef\x01\x00",
	`-- index.json --
[{"id": "a", "file": "a.quant", "graph": "a.nnef", "expect": {"entries": [{"tensor": "y", "op": "linear_quantize"}]}}]
-- a.quant --
"y": linear_quantize(max = 1.0, min = 0.0, bits = 8);
-- a.nnef --
version 1.0;
graph g( x ) -> ( y ) { x = external(shape = [1]); y = relu(x); }
`,
	`-- index.json --
[{"id": "a", "path": "m", "rtol": 0, "expect": {"steps": [{"inputs": {"x": {"dtype": "float32", "shape": [1], "data": [1]}}, "outputs": {"y": {"dtype": "float32", "shape": [1], "data": [1]}}}]}},
 {"id": "b", "path": "m", "contested": "why"}]
-- m/graph.nnef --
version 1.0;
graph g( x ) -> ( y ) { x = external(shape = [1]); y = relu(x); }
`,
	`-- index.json --
[{"id": "a", "rule": "r", "file": "x.nnef", "expect": {"verdict": "accept"}}]
`,
	"-- model.onnx --\n\x08\x07",
	"-- index.json --\n[null]", "-- cases.json --\n[{\"id\": 1}]",
}

// suites returns small suites, each an archive of files.
func suites(f *testing.F) [][]byte {
	var out [][]byte
	for _, s := range smallSuites {
		out = append(out, []byte(s))
	}
	for _, folder := range []string{"webnn", "cvm/ops", "cvm/models/relu", "numeric"} {
		names, err := filepath.Glob(filepath.Join("testdata", folder, "*"))
		if err != nil {
			f.Fatal(err)
		}
		a := new(txtar.Archive)
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			a.Files = append(a.Files, txtar.File{Name: filepath.Base(name), Data: text})
		}
		out = append(out, txtar.Format(a))
	}
	return out
}

// unpack returns the files of an archive; none where the library panics, which it does of a marker without a name.
func unpack(archive []byte) (files []txtar.File) {
	defer func() { _ = recover() }()
	return txtar.Parse(archive).Files
}

// FuzzFind finds and runs what suites hold, an archive of files each: every case has a result, which is no panic, and nothing that takes longer
// than it may.
func FuzzFind(f *testing.F) {
	for _, s := range suites(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, suite []byte) {
		dir := t.TempDir()
		for _, file := range unpack(suite) {
			name := filepath.FromSlash(file.Name)
			if !filepath.IsLocal(name) || len(name) > 60 || strings.Count(file.Name, "/") > 2 {
				continue
			}
			name = filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(name), 0o700); err == nil {
				_ = os.WriteFile(name, file.Data, 0o600) // if a folder stands there, it is not written
			}
		}
		cases, err := conform.Find(dir)
		if err != nil {
			return
		}
		opts := conform.Options{Timeout: time.Second, Workers: 1}
		for _, r := range conform.Run(context.Background(), cases[:min(len(cases), 4)], opts) {
			if r.Status == "" || strings.HasPrefix(r.Detail, "panic:") {
				t.Errorf("%+v", r)
			}
		}
	})
}
