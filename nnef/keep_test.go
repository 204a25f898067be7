package nnef_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/nnef/container"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/nnef/tensorfile"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// built loads a model of a file system.
func built(t *testing.T, files fstest.MapFS, opts nnef.Options) *nnef.Model {
	t.Helper()
	f, err := nnef.OpenFS(files, ".", opts)
	if err != nil {
		t.Fatal(err)
	}
	m, err := f.Model()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestModelSave keeps what the quantization file says about tensors that are no codes, and the codes of variables that are
// decoded when they are loaded.
func TestModelSave(t *testing.T) {
	const text = `version 1.0;

graph g( x ) -> ( y, z )
{
    x = external<scalar>(shape = [2]);
    s = variable<scalar>(shape = [2], label = 'codes');
    w = variable<scalar>(shape = [2], label = 'w');
    log = variable<scalar>(shape = [2], label = 'log');
    half = variable<scalar>(shape = [2], label = 'half');
    a = mul(x, w);  # float32[2]
    b = mul(a, log);  # float32[2]
    y = add(b, s);  # float32[2]
    z = mul(y, half);  # float32[2]
    s_next = update(s, y);
}
`
	const quant = `"a": zero_point_linear_quantize(zero_point = 1, scale = [0.5, 0.25], bits = 4, signed = true, symmetric = false);
"half": linear_quantize(min = 0.0, max = 1.0, bits = 4);
"log": logarithmic_quantize(max = 1.0, bits = 8);
"s": linear_quantize(min = -1.0, max = 254.0, bits = 8);
"x": min_max_linear_quantize(min = 0.0, max = 1.0, bits = 1, signed = false, symmetric = false);
"y": logarithmic_quantize(max = 4.0, bits = 8);
`
	half, err := tensor.Cast(vector(t, 1.5, -2), tensor.Float16)
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{
		"graph.nnef": {Data: []byte(text)}, "graph.quant": {Data: []byte(quant)},
		"codes.dat": {Data: dataFile(tensorfile.QuantizedUnsigned, 0, 0, 4, 255)}, "half.dat": {Data: encoded(t, half)},
		"log.dat": {Data: dataFile(tensorfile.QuantizedUnsigned, 0, 0, 254, 255)}, "w.dat": {Data: encoded(t, vector(t, 1, 2))},
	}
	for _, name := range []string{"m", "m.tar", "m.nnef.tgz"} {
		path := filepath.Join(t.TempDir(), name)
		if err := built(t, files, nnef.Options{}).Save(path); err != nil {
			t.Fatal(err)
		}
		c, err := container.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := strings.Join(c.Names(), " "), "codes.dat graph.nnef graph.quant half.dat log.dat w.dat"; got != want {
			t.Errorf("%s: the files are %s; want %s", name, got, want)
		}
		for _, member := range c.Names() {
			got, err := c.ReadFile(member)
			if err != nil || !bytes.Equal(got, files[member].Data) {
				t.Errorf("%s: %s is %q, %v; want %q", name, member, got, err, files[member].Data)
			}
		}
		c.Close()
	}
	// What rounds tensors while the model runs is said by the graph then.
	m := built(t, files, nnef.Options{Quantize: true})
	dir := t.TempDir()
	if err := m.Save(dir); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "graph.quant"))
	if err != nil || bytes.Count(got, []byte{'\n'}) != 2 || !bytes.Contains(got, []byte(`"log"`)) || !bytes.Contains(got, []byte(`"s"`)) {
		t.Errorf("with Quantize, graph.quant is %q, %v", got, err)
	}
	again, err := nnef.Load(dir, nnef.Options{Quantize: true})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if got, want := len(again.Graph.Nodes), len(m.Graph.Nodes); got != want {
		t.Errorf("with Quantize, %d nodes are read; want %d", got, want)
	}
}

// TestTextSave keeps the quantization file of a model that the standard cannot say.
func TestTextSave(t *testing.T) {
	const quant = "\"a\": linear_quantize(min = 0.0, max = 1.0, bits = 8);\n\"x\": linear_quantize(min = -1.0, max = 1.0, bits = 4);\n"
	files := fstest.MapFS{
		"graph.nnef": {Data: []byte("version 1.0;\nextension concord_operators;\ngraph g( x ) -> ( y ) {\n x = external(shape = [2]);\n" +
			" c = constant(shape = [], value = [2.0]);\n a = mul(x, c);\n y = gelu(a, approximate = 'tanh');\n}")},
		"graph.quant": {Data: []byte(quant + `"c": linear_quantize(min = 0.0, max = 1.0, bits = 8);`)}, // c is written where it is used
	}
	dir := t.TempDir()
	if err := built(t, files, nnef.Options{}).Save(dir); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "graph.quant"))
	if err != nil || string(got) != quant {
		t.Errorf("graph.quant is %q, %v", got, err)
	}
	m, err := nnef.Load(dir, nnef.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m.Close()
}

// TestSaveNames keeps names and labels of every character, states that no run changes, and states of one label.
func TestSaveNames(t *testing.T) {
	b := graph.NewBuilder(op.Rules, "names")
	must := func(v *graph.Value, err error) *graph.Value {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	x := must(b.Input("größe;  'a'\n\"\\", graph.Type{DType: tensor.Float32, Shape: tensor.Shape{2}}))
	first := must(b.State("s", "w", vector(t, 1, 2)))
	second := must(b.State("r", "w", vector(t, 1, 2)))
	w := must(b.Constant("c", "w", vector(t, 1, 2)))
	for i, v := range []*graph.Value{first, second, w} {
		x = must(b.One("add", []*graph.Value{x, v}, nil, []string{"plain", "über; \xff", "it's"}[i]))
	}
	if err := b.Output("y\t", x); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	m := reload(t, g, "m")
	if m.Graph.Inputs[0].Name != g.Inputs[0].Name || m.Graph.Outputs[0].Name != g.Outputs[0].Name || len(m.Graph.States) != 2 {
		t.Errorf("got\n%s", graph.Text(m.Graph, op.Rules))
	}
	for i, n := range g.Nodes {
		if got := m.Graph.Nodes[i].Label; got != n.Label {
			t.Errorf("the label %q is read as %q", n.Label, got)
		}
	}
	checkArchives(t, g)
}

// checkArchives holds a graph to the same bytes when it is written twice, and when what was read is written.
func checkArchives(t *testing.T, g *graph.Graph) {
	t.Helper()
	archive := func(g *graph.Graph) []byte {
		t.Helper()
		var b bytes.Buffer
		if err := nnef.WriteArchive(&b, g, false); err != nil {
			t.Fatalf("%v\n%s", err, graph.Text(g, op.Rules))
		}
		return b.Bytes()
	}
	first := archive(g)
	if !bytes.Equal(first, archive(g)) {
		t.Fatalf("the same graph gives other bytes:\n%s", graph.Text(g, op.Rules))
	}
	files := unpacked(t, first)
	m, err := loadFS(files, ".")
	if err != nil {
		t.Fatalf("%v\n%s", err, files["graph.nnef"].Data)
	}
	if again := archive(m.Graph); !bytes.Equal(first, again) {
		t.Fatalf("what was read gives other bytes; it was\n%s\nand is\n%s", files["graph.nnef"].Data, graph.Text(m.Graph, op.Rules))
	}
}

// TestSaveGenerated holds random graphs of several operators to surviving.
func TestSaveGenerated(t *testing.T) {
	for seed := range 200 {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		checkArchives(t, unaryGraph(t, r))
	}
}

// unaryGraph returns a random graph of operators on tensors of one shape, with shared constants and states.
func unaryGraph(t *testing.T, r *rand.Rand) *graph.Graph {
	t.Helper()
	b := graph.NewBuilder(op.Rules, fmt.Sprint("g", r.IntN(100)))
	pool := []*graph.Value{}
	add := func(v *graph.Value, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		pool = append(pool, v)
	}
	names := []string{"x", "x_2", "a b", "add1", "état"}
	add(b.Input(names[r.IntN(5)], graph.Type{DType: tensor.Float32, Shape: tensor.Shape{2}}))
	for range r.IntN(3) {
		add(b.Constant(names[r.IntN(5)], []string{"", "w", "W"}[r.IntN(3)], vector(t, float32(r.IntN(2)), 1)))
	}
	states := len(pool)
	for range r.IntN(3) {
		add(b.State(names[r.IntN(5)], []string{"", "w", "W"}[r.IntN(3)], vector(t, float32(r.IntN(2)), 1)))
	}
	inner := len(pool)
	pick := func() *graph.Value { return pool[r.IntN(len(pool))] }
	for range 1 + r.IntN(5) {
		if r.IntN(2) == 0 {
			add(b.One([]string{"add", "mul", "max"}[r.IntN(3)], []*graph.Value{pick(), pick()}, nil, ""))
		} else {
			add(b.One([]string{"relu", "copy", "gelu", "abs"}[r.IntN(4)], []*graph.Value{pick()}, nil, "", names[r.IntN(5)]))
		}
	}
	for _, s := range pool[states:inner] {
		if r.IntN(3) > 0 {
			if err := b.Update(s, pick()); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range 1 + r.IntN(3) {
		if err := b.Output([]string{"y", "x", "x_2", "état"}[r.IntN(4)]+[]string{"", "b", "c"}[i], pick()); err != nil {
			t.Fatal(err)
		}
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestSaveDocuments holds the graphs of the shared documents to surviving.
func TestSaveDocuments(t *testing.T) {
	for _, folder := range []string{"parse", "numeric"} {
		names, err := filepath.Glob(filepath.Join(testdata.Shared(t, "conformance", "nnef", folder), "*.nnef"))
		if err != nil || len(names) == 0 {
			t.Fatalf("there are no documents: %v", err)
		}
		names = testdata.Some(names, 2)
		count := 0
		for _, name := range names {
			if g := documentGraph(t, name); g != nil {
				checkRoundTrip(t, g)
				checkArchives(t, g)
				count++
			}
		}
		if count < len(names)/3 {
			t.Errorf("%s: only %d of %d documents have graphs", folder, count, len(names))
		}
	}
}

// documentGraph returns the graph of a document, with invented data, or nil if it has none.
func documentGraph(t *testing.T, name string) *graph.Graph {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := nnef.OpenText(name, text, nnef.Options{})
	if err != nil {
		return nil
	}
	fg, err := f.Flatten(flat.User)
	if err != nil {
		return nil
	}
	data := make(map[string]*tensor.Tensor)
	for _, o := range fg.Ops {
		if o.Name() != "variable" {
			continue
		}
		result := o.Outputs()[0]
		d := map[syntax.Primitive]tensor.DType{syntax.Integer: tensor.Int64, syntax.Logical: tensor.Bool}[result.Type]
		if d == tensor.Invalid {
			d = tensor.Float32
		}
		label, _ := o.Arg("label").(string)
		if data[label], err = tensor.New(d, result.Shape); err != nil {
			t.Fatal(err)
		}
	}
	g, err := nnef.Parse(name, text, nnef.Options{Variables: func(label string) (*tensor.Tensor, error) { return data[label], nil }})
	if err != nil {
		return nil
	}
	return g
}

// TestSaveProperties keeps the properties of a model.
func TestSaveProperties(t *testing.T) {
	const text = `version 1.0;
extension tract_registry tract_core;
fragment same( x: tensor<scalar> ) -> ( y: tensor<scalar> )
{
    y = x;
}
fragment tract_core_properties() -> ( properties: (string, tensor<scalar>)[] )
{
    properties = [("tract_nnef_ser_version", "0.21"), ("a; 'b'", "größe"), ("size", tract_core_cast(8, to = "i64"))];
}
graph g( x ) -> ( y )
{
    x = tract_core_external(shape = [2], datum_type = "f32");
    y = relu(x);
}
`
	m := built(t, fstest.MapFS{"graph.nnef": {Data: []byte(text)}}, nnef.Options{})
	dir := t.TempDir()
	if err := m.Save(dir); err != nil {
		t.Fatal(err)
	}
	again, err := nnef.Load(dir, nnef.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if len(m.Properties) != 3 || !maps.Equal(again.Properties, m.Properties) {
		t.Errorf("the properties are %q; want %q", again.Properties, m.Properties)
	}
	if found := again.Warnings; len(found) > 0 {
		t.Errorf("the saved document has findings: %v", found)
	}
	none, _, _ := strings.Cut(text, `[("tract`)
	_, rest, _ := strings.Cut(text, "];")
	if m := built(t, fstest.MapFS{"graph.nnef": {Data: []byte(none + `"none";` + rest)}}, nnef.Options{}); m.Properties != nil {
		t.Errorf("the properties are %q", m.Properties)
	}
}

// TestStatements keeps the extension statements that other packages read.
func TestStatements(t *testing.T) {
	g, err := nnef.Parse("text", []byte("version 1.0;\ngraph g( x ) -> ( y ) { x = external(shape = [2]); y = relu(x); }"), nnef.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"concord_cvm 'a; \\'b\\'' ''", "concord_cvm \"\\n\\x3b\" 1,2", "concord_cvm"}
	first, second := filepath.Join(t.TempDir(), "first"), filepath.Join(t.TempDir(), "second")
	if err := nnef.Save(first, g, want...); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{first, second} {
		m, err := nnef.Load(dir, nnef.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		if !slices.Equal(m.Statements, want) {
			t.Errorf("the statements are %q; want %q", m.Statements, want)
		}
		if dir == first {
			if err := m.Save(second); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestBrokenStatements refuses extension statements that say nothing.
func TestBrokenStatements(t *testing.T) {
	for _, statement := range []string{"concord_label y", "concord_label 'y' 'z' 'w'", "concord_label y \"\\q\"", "concord_property 'a'", "concord_name 'a b' 'c'"} {
		text := "version 1.0;\nextension concord_operators;\nextension " + statement + ";\ngraph g( x ) -> ( y ) { x = external(shape = [2]); y = relu(x); }"
		if _, err := nnef.Parse("text", []byte(text), nnef.Options{}); err == nil || !strings.Contains(err.Error(), "is broken") {
			t.Errorf("%s: got %v", statement, err)
		}
	}
}

// unpacked returns the files of an archive.
func unpacked(t *testing.T, archive []byte) fstest.MapFS {
	t.Helper()
	c, err := container.ReadArchive(bytes.NewReader(archive), container.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	for _, name := range c.Names() {
		data, err := c.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: data}
	}
	return files
}
