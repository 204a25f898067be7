package bulk_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/bulk"
	"github.com/concord-nn/concord/internal/feed"
	"github.com/concord-nn/concord/tensor"
)

const digits = "../examples/digits/model.nnef"

// drawings are pictures of the example.
func drawings(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob("../examples/digits/drawings/*.png")
	if err != nil || len(list) < 10 {
		t.Fatal(list, err)
	}
	return list
}

// sums writes a model that adds inputs.
func sums(t *testing.T) string {
	t.Helper()
	return network(t, "graph sums(a, b) -> (y)\n{\n    a = external<scalar>(shape = [1,3]);\n    b = external<scalar>(shape = [1,3]);\n    y = add(a, b);\n}\n")
}

// network writes a model.
func network(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "net.nnef")
	write(t, name, []byte("version 1.0;\n"+text))
	return name
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o600); err != nil {
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

// open makes a job.
func open(t *testing.T, model string, opts bulk.Options) *bulk.Job {
	t.Helper()
	j, err := bulk.Open(model, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

// written is what a job writes.
func written(t *testing.T, j *bulk.Job, shard int) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := j.Write(t.Context(), shard, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// said are the records of a text without what the inputs are called.
func said(t *testing.T, text string) []string {
	t.Helper()
	var list []string
	for line := range strings.Lines(text) {
		var record struct {
			Outputs json.RawMessage
			Error   string
		}
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err, line)
		}
		list = append(list, string(record.Outputs)+record.Error)
	}
	return list
}

// archive packs files, with members that are no inputs.
func archive(t *testing.T, name string, files []string) {
	t.Helper()
	var b bytes.Buffer
	var w io.Writer = &b
	if !strings.HasSuffix(name, ".tar") {
		z := gzip.NewWriter(w)
		defer func() { write(t, name, b.Bytes()) }()
		defer z.Close()
		w = z
	} else {
		defer func() { write(t, name, b.Bytes()) }()
	}
	a := tar.NewWriter(w)
	add := func(h tar.Header, data []byte) {
		h.Size, h.Mode = int64(len(data)), 0o600
		if err := a.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	add(tar.Header{Name: "d/", Typeflag: tar.TypeDir}, nil)
	for _, file := range files {
		add(tar.Header{Name: "d/._" + filepath.Base(file)}, []byte("x"))
		add(tar.Header{Name: "d/" + filepath.Base(file)}, read(t, file))
		add(tar.Header{Name: "d/" + filepath.Base(file) + ".txt"}, []byte("label"))
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestLists gives the same pictures in all forms of lists: what is said of them is the same, in the same order.
func TestLists(t *testing.T) {
	files := drawings(t)
	want := said(t, written(t, open(t, digits, bulk.Options{Inputs: files}), 0))
	dir := t.TempDir()
	var lines, table bytes.Buffer
	for _, file := range files {
		full, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&lines, "{\"x\": %q, \"label\": \"other\"}\n\n", full)
		fmt.Fprintf(&table, "other,%s\n", full)
		write(t, filepath.Join(dir, "copies", filepath.Base(file)), read(t, file))
	}
	write(t, filepath.Join(dir, "list.jsonl"), lines.Bytes())
	write(t, filepath.Join(dir, "list.csv"), append([]byte("\ufefflabel,Path\n"), table.Bytes()...))
	write(t, filepath.Join(dir, "named.csv"), append([]byte("label,x\n"), table.Bytes()...))
	write(t, filepath.Join(dir, "beside.csv"), []byte("copies/"+filepath.Base(files[0])+"\ncopies/"+filepath.Base(files[1])+",more\n"))
	archive(t, filepath.Join(dir, "a.tar"), files)
	archive(t, filepath.Join(dir, "a.tar.gz"), files)
	for _, c := range []struct {
		arg   string
		n     int
		first string
	}{
		{filepath.Dir(files[0]), len(files), files[0]}, {filepath.Dir(files[0]) + "/*.png", len(files), files[0]}, {"x=" + filepath.Dir(files[0]), len(files), files[0]},
		{filepath.Join(dir, "list.jsonl"), len(files), filepath.Join(dir, "list.jsonl") + ":1"}, {filepath.Join(dir, "list.csv"), len(files), ""},
		{filepath.Join(dir, "named.csv"), len(files), ""}, {filepath.Join(dir, "beside.csv"), 2, filepath.Join(dir, "copies", filepath.Base(files[0]))},
		{filepath.Join(dir, "a.tar"), len(files), filepath.Join(dir, "a.tar") + ":d/" + filepath.Base(files[0])}, {filepath.Join(dir, "a.tar.gz"), len(files), ""},
	} {
		text := written(t, open(t, digits, bulk.Options{Inputs: []string{c.arg}, Workers: 3}), 0)
		if got := said(t, text); !slices.Equal(got, want[:c.n]) {
			t.Errorf("%s: %q, want %q", c.arg, got, want[:c.n])
		}
		if c.first != "" && !strings.HasPrefix(text, fmt.Sprintf("{\"input\":%q,", c.first)) {
			t.Errorf("%s: the first record is %.150s; want %s", c.arg, text, c.first)
		}
	}
}

// TestArrays gives the same numbers as arrays of lines, with and without the extent of 1 in front, as rows and as archives.
func TestArrays(t *testing.T) {
	model, dir := sums(t), t.TempDir()
	write(t, filepath.Join(dir, "rows.jsonl"), []byte(`{"a": [[1, 2, 3]], "b": [10, 20, 30]}
{"b": [[0.5, 0.5, 0.5]], "a": [-1, 0, 1e0]}`))
	rows := map[string][]float64{"a": {1, 2, 3, -1, 0, 1}, "b": {10, 20, 30, 0.5, 0.5, 0.5}}
	var all []tensor.Named
	for _, name := range []string{"a", "b"} {
		x, err := tensor.FromSlice(rows[name], 2, 3)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, tensor.Named{Name: name, Tensor: x})
		var b bytes.Buffer
		if err := tensor.WriteNPY(&b, x); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name+".npy"), b.Bytes())
	}
	var b bytes.Buffer
	if err := tensor.WriteNPZ(&b, all, true); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "rows.npz"), b.Bytes())
	lines := said(t, written(t, open(t, model, bulk.Options{Inputs: []string{filepath.Join(dir, "rows.jsonl")}}), 0))
	if len(lines) != 2 || !strings.Contains(lines[0], `"min":11,"mean":22,"max":33`) || !strings.Contains(lines[1], `"min":-0.5,"mean":0.5,"max":1.5`) {
		t.Errorf("the lines give %q", lines)
	}
	if got := said(t, written(t, open(t, model, bulk.Options{Inputs: []string{filepath.Join(dir, "rows.npz")}, Rows: true}), 0)); !slices.Equal(got, lines) {
		t.Errorf("the rows give %q, want %q", got, lines)
	}
	write(t, filepath.Join(dir, "decimal.jsonl"), []byte(`{"a": [1.00000005960464477539062500001, 0, 0], "b": [0, 0, 0]}
{"a": [1e39, 0, 0], "b": [0, 0, 0]}`)) // the first one lies above the middle of two float32, and its nearest float64 does not
	decimal := written(t, open(t, model, bulk.Options{Inputs: []string{filepath.Join(dir, "decimal.jsonl")}, SkipErrors: true}), 0)
	if !strings.Contains(decimal, `"max":1.0000001192092896,`) || !strings.Contains(decimal, "1e39 is no float32") {
		t.Errorf("decimal numbers give %s", decimal)
	}
	one := written(t, open(t, model, bulk.Options{Inputs: []string{"a=" + filepath.Join(dir, "a.npy"), filepath.Join(dir, "b.npy")}, Rows: true, SkipErrors: true}), 0)
	if !strings.Contains(one, "got float32[2,3]; want float32[1,3]") || strings.Count(one, "\n") != 2 {
		t.Errorf("an array of two rows for an input that is always the same: %s", one)
	}
}

// TestShards joins the parts of a list: they are the whole.
func TestShards(t *testing.T) {
	files := drawings(t)
	want := written(t, open(t, digits, bulk.Options{Inputs: files}), 0)
	for _, n := range []int{1, 2, 7, len(files), len(files) + 3} {
		j := open(t, digits, bulk.Options{Inputs: files, Shards: n, Workers: 2})
		var all strings.Builder
		for i := range j.Shards() {
			all.WriteString(written(t, j, i))
		}
		if all.String() != want {
			t.Errorf("%d shards give %s, want %s", n, all.String(), want)
		}
	}
}

// TestItems computes items one by one: their records are the lines of the result.
func TestItems(t *testing.T) {
	j := open(t, digits, bulk.Options{Inputs: drawings(t), Shards: 3})
	if _, err := j.Record(t.Context(), nil); err == nil {
		t.Error("no item has a record")
	}
	var all strings.Builder
	err := j.Items(t.Context(), 1, func(it *bulk.Item) error {
		record, err := j.Record(t.Context(), it)
		all.Write(record)
		return err
	})
	if want := written(t, j, 1); err != nil || all.String() != want {
		t.Errorf("%v: %s, want %s", err, all.String(), want)
	}
}

// TestErrors has an input that cannot be computed: the run ends, and goes on when it is mended; or has a record with the reason.
func TestErrors(t *testing.T) {
	files, dir := drawings(t), t.TempDir()
	bad := filepath.Join(dir, "bad.png")
	write(t, bad, []byte("no picture"))
	inputs := slices.Insert(slices.Clone(files), 5, bad)
	j := open(t, digits, bulk.Options{Inputs: inputs, SkipErrors: true})
	s, err := j.Run(t.Context(), filepath.Join(dir, "skip"), 0, false, nil)
	if err != nil || s.Failed != 1 || s.Inputs != int64(len(inputs)) {
		t.Fatal(s, err)
	}
	lines := said(t, string(read(t, s.File)))
	if want := bad + ": this is no PNG, JPEG or GIF picture"; lines[5] != want {
		t.Errorf("the record says %s, want %s", lines[5], want)
	}
	if want := fmt.Sprintf("{\"index\":5,\"input\":%q,\"error\":%q}\n", bad, bad+": this is no PNG, JPEG or GIF picture"); string(read(t, s.Errors)) != want {
		t.Errorf("the errors are %s, want %s", read(t, s.Errors), want)
	}
	j = open(t, digits, bulk.Options{Inputs: inputs, Workers: 1})
	if _, err := j.Run(t.Context(), filepath.Join(dir, "stop"), 0, false, nil); err == nil || !strings.Contains(err.Error(), bad) {
		t.Errorf("%v", err)
	}
	model := network(t, "graph n(x) -> (y)\n{\n    x = external<scalar>(shape = [1]);\n    y = relu(x);\n}\n")
	write(t, model+".concord.json", []byte(`{"version": 2, "inputs": {"z": {"kind": "tensor"}}, "outputs": {}}`))
	if _, err := bulk.Open(model, bulk.Options{}); err == nil || strings.Count(err.Error(), "\n") != 1 || !strings.Contains(err.Error(), "the model has no input") {
		t.Errorf("a wrong manifest of another model: %v", err)
	}
	skipping := open(t, digits, bulk.Options{Inputs: inputs, SkipErrors: true})
	if s, err = skipping.Run(t.Context(), filepath.Join(dir, "stop"), 0, false, nil); err != nil || s.Before != 5 || s.Failed != 1 {
		t.Errorf("%+v, %v: it should go on behind 5 inputs, and behind another", s, err)
	}
	if _, err = j.Run(t.Context(), filepath.Join(dir, "stop"), 0, false, nil); !errors.As(err, new(*bulk.ChangedError)) {
		t.Errorf("what was skipped counts as done: %v", err)
	}
	if _, err = j.Run(t.Context(), filepath.Join(dir, "stop"), 0, true, nil); err == nil {
		t.Error("an input that cannot be computed is")
	}
	write(t, bad, read(t, files[0]))
	s, err = j.Run(t.Context(), filepath.Join(dir, "stop"), 0, false, nil)
	if err != nil || s.Before != 5 {
		t.Errorf("%+v, %v: it should go on behind 5 inputs", s, err)
	}
	if want := written(t, j, 0); string(read(t, s.File)) != want {
		t.Errorf("%s, want %s", read(t, s.File), want)
	}
}

// TestChanged begins a run and changes something: it is not continued.
func TestChanged(t *testing.T) {
	files, dir := drawings(t), t.TempDir()
	var inputs []string
	for _, file := range files[:6] {
		name := filepath.Join(dir, filepath.Base(file))
		write(t, name, read(t, file))
		inputs = append(inputs, name)
	}
	out := filepath.Join(dir, "out")
	half := func(opts bulk.Options) error {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		_, err := open(t, digits, opts).Run(ctx, out, 0, false, func(done, _ int64) {
			if done == 3 {
				cancel()
			}
		})
		return err
	}
	if err := half(bulk.Options{Inputs: inputs, Workers: 1}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	refused := func(what string, opts bulk.Options) {
		t.Helper()
		_, err := open(t, digits, opts).Run(t.Context(), out, 0, false, nil)
		var changed *bulk.ChangedError
		if !errors.As(err, &changed) || !strings.Contains(err.Error(), what) {
			t.Errorf("%v, want %s", err, what)
		}
	}
	refused("6 inputs, and there are 5 now", bulk.Options{Inputs: inputs[1:]})
	refused("other names", bulk.Options{Inputs: []string{inputs[1], inputs[0], inputs[2], inputs[3], inputs[4], inputs[5]}})
	refused("another model, manifest, shapes or format", bulk.Options{Inputs: inputs, Format: bulk.NPZ})
	own := read(t, inputs[1])
	write(t, inputs[1], read(t, files[7]))
	refused(inputs[0]+" to "+inputs[2], bulk.Options{Inputs: inputs})
	write(t, inputs[1], own) // at another time
	j := open(t, digits, bulk.Options{Inputs: inputs})
	s, err := j.Run(t.Context(), out, 0, false, nil)
	if err != nil || s.Before != 3 || string(read(t, s.File)) != written(t, j, 0) {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err = j.Run(t.Context(), out, 0, false, nil); err != nil || s.Before != 6 {
		t.Errorf("a complete result: %+v, %v", s, err)
	}
	write(t, inputs[1], read(t, files[7]))
	refused(inputs[0]+" to "+inputs[2], bulk.Options{Inputs: inputs})
	if s, err = j.Run(t.Context(), out, 0, true, nil); err != nil || s.Before != 0 || string(read(t, s.File)) != written(t, j, 0) {
		t.Errorf("anew: %+v, %v", s, err)
	}
	write(t, s.File, []byte("{}\n"))
	refused("is not as it was written", bulk.Options{Inputs: inputs})
	if err := os.Remove(s.File); err != nil {
		t.Fatal(err)
	}
	if s, err = j.Run(t.Context(), out, 0, false, nil); err != nil || s.Before != 0 {
		t.Errorf("without the result: %+v, %v", s, err)
	}
}

// TestBusy runs a shard twice at the same time.
func TestBusy(t *testing.T) {
	j := open(t, digits, bulk.Options{Inputs: drawings(t)})
	dir := t.TempDir()
	var second error
	_, err := j.Run(t.Context(), dir, 0, false, func(done, _ int64) {
		if done == 1 {
			_, second = j.Run(t.Context(), dir, 0, false, nil)
		}
	})
	if busy := (*bulk.BusyError)(nil); err != nil || !errors.As(second, &busy) {
		t.Errorf("%v; the second run: %v", err, second)
	}
}

// TestOptions refuses what cannot be.
func TestOptions(t *testing.T) {
	one := drawings(t)[:1]
	for _, c := range []struct {
		opts bulk.Options
		want string
	}{
		{bulk.Options{}, "no inputs are given"},
		{bulk.Options{Inputs: []string{"-"}}, "standard input is no list"},
		{bulk.Options{Inputs: one, Format: "xml"}, `the format "xml" is not known`},
		{bulk.Options{Inputs: one, Shards: -1}, "Options.Shards is -1; it must be 1 or more, or 0"},
		{bulk.Options{Inputs: one, Shards: 1<<16 + 1}, "65537 shards are too many; 65536 are allowed"},
		{bulk.Options{Inputs: one, Workers: 1<<12 + 1}, "4097 workers are too many; 4096 are allowed"},
		{bulk.Options{Inputs: one, Batch: 2}, "batch: "},
	} {
		_, err := bulk.Open(digits, c.opts)
		if usage := (*feed.UsageError)(nil); !errors.As(err, &usage) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.opts, err, c.want)
		}
	}
	if _, err := bulk.Open(digits, bulk.Options{Inputs: one, Shards: 1 << 16}); err != nil {
		t.Error(err)
	}
	if _, err := open(t, digits, bulk.Options{Inputs: []string{t.TempDir()}}).Run(t.Context(), t.TempDir(), 0, false, nil); err == nil {
		t.Error("an empty folder is taken")
	}
	if _, err := open(t, digits, bulk.Options{Inputs: one}).Write(t.Context(), 1, io.Discard); err == nil {
		t.Error("shard 1 of 1 is computed")
	}
}

// TestLineLimit has lines that are as long as they may be, and one byte longer.
func TestLineLimit(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.jsonl")
	const begin, end = `{"x": [0], "y": "`, `"}`
	write(t, name, []byte(begin+strings.Repeat("a", 64<<20-len(begin)-len(end))+end))
	for _, want := range []string{"", "longer than 67108864 bytes"} {
		_, _, err := open(t, digits, bulk.Options{Inputs: []string{name}}).Range(t.Context(), 0)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("got %v; want %q", err, want)
		}
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
		if err == nil {
			_, err = f.WriteString(" ")
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// listed writes a list and returns its name.
func listed(t *testing.T, name string, lines ...string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	write(t, name, []byte(strings.Join(lines, "\n")+"\n"))
	return name
}

// TestNPZ reads the arrays that a job writes: a row for each input, 0 for one that could not be computed.
func TestNPZ(t *testing.T) {
	model := network(t, "graph n(a) -> (y, s, n)\n{\n    a = external<scalar>(shape = [1,3]);\n    y = add(a, a);\n    r = sum_reduce(a, axes = [1]);\n    s = squeeze(r, axes = [0,1]);\n    n = lt(a, y);\n}\n")
	list := listed(t, "x.jsonl", `{"a": [1,2,3]}`, `{"a": [1]}`, `{"a": [-1,0,0.5]}`)
	text := written(t, open(t, model, bulk.Options{Inputs: []string{list}, Format: bulk.NPZ, SkipErrors: true}), 0)
	z, err := tensor.OpenNPZ(strings.NewReader(text), int64(len(text)), tensor.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := z.Names(), []string{"y", "s", "n", "source", "failed"}; !slices.Equal(got, want) {
		t.Fatalf("the arrays are %q, want %q", got, want)
	}
	array := func(name, typ string) *tensor.Tensor {
		t.Helper()
		x, err := z.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := x.DType().String() + x.Shape().String(); got != typ {
			t.Fatalf("%s is %s, want %s", name, got, typ)
		}
		return x
	}
	if y := tensor.Data[float32](array("y", "float32[3,3]")); !slices.Equal(y, []float32{2, 4, 6, 0, 0, 0, -2, 0, 1}) {
		t.Errorf("y = %v", y)
	}
	if s := tensor.Data[float32](array("s", "float32[3]")); !slices.Equal(s, []float32{6, 0, -0.5}) {
		t.Errorf("s = %v", s)
	}
	if n := tensor.Data[bool](array("n", "bool[3,3]")); !slices.Equal(n, []bool{true, true, true, false, false, false, false, false, true}) {
		t.Errorf("n = %v", n)
	}
	if f := tensor.Data[bool](array("failed", "bool[3]")); !slices.Equal(f, []bool{false, true, false}) {
		t.Errorf("failed = %v", f)
	}
	if !strings.Contains(text, list+":1"+list+":2"+list+":3") {
		t.Error("the names of the inputs are not there")
	}
}

// TestParquet holds the bytes of a table, which another reader reads in a module of its own: they are the same on every machine.
func TestParquet(t *testing.T) {
	model := network(t, "graph n(a) -> (y, n)\n{\n    a = external<scalar>(shape = [1,3]);\n    y = add(a, a);\n    n = lt(a, y);\n}\n")
	t.Chdir(filepath.Dir(listed(t, "x.jsonl", `{"a": [1,2,3]}`, `{"a": [1]}`, `{"a": [-1,0,0.5]}`)))
	text := written(t, open(t, model, bulk.Options{Inputs: []string{"x.jsonl"}, Format: bulk.Parquet, SkipErrors: true}), 0)
	const want = "34c361235562e08246f8cea6a77e3269857e0bd6c87f8bcb4f5d873c99930ee5"
	if got := fmt.Sprintf("%x", sha256.Sum256([]byte(text))); got != want {
		t.Errorf("the table has the sum %s, want %s", got, want)
	}
}

// TestShapes has inputs of different shapes, each of which decides about its run. Tables have them all, arrays do not.
func TestShapes(t *testing.T) {
	list := listed(t, "x.jsonl", `{"x": [[1,2,3,4,5,6,7,8]]}`, `{"x": [[1,2,3,4,5,6,7,8],[0,0,0,0,0,0,0,0]]}`, `{"x": [[1]]}`)
	const model = "../cmd/concord/testdata/open.nnef"
	text := written(t, open(t, model, bulk.Options{Inputs: []string{list}, SkipErrors: true}), 0)
	if strings.Count(text, `"float32[1,2,4]"`) != 2 || strings.Count(text, `"error"`) != 1 {
		t.Error(text)
	}
	list = listed(t, "y.jsonl", `{"x": [1,2,3]}`, `{"x": [1,2,3,4]}`)
	wide := network(t, "extension KHR_enable_fragment_definitions;\ngraph n(x) -> (y)\n{\n    x = external<scalar>(shape = [0]);\n    y = add(x, x);\n}\n")
	j := open(t, wide, bulk.Options{Inputs: []string{list}, Format: bulk.NPZ})
	if _, err := j.Write(t.Context(), 0, io.Discard); err == nil || !strings.Contains(err.Error(), "y.jsonl:2: its outputs have other shapes") {
		t.Errorf("%v", err)
	}
	if written(t, open(t, wide, bulk.Options{Inputs: []string{list}, Format: bulk.Parquet}), 0) == "" {
		t.Error("no table")
	}
}

// TestBatch computes inputs together, of which one fails, in batches of any size: the records are those of each alone.
func TestBatch(t *testing.T) {
	lines := make([]string, 23)
	for i := range lines {
		lines[i] = fmt.Sprintf(`{"x": [[%d,2,3,4,5,6,7,%d]]}`, i, i*i)
	}
	lines[4] = `{"x": [[1]]}`
	inputs := []string{listed(t, "x.jsonl", lines...)}
	model := network(t, "graph n(x) -> (y)\n{\n    x = external<scalar>(shape = [1,8]);\n    y = softmax(x);\n}\n")
	for _, format := range bulk.Formats {
		want := written(t, open(t, model, bulk.Options{Inputs: inputs, SkipErrors: true, Format: format}), 0)
		for _, n := range []int{2, 5, 23, 64} {
			if got := written(t, open(t, model, bulk.Options{Inputs: inputs, SkipErrors: true, Format: format, Batch: n}), 0); got != want {
				t.Errorf("batches of %d give %s, want %s", n, got, want)
			}
		}
	}
}

// TestDigest has jobs that give the same answers, and others.
func TestDigest(t *testing.T) {
	const model = "../cmd/concord/testdata/open.nnef"
	want := open(t, digits, bulk.Options{Inputs: drawings(t)}).Digest()
	for _, same := range []bulk.Options{{Inputs: drawings(t)[:1]}, {Workers: 1}, {Shards: 3, SkipErrors: true}, {Cache: t.TempDir()}} {
		if same.Inputs == nil {
			same.Inputs = drawings(t)
		}
		if got := open(t, digits, same).Digest(); got != want {
			t.Errorf("%+v changes the digest", same)
		}
	}
	if open(t, digits, bulk.Options{Inputs: drawings(t), Format: bulk.NPZ}).Digest() == want || open(t, model, bulk.Options{Inputs: []string{"x.npy"}}).Digest() == want {
		t.Error("the format or the model do not change the digest")
	}
	wide := network(t, "graph n(x) -> (y)\n{\n    x = external<scalar>(shape = [0,8]);\n    y = softmax(x);\n}\n")
	if open(t, wide, bulk.Options{Inputs: []string{"x.npy"}}).Digest() != open(t, wide, bulk.Options{Inputs: []string{"x.npy"}, Batch: 4}).Digest() {
		t.Error("batches change the digest")
	}
}

// TestCache computes nothing twice, whatever the inputs are called; what is damaged is computed anew, and the folder keeps within its bound.
func TestCache(t *testing.T) {
	files, dir := drawings(t)[:9], filepath.Join(t.TempDir(), "cache")
	want := written(t, open(t, digits, bulk.Options{Inputs: files}), 0)
	cached := func(want string, hits int, opts bulk.Options) {
		t.Helper()
		opts.Cache = dir
		j, err := bulk.Open(digits, opts)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		s, err := j.Write(t.Context(), 0, &b)
		if err = errors.Join(err, j.Close()); err != nil || b.String() != want || s.Cached != int64(hits) {
			t.Errorf("%v, %d from the cache, want %d: %s, want %s", err, s.Cached, hits, b.String(), want)
		}
	}
	all := func() []string {
		list, err := filepath.Glob(dir + "/??/*")
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	cached(want, 0, bulk.Options{Inputs: files})
	cached(want, len(files), bulk.Options{Inputs: files, SkipErrors: true})
	copied := filepath.Join(t.TempDir(), "other.png")
	write(t, copied, read(t, files[3]))
	cached(written(t, open(t, digits, bulk.Options{Inputs: []string{copied}}), 0), 1, bulk.Options{Inputs: []string{copied}})
	cached(written(t, open(t, digits, bulk.Options{Inputs: files, Format: bulk.NPZ}), 0), 0, bulk.Options{Inputs: files, Format: bulk.NPZ})
	if n := len(all()); n != 2*len(files) {
		t.Errorf("%d answers are kept", n)
	}
	for i, name := range all() { // in one of several ways
		data := read(t, name)
		switch i % 3 {
		case 0:
			data = data[:len(data)/2]
		case 1:
			data[len(data)-1]++
		default:
			data = nil
		}
		write(t, name, data)
	}
	cached(want, 0, bulk.Options{Inputs: files})
	cached(want, len(files), bulk.Options{Inputs: files})
	size := func() (sum int) {
		for _, name := range all() {
			sum += len(read(t, name))
		}
		return sum
	}
	most := size() / 3
	cached(written(t, open(t, digits, bulk.Options{Inputs: files, Format: bulk.Parquet}), 0), 0, bulk.Options{Inputs: files, Format: bulk.Parquet, CacheBytes: int64(most)})
	if left := size(); left > most || left == 0 {
		t.Errorf("the cache has %d bytes; %d are allowed", left, most)
	}
	full := t.TempDir()
	for i := range 256 { // in which nothing can be made
		write(t, filepath.Join(full, fmt.Sprintf("%02x", i)), nil)
	}
	for _, c := range []struct {
		dir   string
		bytes int64
		why   string
	}{{full, 0, full}, {t.TempDir(), 10, "the cache may hold 10"}} {
		j := open(t, digits, bulk.Options{Inputs: files, Cache: c.dir, CacheBytes: c.bytes})
		var b bytes.Buffer
		if s, err := j.Write(t.Context(), 0, &b); err != nil || b.String() != want || !strings.Contains(s.Unkept, c.why) {
			t.Errorf("an answer that could not be kept: %v, %q, want %q: %s, want %s", err, s.Unkept, c.why, b.String(), want)
		}
	}
}

// FuzzLine reads lines of any bytes: the input is refused, or it is what the line says.
func FuzzLine(f *testing.F) {
	for _, line := range []string{`{"a": [[1,2,3]], "b": [1,2,3]}`, `{"a": [[1,2],[3]], "b": 1}`, `{"a": "x.npy", "b": null}`, `{"a": [], "b": [[[[]]]]}`, `{"a": [[1,[2],3]]}`, `[1]`, `{"a":[null,1e999,-0],"b":[ 1 , 2 , 3 ]}`,
		`{"a": ` + strings.Repeat("[", 20) + strings.Repeat("]", 20) + `}`, `{"a": {}, "b": true}`, "{\"a\": \"\u0000\"}"} {
		f.Add([]byte(line))
	}
	dir := f.TempDir()
	model := filepath.Join(dir, "sums.nnef")
	if err := os.WriteFile(model, []byte("version 1.0;\ngraph sums(a, b) -> (y)\n{\n    a = external<scalar>(shape = [1,3]);\n    b = external<integer>(shape = [1,3]);\n    y = add(a, a);\n}\n"), 0o600); err != nil {
		f.Fatal(err)
	}
	list := filepath.Join(dir, "list.jsonl")
	f.Fuzz(func(t *testing.T, line []byte) {
		write(t, list, line)
		j := open(t, model, bulk.Options{Inputs: []string{list}, SkipErrors: true})
		_, n, err := j.Range(t.Context(), 0)
		if err != nil {
			return
		}
		if text := written(t, j, 0); strings.Count(text, "\n") != int(n) {
			t.Errorf("%d inputs give %q", n, text)
		}
	})
}

// FuzzTable reads tables of any bytes.
func FuzzTable(f *testing.F) {
	for _, text := range []string{"a.png\n", "x,y\na.png,1\n", "path\n\n", "\"a\nb\"\n", "\"", "x\n,\n", "\ufeffPath,z\nq"} {
		f.Add([]byte(text))
	}
	list := filepath.Join(f.TempDir(), "list.csv")
	f.Fuzz(func(t *testing.T, text []byte) {
		write(t, list, text)
		j := open(t, digits, bulk.Options{Inputs: []string{list}, SkipErrors: true})
		_, n, err := j.Range(t.Context(), 0)
		if err != nil {
			return
		}
		if text := written(t, j, 0); strings.Count(text, "\n") != int(n) {
			t.Errorf("%d inputs give %q", n, text)
		}
	})
}

// TestCloseWhileRunning closes a job that runs: the run ends as it would have, and then the model is closed.
func TestCloseWhileRunning(t *testing.T) {
	j, err := bulk.Open("../examples/digits/model.nnef", bulk.Options{Inputs: []string{"../examples/digits/drawings/s*.png"}, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	s, err := j.Run(t.Context(), t.TempDir(), 0, false, func(done, of int64) {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	if err != nil || s.Inputs != 4 || s.Failed != 0 {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := j.Write(t.Context(), 0, io.Discard); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("after it: %v", err)
	}
}
