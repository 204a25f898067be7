package export_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testdata/golden"
	"github.com/concord-nn/concord/internal/testing/exported"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/openvx/export"
	"github.com/concord-nn/concord/tensor"
)

// TestFiles compares the files of a small network with those in testdata.
func TestFiles(t *testing.T) {
	m, err := nnef.Load("testdata/small.nnef", nnef.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	files := made(t, m.Graph, export.Q78).Files("small")
	golden.Compare(t, "testdata/small.c", string(files.Source))
	golden.Compare(t, "testdata/small.h", string(files.Header))
	compiles(t, "small", files)
	if again := made(t, m.Graph, export.Q78).Files("small"); string(again.Source) != string(files.Source) || !bytes.Equal(testdata.Written(t, again.Weights), testdata.Written(t, files.Weights)) {
		t.Error("the same model gives other files")
	}
}

// compiles holds a C compiler to find nothing to say about the files. The header serves C++ too.
func compiles(t *testing.T, name string, files *export.Files) {
	t.Helper()
	include := filepath.Join(testdata.Root(t), "cmd", "libopenvx", "include")
	dir := t.TempDir()
	for ending, data := range map[string][]byte{".c": files.Source, ".h": files.Header} {
		if err := os.WriteFile(filepath.Join(dir, name+ending), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for compiler, args := range map[string][]string{
		"cc":  {"-std=c99", "-x", "c", filepath.Join(dir, name+".c")},
		"c++": {"-std=c++17", "-x", "c++", filepath.Join(dir, name+".h")},
	} {
		if _, err := exec.LookPath(compiler); err != nil {
			t.Logf("there is no %s", compiler)
			continue
		}
		args = append([]string{"-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I" + include}, args...)
		if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", compiler, err, out)
		}
	}
}

// TestHostileNames holds names of all kinds to survive the way through C.
func TestHostileNames(t *testing.T) {
	names := []string{"class", "int", "graph", "weights", "tensor", "to", "group", "vxProcessGraph", "VX_SUCCESS", "NULL", "EOF", "linux", "*/ #error",
		"line\nend\"\\", "??/", "日本", "1st", "x_2", "x", "x y", "_", "__FILE__", "\x00", "held", "failed", "LIST", "Q78", "size_t", "memset"}
	b := exported.NewNet(t, "na*/mes??/\n")
	for i, name := range names {
		b.Output("out "+name, b.Labelled("label */ "+name, "relu", nil, b.Input(name, tensor.Float32, 1+i)))
	}
	g := b.Graph()
	n := made(t, g, export.Q78)
	for i, name := range names {
		if n.Inputs[i].Name != name || n.Outputs[i].Name != "out "+name {
			t.Errorf("port %d is called %q and %q", i, n.Inputs[i].Name, n.Outputs[i].Name)
		}
	}
	for _, file := range []string{"net", "while", "2 nets*/", "Größe"} {
		compiles(t, strings.ReplaceAll(file, "/", ""), n.Files(strings.ReplaceAll(file, "/", "")))
	}
	seen := make(map[string]bool)
	for _, x := range n.Tensors {
		if seen[x.Name] {
			t.Errorf("two tensors are called %s", x.Name)
		}
		seen[x.Name] = true
	}
}

// TestDocumentation holds the table in the documentation to that in the source.
func TestDocumentation(t *testing.T) { golden.Table(t, "openvx-export.md", table()) }

// table writes the table in Markdown.
func table() string {
	var b strings.Builder
	b.WriteString("\n| operator | becomes | float32 | besides |\n| --- | --- | --- | --- |\n")
	for _, r := range export.Table() {
		to, bits := r.To, "equal"
		switch {
		case r.Form == kit.Refused:
			continue
		case r.Form == kit.Free:
			to = "nothing"
		case r.To == "vxTensorTableLookupNode" && r.Op != "lookup":
			bits = "refused"
		case r.Tolerance > 0:
			bits = fmt.Sprintf("within %g", r.Tolerance)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.Op, to, bits, r.Note)
	}
	b.WriteString("\nNo layer computes the other operators; they are refused.\n\n")
	return b.String()
}

// TestHuge refuses what would take memory without measure, and does so at once.
func TestHuge(t *testing.T) {
	testdata.Wide(t)
	const huge = 1 << 30
	for _, c := range []struct {
		op    string
		shape []int
		attrs graph.Attrs
	}{
		{"box", []int{4}, attrs("size", []int{huge}, "padding", []int{huge, huge}, "normalize", true)},
		{"box", []int{4, 4, 4}, attrs("size", []int{1, huge, 1}, "padding", []int{0, 0, huge, 0, 0, 0}, "stride", []int{1, 1 << 20, 1})},
		{"max_pool", []int{4, 4, 4}, attrs("size", []int{1, 1 << 15, 1 << 15}, "padding", []int{0, 0, 1 << 15, 0, 1 << 15, 0})},
		{"debox", []int{4, 4, 4}, attrs("size", []int{1, 1 << 15, 1 << 12}, "padding", []int{0, 0, 0, 0, 0, 0})},
		{"pad", []int{4}, attrs("padding", []int{huge, huge})},
		{"expand", []int{1, 1}, attrs("shape", []int{huge, 1 << 10})},
		{"transpose", []int{1, 1 << 15, 1 << 15, 2}, attrs("axes", []int{0, 2, 3, 1})},
	} {
		t.Run(c.op, func(t *testing.T) {
			n := newNet(t, 1)
			y := n.Node(c.op, c.attrs, n.Input("x", tensor.Float32, c.shape...))
			if c.op == "transpose" {
				y = n.Node("reshape", attrs("shape", []int{-1, 1 << 10}), y)
			}
			m, err := export.New(n.Graph(y), export.Options{})
			var refused *export.Error
			if err != nil && !errors.As(err, &refused) {
				t.Errorf("the error is %v", err)
			}
			if err == nil && len(m.Calls) > 100 {
				t.Errorf("there are %d calls", len(m.Calls))
			}
		})
	}
}
