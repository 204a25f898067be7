package op_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestUpsamplePositions follows the worked numbers of the NNEF reference: extent 3, factor 2. The data are their own
// positions, so that the result is the position, clamped by the border.
func TestUpsamplePositions(t *testing.T) {
	x := must(tensor.FromSlice([]float32{0, 1, 2}, 1, 1, 3))
	for method, want := range map[string][]float32{
		"symmetric":  {0, 0.25, 0.75, 1.25, 1.75, 2},
		"asymmetric": {0, 0.5, 1, 1.5, 2, 2},
		"aligned":    {0, 0.4, 0.8, 1.2, 1.6, 2},
	} {
		out, err := op.Eval(def("multilinear_upsample"), []*tensor.Tensor{x}, graph.Attrs{{Name: "factor", Value: []int{2}}, {Name: "method", Value: method}})
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range floats(out[0]) {
			if math.Abs(float64(v-want[i])) > 1e-6 {
				t.Errorf("%s: result %d is %v, want %v", method, i, v, want[i])
			}
		}
	}
}

// TestResampleExample is the example in WebNN's text.
func TestResampleExample(t *testing.T) {
	x := must(tensor.FromSlice([]float32{0, 1, 2, 3, 0, 1, 2, 3, 12, 13, 14, 15, 12, 13, 14, 15}, 1, 1, 4, 4))
	columns, rows := []float32{0, 0.25, 0.75, 1.25, 1.75, 2.25, 2.75, 3}, []float32{0, 0, 0, 3, 9, 12, 12, 12}
	var want []float32
	for _, r := range rows {
		for _, c := range columns {
			want = append(want, r+c)
		}
	}
	for _, scales := range [][]float64{{}, {1, 1, 2, 2}} {
		attrs := graph.Attrs{{Name: "mode", Value: "linear"}, {Name: "sizes", Value: []int{1, 1, 8, 8}}, {Name: "scales", Value: scales}}
		out, err := op.Eval(def("resample"), []*tensor.Tensor{x}, attrs)
		if err != nil {
			t.Fatal(err)
		}
		sameFloats(t, out[0], want, op.Case{In: []*tensor.Tensor{x}, Attrs: attrs})
	}
}

// TestResampleRounds holds integers to being rounded to the nearest, ties to even.
func TestResampleRounds(t *testing.T) {
	x := must(tensor.FromSlice([]int8{0, 2, 10, -4}, 4))
	attrs := graph.Attrs{{Name: "mode", Value: "linear"}, {Name: "sizes", Value: []int{8}}}
	out, err := op.Eval(def("resample"), []*tensor.Tensor{x}, attrs)
	if err != nil {
		t.Fatal(err)
	}
	want := []int8{0, 0, 2, 4, 8, 6, 0, -4} // 0, 0.5, 1.5, 4, 8, 6.5, -0.5, -4
	for i, v := range tensor.Data[int8](out[0]) {
		if v != want[i] {
			t.Errorf("element %d is %d, want %d", i, v, want[i])
		}
	}
}

// exact returns num/den as a fraction.
func exact(num, den int) *big.Rat { return big.NewRat(int64(num), int64(den)) }

// floorRat returns the greatest integer that is not above v, and the rest as the definition rounds it.
func floorRat(v *big.Rat) (int, float32) {
	floor := new(big.Int).Div(v.Num(), v.Denom()) // the denominator is positive
	rest, _ := new(big.Rat).Sub(v, new(big.Rat).SetInt(floor)).Float64()
	return int(floor.Int64()), float32(rest)
}

// naiveLerp interpolates recursively, the last dimension first.
func naiveLerp(x []float32, shape tensor.Shape, low, high []int, t []float32, index []int) float32 {
	d := len(index)
	if d == len(shape) {
		return x[flat(shape, index...)]
	}
	at := func(i int) float32 {
		if i < 0 {
			return 0
		}
		return naiveLerp(x, shape, low, high, t, append(index[:d:d], i))
	}
	a := at(low[d])
	if t[d] == 0 {
		return a
	}
	return fma(at(high[d]), t[d], float32(a*float32(1-t[d])))
}

func TestUpsampleDefinition(t *testing.T) {
	cases(t, "multilinear_upsample", 200, func(c op.Case, out *tensor.Tensor) {
		in, factor, rule := c.In[0].Shape(), c.Attrs.Ints("factor"), c.Attrs.String("border")
		var want []float32
		for _, o := range indices(out.Shape()) {
			low, high, weight := []int{o[0], o[1]}, []int{o[0], o[1]}, []float32{0, 0}
			for d, f := range factor {
				i, n := o[d+2], in[d+2]
				u := exact(i, f)
				switch c.Attrs.String("method") {
				case "symmetric":
					u = new(big.Rat).Quo(new(big.Rat).Sub(exact(i, 1), exact(f-1, 2)), exact(f, 1))
				case "aligned":
					u = exact(0, 1)
					if n*f > 1 {
						u = exact(i*(n-1), n*f-1)
					}
				}
				floor, rest := floorRat(u)
				low, high = append(low, naiveBorder(rule, floor, n)), append(high, naiveBorder(rule, floor+1, n))
				weight = append(weight, rest)
			}
			want = append(want, canonical(naiveLerp(floats(c.In[0]), in, low, high, weight, nil)))
		}
		sameFloats(t, out, want, c)
	})
}

func TestResampleDefinition(t *testing.T) {
	cases(t, "resample", 300, func(c op.Case, out *tensor.Tensor) {
		if len(c.Attrs.Floats("scales")) > 0 {
			return
		}
		in, nearest := c.In[0].Shape(), c.Attrs.String("mode") == "nearest-neighbor"
		half := exact(1, 2)
		x, plain, got := values(c.In[0]), floats(c.In[0]), values(out)
		for i, o := range indices(out.Shape()) {
			low, high, weight := []int{}, []int{}, []float32{}
			for d, n := range in {
				u := new(big.Rat).Sub(new(big.Rat).Quo(new(big.Rat).Add(exact(o[d], 1), half), exact(out.Shape()[d], n)), half)
				if u.Sign() < 0 {
					u = exact(0, 1)
				}
				if last := exact(n-1, 1); u.Cmp(last) > 0 {
					u = last
				}
				if nearest {
					floor, _ := floorRat(new(big.Rat).Sub(half, u)) // ceil(u - 1/2) = -floor(1/2 - u)
					low = append(low, -floor)
					continue
				}
				floor, rest := floorRat(u)
				low, high, weight = append(low, floor), append(high, min(floor+1, n-1)), append(weight, rest)
			}
			want := 0.0
			if nearest {
				want = x[flat(in, low...)]
			} else if want = float64(naiveLerp(plain, in, low, high, weight, nil)); c.In[0].DType().IsInteger() {
				want = math.RoundToEven(want)
			} else {
				want = values(must(tensor.Cast(tensor.Scalar(float32(want)), out.DType())))[0]
			}
			if got[i] != want {
				t.Fatalf("%v %v: element %v is %v, want %v", c.In, c.Attrs, o, got[i], want)
			}
		}
	})
}

// TestResizeRejects holds the operators to sizes that they can handle.
func TestResizeRejects(t *testing.T) {
	x := must(tensor.New(tensor.Float32, tensor.Shape{1, 1, 2}))
	wide := must(tensor.New(tensor.Int32, tensor.Shape{2}))
	empty := must(tensor.New(tensor.Float32, tensor.Shape{0}))
	for _, tt := range []struct {
		op    string
		x     *tensor.Tensor
		attrs graph.Attrs
	}{
		{"multilinear_upsample", x, graph.Attrs{{Name: "factor", Value: []int{}}}},
		{"multilinear_upsample", x, graph.Attrs{{Name: "factor", Value: []int{0}}}},
		{"multilinear_upsample", x, graph.Attrs{{Name: "factor", Value: []int{1 << 30}}}},
		{"multilinear_upsample", x, graph.Attrs{{Name: "factor", Value: []int{math.MaxInt}}}},
		{"multilinear_upsample", x, graph.Attrs{{Name: "factor", Value: []int{2}}, {Name: "border", Value: "ignore"}}},
		{"resample", x, graph.Attrs{{Name: "sizes", Value: []int{1, 1}}}},
		{"resample", x, graph.Attrs{{Name: "sizes", Value: []int{1, 1, -1}}}},
		{"resample", x, graph.Attrs{{Name: "sizes", Value: []int{1, 1, math.MaxInt}}}},
		{"resample", x, graph.Attrs{{Name: "sizes", Value: []int{1, 1, 4}}, {Name: "scales", Value: []float64{1}}}},
		{"resample", x, graph.Attrs{{Name: "sizes", Value: []int{1, 1, 4}}, {Name: "scales", Value: []float64{1, 1, 0}}}},
		{"resample", x, graph.Attrs{{Name: "sizes", Value: []int{1, 1, 4}}, {Name: "scales", Value: []float64{1, 1, math.NaN()}}}},
		{"resample", wide, graph.Attrs{{Name: "sizes", Value: []int{4}}, {Name: "mode", Value: "linear"}}},
		{"resample", empty, graph.Attrs{{Name: "sizes", Value: []int{4}}}},
	} {
		if _, err := op.Eval(def(tt.op), []*tensor.Tensor{tt.x}, tt.attrs); err == nil {
			t.Errorf("%s accepts %v %v", tt.op, tt.x, tt.attrs)
		}
	}
}
