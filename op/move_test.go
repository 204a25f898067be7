package op_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// movers are the operators that only move elements.
var movers = defs(func(d *op.Def) bool {
	moves := d.In[0].Types == op.Movable || d.In[0].Types == op.Stored
	return moves && d.Out[0].TypeAttr == "" && d.Control == nil
})

// iota32 returns a tensor of the int32 0, 1, 2, …
func iota32(shape ...int) *tensor.Tensor {
	values := make([]int32, tensor.Shape(shape).Len())
	for i := range values {
		values[i] = int32(i)
	}
	return must(tensor.FromSlice(values, shape...))
}

func ints32(values []int32, shape ...int) *tensor.Tensor {
	return must(tensor.FromSlice(values, shape...))
}

func with(name string, value any) graph.Attr { return graph.Attr{Name: name, Value: value} }

// moveCase is an application of an operator and either its results, as shapes and elements, or part of its error.
type moveCase struct {
	name   string
	op     *op.Def
	in     []*tensor.Tensor
	attrs  graph.Attrs
	shapes []tensor.Shape
	want   [][]int32 // nil to compare shapes alone
	err    string
}

func checkMoves(t *testing.T, cases []moveCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.op.Name+"/"+c.name, func(t *testing.T) {
			out, err := op.Eval(c.op, c.in, c.attrs)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("the error is %v; it must mention %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(out) != len(c.shapes) {
				t.Fatalf("%d results; want %d", len(out), len(c.shapes))
			}
			for i, o := range out {
				if !o.Shape().Equal(c.shapes[i]) {
					t.Errorf("result %d has shape %v; want %v", i, o.Shape(), c.shapes[i])
				}
				if c.want != nil && !slices.Equal(tensor.Data[int32](o), c.want[i]) {
					t.Errorf("result %d is %v; want %v", i, tensor.Data[int32](o), c.want[i])
				}
			}
		})
	}
}

// elementAt returns the element of an int32 tensor at an index.
func elementAt(t *tensor.Tensor, index []int) int32 {
	pos := 0
	for d, i := range index {
		pos = pos*t.Shape()[d] + i
	}
	return tensor.Data[int32](t)[pos]
}

// checkElements compares every element of a result with what a formula says of its index.
func checkElements(t *testing.T, got *tensor.Tensor, want func(index []int) int32) {
	t.Helper()
	index := make([]int, got.Rank())
	for i, v := range tensor.Data[int32](got) {
		for d, rest := got.Rank()-1, i; d >= 0; d-- {
			index[d] = rest % got.Shape()[d]
			rest /= got.Shape()[d]
		}
		if w := want(index); v != w {
			t.Fatalf("element %v is %d; want %d", index, v, w)
		}
	}
}

// TestMoversDoNotAllocate holds the kernels to their promise.
func TestMoversDoNotAllocate(t *testing.T) {
	for _, d := range movers {
		r := op.NewRand(7, 5)
		c := d.Draw(r)
		types := make([]op.Type, len(c.In))
		for i, x := range c.In {
			if x != nil {
				types[i] = op.Type{DType: x.DType(), Shape: x.Shape()}
			}
		}
		s, outTypes, err := d.Bind(types, c.Attrs)
		if err != nil {
			t.Fatal(err)
		}
		call := &op.Call{In: c.In, Attrs: s.Attrs}
		for _, o := range outTypes {
			call.Out = append(call.Out, must(tensor.New(o.DType, o.Shape)))
		}
		sig, types := d.Applied(call)
		kernel, n := d.Kernel(sig), d.Pieces(sig, types)
		if allocs := testing.AllocsPerRun(5, func() { kernel(call, 0, n) }); allocs != 0 {
			t.Errorf("%s: %v allocations", d.Name, allocs)
		}
	}
}

// TestMoversKeepBits moves a pattern that arithmetic would change: a signalling NaN with a payload.
func TestMoversKeepBits(t *testing.T) {
	const signalling = 0x7F80_0123
	for _, d := range movers {
		c := d.Draw(op.NewRand(3, 4))
		for i, x := range c.In {
			if x != nil && (i == 0 || operand(d, i).Like != "") {
				c.In[i] = must(tensor.New(tensor.Float32, x.Shape()))
				for k := range tensor.Words[uint32](c.In[i]) {
					tensor.Words[uint32](c.In[i])[k] = signalling
				}
			}
		}
		out, err := op.Eval(d, c.In, c.Attrs)
		if err != nil {
			t.Fatalf("%s: %v", d.Name, err)
		}
		for _, o := range out {
			for k, bits := range tensor.Words[uint32](o) {
				if v := tensor.Data[float32](o)[k]; v != v && bits != signalling {
					t.Errorf("%s: a NaN has the bits %#x", d.Name, bits)
				}
			}
		}
	}
}

// TestMoversWithoutElements evaluates every operator on extents of 0.
func TestMoversWithoutElements(t *testing.T) {
	none := func(shape ...int) *tensor.Tensor { return must(tensor.New(tensor.Int32, shape)) }
	shapes := func(s ...tensor.Shape) []tensor.Shape { return s }
	checkMoves(t, []moveCase{
		{name: "copy 0", op: def("reshape"), in: []*tensor.Tensor{none(0, 3)}, attrs: graph.Attrs{with("shape", []int{0, 1, 7})}, shapes: shapes(tensor.Shape{0, 1, 7})},
		{name: "infer", op: def("reshape"), in: []*tensor.Tensor{none(0, 3)}, attrs: graph.Attrs{with("shape", []int{0, -1})}, err: "no extent for the -1"},
		{name: "view", op: def("transpose"), in: []*tensor.Tensor{none(2, 0, 3)}, attrs: graph.Attrs{with("axes", []int{2, 1, 0})}, shapes: shapes(tensor.Shape{3, 0, 2})},
		{name: "to nothing", op: def("expand"), in: []*tensor.Tensor{none(1, 2)}, attrs: graph.Attrs{with("shape", []int{0, 2})}, shapes: shapes(tensor.Shape{0, 2})},
		{name: "outer", op: def("tile"), in: []*tensor.Tensor{none(0, 2)}, attrs: graph.Attrs{with("repeats", []int{3, 2})}, shapes: shapes(tensor.Shape{0, 4})},
		{name: "inner", op: def("tile"), in: []*tensor.Tensor{none(2, 0)}, attrs: graph.Attrs{with("repeats", []int{3, 2})}, shapes: shapes(tensor.Shape{6, 0})},
		{name: "all", op: def("concat"), in: []*tensor.Tensor{none(2, 0), none(2, 0)}, attrs: graph.Attrs{with("axis", 1)}, shapes: shapes(tensor.Shape{2, 0})},
		{name: "one", op: def("concat"), in: []*tensor.Tensor{none(1, 0), ints32([]int32{5, 6}, 1, 2), none(1, 0)}, attrs: graph.Attrs{with("axis", 1)},
			shapes: shapes(tensor.Shape{1, 2}), want: [][]int32{{5, 6}}},
		{name: "inner", op: def("stack"), in: []*tensor.Tensor{none(0), none(0)}, attrs: graph.Attrs{with("axis", 0)}, shapes: shapes(tensor.Shape{2, 0})},
		{name: "axis", op: def("split"), in: []*tensor.Tensor{none(0, 2)}, attrs: graph.Attrs{with("axis", 0), with("ratios", []int{1, 2})}, shapes: shapes(tensor.Shape{0, 2}, tensor.Shape{0, 2})},
		{name: "axis", op: def("unstack"), in: []*tensor.Tensor{none(0, 2)}, attrs: graph.Attrs{with("axis", 0)}, err: "0 results"},
		{name: "inner", op: def("unstack"), in: []*tensor.Tensor{none(2, 0)}, attrs: graph.Attrs{with("axis", 0)}, shapes: shapes(tensor.Shape{0}, tensor.Shape{0})},
		{name: "huge", op: def("unstack"), in: []*tensor.Tensor{none(tensor.MaxElements, 0)}, attrs: graph.Attrs{with("axis", 0)}, err: "results"},
		{name: "empty part", op: def("slice"), in: []*tensor.Tensor{iota32(5)}, attrs: graph.Attrs{with("axes", []int{0}), with("begin", []int{2}), with("end", []int{2})}, shapes: shapes(tensor.Shape{0})},
		{name: "of nothing", op: def("slice"), in: []*tensor.Tensor{none(0)}, attrs: graph.Attrs{with("axes", []int{0}), with("begin", []int{-1}), with("end", []int{-1}), with("stride", []int{-2})}, shapes: shapes(tensor.Shape{0})},
		{name: "constant", op: def("pad"), in: []*tensor.Tensor{none(0, 2)}, attrs: graph.Attrs{with("padding", []int{1, 1, 0, 0}), with("value", 3.0)},
			shapes: shapes(tensor.Shape{2, 2}), want: [][]int32{{3, 3, 3, 3}}},
		{name: "replicate", op: def("pad"), in: []*tensor.Tensor{none(0, 2)}, attrs: graph.Attrs{with("padding", []int{1, 1, 0, 0}), with("border", "replicate")}, err: "no element to repeat"},
		{name: "all", op: def("reverse"), in: []*tensor.Tensor{none(2, 0)}, attrs: graph.Attrs{with("axes", []int{0, 1})}, shapes: shapes(tensor.Shape{2, 0})},
		{name: "rows", op: def("triangular"), in: []*tensor.Tensor{none(0, 2)}, shapes: shapes(tensor.Shape{0, 2})},
		{name: "columns", op: def("triangular"), in: []*tensor.Tensor{none(2, 0)}, shapes: shapes(tensor.Shape{2, 0})},
		{name: "no index", op: def("gather"), in: []*tensor.Tensor{none(0, 2), none(0)}, shapes: shapes(tensor.Shape{0, 2})},
		{name: "index into nothing", op: def("gather"), in: []*tensor.Tensor{none(0, 2), none(1)}, err: "has no elements"},
		{name: "empty items", op: def("gather"), in: []*tensor.Tensor{none(2, 0), none(3)}, shapes: shapes(tensor.Shape{3, 0})},
		{name: "no index", op: def("gather_elements"), in: []*tensor.Tensor{iota32(2, 3), none(0, 3)}, shapes: shapes(tensor.Shape{0, 3})},
		{name: "no coordinate", op: def("gather_nd"), in: []*tensor.Tensor{iota32(2, 3), none(0, 2)}, shapes: shapes(tensor.Shape{0})},
		{name: "coordinates of rank 0", op: def("gather_nd"), in: []*tensor.Tensor{iota32(2), none(2, 0)}, shapes: shapes(tensor.Shape{2, 2}), want: [][]int32{{0, 1, 0, 1}}},
		{name: "no index", op: def("scatter_elements"), in: []*tensor.Tensor{iota32(2), none(0), none(0)}, shapes: shapes(tensor.Shape{2}), want: [][]int32{{0, 1}}},
		{name: "no coordinate", op: def("scatter_nd"), in: []*tensor.Tensor{iota32(2), none(0, 1), none(0)}, shapes: shapes(tensor.Shape{2}), want: [][]int32{{0, 1}}},
	})
}
