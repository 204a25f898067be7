package session

import (
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// Version is the version of the flat form that this package reads and writes: the value of the member "webnnSession".
const Version = 1

// Session is a script of calls on the interface, in order. Nil is an empty one.
type Session struct {
	// Weights is the name of the file with the bytes of the buffers; it lies beside the JSON. If it is empty, buffers are
	// written into the JSON, unless the bytes travel with a message.
	Weights string
	Calls   []Call
}

// Call is one call of a script.
type Call struct {
	On     string   // the receiver: "ml", or the id of an earlier result; "" for a constructor
	Method string   // the method, attribute or constructor by its name in the interface
	Args   []Value  // positional arguments; trailing optional ones may be left out
	ID     string   // the name that later calls use for the result; "" if none does
	IDs    []string // the same for a method that returns a list of operands
}

// Value is an argument or a part of one: nil, bool, float64, string, *[math/big.Int], [Ref], [Dict], []Value or *[Buffer].
// [Session.Encode] also takes int, which becomes float64, and []int, []float64 and []string, which become []Value.
type Value any

// Ref is the id of an earlier result.
type Ref string

// Dict is a dictionary or a record. Its keys may be any strings.
type Dict map[string]Value

// Descriptor returns an MLOperandDescriptor.
func Descriptor(d tensor.DType, s tensor.Shape) Dict {
	return Dict{"dataType": d.String(), "shape": values(s, integer)}
}

// Buffer is an ArrayBuffer, a SharedArrayBuffer or a view of one.
type Buffer struct {
	// Type is "ArrayBuffer", "SharedArrayBuffer", "DataView" or the name of a typed array, such as "Float32Array".
	// Empty is "ArrayBuffer".
	Type string
	// Data are the bytes of the buffer or of the view, little-endian.
	Data []byte
	// ByteOffset is where a view begins in its buffer, and BufferByteLength the size of that buffer. The bytes outside of
	// the view are not kept. BufferByteLength 0 stands for ByteOffset + len(Data).
	ByteOffset       int
	BufferByteLength int
	// Shared is true of a view of a SharedArrayBuffer.
	Shared bool

	elsewhere int64            // how many bytes the host of a context that only checks does not have
	mapping   *mapfile.Mapping // what keeps the bytes, if they are those of a mapped file
}

// content is the buffer as package webnn takes it.
func (b *Buffer) content() any {
	if b.elsewhere > 0 {
		return webnn.Length(b.elsewhere)
	}
	return b.Data
}

// size is the number of bytes.
func (b *Buffer) size() int { return max(len(b.Data), int(b.elsewhere)) }

// orZero makes a nil pointer a zero value: every method has an answer for that.
func orZero[T any](p *T) *T {
	if p == nil {
		return new(T)
	}
	return p
}
