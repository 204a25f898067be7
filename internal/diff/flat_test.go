package diff_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/diff"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/tensor"
)

func document(t *testing.T, body string) *flat.Graph {
	t.Helper()
	text := "version 1.0;\ngraph net( x ) -> ( y )\n{\n x = external<scalar>(shape = [1, 4, 8, 8]);\n" + body + "\n}\n"
	f, err := nnef.OpenText("net.nnef", []byte(text), nnef.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g, err := f.Flatten(flat.User)
	return must(t, g, err)
}

func TestDocuments(t *testing.T) {
	const base = "w = variable<scalar>(shape = [4, 4, 3, 3], label = 'w');\na = conv(x, w);\nb = relu(a);\ny = add(b, 1.0);"
	for _, tt := range []struct{ name, body, want string }{
		{"other names", "k = variable<scalar>(shape = [4, 4, 3, 3], label = 'w');\nq = conv(x, k);\nr = relu(q);\ny = add(r, 1.0);", ""},
		{"defaults", "w = variable<scalar>(shape = [4, 4, 3, 3], label = 'w');\na = conv(x, w, 0.0, border = 'constant');\nc = copy(a);\nb = relu(c);\ny = add(b, 1.0);", ""},
		{"an attribute", "w = variable<scalar>(shape = [4, 4, 3, 3], label = 'w');\na = conv(x, w, stride = [2, 2]);\nb = relu(a);\ny = add(b, 1.0);",
			"~ changed  a = conv(x, w)   (A: net.nnef:6:5, B: net.nnef:6:5)\n    stride: [] → [2, 2]\n    type of a: scalar[1,4,8,8] → scalar[1,4,4,4]\n" +
				"  output y follows: scalar[1,4,8,8] in A, scalar[1,4,4,4] in B\n1 difference; 2 of 3 operators in A and 3 in B are alike"},
		{"a number", "w = variable<scalar>(shape = [4, 4, 3, 3], label = 'w');\na = conv(x, w);\nb = relu(a);\ny = add(b, 2.0);",
			"~ changed  y = add(b)   (A: net.nnef:8:5, B: net.nnef:8:5)\n    y: 1.0 → 2.0\n1 difference; 2 of 3 operators in A and 3 in B are alike"},
		{"a label", "w = variable<scalar>(shape = [4, 4, 3, 3], label = 'v');\na = conv(x, w);\nb = relu(a);\ny = add(b, 1.0);",
			"~ constant  w: scalar[4,4,3,3]\n      in B  w: scalar[4,4,3,3] 'v'\n    label: w → v\n1 difference; 3 of 3 operators in A and 3 in B are alike"},
		{"a variable more", base + "\nz = variable<scalar>(shape = [1], label = 'z');",
			"+ constant only in B:  z: scalar[1]\n1 difference; 3 of 3 operators in A and 3 in B are alike"},
		{"inserted", "w = variable<scalar>(shape = [4, 4, 3, 3], label = 'w');\na = conv(x, w);\nc = leaky_relu(a, alpha = 0.25);\nb = relu(c);\ny = add(b, 1.0);",
			"+ added  c = leaky_relu(a, alpha = 0.25)   (B: net.nnef:7:5)\n1 difference; 3 of 3 operators in A and 4 in B are alike"},
	} {
		a, b := document(t, base), document(t, tt.body)
		r := diff.Compare(diff.FromFlat(a, nil), diff.FromFlat(b, nil))
		var text strings.Builder
		if err := r.Write(&text, 0); err != nil {
			t.Fatal(err)
		}
		want := tt.want + "\n"
		if tt.want == "" {
			want = "the graphs are equal: 3 operators\n"
		}
		if text.String() != want {
			t.Errorf("%s:\n%swant\n%s", tt.name, text.String(), want)
		}
	}
}

// TestStored compares the data of variables.
func TestStored(t *testing.T) {
	g := document(t, "w = variable<scalar>(shape = [2], label = 'w');\ny = add(x, w);")
	data := func(values ...float32) func(string) *tensor.Tensor {
		w, err := tensor.FromSlice(values, 2)
		if err != nil {
			t.Fatal(err)
		}
		return func(string) *tensor.Tensor { return w }
	}
	r := diff.Compare(diff.FromFlat(g, data(1, 2)), diff.FromFlat(g, data(1, 2.5)))
	want := "~ constant  w: scalar[2]\n    1 of 2 elements differ, at most by 0.5 (element [1] is 2 in A, 2.5 in B)"
	if len(r.Differences) != 1 || r.Differences[0].String() != want {
		t.Errorf("%v", r.Differences)
	}
	if r := diff.Compare(diff.FromFlat(g, data(1, 2)), diff.FromFlat(g, data(1, 2))); !r.Equal() {
		t.Errorf("%v", r.Differences)
	}
}

// corpus calls f for the graphs of the conformance set.
func corpus(t *testing.T, f func(name string, g *flat.Graph)) {
	t.Helper()
	dir := testdata.Shared(t, "conformance", "nnef", "parse")
	index, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		ID, File string
		Expect   struct{ Verdict string }
	}
	if err := json.Unmarshal(index, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		text, err := os.ReadFile(filepath.Join(dir, c.File))
		if err != nil || c.Expect.Verdict != "accept" {
			continue
		}
		file, err := nnef.OpenText(c.File, text, nnef.Options{})
		if err != nil {
			continue
		}
		if g, err := file.Flatten(flat.User); err == nil {
			f(c.ID, g)
		}
	}
}

// altered returns another value of the type of v, nil if it is no literal.
func altered(v eval.Value) eval.Value {
	switch v := v.(type) {
	case float64:
		return v + 1
	case int64:
		return v + 1
	case bool:
		return !v
	case string:
		return v + "'"
	}
	return nil
}

// TestCorpus finds every graph equal to itself, and one difference where one argument is changed.
func TestCorpus(t *testing.T) {
	graphs, changed := 0, 0
	corpus(t, func(name string, g *flat.Graph) {
		graphs++
		if r := diff.Compare(diff.FromFlat(g, nil), diff.FromFlat(g, nil)); !r.Equal() || r.Alike != r.Operators[0] {
			t.Errorf("%s: %v", name, r.Differences)
		}
		for _, o := range g.Ops {
			for i, v := range o.Args {
				other := altered(v)
				if other == nil || o.IsCopy() || o.Name() == "external" || o.Name() == "variable" {
					continue
				}
				changed++
				before := diff.FromFlat(g, nil)
				args := o.Args
				o.Args = append([]eval.Value{}, args...)
				o.Args[i] = other
				r := diff.Compare(before, diff.FromFlat(g, nil))
				o.Args = args
				if r.Count() != 1 || r.Differences[0].Kind != diff.Changed || len(r.Differences[0].Changes) != 1 {
					t.Errorf("%s: an argument of %s is changed: %v", name, o.Name(), r.Differences)
				}
			}
		}
	})
	if graphs < 100 || changed < 100 {
		t.Errorf("%d graphs and %d changes were tried", graphs, changed)
	}
}
