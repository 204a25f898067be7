package tensorfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

// ItemType says how the items of a file are coded.
type ItemType uint16

// The item types of NNEF 1.0.5. Quantized items are codes whose meaning the model's graph.quant states.
const (
	Float             ItemType = 0
	Unsigned          ItemType = 1
	QuantizedUnsigned ItemType = 2
	QuantizedSigned   ItemType = 3
	Signed            ItemType = 4
	Bool              ItemType = 5
)

// The vendors of item types.
const (
	Khronos uint16 = 0
	Tract   uint16 = 0x5452 // the engine tract
)

// HeaderSize is the length of the header of NNEF 1.0.
const HeaderSize = 128

// MaxRank is the number of extents that a header of NNEF 1.0 has room for.
const MaxRank = 8

// Offsets of the fields of a header of NNEF 1.0.
const (
	atVersion   = 2
	atLength    = 4
	atRank      = 8
	atExtents   = 12
	atBits      = 44
	atType      = 48
	atVendor    = 50
	atParameter = 52
)

// Info is what a header says beside the shape.
type Info struct {
	Type         ItemType
	Vendor       uint16  // whose item type it is, Khronos or Tract
	Bits         int     // of one item, as stored; 0 if items share bits in blocks
	Provisional  bool    // the file has the header of the provisional standard
	Quantization string  // the algorithm that a provisional header holds, or ""
	Ranged       bool    // the deprecated parameters Min and Max say what quantized items mean
	Min, Max     float32 // the numbers that the least and the greatest code stand for, if Ranged

	block *block // for items in blocks
}

// Quantized reports whether the items are codes.
func (i Info) Quantized() bool { return i.Type == QuantizedUnsigned || i.Type == QuantizedSigned }

// DType names the type of the items as stored: float16, float64, uint4, int12, bool.
func (i Info) DType() string {
	switch {
	case i.block != nil:
		return i.block.name
	case i.Type == Bool:
		return "bool"
	}
	return fmt.Sprint(itemTypes[i.Type].short, i.Bits)
}

func (i Info) signed() bool { return i.Type == Signed || i.Type == QuantizedSigned }

// errorAt is a violation of the format at a byte of the file. The message says what is wrong and, behind a semicolon, what would be right.
func errorAt(offset int, format string, args ...any) error {
	return fmt.Errorf("byte %d: "+format, append([]any{offset}, args...)...)
}

// File is a tensor file whose header was read.
type File struct {
	Info
	Shape tensor.Shape
	items []byte
}

// Parse reads the header of a file and checks that exactly the announced items follow. It does not touch the items.
// Errors name a byte of the file.
func Parse(data []byte) (*File, error) {
	le := binary.LittleEndian
	switch {
	case len(data) == 0:
		return nil, errorAt(0, "the file is empty; a tensor file has a header of %d bytes", HeaderSize)
	case len(data) < atExtents:
		return nil, errorAt(len(data), "the file ends within the header")
	case data[0] != 0x4E || data[1] != 0xEF:
		return nil, errorAt(0, "the file begins with %02X %02X; a tensor file begins with 4E EF", data[0], data[1])
	case data[2] != 1 || data[3] != 0:
		return nil, errorAt(atVersion, "the version is %d.%d; tensor files of NNEF 1.0 to 1.0.5 have version 1.0", data[2], data[3])
	}
	// A provisional header has the offset of the items where a final one has their length in bytes. A file may be both by
	// its size, if it has 128 bytes of items; it is of the standard by which all else is right then.
	word, rank := int64(le.Uint32(data[atLength:])), int64(le.Uint32(data[atRank:]))
	if rank <= tensor.MaxRank && word >= 16+4*rank && word <= int64(len(data)) && int64(le.Uint16(data[14+4*rank:])) == word-16-4*rank {
		f, err := parseProvisional(data, int(rank), int(word))
		if _, final := parseFinal(data); int64(len(data)) != HeaderSize+word || err == nil && final != nil {
			return f, err
		}
	}
	return parseFinal(data)
}

func parseFinal(data []byte) (*File, error) {
	le := binary.LittleEndian
	if len(data) < HeaderSize {
		return nil, errorAt(len(data), "the file ends within the header of %d bytes", HeaderSize)
	}
	length, rank := uint64(le.Uint32(data[atLength:])), le.Uint32(data[atRank:])
	if rank > MaxRank {
		return nil, errorAt(atRank, "the rank is %d; the header has room for the extents of %d dimensions", rank, MaxRank)
	}
	shape, err := extents(data, int(rank))
	if length != uint64(len(data)-HeaderSize) {
		return nil, lengthError(data, shape, length)
	}
	if err != nil {
		return nil, err
	}
	f := &File{Shape: shape, items: data[HeaderSize:]}
	if err := f.finalType(data); err != nil {
		return nil, err
	}
	return f, f.check(atType, atBits)
}

// tail is how many bytes behind the items are looked at to say what they are.
const tail = 4 << 10

// lengthError is the error that other bytes follow a final header than it announces. The shape is nil if it is wrong.
func lengthError(data []byte, shape tensor.Shape, length uint64) error {
	items := data[HeaderSize:]
	got := uint64(len(items))
	width := binary.LittleEndian.Uint32(data[atBits:])
	announced := fmt.Sprintf("the header announces %d bytes of items", length)
	padded := got > length && got-length <= tail && len(bytes.Trim(items[length:], "\x00")) == 0
	switch {
	case shape != nil && width <= 64 && size(shape, int(width)) == got:
		return errorAt(atLength, "%s; %d follow, as many as shape %v of %d-bit items takes: the length must be %d", announced, got, shape, width, got)
	case got == length+4 && (!padded || len(bytes.Trim(items[:4], "\x00")) == 0):
		return errorAt(atLength, "%s; %d follow, as in files of early Khronos NNEF-Tools, whose header is 4 bytes too long; "+
			"repair them with its script fix_nnef_binary_size.py", announced, got)
	case got < length:
		return errorAt(atLength, "%s; only %d follow, so the file is cut off", announced, got)
	case padded:
		return errorAt(atLength, "%s; %d follow, the last %d of them zero; nothing may stand behind the items: cut the file to %d bytes",
			announced, got, got-length, HeaderSize+length)
	}
	return errorAt(atLength, "%s; %d follow; the file must end with the items, after %d bytes", announced, got, HeaderSize+length)
}

// size returns the number of bytes that items of a width take, the greatest number if there is none.
func size(shape tensor.Shape, width int) uint64 {
	over, total := bits.Mul64(uint64(shape.Len()), uint64(width))
	if over != 0 {
		return math.MaxUint64
	}
	return total/8 + min(total%8, 1)
}

// finalType reads the fields of a final header that say what the items are.
func (f *File) finalType(data []byte) error {
	le := binary.LittleEndian
	f.Type, f.Vendor = ItemType(le.Uint16(data[atType:])), le.Uint16(data[atVendor:])
	width := le.Uint32(data[atBits:])
	switch f.Vendor {
	case Khronos:
	case Tract:
		return f.tractType()
	default:
		return errorAt(atVendor, "items of vendor 0x%04X are not supported; they must be Khronos' (0) or tract's (0x%04X)", f.Vendor, Tract)
	}
	f.Bits = int(min(width, math.MaxInt32))
	if width > 64 {
		return errorAt(atBits, "items of %d bits are not allowed; the widest have 64", width)
	}
	switch first, second := le.Uint32(data[atParameter:]), le.Uint32(data[atParameter+4:]); f.Type {
	case Unsigned:
		if first != 0 {
			f.Type = Signed // how versions before 1.0.3 told signed from unsigned
		}
	case QuantizedUnsigned, QuantizedSigned:
		f.Min, f.Max = math.Float32frombits(first), math.Float32frombits(second)
		f.Ranged = first|second != 0
		if f.Ranged && !(f.Min < f.Max && f.Max-f.Min <= math.MaxFloat32) {
			return errorAt(atParameter, "the deprecated parameters say that codes stand for %v to %v; that is no range", f.Min, f.Max)
		}
	case 0x10, 0x11:
		return errorAt(atType, "item type 0x%X means %s quantized codes in files of tools for NNEF 1.0 to 1.0.3, such as early Khronos NNEF-Tools; "+
			"convert the model again with a tool for NNEF 1.0.4 or later, which writes item type 2 or 3 and an entry in graph.quant",
			uint16(f.Type), map[ItemType]string{0x10: "linearly", 0x11: "logarithmically"}[f.Type])
	}
	return nil
}

func parseProvisional(data []byte, rank, start int) (*File, error) {
	at := atExtents + 4*rank
	types := [...]ItemType{Float, QuantizedUnsigned, Signed, Unsigned}
	if int(data[at]) >= len(types) {
		return nil, errorAt(at, "item type %d is not known; those of the provisional standard are 0 (float), 1 (quantized), "+
			"2 (signed integer) and 3 (unsigned integer)", data[at])
	}
	shape, err := extents(data, rank)
	if err != nil {
		return nil, err
	}
	info := Info{Type: types[data[at]], Bits: int(data[at+1]), Provisional: true, Quantization: string(data[at+4 : start])}
	f := &File{Info: info, Shape: shape, items: data[start:]}
	return f, f.check(at, at+1)
}

func extents(data []byte, rank int) (tensor.Shape, error) {
	shape := make(tensor.Shape, rank)
	for i := range shape {
		at := atExtents + 4*i
		n := binary.LittleEndian.Uint32(data[at:])
		if n > limits.TensorFileExtent {
			return nil, errorAt(at, "the extent of dimension %d is %d, which is too large; extents are at most %d", i, n, limits.TensorFileExtent)
		}
		shape[i] = int(n)
	}
	if err := shape.Check(); err != nil {
		return nil, errorAt(atExtents, "%v", err)
	}
	return shape, nil
}

// check reports an item type or width that is not allowed, or a length in bytes other than the items take.
func (f *File) check(typeAt, bitsAt int) error {
	if f.block != nil {
		return f.checkBlocks()
	}
	if int(f.Type) >= len(itemTypes) {
		var list []string
		for i, t := range itemTypes {
			list = append(list, fmt.Sprintf("%d (%s)", i, t.name))
		}
		return errorAt(typeAt, "item type %d is not known; the types are %s", f.Type, strings.Join(list, ", "))
	}
	t := &itemTypes[f.Type]
	if len(t.widths) > 0 && !slices.Contains(t.widths, f.Bits) || f.Bits < 1 || f.Bits > 64 {
		return errorAt(bitsAt, "items of type %d (%s) cannot have %d bits; they have %s", f.Type, t.name, f.Bits, t.text)
	}
	if want := size(f.Shape, f.Bits); want != uint64(len(f.items)) {
		return errorAt(atLength, "shape %v of %d-bit items takes %d bytes; there are %d", f.Shape, f.Bits, want, len(f.items))
	}
	return nil
}

// itemTypes are the names of the item types, the widths, any up to 64 if there are none, and the element types of items of 1…8 bits, 9…16,
// 17…32 and 33…64.
var itemTypes = [...]struct {
	name, short string
	widths      []int
	text        string
	elements    [4]tensor.DType
}{
	Float:             {"float", "float", []int{16, 32, 64}, "16, 32 or 64", [...]tensor.DType{tensor.Invalid, tensor.Float16, tensor.Float32, tensor.Float64}},
	Unsigned:          {"unsigned integer", "uint", nil, "1 to 64", unsigned},
	QuantizedUnsigned: {"unsigned code", "uint", nil, "1 to 64", unsigned},
	QuantizedSigned:   {"signed code", "int", nil, "1 to 64", signed},
	Signed:            {"signed integer", "int", nil, "1 to 64", signed},
	Bool:              {"bool", "bool", []int{1, 8}, "1 or 8", [...]tensor.DType{0: tensor.Bool, 3: tensor.Invalid}},
}

var (
	unsigned = [...]tensor.DType{tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64}
	signed   = [...]tensor.DType{tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64}
)

// ElementType returns the type of the elements of [File.Tensor], which for other than blocks is the narrowest one of whole bytes that holds
// the items.
func (f *File) ElementType() tensor.DType {
	if f.block != nil {
		return tensor.Float32
	}
	return itemTypes[f.Type].elements[bits.Len(uint(f.Bits-1)/8)]
}
