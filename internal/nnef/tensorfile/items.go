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
	s := stream{data: items, width: info.Bits}
	shift := 0
	if info.signed() {
		shift = 64 - info.Bits
	}
	for i := 0; i < len(dst); i += size {
		v := s.next()
		if shift > 0 {
			v = uint64(int64(v<<shift) >> shift)
		}
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], v)
		copy(dst[i:i+size], word[:])
	}
	return dst
}

// stream reads items of one width.
type stream struct {
	data  []byte
	width int // in bits
	held  uint64
	count int // bits in held
}

// next returns the following item.
func (s *stream) next() uint64 {
	if s.width%8 == 0 {
		var v uint64
		for k := range s.width / 8 {
			v |= uint64(s.data[k]) << (8 * k)
		}
		s.data = s.data[s.width/8:]
		return v
	}
	var v uint64
	for need := s.width; need > 0; {
		if s.count == 0 {
			s.held, s.count = uint64(s.data[0]), 8
			s.data = s.data[1:]
		}
		n := min(need, s.count)
		s.count -= n
		v = v<<n | s.held>>s.count&(1<<n-1)
		need -= n
	}
	return v
}
