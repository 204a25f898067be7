package syntax

import (
	"fmt"
	"strings"
	"testing"
)

// flatText returns a document like those of exporters, which write all attributes, of about the given size.
func flatText(size int) string {
	const window = "border = 'ignore', padding = [(0, 0), (0, 0), (1, 1), (1, 1)], stride = [1, 1, 2, 2], dilation = [1, 1, 1, 1]"
	var b strings.Builder
	b.WriteString("version 1.0;\n\ngraph net( r0 ) -> ( y )\n{\n    r0 = external<scalar>(shape = [1, 3, 224, 224]);\n")
	for i := 1; b.Len() < size; i++ {
		fmt.Fprintf(&b, "    variable%d = variable<scalar>(shape = [64, 64, 3, 3], label = 'features/conv%d/filter');\n", i, i)
		fmt.Fprintf(&b, "    c%d = conv(r%d, variable%d, 0.0, border = 'constant', padding = [(1, 1), (1, 1)], "+
			"stride = [1, 1], dilation = [1, 1], groups = 1);\n", i, i-1, i)
		fmt.Fprintf(&b, "    p%d = max_pool(c%d, size = [1, 1, 3, 3], %s);\n", i, i, window)
		fmt.Fprintf(&b, "    a%d = add(p%d, c%d);\n    r%d = relu(a%d);\n", i, i, i, i, i)
	}
	b.WriteString("    y = copy(r0);\n}\n")
	return b.String()
}

func BenchmarkParseFlat(b *testing.B) {
	text := []byte(flatText(1 << 20))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("bench", text, Options{Strict: true}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFormatFlat(b *testing.B) {
	text := flatText(1 << 20)
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
