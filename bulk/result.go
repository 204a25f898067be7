package bulk

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"

	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/tensor"
)

// answer is what an input set has yielded, whatever it is called.
type answer struct {
	report  []byte         // the object of [report.Report] without its input and without a line's end
	tensors []tensor.Named // those that the format of a job keeps
}

// jsonText writes a value as reports are written.
func jsonText(v any) ([]byte, error) {
	var b bytes.Buffer
	if err := escape.WriteJSON(&b, v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// line is the object with what the input is called, on a line.
func (a *answer) line(source string) ([]byte, error) {
	name, err := jsonText(source)
	if err != nil {
		return nil, err
	}
	b := append([]byte(`{"input":`), name...)
	return append(append(append(b, ','), a.report[1:]...), '\n'), nil
}

// failed is the line of an input that could not be computed.
func failed(source string, err error) ([]byte, error) {
	return jsonLine(struct {
		Input string `json:"input"`
		Error string `json:"error"`
	}{source, err.Error()})
}

// jsonLine writes a value on a line, as reports are.
func jsonLine(v any) ([]byte, error) {
	text, err := jsonText(v)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// bytes returns the answer as a scanner reads it.
func (a *answer) bytes() []byte { return appendTensors(appendBytes(nil, a.report), a.tensors) }

func appendBytes(b, data []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(data))), data...)
}

// appendTensors writes tensors behind other bytes: how many there are, and of each the name, the type, the shape and the elements.
func appendTensors(b []byte, list []tensor.Named) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, t := range list {
		b = appendBytes(b, []byte(t.Name))
		b = append(b, byte(t.Tensor.DType()), byte(t.Tensor.Rank()))
		for _, n := range t.Tensor.Shape() {
			b = binary.AppendUvarint(b, uint64(n))
		}
		b = appendBytes(b, tensor.Raw(t.Tensor))
	}
	return b
}

// errDamaged is the error of bytes that nothing here has written.
var errDamaged = errors.New("the bytes of an answer are damaged")

// scanner reads what [answer.bytes] has written. After an error it yields nothing.
type scanner struct {
	data []byte
	err  error
}

func (s *scanner) count() int {
	n, size := binary.Uvarint(s.data)
	if size <= 0 || n > uint64(len(s.data)) {
		s.data, s.err = nil, errDamaged
		return 0
	}
	s.data = s.data[size:]
	return int(n)
}

func (s *scanner) take(n int) []byte {
	if n > len(s.data) {
		s.data, s.err = nil, errDamaged
		return make([]byte, min(n, 2))
	}
	b := s.data[:n]
	s.data = s.data[n:]
	return b
}

func (s *scanner) bytes() []byte { return s.take(s.count()) }

// answer reads an answer, whose memory is that of the bytes where that is possible.
func (s *scanner) answer() *answer {
	a := &answer{report: s.bytes()}
	for range s.count() {
		name, head := string(s.bytes()), s.take(2)
		if s.err != nil {
			break
		}
		shape := make(tensor.Shape, head[1])
		for i := range shape {
			n, size := binary.Uvarint(s.data)
			if size <= 0 || n > 1<<40 {
				s.err = errDamaged
				return nil
			}
			shape[i], s.data = int(n), s.data[size:]
		}
		t, err := tensor.FromRaw(tensor.DType(head[0]), shape, s.bytes())
		if err != nil || s.err != nil {
			s.err = errDamaged
			return nil
		}
		a.tensors = append(a.tensors, tensor.Named{Name: name, Tensor: t})
	}
	if s.err != nil || len(a.report) < 2 {
		s.err = errDamaged
		return nil
	}
	return a
}
