package webnn

import (
	"fmt"

	"github.com/concord-nn/concord/tensor"
)

// bytesOf returns the memory of a buffer, which it shares, if it is []byte or a slice whose elements have the type d. Both
// []tensor.F16 and []uint16 hold float16, the latter as bits.
func bytesOf(data any, d tensor.DType) ([]byte, *fault) {
	var view []byte
	var holds tensor.DType
	switch data := data.(type) {
	case nil:
		return nil, faultf("type", "the buffer is nil; it must be %s", slicesOf(d))
	case []byte:
		return data, nil
	case []float32:
		view, holds = viewOf(data)
	case []tensor.F16:
		view, holds = viewOf(data)
	case []uint16:
		view, _ = viewOf(data)
		holds = tensor.Float16
	case []int8:
		view, holds = viewOf(data)
	case []int32:
		view, holds = viewOf(data)
	case []uint32:
		view, holds = viewOf(data)
	case []int64:
		view, holds = viewOf(data)
	case []uint64:
		view, holds = viewOf(data)
	}
	if holds != d {
		return nil, faultf("type", "the buffer is a %T; for %v it must be %s", data, d, slicesOf(d))
	}
	return view, nil
}

// slicesOf says which buffers hold the data type d.
func slicesOf(d tensor.DType) string {
	switch d {
	case tensor.Float16:
		return "a []tensor.F16, a []uint16 with the bits, or []byte"
	case tensor.Uint8:
		return "a []uint8"
	}
	return fmt.Sprintf("a []%v or []byte", d) // the names of the others are those of Go
}

// viewOf returns the memory of a slice, and the type of its elements.
func viewOf[T tensor.Element](data []T) ([]byte, tensor.DType) {
	t, _ := tensor.FromSlice(data, len(data)) // which cannot fail: a slice fills the shape of its length
	return t.Bytes(), t.DType()
}

// Length stands for a buffer of so many bytes, whose content is somewhere else, where a context only checks calls.
type Length int64

// buffer returns the contents of a buffer for a descriptor: nil if the context has no use for them.
func (c *Context) buffer(d OperandDescriptor, data any) ([]byte, *fault) {
	if n, ok := data.(Length); ok && c.options.CheckOnly {
		return nil, d.checkLength(int64(n))
	}
	return d.buffer(data)
}

func (d OperandDescriptor) checkLength(bytes int64) *fault {
	if bytes != d.byteLength() {
		return faultf("byteLength", "the buffer has %d bytes; %v%v takes %d", bytes, d.DataType, d.Shape, d.byteLength())
	}
	return nil
}

// buffer returns the contents of a buffer, in the machine's byte order, that has as many bytes as the descriptor, as "validate buffer with
// descriptor" asks.
func (d OperandDescriptor) buffer(data any) ([]byte, *fault) {
	view, fault := bytesOf(data, d.DataType)
	if fault == nil {
		fault = d.checkLength(int64(len(view)))
	}
	if fault != nil {
		return nil, fault
	}
	if _, raw := data.([]byte); raw {
		view = tensor.Native(d.DataType, view)
	}
	return view, nil
}
