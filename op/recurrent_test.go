package op_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// row returns row i of a matrix of n columns, nil of an absent one.
func row(x *tensor.Tensor, i, n int) []float32 {
	if x == nil {
		return nil
	}
	return tensor.Data[float32](x)[i*n : (i+1)*n]
}

// gateSum is (b + rb) + (x·Wᵀ + h·Rᵀ) for one row, in float64: what the rounded sum must be near.
func gateSum(w, r, x, h, b, rb []float32, j int) float64 {
	sum := 0.0
	for i, v := range x {
		sum += float64(v) * float64(w[j*len(x)+i])
	}
	for i, v := range h {
		sum += float64(v) * float64(r[j*len(h)+i])
	}
	if b != nil {
		sum += float64(b[j])
	}
	if rb != nil {
		sum += float64(rb[j])
	}
	return sum
}

func apply64(name string, x float64) float64 {
	switch name {
	case "relu":
		return max(x, 0)
	case "tanh":
		return math.Tanh(x)
	}
	return 1 / (1 + math.Exp(-x))
}

// TestCells compares generated cases with WebNN's formulas in float64: what the results are for element j of a state of n elements, given input and state
// of an item, the other operands, the functions, and where a gate begins.
func TestCells(t *testing.T) {
	for name, formulas := range map[string]func(c op.Case, item, j, n int, x, h []float32, all func(i int) []float32, f []string, at func(gate byte) int) []float64{
		"lstm_cell": func(c op.Case, item, j, n int, x, h []float32, all func(i int) []float32, f []string, at func(gate byte) int) []float64 {
			cell := float64(row(c.In[4], item, n)[j])
			gate := func(name byte, peephole int) float64 {
				sum := gateSum(all(1), all(2), x, h, all(5), all(6), at(name)+j)
				if p := all(7); p != nil && peephole >= 0 {
					sum += cell * float64(p[peephole*n+j])
				}
				if name == 'g' {
					return apply64(f[1], sum)
				}
				return apply64(f[0], sum)
			}
			next := gate('f', 2)*cell + gate('i', 0)*gate('g', -1)
			return []float64{gate('o', 1) * apply64(f[2], next), next}
		},
		"gru_cell": func(c op.Case, _, j, n int, x, h []float32, all func(i int) []float32, f []string, at func(gate byte) int) []float64 {
			gate := func(name byte, j int) float64 {
				return apply64(f[0], gateSum(all(1), all(2), x, h, all(4), all(5), at(name)+j))
			}
			k := at('n') + j
			var sum float64
			if c.Attrs.Bool("reset_after") {
				sum = gateSum(all(1), nil, x, nil, all(4), nil, k) + gate('r', j)*gateSum(nil, all(2), nil, h, nil, all(5), k)
			} else {
				sum = gateSum(all(1), nil, x, nil, all(4), all(5), k)
				for l, v := range h {
					sum += gate('r', l) * float64(v) * float64(all(2)[k*n+l])
				}
			}
			z := gate('z', j)
			return []float64{z*float64(h[j]) + apply64(f[1], sum)*(1-z)}
		},
	} {
		for seed := range uint64(100) {
			c := def(name).Generate(op.NewRand(seed, 6))
			if c.In[0].DType() != tensor.Float32 {
				continue
			}
			out, n := evaluated(def(name), c), c.Attrs.Int("hidden_size")
			at := func(gate byte) int { return strings.IndexByte(c.Attrs.String("layout"), gate) * n }
			all := func(i int) []float32 {
				if c.In[i] == nil {
					return nil
				}
				return tensor.Data[float32](c.In[i])
			}
			for i := range out[0].Len() {
				item, j := i/n, i%n
				x, h := row(c.In[0], item, c.In[0].Shape()[1]), row(c.In[3], item, n)
				for k, want := range formulas(c, item, j, n, x, h, all, c.Attrs.Strings("activations"), at) {
					if got := float64(tensor.Data[float32](out[k])[i]); math.Abs(got-want) > 1e-5*max(1, math.Abs(want)) {
						t.Fatalf("%s, seed %d, %v: result %d, element %d is %v, want about %v", name, seed, c.Attrs, k, i, got, want)
					}
				}
			}
		}
	}
}

// TestSequenceIsCells runs a network over a sequence, and its cell step by step: the bits are the same.
func TestSequenceIsCells(t *testing.T) {
	for _, net := range []struct {
		def, cell   *op.Def
		first, last int // the operands of the network from the biases to the initial states
		states      int
	}{{def("lstm"), def("lstm_cell"), 3, 6, 2}, {def("gru"), def("gru_cell"), 3, 5, 1}} {
		for seed := range uint64(60) {
			c := net.def.Generate(op.NewRand(seed, 5))
			if c.In[0].DType() != tensor.Float32 {
				continue
			}
			attrs := c.Attrs.With("return_sequence", true)
			out, err := op.Eval(net.def, c.In, attrs)
			if err != nil {
				t.Fatal(err)
			}
			sequence := out[net.states]
			var cellAttrs graph.Attrs
			for _, a := range attrs {
				if !slices.Contains([]string{"steps", "direction", "return_sequence"}, a.Name) {
					cellAttrs = append(cellAttrs, a)
				}
			}
			steps := c.In[0].Shape()[0]
			for dir := range sequence.Shape()[1] {
				at := func(x *tensor.Tensor, i int) *tensor.Tensor {
					if x == nil {
						return nil
					}
					return must(must(x.Slice(0, i, i+1, 1)).Reshape(x.Shape()[1:]...))
				}
				states := make([]*tensor.Tensor, net.states)
				for k := range states {
					if states[k] = at(c.In[net.last+k], dir); states[k] == nil {
						states[k] = must(tensor.New(tensor.Float32, out[0].Shape()[1:]))
					}
				}
				for step := range steps {
					now := step
					if dir == 1 || attrs.String("direction") == "backward" {
						now = steps - 1 - step
					}
					in := []*tensor.Tensor{at(c.In[0], now), at(c.In[1], dir), at(c.In[2], dir)}
					in = append(in, states...)
					for _, x := range c.In[net.first:net.last] {
						in = append(in, at(x, dir))
					}
					if states, err = op.Eval(net.cell, in, cellAttrs); err != nil {
						t.Fatal(err)
					}
					what := fmt.Sprintf("%s, seed %d, direction %d, step %d", net.def.Name, seed, dir, now)
					if string(at(at(sequence, now), dir).Bytes()) != string(states[0].Bytes()) {
						t.Fatalf("%s: the sequence is not what the cell returns", what)
					}
				}
				for k, state := range states {
					if string(at(out[k], dir).Bytes()) != string(state.Bytes()) {
						t.Fatalf("%s, seed %d, direction %d: state %d is not what the cell returns", net.def.Name, seed, dir, k)
					}
				}
			}
		}
	}
}

func TestRecurrentRejects(t *testing.T) {
	for _, d := range defs(func(d *op.Def) bool {
		return slices.ContainsFunc(d.Attrs, func(a op.Attr) bool { return a.Name == "hidden_size" })
	}) {
		c := d.Generate(op.NewRand(2, 4))
		for _, wrong := range []graph.Attr{
			{Name: "hidden_size", Value: c.Attrs.Int("hidden_size") + 1},
			{Name: "hidden_size", Value: 0},
			{Name: "hidden_size", Value: math.MaxInt},
			{Name: "activations", Value: []string{}},
			{Name: "activations", Value: []string{"tanh", "tanh", "cos"}},
			{Name: "layout", Value: "gofi"},
		} {
			if _, err := op.Eval(d, c.In, c.Attrs.With(wrong.Name, wrong.Value)); err == nil {
				t.Errorf("%s accepts %v", d.Name, wrong)
			}
		}
		if c.Attrs.Get("steps") != nil {
			if _, err := op.Eval(d, c.In, c.Attrs.With("steps", c.Attrs.Int("steps")+1)); err == nil {
				t.Errorf("%s accepts another number of steps than the input has", d.Name)
			}
		}
		in := slices.Clone(c.In)
		in[2] = must(tensor.New(in[1].DType(), in[1].Shape()[:1]))
		if _, err := op.Eval(d, in, c.Attrs); err == nil {
			t.Errorf("%s accepts recurrent weights of shape %v", d.Name, in[2])
		}
	}
}
