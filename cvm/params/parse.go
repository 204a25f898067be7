package params

import (
	"cmp"
	"encoding/binary"
	"math"
	"strconv"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/tensor"
)

// Parse reads a parameter file. Arrays share its memory where alignment and byte order allow it. A name may be repeated; bytes after
// the last array are ignored. Errors are *fault.Error of stage Params, with the offset, in the class of the original. Where the
// original accepts an array that no variable can have (another type, another device) until it meets the variable, Parse refuses the
// file once all arrays are read. It needs little more memory than the file has bytes.
func Parse(data []byte) ([]Param, error) {
	r := &reader{data: data}
	names, err := r.list()
	if err != nil {
		return nil, err
	}
	params := make([]Param, len(names))
	var useless error // the first array that is well-formed but fits no variable
	for i, name := range names {
		offset := r.pos
		t, unfit, err := r.array(i == len(names)-1)
		if err != nil {
			err.Part = name
			return nil, err
		}
		if unfit != nil && useless == nil {
			unfit.Part = name
			useless = unfit
		}
		params[i] = Param{Name: name, Tensor: t, Offset: int64(offset)}
	}
	if useless != nil {
		return nil, useless
	}
	return params, nil
}

// reader reads a parameter file.
type reader struct {
	data []byte
	pos  int
}

// take returns the next n bytes, nil if there are fewer.
func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.data)-r.pos) {
		return nil
	}
	b := r.data[r.pos : r.pos+int(n) : r.pos+int(n)]
	r.pos += int(n)
	return b
}

func (r *reader) uint64() (uint64, bool) {
	b := r.take(8)
	if b == nil {
		return 0, false
	}
	return binary.LittleEndian.Uint64(b), true
}

// failf returns an error at an offset.
func failf(class fault.Class, offset int, want, format string, args ...any) *fault.Error {
	e := fault.New(class, fault.Params, format, args...)
	e.Offset, e.Want = int64(offset), want
	return e
}

func (r *reader) short(class fault.Class, what string) *fault.Error {
	return failf(class, r.pos, "", "the file ends in the %s", what)
}

// list reads everything before the arrays and returns their names.
func (r *reader) list() ([]string, *fault.Error) {
	magic, ok := r.uint64()
	switch {
	case !ok:
		return nil, r.short(fault.Logic, "magic number of the list")
	case magic != listMagic:
		return nil, failf(fault.Logic, 0, hex(listMagic), "the magic number of the list is %s", hex(magic))
	case r.take(8) == nil:
		return nil, r.short(fault.Logic, "reserved bytes of the list")
	}
	at := r.pos
	count, ok := r.uint64()
	if !ok {
		return nil, r.short(fault.Logic, "number of names")
	}
	left := uint64(len(r.data) - r.pos)
	if class := excess(count, maxNames, nameSize); class != fault.OK && count > left/8 {
		return nil, failf(class, at, "", "there cannot be %d names in %d bytes", count, left)
	}
	names := make([]string, 0, min(count, left/8))
	for range count {
		at := r.pos
		length, ok := r.uint64()
		if !ok {
			return nil, r.short(fault.Logic, "length of a name")
		}
		name := r.take(length)
		if name == nil {
			class := cmp.Or(excess(length, maxName, 1), fault.Logic)
			return nil, failf(class, at, "", "a name of %d bytes does not fit in the %d that are left", length, len(r.data)-r.pos)
		}
		names = append(names, string(name))
	}
	at = r.pos
	arrays, ok := r.uint64()
	switch {
	case !ok:
		return nil, r.short(fault.Logic, "number of arrays")
	case arrays != count:
		return nil, failf(fault.Logic, at, strconv.FormatUint(count, 10)+", as many as names", "the number of arrays is %d", arrays)
	}
	return names, nil
}

// What the original can allocate before it sees that the file is too short: more items than C++ containers may have are a logic
// error there, and more bytes than the machine has are a runtime error. Of the latter there are taken to be 3 GiB.
const (
	memory   = 3 << 30
	nameSize = 32
	maxNames = math.MaxInt64 / nameSize
	maxName  = math.MaxInt64 / 2
)

// excess returns the class of the error with which the original fails to allocate so many items of a size; OK if it does not.
func excess(count, most, size uint64) fault.Class {
	switch {
	case count > most:
		return fault.Logic
	case count > memory/size:
		return fault.Runtime
	}
	return fault.OK
}

// header has the fields of an array before its data.
type header struct {
	offset     int // of the first
	device     int32
	code, bits uint8
	lanes      uint16
	dims       []int64
}

// array reads an array. Other than err, unfit says that no variable can have the array, which is not read then.
func (r *reader) array(last bool) (t *tensor.Tensor, unfit, err *fault.Error) {
	h, err := r.header()
	if err != nil {
		return nil, nil, err
	}
	at := r.pos
	size, ok := r.uint64()
	if !ok {
		return nil, nil, r.short(fault.Runtime, "size of an array")
	}
	want, err := h.size()
	if err != nil {
		return nil, nil, err
	}
	switch left := len(r.data) - r.pos; {
	case size != want:
		return nil, nil, failf(fault.Runtime, at, strconv.FormatUint(want, 10)+", which its shape and type take",
			"the size of the array is %d bytes", int64(size))
	case size == 0:
		return nil, nil, failf(fault.Runtime, at, "at least one element", "the array is empty")
	case size <= uint64(left):
	case last && left > 0: // the original leaves the rest of the array undefined
		return nil, nil, failf(fault.Logic, r.pos, strconv.FormatUint(size, 10), "the file has %d bytes of the last array", left)
	default:
		return nil, nil, r.short(fault.Runtime, "data of an array")
	}
	data := r.take(size)
	shape, unfit := h.shape()
	if unfit != nil {
		return nil, unfit, nil
	}
	t, failure := tensor.FromRaw(types[h.bits], shape, data)
	if failure != nil {
		return nil, nil, failf(fault.Logic, h.offset, "", "%v", failure)
	}
	return t, nil, nil
}

// header reads the fields of an array that stand before the size.
func (r *reader) header() (*header, *fault.Error) {
	h := &header{offset: r.pos}
	b := r.take(32)
	if b == nil {
		return nil, r.short(fault.Runtime, "header of an array")
	}
	if magic := binary.LittleEndian.Uint64(b); magic != arrayMagic {
		return nil, failf(fault.Runtime, h.offset, hex(arrayMagic), "the magic number of the array is %s", hex(magic))
	}
	h.device = int32(binary.LittleEndian.Uint32(b[16:]))
	rank := int32(binary.LittleEndian.Uint32(b[24:]))
	h.code, h.bits, h.lanes = b[28], b[29], binary.LittleEndian.Uint16(b[30:])
	if rank < 0 {
		return nil, failf(fault.Logic, h.offset+24, "", "the rank of the array is %d", rank)
	}
	dims := r.take(uint64(rank) * 8)
	if dims == nil {
		return nil, r.short(fault.Runtime, "shape of an array")
	}
	h.dims = make([]int64, rank)
	for i := range h.dims {
		h.dims[i] = int64(binary.LittleEndian.Uint64(dims[8*i:]))
	}
	return h, nil
}

// size returns the bytes of the data that belong to the header, by the arithmetic of the original, which wraps around. It is an error
// if the original has no such type or device, or could not allocate the array.
func (h *header) size() (uint64, *fault.Error) {
	bits, lanes := uint64(h.bits), uint64(h.lanes)
	align := max(bits/8*lanes, 64)
	elements := uint64(1)
	for _, d := range h.dims {
		elements *= uint64(d)
	}
	const codeUint, oneBit = 1, 1
	switch {
	case lanes == 0, (bits%8 != 0 || bits&(bits-1) != 0) && (h.code != codeUint || bits != oneBit):
		return 0, failf(fault.Runtime, h.offset+28, "a signed integer of 8 or 32 bits", "there is no %s", h.typeName())
	case h.device != deviceCPU && h.device != deviceFormal:
		return 0, failf(fault.Runtime, h.offset+16, "1, the CPU", "the device of the array is %d", h.device)
	case align&(align-1) != 0, elements*((bits*lanes+7)/8) > memory:
		return 0, failf(fault.Runtime, h.offset+24, "", "an array of shape %v of %s cannot be allocated", h.dims, h.typeName())
	}
	return elements * ((bits + 7) / 8), nil
}

// shape returns the shape of an array that a variable can have; else what forbids it.
func (h *header) shape() (tensor.Shape, *fault.Error) {
	switch {
	case h.code != codeInt || types[h.bits] == tensor.Invalid || h.lanes != 1:
		return nil, failf(fault.Logic, h.offset+28, "a signed integer of 8 or 32 bits", "the type of the array is %s", h.typeName())
	case h.device != deviceCPU:
		return nil, failf(fault.Logic, h.offset+16, "1, the CPU", "the device of the array is %d", h.device)
	}
	shape := make(tensor.Shape, len(h.dims))
	for i, d := range h.dims {
		if d < 0 || d > math.MaxInt {
			return nil, failf(fault.Logic, h.offset+32+8*i, "", "extent %d of the array is %d", i, d)
		}
		shape[i] = int(d)
	}
	if err := shape.Check(); err != nil {
		return nil, failf(fault.Logic, h.offset+24, "", "%v", err)
	}
	return shape, nil
}

// typeName describes the element type.
func (h *header) typeName() string {
	return "type with code " + strconv.Itoa(int(h.code)) + ", " + strconv.Itoa(int(h.bits)) + " bits and " +
		strconv.Itoa(int(h.lanes)) + " lanes"
}

func hex(v uint64) string { return "0x" + strconv.FormatUint(v, 16) }
