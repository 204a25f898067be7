package params

import (
	"encoding/binary"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/tensor"
)

// Append appends a parameter file with the arrays, which must be of type int8 or int32 and have elements. Parse reads it back.
// Errors are *fault.Error of stage Params.
func Append(b []byte, params []Param) ([]byte, error) {
	le := binary.LittleEndian
	list := le.AppendUint64(b, listMagic)
	list = le.AppendUint64(list, 0)
	list = le.AppendUint64(list, uint64(len(params)))
	for _, p := range params {
		list = le.AppendUint64(list, uint64(len(p.Name)))
		list = append(list, p.Name...)
	}
	list = le.AppendUint64(list, uint64(len(params)))
	for _, p := range params {
		if t := p.Tensor; t == nil || (t.DType() != tensor.Int8 && t.DType() != tensor.Int32) || t.Len() == 0 {
			e := fault.Logicf(fault.Params, "cannot write a parameter %v", t.Describe())
			e.Offset, e.Part, e.Want = -1, p.Name, "int8 or int32 with at least one element"
			return b, e
		}
		list = appendArray(list, p.Tensor)
	}
	return list, nil
}

func appendArray(b []byte, t *tensor.Tensor) []byte {
	le := binary.LittleEndian
	size := t.DType().Size()
	b = le.AppendUint64(b, arrayMagic)
	b = le.AppendUint64(b, 0)
	b = le.AppendUint32(b, deviceCPU)
	b = le.AppendUint32(b, 0)
	b = le.AppendUint32(b, uint32(t.Rank()))
	b = append(b, codeInt, byte(8*size))
	b = le.AppendUint16(b, 1)
	for _, d := range t.Shape() {
		b = le.AppendUint64(b, uint64(d))
	}
	b = le.AppendUint64(b, uint64(t.Len()*size))
	return tensor.AppendRaw(b, t)
}
