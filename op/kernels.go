package op

import (
	"unsafe"

	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/tensor"
)

// singleKernel is the table of an operator on [Singles]: float32, to which the 16-bit floats are widened.
func singleKernel(k Kernel) Kernels { return Kernels{tensor.Float32: k} }

// floatKernels is the table of an operator on [Floats], computed in float32 and in float64.
func floatKernels(single, double Kernel) Kernels {
	return Kernels{tensor.Float32: single, tensor.Float64: double}
}

// sized returns a table for operators that move elements without looking at them, with a kernel for each element size of whole bytes.
func sized(b1, b2, b4, b8 Kernel) Kernels {
	var k Kernels
	for _, d := range tensor.DTypes() {
		k[d] = map[int]Kernel{1: b1, 2: b2, 4: b4, 8: b8}[d.Size()]
	}
	return k
}

// computed are the types of [Numbers] that kernels see: narrower floats are widened.
var computed = Integers | TypeSet(tensor.Float32, tensor.Float64)

// alike returns a table with one kernel for all these types.
func alike(k Kernel, types Types) Kernels {
	var table Kernels
	for _, d := range types.List() {
		table[d] = k
	}
	return table
}

// words returns the elements of t as unsigned words of their size, for kernels made with sized.
func words[W uint8 | uint16 | uint32 | uint64](t *tensor.Tensor) []W { return tensor.Words[W](t) }

// wrapping returns a table for operators on [Numbers] that get the same bits of integers with and without a sign, as sums and products that wrap
// have them: with a kernel for each size of integers, which takes its tensors by [unsigned].
func wrapping(single, double, b1, b2, b4, b8 Kernel) Kernels {
	return merge(floatKernels(single, double), integerKernels(b1, b2, b4, b8, b1, b2, b4, b8))
}

// unsigned returns the elements of t, integers as unsigned ones.
func unsigned[T tensor.Element](t *tensor.Tensor) []T {
	return elements[T](t.Bytes())
}

// elements returns bytes as elements.
func elements[T tensor.Element](bytes []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(bytes))), len(bytes)/int(unsafe.Sizeof(*new(T))))
}

// integerKernels returns a table for the eight integer types.
func integerKernels(i8, i16, i32, i64, u8, u16, u32, u64 Kernel) Kernels {
	return Kernels{
		tensor.Int8: i8, tensor.Int16: i16, tensor.Int32: i32, tensor.Int64: i64,
		tensor.Uint8: u8, tensor.Uint16: u16, tensor.Uint32: u32, tensor.Uint64: u64,
	}
}

// merge returns the table that has each kernel of the given ones; of several for one type the first counts.
func merge(tables ...Kernels) Kernels {
	var out Kernels
	for _, t := range tables {
		for d, k := range t {
			if out[d] == nil {
				out[d] = k
			}
		}
	}
	return out
}

// lanes is the fixed width of a reduction: partial result l covers the indices that are l modulo lanes, in ascending
// order, and the partial results are joined by halving: 0 with 8, 1 with 9, … then 0 with 4 … until one remains.
const lanes = 16

// join reduces the partial results to acc[0].
func join[T any](acc *[lanes]T, f func(a, b T) T) T {
	for half := lanes / 2; half > 0; half /= 2 {
		for l := range half {
			acc[l] = f(acc[l], acc[l+half])
		}
	}
	return acc[0]
}

// fma is the fused multiply-add that every accumulation takes: x*y + z with one rounding.
func fma[T fmath.Float](x, y, z T) T { return fmath.FMA(x, y, z) }

// canonical makes every NaN the canonical quiet NaN, as every float result must.
func canonical[T fmath.Float](x T) T { return fmath.Canonical(x) }
