package nnef_test

import (
	"errors"
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

// TestExplainNodes shows the nodes of an operation that aligns its operands, with names of the document.
func TestExplainNodes(t *testing.T) {
	e, o, err := explain(t, document("x = external(shape = [2, 3, 4]);\nb = variable(shape = [1, 3], label = 'b');\ny = add(x, b);\n"), "y", nnef.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := e.Nodes(o)
	if len(n) != 2 || n[0].Op != "unsqueeze" || n[0].In[0].Name != "b" || n[1].Op != "add" || n[1].Out[0].Name != "y" {
		t.Errorf("%v", n)
	}
}

// TestExplainUnknown explains documents in which not all shapes are known, and such as are wrong.
func TestExplainUnknown(t *testing.T) {
	open := "version 1.0\ngraph net( x ) -> ( y )\n{\nx = external(shape = [0, 8])\ny = max_pool(x, size = [1, 3])\n}\n"
	e, o, err := explain(t, open, "y", nnef.Options{})
	if err != nil || e.Nodes(o) != nil {
		t.Errorf("an open extent: %v, %v", e.Nodes(o), err)
	}
	e, o, err = explain(t, open, "y", nnef.Options{Shapes: map[string]tensor.Shape{"x": {2, 8}}})
	if err != nil || len(e.Nodes(o)) != 1 {
		t.Errorf("the extent is given: %v, %v", e.Nodes(o), err)
	}
	if e, _, err = explain(t, open, "y", nnef.Options{Shapes: map[string]tensor.Shape{"q": {2, 8}}}); e != nil || err == nil {
		t.Errorf("an input that is not there: %v, %v", e, err)
	}

	wrong := withFragments("fragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = bar(x); }\n", "x = external(shape = [2, 3]);\nz = relu(x);\ny = transpose(z, axes = [2]);\nw = foo(x);\n")
	e, o, err = explain(t, wrong, "z", nnef.Options{})
	var found syntax.Diagnostics
	if !errors.As(err, &found) || len(found) != 3 || len(e.Nodes(o)) != 1 {
		t.Errorf("a wrong document: %v, %v", e.Nodes(o), err)
	}
}
