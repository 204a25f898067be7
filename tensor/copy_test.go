package tensor

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestCopyInto copies between random views of one shape and compares all memory of the destination with an evaluation index by index.
func TestCopyInto(t *testing.T) {
	for seed := range uint64(800) {
		r := rand.New(rand.NewPCG(seed, 1))
		shape := make(Shape, r.IntN(5))
		for i := range shape {
			shape[i] = r.IntN(4)
			if r.IntN(4) > 0 {
				shape[i]++
			}
		}
		for _, run := range []func(r *rand.Rand, shape Shape) error{copyOnce[uint8], copyOnce[int16], copyOnce[float32], copyOnce[int64], copyOnce[bool]} {
			if err := run(r, shape); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
	}
}

func copyOnce[T Element](r *rand.Rand, shape Shape) error {
	dst, src := randomView[T](r, shape), randomView[T](r, shape)
	before := make([]uint64, len(dst.mem)/dst.dtype.Size())
	for i := range before {
		before[i] = word(dst, i)
	}
	want := before
	for i := range shape.Len() {
		to, from := dst.offset, src.offset
		for d, rest := len(shape)-1, i; d >= 0; d-- {
			to += rest % shape[d] * dst.strides[d]
			from += rest % shape[d] * src.strides[d]
			rest /= shape[d]
		}
		want[to] = word(src, from)
	}
	if err := dst.CopyFrom(src); err != nil {
		return err
	}
	for i, w := range want {
		if got := word(dst, i); got != w {
			return fmt.Errorf("%v with strides %v from strides %v: element %d of the memory is %d; want %d",
				dst, dst.strides, src.strides, i, got, w)
		}
	}
	return nil
}

// randomView returns a view of part of a larger tensor with random elements, its dimensions in any order and direction.
func randomView[T Element](r *rand.Rand, shape Shape) *Tensor {
	perm := r.Perm(len(shape))
	larger := make([]int, len(shape))
	for i, p := range perm {
		larger[i] = shape[p] + r.IntN(2)*r.IntN(3)
	}
	x := must(New(TypeOf[T](), larger))
	for i := range x.Len() {
		put(x, i, r.Uint64()&1) // bool allows no more
		if TypeOf[T]() != Bool {
			put(x, i, r.Uint64())
		}
	}
	back := make([]int, len(perm))
	for i, p := range perm {
		begin := r.IntN(larger[i] - shape[p] + 1)
		if r.IntN(3) == 0 {
			x = must(x.Slice(i, begin+shape[p]-1, begin-1, -1))
		} else {
			x = must(x.Slice(i, begin, begin+shape[p], 1))
		}
		back[p] = i
	}
	return must(x.Transpose(back...))
}

// word returns the element at a position of the memory.
func word(t *Tensor, i int) uint64 {
	switch t.dtype.Size() {
	case 1:
		return uint64(memory[uint8](t)[i])
	case 2:
		return uint64(memory[uint16](t)[i])
	case 4:
		return uint64(memory[uint32](t)[i])
	}
	return memory[uint64](t)[i]
}

func TestCopyAllocatesNothing(t *testing.T) {
	x, y := must(counting[int16](4, 6, 8).Slice(2, 1, 7, 1)), must(counting[int16](6, 4, 6).Transpose(1, 0, 2))
	if n := testing.AllocsPerRun(10, func() {
		if err := y.CopyFrom(x); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkCopy copies a million elements between tensors with gaps.
func BenchmarkCopy(b *testing.B) {
	for _, c := range []struct {
		name         string
		row          int // elements of the destination's last dimension
		gapTo, gap   int
		transposed   bool
		elementBytes DType
	}{
		{"dense", 1024, 0, 0, false, Int16},
		{"rows of 1024 to dense", 1024, 0, 32, false, Int16},
		{"dense to rows of 1024", 1024, 32, 0, false, Int16},
		{"rows of 16", 16, 4, 4, false, Int16},
		{"rows of 3", 3, 0, 1, false, Uint8},
		{"transposed", 1024, 0, 0, true, Int16},
	} {
		b.Run(c.name, func(b *testing.B) {
			n := 1 << 20 / c.row
			to := must(must(New(c.elementBytes, Shape{n, c.row + c.gapTo})).Slice(1, 0, c.row, 1))
			from := must(must(New(c.elementBytes, Shape{n, c.row + c.gap})).Slice(1, 0, c.row, 1))
			if c.transposed {
				from = must(must(New(c.elementBytes, Shape{c.row, n})).Transpose())
			}
			b.SetBytes(int64(to.Len() * to.dtype.Size()))
			for b.Loop() {
				if err := to.CopyFrom(from); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
