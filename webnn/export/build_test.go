package export_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testdata/golden"
	"github.com/concord-nn/concord/internal/testing/exported"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn/export"
)

// parse reads an NNEF document.
func parse(t testing.TB, statements string) *graph.Graph {
	t.Helper()
	g, err := nnef.Parse("test", []byte("version 1.0;\n"+statements), nnef.Options{Lenient: true})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestTable holds the table to have a row for each operator, in their order, with what a reader needs.
func TestTable(t *testing.T) {
	rows := export.Table()
	all := op.All()
	if len(rows) != len(all) {
		t.Fatalf("there are %d rows for %d operators", len(rows), len(all))
	}
	for i, r := range rows {
		if r.Op != all[i].Name {
			t.Errorf("row %d is of %s; it must be of %s", i, r.Op, all[i].Name)
		}
		if r.To == "" && r.Form != kit.Body || r.Form == kit.Body && all[i].Body == "" && all[i].Expand == nil {
			t.Errorf("%s: the row does not say what the operator becomes", r.Op)
		}
		if r.Form == kit.Direct && all[i].Spec.WebNN != "" && r.To != all[i].Spec.WebNN {
			t.Errorf("%s becomes %s; the definition of the operator names %s", r.Op, r.To, all[i].Spec.WebNN)
		}
	}
}

// TestRefusals holds an error to list everything that cannot be expressed, and nothing that merely depends on it.
func TestRefusals(t *testing.T) {
	n := exported.NewNet(t, "refused")
	x := n.Input("x", tensor.Float32, 1, 2, 8, 8)
	rois := n.Input("rois", tensor.Float32, 3, 4)
	batch := n.Input("batch", tensor.Int32, 3)
	odd := n.Input("odd", tensor.Int16, 2)
	size := graph.AttrsOf("output_size", []int{2, 2})
	pooled := n.Labelled("first", "avg_roi_pool", size, x, rois, batch)
	other := n.Labelled("second", "max_roi_pool", size, x, rois, batch)
	_, err := export.New(n.Graph(n.Node("relu", nil, pooled), other, n.Labelled("follows", "neg", nil, odd)), export.Options{})
	var refused *export.Error
	if !errors.As(err, &refused) {
		t.Fatalf("the error is %v", err)
	}
	var places []string
	for _, r := range refused.Refusals {
		places = append(places, r.Op+" "+r.Label+" "+r.Value)
	}
	want := []string{"input  odd", "avg_roi_pool first " + pooled.Name, "max_roi_pool second " + other.Name}
	if !slices.Equal(places, want) {
		t.Errorf("refused is %q; want %q", places, want)
	}
	if text := err.Error(); !strings.Contains(text, "avg_roi_pool [first]") || !strings.Contains(text, "int16") {
		t.Errorf("the message is %q", text)
	}
}

// TestStates refuses values that persist between runs.
func TestStates(t *testing.T) {
	n := exported.NewNet(t, "states")
	s := n.Must(n.B.State("s", "", tensor.Scalar(float32(0))))
	y := n.Node("cos", nil, s)
	n.Check(n.B.Update(s, y))
	_, err := export.New(n.Graph(y), export.Options{})
	if err == nil || !strings.Contains(err.Error(), "state (value s)") {
		t.Errorf("the error is %v", err)
	}
}

// TestPorts holds inputs and outputs to their names, also where a graph returns what WebNN does not: inputs, constants, and one
// value twice.
func TestPorts(t *testing.T) {
	n := exported.NewNet(t, "ports")
	x := n.Input("x", tensor.Bool, 2)
	n.Input("unused", tensor.Float32, 3)
	not := n.Node("not", nil, x)
	n.Labelled("dead", "not", nil, not)
	for name, v := range map[string]*graph.Value{"input": x, "constant": n.Constant("k", tensor.Scalar(float32(0.1))), "not": not, "again": not} {
		n.Output(name, v)
	}
	g := n.Graph()
	m := model(t, g)
	if len(m.Inputs) != 1 || m.Inputs[0].Name != "x" || m.Inputs[0].DataType != tensor.Uint8 {
		t.Errorf("the inputs are %v", m.Inputs)
	}
	if len(m.Outputs) != 4 {
		t.Errorf("the outputs are %v", m.Outputs)
	}
	nots := 0
	for _, c := range m.Session.Calls {
		if c.Method == "logicalNot" {
			nots++
		}
	}
	if nots != 1 {
		t.Errorf("%d nodes are exported; an output depends on one", nots)
	}
	exported.Same(t, replayed(t, m), g, exported.Inputs(g, 1))
}

// TestEqualConstants stores equal constants once.
func TestEqualConstants(t *testing.T) {
	g := parse(t, `graph g( x ) -> ( y ) {
		x = external(shape = [4]);
		a = constant(shape = [4], value = [1.0, 2.0, 3.0, 4.0]); b = constant(shape = [4], value = [1.0, 2.0, 3.0, 4.0]);
		y = (x + a) * b; }`)
	f, err := model(t, g).Files("weights.bin")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(testdata.Written(t, f.Weights)); n != 16 {
		t.Errorf("the weights have %d bytes; want 16", n)
	}
}

// TestDocumentation holds the table in the documentation to that in the source.
func TestDocumentation(t *testing.T) { golden.Table(t, "webnn-export.md", table()) }

// table writes the table in Markdown.
func table() string {
	var b strings.Builder
	b.WriteString("\n| operator | becomes | bits | besides |\n| --- | --- | --- | --- |\n")
	for _, r := range export.Table() {
		to, bits := r.To, "equal"
		if r.Form == kit.Body {
			to = "its body"
		}
		switch {
		case r.Form == kit.Refused:
			to, bits = "refused: "+to, ""
		case r.Tolerance > 0:
			bits = fmt.Sprintf("within %g", r.Tolerance)
			if r.Form == kit.Direct {
				bits = "equal, else " + bits
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.Op, to, bits, r.Note)
	}
	b.WriteString("\n")
	return b.String()
}

// TestHugeWindows refuses what would take memory without measure to write out, and does so at once.
func TestHugeWindows(t *testing.T) {
	testdata.Wide(t)
	const huge = 1 << 30
	for _, c := range []struct {
		op    string
		shape []int
		attrs graph.Attrs
	}{
		{"box", []int{4}, graph.Attrs{{Name: "size", Value: []int{huge}}, {Name: "padding", Value: []int{huge, huge}}}},
		{"max_pool", []int{4, 4, 4}, graph.Attrs{{Name: "size", Value: []int{1 << 15, 1 << 15, 1}}, {Name: "padding", Value: []int{huge, 0, 1 << 15, 0, 0, 0}}}},
		{"argmax_pool", []int{4, 4, 4}, graph.Attrs{{Name: "size", Value: []int{1 << 10, 1 << 10, 1 << 10}}, {Name: "border", Value: "reflect"},
			{Name: "padding", Value: []int{1 << 10, 0, 1 << 10, 0, 1 << 10, 0}}}},
		{"pad", []int{4}, graph.Attrs{{Name: "padding", Value: []int{huge, huge}}, {Name: "border", Value: "reflect-even"}}},
		{"resample", []int{1 << 20}, graph.Attrs{{Name: "sizes", Value: []int{huge}}, {Name: "scales", Value: []float64{1000}}}},
		{"multilinear_upsample", []int{1, 1, 1 << 20}, graph.Attrs{{Name: "factor", Value: []int{1 << 10}}, {Name: "method", Value: "aligned"}}},
	} {
		t.Run(c.op, func(t *testing.T) {
			n := exported.NewNet(t, "huge")
			m, err := export.New(n.Graph(n.Node(c.op, c.attrs, n.Input("x", tensor.Float32, c.shape...))), export.Options{})
			var refused *export.Error
			if err != nil && !errors.As(err, &refused) {
				t.Errorf("the error is %v", err)
			}
			if err == nil && len(m.Session.Calls) > 100 {
				t.Errorf("there are %d calls", len(m.Session.Calls))
			}
		})
	}
}
