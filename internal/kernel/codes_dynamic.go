package kernel

import (
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Codes whose scale or zero point is known when they are computed, as networks have them that quantize by the numbers they meet, or that differ by channel.

// dynamicRows returns the rows of a tier that has routines on codes.
func dynamicRows(t *simd.Tier) []Kernel {
	if !t.Quantize.Exists() {
		return nil
	}
	return []Kernel{
		{Name: "elements", Op: "quantize_linear", In: []op.Types{float32s, float32s, bits8}, Prepare: func(r Region) *Plan {
			return dynamicCodes(r, r.Root().Out[0].Type.DType, &codeElements{routine: &t.Quantize, group: 16, sizes: [3]int{4, 0, 1}})
		}},
		{Name: "elements", Op: "dequantize_linear", In: []op.Types{bits8, float32s, bits8}, Prepare: func(r Region) *Plan {
			if r.Root().Out[0].Type.DType != tensor.Float32 {
				return nil
			}
			return dynamicCodes(r, r.Root().In[0].Type.DType, &codeElements{routine: &t.Dequantize, group: 16, sizes: [3]int{1, 0, 4}})
		}},
	}
}

// togetherLeast is the least number of neighbours with one scale for which a call of a routine is worth its time.
const togetherLeast = 8

// dynamicCodes prepares what a routine does with codes of a type, whose scales and zero points may be those of blocks.
func dynamicCodes(r Region, codes tensor.DType, e *codeElements) *Plan {
	n := r.Root()
	blocks, zeros := geometry.NewBlocks(n.In[0].Type.Shape, n.In[1].Type.Shape, n.Attrs.Ints("block")), n.In[2].Type.Shape.Len()
	if together := blocks.Together(); len(r.Nodes) > 1 || n.Out[0].Type.Shape.Len() == 0 || together > 0 && together < togetherLeast {
		return nil
	} else if together == 0 {
		e.values = n.In[:1]
	}
	e.b = -1
	e.signs(codes)
	p := e.plan(r)
	each := p.Out[0].Shape(n.Out[0].Type.Shape).Len() / p.Pieces
	into := codes == n.Out[0].Type.DType
	p.Run = func(c *op.Call, lo, hi int) {
		now, blocks := *e, blocks
		for from, hi := lo*each, hi*each; from < hi; {
			p, end := blocks.Next(from, hi)
			scale, zero := tensor.Data[float32](c.In[1])[p], integerAt(c.In[2], p%zeros)
			now.args.Scale, now.args.Zero = scale, int32(zero)
			if into {
				now.bounds(codes, zero)
			}
			now.run(c, from, end)
			if y := c.Out[0]; !into && !moderate(scale) {
				canonicalFloats(tensor.Data[float32](y)[from:end])
			}
			from = end
		}
	}
	return p
}

// canonicalFloats makes every NaN the canonical one.
func canonicalFloats(list []float32) {
	for i, v := range list {
		list[i] = fmath.Canonical(v)
	}
}
