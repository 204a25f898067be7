package op

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

var cumulativeSum = cumulativeDef("cumulative_sum", "cumulativeSum",
	"Cumulative_sum returns the running sum along an axis, yₖ = x₀ + … + xₖ, or without xₖ if exclusive (WebNN, cumulativeSum). "+
		"The elements are added one after the other, from +0 on; reversed begins at the end of the axis. Integers wrap.",
	wrapping(sums[float32], sums[float64], sums[uint8], sums[uint16], sums[uint32], sums[uint64]))

var cumulativeProduct = cumulativeDef("cumulative_product", "",
	"Cumulative_product returns the running product along an axis, yₖ = x₀ · … · xₖ, or without xₖ if exclusive (ONNX CumProd). "+
		"The elements are multiplied one after the other, from 1 on; reversed begins at the end of the axis. Integers wrap.",
	wrapping(products[float32], products[float64], products[uint8], products[uint16], products[uint32], products[uint64]))

func cumulativeDef(name, webnn, doc string, kernels Kernels) *Def {
	return &Def{
		Name: name,
		Doc:  doc,
		Spec: Spec{WebNN: webnn},
		In:   []Operand{{Name: "input", Types: Numbers, Rank: AtLeast(1), Doc: "elements to combine"}},
		Out:  []Result{{Name: "output", Like: "input", Doc: "results, in the shape of input"}},
		Attrs: []Attr{
			{Name: "axis", Kind: graph.KindInt, Doc: "axis along which they are combined"},
			{Name: "exclusive", Kind: graph.KindBool, Default: false, Doc: "whether a result leaves out the element at its own index"},
			{Name: "reversed", Kind: graph.KindBool, Default: false, Doc: "whether it runs from the last element to the first"},
		},
		Shape: func(s *Sig) ([]tensor.Shape, error) {
			if _, err := s.axis("axis", s.In[0].Shape); err != nil {
				return nil, err
			}
			return sameShape(s)
		},
		Ref:         Reference{Kernels: kernels, Pieces: perLine},
		NonNegative: ofFloats(ifAll),
		Work:        addWork,
		Lane:        firstLane(besideAxis),
		Generate: func(r *Rand) Case {
			shape, d := r.Shape(1, 4), r.DType(Numbers)
			x := r.Tensor(d, shape)
			if d.IsFloat() && r.IntN(6) == 0 {
				x = r.Extremes(d, shape)
			}
			return Case{In: []*tensor.Tensor{x}, Attrs: graph.Attrs{
				{Name: "axis", Value: r.IntN(len(shape))},
				{Name: "exclusive", Value: r.Bool()},
				{Name: "reversed", Value: r.Bool()},
			}}
		},
	}
}

// perLine makes each line of operand 0 along the attribute axis a piece.
func perLine(s *Sig, _ []Type) int {
	n := 1
	for d, extent := range s.In[0].Shape {
		if d != s.Int("axis") {
			n *= extent
		}
	}
	return n
}

func sums[T numeric](c *Call, lo, hi int) { running[T](c, lo, hi, false) }

func products[T numeric](c *Call, lo, hi int) { running[T](c, lo, hi, true) }

// runningLines is how many lines beside each other are combined at a time, because elements of one line that are far apart are slow to reach.
const runningLines = 128

// running adds or multiplies the elements of lines.
func running[T numeric](c *Call, lo, hi int, multiply bool) {
	x, y, shape, axis := unsigned[T](c.In[0]), unsigned[T](c.Out[0]), c.In[0].Shape(), c.Int("axis")
	exclusive, reversed := c.Bool("exclusive"), c.Bool("reversed")
	n, inner := shape[axis], shape[axis+1:].Len()
	var acc [runningLines]T
	watch := c.Watch()
	for line := lo; line < hi; {
		lines := min(hi-line, inner-line%inner, runningLines)
		at, step := line/inner*n*inner+line%inner, inner
		if reversed {
			at, step = at+(n-1)*inner, -inner
		}
		clear(acc[:lines])
		for i := range lines {
			if multiply {
				acc[i] = 1
			}
		}
		for i := 0; i < n && lines == 1; i += runningLines {
			some := min(n-i, runningLines)
			if watch.Stops(some) {
				return
			}
			acc[0] = runningLine(y, x, at+i*step, step, some, acc[0], multiply, exclusive)
		}
		for i := 0; i < n && lines > 1; i++ {
			if watch.Stops(lines) {
				return
			}
			to := y[at : at+lines]
			for i, v := range x[at : at+lines] {
				before := acc[i]
				if multiply {
					v *= before
				} else {
					v += before
				}
				if acc[i] = v; exclusive {
					v = before
				}
				to[i] = finish(v)
			}
			at += step
		}
		line += lines
	}
}

// runningLine adds or multiplies n elements of a line by itself, from the one at a place on, to what those before them yield, and returns what they do.
func runningLine[T numeric](y, x []T, at, step, n int, acc T, multiply, exclusive bool) T {
	for range n {
		before := acc
		if v := x[at]; multiply {
			acc = before * v
		} else {
			acc = before + v
		}
		if to := &y[at]; exclusive {
			*to = finish(before)
		} else {
			*to = finish(acc)
		}
		at += step
	}
	return acc
}
