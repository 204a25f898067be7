package cases

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/internal/testdata"
)

// Model is a whole model.
type Model struct {
	Dir   string `json:"-"` // its folder
	Class string // "quirk" if strict mode must refuse its storage plan
	Gas   struct {
		Class fault.Class `json:"error_code"`
		Gas   int64
	} `json:"gas_from_graph"`
	Load Load
	Runs []Run
}

// Load is what loading gives: an error, or the numbers of an admission.
type Load struct {
	Class          fault.Class `json:"error_code"`
	Gas            int64
	Storage        int64  `json:"storage_size"`
	InputLength    int64  `json:"input_length"`
	OutputLength   int64  `json:"output_length"`
	InputTypeSize  int    `json:"input_type_size"`
	OutputTypeSize int    `json:"output_type_size"`
	Postprocess    string `json:"postprocess"`
}

// Run is an inference, which follows those before it.
type Run struct {
	Input  string      // the name of a file
	Class  fault.Class `json:"error_code"`
	Output string      `json:"output_hex"`
}

// Models returns the models. The test is skipped where there are none.
func Models(tb testing.TB) []*Model {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(testdata.Shared(tb, "conformance", "cvm", "models"), "*", "expect.json"))
	if err != nil || len(files) == 0 {
		tb.Fatal("no models", err)
	}
	list := make([]*Model, len(files))
	for i, file := range files {
		list[i] = &Model{Dir: filepath.Dir(file)}
		read(tb, file, list[i])
	}
	return list
}

// Name returns the name of the model.
func (m *Model) Name() string { return filepath.Base(m.Dir) }

// Runnable reports whether the model loads, so that it has runs.
func (m *Model) Runnable() bool { return m.Load.Class == fault.OK && m.Runs != nil }

// File returns the bytes of a file of the model.
func (m *Model) File(tb testing.TB, name string) []byte {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join(m.Dir, name))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// Bytes returns the output of a run.
func (r Run) Bytes(tb testing.TB) []byte {
	tb.Helper()
	data, err := hex.DecodeString(r.Output)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}
