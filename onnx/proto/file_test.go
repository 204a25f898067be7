package proto_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// external returns a tensor of float32 whose elements stand in a file. Pairs are those of external_data.
func external(n int64, pairs ...string) *proto.Tensor {
	t := &proto.Tensor{DataType: proto.Float, Dims: []int64{n}, DataLocation: proto.DataExternal}
	for i := 0; i < len(pairs); i += 2 {
		t.ExternalData = append(t.ExternalData, &proto.StringEntry{Key: pairs[i], Value: pairs[i+1]})
	}
	return t
}

// names are files in memory.
type names map[string][]byte

func (n names) ReadFile(name string) ([]byte, error) {
	if data, ok := n[name]; ok {
		return data, nil
	}
	return nil, fs.ErrNotExist
}

func TestExternal(t *testing.T) {
	data := tensor.AlignedBytes(32)
	copy(data, "0123456789abcdefghijklmnopqrstuv")
	files := names{"w": data, "sub/w": data[16:]}
	for _, c := range []struct {
		t    *proto.Tensor
		want string // the elements, or part of the error
	}{
		{external(8, "location", "w"), string(data)},
		{external(2, "location", "w"), "01234567"},
		{external(2, "location", "w", "offset", "8", "length", "8", "checksum", "x"), "89abcdef"},
		{external(2, "length", "8", "location", "./w", "offset", "5"), "56789abc"},
		{external(1, "location", "sub//w", "offset", ""), "ghij"},
		{external(0, "location", "w", "offset", "32"), ""},
		{external(2, "location", "w", "offset", "25"), "should be the 8 bytes at 25 of \"w\", which has 32"},
		{external(2, "location", "w", "offset", "33", "length", "0"), "should be the 0 bytes at 33 of \"w\", which has 32"},
		{external(2, "location", "w", "offset", "9223372036854775807", "length", "9223372036854775807"), "should be the 9223372036854775807 bytes"},
		{external(2, "location", "w", "offset", "18446744073709551615"), `the offset of the external data is "18446744073709551615"`},
		{external(2, "location", "w", "offset", "-1"), `the offset of the external data is "-1"`},
		{external(2, "location", "w", "length", "0x8"), `the length of the external data is "0x8"; it must be a number`},
		{external(2, "location", "w", "length", "12"), "the raw data has 12 bytes; float32[2] takes 8"},
		{external(1<<26, "location", "w"), "should be the 268435456 bytes at 0 of \"w\""},
		{external(2, "location", "absent"), "\"absent\": file does not exist"},
		{external(2, "location", "../w"), `"../w" leads out of the folder`},
		{external(2, "location", "sub/../w"), `"sub/../w" leads out of the folder`},
		{external(2, "location", "/w"), `"/w" leads out of the folder`},
		{external(2, "location", "w", "location", "x"), "external_data says twice what location is"},
		{external(2, "offset", "0"), "external_data says no location"},
	} {
		x, err := c.t.Value(files)
		if err != nil && !strings.Contains(err.Error(), c.want) || err == nil && string(tensor.AppendRaw(nil, x)) != c.want {
			t.Errorf("%v, %v; want %s", x, err, c.want)
		}
	}
}

// weights returns a model with an initializer of n float32.
func weights(n int) *proto.Model {
	raw := make([]byte, 4*n)
	for i := range raw {
		raw[i] = byte(i % 61)
	}
	return &proto.Model{IRVersion: 8, Graph: &proto.Graph{Initializer: []*proto.Tensor{
		{Name: "few", DataType: proto.Int8, Dims: []int64{3}, RawData: []byte{1, 2, 3}},
		{Name: "many", DataType: proto.Float, Dims: []int64{int64(n)}, RawData: raw},
		{Name: "again", DataType: proto.Uint8, Dims: []int64{int64(4 * n)}, RawData: raw},
	}}}
}

// TestWriteFile writes a model to one file and to two, and reads it.
func TestWriteFile(t *testing.T) {
	for _, outside := range []bool{false, true} {
		dir := t.TempDir()
		name := filepath.Join(dir, "m.onnx")
		m := weights(3000)
		for range 2 {
			if err := proto.WriteFile(name, m, outside); err != nil {
				t.Fatal(err)
			}
		}
		if m.Graph.Initializer[1].DataLocation != proto.DataDefault {
			t.Error("writing has changed the model")
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != map[bool]int{false: 1, true: 2}[outside] {
			t.Errorf("the folder has %v, %v", entries, err)
		}
		f, err := proto.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range f.Model.Graph.Initializer {
			if got := c.DataLocation == proto.DataExternal; got != (outside && i > 0) {
				t.Errorf("%s stands outside: %v", c.Name, got)
			}
			x, err := f.Value(c)
			if err != nil || !bytes.Equal(tensor.Raw(x), m.Graph.Initializer[i].RawData) {
				t.Errorf("%s is %v, %v", c.Name, x, err)
			}
		}
		if err := proto.WriteFile(name, f.Model, true); (err != nil) != outside { // over a file that is mapped
			t.Errorf("what stands outside is written there again: %v", err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := proto.WriteFile(filepath.Join(t.TempDir(), "absent", "m.onnx"), weights(1), true); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file without a folder: %v", err)
	}
	if err := proto.WriteFile(filepath.Join(t.TempDir(), "m.onnx"), &proto.Model{}, true); err != nil {
		t.Error(err)
	}
}

// TestOpenStaysInside refuses external data that is not a file in the folder of the model.
func TestOpenStaysInside(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "model")
	for _, name := range []string{model, filepath.Join(model, "folder")} {
		if err := os.Mkdir(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{filepath.Join(dir, "secret"), filepath.Join(model, "w")} {
		if err := os.WriteFile(name, []byte("1234"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m := &proto.Model{Graph: &proto.Graph{}}
	locations := []string{"w", "../secret", filepath.ToSlash(filepath.Join(dir, "secret")), "folder", "absent"}
	if os.Symlink("../secret", filepath.Join(model, "link")) == nil {
		locations = append(locations, "link")
	}
	for _, l := range locations {
		m.Graph.Initializer = append(m.Graph.Initializer, external(1, "location", l))
	}
	name := filepath.Join(model, "m.onnx")
	if err := proto.WriteFile(name, m, false); err != nil {
		t.Fatal(err)
	}
	f, err := proto.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i, c := range f.Model.Graph.Initializer {
		if x, err := f.Value(c); (err == nil) != (i == 0) {
			t.Errorf("%s: %v, %v", locations[i], x, err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.onnx")
	if err := os.WriteFile(broken, []byte{0x3A, 1}, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := proto.Open(broken)
	if e, ok := errors.AsType[*proto.Error](err); !ok || e.Path != "graph" || !strings.HasPrefix(err.Error(), broken+": byte 1: graph: a message of 1 bytes should follow") {
		t.Errorf("a broken file: %v", err)
	}
	if _, err := proto.Open(dir); err == nil {
		t.Error("a folder is opened")
	}
	if _, err := proto.Open(filepath.Join(dir, "absent.onnx")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := proto.Read([]byte{0x3A, 1}, nil); err == nil {
		t.Error("broken bytes are read")
	}
}

// TestOpenCopiesNothing holds opening to memory that is small beside the data.
func TestOpenCopiesNothing(t *testing.T) {
	name := filepath.Join(t.TempDir(), "m.onnx")
	if err := proto.WriteFile(name, weights(1<<20), false); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f, err := proto.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("opening allocates %d bytes", n)
	}
}

// broken is a writer that fails after some bytes.
type broken struct{ left int }

var errBroken = errors.New("broken")

func (b *broken) Write(p []byte) (int, error) {
	if n := len(p); n <= b.left {
		b.left -= n
		return n, nil
	}
	return 0, errBroken
}

func TestWriteTo(t *testing.T) {
	m := weights(1 << 16)
	b, err := proto.Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if n, err := m.WriteTo(&got); err != nil || n != int64(len(b)) || !bytes.Equal(got.Bytes(), b) {
		t.Errorf("%d bytes are written, %v; want %d", n, err, len(b))
	}
	for left := 0; left < len(b); left += len(b) / 7 {
		if _, err := m.WriteTo(&broken{left}); !errors.Is(err, errBroken) {
			t.Errorf("a writer that fails after %d bytes: %v", left, err)
		}
	}
	var _ io.WriterTo = m
}
