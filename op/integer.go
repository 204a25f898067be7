package op

import (
	"math"
	"math/bits"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// Steps of fixed-point and integer networks (OpenVX-NN, CVM).
var integerOps = []*Def{rescaleDef, clampPrecisionDef, lookupDef}

var rescaleDef = &Def{
	Name: "rescale",
	Doc: "Rescale returns x · multiplier / 2^shift as an integer, rounded and brought into the range of dtype as the attributes say. " +
		"It is computed exactly, whatever the types. Factor and shift are one for the whole tensor, or one for each index along an axis. " +
		"A shift below -64 counts as -64, one above 127 as 127. Rounding of v/2^s: floor; to_zero (truncation); half_up (to nearest, halves toward +∞, " +
		"CVM's right shift); half_even; half_away (halves away from zero); half_up_to_zero ((v + 2^(s-1)) / 2^s truncated toward zero, the nearest-even " +
		"policy of the OpenVX sample implementation). A negative shift multiplies by 2^-shift.",
	Spec: Spec{OpenVX: "vxTensorMultiplyNode", CVM: "cvm_right_shift, cvm_left_shift"},
	In: []Operand{
		{Name: "x", Types: Integers, Rank: AnyRank, Doc: "integers"},
		{Name: "shift", Types: factors, Rank: Ranks{0, 1}, Doc: "binary digits to drop, or, if negative, zeros to append: one element, or one for each index along axis"},
		{Name: "multiplier", Types: factors, Rank: Ranks{0, 1}, Optional: true, Doc: "factor before the shift: one element, or one for each index along axis; 1 if absent"},
	},
	Out: []Result{{Name: "y", TypeAttr: "dtype", Doc: "rescaled integers"}},
	Attrs: []Attr{
		{Name: "axis", Kind: graph.KindInt, Default: 1, Range: [2]float64{0, tensor.MaxRank - 1},
			Doc: "the dimension of x along which shift and multiplier have more than one element"},
		{Name: "rounding", Kind: graph.KindString, Default: "floor", Doc: "how a fraction is rounded",
			Enum: roundingNames[:]},
		{Name: "overflow", Kind: graph.KindString, Default: "wrap", Enum: []string{"wrap", "saturate"},
			Doc: "beyond the range of dtype: keep the low bits or take the nearest bound"},
		{Name: "dtype", Kind: graph.KindDType, Types: Integers, Doc: "the element type of the result"},
	},
	Shape: rescaleShape,
	Ref: Reference{
		Kernels:    integerKernels(rescale, rescale, rescale, rescale, rescale, rescale, rescale, rescale),
		PerElement: true,
	},
	Traits: Elementwise,
	Work:   opsPerElement(4),
	Expand: expandRescale,
	Lane:   channelLane,
	Generate: func(r *Rand) Case {
		x := r.Tensor(r.DType(Integers), r.Shape(0, 4))
		shift, multiplier := tensor.Scalar(int64(r.Between(-9, 9))), tensor.Scalar(int64(r.Between(-1000, 1000)))
		return Case{In: []*tensor.Tensor{x, shift, multiplier}, Attrs: graph.Attrs{
			{Name: "rounding", Value: Pick(r, roundingNames[:])}, {Name: "overflow", Value: Pick(r, []string{"wrap", "saturate"})},
			{Name: "dtype", Value: r.DType(Integers)}}}
	},
}

// factors are the types of rescale's shift and multiplier: those that int64 holds.
var factors = Integers &^ TypeSet(tensor.Uint64)

// The shifts that make a difference. Those beyond count as these.
const leastShift, mostShift = -64, 127

func rescaleShape(s *Sig) ([]tensor.Shape, error) {
	x, axis := s.In[0].Shape, s.Int("axis")
	for i, name := range []string{1: "shift", 2: "multiplier"} {
		if i == 0 || !s.Has(i) || s.In[i].Shape.Len() == 1 {
			continue
		}
		switch n := s.In[i].Shape.Len(); {
		case axis >= len(x):
			return nil, s.Errorf(name, "it has %d elements, but shape %v of x has no dimension %d to have them for; one element is needed, or another axis", n, x, axis)
		case n != x[axis]:
			return nil, s.Errorf(name, "it has %d elements; it must have one, or %d, the extent of x along axis %d", n, x[axis], axis)
		}
	}
	return sameShape(s)
}

// roundingNames are the values of rescale's attribute rounding, indexed by rounding.
var roundingNames = [...]string{"floor", "to_zero", "half_up", "half_even", "half_away", "half_up_to_zero"}

type rounding int

const (
	roundFloor rounding = iota
	roundToZero
	roundHalfToUp
	roundHalfToEven
	roundHalfFromZero
	roundHalfUpToZero
)

func roundingOf(name string) rounding {
	for r, n := range roundingNames {
		if n == name {
			return rounding(r)
		}
	}
	return roundFloor
}

// rescaler brings integers of any type into another one by way of 64 digits.
type rescaler struct {
	mode     rounding
	saturate bool
	unsigned bool   // whether the 64 digits of an operand are those of an uint64
	reach    uint64 // the greatest magnitude of an operand
	least    int64  // of the result
	most     uint64
}

func rescale(c *Call, lo, hi int) {
	x, y := c.In[0], c.Out[0]
	r := rescaler{mode: roundingOf(c.String("rounding")), saturate: c.String("overflow") == "saturate", unsigned: x.DType() == tensor.Uint64}
	least, most := x.DType().IntRange()
	r.reach = max(magnitude(least), most)
	r.least, r.most = y.DType().IntRange()
	shape, axis := x.Shape(), c.Int("axis")
	channels, run := 1, x.Len() // so many elements, one after the other, share shift and multiplier
	if c.In[1].Len() != 1 || c.Has(2) && c.In[2].Len() != 1 {
		channels, run = shape[axis], shape[axis+1:].Len()
	}
	var part [256]int64
	for lo < hi {
		shift, multiplier := c.factor(lo / run % channels)
		end := min(hi, (lo/run+1)*run)
		for ; lo < end; lo += len(part) {
			v := part[:min(len(part), end-lo)]
			readIntegers(v, x, lo)
			r.run(v, shift, multiplier)
			writeIntegers(y, lo, v)
		}
		lo = end
	}
}

// readIntegers sets v to the elements of a tensor from one on, those of uint64 by their digits.
func readIntegers(v []int64, x *tensor.Tensor, at int) {
	switch x.DType() {
	case tensor.Int8:
		castIntegers(v, tensor.Data[int8](x)[at:])
	case tensor.Int16:
		castIntegers(v, tensor.Data[int16](x)[at:])
	case tensor.Int32:
		castIntegers(v, tensor.Data[int32](x)[at:])
	case tensor.Int64:
		copy(v, tensor.Data[int64](x)[at:])
	case tensor.Uint8:
		castIntegers(v, tensor.Data[uint8](x)[at:])
	case tensor.Uint16:
		castIntegers(v, tensor.Data[uint16](x)[at:])
	case tensor.Uint32:
		castIntegers(v, tensor.Data[uint32](x)[at:])
	case tensor.Uint64:
		castIntegers(v, tensor.Data[uint64](x)[at:])
	}
}

// writeIntegers sets elements of a tensor from one on to the low digits of v.
func writeIntegers(y *tensor.Tensor, at int, v []int64) {
	switch y.DType() {
	case tensor.Int8:
		castIntegers(tensor.Data[int8](y)[at:][:len(v)], v)
	case tensor.Int16:
		castIntegers(tensor.Data[int16](y)[at:][:len(v)], v)
	case tensor.Int32:
		castIntegers(tensor.Data[int32](y)[at:][:len(v)], v)
	case tensor.Int64:
		copy(tensor.Data[int64](y)[at:], v)
	case tensor.Uint8:
		castIntegers(tensor.Data[uint8](y)[at:][:len(v)], v)
	case tensor.Uint16:
		castIntegers(tensor.Data[uint16](y)[at:][:len(v)], v)
	case tensor.Uint32:
		castIntegers(tensor.Data[uint32](y)[at:][:len(v)], v)
	case tensor.Uint64:
		castIntegers(tensor.Data[uint64](y)[at:][:len(v)], v)
	}
}

func castIntegers[T, S tensor.Integer](to []T, from []S) {
	from = from[:len(to)]
	for i, v := range from {
		to[i] = T(v)
	}
}

// factor returns the shift and the multiplier of an index along the axis.
func (c *Call) factor(channel int) (shift int, multiplier int64) {
	element := func(t *tensor.Tensor) int64 { return integerAt[t.DType()](t, min(channel, t.Len()-1)) }
	shift, multiplier = int(min(max(element(c.In[1]), leastShift), mostShift)), 1
	if c.Has(2) {
		multiplier = element(c.In[2])
	}
	return shift, multiplier
}

// integerAt returns an element of a tensor, by its type.
var integerAt = [tensor.NumDTypes]func(t *tensor.Tensor, i int) int64{
	tensor.Int8: integerOf[int8], tensor.Int16: integerOf[int16], tensor.Int32: integerOf[int32], tensor.Int64: integerOf[int64],
	tensor.Uint8: integerOf[uint8], tensor.Uint16: integerOf[uint16], tensor.Uint32: integerOf[uint32],
}

func integerOf[T tensor.Integer](t *tensor.Tensor, i int) int64 { return int64(tensor.Data[T](t)[i]) }

// run sets v to v · multiplier / 2^shift.
func (r *rescaler) run(v []int64, shift int, multiplier int64) {
	if r.shiftsIn64(shift, multiplier) { // Without this it takes longer.
		r.shift(v, shift, multiplier)
		return
	}
	for i, x := range v {
		v[i] = r.wide(x, shift, multiplier)
	}
}

// wide returns v · multiplier / 2^shift.
func (r *rescaler) wide(v int64, shift int, multiplier int64) int64 {
	w, size := wide{negative: (v < 0) != (multiplier < 0)}, magnitude(v)
	if r.unsigned {
		w.negative, size = multiplier < 0, uint64(v)
	}
	w.hi, w.lo = bits.Mul64(size, magnitude(multiplier))
	if shift < 0 {
		w = w.shiftLeft(uint(-shift))
	} else {
		w = w.shiftRight(uint(shift), r.mode)
	}
	return r.narrow(w)
}

// shiftsIn64 reports whether x · multiplier / 2^shift can be computed in 64 bits, by an arithmetic shift: for every operand, or for those of 64 bits
// with a sign, without a multiplier, for all but the greatest.
func (r *rescaler) shiftsIn64(shift int, multiplier int64) bool {
	const room = 1 << 31
	if r.reach == 1<<63 { // Without this it takes longer.
		return multiplier == 1 && shift >= 0 && shift < 62
	}
	return shift > -32 && shift < 62 && r.reach <= 2*room && magnitude(multiplier) <= room>>max(-shift, 0)>>1
}

// shift sets v to v · multiplier / 2^shift. It adds to a number w what makes rounding down the rounding that is wanted: always add, and
// negative if w + before is, and odd if w/2^shift rounded down is.
func (r *rescaler) shift(v []int64, shift int, multiplier int64) {
	left, right := uint(max(-shift, 0)), uint(max(shift, 0))
	var add, negative, odd, before int64
	if half := int64(1) << right >> 1; half > 0 {
		switch r.mode {
		case roundToZero:
			negative = 2*half - 1
		case roundHalfToUp:
			add = half
		case roundHalfToEven:
			add, odd = half-1, 1
		case roundHalfFromZero:
			add, negative = half, -1
		case roundHalfUpToZero:
			add, negative, before = half, 2*half-1, half
		}
	}
	least, most := int64(math.MinInt64), int64(math.MaxInt64)
	if r.saturate {
		least, most = r.least, int64(min(r.most, math.MaxInt64))
	}
	factor := multiplier << left
	if r.reach <= math.MaxUint32 && negative|odd == 0 { // Without this the most frequent case takes longer.
		for i, x := range v {
			v[i] = min(max((x*factor+add)>>(right&63), least), most)
		}
		return
	}
	const room = 1 << 62 // what may be added is less
	for i, x := range v {
		w := x * factor
		if uint64(w+room) > 2*room {
			v[i] = r.wide(x, shift, multiplier)
			continue
		}
		w += add + (w+before)>>63&negative + w>>(right&63)&odd
		v[i] = min(max(w>>(right&63), least), most)
	}
}

// wide is an integer of up to 128 digits and a sign.
type wide struct {
	hi, lo   uint64
	negative bool // may be set for zero
}

// shiftRight returns w / 2^s for s < 128, rounded.
func (w wide) shiftRight(s uint, mode rounding) wide {
	if s == 0 {
		return w
	}
	// half tells how the part that is cut off compares with one half: -1, 0 or +1.
	rest, odd := false, false
	half := -1
	last := s - 1
	if last < 64 {
		odd = w.lo>>last&1 != 0
		rest = w.lo&(1<<last-1) != 0
	} else {
		odd = w.hi>>(last-64)&1 != 0
		rest = w.lo != 0 || w.hi&(1<<(last-64)-1) != 0
	}
	switch {
	case odd && rest:
		half = 1
	case odd:
		half = 0
	}
	q := wide{negative: w.negative}
	if s < 64 {
		q.hi, q.lo = w.hi>>s, w.hi<<(64-s)|w.lo>>s
	} else {
		q.lo = w.hi >> (s - 64)
	}
	switch mode {
	case roundFloor:
		if w.negative && (odd || rest) {
			return q.grow()
		}
	case roundHalfToUp:
		if half > 0 || half == 0 && !w.negative {
			return q.grow()
		}
	case roundHalfToEven:
		if half > 0 || half == 0 && q.lo&1 != 0 {
			return q.grow()
		}
	case roundHalfFromZero:
		if half >= 0 {
			return q.grow()
		}
	case roundHalfUpToZero:
		// The half that is added leads a negative number toward zero, and truncation leads it there again.
		if half >= 0 && !w.negative {
			return q.grow()
		}
		if half < 0 && w.negative && (q.hi|q.lo) != 0 {
			return q.shrink()
		}
	}
	return q
}

// shiftLeft returns w · 2^s for s ≤ 64. A magnitude beyond 128 digits keeps its low ones, and sets the highest.
func (w wide) shiftLeft(s uint) wide {
	lost := w.hi >> (64 - s)
	w.hi, w.lo = w.hi<<s|w.lo>>(64-s), w.lo<<s
	if lost != 0 {
		w.hi |= 1 << 63
	}
	return w
}

// grow adds one to the magnitude.
func (w wide) grow() wide {
	var carry uint64
	w.lo, carry = bits.Add64(w.lo, 1, 0)
	w.hi += carry
	return w
}

// shrink takes one from the magnitude.
func (w wide) shrink() wide {
	var borrow uint64
	w.lo, borrow = bits.Sub64(w.lo, 1, 0)
	w.hi -= borrow
	return w
}

// narrow returns w in the type of the result: the nearest bound if it is out of range and saturate is set, and else its low digits.
func (r *rescaler) narrow(w wide) int64 {
	if r.saturate {
		switch {
		case w.negative && (w.hi != 0 || w.lo > magnitude(r.least)):
			return r.least
		case !w.negative && (w.hi != 0 || w.lo > r.most):
			return int64(r.most)
		}
	}
	if w.negative {
		return -int64(w.lo)
	}
	return int64(w.lo)
}

var clampPrecisionDef = &Def{
	Name: "clamp_precision",
	Doc: "ClampPrecision bounds x to ±(2^(precision-1) - 1), the range of CVM's integers of that precision (cvm_clip). " +
		"Where the type of x reaches less far, its own range remains.",
	Spec:  Spec{CVM: "cvm_clip"},
	In:    []Operand{{Name: "x", Types: Integers, Rank: AnyRank, Doc: "integers"}},
	Out:   []Result{{Name: "y", Like: "x", Doc: "bounded integers"}},
	Attrs: []Attr{{Name: "precision", Kind: graph.KindInt, Range: [2]float64{1, 32}, Doc: "binary digits including the sign, 1 to 32"}},
	Shape: sameShape,
	Ref: Reference{
		Kernels: integerKernels(clampPrecision[int8], clampPrecision[int16], clampPrecision[int32], clampPrecision[int64],
			clampPrecision[uint8], clampPrecision[uint16], clampPrecision[uint32], clampPrecision[uint64]),
		PerElement: true,
	},
	Traits: Elementwise,
	Expand: expandClampPrecision,
	Generate: func(r *Rand) Case {
		return Case{In: r.operands(r.DType(Integers), 1), Attrs: graph.Attrs{{Name: "precision", Value: r.Between(1, 32)}}}
	},
}

func clampPrecision[T tensor.Integer](c *Call, lo, hi int) {
	least, most := bounds[T]()
	bound := uint64(codes(c.Int("precision") - 1))
	if bound < magnitude(least) {
		least = -T(bound)
	}
	if bound < uint64(most) {
		most = T(bound)
	}
	x, y := tensor.Data[T](c.In[0])[lo:hi], tensor.Data[T](c.Out[0])[lo:hi]
	for i, v := range x {
		y[i] = min(max(v, least), most)
	}
}

var lookupDef = &Def{
	Name: "lookup",
	Doc: "Lookup replaces each index i by element i + offset of table, the first or last element where that lies outside " +
		"(cvm_lut; vxTensorTableLookupNode, whose tables of 16-bit indices start at -offset).",
	Spec: Spec{OpenVX: "vxTensorTableLookupNode", CVM: "cvm_lut"},
	In: []Operand{
		{Name: "indices", Types: Integers, Rank: AnyRank, Doc: "positions in the table"},
		{Name: "table", Types: Movable, Rank: AnyRank, Whole: true, Doc: "at least one element, in row-major order"},
	},
	Out:   []Result{{Name: "output", Like: "table", Doc: "elements of table, in the shape of indices"}},
	Attrs: []Attr{{Name: "offset", Kind: graph.KindInt, Default: 0, Range: [2]float64{-1 << 40, 1 << 40}, Doc: "the position of index 0"}},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		if s.In[1].Shape.Len() == 0 {
			return nil, s.Errorf("table", "shape %v has no element; at least one is needed", s.In[1].Shape)
		}
		return sameShape(s)
	},
	Ref: Reference{
		Kernels:    integerKernels(lookup[int8], lookup[int16], lookup[int32], lookup[int64], lookup[uint8], lookup[uint16], lookup[uint32], lookup[uint64]),
		PerElement: true,
	},
	Traits: Elementwise,
	Takes:  fromSecond,
	Expand: expandLookup,
	Generate: func(r *Rand) Case {
		table := r.Tensor(r.DType(AnyType), r.Shape(1, 2))
		return Case{
			In:    []*tensor.Tensor{r.Tensor(r.DType(Integers), r.Shape(0, 3)), table},
			Attrs: graph.Attrs{{Name: "offset", Value: r.Between(-100, 100)}},
		}
	},
}

func lookup[I tensor.Integer](c *Call, lo, hi int) {
	switch c.In[1].DType().Size() {
	case 1:
		lookupWords[I, uint8](c, lo, hi)
	case 2:
		lookupWords[I, uint16](c, lo, hi)
	case 4:
		lookupWords[I, uint32](c, lo, hi)
	case 8:
		lookupWords[I, uint64](c, lo, hi)
	}
}

func lookupWords[I tensor.Integer, W uint8 | uint16 | uint32 | uint64](c *Call, lo, hi int) {
	indices, table, out := tensor.Data[I](c.In[0]), words[W](c.In[1]), words[W](c.Out[0])
	// The indices of the first and last element; neither can overflow.
	first := int64(-c.Int("offset"))
	last := first + int64(len(table)-1)
	for i := lo; i < hi; i++ {
		at := int64(indices[i])
		if v := indices[i]; v > 0 && uint64(v) > math.MaxInt64 {
			at = math.MaxInt64
		}
		out[i] = table[min(max(at, first), last)-first]
	}
}
