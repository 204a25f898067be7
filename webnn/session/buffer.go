package session

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/concord-nn/concord/tensor"
)

const arrayBuffer = "ArrayBuffer"

// view is a type of buffer. A word has the bytes of one element, little-endian.
type view struct {
	name  string
	size  int                           // of an element
	dtype tensor.DType                  // the data type that the elements have, if WebNN has it
	get   func(word uint64) Value       // an element as a page sees it; nil if there are no elements for it to see
	put   func(v Value) (uint64, error) // what a page stores that assigns v to an element
}

// views are the types of buffers. Where two hold a data type, the array that has its name comes first.
var views = []view{
	{"", 1, tensor.Invalid, nil, assigned(toInteger)},
	{arrayBuffer, 1, tensor.Invalid, nil, assigned(toInteger)},
	{"SharedArrayBuffer", 1, tensor.Invalid, nil, assigned(toInteger)},
	{"DataView", 1, tensor.Invalid, nil, assigned(toInteger)},
	{"Int8Array", 1, tensor.Int8, fromInteger[int8], assigned(toInteger)},
	{"Uint8Array", 1, tensor.Uint8, fromInteger[uint8], assigned(toInteger)},
	{"Uint8ClampedArray", 1, tensor.Invalid, fromInteger[uint8], assigned(toClamped)},
	{"Int16Array", 2, tensor.Invalid, fromInteger[int16], assigned(toInteger)},
	{"Float16Array", 2, tensor.Float16, fromFloat16, assigned(toFloat16)},
	{"Uint16Array", 2, tensor.Float16, fromInteger[uint16], assigned(toInteger)}, // see holds
	{"Int32Array", 4, tensor.Int32, fromInteger[int32], assigned(toInteger)},
	{"Uint32Array", 4, tensor.Uint32, fromInteger[uint32], assigned(toInteger)},
	{"Float32Array", 4, tensor.Float32, fromFloat32, assigned(toFloat32)},
	{"Float64Array", 8, tensor.Invalid, fromFloat64, assigned(math.Float64bits)},
	{"BigInt64Array", 8, tensor.Int64, fromInt64, assignedBigInt},
	{"BigUint64Array", 8, tensor.Uint64, fromUint64, assignedBigInt},
}

// viewOf returns the type of buffer of that name, nil if there is none.
func viewOf(name string) *view {
	i := slices.IndexFunc(views, func(w view) bool { return w.name == name })
	if i < 0 {
		return nil
	}
	return &views[i]
}

// TypedArray returns the name of the typed array whose elements have the data type, such as "BigInt64Array" for int64; "" if
// WebNN does not have the type.
func TypedArray(d tensor.DType) string {
	i := slices.IndexFunc(views, func(w view) bool { return d != tensor.Invalid && w.dtype == d })
	if i < 0 {
		return ""
	}
	return views[i].name
}

// set writes element i of a buffer as a page that assigns v to the element does.
func (w *view) set(data []byte, i int, v Value) error {
	bits, err := w.put(v)
	if err != nil {
		return err
	}
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], bits)
	copy(data[i*w.size:], word[:w.size])
	return nil
}

// Elements returns the elements of a typed array as a page sees them, float64 or *big.Int, and false for other buffers.
func (b *Buffer) Elements() ([]Value, bool) {
	b = orZero(b)
	w := viewOf(b.Type)
	if w == nil || w.get == nil {
		return nil, false
	}
	out := make([]Value, len(b.Data)/w.size)
	for i := range out {
		var word [8]byte
		copy(word[:w.size], b.Data[i*w.size:])
		out[i] = w.get(binary.LittleEndian.Uint64(word[:]))
	}
	return out, true
}

// holds says whether a buffer can be the contents of an operand of type d: an array of the type, or bytes. A page without Float16Array
// gives the bits of float16 in a Uint16Array.
func (b *Buffer) holds(d tensor.DType) bool {
	w := viewOf(b.Type)
	return w == nil || w.dtype == d || slices.Contains([]string{"", arrayBuffer, "SharedArrayBuffer", "Uint8Array"}, w.name)
}

func fromInteger[T int8 | uint8 | int16 | uint16 | int32 | uint32](word uint64) Value {
	return float64(T(word))
}

func fromFloat16(word uint64) Value { return float64(tensor.F16(word).Float32()) }
func fromFloat32(word uint64) Value { return float64(math.Float32frombits(uint32(word))) }
func fromFloat64(word uint64) Value { return math.Float64frombits(word) }
func fromInt64(word uint64) Value   { return big.NewInt(int64(word)) }
func fromUint64(word uint64) Value  { return new(big.Int).SetUint64(word) }

func toFloat16(f float64) uint64 { return uint64(tensor.RoundF16(f)) }
func toFloat32(f float64) uint64 { return uint64(math.Float32bits(float32(f))) }
func toInteger(f float64) uint64 { return uint64(modulo32(f)) }
func toClamped(f float64) uint64 { return toInteger(math.RoundToEven(min(max(f, 0), 255))) }

// assigned stores a number that is written by bits.
func assigned(bits func(f float64) uint64) func(Value) (uint64, error) {
	return func(v Value) (uint64, error) {
		f, ok := number(v).(float64)
		if !ok {
			return 0, fmt.Errorf("the value is %s; it must be a number", nameOf(v))
		}
		return bits(f), nil
	}
}

// assignedBigInt stores an integer of 64 bits.
func assignedBigInt(v Value) (uint64, error) {
	n, err := toBigInt(v)
	if err != nil {
		return 0, err
	}
	return wrap(n), nil
}

// wrap returns n modulo 2^64.
func wrap(n *big.Int) uint64 {
	mask := new(big.Int).SetUint64(math.MaxUint64)
	return new(big.Int).And(n, mask).Uint64() // And works on two's complement
}

// modulo32 returns the integer part of f modulo 2^32; NaN and infinities give 0.
func modulo32(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	m := math.Mod(math.Trunc(f), 1<<32)
	if m < 0 {
		m += 1 << 32
	}
	return m + 0 // -0 becomes 0
}

func toBigInt(v Value) (*big.Int, error) {
	switch v := v.(type) {
	case *big.Int:
		return v, nil
	case string: // the elements of 64-bit arrays are written so
		if n, ok := readBigInt(v); ok {
			return n, nil
		}
	case float64: // a page refuses these, but the value is clear
		if v == math.Trunc(v) && math.Abs(v) < 1<<63 {
			return big.NewInt(int64(v)), nil
		}
	}
	return nil, fmt.Errorf("%v is no integer", v)
}
