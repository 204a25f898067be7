package wire

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// Type is how a field is encoded.
type Type uint8

// The wire types.
const (
	Varint     Type = 0
	Fixed64    Type = 1
	Lengthed   Type = 2 // a length and so many bytes
	StartGroup Type = 3
	EndGroup   Type = 4
	Fixed32    Type = 5
)

// String names the wire type for messages.
func (w Type) String() string {
	switch w {
	case Varint:
		return "a varint"
	case Fixed64:
		return "8 bytes"
	case Lengthed:
		return "bytes with a length"
	case StartGroup, EndGroup:
		return "a group"
	case Fixed32:
		return "4 bytes"
	}
	return fmt.Sprint("wire type ", uint8(w))
}

// reader reads protobuf's wire format. All errors leave it useless.
type reader struct {
	data     []byte // everything
	bounds   Bounds
	pos, end int   // what is left of the innermost message
	depth    int   // messages that may still be nested
	spare    int64 // bytes that messages may still take beyond those of data
	chunk    strings.Builder
}

// Bounds is what reading a message may take.
type Bounds struct {
	Depth  int   // of messages in one another
	Memory int64 // of all messages, beyond their bytes
	UTF8   bool  // whether strings must be UTF-8, as those of proto3
}

// Decode reads a message from all of the bytes, which must not change: fields with bytes share them. An error is an *[Error], after which the
// message is useless.
func Decode[M any](m *M, b []byte, bounds Bounds) error {
	if err := decode(Of[M]().table, newReader(b, bounds), unsafe.Pointer(m)); err != nil {
		return err
	}
	return nil
}

func newReader(data []byte, bounds Bounds) *reader {
	return &reader{data: data, bounds: bounds, end: len(data), depth: bounds.Depth, spare: bounds.Memory}
}

// varint reads a number in groups of seven bits.
func (r *reader) varint() (uint64, *Error) {
	if r.pos < r.end && r.data[r.pos] < 0x80 { // most are short
		r.pos++
		return uint64(r.data[r.pos-1]), nil
	}
	v, n := binary.Uvarint(r.data[r.pos:r.end])
	switch {
	case n == 0:
		return 0, errorAt(r.pos, "the message ends within a number")
	case n < 0:
		return 0, errorAt(r.pos, "the number has more than 64 bits")
	}
	r.pos += n
	return v, nil
}

// take returns the next n bytes, which others must not append to.
func (r *reader) take(n uint64) ([]byte, *Error) {
	if n > uint64(r.end-r.pos) {
		return nil, errorAt(r.pos, "%d bytes should follow; the message has %d", n, r.end-r.pos)
	}
	b := r.data[r.pos : r.pos+int(n) : r.pos+int(n)]
	r.pos += int(n)
	return b, nil
}

// word reads a number of a wire type other than lengthed.
func (r *reader) word(w Type) (uint64, *Error) {
	switch w {
	case Fixed32:
		b, err := r.take(4)
		if err != nil {
			return 0, err
		}
		return uint64(binary.LittleEndian.Uint32(b)), nil
	case Fixed64:
		b, err := r.take(8)
		if err != nil {
			return 0, err
		}
		return binary.LittleEndian.Uint64(b), nil
	}
	return r.varint()
}

// bytes reads a length and so many bytes.
func (r *reader) bytes() ([]byte, *Error) {
	n, err := r.varint()
	if err != nil {
		return nil, err
	}
	return r.take(n)
}

// tag reads what stands before a field.
func (r *reader) tag() (number uint64, w Type, err *Error) {
	at := r.pos
	v, err := r.varint()
	switch {
	case err != nil:
		return 0, 0, err
	case v>>3 == 0 || v>>3 > 1<<29-1:
		return 0, 0, errorAt(at, "there is no field number %d; this is no message, or it is broken", v>>3)
	}
	return v >> 3, Type(v & 7), nil
}

// skip passes over a field.
func (r *reader) skip(w Type) (err *Error) {
	switch w {
	case Varint, Fixed64, Fixed32:
		_, err = r.word(w)
	case Lengthed:
		_, err = r.bytes()
	default:
		err = errorAt(r.pos-1, "the field is %v; there are none such", w)
	}
	return err
}

// enter reads the length of a message and makes it the one that is read. It returns what leave makes it end with.
func (r *reader) enter() (end int, err *Error) {
	at := r.pos
	n, err := r.varint()
	switch {
	case err != nil:
		return 0, err
	case n > uint64(r.end-r.pos):
		return 0, errorAt(at, "a message of %d bytes should follow; there are %d", n, r.end-r.pos)
	case r.depth == 0:
		err = errorAt(at, "messages are nested more than %d times", r.bounds.Depth)
		err.Err = ErrLimit
		return 0, err
	}
	end, r.end = r.end, r.pos+int(n)
	r.depth--
	return end, nil
}

// leave goes on behind the message that was entered.
func (r *reader) leave(end int) {
	r.pos, r.end = r.end, end
	r.depth++
}

// spend counts memory that a message takes beyond its bytes.
func (r *reader) spend(n int) *Error {
	if n <= 0 {
		return nil
	}
	if r.spare -= int64(n); r.spare < 0 {
		err := errorAt(r.pos, "the messages take more than %d bytes of memory beyond their own", r.bounds.Memory)
		err.Err = ErrLimit
		return err
	}
	return nil
}

// chunkSize is the memory that many strings share: one allocation instead of one for each.
const chunkSize = 64 << 10

// text returns a string that does not share memory with the message, of bytes just read.
func (r *reader) text(b []byte) (string, *Error) {
	if r.bounds.UTF8 && !utf8.Valid(b) {
		return "", errorAt(r.pos-len(b), "the string is not valid UTF-8")
	}
	if len(b) > chunkSize/8 {
		return string(b), nil
	}
	if r.chunk.Cap()-r.chunk.Len() < len(b) {
		r.chunk.Reset()
		r.chunk.Grow(min(chunkSize, len(b)+len(r.data)-r.pos)) // no more than can still come
	}
	at := r.chunk.Len()
	r.chunk.Write(b)
	return r.chunk.String()[at:], nil
}
