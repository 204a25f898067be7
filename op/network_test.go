package op_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

var networks = []struct {
	def    *op.Def
	states int
}{{def("lstm"), 2}, {def("gru"), 1}, {def("rnn"), 1}}

// TestLengths compares each batch item with a run of its own steps alone.
func TestLengths(t *testing.T) {
	for _, net := range networks {
		for seed := range uint64(100) {
			r := op.NewRand(seed, 5)
			c := net.def.Further(r)
			out := evaluated(net.def, c)
			checkPieces(t, net.def, c, out, r)
			steps, lengths := c.In[0].Shape()[0], tensor.Data[int64](must(tensor.Cast(c.In[len(c.In)-1], tensor.Int64)))
			for item, n := range lengths {
				want := op.Case{In: slices.Clone(c.In), Attrs: c.Attrs.With("steps", int(n))}
				want.In[len(want.In)-1] = nil
				for i, x := range want.In { // the operands that have a batch
					if o := net.def.In[i].Name; x != nil && (o == "input" || o == "initial_hidden_state" || o == "initial_cell_state") {
						want.In[i] = must(x.Slice(1, item, item+1, 1))
					}
				}
				if n == 0 {
					continue
				}
				want.In[0] = must(want.In[0].Slice(0, 0, int(n), 1))
				for k, w := range evaluated(net.def, want) {
					got := out[k]
					if k == net.states { // the sequence
						rest := must(must(got.Slice(0, int(n), steps, 1)).Slice(2, item, item+1, 1))
						if slices.ContainsFunc(floats(rest), func(v float32) bool { return math.Float32bits(v) != 0 }) {
							t.Fatalf("%s, seed %d: the sequence of %d steps goes on: %v", net.def.Name, seed, n, floats(rest))
						}
						got = must(must(got.Slice(0, 0, int(n), 1)).Slice(2, item, item+1, 1))
					} else {
						got = must(got.Slice(1, item, item+1, 1))
					}
					if string(got.Contiguous().Bytes()) != string(w.Bytes()) {
						t.Fatalf("%s, seed %d, item %d of %d steps: result %d is %v, want %v", net.def.Name, seed, item, n, k, floats(got), floats(w))
					}
				}
			}
		}
	}
}

// TestGateFunctions has the value of each function, with its own parameters and others.
func TestGateFunctions(t *testing.T) {
	const a, b = 0.5, 0.25
	x := []float32{-2, -0.25, 0, 0.75, 3}
	defaults := map[string][2]float64{ // of ONNX
		"affine": {1, 0}, "leaky_relu": {0.01, 0}, "thresholded_relu": {1, 0}, "scaled_tanh": {1, 1}, "hard_sigmoid": {0.2, 0.5}, "elu": {1, 0},
	}
	for name, f := range map[string]func(x, a, b float64) float64{
		"relu":             func(x, _, _ float64) float64 { return max(x, 0) },
		"sigmoid":          func(x, _, _ float64) float64 { return 1 / (1 + math.Exp(-x)) },
		"tanh":             func(x, _, _ float64) float64 { return math.Tanh(x) },
		"affine":           func(x, a, b float64) float64 { return a*x + b },
		"leaky_relu":       func(x, a, _ float64) float64 { return max(x, 0) + a*min(x, 0) },
		"thresholded_relu": func(x, a, _ float64) float64 { return map[bool]float64{true: x}[x >= a] },
		"scaled_tanh":      func(x, a, b float64) float64 { return a * math.Tanh(b*x) },
		"hard_sigmoid":     func(x, a, b float64) float64 { return max(0, min(1, a*x+b)) },
		"elu":              func(x, a, _ float64) float64 { return max(x, 0) + a*math.Expm1(min(x, 0)) },
		"softsign":         func(x, _, _ float64) float64 { return x / (1 + math.Abs(x)) },
		"softplus":         func(x, _, _ float64) float64 { return math.Log1p(math.Exp(x)) },
	} {
		g := defaults[name]
		if got := op.GateParameters(name); !slices.Contains(op.GateNames, name) || !slices.Equal(got, g[:len(got)]) || len(got) == 0 && g != [2]float64{} {
			t.Errorf("the parameters of %s are %v, want %v", name, got, g)
		}
		for _, given := range []bool{false, true} {
			attrs := graph.Attrs{with("steps", 1), with("hidden_size", 1), with("activations", []string{name}), with("clip", 2.5)}
			alpha, beta := g[0], g[1]
			if given {
				alpha, beta = a, b
				attrs = append(attrs, with("activation_alpha", []float64{a}), with("activation_beta", []float64{b}))
			}
			one, zero := shaped(tensor.Shape{1, 1, 1}, 1), shaped(tensor.Shape{1, 1, 1}, 0)
			for i, y := range apply[float32](t, "rnn", attrs, shaped(tensor.Shape{1, len(x), 1}, x...), one, zero) {
				if want := f(max(-2.5, min(2.5, float64(x[i]))), alpha, beta); math.Abs(float64(y)-want) > 1e-6 {
					t.Errorf("%s(%v), parameters given %v: %v, want %v", name, x[i], given, y, want)
				}
			}
		}
	}
	if got := op.GateParameters("none"); len(got) > 0 {
		t.Errorf("a function that there is not has parameters %v", got)
	}
}

// TestDirections compares both directions, with functions of their own, with one after the other.
func TestDirections(t *testing.T) {
	for _, net := range networks {
		r := op.NewRand(7, 4)
		x, n, gates := r.Tensor(tensor.Float32, tensor.Shape{4, 2, 3}), 2, map[*op.Def]int{def("lstm"): 4, def("gru"): 3, def("rnn"): 1}[net.def]
		w, u := r.Tensor(tensor.Float32, tensor.Shape{2, gates * n, 3}), r.Tensor(tensor.Float32, tensor.Shape{2, gates * n, n})
		functions := [][]string{{"hard_sigmoid", "softsign", "elu"}, {"sigmoid", "scaled_tanh", "affine"}}
		k := map[*op.Def]int{def("lstm"): 3, def("gru"): 2, def("rnn"): 1}[net.def]
		attrs := graph.Attrs{with("steps", 4), with("hidden_size", n)}
		both := evaluated(net.def, op.Case{In: []*tensor.Tensor{x, w, u},
			Attrs: append(slices.Clone(attrs), with("direction", "both"), with("activations", slices.Concat(functions[0][:k], functions[1][:k])))})
		for dir := range 2 {
			part := func(x *tensor.Tensor) *tensor.Tensor { return must(x.Slice(0, dir, dir+1, 1)) }
			one := evaluated(net.def, op.Case{In: []*tensor.Tensor{x, part(w), part(u)},
				Attrs: append(slices.Clone(attrs), with("direction", []string{"forward", "backward"}[dir]), with("activations", functions[dir][:k]))})
			if got := part(both[0]).Contiguous(); string(got.Bytes()) != string(one[0].Bytes()) {
				t.Errorf("%s, direction %d: %v, want %v", net.def.Name, dir, floats(got), floats(one[0]))
			}
		}
	}
}

// TestLSTMOptions follows one step with peepholes in float64.
func TestLSTMOptions(t *testing.T) {
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	const x, h, c = 0.5, -0.25, 0.75
	w, u, p := []float32{0.1, 0.2, 0.3, 0.4}, []float32{-0.5, 0.25, 0.75, -1}, []float32{0.5, -0.75, 0.25}
	for _, after := range []bool{false, true} {
		for _, coupled := range []bool{false, true} {
			sum := func(k int, peephole float64) float64 { return x*float64(w[k]) + h*float64(u[k]) + peephole }
			i, f := sigmoid(sum(0, c*float64(p[0]))), sigmoid(sum(2, c*float64(p[2])))
			if coupled {
				f = 1 - i
			}
			cell := f*c + i*math.Tanh(sum(3, 0))
			seen := c
			if after {
				seen = cell
			}
			hidden := sigmoid(sum(1, seen*float64(p[1]))) * math.Tanh(cell)
			scalar := func(v float32) *tensor.Tensor { return shaped(tensor.Shape{1, 1, 1}, v) }
			attrs := graph.Attrs{with("steps", 1), with("hidden_size", 1), with("coupled", coupled),
				with("peephole_output", map[bool]string{false: "before", true: "after"}[after])}
			out := evaluated(def("lstm"), op.Case{In: []*tensor.Tensor{scalar(x), shaped(tensor.Shape{1, 4, 1}, w...), shaped(tensor.Shape{1, 4, 1}, u...),
				nil, nil, shaped(tensor.Shape{1, 3}, p...), scalar(h), scalar(c)}, Attrs: attrs})
			if got := fmt.Sprintf("%.6f %.6f", floats(out[0])[0], floats(out[1])[0]); got != fmt.Sprintf("%.6f %.6f", hidden, cell) {
				t.Errorf("%v: %s, want %v, %v", attrs, got, hidden, cell)
			}
		}
	}
}
