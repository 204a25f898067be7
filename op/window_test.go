package op_test

import (
	"bytes"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// naiveElement is what one window position contributes: the operand's element, or none if it is outside and counts as zero.
type naiveElement struct {
	position int // row-major, in the window
	offset   int // in the operand; -1 for the zero of a constant border
	inside   bool
}

// value returns the element, given those of the operand.
func (e naiveElement) value(x []float64) float64 {
	if e.offset < 0 {
		return 0
	}
	return x[e.offset]
}

// naiveElements returns what the window of result o meets, in row-major order.
func naiveElements(c op.Case, o []int, up bool) (list []naiveElement) {
	in := c.In[0].Shape()
	window := newNaiveWindow(in, c.Attrs, up)
	for n, k := range indices(c.Attrs.Ints("size")) {
		index, inside := window.at(o, k)
		switch {
		case index != nil:
			list = append(list, naiveElement{n, flat(in, index...), inside})
		case window.rule == "constant" && !up:
			list = append(list, naiveElement{n, -1, false})
		}
	}
	return list
}

// naiveCount returns the divisor of an average.
func naiveCount(c op.Case, list []naiveElement) int {
	if c.Attrs.String("border") != "ignore" {
		return tensor.Shape(c.Attrs.Ints("size")).Len()
	}
	return max(len(list), 1)
}

func TestBoxDefinition(t *testing.T) {
	for _, name := range []string{"box", "debox"} {
		t.Run(name, func(t *testing.T) {
			cases(t, name, 300, func(c op.Case, out *tensor.Tensor) {
				normalize := c.Attrs.Bool("normalize")
				if c.In[0].DType().IsFloat() {
					x, want := floats(c.In[0]), []float32{}
					for _, o := range indices(out.Shape()) {
						sum := float32(0)
						list := naiveElements(c, o, name == "debox")
						for _, e := range list {
							if e.offset >= 0 {
								sum += x[e.offset]
							}
						}
						if normalize {
							sum /= float32(naiveCount(c, list))
						}
						want = append(want, sum)
					}
					sameFloats(t, out, want, c)
					return
				}
				x, want := integers(c.In[0]), []*big.Int{}
				for _, o := range indices(out.Shape()) {
					sum := new(big.Int)
					list := naiveElements(c, o, name == "debox")
					for _, e := range list {
						if e.offset >= 0 {
							sum.Add(sum, x[e.offset])
						}
					}
					if normalize {
						sum.Quo(sum, big.NewInt(int64(naiveCount(c, list))))
					}
					want = append(want, sum)
				}
				sameIntegers(t, out, want, c)
			})
		})
	}
}

// TestWholeWindows pools dimensions that the window covers as a whole, which count as one.
func TestWholeWindows(t *testing.T) {
	r := op.NewRand(1, 4)
	for _, d := range []tensor.DType{tensor.Float32, tensor.Int8, tensor.Uint8, tensor.Int64} {
		x := r.Tensor(d, tensor.Shape{3, 4, 5, 6})
		for _, name := range []string{"box", "max_pool", "argmax_pool"} {
			for _, border := range geometry.BorderNames {
				attrs := graph.AttrsOf("size", []int{1, 4, 5, 6}, "border", border, "padding", make([]int, 8), "stride", []int{1, 4, 1, 2})
				flat := graph.AttrsOf("size", []int{1, 120}, "border", border, "padding", make([]int, 4))
				if name == "box" {
					attrs, flat = attrs.With("normalize", true), flat.With("normalize", true)
				}
				got, want := evalOne(t, name, attrs, x), evalOne(t, name, flat, must(x.Reshape(3, 120)))
				if !bytes.Equal(got.Bytes(), want.Bytes()) {
					t.Errorf("%s of %v, %s: %v, want %v", name, x, border, got, want)
				}
			}
		}
	}
}

// TestLongRows averages rows that are longer than a tile, with and without zeros around them.
func TestLongRows(t *testing.T) {
	r := op.NewRand(2, 4)
	for _, border := range []string{"constant", "ignore"} {
		for _, step := range []int{1, 2} {
			x := r.Integers(tensor.Int16, tensor.Shape{1, 3, 100}, -1<<15, 1<<15-1)
			c := op.Case{In: []*tensor.Tensor{x}, Attrs: graph.AttrsOf("size", []int{1, 2, 7}, "border", border, "padding", []int{0, 0, 1, 1, 3, 3},
				"stride", []int{1, step, step}, "dilation", []int{1, 1, 1}, "normalize", true)}
			out, values, want := evalOne(t, "box", c.Attrs, x), integers(x), []*big.Int{}
			for _, o := range indices(out.Shape()) {
				sum, list := new(big.Int), naiveElements(c, o, false)
				for _, e := range list {
					if e.offset >= 0 {
						sum.Add(sum, values[e.offset])
					}
				}
				want = append(want, sum.Quo(sum, big.NewInt(int64(naiveCount(c, list)))))
			}
			sameIntegers(t, out, want, c)
		}
	}
}

func TestRootPoolDefinition(t *testing.T) {
	for _, name := range []string{"l2_pool", "rms_pool"} {
		cases(t, name, 200, func(c op.Case, out *tensor.Tensor) {
			x, want := floats(c.In[0]), []float32{}
			for _, o := range indices(out.Shape()) {
				sum := float32(0)
				list := naiveElements(c, o, false)
				for _, e := range list {
					if e.offset >= 0 {
						sum = fma(x[e.offset], x[e.offset], sum)
					}
				}
				if name == "rms_pool" {
					sum /= float32(naiveCount(c, list))
				}
				want = append(want, fmath.Sqrt(sum))
			}
			sameFloats(t, out, want, c)
		})
	}
}

func TestMaxPoolDefinition(t *testing.T) {
	cases(t, "max_pool", 300, func(c op.Case, out *tensor.Tensor) {
		x, got, least := values(c.In[0]), values(out), math.Inf(-1)
		if d := c.In[0].DType(); d.IsInteger() {
			lo, _ := d.IntRange()
			least = float64(lo)
		}
		for i, o := range indices(out.Shape()) {
			greatest := least
			for _, e := range naiveElements(c, o, false) {
				greatest = max(greatest, e.value(x))
			}
			if got[i] != greatest && (got[i] == got[i] || greatest == greatest) {
				t.Fatalf("%v %v: element %d is %v, want %v", c.In, c.Attrs, i, got[i], greatest)
			}
		}
	})
}

// TestArgmaxAndSample holds argmax_pool to the first of equal elements, and sample with its result to max_pool.
func TestArgmaxAndSample(t *testing.T) {
	cases(t, "argmax_pool", 300, func(c op.Case, index *tensor.Tensor) {
		x, places := values(c.In[0]), values(index)
		for i, o := range indices(index.Shape()) {
			best := naiveElement{}
			for n, e := range naiveElements(c, o, false) {
				v, top := e.value(x), best.value(x)
				if n == 0 || v > top || v != v && top == top {
					best = e
				}
			}
			if int(places[i]) != best.position {
				t.Fatalf("%v %v: index %d is %v, want %d", c.In, c.Attrs, i, places[i], best.position)
			}
		}
		if c.Attrs.String("border") == "ignore" {
			return
		}
		attrs := slices.DeleteFunc(slices.Clone(c.Attrs), func(a graph.Attr) bool { return a.Name == "dtype" || a.Name == "steps" })
		greatest, err := op.Eval(def("max_pool"), c.In, attrs)
		if err != nil {
			t.Fatal(err)
		}
		sampled, err := op.Eval(def("sample"), append(c.In, index), attrs)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range values(greatest[0]) {
			if b := values(sampled[0])[i]; a != b && (a == a || b == b) {
				t.Fatalf("%v %v: max_pool gives %v, sample %v", c.In, c.Attrs, a, b)
			}
		}
	})
}

// values returns the elements as float64, which holds those of the generators exactly.
func values(x *tensor.Tensor) []float64 {
	out := make([]float64, x.Len())
	if x.DType().IsFloat() {
		for i, v := range floats(x) {
			out[i] = float64(v)
		}
		return out
	}
	for i, v := range integers(x) {
		out[i], _ = new(big.Float).SetInt(v).Float64()
	}
	return out
}

// TestDesampleIsAdjoint compares ⟨sample(a), b⟩ and ⟨a, desample(b)⟩ for one index, exactly on integers.
func TestDesampleIsAdjoint(t *testing.T) {
	for seed := range uint64(300) {
		r := op.NewRand(seed, 5)
		c := def("sample").Generate(r)
		if c.Attrs.String("border") != "constant" {
			continue
		}
		c.In[0] = r.Tensor(tensor.Int32, c.In[0].Shape())
		index := c.In[1]
		sampled, err := op.Eval(def("sample"), c.In, c.Attrs)
		if err != nil {
			t.Fatal(err)
		}
		b := r.Tensor(tensor.Int32, sampled[0].Shape())
		spread, err := op.Eval(def("desample"), []*tensor.Tensor{b, index}, c.Attrs.With("output_shape", []int(c.In[0].Shape())))
		if err != nil {
			t.Fatal(err)
		}
		if left, right := inner(sampled[0], b), inner(c.In[0], spread[0]); left.Cmp(right) != 0 {
			t.Fatalf("⟨sample(a), b⟩ = %v, ⟨a, desample(b)⟩ = %v for %v", left, right, c.Attrs)
		}
	}
}

// TestDeboxIsAdjoint does the same for box and debox.
func TestDeboxIsAdjoint(t *testing.T) {
	for seed := range uint64(300) {
		r := op.NewRand(seed, 5)
		c := def("box").Generate(r)
		if c.Attrs.String("border") != "constant" {
			continue
		}
		c.In[0], c.Attrs = r.Tensor(tensor.Int32, c.In[0].Shape()), c.Attrs.With("normalize", false)
		boxed, err := op.Eval(def("box"), c.In, c.Attrs)
		if err != nil {
			t.Fatal(err)
		}
		b := r.Tensor(tensor.Int32, boxed[0].Shape())
		spread, err := op.Eval(def("debox"), []*tensor.Tensor{b}, c.Attrs.With("output_shape", []int(c.In[0].Shape())))
		if err != nil {
			t.Fatal(err)
		}
		if left, right := inner(boxed[0], b), inner(c.In[0], spread[0]); left.Cmp(right) != 0 {
			t.Fatalf("⟨box(a), b⟩ = %v, ⟨a, debox(b)⟩ = %v for %v", left, right, c.Attrs)
		}
	}
}

// TestPoolingWorked are small cases with the results written out.
func TestPoolingWorked(t *testing.T) {
	line := must(tensor.FromSlice([]float32{-3, -1, -2, -5}, 4))
	bytes := must(tensor.FromSlice([]int8{-100, -100, -101, 7}, 4))
	attrs := func(size, before, after, stride int, border string) graph.Attrs {
		return graph.Attrs{{Name: "size", Value: []int{size}}, {Name: "border", Value: border},
			{Name: "padding", Value: []int{before, after}}, {Name: "stride", Value: []int{stride}}}
	}
	average := func(a graph.Attrs) graph.Attrs { return append(a, graph.Attr{Name: "normalize", Value: true}) }
	for _, tt := range []struct {
		op    string
		x     *tensor.Tensor
		attrs graph.Attrs
		want  []float64
	}{
		{"max_pool", line, attrs(2, 1, 1, 1, "constant"), []float64{0, -1, -1, -2, 0}},
		{"max_pool", line, attrs(2, 1, 1, 1, "ignore"), []float64{-3, -1, -1, -2, -5}},
		{"max_pool", line, attrs(2, 2, 0, 2, "ignore"), []float64{math.Inf(-1), -1, -2}},
		{"max_pool", bytes, attrs(2, 2, 0, 2, "ignore"), []float64{-128, -100, 7}},
		{"box", line, attrs(2, 1, 1, 1, "constant"), []float64{-3, -4, -3, -7, -5}},
		{"box", line, attrs(2, 1, 1, 1, "reflect"), []float64{-4, -4, -3, -7, -7}},
		{"box", line, attrs(2, 1, 1, 1, "reflect-even"), []float64{-6, -4, -3, -7, -10}},
		{"box", line, average(attrs(2, 1, 1, 1, "constant")), []float64{-1.5, -2, -1.5, -3.5, -2.5}},
		{"box", line, average(attrs(2, 1, 1, 1, "ignore")), []float64{-3, -2, -1.5, -3.5, -5}},
		{"box", line, average(attrs(2, 2, 0, 2, "ignore")), []float64{0, -2, -3.5}},
		{"box", bytes, attrs(3, 0, 0, 1, "constant"), []float64{-301 + 256, -194 + 256}},
		{"box", bytes, average(attrs(3, 0, 0, 1, "constant")), []float64{-100, -64}}, // -301/3 and -194/3 truncated
		{"debox", line, attrs(2, 0, 0, 2, "constant"), []float64{-3, -3, -1, -1, -2, -2, -5, -5}},
		{"argmax_pool", line, attrs(2, 1, 1, 1, "constant"), []float64{0, 1, 0, 0, 1}},
		{"argmax_pool", bytes, attrs(2, 0, 0, 1, "constant"), []float64{0, 0, 1}},
		{"l2_pool", line, attrs(2, 0, 0, 2, "constant"), []float64{math.Sqrt(10), math.Sqrt(29)}},
		{"rms_pool", line, attrs(2, 0, 0, 2, "constant"), []float64{math.Sqrt(5), math.Sqrt(14.5)}},
	} {
		out, err := op.Eval(def(tt.op), []*tensor.Tensor{tt.x}, tt.attrs)
		if err != nil {
			t.Errorf("%s %v: %v", tt.op, tt.attrs, err)
			continue
		}
		for i, want := range tt.want {
			if got := values(out[0])[i]; float32(got) != float32(want) || out[0].Len() != len(tt.want) {
				t.Errorf("%s %v: element %d of %v is %v, want %v", tt.op, tt.attrs, i, out[0], got, want)
			}
		}
	}
}

// TestArgmaxPoolSteps has places in the input, in both of ONNX's storage orders, and windows without elements.
func TestArgmaxPoolSteps(t *testing.T) {
	x := shaped(tensor.Shape{1, 2, 2, 3}, 1, 5, 2, 4, 3, 9, 0, 7, 7, 8, 6, 1)
	for _, c := range []struct {
		steps, padding []int
		want           []int64
	}{
		{[]int{12, 6, 3, 1}, []int{0, 0, 0, 0, 0, 0, 0, 0}, []int64{1, 5, 9, 7}},
		{[]int{12, 6, 1, 2}, []int{0, 0, 0, 0, 0, 0, 0, 0}, []int64{2, 5, 7, 8}},
		{[]int{12, 6, 3, 1}, []int{0, 0, 0, 0, 0, 0, 2, 0}, []int64{-1, 3, 1, 5, -1, 9, 9, 7}},
		{[]int{12, 6, 1, 2}, []int{0, 0, 0, 0, 0, 0, 2, 0}, []int64{-1, 1, 2, 5, -1, 7, 7, 8}},
	} {
		got := apply[int64](t, "argmax_pool", graph.Attrs{with("size", []int{1, 1, 2, 2}), with("border", "ignore"),
			with("padding", c.padding), with("steps", c.steps)}, x)
		if !slices.Equal(got, c.want) {
			t.Errorf("steps %v, padding %v: %v, want %v", c.steps, c.padding, got, c.want)
		}
	}
	d := def("argmax_pool")
	for _, attrs := range []graph.Attrs{{with("steps", []int{1})}, {with("steps", []int{0, 0, 0, math.MaxInt}), with("dtype", tensor.Int32)}} {
		attrs = append(attrs, with("size", []int{1, 1, 2, 2}), with("padding", make([]int, 8)))
		if _, _, err := d.Bind([]op.Type{graph.TypeOf(x)}, attrs); err == nil {
			t.Errorf("%v is accepted", attrs)
		}
	}
}
