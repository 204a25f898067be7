package syntax_test

import (
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/nnef/syntax"
)

func BenchmarkParseFlat(b *testing.B) {
	text := []byte(testdata.NetworkText(2500))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := syntax.Parse("bench", text, syntax.Options{Strict: true}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFormatFlat(b *testing.B) {
	text := testdata.NetworkText(2500)
	doc, err := syntax.Parse("bench", []byte(text), syntax.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := syntax.Format(doc); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseBody(b *testing.B) {
	text := "m, v = moments(x, axes = axes);\ny = (x - m) / sqrt(v + epsilon) * scale + offset;"
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := syntax.ParseBody("bench", text); err != nil {
			b.Fatal(err)
		}
	}
}
