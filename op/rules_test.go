package op_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestRules gives shape rules what they must refuse, and looks who is to blame.
func TestRules(t *testing.T) {
	type types = []op.Type
	of := func(d tensor.DType, shape ...int) op.Type { return op.Type{DType: d, Shape: shape} }
	f := func(shape ...int) op.Type { return of(tensor.Float32, shape...) }
	i := func(shape ...int) op.Type { return of(tensor.Int32, shape...) }
	const most = tensor.MaxElements
	past31, bit59 := int64(1<<31+1), int64(1<<59) // which an int may not hold
	flat, line := []int{0, 0, 0, 0}, []int{0, 0}
	for _, c := range []struct {
		op      string
		in      types
		attrs   graph.Attrs
		operand string
		text    string // in the error
	}{
		{"argmax_reduce", types{f(int(past31), 0)}, graph.AttrsOf("axes", []int{0}, "dtype", tensor.Int32), "dtype", "int32 does not hold the indices"},
		{"argmax_pool", types{f(1<<20, 1)}, graph.AttrsOf("size", []int{1, 1}, "padding", flat, "dtype", tensor.Int32, "steps", []int{1 << 12, 1}), "steps", "lead beyond int32"},
		{"col_to_im", types{f(1, 4, 4)}, graph.AttrsOf("output_size", []int{}, "size", []int{}, "padding", []int{}), "output_size", "an image has 0 dimensions"},
		{"col_to_im", types{f(1, 4, 4)}, graph.AttrsOf("output_size", []int{9, 9, 9}, "size", []int{1 << 30, 1 << 30, 1 << 30}, "padding", make([]int, 6)), "size", ""},
		{"col_to_im", types{f(1, 5, 4)}, graph.AttrsOf("output_size", []int{5}, "size", []int{2}, "padding", line), "input", "a multiple of 2"},
		{"col_to_im", types{f(1, 3, 1)}, graph.AttrsOf("output_size", []int{1}, "size", []int{3}, "padding", line), "padding", ""},
		{"split", types{f(6)}, graph.AttrsOf("axis", 0, "ratios", slices.Repeat([]int{int(bit59)}, 32)), "ratios", "does not divide the extent 6"},
		{"conv", types{f(1, 0, 5), f(3, 0, 3)}, graph.AttrsOf("groups", 0, "padding", line), "groups", "0 makes one group for each of the 0"},
		{"conv", types{f(1, 4, 5), f(3, 4, 3, 3)}, graph.AttrsOf("padding", line), "filter", "the rank of"},
		{"deconv", types{f(1, 4, 5), of(tensor.Int8, 4, 1, 3)}, graph.AttrsOf("padding", line), "filter", ""},
		{"deconv", types{f(1, 4, 5), f(4, 1, 3)}, graph.AttrsOf("output_shape", []int{1 << 30, 1, 1 << 30}, "padding", line), "output_shape", "elements"},
		{"deconv", types{f(1, 4, 5), f(3, 1, 3)}, graph.AttrsOf("padding", line), "filter", "has 3 input channels"},
		{"deconv", types{f(1, 0, 5), f(0, most, 1)}, graph.AttrsOf("groups", 2, "padding", line), "groups", "are too many"},
		{"deform_conv", types{f(1, 4, 5, 5), f(3, 2, 3, 3), f(1, 18, 3, 3)}, graph.AttrsOf("groups", 2, "padding", flat), "groups", "2 groups do not divide"},
		{"deform_conv", types{f(1, 4, 5, 5), f(2, 4, 3, 3), f(1, 54, 3, 3)}, graph.AttrsOf("offset_groups", 3, "padding", flat), "offset_groups", "3 groups do not divide"},
		{"deform_conv", types{f(1, 4, 5, 5), f(2, 4, 9, 9), f(1, 162, 3, 3)}, graph.AttrsOf("padding", flat), "padding", ""},
		{"deform_conv", types{f(1, 4, 5, 5), f(2, 4, 3, 3), f(1, 18, 3, 3), f(3)}, graph.AttrsOf("padding", flat), "bias", "it must be [2]"},
		{"instance_normalization", types{f(1, 2, 3), f(3)}, nil, "scale", ""},
		{"linear", types{f(2, 3), i(2, 3)}, nil, "filter", "it must be float32"},
		{"linear", types{i(2, 3), f(2, 3)}, graph.AttrsOf("dtype", tensor.Int32), "filter", "it must be an integer"},
		{"n_gram_count", types{i(8)}, graph.AttrsOf("pool", []int{1, 2, 2, 3}, "starts", []int{2, 0}, "columns", []int{0, 1}, "max_length", 2), "starts", "ascending"},
		{"n_gram_count", types{i(8)}, graph.AttrsOf("pool", []int{1, 2}, "starts", []int{0, 4}, "columns", []int{0, 1}, "max_length", 2), "starts", "ascending"},
		{"lstm", types{f(1, 1, 1), f(1, 4, 1), f(1, 4, 1)}, graph.AttrsOf("steps", 1, "hidden_size", most/2), "hidden_size", "too large"},
		{"lstm", types{f(1, 1, 1), f(1, 4, 1), f(1, 4, 1)}, graph.AttrsOf("steps", 1, "hidden_size", 1, "activation_alpha", []float64{1}), "activation_alpha", "1 parameters"},
		{"roi_pool", types{f(2, 1, 4, 4), i(1, 3, 4), i(2)}, graph.AttrsOf("output_size", []int{1, 1}), "batch_index", "it must be [3]"},
		{"roi_pool", types{f(0, 1, 4, 4), i(1, 3, 4), i(3)}, graph.AttrsOf("output_size", []int{1, 1}), "data", "has no item for 3"},
		{"reshape", types{f(1)}, graph.AttrsOf("shape", make([]int, tensor.MaxRank+1)), "shape", "extents are given; at most"},
		{"transpose", types{f(2, 3)}, graph.AttrsOf("axes", []int{1, 1}), "axes", "[1,1] is not a permutation"},
		{"desample", types{f(5), i(5)}, graph.AttrsOf("size", []int{1}, "padding", line, "stride", []int{1}, "border", "ignore"), "border", `it must be "constant"`},
		{"lstm", types{f(1, 1, 1), of(tensor.Float64, 1, 4, 1), f(1, 4, 1)}, graph.AttrsOf("steps", 1, "hidden_size", 1), "weight", "float32"},
		{"leaky_relu", types{f(2)}, graph.AttrsOf("alpha", math.NaN()), "alpha", "is not finite"},
		{"dft", types{f(3, 2)}, graph.AttrsOf("axis", 1), "axis", "holds real and imaginary parts"},
		{"dft", types{f(3, 2)}, graph.AttrsOf("axis", -1), "axis", "axes count from 0, and this one is 1"},
		{"conv", types{f(1, 1, 5), f(1, 1, most)}, graph.AttrsOf("dilation", []int{limits.OpSlide}, "padding", line), "dilation", "is not possible"},
		{"deconv", types{f(1, 1, most), f(1, 1, 1)}, graph.AttrsOf("stride", []int{limits.OpSlide}, "padding", line), "stride", "is not possible"},
		{"unsqueeze", types{f(2)}, graph.AttrsOf("axes", []int{2}), "axes", "axis 2 is not a dimension of the result"},
		{"unsqueeze", types{f(2)}, graph.AttrsOf("axes", []int{0, 0}), "axes", ""},
		{"roi_align", types{f(1, 1, 4, 4), f(2, 5), i(2)}, graph.AttrsOf("output_size", []int{1, 1}), "rois", "it must be [N,4]"},
		{"scatter_nd", types{f(2, 3), i(1, 3), f(1)}, nil, "indices", ""},
		{"box_suppression", types{f(1, 2, 5), f(1, 2)}, nil, "boxes", "rows of 5"},
		{"class_box_suppression", types{f(1, 2, 5), f(1, 1, 2)}, graph.AttrsOf("max_output_size", 1), "boxes", "rows of 5"},
		{"class_box_suppression", types{f(2, 2, 4), f(1, 1, 2)}, graph.AttrsOf("max_output_size", 1), "scores", ""},
	} {
		if strconv.IntSize < 64 && (c.op == "argmax_reduce" || c.op == "split") {
			continue
		}
		d, ok := op.Lookup(c.op)
		if !ok {
			t.Errorf("there is no operator %s", c.op)
			continue
		}
		_, _, err := d.Bind(c.in, c.attrs)
		var violated *op.Error
		if !errors.As(err, &violated) || violated.Operand != c.operand || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s %v %v: %v; want %q of %s", c.op, c.in, c.attrs, err, c.text, c.operand)
		}
	}
}

// TestDepthwiseChannels lets the wanted shape of a transposed convolution say how many groups there are.
func TestDepthwiseChannels(t *testing.T) {
	d, _ := op.Lookup("deconv")
	f := func(shape ...int) op.Type { return op.Type{DType: tensor.Float32, Shape: shape} }
	_, out, err := d.Bind([]op.Type{f(1, 4, 5), f(4, 1, 3)}, graph.AttrsOf("groups", 0, "output_shape", []int{1, 2, 7}, "padding", []int{0, 0}))
	if err != nil || !out[0].Shape.Equal(tensor.Shape{1, 2, 7}) {
		t.Errorf("got %v, %v", out, err)
	}
}

// TestNoOperator asks what needs an operator, or what one lacks, for one that is not there.
func TestNoOperator(t *testing.T) {
	f := op.Type{DType: tensor.Float32, Shape: tensor.Shape{2}}
	x := &graph.Value{Name: "x", Type: f}
	odd := &graph.Node{Op: "odd", In: []*graph.Value{x}, Out: []*graph.Value{{Name: "y", Type: f}}}
	refused := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v; want %s", err, want)
		}
	}
	for _, n := range []*graph.Node{nil, odd} {
		want := map[bool]string{true: "the node is nil", false: `there is no operator "odd"`}[n == nil]
		_, err := op.Of(n)
		refused(err, want)
		_, err = op.EvalNode(t.Context(), n, []*tensor.Tensor{tensor.Scalar(float32(1))})
		refused(err, want)
		_, err = op.NodeCost(n)
		refused(err, want)
	}
	_, _, err := op.Rules.Infer("odd", []op.Type{f}, nil, nil)
	refused(err, `there is no operator "odd"`)
	if _, ok := op.Rules.Signature("odd"); ok {
		t.Error("an operator that is not there has a signature")
	}
	if same, simpler := op.Simplify(odd); same != nil || simpler != nil || op.NonNegative(odd, []bool{true}) || op.HasZeroPoints(odd) || op.Views(odd) != nil || op.Joins(odd) != nil {
		t.Error("something is known of an operator that is not there")
	}
	var none *op.Def
	_, err = none.Expanded(nil, nil)
	refused(err, "the definition is nil")
	_, _, err = none.Bind(nil, nil)
	refused(err, "there is no operator")
	_, _, err = (&op.Def{}).Bind(nil, nil)
	refused(err, "there is no operator")
	d, _ := op.Lookup("relu")
	_, err = d.Expanded([]*graph.Value{x}, nil)
	refused(err, "no simpler operators are known that say relu")
	_, err = op.Budget{}.Eval(d, nil, nil)
	refused(err, "relu")
	_, _, err = d.Bind([]op.Type{f}, graph.AttrsOf("odd", 1))
	refused(err, "the operator has no such attribute")
	d, _ = op.Lookup("softmax")
	_, _, err = d.Bind([]op.Type{f}, graph.AttrsOf("axes", []int{0}, "axes", []int{0}))
	refused(err, "the attribute is given twice")
}

// TestWords writes ranks and ranges in sentences.
func TestWords(t *testing.T) {
	for r, want := range map[op.Ranks]string{op.AnyRank: "any", op.Rank(2): "2", op.AtLeast(2): "2 or more", {Min: 1, Max: 4}: "1 to 4"} {
		if r.String() != want {
			t.Errorf("ranks %d to %d are written as %s; want %s", r.Min, r.Max, r, want)
		}
	}
	for r, want := range map[[2]float64]string{{}: "", {0, 1.5}: "from 0 to 1.5", {-1 << 62, 1}: "from -4611686018427387904 to 1", {-1 << 31, math.MaxInt}: "from -2147483648 to " + strconv.Itoa(math.MaxInt),
		{1, 9.5e18}: "from 1 to 9500000000000000000", {0, 1e300}: "from 0 to 1e+300"} {
		if got := (&op.Attr{Range: r}).Bounds(); got != want {
			t.Errorf("the range %v is written as %q; want %q", r, got, want)
		}
	}
	if got := (op.Elementwise | op.Commutative).String(); strings.Count(got, ", ") != 1 {
		t.Errorf("two traits are written as %q", got)
	}
}

// TestInterpreterInputs begins runs with what a graph does not take.
func TestInterpreterInputs(t *testing.T) {
	b := graph.NewBuilder(op.Rules, "g")
	x, err := b.Input("x", op.Type{DType: tensor.Float32, Shape: tensor.Shape{}})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Output("y", x); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	one := tensor.Scalar(float32(1))
	for _, in := range [][]*tensor.Tensor{nil, {one, one}, {nil}, {tensor.Scalar(int8(1))}} {
		if err := op.NewInterpreter(g).Begin(in); err == nil {
			t.Errorf("a run begins with %v", in)
		}
	}
}

// TestCanonicalSums adds infinities of both signs, of which processors make NaNs of either sign, and quantizes NaN.
func TestCanonicalSums(t *testing.T) {
	inf, odd := float32(math.Inf(1)), math.Float32frombits(0xFFC12345)
	f := func(v []float32, shape ...int) *tensor.Tensor { return must(tensor.FromSlice(v, shape...)) }
	for _, c := range []struct {
		op    string
		in    []*tensor.Tensor
		attrs graph.Attrs
	}{
		{"conv", []*tensor.Tensor{f([]float32{inf}, 1, 1, 1), f([]float32{1}, 1, 1, 1), f([]float32{-inf}, 1)}, graph.AttrsOf("padding", []int{0, 0})},
		{"box", []*tensor.Tensor{f([]float32{inf, -inf}, 2)}, graph.AttrsOf("size", []int{2}, "padding", []int{0, 0})},
		{"max_pool", []*tensor.Tensor{f([]float32{1, odd}, 2)}, graph.AttrsOf("size", []int{2}, "padding", []int{0, 0})},
		{"roi_pool", []*tensor.Tensor{f([]float32{1, odd}, 1, 1, 1, 2), must(tensor.FromSlice([]int32{0, 0, 1, 0}, 1, 1, 4))}, graph.AttrsOf("output_size", []int{1, 1})},
		{"desample", []*tensor.Tensor{f([]float32{inf, -inf}, 2), must(tensor.FromSlice([]int32{1, 0}, 2))}, graph.AttrsOf("size", []int{2}, "padding", []int{0, 0}, "stride", []int{1}, "output_shape", []int{3})},
	} {
		nan := 0
		for _, y := range apply[float32](t, c.op, c.attrs, c.in...) {
			if bits := math.Float32bits(y); y != y && bits != 0x7FC00000 {
				t.Errorf("%s: NaN is %#x", c.op, bits)
			} else if y != y {
				nan++
			}
		}
		if nan == 0 {
			t.Errorf("%s: there is no NaN", c.op)
		}
	}
	y, err := op.Eval(def("quantize_linear"), []*tensor.Tensor{f([]float32{float32(math.NaN()), 3}, 2), f([]float32{1}), must(tensor.Cast(f([]float32{2}), tensor.Int4))}, nil)
	if err != nil || y[0].Bytes()[0] != 5<<4 {
		t.Errorf("NaN and 3 become %v, %v", y, err)
	}
}

// TestEvaluateElsewhere evaluates by the hook that stands for references, and a definition without any.
func TestEvaluateElsewhere(t *testing.T) {
	x, lost := []*tensor.Tensor{tensor.Scalar(float32(1))}, errors.New("lost")
	op.Evaluate = func(*op.Def, *op.Call, int) error { return lost }
	_, err := op.Eval(def("neg"), x, nil)
	if op.Evaluate = nil; !errors.Is(err, lost) {
		t.Errorf("elsewhere: %v", err)
	}
	d := *def("neg")
	d.Ref = op.Reference{}
	if _, err := op.Eval(&d, x, nil); err == nil || !strings.Contains(err.Error(), "there is no evaluation for float32[]") {
		t.Errorf("without a reference: %v", err)
	}
}

// TestSignature writes types as NNEF has them.
func TestSignature(t *testing.T) {
	for name, want := range map[string]string{"det": "scalar scalar", "lt": "? logical", "not": "logical logical", "bit_length": "integer integer", "is_nan": "scalar logical", "neg": "? ?"} {
		sig, ok := op.Rules.Signature(name)
		if got := sig.Operands[0].Type + " " + sig.Results[0].Type; !ok || got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestOneSample resizes to one element, which two ways of coordinates take from the beginning.
func TestOneSample(t *testing.T) {
	x := must(tensor.FromSlice([]float32{1, 2, 3, 4}, 4))
	for coordinates, want := range map[string]float32{"pytorch_half_pixel": 1, "align_corners": 1, "half_pixel": 2.5} {
		equalFloats(t, coordinates, apply[float32](t, "resize", graph.AttrsOf("mode", "linear", "coordinates", coordinates, "sizes", []int{1}), x), []float32{want})
		scaled := apply[float32](t, "resize", graph.AttrsOf("mode", "linear", "coordinates", coordinates, "sizes", []int{1}, "scales", []float64{0.25}), x)
		equalFloats(t, coordinates+" by a scale", scaled, []float32{want})
	}
}

// TestSimpler asks what stands for the last node of a chain.
func TestSimpler(t *testing.T) {
	type node struct {
		op    string
		attrs graph.Attrs
	}
	shape := func(extents ...int) node { return node{"reshape", graph.AttrsOf("shape", extents)} }
	axes := func(op string, axes ...int) node { return node{op, graph.AttrsOf("axes", axes)} }
	for _, c := range []struct {
		shape tensor.Shape
		chain []node
		want  string
	}{
		{tensor.Shape{2, 3}, []node{shape(2, 3)}, "x"},
		{tensor.Shape{2, 3}, []node{shape(6), shape(3, 2)}, "reshape of x [{shape [3 2]}]"},
		{tensor.Shape{2, 0}, []node{axes("unsqueeze", 0), axes("unsqueeze", 0)}, ""},
		{tensor.Shape{2, 3}, []node{axes("transpose", 0, 1)}, "x"},
		{tensor.Shape{2, 3}, []node{axes("transpose", 1, 0), axes("transpose", 1, 0)}, "transpose of x [{axes [0 1]}]"},
		{tensor.Shape{1, 3}, []node{axes("transpose", 1, 0)}, "reshape of x [{shape [3 1]}]"},
		{tensor.Shape{2}, []node{{"resize", graph.AttrsOf("sizes", []int{4})}}, "resample of x [{mode nearest-neighbor} {sizes [4]} {scales []}]"},
		{tensor.Shape{2}, []node{{"resize", graph.AttrsOf("sizes", []int{4}, "mode", "linear")}}, "resample of x [{mode linear} {sizes [4]} {scales []}]"},
		{tensor.Shape{2}, []node{{"resize", graph.AttrsOf("sizes", []int{4}, "mode", "cubic")}}, ""},
	} {
		b := drawn{graph.NewBuilder(op.Rules, "g")}
		v := b.in("x", tensor.Float32, c.shape...)
		for _, n := range c.chain {
			v = must(b.One(n.op, []*graph.Value{v}, n.attrs, ""))
		}
		got := ""
		if same, simpler := op.Simplify(v.Producer); same != nil {
			got = same.Name
		} else if simpler != nil {
			got = fmt.Sprintf("%s of %s %v", simpler.Op, simpler.In[0].Name, simpler.Attrs)
		}
		if got != c.want {
			t.Errorf("%v of %v: %q, want %q", c.chain, c.shape, got, c.want)
		}
	}
}

// TestNotSimpler keeps nodes that what is simpler does not stand for.
func TestNotSimpler(t *testing.T) {
	for _, c := range []struct {
		op    string
		attrs graph.Attrs
	}{
		{"resize", graph.AttrsOf("mode", "linear", "coordinates", "half_pixel_symmetric", "sizes", []int{6}, "scales", []float64{1.6})},
		{"resize", graph.AttrsOf("mode", "linear", "coordinates", "pytorch_half_pixel", "sizes", []int{1})},
		{"cast", graph.AttrsOf("dtype", tensor.Float32)},
	} {
		b := drawn{graph.NewBuilder(op.Rules, "g")}
		y := must(b.One(c.op, []*graph.Value{b.in("x", tensor.Float32, 4)}, c.attrs, ""))
		if same, simpler := op.Simplify(y.Producer); same != nil || simpler != nil {
			t.Errorf("%s %v: %v, %v stand for it", c.op, c.attrs, same, simpler)
		}
	}
}

// TestPaddedCodes pads with numbers that only some types hold.
func TestPaddedCodes(t *testing.T) {
	for _, c := range []struct {
		d     tensor.DType
		value float64
		want  []byte // nil if it is refused
	}{
		{tensor.Float8E4M3FN, 1.5, []byte{0x3C}}, {tensor.Uint8, 255, []byte{255}}, {tensor.Uint8, 256, nil}, {tensor.Uint8, 1.5, nil},
		{tensor.Uint64, 3 << 62, tensor.Scalar(uint64(3) << 62).Bytes()}, {tensor.Uint64, -1, nil}, {tensor.Int8, -128, []byte{0x80}}, {tensor.Int8, 128, nil},
	} {
		x := must(tensor.New(c.d, tensor.Shape{1}))
		y, err := op.Eval(def("pad"), []*tensor.Tensor{x}, graph.AttrsOf("padding", []int{0, 1}, "value", c.value))
		if (err == nil) != (c.want != nil) || err == nil && !bytes.Equal(y[0].Bytes()[len(c.want):], c.want) {
			t.Errorf("%v padded with %v: %v, %v; want %x", c.d, c.value, y, err, c.want)
		}
	}
}

func TestProductWork(t *testing.T) {
	f := func(shape ...int) op.Type { return op.Type{DType: tensor.Float32, Shape: shape} }
	s, out, err := def("matmul").Bind([]op.Type{f(3, 5), f(3, 7)}, graph.AttrsOf("transposeA", true))
	if err != nil || def("matmul").Cost(s, out).MACs != 5*7*3 {
		t.Errorf("%v, %v", out, err)
	}
}
