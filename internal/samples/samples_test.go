package samples_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/samples"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// open reads a model from the text of a document.
func open(t *testing.T, text string) *model.Model {
	t.Helper()
	f, err := nnef.OpenFS(fstest.MapFS{"net.nnef": {Data: []byte("version 1.0;\n" + text)}}, "net.nnef", nnef.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	m, err := f.Network()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// fixed says one sample, and can have any number of them.
const fixed = `graph net( x ) -> ( y )
{
    x = external(shape = [1, 3]);
    y = softmax(x);
}`

const apart = `graph net( x, scale ) -> ( y, z )
{
    x = external(shape = [0, 3, 8, 8]);
    scale = external(shape = [1, 3, 1, 1]);
    a = mul(x, scale);
    b = avg_pool(a, size = [1, 1, 3, 3], stride = [1, 1, 2, 2]);
    y = softmax(b);
    z = max_reduce(a, axes = [1, 2, 3]);
}`

// TestSession computes samples alone and at each place of each run that has room for them.
func TestSession(t *testing.T) {
	m := open(t, apart)
	programs := model.NewPrograms(m, engine.Options{Threads: 2}, 0)
	defer programs.Close()
	b, err := samples.New(m, programs, nil)
	if err != nil {
		t.Fatal(err)
	}
	scale := op.NewRand(9, 1).Uniform(tensor.Float32, tensor.Shape{1, 3, 1, 1}, 0, 1)
	x := op.NewRand(8, 1).Uniform(tensor.Float32, tensor.Shape{5, 3, 8, 8}, -1, 1)
	part := func(k, n int) *tensor.Tensor { p, _ := x.Slice(0, k, k+n, 1); return p }
	var alone [][][]byte
	for k := range 5 {
		out, err := programs.Run(t.Context(), model.Values{"x": part(k, 1), "scale": scale})
		if err != nil {
			t.Fatal(err)
		}
		alone = append(alone, [][]byte{out["y"].Bytes(), out["z"].Bytes()})
	}
	for n := 1; n <= 5; n++ {
		s, err := b.Session(n)
		if err != nil {
			t.Fatal(err)
		}
		for first := range n { // samples of one tensor, and one by one
			if err := s.Put(0, 0, part(0, first+1)); err != nil {
				t.Fatal(err)
			}
			for k := first + 1; k < n; k++ {
				if err := s.Put(0, k, part(k, 1)); err != nil {
					t.Fatal(err)
				}
			}
			for k := range n {
				if err := s.Put(1, k, scale); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			for k := range n {
				for i, p := range b.Outputs() {
					got, _ := tensor.New(p.Type.DType, p.Type.Shape)
					if err := s.Take(i, k, got); err != nil {
						t.Fatal(err)
					}
					if !bytes.Equal(got.Bytes(), alone[k][i]) {
						t.Errorf("sample %d of %d has another output %s than alone", k, n, p.Name)
					}
				}
			}
		}
	}
}

// TestFixed computes samples together of a model that fixes their number.
func TestFixed(t *testing.T) {
	m := open(t, fixed)
	programs := model.NewPrograms(m, engine.Options{}, 0)
	defer programs.Close()
	b, err := samples.New(m, programs, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := b.Session(3); err != nil || s.Program().Outputs()[0].Type.Shape[0] != 3 {
		t.Errorf("got %v, %v", s, err)
	}
}

func TestMisuse(t *testing.T) {
	m := open(t, apart)
	programs := model.NewPrograms(m, engine.Options{}, 0)
	defer programs.Close()
	b, err := samples.New(m, programs, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := b.Session(2)
	if err != nil {
		t.Fatal(err)
	}
	filled := func(shape ...int) *tensor.Tensor { return op.NewRand(1, 1).Uniform(tensor.Float32, shape, -1, 1) }
	if err := s.Put(1, 0, filled(1, 3, 1, 1)); err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		err  error
		want string
	}{
		{s.Put(0, 1, filled(2, 3, 8, 8)), "x"},
		{s.Put(0, 0, filled(3, 3, 8, 8)), "x"},
		{s.Put(0, -1, filled(1, 3, 8, 8)), "x"},
		{s.Put(0, 0, filled(1, 3, 8, 9)), "x"},
		{s.Put(0, 0, filled(0, 3, 8, 8)), "x"},
		{s.Put(0, 0, filled()), "x"},
		{s.Put(0, 0, nil), "x"},
		{s.Put(1, 1, op.NewRand(2, 1).Uniform(tensor.Float32, tensor.Shape{1, 3, 1, 1}, 0, 1)), "has no extent for samples"},
		{s.Put(1, 1, nil), "scale"},
		{s.Take(0, 1, filled(2, 3, 3, 3)), "room"},
		{s.Take(0, 0, nil), "room"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("case %d: got %v; want %s", i, c.err, c.want)
		}
	}
}

// TestRefused holds the reasons why a model cannot compute samples together.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"graph net( x ) -> ( y )\n{\n    x = external(shape = [2, 2]);\n    y = relu(x);\n}", "no input has a first extent that is open or 1"},
		{"graph net( x ) -> ( y )\n{\n    x = external(shape = [1, 2]);\n    y = reshape(x, shape = [1, 2]);\n}", "no input leaves its first extent open"},
		{"graph net( x ) -> ( y )\n{\n    x = external(shape = [1, 2]);\n    y = reshape(x, shape = [1, 2]);\n}", "reshape"},
		{"graph net( x ) -> ( y )\n{\n    x = external(shape = [0, 2]);\n    y = sum_reduce(x, axes = [0]);\n}", "samples cannot be told apart"},
	} {
		m := open(t, c.text)
		programs := model.NewPrograms(m, engine.Options{}, 0)
		b, err := samples.New(m, programs, nil)
		if err == nil {
			_, err = b.Session(2)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\ngot %v; want %s", c.text, err, c.want)
		}
		programs.Close()
	}
	batch := model.Shape{{Symbol: "N"}}
	m := model.New([]model.Input{{Name: "x", DType: tensor.Float32, Shape: batch}, {Name: "y", DType: tensor.Float32, Shape: model.Shape{{Symbol: "M"}}}},
		func(model.Shapes) (*graph.Graph, error) { panic("not made") })
	if _, err := samples.New(m, model.NewPrograms(m, engine.Options{}, 0), nil); err == nil || !strings.Contains(err.Error(), "N, M") {
		t.Errorf("two symbols: got %v", err)
	}
	square := []model.Input{{Name: "x", DType: tensor.Float32, Shape: slices.Concat(batch, batch)}}
	if _, err := samples.CountOf(square); err == nil || !strings.Contains(err.Error(), "N, which would count the samples, is another one as well, of input x: float32[N,N]") {
		t.Errorf("a square: got %v", err)
	}
}

// TestNamed says how many samples there are of inputs one of which is called like the symbol that counts them.
func TestNamed(t *testing.T) {
	open := model.Shape{{Symbol: "n"}, {Extent: 2}}
	inputs := []model.Input{{Name: "x", Shape: open}, {Name: "n", Shape: model.Shape{{Extent: 1}}}, {Name: "y", Shape: slices.Concat(open, model.Shape{{Symbol: "m"}})}}
	got, err := samples.Shapes(inputs, model.Shapes{"n": {1}}, 3)
	if err != nil || len(got) != 2 || !slices.Equal(got["x"], []int{3, 2}) || !slices.Equal(got["n"], []int{1}) {
		t.Errorf("got %v, %v; want the shapes of x, and of n as it was", got, err)
	}
}
