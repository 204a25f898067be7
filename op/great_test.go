package op_test

import (
	"math"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Numbers that a tensor's extents do not bound: windows, strides, dilations and paddings of 32 bits, and extents of 31.

// TestGreatWindows slides windows mostly over padding, which must take no time.
func TestGreatWindows(t *testing.T) {
	const most = math.MaxUint32 & math.MaxInt
	if math.MaxInt == math.MaxInt32 {
		t.Skip("these windows take ints of 64 bits")
	}
	x := must(tensor.FromSlice([]float32{1, 2, 3, 4, 5}, 5))
	for _, tt := range []struct {
		op                              string
		size, before, end, stride, dist int
		want                            []float32
	}{
		{"max_pool", math.MaxInt32, math.MaxInt32, 0, 2, 1, []float32{float32(math.Inf(-1)), 2, 4}},
		{"box", math.MaxInt32, math.MaxInt32, math.MaxInt32, math.MaxInt32, 1, []float32{0, 3}},
		{"box", 3, most, most, most, 2, []float32{0, 3, 0}},
		{"box", 3, most, most, 1, most, []float32{1, 2, 3, 4, 5}},
		{"l2_pool", math.MaxInt32, 0, math.MaxInt32, most, 1, []float32{float32(math.Sqrt(55))}},
	} {
		attrs := graph.Attrs{{Name: "size", Value: []int{tt.size}}, {Name: "border", Value: "ignore"}, {Name: "padding", Value: []int{tt.before, tt.end}},
			{Name: "stride", Value: []int{tt.stride}}, {Name: "dilation", Value: []int{tt.dist}}}
		if tt.op == "box" {
			attrs = append(attrs, graph.Attr{Name: "normalize", Value: true})
		}
		out, err := op.Eval(def(tt.op), []*tensor.Tensor{x}, attrs)
		if err != nil {
			t.Errorf("%+v: %v", tt, err)
			continue
		}
		sameFloats(t, out[0], tt.want, op.Case{In: []*tensor.Tensor{x}, Attrs: attrs})
	}
	image, filter := must(tensor.FromSlice([]float32{1, 2, 3}, 1, 1, 3)), must(tensor.FromSlice([]float32{10, 100}, 1, 1, 2))
	attrs := graph.Attrs{{Name: "padding", Value: []int{most, most}}, {Name: "stride", Value: []int{most}}, {Name: "dilation", Value: []int{2}}}
	out := must(op.Eval(def("conv"), []*tensor.Tensor{image, filter}, attrs))
	sameFloats(t, out[0], []float32{0, 310, 0}, op.Case{In: []*tensor.Tensor{image, filter}, Attrs: attrs})
}

// TestScanOfNothing takes parts without elements from a tensor whose other extents are great.
func TestScanOfNothing(t *testing.T) {
	testdata.Wide(t)
	x := must(tensor.New(tensor.Int32, tensor.Shape{math.MaxInt32, 3, 0}))
	body := blockOf("body", func(b drawn) { b.out(b.in("x", tensor.Int32, math.MaxInt32, 1, 0)) })
	out, err := op.Eval(def("scan"), []*tensor.Tensor{x}, graph.AttrsOf("states", 0, "scanned", 1, "axes", []int{1}, "out_axes", []int{1}), body)
	if err != nil || !out[0].Shape().Equal(x.Shape()) {
		t.Errorf("%v, %v", out, err)
	}
}

// TestGreatNothing lets results without elements cost nothing, whatever their other extents are.
func TestGreatNothing(t *testing.T) {
	testdata.Wide(t)
	const most = math.MaxInt32
	for _, tt := range []struct {
		op    string
		shape tensor.Shape
		attrs graph.Attrs
	}{
		{"concat", tensor.Shape{most, 0}, graph.AttrsOf("axis", 1)},
		{"det", tensor.Shape{0, 1 << 12, 1 << 12}, nil},
		{"split", tensor.Shape{most, 0}, graph.AttrsOf("axis", 1, "ratios", []int{1, 1})},
	} {
		s, out, err := def(tt.op).Bind([]op.Type{{DType: tensor.Float32, Shape: tt.shape}}, tt.attrs)
		if err != nil {
			t.Errorf("%s: %v", tt.op, err)
			continue
		}
		cost, scratch := s.Def.Cost(s, out), 0
		if s.Def.Ref.Scratch != nil {
			scratch = s.Def.Ref.Scratch(s, out)
		}
		if cost.Ops != 0 || scratch != 0 {
			t.Errorf("%s of %v: %d operations, %d bytes", tt.op, tt.shape, cost.Ops, scratch)
		}
	}
}
