package onnx_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

var networks = flag.String("networks", "", "a folder of networks with what ONNX Runtime makes of them: cases as the standard's, or what shared/bench makes")

// realNetwork is a model with inputs, and what ONNX Runtime makes of them.
type realNetwork struct {
	name, path string
	bench      *benchFiles // nil for a case as the standard's
}

// TestNetworks compares whole networks with ONNX Runtime: within 1e-4 of the greatest number in an output, or 5e-3 of quantised ones.
func TestNetworks(t *testing.T) {
	for _, n := range findNetworks(t) {
		t.Run(n.name, func(t *testing.T) {
			f, err := onnx.Open(n.path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			m, err := f.Network()
			if err != nil {
				t.Fatal(err)
			}
			programs := model.NewPrograms(m, engine.Options{Limits: engine.Limits{Time: -1}}, 0)
			defer programs.Close()
			in, outputs := n.read(t, f)
			begin := time.Now()
			got, err := programs.Run(context.Background(), in)
			if err != nil {
				t.Fatal(err)
			}
			took := time.Since(begin)
			limit, worst := n.limit(f.Model.Graph), 0.0
			for name, want := range outputs {
				d, err := distance(got[name], want)
				if err != nil || !(d <= limit) {
					t.Errorf("output %s differs by %.3g of its greatest number; %.3g are allowed (%v)", name, d, limit, err)
				}
				worst = max(worst, d)
			}
			t.Logf("%d nodes, %d outputs within %.1e, compiled and run in %v", len(f.Model.Graph.Node), len(outputs), worst, took.Round(time.Millisecond/10))
		})
	}
}

// BenchmarkNetworks runs the networks.
func BenchmarkNetworks(b *testing.B) {
	for _, n := range findNetworks(b) {
		b.Run(n.name, func(b *testing.B) {
			f, err := onnx.Open(n.path)
			if err != nil {
				b.Fatal(err)
			}
			defer f.Close()
			m, err := f.Network()
			if err != nil {
				b.Fatal(err)
			}
			programs := model.NewPrograms(m, engine.Options{}, 0)
			defer programs.Close()
			in, _ := n.read(b, f)
			for b.Loop() {
				if _, err := programs.Run(context.Background(), in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func findNetworks(tb testing.TB) (out []*realNetwork) {
	tb.Helper()
	if *networks == "" {
		tb.Skip("-networks says where they are")
	}
	text, err := os.ReadFile(filepath.Join(*networks, "manifest.json"))
	if errors.Is(err, fs.ErrNotExist) {
		paths, _ := filepath.Glob(filepath.Join(*networks, "*", "model.onnx"))
		for _, p := range paths {
			out = append(out, &realNetwork{name: filepath.Base(filepath.Dir(p)), path: p})
		}
		return out
	}
	var manifest map[string]*benchFiles
	if err == nil {
		err = json.Unmarshal(text, &manifest)
	}
	if err != nil {
		tb.Fatal(err)
	}
	for _, name := range naming.Sorted(manifest) {
		out = append(out, &realNetwork{name: name, path: filepath.Join(*networks, manifest[name].File), bench: manifest[name]})
	}
	return out
}

// read returns inputs and outputs.
func (n *realNetwork) read(tb testing.TB, f *onnx.File) (in, want model.Values) {
	tb.Helper()
	in, want = make(model.Values), make(model.Values)
	read := n.readCase
	if n.bench != nil {
		read = n.readBench
	}
	if err := read(f, in, want); err != nil {
		tb.Fatal(err)
	}
	return in, want
}

func (n *realNetwork) readCase(f *onnx.File, in, want model.Values) error {
	m, err := f.Network()
	if err != nil {
		return err
	}
	value := func(into model.Values, name, kind string, i int) {
		t, failed := readTensor(filepath.Join(filepath.Dir(n.path), "test_data_set_0", fmt.Sprintf("%s_%d.pb", kind, i)))
		if err = errors.Join(err, failed); t != nil {
			into[name] = t
		}
	}
	for i, x := range m.Inputs() {
		value(in, x.Name, "input", i)
	}
	for i, o := range f.Model.Graph.Output {
		value(want, o.Name, "output", i)
	}
	return err
}

// benchFiles are the files of a network that shared/bench makes, of raw elements.
type benchFiles struct {
	File   string
	Inputs []struct {
		Name, DType, File string
		Shape             []int
	}
}

func (n *realNetwork) readBench(f *onnx.File, in, want model.Values) error {
	dir := filepath.Dir(n.path)
	for _, x := range n.bench.Inputs {
		raw, err := os.ReadFile(filepath.Join(dir, x.File))
		if err != nil {
			return err
		}
		d, err := tensor.ParseDType(x.DType)
		if err != nil {
			return err
		}
		if in[x.Name], err = tensor.FromRaw(d, x.Shape, raw); err != nil {
			return err
		}
	}
	for _, o := range f.Model.Graph.Output {
		d, err := o.Type.Tensor.ElemType.DType()
		if err != nil {
			return err
		}
		raw, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%s.ref.%s.bin", n.name, o.Name)))
		if err != nil {
			return err
		}
		if want[o.Name], err = tensor.FromRaw(d, []int{len(raw) * 8 / d.Bits()}, raw); err != nil {
			return err
		}
	}
	return nil
}

// unsteady are networks that make great differences of small ones, and about by how much the outputs of ONNX Runtime differ with and without
// its optimisations or, of isnet_small, which quantises by what numbers there are, when its input changes by 1e-7 of itself: by 0.096. YuNet and
// PP-OCR's detector yield sigmoids that are next to nothing on noise, which ONNX Runtime makes to some 1e-7.
var unsteady = map[string]float64{"mlsd": 1e-2, "isnet_medium": 5e-3, "isnet_small": 0.12, "yunet": 2e-2, "ch_PP-OCRv4_det": 1e-3, "obs_zero_dce": 3e-4,
	"squeezenet_fp16": 5e-3, "mnist_float16": 5e-3}

// limit returns by how much outputs may differ.
func (n *realNetwork) limit(g *proto.Graph) float64 {
	for prefix, d := range unsteady {
		if strings.HasPrefix(n.name, prefix) {
			return d
		}
	}
	if quantised(g) {
		return 5e-3
	}
	return 1e-4
}

// quantised reports whether numbers are rounded to integers in a graph.
func quantised(g *proto.Graph) bool {
	for _, n := range g.Node {
		if strings.Contains(n.OpType, "Quantize") || strings.Contains(n.OpType, "Integer") {
			return true
		}
	}
	return false
}

// distance returns by how much elements differ, as a part of the greatest one.
func distance(got, want *tensor.Tensor) (float64, error) {
	if got == nil || got.Len() != want.Len() || got.DType() != want.DType() {
		return 0, fmt.Errorf("it is %v; it must be %v", got, want)
	}
	x, y := tensor.Data[float64](must(tensor.Cast(got, tensor.Float64))), tensor.Data[float64](must(tensor.Cast(want, tensor.Float64)))
	most, greatest := 0.0, 0.0
	for i := range x {
		most, greatest = max(most, math.Abs(x[i]-y[i])), max(greatest, math.Abs(y[i]))
	}
	return most / max(greatest, math.SmallestNonzeroFloat64), nil
}
