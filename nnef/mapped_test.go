package nnef_test

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/nnef/container"
	"github.com/concord-nn/concord/internal/nnef/tensorfile"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/tensor"
)

// largeModel writes a model with variables of a million elements each.
func largeModel(tb testing.TB, variables int, d tensor.DType) string {
	tb.Helper()
	var text strings.Builder
	text.WriteString("version 1.0;\ngraph large( x ) -> ( y )\n{\n    x = external(shape = [1, 1024]);\n")
	last := "x"
	for i := range variables {
		fmt.Fprintf(&text, "    w%d = variable(shape = [1024, 1024], label = 'layer/w%d');\n    h%d = matmul(%s, w%d);\n", i, i, i, last, i)
		last = fmt.Sprint("h", i)
	}
	fmt.Fprintf(&text, "    y = relu(%s);\n}\n", last)
	w, err := tensor.New(d, tensor.Shape{1024, 1024})
	if err != nil {
		tb.Fatal(err)
	}
	for i := range w.Bytes() {
		w.Bytes()[i] = byte(i % 61)
	}
	var data bytes.Buffer
	if err := tensorfile.Encode(&data, w); err != nil {
		tb.Fatal(err)
	}
	content := func(b []byte) func(io.Writer) error {
		return func(w io.Writer) error { _, err := w.Write(b); return err }
	}
	dir := tb.TempDir()
	err = container.WriteFolder(dir, func(yield func(string, func(io.Writer) error) bool) {
		for i := range variables {
			if !yield(fmt.Sprintf("layer/w%d.dat", i), content(data.Bytes())) {
				return
			}
		}
		yield(container.GraphFile, content([]byte(text.String())))
	})
	if err != nil {
		tb.Fatal(err)
	}
	return dir
}

// BenchmarkOpen100MB loads a model with 25 variables of 4 MiB from a folder.
func BenchmarkOpen100MB(b *testing.B) {
	dir := largeModel(b, 25, tensor.Float32)
	b.ReportAllocs()
	b.SetBytes(25 << 22)
	for b.Loop() {
		m, err := nnef.Load(dir, nnef.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := m.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// TestLoadCopiesNothing holds loading to memory that is small beside the data.
func TestLoadCopiesNothing(t *testing.T) {
	testdata.LittleEndian(t)
	for _, d := range []tensor.DType{tensor.Float32, tensor.Float16} {
		dir := largeModel(t, 3, d)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m, err := nnef.Load(dir, nnef.Options{})
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		// Other goroutines of the test may allocate, too, but not as much as one variable.
		if n := after.TotalAlloc - before.TotalAlloc; n > 2<<20 {
			t.Errorf("%v: loading allocates %d bytes", d, n)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}
