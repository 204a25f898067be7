package migrate

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/diff"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/nnef/std"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testdata/golden"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/tensor"
)

// opened reads a document and flattens it.
func opened(t *testing.T, name string, text []byte) (*nnef.File, *flat.Graph) {
	t.Helper()
	f, err := nnef.OpenText(name, text, nnef.Options{})
	if err != nil {
		t.Fatal(render(err))
	}
	if list := f.Check(); len(list) > 0 {
		t.Fatal(list.Render() + string(text))
	}
	g, err := f.Flatten(flat.User)
	if err != nil {
		t.Fatal(render(err))
	}
	return f, g
}

func render(err error) string {
	var list syntax.Diagnostics
	if errors.As(err, &list) {
		return list.Render()
	}
	return err.Error()
}

// migrated migrates a document, checks the result, and holds that it flattens to what the flattened document migrates to.
func migrated(t *testing.T, name string, text []byte) (string, syntax.Diagnostics) {
	t.Helper()
	old, g := opened(t, name, text)
	doc, notes, err := Document(old.Document, g, nil)
	if err != nil {
		t.Fatal(render(err))
	}
	out, err := syntax.Format(doc)
	if err != nil {
		t.Fatal(err)
	}
	_, got := opened(t, "migrated", out)
	if text, err = syntax.Format(g.Document()); err != nil {
		t.Fatal(err)
	}
	flattened, err := syntax.Parse("", text, syntax.Options{Lenient: true})
	if err != nil {
		t.Fatal(render(err))
	}
	if g, err = flat.Flatten(flattened, flat.Options{}); err != nil {
		t.Fatal(render(err))
	}
	direct, _, err := Document(flattened, g, nil)
	if err != nil {
		t.Fatal(render(err))
	}
	plain, err := syntax.Format(direct)
	if err != nil {
		t.Fatal(err)
	}
	_, want := opened(t, "flattened", plain)
	for _, d := range diff.Compare(diff.FromFlat(want, nil), diff.FromFlat(got, nil)).Differences {
		t.Errorf("%s: %+v", name, d)
	}
	for i := range want.Ops {
		for k, r := range want.Ops[i].Outputs() {
			if i >= len(got.Ops) || k >= len(got.Ops[i].Outputs()) || !slices.Equal(r.Shape, got.Ops[i].Outputs()[k].Shape) {
				t.Errorf("%s: the shape of %s differs", name, r.Name)
			}
		}
	}
	return string(out), notes
}

func TestDocument(t *testing.T) {
	text, err := os.ReadFile("testdata/net.nnef")
	if err != nil {
		t.Fatal(err)
	}
	out, notes := migrated(t, "net.nnef", text)
	golden.Compare(t, filepath.Join("testdata", "net.final.nnef"), out)
	golden.Compare(t, filepath.Join("testdata", "net.notes.txt"), notes.Render())
	sameValues(t, string(text), out)
}

// sameValues runs two documents on the same inputs and variables.
func sameValues(t *testing.T, before, after string) {
	t.Helper()
	f, g := opened(t, "before", []byte(before))
	names := Names(f.Document)
	old, current := results(t, before, g), results(t, after, g)
	for name, want := range old {
		if to, ok := names[name]; ok {
			name = to
		}
		got := current[name]
		if len(got) != len(want) || len(got) == 0 {
			t.Fatalf("%s: %d and %d values", name, len(want), len(got))
		}
		for i := range got {
			if math.Abs(got[i]-want[i]) > 1e-6*(1+math.Abs(want[i])) {
				t.Fatalf("%s[%d]: %v; it was %v", name, i, got[i], want[i])
			}
		}
	}
}

// results runs a document whose inputs and variables have the shapes that a graph has, with numbers that vary.
func results(t *testing.T, text string, shapes *flat.Graph) map[string][]float64 {
	t.Helper()
	some := func(shape []int) *tensor.Tensor {
		data := make([]float32, tensor.Shape(shape).Len())
		for i := range data {
			data[i] = float32(i*37%101)/50 - 1
		}
		x, err := tensor.FromSlice(data, shape...)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	inputs, variables := make(map[string]*tensor.Tensor), make(map[string]*tensor.Tensor)
	for _, in := range shapes.Inputs {
		inputs[in.Name] = some(in.Shape)
	}
	for _, op := range shapes.Ops {
		if label, ok := op.Arg("label").(string); ok {
			variables[label] = some(op.Outputs()[0].Shape)
		}
	}
	g, err := nnef.Parse("text", []byte(text), nnef.Options{Variables: func(label string) (*tensor.Tensor, error) { return variables[label], nil }})
	if err != nil {
		t.Fatal(render(err))
	}
	p, err := engine.Compile(g, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	out, err := p.Run(t.Context(), inputs)
	if err != nil {
		t.Fatal(err)
	}
	values := make(map[string][]float64)
	for name, x := range out {
		x, err := tensor.Cast(x, tensor.Float32)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range tensor.Data[float32](x) {
			values[name] = append(values[name], float64(v))
		}
	}
	return values
}

// TestShared migrates the provisional documents of the shared cases that are right.
func TestShared(t *testing.T) {
	dir := testdata.Shared(t, "conformance", "nnef", "parse")
	raw, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		ID, File, Dialect string
		Expect            struct{ Verdict string }
	}
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, c := range cases {
		if c.Dialect != "provisional" || c.Expect.Verdict != "accept" {
			continue
		}
		count++
		text, err := os.ReadFile(filepath.Join(dir, c.File))
		if err != nil {
			t.Fatal(err)
		}
		if c.ID == "prv-23" { // an extent that is not specified
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			out, _ := migrated(t, c.File, text)
			sameValues(t, string(text), out)
		})
	}
	if count < 17 {
		t.Errorf("%d cases", count)
	}
	text, err := os.ReadFile(filepath.Join(dir, "..", "models", "mdl-provisional", "graph.nnef"))
	if err != nil {
		t.Fatal(err)
	}
	out, _ := migrated(t, "mdl-provisional", text)
	sameValues(t, string(text), out)
}

// ranks infers the rank of the first argument for every result: enough to complete lists.
type ranks struct{}

func (ranks) Infer(op *flat.Op) error {
	for _, out := range op.Outputs() {
		shape, known := op.Arg("shape").(eval.Array)
		if known {
			for _, n := range shape {
				out.Shape = append(out.Shape, int(n.(int64)))
			}
		} else if in := op.Inputs(); len(in) > 0 {
			out.Shape = in[0].Shape
		}
		out.Known = out.Shape != nil
	}
	return nil
}

func old(fragments, body string) string {
	return "version 1.0\n" + fragments + "\ngraph net( x ) -> ( y )\n{\n" + body + "\n}\n"
}

// attempt migrates a text with ranks known.
func attempt(t *testing.T, text string, shapes map[string][]int) (string, string, error) {
	t.Helper()
	doc, err := syntax.Parse("net.nnef", []byte(text), syntax.Options{})
	if err != nil {
		t.Fatal(render(err))
	}
	g, err := flat.Flatten(doc, flat.Options{Shapes: ranks{}, Extents: shapes})
	if err != nil {
		t.Fatal(render(err))
	}
	out, notes, err := Document(doc, g, shapes)
	if err != nil {
		return "", notes.Render(), err
	}
	formatted, err := syntax.Format(out)
	return string(formatted), notes.Render(), err
}

func TestRewriting(t *testing.T) {
	const tract = "fragment tract_f( x: tensor ) -> ( y: tensor ) { y = relu(x) }" // and attributes by position
	const input = "    x = external(shape = [1, 2, 8, 8])\n"
	for _, c := range []struct{ name, text, want, note string }{
		{"short lists", old("", input+"    y = max_pool(x, size = [1, 1, 2, 2], padding = [(0, 0)], stride = [1, 1, 2])"),
			"max_pool(x, size = [1, 1, 2, 2], padding = [(0, 0), (0, 0), (0, 0), (0, 0)], stride = [1, 1, 2, 1]);", "padding is completed to the rank with [(0, 0), (0, 0), (0, 0)]"},
		{"automatic padding stays", old("", input+"    y = max_pool(x, size = [1, 1, 2, 2], padding = [])"), "padding = []);", ""},
		{"lists of planes", old("", input+"    f = variable(shape = [2, 1, 3, 3], label = 'f')\n    y = planewise_conv(x, f, dilation = [2])"),
			"conv(x, f, dilation = [2, 1], groups = 0);", "dilation is completed"},
		{"lists that are computed", old("fragment f( x: tensor, s: extent[] ) -> ( y: tensor ) { y = box(x, size = s, stride = s) }", input+"    y = f(x, s = [1, 1])"),
			"box(x, size = s + [1, 1], stride = s + [1, 1]);", "size is completed"},
		{"several ranks", old("fragment f( x: tensor, s: extent[] ) -> ( y: tensor ) { y = box(x, size = s) }",
			input+"    z = f(x, s = [1, 1])\n    v = variable(shape = [3, 3, 3], label = 'v')\n    y = f(v, s = [2, 2])"),
			"    z = box(x, size = [1, 1, 1, 1]);\n    v = variable(shape = [3, 3, 3], label = 'v');\n    y = box(v, size = [2, 2, 1]);", "is expanded in the graph: it is invoked with tensors of several ranks"},
		{"state", old("fragment f( x: tensor ) -> ( y: tensor )\n{ s = variable(shape = [1, 2, 8, 8], label = 's') n = update(s, x) y = n + s }",
			input+"    # keep\n    y = f(x) # state"), "    # keep\n    variable1 = variable(shape = [1, 2, 8, 8], label = 's');\n", "it invokes variable"},
		{"a split by one name", old("fragment f( x: tensor ) -> ( y: tensor )\n{ s = split(x, axis = 1, ratios = [1, 1]) y = s[0] + s[1] }", input+"    y = f(x)"),
			"split(x, axis = 1, ratios = [1, 1]);", "assigns the array of split to one name"},
		{"an alias", old("fragment f( x: tensor ) -> ( y: tensor, n: extent ) { y = x n = 1 } fragment g( x: tensor ) -> ( y: tensor ) { y, n = f(x) }", input+"    y = g(x)"),
			"y = copy(x);", "it invokes f"},
		{"a negative bias", old("", input+"    y = l1_normalization(x, axes = [1], bias = -1.0)"), "bias = -1.0);", "warning [NNEF0334]"},
		{"open extents", old("", "    x = external(shape = [0, 3]) y = relu(x)"), "", "give it with --shape x=EXTENTS"},
		{"comments", "# a\nversion 1.0\n# b\ngraph net( x ) -> ( y ) # c\n{\n    # d\n    x = external(shape = [1]) # e\n\n    y = relu(x)\n    # f\n}\n# g\n",
			"# c\ngraph net( x ) -> ( y )\n{\n    # d\n    x = external(shape = [1]); # e\n\n    y = relu(x);\n    # f\n}\n\n# g\n", ""},
		{"recursion", old("fragment f( x: tensor[] ) -> ( y: tensor ) { y = x[0] + f(x[1:]) if length_of(x) > 0 else 0.0 }", input+"    y = f([x, x])"),
			"fragment f( x: tensor<scalar>[] ) -> ( y: tensor<scalar> )", ""},
		{"generic by a chain", old("fragment f( x: tensor ) -> ( y: tensor ) { y = g(x) } fragment g( x: tensor ) -> ( y: tensor ) { y = idn(x) }",
			input+"    m = f(x)\n    l = lt(m, x)\n    k = f(l)\n    y = select(k, x, m)"),
			"fragment g<?>( x: tensor<?> ) -> ( y: tensor<?> )", "g becomes generic"},
		{"two types at once", old("fragment f( a: tensor, b: tensor ) -> ( y: tensor ) { y = idn(a) }",
			input+"    l = lt(x, 0.0)\n    m = f(x, l)\n    k = f(l, x)\n    y = select(k, x, m)"),
			"    m = copy(x);\n    k = copy(l);\n", "f is expanded in the graph: it is invoked with tensors of several types in more than one place"},
		{"a state of two types", old("fragment f( a: tensor, b: tensor ) -> ( y: tensor )\n{ s = variable(shape = [1], label = 's') y = idn(a) }",
			input+"    l = lt(x, 0.0)\n    m = f(x, l)\n    k = f(l, x)\n    y = select(k, x, m)"),
			"    m = copy(x);\n", "f is expanded in the graph: it invokes variable"},
		{"not invoked", old("fragment f( x: tensor[] ) -> ( y: tensor ) { y = idn(x[0]) }", input+"    y = relu(x)"),
			"fragment f( x: tensor<scalar>[] ) -> ( y: tensor<scalar> )", "f is not invoked, so that its tensors are taken for ones of scalars"},
		{"attributes before tensors", old("fragment f( a: scalar, x: tensor, b: scalar = 1.0 ) -> ( y: tensor ) { y = x * a + b }", input+"    y = f(a = 2.0, x = x)"),
			"fragment f( x: tensor<scalar>, a: scalar, b: scalar = 1.0 ) -> ( y: tensor<scalar> )", "the tensor parameters of f move before the others"},
		{"tensors by position", old("fragment f( a: tensor, n: scalar, x: tensor ) -> ( y: tensor ) { y = x * a + n }", input+"    y = f(x, n = 2.0, x = x)"),
			"    y = f(x, n = 2.0, x = x);\n", "the tensor parameters of f move before the others"},
		{"a tuple of both", old("fragment f( p: (tensor, scalar) ) -> ( y: tensor ) { y = p[0] * p[1] }", input+"    y = f((x, 2.0))"),
			"    y = mul(x, 2.0);\n", "its parameter p joins tensors and attributes in a tuple"},
		{"shape_of", old("fragment f( x: tensor ) -> ( y: tensor ) { y = reshape(x, shape = shape_of(x)) }", input+"    y = f(x)"),
			"shape = [1, 2, 8, 8]);", "it invokes shape_of"},
		{"a reserved name", old("fragment yield( x: tensor ) -> ( y: tensor ) { y = relu(x) }", input+"    y = yield(x)"),
			"    y = yield_(x);\n", "yield becomes yield_"},
		{"a shape by its position", old(tract, "    x = external([1, 3])\n    y = relu(x)"), "external([1, 3])", "tract_f is not invoked"},
		{"an open shape by its position", old(tract, "    x = external([0, 3])\n    y = relu(x)"), "", "give it with --shape x=EXTENTS"},
		{"products of many dimensions", old("", input+"    y = matmul(x, x)"), "matmul(x, x", "x has 4 dimensions; matmul of the final dialect multiplies the last two"},
		{"lists that are not seen", old("fragment f( x: tensor ) -> ( y: tensor ) { y = box(x, size = [1, 1], padding = []) }", input+"    y = relu(x)"),
			"box(x, size = [1, 1]", "box is not evaluated, so that the length of size is not known"},
		{"a list that is not seen", old("fragment f( x: tensor ) -> ( y: tensor ) { y = conv(x, x, stride = [1]) }", input+"    y = relu(x)"),
			"conv(x, x, stride = [1]", "conv is not evaluated, so that the length of stride is not known"},
		{"an operation that nobody knows and nothing invokes", old("fragment f( x: tensor ) -> ( y: tensor ) { y = unheard(x) }", input+"    y = relu(x)"),
			"y = unheard(x);", "the fragment f is not invoked"},
		{"logical items", old("fragment f( x: (tensor, tensor) ) -> ( y: tensor[] ) { y = [idn(x[1])] }", input+"    l = lt(x, 0.0)\n    [k] = f((x, l))\n    y = select(k, x, 1.0)"),
			"fragment f( x: (tensor<scalar>, tensor<logical>) ) -> ( y: tensor<logical>[] )", ""},
	} {
		out, notes, err := attempt(t, c.text, nil)
		if err != nil {
			notes = render(err)
		}
		if (err != nil) != (c.want == "") {
			t.Errorf("%s: %v", c.name, err)
		}
		if !strings.Contains(out, c.want) || !strings.Contains(notes, c.note) || c.note == "" && notes != "" {
			t.Errorf("%s:\n%s\n%s", c.name, out, notes)
		}
	}
	out, _, err := attempt(t, old("", "    x = external(shape = [0, 3]) y = relu(x)"), map[string][]int{"x": {4, 3}})
	if err != nil || !strings.Contains(out, "external(shape = [4, 3])") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestRanks migrates a document of which no shapes are known.
func TestRanks(t *testing.T) {
	doc, err := syntax.Parse("net", []byte(old("", "    x = external(shape = [1, 2, 8, 8]) z = relu(x) y = box(z, size = [2])")), syntax.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g, err := flat.Flatten(doc, flat.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, notes, err := Document(doc, g, nil)
	if err != nil || !strings.Contains(notes.Render(), "the rank of the input of box is not known") {
		t.Errorf("%s %v", notes.Render(), err)
	}
}

// TestUnwritable finishes a document that no text stands for.
func TestUnwritable(t *testing.T) {
	doc, err := syntax.Parse("net", []byte(old("", "    x = external(shape = [1]) y = relu(x)")), syntax.Options{})
	if err != nil {
		t.Fatal(err)
	}
	doc.Graph.Params[0].Name = "a/b"
	m := &migration{doc: doc}
	if out := m.finish(); out != nil || len(m.notes) != 1 || m.notes[0].Code != CodeUnexpanded || m.notes.Err() == nil {
		t.Errorf("%+v %s", out, m.notes.Render())
	}
}

func TestFinal(t *testing.T) {
	doc, err := syntax.Parse("net", []byte("version 1.0;\ngraph net( x ) -> ( y ) { x = external(shape = [1]); y = relu(x); }"), syntax.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var list syntax.Diagnostics
	if _, _, err = Document(doc, nil, nil); !errors.As(err, &list) || list[0].Code != CodeFinal {
		t.Errorf("%v", err)
	}
}

// TestTable holds that every operation of the provisional dialect has a counterpart with all its parameters.
func TestTable(t *testing.T) {
	for _, f := range std.Of(syntax.Provisional).Fragments() {
		successor := std.Successors[f.Name.Name]
		name := cmp.Or(successor.Name, f.Name.Name)
		after, ok := std.Of(syntax.Final).Lookup(name)
		if !ok {
			t.Errorf("%s: there is no operation %s", f.Name.Name, name)
			continue
		}
		has := func(p string) int {
			return slices.IndexFunc(after.Params, func(q syntax.Param) bool { return q.Name.Name == p })
		}
		for i := range f.Params {
			p := f.Params[i].Name.Name
			if to, ok := successor.Params[p]; ok {
				p = to
			}
			if at := has(p); at < 0 || syntax.HoldsTensor(f.Params[i].Type) && at != i {
				t.Errorf("%s: parameter %s", f.Name.Name, p)
			}
		}
		for i := range after.Params {
			p := &after.Params[i]
			given := slices.ContainsFunc(f.Params, func(q syntax.Param) bool {
				return q.Name.Name == p.Name.Name || successor.Params[q.Name.Name] == p.Name.Name
			})
			if !given && p.Default == nil {
				t.Errorf("%s: the final dialect needs %s", f.Name.Name, p.Name.Name)
			}
		}
	}
	for name := range notes {
		if _, ok := std.Of(syntax.Provisional).Lookup(name); !ok {
			t.Errorf("%s is no provisional operation", name)
		}
	}
}

func TestQuantization(t *testing.T) {
	doc, err := syntax.Parse("net", []byte(old("", "    x = external(shape = [1]) yield = relu(x) y = exp(yield)")), syntax.Options{})
	if err != nil {
		t.Fatal(err)
	}
	q, err := syntax.ParseQuant("q", []byte("# codes\n\"yield\": linear_quantize(min = 0.0, max = 1.0, bits = 8)\n'x': logarithmic_quantize(max = 1.0, bits = 4)"),
		syntax.Provisional, syntax.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := syntax.FormatQuant(Quantization(q, Names(doc)))
	want := "# codes\n\"yield_\": linear_quantize(min = 0.0, max = 1.0, bits = 8);\n\"x\": logarithmic_quantize(max = 1.0, bits = 4);\n"
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
	if q.Entries[0].Tensor.Value != "yield" {
		t.Error("the old entries were changed")
	}
}

// FuzzDocument holds that whatever flattens is migrated or refused with a place, and that the result is right again.
func FuzzDocument(f *testing.F) {
	if text, err := os.ReadFile("testdata/net.nnef"); err == nil {
		f.Add(text)
	}
	f.Add([]byte(old("fragment f( x: tensor[], n: extent = 1 ) -> ( y: tensor, s: (tensor, scalar) ) { y = x[n] s = (y, 2.0) }", "x = external(shape = [1, 0]) y, z = f([x, 1.0])")))
	f.Add([]byte(old("fragment f( x: tensor ) -> ( y: tensor ) { y = f(x) if 1 > 2 else [i for i in [x] if true][0] }", "x = external(shape = [1]) y = f(x)")))
	limits := eval.Limits{Depth: 30, Steps: 1 << 14, Items: 1 << 14, Calls: 1 << 9}
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, err := syntax.Parse("fuzz", text, syntax.Options{Limits: syntax.Limits{Bytes: 1 << 16}})
		if err != nil || doc.Dialect != syntax.Provisional {
			return
		}
		g, err := flat.Flatten(doc, flat.Options{Shapes: ranks{}, Limits: limits})
		if err != nil {
			return
		}
		out, notes, err := Document(doc, g, nil)
		var list syntax.Diagnostics
		if err != nil {
			if !errors.As(err, &list) || list.Err() == nil {
				t.Fatalf("%v", err)
			}
			_ = list.Render()
			return
		}
		_ = notes.Render()
		formatted, err := syntax.Format(out)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := syntax.Parse("migrated", formatted, syntax.Options{Strict: true}); err != nil {
			t.Fatalf("%s\n%s", render(err), formatted)
		}
	})
}
