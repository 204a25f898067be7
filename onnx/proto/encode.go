package proto

import (
	"errors"
	"fmt"
	"io"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/wire"
)

// ErrTooLarge is why a message cannot be written.
var ErrTooLarge = errors.New("the message is too large")

// Encode returns the bytes of a model, the same for the same messages. It fails with [ErrTooLarge] beyond 2 GiB, which readers of the format do not take.
func Encode(m *Model) ([]byte, error) {
	if m == nil {
		return nil, errors.New("the model is nil")
	}
	return encode(m)
}

// EncodeTensor is [Encode] for a tensor by itself.
func EncodeTensor(t *Tensor) ([]byte, error) {
	if t == nil {
		return nil, errors.New("the tensor is nil")
	}
	return encode(t)
}

// WriteTo writes what [Encode] returns, without a copy of raw data.
func (m *Model) WriteTo(w io.Writer) (int64, error) {
	if m == nil {
		return 0, errors.New("the model is nil")
	}
	counted, err := measure(m)
	if err != nil {
		return 0, err
	}
	return counted.WriteTo(w)
}

func encode[M any](m *M) ([]byte, error) {
	counted, err := measure(m)
	if err != nil {
		return nil, err
	}
	return counted.Bytes(), nil
}

// measure counts the bytes of a message.
func measure[M any](m *M) (*wire.Measured, error) {
	counted := wire.Measure(m)
	if n := counted.Len(); n > limits.ONNXBytes {
		return nil, fmt.Errorf("%w: %d bytes, of which a file of ONNX has at most %d; elements of tensors can stand beside it", ErrTooLarge, n, int64(limits.ONNXBytes))
	}
	return counted, nil
}
