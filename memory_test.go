package concord_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/measure"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/onnx/export"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// heavy returns a network with 12 MiB of weights, or half of that where they are stored as float16, and hardly anything else.
func heavy(t *testing.T, stored tensor.DType) *graph.Graph {
	t.Helper()
	const width = 1024 // of which the square is 4 MiB of float32
	elements := make([]float32, width*width)
	for i := range elements {
		elements[i] = float32(i%1021)/1024 - 0.5
	}
	weights, err := tensor.FromSlice(elements, width, width)
	if err == nil {
		weights, err = tensor.Cast(weights, stored)
	}
	if err != nil {
		t.Fatal(err)
	}
	b := graph.NewBuilder(op.Rules, "heavy")
	y, err := b.Input("x", graph.Type{DType: tensor.Float32, Shape: tensor.Shape{1, width}})
	for i, label := range []string{"a", "b", "c"} {
		var w *graph.Value
		if err == nil {
			own := weights.Clone()
			own.Bytes()[0] = byte(i) // constants that are equal would be one
			w, err = b.Constant(label, label, own)
		}
		if err == nil && stored != tensor.Float32 {
			w, err = b.One("cast", []*graph.Value{w}, graph.AttrsOf("dtype", tensor.Float32), "", "")
		}
		if err == nil {
			y, err = b.One("matmul", []*graph.Value{y, w}, nil, "", "")
		}
	}
	if err == nil {
		err = b.Output("y", y)
	}
	g, buildErr := b.Build()
	if err != nil || buildErr != nil {
		t.Fatal(err, buildErr)
	}
	return g
}

// store writes networks in all forms of files, and returns their names.
func store(t *testing.T, g, halves *graph.Graph) map[string]string {
	t.Helper()
	dir := t.TempDir()
	name := func(file string) string { return filepath.Join(dir, file) }
	names := map[string]string{"folder": name("net"), "tar": name("net.tar"), "tgz": name("net.tgz")}
	for _, path := range names {
		if err := nnef.Save(path, g); err != nil {
			t.Fatal(err)
		}
	}
	write := func(form string, g *graph.Graph, change func(w *proto.Tensor, v *tensor.Tensor)) {
		names[form] = name(form + ".onnx")
		m, err := export.New(g, export.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range m.Graph.Initializer {
			v, err := w.Value(nil)
			if err != nil {
				t.Fatal(err)
			}
			change(w, v)
		}
		data, err := proto.Encode(m)
		if err == nil {
			err = os.WriteFile(names[form], data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write("raw", g, func(*proto.Tensor, *tensor.Tensor) {})
	write("list", g, func(w *proto.Tensor, v *tensor.Tensor) { w.FloatData, w.RawData = tensor.Data[float32](v), nil })
	write("widened", halves, func(*proto.Tensor, *tensor.Tensor) {})
	return names
}

// inUse returns the bytes that can be reached.
func inUse() int64 {
	runtime.GC()
	runtime.GC() // what finalizers and cleanups have kept
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestWeights loads a model and makes a session: in memory there is what kernels read, and of the weights in their own form no more than
// a part of an archive. They can be read nevertheless.
func TestWeights(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("files are mapped elsewhere, too, but this is about the memory of Linux")
	}
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	g, halves := heavy(t, tensor.Float32), heavy(t, tensor.Float16)
	in := map[string]*tensor.Tensor{"x": op.NewRand(2, 1).Tensor(tensor.Float32, g.Inputs[0].Type.Shape)}
	evaluate := func(g *graph.Graph) []byte {
		out, err := op.NewInterpreter(g).RunNamed(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		return out["y"].Bytes()
	}
	all, of16 := evaluate(g), evaluate(halves)
	for form, name := range store(t, g, halves) {
		t.Run(form, func(t *testing.T) {
			g, want := g, all
			if form == "widened" {
				g, want = halves, of16
			}
			before := inUse()
			m, err := concord.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			p, err := m.Compile(concord.Options{Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			s, err := p.NewSession()
			if err != nil {
				t.Fatal(err)
			}
			plan := p.Plan()
			allowed := plan.Packed + plan.Session() + 5<<20 // of which an archive may keep 4, and everything else takes some
			if plan.Packed == 0 && form == "widened" {
				allowed += 12 << 20 // the weights as references read them
			}
			if took := inUse() - before; took > allowed {
				t.Errorf("%d bytes are in memory, of which %d are packed weights; want at most %d", took, plan.Packed, allowed)
			}
			if err := s.SetInput(0, in["x"]); err != nil {
				t.Fatal(err)
			}
			if err := s.Run(t.Context()); err != nil || !bytes.Equal(s.Output(0).Bytes(), want) {
				t.Errorf("the result differs: %v", err)
			}
			again, err := m.Graph(nil)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.EqualFunc(slices.Collect(again.Constants()), slices.Collect(g.Constants()), func(a, b *graph.Value) bool { return bytes.Equal(tensor.Raw(a.Const), tensor.Raw(b.Const)) }) {
				t.Error("the weights are not what they were")
			}
		})
		if measure.PeakMemory() != 0 && !raced() { // else the system does not say how much memory a process had, or the race detector has its own
			t.Run(form+" peak", func(t *testing.T) {
				c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPeak$", "-test.v")
				c.Env = append(os.Environ(), peakOf+"="+name)
				out, err := c.CombinedOutput()
				if t.Logf("%s", out); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// raced reports whether the test has the race detector in it.
func raced() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// peakOf names the environment variable with the model of which TestPeak, in a process of its own, measures the peak.
const peakOf = "CONCORD_TEST_PEAK_OF"

// TestPeak holds what a process takes for a model to what is said of it: weights, packed weights and 1.2 times the arena.
func TestPeak(t *testing.T) {
	name := os.Getenv(peakOf)
	if name == "" {
		t.Skip("TestWeights runs this in a process for each form of files")
	}
	measurePeak(t, name)
}

func measurePeak(t *testing.T, name string) {
	before := measure.PeakMemory()
	m, err := concord.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	p, err := m.Compile(concord.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	s, err := p.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	plan, weights := p.Plan(), int64(0)
	for v := range p.Graph().Constants() {
		weights += v.Type.Bytes()
	}
	took, most := measure.PeakMemory()-before, weights+plan.Packed+plan.Arena*6/5
	most += 8 << 20 // for the process, whatever the model is: code that is read for the first time, room of the collector
	if plan.Packed == 0 {
		most += 1 << 20 // references read weights that were made of those in the file
	}
	if t.Logf("%d bytes of at most %d", took, most); took > most {
		t.Errorf("the model has taken %d bytes; the bound is %d: weights %d, packed %d, arena %d", took, most, weights, plan.Packed, plan.Arena)
	}
}
