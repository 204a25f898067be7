package tensor_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/concord-nn/concord/tensor"
)

// TestCopyInto copies between random views of one shape and compares all memory of the destination with an evaluation index by index.
func TestCopyInto(t *testing.T) {
	for seed := range uint64(800) {
		r := rand.New(rand.NewPCG(seed, 1))
		shape := make(tensor.Shape, r.IntN(5))
		for i := range shape {
			shape[i] = r.IntN(4)
			if r.IntN(4) > 0 {
				shape[i]++
			}
		}
		for _, run := range []func(r *rand.Rand, shape tensor.Shape) error{copyOnce[uint8], copyOnce[int16], copyOnce[float32], copyOnce[int64], copyOnce[bool]} {
			if err := run(r, shape); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
	}
}

func copyOnce[T tensor.Element](r *rand.Rand, shape tensor.Shape) error {
	dst, to := randomView[T](r, shape)
	src, from := randomView[T](r, shape)
	want := make([]uint64, to.whole.Len())
	for i := range want {
		want[i] = get(to.whole, i)
	}
	for i := range shape.Len() {
		at, of := to.offset, from.offset
		for d, rest := len(shape)-1, i; d >= 0; d-- {
			at += rest % shape[d] * dst.Strides()[d]
			of += rest % shape[d] * src.Strides()[d]
			rest /= shape[d]
		}
		want[at] = get(from.whole, of)
	}
	if err := dst.CopyFrom(src); err != nil {
		return err
	}
	for i, w := range want {
		if got := get(to.whole, i); got != w {
			return fmt.Errorf("%v with strides %v from strides %v: element %d of the memory is %d; want %d",
				dst, dst.Strides(), src.Strides(), i, got, w)
		}
	}
	return nil
}

// origin is where a view comes from: a larger tensor, and the first element in it.
type origin struct {
	whole  *tensor.Tensor
	offset int
}

// randomView returns a view of part of a larger tensor with random elements, its dimensions in any order and direction.
func randomView[T tensor.Element](r *rand.Rand, shape tensor.Shape) (*tensor.Tensor, origin) {
	perm := r.Perm(len(shape))
	larger := make([]int, len(shape))
	for i, p := range perm {
		larger[i] = shape[p] + r.IntN(2)*r.IntN(3)
	}
	x := must(tensor.New(tensor.TypeOf[T](), larger))
	for i := range x.Len() {
		put(x, i, r.Uint64()&1) // bool allows no more
		if tensor.TypeOf[T]() != tensor.Bool {
			put(x, i, r.Uint64())
		}
	}
	of, back := origin{whole: x}, make([]int, len(perm))
	for i, p := range perm {
		begin := r.IntN(larger[i] - shape[p] + 1)
		if r.IntN(3) == 0 {
			of.offset += (begin + shape[p] - 1) * of.whole.Strides()[i]
			x = must(x.Slice(i, begin+shape[p]-1, begin-1, -1))
		} else {
			of.offset += begin * of.whole.Strides()[i]
			x = must(x.Slice(i, begin, begin+shape[p], 1))
		}
		back[p] = i
	}
	return must(x.Transpose(back...)), of
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
		elementBytes tensor.DType
	}{
		{"dense", 1024, 0, 0, false, tensor.Int16},
		{"rows of 1024 to dense", 1024, 0, 32, false, tensor.Int16},
		{"dense to rows of 1024", 1024, 32, 0, false, tensor.Int16},
		{"rows of 16", 16, 4, 4, false, tensor.Int16},
		{"rows of 3", 3, 0, 1, false, tensor.Uint8},
		{"transposed", 1024, 0, 0, true, tensor.Int16},
	} {
		b.Run(c.name, func(b *testing.B) {
			n := 1 << 20 / c.row
			to := must(must(tensor.New(c.elementBytes, tensor.Shape{n, c.row + c.gapTo})).Slice(1, 0, c.row, 1))
			from := must(must(tensor.New(c.elementBytes, tensor.Shape{n, c.row + c.gap})).Slice(1, 0, c.row, 1))
			if c.transposed {
				from = must(must(tensor.New(c.elementBytes, tensor.Shape{c.row, n})).Transpose())
			}
			b.SetBytes(int64(to.Len() * to.DType().Size()))
			for b.Loop() {
				if err := to.CopyFrom(from); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
