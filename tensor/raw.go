package tensor

import "bytes"

// AppendRaw appends the elements of a tensor, row-major and little-endian, a bool as one byte 0 or 1, and packed ones as [Int4] says. These
// bytes, the canonical ones, are the same on every machine.
func AppendRaw(b []byte, t *Tensor) []byte {
	if missing(t) {
		return b
	}
	before := len(b)
	b = append(b, t.Contiguous().Bytes()...)
	if width := t.dtype.Size(); bigEndian && width > 1 {
		swapBytes(b[before:], width)
	}
	return b
}

// Raw returns what [AppendRaw] appends. It shares the elements of a contiguous tensor where the machine's byte order allows it, and must not be
// changed. It is not nil.
func Raw(t *Tensor) []byte {
	if missing(t) || bigEndian && t.dtype.Size() > 1 || t.Len() == 0 {
		return AppendRaw([]byte{}, t)
	}
	return t.Contiguous().Bytes()
}

// Native returns bytes that [AppendRaw] has written in the byte order of the machine: data itself where that is little-endian, and else a copy.
func Native(d DType, data []byte) []byte {
	if bigEndian && d.Size() > 1 {
		data = bytes.Clone(data)
		swapBytes(data, d.Size())
	}
	return data
}

// FromRaw returns a tensor with elements that [AppendRaw] has written. It shares the bytes where alignment and the machine's byte order
// allow it. There must be exactly as many as the elements take, and a bool must be 0 or 1.
func FromRaw(d DType, shape Shape, data []byte) (*Tensor, error) {
	return FromBytes(d, shape, Native(d, data))
}
