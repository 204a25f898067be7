package nnef_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// reload saves a graph in a folder or archive and loads it.
func reload(t *testing.T, g *graph.Graph, name string) *nnef.Model {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := nnef.Save(path, g); err != nil {
		t.Fatalf("%v\n%s", err, graph.Text(g, op.Rules))
	}
	m, err := nnef.Load(path, nnef.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, graph.Text(g, op.Rules))
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func isStandardText(t *testing.T, g *graph.Graph) bool {
	t.Helper()
	var b strings.Builder
	if err := nnef.Write(&b, g); err != nil {
		t.Fatal(err)
	}
	return !strings.Contains(b.String(), "extension")
}

// TestSaveEveryOperator holds graphs of every operator to surviving saving and loading, and those that the standard can
// say to doing so in standard NNEF.
func TestSaveEveryOperator(t *testing.T) {
	for _, d := range op.All() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			standard, cases, named := 0, testdata.Cases(12, 1000), d.Spec.NNEF == d.Name
			for seed := 0; seed < cases || named && standard == 0 && seed < 1000; seed++ {
				c := d.Draw(op.NewRand(uint64(seed), 2+seed%cases*4/cases))
				g := opGraph(t, d, c, rand.New(rand.NewPCG(uint64(seed), 2)))
				if isStandardText(t, g) {
					standard++
					back := standardRoundTrip(t, g)
					if got, want := graph.Text(back, op.Rules), graph.Text(g, op.Rules); got != want {
						t.Fatalf("seed %d: got\n%s\nwant\n%s", seed, got, want)
					}
				}
				if seed >= testdata.Cases(1, 3) {
					continue
				}
				m := reload(t, g, []string{"m", "m.nnef.tgz", "m.tar", "m.nnef.tgz", "m.tar", "m.tar"}[(seed+len(d.Name))%6])
				if got, want := graph.Text(m.Graph, op.Rules), graph.Text(g, op.Rules); got != want {
					t.Fatalf("seed %d: got\n%s\nwant\n%s", seed, got, want)
				}
				checkConstants(t, m.Graph, g)
			}
			if named != (standard > 0) {
				t.Errorf("%d of %d graphs are written in standard NNEF; the operator is named %q there", standard, cases, d.Spec.NNEF)
			}
		})
	}
}

func standardRoundTrip(t *testing.T, g *graph.Graph) *graph.Graph {
	t.Helper()
	var b bytes.Buffer
	if err := nnef.Write(&b, g); err != nil {
		t.Fatal(err)
	}
	back, err := nnef.Parse("standard", b.Bytes(), nnef.Options{Variables: storedTensors(g)})
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	return back
}

// checkConstants compares the elements of constants and states, which have equal texts.
func checkConstants(t *testing.T, got, want *graph.Graph) {
	t.Helper()
	find := storedTensors(got)
	check := func(v *graph.Value, x *tensor.Tensor) {
		y, err := find(graph.StorageLabel(v))
		if err != nil || y.Describe() != x.Describe() || !bytes.Equal(y.Bytes(), x.Bytes()) {
			t.Errorf("%s: got %v; want %v; or the elements differ", v.Name, y, x)
		}
	}
	for v := range want.Constants() {
		if graph.Stored(v) {
			check(v, v.Const)
		}
	}
	for _, s := range want.States {
		check(s.Value, s.Init)
	}
}

// TestSaveLabels holds labels that files cannot have, and equal labels of different tensors, to being changed.
func TestSaveLabels(t *testing.T) {
	b := graph.NewBuilder(op.Rules, "labels")
	x, err := b.Input("x", graph.Type{DType: tensor.Float32, Shape: tensor.Shape{2}})
	if err != nil {
		t.Fatal(err)
	}
	shared, err := tensor.FromSlice([]float32{1, 2}, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i, label := range []string{"w", "W", "../escape", "a b:0", "w", "/lead", "..", "w"} {
		w := shared
		if i == 1 || i == 4 {
			if w, err = tensor.FromSlice([]float32{float32(i), -1}, 2); err != nil {
				t.Fatal(err)
			}
		}
		c, err := b.Constant("", label, w)
		if err != nil {
			t.Fatal(err)
		}
		if x, err = b.One("add", []*graph.Value{x, c}, nil, ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Output("y", x); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"m", "m.tgz"} {
		m := reload(t, g, name)
		var labels []string
		for v := range m.Graph.Constants() {
			labels = append(labels, v.Label)
		}
		if got, want := strings.Join(labels, " "), "w W_2 _/escape a_b_0 w_3 /lead .. w"; got != want {
			t.Errorf("labels %q; want %q", got, want)
		}
		in := map[string]*tensor.Tensor{"x": shared}
		if far := farthest(t, evaluate(t, m.Graph, in)["y"], evaluate(t, g, in)["y"]); far != 0 {
			t.Errorf("outputs differ by %v", far)
		}
	}
}

// TestSaveDeterministic holds equal graphs to equal bytes.
func TestSaveDeterministic(t *testing.T) {
	m, err := nnef.Load(filepath.Join(testdata.Root(t), "examples", "digits", "model.nnef"), nnef.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	var a, b bytes.Buffer
	if err := nnef.WriteArchive(&a, m.Graph, true); err != nil {
		t.Fatal(err)
	}
	again := reload(t, m.Graph, "copy.tar.gz")
	if err := nnef.WriteArchive(&b, again.Graph, true); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("the archives differ")
	}
	if !isStandardText(t, m.Graph) {
		t.Error("a model of standard operations is not written in standard NNEF")
	}
}

// full fails where more is written than fits.
type full int

func (w *full) Write(p []byte) (int, error) {
	if *w -= full(len(p)); *w < 0 {
		return 0, errors.New("full")
	}
	return len(p), nil
}

func TestSaveErrors(t *testing.T) {
	m, err := nnef.Load(filepath.Join(testdata.Root(t), "examples", "digits", "model.nnef"), nnef.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	var whole bytes.Buffer
	if err := nnef.WriteArchive(&whole, m.Graph, false); err != nil {
		t.Fatal(err)
	}
	for n := 0; n < whole.Len(); n += 511 {
		if w := full(n); nnef.WriteArchive(&w, m.Graph, false) == nil {
			t.Errorf("%d bytes suffice", n)
		}
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "missing", "m.tgz"), filepath.Join(file, "m"), file} {
		if nnef.Save(path, m.Graph) == nil {
			t.Errorf("saving to %s succeeds", path)
		}
	}
}
