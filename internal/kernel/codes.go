package kernel

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/tensor"
)

// codes is what routines make of sums of integer products: integers of 8 or 16 bits, either by a multiplication and a rounding to even, or by a
// shift; and bounds.
type codes struct {
	to          tensor.DType
	multipliers []float32     // one, or one for each output channel; of magnitudes less than 1; none for a shift
	args        simd.DotsArgs // with what becomes of sums of 32 bits; or
	sums        simd.SumsArgs // of sums of 64 bits
}

// interval is the integers from…to.
type interval struct{ from, to int64 }

// clamp bounds the interval.
func (v *interval) clamp(by interval) {
	v.from, v.to = max(min(v.from, by.to), by.from), max(min(v.to, by.to), by.from)
}

// rangeOf returns the integers of a type.
func rangeOf(d tensor.DType) interval {
	from, to := d.IntRange()
	return interval{from, int64(min(to, math.MaxInt64))}
}

// codesOf returns what the nodes behind the first one make of its sums, of int32 or int64: known bounds and either a requantisation, by known
// multipliers for an axis, or a shift. It returns nil if they are something else, or none.
func codesOf(r Region, axis int) *codes {
	nodes := r.Nodes[r.Sources:]
	if len(nodes) < 2 {
		return nil
	}
	if nodes[1].Op == "requantize" {
		return requantizedCodes(nodes, axis)
	}
	sums, nodes := boundsBehind(nodes, rangeOf(nodes[0].Out[0].Type.DType))
	if len(nodes) == 1 || nodes[1].Op != "rescale" {
		return nil
	}
	return shiftedCodes(nodes, sums)
}

// requantizedCodes is for sums of 32 bits, which the second node requantizes.
func requantizedCodes(nodes []*graph.Node, axis int) *codes {
	n, q := nodes[1], requantizationOf(Region{Nodes: nodes}, axis)
	if q == nil || nodes[0].Out[0].Type.DType == tensor.Int64 || !bits8.Has(q.to) || n.In[1].Const == nil || n.In[2].Const == nil {
		return nil
	}
	c := &codes{to: q.to, multipliers: tensor.Data[float32](n.In[1].Const)}
	if slices.ContainsFunc(c.multipliers, func(m float32) bool { return !(m > -1 && m < 1) }) { // products could be no integers of 32 bits
		return nil
	}
	bounds, rest := boundsBehind(nodes[1:], rangeOf(q.to))
	if len(rest) > 1 {
		return nil
	}
	above := int64(0) // what bytes without a sign are above the codes
	if c.args.Form = 1; q.to.IsSigned() {
		above = 128
		c.args.Flip = everyByte(128)
	}
	c.args.Zero = 0x00010001 * int32(integerAt(n.In[2].Const, 0)+above)
	c.args.From, c.args.To = everyByte(bounds.from+above), everyByte(bounds.to+above)
	return c
}

// everyByte returns four times a byte.
func everyByte(b int64) int32 { return int32(0x01010101 * uint32(b)) }

// shiftedCodes is for sums within bounds, which the second node rescales.
func shiftedCodes(nodes []*graph.Node, sums interval) *codes {
	n := nodes[1]
	shift, ok := knownInteger(n.In[1])
	to := n.Out[0].Type.DType
	if n.In[0] != nodes[0].Out[0] || !ok || shift < 0 || shift > int64(8*n.In[0].Type.DType.Size()-2) || to.Size() > 2 || len(n.In) > 2 && n.In[2] != nil {
		return nil
	}
	c, set := &codes{to: to}, (*codes).shift
	if n.In[0].Type.DType == tensor.Int64 {
		set = (*codes).shiftWide
	}
	if !set(c, int(shift), n.Attrs.String("rounding")) {
		return nil
	}
	bounds := interval{c.round(sums.from), c.round(sums.to)}
	if n.Attrs.String("overflow") == "saturate" {
		bounds.clamp(rangeOf(to))
	} else if len(nodes) > 2 {
		return nil // bounds of what has wrapped
	}
	bounds, rest := boundsBehind(nodes[1:], bounds)
	if len(rest) > 1 {
		return nil
	}
	c.args.From, c.args.To = int32(bounds.from), int32(bounds.to)
	c.sums.From, c.sums.To = bounds.from, bounds.to
	return c
}

// shift sets how sums of 32 bits are rounded to fewer binary digits. It returns false for ways that routines have not.
func (c *codes) shift(digits int, rounding string) bool {
	a := &c.args
	a.Form, a.Shift = 2, int32(digits)
	switch {
	case digits == 0 || rounding == "floor":
	case rounding == "half_up":
		a.Shift, a.Half, a.Rest = int32(digits)-1, 1, 1
	case rounding == "to_zero":
		a.Below = 1<<digits - 1
	default:
		return false
	}
	return true
}

// shiftWide is shift for sums of 64 bits.
func (c *codes) shiftWide(digits int, rounding string) bool {
	a, half := &c.sums, int64(1)<<digits>>1
	a.Size, a.Shift, a.Fraction = c.to.Size(), int64(digits), 1<<digits-1
	switch {
	case digits == 0 || rounding == "floor":
	case rounding == "half_up":
		a.Half = half
	case rounding == "half_even":
		a.Half, a.Even = half-1, 1
	case rounding == "half_away":
		a.Half, a.Below = half, -1
	case rounding == "to_zero":
		a.Below = a.Fraction
	default:
		return false
	}
	return true
}

// round returns a sum with fewer binary digits, without bounds.
func (c *codes) round(v int64) int64 {
	if a := &c.args; c.sums.Size == 0 {
		if v < 0 {
			v += int64(a.Below)
		}
		return (v>>a.Shift + int64(a.Half)) >> a.Rest
	}
	a := &c.sums
	floor, more := v>>a.Shift, v&a.Fraction+a.Half
	if v < 0 {
		more += a.Below
	}
	return floor + (more+floor&a.Even)>>a.Shift
}

// boundsBehind returns what an interval becomes by the nodes behind the first one that are known bounds, and the nodes from the last of these on.
func boundsBehind(nodes []*graph.Node, v interval) (interval, []*graph.Node) {
	for len(nodes) > 1 {
		by, ok := boundsOf(nodes[1])
		if !ok || nodes[1].In[0] != nodes[0].Out[0] {
			break
		}
		v.clamp(by)
		nodes = nodes[1:]
	}
	return v, nodes
}

// boundsOf returns between which integers a node keeps its operand, if that is known.
func boundsOf(n *graph.Node) (interval, bool) {
	v := rangeOf(n.Out[0].Type.DType)
	switch n.Op {
	case "relu":
		v.from = 0
	case "clamp_precision":
		bound := int64(1)<<(n.Attrs.Int("precision")-1) - 1
		v.from, v.to = max(v.from, -bound), min(v.to, bound)
	case "clamp":
		for i, bound := range n.In[1:] {
			if bound == nil {
				continue
			}
			to, ok := knownInteger(bound)
			if !ok {
				return v, false
			}
			if i == 0 {
				v.from = to
			} else {
				v.to = to
			}
		}
	default:
		return v, false
	}
	return v, true
}

// load sets m to the multipliers of the channels from the first one on, and 0 for those that there are not.
func (c *codes) load(m []float32, first int) {
	switch len(c.multipliers) {
	case 0:
	case 1:
		for i := range m {
			m[i] = c.multipliers[0]
		}
	default:
		clear(m[copy(m, c.multipliers[first:]):])
	}
}
