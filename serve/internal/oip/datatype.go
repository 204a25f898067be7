package oip

import "github.com/concord-nn/concord/tensor"

// datatypes are the names of the protocol. Other element types have none.
var datatypes = [tensor.NumDTypes]string{
	tensor.Bool: "BOOL", tensor.Int8: "INT8", tensor.Int16: "INT16", tensor.Int32: "INT32", tensor.Int64: "INT64",
	tensor.Uint8: "UINT8", tensor.Uint16: "UINT16", tensor.Uint32: "UINT32", tensor.Uint64: "UINT64",
	tensor.Float16: "FP16", tensor.BFloat16: "BF16", tensor.Float32: "FP32", tensor.Float64: "FP64",
}

// Datatype returns the protocol's name of an element type, and the empty string if it has none.
func Datatype(d tensor.DType) string { return datatypes[d] }

// ParseDatatype returns the element type with a name of the protocol, and false for any other name, "BYTES" included.
func ParseDatatype(name string) (tensor.DType, bool) {
	for d, n := range datatypes {
		if n != "" && n == name {
			return tensor.DType(d), true
		}
	}
	return tensor.Invalid, false
}
