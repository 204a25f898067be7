package tensor_test

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/tensor"
)

// patterns returns elements of a type as bits: all of a type of at most 8 bits, in an odd number, else the extremes, the powers of two with their
// neighbours, ties of 16-bit floats among integers, and random ones.
func patterns(d tensor.DType) []uint64 {
	width := d.Bits()
	mask := uint64(math.MaxUint64) >> (64 - width)
	if d == tensor.Bool {
		return []uint64{0, 1}
	}
	var list []uint64
	if width <= 8 {
		for b := range uint64(1) << width {
			list = append(list, b)
		}
		return append(list, mask)
	}
	r := rand.New(rand.NewPCG(uint64(d), 5))
	for shift := range width {
		for _, delta := range []uint64{0, 1, ^uint64(0)} {
			b := uint64(1)<<shift + delta
			list = append(list, b&mask, -b&mask)
		}
		for range testdata.Cases(10, 50) {
			b := r.Uint64() >> (64 - width) >> shift
			list = append(list, b, -b&mask)
		}
		if d.IsInteger() && shift >= 12 { // v = 1…1 tie, and one beside it
			for _, significant := range []int{9, 12, 25} {
				v := (r.Uint64()>>(64-significant) | 1<<(significant-1) | 1) << max(shift-significant, 0)
				list = append(list, v&mask, (v+1)&mask, (v-1)&mask, -v&mask, (-v+1)&mask)
			}
		}
	}
	if d.IsFloat() {
		f := floatFormats[d]
		inf := f.infinity()
		for _, b := range []uint64{0, inf, inf - 1, inf + 1, inf | inf>>1} {
			list = append(list, b, b|f.sign())
		}
	}
	if d == tensor.Float64 {
		for _, x := range nearNarrow(r) {
			list = append(list, math.Float64bits(x), math.Float64bits(-x))
		}
	}
	return list
}

// nearNarrow returns doubles at which rounding to a narrower type is decided: numbers of it, midpoints between two, and what lies next to
// both, and the bounds of integer types.
func nearNarrow(r *rand.Rand) []float64 {
	var list []float64
	around := func(x float64) {
		list = append(list, x, math.Nextafter(x, 0), math.Nextafter(x, math.Inf(1)))
	}
	for _, d := range []tensor.DType{tensor.Float16, tensor.BFloat16, tensor.Float32} {
		f := floatFormats[d]
		for _, b := range []uint64{0, 1, 1<<f.fraction - 1, 1 << f.fraction, f.infinity() - 1} {
			around(f.magnitude(b))
			around((f.magnitude(b) + f.magnitude(b+1)) / 2)
		}
		for range 500 {
			b := r.Uint64N(f.infinity())
			around(f.magnitude(b))
			around((f.magnitude(b) + f.magnitude(b+1)) / 2)
		}
	}
	for digits := range 66 {
		around(math.Ldexp(1, digits))
		around(math.Ldexp(1, digits) - 0.5)
	}
	return list
}

// exact returns the value of an element, or false if it is NaN. Infinities are big.Float's.
func exact(d tensor.DType, bits uint64) (*big.Float, bool) {
	x := new(big.Float).SetPrec(300)
	switch {
	case d.IsSmallFloat():
		v := smallValue(d, byte(bits))
		if v != v {
			return nil, false
		}
		return x.SetFloat64(v), true
	case d.IsFloat():
		f := floatFormats[d]
		mag := bits &^ f.sign()
		if mag > f.infinity() {
			return nil, false
		}
		if x.Set(f.exact(mag)); mag == f.infinity() {
			x.SetInf(false)
		}
		if bits != mag {
			x.Neg(x)
		}
		return x, true
	case d.IsSigned():
		shift := 64 - d.Bits()
		return x.SetInt64(int64(bits<<shift) >> shift), true
	}
	return x.SetUint64(bits), true
}

// The NaNs that conversions yield.
const (
	canonicalNaN   = 0x7FC00000
	canonicalNaN64 = 0x7FF8000000000000
)

var bigEndian = binary.NativeEndian.Uint16([]byte{0, 1}) == 1

func b2u(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// put and get access an element as bits. Elements of packed types are put in ascending order.
func put(t *tensor.Tensor, i int, bits uint64) {
	if t.DType().IsPacked() {
		at := i * t.DType().Bits()
		if at%8 == 0 {
			t.Bytes()[at/8] = 0
		}
		t.Bytes()[at/8] |= byte(bits) << (at % 8)
		return
	}
	var b [8]byte
	binary.NativeEndian.PutUint64(b[:], bits)
	size := t.DType().Size()
	from := 0
	if bigEndian {
		from = 8 - size
	}
	copy(t.Bytes()[i*size:(i+1)*size], b[from:from+size])
}

func get(t *tensor.Tensor, i int) uint64 {
	if t.DType().IsPacked() {
		at := i * t.DType().Bits()
		return uint64(t.Bytes()[at/8] >> (at % 8) & (1<<t.DType().Bits() - 1))
	}
	var b [8]byte
	size := t.DType().Size()
	from := 0
	if bigEndian {
		from = 8 - size
	}
	copy(b[from:], t.Bytes()[i*size:(i+1)*size])
	return binary.NativeEndian.Uint64(b[:])
}

// isCast reports whether the bits of the result are right, by WebNN's rules in exact arithmetic.
func isCast(x *big.Float, ok bool, from, to tensor.DType, got uint64) bool {
	mask := uint64(math.MaxUint64) >> (64 - to.Bits())
	switch {
	case to.IsSmallFloat():
		return got == uint64(nearestSmall(to, x, ok, tensor.CastOptions{}))
	case to == tensor.Bool:
		return got == uint64(b2u(!ok || x.Sign() != 0))
	case to.IsFloat() && !ok:
		return got == map[tensor.DType]uint64{tensor.Float16: 0x7E00, tensor.BFloat16: 0x7FC0, tensor.Float32: canonicalNaN, tensor.Float64: canonicalNaN64}[to]
	case to.IsFloat() && x.IsInf():
		f := floatFormats[to]
		want := f.infinity()
		if x.Signbit() {
			want |= f.sign()
		}
		return got == want
	case to.IsFloat():
		return floatFormats[to].isNearest(x, got)
	case !ok:
		return got == 0
	}
	least, most := to.IntRange()
	if to.IsPacked() { // bounded as an int64
		least, most = tensor.Int64.IntRange()
	}
	lo, hi := big.NewInt(least), new(big.Int).SetUint64(most)
	var n *big.Int
	switch {
	case x.IsInf() && x.Signbit():
		n = lo
	case x.IsInf():
		n = hi
	default:
		n, _ = x.Int(nil) // truncates
		floats := from.IsFloat() || from.IsSmallFloat()
		if floats && n.Cmp(lo) < 0 {
			n = lo
		}
		if floats && n.Cmp(hi) > 0 {
			n = hi
		}
	}
	low := new(big.Int).And(n, new(big.Int).SetUint64(mask)) // of two's complement, as Go defines it
	return got == low.Uint64()
}

// TestCast holds the conversions between all pairs of types to exact arithmetic.
func TestCast(t *testing.T) {
	for _, from := range tensor.DTypes() {
		bits := patterns(from)
		src, err := tensor.New(from, tensor.Shape{len(bits)})
		if err != nil {
			t.Fatal(err)
		}
		exacts, known := make([]*big.Float, len(bits)), make([]bool, len(bits))
		for i, b := range bits {
			put(src, i, b)
			exacts[i], known[i] = exact(from, b)
		}
		for _, to := range tensor.DTypes() {
			dst, err := tensor.Cast(src, to)
			if err != nil {
				t.Fatal(err)
			}
			if used := len(bits) % to.PerByte() * to.Bits(); used > 0 && dst.Bytes()[to.Bytes(len(bits))-1]>>used != 0 {
				t.Errorf("%v to %v sets bits behind the last element", from, to)
			}
			wrong := 0
			for i, b := range bits {
				if got := get(dst, i); !isCast(exacts[i], known[i], from, to, got) {
					if wrong++; wrong < 4 {
						t.Errorf("%v %#x (%v) becomes the %v %#x", from, b, exacts[i], to, got)
					}
				}
			}
		}
	}
}

func TestCastRange(t *testing.T) {
	src, _ := tensor.FromSlice([]float32{1.9, -1.9, 300, float32(math.NaN())}, 4)
	dst, _ := tensor.FromSlice([]int8{7, 7, 7, 7}, 2, 2)
	if err := tensor.CastRange(dst, src, 1, 3); err != nil {
		t.Fatal(err)
	}
	if got := tensor.Data[int8](dst); got[0] != 7 || got[1] != -1 || got[2] != 127 || got[3] != 7 {
		t.Errorf("elements 1 and 2 were to change: %v", got)
	}
	view, _ := src.Slice(0, 3, -1, -1)
	if err := tensor.CastRange(dst, view, 0, 4); err == nil {
		t.Error("a view that is not contiguous is accepted")
	}
	if err := tensor.CastRange(tensor.Scalar(int8(0)), src, 0, 1); err == nil {
		t.Error("other sizes are accepted")
	}
	if _, err := tensor.Cast(src, tensor.Invalid); err == nil {
		t.Error("the invalid type is accepted")
	}
	if reversed, err := tensor.Cast(view, tensor.Int32); err != nil || tensor.Data[int32](reversed)[1] != 300 {
		t.Errorf("cast of a view: %v, %v", reversed, err)
	}
}
