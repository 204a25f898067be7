package tensorfile

import (
	"bytes"
	"encoding/binary"

	"github.com/concord-nn/concord/tensor"
)

// turned returns packed elements of the given bits, of which the first has the lowest bits of a byte, as items, of which it has the
// highest.
func turned(elements []byte, width int) []byte {
	items := make([]byte, len(elements))
	for i, b := range elements {
		for range 8 / width {
			items[i] = items[i]<<width | b&(1<<width-1)
			b >>= width
		}
	}
	return items
}

// Native returns a tensor over items that have the width of elements of type d and stand with the least significant byte
// first. It shares their memory where the machine's byte order and the alignment allow.
func Native(d tensor.DType, shape tensor.Shape, items []byte) (*tensor.Tensor, error) {
	if d == tensor.Bool {
		items = bools(items)
	}
	return tensor.FromRaw(d, shape, items)
}

// bools returns bytes that are 0 or 1: those given, or a copy in which every other value counts as true.
func bools(items []byte) []byte {
	for i, b := range items {
		if b <= 1 {
			continue
		}
		clean := bytes.Clone(items)
		for k := i; k < len(clean); k++ {
			clean[k] = min(clean[k], 1)
		}
		return clean
	}
	return items
}

// unpacked returns n items as elements of a size in bytes, which is not that of the items, the least significant byte first.
func unpacked(info Info, items []byte, n, size int) []byte {
	dst := tensor.AlignedBytes(n * size)
	shift := 64 - info.Bits
	for i := range n {
		v := item(items, int64(i)*int64(info.Bits), int64(info.Bits)) << shift
		if info.signed() {
			v = uint64(int64(v) >> shift)
		} else {
			v >>= shift
		}
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], v)
		copy(dst[i*size:(i+1)*size], word[:])
	}
	return dst
}

// item returns the item of a width that begins at a bit.
func item(items []byte, at, width int64) (v uint64) {
	if width%8 == 0 {
		for k := range width / 8 {
			v |= uint64(items[at/8+k]) << (8 * k)
		}
		return v
	}
	for end := at + width; at < end; {
		n := min(end-at, 8-at%8) // bits of one byte
		v = v<<n | uint64(items[at/8])<<(at%8)&0xFF>>(8-n)
		at += n
	}
	return v
}
