package nnef_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/tensor"
)

// explain returns the explanation of a document and the operation that yields a tensor.
func explain(t *testing.T, text, name string, opts nnef.Options) (*nnef.Explanation, *flat.Op, error) {
	t.Helper()
	f, err := nnef.OpenText("net.nnef", []byte(text), opts)
	if err != nil {
		t.Fatal(err)
	}
	e, err := f.Explain(flat.User)
	if e == nil {
		return nil, nil, err
	}
	for _, o := range e.Flat.Ops {
		for _, r := range o.Outputs() {
			if r.Name == name {
				return e, o, err
			}
		}
	}
	t.Fatalf("there is no tensor %s", name)
	return nil, nil, nil
}

func document(body string) string {
	return "version 1.0;\ngraph net( x ) -> ( y )\n{\n" + body + "}\n"
}

// TestWindows takes the numbers of the standard's rules: one window begins in each stride, and the odd item of padding
// lies behind.
func TestWindows(t *testing.T) {
	const pooled = "x = external(shape = [%d]);\ny = max_pool(x, size = [%d], stride = [%d], dilation = [%d]%s);\n"
	pool := func(in, size, stride, dilation int, padding string) string {
		return document(fmt.Sprintf(pooled, in, size, stride, dilation, padding))
	}
	for _, tt := range []struct {
		text   string
		want   nnef.WindowAxis
		reach  int
		up     bool
		padded bool
	}{
		{pool(7, 3, 2, 1, ""), nnef.WindowAxis{Large: 7, Small: 4, Size: 3, Stride: 2, Dilation: 1, Before: 1, After: 1}, 3, false, false},
		{pool(6, 3, 2, 1, ""), nnef.WindowAxis{Large: 6, Small: 3, Size: 3, Stride: 2, Dilation: 1, After: 1}, 3, false, false},
		{pool(7, 3, 1, 2, ""), nnef.WindowAxis{Large: 7, Small: 7, Size: 3, Stride: 1, Dilation: 2, Before: 2, After: 2}, 5, false, false},
		{pool(5, 1, 2, 1, ""), nnef.WindowAxis{Large: 5, Small: 3, Size: 1, Stride: 2, Dilation: 1}, 1, false, false},
		{pool(7, 3, 2, 1, ", padding = [(0, 0)]"), nnef.WindowAxis{Large: 7, Small: 3, Size: 3, Stride: 2, Dilation: 1}, 3, false, true},
		{document("x = external(shape = [1, 1, 5]);\nf = variable(shape = [1, 1, 3], label = 'f');\ny = deconv(x, f, stride = [2]);\n"),
			nnef.WindowAxis{Axis: 2, Large: 10, Small: 5, Size: 3, Stride: 2, Dilation: 1, After: 1}, 3, true, false},
		{document("x = external(shape = [1, 1, 5]);\nf = variable(shape = [1, 1, 3], label = 'f');\n" +
			"y = deconv(x, f, stride = [2], output_shape = [1, 1, 9]);\n"),
			nnef.WindowAxis{Axis: 2, Large: 9, Small: 5, Size: 3, Stride: 2, Dilation: 1, Before: 1, After: 1}, 3, true, false},
	} {
		e, o, err := explain(t, tt.text, "y", nnef.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w := e.Windows(o)
		if len(w) != 1 || len(w[0].Axes) != 1 || w[0].Axes[0] != tt.want || w[0].Up != tt.up || w[0].Axes[0].Reach() != tt.reach || nnef.Padded(o) != tt.padded {
			t.Errorf("%s: %+v; want %+v", tt.text, w, tt.want)
		}
	}
}

// TestExplainNodes shows the nodes of an operation that aligns its operands, with names of the document.
func TestExplainNodes(t *testing.T) {
	e, o, err := explain(t, document("x = external(shape = [2, 3, 4]);\nb = variable(shape = [1, 3], label = 'b');\ny = add(x, b);\n"), "y", nnef.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := e.Nodes(o)
	if len(n) != 2 || n[0].Op != "unsqueeze" || e.Name(n[0].In[0]) != "b" || n[1].Op != "add" || e.Name(n[1].Out[0]) != "y" {
		t.Errorf("%v", n)
	}
	if w := e.Windows(o); w != nil {
		t.Errorf("add has the windows %v", w)
	}
}

// TestExplainUnknown explains documents in which not all shapes are known, and such as are wrong.
func TestExplainUnknown(t *testing.T) {
	open := "version 1.0\ngraph net( x ) -> ( y )\n{\nx = external(shape = [0, 8])\ny = max_pool(x, size = [1, 3])\n}\n"
	e, o, err := explain(t, open, "y", nnef.Options{})
	if err != nil || e.Windows(o) != nil || e.Nodes(o) != nil {
		t.Errorf("an open extent: %v, %v, %v", e.Windows(o), e.Nodes(o), err)
	}
	e, o, err = explain(t, open, "y", nnef.Options{Shapes: map[string]tensor.Shape{"x": {2, 8}}})
	if err != nil || len(e.Windows(o)) != 1 {
		t.Errorf("the extent is given: %v, %v", e.Windows(o), err)
	}
	if e, _, err = explain(t, open, "y", nnef.Options{Shapes: map[string]tensor.Shape{"q": {2, 8}}}); e != nil || err == nil {
		t.Errorf("an input that is not there: %v, %v", e, err)
	}

	wrong := document("x = external(shape = [2, 3]);\nz = relu(x);\ny = transpose(z, axes = [2]);\nw = foo(x);\n")
	e, o, err = explain(t, wrong, "z", nnef.Options{})
	var found syntax.Diagnostics
	if !errors.As(err, &found) || len(found) != 2 || len(e.Nodes(o)) != 1 {
		t.Errorf("a wrong document: %v, %v", e.Nodes(o), err)
	}
}
