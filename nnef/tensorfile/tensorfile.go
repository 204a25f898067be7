package tensorfile

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/big"

	"github.com/concord-nn/concord/tensor"
)

// Decode returns the tensor that a file holds. Items of 8, 16, 32 and 64 bits share memory with data where the machine's
// byte order allows; data must not change then. Integers of other widths take the next larger element type, and 64-bit
// floats are rounded to float32. Every error is an *Error.
func Decode(data []byte) (*tensor.Tensor, Info, error) {
	info, shape, offset, err := parseHeader(data)
	if err != nil {
		return nil, info, err
	}
	t, err := decode(info, shape, data[offset:])
	if err != nil {
		return nil, info, errorAt(offset, "%v", err)
	}
	return t, info, nil
}

func decode(info Info, shape tensor.Shape, items []byte) (*tensor.Tensor, error) {
	d := info.dtype()
	if info.Bits == 8*d.Size() {
		if littleEndian || info.Bits == 8 {
			return tensor.FromBytes(d, shape, items)
		}
		t, err := tensor.New(d, shape)
		if err == nil {
			swap(t.Bytes(), items, d.Size())
		}
		return t, err
	}
	t, err := tensor.New(d, shape)
	if err != nil {
		return nil, err
	}
	if info.Type == Float {
		for i, dst := 0, tensor.Data[float32](t); i < len(dst); i++ {
			dst[i] = roundFloat64(binary.LittleEndian.Uint64(items[8*i:]))
		}
		return t, nil
	}
	dst := t.Bytes()
	size := d.Size()
	signed := info.Type == Signed || info.Type == QuantizedSigned
	for i := range t.Len() {
		v := item(items, i*info.Bits, info.Bits)
		if signed && v>>(info.Bits-1) != 0 {
			v |= ^uint64(0) << info.Bits
		}
		put(dst[i*size:(i+1)*size], v)
	}
	return t, nil
}

// littleEndian says whether elements in memory look as they do in files.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

func swap(dst, src []byte, size int) {
	for i := 0; i < len(dst); i += size {
		for k := range size {
			dst[i+k] = src[i+size-1-k]
		}
	}
}

// item returns the bits from position at. Packed items begin with the most significant bit of a byte, as the tools in
// the field write them.
func item(data []byte, at, n int) uint64 {
	if n%8 == 0 {
		var v uint64
		for k := range n / 8 {
			v |= uint64(data[at/8+k]) << (8 * k)
		}
		return v
	}
	var v uint64
	for k := at; k < at+n; k++ {
		v = v<<1 | uint64(data[k/8]>>(7-k%8)&1)
	}
	return v
}

// put stores the low bytes of v in the machine's order.
func put(dst []byte, v uint64) {
	switch len(dst) {
	case 1:
		dst[0] = byte(v)
	case 2:
		binary.NativeEndian.PutUint16(dst, uint16(v))
	case 4:
		binary.NativeEndian.PutUint32(dst, uint32(v))
	case 8:
		binary.NativeEndian.PutUint64(dst, v)
	}
}

func roundFloat64(bits uint64) float32 {
	f := float32(math.Float64frombits(bits))
	if f != f {
		return tensor.F16(0x7E00).Float32() // the canonical NaN
	}
	return f
}

// Encode writes t as a file of NNEF 1.0.5, the same bytes for the same elements. A bfloat16 tensor, for which the format
// has no item type, is written as the 32-bit floats it equals. A tensor of more than 8 dimensions or 2^32-1 bytes does
// not fit.
func Encode(w io.Writer, t *tensor.Tensor) error {
	if t.DType() == tensor.BFloat16 {
		wide, err := tensor.Cast(t, tensor.Float32)
		if err != nil {
			return err
		}
		t = wide
	}
	t = t.Contiguous()
	if t.Rank() > maxRank {
		return fmt.Errorf("a tensor file holds at most %d dimensions; %v has %d", maxRank, t, t.Rank())
	}
	if size := big.NewInt(int64(len(t.Bytes()))); size.BitLen() > 32 {
		return fmt.Errorf("a tensor file holds at most 2^32-1 bytes; %v has %v", t, size)
	}
	header := make([]byte, HeaderSize)
	le := binary.LittleEndian
	copy(header, []byte{0x4E, 0xEF, 1, 0})
	le.PutUint32(header[4:], uint32(len(t.Bytes())))
	le.PutUint32(header[8:], uint32(t.Rank()))
	for i, n := range t.Shape() {
		if n > math.MaxUint32>>1 {
			return fmt.Errorf("extent %d of dimension %d of %v does not fit a tensor file", n, i, t)
		}
		le.PutUint32(header[12+4*i:], uint32(n))
	}
	le.PutUint32(header[44:], uint32(8*t.DType().Size()))
	le.PutUint16(header[48:], uint16(itemType(t.DType())))
	if _, err := w.Write(header); err != nil {
		return err
	}
	items := t.Bytes()
	if !littleEndian && t.DType().Size() > 1 {
		items = make([]byte, len(t.Bytes()))
		swap(items, t.Bytes(), t.DType().Size())
	}
	_, err := w.Write(items)
	return err
}

func itemType(d tensor.DType) ItemType {
	switch {
	case d.IsFloat():
		return Float
	case d.IsUnsigned():
		return Unsigned
	case d.IsSigned():
		return Signed
	}
	return Bool
}
