package wire

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"math/bits"
	"unsafe"
)

// writer writes protobuf's wire format. It is run over a message twice: lengths, which stand before what they measure, are counted first.
type writer struct {
	out   *bufio.Writer // nil while it counts
	n     int64         // bytes counted
	sizes []int64       // of everything that has a length, in the order in which it begins
	next  int           // the size to write next
	buf   [binary.MaxVarintLen64]byte
}

// Measured is a message whose bytes have been counted. It must not change until they are written.
type Measured struct {
	t     *table
	m     unsafe.Pointer
	n     int64
	sizes []int64
}

// Measure counts the bytes of a message. The same message has the same bytes.
func Measure[M any](m *M) *Measured { return measure(Of[M]().table, unsafe.Pointer(m)) }

func measure(t *table, m unsafe.Pointer) *Measured {
	var w writer
	encode(t, &w, m)
	return &Measured{t, m, w.n, w.sizes}
}

// Len returns the number of bytes.
func (m *Measured) Len() int64 { return m.n }

// WriteTo writes the bytes, without a copy of many that stand together.
func (m *Measured) WriteTo(to io.Writer) (int64, error) {
	out := &counter{to: to}
	w := &writer{out: bufio.NewWriterSize(out, int(min(64<<10, m.n))), sizes: m.sizes}
	encode(m.t, w, m.m)
	err := w.out.Flush()
	return out.n, err
}

// Bytes returns the bytes.
func (m *Measured) Bytes() []byte {
	var b bytes.Buffer
	b.Grow(int(m.n))
	_, _ = m.WriteTo(&b) // a buffer takes everything
	return b.Bytes()
}

// counter counts the bytes that are written.
type counter struct {
	to io.Writer
	n  int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.to.Write(b)
	c.n += int64(n)
	return n, err
}

func (w *writer) varint(v uint64) {
	if w.out == nil {
		w.n += varintLen(v)
		return
	}
	w.bytes(binary.AppendUvarint(w.buf[:0], v))
}

func varintLen(v uint64) int64 { return int64(bits.Len64(v|1)+6) / 7 }

// bytes writes bytes as they are; flushing returns the first error.
func (w *writer) bytes(b []byte) {
	if w.out == nil {
		w.n += int64(len(b))
		return
	}
	_, _ = w.out.Write(b)
}

func (w *writer) string(s string) {
	if w.out == nil {
		w.n += int64(len(s))
		return
	}
	_, _ = w.out.WriteString(s)
}

func (w *writer) word(kind Type, v uint64) {
	switch kind {
	case Fixed32:
		w.bytes(binary.LittleEndian.AppendUint32(w.buf[:0], uint32(v)))
	case Fixed64:
		w.bytes(binary.LittleEndian.AppendUint64(w.buf[:0], v))
	default:
		w.varint(v)
	}
}

func (w *writer) tag(number int, kind Type) { w.varint(uint64(number)<<3 | uint64(kind)) }

// begin begins something that has a length, which end ends.
func (w *writer) begin() (mark int) {
	if w.out == nil {
		w.sizes = append(w.sizes, -w.n)
		return len(w.sizes) - 1
	}
	w.varint(uint64(w.sizes[w.next]))
	w.next++
	return 0
}

func (w *writer) end(mark int) {
	if w.out == nil {
		w.sizes[mark] += w.n
		w.n += varintLen(uint64(w.sizes[mark]))
	}
}
