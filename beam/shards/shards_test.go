package shards_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/direct" //nolint:staticcheck // deprecated, but quick to compile; the program's test has prism

	"github.com/concord-nn/concord/beam/shards"
	"github.com/concord-nn/concord/bulk"
)

func TestMain(m *testing.M) {
	beam.Init()
	os.Exit(m.Run())
}

const digits = "../../examples/digits"

// photos is a folder of pictures, and of files that are none.
func photos(t *testing.T, bad ...string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(digits+"/drawings")); err != nil {
		t.Fatal(err)
	}
	for _, name := range bad {
		write(t, filepath.Join(dir, name), "no picture")
	}
	return dir
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// run runs a pipeline.
func run(ctx context.Context, cfg shards.Config) (shards.Total, error) {
	p, s := beam.NewPipelineWithRoot()
	if _, err := shards.Compute(ctx, s, cfg); err != nil {
		return shards.Total{}, err
	}
	if _, err := beam.Run(ctx, "direct", p); err != nil {
		return shards.Total{}, err
	}
	return shards.ReadTotal(ctx, cfg.Output, cfg.Options.Shards)
}

// alone is the folder that package bulk writes, and the total of it.
func alone(t *testing.T, cfg shards.Config) (string, shards.Total) {
	t.Helper()
	dir := t.TempDir()
	j, err := bulk.Open(cfg.Model, cfg.Options)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	total := shards.Total{Shards: j.Shards()}
	var lines bytes.Buffer
	for i := range j.Shards() {
		s, err := j.Run(t.Context(), dir, i, false, nil)
		if err != nil {
			t.Fatal(err)
		}
		total.Inputs += s.Inputs
		total.Failed += s.Failed
		fmt.Fprintf(&lines, "%x  %s\n", sha256.Sum256(read(t, s.File)), filepath.Base(s.File))
	}
	sum := sha256.Sum256(lines.Bytes())
	total.SHA256 = hex.EncodeToString(sum[:])
	return dir, total
}

// same compares all results in two folders, and the lists of what failed.
func same(t *testing.T, got, want string) {
	t.Helper()
	for _, pattern := range []string{"part-*", "_errors-*"} {
		files, err := filepath.Glob(filepath.Join(want, pattern))
		if err != nil {
			t.Fatal(err)
		}
		others, err := filepath.Glob(filepath.Join(got, pattern))
		if err != nil || len(others) != len(files) {
			t.Fatalf("%v has %d files of %s, want %d (%v)", got, len(others), pattern, len(files), err)
		}
		for i, name := range files {
			if !bytes.Equal(read(t, name), read(t, others[i])) {
				t.Errorf("%s differs from %s", others[i], name)
			}
		}
	}
}

// TestPipeline compares what a pipeline writes with what package bulk does.
func TestPipeline(t *testing.T) {
	dir := photos(t, "a.png", "zz.png")
	for _, c := range []struct {
		name string
		opts bulk.Options
		want shards.Total
	}{
		{"one", bulk.Options{}, shards.Total{Shards: 1, Inputs: 22, Failed: 2}},
		{"several", bulk.Options{Shards: 5}, shards.Total{Shards: 5, Inputs: 22, Failed: 2}},
		{"more than inputs", bulk.Options{Shards: 30}, shards.Total{Shards: 30, Inputs: 22, Failed: 2}},
		{"tables", bulk.Options{Shards: 2, Format: bulk.Parquet}, shards.Total{Shards: 2, Inputs: 22, Failed: 2}},
		{"arrays", bulk.Options{Shards: 3, Format: bulk.NPZ, Workers: 3}, shards.Total{Shards: 3, Inputs: 22, Failed: 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.opts.Inputs, c.opts.SkipErrors = []string{dir}, true
			cfg := shards.Config{Model: digits + "/model.nnef", Output: t.TempDir(), Options: c.opts}
			got, err := run(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			folder, want := alone(t, cfg)
			if c.want.SHA256 = want.SHA256; got != c.want || got != want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
			same(t, cfg.Output, folder)
		})
	}
}

// TestAtOnce runs pipelines that write the same files at the same time, as when a runner gives a shard to two workers.
func TestAtOnce(t *testing.T) {
	dir := photos(t)
	cfg := shards.Config{Model: digits + "/model.nnef", Output: t.TempDir(), Options: bulk.Options{Inputs: []string{dir}, Shards: 3}}
	folder, want := alone(t, cfg)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if got, err := run(t.Context(), cfg); err != nil || got != want {
				t.Errorf("%+v, %v, want %+v", got, err, want)
			}
		})
	}
	all.Wait()
	same(t, cfg.Output, folder)
}

// TestAgain starts a pipeline again that a bad input has ended.
func TestAgain(t *testing.T) {
	dir := photos(t, "three.png")
	cfg := shards.Config{Model: digits + "/model.nnef", Output: t.TempDir(), Options: bulk.Options{Inputs: []string{dir}, Shards: 2}}
	if _, err := run(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "three.png: this is no PNG") {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "three.png"), string(read(t, digits+"/drawings/three.png")))
	got, err := run(t.Context(), cfg)
	folder, want := alone(t, cfg)
	if err != nil || got != want {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	same(t, cfg.Output, folder)
}

// TestOthers starts workers that find other files than the program that has made their pipeline.
func TestOthers(t *testing.T) {
	const sums = "version 1.0;\ngraph sums(a) -> (y)\n{\n    a = external<scalar>(shape = [1,2]);\n    y = %s(a, a);\n}\n"
	dir := t.TempDir()
	model, list := filepath.Join(dir, "sums.nnef"), filepath.Join(dir, "list.jsonl")
	cfg := shards.Config{Model: model, Output: filepath.Join(dir, "out"), Options: bulk.Options{Inputs: []string{list}}}
	for _, c := range []struct {
		name, want string
		change     func()
	}{
		{"nothing", "", func() {}},
		{"model", "all machines must have the same files", func() { write(t, model, fmt.Sprintf(sums, "mul")) }},
		{"inputs", "are other files here than where the pipeline was started", func() { write(t, list, "{\"a\": [1, 2]}\n{\"a\": [3, 4]}\n") }},
		{"no model", "sums.nnef", func() { _ = os.Remove(model) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			write(t, model, fmt.Sprintf(sums, "add"))
			write(t, list, `{"a": [1, 2]}`)
			p, s := beam.NewPipelineWithRoot()
			if _, err := shards.Compute(t.Context(), s, cfg); err != nil {
				t.Fatal(err)
			}
			c.change()
			_, err := beam.Run(t.Context(), "direct", p)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// TestFileSystem writes into a file system of Beam's.
func TestFileSystem(t *testing.T) {
	dir := photos(t, "a.png")
	cfg := shards.Config{Model: digits + "/model.nnef", Output: "memfs://bucket/out/", Options: bulk.Options{Inputs: []string{dir}, Shards: 2, SkipErrors: true}}
	got, err := run(t.Context(), cfg)
	folder, want := alone(t, cfg)
	if err != nil || got != want {
		t.Fatalf("%+v, %v, want %+v", got, err, want)
	}
	fs := memfs.New(t.Context())
	names, err := fs.List(t.Context(), "memfs://bucket/out/*")
	if err != nil || len(names) != 4 { // two parts, errors, the total
		t.Fatal(names, err)
	}
	copied := t.TempDir()
	for _, name := range names {
		r, err := fs.OpenRead(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(copied, filepath.Base(name)), string(data))
	}
	same(t, copied, folder)
	cfg.Output = "unknown://bucket"
	if _, err := run(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "unknown") {
		t.Error(err)
	}
}

// TestRefused makes pipelines of what cannot be computed.
func TestRefused(t *testing.T) {
	inputs := []string{digits + "/drawings"}
	for name, cfg := range map[string]shards.Config{
		"is not given":    {Output: "out"},
		"model.none":      {Model: "model.none", Output: "out", Options: bulk.Options{Inputs: inputs}},
		"shards":          {Model: digits + "/model.nnef", Output: "out", Options: bulk.Options{Inputs: inputs, Shards: -1}},
		"the format":      {Model: digits + "/model.nnef", Output: "out", Options: bulk.Options{Inputs: inputs, Format: "xml"}},
		"no file matches": {Model: digits + "/model.nnef", Output: "out", Options: bulk.Options{Inputs: []string{"none*.png"}}},
		"are too many":    {Model: digits + "/model.nnef", Output: "out", Options: bulk.Options{Inputs: inputs, Shards: 1 << 40}},
	} {
		if _, err := run(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %q", err, name)
		}
	}
	if _, err := os.Stat("out"); err == nil {
		t.Error("a folder was made")
	}
}
