package kernel

import (
	"math"

	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Rescaling of integers of 32 bits to 8 or 16 bits, by the routine that ends sums of 64 bits.

// rescaling is a rescale by one known factor and shift.
type rescaling struct {
	args   simd.SumsArgs
	before int64 // what is added to products
	add    *simd.Routine[simd.SumsArgs]
}

// The working memory of a rescaling: sixteen times what is added, and the last elements and what they become.
const (
	rescaledAt   = 8 * block
	rescaledToAt = rescaledAt + 4*block
	rescaledEnd  = rescaledToAt + 2*block
)

// rescaleRows has the row of rescale.
func rescaleRows(t *simd.Tier) []Kernel {
	if !t.AddSums.Exists() {
		return nil
	}
	factors := op.Integers &^ op.TypeSet(tensor.Uint64)
	return []Kernel{{Name: "elements", Op: "rescale", In: []op.Types{op.TypeSet(tensor.Int32), factors, factors}, Prepare: func(r Region) *Plan {
		n := r.Root()
		s := rescalingOf(t, r)
		if s == nil || len(r.Nodes) > 1 || n.Out[0].Type.Shape.Len() == 0 {
			return nil
		}
		layout := r.Layouts[n.In[0]]
		elements := layout.Shape(n.Out[0].Type.Shape).Len()
		each := largestDivisor(elements)
		return &Plan{In: []Layout{layout}, Out: []Layout{layout}, Pieces: elements / each, Even: true, Scratch: rescaledEnd, Nanos: int64(elements)/2 + 1,
			Run: func(c *op.Call, lo, hi int) { s.run(c, lo*each, hi*each) }}
	}}}
}

// rescalingOf returns the rescaling of a node, or nil if the routine has none such.
func rescalingOf(t *simd.Tier, r Region) *rescaling {
	n := r.Root()
	to, rounding := n.Out[0].Type.DType, n.Attrs.String("rounding")
	factor, known := int64(1), true
	shift, ok := knownInteger(n.In[1])
	if len(n.In) > 2 && n.In[2] != nil {
		factor, known = knownInteger(n.In[2])
	}
	most := int64(math.MaxInt32) >> max(-shift, 0)
	if !ok || !known || to.Size() > 2 || shift < -30 || shift > 61 || factor < -most || factor > most {
		return nil
	}
	s, c := &rescaling{add: &t.AddSums}, codes{to: to}
	factor, shift = factor<<max(-shift, 0), max(shift, 0)
	if rounding == "half_up_to_zero" {
		s.before, rounding = 1<<shift>>1, "to_zero"
	}
	if !c.shiftWide(int(shift), rounding) {
		return nil
	}
	s.args = c.sums
	s.args.Factor, s.args.From, s.args.To = factor, math.MinInt64, math.MaxInt64
	if n.Attrs.String("overflow") == "saturate" {
		bounds := rangeOf(to)
		s.args.From, s.args.To = bounds.from, bounds.to
	}
	return s
}

// run computes the elements lo…hi-1: sixteen at a time, the last ones in working memory.
func (s *rescaling) run(c *op.Call, lo, hi int) {
	x, y, watch := tensor.Data[int32](c.In[0]), c.Out[0].Bytes(), c.Watch()
	before := elementsOfType[int64](c.Scratch[:rescaledAt])
	for i := range before {
		before[i] = s.before
	}
	args := s.args
	args.Sums, args.OutStep = simd.At(before, 0), block*args.Size
	for lo < hi && !watch.Stops(min(hi-lo, longRun)) {
		n := min(hi-lo, longRun)
		if n >= block {
			n -= n % block
			args.Part, args.Out, args.N = simd.At(x, lo), simd.At(y, lo*args.Size), n/block
			s.add.Run(&args)
		} else {
			last, to := elementsOfType[int32](c.Scratch[rescaledAt:rescaledToAt]), c.Scratch[rescaledToAt:]
			clear(last[copy(last, x[lo:hi]):])
			args.Part, args.Out, args.N = simd.At(last, 0), simd.At(to, 0), 1
			s.add.Run(&args)
			copy(y[lo*args.Size:hi*args.Size], to)
		}
		lo += n
	}
}
