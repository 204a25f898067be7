package params

import "github.com/concord-nn/concord/tensor"

// Param is a named array of type int8 or int32. An int8 array is kept as it is stored.
type Param struct {
	Name   string
	Tensor *tensor.Tensor
	Offset int64 // of the array in the file; set by Parse
}

// The numbers that lists and arrays begin with.
const (
	listMagic  = 0xF7E58D4F05049CB7
	arrayMagic = 0xDD5E40F096B4A13F
)

// Devices, of which arrays name one.
const (
	deviceCPU    = 1
	deviceFormal = 3
)

// codeInt is the code of signed integers.
const codeInt = 0

// types are the element types by their bits.
var types = map[uint8]tensor.DType{8: tensor.Int8, 32: tensor.Int32}
