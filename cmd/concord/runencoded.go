package main

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/internal/stage"
	"github.com/concord-nn/concord/tensor"
)

// hexBytes are the bytes of a CVM model's encoded outputs.
type hexBytes []byte

// MarshalJSON writes all bytes in hexadecimal.
func (b hexBytes) MarshalJSON() ([]byte, error) { return json.Marshal(hex.EncodeToString(b)) }

// String says how many bytes there are, and the first of them.
func (b hexBytes) String() string {
	const most = 32
	if len(b) > most {
		return fmt.Sprintf("%d bytes, %x…", len(b), []byte(b[:most]))
	}
	return fmt.Sprintf("%d bytes, %x", len(b), []byte(b))
}

// encode encodes the session's outputs of a CVM model, and writes the result where --encoded says. A model whose outputs
// cannot be encoded, though they can be shown, is noted in the report.
func (r *runner) encode(rep *jobReport) error {
	m := r.model.CVM()
	if m == nil {
		return nil
	}
	heads := make([]*tensor.Tensor, len(m.Graph().Outputs)) // the session may have others behind them
	for i := range heads {
		heads[i] = r.session.Output(i)
	}
	out, err := m.Encode(heads)
	if errors.As(err, &rep.Refusal) && rep.Refusal.Class == fault.Logic {
		return nil
	}
	rep.Refusal = nil
	if err != nil {
		return err
	}
	rep.Encoded = (*hexBytes)(&out)
	return r.encoded.write(out)
}

// encodedOutput is where --encoded and --hex write.
type encodedOutput struct {
	w    io.Writer
	hex  bool
	file *stage.File // nil for standard output
}

// openEncoded opens what --encoded and --hex ask for; nil without them.
func (f *runFlags) openEncoded(m *concord.Model, stdout io.Writer) (*encodedOutput, error) {
	switch {
	case f.encoded == "" && !f.hex:
		return nil, nil
	case m.CVM() == nil:
		return nil, &codedError{exitUsage, errors.New("--encoded, --hex: the model is no CVM model")}
	case f.encoded == "" || f.encoded == "-":
		return &encodedOutput{w: stdout, hex: f.hex}, nil
	}
	file, err := stage.Create(f.encoded)
	if err != nil {
		return nil, err
	}
	return &encodedOutput{w: file, hex: f.hex, file: file}, nil
}

// printed reports whether standard output is for the bytes alone.
func (e *encodedOutput) printed() bool { return e != nil && e.file == nil }

func (e *encodedOutput) write(data []byte) error {
	if e == nil {
		return nil
	}
	if e.hex {
		data = []byte(hex.EncodeToString(data) + "\n")
	}
	_, err := e.w.Write(data)
	return err
}

// commit puts the file in its place.
func (e *encodedOutput) commit() error {
	if e == nil || e.file == nil {
		return nil
	}
	return e.file.Commit()
}

// close releases the file, and removes it if it is not complete.
func (e *encodedOutput) close() {
	if e != nil && e.file != nil {
		_ = e.file.Close() // if it was complete, it has its place
	}
}
