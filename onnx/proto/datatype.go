package proto

import (
	"fmt"
	"strings"

	"github.com/concord-nn/concord/tensor"
)

// DataType is the type of a tensor's elements (TensorProto.DataType).
type DataType int32

// The types of elements.
const (
	Undefined      DataType = 0
	Float          DataType = 1
	Uint8          DataType = 2
	Int8           DataType = 3
	Uint16         DataType = 4
	Int16          DataType = 5
	Int32          DataType = 6
	Int64          DataType = 7
	String         DataType = 8
	Bool           DataType = 9
	Float16        DataType = 10
	Double         DataType = 11
	Uint32         DataType = 12
	Uint64         DataType = 13
	Complex64      DataType = 14
	Complex128     DataType = 15
	BFloat16       DataType = 16
	Float8E4M3FN   DataType = 17
	Float8E4M3FNUZ DataType = 18
	Float8E5M2     DataType = 19
	Float8E5M2FNUZ DataType = 20
	Uint4          DataType = 21
	Int4           DataType = 22
	Float4E2M1     DataType = 23
	Float8E8M0     DataType = 24
	Uint2          DataType = 25
	Int2           DataType = 26
)

// dataTypes has, for each type, the standard's name, the element type of tensors, Invalid if there is none, and the field of a message that
// holds elements unless they are raw.
var dataTypes = [...]struct {
	name  string
	dtype tensor.DType
	field *typedField
}{
	Undefined:      {"UNDEFINED", tensor.Invalid, nil},
	Float:          {"FLOAT", tensor.Float32, floatData},
	Uint8:          {"UINT8", tensor.Uint8, int32Data},
	Int8:           {"INT8", tensor.Int8, int32Data},
	Uint16:         {"UINT16", tensor.Uint16, int32Data},
	Int16:          {"INT16", tensor.Int16, int32Data},
	Int32:          {"INT32", tensor.Int32, int32Data},
	Int64:          {"INT64", tensor.Int64, int64Data},
	String:         {"STRING", tensor.Invalid, nil},
	Bool:           {"BOOL", tensor.Bool, int32Data},
	Float16:        {"FLOAT16", tensor.Float16, int32Data},
	Double:         {"DOUBLE", tensor.Float64, doubleData},
	Uint32:         {"UINT32", tensor.Uint32, uint64Data},
	Uint64:         {"UINT64", tensor.Uint64, uint64Data},
	Complex64:      {"COMPLEX64", tensor.Invalid, nil},
	Complex128:     {"COMPLEX128", tensor.Invalid, nil},
	BFloat16:       {"BFLOAT16", tensor.BFloat16, int32Data},
	Float8E4M3FN:   {"FLOAT8E4M3FN", tensor.Float8E4M3FN, int32Data},
	Float8E4M3FNUZ: {"FLOAT8E4M3FNUZ", tensor.Float8E4M3FNUZ, int32Data},
	Float8E5M2:     {"FLOAT8E5M2", tensor.Float8E5M2, int32Data},
	Float8E5M2FNUZ: {"FLOAT8E5M2FNUZ", tensor.Float8E5M2FNUZ, int32Data},
	Uint4:          {"UINT4", tensor.Uint4, int32Data},
	Int4:           {"INT4", tensor.Int4, int32Data},
	Float4E2M1:     {"FLOAT4E2M1", tensor.Float4E2M1, int32Data},
	Float8E8M0:     {"FLOAT8E8M0", tensor.Float8E8M0, int32Data},
	Uint2:          {"UINT2", tensor.Uint2, int32Data},
	Int2:           {"INT2", tensor.Int2, int32Data},
}

// DataTypeNamed returns the type that has a name in the standard, such as "FLOAT", in letters of either case; Undefined if there is none.
func DataTypeNamed(name string) DataType {
	for d, t := range dataTypes {
		if strings.EqualFold(t.name, name) {
			return DataType(d)
		}
	}
	return Undefined
}

func (d DataType) known() bool { return d >= 0 && int(d) < len(dataTypes) }

// String returns the standard's name: FLOAT, INT64.
func (d DataType) String() string {
	if !d.known() {
		return fmt.Sprintf("data type %d", int32(d))
	}
	return dataTypes[d].name
}

// DType returns the element type of tensors. The error, an [UnsupportedError], is that there is none.
func (d DataType) DType() (tensor.DType, error) {
	if !d.known() || dataTypes[d].dtype == tensor.Invalid {
		return tensor.Invalid, UnsupportedError{d}
	}
	return dataTypes[d].dtype, nil
}

// DataTypeOf returns the type that stands for an element type of tensors, Undefined if there is none.
func DataTypeOf(d tensor.DType) DataType {
	for i := range dataTypes {
		if d != tensor.Invalid && dataTypes[i].dtype == d {
			return DataType(i)
		}
	}
	return Undefined
}

// UnsupportedError is the error that tensors cannot have elements of a type.
type UnsupportedError struct{ DataType DataType }

// Error names the type.
func (e UnsupportedError) Error() string {
	switch d := e.DataType; {
	case d == Undefined:
		return "the elements have no data type"
	case d == String:
		return "tensors of strings are not supported"
	case d == Complex64 || d == Complex128:
		return fmt.Sprintf("complex numbers (%v) are not supported", d)
	case !d.known():
		return fmt.Sprintf("%v is not known", d)
	default:
		return fmt.Sprintf("elements of type %v are not supported", d)
	}
}
