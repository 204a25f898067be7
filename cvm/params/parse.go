package params

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/tensor"
)

// Parse reads a parameter file. Arrays share its memory where alignment and byte order allow it. A name may be repeated; bytes after
// the last array are ignored. Errors are *fault.Error of stage Params, with the offset, in the class of the original. Where the
// original accepts an array that no variable can have (another type, another device) until it meets the variable, Parse refuses the
// file once all arrays are read. It needs little more memory than the file has bytes.
func Parse(data []byte) (params []Param, err error) {
	r := &reader{data: data}
	name := ""
	defer func() {
		if e := fault.Caught(recover()); e != nil {
			e.Part = name
			params, err = nil, e
		}
	}()
	names := r.list()
	params = make([]Param, len(names))
	var useless *fault.Error // why the first array that is well-formed fits no variable
	for i := range names {
		name = names[i]
		offset := r.pos
		t, unfit := r.array(i == len(names)-1)
		if unfit != nil && useless == nil {
			useless = unfit.With(name, unfit.Want)
		}
		params[i] = Param{Name: name, Tensor: t, Offset: int64(offset)}
	}
	if useless != nil {
		return nil, useless
	}
	return params, nil
}

// reader reads a parameter file. What it cannot read is a panic with a *fault.Error.
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

// need returns the next n bytes, which belong to something.
func (r *reader) need(n uint64, class fault.Class, what string) []byte {
	b := r.take(n)
	if b == nil {
		panic(failure(class, r.pos, "", "the file ends in the %s", what))
	}
	return b
}

func (r *reader) uint64(class fault.Class, what string) uint64 {
	return le.Uint64(r.need(8, class, what))
}

// failure returns an error at an offset. A panic with it ends reading.
func failure(class fault.Class, offset int, want, format string, args ...any) *fault.Error {
	e := fault.New(class, fault.Params, format, args...).With("", want)
	e.Offset = int64(offset)
	return e
}

// list reads everything before the arrays and returns their names.
func (r *reader) list() []string {
	if magic := r.uint64(fault.Logic, "magic number of the list"); magic != listMagic {
		panic(failure(fault.Logic, 0, hex(listMagic), "the magic number of the list is %s", hex(magic)))
	}
	r.need(8, fault.Logic, "reserved bytes of the list")
	at := r.pos
	count := r.uint64(fault.Logic, "number of names")
	left := uint64(len(r.data) - r.pos)
	if class := excess(count, maxNames, nameSize); class != fault.OK && count > left/8 {
		panic(failure(class, at, "", "there cannot be %d names in %d bytes", count, left))
	}
	names := make([]string, 0, min(count, left/8))
	for range count {
		at := r.pos
		length := r.uint64(fault.Logic, "length of a name")
		name := r.take(length)
		if name == nil {
			class := cmp.Or(excess(length, maxName, 1), fault.Logic)
			panic(failure(class, at, "", "a name of %d bytes does not fit in the %d that are left", length, len(r.data)-r.pos))
		}
		names = append(names, string(name))
	}
	at = r.pos
	if arrays := r.uint64(fault.Logic, "number of arrays"); arrays != count {
		panic(failure(fault.Logic, at, strconv.FormatUint(count, 10)+", as many as names", "the number of arrays is %d", arrays))
	}
	return names
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

// array is what stands before the data of an array.
type array struct {
	header
	offset int // in the file
	dims   []int64
}

// array reads an array. unfit says why no variable can have it, which is not read then.
func (r *reader) array(last bool) (t *tensor.Tensor, unfit *fault.Error) {
	h := r.header()
	at := r.pos
	size, want := r.uint64(fault.Runtime, "size of an array"), h.size()
	switch left := len(r.data) - r.pos; {
	case size != want:
		panic(failure(fault.Runtime, at, strconv.FormatUint(want, 10)+", which its shape and type take", "the size of the array is %d bytes", int64(size)))
	case size == 0:
		panic(failure(fault.Runtime, at, "at least one element", "the array is empty"))
	case size > uint64(left) && last && left > 0: // the original leaves the rest of the array undefined
		panic(failure(fault.Logic, r.pos, strconv.FormatUint(size, 10), "the file has %d bytes of the last array", left))
	}
	data := r.need(size, fault.Runtime, "data of an array")
	shape, unfit := h.shape()
	if unfit != nil {
		return nil, unfit
	}
	t, err := tensor.FromRaw(types[h.Bits], shape, data)
	if err != nil {
		panic(failure(fault.Logic, h.offset, "", "%v", err))
	}
	return t, nil
}

// header reads what stands before the size.
func (r *reader) header() *array {
	h := &array{offset: r.pos}
	_, _ = binary.Decode(r.need(32, fault.Runtime, "header of an array"), le, &h.header) // which has so many bytes
	if h.Magic != arrayMagic {
		panic(failure(fault.Runtime, h.offset, hex(arrayMagic), "the magic number of the array is %s", hex(h.Magic)))
	}
	if h.Rank < 0 {
		panic(failure(fault.Logic, h.offset+24, "", "the rank of the array is %d", h.Rank))
	}
	dims := r.need(uint64(h.Rank)*8, fault.Runtime, "shape of an array")
	h.dims = make([]int64, h.Rank)
	_, _ = binary.Decode(dims, le, h.dims)
	return h
}

// size returns the bytes of the data that belong to the header, by the arithmetic of the original, which wraps around. It is an error
// if the original has no such type or device, or could not allocate the array.
func (h *array) size() uint64 {
	bits, lanes := uint64(h.Bits), uint64(h.Lanes)
	align := max(bits/8*lanes, 64)
	elements := uint64(1)
	for _, d := range h.dims {
		elements *= uint64(d)
	}
	const codeUint, oneBit = 1, 1
	switch {
	case lanes == 0, (bits%8 != 0 || bits&(bits-1) != 0) && (h.Code != codeUint || bits != oneBit):
		panic(failure(fault.Runtime, h.offset+28, "a signed integer of 8 or 32 bits", "there is no %s", h.typeName()))
	case h.Device != deviceCPU && h.Device != deviceFormal:
		panic(failure(fault.Runtime, h.offset+16, "1, the CPU", "the device of the array is %d", h.Device))
	case align&(align-1) != 0, elements*((bits*lanes+7)/8) > memory:
		panic(failure(fault.Runtime, h.offset+24, "", "an array of shape %v of %s cannot be allocated", h.dims, h.typeName()))
	}
	return elements * ((bits + 7) / 8)
}

// shape returns the shape of an array that a variable can have; else what forbids it.
func (h *array) shape() (tensor.Shape, *fault.Error) {
	switch {
	case h.Code != codeInt || types[h.Bits] == tensor.Invalid || h.Lanes != 1:
		return nil, failure(fault.Logic, h.offset+28, "a signed integer of 8 or 32 bits", "the type of the array is %s", h.typeName())
	case h.Device != deviceCPU:
		return nil, failure(fault.Logic, h.offset+16, "1, the CPU", "the device of the array is %d", h.Device)
	}
	shape := make(tensor.Shape, len(h.dims))
	for i, d := range h.dims {
		if d < 0 || d > math.MaxInt {
			return nil, failure(fault.Logic, h.offset+32+8*i, "", "extent %d of the array is %d", i, d)
		}
		shape[i] = int(d)
	}
	if err := shape.Check(); err != nil {
		return nil, failure(fault.Logic, h.offset+24, "", "%v", err)
	}
	return shape, nil
}

// typeName describes the element type.
func (h *array) typeName() string {
	return fmt.Sprintf("type with code %d, %d bits and %d lanes", h.Code, h.Bits, h.Lanes)
}

func hex(v uint64) string { return "0x" + strconv.FormatUint(v, 16) }
