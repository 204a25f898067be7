package kernel

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Quantization as a chain of steps on float32, with any scales that broadcast: of integers of 16 bits, and of 8 where neighbours differ in their scales.

// quantizingRows returns the rows of a tier that has routines on elements.
func quantizingRows(t *simd.Tier) []Kernel {
	if t.Elements == nil {
		return nil
	}
	row := func(name string, types ...op.Types) Kernel {
		return Kernel{Name: "elements", Op: name, In: types, Prepare: func(r Region) *Plan { return quantizing(t, r) }}
	}
	int32s := op.TypeSet(tensor.Int32)
	return []Kernel{
		row("quantize_linear", float32s, float32s, narrow),
		row("requantize", int32s, float32s, narrow),
		row("dequantize_linear", narrow|int32s, float32s, narrow|int32s),
	}
}

// zerosMost is the greatest number of zero points that each worker makes floats of.
const zerosMost = 1 << 14

func quantizing(t *simd.Tier, r Region) *Plan {
	n := r.Root()
	x, scale, zero, to := n.In[0].Type, n.In[1].Type.Shape, n.In[2].Type, n.Out[0].Type.DType
	if len(r.Nodes) > 1 || x.Shape.Len() == 0 || !broadcasts(scale, x.Shape) || !broadcasts(zero.Shape, x.Shape) || zero.Shape.Len() > zerosMost {
		return nil
	}
	some := !isZero(n.In[2])
	if some && zero.DType == tensor.Int32 {
		return nil // differences may need more than 24 bits
	}
	b := newChain(t, r, x.Shape)
	last := b.read(operand{}, x.Shape, 0)
	step := func(name string, in ...int) {
		b.step(name, append([]int{last}, in...))
		last = previous
	}
	cast := func(from, to tensor.DType) {
		b.cast(last, from, to)
		last = previous
	}
	by := b.read(operand{from: 1}, scale, 0)
	from := none
	if some {
		from = b.read(operand{from: 2, prepare: func(c *op.Call, to []float32) { geometry.Load(to[:c.In[2].Len()], c.In[2], 0, 1) }}, zero.Shape, 0)
	}
	if n.Op == "dequantize_linear" {
		if cast(x.DType, to); some {
			step("sub", from)
		}
		step("mul", by)
	} else {
		if n.Op == "requantize" {
			cast(x.DType, tensor.Float32)
			step("mul", by)
		} else {
			step("div", by)
		}
		if step("round_even"); some {
			step("add", from) // exact, or so great that bounds are what counts
		}
		cast(tensor.Float32, to) // which bounds, and makes 0 of NaN
	}
	if !b.ok {
		return nil
	}
	return b.plan()
}

// broadcasts reports whether a shape is a scalar's, or is that of another one but for extents of 1.
func broadcasts(s, to tensor.Shape) bool {
	if s.Len() == 1 {
		return true
	}
	for d, n := range s {
		if n != 1 && n != to[d] {
			return false
		}
	}
	return len(s) == len(to)
}

// isZero reports whether a value is known to have no other elements than 0.
func isZero(v *graph.Value) bool {
	if v.Const == nil {
		return false
	}
	for _, b := range v.Const.Bytes() {
		if b != 0 {
			return false
		}
	}
	return true
}
