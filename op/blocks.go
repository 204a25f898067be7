package op

import (
	"math"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/tensor"
)

// Blocks: parts of a tensor that share an element of a smaller one, such as a scale (WebNN, "blockwise broadcasting"; ONNX, "blocked
// quantization").

const blockwiseDoc = "a scalar, or of the first operand's rank, so that each element serves a block"

var blockAttr = Attr{Name: "block", Kind: graph.KindInts, Default: []int{}, Range: [2]float64{1, math.MaxInt},
	Doc: "extents of a block, one for each dimension, of which the last block of each may have less; empty for those of equal blocks"}

// blockwiseShape is the shape rule of operators whose operand 1 serves blocks of operand 0, and operand 2 the same ones or all.
func blockwiseShape(s *Sig) ([]tensor.Shape, error) {
	in, scale, zero, block := s.In[0].Shape, s.In[1].Shape, s.In[2].Shape, s.Ints("block")
	name := s.Def.In[1].Name
	if len(zero) > 0 && !scale.Equal(zero) {
		return nil, s.Errorf("zero_point", "the shape %v is not that of %s, %v, and no scalar's", zero, name, scale)
	}
	if len(scale) != 0 && len(scale) != len(in) {
		return nil, s.Errorf(name, "the shape %v has neither the rank of %s's %v nor rank 0", scale, s.Def.In[0].Name, in)
	}
	if len(block) > 0 && len(block) != len(scale) {
		return nil, s.Errorf("block", "%d extents are given; there must be %d, as many as %s has dimensions, or none", len(block), len(scale), name)
	}
	for d, n := range scale {
		switch {
		case len(block) > 0:
			if blocks := geometry.BlocksIn(in[d], block[d]); n != blocks {
				return nil, s.Errorf(name, "the extent %d of dimension %d must be %d, for blocks of %d in an extent of %d", n, d, blocks, block[d], in[d])
			}
		case n == 0 && in[d] != 0 || n > 0 && in[d]%n != 0:
			return nil, s.Errorf(name, "the extent %d of dimension %d does not divide %s's, %d", n, d, s.Def.In[0].Name, in[d])
		}
	}
	return []tensor.Shape{in}, nil
}

// blocks returns those of operand 1 in operand 0.
func (c *Call) blocks() geometry.Blocks {
	return geometry.NewBlocks(c.In[0].Shape(), c.In[1].Shape(), c.Ints("block"))
}

// blockwiseBody writes a tensor of the shape of another one, or a scalar, repeated so that each element fills its block, in NNEF: along a
// dimension of extent 1 behind each of its own.
func blockwiseBody(x, of string) string {
	const size = "(block[D] if length_of(block) > 0 else shape_of(input)[D] / shape_of(OF)[D])"
	const twice = "[for d in range_of(shape_of(OF) + shape_of(OF)) yield "
	half := strings.ReplaceAll(size, "D", "d / 2")
	body := x + " if length_of(shape_of(OF)) == 0 else slice(reshape(tile(\n" +
		"    reshape(" + x + ", shape = " + twice + "shape_of(OF)[d / 2] if d / 2 * 2 == d else 1]),\n" +
		"    repeats = " + twice + "1 if d / 2 * 2 == d else " + half + "]),\n" +
		"    shape = [for d in range_of(shape_of(OF)) yield shape_of(OF)[d] * " + strings.ReplaceAll(size, "D", "d") + "]),\n" +
		"    axes = range_of(shape_of(input)), begin = [0] * length_of(shape_of(input)), end = shape_of(input))"
	return strings.ReplaceAll(body, "OF", of)
}

// blockwise returns the shape of an input, and a scale of type d and a zero point that fit it.
func (r *Rand) blockwise(d tensor.DType) (input tensor.Shape, scale, zero *tensor.Tensor) {
	small := r.Shape(0, 4)
	input = small.Clone()
	for i := range input {
		input[i] *= r.Between(1, 3)
	}
	if r.IntN(4) == 0 {
		small = tensor.Shape{}
	}
	return input, r.Uniform(d, small, 0.03125, 2), r.Tensor(r.DType(quantized), small)
}

// uneven is blockwise with blocks that may not fill the input, a zero point of the given type, and the attribute that says so.
func (r *Rand) uneven(d, zeros tensor.DType) (input tensor.Shape, scale, zero *tensor.Tensor, attrs graph.Attrs) {
	input = r.Shape(0, 4)
	small, block := input.Clone(), make([]int, len(input))
	for i, n := range input {
		block[i] = r.Between(1, n+1)
		small[i] = geometry.BlocksIn(n, block[i])
	}
	if r.IntN(4) == 0 {
		small, block = tensor.Shape{}, []int{}
	}
	of := small
	if r.Bool() {
		of = tensor.Shape{}
	}
	return input, r.Uniform(d, small, 0.03125, 2), r.Tensor(zeros, of), graph.Attrs{{Name: "block", Value: block}}
}
