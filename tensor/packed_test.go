package tensor

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
)

// wholeTypes lists the types of whole bytes, which have strides; packedTypes the others.
func wholeTypes() []DType { return slices.DeleteFunc(DTypes(), DType.IsPacked) }

func packedTypes() []DType {
	return slices.DeleteFunc(DTypes(), func(d DType) bool { return !d.IsPacked() })
}

// TestPerByte holds the number of elements in a byte to the bits that they take.
func TestPerByte(t *testing.T) {
	for d, want := range map[DType]int{Invalid: 1, Bool: 1, Int2: 4, Uint2: 4, Int4: 2, Uint4: 2, Float4E2M1: 2, Float8E5M2: 1, Float64: 1, DType(99): 1} {
		if d.PerByte() != want || d.IsPacked() != (want > 1) {
			t.Errorf("a byte holds %d elements of %v; want %d", d.PerByte(), d, want)
		}
	}
}

// TestPacking holds the order of packed elements: the first in the low half, the last byte of an odd number filled with zeros.
func TestPacking(t *testing.T) {
	for _, c := range []struct {
		d      DType
		values []int8
		mem    []byte
	}{
		{Int4, []int8{}, []byte{}},
		{Int4, []int8{-1}, []byte{0x0F}},
		{Int4, []int8{1, -8, 7}, []byte{0x81, 0x07}},
		{Uint4, []int8{15, 0, 3, 9}, []byte{0x0F, 0x93}},
		{Uint4, []int8{16, -1, 17}, []byte{0xF0, 0x01}}, // the low bits
		{Int2, []int8{-1, 0, 1, -2, 1}, []byte{0x93, 0x01}},
		{Uint2, []int8{3, 2, 1, 0, 3}, []byte{0x1B, 0x03}},
		{Uint2, []int8{4, 5, -1}, []byte{0x34}},
		{Float4E2M1, []int8{0, 1, -6, 100, 3}, []byte{0x20, 0x7F, 0x05}},
	} {
		wide := must(FromSlice(c.values, len(c.values)))
		x := must(Cast(wide, c.d))
		if !bytes.Equal(x.Bytes(), c.mem) || !x.IsContiguous() || x.Len() != len(c.values) {
			t.Errorf("%v of %v: % x; want % x", c.d, c.values, x.Bytes(), c.mem)
		}
		for _, y := range []*Tensor{x.Clone(), x.Contiguous(), must(x.Reshape(1, x.Len())), must(FromBytes(c.d, x.Shape(), c.mem)), must(FromRaw(c.d, x.Shape(), AppendRaw(nil, x)))} {
			if !bytes.Equal(y.Bytes(), c.mem) {
				t.Errorf("%v of %v comes back as % x", c.d, c.values, y.Bytes())
			}
		}
	}
	if x := must(New(Int4, Shape{3, 5})); len(x.Bytes()) != 8 {
		t.Errorf("15 elements take %d bytes", len(x.Bytes()))
	}
}

// TestBytes compares sizes with sums that cannot overflow.
func TestBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	for _, d := range DTypes() {
		for _, n := range []int{0, 1, 2, 3, 7, 8, 9, r.IntN(1 << 30), MaxElements - 1, MaxElements} {
			want := n * d.Size()
			if d.IsPacked() {
				want = n/d.PerByte() + min(n%d.PerByte(), 1)
			}
			if got := d.Bytes(n); got != want {
				t.Errorf("%d elements of %v take %d bytes; want %d", n, d, got, want)
			}
		}
	}
	if Invalid.Bytes(5) != 0 || DType(99).Bits() != 0 || DType(99).IsInteger() || DType(99).IsFloat() {
		t.Error("a type that does not exist has properties")
	}
}

// TestPackedRefused holds what strides would be needed for, and bytes that are no packed tensor, to errors.
func TestPackedRefused(t *testing.T) {
	testdata.Wide(t)
	for _, d := range packedTypes() {
		x := must(New(d, Shape{1, 4}))
		for name, f := range map[string]func() (*Tensor, error){
			"transpose": func() (*Tensor, error) { return x.Transpose() },
			"slice":     func() (*Tensor, error) { return x.Slice(1, 0, 4, 1) },
			"expand":    func() (*Tensor, error) { return x.Expand(2, 4) },
			"strided":   func() (*Tensor, error) { return FromStrided(d, Shape{2}, []int{1}, make([]byte, 1)) },
		} {
			if v, err := f(); v != nil || !errors.Is(err, ErrPacked) {
				t.Errorf("%s of %v: %v, %v", name, d, v, err)
			}
		}
		for want, f := range map[string]func() (*Tensor, error){
			"1 bytes do not fill": func() (*Tensor, error) { return FromBytes(d, Shape{5}, make([]byte, 1)) },
			"4 bytes do not fill": func() (*Tensor, error) { return FromRaw(d, Shape{5}, make([]byte, 4)) },
			"hold no element": func() (*Tensor, error) {
				return FromBytes(d, Shape{5}, append(make([]byte, d.Bytes(5)-1), 1<<d.Bits()))
			},
			"negative extent":           func() (*Tensor, error) { return New(d, Shape{-1}) },
			"more memory than there is": func() (*Tensor, error) { return New(Float64, Shape{MaxElements}) },
		} {
			if _, err := f(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v: %v; want %q", d, err, want)
			}
		}
		if x, err := FromBytes(d, Shape{0, 3}, nil); err != nil || len(x.Bytes()) != 0 {
			t.Errorf("%v without elements: %v, %v", d, x, err)
		}
	}
}

// TestPackedRange sets portions of packed tensors full of rubbish: whole bytes only, and all other bytes stay.
func TestPackedRange(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 6))
		types := DTypes()
		from, to := types[r.IntN(len(types))], packedTypes()[r.IntN(len(packedTypes()))]
		per := to.PerByte()
		src := must(New(from, Shape{r.IntN(12)}))
		for i := range src.Len() {
			put(src, i, r.Uint64()&1)
		}
		want := must(Cast(src, to)).Bytes()
		dst := must(New(to, src.Shape()))
		for i := range dst.Bytes() {
			dst.Bytes()[i] = 0xA5
		}
		lo := r.IntN(len(want)+1) * per
		lo = min(lo, src.Len()/per*per)
		hi := min(lo+per*r.IntN(7), src.Len())
		if err := CastRange(dst, src, lo, hi); err != nil {
			t.Fatal(err)
		}
		for i, b := range dst.Bytes() {
			expected := byte(0xA5)
			if per*i >= lo && per*i < hi {
				expected = want[i]
			}
			if b != expected {
				t.Fatalf("seed %d: %v to %v, elements %d to %d: byte %d is %#x; want %#x", seed, src, to, lo, hi, i, b, expected)
			}
		}
	}
	dst, src := must(New(Int4, Shape{5})), must(New(Int8, Shape{5}))
	for _, c := range [][2]int{{1, 4}, {0, 3}, {1, 5}} {
		if err := CastRange(dst, src, c[0], c[1]); err == nil || !strings.Contains(err.Error(), "whole bytes") {
			t.Errorf("elements %d to %d: %v", c[0], c[1], err)
		}
	}
}

// TestFloat64RoundsOnce casts doubles that rounding by way of float32 gets wrong.
func TestFloat64RoundsOnce(t *testing.T) {
	// Just above the midpoint of two numbers of each type: float32 is the midpoint itself, and the even neighbour is below.
	x := must(FromSlice([]float64{1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-8 + 0x1p-40, math.MaxFloat64, -0x1p63, 0x1p64}, 5))
	if got := Data[F16](must(Cast(x, Float16)))[0]; got != 0x3C01 {
		t.Errorf("float16 %#x", got)
	}
	if got := Data[BF16](must(Cast(x, BFloat16)))[1]; got != 0x3F81 {
		t.Errorf("bfloat16 %#x", got)
	}
	if got := Data[float32](must(Cast(x, Float32)))[2]; !math.IsInf(float64(got), 1) {
		t.Errorf("float32 %v", got)
	}
	if got := Data[int64](must(Cast(x, Int64))); got[3] != math.MinInt64 || got[4] != math.MaxInt64 {
		t.Errorf("int64 %v", got)
	}
	if got := Data[float64](must(Cast(must(Cast(Scalar[int64](1<<53+1), Float64)), Float64)))[0]; got != 1<<53 {
		t.Errorf("2^53 + 1 becomes %v", got)
	}
}
