package nnef_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// storedTensors returns the function that finds the tensors of a printed graph's variables.
func storedTensors(g *graph.Graph) func(label string) (*tensor.Tensor, error) {
	byLabel := make(map[string]*tensor.Tensor)
	for _, s := range graph.Storages(g, op.Rules) {
		byLabel[s.Label] = s.Value.Const
	}
	for _, s := range g.States {
		byLabel[graph.StorageLabel(s.Value)] = s.Init
	}
	return func(label string) (*tensor.Tensor, error) {
		if t := byLabel[label]; t != nil {
			return t, nil
		}
		return nil, fmt.Errorf("there is no variable %s", label)
	}
}

// checkRoundTrip holds the text of a graph to being read as a graph of the same text.
func checkRoundTrip(t *testing.T, g *graph.Graph) *graph.Graph {
	t.Helper()
	text := graph.Text(g, op.Rules)
	back, err := nnef.Parse("text", []byte(text), nnef.Options{Variables: storedTensors(g)})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if err := graph.Verify(back, op.Rules); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if again := graph.Text(back, op.Rules); again != text {
		t.Fatalf("got\n%s\nwant\n%s", again, text)
	}
	return back
}

// opGraph returns a graph that applies an operator to operands, of which some are inputs, some constants and some
// states.
func opGraph(t *testing.T, d *op.Def, c op.Case, r *rand.Rand) *graph.Graph {
	t.Helper()
	b := graph.NewBuilder(op.Rules, d.Name)
	in := make([]*graph.Value, len(c.In))
	for i, x := range c.In {
		if x == nil {
			continue
		}
		var err error
		name := []string{"x", "a/b:0", "in put", "const1", "y"}[r.IntN(5)]
		switch x = x.Contiguous(); r.IntN(4) {
		case 0:
			in[i], err = b.Constant(name, []string{"", "weights/" + strconv.Itoa(i)}[r.IntN(2)], x)
		case 1:
			if in[i], err = b.State(name, "", x); err == nil {
				err = b.Update(in[i], in[i])
			}
		default:
			in[i], err = b.Input(fmt.Sprint(name, i), graph.TypeOf(x))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	out, err := b.Add(graph.Node{Op: d.Name, In: in, Attrs: c.Attrs, Blocks: c.Blocks})
	if err != nil {
		t.Fatal(err)
	}
	if i := r.IntN(max(len(in), 1)); len(in) > 0 && in[i] != nil && r.IntN(3) == 0 {
		out = append(out, in[i]) // an output that no node yields
	}
	for i, v := range out {
		if err := b.Output([]string{"y", "out/", "x", "const"}[r.IntN(4)]+strconv.Itoa(i), v); err != nil {
			t.Fatal(err)
		}
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestTextOfEveryOperator holds graphs of every operator to surviving printing and reading.
func TestTextOfEveryOperator(t *testing.T) {
	cases := testdata.Cases(6, 60)
	for _, d := range op.All() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			for seed := range cases {
				c := d.Draw(op.NewRand(uint64(seed), 1+seed*5/cases))
				checkRoundTrip(t, opGraph(t, d, c, rand.New(rand.NewPCG(uint64(seed), 1))))
			}
		})
	}
}

// TestStandardText leaves out what is as the standard has it anyway.
func TestStandardText(t *testing.T) {
	g, err := nnef.Parse("net", []byte(document("x = external(shape = [2, 3]);\nz = softmax(x, axes = [1]);\ny = softmax(z, axes = [0]);\n")), nnef.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := nnef.Write(&b, g); err != nil || !strings.Contains(b.String(), "z = softmax(x);") || !strings.Contains(b.String(), "y = softmax(z, axes = [0]);") {
		t.Errorf("%v\n%s", err, &b)
	}
}

// TestSymbols makes graphs of a document with an extent that is a symbol.
func TestSymbols(t *testing.T) {
	const text = `version 1.0;

extension concord_operators;
extension concord_symbol N;
extension concord_type x float16;
extension concord_name x 'the input';

graph g( x ) -> ( y )
{
    x = external<scalar>(shape = [N, 3]);
    y = relu(x);
}
`
	f, err := nnef.OpenText("g.nnef", []byte(text), nnef.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := f.Network()
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(m.Inputs()); got != "[the input: float16[N,3]]" {
		t.Errorf("the inputs are %s", got)
	}
	var open *model.OpenError
	if _, err := m.Graph(nil); !errors.As(err, &open) {
		t.Errorf("without a shape: got %v", err)
	}
	for _, n := range []int{2, 5} {
		g, err := m.Graph(model.Shapes{"the input": {n, 3}})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := g.Outputs[0].Value.Type, (graph.Type{DType: tensor.Float16, Shape: tensor.Shape{n, 3}}); !got.Equal(want) {
			t.Errorf("the output is %v; want %v", got, want)
		}
	}
	if _, err := f.Model(); err == nil || !strings.Contains(err.Error(), "the extent N is not given") {
		t.Errorf("the graph of the document alone: got %v", err)
	}
}
