// Package tensorfile reads and writes NNEF tensor files (.dat): the 128-byte header of NNEF 1.0 to 1.0.5 and the
// variable-length header of the provisional 1.0, followed by the items in row-major order without gaps. Items of whole
// bytes stand with the least significant byte first; others begin with the most significant bit of a byte, as the tools
// in the field write them.
//
// [Decode] shares memory with the file where it can: a mapped file is not touched beyond its header.
package tensorfile

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/concord-nn/concord/tensor"
)

// Decode returns the tensor that a file holds; see [File.Tensor].
func Decode(data []byte) (*tensor.Tensor, Info, error) {
	f, err := Parse(data)
	if err != nil {
		return nil, Info{}, err
	}
	t, err := f.Tensor()
	return t, f.Info, err
}

// Tensor returns the items as a tensor. Items of 8, 16, 32 and 64 bits share memory with the file where the machine's
// byte order and the alignment allow; the file must not change then, and its pages are not touched now, but for those of
// bools, which are checked: every byte but 0 counts as true. Integers of other widths take the next larger element type
// of whole bytes, and blocks become the float32 numbers that they stand for.
func (f *File) Tensor() (*tensor.Tensor, error) {
	d := f.ElementType()
	switch {
	case f.block != nil:
		return f.blocks()
	case f.Bits == d.Bits():
		return Native(d, f.Shape, f.items)
	}
	return tensor.FromRaw(d, f.Shape, unpacked(f.Info, f.items, f.Shape.Len(), d.Size()))
}

// Shares reports whether [File.Tensor] can share the memory of the file: it takes none of its own, or no more than the file.
func (f *File) Shares() bool { return f.block == nil && f.Bits == f.ElementType().Bits() }

// Encode writes t as a file of NNEF 1.0.5, the same bytes for the same elements. A bfloat16 tensor, for which the format has no item type, is written as
// the 32-bit floats it equals, and one of small floats as their codes, unsigned integers. A tensor of more than 8 dimensions or 2^32-1 bytes does not fit.
func Encode(w io.Writer, t *tensor.Tensor) error {
	return encode(w, t, itemType(t.DType()))
}

// EncodeCodes is [Encode] for the codes of a quantized variable, a tensor of integers: its item type says that
// graph.quant states their meaning.
func EncodeCodes(w io.Writer, t *tensor.Tensor) error {
	switch d := t.DType(); {
	case d.IsUnsigned():
		return encode(w, t, QuantizedUnsigned)
	case d.IsSigned():
		return encode(w, t, QuantizedSigned)
	}
	return fmt.Errorf("codes are integers; %v has none", t.Describe())
}

func encode(w io.Writer, t *tensor.Tensor, item ItemType) error {
	if t.DType() == tensor.BFloat16 {
		wide, err := tensor.Cast(t, tensor.Float32)
		if err != nil { // there is no such memory
			return err
		}
		t = wide
	}
	d := t.DType()
	h, err := header(&Info{Type: item, Bits: d.Bits()}, t.Shape(), uint64(d.Bytes(t.Len())))
	if err != nil {
		return err
	}
	items := tensor.Raw(t)
	if d.IsPacked() {
		items = turned(items, d.Bits())
	}
	return writeBoth(w, h, items)
}

func writeBoth(w io.Writer, header, items []byte) error {
	_, err := w.Write(header)
	if err == nil {
		_, err = w.Write(items)
	}
	return err
}

// Write writes the file with a header of NNEF 1.0.5 in place of the one that it has. The items stay as they are, byte for
// byte: 64-bit floats and codes of 4 bits, too. What a provisional header says about the quantization has no place in the
// new one and belongs into graph.quant. A tensor of more than 8 dimensions or 2^32-1 bytes does not fit.
func (f *File) Write(w io.Writer) error {
	h, err := header(&f.Info, f.Shape, uint64(len(f.items)))
	if err != nil {
		return err
	}
	return writeBoth(w, h, f.items)
}

// header returns a header of NNEF 1.0.5 for items of a length in bytes.
func header(info *Info, shape tensor.Shape, length uint64) ([]byte, error) {
	if len(shape) > MaxRank {
		return nil, fmt.Errorf("a tensor file holds at most %d dimensions; shape %v has %d", MaxRank, shape, len(shape))
	}
	if length > math.MaxUint32 {
		return nil, fmt.Errorf("a tensor file holds at most 2^32-1 bytes of items; those of shape %v take %d", shape, length)
	}
	h := make([]byte, HeaderSize)
	le := binary.LittleEndian
	copy(h, []byte{0x4E, 0xEF, 1, 0})
	le.PutUint32(h[atLength:], uint32(length))
	le.PutUint32(h[atRank:], uint32(len(shape)))
	for i, n := range shape {
		if n > math.MaxInt32 {
			return nil, fmt.Errorf("extent %d of dimension %d of shape %v does not fit a tensor file", n, i, shape)
		}
		le.PutUint32(h[atExtents+4*i:], uint32(n))
	}
	width := uint32(info.Bits)
	if info.block != nil {
		width = math.MaxUint32
	}
	le.PutUint32(h[atBits:], width)
	le.PutUint16(h[atType:], uint16(info.Type))
	le.PutUint16(h[atVendor:], info.Vendor)
	if info.Ranged {
		le.PutUint32(h[atParameter:], math.Float32bits(info.Min))
		le.PutUint32(h[atParameter+4:], math.Float32bits(info.Max))
	}
	return h, nil
}

func itemType(d tensor.DType) ItemType {
	switch {
	case d.IsFloat():
		return Float
	case d.IsUnsigned() || d.IsSmallFloat():
		return Unsigned
	case d.IsSigned():
		return Signed
	}
	return Bool
}
