package tensor

// Codes: the elements of packed types and of small floats, as the 2, 4 or 8 bits that they take.

// CodeAt returns element i of memory in which elements take 2, 4 or 8 bits, the first in the lowest bits of a byte, as these bits. The memory must hold it.
func CodeAt(mem []byte, i, bits int) byte {
	at := i * bits
	return mem[at/8] >> (at % 8) & (1<<bits - 1)
}

// setCode sets element i to the low bits of v. Elements are set in ascending order, beginning with the first of a byte: setting that clears
// the others, which may never have been set or are unused.
func setCode(mem []byte, i, bits int, v byte) {
	at := i * bits
	v &= 1<<bits - 1
	if at%8 == 0 {
		mem[at/8] = v
	} else {
		mem[at/8] |= v << (at % 8)
	}
}

// signedCode returns the number that so many bits stand for as a signed integer, unsignedCode as an unsigned one.
func signedCode(bits int) func(byte) int64 {
	sign := byte(1) << (bits - 1)
	return func(code byte) int64 { return int64(code^sign) - int64(sign) }
}

func unsignedCode(code byte) int64 { return int64(code) }

// fromCodes is fromSource for a type whose elements are codes.
func fromCodes[W any](src DType, widen func(byte) W, to targets[W]) [numDTypes]castFunc {
	bits := src.Bits()
	row := [numDTypes]castFunc{
		Bool:     decodeLoop(bits, widen, to.b),
		Int8:     decodeLoop(bits, widen, to.i8),
		Int16:    decodeLoop(bits, widen, to.i16),
		Int32:    decodeLoop(bits, widen, to.i32),
		Int64:    decodeLoop(bits, widen, to.i64),
		Uint8:    decodeLoop(bits, widen, to.u8),
		Uint16:   decodeLoop(bits, widen, to.u16),
		Uint32:   decodeLoop(bits, widen, to.u32),
		Uint64:   decodeLoop(bits, widen, to.u64),
		Float16:  decodeLoop(bits, widen, to.f16),
		BFloat16: decodeLoop(bits, widen, to.bf16),
		Float32:  decodeLoop(bits, widen, to.float32),
		Float64:  decodeLoop(bits, widen, to.float64),
	}
	for _, d := range codeTypes() {
		if d.IsPacked() && d.Bits() == bits && d.IsInteger() == src.IsInteger() {
			row[d] = copyCodes
		} else {
			row[d] = recodeLoop(bits, d.Bits(), widen, to.code(d))
		}
	}
	return row
}

// codeTypes lists the types whose elements are codes.
func codeTypes() []DType {
	var list []DType
	for d := Bool; d < numDTypes; d++ {
		if d.IsPacked() || d.IsSmallFloat() {
			list = append(list, d)
		}
	}
	return list
}

//go:noinline // tables of casts would hold it twice
func decodeLoop[W any, D Element](bits int, widen func(byte) W, narrow func(W) D) castFunc {
	return func(dst, src *Tensor, lo, hi int, _ CastOptions) {
		d, s := Data[D](dst), src.Bytes()
		for i := lo; i < hi; i++ {
			d[i] = narrow(widen(CodeAt(s, i, bits)))
		}
	}
}

//go:noinline // tables of casts would hold it twice
func encodeLoop[S Element, W any](bits int, widen func(S) W, narrow func(W, CastOptions) byte) castFunc {
	return func(dst, src *Tensor, lo, hi int, o CastOptions) {
		d, s := dst.Bytes(), Data[S](src)
		for i := lo; i < hi; i++ {
			setCode(d, i, bits, narrow(widen(s[i]), o))
		}
	}
}

func recodeLoop[W any](from, to int, widen func(byte) W, narrow func(W, CastOptions) byte) castFunc {
	return func(dst, src *Tensor, lo, hi int, o CastOptions) {
		d, s := dst.Bytes(), src.Bytes()
		for i := lo; i < hi; i++ {
			setCode(d, i, to, narrow(widen(CodeAt(s, i, from)), o))
		}
	}
}

// copyCodes casts between packed types whose codes stay as they are. The tensors may share memory.
func copyCodes(dst, src *Tensor, lo, hi int, _ CastOptions) {
	d := dst.dtype
	copy(dst.Bytes()[d.Bytes(lo):d.Bytes(hi)], src.Bytes()[d.Bytes(lo):])
}
