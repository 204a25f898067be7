package wasm

import (
	"math"
)

// sums are vectors of sums of products under construction. At the level Emulated they are kept as float64, of which each addition is rounded to float32 at
// once. That is the sum of a fused multiply-add but where the sum lies in the middle between two floats, or where it is subnormal and was rounded before.
// Both are only noted: who has made the sums asks for doubts in the end, and computes them again by [function.madd].
type sums struct {
	*function
	wide   bool
	v      []int    // the sums,
	halves [][2]int // or those of the lower and the upper lanes
	middle int      // the least of all low words, of which one is the least number for a sum in the middle
	small  int      // the least of all elements, which might make a sum subnormal,
	below  uint32   // of which this is too small;
	strict bool     // or whether such a sum was in the middle
	t      [2]int
}

// factor is a vector that is multiplied, or its halves.
type factor struct {
	v      int
	halves [2]int
}

// newSums returns n vectors of +0. The other factors than elements, which are loaded as such, are 0 or at least so great; with 0 that is not known.
func (f *function) newSums(n int, wide bool, least float32) *sums {
	s := &sums{function: f, wide: wide}
	for range n {
		if wide {
			s.halves = append(s.halves, [2]int{f.v128(), f.v128()})
		}
		s.v = append(s.v, f.v128())
	}
	if wide {
		s.middle, s.small, s.t = f.v128(), f.v128(), [2]int{f.v128(), f.v128()}
		// Products of numbers of at least 2⁻ᵃ and 2⁻ᵇ are multiples of 2^-(a+b+46), and so are sums of them: if that is 2⁻¹⁴⁹, subnormal ones are exact.
		a := -math.Ilogb(float64(least))
		s.strict = least == 0 || a > 63
		s.below = math.Float32bits(float32(math.Ldexp(1, min(a-103, 0))))
	}
	return s
}

// clear sets all to +0.
func (s *sums) clear() {
	zero := func(v int) {
		s.vector(0)
		s.Set(v)
	}
	if !s.wide {
		for _, v := range s.v {
			zero(v)
		}
		return
	}
	for _, h := range s.halves {
		zero(h[0])
		zero(h[1])
	}
	zero(s.middle)
	if s.strict { // Without this all sums would be in doubt.
		zero(s.small)
		return
	}
	s.wideWords(math.MaxUint32)
	s.Set(s.small)
}

// wideWords pushes four times a word.
func (f *function) wideWords(x uint32) { f.wide64(uint64(x)<<32 | uint64(x)) }

func (s *sums) newFactor() factor {
	if s.wide {
		return factor{halves: [2]int{s.v128(), s.v128()}}
	}
	return factor{v: s.v128()}
}

// load sets a factor to the vector at an address, of elements or others.
func (s *sums) load(to factor, at, offset int, elements bool) {
	if !s.wide {
		s.function.load(at, offset)
		s.Set(to.v)
		return
	}
	for half, v := range to.halves {
		s.Get(at)
		s.SIMD(v128Load64Zero, vectorMemory, uint64(offset+8*half))
		s.SIMD(f64x2Promote)
		s.Set(v)
	}
	if elements && !s.strict {
		s.function.load(at, offset)
		s.note()
	}
}

// splat sets a factor to four times the element at an address.
func (s *sums) splat(to factor, at, offset int) factor {
	s.function.splat(at, offset)
	if !s.wide {
		s.Set(to.v)
		return to
	}
	if s.strict { // Without this magnitudes would be noted for nothing.
		s.SIMD(f64x2Promote)
		s.Set(to.halves[0])
	} else {
		s.Tee(to.halves[1])
		s.SIMD(f64x2Promote)
		s.Set(to.halves[0])
		s.Get(to.halves[1])
		s.note()
	}
	return factor{halves: [2]int{to.halves[0], to.halves[0]}}
}

// note takes the magnitudes that are pushed, but zeros, into account.
func (s *sums) note() {
	s.I32(1)
	s.SIMD(i32x4Shl)
	s.wideWords(1)
	s.SIMD(i32x4Sub)
	s.Get(s.small)
	s.SIMD(i32x4MinU)
	s.Set(s.small)
}

// add adds the product of two factors to a sum.
func (s *sums) add(i int, x, y factor) {
	if !s.wide {
		s.madd(s.v[i], func() { s.Get(x.v) }, func() { s.Get(y.v) })
		return
	}
	for half, sum := range s.halves[i] {
		s.Get(x.halves[half])
		s.Get(y.halves[half])
		s.SIMD(f64x2Mul)
		s.Get(sum)
		s.SIMD(f64x2Add)
		s.Set(s.t[half])
	}
	s.words(0)
	s.I32(3)
	s.SIMD(i32x4Shl)
	s.Get(s.middle)
	s.SIMD(i32x4MinS)
	s.Set(s.middle)
	for half, sum := range s.halves[i] {
		s.Get(s.t[half])
		s.SIMD(f32x4Demote)
		s.SIMD(f64x2Promote)
		s.Set(sum)
		if s.strict { // half of the least number was rounded
			s.Get(s.t[half])
			s.Get(sum)
			s.SIMD(f64x2Sub)
			s.SIMD(f64x2Abs)
			s.wide64(math.Float64bits(0x1p-150))
			s.SIMD(f64x2Eq)
			s.Get(s.small)
			s.SIMD(v128Or)
			s.Set(s.small)
		}
	}
}

// words pushes the lower or upper words of four sums of 64 bits.
func (s *sums) words(at byte) {
	s.Get(s.t[0])
	s.Get(s.t[1])
	s.SIMD(i8x16Shuffle)
	for i := range byte(4) {
		s.Op(8*i+at, 8*i+at+1, 8*i+at+2, 8*i+at+3)
	}
}

// finish makes vectors of the sums, if their doubts are none.
func (s *sums) finish() []int {
	for i, h := range s.halves {
		s.Get(h[0])
		s.SIMD(f32x4Demote)
		s.Get(h[1])
		s.SIMD(f32x4Demote)
		s.SIMD(i8x16Shuffle)
		s.Op(0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
		s.Set(s.v[i])
	}
	return s.v
}

// doubts pushes whether a sum may be another one than that of fused multiply-adds.
func (s *sums) doubts() {
	s.Get(s.middle)
	s.wideWords(1 << 31)
	s.SIMD(i32x4Eq)
	s.Get(s.small)
	if !s.strict { // Without this all sums would be in doubt.
		s.wideWords(s.below<<1 - 1)
		s.SIMD(i32x4LtU)
	}
	s.SIMD(v128Or)
	s.SIMD(v128AnyTrue)
}

// emulate yields x·y + z with one rounding, by float64. Where the sum lies in the middle between two floats, or is subnormal, it is rounded to odd before:
// internal/fmath says why that is right.
func (m *maker) emulate(f *function) {
	s := &sums{function: f, t: [2]int{f.v128(), f.v128()}}
	var products, addends [2]int
	high := func(v int) { // the upper half of a vector in the lower one
		f.shuffled(v, v, []byte{2, 3, 2, 3})
	}
	for half := range 2 {
		products[half], addends[half] = f.v128(), f.v128()
		for v := range 3 {
			if half == 0 {
				f.Get(v)
			} else {
				high(v)
			}
			f.SIMD(f64x2Promote)
			switch v {
			case 1:
				f.SIMD(f64x2Mul)
				f.Tee(products[half])
			case 2:
				f.Tee(addends[half])
			}
		}
		f.SIMD(f64x2Add)
		f.Set(s.t[half])
	}
	s.words(0)
	f.I32(3)
	f.SIMD(i32x4Shl)
	f.wideWords(1 << 31)
	f.SIMD(i32x4Eq)
	s.words(4)
	f.I32(1)
	f.SIMD(i32x4Shl)
	f.wideWords(1)
	f.SIMD(i32x4Sub)
	f.wideWords(0x38100000<<1 - 1)
	f.SIMD(i32x4LtU)
	f.SIMD(v128Or)
	f.SIMD(v128AnyTrue)
	f.Op(opIf, noResult)
	for half := range 2 {
		f.roundToOdd(s.t[half], products[half], addends[half])
	}
	f.Op(opEnd)
	for _, v := range s.t {
		f.Get(v)
		f.SIMD(f32x4Demote)
	}
	f.SIMD(i8x16Shuffle)
	f.Op(0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
}

// roundToOdd makes of s, the sum of p and z as float64, the one that is rounded to odd.
func (f *function) roundToOdd(s, p, z int) {
	v, e := f.v128(), f.v128()
	binary := func(a, b int, op uint32) {
		f.Get(a)
		f.Get(b)
		f.SIMD(op)
	}
	binary(s, p, f64x2Sub)
	f.Set(v)
	f.Get(p)
	binary(s, v, f64x2Sub)
	f.SIMD(f64x2Sub)
	binary(z, v, f64x2Sub)
	f.SIMD(f64x2Add)
	f.Set(e)
	// The neighbour on the side of e, whose last bit is 1,
	f.Get(s)
	binary(e, s, v128Xor)
	f.I32(63)
	f.SIMD(i64x2ShrS)
	f.wide64(1)
	f.SIMD(v128Or)
	f.SIMD(i64x2Add)
	// in place of s, where e is a number other than 0 and the last bit of s is 0.
	f.Get(s)
	f.Get(e)
	f.SIMD(f64x2Abs)
	f.wide64(0)
	f.SIMD(f64x2Gt)
	f.Get(s)
	f.I32(63)
	f.SIMD(i64x2Shl)
	f.I32(63)
	f.SIMD(i64x2ShrS)
	f.SIMD(v128AndNot)
	f.SIMD(v128Select)
	f.Set(s)
}
