package nnef_test

import (
	"testing"

	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/nnef"
)

// BenchmarkShapes opens, checks and flattens a text, and infers the shapes of its tensors.
func BenchmarkShapes(b *testing.B) {
	text := []byte(testdata.NetworkText(5000))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for range b.N {
		f, err := nnef.OpenText("net.nnef", text, nnef.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := f.Flatten(flat.User); err != nil {
			b.Fatal(err)
		}
	}
}
