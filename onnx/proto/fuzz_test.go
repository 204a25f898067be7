package proto

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/tensor"
)

// addShared adds the small ones of files in the shared folder as seeds.
func addShared(f *testing.F, pattern ...string) {
	for i, name := range testdata.Glob(f, pattern...) {
		if b, err := os.ReadFile(name); err == nil && len(b) < 1000 && i%20 == 0 {
			f.Add(b)
		}
	}
}

// stable holds what was decoded to coming back, and to one encoding.
func stable[M any](t *testing.T, m *M) {
	t.Helper()
	comesBack(t, m)
	b, err := encode(m)
	if err != nil {
		t.Fatal(err)
	}
	again, err := decode[M](b)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := encode(again); err != nil || !bytes.Equal(b, c) {
		t.Errorf("one message has two encodings, %v", err)
	}
}

// checkError holds an error to saying where it is.
func checkError(t *testing.T, b []byte, err error) {
	t.Helper()
	if e, ok := errors.AsType[*Error](err); !ok || e.Offset < 0 || e.Offset > len(b) || e.Msg == "" {
		t.Fatalf("%#v", err)
	}
}

func FuzzDecode(f *testing.F) {
	addShared(f, "conformance", "onnx", "*", "*", "model.onnx")
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		var m Model
		random(rng, reflect.ValueOf(&m).Elem(), 5)
		if b, err := Encode(&m); err == nil && len(b) < 2000 {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Decode(b)
		if err != nil {
			checkError(t, b, err)
			return
		}
		stable(t, m)
	})
}

// anyFile is a file beside a model, whatever its name is.
type anyFile []byte

func (f anyFile) ReadFile(string) ([]byte, error) { return f, nil }

func FuzzTensor(f *testing.F) {
	addShared(f, "conformance", "onnx", "node", "*", "*", "*.pb")
	for d := range dataTypes {
		for _, m := range []Tensor{
			{DataType: DataType(d), Dims: []int64{3}, RawData: make([]byte, dataTypes[d].dtype.Bytes(3))},
			{DataType: DataType(d), Dims: []int64{2, 2}, Int32Data: []int32{1, 2, 3, 4}},
			{DataType: DataType(d), DataLocation: DataExternal, ExternalData: []*StringEntry{{"location", "w"}, {"offset", "2"}, {"length", "1"}}},
		} {
			b, err := EncodeTensor(&m)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := DecodeTensor(b)
		if err != nil {
			checkError(t, b, err)
			return
		}
		stable(t, m)
		x, err := m.Value(anyFile(b))
		if err != nil {
			return
		}
		// Elements of tensors are the same when they are written raw.
		raw, err := NewTensor(m.Name, x)
		if err != nil {
			t.Fatal(err)
		}
		y, err := raw.Value(nil)
		if err != nil || y.DType() != x.DType() || !y.Shape().Equal(x.Shape()) || !bytes.Equal(tensor.AppendRaw(nil, x), tensor.AppendRaw(nil, y)) {
			t.Errorf("%v comes back as %v, %v", x, y, err)
		}
	})
}
