package wasm_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/concord-nn/concord/engine/wasm"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// network draws networks of what has kernels.
type network struct {
	*graph.Builder
	*op.Rand
	t      *testing.T
	inputs map[string]*tensor.Tensor
	tame   bool // whether all elements are ordinary numbers
}

// floats returns elements, of which some are not numbers like others.
func (n *network) floats(shape ...int) *tensor.Tensor {
	x := n.Uniform(tensor.Float32, shape, -2, 2)
	if n.tame {
		return x
	}
	special := []float32{0, float32(math.Copysign(0, -1)), float32(math.Inf(1)), float32(math.NaN()), 0x1p-140, -0x1p-126, 0x1p127, 0x1p-75}
	for i, list := 0, tensor.Data[float32](x); i < len(list); i += n.Between(1, 60) {
		list[i] = op.Pick(n.Rand, special[:op.Pick(n.Rand, []int{2, len(special)})])
	}
	return x
}

func (n *network) constant(shape ...int) *graph.Value {
	return must(n.Constant("", "", n.floats(shape...)))(n.t)
}

func (n *network) input(shape ...int) *graph.Value {
	name := fmt.Sprint("in", len(n.inputs))
	n.inputs[name] = n.floats(shape...)
	return must(n.Input(name, graph.TypeOf(n.inputs[name])))(n.t)
}

func (n *network) node(name string, attrs graph.Attrs, in ...*graph.Value) *graph.Value {
	return must(n.One(name, in, attrs, ""))(n.t)
}

func must(v *graph.Value, err error) func(t *testing.T) *graph.Value {
	return func(t *testing.T) *graph.Value {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// tail adds element-wise nodes.
func (n *network) tail(x *graph.Value) *graph.Value {
	shape := x.Type.Shape
	channels := make([]int, len(shape))
	for i := range channels {
		channels[i] = 1
	}
	channels[1] = shape[1]
	for range n.IntN(4) {
		switch n.IntN(8) {
		case 7:
			x = n.normalization(x, 1)
		case 0:
			x = n.node("relu", nil, x)
		case 1:
			x = n.node("clamp", nil, x, n.constant(), n.constant())
		case 2:
			x = n.node("add", nil, x, n.input(shape...))
		case 3:
			x = n.node(op.Pick(n.Rand, []string{"add", "sub", "mul", "div", "max", "min"}), nil, x, n.constant(channels...))
		case 4:
			x = n.node(op.Pick(n.Rand, []string{"sub", "div"}), nil, n.constant(), x)
		case 5:
			x = n.node(op.Pick(n.Rand, []string{"abs", "sqrt"}), nil, x)
		case 6:
			x = n.node("clamp", nil, x, nil, n.constant(channels...))
		}
	}
	return x
}

// normalization adds a batch normalization of the channels of an axis.
func (n *network) normalization(x *graph.Value, axis int) *graph.Value {
	c := x.Type.Shape[axis]
	in := []*graph.Value{x, n.constant(c), n.constant(c), nil, nil}
	for i := range 2 {
		if n.Bool() {
			in[3+i] = n.constant(c)
		}
	}
	return n.node("batch_normalization", graph.AttrsOf("axis", axis, "epsilon", 0.5), in...)
}

func (n *network) convolution(x *graph.Value) *graph.Value {
	shape := x.Type.Shape
	groups, out, each := 1, n.Between(1, 37), shape[1]
	if n.IntN(3) == 0 {
		groups, out, each = shape[1], shape[1], 1
	}
	size := []int{n.Between(1, 4), n.Between(1, 4)}
	dilation := []int{n.Between(1, 2), n.Between(1, 2)}
	attrs := graph.AttrsOf("stride", []int{n.Between(1, 3), n.Between(1, 3)}, "dilation", dilation, "groups", groups, "padding", n.padding(shape[2:], size, dilation))
	in := []*graph.Value{x, n.constant(out, each, size[0], size[1])}
	if n.Bool() {
		in = append(in, n.constant(out))
	}
	return n.tail(n.node("conv", attrs, in...))
}

// padding returns some with which a window fits.
func (n *network) padding(extents, size, dilation []int) (list []int) {
	for i, x := range extents {
		before := n.Between(0, 3)
		list = append(list, before, max((size[i]-1)*dilation[i]+1-x-before, 0)+n.Between(0, 3))
	}
	return list
}

// up adds a deconvolution whose window moves by its own size.
func (n *network) up(x *graph.Value) *graph.Value {
	out, size := n.Between(1, 20), []int{n.Between(1, 3), n.Between(1, 3)}
	in := []*graph.Value{x, n.constant(x.Type.Shape[1], out, size[0], size[1])}
	if n.Bool() {
		in = append(in, n.constant(out))
	}
	return n.tail(n.node("deconv", graph.AttrsOf("stride", size, "padding", []int{0, 0, 0, 0}, "groups", 1), in...))
}

func (n *network) pooling(x *graph.Value) *graph.Value {
	size := []int{n.Between(1, 3), n.Between(1, 3)}
	attrs := graph.AttrsOf("size", append([]int{1, 1}, size...), "stride", []int{1, 1, n.Between(1, 2), n.Between(1, 2)},
		"padding", append([]int{0, 0, 0, 0}, n.padding(x.Type.Shape[2:], size, []int{1, 1})...), "border", "ignore")
	if n.Bool() {
		return n.tail(n.node("max_pool", attrs, x))
	}
	attrs = append(attrs[:3:3], graph.AttrsOf("border", op.Pick(n.Rand, []string{"ignore", "constant"}), "normalize", n.IntN(3) > 0)...)
	return n.tail(n.node("box", attrs, x))
}

func (n *network) product() *graph.Value {
	rows, inner, columns := n.Between(1, 12), n.Between(1, 40), n.Between(1, 30)
	switch x := n.input(rows, inner); n.IntN(4) {
	case 3:
		a, b := []int{n.Between(1, 3), 2, rows, inner}, []int{1, 2, inner, columns}
		transposeA, transposeB := n.Bool(), n.Bool()
		if transposeA {
			a[2], a[3] = inner, rows
		}
		if transposeB {
			b[2], b[3] = columns, inner
		}
		return n.node("matmul", graph.AttrsOf("transposeA", transposeA, "transposeB", transposeB), n.input(a...), n.input(b...))
	case 0:
		return n.node("matmul", nil, n.input(2, rows, inner), n.constant(1, inner, columns))
	case 1:
		return n.node("linear", nil, x, n.constant(columns, inner), n.constant(columns))
	default:
		return n.node("gemm", graph.AttrsOf("transposeB", true), x, n.constant(columns, inner), n.constant(op.Pick(n.Rand, []int{1, columns})))
	}
}

// TestKernels compares networks of what has kernels with the references, bit by bit, for numbers of all kinds.
func TestKernels(t *testing.T) {
	for seed := range uint64(testdata.Cases(25, 2000)) {
		n := newNetwork(t, seed)
		x := n.input(n.Between(1, 2), n.Between(1, 40), n.Between(1, 14), n.Between(1, 23))
		for range n.Between(1, 3) {
			switch n.IntN(5) {
			case 0:
				x = n.pooling(x)
			case 1:
				x = n.up(x)
			default:
				x = n.convolution(x)
			}
		}
		n.compare(seed, x, n.product())
	}
}

// TestNames finds the names of functions in a module: what of which node it computes, what is shared, and references.
func TestNames(t *testing.T) {
	n := newNetwork(t, 1)
	x := n.input(1, 8, 6, 6)
	y := n.node("sigmoid", nil, n.node("conv", graph.AttrsOf("padding", []int{1, 1, 1, 1}), n.node("conv", graph.AttrsOf("padding", []int{0, 0, 0, 0}),
		x, n.constant(32, 8, 1, 1)), n.constant(16, 32, 3, 3)))
	for i, v := range []*graph.Value{y, n.node("cumulative_sum", graph.AttrsOf("axis", 1), n.node("softmax", graph.AttrsOf("axes", []int{3}), x))} {
		if err := n.Output(fmt.Sprint("y", i), v); err != nil {
			t.Fatal(err)
		}
	}
	g, err := n.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, names := range []bool{false, true} {
		m, err := wasm.Compile(g, wasm.Options{Names: names})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"layout", "conv  [1,16,6,6] tile 2", "madd", "reference cumulative_sum float32", "softmax of 6", "loop sigmoid", "loop exp"} {
			if bytes.Contains(m.Code, []byte(name)) != names {
				t.Errorf("names %v: %q", names, name)
			}
		}
	}
}

// TestLevels: multiply-adds with two roundings are other code, whose sums are near; fused ones are refused by a runtime without relaxed SIMD, as
// another module than the emulated one.
func TestLevels(t *testing.T) {
	n := newNetwork(t, 1)
	x, err := n.Input("x", graph.Type{DType: tensor.Float32, Shape: tensor.Shape{1, 40}})
	x = must(x, err)(t)
	w := must(n.Constant("", "", n.Uniform(tensor.Float32, tensor.Shape{40, 9}, -1, 1)))(t)
	if err := n.Output("y", n.node("matmul", nil, x, w)); err != nil {
		t.Fatal(err)
	}
	g, err := n.Build()
	if err != nil {
		t.Fatal(err)
	}
	input := n.Uniform(tensor.Float32, tensor.Shape{1, 40}, -1, 1)
	want, err := op.NewInterpreter(g).RunNamed(t.Context(), map[string]*tensor.Tensor{"x": input})
	if err != nil {
		t.Fatal(err)
	}
	m, err := wasm.Compile(g, wasm.Options{Level: wasm.Loose})
	if err != nil {
		t.Fatal(err)
	}
	r := wazero.NewRuntime(t.Context())
	defer r.Close(t.Context())
	i, err := r.Instantiate(t.Context(), m.Code)
	if err != nil {
		t.Fatal(err)
	}
	memory := i.Memory()
	memory.Write(uint32(m.WeightsAt), testdata.Written(t, m.WriteWeights))
	memory.Write(uint32(m.Inputs[0].At), tensor.Raw(input))
	if _, err := i.ExportedFunction("run").Call(t.Context()); err != nil {
		t.Fatal(err)
	}
	same := true
	for k, y := range tensor.Data[float32](want["y"]) {
		z, _ := memory.ReadFloat32Le(uint32(m.Outputs[0].At + 4*k))
		if same = same && y == z; math.Abs(float64(y-z)) > 1e-5 {
			t.Errorf("element %d is %v; want about %v", k, z, y)
		}
	}
	if same {
		t.Error("the sums are those of one rounding")
	}
	if m, err = wasm.Compile(g, wasm.Options{Level: wasm.Fused}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.CompileModule(t.Context(), m.Code); err == nil {
		t.Error("a runtime without relaxed SIMD takes it")
	}
	if _, err := r.CompileModule(t.Context(), wasm.Probe()); err == nil {
		t.Error("a runtime without relaxed SIMD takes the probe")
	}
}

// TestSumsInTheMiddle adds up products to what lies in the middle between two subnormal floats but for a bit that float64 rounds away: by one rounding it is
// less.
func TestSumsInTheMiddle(t *testing.T) {
	n := newNetwork(t, 1)
	elements := []float32{0x1p-67, 0x1p-89, 0x1.000002p-90}
	factors := []float32{0x1p-60, 0x1p-60, 0x1.fffffcp-61}
	if s := math.FMA(float64(elements[2]), float64(factors[2]), 0x1p-127+0x1p-149); s != 0x1p-127+0x1p-149+0x1p-150 {
		t.Fatalf("as float64 the sum is %x", s)
	}
	// repeated returns k lists of numbers, of which each number stands n times.
	repeated := func(list []float32, k, n int, shape ...int) *tensor.Tensor {
		var all []float32
		for range k {
			for _, v := range list {
				all = append(all, slices.Repeat([]float32{v}, n)...)
			}
		}
		x, err := tensor.FromSlice(all, shape...)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	input := func(x *tensor.Tensor) *graph.Value {
		name := fmt.Sprint("in", len(n.inputs))
		n.inputs[name] = x
		return must(n.Input(name, graph.TypeOf(x)))(t)
	}
	constant := func(x *tensor.Tensor) *graph.Value { return must(n.Constant("", "", x))(t) }
	plain := graph.AttrsOf("padding", []int{0, 0, 0, 0})
	y := []*graph.Value{
		n.node("matmul", nil, input(repeated(elements, 5, 1, 5, 3)), constant(repeated(factors, 1, 8, 3, 8))),
		n.node("matmul", nil, input(repeated(elements, 5, 1, 5, 3)), input(repeated(factors, 1, 8, 3, 8))),
		n.node("conv", plain, input(repeated(elements, 1, 4, 1, 3, 1, 4)), constant(repeated(factors, 8, 1, 8, 3, 1, 1))),
		n.node("conv", append(graph.AttrsOf("groups", 8), plain...), input(repeated(elements, 8, 1, 1, 8, 1, 3)), constant(repeated(factors, 8, 1, 8, 1, 1, 3))),
	}
	n.compare(1, y...)
}
