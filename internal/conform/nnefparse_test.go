package conform_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/conform"
	"github.com/concord-nn/concord/internal/testdata"
)

// TestDocuments runs the shared cases on NNEF documents, and holds them to passing without a remark.
func TestDocuments(t *testing.T) {
	for _, folder := range []string{"parse", "robust"} {
		cases, err := conform.Find(testdata.Shared(t, "conformance", "nnef", folder))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range conform.Run(context.Background(), cases, conform.Options{}) {
			if r.Status != conform.Passed || r.Detail != "" {
				t.Errorf("%s: %s %s", r.Name, r.Status, r.Detail)
			}
		}
	}
}

// TestEqualGraphs holds the comparison of flattened graphs to what the README of the cases says.
func TestEqualGraphs(t *testing.T) {
	graph := func(ops, tensors string) []byte {
		return []byte(`{"inputs":["x"],"outputs":["y"],"ops":[{"op":"external","dtype":"scalar","args":{"shape":[1]},"results":{"output":{"t":"x"}}},` +
			ops + `],"tensors":{"x":{"dtype":"scalar","shape":[1]}` + tensors + `}}`)
	}
	relu := graph(`{"op":"relu","args":{"x":{"t":"x"}},"results":{"y":{"t":"y"}}}`, `,"y":{"dtype":"scalar","shape":[1]}`)
	leaky := graph(`{"op":"leaky_relu","args":{"x":{"t":"x"},"alpha":{"f":0.1}},"results":{"y":{"t":"y"}}}`, "")
	for _, c := range []struct {
		name      string
		got, want []byte
		equal     bool
	}{
		{"equal", relu, relu, true},
		{"copies", graph(`{"op":"copy","args":{"x":{"t":"x"}},"results":{"y":{"t":"c"}}},{"op":"relu","args":{"x":{"t":"c"}},"results":{"y":{"t":"y"}}}`, ""),
			graph(`{"op":"relu","args":{"x":{"t":"x"}},"results":{"y":{"t":"y"}}}`, ""), true},
		{"near scalars", leaky, graph(`{"op":"leaky_relu","args":{"x":{"t":"x"},"alpha":{"f":0.1000000001}},"results":{"y":{"t":"y"}}}`, ""), true},
		{"far scalars", leaky, graph(`{"op":"leaky_relu","args":{"x":{"t":"x"},"alpha":{"f":0.1001}},"results":{"y":{"t":"y"}}}`, ""), false},
		{"another operation", relu, graph(`{"op":"exp","args":{"x":{"t":"x"}},"results":{"y":{"t":"y"}}}`, ""), false},
		{"another shape", relu, graph(`{"op":"relu","args":{"x":{"t":"x"}},"results":{"y":{"t":"y"}}}`, `,"y":{"dtype":"scalar","shape":[2]}`), false},
		{"one operation more", relu, graph(`{"op":"exp","args":{"x":{"t":"x"}},"results":{"y":{"t":"z"}}},{"op":"relu","args":{"x":{"t":"x"}},"results":{"y":{"t":"y"}}}`, ""), false},
	} {
		if err := conform.EqualGraphs(c.got, c.want); (err == nil) != c.equal {
			t.Errorf("%s: got %v", c.name, err)
		}
	}
}

// TestMinor holds a case that ends with a minor deviation, the class beside the one that is expected, to passing with a remark.
func TestMinor(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"index.json": `[{"id":"a","dialect":"1.0","file":"a.nnef","expect":{"verdict":"reject","class":"argument"}}]`,
		"a.nnef":     "version 1.0;\ngraph net( x ) -> ( y ) { x = external(shape = [1]); y = foo(x); }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cases, err := conform.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	results := conform.Run(context.Background(), cases, conform.Options{})
	var b strings.Builder
	if err := conform.Write(&b, results, conform.Report{}); err != nil {
		t.Fatal(err)
	}
	if results[0].Status != conform.Passed || !strings.Contains(b.String(), ": a\n     the class is name; want argument: ") {
		t.Errorf("got %v:\n%s", results, b.String())
	}
}
