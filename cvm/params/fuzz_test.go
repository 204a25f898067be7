package params_test

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/cvm/params"
	"github.com/concord-nn/concord/internal/testdata"
)

func FuzzParse(f *testing.F) {
	f.Add(sample(f))
	for _, name := range testdata.Glob(f, "conformance", "cvm", "models", "*", "params.bin") {
		if file, err := os.ReadFile(name); err == nil && len(file) < 1000 {
			f.Add(file)
		}
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		list, err := params.Parse(file)
		if err != nil {
			e, ok := errors.AsType[*fault.Error](err)
			if !ok || e.Offset < 0 || e.Offset > int64(len(file)) || e.Class == fault.OK || e.Stage != fault.Params {
				t.Fatalf("%#v", err)
			}
			return
		}
		written, err := params.Append(nil, list)
		if err != nil {
			t.Fatal(err)
		}
		again, err := params.Parse(written)
		if err != nil || len(again) != len(list) {
			t.Fatalf("%d arrays came back as %d: %v", len(list), len(again), err)
		}
		for i, p := range list {
			q := again[i]
			if p.Name != q.Name || !p.Tensor.Shape().Equal(q.Tensor.Shape()) || !bytes.Equal(p.Tensor.Bytes(), q.Tensor.Bytes()) {
				t.Fatalf("%q %v came back as %q %v", p.Name, p.Tensor, q.Name, q.Tensor)
			}
		}
	})
}
