// Package params reads and writes the parameter files of CVM models: named integer arrays in a packed little-endian form.
//
//	list   magic, 8 reserved bytes, N, N × (length, name), N, N × array
//	array  magic, 8 reserved bytes, int32 device type 1, int32 device number, int32 rank,
//	       uint8 type code 0, uint8 bits 8 or 32, uint16 lanes 1, rank × int64, int64 bytes of data, data
//
// Magic numbers, lengths and N are of 8 bytes.
package params

import (
	"encoding/binary"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/tensor"
)

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

// header is what stands before the extents of an array.
type header struct {
	Magic, Reserved      uint64
	Device, Number, Rank int32
	Code, Bits           uint8
	Lanes                uint16
}

const (
	deviceCPU    = 1
	deviceFormal = 3
	codeInt      = 0 // signed integers
)

// types are the element types by their bits.
var types = map[uint8]tensor.DType{8: tensor.Int8, 32: tensor.Int32}

var le = binary.LittleEndian

// Append appends a parameter file with the arrays, which must be of type int8 or int32 and have elements. Parse reads it back.
// Errors are *fault.Error of stage Params.
func Append(b []byte, params []Param) ([]byte, error) {
	file := le.AppendUint64(le.AppendUint64(b, listMagic), 0)
	file = le.AppendUint64(file, uint64(len(params)))
	for _, p := range params {
		file = append(le.AppendUint64(file, uint64(len(p.Name))), p.Name...)
	}
	file = le.AppendUint64(file, uint64(len(params)))
	for _, p := range params {
		t := p.Tensor
		if t == nil || (t.DType() != tensor.Int8 && t.DType() != tensor.Int32) || t.Len() == 0 {
			e := fault.Logicf(fault.Params, "cannot write a parameter %v", t.Describe())
			e.Offset, e.Part, e.Want = -1, p.Name, "int8 or int32 with at least one element"
			return b, e
		}
		size := t.DType().Size()
		file, _ = binary.Append(file, le, header{arrayMagic, 0, deviceCPU, 0, int32(t.Rank()), codeInt, uint8(8 * size), 1})
		for _, d := range t.Shape() {
			file = le.AppendUint64(file, uint64(d))
		}
		file = tensor.AppendRaw(le.AppendUint64(file, uint64(t.Len()*size)), t)
	}
	return file, nil
}
