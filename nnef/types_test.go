package nnef_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestSaveEveryType holds inputs, states and constants of every element type, those written where they are used and those with files, to
// surviving saving and loading bit by bit.
func TestSaveEveryType(t *testing.T) {
	for k, d := range tensor.DTypes() {
		for i, n := range []int{0, 5, graph.InlineElements + 3} {
			t.Run(fmt.Sprintf("%v %d", d, n), func(t *testing.T) {
				r := op.NewRand(uint64(n), 1)
				data := r.Uniform(d, tensor.Shape{n}, -2, 2)
				if d == tensor.Float64 && n > 0 {
					tensor.Data[float64](data)[0] = 0.1 // which float32 is not
				}
				g := everyTypeGraph(t, data)
				form := []string{"m.tar", "m.tgz"}[(i+k)%2]
				if i == 2 && k%4 == 0 { // files take longer than archives
					form = "m"
				}
				m := reload(t, g, form)
				if got, want := graph.Text(m.Graph, op.Rules), graph.Text(g, op.Rules); got != want {
					t.Fatalf("got\n%s\nwant\n%s", got, want)
				}
				checkConstants(t, m.Graph, g)
				in := map[string]*tensor.Tensor{"x": data}
				for name, got := range run(t, m.Graph, in) {
					want := data
					if _, to, ok := strings.Cut(name, "_"); ok {
						want = there(t, data, to)
					}
					if got.Describe() != want.Describe() || !bytes.Equal(got.Bytes(), want.Bytes()) {
						t.Errorf("%s: got %v; want %v; or the elements differ", name, got, want)
					}
				}
			})
		}
	}
}

// TestStringInputs looks at documents that no graph can be made of: the types of strings do not matter for shapes.
func TestStringInputs(t *testing.T) {
	f := opened(t, document("x = external<string>(shape = [2]);\nv = variable<string>(shape = [2], label = 'v');\ny = copy(v);\n"), nnef.Options{})
	if found := f.Check(); len(found) > 0 {
		t.Error(found)
	}
}

// there casts a tensor to the type of that name and back.
func there(t *testing.T, x *tensor.Tensor, name string) *tensor.Tensor {
	t.Helper()
	to, err := tensor.ParseDType(name)
	if err != nil {
		t.Fatal(err)
	}
	y, err := tensor.Cast(x, to)
	if err == nil {
		y, err = tensor.Cast(y, x.DType())
	}
	if err != nil {
		t.Fatal(err)
	}
	return y
}

// everyTypeGraph has the data as a constant without and with a label, as a state, and in casts to every type and back.
func everyTypeGraph(t *testing.T, data *tensor.Tensor) *graph.Graph {
	t.Helper()
	d := data.DType()
	b := graph.NewBuilder(op.Rules, "types")
	must := func(v *graph.Value, err error) *graph.Value {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	output := func(name string, v *graph.Value) {
		t.Helper()
		if err := b.Output(name, v); err != nil {
			t.Fatal(err)
		}
	}
	x := must(b.Input("x", graph.Type{DType: d, Shape: data.Shape()}))
	output("copied", must(b.One("copy", []*graph.Value{x}, nil, "")))
	state := must(b.State("s", "state", data))
	if err := b.Update(state, x); err != nil {
		t.Fatal(err)
	}
	output("stated", must(b.One("copy", []*graph.Value{state}, nil, "")))
	for i, label := range []string{"", "w"} {
		c := must(b.Constant(fmt.Sprint("c", i), label, data))
		c = must(b.One("unsqueeze", []*graph.Value{c}, graph.Attrs{{Name: "axes", Value: []int{0}}}, ""))
		c = must(b.One("squeeze", []*graph.Value{c}, graph.Attrs{{Name: "axes", Value: []int{0}}}, ""))
		output(fmt.Sprint("moved", i), must(b.One("copy", []*graph.Value{c}, nil, "")))
		for _, to := range tensor.DTypes() {
			y := must(b.One("cast", []*graph.Value{c}, graph.Attrs{{Name: "dtype", Value: to}}, ""))
			output(fmt.Sprint("to", i, "_", to), must(b.One("cast", []*graph.Value{y}, graph.Attrs{{Name: "dtype", Value: d}}, "")))
		}
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestEarlierRescale loads texts from when shift and multiplier of rescale were attributes, with the declaration of that time and without.
func TestEarlierRescale(t *testing.T) {
	const head = "version 1.0;\nextension concord_operators;\nextension concord_type x int32;\n"
	const declared = "extension KHR_enable_fragment_definitions;\nfragment rescale<?>( x: tensor<integer>, shift: integer, multiplier: integer = 1, " +
		"rounding: string = 'floor', overflow: string = 'wrap', dtype: string ) -> ( y: tensor<?> );\n"
	const body = "graph g( x ) -> ( y )\n{\n    x = external<integer>(shape = [2, 3]);\n    y = rescale(x, %sdtype = 'int8');\n}\n"
	for _, c := range []struct {
		earlier, now string
		in           int // operands
	}{
		{"shift = 3, ", "3, ", 2},
		{"shift = -3, multiplier = 5, rounding = 'half_up', ", "-3, 5, rounding = 'half_up', ", 3},
		{"multiplier = 0, shift = 1, ", "1, 0, ", 3},
	} {
		for _, head := range []string{head, head + declared} {
			g, err := nnef.Parse("earlier", fmt.Appendf([]byte(head), body, c.earlier), nnef.Options{})
			if err != nil {
				t.Errorf("%s: %v", c.earlier, err)
				continue
			}
			n := g.Nodes[0]
			if len(n.In) < c.in || n.In[c.in-1] == nil || n.In[1].Const == nil || n.In[1].Type.String() != "int64[]" {
				t.Errorf("%s: operands %v", c.earlier, n.In)
			}
			if text := graph.Text(g, op.Rules); !strings.Contains(text, "y = rescale(x, "+c.now+"dtype = 'int8');") {
				t.Errorf("%s: it is\n%s\nwant %s", c.earlier, text, c.now)
			}
		}
	}
}
