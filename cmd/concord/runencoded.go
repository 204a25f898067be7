package main

import (
	"encoding/hex"
	"io"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/internal/report"
	"github.com/concord-nn/concord/internal/stage"
)

// encode adds the encoded outputs of a CVM model to a report, and writes them where --encoded says.
func (r *runner) encode(rep *report.Report) error {
	if err := rep.Encode(r.model, r.session.Output); err != nil || rep.Encoded == nil {
		return err
	}
	return r.encoded.write(*rep.Encoded)
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
		return nil, refused("--encoded, --hex: the model is no CVM model")
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
