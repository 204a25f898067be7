package proto

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
)

// same reports whether messages are equal, floats by their bits.
func same(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Pointer:
		return a.IsNil() == b.IsNil() && (a.IsNil() || same(a.Elem(), b.Elem()))
	case reflect.Struct:
		for i := range a.NumField() {
			if !same(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice:
		if a.Len() != b.Len() || a.Type().Elem().Kind() == reflect.Uint8 && a.IsNil() != b.IsNil() {
			return false
		}
		for i := range a.Len() {
			if !same(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Float32, reflect.Float64:
		return math.Float64bits(a.Float()) == math.Float64bits(b.Float())
	}
	return a.Equal(b)
}

// comesBack holds a message to being what is decoded from its bytes.
func comesBack[M any, P message[M]](t *testing.T, m *M) {
	t.Helper()
	b, err := encode[M, P](m)
	if err != nil {
		t.Fatal(err)
	}
	again, err := decode[M, P](b)
	if err != nil {
		t.Fatal(err)
	}
	if !same(reflect.ValueOf(m), reflect.ValueOf(again)) {
		t.Errorf("%#v comes back as %#v", m, again)
	}
}

// TestCorpus reads the files of real models and of the conformance cases, and writes them.
func TestCorpus(t *testing.T) {
	models := append(testdata.Glob(t, "conformance", "onnx", "*", "*", "model.onnx"), testdata.Glob(t, "models", "*", "*.onnx")...)
	if len(models) == 0 {
		t.Skip("shared data is absent")
	}
	for _, name := range models {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Decode(b)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		comesBack(t, m)
		for _, c := range m.Graph.Initializer {
			if _, err := c.Value(nil); err != nil {
				t.Logf("%s: %s: %v", filepath.Base(filepath.Dir(name)), c.Name, err)
			}
		}
	}
	for _, name := range testdata.Glob(t, "conformance", "onnx", "*", "*", "*", "*.pb") {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := DecodeTensor(b)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		comesBack(t, c)
		if _, err := c.Value(nil); err != nil {
			t.Logf("%s: %v", name, err)
		}
	}
}
