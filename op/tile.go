package op

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

var tileDef = &Def{
	Name: "tile",
	Doc: "Tile repeats input as a whole along each dimension. " +
		"The element at index i of the result is that at i mod n, where n are the extents of input " +
		"(NNEF shape operations, WebNN tile, CVM tile).",
	Spec: Spec{NNEF: "tile", WebNN: "tile", CVM: "tile, repeat"},
	In:   []Operand{{Name: "input", Types: Movable, Rank: AnyRank, Doc: "the tensor"}},
	Out:  []Result{{Name: "output", Like: "input", Doc: "input, repeated"}},
	Attrs: []Attr{{Name: "repeats", Kind: graph.KindInts, Range: [2]float64{1, tensor.MaxElements},
		Doc: "how often to repeat along each dimension"}},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		in, repeats := s.In[0].Shape, s.Ints("repeats")
		if len(repeats) != len(in) {
			return nil, s.Errorf("repeats", "%d numbers are given; shape %v has %d dimensions", len(repeats), in, len(in))
		}
		out := in.Clone()
		for d, r := range repeats {
			if r > tensor.MaxElements/max(in[d], 1) {
				return nil, s.Errorf("repeats", "%d times the extent %d of dimension %d is more than can be addressed", r, in[d], d)
			}
			out[d] *= r
		}
		return []tensor.Shape{out}, nil
	},
	Ref: Reference{Kernels: everyType(tileRows), Pieces: func(s *Sig, out []Type) int {
		return out[0].Shape[:tiledAxis(s.Attrs)].Len()
	}},
	Takes:    fromFirst,
	Simplify: ifSameType,
	Lane:     single("repeats", tileLane),
	Generate: func(r *Rand) Case {
		shape := r.Shape(0, 4)
		repeats := make([]int, len(shape))
		for d := range repeats {
			repeats[d] = r.Between(1, 3)
		}
		return Case{In: []*tensor.Tensor{r.arbitrary(shape)}, Attrs: graph.Attrs{{Name: "repeats", Value: repeats}}}
	},
}

// tiledAxis returns the last dimension that is repeated, 0 if there is none. From it on, each row of the result is a
// contiguous part of the operand, several times.
func tiledAxis(a graph.Attrs) int {
	repeats := a.Ints("repeats")
	axis := max(len(repeats)-1, 0)
	for axis > 0 && repeats[axis] == 1 {
		axis--
	}
	return axis
}

// tileRows computes rows of the result, counted over the dimensions before tiledAxis.
func tileRows(c *Call, lo, hi int) {
	in, out, axis := c.In[0].Shape(), c.Out[0].Shape(), tiledAxis(c.Attrs)
	src, dst := c.In[0].Bytes(), c.Out[0].Bytes()
	chunk := in[axis:].Len() * c.In[0].DType().Size()
	row := out[axis:].Len() * c.In[0].DType().Size()
	watch := c.Watch()
	for i := lo; i < hi; i++ {
		from, rest, step := 0, i, chunk
		for d := axis - 1; d >= 0; d-- {
			from += rest % out[d] % in[d] * step
			rest /= out[d]
			step *= in[d]
		}
		for to := i * row; to < (i+1)*row; to += chunk {
			if watch.Copy(dst[to:to+chunk], src[from:]) {
				return
			}
		}
	}
}
