package main

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
)

const oldNet = `version 1.0
# a net
graph net( x ) -> ( yield )
{
    x = external(shape = [0, 3])
    w = variable(shape = [2, 3], label = 'fc/w')
    yield = matmul(x, w, trB = true) # product
}
`

// oldTensor returns a tensor file with a provisional header.
func oldTensor(kind, bits byte, quantization string, shape []uint32, items []byte) string {
	b := []byte{0x4E, 0xEF, 1, 0}
	b = binary.LittleEndian.AppendUint32(b, uint32(16+4*len(shape)+len(quantization)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(shape)))
	for _, n := range shape {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	b = append(b, kind, bits)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(quantization)))
	return string(append(append(b, quantization...), items...))
}

func oldModel(t *testing.T) string {
	dir := writeFiles(t, map[string]string{"graph.nnef": oldNet, "graph.quant": "# activations\n'yield': linear_quantize(min = 0.0, max = 6.0, bits = 8)\n"})
	if err := os.Mkdir(filepath.Join(dir, "fc"), 0o777); err != nil {
		t.Fatal(err)
	}
	data := oldTensor(1, 8, "linear_quantize(min = -1.0, max = 1.0, bits = 8)", []uint32{2, 3}, []byte{0, 51, 102, 153, 204, 255})
	if err := os.WriteFile(filepath.Join(dir, "fc", "w.dat"), []byte(data), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestMigrate(t *testing.T) {
	dir := oldModel(t)
	shape := "--shape=x=4,3"
	out, code := execute(t, "migrate", filepath.Join(dir, "graph.nnef"), shape)
	want := `version 1.0;

# a net
graph net( x ) -> ( yield_ )
{
    x = external(shape = [4, 3]);
    w = variable(shape = [2, 3], label = 'fc/w');
    yield_ = matmul(x, w, transposeB = true); # product
}
`
	if code != 0 || !strings.Contains(out, want) || !strings.Contains(out, "yield becomes yield_") {
		t.Errorf("code %d\n%s", code, out)
	}
	for _, target := range []string{"new", "new.nnef.tgz"} {
		target = filepath.Join(t.TempDir(), target)
		out, code := execute(t, "migrate", dir, "-o", target, shape)
		if code != 0 || !strings.Contains(out, "fc/w.dat: its quantization becomes an entry of graph.quant for w") {
			t.Errorf("code %d\n%s", code, out)
		}
		if strings.HasSuffix(target, "new") {
			quants := "# activations\n\"yield_\": linear_quantize(min = 0.0, max = 6.0, bits = 8);\n\"w\": linear_quantize(min = -1.0, max = 1.0, bits = 8);\n"
			if got := readString(t, target, "graph.quant"); got != quants {
				t.Errorf("graph.quant:\n%s", got)
			}
			if data := readString(t, target, "fc", "w.dat"); len(data) != 128+6 || data[48] != 2 || data[44] != 8 {
				t.Errorf("w.dat: %d bytes, %q", len(data), data)
			}
		}
		if out, code := execute(t, "inspect", target); code != 0 {
			t.Errorf("%s cannot be read: code %d\n%s", target, code, out)
		}
	}
}

// TestMigrateItems keeps the items of tensor files byte for byte, whatever their width is, and gives headers the shapes of
// the document.
func TestMigrateItems(t *testing.T) {
	const (
		codes = "linear_quantize(min = 0.0, max = 15.0, bits = 4)"
		text  = `version 1.0
graph net( x ) -> ( y )
{
    x = external(shape = [1, 3, 1])
    a = variable(shape = [1, 3, 1], label = 'a')
    b = variable(shape = [1, 3, 1], label = 'b')
    c = variable(shape = [1, 3], label = 'c')
    ab = mul(a, b)
    cx = mul(c, x)
    y = add(ab, cx)
}
`
	)
	double := make([]byte, 24)
	for i, x := range []float64{0.1, math.Pi, 1e-300} {
		binary.LittleEndian.PutUint64(double[8*i:], math.Float64bits(x))
	}
	nibbles := []byte{0x1F, 0x80}
	half := []byte{0, 0x3C, 0, 0xC0, 1, 0}
	dir := writeFiles(t, map[string]string{
		"graph.nnef": text,
		"a.dat":      oldTensor(0, 64, "", []uint32{1, 3, 1}, double),
		"b.dat":      oldTensor(1, 4, codes, []uint32{1, 3}, nibbles),
		"c.dat":      oldTensor(0, 16, "", []uint32{1, 3, 1}, half),
	})
	target := filepath.Join(t.TempDir(), "new")
	if out, code := execute(t, "migrate", dir, "-o", target); code != 0 {
		t.Fatalf("code %d\n%s", code, out)
	}
	for name, want := range map[string]struct {
		bits, item, rank byte
		items            []byte
	}{"a.dat": {64, 0, 3, double}, "b.dat": {4, 2, 3, nibbles}, "c.dat": {16, 0, 2, half}} {
		data := readString(t, target, name)
		if len(data) < 128 || data[44] != want.bits || data[48] != want.item || data[8] != want.rank || data[128:] != string(want.items) {
			t.Errorf("%s is %q", name, data)
		}
	}
	if out, code := execute(t, "diff", dir, target, "--random", "--lowered"); code != 0 {
		t.Errorf("code %d\n%s", code, out)
	}
}

func TestMigrateErrors(t *testing.T) {
	dir := oldModel(t)
	graph := filepath.Join(dir, "graph.nnef")
	final := filepath.Join(writeFiles(t, map[string]string{"a.nnef": tidyGraph}), "a.nnef")
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{dir, exitInput, "the shape of the input x is not specified"},
		{final, exitInput, "of the final dialect already"},
		{graph + " --shape x", exitUsage, "--shape x: it must be NAME=EXTENTS"},
		{graph + " --shape x=4,3 -o " + t.TempDir(), exitUsage, "the source is a document"},
		{dir + " --shape x=4,3 -o " + dir, exitUsage, "it is the source"},
		{dir + " --shape x=4,3 --check", 0, "fc/w.dat is written anew"},
		{filepath.Join(dir, "none"), exitInput, "no such file"},
	} {
		out, code := execute(t, append([]string{"migrate"}, strings.Fields(c.args)...)...)
		if code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("migrate %s: code %d\n%s", c.args, code, out)
		}
	}
	if readString(t, graph) != oldNet {
		t.Error("the source was changed")
	}
}

// TestMigrateShared runs the provisional model of the shared set before and after.
func TestMigrateShared(t *testing.T) {
	dir := testdata.Shared(t, "conformance", "nnef", "models", "mdl-provisional")
	target := filepath.Join(t.TempDir(), "new")
	if out, code := execute(t, "migrate", dir, "-o", target); code != 0 {
		t.Fatalf("code %d\n%s", code, out)
	}
	input := make([]byte, 0, 24)
	for _, v := range []float32{0.8125, 1.1875, -1.1875, 0.40625, -1, 1.0625} {
		input = binary.LittleEndian.AppendUint32(input, math.Float32bits(v))
	}
	header := "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
	header += strings.Repeat(" ", 117-len(header)) + "\n"
	npy := "\x93NUMPY\x01\x00\x76\x00" + header + string(input)
	file := filepath.Join(writeFiles(t, map[string]string{"x.npy": npy}), "x.npy")
	before, code := execute(t, "run", "--json", dir, "x="+file)
	after, second := execute(t, "run", "--json", "--force", target, "x="+file)
	cut := func(s string) string {
		_, s, _ = strings.Cut(s, `"outputs"`)
		return s
	}
	if code != 0 || second != 0 || cut(before) != cut(after) || cut(before) == "" {
		t.Errorf("codes %d, %d\n%s\n%s", code, second, before, after)
	}
}
