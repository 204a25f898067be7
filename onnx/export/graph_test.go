package export_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testdata/golden"
	"github.com/concord-nn/concord/internal/testing/exported"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/export"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestNames keeps the names of inputs and outputs, whatever they are, and makes labels the names of nodes and of what is stored.
func TestNames(t *testing.T) {
	m := exported.NewNet(t, "test")
	x := m.Input("a picture / 1", tensor.Float32, 2)
	y := m.Labelled("layer 1/relu", "relu", nil, x)
	one := m.Must(m.B.Constant("w", "layer 2/weights", tensor.Scalar[float32](3)))
	z := m.Labelled("layer 2", "mul", nil, y, one)
	g := m.Output("the result", z).Output("", y).Graph()
	_, err := export.New(g, export.Options{})
	var refused *export.Error
	if !errors.As(err, &refused) || len(refused.Refusals) != 1 || refused.Refusals[0].Reason != "the name of the output is empty" {
		t.Errorf("the error is %v", err)
	}
	g.Outputs = g.Outputs[:1]
	p := written(t, g)
	if in, out := p.Graph.Input[0].Name, p.Graph.Output[0].Name; in != "a picture / 1" || out != "the result" {
		t.Errorf("the input is %q, the output %q", in, out)
	}
	if a, b := p.Graph.Node[0], p.Graph.Node[1]; a.Name != "layer 1/relu" || b.Name != "layer 2" || b.Output[0] != "the result" {
		t.Errorf("the nodes are %v and %v", a, b)
	}
	if w := p.Graph.Initializer[0].Name; w != "layer 2/weights" || p.Graph.Node[1].Input[1] != w {
		t.Errorf("the constant is %q", w)
	}
}

// TestLabels: nodes have names of their own, as some readers want, also where labels are equal.
func TestLabels(t *testing.T) {
	m := exported.NewNet(t, "test")
	x := m.Input("x", tensor.Float32, 2)
	y := m.Labelled("layer", "relu", nil, m.Labelled("layer", "neg", nil, x))
	p := written(t, m.Graph(m.Node("abs", nil, y)))
	if a, b, c := p.Graph.Node[0].Name, p.Graph.Node[1].Name, p.Graph.Node[2].Name; a != "layer" || b != "layer_1" || c != "" {
		t.Errorf("the nodes are %q, %q and %q", a, b, c)
	}
}

// TestOutputs exports outputs that are inputs, constants, one value under two names, and such whose names other values have.
func TestOutputs(t *testing.T) {
	m := exported.NewNet(t, "test")
	x := m.Input("x", tensor.Float32, 2)
	y := m.Node("relu", nil, x)
	m.Output("x", x).Output("same", x).Output("constant", m.Constant("k", tensor.Scalar[float32](3)))
	g := m.Output("k", y).Output("twice", y).Output("relu1", m.Node("neg", nil, y)).Graph()
	in := map[string]*tensor.Tensor{"x": of[float32](-1, 2)}
	want, err := op.NewInterpreter(g).RunNamed(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	got, err := runs(written(t, g), in, engine.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, w := range want {
		if !same(got[name], w) {
			t.Errorf("output %s is %v", name, got[name])
		}
	}
}

func of[T tensor.Element](list ...T) *tensor.Tensor {
	t, err := tensor.FromSlice(list, len(list))
	if err != nil {
		panic(err)
	}
	return t
}

// TestRefusals lists all that cannot be expressed.
func TestRefusals(t *testing.T) {
	m := exported.NewNet(t, "test")
	x := m.Input("x", tensor.Float32, 2)
	m.Input("y", tensor.Float32, 2)
	s := m.Must(m.B.State("memory", "", of[float32](1, 2)))
	sum := m.Node("add", nil, x, s)
	m.Check(m.B.Update(s, sum))
	_, err := export.New(m.Output("y", sum).Graph(), export.Options{})
	want := `graph test cannot be expressed in ONNX:
state (value memory): ONNX keeps no values between runs; make the state an input and its next value an output
output (value y): an input has the name of the output; in ONNX they would be the same value`
	if err == nil || err.Error() != want {
		t.Errorf("the error is %v", err)
	}
}

// TestVersions takes the oldest version that has the element types.
func TestVersions(t *testing.T) {
	for d, want := range map[tensor.DType]int{tensor.Float32: 21, tensor.Int4: 21, tensor.Float8E5M2: 21, tensor.BFloat16: 22, tensor.Float4E2M1: 23,
		tensor.Float8E8M0: 24, tensor.Uint2: 25} {
		m := exported.NewNet(t, "test")
		p := written(t, m.Graph(m.Node("copy", nil, m.Input("x", d, 4))))
		if p.OpsetImport[0].Version != int64(want) || len(p.OpsetImport) != 1 {
			t.Errorf("%v: version %d, %d domains", d, p.OpsetImport[0].Version, len(p.OpsetImport))
		}
	}
}

// TestShared: what is stored shares the memory of constants.
func TestShared(t *testing.T) {
	testdata.LittleEndian(t)
	m := exported.NewNet(t, "test")
	k := of[float32](1, 2, 3)
	p, err := export.New(m.Graph(m.Node("neg", nil, m.Constant("k", k))), export.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if raw := p.Graph.Initializer[0].RawData; &raw[0] != &k.Bytes()[0] {
		t.Error("the elements are copied")
	}
}

// TestNumbers keeps numbers that are no float32, and gives nodes that mean the same one function.
func TestNumbers(t *testing.T) {
	m := exported.NewNet(t, "test")
	x := m.Input("x", tensor.Float32, 2)
	y := m.Node("affine", graph.AttrsOf("alpha", 0.1, "beta", 0.5), x)
	z := m.Node("affine", graph.AttrsOf("alpha", 0.1, "beta", 0.5), y)
	p := written(t, m.Graph(m.Node("affine", graph.AttrsOf("alpha", 0.25), z)))
	if len(p.Functions) != 2 || p.Graph.Node[0].Overload != p.Graph.Node[1].Overload || p.Graph.Node[2].Overload == p.Graph.Node[1].Overload {
		t.Errorf("there are %d functions", len(p.Functions))
	}
	if a := p.Graph.Node[0].Attribute; a[0].Type != proto.AttributeTensor || a[1].Type != proto.AttributeFloat {
		t.Errorf("the attributes are %v and %v", a[0], a[1])
	}
	f, err := onnx.New(p)
	if err != nil {
		t.Fatal(err)
	}
	n, err := f.Network()
	if err != nil {
		t.Fatal(err)
	}
	g, err := n.Graph(nil)
	if err != nil {
		t.Fatal(err)
	}
	if alpha := g.Nodes[0].Attrs.Float("alpha"); g.Nodes[0].Op != "affine" || alpha != 0.1 {
		t.Errorf("%s with alpha = %v comes back", g.Nodes[0].Op, alpha)
	}
}

// TestCodes: a quantization that package onnx would make one of integers stays one of floats.
func TestCodes(t *testing.T) {
	m := exported.NewNet(t, "test")
	constant := func(x *tensor.Tensor) *graph.Value { return m.Constant("", x) }
	scale, zero := constant(tensor.Scalar[float32](0.3)), constant(tensor.Scalar[uint8](3))
	codes := m.Node("quantize_linear", nil, m.Input("x", tensor.Float32, 5), scale, zero)
	y := m.Node("add", nil, m.Node("dequantize_linear", nil, codes, scale, zero), constant(tensor.Scalar[float32](0.17)))
	g := m.Graph(m.Node("quantize_linear", nil, m.Node("relu", nil, y), constant(tensor.Scalar[float32](0.21)), zero))
	if got := nodes(written(t, g)); got != "QuantizeLinear, DequantizeLinear, Add, Relu, own" {
		t.Errorf("it becomes %s", got)
	}
}

// TestSameBytes: equal graphs give equal bytes.
func TestSameBytes(t *testing.T) {
	g, err := nnef.Parse("net", []byte(testdata.NetworkText(3)), nnef.Options{})
	if err != nil {
		t.Skip(err) // it has variables
	}
	var first []byte
	for range 3 {
		p, err := export.New(g, export.Options{})
		if err != nil {
			t.Fatal(err)
		}
		data, err := proto.Encode(p)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = data
		}
		if !bytes.Equal(data, first) {
			t.Fatal("the bytes differ")
		}
	}
}

// TestHuge makes no function, and not for long, of what would take memory without measure.
func TestHuge(t *testing.T) {
	testdata.Wide(t)
	const huge = 1 << 30
	for _, c := range []struct {
		op    string
		shape []int
		attrs graph.Attrs
	}{
		{"box", []int{4}, graph.AttrsOf("size", []int{huge}, "padding", []int{huge, huge}, "border", "ignore", "normalize", true)},
		{"max_pool", []int{4, 4, 4}, graph.AttrsOf("size", []int{1 << 15, 1 << 15, 1}, "padding", []int{huge, 0, 1 << 15, 0, 0, 0}, "border", "reflect")},
		{"argmax_pool", []int{4, 4, 4}, graph.AttrsOf("size", []int{1 << 10, 1 << 10, 1 << 10}, "border", "reflect",
			"padding", []int{1 << 10, 0, 1 << 10, 0, 1 << 10, 0})},
		{"pad", []int{4}, graph.AttrsOf("padding", []int{huge, huge}, "border", "reflect-even")},
		{"debox", []int{1 << 20}, graph.AttrsOf("size", []int{huge}, "padding", []int{0, 0}, "normalize", true, "border", "ignore")},
	} {
		m := exported.NewNet(t, "test")
		g := m.Graph(m.Node(c.op, c.attrs, m.Input("x", tensor.Float32, c.shape...)))
		p := written(t, g)
		if n := len(p.Graph.Node) + len(p.Graph.Initializer); n > 10 || len(p.Functions) > 1 {
			t.Errorf("%s: there are %d nodes and constants, and %d functions", c.op, n, len(p.Functions))
		}
	}
}

// TestDocumentation holds the table in the documentation to that in the source.
func TestDocumentation(t *testing.T) { golden.Table(t, "onnx-export.md", table()) }

// table writes the table in Markdown.
func table() string {
	var b strings.Builder
	b.WriteString("\n| operator | becomes | besides |\n| --- | --- | --- |\n")
	for _, r := range export.Table() {
		to := r.To
		switch {
		case r.Form == export.Alone:
			to = "itself, without a function"
		case r.Form == export.Own && to == "":
			to = "itself; the function: its body"
		case r.Form == export.Own:
			to = "itself; the function: " + to
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.Op, to, r.Note)
	}
	b.WriteString("\n")
	return b.String()
}
