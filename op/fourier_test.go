package op_test

import (
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

func TestDFTValues(t *testing.T) {
	dft := func(x *tensor.Tensor, want []float32, attrs ...graph.Attr) valueCase {
		return valueCase{"dft", []*tensor.Tensor{x}, append(graph.Attrs{with("axis", 0)}, attrs...), [][]float32{want}}
	}
	reals := shaped(tensor.Shape{4, 1}, 1, 2, 3, 4)
	half, inverse, length := with("onesided", true), with("inverse", true), func(n int) graph.Attr { return with("length", n) }
	checkValues(t, []valueCase{
		dft(reals, []float32{10, 0, -2, 2, -2, 0, -2, -2}),
		dft(reals, []float32{10, 0, -2, 2, -2, 0}, half),
		dft(reals, []float32{3, 0, -1, 0}, length(2)),
		dft(reals, []float32{10, 0, -4.0450850, -1.3143278, 1.5450850, -2.1266270, 1.5450850, 2.1266270, -4.0450850, 1.3143278}, length(5)),
		dft(shaped(tensor.Shape{4, 2}, 10, 0, -2, 2, -2, 0, -2, -2), []float32{1, 0, 2, 0, 3, 0, 4, 0}, inverse),
		dft(shaped(tensor.Shape{3, 2}, 10, 7, -2, 2, -2, 7), []float32{1, 2, 3, 4}, inverse, half), // imaginary parts of the ends do not count
		dft(shaped(tensor.Shape{2, 2}, 6, 0, -1.5, 0.8660254), []float32{1, 2, 3}, inverse, half, length(3)),
		dft(shaped(tensor.Shape{1, 1}, 5), []float32{5, 0}),
	})
}

// TestDFTDefinition adds up the sum that the documentation gives.
func TestDFTDefinition(t *testing.T) {
	cases(t, "dft", 300, func(c op.Case, out *tensor.Tensor) {
		x, axis, inverse := floats(c.In[0]), c.Attrs.Int("axis"), c.Attrs.Bool("inverse")
		if c.In[0].DType() != tensor.Float32 || slices.ContainsFunc(x, func(v float32) bool { return !(math.Abs(float64(v)) < 1e6) }) {
			return
		}
		in, last := c.In[0].Shape(), len(c.In[0].Shape())-1
		n, half := in[axis], inverse && c.Attrs.Bool("onesided")
		if length := c.Attrs.Int("length"); length > 0 {
			n = length
		} else if half {
			n = 2 * (n - 1)
		}
		element := func(o []int, i int) complex128 {
			if half && i > n-i {
				return 0 // its mirror is counted twice
			}
			if i >= in[axis] {
				return 0
			}
			at := slices.Clone(o)
			at[axis], at[last] = i, 0
			v := complex(float64(x[flat(in, at...)]), 0)
			if in[last] == 2 {
				v += complex(0, float64(x[flat(in, at...)+1]))
			}
			return v
		}
		for k, o := range indices(out.Shape()) {
			sum := 0i
			for i := range n {
				turn := -2 * math.Pi * float64(i*o[axis]%n) / float64(n)
				if inverse {
					turn = -turn
				}
				v := element(o, i) * cmplx.Rect(1, turn)
				if half && i != 0 && i != n-i {
					v *= 2
				}
				sum += v
			}
			if inverse {
				sum /= complex(float64(n), 0)
			}
			want := real(sum)
			if o[last] == 1 {
				want = imag(sum)
			}
			if got := float64(floats(out)[k]); math.Abs(got-want) > 1e-5*max(1, math.Abs(want)) {
				t.Fatalf("%v %v: element %v is %v, want %v", c.In, c.Attrs, o, got, want)
			}
		}
	})
}

// TestDFTInverse takes transforms there and back.
func TestDFTInverse(t *testing.T) {
	for _, n := range []int{1, 2, 7, 64, 96, 97, 360} {
		r := op.NewRand(uint64(n), 1)
		x := r.Tensor(tensor.Float32, tensor.Shape{2, n, 3, 2})
		y := evaluated(def("dft"), op.Case{In: []*tensor.Tensor{x}, Attrs: graph.Attrs{with("axis", 1)}})
		back := apply[float32](t, "dft", graph.Attrs{with("axis", 1), with("inverse", true)}, y...)
		for i, v := range floats(x) {
			if math.Abs(float64(back[i]-v)) > 1e-5 {
				t.Fatalf("%d elements: element %d is %v, want %v", n, i, back[i], v)
			}
		}
	}
}
