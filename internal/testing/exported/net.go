package exported

import (
	"fmt"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Net is a graph that a test builds. What goes wrong ends the test.
type Net struct {
	T testing.TB
	B *graph.Builder
}

// NewNet begins a graph.
func NewNet(t testing.TB, name string) *Net { return &Net{t, graph.NewBuilder(op.Rules, name)} }

// Must returns a value that there is.
func (n *Net) Must(v *graph.Value, err error) *graph.Value {
	n.T.Helper()
	n.Check(err)
	return v
}

// Check ends the test if there is an error.
func (n *Net) Check(err error) {
	n.T.Helper()
	if err != nil {
		n.T.Fatal(err)
	}
}

// Input adds an input.
func (n *Net) Input(name string, d tensor.DType, shape ...int) *graph.Value {
	n.T.Helper()
	return n.Must(n.B.Input(name, graph.Type{DType: d, Shape: shape}))
}

// Constant adds a constant, whose name may be empty.
func (n *Net) Constant(name string, x *tensor.Tensor) *graph.Value {
	n.T.Helper()
	return n.Must(n.B.Constant(name, "", x))
}

// Node applies an operator that has one result.
func (n *Net) Node(name string, attrs graph.Attrs, in ...*graph.Value) *graph.Value {
	n.T.Helper()
	return n.Labelled("", name, attrs, in...)
}

// Labelled is [Net.Node] with a label.
func (n *Net) Labelled(label, name string, attrs graph.Attrs, in ...*graph.Value) *graph.Value {
	n.T.Helper()
	return n.Must(n.B.One(name, in, attrs, label))
}

// Output adds an output, and returns the graph in the making.
func (n *Net) Output(name string, v *graph.Value) *Net {
	n.T.Helper()
	n.Check(n.B.Output(name, v))
	return n
}

// Graph ends the graph, with further outputs y0, y1 and so on.
func (n *Net) Graph(outputs ...*graph.Value) *graph.Graph {
	n.T.Helper()
	for i, v := range outputs {
		n.Output(fmt.Sprint("y", i), v)
	}
	g, err := n.B.Build()
	n.Check(err)
	return g
}

// Inputs draws inputs of a graph.
func Inputs(g *graph.Graph, seed uint64) map[string]*tensor.Tensor {
	r := op.NewRand(seed, 4)
	in := make(map[string]*tensor.Tensor)
	for _, v := range g.Inputs {
		in[v.Name] = r.Tensor(v.Type.DType, v.Type.Shape)
	}
	return in
}

// Run returns what the engine makes of inputs. Those that the graph lacks are left aside, and elements become what it has: in WebNN truth is uint8.
func Run(t testing.TB, g *graph.Graph, inputs map[string]*tensor.Tensor) map[string]*tensor.Tensor {
	t.Helper()
	out, err := try(t, g, inputs)
	if err != nil {
		t.Fatalf("%v\n%s", err, graph.Text(g, op.Rules))
	}
	return out
}

func try(t testing.TB, g *graph.Graph, inputs map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	t.Helper()
	p, err := engine.Compile(g, engine.Options{Threads: 1})
	if err != nil {
		return nil, err
	}
	defer p.Close()
	in := make(map[string]*tensor.Tensor)
	for _, v := range g.Inputs {
		if in[v.Name], err = tensor.Cast(inputs[v.Name], v.Type.DType); err != nil {
			return nil, err
		}
	}
	return p.Run(t.Context(), in)
}

// Same holds what a graph computes to what another one does, to the bit.
func Same(t testing.TB, got, want *graph.Graph, inputs map[string]*tensor.Tensor) {
	t.Helper()
	a, b := Run(t, got, inputs), Run(t, want, inputs)
	if len(a) != len(b) {
		t.Fatalf("there are %d outputs; there must be %d", len(a), len(b))
	}
	for name, w := range b {
		if !Bits(a[name], w) {
			t.Errorf("output %s is %v; want %v", name, a[name], w)
		}
	}
}

// Bits reports whether two tensors have the same shape and bits.
func Bits(got, want *tensor.Tensor) bool {
	return got != nil && got.Shape().Equal(want.Shape()) && string(got.Contiguous().Bytes()) == string(want.Contiguous().Bytes())
}
