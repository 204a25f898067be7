package kernel_test

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

func init() {
	for name := range opsOf("lanes") {
		aroundTiles[name] = aroundGroups
	}
	aroundTiles["sum_reduce"] = func(r *op.Rand) op.Case {
		c := aroundGroups(r)
		c.Attrs = append(c.Attrs, graph.AttrsOf("normalize", r.Bool())...)
		return c
	}
	for _, name := range []string{"argmax_reduce", "argmin_reduce"} {
		aroundTiles[name] = func(r *op.Rand) op.Case {
			c := aroundGroups(r)
			if r.Bool() { // few values, so that ties are frequent
				c.In[0] = r.Uniform(tensor.Float32, c.In[0].Shape(), 0, 0.08)
			}
			c.Attrs = append(c.Attrs, graph.AttrsOf("dtype", op.Pick(r, []tensor.DType{tensor.Int32, tensor.Int64}))...)
			return c
		}
	}
	aroundTiles["softmax"] = aroundGroups
	aroundTiles["layer_normalization"] = func(r *op.Rand) op.Case { return normalized(r, 2) }
	aroundTiles["rms_normalization"] = func(r *op.Rand) op.Case { return normalized(r, 1) }
	aroundTiles["instance_normalization"] = func(r *op.Rand) op.Case {
		shape := append(tensor.Shape{r.Between(1, 2), r.Between(1, 20)}, extents(r, 1+r.IntN(2))...)
		c := op.Case{In: []*tensor.Tensor{perhapsGreat(r, shape)}, Attrs: graph.AttrsOf("epsilon", 1e-3)}
		for range 2 {
			c.In = append(c.In, optional(r, shape[1:2]))
		}
		return c
	}
}

// extents returns some extents, of which one is around what routines take at a time, and the others are small.
func extents(r *op.Rand, n int) tensor.Shape {
	s := make(tensor.Shape, n)
	for d := range s {
		s[d] = r.Between(1, 3)
	}
	s[r.IntN(n)] = max(1, op.Pick(r, []int{8, 16, 16, 32, 48, width, portion, 2 * width})+r.Between(-2, 2))
	return s
}

// aroundGroups returns a case of a reduction of some axes.
func aroundGroups(r *op.Rand) op.Case {
	s := extents(r, r.Between(1, 4))
	axes := r.Axes(len(s), r.Between(1, len(s)))
	r.Shuffle(len(axes), func(i, j int) { axes[i], axes[j] = axes[j], axes[i] })
	return op.Case{In: []*tensor.Tensor{perhapsGreat(r, s)}, Attrs: graph.AttrsOf("axes", axes)}
}

// normalized returns a case of a normalization over the last axes, or some before the last one, with some parameters.
func normalized(r *op.Rand, parameters int) op.Case {
	s := extents(r, r.Between(1, 3))
	first, end := r.IntN(len(s)), len(s)
	if r.IntN(3) == 0 {
		end = r.Between(first+1, len(s))
	}
	var axes []int
	for d := range s[first:end] {
		axes = append(axes, first+d)
	}
	c := op.Case{In: []*tensor.Tensor{perhapsGreat(r, s)}, Attrs: graph.AttrsOf("axes", axes, "epsilon", 1e-5)}
	for range parameters {
		c.In = append(c.In, optional(r, s[first:end]))
	}
	return c
}

// perhapsGreat returns elements, now and then such as make a sum or a sum of squares overflow, all of them or a few.
func perhapsGreat(r *op.Rand, s tensor.Shape) *tensor.Tensor {
	x := r.Tensor(tensor.Float32, s)
	if r.IntN(3) > 0 {
		return x
	}
	values, some, factor := tensor.Data[float32](x), r.Between(1, 20), op.Pick(r, []float32{1e18, 1e20, 0x1p122})
	for i := range values {
		if r.IntN(some) == 0 {
			values[i] *= factor
		}
	}
	return x
}

func optional(r *op.Rand, s tensor.Shape) *tensor.Tensor {
	if r.IntN(3) == 0 {
		return nil
	}
	return r.Tensor(tensor.Float32, s)
}
