package proto

import (
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/wire"
)

var bounds = wire.Bounds{Depth: limits.ONNXDepth, Memory: limits.ONNXMemory}

// Decode reads a model. Raw data of its tensors shares memory with the bytes, which must not change. An error is an *[Error].
func Decode(b []byte) (*Model, error) { return decode[Model](b) }

// DecodeTensor is [Decode] for a tensor by itself, as test data has it.
func DecodeTensor(b []byte) (*Tensor, error) { return decode[Tensor](b) }

// DecodeSequence is [Decode] for a list by itself.
func DecodeSequence(b []byte) (*Sequence, error) { return decode[Sequence](b) }

// DecodeOptional is [Decode] for a value by itself that may be absent.
func DecodeOptional(b []byte) (*Optional, error) { return decode[Optional](b) }

func decode[M any](b []byte) (*M, error) {
	m := new(M)
	if err := wire.Decode(m, b, bounds); err != nil {
		return nil, err
	}
	return m, nil
}
