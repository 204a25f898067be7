package proto

import (
	"bufio"
	"encoding/binary"
	"math/bits"
)

// writer writes protobuf's wire format. It is run over a message twice: lengths, which stand before what they measure, are counted first.
type writer struct {
	out   *bufio.Writer // nil while it counts
	n     int64         // bytes counted
	sizes []int64       // of everything that has a length, in the order in which it begins
	next  int           // the size to write next
	buf   [binary.MaxVarintLen64]byte
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

func (w *writer) word(kind wire, v uint64) {
	switch kind {
	case fixed32:
		w.bytes(binary.LittleEndian.AppendUint32(w.buf[:0], uint32(v)))
	case fixed64:
		w.bytes(binary.LittleEndian.AppendUint64(w.buf[:0], v))
	default:
		w.varint(v)
	}
}

func (w *writer) tag(number int, kind wire) { w.varint(uint64(number)<<3 | uint64(kind)) }

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
