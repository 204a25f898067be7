package batch_test

import (
	"bytes"
	"testing"
	"testing/fstest"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/serve/internal/batch"
	"github.com/concord-nn/concord/tensor"
)

// open reads a model from the text of a document.
func open(t testing.TB, text string) *concord.Model {
	t.Helper()
	m, err := concord.OpenFS(fstest.MapFS{"net.nnef": {Data: []byte("version 1.0;\n" + text)}}, "net.nnef")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

const apart = `graph net( x ) -> ( y, z )
{
    x = external(shape = [0, 3, 8, 8]);
    b = avg_pool(x, size = [1, 1, 3, 3], stride = [1, 1, 2, 2]);
    y = softmax(b);
    z = max_reduce(x, axes = [1, 2, 3]);
}`

func random(seed uint64, shape ...int) *tensor.Tensor {
	return op.NewRand(seed, 1).Uniform(tensor.Float32, shape, -1, 1)
}

// expect compares outputs, bit for bit.
func expect(t *testing.T, what string, got, want model.Values) {
	t.Helper()
	for name, w := range want {
		if g := got[name]; g == nil || !g.Shape().Equal(w.Shape()) || !bytes.Equal(g.Bytes(), w.Bytes()) {
			t.Errorf("%s: output %s is not what it is alone", what, name)
		}
	}
}

func TestSimple(t *testing.T) {
	m := open(t, apart)
	s, err := batch.New(m, batch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	programs := m.Programs(concord.Options{})
	defer programs.Close()
	for n := 1; n < 12; n++ {
		in := model.Values{"x": random(uint64(n), n, 3, 8, 8)}
		want, err := programs.Run(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Run(t.Context(), batch.Request{Inputs: in})
		if err != nil {
			t.Fatal(err)
		}
		expect(t, "a request", got.Outputs, want)
	}
}
