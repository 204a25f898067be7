package tensor

import "fmt"

// DType is the type of a tensor's elements.
type DType uint8

// The element types. Float16 and BFloat16 are storage types: arithmetic widens them to float32 and rounds once.
//
// Types of 4 and 2 bits are packed: a byte holds two or four elements, the first in its lowest bits. What no element takes of the last
// byte is zero. Floats of 8 and 4 bits are stored, moved and cast: [SmallFloat32] says what their codes stand for. No Go type stands for
// either: [Cast] converts, and [Tensor.Bytes] shows the bytes.
const (
	Invalid DType = iota
	Bool
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float16
	BFloat16
	Float32
	Float64
	Int4
	Uint4
	Int2
	Uint2
	Float4E2M1     // a sign, 2 bits of exponent, 1 of fraction; finite (OCP MX)
	Float8E4M3FN   // a sign, 4 bits of exponent, 3 of fraction; no infinities
	Float8E4M3FNUZ // likewise, with one zero and one NaN
	Float8E5M2     // a sign, 5 bits of exponent, 2 of fraction, as IEEE 754 would have it
	Float8E5M2FNUZ // likewise, without infinities, with one zero and one NaN
	Float8E8M0     // a power of two from 2^-127 to 2^127, or NaN (OCP MX)
	numDTypes
)

// NumDTypes is the number of DType values, Invalid included; it sizes tables indexed by DType.
const NumDTypes = int(numDTypes)

var dtypes = [numDTypes]struct {
	name string
	bits int
	kind kind
}{
	Invalid:  {"invalid", 0, 0},
	Bool:     {"bool", 8, logical},
	Int8:     {"int8", 8, signed},
	Int16:    {"int16", 16, signed},
	Int32:    {"int32", 32, signed},
	Int64:    {"int64", 64, signed},
	Uint8:    {"uint8", 8, unsigned},
	Uint16:   {"uint16", 16, unsigned},
	Uint32:   {"uint32", 32, unsigned},
	Uint64:   {"uint64", 64, unsigned},
	Float16:  {"float16", 16, float},
	BFloat16: {"bfloat16", 16, float},
	Float32:  {"float32", 32, float},
	Float64:  {"float64", 64, float},
	Int4:     {"int4", 4, signed},
	Uint4:    {"uint4", 4, unsigned},
	Int2:     {"int2", 2, signed},
	Uint2:    {"uint2", 2, unsigned},

	Float4E2M1:     {"float4e2m1", 4, smallFloat},
	Float8E4M3FN:   {"float8e4m3fn", 8, smallFloat},
	Float8E4M3FNUZ: {"float8e4m3fnuz", 8, smallFloat},
	Float8E5M2:     {"float8e5m2", 8, smallFloat},
	Float8E5M2FNUZ: {"float8e5m2fnuz", 8, smallFloat},
	Float8E8M0:     {"float8e8m0", 8, smallFloat},
}

// kind is what the elements of a type are; 0 is that of no valid type.
type kind uint8

const (
	logical kind = iota + 1
	signed
	unsigned
	float
	smallFloat
)

func (d DType) kind() kind {
	if d >= numDTypes {
		return 0
	}
	return dtypes[d].kind
}

// DTypes lists every valid element type in ascending order.
func DTypes() []DType {
	all := make([]DType, 0, numDTypes-1)
	for d := Bool; d < numDTypes; d++ {
		all = append(all, d)
	}
	return all
}

// String returns the type's lower-case name: "float32", "int8", "bool".
func (d DType) String() string {
	if d >= numDTypes {
		return fmt.Sprintf("dtype(%d)", uint8(d))
	}
	return dtypes[d].name
}

// ParseDType returns the type of the given name, as String writes it.
func ParseDType(name string) (DType, error) {
	for d := Bool; d < numDTypes; d++ {
		if dtypes[d].name == name {
			return d, nil
		}
	}
	return Invalid, fmt.Errorf("unknown element type %q", name)
}

// Bits returns the bits that one element takes in memory: 8 for a bool, 0 for Invalid.
func (d DType) Bits() int {
	if d >= numDTypes {
		return 0
	}
	return dtypes[d].bits
}

// Size returns the bytes that one element takes; 0 for Invalid and for the packed types, of which an element takes less than one:
// [DType.Bytes] has the size of many.
func (d DType) Size() int { return d.Bits() / 8 }

// Bytes returns the bytes that n elements take, rounded up to a whole one. It cannot overflow if n is at most [MaxElements].
func (d DType) Bytes(n int) int {
	if size := d.Size(); size > 0 {
		return n * size
	}
	return n/8*d.Bits() + (n%8*d.Bits()+7)/8
}

// IsPacked reports whether a byte holds several elements of type d, which take 4 or 2 bits.
func (d DType) IsPacked() bool { return d.PerByte() > 1 }

// PerByte returns how many elements of type d a byte holds: 4, 2, or 1 for a type of whole bytes.
func (d DType) PerByte() int {
	if bits := d.Bits(); 0 < bits && bits < 8 {
		return 8 / bits
	}
	return 1
}

// IsFloat reports whether d is float16, bfloat16, float32 or float64.
func (d DType) IsFloat() bool { return d.kind() == float }

// IsSmallFloat reports whether d is a float of 8 or 4 bits, which is stored, moved and cast.
func (d DType) IsSmallFloat() bool { return d.kind() == smallFloat }

// IsHalf reports whether d is a 16-bit float, which is computed in float32.
func (d DType) IsHalf() bool { return d == Float16 || d == BFloat16 }

// IsInteger reports whether d is an integer type, the packed ones among them.
func (d DType) IsInteger() bool { return d.IsSigned() || d.IsUnsigned() }

// IsSigned reports whether d is a signed integer type.
func (d DType) IsSigned() bool { return d.kind() == signed }

// IsUnsigned reports whether d is an unsigned integer type.
func (d DType) IsUnsigned() bool { return d.kind() == unsigned }

// IntRange returns the least and greatest value of an integer type; the greatest of uint64 needs the unsigned result.
func (d DType) IntRange() (lo int64, hi uint64) {
	bits := uint(d.Bits())
	switch {
	case d.IsSigned():
		return -1 << (bits - 1), 1<<(bits-1) - 1
	case d.IsUnsigned():
		return 0, 1<<bits - 1
	}
	return 0, 0
}

// Element is the set of Go types that hold a tensor's elements in memory. The packed types and small floats have none.
type Element interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | F16 | BF16 | float32 | float64
}

// Integer is the set of integer element types that Go has.
type Integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// Number is the set of element types that Go computes with.
type Number interface {
	Integer | float32 | float64
}

// TypeOf returns the DType that T stores.
func TypeOf[T Element]() DType {
	var zero T
	switch any(zero).(type) {
	case bool:
		return Bool
	case int8:
		return Int8
	case int16:
		return Int16
	case int32:
		return Int32
	case int64:
		return Int64
	case uint8:
		return Uint8
	case uint16:
		return Uint16
	case uint32:
		return Uint32
	case uint64:
		return Uint64
	case F16:
		return Float16
	case BF16:
		return BFloat16
	case float32:
		return Float32
	case float64:
		return Float64
	}
	return Invalid
}
