package webnn_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// TestPoolingReaches compares pooling with its definition, element by element, for windows and paddings of any size.
func TestPoolingReaches(t *testing.T) {
	testdata.Wide(t)
	compared, huge := 0, 0
	for seed := range uint64(3000) {
		r := drawer{rand.New(rand.NewPCG(seed, 2))}
		number := func(small int) int {
			if r.IntN(8) == 0 {
				return oneOf(r, most, pow31, 1<<31-1, most-3)
			}
			return r.IntN(small)
		}
		at := func() int { return max(number(5), 1) }
		o := webnn.Options{
			"windowDimensions": []int{at(), at()}, "padding": []int{number(5), number(5), number(5), number(5)},
			"strides": []int{at(), at()}, "dilations": []int{at(), at()}, "outputShapeRounding": oneOf(r, "floor", "ceil"),
		}
		method := oneOf(r, "averagePool2d", "maxPool2d")
		b := newCallBuilder(t)
		out, err := b.make(method, call{args: in(typeText(tensor.Float32, 1, 1, 1+r.IntN(5), 1+r.IntN(5))), options: o})
		if err != nil {
			continue
		}
		y, x := b.run(seed, out)
		if y == nil {
			continue
		}
		compared++
		if max(o["windowDimensions"].([]int)[0], o["windowDimensions"].([]int)[1]) > 1<<30 {
			huge++
		}
		want := poolByDefinition(x["x0"], out[0].Shape(), method, o)
		for i, got := range tensor.Data[float32](y["y0"]) {
			if got != want[i] {
				t.Fatalf("%d: %s %v of %v: element %d is %v; want %v", seed, method, o, x["x0"], i, got, want[i])
			}
		}
	}
	if compared < 300 || huge < 20 {
		t.Errorf("%d results are compared, %d of windows of great size", compared, huge)
	}
}

// poolByDefinition asks for each element of the input whether a position of the window reaches it.
func poolByDefinition(x *tensor.Tensor, out tensor.Shape, method string, o webnn.Options) []float32 {
	size, p := o["windowDimensions"].([]int), o["padding"].([]int)
	s, g := o["strides"].([]int), o["dilations"].([]int)
	reached := func(d, at, element int) bool {
		n := element + p[2*d] - at*s[d]
		return n >= 0 && n%g[d] == 0 && n/g[d] < size[d]
	}
	data, shape := tensor.Data[float32](x), x.Shape()
	var y []float32
	for h := range out[2] {
		for w := range out[3] {
			most, sum, count := float32(math.Inf(-1)), float32(0), 0
			for i, v := range data {
				if reached(0, h, i/shape[3]) && reached(1, w, i%shape[3]) {
					most, sum, count = max(most, v), sum+v, count+1
				}
			}
			switch {
			case method == "maxPool2d":
				y = append(y, most)
			case count == 0:
				y = append(y, 0)
			default:
				y = append(y, sum/float32(count))
			}
		}
	}
	return y
}
