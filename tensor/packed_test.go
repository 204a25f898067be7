package tensor_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/tensor"
)

// wholeTypes lists the types of whole bytes, which have strides; packedTypes the others.
func wholeTypes() []tensor.DType { return slices.DeleteFunc(tensor.DTypes(), tensor.DType.IsPacked) }

func packedTypes() []tensor.DType {
	return slices.DeleteFunc(tensor.DTypes(), func(d tensor.DType) bool { return !d.IsPacked() })
}

// TestPerByte holds the number of elements in a byte to the bits that they take.
func TestPerByte(t *testing.T) {
	for d, want := range map[tensor.DType]int{tensor.Invalid: 1, tensor.Bool: 1, tensor.Int2: 4, tensor.Uint2: 4, tensor.Int4: 2, tensor.Uint4: 2, tensor.Float4E2M1: 2, tensor.Float8E5M2: 1, tensor.Float64: 1, tensor.DType(99): 1} {
		if d.PerByte() != want || d.IsPacked() != (want > 1) {
			t.Errorf("a byte holds %d elements of %v; want %d", d.PerByte(), d, want)
		}
	}
}

// TestPacking holds the order of packed elements: the first in the low half, the last byte of an odd number filled with zeros.
func TestPacking(t *testing.T) {
	for _, c := range []struct {
		d      tensor.DType
		values []int8
		mem    []byte
	}{
		{tensor.Int4, []int8{}, []byte{}},
		{tensor.Int4, []int8{-1}, []byte{0x0F}},
		{tensor.Int4, []int8{1, -8, 7}, []byte{0x81, 0x07}},
		{tensor.Uint4, []int8{15, 0, 3, 9}, []byte{0x0F, 0x93}},
		{tensor.Uint4, []int8{16, -1, 17}, []byte{0xF0, 0x01}}, // the low bits
		{tensor.Int2, []int8{-1, 0, 1, -2, 1}, []byte{0x93, 0x01}},
		{tensor.Uint2, []int8{3, 2, 1, 0, 3}, []byte{0x1B, 0x03}},
		{tensor.Uint2, []int8{4, 5, -1}, []byte{0x34}},
		{tensor.Float4E2M1, []int8{0, 1, -6, 100, 3}, []byte{0x20, 0x7F, 0x05}},
	} {
		wide := must(tensor.FromSlice(c.values, len(c.values)))
		x := must(tensor.Cast(wide, c.d))
		if !bytes.Equal(x.Bytes(), c.mem) || !x.IsContiguous() || x.Len() != len(c.values) {
			t.Errorf("%v of %v: % x; want % x", c.d, c.values, x.Bytes(), c.mem)
		}
		for _, y := range []*tensor.Tensor{x.Clone(), x.Contiguous(), must(x.Reshape(1, x.Len())), must(tensor.FromBytes(c.d, x.Shape(), c.mem)), must(tensor.FromRaw(c.d, x.Shape(), tensor.AppendRaw(nil, x)))} {
			if !bytes.Equal(y.Bytes(), c.mem) {
				t.Errorf("%v of %v comes back as % x", c.d, c.values, y.Bytes())
			}
		}
	}
	if x := must(tensor.New(tensor.Int4, tensor.Shape{3, 5})); len(x.Bytes()) != 8 {
		t.Errorf("15 elements take %d bytes", len(x.Bytes()))
	}
}

// TestBytes compares sizes with sums that cannot overflow.
func TestBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	for _, d := range tensor.DTypes() {
		for _, n := range []int{0, 1, 2, 3, 7, 8, 9, r.IntN(1 << 30), tensor.MaxElements - 1, tensor.MaxElements} {
			want := n * d.Size()
			if d.IsPacked() {
				want = n/d.PerByte() + min(n%d.PerByte(), 1)
			}
			if got := d.Bytes(n); got != want {
				t.Errorf("%d elements of %v take %d bytes; want %d", n, d, got, want)
			}
		}
	}
	if tensor.Invalid.Bytes(5) != 0 || tensor.DType(99).Bits() != 0 || tensor.DType(99).IsInteger() || tensor.DType(99).IsFloat() {
		t.Error("a type that does not exist has properties")
	}
}

// TestPackedRefused holds what strides would be needed for, and bytes that are no packed tensor, to errors.
func TestPackedRefused(t *testing.T) {
	testdata.Wide(t)
	for _, d := range packedTypes() {
		x := must(tensor.New(d, tensor.Shape{1, 4}))
		for name, f := range map[string]func() (*tensor.Tensor, error){
			"transpose": func() (*tensor.Tensor, error) { return x.Transpose() },
			"slice":     func() (*tensor.Tensor, error) { return x.Slice(1, 0, 4, 1) },
			"expand":    func() (*tensor.Tensor, error) { return x.Expand(2, 4) },
			"strided": func() (*tensor.Tensor, error) {
				return tensor.FromStrided(d, tensor.Shape{2}, []int{1}, make([]byte, 1))
			},
		} {
			if v, err := f(); v != nil || !errors.Is(err, tensor.ErrPacked) {
				t.Errorf("%s of %v: %v, %v", name, d, v, err)
			}
		}
		for want, f := range map[string]func() (*tensor.Tensor, error){
			"1 bytes do not fill": func() (*tensor.Tensor, error) { return tensor.FromBytes(d, tensor.Shape{5}, make([]byte, 1)) },
			"4 bytes do not fill": func() (*tensor.Tensor, error) { return tensor.FromRaw(d, tensor.Shape{5}, make([]byte, 4)) },
			"hold no element": func() (*tensor.Tensor, error) {
				return tensor.FromBytes(d, tensor.Shape{5}, append(make([]byte, d.Bytes(5)-1), 1<<d.Bits()))
			},
			"negative extent":           func() (*tensor.Tensor, error) { return tensor.New(d, tensor.Shape{-1}) },
			"more memory than there is": func() (*tensor.Tensor, error) { return tensor.New(tensor.Float64, tensor.Shape{tensor.MaxElements}) },
		} {
			if _, err := f(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v: %v; want %q", d, err, want)
			}
		}
		if x, err := tensor.FromBytes(d, tensor.Shape{0, 3}, nil); err != nil || len(x.Bytes()) != 0 {
			t.Errorf("%v without elements: %v, %v", d, x, err)
		}
	}
}

// TestPackedRange sets portions of packed tensors full of rubbish: whole bytes only, and all other bytes stay.
func TestPackedRange(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 6))
		types := tensor.DTypes()
		from, to := types[r.IntN(len(types))], packedTypes()[r.IntN(len(packedTypes()))]
		per := to.PerByte()
		src := must(tensor.New(from, tensor.Shape{r.IntN(12)}))
		for i := range src.Len() {
			put(src, i, r.Uint64()&1)
		}
		want := must(tensor.Cast(src, to)).Bytes()
		dst := must(tensor.New(to, src.Shape()))
		for i := range dst.Bytes() {
			dst.Bytes()[i] = 0xA5
		}
		lo := r.IntN(len(want)+1) * per
		lo = min(lo, src.Len()/per*per)
		hi := min(lo+per*r.IntN(7), src.Len())
		if err := tensor.CastRange(dst, src, lo, hi); err != nil {
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
	dst, src := must(tensor.New(tensor.Int4, tensor.Shape{5})), must(tensor.New(tensor.Int8, tensor.Shape{5}))
	for _, c := range [][2]int{{1, 4}, {0, 3}, {1, 5}} {
		if err := tensor.CastRange(dst, src, c[0], c[1]); err == nil || !strings.Contains(err.Error(), "whole bytes") {
			t.Errorf("elements %d to %d: %v", c[0], c[1], err)
		}
	}
}

// TestFloat64RoundsOnce casts doubles that rounding by way of float32 gets wrong.
func TestFloat64RoundsOnce(t *testing.T) {
	// Just above the midpoint of two numbers of each type: float32 is the midpoint itself, and the even neighbour is below.
	x := must(tensor.FromSlice([]float64{1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-8 + 0x1p-40, math.MaxFloat64, -0x1p63, 0x1p64}, 5))
	if got := tensor.Data[tensor.F16](must(tensor.Cast(x, tensor.Float16)))[0]; got != 0x3C01 {
		t.Errorf("float16 %#x", got)
	}
	if got := tensor.Data[tensor.BF16](must(tensor.Cast(x, tensor.BFloat16)))[1]; got != 0x3F81 {
		t.Errorf("bfloat16 %#x", got)
	}
	if got := tensor.Data[float32](must(tensor.Cast(x, tensor.Float32)))[2]; !math.IsInf(float64(got), 1) {
		t.Errorf("float32 %v", got)
	}
	if got := tensor.Data[int64](must(tensor.Cast(x, tensor.Int64))); got[3] != math.MinInt64 || got[4] != math.MaxInt64 {
		t.Errorf("int64 %v", got)
	}
	if got := tensor.Data[float64](must(tensor.Cast(must(tensor.Cast(tensor.Scalar[int64](1<<53+1), tensor.Float64)), tensor.Float64)))[0]; got != 1<<53 {
		t.Errorf("2^53 + 1 becomes %v", got)
	}
}
