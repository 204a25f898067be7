package op_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// drawn builds a block with short words; a mistake panics.
type drawn struct{ *graph.Builder }

func blockOf(name string, build func(b drawn)) *graph.Graph {
	b := drawn{graph.NewBuilder(op.Rules, name)}
	build(b)
	return must(b.Build())
}

func (b drawn) in(name string, d tensor.DType, shape ...int) *graph.Value {
	return must(b.Input(name, op.Type{DType: d, Shape: shape}))
}

func (b drawn) num(t *tensor.Tensor) *graph.Value { return must(b.Constant("", "", t)) }

func (b drawn) op(name string, in ...*graph.Value) *graph.Value {
	return must(b.One(name, in, nil, ""))
}

func (b drawn) out(values ...*graph.Value) {
	for i, v := range values {
		must(0, b.Output(fmt.Sprint("y", i), v))
	}
}

func scalar[T tensor.Element](v T) *tensor.Tensor { return tensor.Scalar(v) }

func listOf[T tensor.Element](v ...T) *tensor.Tensor { return must(tensor.FromSlice(v, len(v))) }

func matrix(columns int, v ...int32) *tensor.Tensor {
	return must(tensor.FromSlice(v, len(v)/columns, columns))
}

// written writes tensors as their types and elements.
func written(list []*tensor.Tensor) string {
	words := make([]string, len(list))
	for i, t := range list {
		words[i] = t.Describe()
		switch t.DType() {
		case tensor.Int32:
			words[i] += fmt.Sprint(tensor.Data[int32](t))
		case tensor.Int64:
			words[i] += fmt.Sprint(tensor.Data[int64](t))
		case tensor.Float32:
			words[i] += fmt.Sprint(tensor.Data[float32](t))
		}
	}
	return strings.Join(words, " ")
}

// sumDifference are two blocks: x + y and x - y.
func sumDifference() []*graph.Graph {
	two := func(name, operator string) *graph.Graph {
		return blockOf(name, func(b drawn) {
			b.out(b.op(operator, b.in("x", tensor.Int32, 2), b.in("y", tensor.Int32, 2)))
		})
	}
	return []*graph.Graph{two("then", "add"), two("else", "sub")}
}

// counting is the body of a loop that carries a sum of iterations and yields the iterations, until the sum is at least end.
func counting(end int64) []*graph.Graph {
	return []*graph.Graph{blockOf("body", func(b drawn) {
		i, sum := b.in("i", tensor.Int64), b.in("sum", tensor.Int64)
		next := b.op("add", sum, i)
		b.out(b.op("lt", next, b.num(scalar(end))), next, must(b.One("unsqueeze", []*graph.Value{i}, axesOf(0), "")))
	})}
}

// swapping is the body of a loop that exchanges two values and counts nothing.
func swapping() []*graph.Graph {
	return []*graph.Graph{blockOf("body", func(b drawn) {
		b.in("i", tensor.Int64)
		x, y := b.in("x", tensor.Int32), b.in("y", tensor.Int32)
		b.out(b.num(scalar(true)), y, x)
	})}
}

// nestedLoop adds a capture, through an if, as often as an inner loop says.
func nestedLoop() []*graph.Graph {
	return []*graph.Graph{blockOf("body", func(b drawn) {
		i, sum, step := b.in("i", tensor.Int64), b.in("sum", tensor.Int32), b.in("step", tensor.Int32)
		inner := blockOf("inner", func(b drawn) {
			j, sum, step := b.in("j", tensor.Int64), b.in("sum", tensor.Int32), b.in("step", tensor.Int32)
			even := b.op("eq", j, b.num(scalar(int64(0))))
			out := must(b.Add(graph.Node{Op: "if", In: []*graph.Value{even, sum, step}, Blocks: []*graph.Graph{
				blockOf("then", func(b drawn) { b.out(b.op("add", b.in("a", tensor.Int32), b.in("b", tensor.Int32))) }),
				blockOf("else", func(b drawn) { b.out(b.op("sub", b.in("a", tensor.Int32), b.in("b", tensor.Int32))) }),
			}}))
			b.out(b.num(scalar(true)), out[0])
		})
		out := must(b.Add(graph.Node{Op: "loop", In: []*graph.Value{i, nil, sum, step}, Attrs: graph.AttrsOf("carried", 1, "most", 9), Blocks: []*graph.Graph{inner}}))
		b.out(b.num(scalar(true)), out[1], must(b.One("unsqueeze", []*graph.Value{out[0]}, axesOf(0), "")))
	})}
}

// runningSum is the body of a scan with one state, which yields the states.
func runningSum(shape ...int) []*graph.Graph {
	return []*graph.Graph{blockOf("body", func(b drawn) {
		sum := b.op("add", b.in("sum", tensor.Int32, shape...), b.in("part", tensor.Int32, shape...))
		b.out(sum, sum)
	})}
}

// pairing is the body of a scan over two tensors that yields the parts of both, and one with a capture added.
func pairing() []*graph.Graph {
	return []*graph.Graph{blockOf("body", func(b drawn) {
		x, y, k := b.in("x", tensor.Int32, 1), b.in("y", tensor.Int32, 2), b.in("k", tensor.Int32)
		b.out(x, b.op("add", y, k), y)
	})}
}

// inlined evaluates an application to constants after nodes that constants decide are inlined, and reports whether it was.
func inlined(t *testing.T, operator string, in []*tensor.Tensor, attrs graph.Attrs, blocks []*graph.Graph, most int64) (string, bool) {
	t.Helper()
	b := drawn{graph.NewBuilder(op.Rules, "g")}
	values := make([]*graph.Value, len(in))
	for i, x := range in {
		if x != nil {
			values[i] = b.num(x)
		}
	}
	b.out(must(b.Add(graph.Node{Op: operator, In: values, Attrs: attrs, Blocks: blocks}))...)
	l := op.NewInliner(op.Budget{Bytes: 1 << 20, Operations: 1 << 20, Result: most})
	g := must(graph.Rewrite(must(b.Build()), op.Rules, nil, func(r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error) {
		if out, err := l.Inline(r, n, in); out != nil || err != nil {
			return out, err
		}
		return r.Keep(in)
	}))
	out, err := op.NewInterpreter(g).Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return written(out), len(g.Nodes) == 0 || len(g.Nodes[0].Blocks) == 0
}

// TestControl evaluates operators that own graphs, as they are and inlined where constants decide.
func TestControl(t *testing.T) {
	decided := map[string]int64{"then": 0, "else": 0, "no captures": 0, "no turn by trips": 16, "negative trips": 16, "no turn by condition": 0, "one turn": 0,
		"no parts": 0, "one part": 0} // the bytes of zeros that stand for results
	for _, tt := range []struct {
		name   string
		op     string
		in     []*tensor.Tensor
		attrs  graph.Attrs
		blocks []*graph.Graph
		want   string
	}{
		{"then", "if", []*tensor.Tensor{scalar(true), listOf[int32](5, 6), listOf[int32](1, 2)}, nil, sumDifference(), "int32[2][6 8]"},
		{"else", "if", []*tensor.Tensor{scalar(false), listOf[int32](5, 6), listOf[int32](1, 2)}, nil, sumDifference(), "int32[2][4 4]"},
		{"no captures", "if", []*tensor.Tensor{scalar(false)}, nil, []*graph.Graph{
			blockOf("then", func(b drawn) { b.out(b.num(scalar(int32(1)))) }),
			blockOf("else", func(b drawn) { b.out(b.num(scalar(int32(2)))) })}, "int32[][2]"},
		{"trips", "loop", []*tensor.Tensor{scalar(int64(3)), nil, scalar(int64(0))}, graph.AttrsOf("carried", 1, "most", 4), counting(100),
			"int64[][3] int64[][3] int64[4][0 1 2 0]"},
		{"all turns", "loop", []*tensor.Tensor{scalar(int64(4)), nil, scalar(int64(0))}, graph.AttrsOf("carried", 1, "most", 4), counting(100),
			"int64[][4] int64[][6] int64[4][0 1 2 3]"},
		{"early stop", "loop", []*tensor.Tensor{scalar(int64(9)), nil, scalar(int64(0))}, graph.AttrsOf("carried", 1, "most", 5), counting(3),
			"int64[][3] int64[][3] int64[5][0 1 2 0 0]"},
		{"until the condition fails", "loop", []*tensor.Tensor{nil, scalar(true), scalar(int64(0))}, graph.AttrsOf("carried", 1, "most", 4), counting(6),
			"int64[][4] int64[][6] int64[4][0 1 2 3]"},
		{"one turn", "loop", []*tensor.Tensor{scalar(int64(1)), nil, scalar(int64(7))}, graph.AttrsOf("carried", 1, "most", 1), counting(100),
			"int64[][1] int64[][7] int64[1][0]"},
		{"one turn of more", "loop", []*tensor.Tensor{scalar(int64(1)), nil, scalar(int64(7))}, graph.AttrsOf("carried", 1, "most", 2), counting(100),
			"int64[][1] int64[][7] int64[2][0 0]"},
		{"one part", "scan", []*tensor.Tensor{listOf[int32](9), listOf[int32](1)}, graph.AttrsOf("states", 1, "scanned", 1), runningSum(1), "int32[1][10] int32[1][10]"},
		{"no turn by trips", "loop", []*tensor.Tensor{scalar(int64(0)), nil, scalar(int64(7))}, graph.AttrsOf("carried", 1, "most", 2), counting(100),
			"int64[][0] int64[][7] int64[2][0 0]"},
		{"negative trips", "loop", []*tensor.Tensor{scalar(int64(-3)), nil, scalar(int64(7))}, graph.AttrsOf("carried", 1, "most", 2), counting(100),
			"int64[][0] int64[][7] int64[2][0 0]"},
		{"no turn by condition", "loop", []*tensor.Tensor{nil, scalar(false), scalar(int64(7))}, graph.AttrsOf("carried", 1, "most", 0), counting(100),
			"int64[][0] int64[][7] int64[0][]"},
		{"carried values that change places", "loop", []*tensor.Tensor{scalar(int64(3)), nil, scalar(int32(1)), scalar(int32(2))},
			graph.AttrsOf("carried", 2, "most", 3), swapping(), "int64[][3] int32[][2] int32[][1]"},
		{"nested", "loop", []*tensor.Tensor{scalar(int64(4)), nil, scalar(int32(0)), scalar(int32(10))}, graph.AttrsOf("carried", 1, "most", 4), nestedLoop(),
			"int64[][4] int32[][0] int64[4][0 1 2 3]"}, // 0, then 10, 10-10 and 10-10-10 more
		{"running sum", "scan", []*tensor.Tensor{listOf[int32](1), listOf[int32](1, 2, 3)}, graph.AttrsOf("states", 1, "scanned", 1), runningSum(1),
			"int32[1][7] int32[3][2 4 7]"},
		{"from the end", "scan", []*tensor.Tensor{listOf[int32](1), listOf[int32](1, 2, 3)}, graph.AttrsOf("states", 1, "scanned", 1, "chunks", []int{-1}), runningSum(1),
			"int32[1][7] int32[3][4 6 7]"},
		{"joined in reverse", "scan", []*tensor.Tensor{listOf[int32](1), listOf[int32](1, 2, 3)},
			graph.AttrsOf("states", 1, "scanned", 1, "chunks", []int{-1}, "out_directions", []int{-1}), runningSum(1), "int32[1][7] int32[3][7 6 4]"},
		{"columns", "scan", []*tensor.Tensor{matrix(1, 0, 0), matrix(3, 1, 2, 3, 4, 5, 6)},
			graph.AttrsOf("states", 1, "scanned", 1, "axes", []int{1}, "out_axes", []int{1}), runningSum(2, 1), "int32[2,1][6 15] int32[2,3][1 3 6 4 9 15]"},
		{"columns joined as rows", "scan", []*tensor.Tensor{matrix(1, 0, 0), matrix(3, 1, 2, 3, 4, 5, 6)},
			graph.AttrsOf("states", 1, "scanned", 1, "axes", []int{1}), runningSum(2, 1), "int32[2,1][6 15] int32[6,1][1 4 3 9 6 15]"},
		{"no parts", "scan", []*tensor.Tensor{listOf[int32](9), listOf[int32]()}, graph.AttrsOf("states", 1, "scanned", 1), runningSum(1), "int32[1][9] int32[0][]"},
		{"several scanned", "scan", []*tensor.Tensor{listOf[int32](1, 2, 3), listOf[int32](1, 2, 3, 4, 5, 6), scalar(int32(10))},
			graph.AttrsOf("states", 0, "scanned", 2, "chunks", []int{1, -2}, "out_directions", []int{-1, 1, 1}), pairing(),
			"int32[3][3 2 1] int32[6][15 16 13 14 11 12] int32[6][5 6 3 4 1 2]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, err := op.Eval(def(tt.op), tt.in, tt.attrs, tt.blocks...)
			if err != nil {
				t.Fatal(err)
			}
			if got := written(out); got != tt.want {
				t.Errorf("got %s; want %s", got, tt.want)
			}
			bytes, can := decided[tt.name]
			if got, is := inlined(t, tt.op, tt.in, tt.attrs, tt.blocks, bytes); got != tt.want || is != can {
				t.Errorf("inlined, %v: got %s; want %s", is, got, tt.want)
			}
			if _, is := inlined(t, tt.op, tt.in, tt.attrs, tt.blocks, bytes-1); bytes > 0 && is {
				t.Error("it is inlined, though constants take more than may stand for results")
			}
		})
	}
}

func TestControlErrors(t *testing.T) {
	i64, b1, v1, v3 := op.Type{DType: tensor.Int64}, op.Type{DType: tensor.Bool}, op.Type{DType: tensor.Int32, Shape: []int{1}}, op.Type{DType: tensor.Int32, Shape: []int{3}}
	two := op.Type{DType: tensor.Int32, Shape: []int{2}}
	ifs, count, sum := sumDifference(), counting(1), runningSum(1)
	other := blockOf("other", func(b drawn) {
		x, _ := b.in("x", tensor.Int32, 2), b.in("y", tensor.Int32, 2)
		b.out(must(b.One("cast", []*graph.Value{x}, graph.AttrsOf("dtype", tensor.Int64), "")))
	})
	more := blockOf("more", func(b drawn) {
		x, y := b.in("x", tensor.Int32, 2), b.in("y", tensor.Int32, 2)
		b.out(x, y)
	})
	stateful := *ifs[0]
	stateful.States = []*graph.State{{}}
	flat := blockOf("flat", func(b drawn) {
		i, s := b.in("i", tensor.Int64), b.in("s", tensor.Int64)
		b.out(b.op("lt", i, s), s, s)
	})
	unsaid := blockOf("unsaid", func(b drawn) { b.out(b.in("i", tensor.Int64), b.in("s", tensor.Int64)) })
	lost := blockOf("lost", func(b drawn) {
		i, s := b.in("i", tensor.Int64), b.in("s", tensor.Int64)
		b.out(b.op("lt", i, s))
	})
	nibbles := blockOf("nibbles", func(b drawn) {
		b.out(must(b.One("cast", []*graph.Value{b.in("x", tensor.Int32, 1)}, graph.AttrsOf("dtype", tensor.Int4), "")))
	})
	scanned := graph.AttrsOf("states", 1, "scanned", 1)
	for _, tt := range []struct {
		name   string
		op     string
		in     []op.Type
		attrs  graph.Attrs
		blocks []*graph.Graph
		want   string
	}{
		{"no blocks", "if", []op.Type{b1, two, two}, nil, nil, "if: 0 blocks are given; there must be 2"},
		{"blocks of others", "add", []op.Type{two, two}, nil, ifs, "add: 2 blocks are given; there must be 0"},
		{"nil", "if", []op.Type{b1, two, two}, nil, []*graph.Graph{ifs[0], nil}, "if: else: the block is missing"},
		{"states", "if", []op.Type{b1, two, two}, nil, []*graph.Graph{&stateful, ifs[1]}, "if: then: the block has states; only a whole graph can"},
		{"inputs", "if", []op.Type{b1, two}, nil, ifs, "if: then: the block has 2 inputs; it must have 1"},
		{"input type", "if", []op.Type{b1, two, v3}, nil, ifs, "if: then: input y of the block is int32[2]; it must be int32[3]"},
		{"output types", "if", []op.Type{b1, two, two}, nil, []*graph.Graph{ifs[0], other},
			"if: else: output 0 is int64[2]; in the block then it is int32[2]: only a condition that is known beforehand may decide about types"},
		{"number of outputs", "if", []op.Type{b1, two, two}, nil, []*graph.Graph{ifs[0], more}, "if: else: it has 2 outputs; it must have 1, as the block then"},
		{"condition", "if", []op.Type{two, two, two}, nil, ifs, "if: condition: the element type int32 is not allowed; it must be bool"},
		{"absent value", "if", []op.Type{b1, two, {}}, nil, ifs, "if: values: the operand is missing"},
		{"carried", "loop", []op.Type{i64, b1, i64}, graph.AttrsOf("carried", 2, "most", 1), count, "loop: carried: it is 2; there are 1 values"},
		{"most", "loop", []op.Type{i64, b1, i64}, graph.AttrsOf("carried", 1), count, "loop: most: the attribute is missing"},
		{"body's input", "loop", []op.Type{i64, b1, v1}, graph.AttrsOf("carried", 1, "most", 1), count, "loop: body: input sum of the block is int64[]; it must be int32[1]"},
		{"part of rank 0", "loop", []op.Type{i64, {}, i64}, graph.AttrsOf("carried", 1, "most", 1), []*graph.Graph{flat},
			"loop: body: output 2 is int64[]; parts are joined along dimension 0, which it does not have"},
		{"condition of the body", "loop", []op.Type{i64, {}, i64}, graph.AttrsOf("carried", 1, "most", 1), []*graph.Graph{unsaid}, "loop: body: output 0 is int64[]; it must be bool[]"},
		{"lost", "loop", []op.Type{i64, {}, i64}, graph.AttrsOf("carried", 1, "most", 1), []*graph.Graph{lost}, "loop: body: it has 1 outputs; it must have 2 or more"},
		{"values", "scan", []op.Type{v1}, scanned, sum, "scan: scanned: 1 states and 1 scanned tensors are asked for; there are 1 values"},
		{"axes", "scan", []op.Type{v1, v3}, append(scanned, graph.AttrsOf("axes", []int{0, 0})...), sum, "scan: axes: the number of items is 2; it must be 1, one for each scanned tensor"},
		{"axis", "scan", []op.Type{v1, v3}, append(scanned, graph.AttrsOf("axes", []int{1})...), sum, "scan: axes: axis 1 is not a dimension of shape [3]"},
		{"chunk 0", "scan", []op.Type{v1, v3}, append(scanned, graph.AttrsOf("chunks", []int{0})...), sum, "scan: chunks: item 0 is 0; a turn must take elements"},
		{"chunk", "scan", []op.Type{v1, v3}, append(scanned, graph.AttrsOf("chunks", []int{-2})...), sum, "scan: chunks: item 0, -2, does not divide the extent 3 of dimension 0 of int32[3]"},
		{"turns", "scan", []op.Type{v3, two}, graph.AttrsOf("states", 0, "scanned", 2), sum, "scan: chunks: scanned tensor 1, int32[2], has 2 parts; the one before it has 3"},
		{"out axes", "scan", []op.Type{v1, v3}, append(scanned, graph.AttrsOf("out_axes", []int{0, 0})...), sum, "scan: out_axes: the number of items is 2; it must be 1, one for each part that the block yields"},
		{"out axis", "scan", []op.Type{v1, v3}, append(scanned, graph.AttrsOf("out_axes", []int{1})...), sum, "scan: out_axes: axis 1 is not a dimension of shape [1]"},
		{"direction", "scan", []op.Type{v1, v3}, append(scanned, graph.AttrsOf("out_directions", []int{0})...), sum, "scan: out_directions: item 0 is 0; it must be 1 or -1"},
		{"packed", "scan", []op.Type{v1, {DType: tensor.Int4, Shape: []int{3}}}, scanned, sum, "scan: values: a tensor of type int4 cannot be scanned: several elements share a byte"},
		{"packed parts", "scan", []op.Type{v3}, graph.AttrsOf("states", 0, "scanned", 1), []*graph.Graph{nibbles}, "scan: body: parts of type int4 cannot be joined: several elements share a byte"},
		{"state", "scan", []op.Type{two, v3}, scanned, sum, "scan: body: input sum of the block is int32[1]; it must be int32[2]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := def(tt.op).Bind(tt.in, tt.attrs, tt.blocks...)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got %v; want %s", err, tt.want)
			}
		})
	}
}

// TestNotInlined keeps nodes whose blocks are evaluated more than once, or as an input says.
func TestNotInlined(t *testing.T) {
	sum := blockOf("body", func(b drawn) { b.out(b.op("add", b.in("sum", tensor.Int32, 1), b.in("part", tensor.Int32, 1))) })
	b := drawn{graph.NewBuilder(op.Rules, "g")}
	x := b.in("x", tensor.Int32, 2)
	b.out(must(b.Add(graph.Node{Op: "if", In: []*graph.Value{b.in("c", tensor.Bool), x, x}, Blocks: sumDifference()}))[0],
		must(b.Add(graph.Node{Op: "scan", In: []*graph.Value{b.in("s", tensor.Int32, 1), x}, Attrs: graph.AttrsOf("states", 1, "scanned", 1), Blocks: []*graph.Graph{sum}}))[0])
	l := op.NewInliner(op.Budget{Bytes: 1 << 20, Operations: 1 << 20, Result: 1 << 20})
	g := must(graph.Rewrite(must(b.Build()), op.Rules, nil, func(r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error) {
		if out, err := l.Inline(r, n, in); out != nil || err != nil {
			t.Errorf("%s is replaced: %v", n.Op, err)
		}
		return r.Keep(in)
	}))
	if len(g.Nodes) != 2 {
		t.Errorf("%d nodes are left", len(g.Nodes))
	}
}

// TestTurnsError holds a loop to ending with an error where it would go on beyond its bound.
func TestTurnsError(t *testing.T) {
	for _, trips := range []*tensor.Tensor{nil, scalar(int64(5))} {
		_, err := op.Eval(def("loop"), []*tensor.Tensor{trips, nil, scalar(int64(0))}, graph.AttrsOf("carried", 1, "most", 4), counting(100)...)
		var turns *op.TurnsError
		if !errors.As(err, &turns) || turns.Most != 4 {
			t.Errorf("trips %v: got %v", trips, err)
		}
	}
}

// TestControlWork holds the costs to those of the blocks.
func TestControlWork(t *testing.T) {
	testdata.Wide(t)
	i64, v1, v3 := op.Type{DType: tensor.Int64}, op.Type{DType: tensor.Int32, Shape: []int{1}}, op.Type{DType: tensor.Int32, Shape: []int{3}}
	short := blockOf("short", func(b drawn) { b.out(b.op("neg", b.in("x", tensor.Int32, 2))) })
	longer := blockOf("longer", func(b drawn) { b.out(b.op("neg", b.op("neg", b.in("x", tensor.Int32, 2)))) })
	body := int64(len(counting(1)[0].Nodes))
	for _, n := range counting(1)[0].Nodes {
		cost, err := op.NodeCost(n)
		if err != nil {
			t.Fatal(err)
		}
		body += cost.Ops
	}
	f32 := func(shape ...int) op.Type { return op.Type{DType: tensor.Float32, Shape: shape} }
	for _, tt := range []struct {
		op     string
		in     []op.Type
		attrs  graph.Attrs
		blocks []*graph.Graph
		want   int64
	}{
		{"if", []op.Type{{DType: tensor.Bool}, {DType: tensor.Int32, Shape: []int{2}}, {DType: tensor.Int32, Shape: []int{2}}}, nil, sumDifference(), 3},
		{"loop", []op.Type{i64, {}, i64}, graph.AttrsOf("carried", 1, "most", 7), counting(1), 7 * (body + 1)},
		{"if", []op.Type{{DType: tensor.Bool}, {DType: tensor.Int32, Shape: []int{2}}}, nil, []*graph.Graph{short, longer}, 2 * 3},
		{"if", []op.Type{{DType: tensor.Bool}, {DType: tensor.Int32, Shape: []int{2}}}, nil, []*graph.Graph{longer, short}, 2 * 3},
		{"loop", []op.Type{i64, {}, i64}, graph.AttrsOf("carried", 1, "most", 1<<31-2), counting(1), (1<<31 - 2) * (body + 1)},
		{"loop", []op.Type{i64, {}, i64}, graph.AttrsOf("carried", 1, "most", 1<<31-1), counting(1), body + 1},
		{"scan", []op.Type{v1, v3}, graph.AttrsOf("states", 1, "scanned", 1), runningSum(1), 3 * (2 + 1)},
		{"linear", []op.Type{f32(2, 3), f32(4, 3)}, nil, nil, 0},
		{"linear", []op.Type{f32(2, 3), f32(4, 3), f32(4)}, nil, nil, 2 * 4}, // the bias is added
	} {
		s, out, err := def(tt.op).Bind(tt.in, tt.attrs, tt.blocks...)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Def.Cost(s, out).Ops; got != tt.want {
			t.Errorf("%s %v: %d operations; want %d", tt.op, tt.attrs, got, tt.want)
		}
	}
}

// TestStateThatIsRead keeps what a state takes, though the last node that reads it has been evaluated.
func TestStateThatIsRead(t *testing.T) {
	b := drawn{graph.NewBuilder(op.Rules, "sums")}
	sum := must(b.State("sum", "", listOf[int32](0)))
	next := b.op("add", b.in("x", tensor.Int32, 1), sum)
	must(0, b.Update(sum, next))
	b.out(b.op("neg", next))
	p := op.NewInterpreter(must(b.Build()))
	for _, want := range []string{"int32[1][-3]", "int32[1][-6]"} {
		got, err := p.Run(t.Context(), []*tensor.Tensor{listOf[int32](3)})
		if err != nil || written(got) != want {
			t.Errorf("got %s, %v; want %s", written(got), err, want)
		}
	}
}

// TestInterpreter runs a graph with a state, by a hook and without, and ends it early.
func TestInterpreter(t *testing.T) {
	b := drawn{graph.NewBuilder(op.Rules, "sums")}
	x := b.in("x", tensor.Int32, 1)
	sum := must(b.State("sum", "", listOf[int32](0)))
	next := b.op("add", x, sum)
	must(0, b.Update(sum, next))
	last := must(b.State("last", "", listOf[int32](-1)))
	must(0, b.Update(last, x))
	out := must(b.Add(graph.Node{Op: "scan", In: []*graph.Value{next, x}, Attrs: graph.AttrsOf("states", 1, "scanned", 1), Blocks: runningSum(1)}))
	kept := must(b.State("kept", "", listOf[int32](5))) // which no run changes
	b.out(next, out[1], last, x, kept)
	g := must(b.Build())
	p := op.NewInterpreter(g)
	in := listOf[int32](3)
	for i, want := range []string{
		"int32[1][3] int32[1][6] int32[1][-1] int32[1][3] int32[1][5]",
		"int32[1][6] int32[1][9] int32[1][3] int32[1][3] int32[1][5]",
	} {
		got, err := p.Run(context.Background(), []*tensor.Tensor{in})
		if err != nil || written(got) != want {
			t.Errorf("run %d: got %s, %v; want %s", i, written(got), err, want)
		}
	}
	tensor.Data[int32](in)[0] = 50 // what the state has taken must not change
	got, err := p.RunNamed(context.Background(), map[string]*tensor.Tensor{"x": in})
	if err != nil || written([]*tensor.Tensor{got["y0"], got["y2"]}) != "int32[1][56] int32[1][3]" {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := p.RunNamed(context.Background(), nil); err == nil || err.Error() != "input x is missing" {
		t.Errorf("got %v", err)
	}
	if _, err := p.Run(context.Background(), []*tensor.Tensor{listOf[int32](1, 2)}); err == nil || err.Error() != "input x is int32[2]; it must be int32[1]" {
		t.Errorf("got %v", err)
	}
	var seen []string
	p.Node = func(ctx context.Context, n *graph.Node, in []*tensor.Tensor) ([]*tensor.Tensor, error) {
		seen = append(seen, n.Op)
		return op.EvalNode(ctx, n, in)
	}
	if _, err := p.Run(context.Background(), []*tensor.Tensor{in}); err != nil || fmt.Sprint(seen) != "[add scan]" {
		t.Errorf("got %v, %v", seen, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.Node = func(_ context.Context, n *graph.Node, in []*tensor.Tensor) ([]*tensor.Tensor, error) {
		cancel()
		return op.EvalNode(ctx, n, in)
	}
	if _, err := p.Run(ctx, []*tensor.Tensor{in}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestControlAllocatesNothing holds the meaning of the operators to what the engine needs of it.
func TestControlAllocatesNothing(t *testing.T) {
	for _, d := range defs(func(d *op.Def) bool { return d.Control != nil }) {
		for seed := range uint64(20) {
			c := d.Generate(op.NewRand(seed, 3))
			s, types, err := d.Bind(typesOf(c.In), c.Attrs, c.Blocks...)
			if err != nil {
				t.Fatal(err)
			}
			call := &op.Call{In: c.In, Attrs: s.Attrs}
			for _, o := range types {
				call.Out = append(call.Out, must(tensor.New(o.DType, o.Shape)))
			}
			r := newRunner(s, c.In)
			if err := d.Control(call, r); err != nil {
				t.Fatal(err)
			}
			var still op.BlockRunner = idle{r}
			if allocs := testing.AllocsPerRun(3, func() {
				if err := d.Control(call, still); err != nil && !errors.As(err, new(*op.TurnsError)) {
					t.Fatal(err)
				}
			}); allocs > 1 { // the error
				t.Errorf("%s, seed %d: %v allocations", d.Name, seed, allocs)
			}
		}
	}
}

// runner evaluates the blocks of an operator by interpreters.
type runner struct {
	blocks  []*graph.Graph
	in, out [][]*tensor.Tensor
}

func newRunner(s *op.Sig, operands []*tensor.Tensor) *runner {
	r := &runner{blocks: s.Blocks}
	for i, g := range s.Blocks {
		in, out := make([]*tensor.Tensor, len(g.Inputs)), make([]*tensor.Tensor, len(g.Outputs))
		for k, v := range g.Inputs {
			in[k] = must(tensor.New(v.Type.DType, v.Type.Shape))
		}
		for k, o := range g.Outputs {
			out[k] = must(tensor.New(o.Value.Type.DType, o.Value.Type.Shape))
		}
		input, operand, n := s.Def.Captures(s, i)
		copy(in[input:input+n], operands[operand:])
		r.in, r.out = append(r.in, in), append(r.out, out)
	}
	return r
}

func (r *runner) In(block, i int) *tensor.Tensor  { return r.in[block][i] }
func (r *runner) Out(block, i int) *tensor.Tensor { return r.out[block][i] }

func (r *runner) Run(block int) error {
	out, err := op.NewInterpreter(r.blocks[block]).Run(context.Background(), r.in[block])
	for k := range out {
		r.out[block][k] = out[k].Clone() // it may be an input
	}
	return err
}

// idle shows what the last run has left.
type idle struct{ *runner }

func (idle) Run(int) error { return nil }
