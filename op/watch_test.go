package op

import (
	"bytes"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// TestWatchAsks holds the watch to its bound: not asked before so many operations, asked at them, and done once the answer is yes.
func TestWatchAsks(t *testing.T) {
	asked, answer := 0, false
	c := &Call{Stop: func() bool { asked++; return answer }}
	w := c.Watch()
	for round := range 3 {
		if w.Stops(watchWork-1) || asked != round {
			t.Fatalf("round %d: asked %d times before the bound", round, asked)
		}
		if w.Stops(1) || asked != round+1 {
			t.Fatalf("round %d: asked %d times at the bound", round, asked)
		}
	}
	if answer = true; !w.Stops(watchWork) || !w.Stops(1) {
		t.Error("the watch goes on after the answer was yes")
	}
	if unwatched := (&Call{}).Watch(); unwatched.Stops(10 * watchWork) {
		t.Error("a call without Stop stops")
	}
}

// TestKernelsStop evaluates long pieces of each kernel that watches. If nobody stops it, it computes what an evaluation without a watch
// does; if the first answer is yes, it asks no more and leaves the rest as it is.
func TestKernelsStop(t *testing.T) {
	const n = 8 * watchWork
	ints := func(name string, v ...int) graph.Attr { return graph.Attr{Name: name, Value: v} }
	for name, c := range map[string]struct {
		op    string
		attrs graph.Attrs
		in    []*tensor.Tensor
	}{
		"conv float32": {"conv", graph.Attrs{ints("padding", 0, 0)}, rising(tensor.Float32, tensor.Shape{1, 1, 5000}, tensor.Shape{1, 1, 1000})},
		"conv int32":   {"conv", graph.Attrs{ints("padding", 0, 0)}, rising(tensor.Int32, tensor.Shape{1, 1, 5000}, tensor.Shape{1, 1, 1000})},
		"conv int8, many channels": {"conv", graph.Attrs{ints("padding", 0, 0)},
			rising(tensor.Int8, tensor.Shape{1, 64, 100}, tensor.Shape{64, 64, 3})},
		"conv int16, many channels": {"conv", graph.Attrs{ints("padding", 0, 0)},
			rising(tensor.Int16, tensor.Shape{1, 64, 100}, tensor.Shape{64, 64, 3})},
		"conv int8, one channel": {"conv", graph.Attrs{ints("padding", 0, 0), {Name: "groups", Value: 0}},
			rising(tensor.Int8, tensor.Shape{1, 64, 5000}, tensor.Shape{64, 1, 50})},
		"deconv":               {"deconv", graph.Attrs{ints("padding", 0, 0)}, rising(tensor.Float32, tensor.Shape{1, 1, 4000}, tensor.Shape{1, 1, 1000})},
		"sum_reduce":           {"sum_reduce", graph.Attrs{ints("axes", 0, 1)}, rising(tensor.Float32, tensor.Shape{8, n / 8})},
		"max_reduce":           {"max_reduce", graph.Attrs{ints("axes", 0, 1)}, rising(tensor.Int32, tensor.Shape{8, n / 8})},
		"gather":               {"gather", nil, append(rising(tensor.Int32, tensor.Shape{2, n / 4}), must(tensor.FromSlice([]int32{1, 0}, 2)))},
		"gather, small items":  {"gather", nil, append(rising(tensor.Int32, tensor.Shape{n / 256, 64}), rising(tensor.Int32, tensor.Shape{n / 256})...)},
		"tile, small rows":     {"tile", graph.Attrs{ints("repeats", 1, 3)}, rising(tensor.Int16, tensor.Shape{n / 128, 64})},
		"tile":                 {"tile", graph.Attrs{ints("repeats", 3, 3)}, rising(tensor.Int16, tensor.Shape{4, n / 16})},
		"box, sums of runs":    {"box", graph.Attrs{ints("size", 512), ints("padding", 0, 0)}, rising(tensor.Float32, tensor.Shape{9000})},
		"box, dilated":         {"box", graph.Attrs{ints("size", 512), ints("padding", 0, 0), ints("dilation", 2)}, rising(tensor.Float32, tensor.Shape{9000})},
		"box, means of runs":   {"box", graph.Attrs{ints("size", 512), ints("padding", 0, 0), {Name: "normalize", Value: true}}, rising(tensor.Int32, tensor.Shape{9000})},
		"max_pool, runs":       {"max_pool", graph.Attrs{ints("size", 512), ints("padding", 0, 0), {Name: "border", Value: "ignore"}}, rising(tensor.Int32, tensor.Shape{9000})},
		"max_pool, dilated":    {"max_pool", graph.Attrs{ints("size", 512), ints("padding", 0, 0), ints("dilation", 2)}, rising(tensor.Int32, tensor.Shape{9000})},
		"l2_pool":              {"l2_pool", graph.Attrs{ints("size", 512), ints("padding", 0, 0)}, rising(tensor.Float32, tensor.Shape{9000})},
		"non_max_suppression":  {"non_max_suppression", nil, manyBoxes(1000)},
		"valid_count":          {"valid_count", nil, rising(tensor.Int32, tensor.Shape{1, n / 8, 8})},
		"valid_count, batches": {"valid_count", nil, rising(tensor.Int32, tensor.Shape{n / 64, 8, 8})},
	} {
		t.Run(name, func(t *testing.T) {
			want := watched(t, c.op, c.attrs, c.in, nil).Out
			asked := 0
			got := watched(t, c.op, c.attrs, c.in, func() bool { asked++; return false }).Out
			if asked == 0 {
				t.Error("the kernel never asks")
			}
			for i := range want {
				if !bytes.Equal(got[i].Bytes(), want[i].Bytes()) {
					t.Errorf("result %d changes since it is watched", i)
				}
			}
			asked = 0
			got = watched(t, c.op, c.attrs, c.in, func() bool { asked++; return true }).Out
			if asked != 1 {
				t.Errorf("the kernel asks %d times though the first answer is yes", asked)
			}
			if last := len(got) - 1; bytes.Equal(got[last].Bytes(), want[last].Bytes()) {
				t.Error("the kernel computes everything though nobody waits")
			}
		})
	}
}

// TestSortStops sorts more boxes than may pass between two looks: the order of the best ones is left as it was then.
func TestSortStops(t *testing.T) {
	attrs, in := graph.Attrs{{Name: "top_k", Value: 1}}, manyBoxes(30000)
	want := watched(t, "non_max_suppression", attrs, in, nil)
	asked := 0
	got := watched(t, "non_max_suppression", attrs, in, func() bool { asked++; return true })
	if asked != 1 || bytes.Equal(got.Scratch, want.Scratch) {
		t.Errorf("asked %d times; the boxes must not be sorted", asked)
	}
}

// watched evaluates an operator over memory full of rubbish, by one call of its kernel for all pieces.
func watched(t *testing.T, name string, attrs graph.Attrs, in []*tensor.Tensor, stop func() bool) *Call {
	t.Helper()
	d, _ := Lookup(name)
	types := make([]Type, len(in))
	for i, x := range in {
		types[i] = Type{DType: x.DType(), Shape: x.Shape()}
	}
	s, out, err := d.Bind(types, attrs)
	if err != nil {
		t.Fatal(err)
	}
	c := &Call{In: make([]*tensor.Tensor, len(s.In)), Attrs: s.Attrs, Stop: stop}
	copy(c.In, in)
	rubbish := func(b []byte) []byte {
		for i := range b {
			b[i] = 0xA5
		}
		return b
	}
	for _, o := range out {
		x := must(tensor.New(o.DType, o.Shape))
		rubbish(x.Bytes())
		c.Out = append(c.Out, x)
	}
	if d.Ref.Scratch != nil {
		c.Scratch = rubbish(tensor.AlignedBytes(d.Ref.Scratch(s, out)))
	}
	d.Kernel(s)(c, 0, d.Pieces(s, out))
	return c
}

// rising returns tensors of the numbers from 1 to 100, again and again, each tensor a little greater at its end.
func rising(d tensor.DType, shapes ...tensor.Shape) []*tensor.Tensor {
	var list []*tensor.Tensor
	for _, shape := range shapes {
		v := make([]int32, shape.Len())
		for i := range v {
			v[i] = int32(i%100 + 1)
		}
		v[len(v)-1] = 101
		list = append(list, must(tensor.Cast(must(tensor.FromSlice(v, shape...)), d)))
	}
	return list
}

// manyBoxes returns the operands of non_max_suppression for n boxes that do not overlap, in no order.
func manyBoxes(n int) []*tensor.Tensor {
	r := NewRand(1, 1)
	v := make([]int32, 0, n*boxColumns)
	for i := range n {
		x := int32(10 * i)
		v = append(v, 0, int32(r.IntN(1<<30)), x, 0, x+5, 5)
	}
	return []*tensor.Tensor{must(tensor.FromSlice(v, 1, n, boxColumns)), must(tensor.FromSlice([]int32{int32(n)}, 1))}
}
