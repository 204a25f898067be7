package kernel

import (
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Codes whose scale or zero point is known when they are computed, as networks have them that quantize by the numbers they meet.

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

// dynamicCodes prepares what a routine does with codes of a type, with one scale and one zero point.
func dynamicCodes(r Region, codes tensor.DType, e *codeElements) *Plan {
	n := r.Root()
	if len(r.Nodes) > 1 || n.Out[0].Type.Shape.Len() == 0 || n.In[1].Type.Shape.Len() != 1 || n.In[2].Type.Shape.Len() != 1 {
		return nil
	}
	e.b, e.values = -1, n.In[:1]
	e.signs(codes)
	p := e.plan(r)
	each := p.Out[0].Shape(n.Out[0].Type.Shape).Len() / p.Pieces
	into := codes == n.Out[0].Type.DType
	p.Run = func(c *op.Call, lo, hi int) {
		now := *e
		scale, zero := tensor.Data[float32](c.In[1])[0], integerAt(c.In[2], 0)
		now.args.Scale, now.args.Zero = scale, int32(zero)
		if into {
			now.bounds(codes, zero)
		}
		now.run(c, lo*each, hi*each)
		if y := c.Out[0]; !into && !moderate(scale) {
			canonicalFloats(tensor.Data[float32](y)[lo*each : hi*each])
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
