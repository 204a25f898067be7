package op_test

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// naiveTaps calls f for every tap of every result element of conv or deconv, in the order of the definition: with the
// offsets of the result, the input and the filter.
func naiveTaps(c op.Case, out tensor.Shape, up bool, f func(y, x, w int)) {
	in, filter := c.In[0].Shape(), c.In[1].Shape()
	window := newNaiveWindow(in[2:], c.Attrs, up)
	groupIn, groupOut := filter[1], filter[0]*filter[1]/in[1]
	if up {
		groupIn, groupOut = in[1]*filter[1]/out[1], filter[1]
	}
	for _, o := range indices(out) {
		group := o[1] / groupOut
		for block := 0; block < groupIn; block += 16 {
			for _, k := range indices(filter[2:]) {
				index, _ := window.at(o[2:], k)
				if index == nil {
					continue
				}
				for channel := block; channel < min(block+16, groupIn); channel++ {
					from := group*groupIn + channel
					w := []int{o[1], channel}
					if up {
						w = []int{from, o[1] % groupOut}
					}
					f(flat(out, o...), flat(in, append([]int{o[0], from}, index...)...), flat(filter, append(w, k...)...))
				}
			}
		}
	}
}

func TestConvolutionDefinition(t *testing.T) {
	for _, name := range []string{"conv", "deconv"} {
		t.Run(name, func(t *testing.T) {
			cases(t, name, 120, func(c op.Case, out *tensor.Tensor) {
				channel := func(i int) int { return i / out.Shape()[2:].Len() % out.Shape()[1] }
				if c.In[0].DType().IsFloat() {
					x, w, want := floats(c.In[0]), floats(c.In[1]), make([]float32, out.Len())
					naiveTaps(c, out.Shape(), name == "deconv", func(y, i, k int) { want[y] = fma(x[i], w[k], want[y]) })
					if c.In[2] != nil {
						bias := floats(c.In[2])
						for i := range want {
							want[i] += bias[channel(i)%len(bias)]
						}
					}
					sameFloats(t, out, want, c)
					return
				}
				x, w, want := integers(c.In[0]), integers(c.In[1]), make([]*big.Int, out.Len())
				for i := range want {
					want[i] = new(big.Int)
				}
				naiveTaps(c, out.Shape(), name == "deconv", func(y, i, k int) { want[y].Add(want[y], new(big.Int).Mul(x[i], w[k])) })
				if c.In[2] != nil {
					bias := integers(c.In[2])
					for i := range want {
						want[i].Add(want[i], bias[channel(i)%len(bias)])
					}
				}
				sameIntegers(t, out, want, c)
			})
		})
	}
}

// TestIntegersWrap holds sums of products that exceed the result to their low bits.
func TestIntegersWrap(t *testing.T) {
	x := must(tensor.FromSlice([]int32{math.MaxInt32, math.MaxInt32, math.MinInt32}, 1, 1, 3))
	w := must(tensor.FromSlice([]int32{math.MaxInt32, 2, -3}, 1, 1, 3))
	for _, tt := range []struct {
		dtype tensor.DType
		want  int64
	}{
		{tensor.Int64, math.MaxInt32*math.MaxInt32 + 2*math.MaxInt32 - 3*math.MinInt32},
		{tensor.Int32, -2147483649 + 1<<32},
	} {
		out, err := op.Eval(def("conv"), []*tensor.Tensor{x, w}, graph.Attrs{{Name: "padding", Value: []int{0, 0}}, {Name: "dtype", Value: tt.dtype}})
		if err != nil {
			t.Fatal(err)
		}
		if got := integers(out[0])[0]; out[0].DType() != tt.dtype || got.Int64() != tt.want {
			t.Errorf("the sum is %v %v, want %v", out[0].DType(), got, tt.want)
		}
	}
}

// TestDeconvIsAdjoint compares the inner products ⟨conv(a), b⟩ and ⟨a, deconv(b)⟩, which are exact on integers.
func TestDeconvIsAdjoint(t *testing.T) {
	for seed := range uint64(100) {
		r := op.NewRand(seed, 4)
		in, size, attrs, groups := tensor.Shape{}, tensor.Shape{}, graph.Attrs{}, r.Between(1, 3)
		for len(in) == 0 || len(in) > 2 || slices.Contains(in, 0) {
			c := def("conv").Generate(r)
			in, size, attrs = c.In[0].Shape()[2:], c.In[1].Shape()[2:], nil
			for _, name := range []string{"padding", "stride", "dilation"} {
				if v := c.Attrs.Get(name); v != nil {
					attrs = append(attrs, with(name, v))
				}
			}
		}
		batch, perIn, perOut := r.Between(1, 2), r.Between(1, 20), r.Between(1, 3)
		attrs = append(attrs, graph.Attr{Name: "groups", Value: groups}, graph.Attr{Name: "dtype", Value: tensor.Int64})
		filter := r.Tensor(tensor.Int8, append(tensor.Shape{groups * perOut, perIn}, size...))
		a := r.Tensor(tensor.Int16, append(tensor.Shape{batch, groups * perIn}, in...))
		down, err := op.Eval(def("conv"), []*tensor.Tensor{a, filter}, attrs)
		if err != nil {
			t.Fatal(err)
		}
		b := r.Tensor(tensor.Int16, down[0].Shape())
		up, err := op.Eval(def("deconv"), []*tensor.Tensor{b, filter}, attrs.With("output_shape", []int(a.Shape())))
		if err != nil {
			t.Fatal(err)
		}
		if left, right := inner(down[0], b), inner(a, up[0]); left.Cmp(right) != 0 {
			t.Fatalf("⟨conv(a), b⟩ = %v, ⟨a, deconv(b)⟩ = %v for %v, %v, %v", left, right, a, filter, attrs)
		}
	}
}

func inner(a, b *tensor.Tensor) *big.Int {
	sum, x, y := new(big.Int), integers(a), integers(b)
	for i := range x {
		sum.Add(sum, x[i].Mul(x[i], y[i]))
	}
	return sum
}

// TestBias holds the bias to its shapes and to being added after the products.
func TestBias(t *testing.T) {
	x := must(tensor.FromSlice([]float32{1, 2}, 1, 2, 1))
	w := must(tensor.FromSlice([]float32{1, 1, 2, 2}, 2, 2, 1))
	attrs := graph.Attrs{{Name: "padding", Value: []int{0, 0}}}
	for _, tt := range []struct {
		shape tensor.Shape
		bias  []float32
		want  []float32
	}{
		{tensor.Shape{}, []float32{1}, []float32{4, 7}},
		{tensor.Shape{1, 1}, []float32{1}, []float32{4, 7}},
		{tensor.Shape{2}, []float32{1, -1}, []float32{4, 5}},
		{tensor.Shape{1, 2}, []float32{1, -1}, []float32{4, 5}},
		{tensor.Shape{2, 1}, []float32{1, -1}, nil},
		{tensor.Shape{3}, []float32{1, 2, 3}, nil},
	} {
		out, err := op.Eval(def("conv"), []*tensor.Tensor{x, w, must(tensor.FromSlice(tt.bias, tt.shape...))}, attrs)
		if err != nil {
			if tt.want != nil {
				t.Error(err)
			}
			continue
		}
		if tt.want == nil {
			t.Errorf("a bias of shape %v is accepted", tt.shape)
			continue
		}
		sameFloats(t, out[0], tt.want, op.Case{In: []*tensor.Tensor{x, w}, Attrs: attrs})
	}
}

// TestConvTypes holds the operands to types that belong together.
func TestConvTypes(t *testing.T) {
	attrs := graph.Attrs{{Name: "padding", Value: []int{0, 0}}}
	zeros := func(d tensor.DType, shape ...int) *tensor.Tensor { return must(tensor.New(d, shape)) }
	for _, tt := range []struct {
		x, w, b tensor.DType
		want    tensor.DType
	}{
		{tensor.Float32, tensor.Float32, tensor.Float32, tensor.Float32},
		{tensor.Float16, tensor.Float16, tensor.Float16, tensor.Float16},
		{tensor.Uint8, tensor.Int8, tensor.Int32, tensor.Int32},
		{tensor.Float16, tensor.Float32, tensor.Float32, tensor.Invalid},
		{tensor.Float32, tensor.Int8, tensor.Float32, tensor.Invalid},
		{tensor.Int8, tensor.Float32, tensor.Float32, tensor.Invalid},
		{tensor.Int8, tensor.Int8, tensor.Float32, tensor.Invalid},
		{tensor.Int8, tensor.Int8, tensor.Int64, tensor.Invalid},
	} {
		out, err := op.Eval(def("conv"), []*tensor.Tensor{zeros(tt.x, 1, 1, 2), zeros(tt.w, 1, 1, 2), zeros(tt.b, 1)}, attrs)
		switch {
		case err == nil && out[0].DType() != tt.want:
			t.Errorf("%v with %v, %v gives %v, want %v", tt.x, tt.w, tt.b, out[0].DType(), tt.want)
		case err != nil && tt.want != tensor.Invalid:
			t.Error(err)
		}
	}
}
