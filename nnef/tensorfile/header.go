package tensorfile

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/concord-nn/concord/tensor"
)

// ItemType says how the items of a file are coded.
type ItemType uint32

// The item types of NNEF 1.0.5. Quantized items are codes whose meaning the model's graph.quant states.
const (
	Float             ItemType = 0
	Unsigned          ItemType = 1
	QuantizedUnsigned ItemType = 2
	QuantizedSigned   ItemType = 3
	Signed            ItemType = 4
	Bool              ItemType = 5
)

// HeaderSize is the length of the header of NNEF 1.0.
const HeaderSize = 128

// maxRank is the number of extents that a header has room for.
const maxRank = 8

// Info is what a header says beside the shape.
type Info struct {
	Type         ItemType
	Bits         int    // of one item, as stored
	Provisional  bool   // the file has the header of the provisional standard
	Quantization string // the algorithm that a provisional header holds, or ""
}

// Quantized reports whether the items are codes.
func (i Info) Quantized() bool { return i.Type == QuantizedUnsigned || i.Type == QuantizedSigned }

// Error is a violation of the format at a byte of the file.
type Error struct {
	Offset int
	Msg    string
}

// Error writes the offset and the message.
func (e *Error) Error() string { return fmt.Sprintf("byte %d: %s", e.Offset, e.Msg) }

func errorAt(offset int, format string, args ...any) error {
	return &Error{offset, fmt.Sprintf(format, args...)}
}

// parseHeader returns what the header says, the shape, and the offset of the items, after checking that exactly the
// announced items follow.
func parseHeader(data []byte) (Info, tensor.Shape, int, error) {
	le := binary.LittleEndian
	switch {
	case len(data) < 12:
		return Info{}, nil, 0, errorAt(len(data), "the file ends within the header")
	case data[0] != 0x4E || data[1] != 0xEF:
		return Info{}, nil, 0, errorAt(0, "the file does not begin with the NNEF magic 4E EF")
	case data[2] != 1 || data[3] != 0:
		return Info{}, nil, 0, errorAt(2, "version %d.%d is not supported; it must be 1.0", data[2], data[3])
	}
	// A provisional header has the offset of the items where a final one has their length in bytes.
	word, rank := int64(le.Uint32(data[4:])), int64(le.Uint32(data[8:]))
	if int64(len(data)) != HeaderSize+word && rank <= maxRank && word >= 16+4*rank && word <= int64(len(data)) {
		text := word - 16 - 4*rank
		if int64(le.Uint16(data[14+4*rank:])) == text {
			return parseProvisional(data, int(rank), int(word))
		}
	}
	return parseFinal(data)
}

func parseFinal(data []byte) (info Info, shape tensor.Shape, offset int, err error) {
	le := binary.LittleEndian
	if len(data) < HeaderSize {
		return info, nil, 0, errorAt(len(data), "the file ends within the header of %d bytes", HeaderSize)
	}
	length, rank := uint64(le.Uint32(data[4:])), le.Uint32(data[8:])
	if rank > maxRank {
		return info, nil, 0, errorAt(8, "rank %d is not allowed; it is at most %d", rank, maxRank)
	}
	if got := uint64(len(data) - HeaderSize); got != length {
		return info, nil, 0, errorAt(4, "the header announces %d bytes of items; %d follow", length, got)
	}
	if vendor := le.Uint16(data[50:]); vendor != 0 {
		return info, nil, 0, errorAt(50, "items of vendor 0x%04X are not supported; they must be Khronos' own (0)", vendor)
	}
	info.Type, info.Bits = ItemType(le.Uint16(data[48:])), int(le.Uint32(data[44:]))
	parameter := le.Uint32(data[52:])
	switch info.Type {
	case Unsigned:
		if parameter != 0 {
			info.Type = Signed // how versions before 1.0.3 told signed from unsigned
		}
	case 0x10, 0x11:
		return info, nil, 0, errorAt(48, "item type 0x%X is a quantized code of a tool older than NNEF 1.0.4; write the file again with a newer one", info.Type)
	}
	if shape, err = extents(data, 12, int(rank)); err != nil {
		return info, nil, 0, err
	}
	return info, shape, HeaderSize, info.check(48, 44, shape, length)
}

func parseProvisional(data []byte, rank, offset int) (info Info, shape tensor.Shape, _ int, err error) {
	at := 12 + 4*rank
	types := [...]ItemType{Float, QuantizedUnsigned, Signed, Unsigned}
	if int(data[at]) >= len(types) {
		return info, nil, 0, errorAt(at, "item type %d is not known; it is at most 3", data[at])
	}
	info = Info{types[data[at]], int(data[at+1]), true, string(data[at+4 : offset])}
	if shape, err = extents(data, 12, rank); err != nil {
		return info, nil, 0, err
	}
	return info, shape, offset, info.check(at, at+1, shape, uint64(len(data)-offset))
}

func extents(data []byte, at, rank int) (tensor.Shape, error) {
	shape := make(tensor.Shape, rank)
	for i := range shape {
		n := binary.LittleEndian.Uint32(data[at+4*i:])
		if n > 1<<31-1 {
			return nil, errorAt(at+4*i, "extent %d of dimension %d is too large", n, i)
		}
		shape[i] = int(n)
	}
	if err := shape.Check(); err != nil {
		return nil, errorAt(at, "%v", err)
	}
	return shape, nil
}

// check reports an item type or width that is not allowed, or a length in bytes other than the items take.
func (i Info) check(typeAt, bitsAt int, shape tensor.Shape, length uint64) error {
	allowed := false
	switch i.Type {
	case Float:
		allowed = i.Bits == 16 || i.Bits == 32 || i.Bits == 64
	case Bool:
		allowed = i.Bits == 1 || i.Bits == 8
	case Unsigned, Signed, QuantizedUnsigned, QuantizedSigned:
		allowed = i.Bits >= 1 && i.Bits <= 64
	default:
		return errorAt(typeAt, "item type %d is not known; it is at most %d", i.Type, Bool)
	}
	if !allowed {
		return errorAt(bitsAt, "items of type %d cannot have %d bits", i.Type, i.Bits)
	}
	over, total := bits.Mul64(uint64(shape.Len()), uint64(i.Bits))
	if want := total/8 + min(total%8, 1); over != 0 || want != length {
		return errorAt(4, "shape %v of %d-bit items takes %d bytes; there are %d", shape, i.Bits, want, length)
	}
	return nil
}

// dtype returns the narrowest element type that holds the items; 64-bit floats become float32.
func (i Info) dtype() tensor.DType {
	widths := map[ItemType][]tensor.DType{
		Float:    {tensor.Float16, tensor.Float16, tensor.Float32, tensor.Float32},
		Unsigned: {tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64},
		Signed:   {tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64},
	}
	class := bits.Len(uint(i.Bits-1) / 8) // 1…8 bits: 0, 9…16: 1, 17…32: 2, 33…64: 3
	switch i.Type {
	case Bool:
		return tensor.Bool
	case QuantizedUnsigned:
		return widths[Unsigned][class]
	case QuantizedSigned:
		return widths[Signed][class]
	}
	return widths[i.Type][class]
}
