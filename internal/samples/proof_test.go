package samples_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/samples"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// bodies are statements that make y of x, float32[N,4,6]. Those of the first list keep samples apart, wherever they lie in between.
var (
	together = []string{
		`y = copy(x);`,
		`y = softmax(x, axes = [1, 2]);`,
		`a = transpose(x, axes = [1, 0, 2]); y = transpose(relu(a), axes = [1, 0, 2]);`,
		`a = transpose(x, axes = [1, 2, 0]); b = max_reduce(a, axes = [0]); y = transpose(b, axes = [2, 1, 0]);`,
		`a = reshape(x, shape = [-1, 6]); w = constant(shape = [1, 6], value = [1.0, -2.0, 3.0, 0.5, 0.25, 7.0]); b = linear(a, w); y = reshape(b, shape = [-1, 4, 1]);`,
		`a = reshape(x, shape = [0, 2, 2, 6]); b = matmul(a, a, transposeB = true); c = softmax(b, axes = [3]); d = matmul(c, a); y = reshape(d, shape = [0, 4, 6]);`,
		`a = mean_reduce(x, axes = [2]); b = x - a; y = b / sqrt(mean_reduce(sqr(b), axes = [2]));`,
		`a = unsqueeze(x, axes = [1]); w = constant(shape = [1, 1, 2, 2], value = [1.0, -2.0, 3.0, 0.5]); b = conv(a, w); y = max_pool(b, size = [1, 1, 2, 2], stride = [1, 1, 2, 2]);`,
		`[a, b] = split(x, axis = 1, ratios = [1, 3]); c = concat([b, a], axis = 1); y = c * x;`,
		`a = slice(x, axes = [0, 1], begin = [0, 1], end = [0, 3]); y = tile(a, repeats = [1, 2, 1]);`,
		`y = pad(x, padding = [(0, 0), (1, 0), (0, 2)], border = 'replicate');`,
		`y = slice(x, axes = [1], begin = [0], end = [1]) + 0.5 * x;`,
	}
	mixed = map[string]string{ // with what is named
		`y = x / max_reduce(x, axes = [0]);`:        "max_reduce",
		`y = x - mean_reduce(x, axes = [0, 1, 2]);`: "mean_reduce",
		`y = softmax(x, axes = [0]);`:               "softmax",
		`a = reshape(x, shape = [-1, 24]); b = matmul(a, a, transposeB = true); y = matmul(b, a);`:    "matmul",
		`a = transpose(x, axes = [1, 0, 2]); y = reshape(a, shape = [-1, 4, 6]);`:                     "y",
		`y = box(x, size = [3, 1, 1], padding = [(1, 1), (0, 0), (0, 0)], border = 'constant');`:      "box",
		`y = x + slice(x, axes = [0], begin = [0], end = [1]);`:                                       "slice",
		`y = reshape(transpose(reshape(x, shape = [-1, 24]), axes = [1, 0]), shape = [-1, 4, 6]);`:    "y",
		`y = local_response_normalization(x, size = [3, 1, 1], alpha = 1.0, beta = 0.5, bias = 1.0);`: "local_response_normalization",
	}
)

func document(body string) string {
	return "extension KHR_enable_operator_expressions;\ngraph net( x ) -> ( y )\n{\n    x = external(shape = [0, 4, 6]);\n    " + body + "\n}"
}

// TestProof holds what is proved against runs, and names what mixes samples.
func TestProof(t *testing.T) {
	x := op.NewRand(3, 1).Uniform(tensor.Float32, tensor.Shape{5, 4, 6}, -1, 1)
	for _, body := range together {
		m := open(t, document(body))
		programs := model.NewPrograms(m, engine.Options{Threads: 1}, 0)
		b, err := samples.New(m, programs, nil)
		if err != nil {
			t.Errorf("%s\n%v", body, err)
			continue
		}
		s, err := b.Session(5)
		if err != nil {
			t.Errorf("%s\n%v", body, err)
			continue
		}
		if err := errors.Join(s.Put(0, 0, x), s.Run(t.Context())); err != nil {
			t.Fatal(err)
		}
		for k := range 5 {
			one, _ := x.Slice(0, k, k+1, 1)
			want, err := programs.Run(t.Context(), model.Values{"x": one})
			if err != nil {
				t.Fatal(err)
			}
			got, _ := tensor.New(tensor.Float32, b.Outputs()[0].Type.Shape)
			if err := s.Take(0, k, got); err != nil || !bytes.Equal(got.Bytes(), want["y"].Bytes()) {
				t.Errorf("%s\nsample %d is not what it is alone (%v)", body, k, err)
			}
		}
		programs.Close()
	}
	for body, name := range mixed {
		m := open(t, document(body))
		programs := model.NewPrograms(m, engine.Options{Threads: 1}, 0)
		_, err := samples.New(m, programs, nil)
		if own := (*samples.MixedError)(nil); !errors.As(err, &own) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s\ngot %v; want one that names %s", body, err, name)
		}
		programs.Close()
	}
}
