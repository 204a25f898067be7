package nnef_test

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/tensor"
)

func opened(t *testing.T, text string, opts nnef.Options) *nnef.File {
	t.Helper()
	f, err := nnef.OpenText("doc", []byte(text), opts)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// withFragments returns a final document with fragments before the graph.
func withFragments(fragments, body string) string {
	return version + fragments + "graph net( x ) -> ( y )\n{\n" + body + "}\n"
}

// TestCustomOperations holds custom operations to being flattened with unknown shapes, and to being named when the graph
// is built.
func TestCustomOperations(t *testing.T) {
	text := withFragments("fragment acme( x: tensor<scalar> ) -> ( y: tensor<scalar>, z: tensor<scalar>[] );\n",
		"x = external(shape = [2]);\nw = exp(x);\n(a, [b, c]) = acme(w);\ny = add(a, c);\n")
	f := opened(t, text, nnef.Options{})
	if list := f.Check(); list.Err() != nil {
		t.Fatal(list.Render())
	}
	g, err := f.Flatten(flat.User)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, op := range g.Ops {
		for _, out := range op.Outputs() {
			got = append(got, fmt.Sprintf("%s%v%v", out.Name, out.Shape, out.Known))
		}
	}
	if s := strings.Join(got, " "); s != "x[2]true w[2]true a[]false b[]false c[]false y[]false" {
		t.Errorf("got %s", s)
	}
	_, err = f.Model()
	var list syntax.Diagnostics
	if !errors.As(err, &list) || len(list) != 1 || !strings.HasPrefix(list[0].Error(), "doc:7:15: name error [NNEF0505]: the operation acme") {
		t.Errorf("got %v", err)
	}
}

// TestContents visits what a model is made of: its own files alone where the document tells which these are, and else all.
func TestContents(t *testing.T) {
	w := &fstest.MapFile{Data: encoded(t, vector(t, 3, 4))}
	head := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	for _, c := range []struct {
		name  string
		files fstest.MapFS
		want  string
	}{
		{"variables", fstest.MapFS{"graph.nnef": head(smallModel), "layer/w.dat": w, "other.dat": w}, "- layer/w.dat"},
		{"quantization", fstest.MapFS{"graph.nnef": head(smallModel), "layer/w.dat": w, "graph.quant": head("")}, "- quantization layer/w.dat"},
		{"a file of many", fstest.MapFS{"graph.nnef": head(smallModel), "m.safetensors": w}, "- graph.nnef m.safetensors"},
		{"fragments", fstest.MapFS{"graph.nnef": head(withFragments("fragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = x; }\n", "x = external(shape = [2]);\ny = f(x);\n")),
			"w.dat": w}, "- graph.nnef w.dat"},
		{"a document that cannot be evaluated", fstest.MapFS{"graph.nnef": head(document("x = external(shape = [2]);\ny = foo(x);\n")), "w.dat": w}, "- graph.nnef w.dat"},
	} {
		f, err := nnef.OpenFS(c.files, ".", nnef.Options{})
		if err != nil {
			t.Fatal(err)
		}
		checkContents(t, c.name, f, c.want)
	}
	f := opened(t, smallModel, nnef.Options{})
	checkContents(t, "a text", f, "-")
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// checkContents compares the names of what a file visits, and the end of an error.
func checkContents(t *testing.T, name string, f *nnef.File, want string) {
	t.Helper()
	var names []string
	err := f.Contents(func(name string, _ []byte) error {
		names = append(names, cmp.Or(name, "-"))
		return nil
	})
	if err != nil {
		names = append(names, err.Error())
	}
	if got := strings.Join(names, " "); got != want {
		t.Errorf("%s: got %q; want %q", name, got, want)
	}
}

// TestNodes holds the operations of a model to naming their nodes.
func TestNodes(t *testing.T) {
	f := opened(t, withFragments("", "x = external(shape = [2,3]);\nt = l1_normalization(x, axes = [1]);\ny = relu(t);\n"), nnef.Options{})
	m, err := f.Model()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	total := 0
	for _, op := range m.Flat.Ops {
		n := len(m.Nodes(op))
		total += n
		got = append(got, fmt.Sprint(op.Name(), n))
	}
	if s := strings.Join(got, " "); !strings.HasPrefix(s, "external0 l1_normalization") || !strings.HasSuffix(s, " relu1") || total != len(m.Graph.Nodes) {
		t.Errorf("got %s of %d nodes", s, len(m.Graph.Nodes))
	}
}

// TestShapesOption replaces the shapes of inputs.
func TestShapesOption(t *testing.T) {
	text := withFragments("", "x = external(shape = [2,3]);\ny = reshape(x, shape = [-1]);\n")
	g, err := opened(t, text, nnef.Options{Shapes: map[string]tensor.Shape{"x": {4, 5, 6}}}).Flatten(flat.User)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(g.Outputs[0].Shape); got != "[120]" {
		t.Errorf("got %s", got)
	}
	for want, shapes := range map[string]map[string]tensor.Shape{
		`a shape is given for "z"; the inputs are x`:                {"z": {1}},
		`the shape [4,0,6] is given for "x"; extents are 1 or more`: {"x": {4, 0, 6}},
		`the shape [0] is given for "x"; extents are`:               {"x": {0}},
		`the shape [2,-1] is given for "x"`:                         {"x": {2, -1}},
	} {
		if _, err := opened(t, text, nnef.Options{Shapes: shapes}).Flatten(flat.User); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v; want %s", err, want)
		}
	}
}

// TestStrict holds the default to asking for extensions, and the lenient reading to warnings.
func TestStrict(t *testing.T) {
	text := "version 1.0;\ngraph net( x ) -> ( y )\n{\n    x = external(shape = [2]);\n    y = relu(x) + 1.0;\n}\n"
	if _, err := nnef.OpenText("doc", []byte(text), nnef.Options{}); err == nil || !strings.Contains(err.Error(), "NNEF0303") {
		t.Errorf("got %v", err)
	}
	f := opened(t, text, nnef.Options{Lenient: true})
	m, err := f.Model()
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Warnings) == 0 || len(f.Check()) == 0 || f.Check().Err() != nil {
		t.Errorf("the warnings are %v and %v", m.Warnings, f.Check())
	}
}

// TestCheckSeveral holds one run to showing several mistakes, also of different stages.
func TestCheckSeveral(t *testing.T) {
	f := opened(t, withFragments("fragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = x + 1; }\n",
		"x = external(shape = [2,3]);\na = softmax(x, axes = [2]);\nb = conv(x, x);\ny = foo(x);\n"), nnef.Options{})
	var got []string
	for _, d := range f.Check() {
		got = append(got, d.Code.String())
	}
	if s := strings.Join(got, " "); s != "NNEF0702 NNEF1101 NNEF1201 NNEF0502" {
		t.Errorf("got %s", s)
	}
}
