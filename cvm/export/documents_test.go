package export_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/cvm/export"
	"github.com/concord-nn/concord/cvm/params"
	"github.com/concord-nn/concord/cvm/symbol"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata/golden"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// parse reads a document that may use Concord's operators.
func parse(t testing.TB, statements string) *graph.Graph {
	t.Helper()
	g, err := nnef.Parse("test", []byte("version 1.0;\nextension concord_operators;\nextension KHR_enable_fragment_definitions;\n"+statements), nnef.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// small is a model of two layers whose operators have several lowerings: a sum without keepdims, operands of unequal ranks, shifts.
func small(t *testing.T) cvm.Files {
	t.Helper()
	variable := func(name string) symbol.Node { return symbol.Node{Op: "null", Name: name} }
	apply := func(name, operator string, inputs ...int) symbol.Node {
		n := symbol.Node{Op: "cvm_op", Name: name, Attrs: &symbol.NodeAttrs{FuncName: operator}}
		for _, i := range inputs {
			n.Inputs = append(n.Inputs, symbol.Entry{Node: i})
		}
		return n
	}
	s := symbol.Symbol{
		Version: symbol.V110, Postprocess: "argmax",
		Nodes: []symbol.Node{
			variable("data"), variable("weight; 'w'"), variable("bias"),
			apply("conv", "conv2d_7", 0, 1), apply("shift", "cvm_right_shift", 3), apply("act", "relu", 4), apply("sum", "sum", 5),
			apply("bias", "broadcast_add", 6, 2), apply("same", "squeeze", 7),
		},
		Heads: []symbol.Entry{{Node: 8}},
		OpAttrs: []string{"{}", "{}", "{}", `{"channels": "2", "kernel_size": "(2, 2)", "use_bias": "False"}`,
			`{"precision": "8", "shift_bit": "2"}`, "{}", `{"axis": "(-1, -2)"}`, "{}", "{}"},
		Shape:     []tensor.Shape{{3, 2, 3, 3}, {2, 2, 2, 2}, {2}, {3, 2, 2, 2}, {3, 2, 2, 2}, {3, 2, 2, 2}, {3, 2}, {3, 2}, {3, 2}},
		StorageID: []int{0, 1, 2, 3, 3, 3, 4, 5, 5},
		Precision: []int{7, 4, 5, -1, -1, -1, -1, -1, -1},
	}
	weight, err := tensor.FromSlice([]int8{1, 2, 3, 4, -1, -2, -3, -4, 7, -7, 0, 0, 1, 1, 1, 1}, 2, 2, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	bias, err := tensor.FromSlice([]int8{-5, 15}, 2)
	if err != nil {
		t.Fatal(err)
	}
	f, err := cvm.Encode(&s, []params.Param{{Name: "weight; 'w'", Tensor: weight}, {Name: "bias", Tensor: bias}})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestText shows the text form of a model, and takes it back.
func TestText(t *testing.T) {
	f := small(t)
	g, statements, err := export.ToGraph(f)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := graph.PrintForm(&text, g, op.Rules, graph.Form{Extensions: statements}); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, filepath.Join("testdata", "small.nnef"), text.String())
	input := bytes.Repeat([]byte{1, 0xFE, 63, 0xC1, 5, 0x80}, 9)
	roundTrip(t, f, [][]byte{input})
	anew(t, f, [][]byte{input}, true)
}

// TestChanged converts a text whose graph was changed: the statements do not count any more, and that is said.
func TestChanged(t *testing.T) {
	m := throughText(t, small(t))
	changed, err := graph.Rewrite(m.Graph, op.Rules, nil, func(r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error) {
		if n.Op == "relu" {
			return in, nil
		}
		return r.Keep(in)
	})
	if err != nil {
		t.Fatal(err)
	}
	var notes []string
	f, err := export.FromGraph(changed, export.Options{Statements: m.Statements, Note: func(text string) { notes = append(notes, text) }})
	if err != nil {
		t.Fatal(err)
	}
	if len(notes) == 0 || !strings.Contains(notes[0], "made anew") {
		t.Errorf("the notes are %q", notes)
	}
	s, err := symbol.Parse(f.Symbol)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range s.Nodes {
		if n.Attrs != nil && strings.HasPrefix(n.Attrs.FuncName, "relu") {
			t.Error("relu is still there")
		}
	}
	if s.Postprocess != "argmax" {
		t.Errorf("the post-processing is %q", s.Postprocess)
	}
}

// documents are graphs from elsewhere.
var documents = []struct{ name, text string }{
	{"classifier", `
extension concord_type picture int8;
extension concord_type w int8;
extension concord_type c int32;
fragment clamp_precision( x: tensor<integer>, precision: integer ) -> ( y: tensor<integer> );
fragment rescale( x: tensor<integer>, shift: integer, multiplier: integer = 1, rounding: string = 'floor', overflow: string = 'wrap', dtype: string ) -> ( y: tensor<integer> );
graph g( picture ) -> ( score )
{
    picture = external<integer>(shape = [1,1,4,4]);
    w = constant<integer>(shape = [2,1,2,2], value = [1,2,3,4,-1,-2,-3,-4]);
    c = constant<integer>(shape = [1,2], value = [100,-100]);
    a = conv(picture, w, c, padding = [(0,1), (0,1)], stride = [2,2]);
    b = rescale(a, shift = 3, rounding = 'half_up', overflow = 'saturate', dtype = 'int8');
    d = clamp_precision(b, precision = 8);
    e = max_pool(d, size = [1,1,2,2], border = 'ignore', padding = [(0,0), (0,0), (0,0), (0,0)], stride = [1,1,2,2]);
    score = squeeze(e, axes = [2,3]);
}`},
	{"where", `
extension concord_type x int32;
extension concord_type zero int32;
fragment clamp_precision( x: tensor<integer>, precision: integer ) -> ( y: tensor<integer> );
graph g( x ) -> ( y, z )
{
    x = external<integer>(shape = [2,3]);
    zero = constant<integer>(shape = [2,3], value = [0]);
    a = clamp_precision(x, precision = 12);
    b = clamp_precision(x, precision = 4);
    y = select(gt(a, zero), a, b);
    z = min(a, b);
}`},
}

// TestDocuments shows what becomes of graphs from elsewhere.
func TestDocuments(t *testing.T) {
	var b strings.Builder
	for _, d := range documents {
		fmt.Fprintf(&b, "%s\n", d.name)
		f, err := export.FromGraph(parse(t, d.text), export.Options{Note: func(text string) { fmt.Fprintf(&b, "  note: %s\n", text) }})
		if err != nil {
			t.Errorf("%s: %v", d.name, err)
			continue
		}
		s, err := symbol.Parse(f.Symbol)
		if err != nil {
			t.Fatal(err)
		}
		list, err := params.Parse(f.Params)
		if err != nil {
			t.Fatal(err)
		}
		e := 0
		for i, n := range s.Nodes {
			fmt.Fprintf(&b, "  %d %s", i, n.Name)
			outputs := 1
			if n.Attrs != nil {
				fmt.Fprintf(&b, " = %s%v %s", n.Attrs.FuncName, n.Inputs, s.OpAttrs[i])
			}
			for range outputs {
				fmt.Fprintf(&b, "  %v, %d bits, storage %d", s.Shape[e], s.Precision[e], s.StorageID[e])
				e++
			}
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "  outputs %v\n", s.Heads)
		for _, p := range list {
			fmt.Fprintf(&b, "  %s %v\n", p.Name, p.Tensor.Describe())
		}
	}
	golden.Compare(t, filepath.Join("testdata", "documents.txt"), b.String())
}

// TestRefused holds graphs that are no models of CVM to be refused with the node and the reason.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"graph g( x ) -> ( y ) { x = external(shape = [1,2]); y = relu(x); }", "input (value x): its type is float32; CVM computes with integers"},
		{"graph g( x ) -> ( y ) { x = external<integer>(shape = [1,2]); y = relu(x); }", "input (value x): its type is int64; let clamp_precision read it first"},
		{"extension concord_type x int8; graph g( x ) -> ( y ) { x = external<integer>(shape = [1,2]); y = add(x, x); }",
			"add (value y): the result y has 9 bits, which int8 does not hold; cast the operands to int32 first"},
		{"extension concord_type x int32; graph g( x ) -> ( y ) { x = external<integer>(shape = [1,2]); y = add(x, x); }",
			"add (value y): broadcast_add: precision: output 0: the precision is 33; want 1…32"},
		{"extension concord_type x int8; graph g( x ) -> ( y ) { x = external<integer>(shape = [1,1,1,1,1,1,2]); y = relu(x); }",
			"input (value x): limits: the number of dimensions is 7; want 1…6"},
		{"extension concord_type x int8; extension concord_type z int8; graph g( x, z ) -> ( y ) { x = external<integer>(shape = [1,2]); z = external<integer>(shape = [1,2]); y = max(x, z); }",
			"input (value z): a model of CVM has one input, and x is it already"},
		{"extension concord_type x int16; extension concord_type w int8; graph g( x ) -> ( y ) { x = external<integer>(shape = [1,2]); w = constant<integer>(shape = [3,2], value = [1]); y = linear(x, w); }",
			"linear (value y): operand 0 has 16 bits; CVM multiplies at most 8 here. Rescale it, or bound it with clamp_precision"},
		{"extension concord_type x int8; fragment cumulative_sum( input: tensor<integer>, axis: integer, exclusive: logical = false, reversed: logical = false ) -> ( output: tensor<integer> ); graph g( x ) -> ( y ) { x = external<integer>(shape = [1,2]); y = cumulative_sum(x, axis = 1); }",
			"cumulative_sum (value y): CVM has no operator that does this"},
		{"extension concord_type x int8; graph g( x ) -> ( t ) { x = external<integer>(shape = [1,2]); y = copy(x); z = ne(x, y); t = select(z, x, x); }", "ne (value z): CVM compares with 0 only"},
		{"extension concord_type x int8; extension concord_type s int8; graph g( x ) -> ( y ) { x = external<integer>(shape = [1,2]); s = variable<integer>(shape = [1,2], label = 's'); y = max(x, s); t = update(s, y); }",
			"state (value s): CVM keeps no values between runs"},
		{"graph g() -> ( y ) { y = constant<integer>(shape = [2], value = [1,2]); }", "graph: it has no input; a model of CVM has one, data"},
	} {
		g, err := nnef.Parse("test", []byte("version 1.0;\nextension concord_operators;\nextension KHR_enable_fragment_definitions;\n"+c.text), nnef.Options{
			Variables: func(string) (*tensor.Tensor, error) { return tensor.FromSlice([]int8{1, 2}, 1, 2) }})
		if err != nil {
			t.Fatalf("%s is no document: %v", c.text, err)
		}
		_, err = export.FromGraph(g, export.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\ngives %v\nin place of %s", c.text, err, c.want)
		}
	}
}

// symbolOf is the extension statement of a symbol.
func symbolOf(t testing.TB, s *symbol.Symbol) string {
	t.Helper()
	text, err := s.AppendText(nil)
	if err != nil {
		t.Fatal(err)
	}
	return "concord_cvm " + graph.QuoteText(string(text))
}

// TestStatements holds broken statements to be refused with what they must be.
func TestStatements(t *testing.T) {
	g := parse(t, "extension concord_type x int8; graph g( x ) -> ( y ) { x = external<integer>(shape = [1,2]); y = relu(x); }")
	for _, c := range []struct{ statement, want string }{
		{"concord_cvm", "there must be one text in quotes, a symbol"},
		{"concord_cvm '{}", "there must be one text in quotes, a symbol"},
		{"concord_cvm '{}' 1", "there must be one text in quotes, a symbol"},
		{"concord_cvm '{}'", "extension concord_cvm: 1:1: nodes: the key is missing"},
		{`concord_cvm '{"nodes": [x'`, `extension concord_cvm: 1:12: node 0: nodes: found "x"`},
	} {
		_, err := export.FromGraph(g, export.Options{Statements: []string{c.statement}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s gives %v in place of %s", c.statement, err, c.want)
		}
	}
}

// TestOtherSymbols holds statements that are no model of the graph not to count, but for the post-processing.
func TestOtherSymbols(t *testing.T) {
	g := parse(t, "extension concord_type x int8; graph g( x ) -> ( y ) { x = external<integer>(shape = [1,2]); y = relu(x); }")
	model, err := export.FromGraph(g, export.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if g, err = cvm.Formal(model); err != nil {
		t.Fatal(err)
	}
	s := symbol.Symbol{
		Version: symbol.V110, Nodes: []symbol.Node{{Op: "null", Name: "data"}, {Op: "cvm_op", Name: "y", Inputs: []symbol.Entry{{}}, Attrs: &symbol.NodeAttrs{FuncName: "relu"}}},
		Heads: []symbol.Entry{{Node: 1}}, OpAttrs: []string{"{}", "{}"}, Shape: []tensor.Shape{{1, 2}, {1, 2}}, StorageID: []int{3, 7}, Precision: []int{8, -1},
	}
	for _, c := range []struct {
		note   string
		change func(s *symbol.Symbol)
	}{
		{"", func(*symbol.Symbol) {}},
		{"the graph has no output", func(s *symbol.Symbol) { s.Heads = nil }},
		{"the graph has no entry [2, 0]", func(s *symbol.Symbol) { s.Heads = []symbol.Entry{{Node: 2}} }},
		{`there is no operator "relu0"`, func(s *symbol.Symbol) { s.Nodes[1].Attrs = &symbol.NodeAttrs{FuncName: "relu0"} }},
		{"y is not the result of the same operator", func(s *symbol.Symbol) { s.Nodes[1].Attrs = &symbol.NodeAttrs{FuncName: "abs"} }},
		{"the outputs differ in number", func(s *symbol.Symbol) { s.Heads = []symbol.Entry{{Node: 1}, {Node: 1}} }},
	} {
		other, notes := s, ""
		other.Nodes, other.Postprocess = slices.Clone(s.Nodes), "argmax"
		c.change(&other)
		f, err := export.FromGraph(g, export.Options{Statements: []string{symbolOf(t, &other)}, Note: func(note string) { notes += note + "\n" }})
		if err != nil {
			t.Fatal(err)
		}
		got, err := symbol.Parse(f.Symbol)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(notes, c.note) || strings.Contains(notes, "made anew") != (c.note != "") || (got.StorageID[1] == 7) != (c.note == "") || got.Postprocess != "argmax" {
			t.Errorf("%q gives the note %q, the storages %v and the post-processing %s", c.note, notes, got.StorageID, got.Postprocess)
		}
	}
}

// FuzzStatements holds any statements to give a model or an error.
func FuzzStatements(f *testing.F) {
	f.Add(`concord_cvm '{"nodes":[{"op":"null","name":"data","inputs":[]},{"op":"cvm_op","name":"y","inputs":[[0,0,0]],"attrs":{"func_name":"relu"}}],` +
		`"heads":[[1,0,0]],"attrs":{"op_attrs":["list_str",["{}","{}"]],"shape":["list_shape",[[1,2],[1,2]]],"precision":["list_int",[8,-1]],"storage_id":["list_int",[0,0]]},"version":"cvm_1.1.0"}'`)
	f.Add(`concord_cvm "{\x20\n"`)
	f.Fuzz(func(t *testing.T, text string) {
		g := parse(t, "extension concord_type x int8; graph g( x ) -> ( y ) { x = external<integer>(shape = [1,2]); y = relu(x); }")
		files, err := export.FromGraph(g, export.Options{Statements: strings.Split(text, "\n")})
		if err != nil {
			return
		}
		if _, err := cvm.Admit(files, cvm.Options{}); err != nil {
			t.Error(err)
		}
	})
}
