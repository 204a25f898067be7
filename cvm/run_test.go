package cvm

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// doubler is a model that doubles bytes: of precision 8, and 9 for the result.
func doubler(t testing.TB) Files {
	s := newSketch()
	x := s.variable(DataName, 8, 1, 3)
	y := s.parameter("zero", 8, []int{1, 3}, make([]int32, 3))
	z := s.apply("elemwise_add", "{}", []int{1, 3}, x, x)
	return s.head(s.apply("elemwise_add", "{}", []int{1, 3}, z, y)).files(t)
}

func load(t *testing.T, f Files, opts Options) *Model {
	t.Helper()
	m, err := Load(f, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

// isFault checks the class and the stage of an error.
func isFault(t *testing.T, err error, class fault.Class, stage fault.Stage) {
	t.Helper()
	if e, ok := errors.AsType[*Error](err); !ok || e.Class != class || e.Stage != stage {
		t.Errorf("%v; want class %v at stage %s", err, class, stage)
	}
}

func TestInput(t *testing.T) {
	m := load(t, doubler(t), Options{})
	got, err := m.Run(context.Background(), []byte{1, 0x80, 0x7F}) // -128 is clamped
	if want := []byte{2, 0, 0, 0, 2, 0xFF, 0xFF, 0xFF, 254, 0, 0, 0}; err != nil || !bytes.Equal(got, want) {
		t.Errorf("%x, %v; want %x", got, err, want)
	}
	for _, n := range []int{0, 2, 4, 12} {
		_, err := m.Run(context.Background(), make([]byte, n))
		isFault(t, err, fault.Logic, fault.Input)
	}
	_, err = m.Run(nil, make([]byte, 3)) //nolint:staticcheck // hostile on purpose
	isFault(t, err, fault.Runtime, fault.Run)
}

// TestNoModel holds that a model which was never loaded is no reason to panic.
func TestNoModel(t *testing.T) {
	for name, m := range map[string]*Model{"nil": nil, "zero": {}} {
		t.Run(name, func(t *testing.T) {
			_, err := m.Run(context.Background(), nil)
			isFault(t, err, fault.Runtime, fault.Run)
			_, err = m.Encode(nil)
			isFault(t, err, fault.Runtime, fault.Run)
			if m.Admission() != nil || m.Graph() != nil {
				t.Error("it has an admission or a graph")
			}
			m.Close()
		})
	}
}

// TestNetwork holds the network of a model to be that which runs, with inputs in place of parameters that are not there.
func TestNetwork(t *testing.T) {
	f := doubler(t)
	printed := func(g *graph.Graph, err error) string {
		t.Helper()
		var b strings.Builder
		if err == nil {
			err = graph.Print(&b, g, op.Rules)
		}
		if err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	whole, err := Network(f, Options{})
	if got, want := printed(whole, err), printed(load(t, f, Options{}).Graph(), nil); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	f.Params = nil
	alone, err := Network(f, Options{})
	if err != nil || len(alone.Inputs) != 2 || alone.Inputs[0].Name != DataName || alone.Inputs[1].Name != "zero" {
		t.Errorf("%v: %s", err, printed(alone, err))
	}
}

// TestLazy holds that outputs of the graph are encoded as a run encodes them, and that what is compiled late is as what is compiled at once.
func TestLazy(t *testing.T) {
	m := load(t, doubler(t), Options{Lazy: true})
	in, err := tensor.FromSlice([]int8{1, -127, 5}, 1, 3)
	if err != nil {
		t.Fatal(err)
	}
	heads, err := op.NewInterpreter(m.Graph()).Run(context.Background(), []*tensor.Tensor{in})
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Encode(heads)
	if err != nil {
		t.Fatal(err)
	}
	want, err := m.Run(context.Background(), []byte{1, 0x81, 5})
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%x, but a run gives %x, %v", got, want, err)
	}
	m.Close() // after which what is known of it stays
	if got, err = m.Encode(heads); err != nil || !bytes.Equal(got, want) {
		t.Errorf("after Close: %x, %v", got, err)
	}
	_, err = m.Encode(nil)
	isFault(t, err, fault.Logic, fault.Run)
	if now := load(t, doubler(t), Options{}).Admission().Memory; m.Admission().Memory != now || now == 0 || m.InputPrecision() != 8 {
		t.Errorf("memory %d, of a model that is compiled at once %d; precision %d", m.Admission().Memory, now, m.InputPrecision())
	}
	m = load(t, doubler(t), Options{Lazy: true, Engine: engine.Options{Limits: engine.Limits{Memory: 8}}})
	_, err = m.Run(context.Background(), make([]byte, 3))
	isFault(t, err, fault.Runtime, fault.Limits)
}

func TestLoadWithoutParameters(t *testing.T) {
	_, err := Load(Files{Symbol: doubler(t).Symbol}, Options{})
	isFault(t, err, fault.Logic, fault.Params)
}

// TestRunStops holds that a run ends with its context and with the time limit, and that the model can run again.
func TestRunStops(t *testing.T) {
	m := load(t, doubler(t), Options{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := m.Run(ctx, make([]byte, 3))
	if isFault(t, err, fault.Runtime, fault.Run); !errors.Is(err, context.Canceled) {
		t.Errorf("%v does not wrap the context's error", err)
	}
	if _, err := m.Run(context.Background(), make([]byte, 3)); err != nil {
		t.Error(err)
	}
	m = load(t, doubler(t), Options{Engine: engine.Options{Limits: engine.Limits{Time: time.Nanosecond}}})
	_, err = m.Run(context.Background(), make([]byte, 3))
	isFault(t, err, fault.Runtime, fault.Run)
	_, err = Load(doubler(t), Options{Engine: engine.Options{Limits: engine.Limits{Memory: 8}}})
	isFault(t, err, fault.Runtime, fault.Limits)
}

// TestRunsTogether runs one model from many goroutines, and one whose runs depend on one another.
func TestRunsTogether(t *testing.T) {
	m := load(t, doubler(t), Options{Engine: engine.Options{Threads: 2}})
	s := newSketch() // relu overwrites the parameter that is then added, in this run and all later ones
	x := s.variable(DataName, 8, 1, 4)
	w := s.parameter("w", 8, []int{1, 4}, make([]int32, 4))
	s.head(s.apply("elemwise_add", "{}", []int{1, 4}, s.apply("relu", "{}", []int{1, 4}, x), w))
	s.StorageID[2] = s.StorageID[1]
	alias := load(t, s.files(t), Options{Compat: true})
	var wait sync.WaitGroup
	for g := range 8 {
		wait.Go(func() {
			for i := range 50 {
				x := byte(g*10 + i%10)
				if out, err := m.Run(context.Background(), []byte{x, x, x}); err != nil || out[0] != 2*x || out[8] != 2*x {
					t.Errorf("%x, %v", out, err)
				}
				if out, err := alias.Run(context.Background(), []byte{x, x, x, x}); err != nil || out[0] != 2*x || out[12] != 2*x {
					t.Errorf("shared storage: %x, %v", out, err)
				}
			}
		})
	}
	wait.Wait()
	m.Close()
	_, err := m.Run(context.Background(), make([]byte, 3))
	if isFault(t, err, fault.Runtime, fault.Run); !errors.Is(err, fs.ErrClosed) {
		t.Error(err)
	}
}

// TestFind finds the files of a model in folders of every kind.
func TestFind(t *testing.T) {
	model := doubler(t)
	for _, c := range []struct {
		files          string // those that the folder has, apart by blanks; / stands for the folder itself
		path           string
		symbol, params string // "" for none
	}{
		{"graph.json params.bin", "", "graph.json", "params.bin"},
		{"symbol params", "", "symbol", "params"},
		{"net.json net.params concord.json", "", "net.json", "net.params"},
		{"net.json other.params", "", "net.json", "other.params"},
		{"net.json a.params b.params", "", "net.json", ""},
		{"a.json b.json a.params", "", "", ""},
		{"a.json b.json a.params b.params", "b.json", "b.json", "b.params"},
		{"a.json params.bin", "a.json", "a.json", "params.bin"},
		{"concord.json", "", "", ""},
	} {
		dir := t.TempDir()
		for _, name := range bytes.Fields([]byte(c.files)) {
			content := model.Symbol
			switch {
			case string(name) == "concord.json":
				content = []byte(`{"version": 1, "title": "no graph"}`)
			case filepath.Ext(string(name)) == ".params" || bytes.HasPrefix(name, []byte("params")):
				content = model.Params
			}
			if err := os.WriteFile(filepath.Join(dir, string(name)), content, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		path := filepath.Join(dir, c.path)
		symbol, params, err := Find(path)
		if base(symbol) != c.symbol || base(params) != c.params || (err == nil) != (c.symbol != "") {
			t.Errorf("%s: %q, %q, %v; want %q, %q", c.files, symbol, params, err, c.symbol, c.params)
		}
		if Recognizes(path, c.path == "") != (c.symbol != "") {
			t.Errorf("%s: recognised or not", c.files)
		}
		m, err := Open(path, Options{})
		if (err == nil) != (c.params != "") {
			t.Errorf("%s: Open: %v", c.files, err)
		}
		if err == nil {
			m.Close()
		}
	}
	_, err := Open(filepath.Join(t.TempDir(), "none"), Options{})
	if isFault(t, err, fault.Runtime, fault.Text); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v does not say that there is nothing", err)
	}
}

// base returns the name of a file, and "" for none.
func base(path string) string {
	if path == "" {
		return ""
	}
	return filepath.Base(path)
}

// TestRecognizes tells graphs from other files by their beginning.
func TestRecognizes(t *testing.T) {
	for text, want := range map[string]bool{
		`{"nodes": [`:                             true,
		`{"version": "cvm_1.1.0", "heads": [[`:    true,
		`{"attrs": {"storage_id": ["list_int",`:   true,
		`{"attrs": {"x": 1}`:                      false,
		`{"concord": "webnn session", "version"`:  false,
		`{"version": 1, "title": "a manifest"}`:   false,
		`["nodes"]`:                               false,
		`nodes`:                                   false,
		``:                                        false,
		"version 1.0;\ngraph g(x) -> (y) { y = x": false,
	} {
		path := filepath.Join(t.TempDir(), "x.json")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := Recognizes(path, false); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
