package openvx

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/concord-nn/concord/internal/limits"
)

// A blob holds exported objects. Numbers are little-endian: a byte, 32 bits, or, for extents, 64 bits. A text is its length and its bytes,
// a list its length and its elements.
//
//	8 bytes   blobMagic
//	number    blobVersion
//	number    the CRC-32 (IEEE) of all that follows
//	list      what the application has listed: a use, and the place of an object in the next list
//	list      objects, each after those that it is made of (exporter.object)
//	graphs    nodes, parameters and delays of each object that is a graph (exporter.graph)
//	values    of the objects marked so, without gaps
const (
	blobMagic   = "\x89VXBLOB\n"
	blobVersion = 1
	blobHeader  = len(blobMagic) + 8
)

// What is said of an object before all else.
const (
	flagSupplied = 1 << iota // the application creates it
	flagValues               // it has values in the blob
	flagDelayed              // it is, or has been, a slot of a delay

	flags = flagSupplied | flagValues | flagDelayed
)

// maxMetadata bounds the bytes of what exportable.metadata says.
const maxMetadata = limits.VXMetadata

// blobWriter appends to a blob.
type blobWriter struct{ data []byte }

func (w *blobWriter) byte(v int) { w.data = append(w.data, byte(v)) }

func (w *blobWriter) bool(v bool) {
	if v {
		w.byte(1)
	} else {
		w.byte(0)
	}
}

func (w *blobWriter) number(v int) { w.data = binary.LittleEndian.AppendUint32(w.data, uint32(v)) }

func (w *blobWriter) numbers(list []int) {
	w.number(len(list))
	for _, v := range list {
		w.number(v)
	}
}

func (w *blobWriter) extents(list []int) {
	w.byte(len(list))
	for _, v := range list {
		w.data = binary.LittleEndian.AppendUint64(w.data, uint64(v))
	}
}

func (w *blobWriter) text(s string) {
	w.number(len(s))
	w.data = append(w.data, s...)
}

// seal writes the header, for which room has been left.
func (w *blobWriter) seal() {
	copy(w.data, blobMagic)
	binary.LittleEndian.PutUint32(w.data[len(blobMagic):], blobVersion)
	binary.LittleEndian.PutUint32(w.data[len(blobMagic)+4:], crc32.ChecksumIEEE(w.data[blobHeader:]))
}

// blobReader takes a blob apart. After the first error, which sticks, it reads zeros.
type blobReader struct {
	rest []byte
	size int
	err  error
}

// unseal checks the header.
func unseal(blob []byte) (blobReader, error) {
	r := blobReader{rest: blob, size: len(blob)}
	magic := r.bytes(len(blobMagic))
	version, sum := r.number(), r.word()
	switch {
	case string(magic) != blobMagic:
		return r, failed(ErrorInvalidFormat, "the %d bytes are not exported objects", len(blob))
	case r.err == nil && version != blobVersion:
		return r, failed(ErrorNotCompatible, "the objects were exported in version %d of the format; this library reads %d", version, blobVersion)
	case r.err == nil && sum != crc32.ChecksumIEEE(r.rest):
		r.fail("the check sum is wrong")
	}
	return r, r.err
}

func (r *blobReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = failed(ErrorInvalidFormat, "the exported objects are damaged before byte %d: %s", r.size-len(r.rest), fmt.Sprintf(format, args...))
	}
	r.rest = nil
}

// bytes returns the next n bytes, or nil.
func (r *blobReader) bytes(n int) []byte {
	if n > len(r.rest) {
		r.fail("%d bytes are missing", n-len(r.rest))
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

func (r *blobReader) byte() int {
	if b := r.bytes(1); b != nil {
		return int(b[0])
	}
	return 0
}

func (r *blobReader) bool() bool {
	v := r.byte()
	if v > 1 {
		r.fail("%d is neither 0 nor 1", v)
	}
	return v == 1
}

func (r *blobReader) word() uint32 {
	if b := r.bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// number reads what an int can hold, which may have 32 bits.
func (r *blobReader) number() int {
	n := r.word()
	if uint64(n) > math.MaxInt {
		r.fail("the number %d is too great for this machine", n)
		return 0
	}
	return int(n)
}

// index reads a number less than n.
func (r *blobReader) index(n int) int {
	i := r.number()
	if i >= n {
		r.fail("there is no %d among %d", i, n)
		return 0
	}
	return i
}

// count reads how many elements there are, each of which has at least so many bytes.
func (r *blobReader) count(bytes int) int {
	n := r.number()
	if n > len(r.rest)/bytes {
		r.fail("%d elements do not fit into %d bytes", n, len(r.rest))
		return 0
	}
	return n
}

func (r *blobReader) extents() []int {
	rank := r.byte()
	if rank > MaxTensorDims {
		r.fail("a tensor cannot have %d dimensions", rank)
	}
	b := r.bytes(8 * rank)
	if b == nil {
		return nil
	}
	list := make([]int, rank)
	for i := range list {
		list[i] = size(b[8*i:]) // −1 if it is too large, which nothing accepts
	}
	return list
}

func (r *blobReader) text(limit int) string {
	n := r.count(1)
	if n > limit {
		r.fail("a text has %d bytes; at most %d are allowed", n, limit)
	}
	return string(r.bytes(min(n, limit)))
}
