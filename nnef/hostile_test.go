package nnef_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/nnef/tensorfile"
	"github.com/concord-nn/concord/nnef"
)

// hostile writes a model with one variable of a shape, whose file has the given bytes and is of the given length, and returns the error of loading it.
func hostile(t *testing.T, shape string, file []byte, length int64) error {
	t.Helper()
	dir := t.TempDir()
	text := "version 1.0;\ngraph n( x ) -> ( y )\n{ x = external(shape = [1]);\n w = variable(shape = [" + shape + "], label = 'w'); y = add(x, w); }\n"
	w := filepath.Join(dir, "w.dat")
	for name, data := range map[string][]byte{filepath.Join(dir, "graph.nnef"): []byte(text), w: file} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Truncate(w, length); err != nil {
		t.Skip(err)
	}
	m, err := nnef.Load(dir, nnef.Options{})
	if err == nil {
		t.Error("a broken model is loaded")
		_ = m.Close() // there is another error
	}
	return err
}

// header returns the one of a tensor file of one dimension.
func header(length, extent, bits uint32, item tensorfile.ItemType) []byte {
	h := make([]byte, tensorfile.HeaderSize)
	copy(h, []byte{0x4E, 0xEF, 1, 0})
	for at, v := range map[int]uint32{4: length, 8: 1, 12: extent, 44: bits, 48: uint32(item)} {
		h[at], h[at+1], h[at+2], h[at+3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
	}
	return h
}

// TestSparseFile has a tensor file of a terabyte that takes no room on the disk: its length is wrong, which nobody needs to read it for.
func TestSparseFile(t *testing.T) {
	err := hostile(t, "8", header(0, 8, 32, tensorfile.Float), 1<<40)
	if err != nil && !strings.Contains(err.Error(), "announces 0 bytes of items") && !strings.Contains(err.Error(), "limit") {
		t.Error(err)
	}
}

// TestItemsAreRefusedBeforeDecoding has items of a bit, which decoded take eight times as much: they are of another type or shape than the document
// says.
func TestItemsAreRefusedBeforeDecoding(t *testing.T) {
	const items = 64 << 20
	for shape, want := range map[string]string{"67108864": "the document says scalar", "3": "the document says [3]"} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := hostile(t, shape, header(items/8, items, 1, tensorfile.Unsigned), tensorfile.HeaderSize+items/8)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("shape [%s]: %v", shape, err)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > items/2 {
			t.Errorf("shape [%s]: refusing it takes %d bytes", shape, n)
		}
	}
}
