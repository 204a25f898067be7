package geometry

import "github.com/concord-nn/concord/tensor"

// Load sets to to the elements of a tensor of integers, float32 or float64 at an offset and every step beyond it, converted as Go converts them.
func Load[A tensor.Number](to []A, from *tensor.Tensor, at, step int) {
	switch from.DType() {
	case tensor.Float32:
		load(to, tensor.Data[float32](from), at, step)
	case tensor.Float64:
		load(to, tensor.Data[float64](from), at, step)
	case tensor.Int8:
		load(to, tensor.Data[int8](from), at, step)
	case tensor.Int16:
		load(to, tensor.Data[int16](from), at, step)
	case tensor.Int32:
		load(to, tensor.Data[int32](from), at, step)
	case tensor.Int64:
		load(to, tensor.Data[int64](from), at, step)
	case tensor.Uint8:
		load(to, tensor.Data[uint8](from), at, step)
	case tensor.Uint16:
		load(to, tensor.Data[uint16](from), at, step)
	case tensor.Uint32:
		load(to, tensor.Data[uint32](from), at, step)
	case tensor.Uint64:
		load(to, tensor.Data[uint64](from), at, step)
	}
}

func load[A, X tensor.Number](to []A, from []X, at, step int) {
	for i := range to {
		to[i] = A(from[at+i*step])
	}
}
