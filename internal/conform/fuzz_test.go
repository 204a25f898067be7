package conform_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/concord-nn/concord/internal/conform"
)

// FuzzFind reads files of cases of every kind, under the names by which a kind is known, and runs what they hold: each case has a result, which is
// no panic.
func FuzzFind(f *testing.F) {
	seeds := []string{
		`[{"id": "a", "file": "index.json", "data": "index.json", "rtol": 1}]`,
		`[{"id": "a", "dialect": "final", "file": "index.json", "lower": "all", "expect": {"verdict": "reject", "class": "parse", "line": 1}}]`,
		`[{"id": "a", "rule": "r", "file": "x.nnef", "expect": {"verdict": "accept"}}]`,
		`[{"id": "a", "file": "x.dat", "expect": {"dtype": "float32", "shape": [1], "data": [1]}}, {"id": "b", "file": "../x.dat"}]`,
		`[{"id": "a", "file": "x.quant", "graph": "x", "expect": {"entries": [{}]}}]`,
		`[{"id": "a", "path": "x", "contested": "why"}]`,
		`{"graph": {"gas": 1}, "load": {"error_code": 0}, "runs": [{"input": "expect.json", "output_hex": "00"}]}`,
		`[null]`, `[{"id": 1}]`, "\x08\x07",
	}
	for _, name := range []string{"webnn/add.json", "cvm/ops/ops.json", "cvm/models/relu/expect.json", "numeric/index.json"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err == nil {
			seeds = append(seeds, string(text))
		}
	}
	for i, text := range seeds {
		f.Add(byte(i), []byte(text))
		f.Add(byte(0), []byte(text))
	}
	names := []string{"index.json", "expect.json", "cases.json", "model.onnx"}
	f.Fuzz(func(t *testing.T, kind byte, text []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, names[int(kind)%len(names)]), text, 0o600); err != nil {
			t.Fatal(err)
		}
		cases, err := conform.Find(dir)
		if err != nil {
			return
		}
		opts := conform.Options{Timeout: time.Second, Workers: 1}
		for _, r := range conform.Run(context.Background(), cases[:min(len(cases), 4)], opts) {
			if r.Status == "" || len(r.Detail) > 5 && r.Detail[:6] == "panic:" {
				t.Errorf("%+v", r)
			}
		}
	})
}
