package tensor

import (
	"bytes"
	"io"
)

// WriteRaw writes the elements of a tensor, row-major and little-endian, a bool as one byte 0 or 1. These bytes, the canonical ones,
// are the same on every machine.
func WriteRaw(w io.Writer, t *Tensor) error {
	data, width := t.Contiguous().Bytes(), t.dtype.Size()
	var buf []byte
	for len(data) > 0 {
		chunk := data
		if bigEndian && width > 1 {
			buf = append(buf[:0], data[:min(len(data), 1<<16)]...)
			swapBytes(buf, width)
			chunk = buf
		}
		if _, err := w.Write(chunk); err != nil {
			return &FormatError{Offset: -1, Msg: "the elements cannot be written", Err: err}
		}
		data = data[len(chunk):]
	}
	return nil
}

// RawBytes returns what [WriteRaw] writes. The result shares no memory with t.
func RawBytes(t *Tensor) []byte {
	var b bytes.Buffer
	_ = WriteRaw(&b, t) // a buffer takes everything
	return b.Bytes()
}

// FromRaw returns a tensor with the elements that [WriteRaw] has written. It copies them. There must be exactly as many bytes as the
// elements take, and a bool must be 0 or 1.
func FromRaw(d DType, shape Shape, data []byte) (*Tensor, error) {
	t, err := FromBytes(d, shape, bytes.Clone(data))
	if err == nil && bigEndian && d.Size() > 1 {
		swapBytes(t.mem, d.Size())
	}
	return t, err
}
