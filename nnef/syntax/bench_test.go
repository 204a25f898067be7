package syntax

import (
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
)

func BenchmarkParseFlat(b *testing.B) {
	text := []byte(testdata.NetworkText(2500))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("bench", text, Options{Strict: true}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFormatFlat(b *testing.B) {
	text := testdata.NetworkText(2500)
	doc, err := Parse("bench", []byte(text), Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Format(doc); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseBody(b *testing.B) {
	text := "m, v = moments(x, axes = axes);\ny = (x - m) / sqrt(v + epsilon) * scale + offset;"
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseBody("bench", text); err != nil {
			b.Fatal(err)
		}
	}
}
