package proto

import (
	"errors"
	"fmt"
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
			if a.Type().Field(i).IsExported() && !same(a.Field(i), b.Field(i)) {
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
func comesBack[M any](t *testing.T, m *M) {
	t.Helper()
	b, err := encode(m)
	if err != nil {
		t.Fatal(err)
	}
	again, err := decode[M](b)
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
	for _, name := range testdata.Some(models, 4) {
		t.Run(filepath.Base(filepath.Dir(name)), func(t *testing.T) {
			f, err := Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			comesBack(t, f.Model)
			hasValues(t, f.Model.Graph.Initializer...)
			for kind, list := range map[string][]*ValueInfo{"input": f.Model.Graph.Input, "output": f.Model.Graph.Output} {
				for i, v := range list {
					data, _ := filepath.Glob(filepath.Join(filepath.Dir(name), "*", fmt.Sprintf("%s_%d.pb", kind, i)))
					for _, file := range data {
						readValue(t, file, v.Type)
					}
				}
			}
		})
	}
}

// readValue reads a file with a value of a type.
func readValue(t *testing.T, name string, ty *Type) {
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case ty.Sequence != nil:
		s, err := DecodeSequence(b)
		if err != nil || s.ElemType != ElementTensor {
			t.Fatalf("%s: %+v, %v", name, s, err)
		}
		comesBack(t, s)
		hasValues(t, s.TensorValues...)
	case ty.Optional != nil:
		o, err := DecodeOptional(b)
		if err != nil || o.TensorValue == nil && o.SequenceValue == nil && o.ElemType != ElementUndefined {
			t.Fatalf("%s: %+v, %v", name, o, err)
		}
		comesBack(t, o)
	default:
		c, err := DecodeTensor(b)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		comesBack(t, c)
		hasValues(t, c)
	}
}

// hasValues holds tensors to having a value unless they cannot have one.
func hasValues(t *testing.T, list ...*Tensor) {
	for _, c := range list {
		if _, err := c.Value(nil); err != nil {
			if _, ok := errors.AsType[UnsupportedError](err); !ok {
				t.Errorf("%q: %v", c.Name, err)
			}
		}
	}
}
