package tensor

// Packed elements: two to a byte, the first in the low half.

// half returns element i of packed memory in the low four bits.
func half(mem []byte, i int) byte { return mem[i/2] >> (i % 2 * 4) & 0xF }

// setHalf sets element i to the low four bits of v. Elements are set in ascending order, beginning with an even one: setting that clears
// the other half, which may never have been set or is the unused one.
func setHalf(mem []byte, i int, v byte) {
	if i%2 == 0 {
		mem[i/2] = v & 0xF
	} else {
		mem[i/2] |= v << 4
	}
}

// signedHalf and unsignedHalf return the number that four bits stand for.
func signedHalf(b byte) int64   { return int64(int8(b<<4) >> 4) }
func unsignedHalf(b byte) int64 { return int64(b) }

// fromPacked is fromSource for packed elements.
func fromPacked(widen func(byte) int64, to targets[int64]) [numDTypes]castFunc {
	return [numDTypes]castFunc{
		Bool:     unpackLoop(widen, to.b),
		Int8:     unpackLoop(widen, to.i8),
		Int16:    unpackLoop(widen, to.i16),
		Int32:    unpackLoop(widen, to.i32),
		Int64:    unpackLoop(widen, to.i64),
		Uint8:    unpackLoop(widen, to.u8),
		Uint16:   unpackLoop(widen, to.u16),
		Uint32:   unpackLoop(widen, to.u32),
		Uint64:   unpackLoop(widen, to.u64),
		Float16:  unpackLoop(widen, to.f16),
		BFloat16: unpackLoop(widen, to.bf16),
		Float32:  unpackLoop(widen, to.float32),
		Float64:  unpackLoop(widen, to.float64),
		Int4:     copyHalves,
		Uint4:    copyHalves,
	}
}

func unpackLoop[D Element](widen func(byte) int64, narrow func(int64) D) castFunc {
	return func(dst, src *Tensor, lo, hi int) {
		d, s := Data[D](dst), src.Bytes()
		for i := lo; i < hi; i++ {
			d[i] = narrow(widen(half(s, i)))
		}
	}
}

func packLoop[S Element, W any, D int8 | uint8](widen func(S) W, narrow func(W) D) castFunc {
	return func(dst, src *Tensor, lo, hi int) {
		d, s := dst.Bytes(), Data[S](src)
		for i := lo; i < hi; i++ {
			setHalf(d, i, byte(narrow(widen(s[i]))))
		}
	}
}

// copyHalves casts between packed types, which are of one width: their bits stay.
func copyHalves(dst, src *Tensor, lo, hi int) { copy(dst.Bytes()[lo/2:(hi+1)/2], src.Bytes()[lo/2:]) }
