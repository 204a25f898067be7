package op_test

import (
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// oneNode returns the node of an operator with an input of float32 of the given shape.
func oneNode(t *testing.T, name string, shape tensor.Shape, attrs graph.Attrs) *graph.Node {
	t.Helper()
	b := graph.NewBuilder(op.Rules, "case")
	x, err := b.Input("x", op.Type{DType: tensor.Float32, Shape: shape})
	if err != nil {
		t.Fatal(err)
	}
	y, err := b.One(name, []*graph.Value{x}, attrs, "")
	if err != nil {
		t.Fatal(err)
	}
	return y.Producer
}

func TestInterpolation(t *testing.T) {
	resize := func(more ...any) graph.Attrs { return graph.AttrsOf(append([]any{"sizes", []int{4}}, more...)...) }
	for name, tt := range map[string]struct {
		op    string
		attrs graph.Attrs
		most  int
		want  []op.Between
	}{
		"the nearest":       {"resample", resize(), 4, []op.Between{{0, 0, 0}, {0, 0, 0}, {1, 1, 0}, {1, 1, 0}}},
		"between":           {"resample", resize("mode", "linear"), 4, []op.Between{{0, 0, 0}, {0, 1, 0.25}, {0, 1, 0.75}, {1, 1, 0}}},
		"placed otherwise":  {"resize", resize("mode", "linear", "coordinates", "asymmetric"), 4, []op.Between{{0, 0, 0}, {0, 1, 0.5}, {1, 1, 0}, {1, 1, 0}}},
		"too many":          {"resample", resize(), 3, nil},
		"sums with weights": {"resize", resize("mode", "cubic"), 4, nil},
		"extrapolated":      {"resize", resize("coordinates", "tf_crop_and_resize", "roi", []float64{0, 2}), 4, nil},
		"a region":          {"resize", resize("mode", "linear", "coordinates", "tf_crop_and_resize", "roi", []float64{0.25, 1}), 4, []op.Between{{0, 1, 0.25}, {0, 1, 0.5}, {0, 1, 0.75}, {1, 1, 0}}},
		"zeros around":      {"multilinear_upsample", graph.AttrsOf("factor", []int{2}, "border", "constant"), 9, nil},
		"another operator":  {"neg", nil, 4, nil},
	} {
		shape := tensor.Shape{2}
		if tt.op == "multilinear_upsample" {
			shape = tensor.Shape{1, 1, 2}
		}
		got := op.Interpolation(oneNode(t, tt.op, shape, tt.attrs), tt.most)
		if (got == nil) != (tt.want == nil) || got != nil && !slices.Equal(got[0], tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

func TestSelection(t *testing.T) {
	for name, tt := range map[string]struct {
		op     string
		attrs  graph.Attrs
		ok     bool
		offset int
		stride []int
	}{
		"transpose":        {"transpose", graph.AttrsOf("axes", []int{1, 0}), true, 0, []int{1, 3}},
		"reverse":          {"reverse", graph.AttrsOf("axes", []int{1}), true, 2, []int{3, -1}},
		"slice":            {"slice", graph.AttrsOf("axes", []int{1}, "begin", []int{1}, "end", []int{3}), true, 1, []int{3, 1}},
		"another operator": {"neg", nil, false, 0, nil},
	} {
		offset, stride, ok := op.Selection(oneNode(t, tt.op, tensor.Shape{2, 3}, tt.attrs))
		if ok != tt.ok || offset != tt.offset || !slices.Equal(stride, tt.stride) {
			t.Errorf("%s: %d %v %t", name, offset, stride, ok)
		}
	}
}

// TestLaneOf asks for lanes where there are none, and for one of a slice that takes all of a dimension.
func TestLaneOf(t *testing.T) {
	pair := tensor.Shape{2, 3}
	neg, whole := oneNode(t, "neg", pair, nil), oneNode(t, "slice", pair, graph.AttrsOf("axes", []int{0}, "begin", []int{0}, "end", []int{2}))
	for name, l := range map[string]*op.Lane{
		"no dimension":      op.LaneOf(neg, -1),
		"beyond":            op.LaneOf(neg, 2),
		"no results":        op.LaneOf(&graph.Node{Op: "neg"}, 0),
		"no operator":       op.LaneOf(&graph.Node{Op: "odd", Out: neg.Out}, 0),
		"nothing is known":  op.LaneOf(oneNode(t, "squeeze", tensor.Shape{2, 1}, graph.AttrsOf("axes", []int{1})), 0),
		"places that count": op.LaneOf(oneNode(t, "slice", pair, graph.AttrsOf("axes", []int{0}, "begin", []int{1}, "end", []int{2})), 0),
	} {
		if l != nil {
			t.Errorf("%s: %v", name, l)
		}
	}
	if offsets := op.Views(oneNode(t, "slice", pair, graph.AttrsOf("axes", []int{0}, "begin", []int{2}, "end", []int{2}))); !slices.Equal(offsets, []int{0}) {
		t.Errorf("a slice of nothing begins at %v", offsets)
	}
	b := drawn{graph.NewBuilder(op.Rules, "case")}
	product := b.op("matmul", b.in("a", tensor.Int8, 2, 3), b.in("b", tensor.Int8, 3, 4), b.in("zero", tensor.Int8, 2, 1)).Producer
	if l := op.LaneOf(product, 0); l == nil || !slices.Equal(l.In[:3], []int{0, -1, 0}) || !op.HasZeroPoints(product) {
		t.Errorf("rows with zero points: %v", l)
	}
	if l := op.LaneOf(neg, 1); l == nil || l.In[0] != 1 {
		t.Errorf("an element: %v", l)
	}
	if l := op.LaneOf(whole, 0); l == nil || l.In[0] != 0 || len(l.Attrs.Ints("axes")) > 0 {
		t.Errorf("a slice of all: %v", l)
	}
}
