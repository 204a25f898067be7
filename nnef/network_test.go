package nnef_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

const openProvisional = `version 1.0

graph net( x ) -> ( y )
{
    x = external(shape = [0, 3, 8, 0])
    y = max_pool(x, size = [1, 1, 2, 2], stride = [1, 1, 2, 2])
}
`

const openText = `version 1.0;
extension concord_operators;
extension concord_symbol N;
extension concord_symbol M;
extension concord_name x 'the input';
extension KHR_enable_operator_expressions;

graph net( x, y ) -> ( r, s )
{
    x = external<scalar>(shape = [N, 3]);
    y = external<scalar>(shape = [2 * N, M]);
    r = reshape(x, shape = [3, N]);
    s = relu(y);
}
`

// TestNetwork makes graphs of documents that leave extents open, one after the other from one network.
func TestNetwork(t *testing.T) {
	type made struct {
		shapes model.Shapes
		want   string // the types of the outputs, or what the error says
	}
	for _, c := range []struct {
		name, text, inputs string
		made               []made
	}{
		{"provisional", openProvisional, "[x: float32[x.0,3,8,x.3]]", []made{
			{model.Shapes{"x": {1, 3, 8, 4}}, "float32[1,3,4,2]"},
			{model.Shapes{"x": {5, 3, 8, 6}}, "float32[5,3,4,3]"},
			{model.Shapes{"x": {1, 3, 2, 4}}, "float32[1,3,1,2]"},
			{nil, "the extent x.0 must be given a number"},
			{model.Shapes{"x": {1, 3, 8}}, "has another rank"},
			{model.Shapes{"x": {1, 3, 8, 0}}, "the shape [1,3,8,0] is given for \"x\"; extents are 1 or more"},
			{model.Shapes{"z": {1, 3, 8, 4}}, "the inputs are x"},
			{model.Shapes{"x": {math.MaxInt, 3, 8, math.MaxInt}}, "shape"},
		}},
		{"text form", openText, "[the input: float32[N,3] y: float32[y.0,M]]", []made{
			{model.Shapes{"the input": {2, 3}, "y": {4, 5}}, "float32[3,2] float32[4,5]"},
			{model.Shapes{"the input": {7, 3}, "y": {14, 1}}, "float32[3,7] float32[14,1]"},
			{model.Shapes{"the input": {7, 3}, "y": {15, 1}}, "net.nnef:11:35: shape error [NNEF1201]: extent 0 of the input y is 14; the given shape is [15,1]"},
			{model.Shapes{"the input": {7, 4}, "y": {14, 1}}, "net.nnef:12:"},
			{model.Shapes{"y": {4, 5}}, "the extent N must be given a number"},
		}},
		{"fixed by expressions", "version 1.0;\nextension KHR_enable_operator_expressions;\ngraph net( x ) -> ( y ) { x = external(shape = [1, 2] + [3 * 4]); y = relu(x); }",
			"[x: float32[1,2,12]]", []made{{nil, "float32[1,2,12]"}}},
		{"tract", symbolText, "[x: float32[1,S,2] y: float32[y.0,y.1]]", []made{
			{model.Shapes{"x": {1, 5, 2}, "y": {7, 2}}, "float32[5,4]"},
			{model.Shapes{"x": {1, 4, 2}, "y": {1, 2}}, "float32[4,1]"},
			{model.Shapes{"x": {1, 5, 2}, "y": {7, 3}}, "13:42: shape error [NNEF1201]: extent 1 of the input y is 2; the given shape is [7,3]"},
			{model.Shapes{"x": {1, 4, 2}, "y": {8, 2}}, "the extent 8 of the input y does not say what the symbols are"},
			{model.Shapes{"x": {2, 4, 2}, "y": {7, 2}}, "extent 0 of the input x is 1"},
			{model.Shapes{"x": {1, 1, 2}, "y": {7, 0}}, "hint: give inputs other shapes"},
			{model.Shapes{"x": {1, 5, 2}, "y": {math.MaxInt, math.MaxInt}}, "y"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := nnef.OpenText("net.nnef", []byte(c.text), nnef.Options{})
			if err != nil {
				t.Fatal(err)
			}
			m, err := f.Network()
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(m.Inputs()); got != c.inputs {
				t.Errorf("the inputs are %s; want %s", got, c.inputs)
			}
			for _, x := range c.made {
				got := ""
				g, err := m.Graph(x.shapes)
				if err != nil {
					got = err.Error()
					var list syntax.Diagnostics
					if errors.As(err, &list) {
						got = list.Render()
					}
				} else {
					for _, o := range g.Outputs {
						got += " " + o.Value.Type.String()
					}
				}
				if !strings.Contains(got, x.want) {
					t.Errorf("%v: got %s; want %s", x.shapes, got, x.want)
				}
			}
		})
	}
}

// TestNetworkErrors refuses what cannot be a network, whatever its inputs are, and files that are closed.
func TestNetworkErrors(t *testing.T) {
	unused := strings.Replace(document("x = external(shape = [2]);\ny = relu(x);\n"), ";", ";\nextension KHR_enable_fragment_definitions;\n"+
		"fragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = bar(x); }", 1)
	if _, err := opened(t, unused, nnef.Options{}).Network(); err == nil || !strings.Contains(err.Error(), "there is no operation bar") {
		t.Errorf("a mistake in what is not invoked: %v", err)
	}
	for body, want := range map[string]string{
		"x = external(shape = [2]);\ny = foo(x);\n":       "there is no operation foo",
		"x = external(shape = [2]);\ny = update(x, x);\n": "x is no variable",
	} {
		if _, err := opened(t, document(body), nnef.Options{}).Network(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v; want …%s…", err, want)
		}
	}
	var f *nnef.File
	gone := func(string) (*tensor.Tensor, error) {
		f.Close()
		return nil, errors.New("gone")
	}
	f = opened(t, smallModel, nnef.Options{Variables: gone})
	m, err := f.Network()
	if err != nil {
		t.Fatal(err)
	}
	for i, g := range []func() error{
		func() error { _, err := m.Graph(nil); return err }, // and closes it
		func() error { _, err := m.Graph(nil); return err },
		func() error { _, err := m.Graph(model.Shapes{"x": {1}}); return err },
		func() error { _, err := f.Network(); return err },
		func() error { _, err := f.Model(); return err },
	} {
		if err := g(); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("%d: a file that is closed: %v", i, err)
		}
	}
	f = opened(t, smallModel, nnef.Options{Variables: gone})
	if _, err := f.Model(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("a file that is closed meanwhile: %v", err)
	}
	f = opened(t, document("x = external(shape = [2]);\ny = relu(x);\n"), nnef.Options{})
	if m, err = f.Network(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	_, errNetwork := m.Graph(nil)
	if _, err := f.Model(); !errors.Is(err, fs.ErrClosed) || !errors.Is(errNetwork, fs.ErrClosed) {
		t.Errorf("a file without data that is closed: %v, %v", err, errNetwork)
	}
}

// TestOpenShapes infers the shapes of documents that leave extents open: those that do not depend on them are known.
func TestOpenShapes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{openProvisional, "y [0 3 4 0]"},
		{strings.Replace(openText, "2 * N", "N", 1), "r [3 0] s [0 0]"},
		{strings.Replace(strings.Replace(openText, "2 * N", "N", 1), "r = reshape(x, shape = [3, N]", "[r, q] = unstack(x, axis = 0", 1), "r [] s [0 0]"},
		{"version 1.0;\nextension tract_registry tract_core;\nextension tract_symbol S;\ngraph net( x ) -> ( y )\n{\n" +
			"x = tract_core_external(shape = [1, S, 2], datum_type = 'f32');\nz = unsqueeze(x, axes = [0]);\ny = sum_reduce(z, axes = [2]);\n}", "y [1 1 1 2]"},
		{"version 1.0;\nextension tract_registry tract_core;\nextension tract_symbol S;\ngraph net( x ) -> ( y )\n{\n" +
			"x = tract_core_external(shape = [1, S], datum_type = 'f32');\ny = tract_core_broadcast(1.0, shape = [S, 2]);\n}", "y [0 2]"},
		{"version 1.0\ngraph net( x, z ) -> ( y )\n{\nx = external(shape = [0, 3])\nz = external(shape = [4])\ny = relu(z)\n}", "y [4]"},
	} {
		f, err := nnef.OpenText("net.nnef", []byte(c.text), nnef.Options{})
		if err != nil {
			t.Fatal(err)
		}
		g, err := f.Flatten(flat.User)
		if err != nil {
			t.Error(err)
			continue
		}
		var got []string
		for i, o := range g.Outputs {
			got = append(got, fmt.Sprint(g.OutputNames[i], " ", o.Shape))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("got %s; want %s", s, c.want)
		}
	}
}

// TestShapesOfFixedInputs gives inputs other shapes than the document does.
func TestShapesOfFixedInputs(t *testing.T) {
	f, err := nnef.OpenText("net.nnef", []byte("version 1.0;\ngraph net( x ) -> ( y )\n{\nx = external<scalar>(shape = [1, 4]);\ny = softmax(x);\n}\n"), nnef.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := f.Network()
	if err != nil {
		t.Fatal(err)
	}
	for _, shape := range []model.Shapes{nil, {"x": {3, 2}}, {"x": {1, 4}}, {"x": {2, 2, 2}}} {
		g, err := m.Graph(shape)
		if err != nil {
			t.Fatal(err)
		}
		want := shape["x"]
		if want == nil {
			want = []int{1, 4}
		}
		if got := g.Outputs[0].Value.Type.Shape; !got.Equal(want) {
			t.Errorf("%v: the output has the shape %v", shape, got)
		}
		if _, ok := op.Lookup(g.Nodes[0].Op); !ok {
			t.Errorf("there is no operator %s", g.Nodes[0].Op)
		}
	}
}
