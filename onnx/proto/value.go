package proto

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/concord-nn/concord/tensor"
)

// Files finds the files beside a model that have elements of its tensors. The bytes are shared by tensors and must not change.
type Files interface {
	ReadFile(name string) ([]byte, error)
}

// typedField is a field of a message that holds elements, as many bytes as the type has, or a byte if that is less.
type typedField struct {
	name string
	len  func(t *Tensor) int
	// view returns a tensor of the elements where they are. Where it is nil, put puts them into dst, which has room for all, in the machine's byte order.
	view func(t *Tensor, shape []int) (*tensor.Tensor, error)
	put  func(dst []byte, t *Tensor) error
}

// The fields for elements that are not raw.
var (
	floatData  = whole("float_data", func(t *Tensor) []float32 { return t.FloatData })
	int32Data  = &typedField{"int32_data", func(t *Tensor) int { return len(t.Int32Data) }, nil, putInts}
	int64Data  = whole("int64_data", func(t *Tensor) []int64 { return t.Int64Data })
	doubleData = whole("double_data", func(t *Tensor) []float64 { return t.DoubleData })
	uint64Data = &typedField{"uint64_data", func(t *Tensor) int { return len(t.Uint64Data) }, nil, putUint64s}
	typedData  = []*typedField{floatData, int32Data, int64Data, doubleData, uint64Data}
)

// whole is a field whose numbers are the elements.
func whole[T tensor.Element](name string, get func(t *Tensor) []T) *typedField {
	return &typedField{name: name, len: func(t *Tensor) int { return len(get(t)) },
		view: func(t *Tensor, shape []int) (*tensor.Tensor, error) { return tensor.FromSlice(get(t), shape...) }}
}

// Value returns the tensor that a message stands for. It shares memory with raw data, with lists of its own type, and with files, where alignment and the machine's
// byte order allow. files finds external data; if it is nil, there is none. Elements of strings, complex numbers and the like are an
// [UnsupportedError]. Nothing is allocated before the message is known to have as many elements as its shape.
func (t *Tensor) Value(files Files) (*tensor.Tensor, error) {
	if t == nil {
		return nil, errors.New("the tensor is nil")
	}
	d, err := t.DataType.DType()
	if err != nil {
		return nil, err
	}
	shape, err := shapeOf(t.Dims)
	if err != nil {
		return nil, err
	}
	typed := dataTypes[t.DataType].field
	for _, f := range typedData {
		if n := f.len(t); n > 0 && (f != typed || t.RawData != nil || t.DataLocation != DataDefault) {
			return nil, fmt.Errorf("%d elements stand in %s; those of type %v must stand in %s, or else in raw_data or a file",
				n, f.name, t.DataType, typed.name)
		}
	}
	switch {
	case t.Segment != nil:
		return nil, errors.New("the message is a segment of a tensor; tensors in segments are not supported")
	case t.DataLocation == DataExternal:
		raw, err := t.external(files, d.Bytes(shape.Len()))
		if err != nil {
			return nil, err
		}
		return fromRaw(d, shape, raw)
	case t.DataLocation != DataDefault:
		return nil, fmt.Errorf("data_location %d is not known; it must be 0 (DEFAULT) or 1 (EXTERNAL)", t.DataLocation)
	case t.RawData != nil:
		return fromRaw(d, shape, t.RawData)
	}
	return fromTyped(t, d, shape, typed)
}

// shapeOf returns dimensions as a shape that tensors can have.
func shapeOf(dims []int64) (tensor.Shape, error) {
	if len(dims) > tensor.MaxRank {
		return nil, fmt.Errorf("dims has %d extents; at most %d are supported", len(dims), tensor.MaxRank)
	}
	shape := make(tensor.Shape, len(dims))
	for i, n := range dims {
		if n < 0 || n > math.MaxInt {
			return nil, fmt.Errorf("dims[%d] is %d, which is no extent of a tensor", i, n)
		}
		shape[i] = int(n)
	}
	if err := shape.Check(); err != nil {
		return nil, fmt.Errorf("dims: %w", err)
	}
	return shape, nil
}

// fromRaw makes a tensor of little-endian elements. It copies them if some of their bits must be others: every bool but 0 is true, and what
// is left of the last byte of packed elements does not count.
func fromRaw(d tensor.DType, shape tensor.Shape, raw []byte) (*tensor.Tensor, error) {
	if want := d.Bytes(shape.Len()); want != len(raw) {
		return nil, fmt.Errorf("the raw data has %d bytes; %v%v takes %d", len(raw), d, shape, want)
	}
	if rest := shape.Len() * d.Bits() % 8; rest > 0 && raw[len(raw)-1]>>rest != 0 {
		raw = bytes.Clone(raw)
		raw[len(raw)-1] &= 1<<rest - 1
	}
	if d == tensor.Bool {
		raw = bools(raw)
	}
	return tensor.FromRaw(d, shape, raw)
}

// bools returns bytes that are 0 or 1: those given or, if there are others, a copy.
func bools(raw []byte) []byte {
	for i, b := range raw {
		if b <= 1 {
			continue
		}
		clean := bytes.Clone(raw)
		for k := i; k < len(clean); k++ {
			clean[k] = min(clean[k], 1)
		}
		return clean
	}
	return raw
}

// fromTyped makes a tensor of the elements in a typed field.
func fromTyped(t *Tensor, d tensor.DType, shape tensor.Shape, f *typedField) (*tensor.Tensor, error) {
	size := d.Bytes(shape.Len())
	if want := size / max(d.Size(), 1); want != f.len(t) {
		return nil, fmt.Errorf("there are %d numbers in %s; %v%v takes %d", f.len(t), f.name, d, shape, want)
	}
	if f.view != nil {
		return f.view(t, shape)
	}
	mem := tensor.AlignedBytes(size)
	if err := f.put(mem, t); err != nil {
		return nil, err
	}
	if rest := shape.Len() * d.Bits() % 8; rest > 0 {
		mem[size-1] &= 1<<rest - 1
	}
	if d == tensor.Bool {
		mem = bools(mem)
	}
	return tensor.FromBytes(d, shape, mem)
}

func putUint64s(dst []byte, t *Tensor) error {
	if t.DataType == Uint64 {
		for i, v := range t.Uint64Data {
			binary.NativeEndian.PutUint64(dst[8*i:], v)
		}
		return nil
	}
	for i, v := range t.Uint64Data {
		if v > math.MaxUint32 {
			return fmt.Errorf("uint64_data[%d] is %d, which %v cannot be", i, v, t.DataType)
		}
		binary.NativeEndian.PutUint32(dst[4*i:], uint32(v))
	}
	return nil
}

// putInts stores the low bits of numbers. Others than those of the sign must be zero.
func putInts(dst []byte, t *Tensor) error {
	if len(t.Int32Data) == 0 {
		return nil
	}
	size := len(dst) / len(t.Int32Data)
	for i, v := range t.Int32Data {
		if over := v >> (8*size - 1) >> 1; over != 0 && v>>(8*size-1) != -1 {
			return fmt.Errorf("int32_data[%d] is %d, which does not fit the %d bits of %v", i, v, 8*size, t.DataType)
		}
		switch size {
		case 1:
			dst[i] = byte(v)
		case 2:
			binary.NativeEndian.PutUint16(dst[2*i:], uint16(v))
		default:
			binary.NativeEndian.PutUint32(dst[4*i:], uint32(v))
		}
	}
	return nil
}
