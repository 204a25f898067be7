package wasm_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/evaluate"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// compare checks a network against the references, bit by bit.
func (n *network) compare(seed uint64, outputs ...*graph.Value) {
	n.t.Helper()
	for i, v := range outputs {
		if err := n.Output(fmt.Sprint("out", i), v); err != nil {
			n.t.Fatal(err)
		}
	}
	g, err := n.Build()
	if err != nil {
		n.t.Fatal(err)
	}
	want, err := op.NewInterpreter(g).RunNamed(n.t.Context(), n.inputs)
	if err != nil {
		n.t.Fatal(err)
	}
	e, _ := evaluate.Find("wasm")
	w, err := e.Open(g, evaluate.Options{})
	if err != nil {
		n.t.Fatalf("seed %d: %v", seed, err)
	}
	defer w.Close()
	got, err := evaluate.Run(n.t.Context(), w, g, n.inputs)
	if err != nil {
		n.t.Fatalf("seed %d: %v", seed, err)
	}
	for name, y := range want {
		if z := got[name]; !bytes.Equal(tensor.Raw(y), tensor.Raw(z)) {
			var text bytes.Buffer
			a, b := tensor.Raw(y), tensor.Raw(z)
			for i := range a {
				if a[i] != b[i] {
					fmt.Fprintf(&text, "byte %d is %x; want %x\n", i, b[i&^3:min(i&^3+8, len(b))], a[i&^3:min(i&^3+8, len(a))])
					break
				}
			}
			_ = graph.Print(&text, g, op.Rules)
			n.t.Fatalf("seed %d: %s is %v; want %v\n%s", seed, name, z, y, &text)
		}
	}
}

func newNetwork(t *testing.T, seed uint64) *network {
	return &network{Builder: graph.NewBuilder(op.Rules, "net"), Rand: op.NewRand(seed, 1), t: t, inputs: make(map[string]*tensor.Tensor)}
}

// element adds an element-wise operator, of which one operand is given and others broadcast to its shape.
func (n *network) element(x *graph.Value) *graph.Value {
	shape := x.Type.Shape
	if n.IntN(8) == 0 {
		return n.normalization(x, n.IntN(len(shape)))
	}
	if n.IntN(2) == 0 {
		name := op.Pick(n.Rand, []string{"exp", "log", "tanh", "erf", "sigmoid", "gelu", "silu", "softplus", "elu", "leaky_relu", "hard_swish", "hard_sigmoid",
			"sqrt", "rsqrt", "sin", "cos", "log2", "sign", "floor", "round", "rcp", "softsign", "atan", "sinh", "asin"})
		return n.node(name, nil, x)
	}
	other := make([]int, len(shape))
	for i, extent := range shape {
		other[i] = op.Pick(n.Rand, []int{1, extent})
	}
	y := n.constant(other...)
	if n.Bool() {
		y = n.input(other...)
	}
	name := op.Pick(n.Rand, []string{"add", "sub", "mul", "div", "max", "min", "pow", "prelu"})
	if n.Bool() || name == "prelu" {
		return n.node(name, nil, x, y)
	}
	return n.node(name, nil, y, x)
}

// TestElements compares rows of element-wise operators with the references, for numbers of all kinds and operands that broadcast.
func TestElements(t *testing.T) {
	for seed := range uint64(testdata.Cases(20, 2000)) {
		n := newNetwork(t, seed)
		shape := op.Pick(n.Rand, [][]int{{n.Between(1, 5000)}, {n.Between(1, 7), n.Between(1, 40)}, {2, n.Between(1, 20), n.Between(1, 9), n.Between(1, 30)}, {n.Between(1, 40), 16}})
		x := n.input(shape...)
		if len(shape) == 4 && n.Bool() {
			x = n.convolution(x)
		}
		for range n.Between(1, 5) {
			x = n.element(x)
		}
		y := n.node(op.Pick(n.Rand, []string{"lt", "ge", "ne"}), nil, x, n.constant())
		n.compare(seed, n.node("neg", nil, x), y)
	}
}

// TestGroups compares what works on rows and columns with the references.
func TestGroups(t *testing.T) {
	names := []string{"softmax", "layer_normalization", "rms_normalization", "instance_normalization", "sum_reduce", "mean_reduce", "max_reduce", "min_reduce",
		"product_reduce", "l1_reduce", "l2_reduce", "sum_square_reduce"}
	for seed := range uint64(testdata.Cases(30, 3000)) {
		n := newNetwork(t, seed)
		shape := []int{n.Between(1, 3), n.Between(1, 40), n.Between(1, 6), n.Between(1, 40)}
		x := n.input(shape...)
		first := n.IntN(4)
		last := n.Between(first+1, 4)
		name := names[seed%uint64(len(names))]
		var axes, extents []int
		if name == "layer_normalization" || name == "rms_normalization" {
			last = 4
		}
		for d := first; d < last; d++ {
			axes, extents = append(axes, d), append(extents, shape[d])
		}
		attrs := graph.AttrsOf("axes", axes)
		switch name {
		case "softmax":
			x = n.node(name, attrs, x)
		case "layer_normalization":
			x = n.node(name, attrs, x, n.constant(extents...), op.Pick(n.Rand, []*graph.Value{nil, n.input(extents...)}))
		case "rms_normalization":
			x = n.node(name, attrs, x, n.constant(extents...))
		case "instance_normalization":
			x = n.node(name, nil, x, op.Pick(n.Rand, []*graph.Value{nil, n.constant(shape[1])}), n.constant(shape[1]))
		default:
			x = n.node(name, attrs, x)
		}
		n.compare(seed, x)
	}
}

// TestRecurrent compares recurrent networks with the references.
func TestRecurrent(t *testing.T) {
	for seed := range uint64(testdata.Cases(12, 1000)) {
		n := newNetwork(t, seed)
		n.tame = true
		steps, batch, inputs, hidden := op.Pick(n.Rand, []int{1, n.Between(2, 10), n.Between(60, 140)}), n.Between(1, 3), n.Between(1, 12), n.Between(1, 20)
		direction, dirs := op.Pick(n.Rand, []string{"forward", "backward", "both"}), 1
		if direction == "both" {
			dirs = 2
		}
		gates, states, name := 4, 2, "lstm"
		attrs := graph.AttrsOf("steps", steps, "hidden_size", hidden, "direction", direction, "return_sequence", n.Bool())
		switch n.IntN(3) {
		case 0:
			gates, states, name = 3, 1, "gru"
			attrs = append(attrs, graph.Attr{Name: "reset_after", Value: n.Bool()}, graph.Attr{Name: "layout", Value: op.Pick(n.Rand, []string{"zrn", "rzn"})})
		case 1:
			gates, states, name = 1, 1, "rnn"
			attrs = append(attrs, graph.Attr{Name: "activations", Value: []string{op.Pick(n.Rand, []string{"tanh", "relu", "sigmoid"})}})
		default:
			attrs = append(attrs, graph.Attr{Name: "layout", Value: op.Pick(n.Rand, []string{"iofg", "ifgo"})})
		}
		in := []*graph.Value{n.input(steps, batch, inputs), n.constant(dirs, gates*hidden, inputs), n.constant(dirs, gates*hidden, hidden), nil, nil}
		for i := range 2 {
			if n.Bool() {
				in[3+i] = n.constant(dirs, gates*hidden)
			}
		}
		if states == 2 {
			in = append(in, nil)
		}
		for range states {
			in = append(in, op.Pick(n.Rand, []*graph.Value{nil, n.input(dirs, batch, hidden)}))
		}
		out, err := n.Add(graph.Node{Op: name, In: in, Attrs: attrs})
		if err != nil {
			t.Fatal(err)
		}
		n.compare(seed, out...)
	}
}
