package geometry

import (
	"math"
	"unsafe"

	"github.com/concord-nn/concord/tensor"
)

// Indices reads the elements of a tensor of any integer type, so that what is found by them is written once for all of these types.
type Indices struct {
	bytes []byte
	at    func(bytes []byte, i int) int64
}

// IndicesOf returns the elements of t, which must be integers.
func IndicesOf(t *tensor.Tensor) Indices { return Indices{t.Bytes(), integerAt[t.DType()]} }

// At returns element i. One that no int64 holds is the greatest int64.
func (x *Indices) At(i int) int64 { return x.at(x.bytes, i) }

// Among returns element i clamped to 0…n-1.
func (x *Indices) Among(i, n int) int { return int(min(max(x.At(i), 0), int64(n-1))) }

var integerAt = [tensor.NumDTypes]func(bytes []byte, i int) int64{
	tensor.Int8: elementAt[int8], tensor.Int16: elementAt[int16], tensor.Int32: elementAt[int32], tensor.Int64: elementAt[int64],
	tensor.Uint8: elementAt[uint8], tensor.Uint16: elementAt[uint16], tensor.Uint32: elementAt[uint32], tensor.Uint64: elementAt[uint64],
}

func elementAt[T tensor.Integer](bytes []byte, i int) int64 {
	v := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(bytes))), len(bytes)/int(unsafe.Sizeof(T(0))))[i]
	if v > 0 && int64(v) < 0 {
		return math.MaxInt64
	}
	return int64(v)
}
