package mapfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/limits"
)

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestRead(t *testing.T) {
	for n, ok := range map[int]bool{0: true, 999: true, 1000: true, 1001: false, 5000: false} {
		want := slices.Repeat([]byte{7}, n)
		if data, err := read(bytes.NewReader(want), 1000); (err == nil) != ok || ok && !bytes.Equal(data, want) {
			t.Errorf("%d bytes: %d, %v", n, len(data), err)
		}
	}
	if strconv.IntSize == 64 && limits.FileRead < 1<<31 {
		t.Error("a model of the greatest length that ONNX has cannot be read")
	}
}

// TestReadRest reads a file from its middle on, so that less comes than the system says there is.
func TestReadRest(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	write(t, name, "0123456789")
	for at, want := range map[int64]string{0: "0123456789", 4: "456789", 10: ""} {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Seek(at, 0); err != nil {
			t.Fatal(err)
		}
		if data, err := Read(f); err != nil || string(data) != want {
			t.Errorf("from %d on: %q, %v; want %q", at, data, err, want)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestReadSized(t *testing.T) {
	for _, n := range []int{0, 1, 1 << 20, 3<<20 + 7} {
		data, err := readSized(bytes.NewReader(make([]byte, n)), int64(n))
		if err != nil || len(data) != n {
			t.Errorf("%d bytes: got %d, %v", n, len(data), err)
		}
	}
	if _, err := readSized(bytes.NewReader(make([]byte, 10)), 1<<40); err == nil {
		t.Error("missing bytes are not noticed")
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	for _, content := range []string{"", "content", strings.Repeat("long ", 1<<16)} {
		name := filepath.Join(dir, "f")
		write(t, name, content)
		f, err := Open(name)
		if err != nil || string(f.Data) != content {
			t.Fatalf("%d bytes come as %d: %v", len(content), len(f.Data), err)
		}
		if err := errors.Join(f.Close(), f.Close()); err != nil || string(f.Data) != content {
			t.Errorf("after Close there are %d bytes: %v", len(f.Data), err)
		}
	}
	if _, err := Open(dir); err == nil {
		t.Error("a folder is opened as a file")
	}
	if _, err := Open(filepath.Join(dir, "absent")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file gives %v", err)
	}
	if pipe := filepath.Join(dir, "pipe"); mkfifo(pipe) == nil {
		if _, err := Open(pipe); err == nil {
			t.Error("a pipe is opened as a file")
		}
	}
}

func TestForget(t *testing.T) {
	content := strings.Repeat("content ", 1<<15)
	name := filepath.Join(t.TempDir(), "f")
	write(t, name, content)
	f, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	own := []byte(content)
	for _, b := range [][]byte{nil, own, own[5:9], f.Data, f.Data[1:], f.Data[5000:5000], f.Data[4000:9000], f.Data[len(f.Data)-1:]} {
		if Forget(b); string(own) != content || string(f.Data) != content {
			t.Fatalf("%d bytes are lost", len(b))
		}
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	Forget(own)
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "model")
	if err := os.MkdirAll(filepath.Join(model, "below"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "secret"), "secret")
	write(t, filepath.Join(model, "w"), "weights")
	write(t, filepath.Join(model, "below", "w"), "below")
	bad := map[string]string{"absent": "there is no such file", "below": "it is a folder; a file must stand there", "w/x": "there is no such file", "../secret": ""}
	for name, target := range map[string]string{"out": "../secret", "absolute": filepath.Join(dir, "secret")} {
		if os.Symlink(target, filepath.Join(model, name)) == nil {
			bad[name] = ""
		}
	}
	if os.Symlink(dir, filepath.Join(model, "up")) == nil {
		bad["up/secret"] = ""
	}
	if mkfifo(filepath.Join(model, "pipe")) == nil {
		bad["pipe"] = "it is no regular file"
	}
	d, err := OpenFolder(model)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"w": "weights", "below/w": "below"} {
		a, err := d.ReadFile(name)
		if err != nil || string(a) != want {
			t.Errorf("%s is %q: %v", name, a, err)
		}
		if b, err := d.ReadFile(name); err != nil || &a[0] != &b[0] {
			t.Errorf("%s is in memory twice: %v", name, err)
		}
	}
	if os.Symlink("below/w", filepath.Join(model, "link")) == nil {
		if data, err := d.ReadFile("link"); err != nil || string(data) != "below" {
			t.Errorf("a link in the folder gives %q: %v", data, err)
		}
	}
	for name, want := range bad {
		if data, err := d.ReadFile(name); err == nil || want != "" && err.Error() != want {
			t.Errorf("%s is %q: %v", name, data, err)
		}
	}
	if err := errors.Join(d.Close(), d.Close()); err != nil {
		t.Error(err)
	}
	if _, err := d.ReadFile("w"); err == nil {
		t.Error("a file can be read after Close")
	}
}
