package pass

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testdata/golden"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

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

func axis(d int) graph.Attrs { return graph.AttrsOf("axis", d) }

// columns takes the columns from…to-1 of a matrix.
func columns(n net, x *graph.Value, from, to int) *graph.Value {
	return n.op("slice", graph.AttrsOf("axes", []int{1}, "begin", []int{from}, "end", []int{to}), x)
}

// reversed takes both rows of a matrix from the last one on.
func reversed(n net, x *graph.Value) *graph.Value {
	return n.op("slice", graph.AttrsOf("axes", []int{0}, "begin", []int{-1}, "end", []int{-3}, "stride", []int{-1}), x)
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
		n.output("piece", n.op("neg", nil, n.op("concat", axis(0), reversed(n, x))))
		n.output("pieces", n.op("neg", nil, n.op("concat", axis(1), columns(n, x, 0, 1), columns(n, x, 1, 3))))
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
		n.output("reversed", reversed(n, x))
		n.output("shifted", n.op("pad", ints("padding", 1, -1, 0, 0), x))
		left, right := columns(n, x, 0, 1), columns(n, x, 1, 3)
		n.output("swapped", n.op("concat", axis(1), right, left))
		n.output("repeated", n.op("concat", axis(1), left, left, left))
		n.output("above", n.op("concat", axis(0), left, left))
		n.output("with_another", n.op("concat", axis(1), left, columns(n, n.input("y", tensor.Float32, 2, 3), 1, 3)))
		n.output("with_none", n.op("concat", axis(1), left, n.op("neg", nil, right)))
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
	{"gates", []string{"canonicalise"}, func(n net) {
		x, h := n.input("x", tensor.Float32, 2, 6), n.input("h", tensor.Float16, 2, 6)
		y := n.op("sigmoid", nil, x)
		n.output("right", n.op("mul", nil, x, y))
		n.output("left", n.op("mul", nil, y, x))
		n.output("itself", n.op("mul", nil, y, y))
		n.output("half", n.op("mul", nil, h, n.op("sigmoid", nil, h))) // rounds the sigmoid
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
	{"channels", []string{"channels"}, func(n net) {
		x, w := n.input("x", tensor.Float32, 1, 4, 5, 5), n.input("w", tensor.Float32, 8, 1, 3, 3)
		none := []int{0, 0, 0, 0}
		n.output("two of each", n.op("conv", graph.AttrsOf("padding", none, "groups", 0), x, w))
		n.output("few left", n.op("conv", graph.AttrsOf("padding", none, "groups", 4, "stride", []int{5, 5}), x, w)) // of many
		n.output("of all", n.op("conv", graph.AttrsOf("padding", none, "groups", 1), x, n.input("v", tensor.Float32, 8, 4, 3, 3)))
		n.output("one of each", n.op("conv", graph.AttrsOf("padding", none, "groups", 4), x, n.input("u", tensor.Float32, 4, 1, 3, 3)))
		k := n.input("k", tensor.Int32, 1, 4, 5, 5)
		n.output("of integers", n.op("conv", graph.AttrsOf("padding", none, "groups", 4), k, n.input("i", tensor.Int32, 8, 1, 3, 3)))
	}},
	{"sides", []string{"blocks"}, func(n net) {
		x, w := n.input("x", tensor.Float32, 1, 4, 5, 6), n.input("w", tensor.Float32, 4, 3, 2, 3)
		side := graph.AttrsOf("padding", []int{0, 0, 0, 0}, "stride", []int{2, 3})
		n.output("three", n.op("deconv", side, x, w, n.input("b", tensor.Float32, 3)))
		n.output("one", n.op("deconv", side, x, n.input("u", tensor.Float32, 4, 1, 2, 3), n.input("s", tensor.Float32)))
		n.output("many", n.op("deconv", side, x, n.input("v", tensor.Float32, 4, 16, 2, 3)))
		n.output("apart", n.op("deconv", side.With("stride", []int{3, 3}), x, w))
		n.output("cropped", n.op("deconv", side.With("padding", []int{0, 0, 1, 0}), x, w))
		n.output("more", n.op("deconv", side.With("output_shape", []int{1, 3, 11, 18}), x, w))
		n.output("groups", n.op("deconv", side.With("groups", 2), x, w))
	}},
	{"branches", []string{"inline"}, func(n net) {
		x, y := n.input("x", tensor.Float32), n.input("y", tensor.Float32)
		condition := n.input("c", tensor.Bool)
		yes := n.op("lt", nil, n.constant(tensor.Float32, []float32{1}), n.constant(tensor.Float32, []float32{2}))
		no := n.op("not", nil, yes)
		n.output("then", n.owner("if", nil, n.branches(), yes, x, y)[0])
		n.output("else", n.owner("if", nil, n.branches(), no, x, y)[0])                                          // the inner condition is open
		n.output("inner", n.owner("if", nil, n.branches(), no, x, n.constant(tensor.Float32, []float32{-1}))[0]) // and decided here
		n.output("open", n.owner("if", nil, n.branches(), condition, x, y)[0])
	}},
	{"turns", []string{"inline"}, func(n net) {
		x, trips := n.input("x", tensor.Int64, 1), n.input("trips", tensor.Int64)
		zero, one := n.constant(tensor.Int64, []float32{0}), n.constant(tensor.Int64, []float32{1})
		for _, l := range []struct {
			name      string
			trips     *graph.Value
			condition *graph.Value
			most      int
		}{
			{"none", zero, nil, 2}, {"once", one, nil, 1}, {"joined", one, nil, 2}, {"beyond", one, nil, 0}, {"open", trips, nil, 2},
			{"never", trips, n.constant(tensor.Bool, []float32{0}), 2},
		} {
			out := n.owner("loop", graph.AttrsOf("carried", 1, "most", l.most), n.counting(), l.trips, l.condition, x)
			n.output(l.name, out[0])
			n.output(l.name+" sum", out[1])
			n.output(l.name+" parts", out[2])
		}
		sum := []*graph.Graph{n.block("body", []graph.Type{x.Type, x.Type}, func(b net, in []*graph.Value) []*graph.Value {
			sum := b.op("add", nil, in...)
			return []*graph.Value{sum, sum}
		})}
		for i, shape := range []int{0, 1, 2} {
			out := n.owner("scan", graph.AttrsOf("states", 1, "scanned", 1), sum, x, n.input(fmt.Sprint("s", i), tensor.Int64, shape))
			n.output(fmt.Sprint("scan ", i), out[0])
			n.output(fmt.Sprint("scanned ", i), out[1])
		}
	}},
	{"blocks", []string{"canonicalise", "widen", "fold", "share"}, func(n net) { // what passes do inside of blocks
		x := n.input("x", tensor.Float16, 2)
		body := func(name string) *graph.Graph {
			return n.block(name, []graph.Type{x.Type}, func(b net, in []*graph.Value) []*graph.Value {
				k := b.constant(tensor.Float16, []float32{1, 2}, 2)
				sum := b.op("add", nil, b.op("copy", nil, in[0]), b.op("add", nil, k, k))
				b.op("neg", nil, sum) // nobody reads it
				return []*graph.Value{b.op("mul", nil, sum, sum), b.op("mul", nil, sum, sum)}
			})
		}
		out := n.owner("if", nil, []*graph.Graph{body("then"), body("else")}, n.input("c", tensor.Bool), x)
		n.output("y", out[0])
		n.output("z", out[1])
		k := n.constant(tensor.Float16, []float32{3, 4}, 2)
		n.output("folded", n.owner("if", nil, []*graph.Graph{body("then"), body("else")}, n.constant(tensor.Bool, []float32{1}), k)[0])
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
	{"tabulate", []string{"tabulate"}, func(n net) {
		scale := func(x float32) *graph.Value { return n.constant(tensor.Float32, []float32{x}, 1, 1) }
		zero := func(d tensor.DType, x float32) *graph.Value { return n.constant(d, []float32{x}, 1, 1) }
		x := n.input("x", tensor.Int8, 16, 16)
		a := n.op("dequantize_linear", nil, x, scale(0.5), zero(tensor.Int8, 3))
		s := n.op("sigmoid", nil, a)
		n.output("sigmoid", n.op("quantize_linear", nil, s, scale(0.00390625), zero(tensor.Uint8, 0)))
		n.output("rescaled", n.op("quantize_linear", nil, a, scale(0.25), zero(tensor.Int8, 0)))
		n.output("float", s)
		n.output("sum", n.op("quantize_linear", nil, n.op("add", nil, a, s), scale(0.5), zero(tensor.Int8, 0))) // of two chains
		n.output("alone", n.op("relu", nil, x))
		b := n.op("dequantize_linear", nil, n.input("few", tensor.Int8, 2, 2), scale(1), zero(tensor.Int8, 0))
		n.output("small", n.op("quantize_linear", nil, b, scale(2), zero(tensor.Int8, 0)))
		slope := n.constant(tensor.Float32, []float32{1, 2}, 1, 2) // one for each channel
		c := n.op("prelu", nil, n.op("dequantize_linear", nil, n.input("y", tensor.Uint8, 200, 2), scale(1), zero(tensor.Uint8, 128)), slope)
		n.output("channels", n.op("quantize_linear", nil, c, scale(2), zero(tensor.Int8, 0)))
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

// block returns a graph with inputs of the given types, whose outputs build makes of them.
func (n net) block(name string, in []graph.Type, build func(b net, in []*graph.Value) []*graph.Value) *graph.Graph {
	n.tb.Helper()
	b := net{n.tb, graph.NewBuilder(op.Rules, name)}
	values := make([]*graph.Value, len(in))
	for i, t := range in {
		values[i] = b.input(fmt.Sprint("x", i), t.DType, t.Shape...)
	}
	for i, v := range build(b, values) {
		b.output(fmt.Sprint("y", i), v)
	}
	g, err := b.Build()
	if err != nil {
		n.tb.Fatal(err)
	}
	return g
}

// owner applies an operator with blocks.
func (n net) owner(name string, attrs graph.Attrs, blocks []*graph.Graph, in ...*graph.Value) []*graph.Value {
	n.tb.Helper()
	out, err := n.Add(graph.Node{Op: name, In: in, Attrs: attrs, Blocks: blocks})
	if err != nil {
		n.tb.Fatal(err)
	}
	return out
}

// branches are two blocks: x + y, and x or y as y > 0 says.
func (n net) branches() []*graph.Graph {
	scalars := []graph.Type{{DType: tensor.Float32}, {DType: tensor.Float32}}
	first := n.block("first", scalars, func(_ net, in []*graph.Value) []*graph.Value { return in[:1] })
	second := n.block("second", scalars, func(b net, in []*graph.Value) []*graph.Value { return []*graph.Value{b.op("neg", nil, in[1])} })
	return []*graph.Graph{
		n.block("then", scalars, func(b net, in []*graph.Value) []*graph.Value { return []*graph.Value{b.op("add", nil, in...)} }),
		n.block("else", scalars, func(b net, in []*graph.Value) []*graph.Value {
			positive := b.op("gt", nil, in[1], b.constant(tensor.Float32, []float32{0}))
			return b.owner("if", nil, []*graph.Graph{first, second}, positive, in[0], in[1])
		}),
	}
}

// counting is the body of a loop that adds the iteration to what it carries.
func (n net) counting() []*graph.Graph {
	in := []graph.Type{{DType: tensor.Int64}, {DType: tensor.Int64, Shape: []int{1}}}
	return []*graph.Graph{n.block("body", in, func(b net, in []*graph.Value) []*graph.Value {
		sum := b.op("add", nil, in[1], in[0])
		return []*graph.Value{b.op("eq", nil, in[0], in[0]), sum, sum}
	})}
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
			golden.Compare(t, filepath.Join("testdata", c.name+".golden"), b.String())
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
	testdata.Wide(t)
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
		bytes += v.Type.Bytes()
	}
	if bytes > 2<<20 || len(g.Nodes) < 15 {
		t.Errorf("%d bytes of constants and %d nodes are left", bytes, len(g.Nodes))
	}
}
