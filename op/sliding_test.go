package op_test

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestWindowExtents follows the worked numbers of the NNEF reference, with the paddings that it computes automatically.
func TestWindowExtents(t *testing.T) {
	for _, tt := range []struct {
		up                                      bool
		in, size, stride, dilation, before, end int
		want                                    int
	}{
		{false, 7, 3, 2, 1, 1, 1, 4},
		{false, 6, 3, 2, 1, 0, 1, 3},
		{false, 8, 3, 1, 1, 1, 1, 8},
		{false, 4, 2, 1, 1, 0, 1, 4},
		{false, 7, 3, 1, 2, 2, 2, 7},
		{false, 5, 1, 2, 1, 0, 0, 3},
		{false, 6, 2, 1, 1, -1, 0, 4},
		{true, 5, 3, 2, 1, 0, 1, 10},
		{true, 5, 3, 2, 1, 1, 1, 9},
		{true, 3, 2, 1, 2, 1, 0, 4},
	} {
		d := def(map[bool]string{false: "box", true: "debox"}[tt.up])
		_, got, err := d.Bind([]op.Type{{DType: tensor.Float32, Shape: tensor.Shape{tt.in}}}, graph.AttrsOf("size", []int{tt.size},
			"padding", []int{tt.before, tt.end}, "stride", []int{tt.stride}, "dilation", []int{tt.dilation}))
		if err != nil || got[0].Shape[0] != tt.want {
			t.Errorf("%+v: the extent is %v, %v", tt, got, err)
		}
	}
}

// TestHostileWindows holds the operators with windows to answering absurd attributes with an error.
func TestHostileWindows(t *testing.T) {
	x := must(tensor.New(tensor.Float32, tensor.Shape{1, 2, 5}))
	w := must(tensor.New(tensor.Float32, tensor.Shape{2, 2, 3}))
	i := must(tensor.New(tensor.Int64, tensor.Shape{1, 2, 5}))
	const huge = math.MaxInt
	conv := graph.Attrs{{Name: "padding", Value: []int{1, 1}}}
	box := graph.Attrs{{Name: "size", Value: []int{1, 1, 3}}, {Name: "padding", Value: []int{0, 0, 0, 0, 1, 1}}}
	type change struct {
		attr  string
		value any
	}
	for _, tt := range []struct {
		ops     string
		in      []*tensor.Tensor
		attrs   graph.Attrs
		changes []change
	}{
		{"conv deconv", []*tensor.Tensor{x, w}, conv, []change{
			{"padding", []int{1}}, {"padding", []int{}}, {"padding", []int{huge, huge}}, {"padding", []int{-huge, 1}},
			{"stride", []int{0}}, {"stride", []int{-1}}, {"stride", []int{huge}}, {"stride", []int{1, 1}},
			{"dilation", []int{0}}, {"dilation", []int{huge}}, {"dilation", []int{1, 1}},
			{"groups", 3}, {"groups", -1}, {"groups", huge}, {"groups", 0}, {"border", "ignore"}, {"border", "none"}}},
		{"conv", []*tensor.Tensor{x, w}, conv, []change{{"padding", []int{-20, 1}}}},
		{"deconv", []*tensor.Tensor{x, w}, conv, []change{
			{"output_shape", []int{1, 2, 6}}, {"output_shape", []int{1, 2}}, {"output_shape", []int{1, 3, 5}},
			{"output_shape", []int{2, 2, 5}}, {"output_shape", []int{1, 2, huge}}, {"output_shape", []int{huge, huge, huge}}, {"padding", []int{20, 1}}}},
		{"box max_pool l2_pool rms_pool argmax_pool", []*tensor.Tensor{x}, box, []change{
			{"size", []int{1, 3}}, {"size", []int{}}, {"size", []int{1, 1, 0}}, {"size", []int{1, 1, huge}}, {"size", []int{1 << 20, 1 << 20, 1 << 30}},
			{"size", []int{1, 1, 8}}, {"padding", []int{}}, {"padding", []int{0, 0, 0, 0, huge, huge}}, {"padding", []int{0, 0, 0, 0, -10, 0}},
			{"stride", []int{1, 1, 0}}, {"stride", []int{1}}, {"dilation", []int{1, 1, huge}}, {"dilation", []int{1, 1, limits.OpSlide + 1}}, {"border", "edge"}}},
		{"debox", []*tensor.Tensor{x}, box, []change{
			{"output_shape", []int{1, 2, 6}}, {"output_shape", []int{1, 2}}, {"output_shape", []int{-1, 2, 5}},
			{"padding", []int{0, 0, 0, 0, 10, 0}}, {"stride", []int{1, 1, huge}}, {"size", []int{1 << 30, 1 << 30, 1}}}},
		{"sample desample", []*tensor.Tensor{x, i}, box, []change{
			{"size", []int{1, 1, 4}}, {"stride", []int{1, 1, 2}}, {"border", "ignore"}, {"padding", []int{0, 0, 0, 0, 9, 9}}}},
	} {
		for _, name := range strings.Fields(tt.ops) {
			if _, err := op.Eval(def(name), tt.in, tt.attrs); err != nil {
				t.Errorf("%s: the case without changes: %v", name, err)
			}
			for _, c := range tt.changes {
				if name == "desample" && (c.attr == "size" || c.attr == "stride") {
					continue // these are legal there
				}
				if _, err := op.Eval(def(name), tt.in, tt.attrs.With(c.attr, c.value)); err == nil {
					t.Errorf("%s accepts %s = %v", name, c.attr, c.value)
				}
			}
		}
	}
}

// TestEmptyTensors holds the operators to results without elements.
func TestEmptyTensors(t *testing.T) {
	zeros := func(d tensor.DType, shape ...int) *tensor.Tensor { return must(tensor.New(d, shape)) }
	box := graph.Attrs{{Name: "size", Value: []int{1, 1, 2}}, {Name: "padding", Value: make([]int, 6)}}
	for _, tt := range []struct {
		ops   string
		in    []*tensor.Tensor
		attrs graph.Attrs
	}{
		{"conv deconv", []*tensor.Tensor{zeros(tensor.Float32, 0, 2, 4), zeros(tensor.Float32, 2, 2, 3)}, graph.Attrs{{Name: "padding", Value: []int{0, 0}}}},
		{"conv", []*tensor.Tensor{zeros(tensor.Int8, 1, 2, 4), zeros(tensor.Int8, 0, 2, 3)}, graph.Attrs{{Name: "padding", Value: []int{0, 0}}}},
		{"deconv", []*tensor.Tensor{zeros(tensor.Int8, 1, 2, 4), zeros(tensor.Int8, 2, 0, 3)}, graph.Attrs{{Name: "padding", Value: []int{0, 0}}}},
		{"deconv", []*tensor.Tensor{zeros(tensor.Int8, 1, 2, 1), zeros(tensor.Int8, 2, 2, 3)}, graph.Attrs{{Name: "padding", Value: []int{2, 1}}}},
		{"box max_pool l2_pool argmax_pool", []*tensor.Tensor{zeros(tensor.Float32, 0, 3, 4)}, box},
		{"debox", []*tensor.Tensor{zeros(tensor.Float32, 1, 1, 1)}, box.With("padding", []int{0, 0, 0, 0, 1, 1})},
		{"desample", []*tensor.Tensor{zeros(tensor.Float32, 1, 1, 1), zeros(tensor.Int32, 1, 1, 1)}, box.With("padding", []int{0, 0, 0, 0, 1, 1})},
		{"multilinear_upsample", []*tensor.Tensor{zeros(tensor.Float32, 1, 0, 4)}, graph.Attrs{{Name: "factor", Value: []int{2}}}},
		{"resample", []*tensor.Tensor{zeros(tensor.Float32, 3)}, graph.Attrs{{Name: "sizes", Value: []int{0}}}},
		{"resample", []*tensor.Tensor{zeros(tensor.Float32, 0)}, graph.Attrs{{Name: "sizes", Value: []int{0}}, {Name: "mode", Value: "linear"}}},
		{"max_roi_pool", []*tensor.Tensor{zeros(tensor.Float32, 0, 1, 4), zeros(tensor.Float32, 0, 2), zeros(tensor.Int64, 0)}, graph.Attrs{{Name: "output_size", Value: []int{2}}}},
		{"roi_pool", []*tensor.Tensor{zeros(tensor.Int8, 1, 1, 4, 4), zeros(tensor.Int8, 1, 0, 4)}, graph.Attrs{{Name: "output_size", Value: []int{2, 2}}}},
	} {
		for _, name := range strings.Fields(tt.ops) {
			out, err := op.Eval(def(name), tt.in, tt.attrs)
			if err != nil || out[0].Len() != 0 {
				t.Errorf("%s of %v gives %v, %v; want an empty tensor", name, tt.in, out, err)
			}
		}
	}
	// No input channels: nothing but the bias.
	in := []*tensor.Tensor{zeros(tensor.Float32, 1, 0, 3), zeros(tensor.Float32, 2, 0, 2), must(tensor.FromSlice([]float32{1, 2}, 2))}
	out, err := op.Eval(def("conv"), in, graph.Attrs{{Name: "padding", Value: []int{0, 0}}})
	if err != nil {
		t.Fatal(err)
	}
	sameFloats(t, out[0], []float32{1, 1, 2, 2}, op.Case{})
}

// TestWindowWork holds the operators to declaring their arithmetic, without overflow where it is absurd.
func TestWindowWork(t *testing.T) {
	testdata.Wide(t)
	for _, tt := range []struct {
		op    string
		in    []op.Type
		attrs graph.Attrs
		want  op.Work
	}{
		{"conv", []op.Type{{DType: tensor.Float32, Shape: tensor.Shape{1, 4, 8, 8}}, {DType: tensor.Float32, Shape: tensor.Shape{6, 2, 3, 3}}},
			graph.Attrs{{Name: "padding", Value: []int{1, 1, 1, 1}}, {Name: "groups", Value: 2}}, op.Work{MACs: 6 * 64 * 2 * 9}},
		{"deconv", []op.Type{{DType: tensor.Float32, Shape: tensor.Shape{1, 4, 8, 8}}, {DType: tensor.Float32, Shape: tensor.Shape{4, 3, 2, 2}}},
			graph.Attrs{{Name: "padding", Value: []int{0, 0, 0, 0}}, {Name: "stride", Value: []int{2, 2}}}, op.Work{MACs: 4 * 64 * 3 * 4, Ops: 3 * 16 * 4}},
		{"max_pool", []op.Type{{DType: tensor.Float32, Shape: tensor.Shape{2, 8, 8}}},
			graph.Attrs{{Name: "size", Value: []int{1, 2, 2}}, {Name: "padding", Value: make([]int, 6)}, {Name: "stride", Value: []int{1, 2, 2}}}, op.Work{Ops: 2 * 16 * 4}},
		{"l2_pool", []op.Type{{DType: tensor.Float32, Shape: tensor.Shape{8}}},
			graph.Attrs{{Name: "size", Value: []int{3}}, {Name: "padding", Value: []int{0, 0}}}, op.Work{MACs: 6 * 3, Ops: 6}},
		{"box", []op.Type{{DType: tensor.Int8, Shape: tensor.Shape{math.MaxInt & (1 << 50), 1}}},
			graph.Attrs{{Name: "size", Value: []int{1, 1 << 30}}, {Name: "padding", Value: []int{0, 0, 1 << 30, 0}}}, op.Work{Ops: math.MaxInt64}},
		{"resample", []op.Type{{DType: tensor.Float32, Shape: tensor.Shape{4, 4}}}, graph.Attrs{{Name: "sizes", Value: []int{8, 8}}}, op.Work{Ops: 64}},
		{"resample", []op.Type{{DType: tensor.Float32, Shape: tensor.Shape{4, 4}}},
			graph.Attrs{{Name: "sizes", Value: []int{8, 8}}, {Name: "mode", Value: "linear"}}, op.Work{MACs: 64 * 3}},
		{"resize", []op.Type{{DType: tensor.Float32, Shape: tensor.Shape{4, 4}}}, graph.AttrsOf("sizes", []int{8, 8}), op.Work{Ops: 64}},
		{"resize", []op.Type{{DType: tensor.Float32, Shape: tensor.Shape{4}}}, graph.AttrsOf("sizes", []int{0}, "mode", "cubic"), op.Work{}},
		{"roi_align", []op.Type{{DType: tensor.Float32, Shape: tensor.Shape{1, 2, 9, 9}}, {DType: tensor.Float32, Shape: tensor.Shape{5, 4}}, {DType: tensor.Int32, Shape: tensor.Shape{5}}},
			graph.AttrsOf("output_size", []int{1, 1}, "sampling_ratio", 3), op.Work{MACs: 5 * 2 * 4 * 9}},
		{"clamp", []op.Type{{DType: tensor.Float32, Shape: tensor.Shape{7}}, {}, {DType: tensor.Float32, Shape: tensor.Shape{7}}}, nil, op.Work{Ops: 7}},
		{"avg_roi_pool", []op.Type{{DType: tensor.Float32, Shape: tensor.Shape{1, 2, 9}}, {DType: tensor.Float32, Shape: tensor.Shape{5, 2}}, {DType: tensor.Int32, Shape: tensor.Shape{5}}},
			graph.Attrs{{Name: "output_size", Value: []int{3}}}, op.Work{Ops: 5 * 2 * (9 + 2*3)}},
	} {
		s, out, err := def(tt.op).Bind(tt.in, tt.attrs)
		if err != nil {
			t.Errorf("%s: %v", tt.op, err)
			continue
		}
		if got := def(tt.op).Cost(s, out).Work; got != tt.want && !slices.Contains(tt.in[0].Shape, 0) {
			t.Errorf("%s of %v takes %+v, want %+v", tt.op, tt.in, got, tt.want)
		}
	}
}

// The definitions once more, as plainly as they can be written.

func naiveBorder(rule string, i, n int) int {
	for i < 0 || i >= n {
		switch {
		case rule == "replicate":
			i = min(max(i, 0), n-1)
		case rule == "reflect" && n == 1:
			i = 0
		case rule == "reflect" && i < 0:
			i = -i
		case rule == "reflect":
			i = 2*(n-1) - i
		case rule == "reflect-even" && i < 0:
			i = -1 - i
		case rule == "reflect-even":
			i = 2*n - 1 - i
		default:
			return -1
		}
	}
	return i
}

// naiveWindow maps indices of results and window positions to indices of the operand.
type naiveWindow struct {
	rule                      string
	in                        []int
	padding, stride, dilation []int
	up                        bool
}

func newNaiveWindow(in []int, a graph.Attrs, up bool) naiveWindow {
	w := naiveWindow{a.String("border"), in, a.Ints("padding"), a.Ints("stride"), a.Ints("dilation"), up}
	for len(w.stride) < len(in) {
		w.stride = append(w.stride, 1)
	}
	for len(w.dilation) < len(in) {
		w.dilation = append(w.dilation, 1)
	}
	return w
}

// at returns the operand's index for result o and position k, nil if there is none, and whether it lies inside the operand.
func (w naiveWindow) at(o, k []int) (index []int, inside bool) {
	inside = true
	index = []int{}
	for d := range o {
		i := o[d]*w.stride[d] - w.padding[2*d] + k[d]*w.dilation[d]
		if w.up {
			sum := o[d] + w.padding[2*d] - k[d]*w.dilation[d]
			if i = int(math.Floor(float64(sum) / float64(w.stride[d]))); i*w.stride[d] != sum {
				return nil, false
			}
		}
		inside = inside && i >= 0 && i < w.in[d]
		index = append(index, naiveBorder(w.rule, i, w.in[d]))
	}
	if slices.Contains(index, -1) {
		return nil, false
	}
	return index, inside
}

// indices returns all indices of a shape in row-major order.
func indices(shape []int) [][]int {
	all := [][]int{{}}
	for _, n := range shape {
		var next [][]int
		for _, index := range all {
			for i := range n {
				next = append(next, append(slices.Clone(index), i))
			}
		}
		all = next
	}
	return all
}

// flat returns the row-major number of an index.
func flat(shape tensor.Shape, index ...int) int {
	n := 0
	for d, i := range index {
		n = n*shape[d] + i
	}
	return n
}

// integers returns the elements of an integer tensor.
func integers(t *tensor.Tensor) []*big.Int {
	out := make([]*big.Int, t.Len())
	for i := range out {
		if t.DType() == tensor.Uint64 {
			out[i] = new(big.Int).SetUint64(tensor.Data[uint64](t)[i])
		} else {
			out[i] = big.NewInt(tensor.Data[int64](must(tensor.Cast(t, tensor.Int64)))[i])
		}
	}
	return out
}

// wrapped returns v as an element of type d, its low bits.
func wrapped(v *big.Int, d tensor.DType) *big.Int {
	bits := uint(d.Bits())
	modulus := new(big.Int).Lsh(big.NewInt(1), bits)
	v = new(big.Int).Mod(v, modulus)
	if d.IsSigned() && v.Bit(int(bits-1)) == 1 {
		v.Sub(v, modulus)
	}
	return v
}

// floats returns the elements of a float tensor as float32.
func floats(t *tensor.Tensor) []float32 {
	return tensor.Data[float32](must(tensor.Cast(t, tensor.Float32)))
}

// sameFloats compares the bits of a result with float32 values, which are rounded to its type first.
func sameFloats(t *testing.T, got *tensor.Tensor, want []float32, c op.Case) {
	t.Helper()
	rounded := must(tensor.Cast(must(tensor.FromSlice(want, got.Shape()...)), got.DType()))
	if !slices.Equal(got.Bytes(), rounded.Bytes()) {
		t.Fatalf("%v %v\n got %v\nwant %v", c.In, c.Attrs, floats(got), floats(rounded))
	}
}

// sameIntegers compares a result with numbers, wrapped to its type.
func sameIntegers(t *testing.T, got *tensor.Tensor, want []*big.Int, c op.Case) {
	t.Helper()
	for i, v := range integers(got) {
		if w := wrapped(want[i], got.DType()); v.Cmp(w) != 0 {
			t.Fatalf("%v %v: element %d is %v, want %v", c.In, c.Attrs, i, v, w)
		}
	}
}

// cases evaluates generated cases of an operator, with complete attributes: up to n of them, as they grow.
func cases(t *testing.T, name string, n int, f func(c op.Case, out *tensor.Tensor)) {
	t.Helper()
	d := def(name)
	for seed := 0; seed < n; seed += n / testdata.Cases((n+2)/3, n) {
		c := d.Generate(op.NewRand(uint64(1000+seed), 1+seed/40))
		out, err := op.Eval(d, c.In, c.Attrs)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range d.Attrs {
			if c.Attrs.Get(a.Name) == nil && a.Default != nil {
				c.Attrs = append(c.Attrs, graph.Attr{Name: a.Name, Value: a.Default})
			}
		}
		f(c, out[0])
	}
}
