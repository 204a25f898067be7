package pass

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

var update = flag.Bool("update", false, "write the golden files anew")

type net struct {
	tb testing.TB
	*graph.Builder
}

func (n net) input(name string, d tensor.DType, shape ...int) *graph.Value {
	v, err := n.Input(name, graph.Type{DType: d, Shape: shape})
	return n.ok(v, err)
}

func (n net) constant(d tensor.DType, values []float32, shape ...int) *graph.Value {
	t, err := tensor.FromSlice(values, shape...)
	if err == nil {
		t, err = tensor.Cast(t, d)
	}
	if err != nil {
		n.tb.Fatal(err)
	}
	v, err := n.Constant("", "", t)
	return n.ok(v, err)
}

func (n net) op(name string, attrs graph.Attrs, in ...*graph.Value) *graph.Value {
	n.tb.Helper()
	v, err := n.One(name, in, attrs, "")
	return n.ok(v, err)
}

func (n net) output(name string, v *graph.Value) {
	if err := n.Output(name, v); err != nil {
		n.tb.Fatal(err)
	}
}

func (n net) ok(v *graph.Value, err error) *graph.Value {
	n.tb.Helper()
	if err != nil {
		n.tb.Fatal(err)
	}
	return v
}

func ints(name string, values ...int) graph.Attrs { return graph.Attrs{{Name: name, Value: values}} }

// goldens are graphs, with the passes whose effect on them is written down. After the passes dead nodes are removed.
var goldens = []struct {
	name   string
	passes []string
	build  func(n net)
}{
	{"identities", []string{"canonicalise"}, func(n net) {
		x, k, b := n.input("x", tensor.Float32, 2, 3), n.input("k", tensor.Int32, 2, 3), n.input("b", tensor.Bool, 4)
		n.output("copy", n.op("neg", nil, n.op("copy", nil, x)))
		n.output("expand", n.op("neg", nil, n.op("expand", ints("shape", 2, 3), x)))
		n.output("tile", n.op("neg", nil, n.op("tile", ints("repeats", 1, 1), x)))
		n.output("concat", n.op("neg", nil, n.op("concat", graph.Attrs{{Name: "axis", Value: 0}}, x)))
		n.output("pad", n.op("neg", nil, n.op("pad", ints("padding", 0, 0, 0, 0), x)))
		n.output("slice", n.op("neg", nil, n.op("slice", graph.Attrs{{Name: "axes", Value: []int{0, 1}},
			{Name: "begin", Value: []int{0, 0}}, {Name: "end", Value: []int{2, 0}}}, x)))
		n.output("cast", n.op("neg", nil, n.op("cast", graph.Attrs{{Name: "dtype", Value: tensor.Int32}}, k)))
		n.output("cast_sum", n.op("neg", nil, n.op("cast", graph.Attrs{{Name: "dtype", Value: tensor.Float32}}, n.op("add", nil, x, x))))
		n.output("not", n.op("not", nil, n.op("not", nil, n.op("not", nil, b))))
	}},
	{"kept", []string{"canonicalise"}, func(n net) {
		x := n.input("x", tensor.Float32, 2, 3)
		n.output("cast", n.op("cast", graph.Attrs{{Name: "dtype", Value: tensor.Float32}}, x)) // makes NaNs canonical
		half := n.op("cast", graph.Attrs{{Name: "dtype", Value: tensor.Float16}}, x)
		n.output("rounded", n.op("cast", graph.Attrs{{Name: "dtype", Value: tensor.Float32}}, half))
		n.output("reversed", n.op("slice", graph.Attrs{{Name: "axes", Value: []int{0}}, {Name: "begin", Value: []int{-1}},
			{Name: "end", Value: []int{-3}}, {Name: "stride", Value: []int{-1}}}, x))
		n.output("shifted", n.op("pad", ints("padding", 1, -1, 0, 0), x))
		n.output("negated", n.op("neg", nil, n.op("neg", nil, x))) // makes NaNs canonical
	}},
	{"reshapes", []string{"canonicalise"}, func(n net) {
		x := n.input("x", tensor.Float32, 2, 6)
		a := n.op("reshape", ints("shape", 3, 4), x)
		n.output("chain", n.op("neg", nil, n.op("unsqueeze", ints("axes", 0), n.op("copy", nil, n.op("reshape", ints("shape", 4, 3), a)))))
		n.output("back", n.op("neg", nil, n.op("squeeze", ints("axes", 1), n.op("reshape", ints("shape", 2, 1, 6), a))))
		n.output("both", n.op("neg", nil, a))
		empty := n.op("reshape", ints("shape", 0, 3), n.input("empty", tensor.Float32, 0, 3))
		n.output("none", n.op("unsqueeze", ints("axes", 0), n.op("unsqueeze", ints("axes", 0), empty)))
	}},
	{"transposes", []string{"canonicalise"}, func(n net) {
		x := n.input("x", tensor.Float32, 2, 3, 4)
		a := n.op("transpose", ints("axes", 2, 0, 1), x)
		n.output("joined", n.op("transpose", ints("axes", 1, 0), a))
		n.output("undone", n.op("neg", nil, n.op("transpose", ints("axes", 1, 2, 0), a)))
		n.output("nothing", n.op("neg", nil, n.op("transpose", ints("axes", 0, 1), x)))
		n.output("reshape", n.op("transpose", ints("axes", 1, 2, 0, 3), n.op("unsqueeze", ints("axes", 0), x)))
		y := n.input("y", tensor.Float32, 1, 5, 1)
		n.output("still", n.op("neg", nil, n.op("transpose", ints("axes", 2, 1, 0), y)))
	}},
	{"widen", []string{"widen"}, func(n net) {
		x, y := n.input("x", tensor.Float16, 2), n.input("y", tensor.BFloat16, 2)
		sum := n.op("add", nil, x, x)
		n.output("exp", n.op("exp", nil, sum))
		n.output("moved", n.op("reshape", ints("shape", 2, 1), sum))
		n.output("compared", n.op("lt", nil, x, sum))
		n.output("scaled", n.op("mul", nil, y, n.constant(tensor.BFloat16, []float32{3}, 1)))
	}},
	{"fold", []string{"fold"}, func(n net) {
		x := n.input("x", tensor.Float32, 2, 2)
		c := n.constant(tensor.Float32, []float32{1, 2, 3, 4}, 2, 2)
		flipped := n.op("transpose", ints("axes", 1, 0), n.op("add", nil, c, c))
		n.output("sum", n.op("add", nil, x, flipped))
		n.output("constant", n.op("reshape", ints("shape", 4), c))
		n.output("expanded", n.op("tile", ints("repeats", 300, 300), c))
	}},
	{"widen_fold", []string{"canonicalise", "widen", "fold"}, func(n net) {
		x := n.input("x", tensor.Float16, 2)
		n.output("y", n.op("add", nil, x, n.op("neg", nil, n.constant(tensor.Float16, []float32{1, 0.1}, 2))))
	}},
	{"share", []string{"share"}, func(n net) {
		x, y := n.input("x", tensor.Float32, 2), n.input("y", tensor.Float32, 2)
		a, b := n.op("add", nil, x, y), n.op("add", nil, x, y)
		n.output("same", n.op("mul", nil, n.op("neg", nil, a), n.op("neg", nil, b)))
		n.output("swapped", n.op("add", nil, y, x))
		n.output("twice", b)
		k := n.input("k", tensor.Int8, 2)
		n.output("wraps", n.op("add", graph.Attrs{{Name: "overflow", Value: "wrap"}}, k, k))
		n.output("saturates", n.op("add", graph.Attrs{{Name: "overflow", Value: "saturate"}}, k, k))
	}},
	{"dead", []string{"dead"}, func(n net) {
		x := n.input("x", tensor.Float32, 3)
		n.input("unused", tensor.Float32, 1)
		n.op("neg", nil, n.op("add", nil, x, n.constant(tensor.Float32, []float32{1}, 1)))
		parts, err := n.Node("split", []*graph.Value{x}, graph.Attrs{{Name: "axis", Value: 0}, {Name: "ratios", Value: []int{1, 2}}}, "")
		if err != nil {
			n.tb.Fatal(err)
		}
		n.output("part", parts[1])
		init, _ := tensor.FromSlice([]float32{0, 0, 0}, 3)
		s, err := n.State("count", "", init)
		if err == nil {
			err = n.Update(n.ok(s, err), n.op("add", nil, s, x))
		}
		if err != nil {
			n.tb.Fatal(err)
		}
	}},
}

// TestGolden compares the text of graphs before and after passes with files. Run with -update to write them.
func TestGolden(t *testing.T) {
	for _, c := range goldens {
		t.Run(c.name, func(t *testing.T) {
			n := net{t, graph.NewBuilder(op.Rules, c.name)}
			c.build(n)
			g, err := n.Build()
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			fmt.Fprintf(&b, "# before\n%s", graph.Text(g, op.Rules))
			for _, name := range append(c.passes, "dead") {
				if g, err = byName(t, name).Run(g); err != nil {
					t.Fatal(err)
				}
				if err := graph.Verify(g, op.Rules); err != nil {
					t.Errorf("after %s: %v", name, err)
				}
			}
			fmt.Fprintf(&b, "\n# after %s\n%s", strings.Join(c.passes, ", "), graph.Text(g, op.Rules))
			path := filepath.Join("testdata", c.name+".golden")
			if *update {
				if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got := b.String(); got != strings.ReplaceAll(string(want), "\r\n", "\n") {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func byName(t *testing.T, name string) Pass {
	for _, p := range All {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("there is no pass %q", name)
	return Pass{}
}

// TestFoldIsBounded folds chains of constants that double in each step: the work and the memory stay small.
func TestFoldIsBounded(t *testing.T) {
	n := net{t, graph.NewBuilder(op.Rules, "doubling")}
	v := n.constant(tensor.Float32, []float32{1}, 1)
	for range 40 {
		v = n.op("concat", graph.Attrs{{Name: "axis", Value: 0}}, v, v)
	}
	n.output("y", v)
	g, err := n.Build()
	if err != nil {
		t.Fatal(err)
	}
	if g, err = Fold(g); err != nil {
		t.Fatal(err)
	}
	var bytes int64
	for v := range g.Constants() {
		bytes += size(v)
	}
	if bytes > 2<<20 || len(g.Nodes) < 15 {
		t.Errorf("%d bytes of constants and %d nodes are left", bytes, len(g.Nodes))
	}
}
