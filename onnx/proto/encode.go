package proto

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/tensor"
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
	counted, err := measure(m)
	if err != nil {
		return 0, err
	}
	out := &counter{to: w}
	err = write(out, m, counted)
	return out.n, err
}

func encode[M any, P message[M]](m *M) ([]byte, error) {
	counted, err := measure[M, P](m)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.Grow(int(counted.n))
	err = write[M, P](&b, m, counted)
	return b.Bytes(), err
}

// measure counts the bytes of a message.
func measure[M any, P message[M]](m *M) (*writer, error) {
	var w writer
	tableOf(P(m)).encode(&w, m)
	if w.n > limits.ONNXBytes {
		return nil, fmt.Errorf("%w: %d bytes, of which a file of ONNX has at most %d; elements of tensors can stand beside it", ErrTooLarge, w.n, int64(limits.ONNXBytes))
	}
	return &w, nil
}

// write writes a message that was measured.
func write[M any, P message[M]](to io.Writer, m *M, counted *writer) error {
	w := &writer{out: bufio.NewWriterSize(to, 64<<10), sizes: counted.sizes}
	tableOf(P(m)).encode(w, m)
	return w.out.Flush()
}

// counter counts the bytes that are written.
type counter struct {
	to io.Writer
	n  int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.to.Write(b)
	c.n += int64(n)
	return n, err
}

// NewTensor returns the message for a tensor, whose raw data shares its memory as [tensor.Raw] says. It fails if ONNX has no such elements.
func NewTensor(name string, t *tensor.Tensor) (*Tensor, error) {
	if t == nil {
		return nil, errors.New("the tensor is nil")
	}
	d := DataTypeOf(t.DType())
	if d == Undefined {
		return nil, fmt.Errorf("ONNX has no elements of type %v", t.DType())
	}
	m := &Tensor{Name: name, DataType: d, Dims: make([]int64, t.Rank()), RawData: tensor.Raw(t)}
	m.mapping = mapfile.Of(m.RawData)
	for i, n := range t.Shape() {
		m.Dims[i] = int64(n)
	}
	return m, nil
}
