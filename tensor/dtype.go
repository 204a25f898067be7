package tensor

import "fmt"

// DType is the type of a tensor's elements.
type DType uint8

// The element types. Float16 and BFloat16 are storage types: arithmetic widens them to float32 and rounds once.
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
	numDTypes
)

// NumDTypes is the number of DType values, Invalid included; it sizes tables indexed by DType.
const NumDTypes = int(numDTypes)

var dtypes = [numDTypes]struct {
	name string
	size int
}{
	Invalid:  {"invalid", 0},
	Bool:     {"bool", 1},
	Int8:     {"int8", 1},
	Int16:    {"int16", 2},
	Int32:    {"int32", 4},
	Int64:    {"int64", 8},
	Uint8:    {"uint8", 1},
	Uint16:   {"uint16", 2},
	Uint32:   {"uint32", 4},
	Uint64:   {"uint64", 8},
	Float16:  {"float16", 2},
	BFloat16: {"bfloat16", 2},
	Float32:  {"float32", 4},
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

// Size returns the bytes that one element takes; 0 for Invalid.
func (d DType) Size() int {
	if d >= numDTypes {
		return 0
	}
	return dtypes[d].size
}

// IsFloat reports whether d is float16, bfloat16 or float32.
func (d DType) IsFloat() bool { return d >= Float16 && d <= Float32 }

// IsHalf reports whether d is a 16-bit float, which is computed in float32.
func (d DType) IsHalf() bool { return d == Float16 || d == BFloat16 }

// IsInteger reports whether d is one of the eight integer types.
func (d DType) IsInteger() bool { return d >= Int8 && d <= Uint64 }

// IsSigned reports whether d is a signed integer type.
func (d DType) IsSigned() bool { return d >= Int8 && d <= Int64 }

// IsUnsigned reports whether d is an unsigned integer type.
func (d DType) IsUnsigned() bool { return d >= Uint8 && d <= Uint64 }

// IntRange returns the least and greatest value of an integer type; the greatest of uint64 needs the unsigned result.
func (d DType) IntRange() (lo int64, hi uint64) {
	bits := uint(8 * d.Size())
	switch {
	case d.IsSigned():
		return -1 << (bits - 1), 1<<(bits-1) - 1
	case d.IsUnsigned():
		return 0, 1<<bits - 1
	}
	return 0, 0
}

// Element is the set of Go types that hold a tensor's elements in memory.
type Element interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | F16 | BF16 | float32
}

// Integer is the set of integer element types.
type Integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// Number is the set of element types that Go computes with.
type Number interface {
	Integer | float32
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
	}
	return Invalid
}
