package kernel_test

import (
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

func init() {
	for name := range opsOf("elements") {
		d, other := found(op.Lookup(name)), aroundTiles[name]
		if !d.Traits.Has(op.Elementwise) || strings.Contains(name, "quantize") { // which have scales for channels
			continue
		}
		aroundTiles[name] = func(r *op.Rand) op.Case {
			if other != nil && r.Bool() {
				return other(r)
			}
			return aroundRuns(r, d)
		}
	}
	anything := aroundTiles["cast"]
	aroundTiles["cast"] = func(r *op.Rand) op.Case {
		c := anything(r)
		whole := []tensor.DType{tensor.Int8, tensor.Uint8, tensor.Int16, tensor.Uint16, tensor.Int32}
		if c.In[0].DType() == tensor.Float32 {
			c.Attrs = graph.AttrsOf("dtype", op.Pick(r, whole))
		} else {
			c.Attrs = graph.AttrsOf("dtype", tensor.Float32)
		}
		return c
	}
	simple := aroundTiles["pow"]
	aroundTiles["pow"] = func(r *op.Rand) op.Case {
		c := simple(r)
		c.In[1] = tensor.Scalar(op.Pick(r, []float32{2, 0.5, -0.5, 3, -1, -2, 0.75, 1, 0, 1e10, -3e20, 1e-20, 150.5, -149}))
		return c
	}
	aroundTiles["local_response_normalization"] = func(r *op.Rand) op.Case {
		shape := chainRuns(r)
		size := make([]int, len(shape))
		for d := range size {
			size[d] = op.Pick(r, []int{1, 1, 2, 3, 5})
		}
		return op.Case{In: []*tensor.Tensor{r.Tensor(tensor.Float32, shape)}, Attrs: graph.AttrsOf("size", size, "alpha", 0.5, "beta",
			op.Pick(r, []float64{0.5, 0.75, 1, 2, -1}), "bias", op.Pick(r, []float64{1, -1}))}
	}
	aroundTiles["batch_normalization"] = func(r *op.Rand) op.Case {
		shape := chainRuns(r)
		axis := r.IntN(len(shape))
		c := op.Case{In: []*tensor.Tensor{r.Tensor(tensor.Float32, shape)}, Attrs: graph.AttrsOf("epsilon", 1e-5, "axis", axis)}
		for range 4 {
			s := tensor.Shape{1}
			if r.IntN(4) > 0 {
				s[0] = shape[axis]
			}
			c.In = append(c.In, r.Uniform(tensor.Float32, s, 0.25, 4))
		}
		return c
	}
}

// aroundRuns returns a case of an element-wise operator, of elements in runs around what is computed at a time.
func aroundRuns(r *op.Rand, d *op.Def) op.Case {
	c, shape := d.Draw(r), chainRuns(r)
	full := r.IntN(len(c.In))
	for i, x := range c.In {
		switch {
		case x == nil:
		case i == full || r.Bool():
			c.In[i] = r.Tensor(x.DType(), shape)
		default:
			c.In[i] = r.Tensor(x.DType(), r.Broadcastable(shape))
		}
	}
	if c.In[full] == nil {
		c.In[0] = r.Tensor(c.In[0].DType(), shape)
	}
	return c
}

// chainRuns returns a shape whose last extents, or their product, are around a vector, a short run or a chunk.
func chainRuns(r *op.Rand) tensor.Shape {
	near := func(n int) int { return max(1, n+r.Between(-2, 2)) }
	switch r.IntN(16) { // few large ones, which take long to compare
	case 0, 1, 2, 3:
		return tensor.Shape{r.Between(1, 3), near(16), near(16)}
	case 4, 5, 6, 7:
		return tensor.Shape{r.Between(1, 2), near(4), near(shortRun)}
	case 8:
		return tensor.Shape{r.Between(1, 2), near(chainRun)}
	case 9:
		return tensor.Shape{near(chainRun / 4), r.Between(1, 5)}
	}
	return tensor.Shape{r.Between(1, 2), r.Between(14, 34), r.Between(1, 8), r.Between(1, 8)}
}
