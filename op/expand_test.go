package op_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testdata/single"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestExpansions holds what operators mean in simpler ones to their references, on generated cases with and without constants: bit by bit
// where that is promised, and else within the tolerance.
func TestExpansions(t *testing.T) {
	cases := testdata.Cases(60, 2000)
	for _, d := range op.All() {
		if d.Expand == nil {
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			said := 0
			for seed := range cases {
				said += expandCase(t, d, uint64(seed), 1+seed*8/cases)
			}
			if said == 0 {
				t.Error("no case has an expansion")
			}
		})
	}
}

// expandCase compares one case, and returns how many there were.
func expandCase(t *testing.T, d *op.Def, seed uint64, size int) int {
	t.Helper()
	r := op.NewRand(seed, size)
	c := d.Draw(r)
	want, err := op.Eval(d, c.In, c.Attrs)
	if err != nil {
		t.Fatal(err)
	}
	for _, y := range want {
		if y.Len() == 0 {
			return 0
		}
	}
	constants := r.IntN(1 << len(c.In))
	if r.Bool() {
		constants = 1<<len(c.In) - 2
	}
	g, _ := single.Graph(t, d, c, func(i int) bool { return constants>>i&1 == 1 })
	x, err := d.Expanded(g.Nodes[0].In, c.Attrs)
	if err != nil {
		if misfit := new(op.Error); errors.As(err, &misfit) || strings.Contains(err.Error(), "yields") {
			t.Errorf("seed %d: %v: operands %v, attributes %v", seed, err, c.In, c.Attrs)
		}
		return 0
	}
	holdExpanded(t, x, c, want)
	return 1
}

// holdExpanded compares what an expansion yields with what is wanted.
func holdExpanded(t *testing.T, x *op.Expanded, c op.Case, want []*tensor.Tensor) {
	t.Helper()
	named := make(map[string]*tensor.Tensor)
	for i, v := range x.Args {
		if v != nil && v.Const == nil {
			named[v.Name] = c.In[i]
		}
	}
	got, err := op.NewInterpreter(x.Graph).RunNamed(t.Context(), named)
	if err != nil {
		t.Fatalf("%v: operands %v, attributes %v", err, c.In, c.Attrs)
	}
	for i, o := range x.Outputs {
		if far := far(got[o.Name], want[i]); far > x.Tolerance && moderate(c) || x.Tolerance == 0 && string(got[o.Name].Bytes()) != string(want[i].Bytes()) {
			t.Errorf("result %d differs by %v, %v is promised: operands %v, attributes %v\ngot  %v\nwant %v", i, far, x.Tolerance, c.In, c.Attrs, got[o.Name], want[i])
		}
	}
}

// TestExpandedValues expands operators for numbers and attributes that generated cases seldom have.
func TestExpandedValues(t *testing.T) {
	const least, most = math.MinInt64, math.MaxUint64
	nan := float32(math.NaN())
	of := func(in ...*tensor.Tensor) []*tensor.Tensor { return in }
	image := func(x *tensor.Tensor) *tensor.Tensor { return must(x.Reshape(1, 1, x.Len())) }
	for name, c := range map[string]struct {
		op    string
		in    []*tensor.Tensor // all but the first are constants
		attrs graph.Attrs
		exact bool // whether equal bits are promised
	}{
		"the magnitude of the least number": {"bit_length", of(vec[int64](least, -1, 0, 1)), nil, false},
		"a mean of nothing":                 {"sum_reduce", of(must(tensor.New(tensor.Int32, tensor.Shape{2, 0}))), graph.AttrsOf("axes", []int{1}, "normalize", true), false},
		"a mean beyond int64":               {"sum_reduce", of(vec[uint64](1<<63, 2)), graph.AttrsOf("axes", []int{0}, "normalize", true), false},
		"means beyond the type":             {"box", of(vec[int8](100, 100, 100)), graph.AttrsOf("size", []int{2}, "padding", []int{0, 0}, "normalize", true), false},
		"means of elements where others are idle": {"debox", of(must(vec[int8](1, 3, 5, 7).Reshape(2, 2))),
			graph.AttrsOf("size", []int{1, 2}, "padding", []int{0, 0, 0, 0}, "normalize", true, "border", "ignore", "stride", []int{1, 2}, "output_shape", []int{2, 5}), false},
		"the greatest of three dimensions":         {"max_pool", of(must(vec[float32](1, 2, 3, 4, 5, 6, 7, 8).Reshape(2, 2, 2))), graph.AttrsOf("size", []int{2, 2, 2}, "padding", make([]int, 6)), true},
		"the greatest of integers and a border":    {"max_pool", of(vec[int64](most>>1, least, -5)), graph.AttrsOf("size", []int{2}, "padding", []int{2, 1}, "border", "ignore"), true},
		"the greatest by a stride":                 {"max_pool", of(vec[uint8](1, 2, 3)), graph.AttrsOf("size", []int{2}, "padding", []int{0, 0}, "stride", []int{2}), true},
		"products beyond 63 bits":                  {"mul", of(vec[uint32](1<<32-1, 3), vec[uint32](1<<32-1, 5)), graph.AttrsOf("overflow", "saturate"), true},
		"nothing, scattered":                       {"deconv", of(image(vec[float32](1, 2)), image(vec[float32](3))), graph.AttrsOf("padding", []int{-1, 3}), false},
		"elements from the end":                    {"slice", of(vec[int8](1, 2, 3)), graph.AttrsOf("axes", []int{0}, "begin", []int{-1}, "end", []int{-4}, "stride", []int{-1}), true},
		"sums beyond the type":                     {"debox", of(vec[int8](100, 100)), graph.AttrsOf("size", []int{2}, "padding", []int{0, 0}, "normalize", true), false},
		"rescaled by nothing, but saturated":       {"rescale", of(vec[int32](1000, -1000), tensor.Scalar(int64(0))), graph.AttrsOf("dtype", tensor.Int8, "overflow", "saturate"), false},
		"rescaled by as much as may be":            {"rescale", of(vec[int32](1, -1<<31), tensor.Scalar(int64(-30))), graph.AttrsOf("dtype", tensor.Int64), false},
		"an index beyond int64":                    {"lookup", of(vec[uint64](most, 0, 1), vec[int8](5, 6, 7)), nil, false},
		"an average":                               {"box", of(vec[float32](1, 2, 4)), graph.AttrsOf("size", []int{2}, "padding", []int{0, 0}, "normalize", true), true},
		"padded by an attribute":                   {"pad", of(vec[int8](1, 2)), graph.AttrsOf("padding", []int{1, 2}, "value", 3.0), false},
		"resampled by a scale":                     {"resample", of(vec[float32](1, 2, 4)), graph.AttrsOf("sizes", []int{5}, "scales", []float64{1.75}, "mode", "linear"), false},
		"resampled to the nearest":                 {"resample", of(vec[float32](1, 2, 4)), graph.AttrsOf("sizes", []int{5}), true},
		"NaN is the greatest":                      {"argmax_pool", of(vec(1, nan, 2, nan)), graph.AttrsOf("size", []int{2}, "padding", []int{0, 0}), false},
		"convolved with a border":                  {"conv", of(image(vec[float32](1, 2, 4)), image(vec[float32](1, 3))), graph.AttrsOf("padding", []int{1, 0}, "border", "replicate"), true},
		"a zero point for each channel":            {"conv", of(must(vec[int8](1, 2, 4, 5, 6, 7).Reshape(1, 2, 3)), must(vec[int8](1, 3, 5, 6).Reshape(2, 2, 1)), nil, nil, vec[int8](7, 9)), graph.AttrsOf("padding", []int{0, 0}), true},
		"a zero point for each channel, scattered": {"deconv", of(image(vec[int8](1, 2, 4)), must(vec[int8](1, 3).Reshape(1, 2, 1)), nil, nil, vec[int8](7, 9)), graph.AttrsOf("padding", []int{0, 0}), true},
	} {
		t.Run(name, func(t *testing.T) {
			d, oc := def(c.op), op.Case{In: c.in, Attrs: c.attrs}
			g, _ := single.Graph(t, d, oc, func(i int) bool { return i > 0 })
			x, err := d.Expanded(g.Nodes[0].In, c.attrs)
			if err != nil {
				t.Fatal(err)
			}
			if c.exact && x.Tolerance != 0 {
				t.Errorf("only %v is promised", x.Tolerance)
			}
			holdExpanded(t, x, oc, must(op.Eval(d, c.in, c.attrs)))
		})
	}
}

// TestUnsaid holds applications that simpler operators do not say, and some beside them that they do.
func TestUnsaid(t *testing.T) {
	testdata.Wide(t)
	ones := func(rank int) tensor.Shape { return slices.Repeat(tensor.Shape{1}, rank) }
	shapes := func(list ...tensor.Shape) []tensor.Shape { return list }
	whole := graph.AttrsOf("dtype", tensor.Int32)
	const none = "no simpler operators say it"
	for _, c := range []struct {
		op    string
		d     tensor.DType
		in    []tensor.Shape
		more  []*tensor.Tensor // constants behind them
		attrs graph.Attrs
		text  string // in the error; empty if there are simpler operators
	}{
		{"add", tensor.Int8, shapes(ones(1), ones(1)), nil, graph.AttrsOf("overflow", "saturate"), ""},
		{"add", tensor.Int64, shapes(ones(1), ones(1)), nil, graph.AttrsOf("overflow", "saturate"), "no integers of more than the 64 bits"},
		{"add", tensor.Uint32, shapes(ones(1), ones(1)), nil, graph.AttrsOf("overflow", "saturate"), ""},
		{"mul", tensor.Uint32, shapes(ones(1), ones(1)), nil, graph.AttrsOf("overflow", "saturate"), ""},
		{"argmax_reduce", tensor.Int8, shapes(ones(2)), nil, graph.AttrsOf("axes", []int{0, 1}), ""},
		{"argmax_reduce", tensor.Int8, shapes(ones(2)), nil, graph.AttrsOf("axes", []int{0}), none},
		{"bit_length", tensor.Int8, shapes(ones(tensor.MaxRank - 1)), nil, nil, ""},
		{"bit_length", tensor.Int8, shapes(ones(tensor.MaxRank)), nil, nil, "a dimension more"},
		{"bit_length", tensor.Int8, shapes(tensor.Shape{tensor.MaxElements}), nil, nil, "elements"},
		{"box", tensor.Int32, shapes(tensor.Shape{limits.ExpandedTaps}), nil, graph.AttrsOf("size", []int{limits.ExpandedTaps}, "padding", []int{0, 0}), ""},
		{"box", tensor.Int32, shapes(tensor.Shape{limits.ExpandedTaps + 1}), nil, graph.AttrsOf("size", []int{limits.ExpandedTaps + 1}, "padding", []int{0, 0}),
			"operators of its own"},
		{"box", tensor.Int8, shapes(tensor.Shape{1 << 20}), nil,
			graph.AttrsOf("size", []int{1 << 19}, "padding", make([]int, 2), "border", "ignore", "normalize", true), "operations"},
		{"box", tensor.Float32, shapes(tensor.Shape{8, 8, 8}), nil, graph.AttrsOf("size", []int{8, 8, 8}, "padding", make([]int, 6)), ""},
		{"box", tensor.Int8, shapes(tensor.Shape{limits.ExpandedBytes, 2}), nil,
			graph.AttrsOf("size", []int{1, 2}, "padding", make([]int, 4), "border", "ignore", "normalize", true), ""},
		{"max_pool", tensor.Float32, shapes(tensor.Shape{4}), nil, graph.AttrsOf("size", []int{2}, "padding", []int{1, 0}, "border", "replicate"), ""},
		{"max_pool", tensor.Float32, shapes(tensor.Shape{4}), nil, graph.AttrsOf("size", []int{2}, "padding", []int{0, 0}), ""},
		{"l2_pool", tensor.Float32, shapes(tensor.Shape{4}), nil, graph.AttrsOf("size", []int{2}, "padding", []int{0, 0}), none},
		{"box", tensor.Float32, shapes(tensor.Shape{4}), nil, graph.AttrsOf("size", []int{2}, "padding", []int{0, 0}, "normalize", true), ""},
		{"matmul", tensor.Float32, shapes(ones(2), ones(2)), nil, graph.AttrsOf("transposeA", true), ""},
		{"matmul", tensor.Float32, shapes(ones(2), ones(2)), nil, nil, none},
		{"matmul", tensor.Int8, shapes(tensor.Shape{1, 2}, tensor.Shape{2, limits.ExpandedProducts / 2}), nil, nil, ""},
		{"matmul", tensor.Int8, shapes(tensor.Shape{1, 2}, tensor.Shape{2, limits.ExpandedProducts/2 + 1}), nil, nil, "more than"},
		{"matmul", tensor.Int8, shapes(ones(tensor.MaxRank), ones(tensor.MaxRank)), nil, nil, "dimensions"},
		{"pad", tensor.Int8, shapes(tensor.Shape{2}), nil, graph.AttrsOf("padding", []int{limits.ExpandedBytes/4 - 2, 0}, "border", "replicate"), ""},
		{"pad", tensor.Int8, shapes(tensor.Shape{2}), nil, graph.AttrsOf("padding", []int{limits.ExpandedBytes/4 - 1, 0}, "border", "replicate"), "would be needed"},
		{"requantize", tensor.Int64, shapes(ones(1)), []*tensor.Tensor{tensor.Scalar(float32(1)), tensor.Scalar(int8(0))}, nil, "its sums are of int64"},
		{"resample", tensor.Float32, shapes(tensor.Shape{2}), nil, graph.AttrsOf("sizes", []int{4}, "mode", "linear"), ""},
		{"resample", tensor.Int8, shapes(tensor.Shape{2}), nil, graph.AttrsOf("sizes", []int{4}, "mode", "linear"), "integers are interpolated"},
		{"rescale", tensor.Int32, shapes(ones(1)), []*tensor.Tensor{tensor.Scalar(int64(3)), tensor.Scalar(int64(1<<30 - 1))}, whole, ""},
		{"rescale", tensor.Int32, shapes(ones(1)), []*tensor.Tensor{tensor.Scalar(int64(3)), tensor.Scalar(int64(1 << 31))}, whole, "may exceed the 63 bits"},
		{"rescale", tensor.Int32, shapes(ones(1)), []*tensor.Tensor{tensor.Scalar(int64(63))}, whole, "may exceed the 63 bits"},
		{"rescale", tensor.Uint64, shapes(ones(1)), []*tensor.Tensor{tensor.Scalar(int64(3))}, whole, "63 bits and a sign"},
		{"rescale", tensor.Int32, shapes(ones(1), ones(1)), nil, whole, "its shift is no constant"},
		{"slice", tensor.Int8, shapes(tensor.Shape{2}), nil, graph.AttrsOf("axes", []int{0}, "begin", []int{1}, "end", []int{0}, "stride", []int{-1}), ""},
		{"slice", tensor.Int8, shapes(tensor.Shape{2}), nil, graph.AttrsOf("axes", []int{0}, "begin", []int{0}, "end", []int{1}, "stride", []int{1}), none},
	} {
		b := graph.NewBuilder(op.Rules, "case")
		var in []*graph.Value
		for i, shape := range c.in {
			d := c.d
			if c.op == "rescale" && i > 0 {
				d = tensor.Int64
			}
			in = append(in, must(b.Input(fmt.Sprint("x", i), op.Type{DType: d, Shape: shape})))
		}
		for i, x := range c.more {
			in = append(in, must(b.Constant(fmt.Sprint("c", i), "", x)))
		}
		_, err := def(c.op).Expanded(in, c.attrs)
		if (err == nil) != (c.text == "") || err != nil && !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s of %v %v, %v: %v; want %q", c.op, c.d, c.in, c.attrs, err, c.text)
		}
	}
}

// TestExpandWrongly has expansions that are mistakes of their definitions.
func TestExpandWrongly(t *testing.T) {
	x := must(graph.NewBuilder(op.Rules, "case").Input("x", op.Type{DType: tensor.Float32, Shape: tensor.Shape{2}}))
	attrs := graph.AttrsOf("axes", []int{0}, "normalize", true)
	d := *def("sum_reduce")
	d.Expand = func(x *op.Expansion) []*graph.Value { return x.Args }
	if _, err := d.Expanded([]*graph.Value{x}, attrs); err == nil || !strings.Contains(err.Error(), "yields") {
		t.Errorf("another shape: %v", err)
	}
	d.Expand = func(*op.Expansion) []*graph.Value { panic("a mistake") }
	defer func() {
		if r := recover(); r != "a mistake" {
			t.Errorf("a panic becomes %v", r)
		}
	}()
	_, err := d.Expanded([]*graph.Value{x}, attrs)
	t.Errorf("there is no panic but %v", err)
}

func moderate(c op.Case) bool {
	for _, x := range c.In {
		if x == nil || !x.DType().IsFloat() {
			continue
		}
		wide, _ := tensor.Cast(x, tensor.Float64)
		for _, v := range tensor.Data[float64](wide.Contiguous()) {
			if !(math.Abs(v) <= 1e18) {
				return false
			}
		}
	}
	return true
}

// far returns the greatest difference, relative to max(1, |want|); neighbouring 16-bit floats are as good as equal.
func far(got, want *tensor.Tensor) float64 {
	worst := 0.0
	a, _ := tensor.Cast(got, tensor.Float64)
	b, _ := tensor.Cast(want, tensor.Float64)
	for i, w := range tensor.Data[float64](b.Contiguous()) {
		g := tensor.Data[float64](a.Contiguous())[i]
		if g == w || g != g && w != w || math.IsInf(w, 0) {
			continue
		}
		if want.DType().IsHalf() {
			if n := int(tensor.Words[uint16](got)[i]) - int(tensor.Words[uint16](want)[i]); -1 <= n && n <= 1 {
				continue
			}
		}
		if d := math.Abs(g-w) / max(1, math.Abs(w)); d > worst || d != d {
			worst = d
		}
	}
	return worst
}
